//! Which tasks there are and where: the cluster, and what each task is told of it.

use std::fmt;
use std::net::TcpListener;

use serde_json::json;
use tensor::{Result, ensure};

/// The first port where nobody says another: that of TensorFlow's documents.
const BASE_PORT: u16 = 2222;

pub struct Plan {
    ps: Vec<String>,
    workers: Vec<String>,
    /// The machine of each task, `None` for this one.
    machines: Vec<Option<String>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Task {
    pub job: &'static str,
    pub index: u32,
    pub machine: Option<String>,
}

impl fmt::Display for Task {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.job, self.index)
    }
}

impl Plan {
    /// Tasks on this machine, or dealt out to `hosts` one by one.
    pub fn new(ps: u32, workers: u32, hosts: &[String], base_port: Option<u16>) -> Result<Plan> {
        let count = (ps + workers) as usize;
        if hosts.is_empty() {
            let ports = match base_port {
                Some(base) => ports_from(base, count)?,
                None => free_ports(count)?,
            };
            let addresses = ports.iter().map(|port| format!("127.0.0.1:{port}")).collect();
            return Ok(Plan::of(ps, addresses, vec![None; count]));
        }
        let addresses = spread(hosts, count, base_port.unwrap_or(BASE_PORT))?;
        let machines = hosts.iter().cycle().take(count).cloned().map(Some).collect();
        Ok(Plan::of(ps, addresses, machines))
    }

    /// Tasks that something else has started already, rank by rank; `hosts` names the machine of each, or is empty.
    pub fn of_ranks(ps: u32, workers: u32, hosts: &[String], base_port: Option<u16>) -> Result<Plan> {
        let count = (ps + workers) as usize;
        let base = base_port.unwrap_or(BASE_PORT);
        let addresses = match hosts.len() {
            0 => ports_from(base, count)?.iter().map(|port| format!("127.0.0.1:{port}")).collect(),
            given if given == count => {
                let port = |(rank, host): (usize, &String)| {
                    let earlier = hosts[..rank].iter().filter(|other| *other == host).count();
                    Ok(format!("{host}:{}", ports_from(base, earlier + 1)?[earlier]))
                };
                hosts.iter().enumerate().map(port).collect::<Result<Vec<_>>>()?
            }
            _ => spread(hosts, count, base)?,
        };
        Ok(Plan::of(ps, addresses, vec![None; count]))
    }

    fn of(ps: u32, mut addresses: Vec<String>, machines: Vec<Option<String>>) -> Plan {
        let workers = addresses.split_off(ps as usize);
        Plan { ps: addresses, workers, machines }
    }

    pub fn tasks(&self) -> impl Iterator<Item = Task> + '_ {
        let ps = (0..self.ps.len()).map(|index| ("ps", index));
        let workers = (0..self.workers.len()).map(|index| ("worker", index));
        let tasks = ps.chain(workers).zip(&self.machines);
        tasks.map(|((job, index), machine)| Task { job, index: index as u32, machine: machine.clone() })
    }

    /// The flags of the documents' programs.
    pub fn flags(&self, task: &Task) -> [String; 4] {
        [
            format!("--ps_hosts={}", self.ps.join(",")),
            format!("--worker_hosts={}", self.workers.join(",")),
            format!("--job_name={}", task.job),
            format!("--task_index={}", task.index),
        ]
    }

    pub fn tf_config(&self, task: &Task) -> String {
        let mut cluster = json!({"worker": self.workers});
        if !self.ps.is_empty() {
            cluster["ps"] = json!(self.ps);
        }
        json!({"cluster": cluster, "task": {"type": task.job, "index": task.index}}).to_string()
    }
}

/// Tasks dealt out to machines one by one; a machine's second task has its second port.
fn spread(hosts: &[String], count: usize, base: u16) -> Result<Vec<String>> {
    let ports = ports_from(base, count.div_ceil(hosts.len()))?;
    let all = ports.iter().flat_map(|port| hosts.iter().map(move |host| format!("{host}:{port}")));
    Ok(all.take(count).collect())
}

fn ports_from(base: u16, count: usize) -> Result<Vec<u16>> {
    let last = usize::from(base) + count;
    ensure!(last <= usize::from(u16::MAX), InvalidArgument, "there are no {count} ports from {base} on");
    Ok((base..).take(count).collect())
}

/// Ports that nobody listens on just now.
pub fn free_ports(count: usize) -> Result<Vec<u16>> {
    let listeners = (0..count).map(|_| TcpListener::bind("127.0.0.1:0")).collect::<std::io::Result<Vec<_>>>()?;
    let ports = listeners.iter().map(|listener| Ok(listener.local_addr()?.port()));
    Ok(ports.collect::<std::io::Result<Vec<_>>>()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn hosts(names: &[&str]) -> Vec<String> {
        names.iter().map(ToString::to_string).collect()
    }

    #[test]
    fn tasks_are_dealt_out_to_machines() {
        let plan = Plan::new(1, 3, &hosts(&["a", "b"]), None).unwrap();
        assert_eq!(
            (plan.ps.join(","), plan.workers.join(",")),
            ("a:2222".to_owned(), "b:2222,a:2223,b:2223".to_owned())
        );
        let last = plan.tasks().last().unwrap();
        assert_eq!((last.to_string(), last.machine.as_deref()), ("worker 2".to_owned(), Some("b")));
        assert_eq!(plan.flags(&last)[3], "--task_index=2");
    }

    #[test]
    fn ranks_are_where_they_were_started() {
        let plan = Plan::of_ranks(1, 2, &hosts(&["a", "a", "b"]), Some(4000)).unwrap();
        assert_eq!((plan.ps.join(","), plan.workers.join(",")), ("a:4000".to_owned(), "a:4001,b:4000".to_owned()));
        let plan = Plan::of_ranks(1, 1, &[], None).unwrap();
        assert_eq!(plan.workers, ["127.0.0.1:2223"]);
        assert!(Plan::of_ranks(0, 3000, &[], Some(64_000)).is_err());
    }

    #[test]
    fn the_environment_names_cluster_and_task() {
        let plan = Plan::new(0, 1, &[], Some(3000)).unwrap();
        let config: serde_json::Value = serde_json::from_str(&plan.tf_config(&plan.tasks().next().unwrap())).unwrap();
        assert_eq!(config, json!({"cluster": {"worker": ["127.0.0.1:3000"]}, "task": {"type": "worker", "index": 0}}));
    }
}
