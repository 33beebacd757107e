//! One client pins the layers of a network to tasks: each layer's weights to a ps task, the computation to a worker.
//!
//! Start a task with `--job_name=ps` or `--job_name=worker`, and the client with `--job_name=client`; its `--task_index` is the
//! number of the worker that computes.

use std::path::PathBuf;

use clap::Parser;
use tensorfleet::datasets::mnist::{Mnist, folder};
use tensorfleet::prelude::*;
use tensorfleet_examples::{connect, explicit, log_to_stderr};

#[derive(Parser)]
#[command(rename_all = "snake_case")]
struct Flags {
    /// Comma-separated list of hostname:port pairs; two are needed.
    #[arg(long, value_delimiter = ',')]
    ps_hosts: Vec<String>,
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    worker_hosts: Vec<String>,
    /// One of 'ps', 'worker', 'client'.
    #[arg(long)]
    job_name: Option<String>,
    /// Index of task within the job; for the client, of the worker that it uses.
    #[arg(long)]
    task_index: Option<u32>,
    /// Directory of the MNIST files [default: wherever they are found, as with `tensorfleet train`].
    #[arg(long)]
    data_dir: Option<PathBuf>,
    #[arg(long, default_value_t = 10000)]
    train_steps: usize,
}

fn main() -> Result<()> {
    let flags = Flags::parse();
    log_to_stderr();
    let job_name = explicit(flags.job_name, "job_name")?;
    let task_index = explicit(flags.task_index, "task_index")?;
    let cluster = ClusterSpec::new([("ps", flags.ps_hosts), ("worker", flags.worker_hosts)])?;
    if job_name != "client" {
        // Tasks only wait for what clients ask of them.
        Server::new(&cluster, &job_name, task_index)?.join();
        return Ok(());
    }

    let g = Graph::new();
    let (weights_1, biases_1) = g.with_device("/job:ps/task:0", |g| {
        let weights = Variable::new("weights_1", g.truncated_normal([784, 100], 1.0 / 28.0));
        (weights, Variable::new("biases_1", g.zeros([100], DType::Float)))
    });
    let (weights_2, biases_2) = g.with_device("/job:ps/task:1", |g| {
        // A logit that is 0 for all images would learn nothing, so the biases begin above 0.
        let weights = Variable::new("weights_2", g.truncated_normal([100, 10], 0.1));
        (weights, Variable::new("biases_2", g.constant([1f32; 10])))
    });
    let worker = format!("/job:worker/task:{task_index}");
    let (input, labels, loss, accuracy, train_op) = g.with_device(worker.as_str(), |g| -> Result<_> {
        let input = g.placeholder(DType::Float, [None, Some(784)]);
        let labels = g.placeholder(DType::Float, [None, Some(10)]);
        let layer_1 = (input.matmul(&weights_1) + &biases_1).relu();
        let logits = (layer_1.matmul(&weights_2) + &biases_2).relu();
        let loss = logits.softmax_cross_entropy_with_logits(&labels).reduce_mean(..);
        let accuracy = logits.argmax(1).equal(labels.argmax(1)).cast(DType::Float).reduce_mean(..);
        // Updates are made where the variables are.
        let train_op = GradientDescent::new(0.2).minimize(&loss, None)?;
        Ok((input, labels, loss, accuracy, train_op))
    })?;

    let mut mnist = Mnist::read(folder(flags.data_dir.as_deref())?)?;
    let sess = connect(&format!("grpc://{}", cluster.address("worker", task_index)?), &g)?;
    sess.eval(&global_variables_initializer(&g))?;
    for step in 1..=flags.train_steps {
        let (batch_xs, batch_ys) = mnist.train.next_batch(100)?;
        let (_, loss): (_, f32) = sess.feed(&input, batch_xs).feed(&labels, batch_ys).eval((&train_op, &loss))?;
        if step % 100 == 0 {
            println!("step {step}: loss {loss:.4}");
        }
    }
    let test = mnist.test;
    let accuracy: f32 = sess.feed(&input, test.images()?).feed(&labels, test.one_hot_labels()?).eval(&accuracy)?;
    println!("accuracy: {accuracy:.6}");
    Ok(())
}
