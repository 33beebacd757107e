//! What all collective ops have in common: how a node names its group and instance, and how it enters them.

use std::sync::Arc;
use std::time::Duration;

use graph::op::{
    AsyncContext, CollectiveEntry, CollectiveKind, CollectivePlay, CollectiveShrink, CollectiveTerms, Done, Value,
};
use graph::{Node, ReadAttrs};
use smallvec::smallvec;
use tensor::{DType, Result, Shape, Tensor, ensure, err};

use super::collective_communicator::Communicator;
use crate::handle::find;

/// The least number of members, of nodes whose group does with fewer than its size.
const SHRINK_TO: &str = "_shrink_to";
/// How many seconds those who are there wait for the others.
const SHRINK_AFTER: &str = "_shrink_after";

/// What a node says about its group, or that its inputs do.
pub(super) struct Membership {
    place: Place,
    timeout: Option<Duration>,
    shrink: Option<CollectiveShrink>,
}

/// Where a node has its keys.
enum Place {
    Attributes(Keys),
    /// From this input on.
    Inputs(usize),
    /// In the communicator of this input.
    Communicator(usize),
}

/// The size of a group, its key, and that of an instance.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    pub size: u32,
    pub group: i32,
    pub instance: i32,
    /// The rank that a communicator gives this member.
    pub rank: Option<u32>,
}

impl Membership {
    /// For an op that has them as attributes.
    pub fn of_attributes(node: &Node) -> Result<Membership> {
        let keys = [node.attr_int("group_size")?, node.attr_int("group_key")?, node.attr_int("instance_key")?];
        Ok(Membership { place: Place::Attributes(Keys::new(keys)?), timeout: timeout(node)?, shrink: shrink(node)? })
    }

    /// For an op that has them as inputs, the first of which is this one.
    pub fn of_inputs(node: &Node, first: usize) -> Result<Membership> {
        Ok(Membership { place: Place::Inputs(first), timeout: timeout(node)?, shrink: shrink(node)? })
    }

    /// For an op that takes a communicator, as this input, and a table of groups after it.
    pub fn of_communicator(node: &Node, input: usize) -> Result<Membership> {
        Ok(Membership { place: Place::Communicator(input), timeout: timeout(node)?, shrink: shrink(node)? })
    }

    /// Enters the instance with a play, unless `prepare` fails.
    pub fn enter<P: CollectivePlay + 'static>(
        &self,
        cx: AsyncContext,
        done: Done,
        prepare: impl FnOnce(&AsyncContext, &Keys) -> Result<(CollectiveTerms, P)>,
    ) {
        let prepared = self.keys(&cx).and_then(|(keys, timeout)| {
            let (terms, play) = prepare(&cx, &keys)?;
            let entry = CollectiveEntry {
                device: cx.step.device.clone(),
                group_key: keys.group,
                group_size: keys.size,
                shrink: self.shrink,
                instance_key: keys.instance,
                step: cx.step.id,
                frame: cx.frame,
                terms,
                timeout,
                cancellation: cx.step.cancellation.clone(),
            };
            Ok((entry, play))
        });
        match prepared {
            Ok((entry, play)) => {
                let done =
                    Box::new(move |outcome: Result<_>| done(outcome.map(|tensor| smallvec![Value::Tensor(tensor)])));
                cx.step.collectives.enter(entry, Box::new(play), done);
            }
            Err(status) => done(Err(status)),
        }
    }

    /// The keys, and how long the others may take.
    fn keys(&self, cx: &AsyncContext) -> Result<(Keys, Option<Duration>)> {
        let first = match self.place {
            Place::Attributes(keys) => return Ok((keys, self.timeout)),
            Place::Inputs(first) => first,
            Place::Communicator(input) => {
                let communicator: Arc<Communicator> = find(&cx.step, cx.inputs.get(input))?;
                let assignment = cx.input(input + 1)?;
                ensure!(assignment.num_elements() == 0, Unimplemented, "Group assignments are not supported yet.");
                let Communicator { group, size, rank, .. } = *communicator;
                let keys = Keys { size, group, instance: communicator.next_instance(), rank: Some(rank) };
                return Ok((keys, self.timeout.and(communicator.timeout)));
            }
        };
        let mut keys = [0; 3];
        for (index, (key, name)) in keys.iter_mut().zip(["group_size", "group_key", "instance_key"]).enumerate() {
            let input = cx.input(first + index)?;
            ensure!(
                input.shape().is_scalar(),
                InvalidArgument,
                "Unexpected dimensions on input {name}, got {}",
                input.shape()
            );
            *key = i64::from(input.to_scalar::<i32>()?);
        }
        Ok((Keys::new(keys)?, self.timeout))
    }
}

impl Keys {
    fn new([size, group, instance]: [i64; 3]) -> Result<Keys> {
        ensure!(size > 0, InvalidArgument, "group_size must be positive integer but got {size}");
        let narrow = |key: i64| i32::try_from(key).map_err(|_| err!(InvalidArgument, "{key} is too large for a key"));
        let size = u32::try_from(size).map_err(|_| err!(InvalidArgument, "a group of {size} members is too large"))?;
        Ok(Keys { size, group: narrow(group)?, instance: narrow(instance)?, rank: None })
    }
}

/// What members must agree on.
pub(super) fn terms(kind: CollectiveKind, dtype: DType, shape: Shape) -> CollectiveTerms {
    CollectiveTerms { kind, dtype, shape }
}

/// Tensors one after the other, along their first axis.
pub(super) fn in_one(parts: &[Tensor]) -> Result<Tensor> {
    let parts: Vec<&Tensor> = parts.iter().collect();
    crate::array::concat::concat(&parts, &Tensor::from(0i32), "axis")
}

/// Whether the group does with fewer members: attributes of ours, which TensorFlow leaves alone as it does all whose names begin so.
fn shrink(node: &Node) -> Result<Option<CollectiveShrink>> {
    if !node.attrs.contains_key(SHRINK_TO) {
        return Ok(None);
    }
    let (least, seconds) = (node.attr_int(SHRINK_TO)?, node.attr_float(SHRINK_AFTER)?);
    let at_least = u32::try_from(least).ok().filter(|least| *least > 0);
    let at_least = at_least.ok_or_else(|| err!(InvalidArgument, "a group shrinks to {least} members"))?;
    let after = Duration::try_from_secs_f32(seconds)
        .map_err(|error| err!(InvalidArgument, "a group shrinks after {seconds} s: {error}"))?;
    Ok(Some(CollectiveShrink { at_least, after }))
}

pub(super) fn timeout(node: &Node) -> Result<Option<Duration>> {
    let seconds = node.attr_float("timeout_seconds")?;
    Ok(Duration::try_from_secs_f32(seconds).ok().filter(|timeout| !timeout.is_zero()))
}
