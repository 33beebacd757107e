//! Training on a cluster that loses tasks: supervised and monitored sessions go on from the newest checkpoint.

use std::path::PathBuf;
use std::time::Duration;

use cluster::{LocalCluster, RemoteSessions};
use tensorfleet::prelude::*;
use tensorfleet::train::{Every, SaverOptions, latest_checkpoint};

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A model with a variable on each of two parameter servers, and a step that adds one to all of them.
struct Model {
    g: Graph,
    a: Variable,
    b: Variable,
    step: Variable,
    train: Operation,
}

fn model(task: u32) -> Model {
    let g = Graph::new();
    let step = g.with_device("/job:ps/task:0", |g| get_or_create_global_step(g));
    let a = g.with_device("/job:ps/task:0", |g| Variable::new("a", g.constant(0i64)));
    let b = g.with_device("/job:ps/task:1", |g| Variable::new("b", g.constant(0i64)));
    let train = g.with_device(format!("/job:worker/task:{task}"), |g| {
        let one = g.constant(1i64);
        let adds = [a.assign_add(&one), b.assign_add(&one)];
        g.with_control_dependencies(&adds, |_| step.assign_add(&one))
    });
    summary::scalar("a", &a.cast(DType::Float));
    Model { g, a, b, step, train }
}

fn cluster() -> LocalCluster {
    LocalCluster::start(&[("ps", 2), ("worker", 2)], &ops::registry()).unwrap()
}

fn sessions(cluster: &LocalCluster, task: u32) -> RemoteSessions {
    RemoteSessions::new(cluster.target("worker", task).unwrap())
}

impl Model {
    fn values(&self, session: &dyn Session) -> Result<[i64; 3], Status> {
        let request = RunRequest::new().fetch(self.a.value()).fetch(self.b.value()).fetch(self.step.value());
        let fetched = session.fetch(request)?;
        Ok([fetched[0].to_scalar()?, fetched[1].to_scalar()?, fetched[2].to_scalar()?])
    }
}

#[test]
fn a_monitored_session_survives_the_restart_of_a_parameter_server() {
    let (mut servers, folder, model) = (cluster(), Folder::new("monitored-cluster"), model(0));
    let mut session = MonitoredTrainingSession::new(&model.g, sessions(&servers, 0))
        .logdir(&folder.0)
        .save_checkpoint_every(Every::Steps(5))
        .hook(StopAtStepHook::last_step(20))
        .recovery_wait(Duration::from_secs(1))
        .open()
        .unwrap();
    let mut restarted = false;
    while !session.should_stop() {
        session.run(RunRequest::new().target(&model.train)).unwrap();
        let [a, b, step] = model.values(session.raw_session().unwrap()).unwrap();
        // Whatever was lost, the model is one that training has been through.
        assert_eq!((a, b), (step, step));
        if step == 8 && !restarted {
            restarted = true;
            servers.restart("ps", 1, &ops::registry()).unwrap();
        }
    }
    session.close().unwrap();
    assert!(restarted);
    assert_eq!(latest_checkpoint(&folder.0).unwrap(), Some(folder.0.join("model.ckpt-20")));
}

/// Chief and worker train together; a parameter server goes away for a while, and takes its variables with it.
#[test]
fn chief_and_worker_go_on_together_after_a_loss() {
    let (mut servers, folder) = (cluster(), Folder::new("together-cluster"));
    let (tell, told) = std::sync::mpsc::channel();
    let train = |task: u32, factory: RemoteSessions, tell: std::sync::mpsc::Sender<i64>| {
        let model = model(task);
        let mut session = MonitoredTrainingSession::new(&model.g, factory)
            .is_chief(task == 0)
            .logdir(&folder.0)
            .save_checkpoint_every(Every::Steps(10))
            .hook(StopAtStepHook::last_step(400))
            .recovery_wait(Duration::from_secs(1))
            .open()?;
        while !session.should_stop() {
            session.run(RunRequest::new().target(&model.train))?;
            let _ = tell.send(1);
        }
        session.close()
    };
    std::thread::scope(|scope| {
        let (chief, worker) = (sessions(&servers, 0), sessions(&servers, 1));
        let other = tell.clone();
        let train = &train;
        let chief = scope.spawn(move || train(0, chief, tell));
        let worker = scope.spawn(move || train(1, worker, other));
        for _ in 0..60 {
            told.recv().unwrap();
        }
        servers.stop("ps", 1);
        servers.restart("ps", 1, &ops::registry()).unwrap();
        drop(told);
        chief.join().unwrap().unwrap();
        worker.join().unwrap().unwrap();
    });
    let newest = latest_checkpoint(&folder.0).unwrap().unwrap();
    let step: i64 = newest.to_str().unwrap().rsplit('-').next().unwrap().parse().unwrap();
    assert!(step >= 400, "{step}");
}

