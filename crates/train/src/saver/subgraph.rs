//! The nodes that save and restore, named and arranged as TensorFlow's.

use std::collections::BTreeMap;
use std::panic::Location;

use graph::{DeviceName, DeviceScope, Graph, Operation, Output};
use tensor::{DType, Tensor};

use super::{SaverNames, SaverOptions, through};
use crate::variable::{Variable, VariableKind};

/// A tensor of a checkpoint, and the variable that holds it.
#[derive(Clone)]
pub(crate) struct Saveable {
    /// The name in the checkpoint.
    pub name: String,
    /// Which slice of the tensor this is, in TensorFlow's notation; empty for all of it.
    pub slice: String,
    /// The variable that holds it.
    pub variable: Variable,
}

impl Saveable {
    /// A variable under its own name, or as a slice of the partitioned variable that it is a part of.
    pub fn of(variable: &Variable) -> Saveable {
        match variable.save_slice_info() {
            Some(slice) => Saveable { name: slice.full_name.clone(), slice: slice.spec(), variable: variable.clone() },
            None => Saveable { name: variable.name().to_owned(), slice: String::new(), variable: variable.clone() },
        }
    }

    /// A variable under another name.
    pub fn named(name: &str, variable: &Variable) -> Saveable {
        Saveable { name: name.to_owned(), ..Saveable::of(variable) }
    }

    fn device(&self) -> String {
        let id = self.variable.handle().operation().id();
        self.variable.handle().graph().read(|nodes| id.map(|id| nodes.node(id).device.clone()).unwrap_or_default())
    }

    /// Where the variable is; no device at all if it is on none in particular.
    pub fn device_scope(&self) -> DeviceScope {
        match self.device() {
            device if device.is_empty() => DeviceScope::Cleared,
            device => DeviceScope::Name(device),
        }
    }

    pub fn dtype(&self) -> DType {
        self.variable.value().dtype().unwrap_or(DType::Float)
    }

    /// What is saved: a reference to the variable itself, or a read of it.
    pub fn tensor(&self) -> Output {
        match self.variable.kind() {
            VariableKind::Ref if self.slice.is_empty() => self.variable.handle().clone(),
            _ => self.variable.value().clone(),
        }
    }

    /// A restored value in the variable's shape, if that is known.
    fn reshaped(&self, graph: &Graph, value: &Output, at: &'static Location<'static>) -> Option<Output> {
        let shape = self.variable.shape().to_shape()?;
        let lengths: Vec<i32> = shape.dims().iter().map(|dim| i32::try_from(*dim).unwrap_or(i32::MAX)).collect();
        let name = graph.unique_name("Reshape");
        let dims = graph.op("Const").name_exactly(format!("{name}/shape")).attr("dtype", DType::Int32);
        let dims = dims.attr("value", Tensor::from(lengths)).at(at).output();
        Some(graph.op("Reshape").name_exactly(name).input(value).input(dims).at(at).output())
    }

    /// Sets the variable to a restored value.
    pub fn restore(&self, graph: &Graph, value: &Output, reshape: bool, at: &'static Location<'static>) -> Operation {
        let reshaped = if reshape { self.reshaped(graph, value, at) } else { None };
        let value = reshaped.as_ref().unwrap_or(value);
        let owner = self.variable.handle().operation();
        match self.variable.kind() {
            VariableKind::Ref => graph.with_colocation(&owner, |graph| {
                let assign = graph.op("Assign").input(self.variable.handle()).input(value).device(self.device());
                if reshape { assign.attr("validate_shape", false).at(at).build() } else { assign.at(at).build() }
            }),
            VariableKind::Resource => graph.with_device(self.device_scope(), |graph| {
                let value = graph.op("Identity").input(value).at(at).output();
                let shape = self.variable.value().shape();
                value.set_shape(shape);
                graph.op("AssignVariableOp").input(self.variable.handle()).input(value).at(at).build()
            }),
        }
    }
}

