//! Synchronous training in which workers die in the middle, send again what nobody answered, and the chief comes back, or with
//! an older model: tokens are conserved, each gradient counts once, and everybody gets an answer.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, TryRecvError, channel};
use std::time::{Duration, Instant};

use cluster::{LocalCluster, RemoteOptions, RemoteSession};
use tensorfleet::prelude::*;
use tensorfleet::train::{Prepared, SessionRunHook, SyncReplicas, SyncReplicasHook};

use super::{Random, simulate};

/// Everything comes to rest within this time.
const REST: Duration = Duration::from_secs(20);
const WORKERS: usize = 3;
/// The task of the chief, which computes no gradients here.
const CHIEF: usize = WORKERS;

/// The graph of a task: two variables on a ps, of which each gradient is 1.
struct Program {
    graph: Graph,
    init: Operation,
    train: Operation,
    hook: SyncReplicasHook,
    saver: Saver,
    /// The two variables, the global step, tokens that are there, gradients that are there.
    seen: Vec<Output>,
}

fn program(task: usize, required: usize) -> Result<Program> {
    let g = Graph::new();
    let (a, b, step) = g.with_device("/job:ps/task:0", |g| {
        (Variable::new("a", g.constant(0f32)), Variable::new("b", g.constant(0f32)), get_or_create_global_step(g))
    });
    let sync = SyncReplicas::new(GradientDescent::new(1.0), required).total_num_replicas(WORKERS);
    let train = g.with_device(format!("/job:worker/task:{task}"), |_| sync.minimize(&(&a + &b), Some(&step)))?;
    let hook = sync.make_session_run_hook(task == CHIEF, None)?;
    let saver = Saver::of(&g, &[a.clone(), b.clone(), step.clone()], Default::default());
    let tokens = g.with_device("/job:ps/task:0", |_| sync.token_queue().map(|queue| queue.size()))?;
    let counts = g.with_device("/job:ps/task:0", |g| {
        let entry =
            g.op("ResourceConditionalAccumulator").attr("dtype", DType::Float).attr("shape", PartialShape::scalar());
        let handle = entry.attr("shared_name", "b:0/grad_accum").output();
        g.op("ResourceAccumulatorNumAccumulated").input(&handle).output()
    });
    let init = global_variables_initializer(&g);
    let seen = vec![a.value().clone(), b.value().clone(), step.value().clone(), tokens, counts];
    g.check()?;
    Ok(Program { graph: g, init, train, hook, saver, seen })
}

/// A worker's session, and its step if it is under way.
struct Worker {
    program: Program,
    session: Arc<RemoteSession>,
    coordinator: Coordinator,
    step: Option<Receiver<Result<()>>>,
}

/// A session on the task's own server.
fn connect(cluster: &LocalCluster, task: usize, program: &Program) -> Result<Arc<RemoteSession>> {
    let options = RemoteOptions { transport: cluster.transport(), ..Default::default() };
    RemoteSession::with_options(cluster.target("worker", task as u32)?, &program.graph, options).map(Arc::new)
}

impl Worker {
    fn new(cluster: &LocalCluster, task: usize, required: usize) -> Result<Worker> {
        let program = program(task, required)?;
        let session = connect(cluster, task, &program)?;
        let mut worker = Worker { program, session, coordinator: Coordinator::new(), step: None };
        worker.greet()?;
        Ok(worker)
    }

    /// What a worker's hook does when its session begins: it takes the global step over.
    fn greet(&mut self) -> Result<()> {
        let session: Arc<dyn Session> = self.session.clone();
        self.program.hook.after_create_session(&session, &self.coordinator)
    }

    /// Begins a step.
    fn begin(&mut self) {
        let ((send, step), session, train) = (channel(), self.session.clone(), self.program.train.clone());
        std::thread::spawn(move || {
            let _ = send.send(session.run(RunRequest::new().target(&train)).map(drop));
        });
        self.step = Some(step);
    }

    /// Hangs up in the middle of whatever it does. Whoever waited is told; returns whether a step was broken off, which may have
    /// taken its token or not.
    fn hang_up(&mut self) -> bool {
        let _ = self.session.close();
        self.coordinator.request_stop();
        let broken_off = self.step.take().is_some_and(|step| {
            drop(step.recv_timeout(REST).expect("every caller is answered"));
            true
        });
        let _ = self.coordinator.join(REST);
        broken_off
    }

