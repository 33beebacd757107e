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
//! What others send is bounded: groups, counted instances, members that wait, and bytes that came early.

mod entered;
mod forming;
mod group;
mod letter;

use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

use graph::op::{CollectiveDone, CollectiveEntry, CollectivePlay, CollectiveTurn, Collectives};
use parking_lot::Mutex;
use tensor::{Result, Status, Tensor, err};

use crate::Timer;
use entered::{Delivery, Entered, Place, aborted};
use forming::{Leader, failed, no_place, tasks};
use group::{Formed, Group, Phase, RoundKey};
pub use letter::{CollectiveLetter, CollectiveMessage, CollectivePost};

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
            state: Mutex::default(),
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

    /// Takes a letter of another task.
    pub fn receive(&self, from: &str, letter: CollectiveLetter) {
        let mut actions = VecDeque::new();
        self.handle(from, letter, &mut actions);
        self.perform(actions);
    }

    /// Fails the groups of a task that was lost. It is told as well: it may be back already, and in a new group.
    pub fn lost(&self, task: &str, status: &Status) {
        let mut actions = VecDeque::new();
        {
            let mut state = self.state.lock();
            if state.closed.is_some() {
                return;
            }
            actions.extend(state.lead.lost(task, status).into_iter().map(|(to, letter)| Action::Post(to, letter)));
            let concerned: Vec<i32> = {
                let concerns = |group: &Group| match &group.phase {
                    Phase::Gathering { .. } => self.leader == task,
                    Phase::Formed(formed) => formed.members.iter().any(|member| task_of(member) == task),
                };
                state.groups.iter().filter(|(_, group)| concerns(group)).map(|(key, _)| *key).collect()
            };
            for group in concerned {
                self.fail(&mut state, group, status, &mut actions);
            }
        }
        self.perform(actions);
    }

    /// Leaves all groups, because the task ends; whoever enters from now on is refused.
    pub fn close(&self) {
        let mut actions = VecDeque::new();
        {
            let mut state = self.state.lock();
            let status = err!(Unavailable, "{} stops", self.own);
            let letters = state.lead.lost(&self.own, &status);
            actions.extend(letters.into_iter().map(|(to, letter)| Action::Post(to, letter)));
            let groups: Vec<i32> = state.groups.keys().copied().collect();
            for group in groups {
                self.fail(&mut state, group, &status, &mut actions);
            }
            state.closed = Some(status);
        }
        self.perform(actions);
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
                    let letter = CollectiveLetter::Join { group: key, size, device: device.clone() };
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

    /// Ends whatever is under way in a group, on all members, and forgets it.
    fn fail(&self, state: &mut HubState, key: i32, cause: &Status, actions: &mut VecDeque<Action>) {
        let Some(group) = state.groups.remove(&key) else { return };
        state.early -= group.early_bytes();
        state.instances -= group.instances();
        let under_way = group.under_way();
        match &group.phase {
            Phase::Gathering { .. } => {
                for device in group.sessions.keys() {
                    let letter = CollectiveLetter::Leave { group: key, device: device.clone() };
                    actions.push_back(Action::Post(self.leader.clone(), letter));
                }
            }
            Phase::Formed(formed) => {
                let mut letters = failed(key, formed.formation, &formed.members, cause);
                if !letters.iter().any(|(task, _)| *task == self.leader) {
                    let (formation, status) = (formed.formation, cause.clone());
                    letters.push((self.leader.clone(), CollectiveLetter::Failed { group: key, formation, status }));
                }
                actions.extend(letters.into_iter().map(|(task, letter)| Action::Post(task, letter)));
            }
        }
        if !cause.is_derived() && state.unheard.len() < MAX_GROUPS {
            for (device, session) in group.sessions {
                if !under_way.iter().any(|entered| entered.entry.device == device) {
                    state.unheard.insert((key, device), (session, cause.clone()));
                }
            }
        }
        let status = aborted(cause);
        actions.extend(under_way.into_iter().map(|entered| Action::Finish(entered, Err(status.clone()))));
    }

    /// Ends one execution, because its step was cancelled or its time has passed, and with it the group.
    fn give_up(&self, key: i32, ticket: u64, status: Status) {
        let mut actions = VecDeque::new();
        {
            let mut state = self.state.lock();
            let Some(group) = state.groups.get_mut(&key) else { return };
            let found = group.under_way().into_iter().find(|entered| entered.ticket == ticket);
            let Some(entered) = found else { return };
            actions.push_back(Action::Finish(entered.clone(), Err(status.clone())));
            let device = &entered.entry.device;
            match &mut group.phase {
                Phase::Gathering { waiting, .. } => {
                    waiting.retain(|other| other.ticket != ticket);
                    if !waiting.iter().any(|other| other.entry.device == *device) {
                        group.sessions.remove(device);
                        let letter = CollectiveLetter::Leave { group: key, device: device.clone() };
                        actions.push_back(Action::Post(self.leader.clone(), letter));
                    }
                    if group.is_idle() {
                        let bytes = group.early_bytes();
                        state.groups.remove(&key);
                        state.early -= bytes;
                    }
                }
                Phase::Formed(_) => {
                    let cause = match status.code() {
                        tensor::Code::DeadlineExceeded => status,
                        _ => err!(Aborted, "{device} has given up: {}", status.message()),
                    };
                    self.fail(&mut state, key, &cause.derived(), &mut actions);
                }
            }
        }
        self.perform(actions);
    }

    /// The devices of a session take part in nothing more.
    fn end_session(&self, session: u64) {
        let mut actions = VecDeque::new();
        {
            let mut state = self.state.lock();
            state.unheard.retain(|_, (of, _)| *of != session);
            let of_session = |group: &Group| group.sessions.values().any(|of| *of == session);
            let keys: Vec<i32> =
                state.groups.iter().filter(|(_, group)| of_session(group)).map(|(key, _)| *key).collect();
            for key in keys {
                self.leave(&mut state, key, session, &mut actions);
            }
        }
        self.perform(actions);
    }

    fn leave(&self, state: &mut HubState, key: i32, session: u64, actions: &mut VecDeque<Action>) {
        let Some(group) = state.groups.get_mut(&key) else { return };
        let devices: Vec<String> =
            group.sessions.iter().filter(|(_, of)| **of == session).map(|(device, _)| device.clone()).collect();
        group.sessions.retain(|_, of| *of != session);
        let Some(formed) = group.formed() else {
            // What waited has been given up with its step.
            if group.is_idle() {
                let bytes = group.early_bytes();
                state.groups.remove(&key);
                state.early -= bytes;
            }
            return;
        };
        let mut to = tasks(&formed.members);
        to.push(self.leader.clone());
        to.sort();
        to.dedup();
        for device in devices {
            let Some(rank) = formed.rank(&device) else { continue };
            let entered: Vec<(i32, u64)> = formed
                .entered
                .iter()
                .filter(|((_, of), _)| *of == rank)
                .map(|((instance, _), count)| (*instance, *count))
                .collect();
            for task in &to {
                let (formation, entered) = (formed.formation, entered.clone());
                let letter = CollectiveLetter::Left { group: key, formation, rank, entered };
                actions.push_back(Action::Post(task.clone(), letter));
            }
        }
        if group.sessions.is_empty() {
            let (bytes, instances) = (group.early_bytes(), group.instances());
            state.groups.remove(&key);
            state.early -= bytes;
            state.instances -= instances;
        }
    }

    fn handle(&self, from: &str, letter: CollectiveLetter, actions: &mut VecDeque<Action>) {
        let mut state = self.state.lock();
        if state.closed.is_some() {
            return;
        }
        match letter {
            CollectiveLetter::Join { group, size, device } if task_of(&device) == from => {
                let letters = state.lead.join(group, size, device, random);
                actions.extend(letters.into_iter().map(|(task, letter)| Action::Post(task, letter)));
            }
            CollectiveLetter::Leave { group, device } if task_of(&device) == from => state.lead.leave(group, &device),
            CollectiveLetter::Join { .. } | CollectiveLetter::Leave { .. } => {}
            CollectiveLetter::Formed { group, formation, members } if from == self.leader => {
                self.formed(&mut state, group, formation, members, actions);
            }
            CollectiveLetter::Refused { group, status } if from == self.leader => {
                if state.groups.get(&group).is_some_and(|group| group.formed().is_none()) {
                    self.fail(&mut state, group, &status, actions);
                }
            }
            CollectiveLetter::Formed { .. } | CollectiveLetter::Refused { .. } => {}
            CollectiveLetter::Message(message) => self.message(&mut state, from, message, actions),
            CollectiveLetter::Failed { group, formation, status } => {
                state.lead.forget(group, formation);
                let known = state.groups.get(&group).and_then(Group::formed);
                if known.is_some_and(|formed| formed.formation == formation) {
                    let mut told = VecDeque::new();
                    self.fail(&mut state, group, &status, &mut told);
                    // Whoever says so has told the others.
                    actions.extend(told.into_iter().filter(|action| !matches!(action, Action::Post(..))));
                }
            }
            CollectiveLetter::Left { group, formation, rank, entered } => {
                state.lead.forget(group, formation);
                let Some(Group { phase: Phase::Formed(formed), .. }) = state.groups.get_mut(&group) else { return };
                if formed.formation == formation && formed.is_on(rank, from) {
                    formed.leave(rank, entered);
                    let missing = formed.rounds.keys().find_map(|round| formed.missing(*round));
                    if let Some(status) = missing {
                        self.fail(&mut state, group, &status, actions);
                    }
                }
            }
        }
    }

    /// A group is complete: what waited for it plays.
    fn formed(
        &self,
        state: &mut HubState,
        key: i32,
        formation: u64,
        members: Vec<String>,
        actions: &mut VecDeque<Action>,
    ) {
        let gathering = state.groups.get_mut(&key).filter(|group| group.formed().is_none());
        let Some(group) = gathering else {
            // Whoever waited here has given up meanwhile, and the others must not wait for it.
            let status = err!(Aborted, "a member of {} has given up", self.own).derived();
            let letters = failed(key, formation, &members, &status);
            return actions.extend(letters.into_iter().map(|(task, letter)| Action::Post(task, letter)));
        };
        let formed = Phase::Formed(Formed::new(formation, members));
        let Phase::Gathering { waiting, early } = std::mem::replace(&mut group.phase, formed) else { return };
        state.early -= early.iter().map(|(_, message)| message.bytes()).sum::<usize>();
        for entered in waiting {
            self.start(state, key, &entered, actions);
        }
        for (from, message) in early.into_iter().filter(|(_, message)| message.formation == formation) {
            self.message(state, &from, message, actions);
        }
    }

    /// Takes what another member sends.
    fn message(&self, state: &mut HubState, from: &str, message: CollectiveMessage, actions: &mut VecDeque<Action>) {
        let (key, formation, bytes) = (message.group, message.formation, message.bytes());
        let full = state.early + bytes > MAX_EARLY;
        let unknown = match state.groups.get_mut(&key) {
            None => true,
            Some(Group { phase: Phase::Gathering { early, .. }, .. }) => {
                if !full {
                    early.push((from.to_owned(), message));
                    state.early += bytes;
                    return;
                }
                false
            }
            Some(Group { phase: Phase::Formed(formed), .. }) if formed.formation == formation => {
                if !formed.is_on(message.from, from) || !formed.is_on(message.to, &self.own) {
                    return;
                }
                let round = RoundKey { instance: message.instance, rank: message.to, round: message.round };
                if let Some(entered) = formed.rounds.get(&round) {
                    return actions.push_back(Action::Deliver(entered.clone(), message.into()));
                }
                // What comes for a round that is over here is of no use any more.
                if formed.entered.get(&(round.instance, round.rank)).is_some_and(|entered| round.round < *entered) {
                    return;
                }
                if !full {
                    formed.early.entry(round).or_default().push(message);
                    state.early += bytes;
                    return;
                }
                false
            }
            Some(_) => true,
        };
        if unknown {
            let status = err!(Aborted, "{} is not in the group (any more)", self.own).derived();
            let letter = CollectiveLetter::Failed { group: key, formation, status };
            return actions.push_back(Action::Post(from.to_owned(), letter));
        }
        let status = err!(ResourceExhausted, "more than {MAX_EARLY} bytes came before they were needed");
        self.fail(state, key, &status, actions);
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
