//! The page: a cluster and a folder of event files and checkpoints, in a browser. `tensorfleet dashboard` serves it, and so do
//! `serve --dashboard_port` and `train --open`.
//!
//! The page is a few files that are part of this program; what it shows comes as JSON from `/api`. Nothing is asked of the
//! cluster and no file is read while nobody looks.

mod access;
mod api;
mod assets;
mod checkpoints;
mod cluster_view;
mod curves;
mod event_folder;
mod graph_view;
mod graphs;
mod live;
mod run_events;
mod scopes;
mod server;

use std::net::{IpAddr, Ipv4Addr};
use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use cluster::Security;
use files::place;
use runtime::ClusterSpec;
use tensor::{Result, ensure};

use super::{ClusterFlags, Task, ensure_tasks};
use crate::output;
pub use server::{Served, start};

/// Where the page is looked for if nobody says otherwise.
const USUAL_PORT: u16 = 6007;
/// How long a task may take to answer before the page shows it as lost.
const PATIENCE: Duration = Duration::from_secs(3);

#[derive(Args)]
pub struct DashboardCommand {
    /// A folder with event files and checkpoints, or a task of a cluster as host:port; one of each is fine.
    #[arg(value_name = "LOGDIR|TARGET", num_args = 0..=2)]
    what: Vec<String>,
    #[command(flatten)]
    cluster: ClusterFlags,
    /// Serve the page on this port, 0 for any free one [default: 6007, or a free one if that is taken].
    #[arg(long)]
    port: Option<u16>,
    /// Serve it on this address. Beyond loopback whoever looks needs the key that is printed.
    #[arg(long, default_value_t = IpAddr::V4(Ipv4Addr::LOCALHOST))]
    host: IpAddr,
    /// Open it in a browser.
    #[arg(long)]
    open: bool,
}

/// What a page shows, and who may steer from it.
pub struct Shown {
    pub tasks: Vec<Task>,
    pub logdir: Option<PathBuf>,
    pub security: Security,
}

impl DashboardCommand {
    pub fn run(mut self) -> Result<bool> {
        let (mut logdir, mut targets) = (None, Vec::new());
        for what in self.what.drain(..) {
            if is_target(&what) {
                targets.push(what);
            } else {
                ensure!(logdir.is_none(), InvalidArgument, "two folders are given; one can be shown");
                logdir = Some(PathBuf::from(what));
            }
        }
        ensure!(
            targets.len() + usize::from(self.cluster.target.is_some()) <= 1,
            InvalidArgument,
            "two targets are given; any one task of the cluster tells where the others are"
        );
        self.cluster.target = targets.pop().or(self.cluster.target.take());
        let named = self.cluster.target.is_some() || self.cluster.described(None).is_ok();
        let in_environment = std::env::var_os("TF_CONFIG").is_some();
        ensure!(
            named || in_environment || logdir.is_some(),
            InvalidArgument,
            "nothing is given to show: name a LOGDIR, or a task of a cluster as HOST:PORT, or use --cluster or TF_CONFIG"
        );
        if let Some(folder) = logdir.as_deref().filter(|folder| !place::exists(folder)) {
            output::error_line(format_args!("there is nothing at {} yet; what comes will be shown", folder.display()));
        }
        let tasks = if named || logdir.is_none() {
            let tasks = self.cluster.tasks()?;
            ensure_tasks(&tasks)?;
            tasks
        } else {
            Vec::new()
        };
        let security = self.cluster.keys.clone().security()?;
        let shown = Shown { tasks, logdir, security };
        let served = start(self.host, self.port, shown)?;
        output::line(format_args!("Dashboard: {}", served.url));
        if self.open {
            open_in_browser(&served.url);
        }
        served.wait();
        Ok(true)
    }
}

/// The tasks of a cluster, for the page of one of them. It is asked at the address where it really listens.
pub fn tasks_of(cluster: &ClusterSpec, own: (&str, u32), target: &str, security: &Security) -> Result<Vec<Task>> {
    let mut tasks = Vec::new();
    for (job, task) in cluster.tasks() {
        let own_address = target.trim_start_matches("grpc://");
        let address = if (job, task) == own { own_address } else { cluster.address(job, task)? };
        tasks.push(Task::new(job, task, address, security)?);
    }
    tasks.sort_by(|one, other| super::words::in_order(&one.name, &other.name));
    Ok(tasks)
}

/// Lets the desktop open an address, if there is one. Nobody waits for it, and that it fails is no harm.
pub fn open_in_browser(url: &str) {
    use std::process::{Command, Stdio};
    let opener = if cfg!(target_os = "macos") { "open" } else { "xdg-open" };
    let quiet = || Stdio::null();
    if let Ok(mut child) = Command::new(opener).arg(url).stdin(quiet()).stdout(quiet()).stderr(quiet()).spawn() {
        std::thread::spawn(move || child.wait());
    }
}

/// Whether an argument names a task, as in `localhost:2222`, and not a folder.
fn is_target(what: &str) -> bool {
    let address = what.strip_prefix("grpc://").unwrap_or(what);
    let port = address.rsplit_once(':').map(|(host, port)| !host.is_empty() && port.parse::<u16>().is_ok());
    port.unwrap_or(false) && !address.contains('/') && !std::path::Path::new(what).exists()
}

#[cfg(test)]
mod tests {
    use super::is_target;

    #[test]
    fn tasks_and_folders_are_told_apart() {
        for target in ["localhost:2222", "grpc://10.0.0.1:80", "[::1]:2222"] {
            assert!(is_target(target), "{target}");
        }
        for folder in ["logs", "/tmp/logs:3", "logs/a:1", "c:d", ":80", "."] {
            assert!(!is_target(folder), "{folder}");
        }
    }
}
