//! What the example programs share: how flags are checked, and what time it is.

use std::time::{SystemTime, UNIX_EPOCH};

use tensorfleet::{Code, Result, Status};

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

/// Seconds since 1970, as the programs print them.
pub fn time() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |time| time.as_secs_f64())
}

/// Warnings go to stderr, such as which task is still waited for. `TENSORFLEET_LOG=info` tells more.
pub fn log_to_stderr() {
    let filter = tracing_subscriber::EnvFilter::try_from_env("TENSORFLEET_LOG").unwrap_or_else(|_| "warn".into());
    tracing_subscriber::fmt().with_env_filter(filter).with_writer(std::io::stderr).init();
}
