//! What the example programs share: how flags are checked, and what time it is.

use std::io::IsTerminal;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tensorfleet::{Code, Graph, RemoteSession, Result, Status};

/// How long a client waits for the server that it connects to.
const START_UP: Duration = Duration::from_secs(300);

/// The value of a flag without which a program cannot know what to be.
///
/// # Errors
/// `InvalidArgument`, naming the flag.
pub fn explicit<T>(value: Option<T>, flag: &str) -> Result<T> {
    value.ok_or_else(|| Status::new(Code::InvalidArgument, format!("Must specify an explicit `{flag}`")))
}

/// `--flag`, `--flag=True`, `--flag=false`, `--flag=1` ..
///
/// # Errors
/// What is wrong with the text.
pub fn boolean(text: &str) -> std::result::Result<bool, String> {
    match text.to_lowercase().as_str() {
        "true" | "t" | "1" | "yes" => Ok(true),
        "false" | "f" | "0" | "no" => Ok(false),
        _ => Err(format!("'{text}' is neither true nor false")),
    }
}

/// A session on a server that may still be starting.
///
/// # Errors
/// As [`RemoteSession::new`]; `Unavailable` only if the server has not come up after five minutes.
pub fn connect(target: &str, graph: &Graph) -> Result<RemoteSession> {
    let begin = Instant::now();
    loop {
        match RemoteSession::new(target, graph) {
            Err(status) if status.code() == Code::Unavailable && begin.elapsed() < START_UP => {
                std::thread::sleep(Duration::from_millis(100));
            }
            outcome => return outcome,
        }
    }
}

/// Seconds since 1970, as the programs print them.
pub fn time() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// A number with six digits that count, as `%g` prints it.
pub fn general(value: f32) -> String {
    let scientific = format!("{value:.5e}");
    let exponent: i32 = scientific.rsplit('e').next().and_then(|text| text.parse().ok()).unwrap_or(0);
    if !(-4..6).contains(&exponent) || !value.is_finite() {
        return scientific;
    }
    let fixed = format!("{value:.*}", (5 - exponent) as usize);
    if fixed.contains('.') { fixed.trim_end_matches('0').trim_end_matches('.').to_owned() } else { fixed }
}

/// Warnings go to stderr, such as which task is still waited for; `TENSORFLEET_LOG=info` tells more. They have colours on a
/// terminal only, and none if `NO_COLOR` is set.
pub fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("TENSORFLEET_LOG").unwrap_or_else(|_| "warn".into());
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal() && !no_color)
        .with_writer(std::io::stderr)
        .log_internal_errors(false)
        .init();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_six_digits() {
        let shown = [599.85364, 0.944, 1.0, 0.0, 123456.7, 0.00012345678, 1e10].map(general);
        assert_eq!(shown, ["599.854", "0.944", "1", "0", "123457", "0.000123457", "1.00000e10"]);
    }

    #[test]
    fn booleans_are_written_in_many_ways() {
        assert_eq!(["True", "1", "false", "F"].map(boolean), [Ok(true), Ok(true), Ok(false), Ok(false)]);
        assert!(boolean("perhaps").is_err());
    }
}
