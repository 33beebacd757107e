//! One who trains on pieces of a data set: what it was handed out, and how far it is.

use std::time::Duration;

use runtime::{RunRequest, RunResult, RunStep, Session};
use tensor::{Code, Result, Tensor, bail, ensure};

use super::Shards;

/// So long is waited before somebody asks again, while others have all that is left.
const PAUSE: Duration = Duration::from_millis(100);

/// Records to train on.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Records, Shards};
/// let g = Graph::new();
/// let shards = Shards::files(["a.tfrecord"]).build(&g)?;
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// let records: Records = shards.worker("worker 0").next(&session, 100)?.unwrap();
/// assert_eq!((records.source.as_str(), records.begin, records.end, records.epoch), ("a.tfrecord", 0, 100, 0));
/// assert!(records.may_end); // nobody knows yet how many the file has
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Records {
    /// The number of the piece.
    pub piece: usize,
    /// Where the piece comes from.
    pub source: String,
    /// The first record.
    pub begin: i64,
    /// The one after the last.
    pub end: i64,
    /// How often all records have been trained on before.
    pub epoch: i64,
    /// Whether the piece may end before: then [`ShardWorker::end_after`] says so.
    pub may_end: bool,
}

/// What a worker is handed out.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Handed, Shards};
/// let g = Graph::new();
/// let shards = Shards::ranges(10, 10).build(&g)?;
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// let (mut one, mut other) = (shards.worker("one"), shards.worker("other"));
/// assert!(matches!(one.poll(&session, 5)?, Handed::Records(_)));
/// assert_eq!(other.poll(&session, 5)?, Handed::Nothing);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handed {
    /// These.
    Records(Records),
    /// Nothing now: others have all that is left. Some of it comes back if they are lost.
    Nothing,
    /// Nothing any more: all was trained on.
    End,
}

/// One who trains on what [`Shards`] hands out.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{ShardWorker, Shards};
/// let g = Graph::new();
/// let shards = Shards::ranges(10, 5).build(&g)?;
/// let seen = Variable::untrained("seen", g.zeros([10], DType::Float));
/// let indices = g.placeholder(DType::Int64, [None]);
/// let gated = shards.gate(&[(Some(indices.clone().into()), seen.clone())])?;
/// let gated = gated[0].0.as_ref().unwrap().to_dense();
/// let count = g.op("ScatterAdd").input(seen.handle()).input(&gated).input(g.constant(1f32)).build();
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// let mut worker: ShardWorker = shards.worker("worker 0");
/// while let Some(records) = worker.next(&session, 4)? {
///     let numbers: Vec<i64> = (records.begin..records.end).collect();
///     worker.train(&session, RunRequest::new().feed(&indices, Tensor::vector(&numbers)).target(&count))?;
/// }
/// assert_eq!(session.eval::<Vec<f32>, _>(&seen)?, [1.0; 10]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShardWorker {
    shards: Shards,
    id: i64,
    given: Option<Given>,
}

/// A piece that was handed out, and which of its records are next.
#[derive(Clone, Copy, Debug)]
struct Given {
    piece: i64,
    epoch: i64,
    position: i64,
    /// -1 if it is not known.
    end: i64,
    /// Those that were asked for end here.
    upto: i64,
    /// The piece has no more behind these.
    last: bool,
}

/// What follows the records of a step, as `ShardAdvance` is told.
const MORE: i64 = 0;
const NO_MORE: i64 = 1;
const GIVEN_BACK: i64 = 2;

