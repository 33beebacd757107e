//! A network with one hidden layer on MNIST, trained synchronously without parameter servers: every worker has the whole model,
//! and the workers average their gradients among themselves.
//!
//! Every worker runs this program.

use std::path::PathBuf;

use clap::Parser;
use tensorfleet::datasets::mnist::{Mnist, folder};
use tensorfleet::prelude::*;
use tensorfleet_examples::{explicit, log_to_stderr};

#[derive(Parser)]
#[command(rename_all = "snake_case")]
struct Flags {
    /// Directory of the MNIST files [default: wherever they are found, as with `tensorfleet train`].
    #[arg(long)]
    data_dir: Option<PathBuf>,
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    worker_hosts: Vec<String>,
    /// Index of the worker; the first one's values are everybody's first values, and its copy is saved.
    #[arg(long)]
    task_index: Option<u32>,
    /// Where the checkpoints of the first worker go.
    #[arg(long)]
    logdir: Option<PathBuf>,
    /// Number of training steps to perform.
    #[arg(long, default_value_t = 1000)]
    train_steps: i64,
    /// Images of each worker in a step.
    #[arg(long, default_value_t = 100)]
    batch_size: usize,
    /// Learning rate.
    #[arg(long, default_value_t = 0.003)]
    learning_rate: f32,
}

fn main() -> Result<()> {
    let flags = Flags::parse();
    log_to_stderr();
    let task_index = explicit(flags.task_index, "task_index")?;
    let mnist = Mnist::read(folder(flags.data_dir.as_deref())?)?;
    // Each worker sees the images in an order of its own.
    let mut images = mnist.train.with_seed(u64::from(task_index) + 1);

    let num_workers = flags.worker_hosts.len();
    let cluster = ClusterSpec::new([("worker", flags.worker_hosts)])?;
    let server = Server::new(&cluster, "worker", task_index)?;

    let g = Graph::new();
    let (x, y_, cross_entropy, accuracy, global_step, train_step, hook) =
        g.with_device(format!("/job:worker/task:{task_index}"), |g| -> Result<_> {
            let global_step = get_or_create_global_step(g);
            let hid_w = Variable::new("hid_w", g.truncated_normal([784, 100], 1.0 / 28.0));
            let hid_b = Variable::new("hid_b", g.zeros([100], DType::Float));
            let sm_w = Variable::new("sm_w", g.truncated_normal([100, 10], 0.1));
            let sm_b = Variable::new("sm_b", g.zeros([10], DType::Float));

            let x = g.placeholder(DType::Float, [None, Some(784)]);
            let y_ = g.placeholder(DType::Float, [None, Some(10)]);
            let y = x.xw_plus_b(&hid_w, &hid_b).relu().xw_plus_b(&sm_w, &sm_b);
            let cross_entropy = y.softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
            let accuracy = y.argmax(1).equal(y_.argmax(1)).cast(DType::Float).reduce_mean(..);

            let opt = AllReduce::new(Adam::new(flags.learning_rate), num_workers, task_index);
            let train_step = opt.minimize(&cross_entropy, Some(&global_step))?;
            let hook = opt.make_session_run_hook()?;
            Ok((x, y_, cross_entropy, accuracy, global_step, train_step, hook))
        })?;

    // Every worker initialises its own copy, then gets the values of the first one. If a worker is lost, the others wait until
    // it is back, and all go on from what the first worker has.
    let mut session = MonitoredTrainingSession::new(&g, RemoteSessions::new(server.target()))
        .hook(hook)
        .hook(StopAtStepHook::last_step(flags.train_steps));
    if let (0, Some(logdir)) = (task_index, &flags.logdir) {
        session = session.logdir(logdir);
    }
    let mut session = session.open()?;
    while !session.should_stop() {
        let (batch_xs, batch_ys) = images.next_batch(flags.batch_size)?;
        let fed = session.feed(&x, batch_xs).feed(&y_, batch_ys);
        let (_, loss, step): (_, f32, i64) = fed.eval((&train_step, &cross_entropy, &global_step))?;
        if step % 100 == 0 {
            println!("Worker {task_index}: step {step}, loss {loss:.4}");
        }
    }
    // Whatever it is asked now is no step of training.
    let (raw, val) = (session.raw_session()?, &mnist.validation);
    let fed = raw.feed(&x, val.images()?).feed(&y_, val.one_hot_labels()?);
    let (found, step): (f32, i64) = fed.eval((&accuracy, &global_step))?;
    println!("Worker {task_index}: done at step {step}, accuracy: {found:.4}");
    session.close()
}
