//! What is seen of a cluster: status, sessions, doctor, metrics, placement, traces; reset and drain.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use cluster::RemoteSession;
use serde_json::Value;
use tensorfleet::AttrValue;
use tensorfleet::prelude::*;

use crate::fleet::{Fleet, free_port};
use crate::{cluster, tensorfleet};

/// A model with a variable on the parameter server, a queue there, and a step on a worker.
pub struct Model {
    session: Arc<RemoteSession>,
    train: Operation,
}

impl Model {
    pub fn on(fleet: &Fleet) -> Model {
        let g = Graph::new();
        let w = g.with_device("/job:ps/task:0", |g| Variable::new("weights", g.constant([[1f32, 2.0], [3.0, 4.0]])));
        g.with_device("/job:ps/task:0", |g| {
            let types = AttrValue::from(vec![DType::Float]);
            let queue = g.op("FIFOQueueV2").attr("component_types", types).attr("capacity", 7i64);
            queue.attr("shared_name", AttrValue::from("numbers")).name("numbers").output();
        });
        let train = g.with_device("/job:worker/task:0", |g| {
            let loss = g.constant([[1f32, 1.0]]).matmul(&w).square().reduce_sum(..);
            GradientDescent::new(0.001).minimize(&loss, None).expect("a gradient")
        });
        let init = global_variables_initializer(&g);
        let session = RemoteSession::new(&fleet.target("worker", 0), &g).expect("a session");
        session.run(RunRequest::new().target(&init).target("numbers")).expect("variables");
        let model = Model { session: Arc::new(session), train };
        model.steps(20);
        model
    }

    pub fn step(&self) -> Result<()> {
        self.session.run(RunRequest::new().target(&self.train)).map(drop)
    }

    fn steps(&self, count: usize) {
        for _ in 0..count {
            self.step().expect("a step");
        }
    }
}

fn task<'a>(status: &'a Value, name: &str) -> &'a Value {
    let tasks = status["tasks"].as_array().expect("tasks");
    tasks.iter().find(|task| task["task"] == name).unwrap_or_else(|| panic!("no {name} in {status}"))
}

/// A page over HTTP, with its status line.
pub fn get(port: u16, path: &str) -> String {
    let mut stream = TcpStream::connect(("127.0.0.1", port)).expect("the port is served");
    write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n").expect("a request");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("an answer");
    text
}

