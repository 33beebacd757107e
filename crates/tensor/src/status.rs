//! The error that every fallible function returns: one of TensorFlow's sixteen codes, what went wrong, and where.

use std::fmt;

/// What functions return: a value, or a [`Status`] unless another error is named.
///
/// ```
/// use tensorfleet::prelude::*;
/// fn half(number: i64) -> tensorfleet::Result<i64> {
///     if number % 2 == 0 { Ok(number / 2) } else { Err(Status::new(Code::InvalidArgument, format!("{number} is odd"))) }
/// }
/// assert_eq!(half(4)?, 2);
/// assert_eq!(half(3).unwrap_err().message(), "3 is odd");
/// # Ok::<(), Status>(())
/// ```
pub type Result<T, E = Status> = std::result::Result<T, E>;

/// TensorFlow's status codes; the numbers are gRPC's too. Clients decide by code whether to recover.
///
/// ```
/// use tensorfleet::prelude::*;
/// let recoverable = |code| matches!(code, Code::Aborted | Code::Unavailable);
/// assert!(recoverable(Status::new(Code::Unavailable, "the worker is away").code()));
/// assert_eq!((Code::NotFound.number(), Code::NotFound.name()), (5, "NOT_FOUND"));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[repr(i32)]
pub enum Code {
    /// The step was cancelled, usually by the client.
    Cancelled = 1,
    /// An error without a better code.
    Unknown = 2,
    /// A graph, request or value is wrong in itself.
    InvalidArgument = 3,
    /// Time ran out.
    DeadlineExceeded = 4,
    /// Something that was named does not exist.
    NotFound = 5,
    /// Something that should be new exists already.
    AlreadyExists = 6,
    /// The caller may not do this.
    PermissionDenied = 7,
    /// Memory or another resource is used up.
    ResourceExhausted = 8,
    /// The state is not the one that is needed, such as a variable without a value.
    FailedPrecondition = 9,
    /// The session or task is not the one it was: begin anew.
    Aborted = 10,
    /// The end of the input was reached.
    OutOfRange = 11,
    /// Not supported.
    Unimplemented = 12,
    /// A defect of this library.
    Internal = 13,
    /// A task is out of reach, perhaps only for now.
    Unavailable = 14,
    /// Data is damaged beyond repair.
    DataLoss = 15,
    /// The caller has not said who it is.
    Unauthenticated = 16,
}

impl Code {
    const ALL: [(Code, &'static str); 16] = [
        (Code::Cancelled, "CANCELLED"),
        (Code::Unknown, "UNKNOWN"),
        (Code::InvalidArgument, "INVALID_ARGUMENT"),
        (Code::DeadlineExceeded, "DEADLINE_EXCEEDED"),
        (Code::NotFound, "NOT_FOUND"),
        (Code::AlreadyExists, "ALREADY_EXISTS"),
        (Code::PermissionDenied, "PERMISSION_DENIED"),
        (Code::ResourceExhausted, "RESOURCE_EXHAUSTED"),
        (Code::FailedPrecondition, "FAILED_PRECONDITION"),
        (Code::Aborted, "ABORTED"),
        (Code::OutOfRange, "OUT_OF_RANGE"),
        (Code::Unimplemented, "UNIMPLEMENTED"),
        (Code::Internal, "INTERNAL"),
        (Code::Unavailable, "UNAVAILABLE"),
        (Code::DataLoss, "DATA_LOSS"),
        (Code::Unauthenticated, "UNAUTHENTICATED"),
    ];

    /// The code with this number; an unknown number (0 is no error) is `Unknown`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((Code::from_number(5), Code::from_number(99)), (Code::NotFound, Code::Unknown));
    /// ```
    pub fn from_number(number: i32) -> Code {
        let known = Code::ALL.iter().find(|(code, _)| *code as i32 == number);
        known.map_or(Code::Unknown, |(code, _)| *code)
    }

    /// Returns the number of the code in messages.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Code::InvalidArgument.number(), 3);
    /// ```
    pub fn number(self) -> i32 {
        self as i32
    }

    /// TensorFlow's spelling, as in `INVALID_ARGUMENT`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Code::InvalidArgument.name(), "INVALID_ARGUMENT");
    /// ```
    pub fn name(self) -> &'static str {
        Code::ALL[self as usize - 1].1
    }
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// An error: a code, a message that names the values involved, and the graph node it arose at.
///
/// ```
/// use tensorfleet_tensor::{Code, Status};
/// let status = Status::new(Code::InvalidArgument, "a is [2,3], b is [4,5]").at_node("layer1/MatMul");
/// assert_eq!(status.to_string(), "INVALID_ARGUMENT: a is [2,3], b is [4,5]\n\t [[{{node layer1/MatMul}}]]");
/// ```
#[derive(Clone)]
pub struct Status(Box<Inner>);

#[derive(Clone)]
struct Inner {
    code: Code,
    message: String,
    node: Option<String>,
    derived: bool,
}

impl Status {
    /// Returns an error with this code and message.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let status = Status::new(Code::NotFound, format!("no node {}", "w"));
    /// assert_eq!((status.code(), status.message()), (Code::NotFound, "no node w"));
    /// ```
    pub fn new(code: Code, message: impl Into<String>) -> Status {
        Status(Box::new(Inner { code, message: message.into(), node: None, derived: false }))
    }

