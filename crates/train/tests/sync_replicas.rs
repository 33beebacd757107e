//! Synchronous training runs: steps are means over workers, late gradients are dropped and counted, the end reaches everybody.

use std::sync::Arc;
use std::time::Duration;

use tensorfleet::prelude::*;
use tensorfleet::train::{Initializer, VariableKind, WorkerGradients};

const LONG: Duration = Duration::from_secs(60);

/// Two workers in one graph, each with nodes of its own that share accumulators, tokens and variables by name, as graphs of
/// several processes do.
struct Job {
    session: Arc<dyn Session>,
    trains: Vec<Operation>,
    fed: Vec<Output>,
    w: Variable,
    step: Variable,
    counts: Vec<Output>,
    chief: SyncReplicas,
    coord: Coordinator,
}

/// A model with one weight per worker's input: the gradient of `w` is what is fed.
fn job(kind: VariableKind, replicas: usize, workers: usize) -> Result<Job> {
    let g = Graph::new();
    Variable::set_kind(&g, kind);
    let w = g.get_variable("w", [2], Initializer::Zeros);
    let step = get_or_create_global_step(&g);
    let (mut trains, mut fed, mut local_inits, mut chief) = (Vec::new(), Vec::new(), Vec::new(), None);
    for _ in 0..workers {
        let input = g.placeholder(DType::Float, [2]);
        let sync = SyncReplicas::new(GradientDescent::new(1.0), replicas).total_num_replicas(workers);
        trains.push(sync.minimize(&(&w * &input).reduce_sum(..), Some(&step))?);
        fed.push(input);
        local_inits.push(if chief.is_none() { sync.chief_init_op()? } else { sync.local_step_init_op()? });
        chief.get_or_insert(sync);
    }
    let chief = chief.unwrap();
    let counts = chief.gradient_counts()?;
    let counts = vec![counts[0].accumulated.clone(), counts[0].accepted_and_dropped.clone()];
    let tokens = chief.init_tokens_op(Some(0))?;
    let init = global_variables_initializer(&g);
    let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
    session.run(RunRequest::new().target(&init))?;
    for local_init in &local_inits {
        session.run(RunRequest::new().target(local_init))?;
    }
    session.run(RunRequest::new().target(&tokens))?;
    Ok(Job { session, trains, fed, w, step, counts, chief, coord: Coordinator::new() })
}

impl Job {
    fn train(&self, worker: usize, gradient: [f32; 2]) -> Result<()> {
        let request = RunRequest::new().feed(&self.fed[worker], gradient).target(&self.trains[worker]).timeout(LONG);
        self.session.run(request)?;
        Ok(())
    }

    fn now(&self) -> Result<(Tensor, Tensor)> {
        let values = self.session.fetch(RunRequest::new().fetch(self.w.value()).fetch(self.step.value()))?;
        Ok((values[0].clone(), values[1].clone()))
    }
}

#[test]
fn a_step_is_the_mean_over_workers() -> Result<()> {
    for kind in [VariableKind::Ref, VariableKind::Resource] {
        let job = job(kind, 2, 2)?;
        job.chief.chief_queue_runner()?.create_threads(&job.session, &job.coord)?;
        for number in 1..=3 {
            std::thread::scope(|scope| {
                let workers = [[1f32, 3.0], [3.0, 5.0]].into_iter().enumerate();
                let threads: Vec<_> = workers
                    .map(|(worker, gradient)| {
                        scope.spawn({
                            let job = &job;
                            move || job.train(worker, gradient)
                        })
                    })
                    .collect();
                threads.into_iter().try_for_each(|thread| thread.join().unwrap())
            })?;
            // Each step subtracts the mean, [2, 4].
            let n = number as f32;
            assert_eq!(job.now()?, (Tensor::from([-2.0 * n, -4.0 * n]), Tensor::from(number as i64)), "{kind:?}");
        }
        job.coord.request_stop();
        job.coord.join(LONG)?;
        // The chief has gone: whoever waits for a token learns it.
        assert_eq!(job.train(0, [1.0, 1.0]).unwrap_err().code(), Code::OutOfRange);
    }
    Ok(())
}

