//! Who may see the page and steer from it.
//!
//! Whoever reaches loopback may look, as long as the cluster itself asks nobody anything. Everything else takes a key: the one
//! that is made for this page and printed with its address, or the cluster's token where that makes an operator. Other pages
//! in the same browser get nothing: they neither know the key nor reach the page under a name of theirs.

use std::io::Read;

use axum::http::{HeaderMap, Method, Uri, header};
use cluster::Security;
use tensor::{Result, Status, err};

pub struct Access {
    key: String,
    /// Whether looking takes the key.
    closed: bool,
    /// Whether only names of this machine lead to it.
    loopback: bool,
    security: Security,
}

impl Access {
    /// # Errors
    /// As reading a token or certificate; `Unavailable` if the system has no random numbers.
    pub fn new(security: Security, loopback: bool) -> Result<Access> {
        let closed = !loopback || security.asks()?;
        Ok(Access { key: random_key()?, closed, loopback, security })
    }

    /// What lets in, to be told to whoever started the page.
    pub fn key(&self) -> &str {
        &self.key
    }

    /// Whether looking takes the key.
    pub fn is_closed(&self) -> bool {
        self.closed
    }

    /// Whether a request shows a key that lets it steer.
    pub fn may_steer(&self, headers: &HeaderMap) -> bool {
        let shown = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
        let shown = shown.and_then(|value| value.strip_prefix("Bearer "));
        shown.is_some_and(|shown| is_same(shown, &self.key) || self.security.is_operator(shown))
    }

    /// Refuses requests that come under a foreign name or from another page.
    ///
    /// # Errors
    /// `PermissionDenied`.
    pub fn check_origin(&self, headers: &HeaderMap, uri: &Uri) -> Result<()> {
        let text = |name: header::HeaderName| headers.get(name).and_then(|value| value.to_str().ok());
        let host = text(header::HOST).or_else(|| uri.authority().map(|authority| authority.as_str())).unwrap_or("");
        if self.loopback && !is_this_machine(host) {
            return Err(err!(PermissionDenied, "this page is served as localhost, not as '{host}'"));
        }
        let site = headers.get("sec-fetch-site").and_then(|value| value.to_str().ok());
        if uri.path().starts_with("/api/") && site.is_some_and(|site| site != "same-origin" && site != "none") {
            return Err(err!(PermissionDenied, "another site's page asks ({})", site.unwrap_or_default()));
        }
        Ok(())
    }

    /// Refuses what takes a key if none is shown.
    ///
    /// # Errors
    /// `Unauthenticated`.
    pub fn check(&self, method: &Method, headers: &HeaderMap) -> Result<()> {
        let needs_key = self.closed || *method != Method::GET;
        if needs_key && !self.may_steer(headers) { Err(no_key()) } else { Ok(()) }
    }
}

fn no_key() -> Status {
    err!(
        Unauthenticated,
        "this takes the key of the page: open the address that was printed when it started, or sign in with the key in it"
    )
}

/// Whether a Host header names this machine itself.
fn is_this_machine(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    };
    let is_loopback = name.parse::<std::net::IpAddr>().is_ok_and(|address| address.is_loopback());
    is_loopback || name.eq_ignore_ascii_case("localhost")
}

/// Compares in a time that says nothing about where texts differ.
fn is_same(one: &str, other: &str) -> bool {
    one.len() == other.len() && one.bytes().zip(other.bytes()).fold(0, |sum, (a, b)| sum | (a ^ b)) == 0
}

fn random_key() -> Result<String> {
    let mut bytes = [0u8; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    read.map_err(|error| err!(Unavailable, "the system has no random numbers for the key of the page: {error}"))?;
    Ok(bytes.iter().map(|byte| format!("{byte:02x}")).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn headers(pairs: &[(&str, &str)]) -> HeaderMap {
        let mut map = HeaderMap::new();
        for (name, value) in pairs {
            map.insert(header::HeaderName::try_from(*name).unwrap(), value.parse().unwrap());
        }
        map
    }

    #[test]
    fn a_page_on_loopback_goes_by_names_of_this_machine_only() {
        let access = Access::new(Security::default(), true).unwrap();
        let uri = Uri::from_static("/api/cluster");
        for host in ["localhost:6007", "127.0.0.1:1", "[::1]:6007", "LOCALHOST", "127.9.9.9:3"] {
            assert!(access.check_origin(&headers(&[("host", host)]), &uri).is_ok(), "{host}");
        }
        for host in ["evil.example:6007", "", "localhost.evil.example", "10.0.0.1:6007", "[::2]:1"] {
            assert!(access.check_origin(&headers(&[("host", host)]), &uri).is_err(), "{host}");
        }
        let foreign = headers(&[("host", "localhost"), ("sec-fetch-site", "cross-site")]);
        assert!(access.check_origin(&foreign, &uri).is_err());
        assert!(access.check_origin(&foreign, &Uri::from_static("/")).is_ok(), "a link to the page itself is fine");
    }

    #[test]
    fn steering_takes_the_key_and_looking_does_where_the_cluster_asks() {
        let open = Access::new(Security::default(), true).unwrap();
        let (none, bad) = (headers(&[]), headers(&[("authorization", "Bearer nonsense")]));
        let good = headers(&[("authorization", &format!("Bearer {}", open.key()))]);
        assert!(open.check(&Method::GET, &none).is_ok());
        assert!(open.check(&Method::POST, &none).is_err() && open.check(&Method::POST, &bad).is_err());
        assert!(open.check(&Method::POST, &good).is_ok());

        let secret = "correct horse battery staple";
        let security = Security { token: Some(cluster::Token::new(secret)), ..Default::default() };
        let asked = Access::new(security, true).unwrap();
        assert!(asked.check(&Method::GET, &none).is_err() && asked.check(&Method::GET, &bad).is_err());
        let token = headers(&[("authorization", &format!("Bearer {secret}"))]);
        assert!(asked.check(&Method::GET, &token).is_ok() && asked.check(&Method::POST, &token).is_ok());
        assert!(Access::new(Security::default(), false).unwrap().check(&Method::GET, &none).is_err());
    }
}
