//! Collectives: what the kernels of several devices exchange as the members of a group.
//!
//! A kernel enters with a [`CollectivePlay`]: its side of the exchange, as a machine that takes the messages of other members
//! and returns what it sends them. Whoever fulfils [`Collectives`] finds the members, carries the messages, and ends all
//! members together when one of them fails.

use std::time::Duration;

use tensor::{DType, Result, Shape, Tensor, err};

use super::{Cancellation, StepId};

/// One execution of a collective op on one device.
#[derive(Clone, Debug)]
pub struct CollectiveEntry {
    /// The full name of the device, which is the member.
    pub device: String,
    /// The group that it belongs to.
    pub group_key: i32,
    /// How many members the group has.
    pub group_size: u32,
    /// When fewer members will do; otherwise all are waited for.
    pub shrink: Option<CollectiveShrink>,
    /// Which of the group's exchanges this is. Its executions on each member are counted, and those of one number meet.
    pub instance_key: i32,
    /// The step that it runs in, and the frame and iteration in it: tasks of TensorFlow tell executions apart by these.
    pub step: StepId,
    /// The frame and iteration of the loop that it runs in.
    pub frame: (u64, i64),
    /// What all members must agree on.
    pub terms: CollectiveTerms,
    /// How long the others may take.
    pub timeout: Option<Duration>,
    /// Ends the execution before its time.
    pub cancellation: Cancellation,
}

/// When a group does with fewer members than it may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CollectiveShrink {
    /// So many there must be.
    pub at_least: u32,
    /// So long those who are there wait for the others.
    pub after: Duration,
}

/// What all members of an exchange must agree on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CollectiveTerms {
    /// What is done.
    pub kind: CollectiveKind,
    /// The type of the elements.
    pub dtype: DType,
    /// The shape of what comes out.
    pub shape: Shape,
}

/// What an exchange does, with TensorFlow's number for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CollectiveKind {
    /// Every member gets the sum, product, least or greatest of what all bring.
    Reduce = 0,
    /// Every member gets what one brings.
    Broadcast = 1,
    /// Every member gets what all bring, one after the other.
    Gather = 2,
    /// Every member gets one slice of what each of the others brings.
    AllToAll = 4,
    /// Every member gets its share of the sum, product, least or greatest of what all bring.
    ReduceScatter = 5,
}

impl CollectiveKind {
    /// Returns the kind of this number.
    pub fn from_number(number: i32) -> Option<CollectiveKind> {
        use CollectiveKind::{AllToAll, Broadcast, Gather, Reduce, ReduceScatter};
        [Reduce, Broadcast, Gather, AllToAll, ReduceScatter].into_iter().find(|kind| *kind as i32 == number)
    }
}

/// A member's side of an exchange. Messages of different members, and those of one, come in any order.
pub trait CollectivePlay: Send {
    /// All members are known, and this one is number `rank` of `size`.
    ///
    /// # Errors
    /// What makes the exchange fail, for all members.
    fn begin(&mut self, rank: usize, size: usize) -> Result<CollectiveTurn>;

    /// Takes the message that another member sent under the number `part`.
    ///
    /// # Errors
    /// What makes the exchange fail, for all members.
    fn take(&mut self, from: usize, part: u32, tensor: Option<Tensor>) -> Result<CollectiveTurn>;

    /// Whether this member is the one from which the others get their value.
    fn is_source(&self) -> bool {
        false
    }

    /// The same side of the exchange in a group with tasks of TensorFlow: a play whose messages are those that these
    /// know. It asks for what it gets, see [`CollectiveTurn::asks`].
    ///
    /// # Errors
    /// `Unimplemented` for an exchange that TensorFlow's tasks do not know.
    fn mixed(&self, group: &CollectiveGroup) -> Result<Box<dyn CollectivePlay>> {
        let size = group.tasks.len();
        Err(err!(Unimplemented, "this exchange in a group of {size} members with tasks of TensorFlow among them"))
    }

    /// The end of the key under which TensorFlow's tasks know a message of a [mixed](Self::mixed) play.
    fn key(&self, from: usize, to: usize, part: u32) -> String {
        format!(":{from}:{to}:{part}")
    }
}

/// A group with tasks of TensorFlow, by rank.
pub struct CollectiveGroup {
    /// The task of each member; those of one task follow each other.
    pub tasks: Vec<String>,
    /// The rank of this member.
    pub rank: usize,
    /// The rank of the member that a broadcast comes from.
    pub source: usize,
}

/// What a member does next.
#[derive(Default)]
pub struct CollectiveTurn {
    /// Messages for other members, by rank, with numbers by which these know them.
    pub sends: Vec<(usize, u32, Option<Tensor>)>,
    /// In a [mixed](CollectivePlay::mixed) play: messages that other members have or will have, by rank and number, with
    /// the shape of what they carry. Others come unasked.
    pub asks: Vec<(usize, u32, Shape)>,
    /// What comes out; with it the exchange is over for this member.
    pub result: Option<Tensor>,
}

/// Called once with what came out of an exchange.
pub type CollectiveDone = Box<dyn FnOnce(Result<Tensor>) + Send>;

/// Where the members of groups find each other.
pub trait Collectives: Send + Sync {
    /// Enters an exchange. `done` is called once, now or later: with the result of the play, or with the reason why there is
    /// none, which the other members get too.
    fn enter(&self, entry: CollectiveEntry, play: Box<dyn CollectivePlay>, done: CollectiveDone);
}
