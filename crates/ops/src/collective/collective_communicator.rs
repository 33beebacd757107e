//! `CollectiveInitializeCommunicator`: names a member's group and rank once, for the ops that take a communicator, and
//! `CollectiveAssignGroupV2`: finds the group of a device in a table of groups.
//!
//! Members meet in their first exchange; TensorFlow's wait for each other here already.

use std::sync::atomic::{AtomicI32, Ordering};
use std::time::Duration;

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, Resource, ShapeContext};
use tensor::{PartialShape, ResourceHandle, Result, Tensor, ensure, err};

use super::entry::timeout;
use crate::handle::type_hash;

const CONTAINER: &str = "collective_op_group";
const TYPE: &str = "tensorflow::CollectiveGroupResource";

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "CollectiveInitializeCommunicator",
        "group_key: int32, rank: int32, group_size: int32 -> communicator: resource",
    )
    .attr("communication_hint: string = 'auto'")
    .attr("timeout_seconds: float = 0")
    .stateful()
    .shape(scalar)
    .any_kernel(initialize);
    r.op(
        "CollectiveAssignGroupV2",
        "group_assignment: int32, device_index: int32, base_key: int32 -> group_size: int32, group_key: int32",
    )
    .stateful()
    .shape(scalars)
    .any_kernel(|_| Ok(Kernel::compute(assign)));
}

/// A member of a group.
pub(super) struct Communicator {
    pub group: i32,
    pub rank: u32,
    pub size: u32,
    pub timeout: Option<Duration>,
    instances: AtomicI32,
}

impl Communicator {
    /// The key of the next exchange.
    pub fn next_instance(&self) -> i32 {
        self.instances.fetch_add(1, Ordering::Relaxed) & ((1 << 21) - 1)
    }
}

impl Resource for Communicator {
    fn kind(&self) -> &'static str {
        "communicator"
    }
}

fn scalar(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::scalar());
    Ok(())
}

fn scalars(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::scalar());
    cx.set(1, PartialShape::scalar());
    Ok(())
}

fn initialize(node: &Node) -> Result<Kernel> {
    let timeout = timeout(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let read = |index: usize, name: &str| -> Result<i32> {
            let input = cx.input(index)?;
            ensure!(
                input.shape().is_scalar(),
                InvalidArgument,
                "Unexpected dimensions on input {name}. It shoulbe a scalar, got tensor with shape {}",
                input.shape()
            );
            input.to_scalar()
        };
        let (size, group, rank) = (read(2, "group_size")?, read(0, "group_key")?, read(1, "rank")?);
        ensure!(size > 0, InvalidArgument, "group_size must be positive integer but got {size}");
        ensure!(rank >= 0, InvalidArgument, "rank must be non-negative integer but got {rank}");
        ensure!(rank < size, InvalidArgument, "rank must be less than group size but got {rank} >= {size}");
        let name = format!("{group}:r{rank:04}");
        let mut is_new = false;
        cx.step.resources.lookup_or_create(CONTAINER, &name, || {
            is_new = true;
            let instances = AtomicI32::new(0);
            Ok(Communicator { group, rank: rank as u32, size: size as u32, timeout, instances })
        })?;
        ensure!(is_new, AlreadyExists, "Resource {CONTAINER}/{name}/{TYPE}");
        let handle = Tensor::from_handle(ResourceHandle {
            device: cx.step.device.clone(),
            container: CONTAINER.to_owned(),
            name,
            hash_code: type_hash(TYPE),
            type_name: TYPE.to_owned(),
            ..Default::default()
        });
        cx.set_output(0, handle);
        Ok(())
    }))
}

fn assign(cx: &mut OpContext<'_>) -> Result<()> {
    let [groups, device, base] = [cx.input(0)?, cx.input(1)?, cx.input(2)?];
    let says = |name: &str, what: &str, tensor: &Tensor| {
        err!(InvalidArgument, "{name} must be a {what}, but received tensor of shape: {}", tensor.shape())
    };
    ensure_that(groups.shape().rank() == 2, || says("group_assignment", "2-d Tensor", groups))?;
    ensure_that(device.shape().is_scalar(), || says("device_index", "scalar", device))?;
    ensure_that(base.shape().is_scalar(), || says("base_key", "scalar", base))?;
    let (device, base): (i32, i32) = (device.to_scalar()?, base.to_scalar()?);
    let size = groups.dims()[1];
    let table: &[i32] = groups.as_slice()?;
    let found = table.iter().position(|member| *member == device).filter(|_| size > 0);
    let found = found.ok_or_else(|| {
        err!(InvalidArgument, "device_index {device} is not found in group_assignment of shape {}", groups.shape())
    })?;
    let key = base.wrapping_add((found / size as usize) as i32);
    cx.set_output(0, Tensor::from(size as i32));
    cx.set_output(1, Tensor::from(key));
    Ok(())
}

fn ensure_that(holds: bool, says: impl FnOnce() -> tensor::Status) -> Result<()> {
    if holds { Ok(()) } else { Err(says()) }
}
