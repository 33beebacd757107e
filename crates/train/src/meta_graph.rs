//! Meta graphs: a graph with its collections and its saver in one message, as TensorFlow writes them beside checkpoints.

use std::collections::BTreeMap;
use std::path::Path;

use bytes::Bytes;
use graph::{Graph, ImportOptions, graph_to_proto};
use prost::Message;
use tensor::{Code, Result, Status, ensure, err};
use wire::MetaGraphDef;
use wire::collection_def::{BytesList, Kind, NodeList};

use crate::collections::{add_to_collection, collection, collection_names, keys};
use crate::partition::SaveSliceInfo;
use crate::queue_runner::{QueueRunner, QueueRunnerNames, add_queue_runner, queue_runners};
use crate::saver::{Saver, SaverNames, SaverOptions};
use crate::variable::{Nodes, Variable, VariableKind};

/// The collections whose members are variables.
const OF_VARIABLES: [&str; 6] = [
    keys::GLOBAL_VARIABLES,
    keys::LOCAL_VARIABLES,
    keys::TRAINABLE_VARIABLES,
    keys::MODEL_VARIABLES,
    keys::MOVING_AVERAGE_VARIABLES,
    keys::GLOBAL_STEP,
];
/// Above the size of any message that protobuf can hold.
const MAX_SIZE: u64 = 2 << 30;

/// The graph with what is needed to go on with it elsewhere: collections, queue runners, and the saver if one is given.
///
/// # Errors
/// The graph's first mistake.
pub fn export_meta_graph(graph: &Graph, saver: Option<&Saver>) -> Result<MetaGraphDef> {
    let mut collection_def = BTreeMap::new();
    let mut put = |key: &str, kind: Kind| {
        collection_def.insert(key.to_owned(), wire::CollectionDef { kind: Some(kind) });
    };
    for key in collection_names(graph) {
        let names = collection(graph, &key);
        if OF_VARIABLES.contains(&&*key) {
            let variables = names.iter().filter_map(|name| Variable::find(graph, name));
            let value = variables.map(|variable| Bytes::from(variable_def(&variable).encode_to_vec())).collect();
            put(&key, Kind::BytesList(BytesList { value }));
        } else if names.iter().all(|name| is_in_graph(graph, name)) {
            put(&key, Kind::NodeList(NodeList { value: names }));
        } else {
            put(&key, Kind::BytesList(BytesList { value: names.into_iter().map(Bytes::from).collect() }));
        }
    }
    let runners = queue_runners(graph);
    if !runners.is_empty() {
        let value = runners.iter().map(|runner| runner_def(runner.names()).encode_to_vec().into()).collect();
        put(keys::QUEUE_RUNNERS, Kind::BytesList(BytesList { value }));
    }
    Ok(MetaGraphDef {
        graph_def: Some(graph_to_proto(&graph.snapshot()?)?),
        saver_def: saver.map(saver_def),
        collection_def,
        ..Default::default()
    })
}

/// Writes a meta graph, whole or not at all.
///
/// # Errors
/// The code of the operating system's error.
pub fn write_meta_graph(path: impl AsRef<Path>, meta: &MetaGraphDef) -> Result<()> {
    files::atomic::write_file(path.as_ref(), &meta.encode_to_vec())
}

/// Adds the graph of a file, ours or TensorFlow's, with its collections; gives its saver if it has one.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("meta-doctest-{}", std::process::id()));
/// # let g = Graph::new();
/// # Variable::new("w", g.constant(7f32));
/// # let (init, saver) = (global_variables_initializer(&g), Saver::new(&g));
/// # let session = LocalSession::new(&g)?;
/// # session.run(RunRequest::new().target(&init))?;
/// # let prefix = saver.save(&session, folder.join("model.ckpt"), Some(1000))?;
/// // After `saver.save(&session, "model.ckpt", Some(1000))`, in a program that knows nothing of the model:
/// let g = Graph::new();
/// let saver = import_meta_graph(&g, folder.join("model.ckpt-1000.meta"))?.unwrap();
/// let session = LocalSession::new(&g)?;
/// saver.restore(&session, folder.join("model.ckpt-1000"))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch("w:0"))?, [Tensor::from(7f32)]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The code of the operating system's error; `DataLoss` if the file is no meta graph; as
/// [`import_meta_graph_def`].
pub fn import_meta_graph(graph: &Graph, path: impl AsRef<Path>) -> Result<Option<Saver>> {
    let path = path.as_ref();
    let at = |error: std::io::Error| Status::from(error).context(path.display());
    let size = std::fs::metadata(path).map_err(at)?.len();
    ensure!(size <= MAX_SIZE, DataLoss, "{} has {size} bytes, which is too large", path.display());
    let bytes = Bytes::from(std::fs::read(path).map_err(at)?);
    let meta =
        MetaGraphDef::decode(bytes).map_err(|error| err!(DataLoss, "{} is no meta graph: {error}", path.display()))?;
    import_meta_graph_def(graph, meta).map_err(|status| status.context(path.display()))
}

