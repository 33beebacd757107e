//! Where the members of collective groups find each other, within a process and between tasks.
//!
//! Devices join a group at its leader, one task of the cluster; when as many have joined as the group has members, each
//! gets the list, and its rank in it. From then on members write to each other directly. The executions of an instance are counted
//! on every member, and those of one number meet, so that members may run in one step or each in steps of its own.
//!
//! A group is the unit of failure: when a member's execution fails or is given up, or a member is lost, whatever is under
//! way in the group ends on all members, at once and with the same reason, and the group is forgotten; whoever enters
//! next joins again. A member that nothing was under way on is told when it next enters, unless somebody merely gave up.
//!
//! A group with tasks of TensorFlow goes their way instead: when one of them comes to the leader, or the leader is one of them,
//! executions are handed over to whoever carries the letters ([`CollectivePost::exchange`]).
//!
//! What others send is bounded: groups, counted instances, members that wait, and bytes that came early.

mod endings;
mod entered;
mod forming;
mod group;
mod letter;
mod receiving;

use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use graph::op::{CollectiveDone, CollectiveEntry, CollectivePlay, CollectiveTurn, Collectives};
use parking_lot::Mutex;
use tensor::{Result, Status, Tensor, err};

use crate::Timer;
pub use entered::aborted;
use entered::{Delivery, Entered, Place};
use forming::{Leader, no_place};
use group::{Formed, Group, Phase, RoundKey};
pub use letter::{CollectiveLetter, CollectiveMessage, CollectivePost, MixedExchange};

/// So many groups are known at once.
const MAX_GROUPS: usize = 4096;
/// So many instances are counted, in all groups together.
const MAX_INSTANCES: usize = 1 << 20;
/// So many bytes may wait for executions that have not entered, in all groups together.
const MAX_EARLY: usize = 4 << 30;

/// The collectives of one task, or of one local session.
pub struct CollectiveHub {
    own: String,
    leader: String,
    post: Box<dyn CollectivePost>,
    state: Mutex<HubState>,
    next: AtomicU64,
    this: Weak<CollectiveHub>,
}

#[derive(Default)]
struct HubState {
    groups: HashMap<i32, Group>,
    /// What devices are told when they next enter a group, if they do so in the same session.
    unheard: HashMap<(i32, String), (u64, Status)>,
    lead: Leader,
    /// Groups with tasks of TensorFlow.
    mixed: HashSet<i32>,
    early: usize,
    instances: usize,
    closed: Option<Status>,
}

/// What is to be done once the state is not locked any more.
enum Action {
    Post(String, CollectiveLetter),
    Begin(Arc<Entered>, Place),
    Deliver(Arc<Entered>, Delivery),
    Finish(Arc<Entered>, Result<Tensor>),
    HandOver(Arc<Entered>),
}

/// The collectives of one session.
struct SessionCollectives {
    hub: Arc<CollectiveHub>,
    session: u64,
}

impl CollectiveHub {
    /// For the task of this name, in a cluster whose groups gather at the leader.
    pub fn new(own: &str, leader: &str, post: impl CollectivePost + 'static) -> Arc<CollectiveHub> {
        Arc::new_cyclic(|this| CollectiveHub {
            own: own.to_owned(),
            leader: leader.to_owned(),
            post: Box::new(post),
            state: Mutex::new(HubState { lead: Leader::on(own), ..HubState::default() }),
            next: AtomicU64::new(1),
            this: this.clone(),
        })
    }

    /// For devices of one process.
    pub fn local(own: &str) -> Arc<CollectiveHub> {
        CollectiveHub::new(own, own, NoPost)
    }

    /// Returns what the kernels of a session use. Its members leave their groups when it is dropped.
    pub fn session(self: &Arc<Self>) -> Arc<dyn Collectives> {
        Arc::new(SessionCollectives { hub: self.clone(), session: self.next.fetch_add(1, Ordering::Relaxed) })
    }

