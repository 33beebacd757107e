//! Every command that asks a cluster, where something is wrong with it: what it says, in which shape, and how it ends.

use serde_json::{Value, json};

use crate::fleet::{Fleet, free_port, wait_until};
use crate::pretender::Pretender;
use crate::{Said, tensorfleet};

/// Runs a command on a cluster.
fn on(cluster: &Value, command: &[&str]) -> Said {
    tensorfleet(&[command, &["--timeout_secs=5", "--cluster", &cluster.to_string()]].concat())
}

/// It ends with this code and says these words, wherever.
fn says(said: &Said, code: i32, words: &[&str]) {
    assert_eq!(said.code, Some(code), "{}{}", said.out, said.errors);
    for word in words {
        assert!(said.out.contains(word) || said.errors.contains(word), "no {word:?}: {}{}", said.out, said.errors);
    }
}

/// The commands that ask all tasks, and go on without those that do not answer.
const OF_ALL: &[&[&str]] = &[
    &["status", "--interval=0"],
    &["status", "--json", "--interval=0"],
    &["top", "-n", "1", "--interval=0"],
    &["sessions"],
    &["why"],
    &["why", "--json"],
    &["doctor"],
    &["doctor", "--json"],
];

fn trace_to() -> String {
    format!("--out={}", std::env::temp_dir().join(format!("tensorfleet-bad-{}.json", std::process::id())).display())
}

#[test]
fn a_task_that_is_dead_or_was_never_there_is_named() {
    let fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &[]);
    let dead = format!("127.0.0.1:{}", free_port());
    let cluster = json!({"ps": [fleet.address("ps", 0)], "worker": [fleet.address("worker", 0), dead]});
    for command in OF_ALL {
        says(&on(&cluster, command), 1, &["/job:worker/task:1", "started"]);
    }
    let status = on(&cluster, &["status", "--json", "--interval=0"]).json();
    assert_eq!((&status["complete"], &status["tasks"][2]["state"]), (&Value::from(false), &Value::from("down")));
    assert_eq!(status["tasks"][0]["state"], "up");
    assert_eq!(on(&cluster, &["sessions", "--json"]).json(), json!([]));
    let trace = ["trace", "--steps=1", "--wait_secs=0.2", &trace_to()];
    says(&on(&cluster, &trace), 1, &["no step began on any task", "/job:worker/task:1", "is it started?"]);
    for command in [&["drain", "worker:1"][..], &["reset", "ps", "--task=worker:1"], &["placement", "no-session"]] {
        says(&on(&cluster, command), 1, &["/job:worker/task:1", "is out of reach", "is it started?"]);
    }
    for command in [&["drain", "worker:7"][..], &["reset", "ps", "--task=worker:7"]] {
        says(&on(&cluster, command), 1, &["there is no task 'worker:7'", "/job:ps/task:0, /job:worker/task:0"]);
    }
    says(&on(&cluster, &["why", "worker:7"]), 1, &["'worker:7' is neither a task of the cluster nor"]);
    let said = tensorfleet(&["trace", "--steps=1", "--timeout_secs=1", "--target", &dead, &trace_to()]);
    says(&said, 1, &["is it started?"]);
    // Nobody waits for steps of which no file can be made.
    let target = fleet.address("ps", 0);
    let said = tensorfleet(&["trace", "--steps=1", "--target", target, "--out=/no/such/folder/trace.json"]);
    says(&said, 1, &["/no/such/folder/trace.json: No such file"]);
    says(&tensorfleet(&["status", "--target=localhost"]), 1, &["--target is 'localhost': expected host:port"]);
    fleet.stop();
}

