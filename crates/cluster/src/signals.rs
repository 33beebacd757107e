//! SIGTERM and SIGINT, for programs that wait for a server.

use std::sync::LazyLock;

use parking_lot::Mutex;
use tensor::{Result, err};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

/// The servers that signals stop.
static SERVERS: Mutex<Vec<Stoppable>> = Mutex::new(Vec::new());

struct Stoppable {
    stop: watch::Sender<bool>,
    serves: Box<dyn Fn() -> bool + Send>,
}

/// Lets signals stop a server for as long as it `serves`. Listening, which begins with the first call, changes the ways of
/// the whole process for good.
///
/// # Errors
/// `ResourceExhausted` if the system does not let the process listen.
pub(crate) fn stop_on_signals(stop: watch::Sender<bool>, serves: impl Fn() -> bool + Send + 'static) -> Result<()> {
    {
        let mut servers = SERVERS.lock();
        servers.retain(|server| (server.serves)());
        if !servers.iter().any(|server| server.stop.same_channel(&stop)) {
            servers.push(Stoppable { stop, serves: Box::new(serves) });
        }
    }
    static LISTENING: LazyLock<std::io::Result<()>> = LazyLock::new(listen);
    match &*LISTENING {
        Ok(()) => Ok(()),
        Err(error) => Err(err!(ResourceExhausted, "cannot listen for signals: {error}")),
    }
}

/// Starts a thread that listens; when this returns, it does.
fn listen() -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let (terminate, interrupt) = {
        let _inside = runtime.enter();
        (signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?)
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || {
        runtime.block_on(heed(terminate, interrupt));
    })?;
    Ok(())
}

async fn heed(mut terminate: Signal, mut interrupt: Signal) {
    loop {
        let number = tokio::select! {
            _ = terminate.recv() => SignalKind::terminate().as_raw_value(),
            _ = interrupt.recv() => SignalKind::interrupt().as_raw_value(),
        };
        let serving: Vec<watch::Sender<bool>> = {
            let servers = SERVERS.lock();
            servers.iter().filter(|server| (server.serves)()).map(|server| server.stop.clone()).collect()
        };
        if serving.is_empty() {
            // Nobody is left to stop, and the system no longer ends the process by itself.
            std::process::exit(128 + number);
        }
        for stop in serving {
            stop.send_replace(true);
        }
    }
}
