//! The door for processes of this machine. Where something is asked for, it opens to whoever shows, once, what it was given over
//! the network, and who that was is known from there.

use std::collections::HashMap;
use std::time::{Duration, Instant};

use parking_lot::Mutex;
use tensor::{Result, err};

use crate::call::random_handle;
use crate::trust::Role;

/// How long somebody may take from the network to the door.
const VALID: Duration = Duration::from_secs(10);
/// So many may be on the way at once; others stay with the network.
const MOST: usize = 1000;

/// A Unix socket by its name, and who may come through.
pub(super) struct Door {
    name: String,
    tickets: Mutex<HashMap<String, (Instant, Role)>>,
}

impl Door {
    /// The door of this name.
    pub fn new(name: String) -> Door {
        Door { name, tickets: Mutex::default() }
    }

    /// Returns the name and what lets in there.
    pub fn tell(&self, role: &Role) -> (String, String) {
        let mut tickets = self.tickets.lock();
        tickets.retain(|_, (given, _)| given.elapsed() < VALID);
        if tickets.len() >= MOST {
            return Default::default();
        }
        let ticket = random_handle();
        tickets.insert(ticket.clone(), (Instant::now(), role.clone()));
        (self.name.clone(), ticket)
    }

    /// Returns who it was given to.
    ///
    /// # Errors
    /// `Unauthenticated` if it was given to nobody, too long ago, or was shown before.
    pub fn admit(&self, ticket: &str) -> Result<Role> {
        let found = self.tickets.lock().remove(ticket).filter(|(given, _)| given.elapsed() < VALID);
        found.map(|(_, role)| role).ok_or_else(|| err!(Unauthenticated, "the door opens to those who asked for it"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ticket_lets_in_once() {
        let door = Door::new("name".to_owned());
        let (name, ticket) = door.tell(&Role::Client);
        assert_eq!(name, "name");
        assert!(door.admit("").is_err() && door.admit(&"0".repeat(32)).is_err());
        assert_eq!(door.admit(&ticket).unwrap(), Role::Client);
        assert!(door.admit(&ticket).is_err());
    }

    #[test]
    fn those_on_the_way_are_bounded() {
        let door = Door::new("name".to_owned());
        for _ in 0..MOST {
            assert!(!door.tell(&Role::Anyone).0.is_empty());
        }
        assert_eq!(door.tell(&Role::Anyone), (String::new(), String::new()));
    }
}
