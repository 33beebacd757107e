//! A stretch of network between two processes, which tests cut or let fall silent.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::fleet::wait_until;

pub struct Proxy {
    pub address: String,
    shared: Arc<Connections>,
}

#[derive(Default)]
struct Connections {
    connections: Mutex<Vec<Connection>>,
    /// Bytes are neither passed on nor refused.
    silent: AtomicBool,
}

struct Connection {
    ends: [TcpStream; 2],
    /// Threads that pass bytes on.
    busy: Arc<AtomicUsize>,
}

impl Proxy {
    /// Passes everything on to an address.
    pub fn to(address: String) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let shared = Arc::<Connections>::default();
        let proxy = Proxy { address: listener.local_addr().expect("an address").to_string(), shared: shared.clone() };
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                // Nobody there: the connection is closed.
                let Ok(far) = TcpStream::connect(&address) else { continue };
                shared.join(near, far);
            }
        });
        proxy
    }

    /// Says the end to both ends of all connections, and waits until they have heard it.
    pub fn hang_up(&self) {
        let connections = self.shut(Shutdown::Write);
        wait_until("both ends to hang up", || {
            connections.iter().all(|connection| connection.busy.load(Ordering::Acquire) == 0).then_some(())
        });
    }

    /// Cuts all connections, whatever is on its way.
    pub fn cut(&self) {
        self.shut(Shutdown::Both);
    }

    fn shut(&self, how: Shutdown) -> Vec<Connection> {
        let connections = std::mem::take(&mut *self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner));
        for end in connections.iter().flat_map(|connection| &connection.ends) {
            let _ = end.shutdown(how);
        }
        connections
    }

    /// Lets nothing through any more, or everything again.
    pub fn silence(&self, silent: bool) {
        self.shared.silent.store(silent, Ordering::Release);
    }
}

impl Connections {
    fn join(self: &Arc<Self>, near: TcpStream, far: TcpStream) {
        let copy = |stream: &TcpStream| stream.try_clone().expect("a descriptor");
        let busy = Arc::new(AtomicUsize::new(2));
        self.pass(copy(&near), copy(&far), &busy);
        self.pass(copy(&far), copy(&near), &busy);
        let connection = Connection { ends: [near, far], busy };
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).push(connection);
    }

    fn pass(self: &Arc<Self>, mut from: TcpStream, mut to: TcpStream, busy: &Arc<AtomicUsize>) {
        let (shared, busy) = (self.clone(), busy.clone());
        std::thread::spawn(move || {
            let mut bytes = vec![0; 64 << 10];
            while let Ok(count @ 1..) = from.read(&mut bytes) {
                while shared.silent.load(Ordering::Acquire) {
                    std::thread::sleep(Duration::from_millis(5));
                }
                if to.write_all(&bytes[..count]).is_err() {
                    break;
                }
            }
            let _ = to.shutdown(Shutdown::Write);
            busy.fetch_sub(1, Ordering::AcqRel);
        });
    }
}
