//! The stack that foreign work may use. Graphs decide how deep datasets lie in datasets and functions call functions, so
//! whoever goes one level deeper asks first.

use std::cell::Cell;

use tensor::{Result, ensure};

/// The stack of every thread of ours that runs kernels, or lets go of values that kernels made.
pub const THREAD_STACK: usize = 8 << 20;

/// How much of such a stack nested work may take; the rest is for what the innermost kernel does.
const NESTED: usize = 6 << 20;

/// How much nested work may take on a thread that somebody else made, whose stack is not known.
const NESTED_ELSEWHERE: usize = 1 << 20;

thread_local! {
    /// The address that nested work must stay above, and how many bytes it has above that.
    static LOWEST: Cell<Option<(usize, usize)>> = const { Cell::new(None) };
}

/// Says that this thread has just begun, with a stack of [`THREAD_STACK`].
///
/// ```
/// use tensorfleet_graph::op::{THREAD_STACK, begin_thread, within_stack};
/// let thread = std::thread::Builder::new().stack_size(THREAD_STACK);
/// let answer = thread.spawn(|| {
///     begin_thread();
///     within_stack(|| Ok(42))
/// });
/// assert_eq!(answer.unwrap().join().unwrap().unwrap(), 42);
/// ```
pub fn begin_thread() {
    LOWEST.set(Some((here().saturating_sub(NESTED), NESTED)));
}

/// Runs work that may come back here, level by level.
///
/// ```
/// use tensorfleet_graph::op::within_stack;
/// use tensor::{Code, Result};
///
/// fn deeper(level: usize) -> Result<usize> {
///     within_stack(|| deeper(level + 1))
/// }
/// assert_eq!(deeper(0).unwrap_err().code(), Code::ResourceExhausted);
/// ```
///
/// # Errors
/// Those of `work`; `ResourceExhausted` if little of the thread's stack is left.
pub fn within_stack<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let Some((lowest, allowed)) = LOWEST.get() else {
        LOWEST.set(Some((here().saturating_sub(NESTED_ELSEWHERE), NESTED_ELSEWHERE)));
        let _outermost = Outermost;
        return work();
    };
    ensure!(
        here() >= lowest,
        ResourceExhausted,
        "datasets or functions are nested too deep: they have taken {allowed} bytes of their thread's stack"
    );
    work()
}

/// Where the stack is now, about.
fn here() -> usize {
    let marker = 0u8;
    std::ptr::from_ref(std::hint::black_box(&marker)).addr()
}

struct Outermost;

impl Drop for Outermost {
    fn drop(&mut self) {
        LOWEST.set(None);
    }
}
