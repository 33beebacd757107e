//! Framed connections of those who mean no good: their connection ends, the server lives on, and its memory is its own.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use bytes::Bytes;
use prost::Message;

use crate::fleet::Fleet;
use crate::program::hello;
use crate::random::Random;

pub const PREFACE: &[u8] = b"tensorfleet 1\r\n\n";
pub const KEY: &str =
    "/job:ps/replica:0/task:0/device:CPU:0;0000000000000001;/job:ps/replica:0/task:0/device:CPU:0;x:0;0:0";

/// The head of a frame, with the field numbers of the protocol.
#[derive(Clone, PartialEq, Message)]
pub struct Head {
    #[prost(int32, tag = "1")]
    pub kind: i32,
    #[prost(uint64, tag = "2")]
    pub id: u64,
    #[prost(uint32, tag = "3")]
    pub method: u32,
    #[prost(bytes = "bytes", tag = "4")]
    pub body: Bytes,
    #[prost(message, repeated, tag = "5")]
    pub tensors: Vec<TensorHead>,
    #[prost(int64, tag = "6")]
    pub step: i64,
    #[prost(int32, tag = "7")]
    pub code: i32,
    #[prost(string, tag = "8")]
    pub message: String,
    #[prost(uint64, tag = "10")]
    pub bytes: u64,
    #[prost(uint64, tag = "11")]
    pub serial: u64,
    #[prost(uint32, tag = "12")]
    pub index: u32,
    #[prost(string, tag = "14")]
    pub token: String,
    #[prost(uint32, tag = "15")]
    pub version: u32,
    #[prost(uint64, tag = "16")]
    pub features: u64,
}

#[derive(Clone, PartialEq, Message)]
pub struct TensorHead {
    #[prost(string, tag = "1")]
    pub name: String,
    #[prost(int32, tag = "2")]
    pub dtype: i32,
    #[prost(int64, repeated, tag = "3")]
    pub dims: Vec<i64>,
    #[prost(uint64, tag = "4")]
    pub size: u64,
    #[prost(bool, tag = "5")]
    pub dead: bool,
    #[prost(bool, tag = "6")]
    pub encoded: bool,
    #[prost(bool, tag = "7")]
    pub in_pieces: bool,
}

pub const HELLO: i32 = 0;
const CALL: i32 = 1;
pub const PUSH: i32 = 4;
pub const HELD: i32 = 9;
const PIECE: i32 = 11;
pub const FLOAT: i32 = 1;
const STRING: i32 = 7;

pub fn frame(head: &Head) -> Vec<u8> {
    let mut bytes = (head.encoded_len() as u32).to_le_bytes().to_vec();
    bytes.extend(head.encode_to_vec());
    bytes
}

pub fn greeting() -> Vec<u8> {
    [PREFACE, &frame(&Head { kind: HELLO, ..Default::default() })].concat()
}

/// Sends bytes on a connection of their own; whether the server closes it within a moment.
pub fn send(fleet: &Fleet, bytes: &[u8]) -> bool {
    let mut stream = TcpStream::connect(fleet.address("ps", 0)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(2))).expect("a time limit");
    if stream.write_all(bytes).is_err() {
        return true;
    }
    let mut answer = Vec::new();
    // An answer or not, in the end nothing more comes; that the connection was reset is as good.
    let outcome = stream.read_to_end(&mut answer);
    !outcome.is_err_and(|error| matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut))
}

/// A frame after a proper greeting.
fn closes_on(fleet: &Fleet, what: &str, head: &Head) {
    assert!(send(fleet, &[greeting(), frame(head)].concat()), "the connection stays open after {what}");
}

#[test]
fn frames_that_cannot_be_end_their_connection() {
    let mut fleet = Fleet::start(&[("ps", 1)], &[]);
    let before = fleet.task("ps", 0).memory();
    assert!(send(&fleet, b"tensorfleet 2\r\n\n and more"), "another preface");
    for length in [u32::MAX, 1 << 31, (16 << 20) + 1] {
        let bytes = [greeting(), length.to_le_bytes().to_vec(), vec![0; 100]].concat();
        assert!(send(&fleet, &bytes), "a head of {length} bytes");
    }
    let tensor = |dtype, dims: &[i64], size| TensorHead {
        name: KEY.to_owned(),
        dtype,
        dims: dims.to_vec(),
        size,
        ..Default::default()
    };
    let lies = [
        tensor(FLOAT, &[2], 4),
        tensor(FLOAT, &[-1], 4),
        tensor(FLOAT, &[1 << 40, 1 << 40], 0),
        tensor(FLOAT, &[i64::MAX], u64::MAX),
        tensor(FLOAT, &[1 << 60], 1 << 62),
        tensor(FLOAT, &[1 << 20], 4 << 20),
        tensor(STRING, &[1], 8),
        tensor(0, &[1], 4),
        tensor(999, &[1], 4),
        TensorHead { encoded: true, ..tensor(FLOAT, &[], u64::MAX) },
        TensorHead { dead: true, ..tensor(FLOAT, &[], 1 << 40) },
        TensorHead { in_pieces: true, ..tensor(FLOAT, &[1 << 50], 1 << 52) },
    ];
    for lie in lies {
        let what = format!("{lie:?}");
        closes_on(&fleet, &what, &Head { kind: PUSH, step: 1, tensors: vec![lie], ..Default::default() });
    }
    closes_on(&fleet, "an unknown kind", &Head { kind: 77, ..Default::default() });
    closes_on(&fleet, "a negative kind", &Head { kind: -1, ..Default::default() });
    closes_on(&fleet, "a piece of nothing", &Head { kind: PIECE, serial: 5, bytes: 10, ..Default::default() });
    let mut malformed = tensor(FLOAT, &[], 4);
    malformed.name = "no key".to_owned();
    let push = Head { kind: PUSH, step: 1, tensors: vec![malformed], ..Default::default() };
    assert!(send(&fleet, &[greeting(), frame(&push), vec![0; 4]].concat()), "a malformed key");
    // More bytes than the tensor has, in pieces.
    let whole = TensorHead { in_pieces: true, ..tensor(FLOAT, &[1 << 19], 2 << 20) };
    let push = Head { kind: PUSH, serial: 1, step: 1, tensors: vec![whole], ..Default::default() };
    for (index, bytes) in [(0, (2 << 20) + 1), (0, u64::MAX), (0, 0), (1, 4), (u32::MAX, 4)] {
        let piece = Head { kind: PIECE, serial: 1, index, bytes, ..Default::default() };
        let what = format!("piece {index} of {bytes} bytes");
        assert!(send(&fleet, &[greeting(), frame(&push), frame(&piece)].concat()), "{what}");
    }
    let again = [greeting(), frame(&push), frame(&push)].concat();
    assert!(send(&fleet, &again), "two messages of one number");
    hello(&fleet.target("ps", 0)).expect("a server that lives on");
    let after = fleet.task("ps", 0).memory();
    assert!(after < before + (100 << 20), "{before} grew to {after}");
    fleet.stop();
}

