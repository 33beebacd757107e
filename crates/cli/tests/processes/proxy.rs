//! A stretch of network between two processes, which tests cut or let fall silent.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use crate::fleet::wait_until;

pub struct Proxy {
    pub address: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// Both ends of each connection.
    connections: Mutex<Vec<[TcpStream; 2]>>,
    /// Threads that pass bytes on.
    busy: AtomicUsize,
    /// Bytes are neither passed on nor refused.
    silent: AtomicBool,
}

impl Proxy {
    /// Passes everything on to an address.
    pub fn to(address: String) -> Proxy {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a free port");
        let shared = Arc::<Shared>::default();
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
        self.each(|stream| drop(stream.shutdown(Shutdown::Write)));
        wait_until("both ends to hang up", || (self.shared.busy.load(Ordering::Acquire) == 0).then_some(()));
        self.forget();
    }

    /// Cuts all connections, whatever is on its way.
    pub fn cut(&self) {
        self.each(|stream| drop(stream.shutdown(Shutdown::Both)));
        self.forget();
    }

    /// Lets nothing through any more, or everything again.
    pub fn silence(&self, silent: bool) {
        self.shared.silent.store(silent, Ordering::Release);
    }

    fn each(&self, act: impl Fn(&TcpStream)) {
        let connections = self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner);
        connections.iter().flatten().for_each(act);
    }

    fn forget(&self) {
        self.shared.connections.lock().unwrap_or_else(PoisonError::into_inner).clear();
    }
}

impl Shared {
    fn join(self: &Arc<Self>, near: TcpStream, far: TcpStream) {
        let copy = |stream: &TcpStream| stream.try_clone().expect("a descriptor");
        self.connections.lock().unwrap_or_else(PoisonError::into_inner).push([copy(&near), copy(&far)]);
        self.pass(copy(&near), copy(&far));
        self.pass(far, near);
    }

    fn pass(self: &Arc<Self>, mut from: TcpStream, mut to: TcpStream) {
        let shared = self.clone();
        shared.busy.fetch_add(1, Ordering::AcqRel);
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
            shared.busy.fetch_sub(1, Ordering::AcqRel);
        });
    }
}