    /// Returns the code.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Status::new(Code::OutOfRange, "the end").code(), Code::OutOfRange);
    /// ```
    pub fn code(&self) -> Code {
        self.0.code
    }

    /// The message alone, without code and node.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Status::new(Code::OutOfRange, "the end").at_node("read").message(), "the end");
    /// ```
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Returns the name of the node that the error arose at.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let x = g.placeholder(DType::Float, ());
    /// let error = LocalSession::new(&g)?.eval::<f32, _>(&x).unwrap_err(); // nothing is fed
    /// assert_eq!(error.node(), Some("Placeholder"));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn node(&self) -> Option<&str> {
        self.0.node.as_deref()
    }

    /// Names the node the error arose at. The first name stays: it is the one nearest to the cause.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let status = Status::new(Code::Internal, "broken").at_node("first").at_node("second");
    /// assert_eq!(status.node(), Some("first"));
    /// ```
    #[must_use]
    pub fn at_node(mut self, node: &str) -> Status {
        if self.0.node.is_none() && !self.0.message.contains("{{node ") {
            self.0.node = Some(node.to_owned());
        }
        self
    }

    /// Puts words and a colon before the message, as in `while reading data.tfrecord: ...`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let status = Status::new(Code::DataLoss, "the file is cut off").context("while reading digits");
    /// assert_eq!(status.message(), "while reading digits: the file is cut off");
    /// ```
    #[must_use]
    pub fn context(mut self, what: impl fmt::Display) -> Status {
        self.0.message = format!("{what}: {}", self.0.message);
        self
    }

    /// Marks the error as a consequence of another one, which should be reported instead.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let status = Status::new(Code::Cancelled, "another part failed").derived();
    /// assert!(status.is_derived());
    /// ```
    #[must_use]
    pub fn derived(mut self) -> Status {
        self.0.derived = true;
        self
    }

    /// Returns whether it is only a consequence of another error.
    pub fn is_derived(&self) -> bool {
        self.0.derived
    }

    /// Message and node as they travel in a status on the wire, where the code has its own field.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let status = Status::new(Code::Internal, "broken").at_node("w");
    /// assert_eq!(status.wire_message(), "broken\n\t [[{{node w}}]]");
    /// ```
    pub fn wire_message(&self) -> String {
        match &self.0.node {
            Some(node) => format!("{}\n\t [[{{{{node {node}}}}}]]", self.0.message),
            None => self.0.message.clone(),
        }
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.0.code, self.wire_message())
    }
}

/// As [`Display`](fmt::Display), so that a `main` that returns an error says it readably.
impl fmt::Debug for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl std::error::Error for Status {}

impl From<std::io::Error> for Status {
    fn from(error: std::io::Error) -> Status {
        // What went through code that knows only the system's errors is what it was.
        if let Some(status) = error.get_ref().and_then(|inner| inner.downcast_ref::<Status>()) {
            return status.clone();
        }
        use std::io::ErrorKind;
        let code = match error.kind() {
            ErrorKind::NotFound => Code::NotFound,
            ErrorKind::PermissionDenied => Code::PermissionDenied,
            ErrorKind::AlreadyExists => Code::AlreadyExists,
            ErrorKind::InvalidInput => Code::InvalidArgument,
            ErrorKind::InvalidData | ErrorKind::UnexpectedEof => Code::DataLoss,
            ErrorKind::StorageFull | ErrorKind::QuotaExceeded | ErrorKind::FileTooLarge => Code::ResourceExhausted,
            ErrorKind::TimedOut => Code::DeadlineExceeded,
            _ => Code::Unknown,
        };
        Status::new(code, error.to_string())
    }
}

/// A [`Status`] from a code's name and a format string: `err!(NotFound, "no node {name}")`.
#[macro_export]
macro_rules! err {
    ($code:ident, $($message:tt)+) => {
        $crate::Status::new($crate::Code::$code, format!($($message)+))
    };
}

/// Returns early with [`err!`].
#[macro_export]
macro_rules! bail {
    ($code:ident, $($message:tt)+) => { return Err($crate::err!($code, $($message)+)) };
}

/// Returns early with [`err!`] unless the condition holds.
#[macro_export]
macro_rules! ensure {
    ($condition:expr, $code:ident, $($message:tt)+) => {
        if !$condition { $crate::bail!($code, $($message)+) }
    };
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_keeps_its_number_and_name() {
        for (code, name) in Code::ALL {
            assert_eq!(Code::from_number(code.number()), code);
            assert_eq!(code.name(), name);
        }
        assert_eq!(Code::from_number(99), Code::Unknown);
    }

    #[test]
    fn the_first_node_named_stays() {
        let status = err!(Internal, "boom").at_node("inner").at_node("outer");
        assert_eq!(status.node(), Some("inner"));
        assert_eq!(status.wire_message(), "boom\n\t [[{{node inner}}]]");
    }
}
