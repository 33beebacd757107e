//! `tensorfleet certs new`: a small authority for one cluster, and what it signs.

use std::fs::{File, OpenOptions};
use std::io::Write;
use std::net::IpAddr;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use clap::{Args, Subcommand};
use cluster::{CLIENT_URI, OPERATOR_URI, task_uri};
use rcgen::{
    BasicConstraints, CertificateParams, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair, KeyUsagePurpose,
    SanType,
};
use runtime::ClusterSpec;
use tensor::{Result, Status, ensure, err};

use crate::serve::{parse_cluster, parse_json};

#[derive(Args)]
pub struct Certs {
    #[command(subcommand)]
    command: CertsCommand,
}

#[derive(Subcommand)]
enum CertsCommand {
    /// Make an authority and certificates for all tasks of a cluster, a client and an operator. What is there already stays, so
    /// tasks that came later get theirs when this is run again.
    New(New),
}

#[derive(Args)]
struct New {
    /// The cluster, as JSON, as for `serve`.
    #[arg(long)]
    cluster: String,
    /// The folder for the files, which is made if need be.
    #[arg(long)]
    out: PathBuf,
    /// How long the certificates are good.
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=3650))]
    days: u32,
}

impl Certs {
    pub fn run(self) -> Result<()> {
        let CertsCommand::New(new) = self.command;
        let cluster = parse_cluster(&parse_json("--cluster", &new.cluster)?)?;
        let made = make(&cluster, &new.out, new.days)?;
        let mut out = std::io::stdout();
        for name in &made {
            let _ = writeln!(out, "{}", new.out.join(format!("{name}.pem")).display());
        }
        let _ = writeln!(
            out,
            "Made {} certificates, good for {} days. Keep ca.key where no server runs; each task gets ca.pem and its own two files.",
            made.len(),
            new.days
        );
        Ok(())
    }
}

/// Makes what is missing; returns the names of what was made.
fn make(cluster: &ClusterSpec, folder: &Path, days: u32) -> Result<Vec<String>> {
    std::fs::create_dir_all(folder).map_err(|error| err!(NotFound, "'{}': {error}", folder.display()))?;
    let (issuer, mut made) = authority(folder)?;
    let mut wanted = vec![
        ("client".to_owned(), CLIENT_URI.to_owned(), Vec::new()),
        ("operator".to_owned(), OPERATOR_URI.to_owned(), Vec::new()),
    ];
    for (job, task) in cluster.tasks() {
        let address = cluster.address(job, task)?;
        let host = address.rsplit_once(':').map_or(address, |(host, _)| host);
        // Also as this machine, for those who come through a tunnel.
        let hosts = vec![host, "localhost", "127.0.0.1", "::1"];
        wanted.push((format!("{job}-{task}"), task_uri(job, task), hosts));
    }
    for (name, uri, hosts) in wanted {
        if there(folder, &name)? {
            continue;
        }
        let key = KeyPair::generate().map_err(failed)?;
        let mut params = CertificateParams::default();
        params.distinguished_name.push(DnType::CommonName, format!("tensorfleet {name}"));
        params.subject_alt_names.push(SanType::URI(uri.try_into().map_err(failed)?));
        for host in hosts {
            let name = match host.trim_start_matches('[').trim_end_matches(']').parse::<IpAddr>() {
                Ok(ip) => SanType::IpAddress(ip),
                Err(_) => SanType::DnsName(host.try_into().map_err(failed)?),
            };
            if !params.subject_alt_names.contains(&name) {
                params.subject_alt_names.push(name);
            }
        }
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.use_authority_key_identifier_extension = true;
        good_for(&mut params, days);
        let certificate = params.signed_by(&key, &issuer).map_err(failed)?;
        write(folder, &name, &certificate.pem(), &key)?;
        made.push(name);
    }
    Ok(made)
}

