//! What Slurm and MPI launchers say to the processes that they start.

use std::fmt;

use clap::ValueEnum;
use tensor::{Result, bail, ensure, err};

use super::plan::{Plan, Task};
use super::slurm;

#[derive(Clone, Copy, Debug, PartialEq, ValueEnum)]
pub enum Launcher {
    /// The environment that srun gives to its tasks.
    Slurm,
    /// The environment of Open MPI's, MPICH's or Intel's mpirun.
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
    /// The first port on each machine, if the launcher gives reason to take another than the usual one.
    pub base_port: Option<u16>,
}

impl Rank {
    /// The cluster in which the first `ps` ranks are parameter servers and all others workers, and the task of this rank.
    ///
    /// # Errors
    /// `InvalidArgument` if there are not so many ranks, or if it is unknown where they are.
    pub fn plan(
        &self,
        ps: u32,
        workers: Option<u32>,
        hosts: &[String],
        base_port: Option<u16>,
    ) -> Result<(Plan, Task)> {
        let others = self.size.saturating_sub(ps);
        ensure!(
            others > 0 && workers.is_none_or(|wanted| wanted == others),
            InvalidArgument,
            "{} has started {} tasks, which are not {ps} ps and {} workers",
            self.launcher,
            self.size,
            workers.map_or("some".to_owned(), |workers| workers.to_string())
        );
        let hosts = if hosts.is_empty() { self.hosts.as_slice() } else { hosts };
        let plan = Plan::of_ranks(ps, others, hosts, base_port.or(self.base_port))?;
        let task = plan.tasks().nth(self.number as usize);
        let task = task.ok_or_else(|| err!(InvalidArgument, "there is no rank {}", self.number))?;
        Ok((plan, task))
    }
}

/// Which rank this process is; `None` if nothing has started it as one of several. `hosts` is what the user says of the machines.
///
/// # Errors
/// `InvalidArgument` if the environment says so in words that cannot be understood.
pub fn rank(hosts: &[String]) -> Result<Option<Rank>> {
    rank_in(&Variables::of_process(), hosts)
}

/// Which rank a launcher has given to this process; `hosts` is what the user says of the machines.
///
/// # Errors
/// `FailedPrecondition` if it was not started by it, `InvalidArgument` if the environment cannot be understood.
pub fn rank_of(launcher: Launcher, hosts: &[String]) -> Result<Rank> {
    of_launcher(launcher, &Variables::of_process(), hosts)
}

fn of_launcher(launcher: Launcher, variables: &Variables, hosts: &[String]) -> Result<Rank> {
    match launcher {
        Launcher::Slurm => {
            if let Some(rank) = slurm::step(variables)? {
                return Ok(rank);
            }
            match variables.first(&["SLURM_JOB_ID"]) {
                Some((_, job)) => {
                    bail!(FailedPrecondition, "in job {job} of Slurm, but not one of its tasks: start it with srun")
                }
                None => bail!(FailedPrecondition, "not in an allocation of Slurm: SLURM_JOB_ID is not set"),
            }
        }
        Launcher::Mpi => mpi(variables, hosts)?.ok_or_else(|| {
            err!(FailedPrecondition, "not started by mpirun: neither OMPI_COMM_WORLD_RANK nor PMI_RANK is set")
        }),
    }
}

fn rank_in(variables: &Variables, hosts: &[String]) -> Result<Option<Rank>> {
    let rank = match (slurm::step(variables)?, mpi(variables, hosts)?) {
        // An srun that also speaks to MPI programs. Where mpirun is within Slurm, the step is that of its helpers.
        (Some(step), Some(mpi)) if (step.number, step.size) != (mpi.number, mpi.size) => Some(mpi),
        (Some(step), _) => Some(step),
        (None, mpi) => mpi,
    };
    Ok(rank.filter(|rank| rank.size > 1))
}

/// Names of variables: rank, size, and how many ranks there are on this machine, as Open MPI, and MPICH and Intel MPI call them.
const MPI: [[&str; 3]; 2] = [
    ["OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_LOCAL_SIZE"],
    ["PMI_RANK", "PMI_SIZE", "MPI_LOCALNRANKS"],
];

