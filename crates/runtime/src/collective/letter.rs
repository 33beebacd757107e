//! What tasks write to each other about collectives.

use graph::op::{CollectiveDone, CollectiveEntry, CollectivePlay, CollectiveShrink, CollectiveTerms};
use tensor::{Status, Tensor, err};

/// A letter from one task to another. A group goes by its key; once it is complete it has a number too, that of its
/// formation, because a group that failed may form again.
#[derive(Clone, Debug)]
pub enum CollectiveLetter {
    /// To the leader: this device wants to be in a group of so many members.
    Join {
        /// The key of the group.
        group: i32,
        /// How many members it shall have.
        size: u32,
        /// When fewer will do.
        shrink: Option<CollectiveShrink>,
        /// The full name of the device.
        device: String,
    },
    /// To the leader: this device waits no longer.
    Leave {
        /// The key of the group.
        group: i32,
        /// The full name of the device.
        device: String,
    },
    /// From the leader: the group is complete.
    Formed {
        /// The key of the group.
        group: i32,
        /// The number of this formation.
        formation: u64,
        /// The full names of the devices, by rank.
        members: Vec<String>,
    },
    /// From the leader: the group cannot be formed.
    Refused {
        /// The key of the group.
        group: i32,
        /// Why.
        status: Status,
    },
    /// From the leader: tasks of TensorFlow are in the group, which therefore gathers over their calls.
    Mixed {
        /// The key of the group.
        group: i32,
    },
    /// From one member to another.
    Message(CollectiveMessage),
    /// From any member: the group has failed.
    Failed {
        /// The key of the group.
        group: i32,
        /// The number of the formation that has failed.
        formation: u64,
        /// Why.
        status: Status,
    },
    /// From a member: it takes part in nothing more than it has entered so far.
    Left {
        /// The key of the group.
        group: i32,
        /// The number of the formation.
        formation: u64,
        /// The rank of the member.
        rank: u32,
        /// How often it has entered which instance.
        entered: Vec<(i32, u64)>,
    },
}

impl CollectiveLetter {
    /// Returns about how many bytes it takes.
    pub fn bytes(&self) -> usize {
        if let CollectiveLetter::Message(message) = self { message.bytes() } else { size_of::<CollectiveLetter>() }
    }
}

/// What a play sends.
#[derive(Clone, Debug)]
pub struct CollectiveMessage {
    /// The key of the group.
    pub group: i32,
    /// The number of the formation.
    pub formation: u64,
    /// The key of the instance.
    pub instance: i32,
    /// How often the sender had executed the instance before.
    pub round: u64,
    /// The rank of the sender.
    pub from: u32,
    /// The rank of the receiver.
    pub to: u32,
    /// The number that the play gave the message.
    pub part: u32,
    /// What the sender takes the exchange to be.
    pub terms: CollectiveTerms,
    /// The value, if it has one.
    pub tensor: Option<Tensor>,
}

impl CollectiveMessage {
    /// Returns about how many bytes it takes here.
    pub(super) fn bytes(&self) -> usize {
        size_of::<CollectiveMessage>() + self.tensor.as_ref().map_or(0, Tensor::byte_size)
    }
}

/// Carries letters to other tasks.
pub trait CollectivePost: Send + Sync {
    /// Sends a letter. Should the task be out of reach, [`CollectiveHub::lost`](super::CollectiveHub::lost) is called.
    fn post(&self, task: &str, letter: CollectiveLetter);

    /// Takes over an execution in a group with tasks of TensorFlow.
    fn exchange(&self, exchange: MixedExchange) {
        let status = err!(Unimplemented, "a group with tasks of TensorFlow needs a server");
        (exchange.done)(Err(status));
    }
}

/// An execution in a group with tasks of TensorFlow.
pub struct MixedExchange {
    /// What enters.
    pub entry: CollectiveEntry,
    /// Its side of the exchange.
    pub play: Box<dyn CollectivePlay>,
    /// To be called once with the outcome.
    pub done: CollectiveDone,
}
