//! Parameter servers that share no place with the chief: it saves and restores for them, by and by, and all of one moment.

use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};

use tensorfleet::prelude::*;
use tensorfleet::train::SaverOptions;

use crate::fleet::Fleet;

const VARIABLES: usize = 12;
/// 32 MB each: two are a group.
const ELEMENTS: i64 = 8 << 20;
/// The chief holds two groups of 64 MB at once, what it needs itself, and a while longer what it has just freed; with the 384 MB
/// of all variables it would be beyond this.
const CHIEF: u64 = 360 << 20;

struct Folder(PathBuf);

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn the_chief_saves_for_servers_that_have_no_files() -> Result<()> {
    let folder = Folder(std::env::temp_dir().join(format!("tensorfleet-through-{}", std::process::id())));
    let (logs, elsewhere) = (folder.0.join("logs"), folder.0.join("elsewhere"));
    std::fs::create_dir_all(&logs)?;
    std::fs::create_dir_all(&elsewhere)?;
    let root = |job: &str| if job == "ps" { elsewhere.display().to_string() } else { logs.display().to_string() };
    let mut fleet = Fleet::start_with(&[("ps", 2), ("worker", 1)], |job, _| vec!["--file_root".to_owned(), root(job)]);

    let g = Graph::new();
    let variable = |number: usize| {
        g.with_device(format!("/job:ps/task:{}", number % 2), |g| {
            let zeros = g.op("Fill").input(g.constant([ELEMENTS as i32])).input(g.constant(0f32)).output();
            Variable::new(&format!("w{number:02}"), zeros)
        })
    };
    let variables: Vec<Variable> = (0..VARIABLES).map(variable).collect();
    let ones = |variable: &Variable| {
        g.with_device(format!("/job:ps/task:{}", variable.name()[1..].parse::<usize>().unwrap_or(0) % 2), |g| {
            let ones = g.op("Fill").input(g.constant([ELEMENTS as i32])).input(g.constant(1f32)).output();
            variable.assign_add(ones)
        })
    };
    let more: Vec<Operation> = variables.iter().map(ones).collect();
    // Where the variables are, so that the chief sees single numbers only.
    let mean = |variable: &Variable| g.with_colocation(&variable.operation(), |_| variable.value().reduce_mean(..));
    let few: Vec<Output> = variables.iter().map(mean).collect();
    let init = global_variables_initializer(&g);
    let through = SaverOptions { through: Some("/job:worker/task:0".to_owned()), ..Default::default() };
    let saver = Saver::with_options(&g, through);
    let plain = Saver::with_options(&g, SaverOptions { sharded: true, ..Default::default() });

    let session = RemoteSession::new(&fleet.target("worker", 0), &g)?;
    session.run(RunRequest::new().target(&init))?;
    let refused = plain.save(&session, logs.join("plain"), None).unwrap_err();
    assert_eq!(refused.code(), Code::PermissionDenied, "{refused}");

    let step = || session.run(more.iter().fold(RunRequest::new(), |request, op| request.target(op))).map(drop);
    step()?;
    let ended = AtomicBool::new(false);
    let prefix = std::thread::scope(|scope| -> Result<PathBuf> {
        let trained = scope.spawn(|| -> Result<()> {
            while !ended.load(Ordering::Relaxed) {
                step()?;
            }
            Ok(())
        });
        let prefix = saver.save(&session, logs.join("model.ckpt"), Some(1));
        ended.store(true, Ordering::Relaxed);
        trained.join().expect("no panic").and(prefix)
    })?;
    let memory = fleet.task("worker", 0).memory();
    assert!(memory < CHIEF, "the chief takes {} MB", memory >> 20);

    let reader = files::CheckpointReader::open(&prefix)?;
    let first = reader.lookup("w00")?.as_slice::<f32>()?[0];
    assert!(first >= 1.0, "{first}");
    for variable in &variables {
        let saved = reader.lookup(variable.name())?;
        assert!(
            saved.as_slice::<f32>()?.iter().all(|value| *value == first),
            "{} is of another moment",
            variable.name()
        );
    }
    assert_eq!(std::fs::read_dir(&elsewhere)?.count(), 0);
    assert!(!logs.join("model.ckpt-1_temp").exists());

    step()?;
    saver.restore(&session, &prefix)?;
    let fetched = session.fetch(few.iter().fold(RunRequest::new(), |request, mean| request.fetch(mean)))?;
    assert!(fetched.iter().all(|mean| mean.to_scalar::<f32>().is_ok_and(|mean| mean == first)), "{fetched:?}");
    let memory = fleet.task("worker", 0).memory();
    assert!(memory < CHIEF, "after restoring the chief takes {} MB", memory >> 20);
    session.close()?;
    fleet.stop();
    Ok(())
}
