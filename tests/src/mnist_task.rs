//! One task of a job that learns MNIST, to be killed and started again: `mnist_task JOB INDEX PS-HOSTS WORKER-HOSTS FOLDER
//! LAST-STEP MODE`. FOLDER is `-` for no checkpoints. MODE is `async`, or `sync:N` for steps of N gradients each.
//!
//! A worker prints the global step after each of its steps, and in the end why it stopped: `last step` or `no more tokens`. The
//! chief also prints the accuracy on the test images, and how many gradients of each worker were accepted and dropped.

use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use cluster::{ServerOptions, Transport};
use tensorfleet::datasets::mnist::{DataSet, Mnist};
use tensorfleet::prelude::*;
use tensorfleet::train::{Every, WorkerGradients};

/// How long a worker of synchronous training may be away.
const PATIENCE: Duration = Duration::from_secs(5);

fn main() -> ExitCode {
    let filter = tracing_subscriber::EnvFilter::new("warn");
    tracing_subscriber::fmt().with_env_filter(filter).with_ansi(false).with_writer(std::io::stderr).init();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [job, index, ps, workers, folder, last_step, mode] = &arguments[..] else {
        eprintln!("usage: mnist_task JOB INDEX PS-HOSTS WORKER-HOSTS FOLDER LAST-STEP MODE");
        return ExitCode::FAILURE;
    };
    let hosts = |list: &str| list.split(',').map(str::to_owned).collect::<Vec<_>>();
    let task = Task {
        index: index.parse().unwrap_or(0),
        folder: (folder != "-").then_some(folder),
        last_step: last_step.parse().unwrap_or(1),
        needed: mode.strip_prefix("sync:").and_then(|count| count.parse().ok()),
    };
    match task.run(job, hosts(ps), hosts(workers)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(status) => {
            eprintln!("{job} {index}: {status}");
            ExitCode::FAILURE
        }
    }
}

/// `TENSORFLEET_TEST_TRANSPORT=tcp` lets a proxy between tasks see all that they say.
fn options() -> ServerOptions {
    let all_over_the_network = std::env::var("TENSORFLEET_TEST_TRANSPORT").is_ok_and(|transport| transport == "tcp");
    let transport = if all_over_the_network { Transport::Tcp } else { Transport::Auto };
    ServerOptions { transport, ..Default::default() }
}

struct Task<'a> {
    index: u32,
    folder: Option<&'a String>,
    last_step: i64,
    needed: Option<usize>,
}

/// A network with one hidden layer, and how it is trained.
struct Model {
    x: Output,
    y_: Output,
    accuracy: Output,
    step: Variable,
    train: Operation,
    sync: Option<SyncReplicas>,
}

impl Task<'_> {
    fn run(&self, job: &str, ps: Vec<String>, workers: Vec<String>) -> Result<()> {
        let count = workers.len();
        let cluster = ClusterSpec::new([("ps", ps), ("worker", workers)])?;
        let server = Server::start(&cluster, job, self.index, ops::registry(), options())?;
        if job == "ps" {
            server.join();
            return Ok(());
        }
        let is_chief = self.index == 0;
        let mnist = Mnist::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/mnist"))?;
        let g = Graph::new();
        let worker = format!("/job:worker/task:{}", self.index);
        let device = ReplicaDeviceSetter::for_cluster(&cluster).worker_device(&worker);
        let model = g.with_device(device, |g| self.model(g, count))?;
        let sessions = RemoteSessions::new(server.target()).device_filters(["/job:ps", worker.as_str()]);
        let mut session = MonitoredTrainingSession::new(&g, sessions)
            .is_chief(is_chief)
            .save_checkpoint_every(Every::Steps(50))
            .save_summaries_every(Every::Never)
            .hook(StopAtStepHook::last_step(self.last_step))
            .recovery_wait(Duration::from_secs(1))
            .max_wait(Duration::from_secs(60));
        if let Some(folder) = self.folder {
            session = session.logdir(folder);
        }
        let counts = match &model.sync {
            Some(sync) => {
                let hook = sync.make_session_run_hook(is_chief, None)?;
                session = session.hook(hook.watch(&cluster, "worker", self.index, PATIENCE));
                sync.gradient_counts()?.into_iter().next()
            }
            None => None,
        };
        let mut session = session.open()?;
        let mut images = mnist.train.with_seed(u64::from(self.index) + 1);
        let mut why = "last step";
        while !session.should_stop() {
            let (batch, labels) = images.next_batch(100)?;
            let request = RunRequest::new().feed(&model.x, batch).feed(&model.y_, labels).target(&model.train);
            match session.fetch(request.fetch(model.step.value())) {
                Ok(values) => println!("step {}", values[0].to_scalar::<i64>()?),
                Err(status) if status.code() == Code::OutOfRange => {
                    why = "no more tokens";
                    break;
                }
                Err(status) => return Err(status),
            }
        }
        if is_chief {
            let session = session.raw_session()?;
            println!("accuracy {}", accuracy(session, &model, &mnist.test)?);
            if let Some(counts) = &counts {
                for WorkerGradients { worker, accepted, dropped } in counts.read(&**session)? {
                    println!("gradients {worker} {accepted} {dropped}");
                }
            }
        }
        println!("{why}");
        session.close()
    }

    fn model(&self, g: &Graph, workers: usize) -> Result<Model> {
        let step = get_or_create_global_step(g);
        let (x, y_) = (g.placeholder(DType::Float, [None, Some(784)]), g.placeholder(DType::Float, [None, Some(10)]));
        let hid_w = Variable::new("hid_w", g.truncated_normal([784, 64], 1.0 / 28.0));
        let hid_b = Variable::new("hid_b", g.zeros([64], DType::Float));
        let sm_w = Variable::new("sm_w", g.truncated_normal([64, 10], 0.125));
        let sm_b = Variable::new("sm_b", g.zeros([10], DType::Float));
        let logits = x.xw_plus_b(&hid_w, &hid_b).relu().xw_plus_b(&sm_w, &sm_b);
        let loss = logits.softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
        let accuracy = logits.argmax(1).equal(y_.argmax(1)).cast(DType::Float).reduce_mean(..);
        let adam = Adam::new(0.003);
        let (train, sync) = match self.needed {
            None => (adam.minimize(&loss, Some(&step))?, None),
            Some(needed) => {
                let sync = SyncReplicas::new(adam, needed).total_num_replicas(workers);
                (sync.minimize(&loss, Some(&step))?, Some(sync))
            }
        };
        Ok(Model { x, y_, accuracy, step, train, sync })
    }
}

fn accuracy(session: &Arc<dyn Session>, model: &Model, test: &DataSet) -> Result<f32> {
    let (images, labels) = (test.images()?, test.one_hot_labels()?);
    let request = RunRequest::new().feed(&model.x, images).feed(&model.y_, labels).fetch(&model.accuracy);
    session.fetch(request)?[0].to_scalar::<f32>()
}
