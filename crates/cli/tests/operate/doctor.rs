//! The doctor where tasks are not there yet, and where the folder of the log is no folder.

use std::process::{Command, Stdio};

use crate::fleet::{Process, free_port};
use crate::tensorfleet;

#[test]
fn the_doctor_waits_for_tasks_that_are_about_to_start() {
    let (ps, worker) = (format!("127.0.0.1:{}", free_port()), format!("127.0.0.1:{}", free_port()));
    let cluster = serde_json::json!({"ps": [ps], "worker": [worker]}).to_string();
    let serve = |job: &str| {
        let mut server = Process::serve(&["--cluster", &cluster, "--job_name", job, "--task_index=0"]);
        assert!(server.said(" at grpc://").is_some(), "{}", server.log.all());
        server
    };
    // Neither the task that is asked for the others is there, nor the other.
    let doctor = Command::new(env!("CARGO_BIN_EXE_tensorfleet"))
        .args(["doctor", "--target", &worker, "--json", "--pairs=0", "--wait=60"])
        .env_remove("TF_CONFIG")
        .stdout(Stdio::piped())
        .spawn()
        .expect("it runs");
    let _worker = serve("worker");
    let said = tensorfleet(&["doctor", "--target", &worker, "--json", "--pairs=0", "--wait=0.1"]);
    assert_eq!((said.code, &said.json()["ok"]), (Some(1), &false.into()), "{}{}", said.out, said.errors);
    let _ps = serve("ps");
    let output = doctor.wait_with_output().expect("it ends");
    let found: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!((output.status.code(), &found["ok"]), (Some(0), &true.into()), "{found}");
    assert_eq!(found["tasks"].as_array().map(Vec::len), Some(2), "{found}");
    // A folder of a store is asked of the store.
    let said = tensorfleet(&["doctor", "--target", &worker, "--pairs=0", "--logdir=hdfs://somewhere/runs"]);
    assert_eq!(said.code, Some(1), "{}{}", said.out, said.errors);
    assert!(said.out.contains("hdfs://somewhere/runs cannot be written (hdfs://somewhere/runs/"), "{}", said.out);
    assert!(said.out.contains("all tasks are well, the log folder is not"), "{}", said.out);
    assert!(!std::path::Path::new("hdfs:").exists());

    let nobody = format!("127.0.0.1:{}", free_port());
    let said = tensorfleet(&["doctor", "--target", &nobody, "--wait=0.1"]);
    assert!(said.code == Some(1) && said.errors.contains("is it started?"), "{}", said.errors);
    assert_eq!(tensorfleet(&["doctor", "--target", &nobody, "--wait=soon"]).code, Some(2));
}
