//! Savers: what is written, kept, restored and refused.

use std::sync::Arc;

use files::{all_checkpoints, latest_checkpoint};
use ops::prelude::*;
use tensor::DType;

use super::*;
use crate::global_variables_initializer;
use crate::testing::{Folder, graph, local};
use crate::variable::VariableKind;

fn names_and_ops(g: &Graph, scope: &str) -> Vec<String> {
    g.read(|nodes| {
        let of_scope = nodes.nodes().iter().filter(|node| node.name.starts_with(scope) && node.op != "Const");
        of_scope.map(|node| format!("{} {} {}", node.name, node.op, node.device).trim_end().to_owned()).collect()
    })
}

/// As in TensorFlow 2.21, where variables sit on two parameter servers.
#[test]
fn nodes_have_tensorflows_names_and_devices() {
    let g = graph();
    g.with_device("/job:ps/task:0", |g| Variable::new("w", g.constant([1f32, 2.0])));
    g.with_device("/job:ps/task:1", |g| Variable::new("b", g.constant(3f32)));
    let saver = Saver::new(&g);
    g.check().unwrap();
    assert_eq!(
        names_and_ops(&g, "save"),
        [
            "save/filename PlaceholderWithDefault",
            "save/Const PlaceholderWithDefault",
            "save/SaveV2 SaveV2",
            "save/control_dependency Identity",
            "save/RestoreV2 RestoreV2 /device:CPU:0",
            "save/Assign Assign /job:ps/task:1",
            "save/Assign_1 Assign /job:ps/task:0",
            "save/restore_all/NoOp NoOp /job:ps/task:0",
            "save/restore_all/NoOp_1 NoOp /job:ps/task:1",
            "save/restore_all NoOp",
        ]
    );
    let expected = SaverNames {
        filename: "save/Const:0".to_owned(),
        save: "save/control_dependency:0".to_owned(),
        restore: "save/restore_all".to_owned(),
    };
    assert_eq!(saver.names, expected);
}

/// As in TensorFlow 2.21.
#[test]
fn sharded_nodes_have_tensorflows_names_and_devices() {
    let g = graph();
    g.with_device("/job:ps/task:0", |g| Variable::new("w", g.constant([1f32, 2.0])));
    g.with_device("/job:ps/task:1", |g| Variable::new("b", g.constant(3f32)));
    let saver = Saver::with_options(&g, SaverOptions { sharded: true, ..Default::default() });
    g.check().unwrap();
    assert_eq!(saver.names.save, "save/Identity:0");
    assert_eq!(
        names_and_ops(&g, "save")[2..],
        [
            "save/StaticRegexFullMatch StaticRegexFullMatch /device:CPU:*",
            "save/Select Select /device:CPU:*",
            "save/StringJoin StringJoin /device:CPU:*",
            "save/ShardedFilename ShardedFilename /job:ps/task:0/device:CPU:0",
            "save/SaveV2 SaveV2 /job:ps/task:0/device:CPU:0",
            "save/control_dependency Identity /job:ps/task:0/device:CPU:0",
            "save/ShardedFilename_1 ShardedFilename /job:ps/task:1/device:CPU:0",
            "save/SaveV2_1 SaveV2 /job:ps/task:1/device:CPU:0",
            "save/control_dependency_1 Identity /job:ps/task:1/device:CPU:0",
            "save/MergeV2Checkpoints/checkpoint_prefixes Pack /job:ps/task:1/device:CPU:0",
            "save/MergeV2Checkpoints MergeV2Checkpoints /job:ps/task:1/device:CPU:0",
            "save/Identity Identity /job:ps/task:1/device:CPU:0",
            "save/RestoreV2 RestoreV2 /job:ps/task:0/device:CPU:0",
            "save/Assign Assign /job:ps/task:0",
            "save/restore_shard NoOp /job:ps/task:0",
            "save/RestoreV2_1 RestoreV2 /job:ps/task:1/device:CPU:0",
            "save/Assign_1 Assign /job:ps/task:1",
            "save/restore_shard_1 NoOp /job:ps/task:1",
            "save/restore_all/NoOp NoOp /job:ps/task:0",
            "save/restore_all/NoOp_1 NoOp /job:ps/task:1",
            "save/restore_all NoOp",
        ]
    );
}

