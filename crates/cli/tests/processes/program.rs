//! A client with its hands full: a step that waits, a step that computes without end, and one training step after the
//! other, all across tasks and at the same time.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use cluster::{RemoteOptions, RemoteSession, Transport};
use graph::{GraphData, ImportOptions, graph_from_proto, graph_to_proto};
use tensorfleet::AttrValue;
use tensorfleet::prelude::*;
use wire::attr_value::Value;

use crate::fleet::{Fleet, SOON, wait_until};

/// The graph of a client, with names of its own.
#[derive(Clone)]
pub struct Program {
    data: GraphData,
    init: Operation,
    /// Counts the steps that have come to where they wait, and to where they compute.
    begun: [Variable; 2],
    waits: Output,
    put: Operation,
    computes: String,
    train: Operation,
}

impl Program {
    /// Variables, a queue and a loop on one task, the rest on another.
    pub fn new(name: &str, ps: &str, worker: &str) -> Result<Program> {
        let g = Graph::new();
        let begun = ["waits", "computes"]
            .map(|kind| g.with_device(ps, |g| Variable::untrained(&format!("{name}_{kind}"), g.constant(0i64))));
        let count = begun.each_ref().map(|variable| g.with_device(ps, |g| variable.assign_add(g.constant(1i64))));
        let (element, put) = g.with_device(ps, |g| {
            let types = AttrValue::from(vec![DType::Float]);
            let name = AttrValue::from(format!("{name}_queue"));
            let queue = g.op("FIFOQueueV2").attr("component_types", types.clone()).attr("shared_name", name).output();
            let element = g.with_control_dependencies(&count[..1], |g| {
                g.op("QueueDequeueV2").input(&queue).attr("component_types", types).output()
            });
            (element, g.op("QueueEnqueueV2").input(&queue).input_list(&[g.constant(1f32)]).build())
        });
        let waits = g.with_device(worker, |_| &element + 1.0);
        let start = g.with_device(ps, |g| g.with_control_dependencies(&count[1..], |g| g.constant(0i32).identity()));
        let w = g.with_device(ps, |g| Variable::new(&format!("{name}_w"), g.constant([[1f32, 2.0], [3.0, 4.0]])));
        let trained = g.with_device(ps, |g| Variable::untrained(&format!("{name}_step"), g.constant(0i64)));
        let train = g.with_device(worker, |g| -> Result<_> {
            let loss = g.constant([[1f32, 1.0]]).matmul(&w).square().reduce_sum(..);
            GradientDescent::new(0.001).minimize(&loss, Some(&trained))
        })?;
        let init = global_variables_initializer(&g);
        let start = format!("{}:0", start.operation().name().unwrap_or_default());
        let data = with_endless_loop(&g.snapshot()?, &start, ps, worker)?;
        Ok(Program { data, init, begun, waits, put, computes: "loop/after:0".to_owned(), train })
    }

    pub fn data(&self) -> &GraphData {
        &self.data
    }

    pub fn connect(&self, target: &str, transport: Transport) -> Result<RemoteSession> {
        RemoteSession::from_data(target, &self.data, RemoteOptions { transport, ..Default::default() })
    }

    /// One training step.
    pub fn step(&self, session: &RemoteSession) -> Result<()> {
        session.run(RunRequest::new().target(&self.train).timeout(SOON)).map(drop)
    }

    pub fn init(&self, session: &RemoteSession) -> Result<()> {
        session.run(RunRequest::new().target(&self.init).timeout(SOON)).map(drop)
    }

    /// Puts an element into the queue and takes it out again.
    pub fn put_and_take(&self, session: &RemoteSession) -> Result<Tensor> {
        session.run(RunRequest::new().target(&self.put).timeout(SOON))?;
        Ok(session.fetch(RunRequest::new().fetch(&self.waits).timeout(SOON))?.remove(0))
    }

    fn count(&self, session: &RemoteSession, variable: &Variable) -> i64 {
        let value = session.fetch(RunRequest::new().fetch(variable.value()).timeout(SOON)).expect("a counter");
        value[0].to_scalar().expect("a number")
    }

    /// Opens a session and starts everything; returns when all of it is under way.
    pub fn start(self, target: &str, transport: Transport) -> Running {
        let session = Arc::new(self.connect(target, transport).expect("a session"));
        self.init(&session).expect("variables");
        let steps = Arc::new(AtomicU64::new(0));
        let waits = RunRequest::new().fetch(&self.waits);
        let computes = RunRequest::new().fetch(self.computes.as_str());
        let train = RunRequest::new().target(&self.train);
        let ends = [
            ("waits", run(&session, waits, None)),
            ("computes", run(&session, computes, None)),
            ("trains", run(&session, train, Some(steps.clone()))),
        ];
        let running = Running { program: self, session, steps, ends: Vec::from(ends) };
        let begun = |variable| (running.program.count(&running.session, variable) == 1).then_some(());
        for variable in &running.program.begun {
            wait_until("a step to be in the middle", || begun(variable));
        }
        running.goes_on();
        running
    }
}

/// A program that runs.
pub struct Running {
    pub program: Program,
    pub session: Arc<RemoteSession>,
    steps: Arc<AtomicU64>,
    /// How each of its threads ended.
    ends: Vec<(&'static str, Receiver<Status>)>,
}

impl Running {
    /// Nothing has ended, and training makes progress.
    pub fn goes_on(&self) {
        let before = self.steps.load(Ordering::Relaxed);
        wait_until("training to go on", || (self.steps.load(Ordering::Relaxed) > before + 2).then_some(()));
        for (what, end) in &self.ends {
            if let Ok(status) = end.try_recv() {
                panic!("what {what} has ended: {status}");
            }
        }
    }

