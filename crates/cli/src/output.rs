//! Standard output and standard error whose readers may go away, as in `tensorfleet ops | head`.

use std::fmt::Display;
use std::io::{ErrorKind, Write};

/// The exit code that a shell reports for a program that SIGPIPE has ended.
const READER_IS_GONE: i32 = 141;

/// Writes to standard output.
///
/// Ends the process where that fails: quietly if the reader has closed the pipe, as other Unix tools end, and with a message
/// if the text cannot be stored, as on a full disk. Tasks of `train` notice the end of the process that started them.
pub fn text(text: impl Display) {
    let mut out = std::io::stdout().lock();
    match write!(out, "{text}").and_then(|()| out.flush()) {
        Ok(()) => {}
        Err(error) if error.kind() == ErrorKind::BrokenPipe => std::process::exit(READER_IS_GONE),
        Err(error) => {
            error_line(format_args!("tensorfleet: cannot write to standard output: {error}"));
            std::process::exit(1);
        }
    }
}

/// Writes a line to standard output; if that fails, the process ends as with [`text`].
pub fn line(line: impl Display) {
    text(format_args!("{line}\n"));
}

/// Writes a line to standard error. Nobody can be told if that fails.
pub fn error_line(line: impl Display) {
    let _ = writeln!(std::io::stderr().lock(), "{line}");
}
