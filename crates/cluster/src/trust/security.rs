//! Where tokens and certificates are found.

use std::fmt;
use std::path::{Path, PathBuf};

use tensor::{Result, bail, ensure, err};

use super::{Keys, Proof};

/// What proves to others who this process is, and what it asks of them. What is not said here is taken from the environment:
/// `TENSORFLEET_TOKEN` or `TENSORFLEET_TOKEN_FILE`, `TENSORFLEET_TLS_CERT`, `TENSORFLEET_TLS_KEY`, `TENSORFLEET_TLS_CA` and
/// `TENSORFLEET_INSECURE`.
///
/// ```
/// use tensorfleet_cluster::{RemoteOptions, RemoteSession, Security, Server, ServerOptions, Token};
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let security = Security { token: Some(Token::new("correct horse battery staple")), ..Default::default() };
/// let cluster = ClusterSpec::new([("worker", vec!["localhost:0"])])?;
/// let options = ServerOptions { security: security.clone(), ..Default::default() };
/// let server = Server::start(&cluster, "worker", 0, ops::registry(), options)?;
/// let refused = RemoteSession::new(server.target(), &Graph::new()).err().unwrap();
/// assert_eq!(refused.code(), Code::Unauthenticated);
/// let options = RemoteOptions { security, ..Default::default() };
/// assert!(RemoteSession::with_options(server.target(), &Graph::new(), options).is_ok());
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug, Default)]
pub struct Security {
    /// The secret that all tasks and clients share.
    pub token: Option<Token>,
    /// Certificates, by which connections are also kept from being read.
    pub tls: Option<TlsFiles>,
    /// A server may listen beyond this machine and ask nobody anything.
    pub insecure: bool,
}

/// A secret that lets in whoever knows it.
///
/// ```
/// use tensorfleet_cluster::Token;
/// // What is secret is not printed.
/// assert_eq!(format!("{:?}", Token::new("correct horse battery staple")), "Token(..)");
/// ```
#[derive(Clone)]
pub struct Token(Source);

#[derive(Clone)]
enum Source {
    Text(String),
    File(PathBuf),
}

/// The files of TLS, in PEM.
///
/// ```
/// use tensorfleet_cluster::{Security, TlsFiles};
/// let tls = TlsFiles::of_client("certs/ca.pem").with_certificate("certs/client.pem", "certs/client.key");
/// let security = Security { tls: Some(tls), ..Default::default() };
/// assert!(security.token.is_none());
/// ```
#[derive(Clone, Debug)]
pub struct TlsFiles {
    /// The certificates of those who sign: whom they have signed is believed.
    pub(super) authority: PathBuf,
    /// The own certificate and its key. A server needs them; a client may have a token instead.
    pub(super) own: Option<(PathBuf, PathBuf)>,
}

impl Token {
    /// This text.
    pub fn new(text: impl Into<String>) -> Token {
        Token(Source::Text(text.into()))
    }

    /// The lines of a file: the first is shown to others, and each lets in, so that tokens can change one after the other.
    pub fn file(path: impl Into<PathBuf>) -> Token {
        Token(Source::File(path.into()))
    }

    pub(super) fn is_file(&self) -> bool {
        matches!(self.0, Source::File(_))
    }

    /// Returns the tokens, of which there is at least one.
    ///
    /// # Errors
    /// `InvalidArgument` for a token that is too short, too long or cannot travel; `NotFound` for a file that cannot be read.
    pub(super) fn read(&self) -> Result<Vec<String>> {
        let (text, whence) = match &self.0 {
            Source::Text(text) => (text.clone(), "the token".to_owned()),
            Source::File(path) => {
                let whence = format!("the token file '{}'", path.display());
                warn_if_others_read(path);
                (std::fs::read_to_string(path).map_err(|error| err!(NotFound, "{whence}: {error}"))?, whence)
            }
        };
        let tokens: Vec<String> =
            text.lines().map(str::trim).filter(|line| !line.is_empty()).map(str::to_owned).collect();
        ensure!(!tokens.is_empty(), InvalidArgument, "{whence} is empty");
        for token in &tokens {
            ensure!(
                (SHORTEST..=LONGEST).contains(&token.len()) && token.bytes().all(|byte| matches!(byte, b' '..=b'~')),
                InvalidArgument,
                "{whence} is no token: {SHORTEST} to {LONGEST} visible characters of ASCII make one, such as `openssl rand \
                 -hex 32` prints"
            );
        }
        Ok(tokens)
    }
}

/// Fewer characters could be guessed, more would not fit into a greeting.
const SHORTEST: usize = 16;
const LONGEST: usize = 1024;

impl fmt::Debug for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Source::Text(_) => f.write_str("Token(..)"),
            Source::File(path) => write!(f, "Token({})", path.display()),
        }
    }
}

impl TlsFiles {
    /// A client that believes servers whom this authority has signed, and has no certificate of its own.
    pub fn of_client(authority: impl Into<PathBuf>) -> TlsFiles {
        TlsFiles { authority: authority.into(), own: None }
    }

