//! Leases: a session whose connections are all closed, and which nobody comes back to, is collected.

use std::time::{Duration, Instant};

use parking_lot::Mutex;

use crate::connection::{Connection, ConnectionWatch};

/// Who has used a session, and since when nobody can any more.
#[derive(Default)]
pub(crate) struct Lease(Mutex<State>);

#[derive(Default)]
struct State {
    connections: Vec<ConnectionWatch>,
    alone_since: Option<Instant>,
}

impl Lease {
    /// The session was used over this connection.
    pub fn used_by(&self, connection: &Connection) {
        let mut state = self.0.lock();
        state.alone_since = None;
        if !state.connections.iter().any(|known| known.is_of(connection)) {
            state.connections.retain(ConnectionWatch::is_open);
            state.connections.push(connection.watch());
        }
    }

    /// Whether all connections have been closed for so long. The time begins when this is first asked after that, and
    /// begins anew while the session is `busy`.
    pub fn is_over(&self, after: Duration, busy: bool) -> bool {
        let mut state = self.0.lock();
        state.connections.retain(ConnectionWatch::is_open);
        if busy || !state.connections.is_empty() {
            state.alone_since = None;
            return false;
        }
        state.alone_since.get_or_insert_with(Instant::now).elapsed() >= after
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lease_runs_from_the_last_closed_connection() {
        let (lease, first, second) = (Lease::default(), Connection::default(), Connection::default());
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
