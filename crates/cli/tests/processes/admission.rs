//! Who comes in, and who does not: tokens, certificates, and the way for clients that know neither.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use cluster::{RemoteOptions, RemoteSession, Security, TlsFiles, Token, Transport};
use prost::Message;
use rcgen::{CertificateParams, DnType, Issuer, KeyPair, SanType};
use tensorfleet::prelude::*;

use crate::fleet::{Fleet, Process, SOON, free_port, wait_until};
use crate::hostile_frames::{HELLO, Head, PREFACE, frame};
use crate::program::{Program, hello};

const TOKEN: &str = "the token of all honest tasks";

/// A folder that goes with the test.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-admission-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect("a folder");
        Folder(path)
    }

    fn file(&self, name: &str) -> String {
        self.0.join(name).display().to_string()
    }

    pub fn write(&self, name: &str, text: &str) -> String {
        std::fs::write(self.0.join(name), text).expect("a file");
        self.file(name)
    }

    fn tls(&self, name: &str) -> TlsFiles {
        TlsFiles::of_client(self.file("ca.pem"))
            .with_certificate(self.file(&format!("{name}.pem")), self.file(&format!("{name}.key")))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn tensorfleet(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tensorfleet"));
    command.args(arguments).env("TENSORFLEET_LOG", "info").env_remove("TF_CONFIG");
    command
}

/// Certificates for one ps and one worker on this machine.
fn certificates(folder: &Folder) {
    let cluster = r#"{"ps": ["127.0.0.1:1"], "worker": ["127.0.0.1:2"]}"#;
    let made = tensorfleet(&["certs", "new", "--cluster", cluster, "--out", &folder.0.display().to_string()]).output();
    assert!(made.as_ref().is_ok_and(|made| made.status.success()), "{made:?}");
}

/// One ps and one worker that have certificates.
pub fn certified(folder: &Folder, flags: &[&str]) -> Fleet {
    certificates(folder);
    Fleet::start_with(&[("ps", 1), ("worker", 1)], |job, task| {
        let (certificate, key) = (folder.file(&format!("{job}-{task}.pem")), folder.file(&format!("{job}-{task}.key")));
        let tls = ["--tls_cert", &certificate, "--tls_key", &key, "--tls_ca", &folder.file("ca.pem")];
        tls.iter().chain(flags).map(|flag| (*flag).to_owned()).collect()
    })
}

fn with(security: Security, transport: Transport) -> RemoteOptions {
    RemoteOptions { security, transport, operation_timeout: Some(SOON), ..Default::default() }
}

pub fn token(text: &str) -> Security {
    Security { token: Some(Token::new(text)), ..Default::default() }
}

pub fn certificate(folder: &Folder, name: &str) -> Security {
    Security { tls: Some(folder.tls(name)), ..Default::default() }
}

/// Trains a step across both tasks, from the worker.
pub fn trains(fleet: &Fleet, security: &Security, transport: Transport) -> Result<()> {
    let program = Program::new("admitted", "/job:ps/task:0", "/job:worker/task:0")?;
    let session =
        RemoteSession::from_data(&fleet.target("worker", 0), program.data(), with(security.clone(), transport))?;
    program.init(&session)?;
    program.step(&session)?;
    session.close()
}

#[track_caller]
fn refused(outcome: Result<()>, code: Code, text: &str) {
    let status = outcome.expect_err("this must be refused");
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().contains(text), "'{text}' is missing in: {status}");
}

#[test]
fn a_token_lets_in_over_links_and_grpc_and_nothing_else_does() {
    let folder = Folder::new("token");
    let file = folder.write("token", TOKEN);
    for (flags, transport) in [
        (vec!["--token_file", &file], Transport::Links),
        (vec!["--token_file", &file, "--transport=tcp"], Transport::Tcp),
        (vec!["--token_file", &file, "--transport=grpc"], Transport::Grpc),
    ] {
        let fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &flags);
        trains(&fleet, &token(TOKEN), transport).expect("the token lets in");
        refused(hello(&fleet.target("ps", 0)), Code::Unauthenticated, "set TENSORFLEET_TOKEN");
        let guess = trains(&fleet, &token("another token, as long"), transport);
        refused(guess, Code::Unauthenticated, "does not know this token");
        fleet.stop();
    }
}

#[test]
fn tasks_whose_tokens_differ_say_so() {
    let folder = Folder::new("differ");
    let files = [folder.write("ps", TOKEN), folder.write("worker", "the token of somebody else")];
    let fleet = Fleet::start_with(&[("ps", 1), ("worker", 1)], |job, _| {
        vec!["--token_file".to_owned(), files[usize::from(job == "worker")].clone()]
    });
    let outcome = trains(&fleet, &token("the token of somebody else"), Transport::Links);
    refused(outcome, Code::Unauthenticated, "do not trust each other");
    fleet.stop();
}

