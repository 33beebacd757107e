//! `tensorfleet run`: any program as the tasks of a cluster.

mod guard;
mod node_list;
mod plan;
mod ranks;
mod screen;
mod slurm;
mod ssh;
mod tasks;

use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode};
use std::time::{Duration, Instant};

use clap::{Args, ValueEnum};
pub use guard::RunTask;
use plan::Plan;
pub use plan::free_ports;
pub use ranks::{Launcher, rank_of};
use ranks::{Rank, Variables, rank};
use screen::Screen;
use slurm::allocation;
use tasks::{Event, Tasks};
use tensor::{Result, Status, ensure};

use crate::output;

/// How often tasks are started again in all.
const RESTARTS: u32 = 3;

/// Start a program as the tasks of a cluster, here or on several machines.
///
/// Every task gets TF_CONFIG in its environment and the flags --ps_hosts, --worker_hosts, --job_name and --task_index. When all
/// workers have ended, the parameter servers are ended too. Under srun and mpirun each process that these start becomes the task
/// of its rank; in a batch script of Slurm, tasks are started on all nodes of the allocation.
#[derive(Args)]
pub struct Run {
    /// How many parameter servers.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u32).range(0..=1000))]
    ps: u32,
    /// How many workers [default: 2; all other tasks under Slurm or mpirun].
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=1000))]
    workers: Option<u32>,
    /// Add --sync_replicas=True to the program's flags.
    #[arg(long)]
    sync: bool,
    /// Tell tasks by TF_CONFIG alone, without flags.
    #[arg(long = "no_flags", alias = "no-flags")]
    no_flags: bool,
    /// Which tasks are started again, three times in all.
    #[arg(long, value_enum, default_value = "killed")]
    restart: Restart,
    /// Spread the tasks over these machines by ssh, separated by commas; a:2 takes two at a time. The program and its files are at
    /// the same path on each. Under mpirun: the machines of the ranks, as in its own --host.
    #[arg(long, value_delimiter = ',')]
    hosts: Vec<String>,
    /// The first port on each machine [default: 2222; free ones where all is on this machine; the job's own under Slurm].
    #[arg(long = "base_port", alias = "base-port", value_parser = clap::value_parser!(u16).range(1024..=64000))]
    base_port: Option<u16>,
    /// The program that reaches other machines.
    #[arg(long, default_value = "ssh")]
    ssh: String,
    /// The program that starts tasks on the nodes of an allocation.
    #[arg(long, default_value = "srun", hide = true)]
    srun: String,
    /// End tasks that were told to stop after so many seconds.
    #[arg(long = "grace_secs", alias = "grace-secs", default_value_t = 15)]
    grace_secs: u64,
    /// The program and its arguments, after `--`.
    #[arg(last = true, required = true)]
    command: Vec<String>,
}

/// How tasks on other machines are started.
#[derive(Clone, Copy)]
enum Reach {
    Ssh,
    Srun,
}

#[derive(Clone, Copy, PartialEq, ValueEnum)]
enum Restart {
    /// None: the first that fails ends the job.
    Never,
    /// Those that a signal has ended, as the kernel does where memory is short.
    Killed,
    /// All that fail.
    Failed,
}

impl Run {
    pub fn run(self) -> Result<ExitCode> {
        if let Some(rank) = rank(&self.hosts)? {
            return self.become_rank(&rank);
        }
        if let Some(allocation) = allocation(&Variables::of_process())?
            && self.hosts.is_empty()
            && allocation.hosts.len() > 1
        {
            return self.supervise(&self.plan_in(allocation)?, Reach::Srun);
        }
        let plan = Plan::new(self.ps, self.workers.unwrap_or(2), &self.hosts, self.base_port)?;
        self.supervise(&plan, Reach::Ssh)
    }

    /// The tasks on the nodes of an allocation, node after node.
    fn plan_in(&self, allocation: slurm::Allocation) -> Result<Plan> {
        let mut hosts = allocation.hosts;
        let room = hosts.len();
        let workers = self.workers.unwrap_or_else(|| (room as u32).saturating_sub(self.ps));
        let count = (self.ps + workers) as usize;
        ensure!(
            workers > 0 && count <= room,
            InvalidArgument,
            "Slurm has given room for {room} tasks, not for {} ps and {} workers; ask for more with --ntasks",
            self.ps,
            workers.max(1)
        );
        hosts.truncate(count);
        Plan::on(self.ps, hosts, self.base_port.unwrap_or(allocation.base_port))
    }