#[test]
fn a_cluster_that_trains_is_seen_measured_and_steered() {
    let mut fleet = Fleet::start(&[("ps", 1), ("worker", 2)], &["--metrics_port=0"]);
    let model = Model::on(&fleet);
    let flag = cluster(&fleet, 2);

    let said = tensorfleet(&["status", "--json", "--interval=0.1", "--cluster", &flag]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
    let status = said.json();
    assert_eq!(status["complete"], true);
    let (ps, worker) = (task(&status, "/job:ps/task:0"), task(&status, "/job:worker/task:0"));
    assert_eq!((&ps["state"], &worker["state"]), (&Value::from("up"), &Value::from("up")));
    assert_eq!(
        (&ps["variables"][0]["name"], &ps["variables"][0]["bytes"]),
        (&Value::from("weights"), &Value::from(16))
    );
    assert!(ps["variables"][0]["uses"].as_u64() >= Some(20), "{ps}");
    assert_eq!((&ps["queues"][0]["name"], &ps["queues"][0]["capacity"]), (&Value::from("numbers"), &Value::from(7)));
    assert_eq!(worker["steps"]["ended"]["OK"], 21, "{worker}");
    assert_eq!(worker["sessions"].as_array().map(Vec::len), Some(1));
    let traffic = status["traffic"].as_array().expect("traffic");
    let there = traffic.iter().find(|pair| pair["from"] == "/job:ps/task:0" && pair["to"] == "/job:worker/task:0");
    assert!(there.is_some_and(|pair| pair["bytes"].as_u64() >= Some(20 * 16)), "{status}");

    // From any one task the others are found.
    let target = fleet.address("worker", 1).to_owned();
    let said = tensorfleet(&["status", "--interval=0.1", "--target", &target]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
    for words in ["TASK", "/job:ps/task:0", "/job:worker/task:1", "weights", "numbers", "Sessions"] {
        assert!(said.out.contains(words), "{words}: {}", said.out);
    }
    assert!(!said.out.contains('\x1b'), "colours only on a terminal");
    let said = tensorfleet(&["top", "-n", "1", "--interval=0.1", "--target", &target]);
    assert!(said.code == Some(0) && said.out.contains("HOT VARIABLE"), "{}{}", said.out, said.errors);

    let sessions = tensorfleet(&["sessions", "--json", "--target", &target]).json();
    let session = sessions[0]["session"].as_str().expect("a session").to_owned();
    assert_eq!(
        (&sessions[0]["master"], sessions.as_array().map(Vec::len)),
        (&Value::from("/job:worker/task:0"), Some(1))
    );
    assert!(tensorfleet(&["sessions", "--target", &target]).out.contains(&session[..12]));

    let placed = tensorfleet(&["placement", &session[..8], "--json", "--target", &target]).json();
    let node = |name: &str| placed.as_array().and_then(|all| all.iter().find(|node| node["node"] == name)).cloned();
    let weights = node("weights").expect("the variable");
    assert_eq!(weights["device"], "/job:ps/replica:0/task:0/device:CPU:0");
    assert_eq!(weights["rule"], "asked for /job:ps/task:0");
    let said = tensorfleet(&["placement", "no-such-session", "--target", &target]);
    assert!(said.code == Some(1) && said.errors.contains("'no-such-session'"), "{}", said.errors);

    the_doctor_sees(&fleet, &flag);
    metrics_are_served(&mut fleet);
    steps_are_traced(&model, &target);

    // Emptying the containers of the cluster closes sessions and forgets variables.
    let said = tensorfleet(&["reset", "ps", "worker", "--task=worker:0", "--cluster", &flag]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
    assert!(model.step().is_err());
    let status = tensorfleet(&["status", "--json", "--interval=0", "--cluster", &flag]).json();
    assert_eq!(task(&status, "/job:ps/task:0")["variables"].as_array().map(Vec::len), Some(0));

    // A task that is drained ends by itself, cleanly; then it is told to be down.
    let said = tensorfleet(&["drain", "worker:1", "--cluster", &flag]);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
    assert!(said.out.contains("/job:worker/task:1 was drained and has stopped"), "{}", said.out);
    assert_eq!(fleet.task("worker", 1).ended(), Some(0));
    let said = tensorfleet(&["status", "--json", "--interval=0", "--cluster", &flag]);
    assert_eq!(said.code, Some(1));
    assert_eq!(task(&said.json(), "/job:worker/task:1")["state"], "down");
    let said = tensorfleet(&["drain", "worker:7", "--cluster", &flag]);
    assert!(said.code == Some(1) && said.errors.contains("there is no task 'worker:7'"), "{}", said.errors);
    let said = tensorfleet(&["status", "--target", &target]);
    assert!(said.code == Some(1) && said.errors.contains("is it started?"), "{}", said.errors);
}

fn the_doctor_sees(fleet: &Fleet, flag: &str) {
    let folder = std::env::temp_dir().join(format!("tensorfleet-doctor-{}", std::process::id()));
    let logdir = format!("--logdir={}", folder.display());
    let said = tensorfleet(&["doctor", "--cluster", flag, &logdir]);
    let _ = std::fs::remove_dir_all(&folder);
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
    assert!(said.out.contains("all 3 tasks are well") && said.out.contains("can be written"), "{}", said.out);
    assert!(said.out.contains("Between tasks: 3 of 3 pairs") && said.out.contains("/s"), "{}", said.out);
    let found = tensorfleet(&["doctor", "--json", "--pairs=2", "--cluster", flag]).json();
    assert_eq!((&found["pairs"], &found["pairs_measured"]), (&Value::from(3), &Value::from(2)));
    let pair = &found["between"][0];
    assert_eq!((&pair["one"], &pair["other"]), (&Value::from("/job:ps/task:0"), &Value::from("/job:worker/task:0")));
    assert!(pair["bytes_per_second"].as_f64() > Some(0.0) && pair["error"].is_null(), "{found}");
    assert!(found["tasks"][0]["tls_valid_until"].is_null(), "{found}");
    // One that is not there, one at the address of another, one that is something else, one without an address.
    let (nobody, other) = (format!("127.0.0.1:{}", free_port()), TcpListener::bind("127.0.0.1:0").expect("a port"));
    let someone = other.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for mut stream in other.incoming().flatten() {
            let _ = stream.write_all(b"SSH-2.0-OpenSSH_9.2\r\n");
        }
    });
    let wrong = serde_json::json!({
        "ps": [fleet.address("ps", 0), fleet.address("worker", 0), nobody],
        "worker": [someone, "no-such-host.invalid:2222"],
    });
    let said = tensorfleet(&["doctor", "--json", "--timeout_secs=3", "--cluster", &wrong.to_string()]);
    let found = said.json();
    assert_eq!((said.code, &found["ok"]), (Some(1), &Value::from(false)));
    for (name, ok, words) in [
        ("/job:ps/task:0", true, "well"),
        ("/job:ps/task:1", false, "is /job:worker/task:0"),
        ("/job:ps/task:2", false, "is the task started"),
        ("/job:worker/task:0", false, "another program has the port"),
        ("/job:worker/task:1", false, "does not resolve"),
    ] {
        let task = task(&found, name);
        assert_eq!(task["ok"], ok, "{task}");
        assert!(task["verdict"].as_str().is_some_and(|verdict| verdict.contains(words)), "{task}");
    }
    assert!(task(&found, "/job:ps/task:0")["round_trip_seconds"].as_f64() > Some(0.0));
    let said = tensorfleet(&["doctor"]);
    assert!(said.code == Some(1) && said.errors.contains("no cluster is given"), "{}", said.errors);
}

/// Where the first worker serves its metrics.
pub fn metrics_port(fleet: &mut Fleet) -> u16 {
    let line = fleet.task("worker", 0).said("Metrics: http").expect("a line");
    line.rsplit(':').next().and_then(|rest| rest.split('/').next()?.parse().ok()).expect("a port")
}

fn metrics_are_served(fleet: &mut Fleet) {
    let port = metrics_port(fleet);
    let page = get(port, "/metrics");
    assert!(page.starts_with("HTTP/1.1 200"), "{page}");
    assert!(page.lines().filter(|line| line.starts_with("# HELP tensorfleet_")).count() >= 40, "{page}");
    // Those of the model, and six by which the doctor measured the way to the other worker.
    assert!(page.contains("tensorfleet_steps_ended_total{code=\"OK\"} 27\n"), "{page}");
    assert!(page.contains("tensorfleet_step_duration_seconds_bucket{le=\"+Inf\"} 27\n"), "{page}");
    assert!(get(port, "/healthz").ends_with("ok\n") && get(port, "/readyz").ends_with("ready\n"));
    assert!(get(port, "/else").starts_with("HTTP/1.1 404"));
}

fn steps_are_traced(model: &Model, target: &str) {
    let path = std::env::temp_dir().join(format!("tensorfleet-trace-{}.json", std::process::id()));
    let stop = AtomicBool::new(false);
    let said = std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) {
                model.steps(1);
            }
        });
        let out = format!("--out={}", path.display());
        // A worker without steps is waited for in vain.
        let said = tensorfleet(&["trace", "--steps=3", "--wait_secs=5", &out, "--target", target]);
        stop.store(true, Ordering::Relaxed);
        said
    });
    assert_eq!(said.code, Some(0), "{}{}", said.out, said.errors);
    let trace: Value = serde_json::from_str(&std::fs::read_to_string(&path).expect("a file")).expect("JSON");
    let _ = std::fs::remove_file(&path);
    let events = trace["traceEvents"].as_array().expect("events");
    let count = |kind: &str| events.iter().filter(|event| event["ph"] == kind).count();
    assert_eq!(count("M"), 3);
    assert!(events.iter().any(|event| event["ph"] == "X" && event["name"] == "MatMul"), "{}", said.out);
    assert!(count("s") > 0 && count("s") == count("f"), "{}", said.out);
}