/// Adds the graph of a message with its collections; gives its saver if it has one.
///
/// # Errors
/// `InvalidArgument` if the graph is malformed, has nodes that are there already, or its collections name nodes that it does
/// not have. Members of collections that are neither variables, queue runners nor names are left out.
pub fn import_meta_graph_def(graph: &Graph, meta: MetaGraphDef) -> Result<Option<Saver>> {
    let MetaGraphDef { graph_def, saver_def, collection_def, .. } = meta;
    graph.import(graph_def.unwrap_or_default(), ImportOptions { infer_shapes: true, ..Default::default() })?;
    for (key, collection) in collection_def {
        match collection.kind {
            Some(Kind::BytesList(list)) if OF_VARIABLES.contains(&&*key) => {
                for bytes in list.value {
                    let def = wire::VariableDef::decode(bytes).map_err(|error| no_member(&key, &error))?;
                    let variable = import_variable(graph, def)?;
                    add_to_collection(graph, &key, variable.name());
                }
            }
            Some(Kind::BytesList(list)) if key == keys::QUEUE_RUNNERS => {
                for bytes in list.value {
                    let def = wire::QueueRunnerDef::decode(bytes).map_err(|error| no_member(&key, &error))?;
                    add_queue_runner(graph, QueueRunner::from_names(runner_names(graph, def)?));
                }
            }
            Some(Kind::BytesList(list)) => {
                for text in list.value.iter().filter_map(|bytes| std::str::from_utf8(bytes).ok()) {
                    add_to_collection(graph, &key, text);
                }
            }
            Some(Kind::NodeList(list)) => list.value.into_iter().for_each(|name| add_to_collection(graph, &key, name)),
            Some(Kind::Int64List(_) | Kind::FloatList(_) | Kind::AnyList(_)) | None => {}
        }
    }
    saver_def.map(|def| import_saver(graph, def)).transpose()
}

fn no_member(key: &str, error: &prost::DecodeError) -> Status {
    err!(InvalidArgument, "a member of collection '{key}' is malformed: {error}")
}

fn is_in_graph(graph: &Graph, name: &str) -> bool {
    if name.contains(':') { graph.output(name).is_ok() } else { graph.operation(name).is_ok() }
}

fn variable_def(variable: &Variable) -> wire::VariableDef {
    let name = |output: &graph::Output| output.name().map(|name| name.to_string()).unwrap_or_default();
    wire::VariableDef {
        variable_name: format!("{}:0", variable.name()),
        initializer_name: variable.initializer().name().unwrap_or_default(),
        snapshot_name: name(variable.value()),
        initial_value_name: name(variable.initial_value()),
        is_resource: variable.kind() == VariableKind::Resource,
        trainable: variable.is_trainable(),
        save_slice_info_def: variable.save_slice_info().map(|slice| wire::SaveSliceInfoDef {
            full_name: slice.full_name.clone(),
            full_shape: slice.full_shape.clone(),
            var_offset: slice.var_offset.clone(),
            var_shape: slice.var_shape.clone(),
        }),
        ..Default::default()
    }
}

fn import_variable(graph: &Graph, def: wire::VariableDef) -> Result<Variable> {
    let name = def.variable_name.strip_suffix(":0").unwrap_or(&def.variable_name).to_owned();
    if let Some(known) = Variable::find(graph, &name) {
        return Ok(known);
    }
    let missing = |status: Status| {
        Status::new(Code::InvalidArgument, status.message()).context(format_args!("variable '{name}' of a collection"))
    };
    let handle = graph.output(&def.variable_name).map_err(missing)?;
    // Files of early versions have neither.
    let read = if def.snapshot_name.is_empty() { format!("{name}/read:0") } else { def.snapshot_name };
    let initializer = graph.operation(&def.initializer_name).map_err(missing)?;
    let initial_value = match def.initial_value_name.as_str() {
        "" => initial_of(graph, &initializer).ok_or_else(|| {
            missing(err!(InvalidArgument, "its initializer '{}' has no second input", def.initializer_name))
        })?,
        given => graph.output(given).map_err(missing)?,
    };
    let nodes = Nodes { handle, initial_value, initializer, read: graph.output(&read).map_err(missing)? };
    let kind = if def.is_resource { VariableKind::Resource } else { VariableKind::Ref };
    let slice = def.save_slice_info_def.filter(|slice| !slice.full_name.is_empty()).map(|slice| SaveSliceInfo {
        full_name: slice.full_name,
        full_shape: slice.full_shape,
        var_offset: slice.var_offset,
        var_shape: slice.var_shape,
    });
    Ok(Variable::from_nodes(graph, name, kind, nodes, def.trainable, slice))
}

