//! A port of this machine that leads to a secured cluster, for clients that know neither TLS nor tokens.

use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use tensor::{Code, Result, err};
use tokio::net::TcpListener;
use tokio_stream::wrappers::TcpListenerStream;
use tonic::body::Body;
use tonic::server::NamedService;
use wire::services::master;

use crate::peer::Gate;
use crate::trust::Security;

/// How long the cluster may take to say whether it lets this process in.
const PATIENCE: Duration = Duration::from_secs(10);

/// Passes the gRPC calls that come to a port of this machine on to a server, with the certificate or token that it asks for.
/// Whoever reaches the port, which every user of this machine does, comes in with them.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet_cluster::{Gateway, Security, Server, ServerOptions, Token};
/// # fn main() -> tensorfleet::Result<()> {
/// let security = Security { token: Some(Token::new("correct horse battery staple")), ..Default::default() };
/// let cluster = ClusterSpec::new([("worker", vec!["localhost:0"])])?;
/// let options = ServerOptions { security: security.clone(), ..Default::default() };
/// let server = Server::start(&cluster, "worker", 0, ops::registry(), options)?;
/// let gateway = Gateway::open(server.target(), 0, &security)?;
/// assert!(RemoteSession::devices(server.target()).is_err());
/// assert_eq!(RemoteSession::devices(gateway.target())?.len(), 1);
/// # Ok(())
/// # }
/// ```
pub struct Gateway {
    target: String,
    runtime: Option<tokio::runtime::Runtime>,
}

impl Gateway {
    /// Opens a port of this machine, any if it is 0, that leads to the server at a target such as `grpc://host:2222`.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed target, or a token or certificates that cannot be used; `Unauthenticated` if the server
    /// does not let this process in; `Unavailable` if the port is taken.
    pub fn open(target: &str, port: u16, security: &Security) -> Result<Gateway> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .thread_name("gateway")
            .enable_all()
            .build()
            .map_err(|error| err!(ResourceExhausted, "cannot start network threads: {error}"))?;
        let inside = runtime.enter();
        let gate = Gate::new(target, security)?;
        drop(inside);
        match runtime.block_on(async { tokio::time::timeout(PATIENCE, gate.try_it()).await }) {
            Ok(Err(status)) if status.code() == Code::Unauthenticated => return Err(status),
            Ok(Err(status)) => tracing::warn!(%status, "the cluster is not there yet"),
            Err(_) => tracing::warn!(target, "the cluster does not answer yet"),
            Ok(Ok(())) => {}
        }
        let address = SocketAddr::from((Ipv4Addr::LOCALHOST, port));
        let listener = runtime
            .block_on(TcpListener::bind(address))
            .map_err(|error| err!(Unavailable, "cannot listen on {address}: {error}"))?;
        let port = listener.local_addr().map_or(port, |address| address.port());
        let server = tonic::transport::Server::builder()
            .initial_stream_window_size(4 << 20)
            .initial_connection_window_size(16 << 20)
            .add_service(Passage(gate))
            .serve_with_incoming(TcpListenerStream::new(listener));
        runtime.spawn(async move {
            if let Err(error) = server.await {
                tracing::error!(%error, "the gateway ended");
            }
        });
        Ok(Gateway { target: format!("grpc://localhost:{port}"), runtime: Some(runtime) })
    }

    /// Returns what clients connect to.
    pub fn target(&self) -> &str {
        &self.target
    }
}

impl Drop for Gateway {
    fn drop(&mut self) {
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// All that clients call. What tasks ask of each other does not pass, nor do links.
#[derive(Clone)]
struct Passage(Gate);

impl NamedService for Passage {
    const NAME: &'static str = master::SERVICE;
}

impl tonic::codegen::Service<http::Request<Body>> for Passage {
    type Response = http::Response<Body>;
    type Error = std::convert::Infallible;
    type Future = Pin<Box<dyn Future<Output = std::result::Result<Self::Response, Self::Error>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<std::result::Result<(), Self::Error>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, request: http::Request<Body>) -> Self::Future {
        let gate = self.0.clone();
        Box::pin(async move { Ok(gate.pass(request).await) })
    }
}