/// With two workers but steps of one gradient, the second gradient of a step comes too late.
#[test]
fn late_gradients_are_dropped_and_counted() -> Result<()> {
    for kind in [VariableKind::Ref, VariableKind::Resource] {
        let job = job(kind, 1, 2)?;
        job.chief.chief_queue_runner()?.create_threads(&job.session, &job.coord)?;
        job.train(0, [1.0, 2.0])?; // makes step 1 and takes one of its two tokens
        job.train(1, [8.0, 8.0])?; // computed in step 0, so dropped; takes the other token
        assert_eq!(job.now()?, (Tensor::from([-1f32, -2.0]), Tensor::from(1i64)), "{kind:?}");
        let request = RunRequest::new().fetch(&job.counts[0]).fetch(&job.counts[1]);
        assert_eq!(job.session.fetch(request)?, [Tensor::from(0i32), Tensor::from([1i64, 1])]);
        job.train(1, [1.0, 1.0])?; // in step 1 now
        assert_eq!(job.now()?, (Tensor::from([-2f32, -3.0]), Tensor::from(2i64)), "{kind:?}");
        job.coord.request_stop();
        job.coord.join(LONG)?;
    }
    Ok(())
}

/// The workers are devices here, so that each has a name.
#[test]
fn what_is_waited_for_is_said_and_gradients_are_counted_by_worker() -> Result<()> {
    let g = Graph::new();
    let (w, step) =
        g.with_device("/device:CPU:0", |g| (g.get_variable("w", (), Initializer::Zeros), get_or_create_global_step(g)));
    let (mut trains, mut hooks, mut syncs) = (Vec::new(), Vec::new(), Vec::new());
    for worker in [0, 1] {
        let (train, sync) = g.with_device(format!("/device:CPU:{worker}").as_str(), |_| -> Result<_> {
            let sync = SyncReplicas::new(GradientDescent::new(1.0), 2);
            Ok((sync.minimize(&(&w * 1.0), Some(&step))?, sync))
        })?;
        hooks.push(sync.make_session_run_hook(worker == 0, Some(2))?);
        trains.push(train);
        syncs.push(sync);
    }
    let chief = &syncs[0];
    let (counts, init) = (chief.gradient_counts()?.remove(0), global_variables_initializer(&g));
    let (back, token) = (syncs[1].local_step()?.assign(g.constant(0i64)), chief.init_tokens_op(Some(1))?);
    counts.summarize();
    let summaries = summary::merge_all(&g).unwrap();
    let options = SessionOptions { cpu_devices: 2, ..SessionOptions::default() };
    let session: Arc<dyn Session> = Arc::new(LocalSession::with_options(&g, options)?);
    session.run(RunRequest::new().target(&init))?;
    for local_init in [chief.chief_init_op()?, syncs[1].local_step_init_op()?] {
        session.run(RunRequest::new().target(&local_init))?;
    }

    let coord = Coordinator::new();
    let train = |worker: usize| session.run(RunRequest::new().target(&trains[worker]).timeout(LONG)).map(drop);
    let until = |worker: usize, expected: &str| -> Result<()> {
        let begin = std::time::Instant::now();
        while hooks[worker].waiting_for(&*session)? != expected {
            assert!(begin.elapsed() < LONG, "{}", hooks[worker].waiting_for(&*session)?);
        }
        Ok(())
    };
    std::thread::scope(|scope| -> Result<()> {
        // Nobody has started the chief's thread.
        let first = scope.spawn(|| train(0));
        until(
            0,
            "/device:CPU:0 is at step 0, and the queue sync_token_q has 0 tokens; the accumulator of w has 1 of 2 gradients: \
             other workers should bring them (are they all started?)",
        )?;
        let second = scope.spawn(|| train(1));
        until(
            1,
            "/device:CPU:1 is at step 0, and the queue sync_token_q_1 has 0 tokens; the 2 gradients of a step are there: the \
             chief's queue runner should take them",
        )?;
        chief.chief_queue_runner()?.create_threads(&session, &coord)?;
        first.join().unwrap()?;
        second.join().unwrap()
    })?;

    // Worker 1 is slow: it computes once more in step 0, which is over.
    session.run(RunRequest::new().target(&back))?;
    session.run(RunRequest::new().target(&token))?;
    train(1)?;
    let counted =
        |worker: i32, accepted, dropped| WorkerGradients { worker: format!("/device:CPU:{worker}"), accepted, dropped };
    assert_eq!(counts.read(&*session)?, [counted(0, 1, 0), counted(1, 1, 1)]);
    let text = session.fetch(RunRequest::new().fetch(&summaries))?.remove(0);
    let text = String::from_utf8_lossy(&text.strings()?[0]).into_owned();
    assert!(text.contains("gradients/w/accepted") && text.contains("gradients/w/dropped"), "{text}");
    coord.request_stop();
    coord.join(LONG)
}