#[test]
fn off_loopback_a_server_wants_to_know_who_comes() {
    let port = free_port();
    let (address, bind) = (format!("--ps_hosts=127.0.0.1:{port}"), format!("--bind=0.0.0.0:{port}"));
    let mut server = Process::serve(&[&address, &bind, "--job_name=ps", "--task_index=0"]);
    assert_eq!(server.ended(), Some(1));
    let said = wait_until("two lines", || {
        let said = server.log.all();
        said.contains("--insecure").then_some(said)
    });
    assert_eq!(said.lines().count(), 2, "{said}");
    assert!(said.contains("nothing says who may come in") && said.contains("set TENSORFLEET_TOKEN"), "{said}");
}

#[test]
fn a_token_that_is_none_is_refused_without_being_shown() {
    let folder = Folder::new("short");
    let file = folder.write("token", "guessable");
    let port = free_port();
    let hosts = format!("--ps_hosts=127.0.0.1:{port}");
    let mut server = Process::serve(&[&hosts, "--job_name=ps", "--task_index=0", "--token_file", &file]);
    assert_eq!(server.ended(), Some(1));
    let said = wait_until("a line", || Some(server.log.all()).filter(|said| said.contains("is no token")));
    assert!(!said.contains("guessable"), "{said}");
}

#[test]
fn certificates_let_in_over_links_and_grpc_and_strangers_stay_outside() {
    let folder = Folder::new("tls");
    for (flags, transport) in [
        (vec![], Transport::Links),
        (vec!["--transport=tcp"], Transport::Tcp),
        (vec!["--transport=grpc"], Transport::Grpc),
    ] {
        let fleet = certified(&folder, &flags);
        for name in ["client", "operator", "worker-0"] {
            trains(&fleet, &certificate(&folder, name), transport).expect(name);
        }
        // Without TLS, and with TLS and nothing else.
        refused(hello(&fleet.target("ps", 0)), Code::Unauthenticated, "this server speaks TLS only");
        let nameless = Security { tls: Some(TlsFiles::of_client(folder.file("ca.pem"))), ..Default::default() };
        refused(trains(&fleet, &nameless, transport), Code::Unauthenticated, "set TENSORFLEET_TLS_CERT");
        fleet.stop();
    }
}

#[test]
fn a_token_over_tls_is_a_client() {
    let folder = Folder::new("both");
    let file = folder.write("token", TOKEN);
    let fleet = certified(&folder, &["--token_file", &file]);
    let tls = Some(TlsFiles::of_client(folder.file("ca.pem")));
    let client = Security { token: Some(Token::file(&file)), tls: tls.clone(), insecure: false };
    trains(&fleet, &client, Transport::Links).expect("a token over TLS");
    // The same token in the clear is worth nothing here.
    refused(trains(&fleet, &token(TOKEN), Transport::Links), Code::Unauthenticated, "this server speaks TLS only");
    let wrong = Security { token: Some(Token::new("another token, as long")), tls, insecure: false };
    refused(trains(&fleet, &wrong, Transport::Links), Code::Unauthenticated, "does not know this token");
    fleet.stop();
}

#[test]
fn certificates_of_others_and_of_yesterday_are_refused() {
    let (folder, other) = (Folder::new("ours"), Folder::new("theirs"));
    let fleet = certified(&folder, &[]);
    certificates(&other);
    // Somebody whom another authority has signed, and who believes ours or theirs.
    let stranger =
        TlsFiles::of_client(folder.file("ca.pem")).with_certificate(other.file("client.pem"), other.file("client.key"));
    let stranger = Security { tls: Some(stranger), ..Default::default() };
    refused(trains(&fleet, &stranger, Transport::Links), Code::Unauthenticated, "");
    refused(
        trains(&fleet, &certificate(&other, "client"), Transport::Links),
        Code::Unauthenticated,
        "TLS handshake failed",
    );
    expired(&folder.0);
    refused(trains(&fleet, &certificate(&folder, "expired"), Transport::Links), Code::Unauthenticated, "");
    trains(&fleet, &certificate(&folder, "client"), Transport::Links).expect("an honest client");
    fleet.stop();
}

