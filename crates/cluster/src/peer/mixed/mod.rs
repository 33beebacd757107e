//! Collective groups with tasks of TensorFlow: they gather, agree and exchange over the calls of TensorFlow's worker service.
//!
//! Members gather at the leader (`CompleteGroup`) and agree there on each exchange once (`CompleteInstance`), which may be one of
//! ours or of TensorFlow's. What a member has for another waits here, by its step and key, until it is asked for (`RecvBuf`), and
//! an execution ends when everything that it has was fetched. Members that run in sessions of their own agree on the numbers
//! of their steps (`GetStepSequence`).
//!
//! An execution that fails, or is given up, fails what others ask of its step, so that nobody waits for it; the group is asked for
//! again the next time.

mod buffers;
mod exchange;
mod groups;
mod instances;
mod numbers;

use std::collections::HashMap;
use std::sync::{Arc, OnceLock, Weak};
use std::time::{Duration, Instant};

use graph::op::{CollectiveEntry, StepId};
use parking_lot::Mutex;
use runtime::{CollectiveHub, MixedExchange};
use tensor::{Result, Tensor, ensure, err};
use tokio::task::JoinSet;

use super::Peers;
use crate::call::TaskName;
use buffers::Buffers;
use groups::Groups;
use instances::Instances;
pub(crate) use numbers::{StepNumbers, graph_key};

/// So many groups that gather elsewhere are remembered.
const MAX_KNOWN: usize = 4096;

/// A task's part in groups with tasks of TensorFlow.
pub(crate) struct MixedGroups {
    peers: Arc<Peers>,
    network: tokio::runtime::Handle,
    leader: TaskName,
    /// The devices of this task.
    devices: Vec<wire::DeviceAttributes>,
    /// How long the leader may take to come up.
    start_up: Duration,
    hub: OnceLock<Weak<CollectiveHub>>,
    /// Those that gather here.
    groups: Groups,
    instances: Instances,
    /// Those that were found complete.
    known: Mutex<HashMap<i32, Arc<KnownGroup>>>,
    buffers: Buffers,
    /// What steps that failed had asked for.
    fetched_still: Mutex<HashMap<(i64, StepId), Vec<JoinSet<exchange::Answer>>>>,
    pub numbers: StepNumbers,
}

/// A group that is complete.
struct KnownGroup {
    /// By rank.
    members: Vec<wire::DeviceAttributes>,
    /// Exchanges that were agreed on, and the rank of their source.
    agreed: Mutex<HashMap<i32, usize>>,
}

impl MixedGroups {
    pub fn new(
        peers: &Arc<Peers>,
        network: tokio::runtime::Handle,
        leader: TaskName,
        devices: Vec<wire::DeviceAttributes>,
        start_up: Duration,
    ) -> MixedGroups {
        MixedGroups {
            peers: peers.clone(),
            network,
            leader,
            devices,
            start_up,
            hub: OnceLock::new(),
            groups: Groups::default(),
            instances: Instances::default(),
            known: Mutex::default(),
            buffers: Buffers::default(),
            fetched_still: Mutex::default(),
            numbers: StepNumbers::default(),
        }
    }

    /// Says who leads the groups without tasks of TensorFlow.
    pub fn set_hub(&self, hub: &Arc<CollectiveHub>) {
        let _ = self.hub.set(Arc::downgrade(hub));
    }

    /// Carries out an execution.
    pub fn start(self: &Arc<Self>, exchange: MixedExchange) {
        let this = self.clone();
        self.network.spawn(async move { this.run(exchange).await });
    }

    /// Adds a device to a group that gathers here; answers when it is complete.
    ///
    /// # Errors
    /// `Internal` for a device that does not fit in; `FailedPrecondition` if groups do not gather here.
    pub async fn complete_group(&self, request: wire::CompleteGroupRequest) -> Result<wire::CompleteGroupResponse> {
        self.check_leads()?;
        if let Some(hub) = self.hub.get().and_then(Weak::upgrade) {
            hub.lead_mixed(request.group_key)?;
        }
        let (group_key, group_size, device_type) = (request.group_key, request.group_size, request.device_type.clone());
        let (members, anew) = self.groups.join(request)?;
        if anew {
            self.instances.forget(group_key);
        }
        let members = members.wait().await?;
        let mut tasks: Vec<&str> = members.iter().map(|member| crate::call::task_of(&member.name)).collect();
        tasks.dedup();
        Ok(wire::CompleteGroupResponse {
            group_key,
            group_size,
            device_type,
            num_tasks: tasks.len() as i32,
            communicator_key: Vec::new().into(),
            device_attributes: members.to_vec(),
        })
    }

    /// Makes members agree on an exchange; answers a broadcast when all of them have come.
    ///
    /// # Errors
    /// `Internal` for members that do not agree; `FailedPrecondition` for a group that is not complete.
    pub async fn complete_instance(
        &self,
        request: wire::CompleteInstanceRequest,
    ) -> Result<wire::CompleteInstanceResponse> {
        self.check_leads()?;
        let group = request.group_key;
        let members = self.groups.complete(group).ok_or_else(|| {
            err!(FailedPrecondition, "group {group} not found. This normally means the server has restarted")
        })?;
        let instance_key = request.instance_key;
        let source_rank = self.instances.join(request, &members)?.wait().await?;
        Ok(wire::CompleteInstanceResponse { instance_key, source_rank })
    }

