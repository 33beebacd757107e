//! TLS 1.3 between processes that one authority has signed.

use std::io;
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig, crypto};
use tensor::{Result, Status, ensure, err};
use tokio::io::{AsyncRead, AsyncWrite};

use super::Role;
use super::security::{TlsFiles, warn_if_others_read};
use super::validity::valid_until;

/// By this word at the beginning of a connection a link is told from gRPC.
pub(crate) const LINK_PROTOCOL: &[u8] = b"tensorfleet/1";
const GRPC_PROTOCOL: &[u8] = b"h2";

/// A connection, encrypted or not.
pub(crate) trait ByteStream: AsyncRead + AsyncWrite + Send + Unpin {}

impl<S: AsyncRead + AsyncWrite + Send + Unpin> ByteStream for S {}

/// What TLS needs, read from its files.
pub(super) struct Tls {
    /// Missing without a certificate of one's own.
    pub server: Option<Arc<ServerConfig>>,
    /// The second since 1970 until which the own certificate, and those above it in its file, hold.
    pub until: Option<i64>,
    pub to_grpc: Arc<ClientConfig>,
    pub to_link: Arc<ClientConfig>,
}

impl Tls {
    /// Reads certificates and key.
    ///
    /// # Errors
    /// `NotFound` or `InvalidArgument`, with the file that is missing or is not what it should be.
    pub fn read(files: &TlsFiles) -> Result<Tls> {
        let provider = Arc::new(crypto::ring::default_provider());
        let mut roots = RootCertStore::empty();
        for certificate in certificates(&files.authority)? {
            roots.add(certificate).map_err(|error| unusable(&files.authority, &error))?;
        }
        let roots = Arc::new(roots);
        let own = files.own.as_ref().map(|(certificate, key)| {
            warn_if_others_read(key);
            let read = PrivateKeyDer::from_pem_file(key).map_err(|error| unusable(key, &error))?;
            Ok::<_, Status>((certificates(certificate)?, read, certificate))
        });
        let own = own.transpose()?;
        let chain = own.iter().flat_map(|(chain, ..)| chain);
        let until = chain.filter_map(|certificate| valid_until(certificate).ok()).min();
        let client = ClientConfig::builder_with_provider(provider.clone())
            .with_protocol_versions(&[&rustls::version::TLS13])
            .map_err(|error| unusable(&files.authority, &error))?
            .with_root_certificates(roots.clone());
        let client = match &own {
            None => client.with_no_client_auth(),
            Some((chain, key, path)) => {
                client.with_client_auth_cert(chain.clone(), key.clone_key()).map_err(|error| unusable(path, &error))?
            }
        };
        let server = own.map(|(chain, key, path)| {
            let verifier = WebPkiClientVerifier::builder_with_provider(roots, provider.clone())
                .allow_unauthenticated()
                .build()
                .map_err(|error| unusable(&files.authority, &error))?;
            let mut server = ServerConfig::builder_with_provider(provider)
                .with_protocol_versions(&[&rustls::version::TLS13])
                .map_err(|error| unusable(path, &error))?
                .with_client_cert_verifier(verifier)
                .with_single_cert(chain, key)
                .map_err(|error| unusable(path, &error))?;
            server.alpn_protocols = vec![GRPC_PROTOCOL.to_vec(), LINK_PROTOCOL.to_vec()];
            Ok::<_, Status>(Arc::new(server))
        });
        let speaking = |protocol: &[u8]| {
            let mut client = client.clone();
            client.alpn_protocols = vec![protocol.to_vec()];
            Arc::new(client)
        };
        let (to_grpc, to_link) = (speaking(GRPC_PROTOCOL), speaking(LINK_PROTOCOL));
        Ok(Tls { server: server.transpose()?, until, to_grpc, to_link })
    }
}

fn certificates(path: &Path) -> Result<Vec<CertificateDer<'static>>> {
    let read = CertificateDer::pem_file_iter(path)
        .and_then(|certificates| certificates.collect::<std::result::Result<Vec<_>, _>>());
    let certificates = read.map_err(|error| unusable(path, &error))?;
    ensure!(!certificates.is_empty(), InvalidArgument, "'{}' holds no certificate in PEM", path.display());
    Ok(certificates)
}

fn unusable(path: &Path, error: &dyn std::fmt::Display) -> Status {
    err!(InvalidArgument, "'{}' is of no use for TLS: {error}", path.display())
}

/// The role that the certificate of the other end gives it; `None` if it showed none.
pub(super) fn role_of(certificates: Option<&[CertificateDer<'_>]>) -> Option<Role> {
    let certificate = webpki::EndEntityCert::try_from(certificates?.first()?).ok()?;
    Some(Role::of_certificate(certificate.valid_uri_names()))
}

/// What a client says of a handshake that failed: whatever the reason, trying again does not help. The error is known by its
/// kind.
pub(crate) fn hold_handshake(error: &io::Error) -> io::Error {
    let hint = match error.kind() {
        io::ErrorKind::UnexpectedEof | io::ErrorKind::ConnectionReset => {
            "the other end hung up; does it speak TLS, and has the same authority signed both certificates?"
        }
        _ => "are the certificates those of this cluster, and is the name of the host in them?",
    };
    io::Error::new(io::ErrorKind::PermissionDenied, format!("the TLS handshake failed: {error}; {hint}"))
}