    /// Everything ends soon, with one of the codes and this text in the message.
    pub fn ends(&mut self, codes: &[Code], text: &str) {
        for (what, end) in self.ends.drain(..) {
            let status = match end.recv_timeout(SOON) {
                Ok(status) => status,
                Err(RecvTimeoutError::Timeout) => panic!("what {what} hangs"),
                Err(RecvTimeoutError::Disconnected) => panic!("what {what} panicked"),
            };
            assert!(codes.contains(&status.code()), "what {what} ended with {status}");
            assert!(status.message().contains(text), "'{text}' is not named when what {what} ended: {status}");
        }
    }

    /// What was in the middle ends soon; training may have been between two steps, and gets over it or not.
    pub fn loses_its_steps(&mut self, text: &str) {
        let trains = self.ends.pop();
        self.ends(&[Code::Unavailable], text);
        self.ends.extend(trains);
    }

    /// The session works, if need be after a moment.
    pub fn is_usable(&self) {
        let mut last = None;
        let outcome = wait_until("the session to work again", || match self.program.step(&self.session) {
            Err(status) if status.code() == Code::Unavailable => {
                last = Some(status);
                None
            }
            outcome => Some(outcome),
        });
        assert!(outcome.is_ok(), "{outcome:?} after {last:?}");
        let taken = self.program.put_and_take(&self.session);
        assert_eq!(taken.expect("an element of the queue"), Tensor::from(2f32));
    }

    /// The session says, if need be after a moment, that a new one is needed.
    pub fn tells_to_begin_anew(&self) -> Status {
        let status = wait_until("the session to say what is wrong", || {
            let status = self.program.step(&self.session).expect_err("variables are gone");
            (status.code() != Code::Unavailable).then_some(status)
        });
        assert_eq!(status.code(), Code::Aborted, "{status}");
        status
    }

    pub fn close(mut self) {
        let _ = self.session.close();
        self.ends(&[Code::Cancelled, Code::FailedPrecondition, Code::Aborted, Code::Unavailable], "");
    }
}

/// Runs a request until it fails: once, or with a counter again and again.
fn run(session: &Arc<RemoteSession>, request: RunRequest, steps: Option<Arc<AtomicU64>>) -> Receiver<Status> {
    let (session, (send, end)) = (session.clone(), channel());
    std::thread::spawn(move || {
        let status = loop {
            match (session.run(request.clone()), &steps) {
                (Err(status), _) => break status,
                (Ok(_), Some(steps)) => {
                    steps.fetch_add(1, Ordering::Relaxed);
                }
                (Ok(_), None) => break Status::new(Code::Internal, "the step ended"),
            }
        };
        let _ = send.send(status);
    });
    end
}

/// Adds a loop that never ends on one task, and on another what waits for its end.
fn with_endless_loop(graph: &GraphData, start: &str, ps: &str, worker: &str) -> Result<GraphData> {
    let mut def = graph_to_proto(graph)?;
    let mut add = |name: &str, op: &str, inputs: &[&str], attrs: &[(&str, Value)], device: &str| {
        let attr =
            attrs.iter().map(|(name, value)| ((*name).to_owned(), wire::AttrValue { value: Some(value.clone()) }));
        def.node.push(wire::NodeDef {
            name: name.to_owned(),
            op: op.to_owned(),
            input: inputs.iter().map(|input| (*input).to_owned()).collect(),
            attr: attr.collect(),
            device: device.to_owned(),
            ..Default::default()
        });
    };
    let int = || ("T", Value::Type(DType::Int32.number()));
    let frame = || ("frame_name", Value::S("endless".into()));
    add("loop/enter", "Enter", &[start], &[int(), frame()], ps);
    add("loop/merge", "Merge", &["loop/enter", "loop/next"], &[int(), ("N", Value::I(2))], ps);
    add("loop/same", "Equal", &["loop/merge", "loop/merge"], &[int()], ps);
    add("loop/cond", "LoopCond", &["loop/same"], &[], ps);
    add("loop/switch", "Switch", &["loop/merge", "loop/cond"], &[int()], ps);
    add("loop/add", "AddV2", &["loop/switch:1", "loop/switch:1"], &[int()], ps);
    add("loop/next", "NextIteration", &["loop/add"], &[int()], ps);
    add("loop/exit", "Exit", &["loop/switch"], &[int()], ps);
    add("loop/after", "Identity", &["loop/exit"], &[int()], worker);
    let mut data = GraphData::default();
    graph_from_proto(&mut data, def, &ops::registry(), ImportOptions::default())?;
    Ok(data)
}

/// Runs the documents' first program on a server.
pub fn hello(target: &str) -> Result<()> {
    static GRAPH: OnceLock<(Graph, Output)> = OnceLock::new();
    let (g, hello) = GRAPH.get_or_init(|| {
        let g = Graph::new();
        let hello = g.constant("Hello, distributed TensorFlow!");
        (g, hello)
    });
    let options = RemoteOptions { operation_timeout: Some(SOON), ..Default::default() };
    let session = RemoteSession::with_options(target, g, options)?;
    let said = session.fetch(RunRequest::new().fetch(hello).timeout(Duration::from_secs(5)))?;
    assert_eq!(said, [Tensor::from("Hello, distributed TensorFlow!")]);
    session.close()
}

/// The usual cluster of these tests.
pub fn two_and_two(transport: Transport, flags: &[&str]) -> Fleet {
    let mut all = flags.to_vec();
    if transport == Transport::Grpc {
        all.push("--transport=grpc");
    }
    Fleet::start(&[("ps", 2), ("worker", 2)], &all)
}
