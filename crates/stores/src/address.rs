//! Where a URL leads: the store of its bucket, made once, and a name in it.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock};
use std::time::Duration;

use object_store::aws::{AmazonS3Builder, AmazonS3ConfigKey};
use object_store::azure::{AzureConfigKey, MicrosoftAzureBuilder};
use object_store::gcp::{GcpCredential, GoogleCloudStorageBuilder, GoogleConfigKey};
use object_store::http::HttpBuilder;
use object_store::path::Path;
use object_store::{BackoffConfig, ClientConfigKey, ClientOptions, ObjectStore, RetryConfig, StaticCredentialProvider};
use parking_lot::Mutex;
use tensor::{Result, Status, bail, ensure, err};

use crate::errors::told;

/// How long a connection may take to come about.
const CONNECT: &str = "5s";
/// How long one request may take. What is read or written with one is small enough for slow lines.
const REQUEST: &str = "60s";
/// More buckets than this are opened anew when they are needed.
const KEPT: usize = 64;

/// A store and a name in it.
pub(crate) struct Address {
    /// As it was asked for; it holds nothing secret.
    pub url: String,
    pub store: Arc<dyn ObjectStore>,
    pub path: Path,
    /// Whether nothing can be written, listed or removed there.
    pub read_only: bool,
}

impl Address {
    /// # Errors
    /// `Unimplemented` for another scheme; `InvalidArgument` for a URL that cannot be; `FailedPrecondition` if the
    /// environment does not say how to reach the store.
    pub fn parse(url: &str) -> Result<Address> {
        let (scheme, bucket, name) = parts(url)?;
        let read_only = matches!(scheme, "http" | "https");
        let path = if read_only { Path::from_url_path(name) } else { Path::parse(name) };
        let path = path.map_err(|error| err!(InvalidArgument, "no name of a file: {error}"))?;
        Ok(Address { url: url.to_owned(), store: bucket_store(scheme, bucket)?, path, read_only })
    }

    /// # Errors
    /// `Unimplemented` if it is read only.
    pub fn for_writing(self) -> Result<Address> {
        ensure!(!self.read_only, Unimplemented, "files of a web server can only be read");
        Ok(self)
    }
}

/// Scheme, bucket or host, and the rest.
fn parts(url: &str) -> Result<(&str, &str, &str)> {
    let (scheme, rest) = url.split_once("://").unwrap_or(("", url));
    ensure!(
        matches!(scheme, "s3" | "gs" | "az" | "http" | "https"),
        Unimplemented,
        "File system scheme '{scheme}' not implemented; there are s3, gs, az, http and https"
    );
    let (bucket, name) = rest.split_once('/').unwrap_or((rest, ""));
    let place = if scheme.starts_with("http") { "host" } else { "bucket" };
    ensure!(!bucket.is_empty(), InvalidArgument, "a URL without a {place}");
    let odd = |letter: char| !letter.is_ascii_alphanumeric() && !"-._:[]".contains(letter);
    ensure!(
        !bucket.contains(odd),
        InvalidArgument,
        "a {place} has letters, digits, '-', '_' and '.' in its name; names and passwords do not belong into a URL"
    );
    ensure!(
        !scheme.starts_with("http") || !name.contains(['?', '#']),
        InvalidArgument,
        "a URL with a query ('?') or a fragment ('#') does not name a file"
    );
    Ok((scheme, bucket, name))
}

static OPEN: LazyLock<Mutex<HashMap<String, Arc<dyn ObjectStore>>>> = LazyLock::new(Mutex::default);

fn bucket_store(scheme: &str, bucket: &str) -> Result<Arc<dyn ObjectStore>> {
    let key = format!("{scheme}://{bucket}");
    if let Some(store) = OPEN.lock().get(&key) {
        return Ok(store.clone());
    }
    let no_authorities = |status: &Status| status.message().contains("No CA certificates");
    let store = match new_store(scheme, bucket, Authorities::OfTheSystem) {
        // An image that has nothing but the program: what goes without TLS needs none.
        Err(status) if no_authorities(&status) => {
            let store = new_store(scheme, bucket, Authorities::NoneIfPlain);
            store.map_err(|status| match no_authorities(&status) {
                true => err!(
                    FailedPrecondition,
                    "there are no certificates of authorities on this machine to know the store by: name a file with some in \
                     SSL_CERT_FILE"
                ),
                false => status,
            })?
        }
        store => store?,
    };
    let mut open = OPEN.lock();
    if open.len() >= KEPT {
        open.clear();
    }
    Ok(open.entry(key).or_insert(store).clone())
}

/// Whose certificates a store is known by.
#[derive(Clone, Copy, PartialEq)]
enum Authorities {
    OfTheSystem,
    /// Nobody's, where the endpoint does without TLS.
    NoneIfPlain,
}

