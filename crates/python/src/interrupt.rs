//! Ctrl-C ends waits: Python writes the numbers of signals into a socket, and a thread that reads it cancels what the program's
//! main thread waits for. So a step costs nothing more than to be listed here.

use std::collections::HashMap;
use std::io::Read;
use std::os::fd::AsRawFd;
use std::os::unix::net::UnixStream;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread::ThreadId;

use graph::op::Cancellation;
use parking_lot::Mutex;
use pyo3::prelude::*;
use tensor::err;

static WAITS: Mutex<Option<HashMap<u64, Cancellation>>> = Mutex::new(None);
static NEXT: AtomicU64 = AtomicU64::new(0);
/// The thread that Python hands signals to. Steps of other threads are not its business.
static MAIN: OnceLock<ThreadId> = OnceLock::new();
/// The end that Python writes to; it stays open as long as the process.
static WRITER: OnceLock<UnixStream> = OnceLock::new();

const SIGINT: u8 = 2;

/// Returns the number of the file that the numbers of signals are to be written to, for `signal.set_wakeup_fd`. Only the main
/// thread can set that, so it is the one that calls this.
#[pyfunction]
pub fn signal_fd() -> PyResult<i32> {
    MAIN.get_or_init(|| std::thread::current().id());
    if let Some(writer) = WRITER.get() {
        return Ok(writer.as_raw_fd());
    }
    let (writer, mut reader) = UnixStream::pair()?;
    writer.set_nonblocking(true)?;
    let watch = move || {
        let mut signals = [0u8; 64];
        while let Ok(count @ 1..) = reader.read(&mut signals) {
            if signals[..count].contains(&SIGINT) {
                interrupt();
            }
        }
    };
    std::thread::Builder::new().name("tensorfleet-signals".to_owned()).spawn(watch)?;
    Ok(WRITER.get_or_init(|| writer).as_raw_fd())
}

/// Cancels what is waited for, as Ctrl-C does.
#[pyfunction]
pub fn interrupt() {
    let waits: Vec<Cancellation> = WAITS.lock().iter().flat_map(|waits| waits.values().cloned()).collect();
    for wait in waits {
        wait.cancel(err!(Cancelled, "interrupted"));
    }
}

/// A wait that Ctrl-C ends, for as long as this lives, if it is the main thread's.
pub struct Interruptible {
    number: u64,
    pub cancellation: Cancellation,
}

impl Interruptible {
    pub fn new() -> Interruptible {
        let (number, cancellation) = (NEXT.fetch_add(1, Ordering::Relaxed), Cancellation::new());
        if MAIN.get() == Some(&std::thread::current().id()) {
            WAITS.lock().get_or_insert_default().insert(number, cancellation.clone());
        }
        Interruptible { number, cancellation }
    }
}

impl Drop for Interruptible {
    fn drop(&mut self) {
        if MAIN.get() == Some(&std::thread::current().id())
            && let Some(waits) = WAITS.lock().as_mut()
        {
            waits.remove(&self.number);
        }
    }
}
