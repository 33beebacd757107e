//! Which tasks there are and where: the cluster, and what each task is told of it.

use std::collections::HashMap;
use std::fmt;
use std::net::TcpListener;

use runtime::ClusterSpec;
use serde_json::json;
use tensor::{Result, ensure, err};

/// The first port where nobody says another: that of TensorFlow's documents.
pub const BASE_PORT: u16 = 2222;

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
        let machines: Vec<String> = with_slots(hosts)?.into_iter().cycle().take(count).collect();
        Plan::on(ps, machines, base_port.unwrap_or(BASE_PORT))
    }

    /// Tasks on these machines, one each.
    pub fn on(ps: u32, machines: Vec<String>, base_port: u16) -> Result<Plan> {
        let addresses = addresses(&machines, base_port)?;
        Ok(Plan::of(ps, addresses, machines.into_iter().map(Some).collect()))
    }

    /// Tasks that something else has started already, rank by rank; `hosts` names the machines in the order of their ranks, or is
    /// empty.
    pub fn of_ranks(ps: u32, workers: u32, hosts: &[String], base_port: Option<u16>) -> Result<Plan> {
        let count = (ps + workers) as usize;
        let machines = match hosts {
            [] => vec!["127.0.0.1".to_owned(); count],
            hosts => with_slots(hosts)?.into_iter().cycle().take(count).collect(),
        };
        Ok(Plan::of(ps, addresses(&machines, base_port.unwrap_or(BASE_PORT))?, vec![None; count]))
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

    /// The cluster that these tasks make up.
    ///
    /// # Errors
    /// `InvalidArgument` if one of the addresses is none.
    pub fn cluster(&self) -> Result<ClusterSpec> {
        let jobs = [("ps", self.ps.clone()), ("worker", self.workers.clone())];
        ClusterSpec::new(jobs.into_iter().filter(|(_, hosts)| !hosts.is_empty()))
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

/// Machines as mpirun takes them, spelt out: `a:2,b` is a, a, b.
fn with_slots(hosts: &[String]) -> Result<Vec<String>> {
    let mut all = Vec::new();
    for host in hosts {
        let (name, slots) = match host.rsplit_once(':') {
            Some((name, slots)) if !name.contains(':') => (name, slots.parse::<usize>().ok()),
            _ => (host.as_str(), Some(1)),
        };
        let slots = slots.filter(|slots| (1..=1000).contains(slots) && !name.is_empty());
        let slots = slots
            .ok_or_else(|| err!(InvalidArgument, "--hosts has '{host}', which is neither a name nor name:tasks"))?;
        all.extend(std::iter::repeat_n(name.to_owned(), slots));
    }
    Ok(all)
}

/// The addresses of tasks on these machines; a machine's second task has its second port.
fn addresses(machines: &[String], base: u16) -> Result<Vec<String>> {
    let mut used: HashMap<&str, usize> = HashMap::new();
    let mut addresses = Vec::new();
    for machine in machines {
        let next = used.entry(machine).or_default();
        *next += 1;
        addresses.push(format!("{machine}:{}", ports_from(base, *next)?[*next - 1]));
    }
    Ok(addresses)
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
        let plan = Plan::of_ranks(1, 2, &hosts(&["a:2", "b"]), None).unwrap();
        assert_eq!((plan.ps.join(","), plan.workers.join(",")), ("a:2222".to_owned(), "a:2223,b:2222".to_owned()));
        let plan = Plan::of_ranks(1, 1, &[], None).unwrap();
        assert_eq!(plan.workers, ["127.0.0.1:2223"]);
        for bad in ["a:", ":2", "a:0", "a:x", ""] {
            assert!(Plan::of_ranks(1, 2, &hosts(&[bad]), None).is_err(), "{bad}");
        }
        assert!(Plan::of_ranks(0, 3000, &[], Some(64_000)).is_err());
    }

    #[test]
    fn the_environment_names_cluster_and_task() {
        let plan = Plan::new(0, 1, &[], Some(3000)).unwrap();
        let config: serde_json::Value = serde_json::from_str(&plan.tf_config(&plan.tasks().next().unwrap())).unwrap();
        assert_eq!(config, json!({"cluster": {"worker": ["127.0.0.1:3000"]}, "task": {"type": "worker", "index": 0}}));
    }
}
