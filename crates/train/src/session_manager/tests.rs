//! Session managers: models that are found, restored, initialised and waited for.

use super::*;
use crate::testing::{Folder, Place, graph};
use crate::variable::Variable;
use crate::variable_lists::global_variables_initializer;

const LONG: Duration = Duration::from_secs(60);

struct Model {
    w: Variable,
    init: Operation,
    more: Operation,
    saver: Saver,
    manager: SessionManager,
}

fn model() -> Model {
    let g = graph();
    let w = Variable::new("w", g.constant(1f32));
    Variable::new("b", g.constant(2f32));
    let (init, more) = (global_variables_initializer(&g), w.assign_add(g.constant(10f32)));
    let saver = Saver::new(&g);
    let ready = report_uninitialized_variables(&g, None);
    let manager = SessionManager::new(&g, Some(ready), None, None).recovery_wait(Duration::from_millis(50));
    Model { w, init, more, saver, manager }
}

impl Model {
    fn prepare(&self, place: &Place, folder: Option<&Folder>) -> Result<(Arc<dyn Session>, Prepared)> {
        let initialization = Initialization {
            init_op: Some(&self.init),
            saver: folder.map(|_| &self.saver),
            checkpoint_dir: folder.map(Folder::path),
            ..Default::default()
        };
        self.manager.prepare_session(place, &initialization)
    }

    fn value(&self, session: &Arc<dyn Session>) -> f32 {
        session.fetch(RunRequest::new().fetch(self.w.value())).unwrap()[0].to_scalar().unwrap()
    }
}

#[test]
fn a_chief_that_comes_back_does_not_initialise_again() {
    let (model, place) = (model(), Place::new());
    let (session, prepared) = model.prepare(&place, None).unwrap();
    assert_eq!(prepared, Prepared::Initialized);
    session.run(RunRequest::new().target(&model.more)).unwrap();
    let (session, prepared) = model.prepare(&place, None).unwrap();
    assert_eq!((prepared, model.value(&session)), (Prepared::Found, 11.0));
}

#[test]
fn a_lost_model_is_restored_whole() {
    let (model, place, folder) = (model(), Place::new(), Folder::new("manager-restore"));
    let (session, prepared) = model.prepare(&place, Some(&folder)).unwrap();
    assert_eq!(prepared, Prepared::Initialized);
    session.run(RunRequest::new().target(&model.more)).unwrap();
    let prefix = model.saver.save(&session, folder.path().join("m"), Some(1)).unwrap();
    session.run(RunRequest::new().target(&model.more)).unwrap();
    place.lose();
    // Only one variable has a value again.
    let partly = place.open(model.manager.graph()).unwrap();
    partly.run(RunRequest::new().target(model.w.initializer())).unwrap();
    let (session, prepared) = model.prepare(&place, Some(&folder)).unwrap();
    assert_eq!((prepared, model.value(&session)), (Prepared::Restored(prefix), 11.0));
}

#[test]
fn checkpoints_that_vanished_are_no_reason_to_begin_anew() {
    let (model, place, folder) = (model(), Place::new(), Folder::new("manager-vanished"));
    let (session, _) = model.prepare(&place, Some(&folder)).unwrap();
    model.saver.save(&session, folder.path().join("m"), Some(1)).unwrap();
    model.saver.save(&session, folder.path().join("m"), Some(2)).unwrap();
    std::fs::remove_file(folder.path().join("m-2.index")).unwrap();
    place.lose();
    let (_, prepared) = model.prepare(&place, Some(&folder)).unwrap();
    assert_eq!(prepared, Prepared::Restored(folder.path().join("m-1")));
    std::fs::remove_file(folder.path().join("m-1.index")).unwrap();
    place.lose();
    let status = model.prepare(&place, Some(&folder)).err().unwrap();
    assert_eq!(status.code(), Code::NotFound);
}

#[test]
fn a_damaged_checkpoint_gives_way_to_the_one_before_it() {
    let (model, place, folder) = (model(), Place::new(), Folder::new("manager-damaged"));
    let (session, _) = model.prepare(&place, Some(&folder)).unwrap();
    for step in 1..=3 {
        session.run(RunRequest::new().target(&model.more)).unwrap();
        model.saver.save(&session, folder.path().join("m"), Some(step)).unwrap();
    }
    let cut = |name: &str, rest: u64| {
        let file = std::fs::OpenOptions::new().write(true).open(folder.path().join(name)).unwrap();
        file.set_len(rest).unwrap();
    };
    cut("m-3.data-00000-of-00001", 5);
    cut("m-2.index", 20);
    place.lose();
    let (session, prepared) = model.prepare(&place, Some(&folder)).unwrap();
    assert_eq!((prepared, model.value(&session)), (Prepared::Restored(folder.path().join("m-1")), 11.0));
    // Damaged ones are the first to go.
    let last = model.saver.last_checkpoints();
    assert_eq!(last, [3, 2, 1].map(|step| folder.path().join(format!("m-{step}"))));
    cut("m-1.index", 20);
    place.lose();
    let status = model.prepare(&place, Some(&folder)).err().unwrap();
    assert_eq!(status.code(), Code::DataLoss);
    assert!(status.message().starts_with("all checkpoints are damaged"), "{status}");
    assert!(["m-3", "m-2", "m-1"].iter().all(|name| status.message().contains(name)), "{status}");
}

#[test]
fn workers_wait_for_the_chief() {
    let (model, place, coord) = (model(), Place::new(), Coordinator::new());
    let status = model.manager.wait_for_session(&place, Duration::ZERO, &coord).err().unwrap();
    assert_eq!(status.code(), Code::DeadlineExceeded);
    assert!(status.message().ends_with("Variables not initialized: w, b"), "{status}");
    let waited = std::thread::scope(|scope| {
        let waiting = scope.spawn(|| model.manager.wait_for_session(&place, LONG, &coord));
        model.prepare(&place, None).unwrap();
        waiting.join().unwrap()
    });
    assert_eq!(model.value(&waited.unwrap()), 1.0);
    place.lose();
    coord.request_stop();
    let status = model.manager.wait_for_session(&place, LONG, &coord).err().unwrap();
    assert_eq!(status.code(), Code::Cancelled);
}

#[test]
fn what_is_missing_is_named() {
    let g = graph();
    let (w, b) = (Variable::new("w", g.constant(1f32)), Variable::new("b", g.constant(2f32)));
    let manager = SessionManager::new(&g, None, None, None);
    let place = Place::new();
    let init = Initialization { init_op: Some(w.initializer()), ..Default::default() };
    let status = manager.prepare_session(&place, &init).err().unwrap();
    assert_eq!(status.code(), Code::FailedPrecondition);
    assert!(status.message().ends_with("Variables not initialized: b"), "{status}");
    let init = Initialization { init_op: Some(b.initializer()), ..Default::default() };
    assert!(manager.prepare_session(&place, &init).is_ok(), "what has a value keeps it");
    let status = manager.prepare_session(&Place::new(), &Initialization::default()).err().unwrap();
    assert_eq!(status.code(), Code::FailedPrecondition);
}