/// The authority of a folder, which is made if it is not there.
fn authority(folder: &Path) -> Result<(Issuer<'static, KeyPair>, Vec<String>)> {
    let mut params = CertificateParams::default();
    params.distinguished_name.push(DnType::CommonName, "tensorfleet authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    good_for(&mut params, 3650);
    if there(folder, "ca")? {
        let path = folder.join("ca.key");
        let text = std::fs::read_to_string(&path).map_err(|error| err!(NotFound, "'{}': {error}", path.display()))?;
        let key = KeyPair::from_pem(&text).map_err(|error| err!(InvalidArgument, "'{}': {error}", path.display()))?;
        return Ok((Issuer::new(params, key), Vec::new()));
    }
    let key = KeyPair::generate().map_err(failed)?;
    let certificate = params.self_signed(&key).map_err(failed)?;
    write(folder, "ca", &certificate.pem(), &key)?;
    Ok((Issuer::new(params, key), vec!["ca".to_owned()]))
}

/// Good from an hour ago, because clocks differ, for so many days.
fn good_for(params: &mut CertificateParams, days: u32) {
    let now = SystemTime::now();
    params.not_before = (now - Duration::from_secs(3600)).into();
    params.not_after = (now + Duration::from_secs(u64::from(days) * 86_400)).into();
}

/// Whether certificate and key are there.
///
/// # Errors
/// `FailedPrecondition` if only one of them is.
fn there(folder: &Path, name: &str) -> Result<bool> {
    let files = [folder.join(format!("{name}.pem")), folder.join(format!("{name}.key"))];
    let exist = files.each_ref().map(|file| file.exists());
    ensure!(
        exist[0] == exist[1],
        FailedPrecondition,
        "of '{}' and '{}' one is there and one is not; neither is made anew",
        files[0].display(),
        files[1].display()
    );
    Ok(exist[0])
}

/// Writes a key, which only its owner reads, and then the certificate. What is there is never overwritten.
fn write(folder: &Path, name: &str, certificate: &str, key: &KeyPair) -> Result<()> {
    for (end, mode, text) in [("key", 0o600, key.serialize_pem()), ("pem", 0o644, certificate.to_owned())] {
        let path = folder.join(format!("{name}.{end}"));
        let opened: std::io::Result<File> = OpenOptions::new().write(true).create_new(true).mode(mode).open(&path);
        opened
            .and_then(|mut file| file.write_all(text.as_bytes()).and_then(|()| file.sync_all()))
            .map_err(|error| err!(Unavailable, "cannot write '{}': {error}", path.display()))?;
    }
    Ok(())
}

fn failed(error: impl std::fmt::Display) -> Status {
    err!(InvalidArgument, "cannot make a certificate: {error}")
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn what_is_there_stays_and_what_is_new_comes() {
        let folder = std::env::temp_dir().join(format!("tensorfleet-certs-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let cluster =
            |workers: &[&str]| ClusterSpec::new([("ps", vec!["a.example:1"]), ("worker", workers.to_vec())]).unwrap();
        let made = make(&cluster(&["10.0.0.1:2"]), &folder, 1).unwrap();
        assert_eq!(made, ["ca", "client", "operator", "ps-0", "worker-0"]);
        for name in &made {
            let mode = std::fs::metadata(folder.join(format!("{name}.key"))).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600, "{name}");
        }
        let before = std::fs::read(folder.join("ps-0.pem")).unwrap();
        assert_eq!(make(&cluster(&["10.0.0.1:2", "[::1]:3"]), &folder, 1).unwrap(), ["worker-1"]);
        assert_eq!(std::fs::read(folder.join("ps-0.pem")).unwrap(), before);
        std::fs::remove_file(folder.join("ca.key")).unwrap();
        assert_eq!(make(&cluster(&[]), &folder, 1).unwrap_err().code(), tensor::Code::FailedPrecondition);
        let _ = std::fs::remove_dir_all(&folder);
    }

    /// Damaged certificates, keys and tokens: a server that starts with them, or a reason why it does not.
    #[test]
    fn damaged_keys_are_refused() {
        use cluster::{Security, Server, ServerOptions, TlsFiles, Token};
        let folder = std::env::temp_dir().join(format!("tensorfleet-damaged-certs-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&folder);
        let spec = ClusterSpec::new([("ps", vec!["127.0.0.1:0"])]).unwrap();
        make(&spec, &folder, 1).unwrap();
        let path = |name: &str| folder.join(name);
        let start = |security: Security| {
            let options = ServerOptions { security, ..Default::default() };
            Server::start(&spec, "ps", 0, ops::registry(), options)
                .map_or_else(|status| status.to_string(), |_| "started".to_owned())
        };
        for name in ["ps-0.pem", "ps-0.key", "ca.pem"] {
            let whole = std::fs::read(path(name)).unwrap();
            testkit::fuzz(name, std::slice::from_ref(&whole), |bytes| {
                std::fs::write(path(name), bytes).unwrap();
                let tls = TlsFiles::of_client(path("ca.pem")).with_certificate(path("ps-0.pem"), path("ps-0.key"));
                start(Security { tls: Some(tls), ..Default::default() })
            });
            std::fs::write(path(name), whole).unwrap();
        }
        testkit::fuzz("token", &[b"a token of some length\nanother token, for tomorrow\n".to_vec()], |bytes| {
            std::fs::write(path("token"), bytes).unwrap();
            start(Security { token: Some(Token::file(path("token"))), ..Default::default() })
        });
        let _ = std::fs::remove_dir_all(&folder);
    }
}