/// Adds the nodes of a saver.
#[track_caller]
pub(super) fn build(graph: &Graph, mut saveables: Vec<Saveable>, options: &SaverOptions) -> SaverNames {
    let at = Location::caller();
    saveables.sort_by(|a, b| (&a.name, a.variable.name()).cmp(&(&b.name, b.variable.name())));
    if saveables.is_empty() {
        graph.note_mistake(tensor::err!(InvalidArgument, "No variables to save"));
    }
    if options.through.is_some() && options.first_format {
        let mistake = tensor::err!(Unimplemented, "checkpoints of the first format are not saved through one task");
        graph.note_mistake(mistake);
    }
    if let Some(twice) = duplicate(&saveables) {
        graph.note_mistake(tensor::err!(InvalidArgument, "two variables are to be saved under the name '{twice}'"));
    }
    graph.with_name_scope(&options.name, |graph| {
        let builder = Builder { graph, reshape: options.reshape, first_format: options.first_format, at };
        let default = builder.constant("filename/input", Tensor::from("model"));
        let filename = builder.placeholder("filename", &default);
        let prefix = builder.placeholder("Const", &filename);
        let (save, restores) = if let Some(device) = &options.through {
            let groups = through::groups(saveables);
            (builder.save_through(&prefix, &groups, device), builder.restore_through(&prefix, &groups, device))
        } else if options.sharded {
            let groups = by_device(saveables);
            let save = if options.first_format {
                builder.save_files(&prefix, &groups)
            } else {
                builder.save_sharded(&prefix, &groups)
            };
            let mut restores = Vec::with_capacity(groups.len());
            for (device, group) in &groups {
                let assigns = graph.with_device(cpu0(device), |graph| builder.restore(graph, &prefix, group, None));
                let shard = graph.op("NoOp").name("restore_shard").control_inputs(&assigns).device(device.clone());
                restores.push(shard.at(at).build());
            }
            (save, restores)
        } else {
            let save = builder.save(&prefix, &saveables);
            let save = graph.op("Identity").name("control_dependency").input(&prefix).control_inputs(&[save]);
            let save = save.colocate_with(&prefix.operation()).at(at).output();
            (save, builder.restore(graph, &prefix, &saveables, Some("/device:CPU:0")))
        };
        let restore = group(graph, "restore_all", &restores, at);
        let name = |output: &Output| output.name().map(|name| name.to_string()).unwrap_or_default();
        SaverNames { filename: name(&prefix), save: name(&save), restore: restore.name().unwrap_or_default() }
    })
}

/// A name that stands for two whole tensors, or for the same slice twice.
fn duplicate(saveables: &[Saveable]) -> Option<&str> {
    let same = |pair: &&[Saveable]| {
        pair[0].name == pair[1].name
            && (pair[0].slice == pair[1].slice || pair.iter().any(|item| item.slice.is_empty()))
    };
    saveables.windows(2).find(same).map(|pair| pair[0].name.as_str())
}

fn by_device(saveables: Vec<Saveable>) -> BTreeMap<String, Vec<Saveable>> {
    let mut groups: BTreeMap<String, Vec<Saveable>> = BTreeMap::new();
    for saveable in saveables {
        groups.entry(saveable.device()).or_default().push(saveable);
    }
    groups
}

/// The first CPU of the task that a device belongs to: files are read and written there.
pub(super) fn cpu0(device: &str) -> String {
    let named = device.parse::<DeviceName>().ok();
    let cpu = "/device:CPU:0".parse::<DeviceName>().ok();
    match (named, cpu) {
        (Some(named), Some(cpu)) => named.overlaid(cpu).to_string(),
        _ => device.to_owned(),
    }
}

/// A node that waits for others, with one in between for each device, so that one edge leaves a device.
pub(crate) fn group(graph: &Graph, name: &str, operations: &[Operation], at: &'static Location<'static>) -> Operation {
    let mut devices: BTreeMap<String, Vec<Operation>> = BTreeMap::new();
    for operation in operations {
        let device = graph.read(|nodes| operation.id().map(|id| nodes.node(id).device.clone()).unwrap_or_default());
        devices.entry(device).or_default().push(operation.clone());
    }
    if let (1, Some((device, operations))) = (devices.len(), devices.first_key_value()) {
        return graph.op("NoOp").name(name).control_inputs(operations).device(device.clone()).at(at).build();
    }
    let full = graph.unique_name(name);
    let mut waits = Vec::with_capacity(devices.len());
    for (index, (device, operations)) in devices.iter().enumerate() {
        let suffix = if index == 0 { String::new() } else { format!("_{index}") };
        let wait = graph.op("NoOp").name_exactly(format!("{full}/NoOp{suffix}")).control_inputs(operations);
        waits.push(wait.device(device.clone()).at(at).build());
    }
    graph.op("NoOp").name_exactly(full).control_inputs(&waits).at(at).build()
}

pub(super) struct Builder<'a> {
    pub graph: &'a Graph,
    pub reshape: bool,
    first_format: bool,
    pub at: &'static Location<'static>,
}

