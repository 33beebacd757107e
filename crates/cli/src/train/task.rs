//! One task of a local cluster: a parameter server, or a worker that trains.
//!
//! It stops when its standard input is closed: a worker after the step it is at (the chief writes a checkpoint), a parameter
//! server when nobody uses it any more.

use std::io::Read;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use clap::Args;
use graph::DeviceScope;
use runtime::ClusterSpec;
use tensor::{Result, Tensor, bail};
use tensorfleet::datasets::mnist::{DataSet, Mnist};
use tensorfleet::prelude::*;
use tensorfleet::train::{SaverOptions, polynomial_decay};

use super::Model;
use super::model::{self, Built};
use super::report::{Outcome, Report};

/// How long a task goes on after it was asked to stop, at most.
const GRACE: Duration = Duration::from_secs(12);
/// How often a worker tells where it is.
const REPORT_EVERY: Duration = Duration::from_millis(100);
/// How often the chief notes the loss and its accuracy in the event file, in steps.
const SUMMARIES: i64 = 100;
/// How often what is noted goes to the file.
const FLUSH_EVERY: Duration = Duration::from_secs(1);

#[derive(Args)]
pub struct TrainTask {
    #[arg(long = "ps_hosts", value_delimiter = ',')]
    ps_hosts: Vec<String>,
    #[arg(long = "worker_hosts", value_delimiter = ',')]
    worker_hosts: Vec<String>,
    #[arg(long = "job_name")]
    job_name: String,
    #[arg(long = "task_index")]
    task_index: u32,
    #[arg(long, value_enum)]
    model: Model,
    #[arg(long)]
    sync: bool,
    #[arg(long = "all_reduce")]
    all_reduce: bool,
    #[arg(long = "save_through_chief")]
    save_through_chief: bool,
    #[arg(long)]
    steps: i64,
    #[arg(long = "batch_size")]
    batch_size: usize,
    #[arg(long = "learning_rate")]
    learning_rate: f32,
    #[arg(long = "hidden_units", default_value_t = 100)]
    hidden_units: i64,
    #[arg(long = "data_dir")]
    data_dir: PathBuf,
    #[arg(long)]
    logdir: PathBuf,
}

impl TrainTask {
    pub fn run(self) -> Result<()> {
        let stop = stop_with_stdin();
        let outcome = self.serve(&stop);
        if let Err(status) = &outcome {
            Report::failure(status).send();
        }
        outcome
    }

    fn serve(&self, stop: &Arc<AtomicBool>) -> Result<()> {
        let jobs = [("ps", &self.ps_hosts), ("worker", &self.worker_hosts)];
        let jobs = jobs.map(|(job, hosts)| (job, hosts.iter().filter(|host| !host.is_empty()).cloned().collect()));
        let cluster = ClusterSpec::new(jobs.into_iter().filter(|(_, hosts): &(_, Vec<String>)| !hosts.is_empty()))?;
        let server = Server::new(&cluster, &self.job_name, self.task_index)?;
        match self.job_name.as_str() {
            "ps" => {
                // Workers that stop at the same time still save what is here.
                while !stop.load(Ordering::Relaxed) || server.sessions() > 0 {
                    std::thread::sleep(Duration::from_millis(20));
                }
                Ok(())
            }
            "worker" => self.work(&cluster, server.target(), stop),
            job => bail!(InvalidArgument, "there is no job '{job}', only ps and worker"),
        }
    }

