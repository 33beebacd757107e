//! The commands of the page on securing a cluster, as they stand there.

use std::path::Path;
use std::process::Command;

use cluster::{RemoteOptions, RemoteSession, Security, TlsFiles, Token};
use tensorfleet::prelude::*;

use crate::fleet::{Process, SOON, free_port};

/// The blocks of the page that a shell shall run, one after the other, with other ports.
fn blocks(ports: &[(&str, u16)]) -> Vec<Vec<String>> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/security.md");
    let page = std::fs::read_to_string(page).expect("the page");
    let shell = page.split("```sh\n").skip(1).filter_map(|rest| rest.split("```").next());
    let with_ports =
        |block: &str| ports.iter().fold(block.to_owned(), |text, (old, new)| text.replace(old, &new.to_string()));
    shell.map(|block| with_ports(block).replace("\\\n", " ").lines().map(str::to_owned).collect()).collect()
}

/// Runs a block in a folder; what it leaves in the background, when that has begun.
fn run(block: &[String], folder: &Path) -> Vec<Process> {
    let binary = Path::new(env!("CARGO_BIN_EXE_tensorfleet")).parent().expect("a folder");
    let path = format!("{}:{}", binary.display(), std::env::var("PATH").unwrap_or_default());
    let shell = |line: &str| {
        let mut command = Command::new("bash");
        command.args(["-c", line]).current_dir(folder).env("PATH", &path).env("TENSORFLEET_LOG", "info");
        command
    };
    let mut left = Vec::new();
    for line in block {
        match line.strip_suffix('&') {
            Some(line) => {
                let mut process = Process::start(&mut shell(&format!("exec {line}")));
                assert!(process.said(" grpc://").is_some(), "{line}: {}", process.log.all());
                left.push(process);
            }
            None => {
                let ran = shell(line).output().expect("bash");
                assert!(ran.status.success(), "{line}: {}", String::from_utf8_lossy(&ran.stderr));
            }
        }
    }
    left
}

/// A constant of the ps, by way of the worker.
fn asks(port: u16, security: Security) -> Result<f32> {
    let g = Graph::new();
    let two = g.with_device("/job:ps/task:0", |g| g.constant(1f32)) + 1.0;
    let options = RemoteOptions { security, operation_timeout: Some(SOON), ..Default::default() };
    RemoteSession::with_options(&format!("grpc://localhost:{port}"), &g, options)?.eval(&two)
}

#[test]
fn a_cluster_is_secured_by_the_commands_of_the_page() {
    let [ps, worker, local] = [free_port(), free_port(), free_port()];
    let folder = std::env::temp_dir().join(format!("tensorfleet-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let blocks = blocks(&[("2222", ps), ("2223", worker), ("2224", local)]);
    let [token, certificates, connect] = &blocks[..] else { panic!("{} blocks", blocks.len()) };

    let servers = run(token, &folder);
    let security = Security { token: Some(Token::file(folder.join("token"))), ..Default::default() };
    assert_eq!(asks(worker, security).expect("a friend"), 2.0);
    assert_eq!(asks(worker, Security::default()).expect_err("a stranger").code(), Code::Unauthenticated);
    drop(servers);

    let _servers = run(certificates, &folder);
    let file = |name: &str| folder.join("certs").join(name);
    let tls = TlsFiles::of_client(file("ca.pem")).with_certificate(file("client.pem"), file("client.key"));
    assert_eq!(asks(worker, Security { tls: Some(tls), ..Default::default() }).expect("a friend"), 2.0);
    assert_eq!(asks(worker, Security::default()).expect_err("a stranger").code(), Code::Unauthenticated);

    let _gateway = run(connect, &folder);
    assert_eq!(asks(local, Security::default()).expect("through the gateway"), 2.0);
    let _ = std::fs::remove_dir_all(&folder);
}
