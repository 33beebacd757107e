//! What the process logs: to standard error, filtered by `TENSORFLEET_LOG`.

use std::io::IsTerminal;

use tensor::{Result, err};
use tracing_subscriber::EnvFilter;

/// Begins to log events of the level `usual` and above, or what `TENSORFLEET_LOG` asks for.
///
/// Lines have colours on a terminal only, and none if `NO_COLOR` is set. A reader of the log that goes away does not end a
/// server.
///
/// # Errors
/// `InvalidArgument` if the variable's text is no filter.
pub fn start(usual: &str) -> Result<()> {
    let wanted = std::env::var("TENSORFLEET_LOG").ok().filter(|text| !text.is_empty());
    let filter = match wanted {
        None => EnvFilter::new(usual),
        Some(text) => EnvFilter::try_new(&text).map_err(|error| {
            err!(
                InvalidArgument,
                "TENSORFLEET_LOG is '{text}': {error}; expected a level such as debug, or tensorfleet_cluster=debug,info"
            )
        })?,
    };
    let no_color = std::env::var_os("NO_COLOR").is_some_and(|value| !value.is_empty());
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_ansi(std::io::stderr().is_terminal() && !no_color)
        .with_writer(std::io::stderr)
        .log_internal_errors(false)
        .init();
    Ok(())
}