/// A worker signs off. With backup workers the others go on; else they end.
#[test]
fn workers_that_leave_do_not_keep_the_others_waiting() -> Result<()> {
    for (replicas, goes_on) in [(2, false), (1, true)] {
        let g = Graph::new();
        let w = g.get_variable("w", (), Initializer::Zeros);
        let step = get_or_create_global_step(&g);
        let worker = || -> Result<(Operation, SyncReplicas)> {
            let sync = SyncReplicas::new(GradientDescent::new(1.0), replicas).total_num_replicas(2);
            Ok((sync.minimize(&(&w * 1.0), Some(&step))?, sync))
        };
        let ((train, chief), (_, other)) = (worker()?, worker()?);
        let (mut chief, mut other) =
            (chief.make_session_run_hook(true, Some(0))?, other.make_session_run_hook(false, None)?);
        let init = global_variables_initializer(&g);
        let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
        session.run(RunRequest::new().target(&init))?;
        let coord = Coordinator::new();
        chief.after_create_session(&session, &coord)?;
        other.after_create_session(&session, &coord)?;
        other.end(&session)?;
        let outcome = (0..3).try_for_each(|_| session.run(RunRequest::new().target(&train).timeout(LONG)).map(drop));
        match goes_on {
            true => outcome?,
            false => assert_eq!(outcome.unwrap_err().code(), Code::OutOfRange),
        }
        coord.request_stop();
        coord.join(LONG)?;
    }
    Ok(())
}

/// Rows that come twice in a gradient count twice; untouched rows stay.
#[test]
fn gradients_of_rows_are_collected_too() -> Result<()> {
    for kind in [VariableKind::Ref, VariableKind::Resource] {
        let g = Graph::new();
        Variable::set_kind(&g, kind);
        let table = g.get_variable("table", [4, 1], Initializer::Zeros);
        let step = get_or_create_global_step(&g);
        let indices = g.placeholder(DType::Int32, [3]);
        let sync = SyncReplicas::new(GradientDescent::new(1.0), 2).total_num_replicas(1);
        let train = sync.minimize(&table.rows(&indices).reduce_sum(..), Some(&step))?;
        let (local_init, tokens) = (sync.chief_init_op()?, sync.init_tokens_op(Some(1))?);
        let init = global_variables_initializer(&g);
        let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
        for target in [&init, &local_init, &tokens] {
            session.run(RunRequest::new().target(target))?;
        }
        let coord = Coordinator::new();
        sync.chief_queue_runner()?.create_threads(&session, &coord)?;
        for fed in [[0i32, 1, 1], [0, 1, 2]] {
            session.run(RunRequest::new().feed(&indices, fed).target(&train).timeout(LONG))?;
        }
        // Rows 0 and 1 came in both gradients, a second row 1 and row 2 in one each; TensorFlow 2.21 divides each by how often
        // it came: (1+1)/2, (1+1)/2 + 1, 1.
        let value = session.fetch(RunRequest::new().fetch(table.value()))?;
        assert_eq!(value[0], Tensor::from([[-1f32], [-2.0], [-1.0], [0.0]]), "{kind:?}");
        coord.request_stop();
        coord.join(LONG)?;
    }
    Ok(())
}

#[test]
fn what_contradicts_is_refused() -> Result<()> {
    let g = Graph::new();
    let w = Variable::new("w", g.constant(1f32));
    let sync = SyncReplicas::new(GradientDescent::new(0.1), 5).total_num_replicas(2);
    assert_eq!(sync.chief_init_op().unwrap_err().code(), Code::FailedPrecondition);
    let error = sync.minimize(&(&w * 2.0), None).unwrap_err();
    assert_eq!(error.message(), "Global step is required to check staleness");
    let step = get_or_create_global_step(&g);
    sync.minimize(&(&w * 2.0), Some(&step))?;
    let error = sync.init_tokens_op(Some(2)).unwrap_err();
    assert_eq!(error.message(), "Too few tokens to finish the first step: 2 (given) vs 3 (needed)");
    Ok(())
}

/// What an optimizer keeps for a variable is found through whoever shares it.
#[test]
fn an_optimizer_is_shared() {
    let g = Graph::new();
    let w = Variable::new("w", g.constant(1f32));
    let step = get_or_create_global_step(&g);
    let adam = std::sync::Arc::new(Adam::new(0.1));
    let sync = SyncReplicas::new(adam.clone(), 1);
    assert!(adam.slot(&w, "m").is_none());
    sync.minimize(w.value(), Some(&step)).unwrap();
    let both = [adam.slot(&w, "m"), sync.slot(&w, "m")].map(|slot| slot.unwrap().name().to_owned());
    assert_eq!(both, ["w/Adam", "w/Adam"]);
    let boxed: Box<dyn Optimizer> = Box::new(adam);
    assert_eq!((boxed.name(), boxed.variables().len()), ("Adam", 4));
    assert_eq!(SyncReplicas::new(boxed, 1).variables().len(), 4);
}
