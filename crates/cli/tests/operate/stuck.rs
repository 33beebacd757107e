//! Staged hangs: `why` names who should do something.

use std::net::TcpListener;
use std::sync::Arc;

use cluster::RemoteSession;
use serde_json::Value;
use tensorfleet::AttrValue;
use tensorfleet::prelude::*;

use crate::fleet::{Fleet, Process, free_port, wait_until};
use crate::proxy::Proxy;
use crate::{Said, cluster, tensorfleet};

pub const PS: &str = "/job:ps/task:0";
pub const WORKER: &str = "/job:worker/task:0";

fn queue(g: &Graph, name: &str, capacity: i64) -> Output {
    let types = AttrValue::from(vec![DType::Float]);
    let queue = g.op("FIFOQueueV2").attr("component_types", types).attr("capacity", capacity);
    queue.attr("shared_name", AttrValue::from(name.to_owned())).output()
}

fn dequeue(g: &Graph, queue: &Output) -> Output {
    g.op("QueueDequeueV2").input(queue).attr("component_types", AttrValue::from(vec![DType::Float])).output()
}

fn enqueue(g: &Graph, queue: &Output, value: &Output) -> Operation {
    g.op("QueueEnqueueV2").input(queue).input_list(std::slice::from_ref(value)).build()
}

/// A step that is begun and waits until its session ends.
pub fn begin(session: &Arc<RemoteSession>, request: RunRequest) {
    let session = session.clone();
    std::thread::spawn(move || session.run(request).map(drop));
}

pub struct Stage {
    pub fleet: Fleet,
    flag: String,
}

impl Stage {
    pub fn set() -> Stage {
        let fleet = Fleet::start(&[("ps", 1), ("worker", 2)], &[]);
        let flag = cluster(&fleet, 2);
        Stage { fleet, flag }
    }

    pub fn session(&self, g: &Graph) -> Arc<RemoteSession> {
        Arc::new(RemoteSession::new(&self.fleet.target("worker", 0), g).expect("a session"))
    }

    fn why(&self, more: &[&str]) -> Said {
        let all = ["why", "--longer_than=0.1", "--timeout_secs=2", "--cluster", &self.flag];
        tensorfleet(&[&all[..], more].concat())
    }

    /// Asks until some step that waits has a culprit with these words in it; returns its chain.
    pub fn culprit(&self, words: &[&str]) -> String {
        let named = |step: &Value| {
            let culprits = step["culprits"].as_array().cloned().unwrap_or_default();
            culprits.iter().any(|text| words.iter().all(|word| text.as_str().is_some_and(|text| text.contains(word))))
        };
        let mut last = String::new();
        let found = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            wait_until("the culprit", || {
                let said = self.why(&["--json"]);
                last.clone_from(&said.out);
                let stuck = said.json()["stuck"].as_array().cloned().unwrap_or_default();
                stuck.iter().find(|step| named(step)).map(|step| step["chain"].to_string())
            })
        }));
        found.unwrap_or_else(|_| panic!("nobody is {words:?}: {last}"))
    }
}

