//! More of something than a server should keep: sessions, signatures, tensors of steps that never begin, announcements.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use cluster::{RemoteOptions, RemoteSession};
use tensorfleet::prelude::*;

use super::{LITTLE, Siege, refused};
use crate::hostile_frames::{FLOAT, HELD, HELLO, Head, KEY, PREFACE, PUSH, TensorHead, frame, greeting, send};

#[test]
fn sessions_beyond_the_limit() {
    let siege = Siege::begin(&["--max_sessions", "4"]);
    let g = Graph::new();
    let one = g.constant(1f32);
    let open = || RemoteSession::with_options(&siege.target(), &g, RemoteOptions::default());
    // The honest client has one.
    let mut sessions: Vec<RemoteSession> = (0..3).map(|_| open().expect("a session")).collect();
    refused(open().map(drop), Code::ResourceExhausted, &["has 4 sessions", "--max_sessions"]);
    assert_eq!(sessions[0].fetch(RunRequest::new().fetch(&one)).expect("a step"), [Tensor::from(1f32)]);
    sessions.remove(0).close().expect("closed");
    drop(open().expect("room for one"));
    drop(sessions);
    siege.survived();
}

/// A new signature for every step: plans are given up, those in use work on, and given up ones are made again.
#[test]
fn ever_new_signatures() {
    let siege = Siege::begin(&[]);
    let g = Graph::new();
    let constants: Vec<Output> = (0..40).map(|number| g.constant(number as f32)).collect();
    let session = RemoteSession::with_options(&siege.target(), &g, RemoteOptions::default()).expect("a session");
    let fetch = |a: usize, b: usize| {
        let request = RunRequest::new().fetch(&constants[a]).fetch(&constants[b]);
        let expected = [Tensor::from(a as f32), Tensor::from(b as f32)];
        assert_eq!(session.fetch(request).expect("a step"), expected);
    };
    for pair in 0..40 * 30 {
        if pair % 40 != pair / 40 {
            fetch(pair / 40, pair % 40);
        }
    }
    fetch(0, 1);
    session.close().expect("closed");
    siege.survived();
}

/// Half a megabyte each, for steps that nobody begins: beyond its credits, the connection ends.
#[test]
fn pushes_beyond_the_credits() {
    let mut siege = Siege::begin(&[]);
    let mut stream = TcpStream::connect(siege.fleet.address("ps", 0)).expect("a connection");
    stream.set_write_timeout(Some(Duration::from_secs(5))).expect("a time limit");
    stream.write_all(&greeting()).expect("a greeting");
    let (count, payload) = (128 << 10, vec![0; 512 << 10]);
    let tensor = |step: i64| TensorHead {
        name: KEY.replace("x:0;0:0", &format!("x{step}:0;0:0")),
        dtype: FLOAT,
        dims: vec![count],
        size: payload.len() as u64,
        ..Default::default()
    };
    // 256 MiB are allowed, 1 GiB is tried.
    let ended = (1..2048).find(|step| {
        let head = Head { kind: PUSH, step: *step, tensors: vec![tensor(*step)], ..Default::default() };
        stream.write_all(&[frame(&head), payload.clone()].concat()).is_err()
    });
    assert!(ended.is_some_and(|step| step > 500), "ended at {ended:?}");
    let memory = siege.fleet.task("ps", 0).memory();
    assert!(memory < (512 << 20) + LITTLE, "{memory}");
    // What was pushed waits for its steps for two minutes; the honest client does not.
    siege.honest.goes_on();
    assert!(siege.fleet.task("ps", 0).is_running());
}

/// Small ones take no credits, but steps that never begin are counted.
#[test]
fn pushes_for_ever_new_steps() {
    let mut siege = Siege::begin(&[]);
    for kind in [PUSH, HELD] {
        let dead = TensorHead { name: KEY.to_owned(), dead: true, ..Default::default() };
        let heads = (0..30_000).map(|step| {
            let step = i64::from(kind) << 32 | step;
            frame(&Head { kind, step, tensors: vec![dead.clone()], ..Default::default() })
        });
        assert!(send(&siege.fleet, &[greeting(), heads.flatten().collect()].concat()), "it should end");
    }
    siege.honest.goes_on();
    assert!(siege.fleet.task("ps", 0).is_running());
}

