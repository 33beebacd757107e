//! One worker of the documents' MNIST MLP, with its server in the same process: trains until it is stopped; the chief
//! tells global steps a second.

use std::time::{Duration, Instant};

use tensorfleet::prelude::*;

use crate::batches::Batches;

const WARM_UP: f64 = 1.5;
const MEASURE: f64 = 3.0;

/// How the workers of a job make steps.
#[derive(Clone, Copy, PartialEq)]
pub enum Mode {
    /// Each for itself, on parameter servers.
    Async,
    /// Together, on parameter servers.
    Sync,
    /// Together, each with the model for itself.
    AllReduce,
}

pub fn replica(ps_hosts: &str, worker_hosts: &str, task: u32, mode: Mode) -> Result<f64> {
    let hosts = |text: &str| text.split(',').map(str::to_owned).collect::<Vec<String>>();
    let sync = mode == Mode::Sync;
    let cluster = match mode {
        Mode::AllReduce => ClusterSpec::new([("worker", hosts(worker_hosts))])?,
        _ => ClusterSpec::new([("ps", hosts(ps_hosts)), ("worker", hosts(worker_hosts))])?,
    };
    let server = Server::new(&cluster, "worker", task)?;
    let (workers, chief) = (cluster.num_tasks("worker"), task == 0);
    let g = Graph::new();
    g.set_seed(1);
    let worker = format!("/job:worker/task:{task}");
    let setter = match mode {
        // Everything goes to the worker.
        Mode::AllReduce => ReplicaDeviceSetter::new(1).ps_ops(Vec::<String>::new()),
        _ => ReplicaDeviceSetter::for_cluster(&cluster),
    };
    let setter = setter.worker_device(&worker);
    let optimizer = SyncReplicas::new(Adam::new(0.01), workers).total_num_replicas(workers);
    let all_reduce = AllReduce::new(Adam::new(0.01), workers, task);
    let (x, y_, step, train) = g.with_device(setter, |g| -> Result<_> {
        let step = Variable::untrained("global_step", g.constant(0i64));
        let hid_w = Variable::new("hid_w", g.truncated_normal([784, 100], 1.0 / 28.0));
        let hid_b = Variable::new("hid_b", g.zeros([100], DType::Float));
        let sm_w = Variable::new("sm_w", g.truncated_normal([100, 10], 0.1));
        let sm_b = Variable::new("sm_b", g.zeros([10], DType::Float));
        let (x, y_) = (g.placeholder(DType::Float, [None, Some(784)]), g.placeholder(DType::Float, [None, Some(10)]));
        let y = x.xw_plus_b(&hid_w, &hid_b).relu().xw_plus_b(&sm_w, &sm_b).softmax();
        let loss = -(y_.clone() * y.clip_by_value(1e-10, 1.0).log()).reduce_sum(..);
        let train = match mode {
            Mode::Async => Adam::new(0.01).minimize(&loss, Some(&step))?,
            Mode::Sync => optimizer.minimize(&loss, Some(&step))?,
            Mode::AllReduce => all_reduce.minimize(&loss, Some(&step))?,
        };
        Ok((x, y_, step, train))
    })?;
    let init = global_variables_initializer(&g);
    let mut supervisor = Supervisor::new(&g).is_chief(chief || mode == Mode::AllReduce).init_op(&init);
    if sync {
        let local_init = if chief { optimizer.chief_init_op()? } else { optimizer.local_step_init_op()? };
        supervisor =
            supervisor.local_init_op(&local_init).ready_for_local_init_op(&optimizer.ready_for_local_init_op()?);
    }
    let mut hook = if mode == Mode::AllReduce { Some(all_reduce.make_session_run_hook()?) } else { None };
    let tokens = if sync && chief { Some(optimizer.init_tokens_op(None)?) } else { None };
    let filters = ["/job:ps".to_owned(), format!("/job:worker/task:{task}")];
    let supervisor = supervisor.without_saver().without_summary_op().recovery_wait(Duration::from_secs(1)).build()?;
    let sessions = RemoteSessions::new(server.target()).device_filters(filters);
    let session = supervisor.prepare_or_wait_for_session(&sessions)?;
    if let Some(tokens) = tokens {
        supervisor.start_these_queue_runners(&session, &[optimizer.chief_queue_runner()?])?;
        session.run(RunRequest::new().target(&tokens))?;
    }
    if let Some(hook) = &mut hook {
        hook.after_create_session(&session, supervisor.coord())?;
    }
    let mut batches = Batches::of_mnist(100)?;
    println!("ready");
    let _ = std::io::stdin().read_line(&mut String::new());
    let request = RunRequest::new().fetch(step.value()).target(&train);
    let (begin, mut first) = (Instant::now(), None::<(Instant, i64)>);
    loop {
        let (images, labels) = batches.next();
        let now = session.fetch(request.clone().feed(&x, images).feed(&y_, labels))?[0].to_scalar::<i64>()?;
        match first {
            None if begin.elapsed().as_secs_f64() > WARM_UP => first = Some((Instant::now(), now)),
            Some((since, before)) if chief && since.elapsed().as_secs_f64() > MEASURE => {
                return Ok((now - before) as f64 / since.elapsed().as_secs_f64());
            }
            _ => {}
        }
    }
}
