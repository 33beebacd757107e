//! Supervisors: chiefs, workers that wait, and sessions that stop.

use files::latest_checkpoint;
use graph::Graph;
use tensor::{Code, err};

use super::*;
use crate::summary;
use crate::testing::{Folder, Place, counting};

fn supervisor(g: &Graph, folder: &Folder, chief: bool) -> Supervisor {
    let sv = Supervisor::new(g).is_chief(chief).logdir(folder.path()).recovery_wait(Duration::ZERO);
    sv.save_checkpoint_every(Duration::from_secs(3600))
        .save_summaries_every(Duration::from_secs(3600))
        .stop_grace(Duration::from_secs(60))
        .build()
        .unwrap()
}

#[test]
fn training_goes_on_where_it_ended() {
    let folder = Folder::new("supervisor-resume");
    for expected in [3i64, 6] {
        let (g, step, count) = counting();
        summary::scalar("step", step.value());
        let sv = supervisor(&g, &folder, true);
        let mut last = 0;
        sv.managed_session(&Place::new(), |session| {
            for _ in 0..3 {
                session.run(RunRequest::new().target(&count))?;
            }
            last = session.fetch(RunRequest::new().fetch(step.value()))?[0].to_scalar::<i64>()?;
            Ok(())
        })
        .unwrap();
        assert_eq!(last, expected);
        let newest = latest_checkpoint(folder.path()).unwrap().unwrap();
        assert_eq!(newest, folder.path().join(format!("model.ckpt-{expected}")));
    }
    let events = folder.names().iter().filter(|name| name.starts_with("events.out.tfevents")).count();
    assert_eq!(events, 2);
}

#[test]
fn a_lost_task_leads_to_a_restored_model() {
    let folder = Folder::new("supervisor-lost");
    let (g, step, count) = counting();
    let sv = supervisor(&g, &folder, true);
    let place = Place::new();
    let (mut sessions, mut seen) = (0, Vec::new());
    sv.managed_session(&place, |session| {
        sessions += 1;
        loop {
            session.run(RunRequest::new().target(&count))?;
            let now = session.fetch(RunRequest::new().fetch(step.value()))?[0].to_scalar::<i64>()?;
            seen.push(now);
            if now == 2 && sessions == 1 {
                sv.saver().unwrap().save(session, sv.save_path().unwrap(), Some(now))?;
                place.lose();
            }
            if now == 4 {
                return Ok(());
            }
        }
    })
    .unwrap();
    assert_eq!((sessions, seen), (2, vec![1, 2, 3, 4]));
}

#[test]
fn the_end_of_input_is_a_good_end_and_other_errors_are_not() {
    let folder = Folder::new("supervisor-errors");
    let (g, ..) = counting();
    let sv = supervisor(&g, &folder, true);
    sv.managed_session(&Place::new(), |_| Err(err!(OutOfRange, "no more"))).unwrap();
    let sv = supervisor(&g, &folder, true);
    let status = sv.managed_session(&Place::new(), |_| Err(err!(DataLoss, "broken"))).unwrap_err();
    assert_eq!(status.code(), Code::DataLoss);
    // A failing thread ends the main loop, and its error is the one reported.
    let sv = supervisor(&g, &folder, true);
    sv.run_every(Duration::from_secs(3600), || Err(err!(NotFound, "thread"))).unwrap();
    let outcome = sv.managed_session(&Place::new(), |_| {
        assert!(sv.wait_for_stop(Duration::from_secs(60)));
        Err(err!(Cancelled, "because of the thread"))
    });
    assert_eq!(outcome.unwrap_err().code(), Code::NotFound);
}

