//! Exchanges of groups that gather here, on which their members agree once.

use std::collections::{HashMap, HashSet};

use parking_lot::Mutex;
use tensor::{Result, ensure, err};
use tokio::sync::watch;

use super::groups::{Members, Pending};

/// So many are remembered.
const MAX_INSTANCES: usize = 1 << 16;
/// TensorFlow's number for broadcasts.
const BROADCAST: i32 = 1;

#[derive(Default)]
pub(super) struct Instances(Mutex<HashMap<(i32, i64, i32), Instance>>);

struct Instance {
    kind: i32,
    dtype: i32,
    shape: Option<wire::TensorShapeProto>,
    /// The ranks of those who came.
    known: HashSet<usize>,
    source: Option<usize>,
    state: watch::Sender<Option<Result<i32>>>,
}

impl Instances {
    /// Adds a member. Exchanges other than broadcasts are settled at once.
    ///
    /// # Errors
    /// `Internal` if members do not agree or two want to be the source; `InvalidArgument` if their shapes differ.
    pub fn join(&self, request: wire::CompleteInstanceRequest, members: &Members) -> Result<Pending<i32>> {
        let rank = members.iter().position(|member| member.name == request.device);
        let (group, key) = (request.group_key, request.instance_key);
        let rank = rank.ok_or_else(|| err!(Internal, "{} is not in group {group}", request.device))?;
        let mut table = self.0.lock();
        if table.len() >= MAX_INSTANCES {
            table.retain(|_, instance| instance.state.borrow().is_none());
        }
        ensure!(
            table.len() < MAX_INSTANCES,
            ResourceExhausted,
            "{MAX_INSTANCES} collective instances wait for members"
        );
        let instance = table.entry((group, request.step_id, key)).or_insert_with(|| Instance {
            kind: request.r#type,
            dtype: request.data_type,
            shape: request.shape.clone(),
            known: HashSet::new(),
            source: None,
            state: watch::Sender::new(None),
        });
        let outcome = instance.admit(&request, rank);
        if let Err(status) = &outcome {
            instance.state.send_replace(Some(Err(status.clone())));
        } else if instance.state.borrow().is_some() {
            // Settled before.
        } else if instance.kind != BROADCAST {
            instance.state.send_replace(Some(Ok(-1)));
        } else if instance.known.len() == members.len() {
            let size = members.len();
            instance.state.send_replace(Some(instance.source.map(|rank| rank as i32).ok_or_else(|| {
                err!(
                    Internal,
                    "Instance {key} found no source for broadcast.  This could mean that there were group_size={size} BcastRecvs but no BcastSend."
                )
            })));
        }
        Ok(Pending(instance.state.subscribe()))
    }

    /// Forgets the exchanges of a group that has begun anew.
    pub fn forget(&self, group: i32) {
        self.0.lock().retain(|(of, ..), _| *of != group);
    }
}

impl Instance {
    fn admit(&mut self, request: &wire::CompleteInstanceRequest, rank: usize) -> Result<()> {
        let key = request.instance_key;
        ensure!(
            (self.kind, self.dtype) == (request.r#type, request.data_type),
            Internal,
            "Collective instance {key} expected type {} and data_type {} but got type {} and data_type {}",
            self.kind,
            self.dtype,
            request.r#type,
            request.data_type
        );
        let shown = |shape: &Option<wire::TensorShapeProto>| {
            let dims = shape.iter().flat_map(|shape| &shape.dim).map(|dim| dim.size.to_string());
            format!("[{}]", dims.collect::<Vec<_>>().join(","))
        };
        ensure!(
            shown(&self.shape) == shown(&request.shape),
            InvalidArgument,
            "Shape mismatch in the collective instance {key}. Op at device {} expected shape {} but another member in the group expected shape {}. This is likely due to different input shapes at different members of the collective op.",
            request.device,
            shown(&request.shape),
            shown(&self.shape)
        );
        if request.is_source {
            if let Some(source) = self.source.filter(|source| *source != rank) {
                return Err(err!(
                    Internal,
                    "Instance {key} already has source {source}, received second claim from {rank}"
                ));
            }
            self.source = Some(rank);
        }
        self.known.insert(rank);
        Ok(())
    }
}
