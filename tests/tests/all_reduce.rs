//! Training without parameter servers: workers of a cluster that average their gradients have the same model after each step,
//! whatever happens to one of them.

use std::sync::mpsc;
use std::thread;

use cluster::LocalCluster;
use tensorfleet::prelude::*;

/// A worker's model: dense variables, small and large, and a table of which each worker touches rows of its own.
struct Model {
    graph: Graph,
    variables: Vec<Variable>,
    global_step: Variable,
    train: Operation,
    hook: Option<tensorfleet::train::AllReduceHook>,
}

const LARGE: usize = 200_000;

fn build(task: u32, workers: usize) -> Result<Model> {
    let graph = Graph::new();
    let own = task as f32 + 1.0;
    let device = format!("/job:worker/task:{task}");
    let (variables, global_step, train, hook) = graph.with_device(device, |g| -> Result<_> {
        let global_step = get_or_create_global_step(g);
        let small = Variable::new("small", g.constant([own, 0.0]));
        let scalar = Variable::new("scalar", g.constant(own));
        let large = Variable::new("large", g.constant(Tensor::vector(&vec![own; LARGE])));
        let table = Variable::new("table", g.constant([[own], [own], [own]]));
        let rows = table.rows(&g.constant([task as i32, 0]));
        // The gradients: 2 own and 4 own; own; own; one for each row.
        let loss = (&small * g.constant([2.0 * own, 4.0 * own])).reduce_sum(..)
            + &scalar * own
            + (&large * own).reduce_sum(..)
            + rows.reduce_sum(..);
        let optimizer = AllReduce::new(GradientDescent::new(0.5), workers, task);
        let train = optimizer.minimize(&loss, Some(&global_step))?;
        let hook = optimizer.make_session_run_hook()?;
        Ok((vec![small, scalar, large, table], global_step, train, hook))
    })?;
    Ok(Model { graph, variables, global_step, train, hook: Some(hook) })
}

fn open(model: &mut Model, target: &str, last_step: i64) -> Result<tensorfleet::train::MonitoredSession> {
    MonitoredTrainingSession::new(&model.graph, RemoteSessions::new(target))
        .hook(model.hook.take().expect("a model is trained once"))
        .hook(StopAtStepHook::last_step(last_step))
        .open()
}

fn values(model: &Model, session: &tensorfleet::train::MonitoredSession) -> Result<Vec<Tensor>> {
    let request = model.variables.iter().fold(RunRequest::new(), |request, variable| request.fetch(variable.value()));
    session.raw_session()?.fetch(request)
}

#[test]
fn all_workers_make_the_mean_step_from_the_values_of_the_first() -> Result<()> {
    let cluster = LocalCluster::start(&[("worker", 2)], &ops::registry())?;
    let found: Vec<Vec<Tensor>> = thread::scope(|scope| {
        let workers: Vec<_> = (0..2)
            .map(|task| {
                let target = cluster.target("worker", task).unwrap().to_owned();
                scope.spawn(move || -> Result<Vec<Tensor>> {
                    let mut model = build(task, 2)?;
                    let mut session = open(&mut model, &target, 2)?;
                    while !session.should_stop() {
                        session.eval(&model.train)?;
                    }
                    let mut found = values(&model, &session)?;
                    found.push(session.raw_session()?.eval(&model.global_step)?);
                    session.close()?;
                    Ok(found)
                })
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().unwrap().unwrap()).collect()
    });
    // Both begin with the values of worker 0. The means of the gradients: 3 and 6; 1.5; 1.5; for row 0 (2 + 1) / 2 and for
    // row 1 (0 + 1) / 2. Two steps of a half are one of the whole.
    let expected = [
        Tensor::from([1.0f32 - 3.0, -6.0]),
        Tensor::from(1f32 - 1.5),
        Tensor::vector(&vec![1f32 - 1.5; LARGE]),
        Tensor::from([[1f32 - 1.5], [1.0 - 0.5], [1.0]]),
        Tensor::from(2i64),
    ];
    assert_eq!(found[0], expected);
    assert_eq!(found[1], expected);
    Ok(())
}

#[test]
fn training_goes_on_when_a_lost_worker_is_back() -> Result<()> {
    const STEPS: i64 = 400;
    let registry = ops::registry();
    let mut cluster = LocalCluster::start(&[("worker", 2)], &registry)?;
    let (tell, steps) = mpsc::channel();
    let workers: Vec<_> = (0..2u32)
        .map(|task| {
            let (target, tell) = (cluster.target("worker", task).unwrap().to_owned(), tell.clone());
            thread::spawn(move || -> Result<Vec<Tensor>> {
                let mut model = build(task, 2)?;
                let mut session = open(&mut model, &target, STEPS)?;
                while !session.should_stop() {
                    let (_, step): (_, i64) = session.eval((&model.train, &model.global_step))?;
                    let _ = tell.send(step);
                }
                let found = values(&model, &session)?;
                session.close()?;
                Ok(found)
            })
        })
        .collect();
    while steps.recv().expect("the workers train") < 20 {}
    cluster.restart("worker", 1, &registry)?;
    let found: Vec<_> = workers.into_iter().map(|worker| worker.join().unwrap()).collect::<Result<_>>()?;
    assert_eq!(found[0], found[1]);
    // A step that was cut off may have changed some variables: at least all steps were made.
    let scalar: f32 = found[0][1].to_scalar()?;
    assert!(scalar <= 1.0 - 0.75 * STEPS as f32, "{scalar}");
    Ok(())
}
