//! Those who may not come in, and try it all the same, thousands of times.

use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::Duration;

use cluster::{RemoteOptions, RemoteSession, Security, Token, Transport};
use tensorfleet::prelude::*;

use crate::admission::{Folder, certificate, certified, token, trains};
use crate::fleet::Fleet;
use crate::hostile_frames::{HELLO, Head, PREFACE, frame};
use crate::random::Random;

const TOKEN: &str = "the token of all honest tasks";

fn connect(fleet: &Fleet) -> TcpStream {
    let stream = TcpStream::connect(fleet.address("ps", 0)).expect("a connection");
    stream.set_read_timeout(Some(Duration::from_secs(5))).expect("a time limit");
    stream.set_write_timeout(Some(Duration::from_secs(5))).expect("a time limit");
    stream
}

/// Beginnings of the token, the token with something more, other letters.
fn guesses() -> Vec<String> {
    let mut random = Random(9);
    let beginnings = (1..TOKEN.len()).map(|end| TOKEN[..end].to_owned());
    let longer = (0..10).map(|count| format!("{TOKEN}{}", "x".repeat(count + 1)));
    let others = (0..200).map(|_| (0..TOKEN.len()).map(|_| char::from(b'a' + random.below(26) as u8)).collect());
    beginnings.chain(longer).chain(others).collect()
}

#[test]
fn tokens_that_are_guessed() {
    let folder = Folder::new("guesses");
    let file = folder.write("token", TOKEN);
    let flags = ["--token_file".to_owned(), file];
    let fleet = Fleet::start_with(&[("ps", 1), ("worker", 1)], |_, _| flags.to_vec());
    trains(&fleet, &token(TOKEN), Transport::Auto).expect("the honest client");
    for (number, guess) in guesses().into_iter().enumerate() {
        let hello = Head { kind: HELLO, token: guess.clone(), ..Default::default() };
        let mut stream = connect(&fleet);
        let _ = stream.write_all(&[PREFACE, &frame(&hello)].concat());
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        if number.is_multiple_of(20) && guess.len() >= 16 {
            let security = Security { token: Some(Token::new(guess)), ..Default::default() };
            let options = RemoteOptions { security, transport: Transport::Grpc, ..Default::default() };
            let refused = RemoteSession::with_options(&fleet.target("ps", 0), &Graph::new(), options).map(drop);
            assert_eq!(refused.expect_err("a guess").code(), Code::Unauthenticated);
        }
    }
    trains(&fleet, &token(TOKEN), Transport::Auto).expect("the honest client");
    fleet.stop();
}

/// Garbage, a handshake that stops, and plain calls, at a server that wants certificates.
#[test]
fn everything_but_a_handshake() {
    let folder = Folder::new("garbage");
    let mut fleet = certified(&folder, &[]);
    trains(&fleet, &certificate(&folder, "client"), Transport::Auto).expect("the honest client");
    let before = fleet.task("ps", 0).memory();
    let (mut random, mut open) = (Random(11), Vec::new());
    for round in 0..300 {
        let mut bytes = vec![22, 3, 1, 1, 0, 1, 0, 0, 252, 3, 3];
        bytes.extend((0..250).map(|_| random.next() as u8));
        let bytes = match round % 4 {
            0 => bytes,
            1 => random.damaged(&bytes),
            2 => [PREFACE, &frame(&Head { kind: HELLO, ..Default::default() })].concat(),
            _ => b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec(),
        };
        let mut stream = connect(&fleet);
        let _ = stream.write_all(&bytes);
        if round % 3 == 0 {
            open.push(stream);
        }
    }
    trains(&fleet, &certificate(&folder, "client"), Transport::Auto).expect("the honest client");
    let after = fleet.task("ps", 0).memory();
    assert!(after < before + super::LITTLE, "{before} grew to {after}");
    drop(open);
    fleet.stop();
}

/// Handshakes that are begun by the hundred and never ended: those who come in come in beside them.
#[test]
fn handshakes_that_nobody_ends() {
    let folder = Folder::new("handshakes");
    let fleet = certified(&folder, &[]);
    let open: Vec<TcpStream> = (0..300)
        .map(|_| {
            let mut stream = connect(&fleet);
            let _ = stream.write_all(&[22, 3, 1, 1, 0]);
            stream
        })
        .collect();
    trains(&fleet, &certificate(&folder, "client"), Transport::Auto).expect("the honest client");
    drop(open);
    fleet.stop();
}
