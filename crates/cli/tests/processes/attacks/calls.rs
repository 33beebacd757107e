//! Calls of TensorFlow's services that nobody ever finishes, takes back or has a right to.

use std::time::Duration;

use bytes::Bytes;
use graph::graph_to_proto;
use prost::Message;
use tensorfleet::prelude::*;
use tonic::transport::{Channel, Endpoint};
use wire::services::{master, worker};

use super::PATIENCE;
use super::{Attack, Siege, storm};
use crate::hostile_calls::call;
use crate::hostile_frames::KEY;

/// Sessions of those who went are collected soon.
const LEASE: &[&str] = &["--session_lease_secs", "1"];
const MOMENT: Duration = Duration::from_millis(50);

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new("partial runs that nobody goes on with", partial_runs).with(LEASE),
    Attack::new("tensors asked for that never come", keys_that_never_come).with(LEASE),
    Attack::new("callables that nobody releases", callables).with(LEASE),
    Attack::new("sessions that nobody closes", sessions).with(LEASE),
    Attack::new("a graph extended over and over", extensions).with(LEASE),
    Attack::new("deadlines in a thousand years, and before the beginning", deadlines).with(LEASE),
    Attack::new("a collective group that never completes", groups).with(LEASE),
    Attack::new("graphs and steps that are not one's own", others).with(LEASE),
    Attack::new("sessions of workers by any name", worker_sessions).with(LEASE),
];

#[test]
fn attacks_with_calls() {
    storm(ATTACKS);
}

/// A client that makes calls by hand, over a connection of its own.
pub(super) struct Caller {
    runtime: tokio::runtime::Runtime,
    channel: Channel,
}

impl Caller {
    pub(super) fn new(siege: &Siege) -> Caller {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
        let address = format!("http://{}", siege.fleet.address("ps", 0));
        let _inside = runtime.enter();
        let channel = Endpoint::from_shared(address).expect("an address").connect_lazy();
        Caller { channel, runtime }
    }

    pub(super) fn raw(
        &self,
        path: &'static str,
        message: Vec<u8>,
        limit: Duration,
    ) -> Option<Result<Bytes, tonic::Status>> {
        self.runtime.block_on(call(&self.channel, path, message.into(), limit))
    }

    /// An answer in time.
    pub(super) fn call(&self, path: &'static str, message: &impl Message) -> Result<Bytes, tonic::Status> {
        self.raw(path, message.encode_to_vec(), PATIENCE).expect("an answer in time")
    }

    /// Many calls at once, of which nobody awaits more than a moment.
    fn many(&self, path: &'static str, messages: Vec<Vec<u8>>) {
        self.runtime.block_on(async {
            let calls = messages.into_iter().map(|message| {
                let channel = self.channel.clone();
                tokio::spawn(async move { call(&channel, path, message.into(), MOMENT).await })
            });
            for one in calls.collect::<Vec<_>>() {
                let _ = one.await;
            }
        });
    }

    pub(super) fn session(&self, graph: wire::GraphDef) -> Result<String, tonic::Status> {
        let request = wire::CreateSessionRequest { graph_def: Some(graph), ..Default::default() };
        let created = self.call(master::CREATE_SESSION, &request)?;
        Ok(wire::CreateSessionResponse::decode(created).expect("an answer").session_handle)
    }

    pub(super) fn step(&self, session: &str, fetch: &str, millis: i64) -> Result<Bytes, tonic::Status> {
        let request = wire::RunStepRequest {
            session_handle: session.to_owned(),
            fetch: vec![fetch.to_owned()],
            options: Some(wire::RunOptions { timeout_in_ms: millis, ..Default::default() }),
            ..Default::default()
        };
        self.call(master::RUN_STEP, &request)
    }
}

/// A placeholder `x`, and `y`, one more.
fn small_graph() -> wire::GraphDef {
    let g = Graph::new();
    let x = g.op("Placeholder").attr("dtype", DType::Float).attr("shape", PartialShape::scalar()).name("x").output();
    g.op("AddV2")
        .input(&x)
        .input(g.op("Const").attr("value", Tensor::from(1f32)).attr("dtype", DType::Float).name("c").output())
        .name("y")
        .output();
    graph_to_proto(&g.snapshot().expect("a graph")).expect("a graph")
}

fn partial_runs(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let session = caller.session(small_graph()).expect("a session");
    let setup = wire::PartialRunSetupRequest {
        session_handle: session,
        feed: vec!["x:0".to_owned()],
        fetch: vec!["y:0".to_owned()],
        ..Default::default()
    };
    let begun = (0..300).filter(|_| caller.call(master::PARTIAL_RUN_SETUP, &setup).is_ok()).count();
    assert!(begun > 0);
}

fn keys_that_never_come(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let message = |step: i64| {
        wire::RecvTensorRequest { step_id: step, rendezvous_key: KEY.to_owned(), ..Default::default() }.encode_to_vec()
    };
    caller.many(worker::RECV_TENSOR, (0..2000).map(|number| message(1 << 40 | number)).collect());
    // The same one, asked for by many.
    caller.many(worker::RECV_TENSOR, (0..500).map(|_| message(1 << 41)).collect());
}