/// The thread that saves learns of the loss, and the main loop only that it should stop.
#[test]
fn a_loss_that_a_thread_meets_first_is_recovered_from() {
    let folder = Folder::new("supervisor-thread");
    let (g, step, count) = counting();
    let sv = supervisor(&g, &folder, true);
    let place = Place::new();
    let mut sessions = 0;
    sv.managed_session(&place, |session| {
        sessions += 1;
        session.run(RunRequest::new().target(&count))?;
        if sessions == 1 {
            sv.saver().unwrap().save(session, sv.save_path().unwrap(), Some(1))?;
            place.lose();
            let (lost, step) = (session.clone(), StepReader::of(&step)?);
            sv.run_every(Duration::from_secs(3600), move || step.read(&lost).map(drop))?;
            assert!(sv.wait_for_stop(Duration::from_secs(60)));
        }
        Ok(())
    })
    .unwrap();
    assert_eq!(sessions, 2);
    assert_eq!(latest_checkpoint(folder.path()).unwrap(), Some(folder.path().join("model.ckpt-2")));
}

#[test]
fn a_program_that_asks_for_the_end_gets_it_also_while_a_task_is_lost() {
    let folder = Folder::new("supervisor-asked");
    let (g, ..) = counting();
    let sv = supervisor(&g, &folder, true);
    let mut sessions = 0;
    let outcome = sv.managed_session(&Place::new(), |_| {
        sessions += 1;
        sv.request_stop();
        Err(err!(Unavailable, "gone"))
    });
    // Whether the error comes before or after the stop, there is no second session.
    assert!(outcome.is_ok(), "what fails after the stop follows from it: {outcome:?}");
    assert_eq!(sessions, 1);
}

#[test]
fn tasks_that_never_come_are_given_up() {
    let (g, ..) = counting();
    let sv = Supervisor::new(&g).max_wait(Duration::ZERO).build().unwrap();
    let away = |_: &Graph| -> Result<Arc<dyn Session>> { Err(err!(Unavailable, "refused")) };
    let status = sv.managed_session(&away, |_| Ok(())).unwrap_err();
    assert_eq!((status.code(), status.message()), (Code::Unavailable, "no session for 0 secs: refused"));
}

#[test]
fn workers_wait_and_save_nothing() {
    let folder = Folder::new("supervisor-worker");
    let (g, step, count) = counting();
    let place = Place::new();
    let worker = supervisor(&g, &folder, false);
    let chief = supervisor(&g, &folder, true);
    std::thread::scope(|scope| {
        let waiting = scope.spawn(|| {
            let session = worker.prepare_or_wait_for_session(&place).unwrap();
            session.run(RunRequest::new().target(&count)).unwrap();
            session.fetch(RunRequest::new().fetch(step.value())).unwrap()[0].to_scalar::<i64>().unwrap()
        });
        chief.prepare_or_wait_for_session(&place).unwrap();
        assert_eq!(waiting.join().unwrap(), 1);
    });
    chief.stop().unwrap();
    let names = folder.names();
    worker.stop().unwrap();
    assert_eq!(folder.names(), names);
}

#[test]
fn a_logdir_that_cannot_be_written_is_an_error() {
    let folder = Folder::new("supervisor-bad");
    let file = folder.path().join("file");
    std::fs::write(&file, b"").unwrap();
    let (g, ..) = counting();
    assert!(Supervisor::new(&g).logdir(file.join("logs")).build().is_err());
}

#[test]
fn a_supervisor_does_not_see_steps() {
    let (g, ..) = counting();
    for sv in [
        Supervisor::new(&g).save_checkpoint_every(Every::Steps(5)),
        Supervisor::new(&g).save_summaries_every(Every::Steps(5)),
    ] {
        assert_eq!(sv.build().err().unwrap().code(), Code::InvalidArgument);
    }
    assert!(Supervisor::new(&g).save_checkpoint_every(Every::Never).build().is_ok());
}

#[test]
fn without_a_saver_there_are_no_nodes_that_save() {
    let (g, ..) = counting();
    let sv = Supervisor::new(&g).without_saver().build().unwrap();
    assert!(sv.saver().is_none());
    assert!(g.operation("save/restore_all").is_err());
    assert!(Supervisor::new(&g).build().unwrap().saver().is_some());
    assert!(g.operation("save/restore_all").is_ok());
}
