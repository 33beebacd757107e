//! Monitored sessions: hooks, recovery, and the ends of training.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use files::latest_checkpoint;
use graph::Graph;
use parking_lot::Mutex;

use super::*;
use crate::hooks::{Every, LoggingTensorHook, NanTensorHook, StopAtStepHook};
use crate::summary;
use crate::testing::{Folder, Place, counting, graph};

fn training(g: &Graph, place: &Place) -> MonitoredTrainingSession {
    MonitoredTrainingSession::new(g, place.clone()).recovery_wait(Duration::ZERO).stop_grace(Duration::from_secs(60))
}

#[test]
fn a_lost_task_costs_the_steps_since_the_checkpoint() {
    let folder = Folder::new("monitored-lost");
    let (g, step, count) = counting();
    let place = Place::new();
    let mut session = training(&g, &place)
        .logdir(folder.path())
        .save_checkpoint_every(Every::Steps(5))
        .hook(StopAtStepHook::last_step(12))
        .open()
        .unwrap();
    let mut seen = Vec::new();
    while !session.should_stop() {
        session.run(RunRequest::new().target(&count)).unwrap();
        let now = session.raw_session().unwrap().fetch(RunRequest::new().fetch(step.value())).unwrap();
        seen.push(now[0].to_scalar::<i64>().unwrap());
        if seen.len() == 7 {
            place.lose();
        }
    }
    session.close().unwrap();
    assert_eq!(seen, [1, 2, 3, 4, 5, 6, 7, 6, 7, 8, 9, 10, 11, 12]);
    assert_eq!(latest_checkpoint(folder.path()).unwrap(), Some(folder.path().join("model.ckpt-12")));
}

#[test]
fn a_loss_that_a_thread_meets_first_is_no_reason_to_stop() {
    let (g, step, count) = counting();
    let place = Place::new();
    let mut session = training(&g, &place).open().unwrap();
    session.run(RunRequest::new().target(&count)).unwrap();
    place.lose();
    session.coord().request_stop_because(err!(Aborted, "the task has restarted"));
    assert!(!session.should_stop());
    // Without a checkpoint the model begins anew.
    session.run(RunRequest::new().target(&count)).unwrap();
    let now = session.raw_session().unwrap().fetch(RunRequest::new().fetch(step.value())).unwrap();
    assert_eq!(now, [Tensor::from(1i64)]);
    let asked = Coordinator::new();
    let session = training(&g, &place).stop_with(&asked).open().unwrap();
    assert!(!session.should_stop());
    asked.request_stop();
    assert!(session.should_stop());
}

#[test]
fn hooks_get_what_they_ask_for_and_the_caller_too() {
    struct Watch(Arc<Mutex<Vec<String>>>, String);
    impl SessionRunHook for Watch {
        fn begin(&mut self, _: &Graph) -> Result<()> {
            self.0.lock().push("begin".into());
            Ok(())
        }
        fn after_create_session(&mut self, _: &Arc<dyn Session>, _: &Coordinator) -> Result<()> {
            self.0.lock().push("created".into());
            Ok(())
        }
        fn before_run(&mut self, _: &RunContext) -> Result<RunRequest> {
            Ok(RunRequest::new().fetch(&self.1))
        }
        fn after_run(&mut self, _: &mut RunContext, values: &[Tensor]) -> Result<()> {
            self.0.lock().push(format!("{:?}", values[0].to_i64_vec()?));
            Ok(())
        }
        fn end(&mut self, _: &Arc<dyn Session>) -> Result<()> {
            self.0.lock().push("end".into());
            Ok(())
        }
    }
    let (g, step, _) = counting();
    let seen: Arc<Mutex<Vec<String>>> = Arc::default();
    let constant = g.constant(7i64);
    let hook = Watch(seen.clone(), constant.name().unwrap().to_string());
    let mut session = training(&g, &Place::new()).hook(hook).open().unwrap();
    let fetched = session.fetch(RunRequest::new().fetch(step.value())).unwrap();
    assert_eq!(fetched, [Tensor::from(0i64)]);
    session.close().unwrap();
    session.close().unwrap();
    assert_eq!(*seen.lock(), ["begin", "created", "[7]", "end"]);
    assert!(session.run(RunRequest::new().fetch(step.value())).is_err());
}

#[test]
fn a_loss_that_is_not_a_number_ends_training() {
    let (g, ..) = counting();
    let x = g.placeholder(tensor::DType::Float, tensor::PartialShape::scalar());
    let mut session = training(&g, &Place::new()).hook(NanTensorHook::new(&x)).open().unwrap();
    session.run(RunRequest::new().feed(&x, 1f32)).unwrap();
    let status = session.run(RunRequest::new().feed(&x, f32::NAN)).unwrap_err();
    assert!(status.message().starts_with("NaN loss during training"), "{status}");
    let mut session = training(&g, &Place::new()).hook(NanTensorHook::new(&x).stop_only()).open().unwrap();
    session.run(RunRequest::new().feed(&x, f32::NAN)).unwrap();
    assert!(session.should_stop());
}

#[test]
fn tensors_are_logged_every_few_steps() {
    let (g, step, count) = counting();
    let (nothing, lines): (_, Arc<Mutex<Vec<String>>>) = (g.group(&[]), Arc::default());
    let sink = lines.clone();
    let log = LoggingTensorHook::new(&[("step", step.value())]).every(Every::Steps(2));
    let log = log.print_with(move |line| sink.lock().push(line.split(" (").next().unwrap_or_default().to_owned()));
    let mut session = training(&g, &Place::new()).hook(log).open().unwrap();
    for _ in 0..4 {
        session.run(RunRequest::new().target(&nothing)).unwrap();
        session.raw_session().unwrap().run(RunRequest::new().target(&count)).unwrap();
    }
    assert_eq!(*lines.lock(), ["step = 0", "step = 2"]);
}

#[test]
fn summaries_are_written_at_the_first_step_and_then_every_few() {
    let folder = Folder::new("monitored-summaries");
    let (g, step, count) = counting();
    summary::scalar("step", step.value());
    let mut session = training(&g, &Place::new())
        .logdir(folder.path())
        .save_summaries_every(Every::Steps(3))
        .hook(StopAtStepHook::num_steps(7))
        .open()
        .unwrap();
    while !session.should_stop() {
        session.run(RunRequest::new().target(&count)).unwrap();
    }
    session.close().unwrap();
    let name = folder.names().into_iter().find(|name| name.starts_with("events")).unwrap();
    let mut steps = Vec::new();
    for event in files::EventReader::open(folder.path().join(name)).unwrap() {
        let event = event.unwrap();
        if let Some(wire::event::What::Summary(summary)) = &event.what
            && summary.value.iter().any(|value| value.tag == "step")
        {
            steps.push(event.step);
        }
    }
    assert_eq!(steps, [1, 4, 7]);
}

#[test]
fn the_end_of_input_closes_the_session() {
    let (g, ..) = counting();
    let session = training(&g, &Place::new()).open().unwrap();
    let calls = AtomicUsize::new(0);
    session
        .run_until_stop(|_| match calls.fetch_add(1, Ordering::Relaxed) {
            3 => Err(err!(OutOfRange, "no more")),
            _ => Ok(()),
        })
        .unwrap();
    assert_eq!(calls.load(Ordering::Relaxed), 4);
}

#[test]
fn a_model_without_a_global_step_is_told_so() {
    let g = graph();
    let status = training(&g, &Place::new()).hook(StopAtStepHook::last_step(1)).open().err().unwrap();
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().starts_with("Global step should be created"), "{status}");
}
