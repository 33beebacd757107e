//! Ctrl-C and SIGTERM, with which users and operators ask for a clean end.

use tensor::{Result, err};
use tokio::signal::unix::{Signal, SignalKind, signal};

/// Calls `react` at every SIGINT and SIGTERM, on a thread of its own, for as long as it returns true.
///
/// Signals are noticed from the moment that this returns: one that comes later neither ends the process nor is lost.
///
/// # Errors
/// `ResourceExhausted` if the system refuses to report signals.
pub fn on_signals(mut react: impl FnMut() -> bool + Send + 'static) -> Result<()> {
    let refused = |error| err!(ResourceExhausted, "cannot listen for signals: {error}");
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(refused)?;
    let listen = || -> std::io::Result<(Signal, Signal)> {
        let _within = runtime.enter();
        Ok((signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?))
    };
    let (mut terminate, mut interrupt) = listen().map_err(refused)?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            loop {
                tokio::select! {
                    _ = terminate.recv() => {}
                    _ = interrupt.recv() => {}
                }
                if !react() {
                    return;
                }
            }
        });
    });
    Ok(())
}
