//! How long a caller waits for an answer: what the header `grpc-timeout` says.
//!
//! The library below ends a late call too, but as `Cancelled`, which a caller takes for somebody's wish. So a call ends here,
//! a moment earlier, as what it is.

use std::time::Duration;

use http::HeaderMap;
use tensor::err;

use super::unary::{Response, refused};

/// So much earlier than the library below, whose timer has steps of a millisecond.
const EARLIER: Duration = Duration::from_millis(2);

/// The answer, or `DeadlineExceeded` once the caller's time is over.
pub(super) fn in_time(patience: Option<Duration>, answer: Response) -> Response {
    let Some(patience) = patience else { return answer };
    // The time begins now, not when somebody first looks.
    let over = tokio::time::sleep(patience.saturating_sub(EARLIER));
    Box::pin(async move {
        tokio::select! {
            biased;
            answer = answer => answer,
            () = over => refused(&err!(DeadlineExceeded, "Deadline Exceeded: no answer within {patience:?}")).await,
        }
    })
}

/// How long the caller waits: at most eight digits and a unit.
pub(super) fn patience(headers: &HeaderMap) -> Option<Duration> {
    let text = headers.get("grpc-timeout")?.to_str().ok()?;
    let (digits, unit) = text.split_at_checked(text.len().checked_sub(1)?)?;
    if digits.len() > 8 || !digits.bytes().all(|digit| digit.is_ascii_digit()) {
        return None;
    }
    let number = digits.parse::<u64>().ok()?;
    Some(match unit {
        "H" => Duration::from_secs(number * 3600),
        "M" => Duration::from_secs(number * 60),
        "S" => Duration::from_secs(number),
        "m" => Duration::from_millis(number),
        "u" => Duration::from_micros(number),
        "n" => Duration::from_nanos(number),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patience_of_a_caller() {
        let said = |text: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("grpc-timeout", text.parse().unwrap());
            patience(&headers)
        };
        assert_eq!(said("250m"), Some(Duration::from_millis(250)));
        assert_eq!(said("99999999H"), Some(Duration::from_secs(99_999_999 * 3600)));
        assert_eq!(said("7u"), Some(Duration::from_micros(7)));
        for wrong in ["", "5", "S", "123456789S", "-1S", "1.5S", "+1S", "1s", "1µ"] {
            assert_eq!(said(wrong), None, "{wrong}");
        }
        assert_eq!(patience(&HeaderMap::new()), None);
    }

    #[tokio::test]
    async fn who_is_late_has_missed_the_deadline() {
        let code = |response: http::Response<tonic::body::Body>| {
            response.headers().get("grpc-status").map(|code| code.to_str().unwrap().to_owned())
        };
        let never = || -> Response { Box::pin(std::future::pending()) };
        let late = in_time(Some(Duration::from_millis(20)), never()).await.unwrap();
        assert_eq!(code(late).as_deref(), Some("4"));
        let prompt = in_time(Some(Duration::ZERO), refused(&err!(NotFound, "nothing"))).await.unwrap();
        assert_eq!(code(prompt).as_deref(), Some("5"), "an answer that is there counts");
    }
}
