//! `tensorfleet serve`: the server of one task.

use std::io::Write;

use clap::Args;
use cluster::{Server, ServerOptions};
use runtime::ClusterSpec;
use tensor::{Result, bail, err};

#[derive(Args)]
pub struct Serve {
    /// The cluster, as JSON: '{"ps": ["host:2222"], "worker": ["host:2223"]}'. A job may also map task numbers to
    /// addresses: '{"worker": {"1": "host:2223"}}'.
    #[arg(long)]
    cluster: String,
    /// The job of this task.
    #[arg(long = "job_name", alias = "job-name")]
    job_name: String,
    /// The number of this task in its job.
    #[arg(long = "task_index", alias = "task-index", default_value_t = 0)]
    task_index: u32,
    /// Listen on this host:port instead of the task's own address.
    #[arg(long)]
    bind: Option<String>,
    /// How many CPU devices the task has.
    #[arg(long, default_value_t = 1)]
    cpu_devices: u32,
}

impl Serve {
    pub fn run(self) -> Result<()> {
        let cluster = parse_cluster(&self.cluster)?;
        let options = ServerOptions { cpu_devices: self.cpu_devices, bind: self.bind };
        let server = Server::new(&cluster, &self.job_name, self.task_index, ops::registry(), options)?;
        stop_on_signals(&server)?;
        let mut out = std::io::stdout();
        // Whoever started us may wait for this line; if nobody reads it, that is fine too.
        let _ = writeln!(out, "Server started: /job:{}/task:{} at {}", self.job_name, self.task_index, server.target());
        let _ = out.flush();
        server.join();
        tracing::info!("stopped");
        Ok(())
    }
}

fn parse_cluster(text: &str) -> Result<ClusterSpec> {
    let malformed = |what: &str| {
        err!(
            InvalidArgument,
            "--cluster: {what}; expected JSON such as {{\"ps\": [\"host:2222\"], \"worker\": [\"host:2223\"]}}"
        )
    };
    let value: serde_json::Value = serde_json::from_str(text).map_err(|error| malformed(&error.to_string()))?;
    let jobs = value.as_object().ok_or_else(|| malformed("not an object"))?;
    let mut cluster = ClusterSpec::default();
    for (job, tasks) in jobs {
        let address = |value: &serde_json::Value| {
            value.as_str().map(str::to_owned).ok_or_else(|| malformed("an address is not a string"))
        };
        match tasks {
            serde_json::Value::Array(list) => {
                for (task, value) in list.iter().enumerate() {
                    cluster.add(job, task as u32, address(value)?)?;
                }
            }
            serde_json::Value::Object(map) => {
                for (task, value) in map {
                    let task = task.parse().map_err(|_| malformed(&format!("'{task}' is not a task number")))?;
                    cluster.add(job, task, address(value)?)?;
                }
            }
            _ => bail!(
                InvalidArgument,
                "{}",
                malformed(&format!("job '{job}' is neither a list nor an object")).message()
            ),
        }
    }
    Ok(cluster)
}

/// SIGTERM and SIGINT stop the server cleanly.
fn stop_on_signals(server: &Server) -> Result<()> {
    use tokio::signal::unix::{SignalKind, signal};
    let stop = server.stopper();
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| err!(ResourceExhausted, "cannot listen for signals: {error}"))?;
    std::thread::spawn(move || {
        runtime.block_on(async {
            let (Ok(mut terminate), Ok(mut interrupt)) =
                (signal(SignalKind::terminate()), signal(SignalKind::interrupt()))
            else {
                return;
            };
            tokio::select! {
                _ = terminate.recv() => {}
                _ = interrupt.recv() => {}
            }
            stop();
        });
    });
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_come_as_lists_or_maps() {
        let cluster = parse_cluster(r#"{"ps": ["a:1"], "worker": {"3": "b:2"}}"#).unwrap();
        assert_eq!(cluster.address("worker", 3).unwrap(), "b:2");
        for bad in ["", "[]", r#"{"ps": 1}"#, r#"{"ps": [1]}"#, r#"{"ps": {"x": "a:1"}}"#, r#"{"ps": ["nowhere"]}"#] {
            assert!(parse_cluster(bad).is_err(), "{bad}");
        }
    }
}
