//! Checkpoints of one moment: while workers train, each step is in a checkpoint as a whole or not at all. Restores that are
//! one act: whoever is killed in the middle leaves a model that says it is not ready.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};

use cluster::{LocalCluster, RemoteOptions, RemoteSession, ServerOptions, Transport};
use files::BundleReader;
use tensorfleet::prelude::*;
use tensorfleet::train::{SaverOptions, VariableKind};

const PS: u32 = 2;
/// Variables on each ps.
const EACH: usize = 3;

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Counters on all parameter servers, and a step that adds one to each of them, one after the other.
struct Counters {
    graph: Graph,
    init: Operation,
    train: Operation,
    saver: Saver,
}

fn counters(kind: VariableKind, sharded: bool) -> Counters {
    let g = Graph::new();
    Variable::set_kind(&g, kind);
    let mut variables = Vec::new();
    for number in 0..EACH {
        for ps in 0..PS {
            let name = format!("v_{ps}_{number}");
            let device = format!("/job:ps/task:{ps}");
            variables.push(g.with_device(device, |g| Variable::new(&name, g.zeros([64], DType::Int64))));
        }
    }
    let ones = g.ones([64], DType::Int64);
    let mut done: Vec<Operation> = Vec::new();
    for variable in &variables {
        let add = g.with_control_dependencies(&done, |_| variable.handle().assign_add(&ones));
        done = vec![add];
    }
    let saver = Saver::with_options(&g, SaverOptions { sharded, max_to_keep: 0, ..Default::default() });
    let init = global_variables_initializer(&g);
    Counters { init, train: done.remove(0), saver, graph: g }
}

fn connect(cluster: &LocalCluster, task: u32, g: &Graph) -> Result<RemoteSession> {
    let options = RemoteOptions { transport: cluster.transport(), ..Default::default() };
    RemoteSession::with_options(cluster.target("worker", task)?, g, options)
}

/// The counters in a checkpoint; all of them must be the same.
fn count_in(prefix: &Path) -> i64 {
    let reader = BundleReader::open(prefix).unwrap();
    let mut found: Vec<i64> = Vec::new();
    for ps in 0..PS {
        for number in 0..EACH {
            found.extend(reader.lookup(&format!("v_{ps}_{number}")).unwrap().as_slice::<i64>().unwrap());
        }
    }
    assert!(found.iter().all(|count| *count == found[0]), "{} is torn: {found:?}", prefix.display());
    found[0]
}

fn saves_are_of_one_moment(kind: VariableKind, sharded: bool, transport: Transport) -> Result<()> {
    let folder = Folder::new(&format!("one-moment-{kind:?}-{sharded}-{transport:?}"));
    let options = ServerOptions { transport, ..Default::default() };
    let cluster = LocalCluster::start_with(&[("ps", PS), ("worker", 2)], &ops::registry(), options)?;
    let Counters { graph, init, train, saver } = counters(kind, sharded);
    let chief = connect(&cluster, 0, &graph)?;
    chief.run(RunRequest::new().target(&init))?;
    let over = AtomicBool::new(false);
    let counts = std::thread::scope(|scope| -> Result<Vec<i64>> {
        let trained: Vec<_> = (0..2)
            .map(|task| {
                let (cluster, graph, train, over) = (&cluster, &graph, &train, &over);
                scope.spawn(move || -> Result<i64> {
                    let session = connect(cluster, task, graph)?;
                    let mut steps = 0;
                    while !over.load(Ordering::Relaxed) {
                        session.run(RunRequest::new().target(train))?;
                        steps += 1;
                    }
                    Ok(steps)
                })
            })
            .collect();
        let saved: Result<Vec<PathBuf>> =
            (0..20).map(|number| saver.save(&chief, folder.0.join(format!("model-{number}")), None)).collect();
        over.store(true, Ordering::Relaxed);
        let mut steps = 0;
        for worker in trained {
            steps += worker.join().unwrap()?;
        }
        let mut counts: Vec<i64> = saved?.iter().map(|prefix| count_in(prefix)).collect();
        // Nothing was lost either.
        let last = saver.save(&chief, folder.0.join("last"), None)?;
        assert_eq!(count_in(&last), steps);
        counts.push(steps);
        Ok(counts)
    })?;
    assert!(counts.is_sorted(), "{counts:?}");
    assert!(counts[counts.len() - 1] > counts[0], "training went on: {counts:?}");
    Ok(())
}

#[test]
fn of_reference_variables_over_links() -> Result<()> {
    saves_are_of_one_moment(VariableKind::Ref, true, Transport::Links)
}

#[test]
fn of_resource_variables_through_one_task_over_grpc() -> Result<()> {
    saves_are_of_one_moment(VariableKind::Resource, false, Transport::Grpc)
}

/// Two variables on two parameter servers, with a checkpoint in which both are 1.
struct Pair {
    cluster: LocalCluster,
    graph: Graph,
    a: Variable,
    b: Variable,
    folder: Folder,
}

fn pair(name: &str) -> Result<Pair> {
    let folder = Folder::new(name);
    let options = ServerOptions { transport: Transport::Links, ..Default::default() };
    let cluster = LocalCluster::start_with(&[("ps", 2), ("worker", 2)], &ops::registry(), options)?;
    let g = Graph::new();
    let a = g.with_device("/job:ps/task:0", |g| Variable::new("a", g.constant(1f32)));
    let b = g.with_device("/job:ps/task:1", |g| Variable::new("b", g.constant(1f32)));
    Ok(Pair { cluster, graph: g, a, b, folder })
}