#[test]
fn shells_get_completions_and_wrong_use_is_named() {
    for shell in ["bash", "zsh", "fish"] {
        let said = tensorfleet(&["completions", shell]);
        assert!(said.code == Some(0) && said.out.contains("doctor"), "{}", said.errors);
    }
    assert_eq!(tensorfleet(&["completions", "rc"]).code, Some(2));
    assert_eq!(tensorfleet(&["why", "--longer_than=-1"]).code, Some(2));
    assert_eq!(tensorfleet(&["status", "--target=a:1", "--cluster={}"]).code, Some(2));
    let said = tensorfleet(&["status", "--cluster={}"]);
    assert!(said.code == Some(1) && said.errors.contains("the cluster has no tasks"), "{}", said.errors);
}

#[test]
fn the_placement_of_a_file_needs_no_cluster() {
    use prost::Message;
    let g = Graph::new();
    let there = g.with_device("/job:ps/task:0", |g| Variable::new("there", g.constant(1f32)));
    let _read = there.value() + 1.0;
    let path = std::env::temp_dir().join(format!("tensorfleet-placed-{}.pb", std::process::id()));
    let message = graph::graph_to_proto(&g.snapshot().expect("a graph")).expect("a message");
    std::fs::write(&path, message.encode_to_vec()).expect("a file");
    let file = path.to_string_lossy().into_owned();
    let hosts = ["--ps_hosts=a:1", "--worker_hosts=b:2"];
    let placed = tensorfleet(&["placement", &file, "--json", hosts[0], hosts[1]]).json();
    let device = |name: &str| {
        let nodes = placed.as_array().expect("nodes");
        nodes.iter().find(|node| node["node"] == name).map(|node| node["device"].clone())
    };
    assert_eq!(device("there"), Some(Value::from("/job:ps/replica:0/task:0/device:CPU:0")));
    assert_eq!(device("add"), Some(Value::from("/job:worker/replica:0/task:0/device:CPU:0")));
    // Without the job that the graph names it cannot be placed.
    let said = tensorfleet(&["placement", &file, hosts[1]]);
    assert!(said.code == Some(1) && said.errors.contains("/job:ps/task:0"), "{}", said.errors);
    let _ = std::fs::remove_file(&path);
}