    /// Hangs up, and comes back with another session; returns whether a step was broken off.
    fn come_back(&mut self, cluster: &LocalCluster, task: usize) -> Result<bool> {
        let broken_off = self.hang_up();
        self.session = connect(cluster, task, &self.program)?;
        self.coordinator = Coordinator::new();
        self.greet()?;
        Ok(broken_off)
    }
}

struct World<'a> {
    cluster: &'a LocalCluster,
    required: usize,
    workers: Vec<Worker>,
    chief: Option<Chief>,
    checkpoints: PathBuf,
    saved: Option<(PathBuf, i64)>,
    /// Tokens that were put into the queue and taken out, as far as is known.
    begun_with: i64,
    began_at: i64,
    taken: i64,
    /// Steps that were broken off after they may have taken a token.
    broken_off: i64,
}

/// The chief's own session, and the threads that make steps of gradients.
struct Chief {
    program: Program,
    session: Arc<RemoteSession>,
    coordinator: Coordinator,
}

impl Chief {
    /// A chief that begins as `prepare` finds the model, or makes it.
    fn new(
        cluster: &LocalCluster,
        required: usize,
        prepare: impl FnOnce(&Program, &RemoteSession) -> Result<Prepared>,
    ) -> Result<Chief> {
        let mut program = program(CHIEF, required)?;
        let session = connect(cluster, CHIEF, &program)?;
        let prepared = prepare(&program, &session)?;
        let coordinator = Coordinator::new();
        program.hook.model_ready(&prepared);
        let shared: Arc<dyn Session> = session.clone();
        program.hook.after_create_session(&shared, &coordinator)?;
        Ok(Chief { program, session, coordinator })
    }

    /// It is gone, without a word to anybody.
    fn end(self) {
        let _ = self.session.close();
        self.coordinator.request_stop();
        let _ = self.coordinator.join(REST);
    }
}

#[derive(Debug, PartialEq)]
struct Seen {
    a: f32,
    b: f32,
    step: i64,
    tokens: i64,
    gradients: i64,
}

impl World<'_> {
    fn chief(&self) -> &Chief {
        self.chief.as_ref().expect("a chief")
    }

    fn look(&self) -> Result<Seen> {
        let Chief { program, session, .. } = self.chief();
        let seen = &program.seen;
        let values = session.fetch(seen.iter().fold(RunRequest::new(), |request, one| request.fetch(one)))?;
        Ok(Seen {
            a: values[0].to_scalar()?,
            b: values[1].to_scalar()?,
            step: values[2].to_scalar()?,
            tokens: i64::from(values[3].to_scalar::<i32>()?),
            gradients: i64::from(values[4].to_scalar::<i32>()?),
        })
    }

    /// Waits until nothing happens by itself any more: no step can be made, and nobody waits for a token that is there.
    fn rest(&mut self) -> Result<Seen> {
        let (begin, mut last, mut same) = (Instant::now(), None, 0);
        loop {
            for worker in &mut self.workers {
                let told = worker.step.as_ref().map(Receiver::try_recv);
                match told {
                    Some(Ok(outcome)) => {
                        worker.step = None;
                        outcome?;
                        self.taken += 1;
                    }
                    Some(Err(TryRecvError::Disconnected)) => panic!("a step without an answer"),
                    _ => {}
                }
            }
            let now = self.look()?;
            let waiting = self.workers.iter().filter(|worker| worker.step.is_some()).count() as i64;
            let settled = now.gradients < self.required as i64 && (now.tokens == 0 || waiting == 0);
            // In the middle of a step the variables differ, and a token that was taken may not have arrived.
            let whole = (now.a, now.b) == (-(now.step as f32), -(now.step as f32)) && self.has_all_tokens(&now);
            let state = (now.step, now.tokens, now.gradients, waiting);
            // Three times the same: what was under way between two tasks has arrived.
            same = if settled && whole && last == Some(state) { same + 1 } else { 0 };
            if same == 2 {
                return Ok(now);
            }
            last = Some(state);
            assert!(
                begin.elapsed() < REST,
                "it does not come to rest: {now:?}, {waiting} wait, {} tokens were put, {} were taken, {} steps were broken off",
                self.put(&now),
                self.taken,
                self.broken_off
            );
            std::thread::sleep(Duration::from_millis(2));
        }
    }

    fn put(&self, now: &Seen) -> i64 {
        self.begun_with + (now.step - self.began_at) * WORKERS as i64
    }

    /// Whether every token is there, was taken, or went with a step that was broken off.
    fn has_all_tokens(&self, now: &Seen) -> bool {
        (0..=self.broken_off).contains(&(self.put(now) - now.tokens - self.taken))
    }

    /// What must be true whenever everything is at rest.
    fn check(&self, now: &Seen) {
        // Each step takes the mean of gradients that are all 1.
        assert_eq!(
            (now.a, now.b),
            (-(now.step as f32), -(now.step as f32)),
            "a torn model, or a step that was not counted"
        );
        assert!(
            self.has_all_tokens(now),
            "{} tokens were put, {} are there, {} were taken, {} steps were broken off",
            self.put(now),
            now.tokens,
            self.taken,
            self.broken_off
        );
    }

    fn save(&mut self, number: usize) -> Result<()> {
        let Chief { program, session, .. } = self.chief();
        let path = program.saver.save(&**session, self.checkpoints.join(format!("model-{number}")), None)?;
        let reader = files::BundleReader::open(&path)?;
        let (a, b, step): (f32, f32, i64) = (
            reader.lookup("a")?.to_scalar()?,
            reader.lookup("b")?.to_scalar()?,
            reader.lookup("global_step")?.to_scalar()?,
        );
        assert_eq!((a, b), (-(step as f32), -(step as f32)), "a torn checkpoint");
        self.saved = Some((path, step));
        Ok(())
    }

    /// Another chief takes over. It finds the model as it is, or brings back an older one.
    fn another_chief(&mut self, roll_back: bool) -> Result<()> {
        let saved = self.saved.clone().filter(|_| roll_back);
        let before = self.rest()?;
        if let Some(old) = self.chief.take() {
            old.end();
        }
        self.chief = Some(Chief::new(self.cluster, self.required, |program, session| match &saved {
            Some((path, _)) => {
                program.saver.restore(session, path)?;
                Ok(Prepared::Restored(path.clone()))
            }
            None => Ok(Prepared::Found),
        })?);
        if let Some((_, step)) = saved {
            // Workers whose steps began before it begin anew; those that waited may have got one of the new tokens.
            let mut broken_off = 0;
            for task in 0..self.workers.len() {
                broken_off += i64::from(self.workers[task].come_back(self.cluster, task)?);
            }
            (self.begun_with, self.began_at, self.taken, self.broken_off) = (self.required as i64, step, 0, broken_off);
        } else {
            let now = self.rest()?;
            assert!(now.tokens <= before.tokens, "a chief that came back put tokens: {before:?}, {now:?}");
        }
        Ok(())
    }
}