fn queue(g: &Graph, name: &str) -> tensorfleet::train::Queue {
    let queue = tensorfleet::train::Queue::of(&[DType::Float]).shapes(&[PartialShape::scalar()]).shared_name(name);
    g.with_device("/job:ps/task:1", |g| queue.fifo(g))
}

/// As TensorFlow's savers lay it out, but the second value is given only when a token comes.
#[test]
fn who_is_lost_in_the_middle_of_a_restore_leaves_a_model_that_is_not_ready() -> Result<()> {
    let Pair { cluster, graph: g, a, b, folder } = pair("half-restored")?;
    let (init, saver, tokens) = (global_variables_initializer(&g), Saver::new(&g), queue(&g, "tokens"));
    let prefix = g.constant(folder.0.join("model").to_str().unwrap());
    let (names, slices) = (Tensor::string_vector(["a", "b"]), Tensor::string_vector(["", ""]));
    let restored = g.op("RestoreV2").input(&prefix).input(g.constant(names)).input(g.constant(slices));
    let restored = restored.attr("dtypes", vec![DType::Float, DType::Float]).build();
    let token = tokens.dequeue().swap_remove(0);
    let first = a.assign(restored.output(0));
    let second = g.with_control_dependencies(&[token.operation()], |_| b.assign(restored.output(1)));
    let ready = [a.is_initialized(), b.is_initialized()];
    let chief = connect(&cluster, 0, &g)?;
    chief.run(RunRequest::new().target(&init))?;
    saver.save(&chief, folder.0.join("model"), None)?;
    let halfway = RunRequest::new().target(&first).target(&second).timeout(std::time::Duration::from_secs(2));
    assert_eq!(chief.run(halfway).unwrap_err().code(), Code::DeadlineExceeded);
    let worker = connect(&cluster, 1, &g)?;
    let there: (bool, bool) = worker.eval((&ready[0], &ready[1]))?;
    assert_eq!(there, (true, false), "what was not restored has no value");
    assert_eq!(worker.eval::<f32, _>(&b).unwrap_err().code(), Code::Aborted);
    // Another restore makes it whole.
    saver.restore(&worker, folder.0.join("model"))?;
    assert_eq!(worker.eval::<(f32, f32), _>((&a, &b))?, (1.0, 1.0));
    Ok(())
}

#[test]
fn a_step_that_began_before_a_restore_changes_nothing_after_it() -> Result<()> {
    let Pair { cluster, graph: g, a, b, folder } = pair("rolled-back")?;
    let (init, saver) = (global_variables_initializer(&g), Saver::new(&g));
    let (begun, tokens) = (queue(&g, "begun"), queue(&g, "tokens"));
    let one = g.constant(1f32);
    let (begin, has_begun, let_go) =
        (begun.enqueue(std::slice::from_ref(&one)), begun.dequeue(), tokens.enqueue(std::slice::from_ref(&one)));
    let token = g.with_control_dependencies(&[begin], |_| tokens.dequeue().swap_remove(0));
    let step = g.with_control_dependencies(&[token.operation()], |_| b.assign_add(&one));
    let chief = connect(&cluster, 0, &g)?;
    chief.run(RunRequest::new().target(&init))?;
    let path = saver.save(&chief, folder.0.join("model"), None)?;
    std::thread::scope(|scope| -> Result<()> {
        let (cluster, graph) = (&cluster, &g);
        let running = scope.spawn(move || connect(cluster, 1, graph)?.run(RunRequest::new().target(&step)));
        chief.run(RunRequest::new().target(&has_begun[0].operation()))?;
        saver.restore(&chief, &path)?;
        chief.run(RunRequest::new().target(&let_go))?;
        let refused = running.join().unwrap().expect_err("the step is of another time");
        assert_eq!(refused.code(), Code::Aborted, "{refused}");
        assert!(refused.message().contains("restored while this step ran"), "{refused}");
        assert_eq!(chief.eval::<(f32, f32), _>((&a, &b))?, (1.0, 1.0));
        Ok(())
    })
}

/// Prints what saving every second costs: `cargo test --release --test one_moment -- --ignored --nocapture`.
#[test]
#[ignore = "measures, by hand"]
fn what_saves_cost() -> Result<()> {
    let folder = Folder::new("moment-cost");
    let options = ServerOptions { transport: Transport::Links, ..Default::default() };
    let cluster = LocalCluster::start_with(&[("ps", PS), ("worker", 2)], &ops::registry(), options)?;
    let Counters { graph, init, train, saver } = counters(VariableKind::Ref, true);
    let chief = connect(&cluster, 0, &graph)?;
    chief.run(RunRequest::new().target(&init))?;
    let steps_in = |saves: u32| -> Result<u64> {
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            let train = |task| {
                let (cluster, graph, train, over) = (&cluster, &graph, &train, &over);
                scope.spawn(move || -> Result<u64> {
                    let (session, mut steps) = (connect(cluster, task, graph)?, 0);
                    while !over.load(Ordering::Relaxed) {
                        session.run(RunRequest::new().target(train))?;
                        steps += 1;
                    }
                    Ok(steps)
                })
            };
            let workers = [train(0), train(1)];
            for second in 0..5 {
                std::thread::sleep(std::time::Duration::from_secs(1));
                if second < saves {
                    saver.save(&chief, folder.0.join(format!("model-{second}")), None)?;
                }
            }
            over.store(true, Ordering::Relaxed);
            workers.into_iter().map(|worker| worker.join().unwrap()).sum()
        })
    };
    for _ in 0..5 {
        println!("5 s without saves: {} steps; with 5 saves: {} steps", steps_in(0)?, steps_in(5)?);
    }
    Ok(())
}
