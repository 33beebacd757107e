//! What Slurm says in the environment of its processes: which of a step's tasks this is, or which nodes an allocation has.

use tensor::{Result, bail, ensure, err};

use super::node_list::{counts, nodes};
use super::ranks::{Launcher, Rank, Variables};

/// Steps from this number on are Slurm's own: the batch script, the shell of `salloc`.
const OWN_STEPS: u32 = 0xffff_fff0;

/// Where the tasks of an allocation go.
#[derive(Debug, PartialEq)]
pub struct Allocation {
    /// The machine of each task.
    pub hosts: Vec<String>,
    pub base_port: u16,
}

/// Which of the tasks of an `srun` this process is; `None` if it is none of them.
///
/// # Errors
/// `InvalidArgument` if the environment says so in words that cannot be understood, or that do not agree with each other.
pub fn step(variables: &Variables) -> Result<Option<Rank>> {
    let Some(number) = variables.number("SLURM_PROCID")? else { return Ok(None) };
    if !is_in_step(variables)? {
        return Ok(None);
    }
    let size = variables.first(&["SLURM_STEP_NUM_TASKS", "SLURM_NTASKS", "SLURM_NPROCS"]);
    let (name, _) = size.ok_or_else(|| missing("SLURM_STEP_NUM_TASKS", "how many tasks there are"))?;
    let size = variables.number(name)?.unwrap_or(0);
    ensure!(number < size, InvalidArgument, "SLURM_PROCID is {number}, but {name} is {size}");
    let names = [
        ["SLURM_STEP_NODELIST", "SLURM_JOB_NODELIST", "SLURM_NODELIST"],
        ["SLURM_STEP_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE", "SLURM_TASKS_PER_NODE"],
    ];
    let (nodes, counts) = placed(variables, &names)?;
    let hosts = dealt(&nodes, &counts, variables.first(&["SLURM_DISTRIBUTION"]).map(|(_, text)| text).as_deref())?;
    ensure!(
        hosts.len() == size as usize,
        InvalidArgument,
        "{name} is {size}, but the nodes '{}' have {} tasks",
        nodes.join(","),
        hosts.len()
    );
    if let Some(node) = variables.number("SLURM_NODEID")? {
        let (here, planned) = (nodes.get(node as usize), &hosts[number as usize]);
        ensure!(
            here == Some(planned),
            InvalidArgument,
            "task {number} should be on {planned}, but it is on {} (SLURM_NODEID is {node}); start it with srun \
             --distribution=block or cyclic",
            here.map_or("none of the step's nodes", String::as_str)
        );
    }
    Ok(Some(Rank { launcher: Launcher::Slurm, number, size, hosts, base_port: Some(base_port(variables)?) }))
}

/// The allocation that this process is in without being one of its tasks: that of a batch script or of `salloc`'s shell.
///
/// # Errors
/// `InvalidArgument` if the environment says so in words that cannot be understood.
pub fn allocation(variables: &Variables) -> Result<Option<Allocation>> {
    let nodes = ["SLURM_JOB_NODELIST", "SLURM_NODELIST"];
    if variables.first(&nodes).is_none() || variables.first(&["SLURM_JOB_ID"]).is_none() || is_in_step(variables)? {
        return Ok(None);
    }
    let names = [[nodes[0], nodes[1], nodes[1]], ["SLURM_TASKS_PER_NODE"; 3]];
    let (nodes, counts) = placed(variables, &names)?;
    Ok(Some(Allocation { hosts: dealt(&nodes, &counts, None)?, base_port: base_port(variables)? }))
}

/// The arguments of an `srun` within an allocation that starts one task on one of its nodes, beside others that run there.
pub fn one_task_on(node: &str) -> Vec<String> {
    let mut arguments =
        ["--overlap", "--nodes=1", "--ntasks=1", "--export=ALL", "--unbuffered"].map(str::to_owned).to_vec();
    arguments.push(format!("--nodelist={node}"));
    // A step does not take this from its job by itself.
    arguments.extend(std::env::var("SLURM_CPUS_PER_TASK").ok().map(|cpus| format!("--cpus-per-task={cpus}")));
    arguments
}

fn is_in_step(variables: &Variables) -> Result<bool> {
    let id = match variables.number("SLURM_STEP_ID")? {
        None => variables.number("SLURM_STEPID")?,
        id => id,
    };
    Ok(id.map_or_else(|| variables.first(&["SLURM_STEP_NODELIST"]).is_some(), |id| id < OWN_STEPS))
}

/// The nodes, and how many tasks each has.
fn placed(variables: &Variables, [lists, tasks]: &[[&str; 3]; 2]) -> Result<(Vec<String>, Vec<u32>)> {
    let (_, list) = variables.first(lists).ok_or_else(|| missing(lists[0], "which nodes there are"))?;
    let (name, text) = variables.first(tasks).ok_or_else(|| missing(tasks[0], "how many tasks each node has"))?;
    let (nodes, counts) = (nodes(&list)?, counts(&text)?);
    ensure!(
        nodes.len() == counts.len(),
        InvalidArgument,
        "{name} is '{text}', which is for {} nodes, but '{list}' has {}",
        counts.len(),
        nodes.len()
    );
    Ok((nodes, counts))
}

fn missing(name: &str, what: &str) -> tensor::Status {
    err!(InvalidArgument, "{name} is not set: Slurm does not say {what}")
}