/// What an assignment assigns.
fn initial_of(graph: &Graph, assign: &graph::Operation) -> Option<graph::Output> {
    let id = assign.id()?;
    let endpoint = graph.read(|nodes| nodes.node(id).inputs.get(1).copied())?;
    Some(graph.endpoint(endpoint))
}

fn runner_def(names: &QueueRunnerNames) -> wire::QueueRunnerDef {
    wire::QueueRunnerDef {
        queue_name: names.queue.clone(),
        enqueue_op_name: names.enqueue.clone(),
        close_op_name: names.close.clone(),
        cancel_op_name: names.cancel.clone(),
        queue_closed_exception_types: names.closed_codes.iter().map(|code| code.number()).collect(),
    }
}

fn runner_names(graph: &Graph, def: wire::QueueRunnerDef) -> Result<QueueRunnerNames> {
    let all = def.enqueue_op_name.iter().chain([&def.close_op_name, &def.cancel_op_name]);
    for name in all {
        graph.operation(name).map_err(|_| {
            err!(InvalidArgument, "the runner of queue '{}' names '{name}', which is not in the graph", def.queue_name)
        })?;
    }
    let mut closed_codes: Vec<Code> =
        def.queue_closed_exception_types.iter().map(|number| Code::from_number(*number)).collect();
    if closed_codes.is_empty() {
        closed_codes.push(Code::OutOfRange);
    }
    Ok(QueueRunnerNames {
        queue: def.queue_name,
        enqueue: def.enqueue_op_name,
        close: def.close_op_name,
        cancel: def.cancel_op_name,
        closed_codes,
    })
}

fn saver_def(saver: &Saver) -> wire::SaverDef {
    wire::SaverDef {
        filename_tensor_name: saver.names().filename.clone(),
        save_tensor_name: saver.names().save.clone(),
        restore_op_name: saver.names().restore.clone(),
        max_to_keep: i32::try_from(saver.options().max_to_keep).unwrap_or(i32::MAX),
        sharded: saver.options().sharded,
        keep_checkpoint_every_n_hours: saver.options().keep_checkpoint_every_n_hours,
        version: wire::saver_def::CheckpointFormatVersion::V2 as i32,
    }
}

fn import_saver(graph: &Graph, def: wire::SaverDef) -> Result<Saver> {
    ensure!(
        def.version == wire::saver_def::CheckpointFormatVersion::V2 as i32,
        Unimplemented,
        "the saver writes checkpoints of an older format ({}); only V2 is known here",
        def.version
    );
    let missing = |status: Status| status.context("the saver of the meta graph");
    graph.output(&def.filename_tensor_name).map_err(missing)?;
    graph.output(&def.save_tensor_name).map_err(missing)?;
    graph.operation(&def.restore_op_name).map_err(missing)?;
    let options = SaverOptions {
        max_to_keep: usize::try_from(def.max_to_keep).unwrap_or(0),
        keep_checkpoint_every_n_hours: def.keep_checkpoint_every_n_hours,
        sharded: def.sharded,
        ..Default::default()
    };
    let names =
        SaverNames { filename: def.filename_tensor_name, save: def.save_tensor_name, restore: def.restore_op_name };
    Ok(Saver::from_names(graph, names, options))
}

#[cfg(test)]
mod tests {
    use runtime::RunRequest;
    use tensor::Tensor;

    use super::*;
    use crate::global_step::get_or_create_global_step;
    use crate::input::{InputOptions, range_input_producer};
    use crate::partition::fixed_size_partitioner;
    use crate::testing::{Folder, graph, local};
    use crate::variable_lists::{global_variables, global_variables_initializer, local_variables, trainable_variables};
    use crate::variable_scope::VariableScopeOps;
    use crate::{Initializer, summary};

