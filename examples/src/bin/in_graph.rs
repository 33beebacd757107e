//! In-graph replication: one client builds one graph, with the model's variables on the ps tasks and a copy of the computation (a
//! tower) on each worker.
//!
//! With `--sync`, a step is one run of all towers, and the mean of their gradients is applied. Without, the client has a thread
//! per tower, and each applies its gradients when it has them.

use std::path::PathBuf;

use clap::Parser;
use tensorfleet::Gradient;
use tensorfleet::datasets::mnist::{Mnist, folder};
use tensorfleet::prelude::*;
use tensorfleet_examples::{boolean, connect, explicit, log_to_stderr};

#[derive(Parser)]
#[command(rename_all = "snake_case")]
struct Flags {
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    ps_hosts: Vec<String>,
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    worker_hosts: Vec<String>,
    /// One of 'ps', 'worker', 'client'.
    #[arg(long)]
    job_name: Option<String>,
    /// Index of task within the job; for the client, of the worker that it connects to.
    #[arg(long)]
    task_index: Option<u32>,
    /// Average the gradients of all towers, instead of letting each go its own way.
    #[arg(long, num_args = 0..=1, default_value = "false", default_missing_value = "true", value_parser = boolean)]
    sync: bool,
    /// Directory of the MNIST files [default: wherever they are found, as with `tensorfleet train`].
    #[arg(long)]
    data_dir: Option<PathBuf>,
    /// Number of (global) training steps to perform.
    #[arg(long, default_value_t = 2000)]
    train_steps: i64,
    #[arg(long, default_value_t = 100)]
    batch_size: usize,
    #[arg(long, default_value_t = 0.2)]
    learning_rate: f32,
}

/// A copy of the computation on one worker.
struct Tower {
    x: Output,
    y_: Output,
    loss: Output,
    accuracy: Output,
}

fn main() -> Result<()> {
    let flags = Flags::parse();
    log_to_stderr();
    let job_name = explicit(flags.job_name.as_deref(), "job_name")?;
    let task_index = explicit(flags.task_index, "task_index")?;
    let cluster = ClusterSpec::new([("ps", flags.ps_hosts.clone()), ("worker", flags.worker_hosts.clone())])?;
    if job_name != "client" {
        Server::new(&cluster, job_name, task_index)?.join();
        return Ok(());
    }

    let g = Graph::new();
    // Variables go to the ps tasks in turn; there is one of each, however many towers use it.
    let ps = ReplicaDeviceSetter::for_cluster(&cluster);
    let (global_step, layers) = g.with_device(ps, |g| {
        let layer = |name: &str, inputs: i64, outputs: i64| {
            let deviation = 1.0 / (inputs as f64).sqrt();
            let weights = Variable::new(&format!("{name}_w"), g.truncated_normal([inputs, outputs], deviation));
            (weights, Variable::new(&format!("{name}_b"), g.zeros([outputs], DType::Float)))
        };
        (get_or_create_global_step(g), [layer("hid", 784, 100), layer("sm", 100, 10)])
    });
    let towers: Vec<Tower> = (0..flags.worker_hosts.len())
        .map(|task| g.with_device(format!("/job:worker/task:{task}").as_str(), |g| tower(g, &layers)))
        .collect();

    let opt = GradientDescent::new(flags.learning_rate);
    let train_ops = if flags.sync {
        vec![opt.apply_gradients(&average_gradients(&opt, &towers)?, Some(&global_step))?]
    } else {
        towers.iter().map(|tower| opt.minimize(&tower.loss, Some(&global_step))).collect::<Result<Vec<_>>>()?
    };

    let sess = connect(&format!("grpc://{}", cluster.address("worker", task_index)?), &g)?;
    sess.eval(&global_variables_initializer(&g))?;
    if flags.sync {
        train(&flags, &sess, "all towers", &towers, &train_ops[0], &global_step)?;
    } else {
        std::thread::scope(|scope| {
            let (flags, sess, global_step) = (&flags, &sess, &global_step);
            let start = |(number, (tower, train_op)): (usize, (_, _))| {
                scope.spawn(move || {
                    train(flags, sess, &format!("tower {number}"), std::slice::from_ref(tower), train_op, global_step)
                })
            };
            let threads: Vec<_> = towers.iter().zip(&train_ops).enumerate().map(start).collect();
            threads.into_iter().try_for_each(|thread| thread.join().expect("a thread that trains does not panic"))
        })?;
    }
    let mnist = Mnist::read(folder(flags.data_dir.as_deref())?)?;
    let Tower { x, y_, accuracy, .. } = &towers[0];
    let accuracy: f32 = sess.feed(x, mnist.test.images()?).feed(y_, mnist.test.one_hot_labels()?).eval(accuracy)?;
    println!("accuracy: {accuracy:.6}");
    Ok(())
}

fn tower(g: &Graph, layers: &[(Variable, Variable); 2]) -> Tower {
    let x = g.placeholder(DType::Float, [None, Some(784)]);
    let y_ = g.placeholder(DType::Float, [None, Some(10)]);
    let hid = x.xw_plus_b(&layers[0].0, &layers[0].1).relu();
    let y = hid.xw_plus_b(&layers[1].0, &layers[1].1);
    let loss = y.softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
    let accuracy = y.argmax(1).equal(y_.argmax(1)).cast(DType::Float).reduce_mean(..);
    Tower { x, y_, loss, accuracy }
}

/// For each variable the mean of its gradients in all towers, computed where the variable is.
fn average_gradients(opt: &GradientDescent, towers: &[Tower]) -> Result<Vec<(Option<Gradient>, Variable)>> {
    let towers = towers.iter().map(|tower| opt.compute_gradients(&tower.loss, None)).collect::<Result<Vec<_>>>()?;
    let average = |index: usize| {
        let variable = towers[0][index].1.clone();
        let gradients: Vec<Output> =
            towers.iter().filter_map(|tower| Some(tower[index].0.as_ref()?.to_dense())).collect();
        let graph = variable.handle().graph().clone();
        let mean = graph.with_device(variable.device().as_str(), |graph| {
            graph.op("AddN").input_list(&gradients).output() / gradients.len() as f32
        });
        (Some(Gradient::Dense(mean)), variable)
    };
    Ok((0..towers[0].len()).map(average).collect())
}

/// Runs `train_op`, feeding a batch to each tower that takes part, until enough steps are made.
fn train(
    flags: &Flags,
    sess: &RemoteSession,
    who: &str,
    towers: &[Tower],
    train_op: &Operation,
    global_step: &Variable,
) -> Result<()> {
    let mut mnist = Mnist::read(folder(flags.data_dir.as_deref())?)?;
    let mut step = 0;
    while step < flags.train_steps {
        let mut fed = sess.step();
        for tower in towers {
            let (batch_xs, batch_ys) = mnist.train.next_batch(flags.batch_size)?;
            fed = fed.feed(&tower.x, batch_xs).feed(&tower.y_, batch_ys);
        }
        let loss: f32;
        (_, step, loss) = fed.eval((train_op, global_step, &towers[0].loss))?;
        if step % 100 == 0 {
            println!("step {step}: {who}, loss {loss:.4}");
        }
    }
    Ok(())
}
