//! Softmax regression on MNIST, with parameter servers and asynchronous workers.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use tensorfleet::datasets::mnist::{Mnist, folder};
use tensorfleet::prelude::*;
use tensorfleet_examples::{explicit, log_to_stderr};

#[derive(Parser)]
#[command(rename_all = "snake_case")]
struct Flags {
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    ps_hosts: Vec<String>,
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    worker_hosts: Vec<String>,
    /// One of 'ps', 'worker'.
    #[arg(long)]
    job_name: Option<String>,
    /// Index of task within the job.
    #[arg(long)]
    task_index: Option<u32>,
    /// Directory of the MNIST files [default: wherever they are found, as with `tensorfleet train`].
    #[arg(long)]
    data_dir: Option<PathBuf>,
    /// Where checkpoints and summaries go.
    #[arg(long, default_value = "/tmp/mnist_softmax")]
    logdir: PathBuf,
    /// Number of (global) training steps to perform.
    #[arg(long, default_value_t = 2000)]
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
    println!("Cluster job: {job_name}, task_index: {task_index}, target: {}", server.target());
    if job_name == "ps" {
        server.join();
        return Ok(());
    }

    let mut mnist = Mnist::read(folder(flags.data_dir.as_deref())?)?;
    // Assigns ops to the local worker by default, and variables to the ps tasks.
    let g = Graph::new();
    let device = ReplicaDeviceSetter::for_cluster(&cluster).worker_device(&format!("/job:worker/task:{task_index}"));
    let (x, y_, global_step, train_op, accuracy) = g.with_device(device, |g| -> Result<_> {
        // Create the model
        let x = g.placeholder(DType::Float, [None, Some(784)]);
        let w = Variable::new("W", g.zeros([784, 10], DType::Float));
        let b = Variable::new("b", g.zeros([10], DType::Float));
        let y = x.matmul(&w) + &b;

        // Define loss and optimizer
        let y_ = g.placeholder(DType::Float, [None, Some(10)]);
        let cross_entropy = y.softmax_cross_entropy_with_logits(&y_).reduce_mean(..);

        let global_step = Variable::untrained("global_step", g.constant(0i64));

        let train_op = Adagrad::new(0.01).minimize(&cross_entropy, Some(&global_step))?;

        // Test trained model
        let correct_prediction = y.argmax(1).equal(y_.argmax(1));
        let accuracy = correct_prediction.cast(DType::Float).reduce_mean(..);
        Ok((x, y_, global_step, train_op, accuracy))
    })?;

    // Create a "supervisor", which oversees the training process.
    let sv = Supervisor::new(&g)
        .is_chief(task_index == 0)
        .logdir(&flags.logdir)
        .init_op(&global_variables_initializer(&g))
        .saver(Saver::new(&g))
        .global_step(&global_step)
        .recovery_wait(Duration::from_secs(1))
        .save_checkpoint_every(Duration::from_secs(600))
        .build()?;

    // The supervisor takes care of session initialization, restoring from a checkpoint, and closing when done or an error
    // occurs. If a task is lost, it starts again with a new session.
    sv.managed_session(&RemoteSessions::new(server.target()), |sess| {
        // Start queue runners for the input pipelines (if any).
        sv.start_queue_runners(sess)?;

        // Loop until the supervisor shuts down (or enough steps have completed).
        let mut step = 0;
        while !sv.should_stop() && step < flags.train_steps {
            let (batch_xs, batch_ys) = mnist.train.next_batch(100)?;
            (_, step) = sess.feed(&x, batch_xs).feed(&y_, batch_ys).eval((&train_op, &global_step))?;
            println!("Step {step} in task {task_index}");
        }
        println!("done.");
        if task_index != 0 {
            let test = &mnist.test;
            let accuracy: f32 = sess.feed(&x, test.images()?).feed(&y_, test.one_hot_labels()?).eval(&accuracy)?;
            println!("accuracy: {accuracy:.6}");
        }
        Ok(())
    })
}