    fn enter(&self, session: u64, entry: CollectiveEntry, play: Box<dyn CollectivePlay>, done: CollectiveDone) {
        let ticket = self.next.fetch_add(1, Ordering::Relaxed);
        let (group, timeout, cancellation) = (entry.group_key, entry.timeout, entry.cancellation.clone());
        let entered = Arc::new(Entered::new(ticket, session, entry, play, done));
        let mut actions = VecDeque::new();
        let outcome = self.admit(&entered, &mut actions);
        self.perform(actions);
        if let Err(status) = outcome {
            return entered.finish(Err(status));
        }
        let give_up = |this: Weak<CollectiveHub>| {
            move |status: Status| {
                if let Some(hub) = this.upgrade() {
                    hub.give_up(group, ticket, status);
                }
            }
        };
        let (cancelled, late) = (give_up(self.this.clone()), give_up(self.this.clone()));
        let alarm = timeout.map(|timeout| {
            let reason = err!(DeadlineExceeded, "Collective has timed out waiting for other workers.");
            Timer::global().after(timeout, move || late(reason))
        });
        entered.guard(cancellation.on_cancel(move |status| cancelled(status.clone())), alarm);
    }

    /// Lets an execution wait for its group, or play in it.
    fn admit(&self, entered: &Arc<Entered>, actions: &mut VecDeque<Action>) -> Result<()> {
        let (key, size, device) = (entered.entry.group_key, entered.entry.group_size, &entered.entry.device);
        let mut state = self.state.lock();
        if let Some(status) = &state.closed {
            return Err(aborted(status));
        }
        if let Some((session, status)) = state.unheard.remove(&(key, device.clone()))
            && session == entered.session
        {
            return Err(aborted(&status));
        }
        if state.mixed.contains(&key) && size > 1 {
            actions.push_back(Action::HandOver(entered.clone()));
            return Ok(());
        }
        let anew = |group: &Group| group.sessions.get(device).is_some_and(|session| *session != entered.session);
        if state.groups.get(&key).is_some_and(anew) {
            let status = err!(Aborted, "{device} has begun a new session").derived();
            self.fail(&mut state, key, &status, actions);
        }
        if let Some(group) = state.groups.get(&key)
            && (group.size != size || group.formed().is_some_and(|formed| formed.rank(device).is_none()))
        {
            let status = no_place(key, size, device, group.size as usize);
            self.fail(&mut state, key, &status, actions);
            return Err(aborted(&status));
        }
        if !state.groups.contains_key(&key) {
            state.make_room()?;
            let mut group = Group::gathering(size);
            // Who is alone needs nobody's word.
            if size == 1 {
                group.sessions.insert(device.clone(), entered.session);
                group.phase = Phase::Formed(Formed::new(random(), vec![device.clone()]));
            }
            state.groups.insert(key, group);
        }
        let Some(group) = state.groups.get_mut(&key) else { return Err(err!(Internal, "a group was lost")) };
        let joins = group.sessions.insert(device.clone(), entered.session).is_none();
        match &mut group.phase {
            Phase::Gathering { waiting, .. } => {
                waiting.push(entered.clone());
                if joins {
                    let letter = CollectiveLetter::Join {
                        group: key,
                        size,
                        shrink: entered.entry.shrink,
                        device: device.clone(),
                    };
                    actions.push_back(Action::Post(self.leader.clone(), letter));
                }
                Ok(())
            }
            Phase::Formed(_) => {
                self.start(&mut state, key, entered, actions);
                Ok(())
            }
        }
    }

    /// Lets an execution play in a group that is complete.
    fn start(&self, state: &mut HubState, key: i32, entered: &Arc<Entered>, actions: &mut VecDeque<Action>) {
        let Some(Group { phase: Phase::Formed(formed), .. }) = state.groups.get_mut(&key) else { return };
        let (device, instance) = (&entered.entry.device, entered.entry.instance_key);
        let Some(rank) = formed.rank(device) else {
            let status = no_place(key, entered.entry.group_size, device, formed.members.len());
            actions.push_back(Action::Finish(entered.clone(), Err(aborted(&status))));
            return;
        };
        if !formed.entered.contains_key(&(instance, rank)) {
            if state.instances >= MAX_INSTANCES {
                let status = err!(ResourceExhausted, "{MAX_INSTANCES} instances of collectives are counted already");
                actions.push_back(Action::Finish(entered.clone(), Err(aborted(&status))));
                return self.fail(state, key, &status, actions);
            }
            state.instances += 1;
        }
        let count = formed.entered.entry((instance, rank)).or_insert(0);
        let round = RoundKey { instance, rank, round: *count };
        *count += 1;
        formed.rounds.insert(round, entered.clone());
        let place = Place { formation: formed.formation, members: formed.members.clone(), rank, round: round.round };
        if let Some(status) = formed.missing(round) {
            return self.fail(state, key, &status, actions);
        }
        let early = formed.early.remove(&round).unwrap_or_default();
        state.early -= early.iter().map(CollectiveMessage::bytes).sum::<usize>();
        actions.push_back(Action::Begin(entered.clone(), place));
        actions.extend(early.into_iter().map(|message| Action::Deliver(entered.clone(), message.into())));
    }

