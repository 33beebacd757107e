//! Panics in the code of ops: defects of the op, which end as errors of the step that ran it.

use std::any::Any;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

use tensor::{Result, Status, err};

/// Runs code of an op, which `what` names in the error that a panic becomes.
///
/// ```
/// use tensorfleet_graph::op::guarded;
/// use tensor::{Code, Result};
///
/// let outcome: Result<()> = guarded(format_args!("the kernel of op {}", "Add"), || panic!("on purpose"));
/// let status = outcome.unwrap_err();
/// assert_eq!((status.code(), status.message()), (Code::Internal, "the kernel of op Add panicked: on purpose"));
/// ```
///
/// # Errors
/// Those of `work`; `Internal` if it panics.
pub fn guarded<T>(what: fmt::Arguments<'_>, work: impl FnOnce() -> Result<T>) -> Result<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(panicked(what, &*panic)))
}

/// The error that stands for a caught panic.
pub fn panicked(what: fmt::Arguments<'_>, panic: &(dyn Any + Send)) -> Status {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    err!(Internal, "{what} panicked: {}", text.unwrap_or_default())
}

/// Calls back into code of an op. Whoever calls must not suffer from a panic there: whoever waits for the op learns of it
/// because what would have told it so is dropped.
pub fn shielded(callback: impl FnOnce()) {
    let _ = catch_unwind(AssertUnwindSafe(callback));
}