impl Builder<'_> {
    pub fn constant(&self, name: &str, value: Tensor) -> Output {
        self.graph.op("Const").name(name).attr("dtype", value.dtype()).attr("value", value).at(self.at).output()
    }

    pub fn constant_exactly(&self, name: String, value: Tensor) -> Output {
        let op = self.graph.op("Const").name_exactly(name);
        op.attr("dtype", value.dtype()).attr("value", value).at(self.at).output()
    }

    fn placeholder(&self, name: &str, default: &Output) -> Output {
        let op = self.graph.op("PlaceholderWithDefault").name(name).input(default);
        op.attr("shape", tensor::PartialShape::scalar()).at(self.at).output()
    }

    /// Names and slices of tensors, as constants beside the node that reads them.
    pub fn entries(&self, name: &str, slices_name: &str, saveables: &[Saveable]) -> (Output, Output) {
        let names = Tensor::string_vector(saveables.iter().map(|saveable| saveable.name.clone()));
        let slices = Tensor::string_vector(saveables.iter().map(|saveable| saveable.slice.clone()));
        (
            self.constant_exactly(format!("{name}/tensor_names"), names),
            self.constant_exactly(format!("{name}/{slices_name}"), slices),
        )
    }

    fn save(&self, prefix: &Output, saveables: &[Saveable]) -> Operation {
        let tensors: Vec<Output> = saveables.iter().map(Saveable::tensor).collect();
        self.save_tensors(prefix, saveables, &tensors)
    }

    pub fn save_tensors(&self, prefix: &Output, saveables: &[Saveable], tensors: &[Output]) -> Operation {
        let (op, slices_name) =
            if self.first_format { ("SaveSlices", "shapes_and_slices") } else { ("SaveV2", "shape_and_slices") };
        let name = self.graph.unique_name(op);
        let (names, slices) = self.entries(&name, slices_name, saveables);
        let op = self.graph.op(op).name_exactly(name).input(prefix).input(names).input(slices);
        op.input_list(tensors).at(self.at).build()
    }

    fn restore(&self, graph: &Graph, prefix: &Output, saveables: &[Saveable], device: Option<&str>) -> Vec<Operation> {
        let read = |graph: &Graph| {
            let name = graph.unique_name("RestoreV2");
            let (names, slices) = self.entries(&name, "shape_and_slices", saveables);
            let types: Vec<DType> = saveables.iter().map(Saveable::dtype).collect();
            let op = graph.op("RestoreV2").name_exactly(name).input(prefix).input(names).input(slices);
            op.attr("dtypes", types).at(self.at).build()
        };
        let restored = match device {
            Some(device) => graph.with_device(device, read),
            None => read(graph),
        };
        let assign = |(index, saveable): (usize, &Saveable)| {
            saveable.restore(graph, &restored.output(index), self.reshape, self.at)
        };
        saveables.iter().enumerate().map(assign).collect()
    }

    /// Each device writes a part beside the checkpoint; the parts are made one when all are there.
    fn save_sharded(&self, prefix: &Output, groups: &BTreeMap<String, Vec<Saveable>>) -> Output {
        let graph = self.graph;
        let parts = graph.with_device("/device:CPU:*", |graph| {
            let remote =
                graph.op("StaticRegexFullMatch").input(prefix).attr("pattern", "^s3://.*").at(self.at).output();
            let (there, here) =
                (self.constant("Const", Tensor::from(".part")), self.constant("Const", Tensor::from("_temp/part")));
            let suffix = graph.op("Select").input(remote).input(there).input(here).at(self.at).output();
            graph.op("StringJoin").input_list(&[prefix.clone(), suffix]).at(self.at).output()
        });
        let count = self.constant("num_shards", Tensor::from(groups.len() as i32));
        let (mut names, mut saved, mut last) = (Vec::new(), Vec::new(), String::new());
        for (index, (device, saveables)) in groups.iter().enumerate() {
            last = cpu0(device);
            graph.with_device(&last, |graph| {
                let name = graph.unique_name("ShardedFilename");
                let shard = self.constant_exactly(format!("{name}/shard"), Tensor::from(index as i32));
                let part = graph.op("ShardedFilename").name_exactly(name).input(&parts).input(shard).input(&count);
                let part = part.at(self.at).output();
                let save = self.save(&part, saveables);
                let done = graph.op("Identity").name("control_dependency").input(&part).control_inputs(&[save]);
                saved.push(done.colocate_with(&part.operation()).at(self.at).build());
                names.push(part);
            });
        }
        graph.with_device(&last, |graph| {
            let name = graph.unique_name("MergeV2Checkpoints");
            let all = graph.op("Pack").name_exactly(format!("{name}/checkpoint_prefixes")).input_list(&names);
            let all = all.control_inputs(&saved).at(self.at).output();
            let merge = graph.op("MergeV2Checkpoints").name_exactly(name).input(all).input(prefix).at(self.at).build();
            graph.op("Identity").input(prefix).control_inputs(&[merge]).control_inputs(&saved).at(self.at).output()
        })
    }

    /// Each device writes a file, in the first format: all of them are the checkpoint.
    fn save_files(&self, prefix: &Output, groups: &BTreeMap<String, Vec<Saveable>>) -> Output {
        let graph = self.graph;
        let count = self.constant("num_shards", Tensor::from(groups.len() as i32));
        let mut saved = Vec::with_capacity(groups.len());
        for (index, (device, saveables)) in groups.iter().enumerate() {
            graph.with_device(device, |graph| {
                let name = graph.unique_name("ShardedFilename");
                let shard = self.constant_exactly(format!("{name}/shard"), Tensor::from(index as i32));
                let part = graph.op("ShardedFilename").name_exactly(name).input(prefix).input(shard).input(&count);
                let part = part.at(self.at).output();
                let save = self.save(&part, saveables);
                let done = graph.op("Identity").name("control_dependency").input(&part).control_inputs(&[save]);
                saved.push(done.colocate_with(&part.operation()).at(self.at).build());
            });
        }
        graph.op("ShardedFilespec").input(prefix).input(count).control_inputs(&saved).at(self.at).output()
    }
}
