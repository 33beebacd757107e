//! Servers of this process, by target: sessions on them need no connection to run their steps.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::master::Master;

static SERVERS: LazyLock<Mutex<HashMap<String, Arc<Master>>>> = LazyLock::new(Mutex::default);

/// A server has started.
pub(crate) fn add(target: &str, master: &Arc<Master>) {
    SERVERS.lock().insert(target.to_owned(), master.clone());
}

/// A server stops.
pub(crate) fn remove(target: &str) {
    let removed = SERVERS.lock().remove(target);
    drop(removed);
}

/// The master of a server that runs in this process.
pub(crate) fn find(target: &str) -> Option<Arc<Master>> {
    SERVERS.lock().get(target).cloned()
}
