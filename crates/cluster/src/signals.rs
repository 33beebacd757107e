//! SIGTERM, SIGINT and SIGHUP, for programs that wait for a server or that train.

use std::sync::{Arc, LazyLock, Weak};

use parking_lot::Mutex;
use tensor::{Result, err};
use tokio::signal::unix::{Signal, SignalKind, signal};
use tokio::sync::watch;

use crate::trust::Keys;

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
    listen()
}

/// Begins to listen for the signals that stop a process, once.
fn listen() -> Result<()> {
    static LISTENING: LazyLock<std::io::Result<()>> =
        LazyLock::new(|| start(|| Ok((signal(SignalKind::terminate())?, signal(SignalKind::interrupt())?)), heed));
    match &*LISTENING {
        Ok(()) => Ok(()),
        Err(error) => Err(err!(ResourceExhausted, "cannot listen for signals: {error}")),
    }
}

/// What is done when the process is told to stop.
static REACTIONS: Mutex<Vec<Box<dyn Fn() + Send>>> = Mutex::new(Vec::new());

/// Calls `react` when SIGTERM or SIGINT comes for the first time, instead of ending the process; the second ends it at once. Servers
/// that were to be stopped by signals are left to the program then. For a program that has something to finish first, as a chief
/// that trains: `tensorfleet::stop_on_signals`.
///
/// ```
/// tensorfleet_cluster::on_stop_signals(|| println!("stopping"))?;
/// # Ok::<(), tensorfleet::Status>(())
/// ```
///
/// # Errors
/// `ResourceExhausted` if the system does not let the process listen.
pub fn on_stop_signals(react: impl Fn() + Send + 'static) -> Result<()> {
    REACTIONS.lock().push(Box::new(react));
    listen()
}

/// The keys of servers that SIGHUP lets read again.
static KEYS: Mutex<Vec<Weak<Keys>>> = Mutex::new(Vec::new());

/// Lets SIGHUP read keys again for as long as somebody has them. From the first call on it no longer ends the process.
///
/// # Errors
/// `ResourceExhausted` if the system does not let the process listen.
pub(crate) fn read_again_on_hangup(keys: &Arc<Keys>) -> Result<()> {
    {
        let mut all = KEYS.lock();
        all.retain(|known| known.strong_count() > 0 && !std::ptr::eq(known.as_ptr(), Arc::as_ptr(keys)));
        all.push(Arc::downgrade(keys));
    }
    static LISTENING: LazyLock<std::io::Result<()>> = LazyLock::new(|| {
        start(
            || signal(SignalKind::hangup()),
            async |mut hangup: Signal| {
                while hangup.recv().await.is_some() {
                    read_all_again();
                }
            },
        )
    });
    match &*LISTENING {
        Ok(()) => Ok(()),
        Err(error) => Err(err!(ResourceExhausted, "cannot listen for signals: {error}")),
    }
}

fn read_all_again() {
    let all: Vec<Arc<Keys>> = KEYS.lock().iter().filter_map(Weak::upgrade).collect();
    for keys in all {
        match keys.read_again() {
            Ok(()) => tracing::info!("tokens and certificates were read again"),
            Err(status) => tracing::error!(%status, "tokens and certificates stay as they were"),
        }
    }
}

/// Starts a thread that listens; when this returns, it does.
fn start<S: Send + 'static>(
    signals: impl FnOnce() -> std::io::Result<S>,
    heed: impl AsyncFnOnce(S) + Send + 'static,
) -> std::io::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let signals = {
        let _inside = runtime.enter();
        signals()?
    };
    std::thread::Builder::new().name("signals".to_owned()).spawn(move || runtime.block_on(heed(signals)))?;
    Ok(())
}

async fn heed((mut terminate, mut interrupt): (Signal, Signal)) {
    loop {
        let number = tokio::select! {
            _ = terminate.recv() => SignalKind::terminate().as_raw_value(),
            _ = interrupt.recv() => SignalKind::interrupt().as_raw_value(),
        };
        // They are asked once; whoever signals again has lost patience.
        let reactions = std::mem::take(&mut *REACTIONS.lock());
        if !reactions.is_empty() {
            reactions.iter().for_each(|react| react());
            continue;
        }
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