    /// The same, with a certificate and its key.
    #[must_use]
    pub fn with_certificate(self, certificate: impl Into<PathBuf>, key: impl Into<PathBuf>) -> TlsFiles {
        TlsFiles { own: Some((certificate.into(), key.into())), ..self }
    }

    /// The files of options, of which some may be missing; `None` if all are.
    ///
    /// # Errors
    /// `InvalidArgument`, which names what is missing.
    pub fn from_parts(
        certificate: Option<PathBuf>,
        key: Option<PathBuf>,
        authority: Option<PathBuf>,
    ) -> Result<Option<TlsFiles>> {
        match (authority, certificate, key) {
            (None, None, None) => Ok(None),
            (Some(authority), None, None) => Ok(Some(TlsFiles::of_client(authority))),
            (Some(authority), Some(certificate), Some(key)) => {
                Ok(Some(TlsFiles::of_client(authority).with_certificate(certificate, key)))
            }
            (None, ..) => bail!(InvalidArgument, "TLS needs the certificate of an authority (tls_ca)"),
            (_, None, _) => bail!(InvalidArgument, "there is a key for TLS (tls_key) but no certificate (tls_cert)"),
            (_, _, None) => bail!(InvalidArgument, "there is a certificate for TLS (tls_cert) but no key (tls_key)"),
        }
    }
}

impl Security {
    /// Returns whether those who come in are asked for anything.
    ///
    /// ```
    /// use tensorfleet_cluster::{Security, Token};
    /// let security = Security { token: Some(Token::new("correct horse battery staple")), ..Default::default() };
    /// assert!(security.asks()?);
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` or `NotFound`, naming the token or certificate that cannot be used.
    pub fn asks(&self) -> Result<bool> {
        Ok(Keys::new(self)?.ask())
    }

    /// Returns whether a token makes whoever shows it an operator: it is one of the cluster's, and certificates do not say
    /// otherwise.
    ///
    /// ```
    /// use tensorfleet_cluster::{Security, Token};
    /// let security = Security { token: Some(Token::new("correct horse battery staple")), ..Default::default() };
    /// assert!(security.is_operator("correct horse battery staple") && !security.is_operator("guessed"));
    /// ```
    pub fn is_operator(&self, token: &str) -> bool {
        let keys = Keys::new(self).ok().filter(Keys::ask);
        let role = keys.and_then(|keys| keys.admit(&Proof::Nothing, Some(token.as_bytes())).ok());
        role.is_some_and(|role| role.may_wipe())
    }

    /// The same, with what the environment says about what is left open.
    ///
    /// # Errors
    /// `InvalidArgument` for half of what TLS needs.
    pub(super) fn or_environment(&self) -> Result<Security> {
        let variable = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty());
        let path = |name: &str| variable(name).map(PathBuf::from);
        let text = variable("TENSORFLEET_TOKEN").map(|text| Token::new(text.to_string_lossy()));
        let token = || text.or_else(|| path("TENSORFLEET_TOKEN_FILE").map(Token::file));
        let tls = match &self.tls {
            Some(tls) => Some(tls.clone()),
            None => TlsFiles::from_parts(
                path("TENSORFLEET_TLS_CERT"),
                path("TENSORFLEET_TLS_KEY"),
                path("TENSORFLEET_TLS_CA"),
            )?,
        };
        let insecure = self.insecure || variable("TENSORFLEET_INSECURE").is_some_and(|value| value != "0");
        Ok(Security { token: self.token.clone().or_else(token), tls, insecure })
    }
}

/// Secrets are for one user.
pub(super) fn warn_if_others_read(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    if std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0) {
        tracing::warn!(path = %path.display(), "other users of this machine may read this secret: chmod 600 it");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_have_a_length_and_can_travel() {
        let long = "x".repeat(LONGEST + 1);
        for bad in ["", " \n ", "short", &long, "with a tab\there, long enough", "Schlüssel, lang genug"] {
            let refused = Token::new(bad).read().unwrap_err();
            assert_eq!(refused.code(), tensor::Code::InvalidArgument, "{bad}");
            assert!(bad.trim().is_empty() || !refused.message().contains(bad), "{refused}");
        }
        let tokens = Token::new(" the first of the two \n\nand the second one\n").read().unwrap();
        assert_eq!(tokens, ["the first of the two", "and the second one"]);
        assert_eq!(Token::file("/no/such/file").read().unwrap_err().code(), tensor::Code::NotFound);
    }

    #[test]
    fn half_of_tls_is_refused() {
        let path = |given: bool| given.then(|| PathBuf::from("x"));
        for (certificate, key, authority, fine) in [
            (false, false, false, true),
            (false, false, true, true),
            (true, true, true, true),
            (true, true, false, false),
            (true, false, true, false),
            (false, true, true, false),
        ] {
            let outcome = TlsFiles::from_parts(path(certificate), path(key), path(authority));
            assert_eq!(outcome.is_ok(), fine, "{certificate} {key} {authority}");
        }
    }
}