fn mpi(variables: &Variables, hosts: &[String]) -> Result<Option<Rank>> {
    for [rank, size, local] in MPI {
        let (Some(number), Some(size)) = (variables.number(rank)?, variables.number(size)?) else { continue };
        ensure!(number < size, InvalidArgument, "{rank} is {number}, but there are {size} ranks");
        let here = variables.number(local)?.unwrap_or(size);
        ensure!(
            here >= size || !hosts.is_empty(),
            InvalidArgument,
            "mpirun has started {here} of {size} ranks on this machine and does not say where the others are: give its \
             --host list to --hosts too, as in --hosts a:{here},b:{}",
            size - here
        );
        return Ok(Some(Rank { launcher: Launcher::Mpi, number, size, hosts: Vec::new(), base_port: None }));
    }
    Ok(None)
}

/// The environment of a process, or what stands for it.
pub struct Variables<'a>(Box<dyn Fn(&str) -> Option<String> + 'a>);

impl Variables<'_> {
    pub fn of_process() -> Variables<'static> {
        Variables(Box::new(|name: &str| std::env::var(name).ok()))
    }

    /// The first of these that is set, and what it says.
    pub fn first<'n>(&self, names: &[&'n str]) -> Option<(&'n str, String)> {
        names.iter().find_map(|name| Some((*name, (self.0)(name)?)))
    }

    pub fn number(&self, name: &str) -> Result<Option<u32>> {
        let Some(text) = (self.0)(name) else { return Ok(None) };
        let number = text.parse().map_err(|_| err!(InvalidArgument, "{name} is '{text}', not a number"))?;
        Ok(Some(number))
    }
}

/// An environment for tests.
#[cfg(test)]
pub fn variables<'a>(all: &'a [(&'a str, &'a str)]) -> Variables<'a> {
    Variables(Box::new(move |name: &str| all.iter().find(|(key, _)| *key == name).map(|(_, value)| value.to_string())))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(all: &[(&str, &str)], hosts: &[String]) -> Result<Option<Rank>> {
        rank_in(&variables(all), hosts)
    }

    #[test]
    fn mpi_tells_ranks() {
        let rank = of(&[("OMPI_COMM_WORLD_RANK", "1"), ("OMPI_COMM_WORLD_SIZE", "2")], &[]).unwrap().unwrap();
        assert_eq!((rank.launcher, rank.number, rank.hosts.len()), (Launcher::Mpi, 1, 0));
        assert_eq!(of(&[("PMI_RANK", "0"), ("PMI_SIZE", "1")], &[]).unwrap(), None);
        assert!(of(&[("PMI_RANK", "3"), ("PMI_SIZE", "2")], &[]).is_err());
        assert!(of(&[("PMI_RANK", "-1"), ("PMI_SIZE", "2")], &[]).is_err());
    }

    #[test]
    fn ranks_on_several_machines_need_to_know_which() {
        let two = [("PMI_RANK", "1"), ("PMI_SIZE", "4"), ("MPI_LOCALNRANKS", "2")];
        let error = of(&two, &[]).unwrap_err();
        assert!(error.message().contains("2 of 4 ranks on this machine"), "{error}");
        let hosts = ["a:2".to_owned(), "b:2".to_owned()];
        let (plan, task) = of(&two, &hosts).unwrap().unwrap().plan(1, None, &hosts, None).unwrap();
        assert_eq!(plan.flags(&task)[..2], ["--ps_hosts=a:2222", "--worker_hosts=a:2223,b:2222,b:2223"]);
    }

    #[test]
    fn who_was_started_otherwise_is_told_so() {
        let message = |launcher, all: &[(&str, &str)]| {
            of_launcher(launcher, &variables(all), &[]).unwrap_err().message().to_owned()
        };
        assert!(message(Launcher::Slurm, &[]).starts_with("not in an allocation of Slurm"));
        let batch = [("SLURM_JOB_ID", "7"), ("SLURM_PROCID", "0")];
        assert_eq!(message(Launcher::Slurm, &batch), "in job 7 of Slurm, but not one of its tasks: start it with srun");
        assert!(message(Launcher::Mpi, &[]).starts_with("not started by mpirun"));
    }
}