/// The machine of each task: node after node, or one by one in turn.
fn dealt(nodes: &[String], counts: &[u32], distribution: Option<&str>) -> Result<Vec<String>> {
    match distribution.unwrap_or("block").split([':', ',']).next() {
        Some("cyclic") => {
            let rounds = 0..counts.iter().copied().max().unwrap_or(0);
            let has = |round: u32| nodes.iter().zip(counts).filter(move |(_, count)| **count > round);
            Ok(rounds.flat_map(|round| has(round).map(|(node, _)| node.clone())).collect())
        }
        Some("block" | "*" | "unknown" | "") => {
            let tasks = nodes.iter().zip(counts);
            Ok(tasks.flat_map(|(node, count)| std::iter::repeat_n(node.clone(), *count as usize)).collect())
        }
        _ => bail!(
            InvalidArgument,
            "srun --distribution={} is not known here; use block or cyclic",
            distribution.unwrap_or_default()
        ),
    }
}

/// Jobs of one machine have ports of their own: 64 each, below those that the system gives to clients.
fn base_port(variables: &Variables) -> Result<u16> {
    let job = variables.number("SLURM_JOB_ID")?;
    // 10000 to 32399, so it fits.
    Ok(job.map_or(super::plan::BASE_PORT, |job| 10_000 + 64 * (job % 350) as u16))
}

#[cfg(test)]
mod tests {
    use super::super::ranks::variables;
    use super::*;

    const STEP: [(&str, &str); 7] = [
        ("SLURM_JOB_ID", "352"),
        ("SLURM_STEP_ID", "0"),
        ("SLURM_PROCID", "3"),
        ("SLURM_NODEID", "1"),
        ("SLURM_STEP_NUM_TASKS", "5"),
        ("SLURM_STEP_NODELIST", "n[09-10],gpu5"),
        ("SLURM_STEP_TASKS_PER_NODE", "2(x2),1"),
    ];

    #[test]
    fn a_step_tells_ranks_machines_and_ports() {
        let rank = step(&variables(&STEP)).unwrap().unwrap();
        assert_eq!((rank.launcher, rank.number, rank.size, rank.base_port), (Launcher::Slurm, 3, 5, Some(10_128)));
        assert_eq!(rank.hosts, ["n09", "n09", "n10", "n10", "gpu5"]);
        let mut cyclic = STEP.to_vec();
        cyclic.push(("SLURM_DISTRIBUTION", "cyclic"));
        cyclic[3] = ("SLURM_NODEID", "0");
        assert_eq!(step(&variables(&cyclic)).unwrap().unwrap().hosts, ["n09", "n10", "gpu5", "n09", "n10"]);
        // Older ones name the job's variables only.
        let older = [
            ("SLURM_STEPID", "0"),
            ("SLURM_PROCID", "0"),
            ("SLURM_NTASKS", "1"),
            ("SLURM_NODELIST", "a"),
            ("SLURM_TASKS_PER_NODE", "1"),
        ];
        let rank = step(&variables(&older)).unwrap().unwrap();
        assert_eq!((rank.hosts, rank.base_port), (vec!["a".to_owned()], Some(2222)));
    }

    #[test]
    fn a_batch_script_has_an_allocation_but_is_no_task() {
        let batch = [
            ("SLURM_JOB_ID", "7"),
            ("SLURM_PROCID", "0"),
            ("SLURM_JOB_NODELIST", "n[1-2]"),
            ("SLURM_TASKS_PER_NODE", "2,1"),
            ("SLURM_NTASKS", "3"),
        ];
        assert_eq!(step(&variables(&batch)).unwrap(), None);
        let hosts = ["n1", "n1", "n2"].map(str::to_owned).to_vec();
        assert_eq!(allocation(&variables(&batch)).unwrap(), Some(Allocation { hosts, base_port: 10_448 }));
        // The shell of `salloc` is a step of Slurm's own.
        let mut shell = batch.to_vec();
        shell.push(("SLURM_STEP_ID", "4294967290"));
        assert!(step(&variables(&shell)).unwrap().is_none() && allocation(&variables(&shell)).unwrap().is_some());
        assert_eq!(allocation(&variables(&STEP)).unwrap(), None);
        assert_eq!(allocation(&variables(&[])).unwrap(), None);
    }

    #[test]
    fn what_does_not_agree_is_refused() {
        let message = |at: usize, variable| {
            let mut step_variables = STEP.to_vec();
            step_variables[at] = variable;
            step(&variables(&step_variables)).unwrap_err().message().to_owned()
        };
        assert_eq!(message(2, ("SLURM_PROCID", "x")), "SLURM_PROCID is 'x', not a number");
        assert_eq!(message(2, ("SLURM_PROCID", "5")), "SLURM_PROCID is 5, but SLURM_STEP_NUM_TASKS is 5");
        assert!(message(3, ("SLURM_NODEID", "2")).starts_with("task 3 should be on n10, but it is on gpu5"));
        assert!(message(4, ("OTHER", "")).starts_with("SLURM_STEP_NUM_TASKS is not set"));
        assert!(message(4, ("SLURM_STEP_NUM_TASKS", "4")).ends_with("have 5 tasks"));
        assert!(message(5, ("SLURM_STEP_NODELIST", "n[1")).contains("a bracket is not closed"));
        assert!(message(6, ("SLURM_STEP_TASKS_PER_NODE", "5")).contains("which is for 1 nodes"));
        assert!(message(0, ("SLURM_DISTRIBUTION", "plane")).contains("use block or cyclic"));
    }
}
