//! Connections of those who have nothing to say, say it without end, or do not listen.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use super::floods::{begin_http2, headers, http2};
use super::{Attack, Siege, storm};
use crate::hostile_frames::{HELLO, Head, PREFACE, frame, send};
use crate::random::Random;

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new("hundreds of connections that say nothing", silent),
    Attack::new("greetings that stop half way", half),
    Attack::new("a greeting, byte by byte", dripping),
    Attack::new("headers without end", continuations),
    Attack::new("settings, pings and priorities without end", settings),
    Attack::new("questions of those who do not listen", deaf),
    Attack::new("TLS where there is none", tls),
    Attack::new("somebody who says that he is a task, and hangs up", impostor),
    Attack::new("versions and features of tomorrow", tomorrow),
    Attack::new("requests of the web", web),
];

#[test]
fn attacks_with_connections() {
    storm(ATTACKS);
}

fn connect(siege: &Siege) -> TcpStream {
    let stream = TcpStream::connect(siege.fleet.address("ps", 0)).expect("a connection");
    stream.set_write_timeout(Some(Duration::from_secs(5))).expect("a time limit");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a time limit");
    stream
}

fn silent(siege: &mut Siege) {
    let open: Vec<TcpStream> = (0..400).map(|_| connect(siege)).collect();
    siege.honest.goes_on();
    drop(open);
}

fn half(siege: &mut Siege) {
    let greeting = [PREFACE, &frame(&Head { kind: HELLO, ..Default::default() })].concat();
    let http2: &[u8] = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n";
    let tls: &[u8] = &[22, 3, 1, 2, 0, 1, 0, 1, 252, 3, 3];
    let mut open = Vec::new();
    for whole in [&greeting[..], http2, tls] {
        for end in 1..whole.len() {
            let mut stream = connect(siege);
            let _ = stream.write_all(&whole[..end]);
            open.push(stream);
        }
    }
    siege.honest.goes_on();
}

fn dripping(siege: &mut Siege) {
    let mut open: Vec<TcpStream> = (0..50).map(|_| connect(siege)).collect();
    for byte in b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" {
        for stream in &mut open {
            let _ = stream.write_all(&[*byte]);
        }
    }
    siege.honest.goes_on();
}

/// The head of a call that goes on and on, and never ends.
fn continuations(siege: &mut Siege) {
    let mut stream = begin_http2(siege);
    let begin = http2(1, 0, 1, &headers("/tensorflow.MasterService/RunStep"));
    let mut ended = stream.write_all(&begin).is_err();
    // A header without a place in the table: name and value in plain text.
    let more = [&[0, 1, b'x', 100][..], &[b'y'; 100]].concat().repeat(150);
    for _ in 0..2000 {
        ended = ended || stream.write_all(&http2(9, 0, 1, &more)).is_err();
    }
    let mut answer = Vec::new();
    ended = ended || stream.read_to_end(&mut answer).is_ok();
    assert!(ended, "the connection should end");
}

fn settings(siege: &mut Siege) {
    let mut stream = begin_http2(siege);
    let all =
        [http2(4, 0, 0, &[]), http2(6, 0, 0, &[1; 8]), http2(2, 0, 1, &[0, 0, 0, 3, 9]), http2(8, 0, 0, &[0, 0, 0, 1])];
    let all = all.concat().repeat(100);
    // Nobody reads what is said to that.
    for _ in 0..300 {
        if stream.write_all(&all).is_err() {
            break;
        }
    }
    siege.honest.goes_on();
}

/// Asks for its status thousands of times, and gives no room for an answer.
fn deaf(siege: &mut Siege) {
    let mut stream = begin_http2(siege);
    let no_room = http2(4, 0, 0, &[0, 4, 0, 0, 0, 0]);
    let _ = stream.write_all(&no_room);
    let headers = [
        headers("/tensorflow.WorkerService/GetStatus"),
        [&[0x0f, 0x10, 16][..], b"application/grpc"].concat(), // content-type
    ]
    .concat();
    for number in 0..5000u32 {
        let id = 2 * number + 1;
        if stream.write_all(&[http2(1, 4, id, &headers), http2(0, 1, id, &[0; 5])].concat()).is_err() {
            break;
        }
    }
    siege.honest.goes_on();
}

fn tls(siege: &mut Siege) {
    let mut random = Random(5);
    for round in 0..100 {
        let mut bytes = vec![22, 3, 1, 0, 200, 1, 0, 0, 196, 3, 3];
        bytes.extend((0..200).map(|_| random.next() as u8));
        if round % 2 == 0 {
            bytes = random.damaged(&bytes);
        }
        let mut stream = connect(siege);
        let _ = stream.write_all(&bytes);
    }
}

fn impostor(siege: &mut Siege) {
    for name in ["/job:ps/replica:0/task:0", "/job:ps/task:0", "/job:worker/task:7", "honest", ""] {
        for _ in 0..20 {
            let hello = Head { kind: HELLO, message: name.to_owned(), version: 1, features: 3, ..Default::default() };
            let mut stream = connect(siege);
            let _ = stream.write_all(&[PREFACE, &frame(&hello)].concat());
        }
    }
    siege.honest.goes_on();
}

fn tomorrow(siege: &mut Siege) {
    for (version, features) in [(u32::MAX, u64::MAX), (0, 0), (2, u64::MAX), (1, 1 << 63)] {
        let hello = Head { kind: HELLO, version, features, ..Default::default() };
        let mut stream = connect(siege);
        let _ = stream.write_all(&[PREFACE, &frame(&hello)].concat());
        let mut answer = [0; 4];
        // A server that speaks to it, or one that hangs up; not one that waits.
        let _ = stream.read(&mut answer);
    }
    siege.honest.goes_on();
}

fn web(siege: &mut Siege) {
    let long = format!("GET /{} HTTP/1.1\r\n", "x".repeat(1 << 20));
    for request in
        ["GET / HTTP/1.1\r\nHost: x\r\n\r\n", "POST /tensorflow.MasterService/RunStep HTTP/1.1\r\n\r\n", &long]
    {
        assert!(send(&siege.fleet, request.as_bytes()), "it should end");
    }
}
