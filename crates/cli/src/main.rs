//! `tensorfleet`: start tasks, look inside.

mod certs;
mod ckpt;
mod connect;
mod key_flags;
mod logging;
mod ops_command;
mod ops_page;
mod output;
mod run;
mod serve;
mod signals;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Dataflow graphs on a cluster, to train models: distributed TensorFlow in one binary.
///
/// Without a command it trains, with the options of `train`.
#[derive(Parser)]
#[command(name = "tensorfleet", version, args_conflicts_with_subcommands = true)]
struct Arguments {
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
}

fn main() -> ExitCode {
    let arguments = Arguments::parse();
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
    match command {
        Command::Train(train) => train.run()?,
        Command::TrainTask(task) => task.run()?,
        Command::Serve(serve) => serve.run()?,
        Command::Certs(certs) => certs.run()?,
        Command::Connect(connect) => connect.run()?,
        Command::Ops(ops) => ops.run()?,
        Command::Ckpt(ckpt) => return ckpt.run(),
        Command::Run(run) => return run.run(),
        Command::RunTask(task) => return task.run(),
    }
    Ok(ExitCode::SUCCESS)
}
