//! Every method of the gRPC services with messages that are random, cut off or damaged: an error, and the server lives on.

use std::time::{Duration, Instant};

use bytes::{Buf, BufMut, Bytes};
use graph::graph_to_proto;
use prost::Message;
use tensorfleet::prelude::*;
use tonic::client::Grpc;
use tonic::codec::{Codec, DecodeBuf, Decoder, EncodeBuf, Encoder};
use tonic::codegen::http::uri::PathAndQuery;
use tonic::transport::{Channel, Endpoint};
use wire::services::{master, worker};

use crate::fleet::{Fleet, SOON};
use crate::program::{Program, hello};
use crate::random::Random;

/// For answers to damaged calls, some of which wait for what never happens.
const MOMENT: Duration = Duration::from_millis(300);

/// Messages as they are.
#[derive(Clone, Copy, Default)]
struct Raw;

impl Codec for Raw {
    type Encode = Bytes;
    type Decode = Bytes;
    type Encoder = Raw;
    type Decoder = Raw;

    fn encoder(&mut self) -> Raw {
        Raw
    }

    fn decoder(&mut self) -> Raw {
        Raw
    }
}

impl Encoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn encode(&mut self, item: Bytes, target: &mut EncodeBuf<'_>) -> Result<(), tonic::Status> {
        target.put(item);
        Ok(())
    }
}

impl Decoder for Raw {
    type Item = Bytes;
    type Error = tonic::Status;

    fn decode(&mut self, source: &mut DecodeBuf<'_>) -> Result<Option<Bytes>, tonic::Status> {
        Ok(Some(source.copy_to_bytes(source.remaining())))
    }
}

/// Makes a call and waits a moment for what comes of it; some calls wait for what never happens.
pub async fn call(
    channel: &Channel,
    path: &'static str,
    message: Bytes,
    limit: Duration,
) -> Option<Result<Bytes, tonic::Status>> {
    let mut grpc = Grpc::new(channel.clone());
    grpc.ready().await.expect("a server that lives");
    let answer = grpc.unary(tonic::Request::new(message), PathAndQuery::from_static(path), Raw);
    let answer = tokio::time::timeout(limit, answer).await.ok()?;
    Some(answer.map(tonic::Response::into_inner))
}

