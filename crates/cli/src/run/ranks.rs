//! What Slurm and MPI launchers say to the processes that they start.

use std::fmt;

use tensor::{Result, err};

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Launcher {
    Slurm,
    Mpi,
}

impl fmt::Display for Launcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Launcher::Slurm => "srun",
            Launcher::Mpi => "mpirun",
        })
    }
}

/// One of several processes of a job.
#[derive(Debug, PartialEq)]
pub struct Rank {
    pub launcher: Launcher,
    pub number: u32,
    pub size: u32,
    /// The machine of each rank, if the launcher tells.
    pub hosts: Vec<String>,
}

/// Which rank this process is; `None` if nothing has started it as one of several.
///
/// # Errors
/// `InvalidArgument` if the environment says so in words that cannot be understood.
pub fn rank() -> Result<Option<Rank>> {
    rank_in(&|name| std::env::var(name).ok())
}

fn rank_in(variable: &dyn Fn(&str) -> Option<String>) -> Result<Option<Rank>> {
    let number = |name: &str| -> Result<Option<u32>> {
        let Some(text) = variable(name) else { return Ok(None) };
        let number = text.parse().map_err(|_| err!(InvalidArgument, "{name} is {text}, not a number"))?;
        Ok(Some(number))
    };
    // A batch script has SLURM_PROCID too, but no step.
    if let (Some(rank), Some(size), Some(_)) =
        (number("SLURM_PROCID")?, number("SLURM_STEP_NUM_TASKS")?, variable("SLURM_STEP_NODELIST"))
    {
        let nodes = expand(&variable("SLURM_STEP_NODELIST").unwrap_or_default())?;
        let counts = counts(&variable("SLURM_STEP_TASKS_PER_NODE").unwrap_or_default())?;
        let hosts: Vec<String> =
            nodes.iter().zip(counts).flat_map(|(node, count)| vec![node.clone(); count as usize]).collect();
        let hosts = if hosts.len() == size as usize { hosts } else { nodes };
        return Ok((size > 1).then_some(Rank { launcher: Launcher::Slurm, number: rank, size, hosts }));
    }
    for (rank, size) in [("OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"), ("PMI_RANK", "PMI_SIZE")] {
        if let (Some(rank), Some(size)) = (number(rank)?, number(size)?) {
            return Ok((size > 1).then_some(Rank { launcher: Launcher::Mpi, number: rank, size, hosts: Vec::new() }));
        }
    }
    Ok(None)
}

/// More machines than this are a mistake.
const MAX_NODES: u64 = 100_000;

/// Slurm's `node[1-3,07],gpu5`, spelt out.
fn expand(list: &str) -> Result<Vec<String>> {
    let malformed = || err!(InvalidArgument, "the list of nodes {list} cannot be understood");
    let (mut nodes, mut rest) = (Vec::new(), list);
    while !rest.is_empty() {
        let end = rest.find([',', '[']).unwrap_or(rest.len());
        let (name, after) = rest.split_at(end);
        if let Some(after) = after.strip_prefix('[') {
            let (ranges, after) = after.split_once(']').ok_or_else(malformed)?;
            for range in ranges.split(',') {
                let (first, last) = range.split_once('-').unwrap_or((range, range));
                let (from, to): (u64, u64) =
                    (first.parse().map_err(|_| malformed())?, last.parse().map_err(|_| malformed())?);
                if to < from || to - from > MAX_NODES {
                    return Err(malformed());
                }
                nodes.extend((from..=to).map(|number| format!("{name}{number:0width$}", width = first.len())));
            }
            rest = after.strip_prefix(',').unwrap_or(after);
        } else {
            nodes.push(name.to_owned());
            rest = after.strip_prefix(',').unwrap_or(after);
        }
    }
    Ok(nodes)
}

/// Slurm's `2(x3),1`: how many tasks are on each node.
fn counts(text: &str) -> Result<Vec<u32>> {
    let malformed = || err!(InvalidArgument, "the tasks of nodes {text} cannot be understood");
    let mut counts = Vec::new();
    for item in text.split(',').filter(|item| !item.is_empty()) {
        let (count, times) = match item.split_once("(x") {
            Some((count, times)) => (count, times.strip_suffix(')').ok_or_else(malformed)?),
            None => (item, "1"),
        };
        let times: u64 = times.parse().map_err(|_| malformed())?;
        if times > MAX_NODES {
            return Err(malformed());
        }
        counts.extend(vec![count.parse::<u32>().map_err(|_| malformed())?; times as usize]);
    }
    Ok(counts)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(variables: &[(&str, &str)]) -> Result<Option<Rank>> {
        rank_in(&|name| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string()))
    }

    #[test]
    fn slurm_tells_ranks_and_machines() {
        let step = [
            ("SLURM_PROCID", "3"),
            ("SLURM_STEP_NUM_TASKS", "5"),
            ("SLURM_STEP_NODELIST", "n[09-10],gpu5"),
            ("SLURM_STEP_TASKS_PER_NODE", "2(x2),1"),
        ];
        let rank = of(&step).unwrap().unwrap();
        assert_eq!((rank.launcher, rank.number, rank.size), (Launcher::Slurm, 3, 5));
        assert_eq!(rank.hosts, ["n09", "n09", "n10", "n10", "gpu5"]);
        assert_eq!(of(&step[..1]).unwrap(), None);
        assert!(of(&[("SLURM_PROCID", "x")]).is_err());
    }

    #[test]
    fn mpi_tells_ranks() {
        let rank = of(&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "2")]).unwrap().unwrap();
        assert_eq!((rank.launcher, rank.number, rank.hosts.len()), (Launcher::Mpi, 1, 0));
        assert_eq!(of(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")]).unwrap(), None);
    }

    #[test]
    fn lists_of_nodes_are_spelt_out() {
        assert_eq!(expand("a").unwrap(), ["a"]);
        assert_eq!(expand("a-1,b[2,4-5],c").unwrap(), ["a-1", "b2", "b4", "b5", "c"]);
        for bad in ["a[1", "a[x]", "a[2-1]", "a[0-99999999]"] {
            assert!(expand(bad).is_err(), "{bad}");
        }
        assert!(counts("1(x").is_err() && counts("1(x99999999999)").is_err());
    }
}
