//! The tokens and certificates of a process, as they are now.

use std::sync::Arc;

use parking_lot::RwLock;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ServerConfig};
use subtle::ConstantTimeEq;
use tensor::{Result, bail, ensure, err};

use super::tls::{Tls, role_of};
use super::{Role, Security, Token};

/// Tokens and certificates, which can be read again.
pub(crate) struct Keys {
    security: Security,
    current: RwLock<Arc<Current>>,
}

#[derive(Default)]
struct Current {
    /// The first is shown to others.
    tokens: Vec<String>,
    tls: Option<Tls>,
}

/// What a connection has proved by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) enum Proof {
    /// Nothing, so that a token is needed where one is asked for.
    #[default]
    Nothing,
    /// A certificate made it this.
    Certificate(Role),
    /// It is not encrypted, where all must be.
    Plain,
}

impl Keys {
    /// Reads what these options and the environment name.
    ///
    /// # Errors
    /// `InvalidArgument` or `NotFound`, naming what cannot be used.
    pub fn new(security: &Security) -> Result<Keys> {
        let security = security.or_environment()?;
        let current = RwLock::new(Arc::new(Current::read(&security)?));
        Ok(Keys { security, current })
    }

    /// Reads tokens and certificates again. Connections that are open stay; if something cannot be used, all stays.
    ///
    /// # Errors
    /// As [`Keys::new`].
    pub fn read_again(&self) -> Result<()> {
        let read = Arc::new(Current::read(&self.security)?);
        *self.current.write() = read;
        Ok(())
    }

    fn current(&self) -> Arc<Current> {
        self.current.read().clone()
    }

    /// Whether those who come in are asked for anything.
    pub fn ask(&self) -> bool {
        let current = self.current.read();
        !current.tokens.is_empty() || current.tls.is_some()
    }

    /// Whether a server may ask nobody anything although strangers reach it.
    pub fn allow_strangers(&self) -> bool {
        self.security.insecure
    }

    /// Whether there are files that can be read again.
    pub fn have_files(&self) -> bool {
        self.security.tls.is_some() || self.security.token.as_ref().is_some_and(Token::is_file)
    }

    /// Makes sure that a server can use them.
    ///
    /// # Errors
    /// `InvalidArgument` if it has an authority and no certificate of its own.
    pub fn check_server(&self) -> Result<()> {
        ensure!(
            self.current().tls.is_none() || self.tls_server().is_some(),
            InvalidArgument,
            "a server needs a certificate of its own for TLS: give tls_cert and tls_key besides tls_ca"
        );
        Ok(())
    }

    /// The token to show to others.
    pub fn token(&self) -> Option<String> {
        self.current.read().tokens.first().cloned()
    }

    /// How a server answers TLS; `None` if it does not.
    pub fn tls_server(&self) -> Option<Arc<ServerConfig>> {
        self.current().tls.as_ref()?.server.clone()
    }

    /// The second since 1970 until which the own certificate holds; `None` without TLS.
    pub fn tls_until(&self) -> Option<i64> {
        self.current().tls.as_ref()?.until
    }

    /// How gRPC is spoken over TLS, if it is.
    pub fn tls_to_grpc(&self) -> Option<Arc<ClientConfig>> {
        Some(self.current().tls.as_ref()?.to_grpc.clone())
    }

    /// How links are spoken over TLS, if they are.
    pub fn tls_to_link(&self) -> Option<Arc<ClientConfig>> {
        Some(self.current().tls.as_ref()?.to_link.clone())
    }

