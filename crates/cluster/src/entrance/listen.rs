//! The addresses on which a task listens.

use std::net::{IpAddr, SocketAddr, ToSocketAddrs};

use runtime::ClusterSpec;
use tensor::{Result, ensure, err};
use tokio::net::TcpListener;

/// Makes sure that tasks on other hosts can reach a task: an own name that means only this machine is of no use to them.
///
/// # Errors
/// `InvalidArgument`, with a host that could not.
pub(crate) fn check_reachable(cluster: &ClusterSpec, own: &str) -> Result<()> {
    let host_of = |address: &str| address.rsplit_once(':').map_or(address, |(host, _)| host).to_owned();
    let loopback = |address: &str| {
        let mut resolved = address.to_socket_addrs().into_iter().flatten().peekable();
        resolved.peek().is_some() && resolved.all(|address| address.ip().is_loopback())
    };
    let says_loopback = |host: &str| {
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        bare == "localhost" || bare.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback())
    };
    let others: Vec<String> =
        cluster.tasks().filter_map(|(job, task)| Some(host_of(cluster.address(job, task).ok()?))).collect();
    let elsewhere = others.iter().find(|host| **host != host_of(own) && !says_loopback(host));
    if let Some(elsewhere) = elsewhere {
        ensure!(
            !loopback(own),
            InvalidArgument,
            "{own} is an address of this machine alone, but the cluster has tasks on other hosts, such as {elsewhere}, which could not reach it: give a name that they can, or say with --bind what to listen on"
        );
    }
    Ok(())
}

/// Listens on an address; on `localhost`, on both of its addresses, as far as the machine has them.
///
/// # Errors
/// `InvalidArgument` if the address cannot be resolved; `Unavailable` if it is taken or not of this machine.
pub(crate) async fn listen(address: &str) -> Result<Vec<TcpListener>> {
    let resolved: Vec<SocketAddr> = address
        .to_socket_addrs()
        .map_err(|error| err!(InvalidArgument, "the address {address} cannot be resolved: {error}"))?
        .collect();
    ensure!(!resolved.is_empty(), InvalidArgument, "the address {address} resolves to nothing");
    let all = address.starts_with("localhost:");
    let mut listeners: Vec<TcpListener> = Vec::new();
    let mut port = None;
    let mut ordered = resolved;
    ordered.sort_by_key(SocketAddr::is_ipv6);
    for mut candidate in ordered {
        candidate.set_port(port.unwrap_or(candidate.port()));
        match TcpListener::bind(candidate).await {
            Ok(listener) => {
                port = listener.local_addr().ok().map(|address| address.port());
                listeners.push(listener);
            }
            // A machine without IPv6 still serves localhost.
            Err(_) if !listeners.is_empty() && candidate.is_ipv6() => {}
            Err(error) => return Err(cannot_listen(address, candidate, &error)),
        }
        if !all {
            break;
        }
    }
    Ok(listeners)
}

fn cannot_listen(address: &str, candidate: SocketAddr, error: &std::io::Error) -> tensor::Status {
    let hint = match error.kind() {
        std::io::ErrorKind::AddrInUse => "the port is taken by another process",
        std::io::ErrorKind::AddrNotAvailable => "it is not an address of this machine",
        std::io::ErrorKind::PermissionDenied => "ports below 1024 need privileges",
        _ => "the system refused",
    };
    err!(Unavailable, "cannot listen on {address} ({candidate}): {hint} ({error})")
}
