//! The framework of a distributed trainer: between-graph replication, asynchronous training, a supervisor.
//!
//! Every task runs this program. It fits a line to points, so there is nothing to read; put your model where it says so.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use tensorfleet::prelude::*;
use tensorfleet_examples::{explicit, log_to_stderr};

#[derive(Parser)]
#[command(rename_all = "snake_case")]
struct Flags {
    // Flags for defining the cluster.
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    ps_hosts: Vec<String>,
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    worker_hosts: Vec<String>,

    // Flags for defining the server.
    /// One of 'ps', 'worker'.
    #[arg(long)]
    job_name: Option<String>,
    /// Index of task within the job.
    #[arg(long)]
    task_index: Option<u32>,

    /// Where checkpoints and summaries go.
    #[arg(long, default_value = "/tmp/train_logs")]
    logdir: PathBuf,
    /// Number of (global) training steps to perform.
    #[arg(long, default_value_t = 1_000_000)]
    train_steps: i64,
}

fn main() -> Result<()> {
    let flags = Flags::parse();
    log_to_stderr();
    let job_name = explicit(flags.job_name, "job_name")?;
    let task_index = explicit(flags.task_index, "task_index")?;

    // Create a cluster from the parameter server and worker hosts.
    let cluster = ClusterSpec::new([("ps", flags.ps_hosts), ("worker", flags.worker_hosts)])?;

    // Create and start a server for the local task.
    let server = Server::new(&cluster, &job_name, task_index)?;
    if job_name == "ps" {
        server.join();
        return Ok(());
    }

    // Assigns ops to the local worker by default, and variables to the ps tasks.
    let g = Graph::new();
    let device = ReplicaDeviceSetter::for_cluster(&cluster).worker_device(&format!("/job:worker/task:{task_index}"));
    let (global_step, train_op, saver, summary_op, init_op) = g.with_device(device, |g| -> Result<_> {
        // Build model...
        let x = g.random_uniform([100, 1], -1.0, 1.0);
        let y_ = &x * 3.0 + 2.0;
        let slope = Variable::new("slope", g.zeros([1, 1], DType::Float));
        let offset = Variable::new("offset", g.zeros([1], DType::Float));
        let y = x.matmul(&slope) + &offset;
        let loss = (&y - &y_).square().reduce_mean(..);
        let global_step = Variable::untrained("global_step", g.constant(0i64));

        let train_op = Adagrad::new(0.01).minimize(&loss, Some(&global_step))?;

        summary::scalar("loss", &loss);
        summary::scalar("slope", &slope.reduce_mean(..));
        let saver = Saver::new(g);
        let summary_op = summary::merge_all(g);
        let init_op = global_variables_initializer(g);
        Ok((global_step, train_op, saver, summary_op, init_op))
    })?;

    // Told to stop, as by Kubernetes or Slurm, the loop below ends, and the chief writes a checkpoint.
    let told = Coordinator::new();
    tensorfleet::stop_on_signals(&told)?;

    // Create a "supervisor", which oversees the training process.
    let sv = Supervisor::new(&g)
        .stop_with(&told)
        .is_chief(task_index == 0)
        .logdir(&flags.logdir)
        .init_op(&init_op)
        .summary_op(summary_op.as_ref())
        .saver(saver)
        .global_step(&global_step)
        .save_checkpoint_every(Duration::from_secs(600))
        .build()?;

    // The supervisor takes care of session initialization, restoring from a checkpoint, and closing when done or an error
    // occurs. If a task is lost, it starts again with a new session.
    sv.managed_session(&RemoteSessions::new(server.target()), |sess| {
        // Loop until the supervisor shuts down or enough steps have completed.
        let mut step = 0;
        while !sv.should_stop() && step < flags.train_steps {
            // Run a training step asynchronously. See `mnist_replica` on how to perform *synchronous* training.
            (_, step) = sess.eval((&train_op, &global_step))?;
        }
        println!("Worker {task_index}: done at global step {step}");
        Ok(())
    })?;
    if told.should_stop() {
        // As if the signal had ended it: whoever watches over the job shall not take it for done.
        std::process::exit(143);
    }
    Ok(())
}