fn callables(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let session = caller.session(small_graph()).expect("a session");
    let callable =
        wire::CallableOptions { feed: vec!["x:0".to_owned()], fetch: vec!["y:0".to_owned()], ..Default::default() };
    for _ in 0..500 {
        let request = wire::MakeCallableRequest {
            session_handle: session.clone(),
            options: Some(callable.clone()),
            ..Default::default()
        };
        let _ = caller.call(master::MAKE_CALLABLE, &request);
    }
    for handle in [i64::MAX, -1, 0] {
        let request = wire::RunCallableRequest { session_handle: session.clone(), handle, ..Default::default() };
        let _ = caller.call(master::RUN_CALLABLE, &request);
    }
}

fn sessions(siege: &mut Siege) {
    for _ in 0..5 {
        let caller = Caller::new(siege);
        for _ in 0..20 {
            caller.session(small_graph()).expect("a session");
        }
    }
}

fn extensions(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let session = caller.session(small_graph()).expect("a session");
    let extend = |number: usize, version: i64| {
        let node = wire::NodeDef { name: format!("n{number}"), op: "NoOp".to_owned(), ..Default::default() };
        let request = wire::ExtendSessionRequest {
            session_handle: session.clone(),
            graph_def: Some(wire::GraphDef { node: vec![node], ..Default::default() }),
            current_graph_version: version,
        };
        let answer = caller.call(master::EXTEND_SESSION, &request)?;
        Ok::<_, tonic::Status>(wire::ExtendSessionResponse::decode(answer).expect("an answer").new_graph_version)
    };
    let mut version = (0..50).find(|version| extend(0, *version).is_ok()).expect("a version") + 1;
    for number in 1..200 {
        version = extend(number, version).unwrap_or(version);
    }
    assert!(extend(5, version).is_err(), "a name that is taken");
    assert!(extend(1000, i64::MIN).is_err(), "an old version");
}

fn deadlines(siege: &mut Siege) {
    let caller = Caller::new(siege);
    let session = caller.session(small_graph()).expect("a session");
    for millis in [i64::MAX, i64::MIN, -1, 1 << 45] {
        for _ in 0..50 {
            // It does not need what is not fed, so it ends at once.
            let answer = caller.step(&session, "c:0", millis);
            assert!(answer.is_ok() || millis < 0, "{answer:?}");
        }
    }
    // What waits ends in time.
    let g = Graph::new();
    let queue = g.op("FIFOQueueV2").attr("component_types", vec![DType::Float]).output();
    g.op("QueueDequeueV2").input(&queue).attr("component_types", vec![DType::Float]).name("wait").build();
    let graph = graph_to_proto(&g.snapshot().expect("a graph")).expect("a graph");
    let session = caller.session(graph).expect("a session");
    for _ in 0..20 {
        let refused = caller.step(&session, "wait:0", 5).expect_err("nothing comes");
        assert_eq!(refused.code(), tonic::Code::DeadlineExceeded, "{refused}");
    }
}

fn groups(siege: &mut Siege) {
    let caller = Caller::new(siege);
    for (number, size) in [2i64, 3, i64::from(i32::MAX), 1 << 40, 0, -1].into_iter().enumerate() {
        let g = Graph::new();
        let entry = g.op("CollectiveReduce").input(g.constant([1f32])).attr("group_size", size);
        let entry = entry.attr("group_key", number as i64).attr("instance_key", 7i64).attr("merge_op", "Add");
        let reduced = entry.attr("final_op", "Id").attr("subdiv_offsets", vec![0i64]).name("reduced");
        let _ = reduced.build();
        let Ok(snapshot) = g.snapshot() else { continue };
        let Ok(session) = caller.session(graph_to_proto(&snapshot).expect("a graph")) else { continue };
        for _ in 0..3 {
            caller.step(&session, "reduced:0", 20).expect_err("nobody else comes");
        }
    }
}

/// Handles that were guessed, and steps of others.
fn others(siege: &mut Siege) {
    let caller = Caller::new(siege);
    for number in 0..200i64 {
        let run = wire::RunGraphRequest {
            session_handle: format!("{number}"),
            graph_handle: format!("{number:016x}"),
            step_id: number,
            ..Default::default()
        };
        assert!(caller.call(worker::RUN_GRAPH, &run).is_err());
        let _ = caller.call(worker::CLEANUP_GRAPH, &wire::CleanupGraphRequest { step_id: number });
        assert!(caller.step(&format!("{number:016x}"), "c:0", 100).is_err());
        let close = wire::CloseSessionRequest { session_handle: format!("{number:016x}") };
        let _ = caller.call(master::CLOSE_SESSION, &close);
    }
}

fn worker_sessions(siege: &mut Siege) {
    let caller = Caller::new(siege);
    for number in 0..100 {
        let request = wire::CreateWorkerSessionRequest { session_handle: format!("own{number}"), ..Default::default() };
        let _ = caller.call(worker::CREATE_WORKER_SESSION, &request);
        let register = wire::RegisterGraphRequest {
            session_handle: format!("own{number}"),
            graph_def: Some(small_graph()),
            ..Default::default()
        };
        let _ = caller.call(worker::REGISTER_GRAPH, &register);
    }
}
