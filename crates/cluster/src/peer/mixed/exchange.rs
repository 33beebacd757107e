//! One execution in a group with tasks of TensorFlow, from entering to its end.

use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use graph::op::{
    CollectiveEntry, CollectiveGroup, CollectiveKind, CollectivePlay, CollectiveTurn, StepId, guarded, shielded,
};
use runtime::{MixedExchange, collective_aborted};
use tensor::{DType, Result, Shape, Tensor, ensure, err};
use tokio::sync::oneshot;
use tokio::task::JoinSet;

use super::{KnownGroup, MixedGroups};
use crate::call::{RequestId, TaskName, task_of};

/// Plays with so many bytes do not compute on a thread of the network.
const LARGE: usize = 1 << 20;
/// So long what an execution that failed had asked for is fetched.
const STILL: Duration = Duration::from_secs(30);
/// So often an execution that waits asks whether it waits in vain.
const LOOK_EVERY: Duration = Duration::from_secs(3);

/// Who was asked for which part, and what came.
pub(super) type Answer = (usize, u32, Result<Tensor>);

impl MixedGroups {
    /// Carries out an execution, unless its step is cancelled or its time passes.
    pub(super) async fn run(self: Arc<Self>, exchange: MixedExchange) {
        let MixedExchange { entry, play, done } = exchange;
        let (tell, cancelled) = oneshot::channel();
        let registration = entry.cancellation.on_cancel(move |status| drop(tell.send(status.clone())));
        let late = async {
            match entry.timeout {
                Some(limit) => tokio::time::sleep(limit).await,
                None => std::future::pending().await,
            }
        };
        let (mut number, mut asked) = (None, JoinSet::new());
        let outcome = tokio::select! {
            outcome = self.play(&entry, play, &mut number, &mut asked) => outcome,
            reason = cancelled => Err(reason.unwrap_or_else(|_| err!(Cancelled, "the step was cancelled"))),
            () = late => Err(err!(DeadlineExceeded, "Collective has timed out waiting for other workers.")),
        };
        drop(registration);
        let outcome = outcome.map_err(|status| {
            let status = collective_aborted(&status);
            self.known.lock().remove(&entry.group_key);
            if let Some(number) = number {
                self.buffers.fail(number, entry.step, &status);
                self.fetch_still((number, entry.step), asked);
            }
            status
        });
        shielded(|| done(outcome));
    }

    async fn play(
        self: &Arc<Self>,
        entry: &CollectiveEntry,
        play: Box<dyn CollectivePlay>,
        number: &mut Option<i64>,
        asked: &mut JoinSet<Answer>,
    ) -> Result<Tensor> {
        let group = self.group(entry).await?;
        let rank = group.members.iter().position(|member| member.name == entry.device);
        let rank = rank.ok_or_else(|| err!(Internal, "{} is not in group {}", entry.device, entry.group_key))?;
        let step = self.number(entry.step).await?;
        *number = Some(step);
        self.buffers.begin(step, entry.step)?;
        self.fetched_still.lock().retain(|(number, own), _| *number != step || *own == entry.step);
        let agreed = self.agree(entry, &group, play.is_source()).await;
        let tasks = group.members.iter().map(|member| task_of(&member.name).to_owned()).collect();
        let source = *agreed.as_ref().unwrap_or(&0);
        let mut play = guarded(format_args!("a collective"), || play.mixed(&CollectiveGroup { tasks, rank, source }))?;
        let (size, large) = (group.members.len(), entry.terms.shape.num_elements() * entry.terms.dtype.size() >= LARGE);
        let prefix = format!("{}:{}:{}:{}", entry.group_key, entry.instance_key, entry.frame.0, entry.frame.1);
        let side = Side { groups: self, entry, group: &group, prefix: &prefix, step, rank };
        let mut fetched = Vec::new();
        let mut result;
        let mut turn;
        (play, turn) = computed(play, large, move |play| play.begin(rank, size)).await?;
        if let (Err(_), true) = (&agreed, entry.terms.kind != CollectiveKind::Broadcast) {
            side.ask_all(asked, &*play, turn.asks);
            turn.asks = Vec::new();
        }
        agreed?;
        loop {
            result = turn.result;
            for (to, part, tensor) in turn.sends {
                let key = format!("{prefix}{}", play.key(rank, to, part));
                let tensor = tensor.ok_or_else(|| err!(Internal, "a message without a value"))?;
                fetched.push(self.buffers.provide(step, key, tensor)?);
            }
            side.ask_all(asked, &*play, turn.asks);
            if result.is_some() {
                break;
            }
            let Some(answer) = side.unless_failed(asked.join_next()).await? else {
                return Err(err!(Internal, "a collective waits for nothing"));
            };
            let (from, part, tensor) = answer.map_err(|error| err!(Internal, "a collective broke off: {error}"))?;
            let tensor = tensor?;
            (play, turn) = computed(play, large, move |play| play.take(from, part, Some(tensor))).await?;
        }
        for told in fetched {
            side.unless_failed(told).await?.map_err(|_| err!(Aborted, "step {step} has failed"))?;
        }
        result.ok_or_else(|| err!(Internal, "a collective without a result"))
    }

