//! `tensorfleet.Operator`: what operators ask of a task of ours.

use std::time::{Duration, Instant, SystemTime};

use bytes::Bytes;
use graph::op::SavedSoFar;
use tensor::{Result, ensure, err};
use tonic::body::Body;
use wire::operator as told;
use wire::services::operator as path;

use super::reception::Reception;
use super::service::Methods;
use super::unary::{Response, refused, unary, unimplemented};
use crate::call::{Process, millis, unix_nanos};
use crate::master::Master;
use crate::worker::Worker;

/// The methods of `tensorfleet.Operator`.
#[derive(Clone)]
pub(super) struct OperatorMethods;

/// Nobody gets an echo of more bytes.
const MOST_ECHO: u64 = 64 << 20;
/// No more steps are traced at once.
const MOST_STEPS: u32 = 10_000;
/// No operator is waited for longer.
const MOST_PATIENCE: Duration = Duration::from_secs(3600);
/// How often it is looked whether what was waited for has come.
const LOOK: Duration = Duration::from_millis(20);
/// So much later than its answer a drained task ends.
const LAST_WORDS: Duration = Duration::from_millis(200);

impl Methods for OperatorMethods {
    const SERVICE: &'static str = path::SERVICE;

    fn call(request: http::Request<Body>, reception: Reception) -> Response {
        // Handles of sessions are told here, with which a client could use those of others.
        if !reception.role.may_wipe() {
            return refused(&err!(PermissionDenied, "asking how a task is takes the certificate of an operator"));
        }
        match request.uri().path() {
            path::STATUS => unary(request, move |call: told::StatusRequest| async move {
                Ok(status(&reception.master, &reception.worker, &call))
            }),
            path::ECHO => unary(request, |call: told::EchoRequest| async move {
                ensure!(call.answer <= MOST_ECHO, InvalidArgument, "an echo has {MOST_ECHO} bytes at most");
                let payload = Bytes::from(vec![0; call.answer as usize]);
                Ok(told::EchoResponse { payload, unix_nanos: unix_nanos(SystemTime::now()) })
            }),
            path::TRACE => unary(request, move |call| trace(reception, call)),
            path::DRAIN => unary(request, move |call| drain(reception, call)),
            path::PLACEMENT => unary(request, move |call: told::PlacementRequest| async move {
                reception.master.report_placement(&call.session)
            }),
            other => unimplemented(other),
        }
    }
}

/// Returns how a task is.
pub(crate) fn status(master: &Master, worker: &Worker, wanted: &told::StatusRequest) -> told::StatusResponse {
    let (desk, process, saved) = (&worker.desk, Process::now(), SavedSoFar::now());
    let (last, when) = saved.last.unwrap_or_else(|| (String::new(), SystemTime::UNIX_EPOCH));
    let mut status = told::StatusResponse {
        task: worker.name().to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        uptime_millis: millis(desk.started.elapsed()),
        pid: std::process::id(),
        memory: Some(process.memory),
        draining: desk.is_draining(),
        sessions: master.report_sessions(),
        worker_sessions: worker.session_count() as u64,
        steps: Some(desk.steps.to_proto()),
        parts: Some(desk.parts.to_proto()),
        traffic: master.report_traffic(),
        saved: Some(told::Saved {
            count: saved.count,
            bytes: saved.bytes,
            micros: saved.took.as_micros() as u64,
            last,
            last_unix_nanos: unix_nanos(when),
        }),
        threads: process.threads,
        open_files: process.open_files,
        cpu_millis: process.cpu_millis,
        tls_until_unix: worker.tls_until().unwrap_or_default(),
        ..Default::default()
    };
    if wanted.resources {
        worker.report_resources(&mut status);
    }
    if wanted.waits {
        status.under_way = worker.report_waits();
        status.parts_over = worker.report_parts_over();
    }
    status.unix_nanos = unix_nanos(SystemTime::now());
    status
}

async fn trace(reception: Reception, call: told::TraceRequest) -> Result<told::TraceResponse> {
    let worker = &reception.worker;
    ensure!((1..=MOST_STEPS).contains(&call.steps), InvalidArgument, "from 1 to {MOST_STEPS} steps can be traced");
    let deadline = Instant::now() + Duration::from_millis(call.timeout_millis).min(MOST_PATIENCE);
    let trace = worker.desk.begin_trace(call.steps as usize)?;
    while !trace.is_complete() && Instant::now() < deadline {
        tokio::time::sleep(LOOK).await;
    }
    let mut steps = Vec::new();
    for (step, session, stats) in trace.take() {
        let keys = worker.transfer_keys(&session);
        let nodes = stats.nodes.into_iter().map(|node| told::TracedNode {
            key: keys.get(&node.node).cloned().unwrap_or_default(),
            device: node.device,
            node: node.node,
            op: node.op,
            start_unix_nanos: unix_nanos(node.start),
            nanos: node.duration.as_nanos() as u64,
            thread: node.thread,
        });
        steps.push(told::TracedStep { step: step.0, session: session.into(), nodes: nodes.collect() });
    }
    Ok(told::TraceResponse { steps })
}

/// Lets no more steps begin, waits for those under way, and then stops the server.
async fn drain(reception: Reception, call: told::DrainRequest) -> Result<told::DrainResponse> {
    let (master, worker) = (&reception.master, &reception.worker);
    tracing::info!("an operator drains this task");
    worker.desk.drain();
    let deadline = Instant::now() + Duration::from_millis(call.timeout_millis).min(MOST_PATIENCE);
    let left = || master.steps_under_way().max(worker.running_count());
    while left() > 0 && Instant::now() < deadline {
        tokio::time::sleep(LOOK).await;
    }
    let answer = told::DrainResponse { steps_left: left() as u64 };
    let worker = worker.clone();
    tokio::spawn(async move {
        tokio::time::sleep(LAST_WORDS).await;
        if let Some(stop) = worker.desk.stop.get() {
            stop();
        }
    });
    Ok(answer)
}
