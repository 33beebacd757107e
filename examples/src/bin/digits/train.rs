//! One task of the cluster that trains: a ps that keeps the variables, or a worker that reads records and changes them.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args;
use tensorfleet::prelude::*;
use tensorfleet::train::{ExponentialMovingAverage, GRACE, start_queue_runners};
use tensorfleet_examples::{boolean, explicit, general, time};

use crate::model::{Kind, MOVING_AVERAGE_DECAY, Model, accuracy};
use crate::records::get_batch;

/// How long a worker of synchronous training may be out of reach before the others do without it.
const PATIENCE: Duration = Duration::from_secs(60);

/// Run one task of the cluster that trains.
#[derive(Args)]
#[command(rename_all = "snake_case")]
pub struct Flags {
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    ps_hosts: Vec<String>,
    /// Comma-separated list of hostname:port pairs.
    #[arg(long, value_delimiter = ',')]
    worker_hosts: Vec<String>,
    /// job name: worker or ps.
    #[arg(long)]
    job_name: Option<String>,
    /// Index of task within the job.
    #[arg(long)]
    task_index: Option<u32>,
    /// Whether to train synchronously: 1 is synchronous, 0 asynchronous.
    #[arg(long, num_args = 0..=1, default_value = "0", default_missing_value = "1", value_parser = boolean)]
    issync: bool,
    #[arg(long, value_enum, default_value = "network")]
    model: Kind,
    /// Keep moving averages of all variables, and validate with them.
    #[arg(long, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", value_parser = boolean)]
    moving_average: bool,
    /// The folder of train.tfrecords and test.tfrecords.
    #[arg(long)]
    data_dir: PathBuf,
    /// Where checkpoints go.
    #[arg(long)]
    logdir: PathBuf,
    /// How many steps each worker makes.
    #[arg(long, default_value_t = 1000)]
    training_steps: usize,
    #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(i32).range(1..))]
    batch_size: i32,
    #[arg(long, default_value_t = 0.001)]
    learning_rate: f32,
}

pub fn train(flags: Flags) -> Result<()> {
    let job_name = explicit(flags.job_name, "job_name")?;
    let task_index = explicit(flags.task_index, "task_index")?;
    let num_workers = flags.worker_hosts.len();
    let cluster = ClusterSpec::new([("ps", flags.ps_hosts), ("worker", flags.worker_hosts)])?;
    let server = Server::new(&cluster, &job_name, task_index)?;
    if job_name == "ps" {
        server.join();
        return Ok(());
    }
    let is_chief = task_index == 0;

    let g = Graph::new();
    let device = ReplicaDeviceSetter::for_cluster(&cluster).worker_device(&format!("/job:worker/task:{task_index}"));
    let (global_step, loss, train_step, validation, sync) = g.with_device(device, |g| -> Result<_> {
        // Batches to train with, and others to test with
        let (x, y_) = get_batch(g, &flags.data_dir.join("train.tfrecords"), flags.batch_size, None);
        let (test_x, test_y) = get_batch(g, &flags.data_dir.join("test.tfrecords"), 500, None);

        let global_step = Variable::untrained("global_step", g.constant(0i64));
        let model = Model::new(g, flags.model);
        let loss = model.logits(&x, None).softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
        let averages =
            flags.moving_average.then(|| ExponentialMovingAverage::new(MOVING_AVERAGE_DECAY).num_updates(&global_step));

        let opt = Adam::new(flags.learning_rate);
        let (mut train_step, sync) = if flags.issync {
            let opt = SyncReplicas::new(opt, num_workers).total_num_replicas(num_workers);
            (opt.minimize(&loss, Some(&global_step))?, Some(opt))
        } else {
            (opt.minimize(&loss, Some(&global_step))?, None)
        };
        if let Some(averages) = &averages {
            train_step = g.with_control_dependencies(&[train_step], |g| averages.apply(g, None));
        }
        let validation = accuracy(&model.logits(&test_x, averages.as_ref()), &test_y);
        Ok((global_step, loss, train_step, validation, sync))
    })?;

    let init_op = global_variables_initializer(&g);
    let mut sv = Supervisor::new(&g)
        .is_chief(is_chief)
        .logdir(&flags.logdir)
        .init_op(&init_op)
        .recovery_wait(Duration::from_secs(1))
        .global_step(&global_step);
    let mut hook = None;
    if let Some(opt) = &sync {
        let local_init_op = if is_chief { opt.chief_init_op()? } else { opt.local_step_init_op()? };
        sv = sv.local_init_op(&local_init_op).ready_for_local_init_op(&opt.ready_for_local_init_op()?);
        // Tokens and the chief's queue runner, and a watch over who is left
        hook = Some(opt.make_session_run_hook(is_chief, None)?.watch(&cluster, "worker", task_index, PATIENCE));
    }
    let sv = sv.build()?;

    if is_chief {
        println!("Worker {task_index}: Initailizing session...");
    } else {
        println!("Worker {task_index}: Waiting for session to be initaialized...");
    }
    // If a task is lost, training goes on with a new session once it is back. In the end the chief writes a last checkpoint.
    let mut local_step = 0;
    sv.managed_session(&RemoteSessions::new(server.target()), |sess| {
        println!("Worker {task_index}: Session initialization  complete.");
        if let Some(hook) = &mut hook {
            hook.after_create_session(sess, sv.coord())?;
        }

        println!("Traing begins @ {:.6}", time());
        while local_step < flags.training_steps {
            // The supervisor has started the queue runners, and starting what runs already does nothing: this coordinator has
            // no threads to stop.
            let coord = Coordinator::new();
            start_queue_runners(&g, sess, &coord)?;

            let (_, step, loss): (_, i64, f32) = match sess.eval((&train_step, &global_step, &loss)) {
                // The chief of synchronous training has ended, or too few are left for a step, and with them the tokens.
                Err(status) if status.code() == Code::OutOfRange => break,
                fetched => fetched?,
            };
            local_step += 1;
            println!("{:.6}: Worker {task_index}: traing step {local_step} dome (global step:{step})", time());

            // Print the accuracy on a batch of test images
            if local_step % 100 == 0 {
                let accuracy = general(sess.eval(&validation)?);
                println!("After {step} training step(s),validation accuracy using average model is {accuracy}.");
                println!("Worker {task_index}: loss {}", general(loss));
            }
            coord.request_stop();
            coord.join(GRACE)?;
        }
        match &mut hook {
            Some(hook) => hook.end(sess),
            None => Ok(()),
        }
    })
}
