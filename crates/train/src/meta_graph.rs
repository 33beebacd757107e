//! Meta graphs: a graph with its collections in one message, as TensorFlow writes them beside checkpoints.

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
use crate::variable::{Variable, VariableKind, VariableNodes};

/// The collections whose members are variables.
const OF_VARIABLES: [&str; 7] = [
    keys::GLOBAL_VARIABLES,
    keys::LOCAL_VARIABLES,
    keys::TRAINABLE_VARIABLES,
    keys::MODEL_VARIABLES,
    keys::MOVING_AVERAGE_VARIABLES,
    keys::METRIC_VARIABLES,
    keys::GLOBAL_STEP,
];
/// Above the size of any message that protobuf can hold.
const MAX_SIZE: u64 = 2 << 30;

/// Returns the graph with what is needed to go on with it elsewhere: collections and queue runners. With the nodes that save and
/// restore it comes from [`Saver::export_meta_graph`](crate::Saver::export_meta_graph).
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{export_meta_graph, global_variables, import_meta_graph_def};
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// let meta = export_meta_graph(&g)?;
/// let other = Graph::new();
/// import_meta_graph_def(&other, meta)?;
/// assert_eq!(global_variables(&other)[0].name(), "w");
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// The graph's first mistake.
pub fn export_meta_graph(graph: &Graph) -> Result<MetaGraphDef> {
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
    Ok(MetaGraphDef { graph_def: Some(graph_to_proto(&graph.snapshot()?)?), collection_def, ..Default::default() })
}

/// Writes a meta graph, whole or not at all.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{export_meta_graph, global_variables, import_meta_graph, write_meta_graph};
/// # let path = std::env::temp_dir().join(format!("write-meta-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// write_meta_graph(&path, &export_meta_graph(&g)?)?;
/// let other = Graph::new();
/// assert!(import_meta_graph(&other, &path)?.is_none()); // without a saver
/// assert_eq!(global_variables(&other)[0].name(), "w");
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// The code of the operating system's error.
pub fn write_meta_graph(path: impl AsRef<Path>, meta: &MetaGraphDef) -> Result<()> {
    files::atomic::write_file(path.as_ref(), &meta.encode_to_vec())
}

/// Reads the message of a file.
///
/// # Errors
/// The code of the operating system's error; `DataLoss` if the file is no meta graph.
pub(crate) fn read_meta_graph(path: &Path) -> Result<MetaGraphDef> {
    let at = |error: std::io::Error| Status::from(error).context(path.display());
    let size = files::place::metadata(path).map_err(at)?.size;
    ensure!(size <= MAX_SIZE, DataLoss, "{} has {size} bytes, which is too large", path.display());
    let bytes = Bytes::from(files::place::read(path).map_err(at)?);
    MetaGraphDef::decode(bytes).map_err(|error| err!(DataLoss, "{} is no meta graph: {error}", path.display()))
}

/// Adds the graph of a message with its collections. Members of collections that are neither variables, queue runners nor names
/// are left out.
///
/// # Errors
/// `InvalidArgument` if the graph is malformed, has nodes that are there already, or its collections name nodes that it does
/// not have.
pub(crate) fn import_graph(graph: &Graph, meta: MetaGraphDef) -> Result<()> {
    graph.import(meta.graph_def.unwrap_or_default(), ImportOptions { infer_shapes: true, ..Default::default() })?;
    for (key, collection) in meta.collection_def {
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
    Ok(())
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
    let nodes = VariableNodes { handle, initial_value, initializer, read: graph.output(&read).map_err(missing)? };
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
