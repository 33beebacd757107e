//! Leases: a session whose callers have all gone, and which nobody comes back to, is collected.

use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

use parking_lot::Mutex;

/// Stands for whoever calls over an open connection: it lives exactly as long as that.
#[derive(Clone, Default)]
pub(crate) struct Caller(Arc<String>);

impl Caller {
    /// A caller who comes from this address.
    pub fn from(address: impl ToString) -> Caller {
        Caller(Arc::new(address.to_string()))
    }
}

/// Who has used a session, and since when nobody can any more.
#[derive(Default)]
pub(crate) struct Lease(Mutex<Holders>);

#[derive(Default)]
struct Holders {
    callers: Vec<Weak<String>>,
    alone_since: Option<Instant>,
}

impl Holders {
    fn forget_gone(&mut self) {
        self.callers.retain(|caller| caller.strong_count() > 0);
    }
}

impl Lease {
    /// Notes that this caller has used the session.
    pub fn used_by(&self, caller: &Caller) {
        let mut holders = self.0.lock();
        holders.alone_since = None;
        if !holders.callers.iter().any(|known| std::ptr::eq(known.as_ptr(), Arc::as_ptr(&caller.0))) {
            holders.forget_gone();
            holders.callers.push(Arc::downgrade(&caller.0));
        }
    }

    /// Returns where the callers come from that are still there.
    pub fn callers(&self) -> Vec<String> {
        let callers: Vec<Arc<String>> = self.0.lock().callers.iter().filter_map(Weak::upgrade).collect();
        let mut names: Vec<String> = callers.iter().map(|caller| caller.to_string()).collect();
        names.retain(|name| !name.is_empty());
        names.sort();
        names.dedup();
        names
    }

    /// Returns whether all callers have been gone for so long. The time begins when this is first asked after that, and
    /// begins anew while the session is `busy`.
    pub fn is_over(&self, after: Duration, busy: bool) -> bool {
        let mut holders = self.0.lock();
        holders.forget_gone();
        if busy || !holders.callers.is_empty() {
            holders.alone_since = None;
            return false;
        }
        holders.alone_since.get_or_insert_with(Instant::now).elapsed() >= after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_runs_from_the_last_closed_connection() {
        let (lease, first, second) = (Lease::default(), Caller::default(), Caller::default());
        lease.used_by(&first);
        lease.used_by(&second);
        lease.used_by(&first);
        assert!(!lease.is_over(Duration::ZERO, false));
        drop(first);
        assert!(!lease.is_over(Duration::ZERO, false));
        drop(second);
        assert!(!lease.is_over(Duration::ZERO, true));
        assert!(!lease.is_over(Duration::from_secs(3600), false));
        assert!(lease.is_over(Duration::ZERO, false));
    }
}