/// A client's certificate whose time is over, signed by the authority of a folder.
fn expired(folder: &Path) {
    let authority = std::fs::read_to_string(folder.join("ca.key")).expect("a key");
    let mut issuer = CertificateParams::default();
    issuer.distinguished_name.push(DnType::CommonName, "tensorfleet authority");
    let issuer = Issuer::new(issuer, KeyPair::from_pem(&authority).expect("a key"));
    let (key, mut params) = (KeyPair::generate().expect("a key"), CertificateParams::default());
    params.subject_alt_names.push(SanType::URI(cluster::CLIENT_URI.try_into().expect("a name")));
    (params.not_before, params.not_after) = (rcgen::date_time_ymd(2020, 1, 1), rcgen::date_time_ymd(2021, 1, 1));
    let certificate = params.signed_by(&key, &issuer).expect("a certificate");
    std::fs::write(folder.join("expired.pem"), certificate.pem()).expect("a file");
    std::fs::write(folder.join("expired.key"), key.serialize_pem()).expect("a file");
}

#[test]
fn who_speaks_tls_to_a_server_without_certificates_is_told() {
    let folder = Folder::new("plain");
    certificates(&folder);
    let fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &[]);
    let outcome = trains(&fleet, &certificate(&folder, "client"), Transport::Links);
    refused(outcome, Code::Unauthenticated, "does it speak TLS");
    hello(&fleet.target("ps", 0)).expect("others are served");
    fleet.stop();
}

#[test]
fn clients_are_neither_tasks_nor_operators() {
    let folder = Folder::new("roles");
    let fleet = certified(&folder, &[]);
    let reset = |name: &str, containers: &[&str]| {
        let containers: Vec<String> = containers.iter().map(|name| (*name).to_owned()).collect();
        RemoteSession::reset_with(&fleet.target("worker", 0), &containers, &certificate(&folder, name))
    };
    let program = Program::new("kept", "/job:ps/task:0", "/job:worker/task:0").expect("a graph");
    let options = with(certificate(&folder, "client"), Transport::Links);
    let session = RemoteSession::from_data(&fleet.target("worker", 0), program.data(), options).expect("a session");
    program.init(&session).expect("variables");
    refused(reset("client", &[]), Code::PermissionDenied, "the certificate of an operator");
    reset("client", &["mine"]).expect("a container of one's own");
    program.step(&session).expect("variables and sessions of others stay");
    reset("operator", &[]).expect("an operator may");
    assert_eq!(program.step(&session).expect_err("all sessions are closed").code(), Code::Aborted);
    fleet.stop();
}

/// With the token, a hello may carry any name; where there are certificates, only the own.
#[test]
fn a_hello_without_proof_is_answered_with_the_reason() {
    use std::io::{Read, Write};
    let folder = Folder::new("hello");
    let file = folder.write("token", TOKEN);
    let fleet = Fleet::start(&[("ps", 1)], &["--token_file", &file]);
    let ask = |token: &str, method: u32, name: &str| {
        let mut stream = std::net::TcpStream::connect(fleet.address("ps", 0)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a time limit");
        let hello =
            Head { kind: HELLO, method, token: token.to_owned(), message: name.to_owned(), ..Default::default() };
        stream.write_all(&[PREFACE, &frame(&hello)].concat()).expect("a greeting");
        let mut length = [0; 4];
        stream.read_exact(&mut length).expect("an answer");
        let mut answer = vec![0; u32::from_le_bytes(length) as usize];
        stream.read_exact(&mut answer).expect("an answer");
        Head::decode(&answer[..]).expect("a hello")
    };
    // Neither a hello nor the question for the door gets further.
    for method in [0, 1] {
        for token in ["", "another token, as long"] {
            let answer = ask(token, method, "/job:worker/replica:0/task:0");
            assert_eq!((answer.code, answer.body.len()), (Code::Unauthenticated.number(), 0), "{answer:?}");
            assert!(answer.message.contains("set TENSORFLEET_TOKEN"), "{answer:?}");
        }
    }
    let answer = ask(TOKEN, 0, "/job:worker/replica:0/task:0");
    assert_eq!((answer.code, answer.message.as_str()), (0, "/job:ps/replica:0/task:0"));
    // Nobody else is the task that is asked.
    let posing = ask(TOKEN, 0, "/job:ps/replica:0/task:0");
    assert_eq!(posing.code, Code::PermissionDenied.number(), "{posing:?}");
    // Versions: the lower of the two, and no features that an older peer does not name.
    assert_eq!((answer.version, answer.features), (1, 0));
    fleet.stop();
}

#[test]
fn sighup_changes_tokens_and_keeps_sessions() {
    let folder = Folder::new("hup");
    let file = folder.write("token", TOKEN);
    let mut fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &["--token_file", &file]);
    let program = Program::new("kept", "/job:ps/task:0", "/job:worker/task:0").expect("a graph");
    let options = with(token(TOKEN), Transport::Links);
    let session = RemoteSession::from_data(&fleet.target("worker", 0), program.data(), options).expect("a session");
    program.init(&session).expect("variables");
    for text in ["the token of tomorrow, new\nthe token of all honest tasks", "the token of tomorrow, new"] {
        folder.write("token", text);
        for job in ["ps", "worker"] {
            let before = fleet.task(job, 0).log.all().matches("were read again").count();
            fleet.task(job, 0).signal("-HUP");
            let log = fleet.task(job, 0).log.clone();
            wait_until("the new token", || (log.all().matches("were read again").count() > before).then_some(()));
        }
        trains(&fleet, &token("the token of tomorrow, new"), Transport::Links).expect("the new token");
        program.step(&session).expect("the session goes on");
    }
    refused(trains(&fleet, &token(TOKEN), Transport::Links), Code::Unauthenticated, "does not know this token");
    program.step(&session).expect("the session goes on");
    // What is of no use changes nothing.
    folder.write("token", "");
    fleet.task("ps", 0).signal("-HUP");
    let log = fleet.task("ps", 0).log.clone();
    wait_until("a complaint", || log.find(|line| line.contains("stay as they were")));
    trains(&fleet, &token("the token of tomorrow, new"), Transport::Links).expect("the token that was");
    session.leave();
    fleet.stop();
}