#[test]
fn a_supervised_chief_that_comes_back_goes_on_with_the_live_model() {
    let (servers, folder, first) = (cluster(), Folder::new("supervised-cluster"), model(0));
    let supervisor = |model: &Model, chief: bool| {
        let sv = Supervisor::new(&model.g).is_chief(chief).logdir(&folder.0).global_step(&model.step);
        sv.recovery_wait(Duration::from_secs(1))
            .save_checkpoint_every(Duration::from_secs(3600))
            .save_summaries_every(Duration::from_secs(3600))
            .build()
            .unwrap()
    };
    let chief = supervisor(&first, true);
    let worker_model = model(1);
    let worker = supervisor(&worker_model, false);
    std::thread::scope(|scope| {
        let factory = sessions(&servers, 1);
        let waiting = scope.spawn(move || {
            worker.managed_session(&factory, |session| {
                for _ in 0..5 {
                    session.run(RunRequest::new().target(&worker_model.train))?;
                }
                Ok(())
            })
        });
        let session = chief.prepare_or_wait_for_session(&sessions(&servers, 0)).unwrap();
        waiting.join().unwrap().unwrap();
        assert_eq!(first.values(&session).unwrap(), [5, 5, 5]);
    });
    // The chief is gone without saving; its successor finds the model as it is.
    drop(chief);
    let again = model(0);
    let chief = supervisor(&again, true);
    let (session, prepared) = chief.ready_session(&sessions(&servers, 0)).unwrap();
    assert_eq!(prepared, tensorfleet::train::Prepared::Found);
    assert_eq!(again.values(&session).unwrap(), [5, 5, 5]);
    chief.stop().unwrap();
    assert_eq!(latest_checkpoint(&folder.0).unwrap(), Some(folder.0.join("model.ckpt-5")));
}

#[test]
fn a_sharded_checkpoint_of_a_cluster_is_read_without_one() {
    let (servers, folder, model) = (cluster(), Folder::new("sharded-cluster"), model(0));
    let saver = Saver::with_options(&model.g, SaverOptions { sharded: true, ..Default::default() });
    let init = global_variables_initializer(&model.g);
    let session = sessions(&servers, 0).open(&model.g).unwrap();
    session.run(RunRequest::new().target(&init)).unwrap();
    session.run(RunRequest::new().target(&model.train)).unwrap();
    let prefix = saver.save(&session, folder.0.join("model.ckpt"), Some(1)).unwrap();
    session.close().unwrap();
    drop(servers);
    let g = Graph::new();
    let (a, b) = (Variable::new("a", g.constant(0i64)), Variable::new("b", g.constant(0i64)));
    let saver = Saver::new(&g);
    let session = LocalSession::new(&g).unwrap();
    saver.restore(&session, prefix).unwrap();
    let values = session.fetch(RunRequest::new().fetch(a.value()).fetch(b.value())).unwrap();
    assert_eq!(values, [Tensor::from(1i64), Tensor::from(1i64)]);
}

#[test]
fn a_worker_without_a_chief_says_what_it_waits_for() {
    let (servers, model) = (cluster(), model(1));
    let sv = Supervisor::new(&model.g)
        .is_chief(false)
        .recovery_wait(Duration::from_secs(1))
        .max_wait(Duration::ZERO)
        .build()
        .unwrap();
    let status = sv.prepare_or_wait_for_session(&sessions(&servers, 1)).err().unwrap();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(status.message().contains("Variables not initialized: global_step, a, b"), "{status}");
    assert!(!sv.wait_for_stop(Duration::ZERO));
}
