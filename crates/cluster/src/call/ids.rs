//! The names and numbers by which sessions, graphs, steps, requests and tasks are known.

use std::borrow::Borrow;
use std::fmt;

use graph::DeviceName;
use graph::op::StepId;
use tensor::Result;

use super::random::{random_handle, random_id};

/// Declares an id that travels as text.
macro_rules! text_id {
    ($(#[$doc:meta])* $name:ident) => {
        $(#[$doc])*
        #[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub(crate) struct $name(String);

        impl $name {
            /// Returns the text as it travels.
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> $name {
                $name(text)
            }
        }

        impl From<$name> for String {
            fn from(id: $name) -> String {
                id.0
            }
        }

        impl Borrow<str> for $name {
            fn borrow(&self) -> &str {
                &self.0
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }
    };
}

text_id! {
    /// A client's session: the same text at its master and at all workers.
    SessionHandle
}

text_id! {
    /// A graph that was registered at a worker for a session.
    GraphHandle
}

text_id! {
    /// A step that runs in several calls.
    PartialRunHandle
}

text_id! {
    /// A task's full name, as in `/job:ps/replica:0/task:1`.
    TaskName
}

/// A callable of a session.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct CallableHandle(pub i64);

/// How often the graph of a session was extended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct GraphVersion(pub i64);

/// A request of a client or a task; zero is the number of requests that have none.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct RequestId(pub i64);

impl SessionHandle {
    /// Returns a handle that nobody can guess.
    pub fn random() -> SessionHandle {
        SessionHandle(random_handle())
    }

    /// Returns whether a message named no session.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

impl RequestId {
    /// Returns a number that no request had before.
    pub fn random() -> RequestId {
        RequestId(random_id())
    }
}

/// Returns a number that no step had before.
pub(crate) fn random_step() -> StepId {
    StepId(random_id())
}

impl TaskName {
    /// Returns the name of a task of a job.
    pub fn new(job: &str, task: u32) -> TaskName {
        TaskName(format!("/job:{job}/replica:0/task:{task}"))
    }

    /// Reads the name as that of a device without its kind and number.
    ///
    /// # Errors
    /// `InvalidArgument` if it is malformed.
    pub fn parse(&self) -> Result<DeviceName> {
        self.0.parse()
    }
}

/// Returns the task's part of a full device name: everything before the device itself.
pub(crate) fn task_of(device: &str) -> &str {
    device.find("/device:").map_or(device, |at| &device[..at])
}