    /// Returns what an execution of ours has for another member, when it has it. Dropping the future gives up waiting.
    ///
    /// # Errors
    /// `FailedPrecondition` if it is for an earlier life of this task; what the execution failed with.
    pub async fn receive(&self, request: &wire::RecvBufRequest) -> Result<Tensor> {
        let device = self.devices.iter().find(|device| device.name == request.src_device);
        let device = device
            .ok_or_else(|| err!(InvalidArgument, "{} is not a device of {}", request.src_device, self.peers.own()))?;
        ensure!(
            device.incarnation == request.src_incarnation,
            FailedPrecondition,
            "RecvBuf expects a different device incarnation: {} vs. {}. Your worker job that contains the device ({}) was probably restarted. Check your worker job for the reason why it was restarted.",
            request.src_incarnation,
            device.incarnation,
            request.src_device
        );
        self.buffers.receive(request.step_id, &request.buf_rendezvous_key).await
    }

    /// Returns the next numbers of steps with collectives.
    ///
    /// # Errors
    /// `Internal` if groups do not gather here.
    pub fn step_sequence(&self, request: &wire::GetStepSequenceRequest) -> Result<wire::GetStepSequenceResponse> {
        ensure!(self.leads(), Internal, "GetStepSequenceAsync called at non-group-leader");
        let next = |key: &i64| wire::StepSequence { graph_key: *key, next_step_id: self.numbers.next_here(*key) };
        Ok(wire::GetStepSequenceResponse { step_sequence: request.graph_key.iter().map(next).collect() })
    }

    fn leads(&self) -> bool {
        self.leader == *self.peers.own()
    }

    fn check_leads(&self) -> Result<()> {
        let (own, leader) = (self.peers.own(), &self.leader);
        ensure!(
            self.leads(),
            FailedPrecondition,
            "collective groups gather at {leader}, not at {own}: collective_group_leader must name it on all tasks"
        );
        Ok(())
    }

    /// The members of an execution's group.
    async fn group(&self, entry: &CollectiveEntry) -> Result<Arc<KnownGroup>> {
        if let Some(known) = self.known.lock().get(&entry.group_key) {
            return Ok(known.clone());
        }
        let device = self.devices.iter().find(|device| device.name == entry.device);
        let device = device.ok_or_else(|| err!(Internal, "{} is not a device here", entry.device))?;
        let request = wire::CompleteGroupRequest {
            group_key: entry.group_key,
            group_size: entry.group_size as i32,
            device_type: device.device_type.clone(),
            collective_type: entry.terms.kind as i32,
            device_attributes: Some(device.clone()),
        };
        let answer = match self.leads() {
            true => self.complete_group(request).await?,
            false => self.found_leader().await?.grpc().complete_group(request).await?,
        };
        let mut members = answer.device_attributes;
        members.sort_by_cached_key(|member| (member.name.parse::<graph::DeviceName>().ok(), member.name.clone()));
        let size = entry.group_size as usize;
        ensure!(
            members.len() == size,
            Internal,
            "{} has a group of {} members, not {size}",
            self.leader,
            members.len()
        );
        let group = Arc::new(KnownGroup { members, agreed: Mutex::default() });
        let mut known = self.known.lock();
        if known.len() >= MAX_KNOWN {
            known.clear();
        }
        Ok(known.entry(entry.group_key).or_insert(group).clone())
    }

    /// Agrees on an exchange; returns the rank of its source.
    async fn agree(&self, entry: &CollectiveEntry, group: &KnownGroup, is_source: bool) -> Result<usize> {
        if let Some(source) = group.agreed.lock().get(&entry.instance_key) {
            return Ok(*source);
        }
        let source = self.instance(entry, group, is_source).await?;
        group.agreed.lock().insert(entry.instance_key, source);
        Ok(source)
    }

    /// What the leader knows of an exchange: the rank of its source.
    async fn instance(&self, entry: &CollectiveEntry, group: &KnownGroup, is_source: bool) -> Result<usize> {
        let terms = &entry.terms;
        let request = wire::CompleteInstanceRequest {
            name: String::new(),
            r#type: terms.kind as i32,
            data_type: terms.dtype.number(),
            shape: Some(tensor::proto::shape_to_proto(&terms.shape)),
            group_key: entry.group_key,
            group_size: entry.group_size as i32,
            instance_key: entry.instance_key,
            device_type: group.members.first().map(|member| member.device_type.clone()).unwrap_or_default(),
            subdiv_offset: Vec::new(),
            device: entry.device.clone(),
            is_source,
            step_id: 0,
        };
        let answer = match self.leads() {
            true => self.complete_instance(request).await?,
            false => self.found_leader().await?.grpc().complete_instance(request).await?,
        };
        Ok(usize::try_from(answer.source_rank).unwrap_or(0))
    }

    /// The number under which TensorFlow's tasks know a step.
    async fn number(&self, step: StepId) -> Result<i64> {
        let Some(key) = self.numbers.sequence_of(step) else { return Ok(step.0) };
        if let Some(number) = self.numbers.known(step, key) {
            return Ok(number);
        }
        let next = match self.leads() {
            true => self.numbers.next_here(key),
            false => self.found_leader().await?.grpc().step_sequence(key).await?,
        };
        Ok(self.numbers.assign(step, key, next))
    }

    async fn found_leader(&self) -> Result<&Arc<super::Remote>> {
        self.peers.find(std::slice::from_ref(&self.leader), Instant::now() + self.start_up).await?;
        self.peers.get(&self.leader)
    }
}
