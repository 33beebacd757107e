//! `tensorfleet`: start tasks, look inside.

mod ops_command;
mod ops_page;
mod serve;
mod train;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Dataflow graphs on a cluster, to train models: distributed TensorFlow in one binary.
#[derive(Parser)]
#[command(name = "tensorfleet", version, about)]
struct Arguments {
    /// Without a command: train.
    #[command(subcommand)]
    command: Option<Command>,
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
    /// List the registered ops, or describe one.
    Ops(ops_command::Ops),
}

fn main() -> ExitCode {
    let command = Arguments::parse().command.unwrap_or_else(|| Command::Train(train::Train::default()));
    let usual = if matches!(command, Command::Serve(_)) { "info" } else { "warn" };
    let filter = tracing_subscriber::EnvFilter::try_from_env("TENSORFLEET_LOG").unwrap_or_else(|_| usual.into());
    let colours = std::io::IsTerminal::is_terminal(&std::io::stderr());
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(colours).with_writer(std::io::stderr).init();
    let outcome = match command {
        Command::Train(train) => train.run(),
        Command::TrainTask(task) => task.run(),
        Command::Serve(serve) => serve.run(),
        Command::Ops(ops) => ops.run(),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(status) => {
            eprintln!("tensorfleet: {status}");
            // As shells report what was ended by Ctrl-C.
            if status.code() == tensor::Code::Cancelled { ExitCode::from(130) } else { ExitCode::FAILURE }
        }
    }
}