#[test]
fn servers_of_tensorflow_and_of_other_versions_are_told_apart() {
    let fleet = Fleet::start(&[("ps", 1)], &[]);
    let task = |index: u32| format!("/job:worker/replica:0/task:{index}");
    let foreign = Pretender { task: task(0), version: None }.serve();
    let old = Pretender { task: task(1), version: Some("0.0.1".to_owned()) }.serve();
    let cluster = json!({"ps": [fleet.address("ps", 0)], "worker": [foreign, old]});
    let found = wait_until("the servers", || {
        let found = on(&cluster, &["doctor", "--json", "--pairs=0"]).json();
        (found["tasks"][1]["is"] != "-" && found["tasks"][2]["is"] != "-").then_some(found)
    });
    assert_eq!((&found["ok"], &found["pairs"]), (&Value::from(true), &Value::from(3)), "{found}");
    assert_eq!(found["tasks"][1]["is"], "TensorFlow's server");
    assert_eq!((&found["tasks"][2]["is"], &found["tasks"][2]["version"]), (&json!("tensorfleet"), &json!("0.0.1")));
    let verdict = found["tasks"][2]["verdict"].as_str().unwrap_or_default();
    assert!(verdict.contains("is version 0.0.1, this is"), "{found}");
    // Neither runs steps, so nothing reaches them.
    let said = on(&cluster, &["doctor", "--pairs=1"]);
    says(&said, 1, &["Between tasks: 1 of 3 pairs", "do not reach each other"]);
    let status = on(&cluster, &["status", "--json", "--interval=0"]).json();
    assert_eq!(status["tasks"][2]["version"], "0.0.1", "{status}");
    let said = on(&cluster, &["status", "--interval=0"]);
    assert!(said.out.contains("TensorFlow"), "{}", said.out);
    for (command, word) in [
        (&["drain", "worker:0"][..], "/job:worker/task:0"),
        (&["drain", "worker:1"][..], "not there"),
        (&["placement", "no-session"][..], "no-session"),
    ] {
        let said = on(&cluster, command);
        assert!(said.code == Some(1) && !said.errors.is_empty(), "{command:?}: {}{}", said.out, said.errors);
        assert!(said.errors.contains(word) || said.errors.contains("UNIMPLEMENTED"), "{command:?}: {}", said.errors);
    }
    says(&tensorfleet(&["status", "--target", &foreign]), 1, &["is not a task of tensorfleet"]);
    fleet.stop();
}

#[test]
fn who_has_the_wrong_certificate_is_told_so() {
    let address = || format!("127.0.0.1:{}", free_port());
    let cluster = json!({"ps": [address()], "worker": [address()]});
    let folder = std::env::temp_dir().join(format!("tensorfleet-operate-certs-{}", std::process::id()));
    let certs = |name: &str| {
        let out = folder.join(name).display().to_string();
        says(&tensorfleet(&["certs", "new", "--cluster", &cluster.to_string(), "--out", &out]), 0, &[]);
        out
    };
    let (own, other) = (certs("own"), certs("other"));
    let keys = |folder: &str, name: &str| {
        ["cert", "key", "ca"].map(|kind| match kind {
            "cert" => format!("--tls_cert={folder}/{name}.pem"),
            "key" => format!("--tls_key={folder}/{name}.key"),
            _ => format!("--tls_ca={folder}/ca.pem"),
        })
    };
    let serve = |job: &str| {
        let keys = keys(&own, &format!("{job}-0"));
        let (cluster, job) = (cluster.to_string(), format!("--job_name={job}"));
        let mut flags = vec!["--cluster", &cluster, &job, "--task_index=0"];
        flags.extend(keys.iter().map(String::as_str));
        let mut server = crate::fleet::Process::serve(&flags);
        assert!(server.said(" at grpc://").is_some(), "{}", server.log.all());
        server
    };
    let _servers = [serve("ps"), serve("worker")];
    let with = |keys: &[String], command: &[&str]| {
        on(&cluster, &[command, &keys.iter().map(String::as_str).collect::<Vec<_>>()].concat())
    };
    for (keys, words) in [
        (vec![], "speaks TLS only"),
        (keys(&own, "client").to_vec(), "takes the certificate of an operator"),
        (keys(&other, "operator").to_vec(), "the TLS handshake failed"),
    ] {
        for command in OF_ALL {
            says(&with(&keys, command), 1, &[words]);
        }
        says(&with(&keys, &["doctor"]), 1, &["does not let this operator in", "check token and certificates"]);
        says(&with(&keys, &["drain", "worker:0"]), 1, &[words]);
        says(&with(&keys, &["placement", "no-session"]), 1, &[words]);
    }
    // With the right one all is well, and it is told until when.
    let found = with(&keys(&own, "operator"), &["doctor", "--json"]);
    assert_eq!(found.code, Some(0), "{}{}", found.out, found.errors);
    let found = found.json();
    let until = found["tasks"][0]["tls_valid_until"].as_i64().unwrap_or_default();
    assert!(until > 1_700_000_000, "{found}");
    assert!(found["between"][0]["bytes_per_second"].as_f64() > Some(0.0), "{found}");
    let said = with(&keys(&own, "operator"), &["doctor", "--pairs=0"]);
    says(&said, 0, &["TLS UNTIL", "all 2 tasks are well"]);
    let _ = std::fs::remove_dir_all(&folder);
}
