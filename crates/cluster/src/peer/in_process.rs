//! Masters of this process, by target: sessions on them need no connection to run their steps.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};

use parking_lot::Mutex;

use crate::call::MasterCalls;

static MASTERS: LazyLock<Mutex<HashMap<String, Arc<dyn MasterCalls>>>> = LazyLock::new(Mutex::default);

/// Lets clients in this process find a master, until it is dropped.
pub(crate) struct InProcess {
    target: String,
}

impl InProcess {
    /// Announces the master at a target.
    pub fn announce(target: &str, master: Arc<dyn MasterCalls>) -> InProcess {
        MASTERS.lock().insert(target.to_owned(), master);
        InProcess { target: target.to_owned() }
    }
}

impl Drop for InProcess {
    fn drop(&mut self) {
        let removed = MASTERS.lock().remove(&self.target);
        drop(removed);
    }
}

/// Returns the master at a target, if it is in this process.
pub(super) fn find(target: &str) -> Option<Arc<dyn MasterCalls>> {
    MASTERS.lock().get(target).cloned()
}
