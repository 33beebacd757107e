//! Operating a cluster of real processes: every command, on tasks that are well and on tasks that are not.

mod bad;
mod dashboard;
mod doctor;
#[path = "../processes/fleet.rs"]
#[allow(dead_code)]
mod fleet;
mod page;
mod pretender;
#[path = "../processes/proxy.rs"]
#[allow(dead_code)]
mod proxy;
mod seen;
mod stuck;
mod unsent;

use std::process::Command;

use fleet::Fleet;
use serde_json::Value;

/// What a command wrote and how it ended.
pub struct Said {
    pub code: Option<i32>,
    pub out: String,
    pub errors: String,
}

impl Said {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {}{}", self.out, self.errors))
    }
}

/// Runs `tensorfleet` with these arguments.
pub fn tensorfleet(arguments: &[&str]) -> Said {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tensorfleet"));
    let output =
        command.args(arguments).env_remove("TF_CONFIG").env_remove("TENSORFLEET_LOG").output().expect("it runs");
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    Said { code: output.status.code(), out: text(&output.stdout), errors: text(&output.stderr) }
}

/// The cluster of these tests as a flag.
pub fn cluster(fleet: &Fleet, workers: u32) -> String {
    let workers: Vec<&str> = (0..workers).map(|task| fleet.address("worker", task)).collect();
    serde_json::json!({"ps": [fleet.address("ps", 0)], "worker": workers}).to_string()
}
