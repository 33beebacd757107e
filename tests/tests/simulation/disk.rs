//! The power fails while checkpoints are written: whatever of it was not synced may be on the disk or not, in any mixture. What
//! is restored afterwards is whole, of one save, and not older than the last save that had ended.

use std::collections::BTreeMap;
use std::path::Path;

use files::disk::Recording;
use tensorfleet::prelude::*;
use tensorfleet::train::{Initialization, Prepared, SaverOptions, SessionManager};

use testkit::{Disk, put_files};

use super::{Random, simulate};

/// Variables that all have the same value, and what sets them.
struct Model {
    graph: Graph,
    variables: Vec<Variable>,
    value: Output,
    set: Vec<Operation>,
    init: Operation,
}

fn model() -> Model {
    let g = Graph::new();
    let variables: Vec<Variable> = ["a", "b", "c"].map(|name| Variable::new(name, g.zeros([50], DType::Int64))).into();
    let value = g.placeholder(DType::Int64, [50]);
    let set = variables.iter().map(|variable| variable.assign(&value)).collect();
    let init = global_variables_initializer(&g);
    Model { graph: g, variables, value, set, init }
}

fn power_fails(folder: &Path, model: &Model, mut random: Random) -> Result<()> {
    let Model { graph, variables, value, set, init } = model;
    let options = SaverOptions {
        max_to_keep: 1 + random.below(3),
        sharded: random.below(2) == 0,
        write_meta_graph: random.below(3) == 0,
        ..Default::default()
    };
    let saver = Saver::with_options(graph, options);
    let session = LocalSession::new(graph)?;
    put_files(folder, &BTreeMap::new());
    let recording = Recording::begin(folder);
    // After so many acts, this save had ended.
    let mut ended = Vec::new();
    let saves = 1 + random.below(5) as i64;
    for number in 1..=saves {
        let request = RunRequest::new().feed(value, Tensor::vector(&[number; 50]));
        session.run(set.iter().fold(request, RunRequest::target))?;
        saver.save(&session, folder.join("model"), Some(number))?;
        ended.push((recording.acts().len(), number));
    }
    let acts = recording.acts();
    drop(recording);
    let manager = SessionManager::new(graph, None, None, None);
    for _ in 0..6 {
        let cut = random.below(acts.len() + 1);
        let mut disk = Disk::default();
        acts[..cut].iter().for_each(|act| disk.act(act));
        put_files(folder, &disk.after(&mut || random.next()));
        let last = ended.iter().rev().find(|(end, _)| *end <= cut).map_or(0, |(_, number)| *number);
        let how = Initialization {
            init_op: Some(init),
            saver: Some(&saver),
            checkpoint_dir: Some(folder),
            ..Default::default()
        };
        let (session, prepared) = manager.prepare_session(&LocalSessions::default(), &how)?;
        let values = session
            .fetch(variables.iter().fold(RunRequest::new(), |request, variable| request.fetch(variable.value())))?;
        let found: Vec<i64> =
            values.iter().map(|value| value.as_slice::<i64>().map(|all| all[0])).collect::<Result<_>>()?;
        let whole =
            values.iter().all(|value| value.as_slice::<i64>().is_ok_and(|all| all.iter().all(|one| *one == found[0])));
        assert!(whole, "a torn model after {cut} of {} acts: {found:?}, {prepared:?}", acts.len());
        assert!(
            (last..=saves).contains(&found[0]),
            "save {last} had ended, and {} was restored, after {cut} of {} acts; {prepared:?}; {:#?}",
            found[0],
            acts.len(),
            acts[..cut].iter().map(|act| format!("{act:?}").chars().take(200).collect::<String>()).collect::<Vec<_>>()
        );
        assert!(found[0] > 0 || prepared == Prepared::Initialized);
    }
    Ok(())
}

#[test]
fn the_power_fails_while_checkpoints_are_written() {
    let folder = std::env::temp_dir().join(format!("tensorfleet-simulated-disk-{}", std::process::id()));
    let model = model();
    simulate(40, |random| power_fails(&folder, &model, random));
    let _ = std::fs::remove_dir_all(&folder);
}
