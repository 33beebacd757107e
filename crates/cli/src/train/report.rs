//! What tasks tell the process that started them: lines of JSON on their standard output.

use std::io::Write;

use serde_json::{Value, json};
use tensor::{Code, Status};

#[derive(Clone, Debug, PartialEq)]
pub enum Report {
    /// A worker has made steps: the global step, its own count, and the loss of an image.
    Progress { step: i64, local_step: i64, loss: f32 },
    /// What the chief has reached in the end.
    Result(Outcome),
    /// Why a task ends.
    Failure { code: Code, message: String },
}

#[derive(Clone, Debug, PartialEq)]
pub struct Outcome {
    /// The steps of this run, by all workers.
    pub steps: i64,
    pub seconds: f64,
    /// On the test images; none if training was stopped.
    pub accuracy: Option<f32>,
}

impl Report {
    /// Sends it. If nobody listens, the task is about to be told so on its other pipe.
    pub fn send(&self) {
        let value = match self {
            Report::Progress { step, local_step, loss } => {
                json!({"report": "progress", "step": step, "local_step": local_step, "loss": loss})
            }
            Report::Result(outcome) => json!({
                "report": "result", "steps": outcome.steps, "seconds": outcome.seconds, "accuracy": outcome.accuracy
            }),
            Report::Failure { code, message } => {
                json!({"report": "failure", "code": *code as i32, "message": message})
            }
        };
        let mut out = std::io::stdout().lock();
        let _ = writeln!(out, "{value}").and_then(|()| out.flush());
    }

    pub fn failure(status: &Status) -> Report {
        Report::Failure { code: status.code(), message: status.message().to_owned() }
    }

    /// `None` for a line that is no report.
    pub fn parse(line: &str) -> Option<Report> {
        let value: Value = serde_json::from_str(line).ok()?;
        let float = |name: &str| value.get(name).and_then(Value::as_f64);
        let int = |name: &str| value.get(name).and_then(Value::as_i64);
        Some(match value.get("report")?.as_str()? {
            "progress" => Report::Progress {
                step: int("step")?,
                local_step: int("local_step")?,
                // JSON has no number for a loss that is none.
                loss: float("loss").unwrap_or(f64::NAN) as f32,
            },
            "result" => Report::Result(Outcome {
                steps: int("steps")?,
                seconds: float("seconds")?,
                accuracy: float("accuracy").map(|accuracy| accuracy as f32),
            }),
            "failure" => Report::Failure {
                code: Code::from_number(int("code")? as i32),
                message: value.get("message")?.as_str()?.to_owned(),
            },
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_report_is_none() {
        let line = r#"{"report": "failure", "code": 5, "message": "two\nlines"}"#;
        let failure = Report::Failure { code: Code::NotFound, message: "two\nlines".into() };
        assert_eq!(Report::parse(line), Some(failure));
        for line in ["", "hello", "{}", r#"{"report": 1}"#, r#"{"report": "progress"}"#, r#"{"report": "unknown"}"#] {
            assert_eq!(Report::parse(line), None, "{line}");
        }
    }
}
