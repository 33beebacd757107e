//! A network with one hidden layer on MNIST: between-graph replication, asynchronous or, with `--sync_replicas`, synchronous.

use std::path::PathBuf;
use std::time::Duration;

use clap::Parser;
use tensorfleet::datasets::mnist::{Mnist, folder};
use tensorfleet::prelude::*;
use tensorfleet::train::WorkerGradients;
use tensorfleet_examples::{boolean, explicit, general, log_to_stderr, time};

#[derive(Parser)]
#[command(rename_all = "snake_case")]
struct Flags {
    /// Directory of the MNIST files [default: wherever they are found, as with `tensorfleet train`].
    #[arg(long)]
    data_dir: Option<PathBuf>,
    /// Worker task index, should be >= 0. task_index=0 is the master worker task that performs the variable initialization.
    #[arg(long)]
    task_index: Option<u32>,
    /// Number of replicas to aggregate before parameter update is applied (for sync_replicas mode only; default: num_workers).
    #[arg(long)]
    replicas_to_aggregate: Option<usize>,
    /// Number of units in the hidden layer of the NN.
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i64).range(1..))]
    hidden_units: i64,
    /// Number of (global) training steps to perform.
    #[arg(long, default_value_t = 1_000_000)]
    train_steps: i64,
    /// Training batch size.
    #[arg(long, default_value_t = 100)]
    batch_size: usize,
    /// Learning rate.
    #[arg(long, default_value_t = 0.01)]
    learning_rate: f32,
    /// Use the sync_replicas (synchronized replicas) mode, wherein the parameter updates from workers are aggregated before
    /// applied to avoid stale gradients.
    #[arg(long, num_args = 0..=1, default_value = "false", default_missing_value = "true", value_parser = boolean)]
    sync_replicas: bool,
    /// Whether servers already exist. If True, will use the worker hosts via their GRPC URLs (one client process per worker
    /// host). Otherwise, will create an in-process server.
    #[arg(long, num_args = 0..=1, default_value = "false", default_missing_value = "true", value_parser = boolean)]
    existing_servers: bool,
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',', default_value = "192.168.233.201:2222")]
    ps_hosts: Vec<String>,
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',', default_value = "192.168.233.202:2223,192.168.233.203:2224")]
    worker_hosts: Vec<String>,
    /// job name: worker or ps.
    #[arg(long)]
    job_name: Option<String>,
}

const IMAGE_PIXELS: i64 = 28;
/// How long a worker of synchronous training may be out of reach before the others do without it.
const PATIENCE: Duration = Duration::from_secs(60);