    /// Does what is to be done, and what follows from it.
    fn perform(&self, mut actions: VecDeque<Action>) {
        while let Some(action) = actions.pop_front() {
            match action {
                Action::Post(task, letter) if task == self.own => self.handle(&task, letter, &mut actions),
                Action::Post(task, letter) => self.post.post(&task, letter),
                Action::Begin(entered, place) => {
                    let (place, turn) = entered.begin(place);
                    self.turn(&entered, &place, turn, &mut actions);
                }
                Action::Deliver(entered, delivery) => {
                    if let Some((place, turn)) = entered.deliver(delivery) {
                        self.turn(&entered, &place, turn, &mut actions);
                    }
                }
                Action::Finish(entered, outcome) => entered.finish(outcome),
                Action::HandOver(entered) => {
                    if let Some(exchange) = entered.hand_over() {
                        self.post.exchange(exchange);
                    }
                }
            }
        }
    }

    /// Sends what a play wants sent, and notes its end.
    fn turn(
        &self,
        entered: &Arc<Entered>,
        place: &Place,
        turn: Result<CollectiveTurn>,
        actions: &mut VecDeque<Action>,
    ) {
        let (group, instance) = (entered.entry.group_key, entered.entry.instance_key);
        let turn = match turn {
            Ok(turn) => turn,
            Err(status) => {
                let mut state = self.state.lock();
                let known = state.groups.get(&group).and_then(Group::formed);
                if known.is_some_and(|formed| formed.formation == place.formation) {
                    self.fail(&mut state, group, &status, actions);
                }
                return;
            }
        };
        for (to, part, tensor) in turn.sends {
            let Some(member) = place.members.get(to) else { continue };
            let message = CollectiveMessage {
                group,
                formation: place.formation,
                instance,
                round: place.round,
                from: place.rank,
                to: to as u32,
                part,
                terms: entered.entry.terms.clone(),
                tensor,
            };
            actions.push_back(Action::Post(task_of(member).to_owned(), CollectiveLetter::Message(message)));
        }
        if let Some(result) = turn.result {
            let round = RoundKey { instance, rank: place.rank, round: place.round };
            if let Some(Group { phase: Phase::Formed(formed), .. }) = self.state.lock().groups.get_mut(&group)
                && formed.formation == place.formation
            {
                formed.rounds.remove(&round);
            }
            actions.push_back(Action::Finish(entered.clone(), Ok(result)));
        }
    }
}

impl HubState {
    /// Makes sure that there is room for one more group.
    ///
    /// # Errors
    /// `ResourceExhausted` if something is under way in all groups.
    fn make_room(&mut self) -> Result<()> {
        if self.groups.len() < MAX_GROUPS {
            return Ok(());
        }
        let idle = self.groups.iter().find(|(_, group)| group.is_idle()).map(|(key, _)| *key);
        match idle.and_then(|key| self.groups.remove(&key)) {
            Some(group) => {
                self.early -= group.early_bytes();
                self.instances -= group.instances();
                Ok(())
            }
            None => Err(err!(ResourceExhausted, "something is under way in {MAX_GROUPS} collective groups already")),
        }
    }
}

impl From<CollectiveMessage> for Delivery {
    fn from(message: CollectiveMessage) -> Delivery {
        let CollectiveMessage { from, part, terms, tensor, .. } = message;
        Delivery { from, part, terms, tensor }
    }
}

impl Collectives for SessionCollectives {
    fn enter(&self, entry: CollectiveEntry, play: Box<dyn CollectivePlay>, done: CollectiveDone) {
        self.hub.enter(self.session, entry, play, done);
    }
}

impl Drop for SessionCollectives {
    fn drop(&mut self) {
        self.hub.end_session(self.session);
    }
}

/// There are no other tasks.
struct NoPost;

impl CollectivePost for NoPost {
    fn post(&self, task: &str, _: CollectiveLetter) {
        tracing::debug!(task, "a letter to a task that is not there");
    }
}

/// Returns the task's part of a full device name.
fn task_of(device: &str) -> &str {
    device.find("/device:").map_or(device, |at| &device[..at])
}

/// Returns a number that nobody can guess.
fn random() -> u64 {
    use std::hash::{BuildHasher, Hasher};
    std::collections::hash_map::RandomState::new().build_hasher().finish()
}
