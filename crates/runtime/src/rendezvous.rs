//! The rendezvous of one step in one process.

use std::collections::HashMap;

use graph::op::{Parcel, Receive, Rendezvous, RendezvousKey, shielded};
use parking_lot::Mutex;
use tensor::{Result, Status, bail};

/// Parcels wait here for receivers, and receivers for parcels. A parcel is handed over once.
///
/// ```
/// use graph::op::{Parcel, Rendezvous, RendezvousKey};
/// use tensor::Tensor;
/// use tensorfleet_runtime::LocalRendezvous;
///
/// let rendezvous = LocalRendezvous::new();
/// let key = RendezvousKey::new("/device:CPU:0", 1, "/device:CPU:1", "x:0", 0, 0);
/// let (send, receive) = std::sync::mpsc::channel();
/// rendezvous.recv(&key, Box::new(move |parcel| send.send(parcel).unwrap()));
/// rendezvous.send(&key, Parcel::Tensor(Tensor::from(3f32)))?;
/// assert!(matches!(receive.recv().unwrap()?, Parcel::Tensor(tensor) if tensor == Tensor::from(3f32)));
/// # Ok::<(), tensor::Status>(())
/// ```
#[derive(Default)]
pub struct LocalRendezvous {
    state: Mutex<Meetings>,
}

#[derive(Default)]
struct Meetings {
    aborted: Option<Status>,
    entries: HashMap<String, Entry>,
}

enum Entry {
    Waiting(Vec<Receive>),
    Here(Parcel),
}

impl LocalRendezvous {
    /// A rendezvous where nothing has been sent yet.
    pub fn new() -> LocalRendezvous {
        LocalRendezvous::default()
    }

    /// Ends all waiting with this status, now and later.
    pub fn abort(&self, status: Status) {
        let entries = {
            let mut state = self.state.lock();
            if state.aborted.is_some() {
                return;
            }
            state.aborted = Some(status.clone());
            std::mem::take(&mut state.entries)
        };
        for receive in entries.into_values().flat_map(|entry| match entry {
            Entry::Waiting(receivers) => receivers,
            Entry::Here(_) => Vec::new(),
        }) {
            shielded(|| receive(Err(status.clone())));
        }
    }

    /// Whether somebody waits for this key.
    pub fn is_awaited(&self, key: &str) -> bool {
        matches!(self.state.lock().entries.get(key), Some(Entry::Waiting(_)))
    }

    /// Takes a parcel that is here already.
    pub fn take(&self, key: &str) -> Option<Parcel> {
        let mut state = self.state.lock();
        match state.entries.get(key) {
            Some(Entry::Here(_)) => match state.entries.remove(key) {
                Some(Entry::Here(parcel)) => Some(parcel),
                _ => None,
            },
            _ => None,
        }
    }
}

impl Rendezvous for LocalRendezvous {
    fn send(&self, key: &RendezvousKey, parcel: Parcel) -> Result<()> {
        let receive = {
            let mut state = self.state.lock();
            if let Some(status) = &state.aborted {
                return Err(status.clone());
            }
            match state.entries.get_mut(key.as_str()) {
                Some(Entry::Here(_)) => bail!(Internal, "two tensors were sent as {key}"),
                Some(Entry::Waiting(receivers)) => {
                    let receive = receivers.remove(0);
                    if receivers.is_empty() {
                        state.entries.remove(key.as_str());
                    }
                    receive
                }
                None => {
                    state.entries.insert(key.as_str().to_owned(), Entry::Here(parcel));
                    return Ok(());
                }
            }
        };
        // What the receiver does with it is no affair of the sender's.
        shielded(|| receive(Ok(parcel)));
        Ok(())
    }

    fn recv(&self, key: &RendezvousKey, receive: Receive) {
        let outcome = {
            let mut state = self.state.lock();
            if let Some(status) = &state.aborted {
                Err(status.clone())
            } else {
                match state.entries.remove(key.as_str()) {
                    Some(Entry::Here(parcel)) => Ok(parcel),
                    Some(Entry::Waiting(mut receivers)) => {
                        receivers.push(receive);
                        state.entries.insert(key.as_str().to_owned(), Entry::Waiting(receivers));
                        return;
                    }
                    None => {
                        state.entries.insert(key.as_str().to_owned(), Entry::Waiting(vec![receive]));
                        return;
                    }
                }
            }
        };
        receive(outcome);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use tensor::{Tensor, err};

    fn key(name: &str) -> RendezvousKey {
        RendezvousKey::new("/a", 1, "/b", name, 0, 0)
    }

    #[test]
    fn either_side_may_come_first_and_an_abort_ends_all() {
        let rendezvous = LocalRendezvous::new();
        let (send, arrivals) = mpsc::channel();
        let receiver = |send: &mpsc::Sender<Result<Parcel>>| {
            let send = send.clone();
            Box::new(move |outcome| send.send(outcome).unwrap())
        };
        rendezvous.recv(&key("x"), receiver(&send));
        rendezvous.send(&key("x"), Parcel::Tensor(Tensor::from(1i32))).unwrap();
        assert!(matches!(arrivals.recv().unwrap(), Ok(Parcel::Tensor(_))));
        rendezvous.send(&key("y"), Parcel::Dead).unwrap();
        assert!(rendezvous.send(&key("y"), Parcel::Dead).is_err());
        rendezvous.recv(&key("y"), receiver(&send));
        assert!(matches!(arrivals.recv().unwrap(), Ok(Parcel::Dead)));
        rendezvous.recv(&key("z"), receiver(&send));
        rendezvous.abort(err!(Aborted, "over"));
        assert_eq!(arrivals.recv().unwrap().unwrap_err().message(), "over");
        assert!(rendezvous.send(&key("z"), Parcel::Dead).is_err());
    }
}