    #[test]
    fn a_graph_comes_back_with_its_collections() {
        let folder = Folder::new("meta");
        let g = graph();
        let w = Variable::new("w", g.constant([1f32, 2.0]));
        Variable::set_kind(&g, VariableKind::Resource);
        Variable::new("r", g.constant(3f32));
        Variable::set_kind(&g, VariableKind::Ref);
        get_or_create_global_step(&g);
        let parts = g.variable("p").shape(&[4, 2]).initializer(Initializer::Ones);
        parts.partitioner(fixed_size_partitioner(2)).try_get_partitioned().unwrap();
        range_input_producer(&g, 3, InputOptions::new().num_epochs(1));
        summary::scalar("x", &g.constant(1f32));
        let train = w.assign_add(g.constant([1f32, 1.0]));
        add_to_collection(&g, keys::TRAIN_OP, train.name().unwrap());
        let init = global_variables_initializer(&g);
        let saver = Saver::new(&g);
        let session = local(&g);
        session.run(RunRequest::new().target(&init)).unwrap();
        let prefix = saver.save(&session, folder.path().join("m"), None).unwrap();
        let names = |variables: Vec<Variable>| -> Vec<(String, VariableKind, Option<SaveSliceInfo>)> {
            let entry = |v: &Variable| (v.name().to_owned(), v.kind(), v.save_slice_info().cloned());
            variables.iter().map(entry).collect()
        };

        let again = graph();
        let saver = import_meta_graph(&again, folder.path().join("m.meta")).unwrap().unwrap();
        for list in [global_variables, trainable_variables, local_variables] {
            assert_eq!(names(list(&again)), names(list(&g)));
        }
        assert_eq!(queue_runners(&again)[0].names(), queue_runners(&g)[0].names());
        for key in [keys::SUMMARIES, keys::TRAIN_OP] {
            assert_eq!(collection(&again, key), collection(&g, key));
        }
        let session = local(&again);
        saver.restore(&session, prefix).unwrap();
        session.run(RunRequest::new().target(&*collection(&again, keys::TRAIN_OP)[0])).unwrap();
        let w = Variable::find(&again, "w").unwrap();
        assert_eq!(session.fetch(RunRequest::new().fetch(w.value())).unwrap(), [Tensor::from([2f32, 3.0])]);
        // What the imported saver writes is what the first one wrote.
        let second = saver.save(&session, folder.path().join("n"), None).unwrap();
        let values = files::BundleReader::open(second).unwrap();
        assert_eq!(values.lookup("w").unwrap(), Tensor::from([2f32, 3.0]));
        assert_eq!(values.lookup("p").unwrap().dims(), [4, 2]);
    }

    #[test]
    fn what_is_malformed_is_refused() {
        let folder = Folder::new("meta-bad");
        let path = folder.path().join("bad.meta");
        let refused = |meta: &MetaGraphDef| {
            write_meta_graph(&path, meta).unwrap();
            import_meta_graph(&graph(), &path).err().unwrap()
        };
        std::fs::write(&path, b"\xff\xff\xff").unwrap();
        assert_eq!(import_meta_graph(&graph(), &path).err().unwrap().code(), Code::DataLoss);
        let missing = import_meta_graph(&graph(), folder.path().join("none.meta")).err().unwrap();
        assert_eq!(missing.code(), Code::NotFound);
        let g = graph();
        Variable::new("w", g.constant(1f32));
        let saver = Saver::new(&g);
        let whole = export_meta_graph(&g, Some(&saver)).unwrap();
        let mut meta = whole.clone();
        meta.graph_def.as_mut().unwrap().node.retain(|node| !node.name.starts_with("save"));
        assert!(refused(&meta).message().contains("the saver of the meta graph"));
        let mut meta = whole.clone();
        meta.saver_def = None;
        meta.graph_def = None;
        assert!(refused(&meta).message().contains("variable 'w' of a collection"));
        let mut meta = whole;
        meta.saver_def.as_mut().unwrap().version = 1;
        assert_eq!(refused(&meta).code(), Code::Unimplemented);
    }

    /// Whatever byte is damaged, the file is refused or the graph it gives can be looked at.
    #[test]
    fn damage_never_panics() {
        let g = graph();
        Variable::new("w", g.constant([1f32, 2.0]));
        let parts = g.variable("p").shape(&[4, 2]).initializer(Initializer::Ones);
        parts.partitioner(fixed_size_partitioner(2)).try_get_partitioned().unwrap();
        range_input_producer(&g, 3, InputOptions::new().num_epochs(1));
        let saver = Saver::new(&g);
        let whole = export_meta_graph(&g, Some(&saver)).unwrap().encode_to_vec();
        for at in (0..whole.len()).step_by(17) {
            for flip in [1, 0x80] {
                let mut damaged = whole.clone();
                damaged[at] ^= flip;
                let Ok(meta) = MetaGraphDef::decode(Bytes::from(damaged)) else { continue };
                let again = graph();
                if import_meta_graph_def(&again, meta).is_ok() {
                    global_variables(&again).iter().for_each(|variable| drop(variable.shape()));
                    let _ = runtime::LocalSession::new(&again);
                }
            }
        }
    }
}
