//! One execution of a collective op that has entered and not ended.

use std::sync::Arc;

use graph::op::{
    CollectiveDone, CollectiveEntry, CollectivePlay, CollectiveTerms, CollectiveTurn, Registration, guarded,
};
use parking_lot::Mutex;
use tensor::{Result, Status, Tensor, err};

use super::letter::MixedExchange;
use crate::timer::Alarm;

/// An execution, which waits for its group and then plays.
pub(super) struct Entered {
    /// Tells executions apart.
    pub ticket: u64,
    pub session: u64,
    pub entry: CollectiveEntry,
    playing: Mutex<Playing>,
    /// What may end it before its time; dropped with its end.
    guards: Mutex<Guards>,
}

struct Playing {
    play: Box<dyn CollectivePlay>,
    done: Option<CollectiveDone>,
    place: Option<Place>,
    /// What came before the play began.
    queued: Vec<Delivery>,
}

#[derive(Default)]
struct Guards {
    over: bool,
    registration: Option<Registration>,
    alarm: Option<Alarm>,
}

/// Where in a formed group, and in which of its rounds, an execution plays.
#[derive(Clone)]
pub(super) struct Place {
    pub formation: u64,
    pub members: Arc<[String]>,
    pub rank: u32,
    pub round: u64,
}

/// A message for an execution.
pub(super) struct Delivery {
    pub from: u32,
    pub part: u32,
    pub terms: CollectiveTerms,
    pub tensor: Option<Tensor>,
}

impl Entered {
    pub fn new(
        ticket: u64,
        session: u64,
        entry: CollectiveEntry,
        play: Box<dyn CollectivePlay>,
        done: CollectiveDone,
    ) -> Entered {
        let playing = Playing { play, done: Some(done), place: None, queued: Vec::new() };
        Entered { ticket, session, entry, playing: Mutex::new(playing), guards: Mutex::default() }
    }

    /// Keeps what may end it for as long as it has not ended.
    pub fn guard(&self, registration: Registration, alarm: Option<Alarm>) {
        let mut guards = self.guards.lock();
        if !guards.over {
            (guards.registration, guards.alarm) = (Some(registration), alarm);
            return;
        }
        drop(guards);
        drop((registration, alarm));
    }

    /// Begins to play at a place; what came before is taken too.
    pub fn begin(&self, place: Place) -> (Place, Result<CollectiveTurn>) {
        let mut playing = self.playing.lock();
        playing.place = Some(place.clone());
        let queued = std::mem::take(&mut playing.queued);
        let (rank, size) = (place.rank as usize, place.members.len());
        let mut turn = guarded(format_args!("a collective"), || playing.play.begin(rank, size));
        for delivery in queued {
            turn = turn.and_then(|mut turn| {
                let next = self.take(&mut playing, delivery)?;
                turn.sends.extend(next.sends);
                turn.result = turn.result.or(next.result);
                Ok(turn)
            });
        }
        (place, turn)
    }

    /// Takes a message; `None` if the play has not begun.
    pub fn deliver(&self, delivery: Delivery) -> Option<(Place, Result<CollectiveTurn>)> {
        let mut playing = self.playing.lock();
        match playing.place.clone() {
            Some(place) => {
                let turn = self.take(&mut playing, delivery);
                Some((place, turn))
            }
            None => {
                playing.queued.push(delivery);
                None
            }
        }
    }

    fn take(&self, playing: &mut Playing, delivery: Delivery) -> Result<CollectiveTurn> {
        if playing.done.is_none() {
            return Ok(CollectiveTurn::default());
        }
        let Delivery { from, part, terms, tensor } = delivery;
        self.check(&terms)?;
        guarded(format_args!("a collective"), || playing.play.take(from as usize, part, tensor))
    }

    /// Members must agree on what they do.
    fn check(&self, theirs: &CollectiveTerms) -> Result<()> {
        let (own, instance) = (&self.entry.terms, self.entry.instance_key);
        if (own.kind, own.dtype) != (theirs.kind, theirs.dtype) {
            return Err(err!(
                Internal,
                "Collective instance {instance} expected type {} and data_type {} but got type {} and data_type {}",
                own.kind as i32,
                own.dtype.number(),
                theirs.kind as i32,
                theirs.dtype.number()
            ));
        }
        if own.shape != theirs.shape {
            return Err(err!(
                InvalidArgument,
                "Shape mismatch in the collective instance {instance}. Op at device {} expected shape {} but another member in \
                 the group expected shape {}. This is likely due to different input shapes at different members of the collective op.",
                self.entry.device,
                own.shape,
                theirs.shape
            ));
        }
        Ok(())
    }

    /// Ends it here, to go on among tasks of TensorFlow; `None` if it has ended.
    pub fn hand_over(&self) -> Option<MixedExchange> {
        let (play, done) = {
            let mut playing = self.playing.lock();
            let done = playing.done.take()?;
            (std::mem::replace(&mut playing.play, Box::new(HandedOver)), done)
        };
        self.release();
        Some(MixedExchange { entry: self.entry.clone(), play, done })
    }

    /// Lets go of what may end it.
    fn release(&self) {
        let guards = {
            let mut guards = self.guards.lock();
            guards.over = true;
            (guards.registration.take(), guards.alarm.take())
        };
        drop(guards);
    }

    /// Ends it; only the first call has an effect.
    pub fn finish(&self, outcome: Result<Tensor>) {
        let done = self.playing.lock().done.take();
        self.release();
        if let Some(done) = done {
            graph::op::shielded(|| done(outcome));
        }
    }
}

/// Stands where a play was.
struct HandedOver;

impl CollectivePlay for HandedOver {
    fn begin(&mut self, _: usize, _: usize) -> Result<CollectiveTurn> {
        Ok(CollectiveTurn::default())
    }

    fn take(&mut self, _: usize, _: u32, _: Option<Tensor>) -> Result<CollectiveTurn> {
        Ok(CollectiveTurn::default())
    }
}

/// The status that all members of a failed group get.
pub fn aborted(cause: &Status) -> Status {
    const PHRASE: &str = "Collective ops is aborted by: ";
    if cause.message().starts_with(PHRASE) {
        return cause.clone();
    }
    let status = Status::new(cause.code(), format!("{PHRASE}{}", cause.message()));
    if cause.is_derived() { status.derived() } else { status }
}
