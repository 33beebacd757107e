//! What comes over a network: frames of links, and calls of TensorFlow's services, at a server of this process.

use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::time::Duration;

use graph::graph_to_proto;
use prost::Message;
use tensorfleet::prelude::*;
use testkit::fuzz;

fn connect(server: &Server) -> TcpStream {
    let address = server.target().trim_start_matches("grpc://").replace("localhost", "127.0.0.1");
    let stream = TcpStream::connect(address).expect("a server that lives");
    stream.set_read_timeout(Some(Duration::from_millis(2000))).expect("a time limit");
    stream.set_write_timeout(Some(Duration::from_millis(2000))).expect("a time limit");
    stream
}

/// Sends bytes and nothing more; the beginning of what comes back.
fn answer(server: &Server, bytes: &[u8]) -> Vec<u8> {
    let mut stream = connect(server);
    let _ = stream.write_all(bytes);
    let _ = stream.shutdown(Shutdown::Write);
    let mut answer = Vec::new();
    let _ = stream.take(4096).read_to_end(&mut answer);
    answer
}

/// A number and bytes as fields of a message.
fn number(tag: u8, value: u8) -> Vec<u8> {
    vec![tag << 3, value]
}

fn text(tag: u8, value: &[u8]) -> Vec<u8> {
    [&[tag << 3 | 2, value.len() as u8], value].concat()
}

fn frame(head: &[Vec<u8>]) -> Vec<u8> {
    let head = head.concat();
    [&(head.len() as u32).to_le_bytes()[..], &head].concat()
}

const KEY: &[u8] = b"/job:local/replica:0/task:0/device:CPU:0;1;/job:local/replica:0/task:0/device:CPU:0;x:0;0:0";

#[test]
fn frames() {
    let server = Server::create_local_server().expect("a server");
    let greeting = [&b"tensorfleet 1\r\n\n"[..], &frame(&[number(1, 0), number(15, 1)])].concat();
    let tensor = [text(1, KEY), number(2, 1), number(3, 1), number(4, 4)].concat();
    let step = [text(1, b"0000000000000000"), text(3, b"y:0")].concat();
    let kinds = [
        frame(&[number(1, 1), number(2, 1), number(3, 1), text(4, &step)]),
        frame(&[number(1, 1), number(2, 2), number(3, 2), text(4, &text(1, b"session")), text(5, &tensor)]),
        frame(&[number(1, 1), number(2, 3), number(3, 3), text(4, &[text(1, b"session"), text(2, b"graph")].concat())]),
        [frame(&[number(1, 4), number(6, 5), text(5, &tensor)]), vec![0; 4]].concat(),
        frame(&[number(1, 3), number(2, 1)]),
        frame(&[number(1, 5), number(6, 5)]),
        frame(&[number(1, 6)]),
        frame(&[number(1, 8), number(10, 100)]),
        frame(&[number(1, 9), number(6, 5), text(5, &tensor)]),
        frame(&[number(1, 10), number(6, 5), text(8, KEY)]),
        [frame(&[number(1, 11), number(11, 1), number(10, 4)]), vec![0; 4]].concat(),
    ];
    let mut seeds: Vec<Vec<u8>> = kinds.iter().map(|kind| [&greeting[..], kind].concat()).collect();
    seeds.push([&greeting[..], &kinds.concat()].concat());
    fuzz("frames", &seeds, |bytes| {
        let answer = answer(&server, bytes);
        // What kinds of frames came back.
        format!("{} {}", answer.len() / 32, answer.escape_ascii())
    });
    server.stop();
}

fn http2(kind: u8, flags: u8, stream: u32, payload: &[u8]) -> Vec<u8> {
    let length = (payload.len() as u32).to_be_bytes();
    [&length[1..], &[kind, flags], &stream.to_be_bytes(), payload].concat()
}

/// A call on a connection of its own, as gRPC spells it; what comes back in its last headers.
fn call(server: &Server, path: &str, message: &[u8]) -> String {
    let head = [
        &[0x83, 0x86, 0x04, path.len() as u8][..],
        path.as_bytes(),
        &[0x0f, 0x10, 16],
        b"application/grpc",
        &[0, 2, b't', b'e', 8],
        b"trailers",
    ];
    let length = (message.len() as u32).to_be_bytes();
    let body = [&[0][..], &length, message].concat();
    let bytes = [
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec(),
        http2(4, 0, 0, &[]),
        http2(1, 4, 1, &head.concat()),
        http2(0, 1, 1, &body[..body.len().min(16_000)]),
    ];
    let mut stream = connect(server);
    let _ = stream.write_all(&bytes.concat());
    let (mut heard, mut piece) = (Vec::new(), [0; 4096]);
    // Until the stream ends: headers or data with the flag that says so.
    loop {
        match stream.read(&mut piece) {
            Ok(0) | Err(_) => break,
            Ok(count) => heard.extend_from_slice(&piece[..count]),
        }
        let mut rest = &heard[..];
        let mut over = false;
        while let [a, b, c, kind, flags, ..] = rest {
            over |= (*kind < 2 && flags & 1 == 1) || *kind == 3 || *kind == 7;
            rest = rest.get(9 + u32::from_be_bytes([0, *a, *b, *c]) as usize..).unwrap_or_default();
        }
        if over {
            break;
        }
    }
    heard.escape_ascii().to_string()
}

/// Each service with a message of its own, in which a session is named that exists.
#[test]
fn calls() {
    let server = Server::create_local_server().expect("a server");
    let g = Graph::new();
    let x = g.op("Placeholder").attr("dtype", DType::Float).attr("shape", PartialShape::scalar()).name("x").output();
    g.op("Neg").input(&x).name("y").build();
    let graph = graph_to_proto(&g.snapshot().expect("a graph")).expect("a graph");
    let scalar = wire::TensorProto {
        dtype: DType::Float.number(),
        tensor_shape: Some(wire::TensorShapeProto::default()),
        float_val: vec![1.0],
        ..Default::default()
    };
    let fed = wire::NamedTensorProto { name: "x:0".to_owned(), tensor: Some(scalar) };
    let session_handle = "0123456789abcdef".to_owned();
    let create = wire::CreateSessionRequest { graph_def: Some(graph.clone()), ..Default::default() };
    let step = wire::RunStepRequest {
        session_handle: session_handle.clone(),
        feed: vec![fed.clone()],
        fetch: vec!["y:0".to_owned()],
        options: Some(wire::RunOptions { timeout_in_ms: 100, ..Default::default() }),
        ..Default::default()
    };
    let register = wire::RegisterGraphRequest {
        session_handle: session_handle.clone(),
        graph_def: Some(graph),
        ..Default::default()
    };
    let run = wire::RunGraphRequest {
        session_handle,
        graph_handle: "0000000000000001".to_owned(),
        step_id: 7,
        send: vec![fed],
        recv_key: vec![String::from_utf8_lossy(KEY).into_owned()],
        ..Default::default()
    };
    use wire::services::{master, worker};
    let targets = [
        ("create_session", master::CREATE_SESSION, create.encode_to_vec()),
        ("run_step", master::RUN_STEP, step.encode_to_vec()),
        ("register_graph", worker::REGISTER_GRAPH, register.encode_to_vec()),
        ("run_graph", worker::RUN_GRAPH, run.encode_to_vec()),
    ];
    for (name, path, seed) in targets {
        fuzz(name, &[seed], |bytes| call(&server, path, bytes));
    }
    server.stop();
}