fn train(cluster: &LocalCluster, folder: &Path, mut random: Random) -> Result<()> {
    let required = 2 + random.below(WORKERS - 1);
    let chief = Chief::new(cluster, required, |program, session| {
        session.run(RunRequest::new().target(&program.init))?;
        Ok(Prepared::Initialized)
    })?;
    let workers = (0..WORKERS).map(|task| Worker::new(cluster, task, required)).collect::<Result<Vec<_>>>()?;
    let mut world = World {
        cluster,
        required,
        workers,
        chief: Some(chief),
        checkpoints: folder.to_owned(),
        saved: None,
        begun_with: required as i64,
        began_at: 0,
        taken: 0,
        broken_off: 0,
    };
    for number in 0..25 {
        let task = random.below(WORKERS);
        match random.below(12) {
            0 => world.save(number)?,
            1 => world.another_chief(false)?,
            2 => world.another_chief(true)?,
            3 | 4 => world.broken_off += i64::from(world.workers[task].come_back(cluster, task)?),
            _ => {
                if world.workers[task].step.is_none() {
                    world.workers[task].begin();
                }
            }
        }
        let now = world.rest()?;
        world.check(&now);
    }
    // All go; nobody is left waiting.
    for worker in &mut world.workers {
        worker.hang_up();
    }
    if let Some(chief) = world.chief.take() {
        chief.end();
    }
    drop(world);
    let begin = Instant::now();
    while (0..=CHIEF as u32).any(|task| cluster.sessions("worker", task) > 0) || cluster.sessions("ps", 0) > 0 {
        assert!(begin.elapsed() < REST, "sessions are left behind");
        std::thread::sleep(Duration::from_millis(2));
    }
    RemoteSession::reset(cluster.target("worker", 0)?, &[])
}

#[test]
fn synchronous_training_counts_right() {
    let folder = std::env::temp_dir().join(format!("tensorfleet-simulated-training-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let cluster = LocalCluster::start(&[("ps", 1), ("worker", CHIEF as u32 + 1)], &ops::registry()).expect("a cluster");
    simulate(6, |random| train(&cluster, &folder, random));
    let _ = std::fs::remove_dir_all(&folder);
}
