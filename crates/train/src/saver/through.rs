//! Saving and restoring through one task, which alone has the files: the others need no place that they share with it.
//!
//! Values travel in groups, so that the task never holds more than two of them at once, however large the model is. All of
//! them are of one moment nevertheless: each device keeps what it had then until its turn comes, which costs nothing as long as
//! nobody changes it.

use graph::{Operation, Output};
use tensor::{DType, Tensor};

use super::subgraph::{Builder, Saveable, cpu0};

/// A group has at least one tensor, and others as long as all have no more bytes than this.
const GROUP: u64 = 64 << 20;

/// Neighbours in the list, together while they are small. What has no known size is a group.
pub(super) fn groups(saveables: Vec<Saveable>) -> Vec<Vec<Saveable>> {
    let mut groups: Vec<Vec<Saveable>> = Vec::new();
    let mut room = 0u64;
    for saveable in saveables {
        let shape = saveable.variable.shape().to_shape();
        // Strings lie elsewhere and have any length.
        let element = match saveable.dtype().size() as u64 {
            0 => 64,
            size => size,
        };
        let size = shape.map_or(GROUP, |shape| (shape.num_elements() as u64).saturating_mul(element));
        match groups.last_mut() {
            Some(group) if size <= room => group.push(saveable),
            _ => {
                groups.push(vec![saveable]);
                room = GROUP;
            }
        }
        room = room.saturating_sub(size);
    }
    groups
}

impl Builder<'_> {
    /// Each group becomes a part beside the checkpoint, written by `device`, which makes the parts one in the end.
    pub(super) fn save_through(&self, prefix: &Output, groups: &[Vec<Saveable>], device: &str) -> Output {
        let (graph, device) = (self.graph, cpu0(device));
        graph.with_device(&*device, |graph| {
            let suffix = self.constant("Const", Tensor::from("_temp/part"));
            let parts = graph.op("StringJoin").input_list(&[prefix.clone(), suffix]).at(self.at).output();
            let count = self.constant("num_shards", Tensor::from(groups.len() as i32));
            let (mut names, mut saves): (Vec<Output>, Vec<Operation>) = (Vec::new(), Vec::new());
            for (index, group) in groups.iter().enumerate() {
                let name = graph.unique_name("ShardedFilename");
                let shard = self.constant_exactly(format!("{name}/shard"), Tensor::from(index as i32));
                let part = graph.op("ShardedFilename").name_exactly(name).input(&parts).input(shard).input(&count);
                let part = part.at(self.at).output();
                // While one group is written, the next one travels.
                let turn: Vec<Operation> =
                    index.checked_sub(2).map(|before| saves[before].clone()).into_iter().collect();
                let tensors: Vec<Output> = group.iter().map(|one| self.in_turn(&one.tensor(), one, &turn)).collect();
                saves.push(self.save_tensors(&part, group, &tensors));
                names.push(part);
            }
            let name = graph.unique_name("MergeV2Checkpoints");
            let all = graph.op("Pack").name_exactly(format!("{name}/checkpoint_prefixes")).input_list(&names);
            let all = all.control_inputs(&saves).at(self.at).output();
            let merge = graph.op("MergeV2Checkpoints").name_exactly(name).input(all).input(prefix).at(self.at).build();
            let done = graph.op("Identity").name("control_dependency").input(prefix).control_inputs(&[merge]);
            done.at(self.at).output()
        })
    }

    /// `device` reads group after group. A group is read once the one before the last has reached its variables' devices;
    /// nothing is assigned before all have.
    pub(super) fn restore_through(&self, prefix: &Output, groups: &[Vec<Saveable>], device: &str) -> Vec<Operation> {
        let (graph, device) = (self.graph, cpu0(device));
        let mut assigns = Vec::new();
        let mut arrived: Vec<Vec<Operation>> = Vec::with_capacity(groups.len());
        for (index, group) in groups.iter().enumerate() {
            let turn = index.checked_sub(2).map(|before| arrived[before].clone()).unwrap_or_default();
            let restored = graph.with_device(&*device, |graph| {
                let name = graph.unique_name("RestoreV2");
                let (names, slices) = self.entries(&name, "shape_and_slices", group);
                let types: Vec<DType> = group.iter().map(Saveable::dtype).collect();
                let op = graph.op("RestoreV2").name_exactly(name).input(prefix).input(names).input(slices);
                op.attr("dtypes", types).control_inputs(&turn).at(self.at).build()
            });
            let mut here = Vec::with_capacity(group.len());
            for (place, saveable) in group.iter().enumerate() {
                let value = self.in_turn(&restored.output(place), saveable, &[]);
                here.push(value.operation());
                assigns.push(saveable.restore(graph, &value, self.reshape, self.at));
            }
            arrived.push(here);
        }
        assigns
    }

    /// A value on the variable's device, from where it goes on after these operations.
    fn in_turn(&self, value: &Output, saveable: &Saveable, turn: &[Operation]) -> Output {
        self.graph.with_device(saveable.device_scope(), |graph| {
            graph.op("Identity").name("in_turn").input(value).control_inputs(turn).at(self.at).output()
        })
    }
}
