//! The flags by which a process proves who it is.

use std::path::PathBuf;

use clap::Args;
use cluster::{Security, TlsFiles, Token};
use tensor::Result;

#[derive(Args, Clone)]
pub struct KeyFlags {
    /// A file with the secret that all tasks and clients share; each of its lines lets in, the first is shown to others. The
    /// environment variables TENSORFLEET_TOKEN and TENSORFLEET_TOKEN_FILE stand for it.
    #[arg(long = "token_file", alias = "token-file", value_name = "FILE")]
    token_file: Option<PathBuf>,
    /// The own certificate, in PEM (also TENSORFLEET_TLS_CERT).
    #[arg(long = "tls_cert", alias = "tls-cert", value_name = "FILE")]
    tls_cert: Option<PathBuf>,
    /// The key of the own certificate (also TENSORFLEET_TLS_KEY).
    #[arg(long = "tls_key", alias = "tls-key", value_name = "FILE")]
    tls_key: Option<PathBuf>,
    /// The certificate of the authority that has signed the others' (also TENSORFLEET_TLS_CA).
    #[arg(long = "tls_ca", alias = "tls-ca", value_name = "FILE")]
    tls_ca: Option<PathBuf>,
}

impl KeyFlags {
    /// What the flags say; the rest is up to the environment.
    pub fn security(self) -> Result<Security> {
        Ok(Security {
            token: self.token_file.map(Token::file),
            tls: TlsFiles::from_parts(self.tls_cert, self.tls_key, self.tls_ca)?,
            insecure: false,
        })
    }
}
