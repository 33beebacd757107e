//! Many light workers against several ps: how long a step takes, and what it costs.

use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

use tensorfleet::prelude::*;

const WARM_UP: Duration = Duration::from_secs(1);
const MEASURE: Duration = Duration::from_secs(3);
/// Rows and columns of a ps's part of the sparse model's table, and how many rows of it a step uses.
const TABLE: [i64; 2] = [65_536, 64];
const ROWS_A_STEP: i64 = 32;

/// What a step does.
#[derive(Clone, Copy)]
pub enum Model {
    /// Reads a number from every ps and adds one to each, so that nothing but the steps themselves is measured.
    Empty,
    /// Looks up rows in a table that is spread over all ps, and updates them by their gradients.
    Sparse,
}

impl Model {
    pub fn named(name: &str) -> Option<Model> {
        match name {
            "empty" => Some(Model::Empty),
            "sparse" => Some(Model::Sparse),
            _ => None,
        }
    }
}

/// Runs all workers in this process, each with a server and a session of its own, and prints the median and the 90th
/// percentile of a step's milliseconds; returns the steps a second of all of them.
pub fn scale(ps_hosts: &str, worker_hosts: &str, model: Model) -> Result<f64> {
    let hosts = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
    let cluster = ClusterSpec::new([("ps", hosts(ps_hosts)), ("worker", hosts(worker_hosts))])?;
    let workers = cluster.num_tasks("worker") as u32;
    let together = Barrier::new(workers as usize);
    let times = std::thread::scope(|scope| {
        let start = |task| {
            let (cluster, together) = (&cluster, &together);
            scope.spawn(move || worker(cluster, task, model, together))
        };
        let running: Vec<_> = (0..workers).map(start).collect();
        let mut all = Vec::new();
        for worker in running {
            all.extend(worker.join().map_err(|_| Status::new(Code::Internal, "a worker panicked"))??);
        }
        Ok::<_, Status>(all)
    });
    let mut times = times?;
    times.sort_unstable();
    let at = |share: f64| times[((times.len() - 1) as f64 * share) as usize].as_secs_f64() * 1000.0;
    println!("{} {}", at(0.5), at(0.9));
    Ok(times.len() as f64 / MEASURE.as_secs_f64())
}

/// One worker: returns how long each of its steps took.
fn worker(cluster: &ClusterSpec, task: u32, model: Model, together: &Barrier) -> Result<Vec<Duration>> {
    let prepared = prepare(cluster, task, model);
    // Whoever fails does not keep the others waiting.
    together.wait();
    let (_server, session, step) = prepared?;
    let until = |end: Instant| -> Result<Vec<Duration>> {
        let mut times = Vec::new();
        while Instant::now() < end {
            let begin = Instant::now();
            session.run(step.clone())?;
            times.push(begin.elapsed());
        }
        Ok(times)
    };
    until(Instant::now() + WARM_UP)?;
    until(Instant::now() + MEASURE)
}

fn prepare(cluster: &ClusterSpec, task: u32, model: Model) -> Result<(Server, Arc<dyn Session>, RunRequest)> {
    let server = Server::new(cluster, "worker", task)?;
    let g = Graph::new();
    g.set_seed(i64::from(task) + 1);
    let here = format!("/job:worker/task:{task}");
    let parts = 0..cluster.num_tasks("ps");
    let on = |ps: usize| format!("/job:ps/task:{ps}");
    let train = match model {
        Model::Empty => {
            let count = |ps| {
                let v = g.with_device(on(ps), |g| Variable::new(&format!("part_{ps}"), g.constant(0f32)));
                let update = g.with_device(here.as_str(), |_| v.value() * 0.0 + 1.0);
                g.with_device(on(ps), |_| v.assign_add(&update))
            };
            g.group(&parts.map(count).collect::<Vec<Operation>>())
        }
        Model::Sparse => {
            let square = |ps| {
                let v = g.with_device(on(ps), |g| Variable::new(&format!("part_{ps}"), g.ones(TABLE, DType::Float)));
                let rows = g.random_uniform([ROWS_A_STEP], 0.0, TABLE[0] as f64).cast(DType::Int32);
                v.rows(&rows).square().reduce_sum(..)
            };
            g.with_device(here.as_str(), |_| {
                let loss = parts.map(square).reduce(|sum, square| sum + square);
                let loss = loss.ok_or_else(|| Status::new(Code::InvalidArgument, "there is no ps"))?;
                GradientDescent::new(0.01).minimize(&loss, None)
            })?
        }
    };
    let step = RunRequest::new().target(&train);
    let init = global_variables_initializer(&g);
    let filters = ["/job:ps".to_owned(), here];
    let session = RemoteSessions::new(server.target()).device_filters(filters).open(&g)?;
    // All of them write the same values.
    session.run(RunRequest::new().target(&init))?;
    Ok((server, session, step))
}
