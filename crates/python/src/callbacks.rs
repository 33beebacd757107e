//! Python code that Rust code calls: what it raises is kept until the call is back in Python.

use std::cell::RefCell;

use pyo3::prelude::*;
use tensor::{Status, err};

thread_local! {
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

/// Keeps what Python code raised, for the exception of the call that it was made from; the first of several stays.
pub fn keep_raised(error: PyErr) -> Status {
    let status = err!(Aborted, "Python code raised {error}");
    RAISED.with(|raised| {
        raised.borrow_mut().get_or_insert(error);
    });
    status
}

/// What Python code raised on this thread since it was last asked.
pub fn take_raised() -> Option<PyErr> {
    RAISED.with(|raised| raised.borrow_mut().take())
}
