//! A stretch of network before a process, which can be cut or fall silent.

use std::io::{self, Read, Write};
use std::net::{Shutdown, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Passes bytes on to an address, both ways.
pub struct Proxy {
    /// Where it listens.
    pub address: String,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    ends: Mutex<Vec<TcpStream>>,
    /// Bytes are neither passed on nor refused.
    silent: AtomicBool,
}

impl Proxy {
    /// Passes everything on to an address, for as long as the process lives.
    pub fn to(address: String) -> io::Result<Proxy> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let shared = Arc::<Shared>::default();
        let proxy = Proxy { address: listener.local_addr()?.to_string(), shared: shared.clone() };
        std::thread::spawn(move || {
            for near in listener.incoming().map_while(Result::ok) {
                // Nobody there: the connection is closed.
                let Ok(far) = TcpStream::connect(&address) else { continue };
                let _ = near.set_nodelay(true).and_then(|()| far.set_nodelay(true));
                let (Ok(near_end), Ok(far_end)) = (near.try_clone(), far.try_clone()) else { continue };
                let mut ends = shared.ends.lock().unwrap_or_else(PoisonError::into_inner);
                ends.extend([near.try_clone(), far.try_clone()].into_iter().flatten());
                drop(ends);
                for (from, to) in [(near, far_end), (far, near_end)] {
                    let shared = shared.clone();
                    std::thread::spawn(move || pass(from, to, &shared.silent));
                }
            }
        });
        Ok(proxy)
    }

    /// Cuts all connections, whatever is on its way.
    pub fn cut(&self) {
        let ends = std::mem::take(&mut *self.shared.ends.lock().unwrap_or_else(PoisonError::into_inner));
        for end in ends {
            let _ = end.shutdown(Shutdown::Both);
        }
    }

    /// Lets nothing through, or all again. New connections are taken, as by a network that loses what is sent.
    pub fn silence(&self, silent: bool) {
        self.shared.silent.store(silent, Ordering::Release);
    }
}

fn pass(mut from: TcpStream, mut to: TcpStream, silent: &AtomicBool) {
    let mut buffer = vec![0; 1 << 16];
    while let Ok(count @ 1..) = from.read(&mut buffer) {
        while silent.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(10));
        }
        if to.write_all(&buffer[..count]).is_err() {
            break;
        }
    }
    let _ = to.shutdown(Shutdown::Both);
    let _ = from.shutdown(Shutdown::Both);
}