impl ShardWorker {
    pub(super) fn new(shards: Shards, name: &str) -> ShardWorker {
        // FNV-1a: one name is one number, in every process. 0 is nobody.
        let hash = name
            .bytes()
            .fold(0xcbf2_9ce4_8422_2325, |hash: u64, byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3));
        ShardWorker { shards, id: (hash as i64).max(i64::MIN + 1).abs().max(1), given: None }
    }

    /// The next records, `most` of them at most, that [`train`](ShardWorker::train) is then run with; `None` if all were trained
    /// on. Waits while others have all that is left.
    ///
    /// # Errors
    /// What the session fails with. If a task was lost, the same worker asks again in a new session.
    pub fn next<S: Session + ?Sized>(&mut self, session: &S, most: i64) -> Result<Option<Records>> {
        loop {
            match self.poll(session, most)? {
                Handed::Records(records) => return Ok(Some(records)),
                Handed::End => return Ok(None),
                Handed::Nothing => std::thread::sleep(PAUSE),
            }
        }
    }

    /// As [`next`](ShardWorker::next), without waiting.
    ///
    /// # Errors
    /// As [`next`](ShardWorker::next).
    pub fn poll(&mut self, session: impl RunStep, most: i64) -> Result<Handed> {
        ensure!(most > 0, InvalidArgument, "{most} records are none to train on");
        if self.given.is_none_or(|given| given.position == given.end) {
            let nodes = &self.shards.nodes;
            let request = RunRequest::new().feed(&nodes.worker, self.id).fetch(&nodes.given);
            let given = match session.run_step(request) {
                Err(status) if status.code() == Code::OutOfRange => {
                    self.given = None;
                    return Ok(Handed::End);
                }
                outcome => outcome?.tensors.first().map(Tensor::to_i64_vec).transpose()?,
            };
            let Some(&[piece, epoch, position, end]) = given.as_deref() else {
                bail!(Internal, "'{}' hands out {given:?}", nodes.name);
            };
            self.given = (piece >= 0).then_some(Given { piece, epoch, position, end, upto: position, last: false });
        }
        let Some(given) = &mut self.given else { return Ok(Handed::Nothing) };
        given.upto = given.position.saturating_add(most);
        if given.end >= 0 {
            given.upto = given.upto.min(given.end);
        }
        let piece = usize::try_from(given.piece).unwrap_or_default();
        Ok(Handed::Records(Records {
            piece,
            source: self.shards.sources().get(piece).cloned().unwrap_or_default(),
            begin: given.position,
            end: given.upto,
            epoch: given.epoch,
            may_end: given.end < 0,
        }))
    }

    /// Says that the piece has only so many of the records that were handed out last, and no more behind them. If it has none,
    /// there is nothing to train on and [`finish`](ShardWorker::finish) follows.
    ///
    /// # Errors
    /// `FailedPrecondition` if nothing was handed out; `InvalidArgument` for more records than were.
    pub fn end_after(&mut self, records: i64) -> Result<()> {
        let Some(given) = &mut self.given else {
            bail!(FailedPrecondition, "no records were handed out that could end after {records}");
        };
        ensure!(
            (0..=given.upto - given.position).contains(&records),
            InvalidArgument,
            "records {} to {} cannot end after {records}",
            given.position,
            given.upto
        );
        (given.upto, given.last) = (given.position + records, true);
        Ok(())
    }

    /// Runs a step that trains on the records handed out last; what it changes goes through the [gate](Shards::gate). `None` if
    /// the step changed nothing because the records were trained on already or went to somebody else, as after a long pause:
    /// then others are asked for.
    ///
    /// # Errors
    /// What the step fails with. Whether the records count is then known when the next ones are asked for.
    pub fn train(&mut self, session: impl RunStep, request: RunRequest) -> Result<Option<RunResult>> {
        let Some(given) = self.given.take() else {
            bail!(FailedPrecondition, "no records were handed out to train on");
        };
        let records = self.feed(&given, if given.last { NO_MORE } else { MORE });
        match session.run_step(request.feed(&self.shards.nodes.records, records)) {
            Ok(result) => {
                self.given = (!given.last).then_some(Given { position: given.upto, ..given });
                Ok(Some(result))
            }
            Err(status) if status.code() == Code::AlreadyExists => Ok(None),
            Err(status) => Err(status),
        }
    }

    /// Counts the records handed out last as trained on without a step, such as those of a piece that turned out to have none.
    ///
    /// # Errors
    /// As [`train`](ShardWorker::train).
    pub fn finish(&mut self, session: impl RunStep) -> Result<()> {
        let request = RunRequest::new().fetch(&self.shards.nodes.advance);
        self.train(session, request).map(drop)
    }

    /// Gives back what was handed out and not trained on, so that others need not wait until it is taken for lost.
    ///
    /// # Errors
    /// What the session fails with.
    pub fn give_back(&mut self, session: impl RunStep) -> Result<()> {
        let Some(given) = self.given.take() else { return Ok(()) };
        let nothing = self.feed(&Given { upto: given.position, ..given }, GIVEN_BACK);
        let nodes = &self.shards.nodes;
        session.run_step(RunRequest::new().feed(&nodes.records, nothing).fetch(&nodes.advance)).map(drop)
    }

    fn feed(&self, given: &Given, then: i64) -> Tensor {
        Tensor::vector(&[self.id, given.piece, given.epoch, given.position, given.upto, then])
    }
}