    /// This process goes on as the task of its rank.
    fn become_rank(&self, rank: &Rank) -> Result<ExitCode> {
        let (plan, task) = rank.plan(self.ps, self.workers, &self.hosts, self.base_port)?;
        let (program, arguments) = self.program(&plan, &task);
        let mut command = Command::new(&program);
        command.args(arguments).env("TF_CONFIG", plan.tf_config(&task));
        // Returns only if there is no such program.
        Err(Status::from(command.exec()).context(format_args!("starting {program}")))
    }

    fn program(&self, plan: &Plan, task: &plan::Task) -> (String, Vec<String>) {
        let mut arguments: Vec<String> = self.command[1..].to_vec();
        if !self.no_flags {
            arguments.extend(plan.flags(task));
            arguments.extend(self.sync.then(|| "--sync_replicas=True".to_owned()));
        }
        (self.command[0].clone(), arguments)
    }

    fn supervise(&self, plan: &Plan, reach: Reach) -> Result<ExitCode> {
        let mut tasks = Tasks::new(Duration::from_secs(self.grace_secs))?;
        let mut screen = Screen::new(plan);
        for task in plan.tasks() {
            tasks.start(self.command_of(plan, &task, reach)?, task)?;
        }
        let (mut restarts, mut failure, mut stopped) = (0, None, false);
        let begin = Instant::now();
        while tasks.workers_left() > 0 {
            match tasks.next_event() {
                Event::Line(task, is_error, line) => screen.line(&task, is_error, &line),
                Event::Interrupted if stopped => tasks.kill_all(),
                Event::Interrupted => {
                    stopped = true;
                    screen.say("stopping; once more to stop at once");
                    tasks.stop_all();
                }
                Event::Ended(task, 0) => screen.ended(&task),
                Event::Ended(task, code) if stopped || failure.is_some() => {
                    screen.say(&format!("{task} ended ({code})"))
                }
                Event::Ended(task, code) if restarts < RESTARTS && self.starts_again(code) => {
                    restarts += 1;
                    screen.say(&format!("{task} {}; starting it again", ending(code)));
                    tasks.start(self.command_of(plan, &task, reach)?, task)?;
                }
                Event::Ended(task, code) => {
                    screen.say(&format!("{task} {}; stopping the others", ending(code)));
                    failure = Some(code);
                    tasks.stop_all();
                }
                Event::Nothing => screen.tick(tasks.running(), begin.elapsed()),
            }
        }
        tasks.finish(|task, is_error, line| screen.line(task, is_error, line));
        screen.finish();
        match failure {
            Some(code) => Ok(ExitCode::from(u8::try_from(code).unwrap_or(1).max(1))),
            None if stopped => Ok(ExitCode::from(130)),
            None => {
                output::error_line(format_args!("done in {:.1} s", begin.elapsed().as_secs_f64()));
                Ok(ExitCode::SUCCESS)
            }
        }
    }

    fn starts_again(&self, code: i32) -> bool {
        match self.restart {
            Restart::Never => false,
            Restart::Killed => signal_of(code).is_some(),
            Restart::Failed => true,
        }
    }

    /// The process that runs a task: a guard of ours, which runs the program, ssh or srun and ends it when we end.
    fn command_of(&self, plan: &Plan, task: &plan::Task, reach: Reach) -> Result<Command> {
        let myself =
            std::env::current_exe().map_err(|error| Status::from(error).context("the path of this program"))?;
        let mut command = Command::new(myself);
        command.arg("run-task").arg(format!("--grace_secs={}", self.grace_secs)).arg("--");
        let (program, arguments) = self.program(plan, task);
        match (&task.machine, reach) {
            (None, _) => command.arg(program).args(arguments).env("TF_CONFIG", plan.tf_config(task)),
            (Some(node), Reach::Srun) => {
                command.arg(&self.srun).args(slurm::one_task_on(node));
                command.arg(program).args(arguments).env("TF_CONFIG", plan.tf_config(task))
            }
            (Some(host), Reach::Ssh) => {
                let there = ssh::command_line(&std::env::current_dir()?, &plan.tf_config(task), &program, &arguments)?;
                // With a terminal, so that what runs there ends with the connection.
                command.arg(&self.ssh).args(["-tt", "-o", "BatchMode=yes", host.as_str(), there.as_str()])
            }
        };
        Ok(command)
    }
}

fn ending(code: i32) -> String {
    match signal_of(code) {
        Some(signal) => format!("was killed by signal {signal}"),
        None => format!("ended with exit code {code}"),
    }
}

/// The signal that an exit code stands for. There are 64 of them; what is above, as ssh's 255, is a code like any other.
fn signal_of(code: i32) -> Option<i32> {
    Some(code - guard::SIGNALLED).filter(|signal| (1..=64).contains(signal))
}