    fn work(&self, cluster: &ClusterSpec, target: &str, stop: &AtomicBool) -> Result<()> {
        let is_chief = self.task_index == 0;
        let mnist = Mnist::read(&self.data_dir)?;
        let mut train_images = mnist.train.with_seed(u64::from(self.task_index) + 1);

        let g = Graph::new();
        let worker_device = format!("/job:worker/task:{}", self.task_index);
        let device: DeviceScope = match self.all_reduce {
            true => worker_device.as_str().into(),
            false => ReplicaDeviceSetter::for_cluster(cluster).worker_device(&worker_device).into(),
        };
        let (model, train_op, step_after, sync, all_reduce) = g.with_device(device, |g| -> Result<_> {
            let model = model::build(g, self.model, self.hidden_units)?;
            // The rate falls to a tenth in the end, where smaller steps reach more.
            let rate = f64::from(self.learning_rate);
            let rate = polynomial_decay(rate, &model.global_step, self.steps as f64, rate / 10.0, 1.0, false);
            let optimizer = Adam::new(rate);
            let (loss, step, workers) = (&model.loss, Some(&model.global_step), self.worker_hosts.len());
            let (train_op, sync, all_reduce) = if self.all_reduce {
                let optimizer = AllReduce::new(optimizer, workers, self.task_index);
                (optimizer.minimize(loss, step)?, None, Some(optimizer))
            } else if self.sync {
                let optimizer = SyncReplicas::new(optimizer, workers);
                (optimizer.minimize(loss, step)?, Some(optimizer), None)
            } else {
                (optimizer.minimize(loss, step)?, None, None)
            };
            // Read where it is, after the update: a value sent to us earlier would be that of before.
            let step_after = g.with_control_dependencies(std::slice::from_ref(&train_op), |g| {
                g.with_colocation(&model.global_step.operation(), |_| model.global_step.read())
            });
            Ok((model, train_op, step_after, sync, all_reduce))
        })?;
        // A worker that has the model for itself initialises it itself; one copy is saved.
        let mut supervisor = Supervisor::new(&g).is_chief(is_chief || self.all_reduce);
        if is_chief || !self.all_reduce {
            supervisor = supervisor.logdir(&self.logdir);
        }
        supervisor = supervisor
            .global_step(&model.global_step)
            // The chief notes summaries of the batches that it trains with.
            .without_summary_op()
            .save_summaries_every(Duration::from_secs(5))
            .save_checkpoint_every(Duration::from_secs(10))
            .recovery_wait(Duration::from_secs(1));
        let mut init_tokens = None;
        if let Some(sync) = &sync {
            let local_init = if is_chief { sync.chief_init_op()? } else { sync.local_step_init_op()? };
            supervisor =
                supervisor.local_init_op(&local_init).ready_for_local_init_op(&sync.ready_for_local_init_op()?);
            init_tokens = Some(sync.init_tokens_op(None)?);
        }
        let mut hook = all_reduce.map(|all_reduce| all_reduce.make_session_run_hook()).transpose()?;
        // Last, when the optimizer's variables are there too.
        if self.save_through_chief && is_chief {
            supervisor = supervisor.saver(Saver::with_options(
                &g,
                SaverOptions { through: Some("/job:worker/task:0".to_owned()), ..Default::default() },
            ));
        }
        let supervisor = supervisor.build()?;
        let filters = ["/job:ps", &worker_device];
        let sessions = RemoteSessions::new(target).device_filters(filters);

        let (mut first_step, mut local_step, begin) = (None, 0, Instant::now());
        let train = |session: &Arc<dyn Session>| {
            if let (true, Some(sync), Some(init_tokens)) = (is_chief, &sync, &init_tokens) {
                supervisor.start_these_queue_runners(session, &[sync.chief_queue_runner()?])?;
                session.run(RunRequest::new().target(init_tokens))?;
            }
            if let Some(hook) = &mut hook {
                hook.after_create_session(session, supervisor.coord())?;
            }
            let mut step = scalar::<i64>(session, RunRequest::new().fetch(model.global_step.value()))?;
            let first_step = *first_step.get_or_insert(step);
            let (mut reported, mut noted) = (None::<Instant>, step - step % SUMMARIES);
            let mut flushed = Instant::now();
            while step < self.steps && !stop.load(Ordering::Relaxed) && !supervisor.should_stop() {
                let (images, labels) = train_images.next_batch(self.batch_size)?;
                let request = RunRequest::new().feed(&model.x, images).feed(&model.y_, labels);
                let request = request.target(&train_op).fetch(&step_after).fetch(&model.loss).fetch(&model.accuracy);
                let fetched = match session.fetch(request) {
                    // Another worker has stopped first.
                    Err(status) if self.all_reduce && stop.load(Ordering::Relaxed) => {
                        tracing::info!(%status, "stopped in the middle of a step");
                        break;
                    }
                    fetched => fetched?,
                };
                step = fetched[0].to_scalar::<i64>()?;
                let loss = fetched[1].to_scalar::<f32>()?;
                local_step += 1;
                if reported.is_none_or(|last| last.elapsed() >= REPORT_EVERY) || step >= self.steps {
                    reported = Some(Instant::now());
                    Report::Progress { step, local_step, loss }.send();
                }
                if let (true, Some(writer)) = (step >= noted + SUMMARIES, supervisor.summary_writer()) {
                    noted = step - step % SUMMARIES;
                    writer.add_scalar("loss", loss, step)?;
                    writer.add_scalar("accuracy", fetched[2].to_scalar::<f32>()?, step)?;
                    // Whoever looks on sees it soon.
                    if flushed.elapsed() >= FLUSH_EVERY {
                        flushed = Instant::now();
                        writer.flush()?;
                    }
                }
            }
            if is_chief {
                let seconds = begin.elapsed().as_secs_f64();
                let accuracy = match stop.load(Ordering::Relaxed) {
                    true => None,
                    false => Some(accuracy(session, &model, &mnist.test)?),
                };
                if let (Some(writer), Some(accuracy)) = (supervisor.summary_writer(), accuracy) {
                    writer.add_scalar("test_accuracy", accuracy, step)?;
                }
                Report::Result(Outcome { steps: step - first_step, seconds, accuracy }).send();
            }
            if let (Some(hook), false) = (&mut hook, stop.load(Ordering::Relaxed)) {
                hook.end(session)?;
            }
            Ok(())
        };
        let ended = AtomicBool::new(false);
        std::thread::scope(|scope| {
            // Also a worker that waits for the others stops when it is told to.
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) && !ended.load(Ordering::Relaxed) {
                    std::thread::sleep(Duration::from_millis(20));
                }
                supervisor.request_stop();
            });
            let outcome = supervisor.managed_session(&sessions, train);
            ended.store(true, Ordering::Relaxed);
            outcome
        })
    }
}

