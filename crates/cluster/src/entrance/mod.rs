//! Where connections come in: gRPC and links on one port, over TLS where there are certificates.
//!
//! Each message is decoded here or, for what both transports carry, in the layers below, once. Whatever way a call came in,
//! it then passes the `Reception`, which keeps leases and turns a panic into an answer, and becomes a call of
//! the master or the worker.

mod announced;
mod door;
mod link;
mod listen;
mod master_service;
mod operator_service;
mod patience;
mod reception;
mod service;
mod stream;
mod unary;
mod worker_service;

use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::{mpsc, watch};
use tokio_rustls::TlsAcceptor;
use tokio_stream::wrappers::ReceiverStream;

use crate::call::Caller;
use crate::master::Master;
use crate::peer::link::{PREFACE, tcp_halves, tls_halves};
use crate::trust::{ByteStream, Keys, LINK_PROTOCOL, Proof};
use crate::worker::Worker;
use door::Door;
use link::Lobby;
pub(crate) use listen::{check_reachable, listen};
use master_service::MasterMethods;
use operator_service::OperatorMethods;
pub(crate) use operator_service::status;
use service::Service;
use stream::GrpcStream;
use worker_service::WorkerMethods;

/// How long a connection may stay silent before it has said what it speaks.
const SILENCE: Duration = Duration::from_secs(10);
/// How long somebody who is not let in may take to hang up.
const GOODBYE: Duration = Duration::from_secs(1);
/// The first byte of a connection over TLS.
const TLS: u8 = 0x16;

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
    keys: Arc<Keys>,
    mut stopped: watch::Receiver<bool>,
) {
    let (send, connections) = mpsc::channel(64);
    let mut accepting = tokio::task::JoinSet::new();
    let (door, name) = door.unzip();
    let lobby = Lobby {
        master: master.clone(),
        worker: worker.clone(),
        keys: keys.clone(),
        door: name.map(|name| Arc::new(Door::new(name))),
        whence: "this machine".into(),
    };
    let entrance = Entrance { lobby, grpc: send, stopped: stopped.clone() };
    for listener in listeners {
        accepting.spawn(entrance.clone().accept(listener));
    }
    if let Some(door) = door {
        accepting.spawn(entrance.clone().accept_local(door));
    }
    drop(entrance);
    let leaving = worker.clone();
    let for_clients = Service::<MasterMethods>::new(&master, &worker, &keys);
    let for_tasks = Service::<WorkerMethods>::new(&master, &worker, &keys);
    let for_operators = Service::<OperatorMethods>::new(&master, &worker, &keys);
    let routes = tonic::service::Routes::new(for_clients).add_service(for_tasks).add_service(for_operators);
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

/// Lets the other end read what was said last: a connection that is closed while bytes wait in it is reset.
async fn hang_up(mut stream: TcpStream) {
    let drain = async {
        let mut bytes = [0; 4096];
        stream.shutdown().await?;
        while stream.read(&mut bytes).await? > 0 {}
        Ok::<_, std::io::Error>(())
    };
    let _ = tokio::time::timeout(GOODBYE, drain).await;
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
    lobby: Lobby,
    grpc: mpsc::Sender<std::io::Result<GrpcStream>>,
    stopped: watch::Receiver<bool>,
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
                        connections.spawn(link::serve_local(stream, self.lobby.clone()));
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

    /// Tells TLS, a link of ours and gRPC apart by the first byte.
    async fn admit(mut self, stream: TcpStream) {
        if let Ok(address) = stream.peer_addr() {
            self.lobby.whence = address.to_string().into();
        }
        let _ = stream.set_nodelay(true);
        find_out_the_dead(&stream);
        let mut first = [0];
        let Ok(Ok(1)) = tokio::time::timeout(SILENCE, stream.peek(&mut first)).await else { return };
        let tls = self.lobby.keys.tls_server();
        let plain = if tls.is_some() { Proof::Plain } else { Proof::Nothing };
        match (first[0], tls) {
            (TLS, Some(config)) => self.admit_over_tls(stream, config).await,
            (TLS, None) => tracing::debug!("somebody speaks TLS, for which this task has no certificate"),
            (first, _) if first == PREFACE[0] => link::serve(tcp_halves(stream), plain, self.lobby).await,
            _ => self.serve_grpc(Box::new(stream), plain).await,
        }
    }

    /// Tells a link of ours from gRPC by the protocol that the other end asks for.
    async fn admit_over_tls(self, stream: TcpStream, config: Arc<rustls::ServerConfig>) {
        let handshake = TlsAcceptor::from(config).accept(stream).into_fallible();
        let stream = match tokio::time::timeout(SILENCE, handshake).await {
            Ok(Ok(stream)) => stream,
            Ok(Err((error, stream))) => {
                tracing::debug!(%error, "a TLS handshake failed");
                return hang_up(stream).await;
            }
            Err(_) => return,
        };
        let tls = stream.get_ref().1;
        let proof = Keys::proof_of(tls.peer_certificates());
        if tls.alpn_protocol() == Some(LINK_PROTOCOL) {
            let (socket, tls) = stream.into_inner();
            return link::serve(tls_halves(socket, tls.into()), proof, self.lobby).await;
        }
        self.serve_grpc(Box::new(stream), proof).await;
    }

    async fn serve_grpc(mut self, stream: Box<dyn ByteStream>, proof: Proof) {
        let caller = Caller::from(&self.lobby.whence);
        let stopped = async move { drop(self.stopped.wait_for(|stop| *stop).await) };
        let _ = self.grpc.send(Ok(GrpcStream::new(stream, caller, proof, stopped))).await;
    }
}