/// Sixteen megabytes of two-byte tensors, before and after saying who it is.
#[test]
fn heads_of_millions_of_tensors() {
    let mut siege = Siege::begin(&[]);
    let before = siege.fleet.task("ps", 0).memory();
    let many = [(16u32 << 20).to_le_bytes().to_vec(), [0x2a, 0].repeat(8 << 20)].concat();
    for _ in 0..4 {
        assert!(send(&siege.fleet, &[PREFACE, &many].concat()), "it should end");
        assert!(send(&siege.fleet, &[greeting(), many.clone()].concat()), "it should end");
    }
    let long = Head { kind: HELLO, message: "x".repeat(1 << 20), ..Default::default() };
    assert!(send(&siege.fleet, &[PREFACE, &frame(&long)].concat()), "a name of a megabyte");
    let after = siege.fleet.task("ps", 0).memory();
    assert!(after < before + LITTLE, "{before} grew to {after}");
    siege.survived();
}

/// Frames of HTTP/2.
pub(super) fn http2(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

pub(super) fn begin_http2(siege: &Siege) -> TcpStream {
    let mut stream = TcpStream::connect(siege.fleet.address("ps", 0)).expect("a connection");
    stream.set_write_timeout(Some(Duration::from_secs(5))).expect("a time limit");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a time limit");
    stream.write_all(&[b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(), http2(4, 0, 0, &[])].concat()).expect("settings");
    stream
}

/// POST, http, and a path in plain text.
pub(super) fn headers(path: &str) -> Vec<u8> {
    [&[0x83, 0x86, 0x04, path.len() as u8], path.as_bytes()].concat()
}

pub(super) const GO_AWAY: u8 = 7;

/// Calls that are called off at once, thousands of them: the connection is told to go away.
#[test]
fn calls_that_are_reset_at_once() {
    let siege = Siege::begin(&[]);
    let mut stream = begin_http2(&siege);
    let headers = headers("/tensorflow.MasterService/RunStep");
    for number in 0..20_000u32 {
        let id = 2 * number + 1;
        let call = [http2(1, 4, id, &headers), http2(3, 0, id, &8u32.to_be_bytes())].concat();
        if stream.write_all(&call).is_err() {
            break;
        }
    }
    let mut answer = Vec::new();
    let _ = stream.read_to_end(&mut answer);
    let mut rest = &answer[..];
    let mut kinds = Vec::new();
    while let [a, b, c, kind, ..] = rest {
        kinds.push(*kind);
        let length = u32::from_be_bytes([0, *a, *b, *c]) as usize;
        rest = rest.get(9 + length..).unwrap_or_default();
    }
    assert!(kinds.contains(&GO_AWAY), "{kinds:?}");
    siege.survived();
}

/// Five bytes that announce two gigabytes, on a thousand calls.
#[test]
fn announcements_of_terabytes() {
    let mut siege = Siege::begin(&[]);
    let before = siege.fleet.task("ps", 0).memory();
    let mut stream = begin_http2(&siege);
    let headers = [
        headers("/tensorflow.MasterService/RunStep"),
        [&[0x0f, 0x10, 16][..], b"application/grpc"].concat(), // content-type
    ]
    .concat();
    for number in 0..1000u32 {
        let id = 2 * number + 1;
        let call = [http2(1, 4, id, &headers), http2(0, 0, id, &[0, 0x7f, 0xff, 0xff, 0xff])].concat();
        if stream.write_all(&call).is_err() {
            break;
        }
    }
    siege.honest.goes_on();
    let after = siege.fleet.task("ps", 0).memory();
    assert!(after < before + LITTLE, "{before} grew to {after}");
    drop(stream);
    siege.survived();
}