fn scalar<T: tensor::Element>(session: &Arc<dyn Session>, request: RunRequest) -> Result<T> {
    session.fetch(request)?.first().map_or_else(|| bail!(Internal, "nothing was fetched"), Tensor::to_scalar::<T>)
}

/// The accuracy on all images of a set, a part at a time.
fn accuracy(session: &Arc<dyn Session>, model: &Built, data: &DataSet) -> Result<f32> {
    const PART: usize = 1000;
    let (images, labels) = (data.images()?, data.one_hot_labels()?);
    let (images, labels) = (images.as_slice::<f32>()?, labels.as_slice::<f32>()?);
    let mut right = 0.0;
    for (images, labels) in images.chunks(PART * 784).zip(labels.chunks(PART * 10)) {
        let count = labels.len() / 10;
        let images = Tensor::new([count as i64, 784], images.to_vec())?;
        let labels = Tensor::new([count as i64, 10], labels.to_vec())?;
        let request = RunRequest::new().feed(&model.x, images).feed(&model.y_, labels).fetch(&model.accuracy);
        right += scalar::<f32>(session, request)? * count as f32;
    }
    Ok(right / data.len() as f32)
}

/// A flag that is set when standard input is closed. If the task does not end soon after, it is ended.
fn stop_with_stdin() -> Arc<AtomicBool> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = stop.clone();
    std::thread::spawn(move || {
        let mut buffer = [0; 64];
        while !matches!(std::io::stdin().read(&mut buffer), Ok(0) | Err(_)) {}
        flag.store(true, Ordering::Relaxed);
        std::thread::sleep(GRACE);
        tracing::error!("still busy {} s after the end was asked for; giving up", GRACE.as_secs());
        std::process::exit(1);
    });
    stop
}
