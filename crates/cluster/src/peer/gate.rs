//! Calls of others that are passed on to a server as they are.

use std::sync::Arc;

use tensor::{Result, err};
use tonic::body::Body;

use super::grpc::GrpcChannel;
use crate::trust::{Keys, Security};

/// A server, to which calls are passed on with what it asks for.
#[derive(Clone)]
pub(crate) struct Gate {
    channel: GrpcChannel,
}

impl Gate {
    /// Must be made inside the runtime whose threads shall serve the connection.
    ///
    /// # Errors
    /// `InvalidArgument` for a malformed target, or keys that cannot be used.
    pub fn new(target: &str, security: &Security) -> Result<Gate> {
        let address = address_of(target)?;
        let keys = Arc::new(Keys::new(security)?);
        Ok(Gate { channel: GrpcChannel::new(&format!("the server {target}"), address, &keys)? })
    }

    /// Asks whether the server is there and lets this process in.
    ///
    /// # Errors
    /// What it says.
    pub async fn try_it(&self) -> Result<()> {
        self.channel.devices().await.map(drop)
    }

    /// Passes a call on and returns the answer.
    pub async fn pass(&self, request: http::Request<Body>) -> http::Response<Body> {
        self.channel.pass(request).await
    }
}

/// Returns the host and port of a target.
///
/// # Errors
/// `InvalidArgument` if it has another form.
pub(super) fn address_of(target: &str) -> Result<&str> {
    target
        .strip_prefix("grpc://")
        .ok_or_else(|| err!(InvalidArgument, "'{target}' is not a target of the form grpc://host:port"))
}
