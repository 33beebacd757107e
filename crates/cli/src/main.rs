//! `tensorfleet`: start tasks, look inside, operate a cluster.

mod certs;
mod ckpt;
mod connect;
mod key_flags;
mod logging;
mod manual;
mod operate;
mod ops_command;
mod ops_page;
mod output;
mod run;
mod serve;
mod signals;
mod train;
mod version;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Dataflow graphs on a cluster, to train models: distributed TensorFlow in one binary.
///
/// Without a command it trains, with the options of `train`.
#[derive(Parser)]
#[command(name = "tensorfleet", args_conflicts_with_subcommands = true)]
struct Arguments {
    /// Print the version; with --verbose also those of what is spoken and read, and the instructions in use.
    #[arg(short = 'V', long)]
    version: bool,
    /// More about the version.
    #[arg(long, requires = "version")]
    verbose: bool,
    #[command(subcommand)]
    command: Option<Command>,
    #[command(flatten)]
    train: train::Train,
}

#[derive(Subcommand)]
enum Command {
    /// Train on MNIST with a cluster of this machine: parameter servers and workers as processes.
    Train(train::Train),
    /// One process of `train`.
    #[command(hide = true)]
    TrainTask(train::TrainTask),
    /// Run the server of one task of a cluster until it is told to stop.
    Serve(serve::Serve),
    /// Start any program as the tasks of a cluster, here or on several machines, also under Slurm and mpirun.
    Run(run::Run),
    /// One process of `run`.
    #[command(hide = true)]
    RunTask(run::RunTask),
    /// Make the certificates of a cluster.
    Certs(certs::Certs),
    /// Open a port of this machine through which clients that know neither TLS nor tokens reach a secured cluster.
    Connect(connect::Connect),
    /// List the registered ops, or describe one.
    Ops(ops_command::Ops),
    /// Look into checkpoints, compare, check and rewrite them.
    Ckpt(ckpt::Ckpt),
    /// Examine every task of a cluster from this machine, with a verdict and what to do.
    Doctor(operate::doctor::DoctorCommand),
    /// Show every task, its sessions, what flows, and what lies where.
    Status(operate::status::StatusCommand),
    /// Show who works, task by task, and which variables are hot.
    Top(operate::top::TopCommand),
    /// List the sessions of all masters.
    Sessions(operate::sessions::SessionsCommand),
    /// Tell what steps that take long wait for, down to who should do something.
    Why(operate::why::WhyCommand),
    /// Show where every node of a session or a graph's file goes, and by which rule.
    Placement(operate::placement::PlacementCommand),
    /// Write what the next steps do on all tasks, for chrome://tracing or Perfetto.
    Trace(operate::trace::TraceCommand),
    /// Show a cluster, event files and checkpoints in a browser.
    Dashboard(operate::dashboard::DashboardCommand),
    /// Close a task's sessions and empty containers of the whole cluster.
    Reset(operate::reset::ResetCommand),
    /// Let no new steps begin on a task, then stop it.
    Drain(operate::drain::DrainCommand),
    /// Print what a shell needs to complete commands and flags.
    Completions(operate::completions::CompletionsCommand),
    /// Write the pages of the manual, one a command, to a folder.
    #[command(hide = true)]
    Manual(manual::Manual),
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.version {
        output::text(version::text(arguments.verbose));
        return ExitCode::SUCCESS;
    }
    match run(arguments.command.unwrap_or(Command::Train(arguments.train))) {
        Ok(code) => code,
        Err(status) => {
            output::error_line(format_args!("tensorfleet: {status}"));
            // As shells report what was ended by Ctrl-C.
            if status.code() == tensor::Code::Cancelled { ExitCode::from(130) } else { ExitCode::FAILURE }
        }
    }
}

fn run(command: Command) -> tensor::Result<ExitCode> {
    // The log of a server or of a task is for operators; whoever trains or asks for ops reads the output instead.
    let is_task = matches!(command, Command::Serve(_) | Command::TrainTask(_));
    logging::start(if is_task { "info" } else { "warn" })?;
    #[cfg(feature = "stores")]
    tensorfleet::stores::install();
    let well = match command {
        Command::Train(train) => return done(train.run()),
        Command::TrainTask(task) => return done(task.run()),
        Command::Serve(serve) => return done(serve.run()),
        Command::Certs(certs) => return done(certs.run()),
        Command::Connect(connect) => return done(connect.run()),
        Command::Ops(ops) => return done(ops.run()),
        Command::Ckpt(ckpt) => return ckpt.run(),
        Command::Run(run) => return run.run(),
        Command::RunTask(task) => return task.run(),
        Command::Doctor(command) => command.run()?,
        Command::Status(command) => command.run()?,
        Command::Top(command) => command.run()?,
        Command::Sessions(command) => command.run()?,
        Command::Why(command) => command.run()?,
        Command::Placement(command) => command.run()?,
        Command::Trace(command) => command.run()?,
        Command::Dashboard(command) => command.run()?,
        Command::Reset(command) => command.run()?,
        Command::Drain(command) => command.run()?,
        Command::Completions(command) => command.run::<Arguments>()?,
        Command::Manual(manual) => return done(manual.run::<Arguments>()),
    };
    // What is not well is printed already.
    Ok(if well { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn done(outcome: tensor::Result<()>) -> tensor::Result<ExitCode> {
    outcome.map(|()| ExitCode::SUCCESS)
}