#[test]
fn why_names_who_should_fill_a_queue_empty_it_or_bring_a_gradient() {
    let stage = Stage::set();
    let said = stage.why(&[]);
    assert!(said.code == Some(0) && said.out.contains("no step has been under way"), "{}{}", said.out, said.errors);

    // A queue nobody fills; the value is wanted on another task, which waits for its tensor.
    let g = Graph::new();
    let taken = g.with_device(PS, |g| dequeue(g, &queue(g, "empty", 10)));
    let wanted = g.with_device(WORKER, |_| &taken + 1.0);
    let reader = stage.session(&g);
    begin(&reader, RunRequest::new().fetch(&wanted));
    let chain = stage.culprit(&["nobody enqueues into 'empty'"]);
    assert!(chain.contains("queue 'empty' on /job:ps/task:0 is empty: 0 of 10"), "{chain}");
    assert!(chain.contains("/job:ps/task:0 should send"), "{chain}");
    let said = stage.why(&["ps:0"]);
    assert!(said.code == Some(1) && said.out.contains("└"), "{}", said.out);
    let said = stage.why(&["nobody-knows"]);
    assert!(said.code == Some(1) && said.errors.contains("'nobody-knows'"), "{}", said.errors);

    // The same queue, once somebody has filled it and does so no more: a lost token.
    let g = Graph::new();
    let put = g.with_device(PS, |g| enqueue(g, &queue(g, "empty", 10), &g.constant(1f32)));
    let filler = stage.session(&g);
    filler.run(RunRequest::new().target(&put)).expect("an element");
    begin(&reader, RunRequest::new().fetch(&wanted));
    stage.culprit(&["enqueues into 'empty', but no step runs it now"]);

    // A full queue.
    let g = Graph::new();
    let put = g.with_device(PS, |g| enqueue(g, &queue(g, "full", 1), &g.constant(1f32)));
    let session = stage.session(&g);
    session.run(RunRequest::new().target(&put)).expect("an element");
    begin(&session, RunRequest::new().target(&put));
    let chain = stage.culprit(&["nobody dequeues from 'full'"]);
    assert!(chain.contains("is full: 1 of 1"), "{chain}");

    // Two steps that each wait for what the other would enqueue.
    let g = Graph::new();
    let (a, b) = g.with_device(PS, |g| {
        let (left, right) = (queue(g, "left", 5), queue(g, "right", 5));
        (enqueue(g, &right, &dequeue(g, &left)), enqueue(g, &left, &dequeue(g, &right)))
    });
    let session = stage.session(&g);
    begin(&session, RunRequest::new().target(&a));
    begin(&session, RunRequest::new().target(&b));
    stage.culprit(&["the steps wait for each other"]);

    // Synchronous training: one of two workers has brought its gradient, and the tokens wait for both.
    let g = Graph::new();
    let (apply, tokens, token) = g.with_device(PS, |g| {
        let accumulator = g.op("ResourceConditionalAccumulator").attr("dtype", DType::Float);
        let accumulator = accumulator.attr("shape", AttrValue::Shape(PartialShape::scalar()));
        let accumulator = accumulator.attr("shared_name", AttrValue::from("gradients")).output();
        let apply = g.op("ResourceAccumulatorApplyGradient").input(&accumulator).input(g.constant(0i64));
        let apply = apply.input(g.constant(1f32)).attr("_worker", AttrValue::from(WORKER)).build();
        let mean = g.op("ResourceAccumulatorTakeGradient").input(&accumulator).input(g.constant(2i32));
        let mean = mean.attr("dtype", DType::Float).output();
        let queue = queue(g, "tokens", 5);
        (apply, enqueue(g, &queue, &mean), dequeue(g, &queue))
    });
    let session = stage.session(&g);
    session.run(RunRequest::new().target(&apply)).expect("a gradient");
    begin(&session, RunRequest::new().target(&tokens));
    begin(&session, RunRequest::new().fetch(&token));
    let chain = stage.culprit(&["a worker is missing", "/job:worker/task:0 brought gradients", "1 more"]);
    assert!(chain.contains("accumulator 'gradients' on /job:ps/task:0 has 1 of 2 gradients"), "{chain}");
    let by_token = wait_until("the worker's own step", || {
        let stuck = stage.why(&["--json"]).json()["stuck"].as_array().cloned().unwrap_or_default();
        let mut chains = stuck.iter().map(|step| step["chain"].to_string());
        chains.find(|chain| chain.contains("queue 'tokens'") && chain.contains("1 of 2 gradients"))
    });
    assert!(by_token.contains("a worker is missing"), "{by_token}");
}

#[test]
fn why_tells_who_waits_for_a_file() {
    let stage = Stage::set();
    // A file of a web server that takes connections and says nothing.
    let web = TcpListener::bind("127.0.0.1:0").expect("a port");
    let g = Graph::new();
    let name = format!("http://{}/data", web.local_addr().expect("an address"));
    let read = g.with_device(PS, |g| g.op("ReadFile").input(g.constant(name.as_str())).output());
    let session = stage.session(&g);
    begin(&session, RunRequest::new().fetch(&read));
    let chain = stage.culprit(&["/job:ps/task:0 reads or writes a file that does not answer"]);
    assert!(chain.contains("'ReadFile' (ReadFile) on /job:ps/task:0 has been at work on files"), "{chain}");
    drop(web);
}

#[test]
fn why_tells_steps_that_compute_and_tasks_that_are_silent() {
    let mut stage = Stage::set();
    // A loop without end on the parameter server, whose result is wanted on a worker.
    let g = Graph::new();
    let counted = g.with_device(PS, |g| {
        while_loop(g, |state| state[0].less(i64::MAX), |state| vec![&state[0] + 0i64], &[g.constant(0i64)]).remove(0)
    });
    let wanted = g.with_device(WORKER, |_| &counted + 1i64);
    let session = stage.session(&g);
    begin(&session, RunRequest::new().fetch(&wanted));
    let chain = stage.culprit(&["/job:ps/task:0 should send", "still computes"]);
    assert!(chain.contains("_Recv"), "{chain}");

    // A stopped parameter server says nothing, whatever steps wait for it.
    stage.fleet.task("ps", 0).signal("-STOP");
    let said = stage.why(&[]);
    let found = stage.why(&["--json"]).json();
    stage.fleet.task("ps", 0).signal("-CONT");
    assert_eq!(said.code, Some(1));
    assert!(said.out.contains("/job:ps/task:0 does not answer"), "{}", said.out);
    let culprits = found["stuck"][0]["culprits"].to_string();
    assert!(culprits.contains("/job:ps/task:0 should send") && culprits.contains("does not answer"), "{found}");
}

