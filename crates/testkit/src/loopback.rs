//! Addresses for the tasks of a test.

use std::net::{Ipv4Addr, TcpListener};
use std::sync::atomic::{AtomicU32, Ordering};

/// Addresses that nobody listens on. They stay free while their tasks are down: each process has a loopback address of its own
/// (on Linux all of 127.0.0.0/8 are), and the ports are below those that the system gives to outgoing connections.
///
/// # Panics
/// If there are no free ports.
pub fn free_hosts(count: usize) -> Vec<String> {
    static NEXT: AtomicU32 = AtomicU32::new(0);
    let [_, high, middle, low] = std::process::id().to_be_bytes();
    let own = Ipv4Addr::new(127, 64 | (high & 63), middle, low);
    let address = if TcpListener::bind((own, 0)).is_ok() { own } else { Ipv4Addr::LOCALHOST };
    // Where there is only one loopback address, processes begin at different ports.
    let start = if address == own { 0 } else { std::process::id().wrapping_mul(2_654_435_761) >> 8 };
    let tried =
        (0..20_000).map(|_| 12_000 + (start.wrapping_add(NEXT.fetch_add(1, Ordering::Relaxed)) % 20_000) as u16);
    let free = tried.filter(|port| TcpListener::bind((address, *port)).is_ok());
    let hosts: Vec<String> = free.take(count).map(|port| format!("{address}:{port}")).collect();
    assert_eq!(hosts.len(), count, "no free ports on {address}");
    hosts
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn all_hosts_differ_and_can_be_listened_on() {
        let hosts: Vec<String> = free_hosts(3).into_iter().chain(free_hosts(2)).collect();
        assert_eq!(hosts.iter().collect::<BTreeSet<_>>().len(), 5);
        let _listeners: Vec<TcpListener> = hosts.iter().map(|host| TcpListener::bind(host).unwrap()).collect();
    }
}