    /// What an accepted connection has proved by the certificates it showed.
    pub fn proof_of(certificates: Option<&[CertificateDer<'_>]>) -> Proof {
        role_of(certificates).map_or(Proof::Nothing, Proof::Certificate)
    }

    /// Lets somebody in, by what the connection has proved or by a token.
    ///
    /// # Errors
    /// `Unauthenticated`, saying what to set.
    pub fn admit(&self, proof: &Proof, token: Option<&[u8]>) -> Result<Role> {
        let current = self.current.read();
        match proof {
            Proof::Certificate(role) => return Ok(role.clone()),
            Proof::Plain => bail!(
                Unauthenticated,
                "this server speaks TLS only: set TENSORFLEET_TLS_CA to the certificate of the cluster's authority, and \
                 TENSORFLEET_TLS_CERT and TENSORFLEET_TLS_KEY to your own; clients that know no TLS go through \
                 `tensorfleet connect`"
            ),
            Proof::Nothing if current.tokens.is_empty() && current.tls.is_none() => return Ok(Role::Anyone),
            Proof::Nothing => {}
        }
        let what = match (&current.tls, current.tokens.is_empty()) {
            (None, _) => "set TENSORFLEET_TOKEN to its token",
            (Some(_), true) => "set TENSORFLEET_TLS_CERT and TENSORFLEET_TLS_KEY to a certificate of its authority",
            (Some(_), false) => "set TENSORFLEET_TLS_CERT and TENSORFLEET_TLS_KEY, or TENSORFLEET_TOKEN",
        };
        let how = format!(
            "{what}, as all tasks and clients of the cluster have it; clients that know none go through `tensorfleet connect`"
        );
        let Some(token) = token else { bail!(Unauthenticated, "this server asks who comes: {how}") };
        // All are compared, and each wholly, so that the time tells nothing.
        let known = current.tokens.iter().fold(0, |known, own| known | own.as_bytes().ct_eq(token).unwrap_u8());
        ensure!(known == 1, Unauthenticated, "this server does not know this token: {how}");
        Ok(if current.tls.is_some() { Role::Client } else { Role::Member })
    }
}

impl Current {
    fn read(security: &Security) -> Result<Current> {
        let tokens = security.token.as_ref().map(|token| token.read()).transpose()?.unwrap_or_default();
        let tls = security.tls.as_ref().map(Tls::read).transpose()?;
        Ok(Current { tokens, tls })
    }
}

/// The name that the certificate at an address must have.
///
/// # Errors
/// `InvalidArgument` if it is no name of a host.
pub(crate) fn name_at(address: &str) -> Result<ServerName<'static>> {
    let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
    let host = host.trim_start_matches('[').trim_end_matches(']');
    ServerName::try_from(host.to_owned())
        .map_err(|error| err!(InvalidArgument, "'{host}' is no name of a host: {error}"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::Code;

    fn keys(tokens: &str) -> Keys {
        Keys::new(&Security { token: Some(Token::new(tokens)), ..Default::default() }).unwrap()
    }

    #[test]
    fn a_token_is_asked_for_where_one_is_set() {
        let keys = keys("the first of the two\nand the second one\n");
        assert_eq!((keys.ask(), keys.token().as_deref()), (true, Some("the first of the two")));
        for known in ["the first of the two", "and the second one"] {
            assert_eq!(keys.admit(&Proof::Nothing, Some(known.as_bytes())).unwrap(), Role::Member);
        }
        for (unknown, says) in [
            (None, "this server asks who comes: set TENSORFLEET_TOKEN"),
            (Some("the first of the tw"), "this server does not know this token: set TENSORFLEET_TOKEN"),
            (Some(""), "this server does not know"),
            (Some("the first of the two\nand the second one"), "this server does not know"),
        ] {
            let refused = keys.admit(&Proof::Nothing, unknown.map(str::as_bytes)).unwrap_err();
            assert_eq!(refused.code(), Code::Unauthenticated);
            assert!(refused.message().starts_with(says), "{refused}");
        }
    }

    #[test]
    fn nothing_is_asked_where_nothing_is_set() {
        let keys = Keys { security: Security::default(), current: RwLock::default() };
        assert!(!keys.ask() && keys.token().is_none());
        assert_eq!(keys.admit(&Proof::Nothing, Some(b"whatever")).unwrap(), Role::Anyone);
        assert_eq!(keys.admit(&Proof::Plain, None).unwrap_err().code(), Code::Unauthenticated);
    }

    #[test]
    fn a_file_is_read_again_and_what_is_of_no_use_changes_nothing() {
        let path = std::env::temp_dir().join(format!("tensorfleet-token-{}", std::process::id()));
        std::fs::write(&path, "the first of the two").unwrap();
        let keys = Keys::new(&Security { token: Some(Token::file(&path)), ..Default::default() }).unwrap();
        std::fs::write(&path, "short").unwrap();
        assert!(keys.read_again().is_err());
        assert_eq!(keys.token().as_deref(), Some("the first of the two"));
        std::fs::write(&path, "and the second one").unwrap();
        keys.read_again().unwrap();
        assert_eq!(keys.token().as_deref(), Some("and the second one"));
        let _ = std::fs::remove_file(&path);
    }
}
