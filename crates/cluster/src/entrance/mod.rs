//! Where connections come in: gRPC and links on one port.
//!
//! Each message is decoded here or, for what both transports carry, in the layers below, once. Whatever way a call came in,
//! it then passes the `Reception`, which keeps leases and turns a panic into an answer, and becomes a call of
//! the master or the worker.

mod announced;
mod link;
mod listen;
mod master_service;
mod reception;
mod service;
mod stream;
mod unary;
mod worker_service;

use std::sync::Arc;
use std::time::Duration;

use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::{mpsc, watch};
use tokio_stream::wrappers::ReceiverStream;

use crate::master::Master;
use crate::peer::link::PREFACE;
use crate::worker::Worker;
pub(crate) use listen::{check_reachable, listen};
use master_service::MasterMethods;
use service::Service;
use stream::GrpcStream;
use worker_service::WorkerMethods;

/// How long a connection may stay silent before it has said what it speaks.
const SILENCE: Duration = Duration::from_secs(10);

/// So many calls of one connection may wait for their answers at once. A task of TensorFlow asks for every tensor it needs
/// before the first is there, so this must not be few.
const MAX_STREAMS: u32 = 16_384;
/// So many calls may be called off before they have been looked at.
const MAX_RESETS: usize = 32;
/// The headers of a call, in bytes.
const MAX_HEADERS: u32 = 64 << 10;

/// Serves all connections to a task until it is told to stop. Those that are open then break off, so that clients get an
/// error at once; the port is free when this returns.
pub(crate) async fn serve(
    listeners: Vec<TcpListener>,
    door: Option<(UnixListener, String)>,
    master: Arc<Master>,
    worker: Arc<Worker>,
    mut stopped: watch::Receiver<bool>,
) {
    let (send, connections) = mpsc::channel(64);
    let mut accepting = tokio::task::JoinSet::new();
    let (door, name) = door.unzip();
    let entrance = Entrance {
        master: master.clone(),
        worker: worker.clone(),
        grpc: send,
        stopped: stopped.clone(),
        door: name.unwrap_or_default().into(),
    };
    for listener in listeners {
        accepting.spawn(entrance.clone().accept(listener));
    }
    if let Some(door) = door {
        accepting.spawn(entrance.clone().accept_local(door));
    }
    drop(entrance);
    let leaving = worker.clone();
    let for_clients = Service::<MasterMethods>::new(master.clone(), worker.clone());
    let routes = tonic::service::Routes::new(for_clients).add_service(Service::<WorkerMethods>::new(master, worker));
    let server = tonic::transport::Server::builder()
        .initial_stream_window_size(4 << 20)
        .initial_connection_window_size(16 << 20)
        .max_concurrent_streams(MAX_STREAMS)
        .http2_max_pending_accept_reset_streams(Some(MAX_RESETS))
        .http2_max_header_list_size(MAX_HEADERS)
        .add_routes(routes)
        .serve_with_incoming(ReceiverStream::new(connections));
    tokio::select! {
        outcome = server => {
            if let Err(error) = outcome {
                tracing::error!(%error, "the server ended");
            }
        }
        _ = stopped.wait_for(|stop| *stop) => {}
    }
    leaving.leave_groups();
    accepting.shutdown().await;
}

/// Lets the system probe a connection on which nothing arrives, so that one whose other end is gone without a word ends in
/// two minutes. A client that is only stopped answers: its system does.
fn find_out_the_dead(stream: &TcpStream) {
    use rustix::net::sockopt;
    let probed = sockopt::set_socket_keepalive(stream, true)
        .and_then(|()| sockopt::set_tcp_keepidle(stream, Duration::from_secs(60)))
        .and_then(|()| sockopt::set_tcp_keepintvl(stream, Duration::from_secs(10)))
        .and_then(|()| sockopt::set_tcp_keepcnt(stream, 6));
    if let Err(error) = probed {
        tracing::debug!(%error, "a connection is not probed");
    }
}

/// What accepted connections lead to.
#[derive(Clone)]
struct Entrance {
    master: Arc<Master>,
    worker: Arc<Worker>,
    grpc: mpsc::Sender<std::io::Result<GrpcStream>>,
    stopped: watch::Receiver<bool>,
    /// Where processes of this machine come in; empty if there is no such place.
    door: Arc<str>,
}

impl Entrance {
    async fn accept(self, listener: TcpListener) {
        // Dropped, and thereby ended, together with this task.
        let mut connections = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(self.clone().admit(stream));
                    }
                    Err(error) => {
                        // Out of descriptors, for instance: those who are connected go on, others may try again.
                        tracing::warn!(%error, "cannot accept a connection");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }

    /// Accepts links of processes of this machine.
    async fn accept_local(self, listener: UnixListener) {
        let mut connections = tokio::task::JoinSet::new();
        loop {
            tokio::select! {
                accepted = listener.accept() => match accepted {
                    Ok((stream, _)) => {
                        connections.spawn(link::serve_local(stream, self.master.clone(), self.worker.clone()));
                    }
                    Err(error) => {
                        tracing::warn!(%error, "cannot accept a connection of this machine");
                        tokio::time::sleep(Duration::from_millis(100)).await;
                    }
                },
                Some(_) = connections.join_next() => {}
            }
        }
    }

    /// Tells a link of ours from gRPC by the first byte.
    async fn admit(mut self, stream: TcpStream) {
        let _ = stream.set_nodelay(true);
        find_out_the_dead(&stream);
        let mut first = [0];
        match tokio::time::timeout(SILENCE, stream.peek(&mut first)).await {
            Ok(Ok(1)) if first[0] == PREFACE[0] => link::serve(stream, &self.door, self.master, self.worker).await,
            Ok(Ok(1)) => {
                let stopped = async move { drop(self.stopped.wait_for(|stop| *stop).await) };
                let _ = self.grpc.send(Ok(GrpcStream::new(stream, stopped))).await;
            }
            _ => {}
        }
    }
}