#[test]
fn sighup_changes_certificates_and_keeps_sessions() {
    let (folder, other) = (Folder::new("before"), Folder::new("after"));
    let mut fleet = certified(&folder, &["--transport=tcp"]);
    let program = Program::new("kept", "/job:ps/task:0", "/job:worker/task:0").expect("a graph");
    let options = with(certificate(&folder, "client"), Transport::Tcp);
    let session = RemoteSession::from_data(&fleet.target("worker", 0), program.data(), options).expect("a session");
    program.init(&session).expect("variables");
    let old = Folder::new("old");
    for file in ["ca.pem", "client.pem", "client.key"] {
        std::fs::copy(folder.file(file), old.file(file)).expect("a copy");
    }
    certificates(&other);
    for entry in std::fs::read_dir(&other.0).expect("a folder").flatten() {
        std::fs::copy(entry.path(), folder.0.join(entry.file_name())).expect("a copy");
    }
    for job in ["ps", "worker"] {
        fleet.task(job, 0).signal("-HUP");
        let log = fleet.task(job, 0).log.clone();
        wait_until("the new certificates", || log.find(|line| line.contains("were read again")));
    }
    trains(&fleet, &certificate(&other, "client"), Transport::Tcp).expect("a client of the new authority");
    refused(trains(&fleet, &certificate(&old, "client"), Transport::Tcp), Code::Unauthenticated, "");
    program.step(&session).expect("the session goes on");
    session.leave();
    fleet.stop();
}

/// Starts `tensorfleet connect`; the process and what it opened.
fn connect(target: &str, flags: &[&str]) -> (Process, String) {
    let mut process = Process::start(&mut tensorfleet(&[&["connect", "--target", target], flags].concat()));
    let said = process.said("Connected: ").unwrap_or_else(|| panic!("{}", process.log.all()));
    let port = said.split_whitespace().nth(1).expect("a target").to_owned();
    (process, port)
}

#[test]
fn clients_that_know_nothing_go_through_connect() {
    let folder = Folder::new("connect");
    let file = folder.write("token", TOKEN);
    let fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &["--token_file", &file]);
    let (_process, local) = connect(&fleet.target("worker", 0), &["--token_file", &file]);
    refused(hello(&fleet.target("worker", 0)), Code::Unauthenticated, "");
    hello_over_grpc(&local).expect("through the gateway");
    let wrong = folder.write("wrong", "another token, as long");
    let mut process =
        Process::start(&mut tensorfleet(&["connect", "--target", &fleet.target("ps", 0), "--token_file", &wrong]));
    assert_eq!(process.ended(), Some(1));
    wait_until("the reason", || process.log.find(|line| line.contains("does not know this token")));
    fleet.stop();

    let fleet = certified(&folder, &[]);
    let (certificate, key, authority) = (folder.file("client.pem"), folder.file("client.key"), folder.file("ca.pem"));
    let flags = ["--tls_cert", &certificate, "--tls_key", &key, "--tls_ca", &authority];
    let (_process, local) = connect(&fleet.target("worker", 0), &flags);
    hello_over_grpc(&local).expect("through the gateway");
    fleet.stop();
}

fn hello_over_grpc(target: &str) -> Result<()> {
    let g = Graph::new();
    let two = g.with_device("/job:ps/task:0", |g| g.constant(1f32)) + 1.0;
    let session = RemoteSession::with_options(target, &g, with(Security::default(), Transport::Grpc))?;
    assert_eq!(session.fetch(RunRequest::new().fetch(&two).timeout(SOON))?, [Tensor::from(2f32)]);
    session.close()
}