fn new_store(scheme: &str, bucket: &str, known: Authorities) -> Result<Arc<dyn ObjectStore>> {
    match scheme {
        "s3" => s3(bucket, known),
        "gs" => gs(bucket, known),
        "az" => az(bucket, known),
        "http" | "https" => {
            let url = format!("{scheme}://{bucket}");
            let limits = limits(Some(&url), known).into_iter();
            let options = limits.fold(ClientOptions::new(), |options, (key, value)| options.with_config(key, value));
            let http = HttpBuilder::new().with_url(&url).with_client_options(options.with_allow_http(true));
            Ok(Arc::new(http.with_retry(retries()).build().map_err(told)?))
        }
        other => bail!(Unimplemented, "File system scheme '{other}' not implemented"),
    }
}

fn s3(bucket: &str, known: Authorities) -> Result<Arc<dyn ObjectStore>> {
    let mut builder = AmazonS3Builder::from_env().with_bucket_name(bucket).with_retry(retries());
    let endpoint = builder.get_config_value(&AmazonS3ConfigKey::Endpoint);
    for (key, value) in limits(endpoint.as_deref(), known) {
        builder = builder.with_config(AmazonS3ConfigKey::Client(key), value);
    }
    Ok(Arc::new(builder.build().map_err(told)?))
}

fn gs(bucket: &str, known: Authorities) -> Result<Arc<dyn ObjectStore>> {
    let mut builder = GoogleCloudStorageBuilder::from_env().with_bucket_name(bucket).with_retry(retries());
    // As Google's own clients: an emulator asks nobody who they are, so nobody is asked for a proof either.
    let emulator = std::env::var("STORAGE_EMULATOR_HOST").ok().filter(|host| !host.is_empty());
    let emulator = emulator.map(|host| if host.contains("://") { host } else { format!("http://{host}") });
    if let Some(base) = &emulator {
        let nobody = StaticCredentialProvider::new(GcpCredential { bearer: String::new() });
        builder = builder.with_base_url(base).with_skip_signature(true).with_credentials(Arc::new(nobody));
    }
    for (key, value) in limits(emulator.as_deref(), known) {
        builder = builder.with_config(GoogleConfigKey::Client(key), value);
    }
    Ok(Arc::new(builder.build().map_err(told)?))
}

fn az(container: &str, known: Authorities) -> Result<Arc<dyn ObjectStore>> {
    let mut builder = MicrosoftAzureBuilder::from_env().with_container_name(container).with_retry(retries());
    let endpoint = builder.get_config_value(&AzureConfigKey::Endpoint);
    for (key, value) in limits(endpoint.as_deref(), known) {
        builder = builder.with_config(AzureConfigKey::Client(key), value);
    }
    Ok(Arc::new(builder.build().map_err(told)?))
}

/// How long things may take; and whoever names an endpoint without TLS means it.
fn limits(endpoint: Option<&str>, known: Authorities) -> Vec<(ClientConfigKey, &'static str)> {
    let mut limits = vec![(ClientConfigKey::ConnectTimeout, CONNECT), (ClientConfigKey::Timeout, REQUEST)];
    if endpoint.is_some_and(|endpoint| endpoint.starts_with("http://")) {
        limits.push((ClientConfigKey::AllowHttp, "true"));
        if known == Authorities::NoneIfPlain {
            limits.push((ClientConfigKey::NoSystemCertificates, "true"));
        }
    }
    limits
}

/// After a minute nothing is tried again.
fn retries() -> RetryConfig {
    let backoff =
        BackoffConfig { init_backoff: Duration::from_millis(100), max_backoff: Duration::from_secs(5), base: 2.0 };
    RetryConfig { backoff, max_retries: 5, retry_timeout: Duration::from_secs(60) }
}

#[cfg(test)]
mod tests {
    use tensor::Code;

    use super::*;

    #[test]
    fn urls_are_taken_apart() {
        assert_eq!(parts("s3://b/a/c d?e").unwrap(), ("s3", "b", "a/c d?e"));
        assert_eq!(parts("gs://b").unwrap(), ("gs", "b", ""));
        assert_eq!(parts("az://container/x").unwrap(), ("az", "container", "x"));
        assert_eq!(parts("http://[::1]:80/x").unwrap(), ("http", "[::1]:80", "x"));
        let code = |url: &str| parts(url).unwrap_err().code();
        assert_eq!(code("hdfs://x/y"), Code::Unimplemented);
        for bad in ["s3:///x", "https://me:secret@host/x", "https://host/x?token=1", "s3://a b/c"] {
            assert_eq!(code(bad), Code::InvalidArgument, "{bad}");
        }
    }

    #[test]
    fn names_do_not_climb() {
        crate::install();
        for bad in ["http://host/a/../b", "http://host/a/%2e%2e/b", "http://host/a//b"] {
            assert_eq!(Address::parse(bad).err().unwrap().code(), Code::InvalidArgument, "{bad}");
        }
        assert_eq!(Address::parse("http://host/a%20b").unwrap().path.as_ref(), "a b");
    }
}