#[test]
fn why_tells_what_has_no_room_and_who_stays_away() {
    let stage = Stage::set();
    // A step that waits for memory: what is staged may have four bytes, and has.
    let g = Graph::new();
    let put = g.with_device(PS, |g| {
        let stage = g.op("Stage").input_list(&[g.constant(1f32)]).attr("memory_limit", 4i64);
        stage.attr("dtypes", AttrValue::from(vec![DType::Float])).attr("shared_name", AttrValue::from("area")).build()
    });
    let session = stage.session(&g);
    session.run(RunRequest::new().target(&put)).expect("it fits");
    begin(&session, RunRequest::new().target(&put));
    let chain = stage.culprit(&["nobody takes from 'area'"]);
    assert!(chain.contains("staging area 'area' on /job:ps/task:0 is out of memory: it may hold 4 B"), "{chain}");

    // A worker that brought its gradient for the last step and not for this one, and has brought more in all.
    let g = Graph::new();
    let (both, first, mean) = g.with_device(PS, |g| {
        let accumulator = g.op("ResourceConditionalAccumulator").attr("dtype", DType::Float);
        let accumulator = accumulator.attr("shape", AttrValue::Shape(PartialShape::scalar()));
        let accumulator = accumulator.attr("shared_name", AttrValue::from("slow")).output();
        let apply = |worker: &'static str| {
            let apply = g.op("ResourceAccumulatorApplyGradient").input(&accumulator).input(g.constant(10i64));
            apply.input(g.constant(1f32)).attr("_worker", AttrValue::from(worker)).build()
        };
        let (first, second) = (apply(WORKER), apply("/job:worker/task:1"));
        let mean = g.op("ResourceAccumulatorTakeGradient").input(&accumulator).input(g.constant(2i32));
        ([first.clone(), second], first, mean.attr("dtype", DType::Float).output())
    });
    let session = stage.session(&g);
    session.run(RunRequest::new().target(&both[0]).target(&both[1]).fetch(&mean)).expect("a step of both");
    session.run(RunRequest::new().target(&first)).expect("a gradient");
    begin(&session, RunRequest::new().fetch(&mean));
    let chain = stage.culprit(&["/job:worker/task:1 has brought none for this step yet; 1 more"]);
    assert!(!chain.contains("/job:worker/task:0 has brought none"), "{chain}");

    // An all-reduce of two, to which one comes.
    let g = Graph::new();
    let sum = g.with_device(WORKER, |g| {
        let reduce = g.op("CollectiveReduceV2").input(g.constant([1f32])).input(g.constant(2i32));
        let reduce = reduce.input(g.constant(7i32)).input(g.constant(1i32)).input_list(&[]);
        reduce.attr("merge_op", AttrValue::from("Add")).attr("final_op", AttrValue::from("Id")).output()
    });
    let session = stage.session(&g);
    begin(&session, RunRequest::new().fetch(&sum));
    stage.culprit(&["/job:worker/task:1 has not come to the collective"]);
}

#[test]
fn why_tells_the_network_between_two_workers() {
    let address = || format!("127.0.0.1:{}", free_port());
    let (ps, first, second) = (address(), address(), address());
    // Each worker reaches the other through a stretch of network of its own.
    let (to_first, to_second) = (Proxy::to(first.clone()), Proxy::to(second.clone()));
    let cluster = |workers: [&str; 2]| serde_json::json!({"ps": [ps], "worker": workers}).to_string();
    let serve = |cluster: &str, job: &str, task: &str| {
        let flags = ["--cluster", cluster, "--job_name", job, "--task_index", task, "--transport=tcp"];
        let mut server = Process::serve(&flags);
        assert!(server.said(" at grpc://").is_some(), "{}", server.log.all());
        server
    };
    let real = cluster([&first, &second]);
    let _servers = [
        serve(&real, "ps", "0"),
        serve(&cluster([&first, &to_second.address]), "worker", "0"),
        serve(&cluster([&to_first.address, &second]), "worker", "1"),
    ];
    let g = Graph::new();
    let there = g.with_device("/job:worker/task:1", |g| Variable::new("there", g.constant([1f32, 2.0])));
    let wanted = g.with_device(WORKER, |_| there.value() + 1.0);
    let session = Arc::new(RemoteSession::new(&format!("grpc://{ps}"), &g).expect("a session"));
    session.run(RunRequest::new().target(&global_variables_initializer(&g))).expect("a variable");
    session.run(RunRequest::new().fetch(&wanted)).expect("a tensor from worker to worker");
    to_first.silence(true);
    to_second.silence(true);
    begin(&session, RunRequest::new().fetch(&wanted));
    let all = ["why", "--longer_than=0.1", "--timeout_secs=2", "--json", "--cluster", &real];
    let found = wait_until("the culprit", || {
        let found = tensorfleet(&all).json();
        let culprits = found["stuck"][0]["culprits"].to_string();
        culprits.contains("network from /job:worker/task:1 to /job:worker/task:0").then_some(culprits)
    });
    assert!(found.contains("/job:worker/task:1 has sent 'there"), "{found}");
}