#[test]
fn damaged_frames_and_calls_do_no_harm() {
    let mut fleet = Fleet::start(&[("ps", 1)], &[]);
    let before = fleet.task("ps", 0).memory();
    let mut random = Random(3);
    for round in 0..400 {
        let mut bytes = greeting();
        for _ in 0..20 {
            let head = Head {
                kind: random.below(13) as i32,
                id: random.next() % 5,
                method: random.below(5) as u32,
                body: random.bytes(60).into(),
                step: (random.next() % 3) as i64,
                tensors: (0..random.below(3))
                    .map(|_| TensorHead { name: KEY.to_owned(), dead: true, ..Default::default() })
                    .collect(),
                ..Default::default()
            };
            bytes.extend(frame(&head));
        }
        if round % 2 == 0 {
            bytes = random.damaged(&bytes);
        }
        let mut stream = TcpStream::connect(fleet.address("ps", 0)).expect("a connection");
        let _ = stream.write_all(&bytes);
        if round % 10 == 0 {
            // Others just go.
            let _ = stream.shutdown(Shutdown::Write);
            let _ = stream.set_read_timeout(Some(Duration::from_secs(2)));
            let _ = stream.read_to_end(&mut Vec::new());
        }
        if round % 100 == 99 {
            hello(&fleet.target("ps", 0)).expect("a server that lives on");
        }
    }
    let after = fleet.task("ps", 0).memory();
    assert!(after < before + (100 << 20), "{before} grew to {after}");
    fleet.stop();
}

#[test]
fn memory_that_is_announced_but_not_sent_is_not_taken() {
    let mut fleet = Fleet::start(&[("ps", 1)], &[]);
    let before = fleet.task("ps", 0).memory();
    let mut open = Vec::new();
    for serial in 1..=20 {
        // A gigabyte each, of which nothing comes.
        let huge = TensorHead {
            name: KEY.to_owned(),
            dtype: FLOAT,
            dims: vec![1 << 28],
            size: 1 << 30,
            in_pieces: true,
            ..Default::default()
        };
        let push = Head { kind: PUSH, serial, step: serial as i64, tensors: vec![huge; 20], ..Default::default() };
        let held = Head { kind: HELD, step: serial as i64, ..Default::default() };
        let call = Head { kind: CALL, method: 3, body: vec![255; 10].into(), ..Default::default() };
        let mut stream = TcpStream::connect(fleet.address("ps", 0)).expect("a connection");
        let _ = stream.write_all(&[greeting(), frame(&push), frame(&held), frame(&call)].concat());
        open.push(stream);
    }
    hello(&fleet.target("ps", 0)).expect("a server that lives on");
    let after = fleet.task("ps", 0).memory();
    assert!(after < before + (100 << 20), "{before} grew to {after}");
    drop(open);
    hello(&fleet.target("ps", 0)).expect("a server that lives on");
    fleet.stop();
}

/// The next frame that the server sends.
fn next_frame(stream: &mut TcpStream) -> Head {
    let mut length = [0; 4];
    stream.read_exact(&mut length).expect("a frame");
    let mut head = vec![0; u32::from_le_bytes(length) as usize];
    stream.read_exact(&mut head).expect("a head");
    Head::decode(&head[..]).expect("a head")
}

/// A peer of before versions and features, and one of a later time: both are answered in what they can know.
#[test]
fn older_and_newer_peers_are_understood() {
    const PING: i32 = 6;
    const PONG: i32 = 7;
    let fleet = Fleet::start(&[("ps", 1)], &[]);
    for (version, features) in [(0, 0), (1, 0), (99, u64::MAX)] {
        let mut stream = TcpStream::connect(fleet.address("ps", 0)).expect("a connection");
        stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a time limit");
        let hello = Head { kind: HELLO, version, features, ..Default::default() };
        stream.write_all(&[PREFACE, &frame(&hello)].concat()).expect("a greeting");
        let theirs = next_frame(&mut stream);
        assert_eq!(theirs.kind, HELLO, "{theirs:?}");
        assert!(theirs.version >= 1 && theirs.code == 0, "{theirs:?}");
        stream.write_all(&frame(&Head { kind: PING, ..Default::default() })).expect("a ping");
        // Nothing but what the first version had.
        let answer =
            std::iter::repeat_with(|| next_frame(&mut stream)).find(|head| head.kind != PING).expect("a frame");
        assert_eq!(answer.kind, PONG, "{answer:?}");
    }
    fleet.stop();
}