    /// Fetches for a while what an execution that failed had asked for: a task of TensorFlow asks for nothing, and so hears of no
    /// failure, before what it has was fetched.
    fn fetch_still(self: &Arc<Self>, step: (i64, StepId), asked: JoinSet<Answer>) {
        if asked.is_empty() {
            return;
        }
        self.fetched_still.lock().entry(step).or_default().push(asked);
        let this = self.clone();
        self.network.spawn(async move {
            tokio::time::sleep(STILL).await;
            drop(this.fetched_still.lock().remove(&step));
        });
    }

    /// Gets what another member has.
    async fn ask(
        &self,
        step: i64,
        key: String,
        member: &wire::DeviceAttributes,
        own: String,
        dtype: DType,
        shape: Shape,
    ) -> Result<Tensor> {
        let task = TaskName::from(task_of(&member.name).to_owned());
        if task == *self.peers.own() {
            let tensor = self.buffers.receive(step, &key).await?;
            return tensor.into_shape(shape);
        }
        let bytes = shape.num_elements() * dtype.size();
        let request = wire::RecvBufRequest {
            step_id: step,
            buf_rendezvous_key: key,
            num_bytes: bytes as i64,
            src_device: member.name.clone(),
            dst_device: own,
            request_id: RequestId::random().0,
            src_incarnation: member.incarnation,
            ..Default::default()
        };
        let received: Bytes = self.peers.get(&task)?.grpc().receive_buffer(request).await?;
        ensure!(
            received.len() == bytes,
            Internal,
            "RecvBufResponse returned {} bytes where to_tensor expected {bytes}",
            received.len()
        );
        Tensor::from_bytes(dtype, shape, received)
    }
}

/// A member's side of an exchange.
struct Side<'a> {
    groups: &'a Arc<MixedGroups>,
    entry: &'a CollectiveEntry,
    group: &'a KnownGroup,
    /// What the keys of its buffers begin with.
    prefix: &'a str,
    step: i64,
    rank: usize,
}

impl Side<'_> {
    /// Waits for something, and now and then asks the leader whether the exchange is still on: of a member that failed before it
    /// was asked for anything nothing else is heard.
    ///
    /// # Errors
    /// What the leader knows that went wrong.
    async fn unless_failed<T>(&self, waits: impl Future<Output = T>) -> Result<T> {
        let mut waits = pin!(waits);
        loop {
            tokio::select! {
                biased;
                outcome = &mut waits => return Ok(outcome),
                () = tokio::time::sleep(LOOK_EVERY) => {}
            }
            let look = self.groups.instance(self.entry, self.group, false);
            if let Ok(Err(status)) = tokio::time::timeout(LOOK_EVERY, look).await {
                return Err(status);
            }
        }
    }

    /// Asks for what a play wants.
    fn ask_all(&self, asked: &mut JoinSet<Answer>, play: &dyn CollectivePlay, asks: Vec<(usize, u32, Shape)>) {
        for (from, part, shape) in asks {
            let Some(member) = self.group.members.get(from).cloned() else { continue };
            let key = format!("{}{}", self.prefix, play.key(from, self.rank, part));
            let (groups, step) = (self.groups.clone(), self.step);
            let (dtype, of) = (self.entry.terms.dtype, self.entry.device.clone());
            asked.spawn(async move { (from, part, groups.ask(step, key, &member, of, dtype, shape).await) });
        }
    }
}

/// Lets a play go on, elsewhere if it may compute for long.
async fn computed(
    mut play: Box<dyn CollectivePlay>,
    large: bool,
    act: impl FnOnce(&mut dyn CollectivePlay) -> Result<CollectiveTurn> + Send + 'static,
) -> Result<(Box<dyn CollectivePlay>, CollectiveTurn)> {
    let act = move || {
        let turn = guarded(format_args!("a collective"), || act(&mut *play))?;
        Ok((play, turn))
    };
    if !large {
        return act();
    }
    tokio::task::spawn_blocking(act)
        .await
        .unwrap_or_else(|error| Err(err!(Internal, "a collective broke off: {error}")))
}
