//! Statuses on the wire. Codes have the same numbers on both sides.

use tensor::{Code, Result, Status};

/// Longer messages would overflow the header limits of TensorFlow's clients.
const MAX_MESSAGE: usize = 3072;

/// Returns the status of a call that failed as a whole.
pub(crate) fn to_grpc(status: &Status) -> tonic::Status {
    tonic::Status::new(tonic::Code::from_i32(status.code().number()), shortened(&status.wire_message()))
}

/// Returns the message as it may travel.
pub(crate) fn shortened(message: &str) -> String {
    if message.len() <= MAX_MESSAGE {
        return message.to_owned();
    }
    let end = (0..=MAX_MESSAGE).rev().find(|at| message.is_char_boundary(*at)).unwrap_or(0);
    format!("{} ... [truncated]", &message[..end])
}

/// Says which task an error came from, as TensorFlow's masters do.
pub(crate) fn told_by(task: &str, status: Status) -> Status {
    let told = Status::new(status.code(), format!("From {task}:\n{}", status.message()));
    if status.is_derived() || status.message().contains("[_Derived_]") { told.derived() } else { told }
}

/// Reads the status of a step that failed, from the body of its answer.
///
/// # Errors
/// The step's.
pub(crate) fn status_from_body(code: i32, message: &str) -> Result<()> {
    if code == 0 { Ok(()) } else { Err(Status::new(Code::from_number(code), message)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_messages_are_cut_at_a_character() {
        let long = "é".repeat(4000);
        let short = shortened(&long);
        assert!(short.len() < 3200 && short.ends_with("[truncated]"));
        let status = to_grpc(&tensor::err!(Aborted, "gone").at_node("n"));
        assert_eq!((status.code(), status.message()), (tonic::Code::Aborted, "gone\n\t [[{{node n}}]]"));
    }
}