/// A model of two variables, one kind each, with their initial values set.
fn model(g: &Graph, scale: f32) -> (Arc<dyn Session>, Variable, Variable) {
    let a = Variable::new("a", g.constant([scale, 2.0 * scale]));
    Variable::set_kind(g, VariableKind::Resource);
    let b = Variable::new("b", g.constant(3.0 * scale));
    Variable::set_kind(g, VariableKind::Ref);
    let init = global_variables_initializer(g);
    let session = local(g);
    session.run(RunRequest::new().target(&init)).unwrap();
    (session, a, b)
}

fn values(session: &Arc<dyn Session>, a: &Variable, b: &Variable) -> Vec<Tensor> {
    session.fetch(RunRequest::new().fetch(a.value()).fetch(b.value())).unwrap()
}

#[test]
fn what_was_saved_comes_back_in_another_session() {
    for sharded in [false, true] {
        let folder = Folder::new(&format!("saver-{sharded}"));
        let options = SaverOptions { sharded, ..Default::default() };
        let g = graph();
        let (session, ..) = model(&g, 1.0);
        let saver = Saver::with_options(&g, options.clone());
        let prefix = saver.save(&session, folder.path().join("model.ckpt"), Some(3)).unwrap();
        assert_eq!(latest_checkpoint(folder.path()).unwrap(), Some(prefix.clone()));
        assert_eq!(
            folder.names(),
            ["checkpoint", "model.ckpt-3.data-00000-of-00001", "model.ckpt-3.index", "model.ckpt-3.meta"]
        );
        let g = graph();
        let (session, a, b) = model(&g, 100.0);
        Saver::with_options(&g, options).restore(&session, prefix).unwrap();
        assert_eq!(values(&session, &a, &b), [Tensor::from([1f32, 2.0]), Tensor::from(3f32)]);
    }
}

#[test]
fn only_the_newest_stay() {
    let folder = Folder::new("saver-keep");
    let g = graph();
    let (session, ..) = model(&g, 1.0);
    let options = SaverOptions { max_to_keep: 2, write_meta_graph: false, ..Default::default() };
    let saver = Saver::with_options(&g, options.clone());
    for step in 1..=4 {
        saver.save(&session, folder.path().join("m"), Some(step)).unwrap();
    }
    let expected = ["checkpoint", "m-3.data-00000-of-00001", "m-3.index", "m-4.data-00000-of-00001", "m-4.index"];
    assert_eq!(folder.names(), expected);
    assert_eq!(all_checkpoints(folder.path()).unwrap(), [folder.path().join("m-3"), folder.path().join("m-4")]);
    // A saver of the next run takes over.
    let next = Saver::with_options(&g, options);
    next.recover_last_checkpoints(&all_checkpoints(folder.path()).unwrap());
    next.save(&session, folder.path().join("m"), Some(5)).unwrap();
    assert_eq!(next.last_checkpoints(), [folder.path().join("m-4"), folder.path().join("m-5")]);
    assert!(!folder.names().contains(&"m-3.index".to_owned()));
}

#[test]
fn one_in_so_many_hours_stays() {
    let folder = Folder::new("saver-hours");
    let g = graph();
    let (session, ..) = model(&g, 1.0);
    // With no time between them every checkpoint is one to keep.
    let options = SaverOptions {
        max_to_keep: 1,
        keep_checkpoint_every: Duration::ZERO,
        write_meta_graph: false,
        ..Default::default()
    };
    let saver = Saver::with_options(&g, options);
    for step in 1..=3 {
        saver.save(&session, folder.path().join("m"), Some(step)).unwrap();
    }
    assert!(["m-1.index", "m-2.index", "m-3.index"].iter().all(|name| folder.names().contains(&(*name).to_owned())));
    assert_eq!(saver.last_checkpoints(), [folder.path().join("m-3")]);
}

#[test]
fn a_failed_save_leaves_the_old_checkpoint() {
    let folder = Folder::new("saver-fail");
    let g = graph();
    let (session, a, b) = model(&g, 1.0);
    let saver = Saver::with_options(&g, SaverOptions { max_to_keep: 1, ..Default::default() });
    let first = saver.save(&session, folder.path().join("m"), Some(1)).unwrap();
    let before = folder.names();
    // A folder in the way of the data file makes the next save fail.
    std::fs::create_dir_all(folder.path().join("m-2.data-00000-of-00001/x")).unwrap();
    saver.save(&session, folder.path().join("m"), Some(2)).unwrap_err();
    std::fs::remove_dir_all(folder.path().join("m-2.data-00000-of-00001")).unwrap();
    assert_eq!(folder.names(), before);
    assert_eq!(latest_checkpoint(folder.path()).unwrap(), Some(first.clone()));
    saver.restore(&session, first).unwrap();
    assert_eq!(values(&session, &a, &b), [Tensor::from([1f32, 2.0]), Tensor::from(3f32)]);
}