/// A message that each method takes, for a session that exists.
fn messages(graph: &wire::GraphDef, session: &str, graph_handle: &str) -> Vec<(&'static str, Vec<u8>)> {
    let session = session.to_owned();
    let scalar = wire::TensorProto {
        dtype: DType::Float.number(),
        tensor_shape: Some(wire::TensorShapeProto::default()),
        float_val: vec![1.0],
        ..Default::default()
    };
    let key = "/job:ps/replica:0/task:0/device:CPU:0;0000000000000001;/job:ps/replica:0/task:0/device:CPU:0;x:0;0:0";
    let named = wire::NamedTensorProto { name: key.to_owned(), tensor: Some(scalar.clone()) };
    let fed = wire::NamedTensorProto { name: "x:0".to_owned(), tensor: Some(scalar.clone()) };
    let callable = wire::CallableOptions { feed: vec!["x:0".to_owned()], ..Default::default() };
    vec![
        (
            master::CREATE_SESSION,
            wire::CreateSessionRequest { graph_def: Some(graph.clone()), ..Default::default() }.encode_to_vec(),
        ),
        (
            master::EXTEND_SESSION,
            wire::ExtendSessionRequest {
                session_handle: session.clone(),
                graph_def: Some(graph.clone()),
                current_graph_version: 0,
            }
            .encode_to_vec(),
        ),
        (
            master::RUN_STEP,
            wire::RunStepRequest {
                session_handle: session.clone(),
                feed: vec![fed],
                fetch: vec!["loop/exit:0".to_owned()],
                target: vec!["init".to_owned()],
                options: Some(wire::RunOptions { timeout_in_ms: 100, ..Default::default() }),
                store_errors_in_response_body: true,
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        (
            master::PARTIAL_RUN_SETUP,
            wire::PartialRunSetupRequest {
                session_handle: session.clone(),
                fetch: vec!["loop/exit:0".to_owned()],
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        (
            master::MAKE_CALLABLE,
            wire::MakeCallableRequest {
                session_handle: session.clone(),
                options: Some(callable),
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        (
            master::RUN_CALLABLE,
            wire::RunCallableRequest { session_handle: session.clone(), feed: vec![scalar], ..Default::default() }
                .encode_to_vec(),
        ),
        (
            worker::CREATE_WORKER_SESSION,
            wire::CreateWorkerSessionRequest { session_handle: "other".to_owned(), ..Default::default() }
                .encode_to_vec(),
        ),
        (
            worker::REGISTER_GRAPH,
            wire::RegisterGraphRequest {
                session_handle: session.clone(),
                graph_def: Some(graph.clone()),
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        (
            worker::RUN_GRAPH,
            wire::RunGraphRequest {
                session_handle: session.clone(),
                graph_handle: graph_handle.to_owned(),
                step_id: 7,
                send: vec![named],
                recv_key: vec![key.to_owned()],
                ..Default::default()
            }
            .encode_to_vec(),
        ),
        (
            worker::RECV_TENSOR,
            wire::RecvTensorRequest { step_id: 7, rendezvous_key: key.to_owned(), ..Default::default() }
                .encode_to_vec(),
        ),
    ]
}

#[test]
fn damaged_messages_on_every_method_are_errors_and_the_server_lives_on() {
    let mut fleet = Fleet::start(&[("ps", 1)], &["--session_lease_secs=1"]);
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    let program = Program::new("hostile", "/job:ps/task:0", "/job:ps/task:0").expect("a graph");
    let graph = graph_to_proto(program.data()).expect("a graph");
    let target = fleet.target("ps", 0);
    let endpoint = Endpoint::from_shared(format!("http://{}", fleet.address("ps", 0))).expect("an address");
    let before = fleet.task("ps", 0).memory();
    let (mut random, begin, mut answered, mut refused) = (Random(1), Instant::now(), 0, 0);
    // A few rounds, each with a session and a connection of its own.
    for round in 0..20 {
        if round > 2 && begin.elapsed() > Duration::from_secs(8) {
            break;
        }
        runtime.block_on(async {
            let channel = endpoint.connect_lazy();
            let create = wire::CreateSessionRequest { graph_def: Some(graph.clone()), ..Default::default() };
            let created = call(&channel, master::CREATE_SESSION, create.encode_to_vec().into(), SOON).await;
            let created = created.expect("an answer in time").expect("a session");
            let session = wire::CreateSessionResponse::decode(created).expect("an answer").session_handle;
            let messages = messages(&graph, &session, "0000000000000001");
            for path in master::ALL.iter().chain(worker::ALL) {
                let fitting = messages.iter().find(|(of, _)| of == path);
                for damage in 0..12 {
                    let message = match fitting {
                        Some((_, message)) if damage > 2 => random.damaged(message),
                        _ if damage > 2 => random.damaged(
                            &wire::CloseSessionRequest { session_handle: "another".to_owned() }.encode_to_vec(),
                        ),
                        _ => random.bytes(200),
                    };
                    match call(&channel, path, message.into(), MOMENT).await {
                        Some(Ok(_)) => answered += 1,
                        Some(Err(_)) => refused += 1,
                        None => {}
                    }
                }
            }
        });
        hello(&target).expect("a server that lives on");
    }
    assert!(refused > 100 && answered > 10, "{refused} refused, {answered} answered: the damage is not well dosed");
    let after = fleet.task("ps", 0).memory();
    assert!(after < before + (300 << 20), "{before} grew to {after}");
    // Sessions that damaged messages have opened go as others do, with the last connection.
    drop(runtime);
    fleet.idle("ps", 0);
    fleet.stop();
}

#[test]
fn bytes_that_are_no_calls_end_their_connection_only() {
    use std::io::Write;
    use std::net::TcpStream;
    let mut fleet = Fleet::start(&[("ps", 1)], &[]);
    let mut random = Random(2);
    let before = fleet.task("ps", 0).memory();
    for round in 0..300 {
        let mut stream = TcpStream::connect(fleet.address("ps", 0)).expect("a connection");
        let mut bytes = random.bytes(2000);
        if round % 3 > 0 {
            // HTTP/2 up to here.
            let mut begin = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0".to_vec();
            if round % 3 > 1 {
                begin = random.damaged(&begin);
            }
            begin.append(&mut bytes);
            bytes = begin;
        }
        let _ = stream.write_all(&bytes);
    }
    hello(&fleet.target("ps", 0)).expect("a server that lives on");
    let after = fleet.task("ps", 0).memory();
    assert!(after < before + (100 << 20), "{before} grew to {after}");
    fleet.stop();
}