fn main() -> Result<()> {
    let flags = Flags::parse();
    log_to_stderr();
    let mut mnist = Mnist::read(folder(flags.data_dir.as_deref())?)?;
    let job_name = explicit(flags.job_name.filter(|name| !name.is_empty()), "job_name")?;
    let task_index = explicit(flags.task_index, "task_index")?;
    if flags.replicas_to_aggregate.is_some() && !flags.sync_replicas {
        return Err(Status::new(
            Code::InvalidArgument,
            "--replicas_to_aggregate has a meaning only with --sync_replicas",
        ));
    }
    println!("job name = {job_name}");
    println!("task index = {task_index}");

    // Construct the cluster and start the server
    let num_workers = flags.worker_hosts.len();
    let cluster = ClusterSpec::new([("ps", flags.ps_hosts), ("worker", flags.worker_hosts)])?;
    // Not using existing servers: create an in-process server.
    let server = if flags.existing_servers { None } else { Some(Server::new(&cluster, &job_name, task_index)?) };
    if job_name == "ps" {
        if let Some(server) = server {
            server.join();
        }
        return Ok(());
    }
    let is_chief = task_index == 0;

    // The device setter places variables on the parameter servers (ps) and all else on the worker. There is no GPU here: soft
    // placement takes the CPU instead.
    let worker_device = format!("/job:worker/task:{task_index}/gpu:0");
    let device = ReplicaDeviceSetter::for_cluster_with_ps(&cluster, "/job:ps/cpu:0").worker_device(&worker_device);
    let g = Graph::new();
    let (x, y_, cross_entropy, global_step, train_step, sync) = g.with_device(device, |g| -> Result<_> {
        let global_step = Variable::untrained("global_step", g.constant(0i64));

        // Variables of the hidden layer
        let pixels = IMAGE_PIXELS * IMAGE_PIXELS;
        let initial = g.truncated_normal([pixels, flags.hidden_units], 1.0 / IMAGE_PIXELS as f64);
        let hid_w = Variable::new("hid_w", initial);
        let hid_b = Variable::new("hid_b", g.zeros([flags.hidden_units], DType::Float));

        // Variables of the softmax layer
        let initial = g.truncated_normal([flags.hidden_units, 10], 1.0 / (flags.hidden_units as f64).sqrt());
        let sm_w = Variable::new("sm_w", initial);
        let sm_b = Variable::new("sm_b", g.zeros([10], DType::Float));

        // Ops: located on the worker specified with task_index
        let x = g.placeholder(DType::Float, [None, Some(pixels)]);
        let y_ = g.placeholder(DType::Float, [None, Some(10)]);
        let hid = x.xw_plus_b(&hid_w, &hid_b).relu();
        let y = hid.xw_plus_b(&sm_w, &sm_b).softmax();
        let cross_entropy = -(&y_ * y.clip_by_value(1e-10, 1.0).log()).reduce_sum(..);

        let opt = Adam::new(flags.learning_rate);
        if !flags.sync_replicas {
            let train_step = opt.minimize(&cross_entropy, Some(&global_step))?;
            return Ok((x, y_, cross_entropy, global_step, train_step, None));
        }
        let opt = SyncReplicas::new(opt, flags.replicas_to_aggregate.unwrap_or(num_workers))
            .total_num_replicas(num_workers)
            .named("mnist_sync_replicas");
        let train_step = opt.minimize(&cross_entropy, Some(&global_step))?;
        Ok((x, y_, cross_entropy, global_step, train_step, Some(opt)))
    })?;

    let init_op = global_variables_initializer(&g);
    let train_dir = std::env::temp_dir().join(format!("mnist_replica-{}", std::process::id()));
    let mut sv = Supervisor::new(&g)
        .is_chief(is_chief)
        .logdir(&train_dir)
        .init_op(&init_op)
        .recovery_wait(Duration::from_secs(1))
        .global_step(&global_step);
    let (mut hook, mut counts) = (None, None);
    if let Some(opt) = &sync {
        // Each worker has its own count of steps, and the chief also sets that of the accumulators.
        let local_init_op = if is_chief { opt.chief_init_op()? } else { opt.local_step_init_op()? };
        sv = sv.local_init_op(&local_init_op).ready_for_local_init_op(&opt.ready_for_local_init_op()?);
        // Initial token and chief queue runners required by the sync_replicas mode, and a watch over who is left
        hook = Some(opt.make_session_run_hook(is_chief, None)?.watch(&cluster, "worker", task_index, PATIENCE));
        // Servers of the real TensorFlow would not know what to count.
        if is_chief && !flags.existing_servers {
            counts = opt.gradient_counts()?.into_iter().next();
        }
    }
    let sv = sv.build()?;

    // The chief worker (task_index==0) session will prepare the session, while the remaining workers will wait for the
    // preparation to complete.
    if is_chief {
        println!("Worker {task_index}: Initializing session...");
    } else {
        println!("Worker {task_index}: Waiting for session to be initialized...");
    }
    let target = match &server {
        Some(server) => server.target().to_owned(),
        None => {
            let server_grpc_url = format!("grpc://{}", cluster.address("worker", task_index)?);
            println!("Using existing server at: {server_grpc_url}");
            server_grpc_url
        }
    };
    let sessions = RemoteSessions::new(&target)
        .soft_placement(true)
        .device_filters(["/job:ps".to_owned(), format!("/job:worker/task:{task_index}")]);
    // If a task is lost, all of this begins anew with a new session once it is back.
    let mut local_step = 0;
    sv.managed_session(&sessions, |sess| {
        println!("Worker {task_index}: Session initialization complete.");

        if let Some(hook) = &mut hook {
            if is_chief {
                // Chief worker will start the chief queue runner and call the init op
                println!("Starting chief queue runner and running init_tokens_op");
            }
            hook.after_create_session(sess, sv.coord())?;
        }

        // Perform training
        let time_begin = time();
        println!("Training begins @ {time_begin:.6}");
        loop {
            // Training feed
            let (batch_xs, batch_ys) = mnist.train.next_batch(flags.batch_size)?;
            let (_, step): (_, i64) =
                match sess.feed(&x, batch_xs).feed(&y_, batch_ys).eval((&train_step, &global_step)) {
                    // The chief of synchronous training has ended, or too few are left for a step, and with them the tokens.
                    Err(status) if status.code() == Code::OutOfRange => break,
                    fetched => fetched?,
                };
            local_step += 1;
            println!("{:.6}: Worker {task_index}: training step {local_step} done (global step: {step})", time());
            if step >= flags.train_steps {
                break;
            }
        }
        let time_end = time();
        println!("Training ends @ {time_end:.6}");
        println!("Training elapsed time: {:.6} s", time_end - time_begin);

        // Validation feed
        let val = &mnist.validation;
        let val_xent: f32 = sess.feed(&x, val.images()?).feed(&y_, val.one_hot_labels()?).eval(&cross_entropy)?;
        println!("After {} training step(s), validation cross entropy = {}", flags.train_steps, general(val_xent));
        for gradients in counts.iter().flat_map(|counts| counts.read(&**sess).unwrap_or_default()) {
            let WorkerGradients { worker, accepted, dropped } = gradients;
            println!("Gradients of {worker}: {accepted} accepted, {dropped} came too late");
        }
        if let Some(hook) = &mut hook {
            hook.end(sess)?;
        }
        Ok(())
    })
}