#[test]
fn variables_may_have_other_names_in_a_checkpoint() {
    let folder = Folder::new("saver-names");
    let g = graph();
    let (session, a, b) = model(&g, 1.0);
    let other = |variable: &Variable| Saver::by_name(&g, [("old/name", variable.clone())], SaverOptions::default());
    let prefix = other(&a).save(&session, folder.path().join("part"), None).unwrap();
    let more = a.assign(g.constant([7f32, 7.0]));
    session.run(RunRequest::new().target(&more)).unwrap();
    other(&a).restore(&session, &prefix).unwrap();
    assert_eq!(values(&session, &a, &b)[0], Tensor::from([1f32, 2.0]));
    // A whole model is not in there, and a scalar has another shape.
    let status = Saver::new(&g).restore(&session, &prefix).unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert!(status.message().contains("not found in checkpoint"), "{status}");
    let c = Variable::new("c", g.zeros([3], DType::Float));
    assert_eq!(other(&c).restore(&session, &prefix).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn what_is_no_checkpoint_is_said_to_be_none() {
    let folder = Folder::new("saver-none");
    let g = graph();
    let (session, ..) = model(&g, 1.0);
    let saver = Saver::new(&g);
    let status = saver.restore(&session, folder.path().join("nothing")).unwrap_err();
    assert_eq!(status.code(), Code::NotFound);
    assert!(status.message().starts_with("The passed save_path is not a valid checkpoint: "), "{status}");
    let prefix = saver.save(&session, folder.path().join("m"), None).unwrap();
    let index = files::bundle::index_path(&prefix);
    let mut bytes = std::fs::read(&index).unwrap();
    bytes.truncate(bytes.len() / 2);
    std::fs::write(&index, bytes).unwrap();
    assert_eq!(saver.restore(&session, prefix).unwrap_err().code(), Code::DataLoss);
    let g = graph();
    Saver::new(&g);
    assert!(g.check().unwrap_err().message().contains("No variables to save"));
}

/// A table in slices, restored by a model that cuts it differently, or not at all.
#[test]
fn slices_are_restored_by_models_that_cut_differently() {
    use crate::partition::fixed_size_partitioner;
    use crate::variable_scope::VariableScopeOps;

    let folder = Folder::new("saver-slices");
    let table = |g: &Graph, pieces: i64| -> Vec<Variable> {
        let request = g.variable("table").shape([5, 2]).initializer(crate::Initializer::Zeros);
        if pieces == 1 {
            return vec![request.get()];
        }
        request.partitioner(fixed_size_partitioner(pieces)).try_get_partitioned().unwrap().parts().to_vec()
    };
    let whole: Vec<f32> = (0..10).map(|number| number as f32).collect();
    let g = graph();
    let pieces = table(&g, 2);
    let sets: Vec<_> = [(0, 3i64), (3, 2)]
        .iter()
        .zip(&pieces)
        .map(|((start, rows), piece)| {
            let rows = Tensor::new([*rows, 2], whole[start * 2..start * 2 + *rows as usize * 2].to_vec()).unwrap();
            piece.assign(g.constant(rows))
        })
        .collect();
    let saver = Saver::new(&g);
    let session = local(&g);
    for set in &sets {
        session.run(RunRequest::new().target(set)).unwrap();
    }
    let prefix = saver.save(&session, folder.path().join("m"), None).unwrap();
    for count in [1, 2, 3, 5] {
        let g = graph();
        let pieces = table(&g, count);
        let saver = Saver::new(&g);
        let session = local(&g);
        saver.restore(&session, &prefix).unwrap();
        let mut restored = Vec::new();
        for piece in &pieces {
            let value = session.fetch(RunRequest::new().fetch(piece.value())).unwrap().remove(0);
            restored.extend_from_slice(value.as_slice::<f32>().unwrap());
        }
        assert_eq!(restored, whole, "in {count} pieces");
    }
}
