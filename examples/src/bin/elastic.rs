//! Softmax regression on MNIST with workers that come and go: pieces of the data are handed out to whoever is there, and every
//! picture is trained on exactly once an epoch, whatever is killed, stopped or started meanwhile.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use tensorfleet::datasets::mnist::{Mnist, folder};
use tensorfleet::prelude::*;
use tensorfleet::train::Shards;
use tensorfleet_examples::{explicit, log_to_stderr};

#[derive(Parser)]
#[command(rename_all = "snake_case")]
struct Flags {
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    ps_hosts: Vec<String>,
    /// Comma-separated list of hostname:port pairs; not all of them need to be there.
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
    /// Where checkpoints go.
    #[arg(long, default_value = "/tmp/elastic")]
    logdir: PathBuf,
    /// How often every picture is trained on.
    #[arg(long, default_value_t = 2)]
    epochs: u32,
    /// How many pictures there are.
    #[arg(long, default_value_t = 5000)]
    records: i64,
    /// How many of them a worker is given at once.
    #[arg(long, default_value_t = 500)]
    piece: i64,
    /// How many are in a step.
    #[arg(long, default_value_t = 50)]
    batch_size: i64,
    /// A worker that has not trained for so long is taken for lost.
    #[arg(long, default_value_t = 30.0)]
    lease_secs: f64,
    /// Seconds between checkpoints.
    #[arg(long, default_value_t = 60.0)]
    save_secs: f64,
}

fn main() -> Result<()> {
    let flags = Flags::parse();
    log_to_stderr();
    let job_name = explicit(flags.job_name, "job_name")?;
    let task_index = explicit(flags.task_index, "task_index")?;
    let cluster = ClusterSpec::new([("ps", flags.ps_hosts), ("worker", flags.worker_hosts)])?;
    let server = Server::new(&cluster, &job_name, task_index)?;
    if job_name == "ps" {
        server.join();
        return Ok(());
    }

    let mnist = Mnist::read(folder(flags.data_dir.as_deref())?)?;
    let (images, labels) = (mnist.train.images()?, mnist.train.one_hot_labels()?);
    let records = flags.records.min(mnist.train.len() as i64);

    let g = Graph::new();
    let device = ReplicaDeviceSetter::for_cluster(&cluster).worker_device(&format!("/job:worker/task:{task_index}"));
    let (shards, x, y_, numbers, seen, global_step, train_op) = g.with_device(device, |g| -> Result<_> {
        // The pieces, and how far each of them is: a variable, which checkpoints hold.
        let shards = Shards::ranges(records, flags.piece).epochs(flags.epochs).shuffle(1);
        let shards = shards.lease(Duration::from_secs_f64(flags.lease_secs)).build(g)?;
        // How often each picture was trained on, to show that it is as often as it should be.
        let seen = Variable::untrained("seen", g.zeros([records], DType::Int32));

        let x = g.placeholder(DType::Float, [None, Some(784)]);
        let y_ = g.placeholder(DType::Float, [None, Some(10)]);
        let numbers = g.placeholder(DType::Int64, [None]);
        let w = Variable::new("W", g.zeros([784, 10], DType::Float));
        let b = Variable::new("b", g.zeros([10], DType::Float));
        let loss = (x.matmul(&w) + &b).softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
        let global_step = Variable::untrained("global_step", g.constant(0i64));

        // All that a step changes goes through the gate, which opens if the records are this worker's to train on.
        let optimizer = Adagrad::new(0.01);
        let mut changes = optimizer.compute_gradients(&loss, None)?;
        changes.push((Some(numbers.clone().into()), seen.clone()));
        let mut changes = shards.gate(&changes)?;
        let (counted, _) = changes.pop().unwrap_or((None, seen.clone()));
        let train = optimizer.apply_gradients(&changes, Some(&global_step))?;
        let counted = counted.map_or_else(|| numbers.clone(), |counted| counted.to_dense());
        let count = g.op("ScatterAdd").input(seen.handle()).input(&counted).input(g.constant(1i32)).build();
        let train_op = g.with_control_dependencies(&[train, count], |g| g.op("NoOp").build());
        Ok((shards, x, y_, numbers, seen, global_step, train_op))
    })?;

    let sv = Supervisor::new(&g)
        .is_chief(task_index == 0)
        .logdir(&flags.logdir)
        .init_op(&global_variables_initializer(&g))
        .saver(Saver::new(&g))
        .global_step(&global_step)
        .recovery_wait(Duration::from_millis(200))
        .save_checkpoint_every(Duration::from_secs_f64(flags.save_secs))
        .build()?;

    // If a task is lost, the supervisor calls this again with a new session.
    sv.managed_session(&RemoteSessions::new(server.target()), |sess| {
        let mut worker = shards.worker(&format!("worker {task_index}"));
        while let Some(batch) = worker.next(sess, flags.batch_size)? {
            let request = RunRequest::new()
                .feed(&x, rows(&images, batch.begin, batch.end)?)
                .feed(&y_, rows(&labels, batch.begin, batch.end)?)
                .feed(&numbers, Tensor::vector(&(batch.begin..batch.end).collect::<Vec<i64>>()))
                .target(&train_op);
            match worker.train(sess, request)? {
                Some(_) => println!("epoch {}: trained on {} to {}", batch.epoch, batch.begin, batch.end),
                None => println!("epoch {}: {} to {} were another's", batch.epoch, batch.begin, batch.end),
            }
        }
        let seen: Vec<i32> = sess.eval(&seen)?;
        let (least, most) = (seen.iter().min().copied().unwrap_or(0), seen.iter().max().copied().unwrap_or(0));
        println!("done: each of {records} pictures was trained on {least} to {most} times");
        Ok(())
    })
}

/// Some rows of a matrix.
fn rows(matrix: &Tensor, begin: i64, end: i64) -> Result<Tensor> {
    let width = matrix.dims()[1];
    let values = &matrix.as_slice::<f32>()?[(begin * width) as usize..(end * width) as usize];
    Tensor::vector(values).into_shape(Shape::new(&[end - begin, width])?)
}
