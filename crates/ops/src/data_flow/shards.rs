//! `ShardNext`, `ShardReady`, `ShardAdvance` and `ShardPass`: a data set whose pieces are handed out to whichever workers are
//! there, each record once an epoch. TensorFlow has no such ops.
//!
//! The pieces are rows of a variable: how far each has been trained on, and who trains on it until when. Whoever trains first
//! brings its gradients to the tasks of their variables (`ShardReady`), then moves the position of its piece from where it found
//! it (`ShardAdvance`), and only then are the gradients let through (`ShardPass`), all in one step. A position that others have
//! moved meanwhile refuses the step, so time and leases only decide who works on what, never whether a record counts twice. From
//! its `ShardReady` on, the part of a step is not given up when its worker is lost, so that all parts of it do the same.

use std::sync::OnceLock;
use std::time::{SystemTime, UNIX_EPOCH};

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

pub(crate) fn register(r: &mut Registry) {
    // The piece, the epoch, the first record and the end of the piece (-1 if that is not known); the piece is -1 if others have
    // all that is left.
    r.op("ShardNext", "state: Ref(int64), ranges: int64, worker: int64 -> given: int64")
        .attr("epochs: int = 1")
        .attr("lease_millis: int = 30000")
        .attr("seed: int = 0")
        .shape(|cx| {
            cx.set(0, PartialShape::from([4]));
            Ok(())
        })
        .any_kernel(next_kernel)
        .not_differentiable();
    // The records are: worker, piece, epoch, first record, end, and 1 if the piece has no more or 2 if it is given back.
    r.op("ShardAdvance", "state: Ref(int64), ranges: int64, records: int64 -> taken: bool")
        .attr("lease_millis: int = 30000")
        .shape(ShapeContext::scalar)
        .any_kernel(advance_kernel)
        .not_differentiable();
    r.op("ShardReady", "input: T -> output: T")
        .attr("T: list(type) >= 1")
        .stateful()
        .shape(|cx| passed_on(cx, 0))
        .any_kernel(|_| Ok(Kernel::cheap(ready)))
        .not_differentiable();
    r.op("ShardPass", "taken: bool, input: T -> output: T")
        .attr("T: list(type) >= 1")
        .stateful()
        .shape(|cx| passed_on(cx, 1))
        .any_kernel(|_| Ok(Kernel::cheap(pass)))
        .not_differentiable();
}

fn passed_on(cx: &mut ShapeContext<'_>, first: usize) -> Result<()> {
    for index in 0..cx.num_outputs() {
        cx.set(index, cx.input(first + index));
    }
    Ok(())
}

fn ready(cx: &mut OpContext<'_>) -> Result<()> {
    cx.step.cancellation.shield(&*cx.step.host)?;
    for index in 0..cx.num_inputs() {
        let value = cx.take_value(index);
        cx.set_value(index, value);
    }
    Ok(())
}

fn pass(cx: &mut OpContext<'_>) -> Result<()> {
    ensure!(
        cx.input(0)?.to_scalar::<bool>()?,
        AlreadyExists,
        "the records of this step were trained on already, or another worker has them: ask for others"
    );
    cx.step.cancellation.shield(&*cx.step.host)?;
    for index in 1..cx.num_inputs() {
        let value = cx.take_value(index);
        cx.set_value(index - 1, value);
    }
    Ok(())
}

// A session's kernels of one name are one kernel, so what differs is read from the node that runs.
fn next_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let wish = Wish {
            worker: cx.input(2)?.to_scalar()?,
            epochs: cx.node.attr_int("epochs")?,
            lease: cx.node.attr_int("lease_millis")?,
            seed: cx.node.attr_int("seed")?,
        };
        let ranges = cx.input(1)?.clone();
        let given = cx.variable(0)?.update(|state| Pieces::of(state, &ranges)?.next(&wish, now()))?;
        cx.set_output(0, Tensor::vector(&given));
        Ok(())
    }))
}

fn advance_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let records = Records::of(cx.input(2)?)?;
        let (lease, ranges) = (cx.node.attr_int("lease_millis")?, cx.input(1)?.clone());
        // From here on the step is done as a whole.
        cx.step.cancellation.shield(&*cx.step.host)?;
        let taken = cx.variable(0)?.update(|state| Pieces::of(state, &ranges)?.advance(&records, lease, now()))?;
        cx.set_output(0, taken);
        Ok(())
    }))
}

/// Numbers in a row of the state.
const ROW: usize = 4;
/// Of the first row: the epoch, and the process in which leases were given.
const EPOCH: usize = 0;
const PROCESS: usize = 1;
/// Of the row of a piece: the first record that has not been trained on, who has it (0 is nobody) until when, and whether it has
/// no more.
const POSITION: usize = 0;
const WORKER: usize = 1;
const UNTIL: usize = 2;
const ENDED: usize = 3;

/// What a worker asks for.
struct Wish {
    worker: i64,
    /// After so many there is no more; 0 is without end.
    epochs: i64,
    lease: i64,
    /// Not 0: the order of the pieces is another in every epoch.
    seed: i64,
}

/// Records that a step trains on.
struct Records {
    worker: i64,
    piece: i64,
    epoch: i64,
    begin: i64,
    end: i64,
    then: i64,
}

/// What follows these records: the piece has no more, or is another's.
const NO_MORE: i64 = 1;
const GIVEN_BACK: i64 = 2;

impl Records {
    fn of(tensor: &Tensor) -> Result<Records> {
        let &[worker, piece, epoch, begin, end, then] = tensor.as_slice::<i64>()? else {
            bail!(InvalidArgument, "records must be 6 numbers, not of shape {}", tensor.shape());
        };
        ensure!(
            begin <= end,
            InvalidArgument,
            "records {begin} to {end} of piece {piece}: the end is before the beginning"
        );
        Ok(Records { worker, piece, epoch, begin, end, then })
    }
}

/// The state of all pieces, and their ranges.
struct Pieces<'a> {
    head: &'a mut [i64],
    rows: &'a mut [i64],
    ranges: &'a [i64],
}

impl Pieces<'_> {
    fn of<'a>(state: &'a mut Tensor, ranges: &'a Tensor) -> Result<Pieces<'a>> {
        let (shape, wanted) = (state.shape().clone(), ranges.shape().clone());
        let (state, ranges) = (state.make_mut::<i64>()?, ranges.as_slice::<i64>()?);
        let pieces = ranges.len() / 2;
        ensure!(
            ranges.len() % 2 == 0 && state.len() == (pieces + 1) * ROW,
            InvalidArgument,
            "the state of pieces must be [{}, {ROW}] for ranges of shape {wanted}, but is {shape}",
            pieces + 1
        );
        let (head, rows) = state.split_at_mut(ROW);
        Ok(Pieces { head, rows, ranges })
    }

    fn next(&mut self, wish: &Wish, now: i64) -> Result<[i64; 4]> {
        ensure!(wish.worker != 0, InvalidArgument, "worker 0 is nobody");
        if self.head[PROCESS] != process() {
            // Who had something when this was written may be gone, and who is there asks again.
            self.head[PROCESS] = process();
            self.rows.chunks_exact_mut(ROW).for_each(|row| row[WORKER] = 0);
        }
        if self.open().next().is_none() {
            let next = self.head[EPOCH] + 1;
            ensure!(
                wish.epochs == 0 || next < wish.epochs,
                OutOfRange,
                "all records of {} pieces were trained on in each of {} epochs",
                self.ranges.len() / 2,
                wish.epochs
            );
            self.head[EPOCH] = next;
            for (row, range) in self.rows.chunks_exact_mut(ROW).zip(self.ranges.chunks_exact(2)) {
                row.copy_from_slice(&[range[0], 0, 0, 0]);
            }
        }
        let epoch = self.head[EPOCH];
        let free = |row: &[i64]| row[WORKER] == wish.worker || is_free(row, now, wish.lease);
        // What one has had before comes first: it may have been started anew.
        let order = |piece: usize, row: &[i64]| (row[WORKER] != wish.worker, rank(wish.seed, epoch, piece), piece);
        let best = self.open().filter(|(_, row)| free(row)).min_by_key(|(piece, row)| order(*piece, row));
        let Some((piece, _)) = best else { return Ok([-1, epoch, 0, 0]) };
        let row = &mut self.rows[piece * ROW..][..ROW];
        (row[WORKER], row[UNTIL]) = (wish.worker, now.saturating_add(wish.lease));
        Ok([piece as i64, epoch, row[POSITION], self.ranges[2 * piece + 1]])
    }

    /// The pieces of which records are left, each with its row.
    fn open(&self) -> impl Iterator<Item = (usize, &[i64])> {
        let rows = self.rows.chunks_exact(ROW).zip(self.ranges.chunks_exact(2)).enumerate();
        let open = |row: &[i64], end: i64| row[ENDED] == 0 && (end < 0 || row[POSITION] < end);
        rows.filter(move |(_, (row, range))| open(row, range[1])).map(|(piece, (row, _))| (piece, row))
    }

    fn advance(&mut self, records: &Records, lease: i64, now: i64) -> Result<bool> {
        let pieces = self.ranges.len() / 2;
        let Some(piece) = usize::try_from(records.piece).ok().filter(|piece| *piece < pieces) else {
            bail!(InvalidArgument, "there is no piece {} of {pieces}", records.piece);
        };
        let (row, end) = (&mut self.rows[piece * ROW..][..ROW], self.ranges[2 * piece + 1]);
        ensure!(
            end < 0 || records.end <= end,
            InvalidArgument,
            "piece {piece} ends at {end}, before record {}",
            records.end
        );
        let mine = row[WORKER] == records.worker || is_free(row, now, lease);
        if self.head[EPOCH] != records.epoch || row[POSITION] != records.begin || row[ENDED] != 0 || !mine {
            return Ok(false);
        }
        let worker = if records.then == GIVEN_BACK { 0 } else { records.worker };
        let ended = i64::from(records.then == NO_MORE);
        row.copy_from_slice(&[records.end, worker, now.saturating_add(lease), ended]);
        Ok(true)
    }
}

/// Whether nobody has a piece any more. A lease that is longer than any can be was given by another clock.
fn is_free(row: &[i64], now: i64, lease: i64) -> bool {
    row[WORKER] == 0 || row[UNTIL] <= now || row[UNTIL] > now.saturating_add(lease)
}

/// Where a piece comes in the order of an epoch.
fn rank(seed: i64, epoch: i64, piece: usize) -> u64 {
    if seed == 0 {
        return piece as u64;
    }
    // The finalizer of SplitMix64.
    let mut x = (seed as u64) ^ (epoch as u64).rotate_left(32) ^ (piece as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Milliseconds since 1970.
fn now() -> i64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    i64::try_from(since.as_millis()).unwrap_or(i64::MAX)
}

/// A number that tells this process from others.
fn process() -> i64 {
    static NUMBER: OnceLock<i64> = OnceLock::new();
    *NUMBER.get_or_init(|| {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        (since.as_nanos() as i64) ^ (i64::from(std::process::id()) << 40)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::{Code, Shape};

    const LEASE: i64 = 1000;

    /// Two pieces: records 0 to 10, and 10 to an end that nobody knows.
    fn pieces() -> (Tensor, Tensor) {
        let state =
            Tensor::vector(&[0i64, 0, 0, 0, 0, 0, 0, 0, 10, 0, 0, 0]).into_shape(Shape::new(&[3, 4]).unwrap()).unwrap();
        (state, Tensor::vector(&[0i64, 10, 10, -1]).into_shape(Shape::new(&[2, 2]).unwrap()).unwrap())
    }

    fn next(state: &mut Tensor, ranges: &Tensor, worker: i64, now: i64) -> Result<[i64; 4]> {
        Pieces::of(state, ranges)?.next(&Wish { worker, epochs: 2, lease: LEASE, seed: 0 }, now)
    }

    fn advance(state: &mut Tensor, ranges: &Tensor, records: [i64; 6], now: i64) -> Result<bool> {
        Pieces::of(state, ranges)?.advance(&Records::of(&Tensor::vector(&records))?, LEASE, now)
    }

    #[test]
    fn every_record_is_taken_once_whoever_is_lost() {
        let (mut state, ranges) = pieces();
        let (s, r) = (&mut state, &ranges);
        assert_eq!(next(s, r, 7, 0).unwrap(), [0, 0, 0, 10]);
        assert_eq!(next(s, r, 8, 0).unwrap(), [1, 0, 10, -1]);
        assert_eq!(next(s, r, 9, 0).unwrap(), [-1, 0, 0, 0]);
        assert!(advance(s, r, [7, 0, 0, 0, 4, 0], 10).unwrap());
        // A step that is run again, and one of somebody else.
        assert!(!advance(s, r, [7, 0, 0, 0, 4, 0], 11).unwrap());
        assert!(!advance(s, r, [9, 0, 0, 4, 8, 0], 11).unwrap());
        // Worker 7 was started anew, and is then lost: the rest goes to another.
        assert_eq!(next(s, r, 7, 20).unwrap(), [0, 0, 4, 10]);
        assert_eq!(next(s, r, 9, 20).unwrap()[0], -1);
        assert_eq!(next(s, r, 9, 20 + LEASE).unwrap(), [0, 0, 4, 10]);
        assert!(!advance(s, r, [7, 0, 0, 4, 8, 0], 20 + LEASE).unwrap());
        assert!(advance(s, r, [9, 0, 0, 4, 10, 0], 20 + LEASE).unwrap());
        assert!(advance(s, r, [8, 1, 0, 10, 11, 2], 30).unwrap());
        // Worker 8 gave its own back.
        assert_eq!(next(s, r, 9, 20 + LEASE).unwrap(), [1, 0, 11, -1]);
        assert!(advance(s, r, [9, 1, 0, 11, 12, 1], 20 + LEASE).unwrap());
        assert_eq!(next(s, r, 8, 3 * LEASE).unwrap(), [0, 1, 0, 10]);
        // A step of the epoch before.
        assert!(!advance(s, r, [8, 0, 0, 0, 4, 0], 3 * LEASE).unwrap());
        assert!(advance(s, r, [8, 0, 1, 0, 10, 0], 3 * LEASE).unwrap());
        assert!(advance(s, r, [8, 1, 1, 10, 10, 1], 3 * LEASE).unwrap());
        assert_eq!(next(s, r, 8, 3 * LEASE).unwrap_err().code(), Code::OutOfRange);
    }

    #[test]
    fn leases_of_another_process_and_of_another_clock_are_none() {
        let (mut state, ranges) = pieces();
        let (s, r) = (&mut state, &ranges);
        next(s, r, 7, 1_000_000).unwrap();
        assert_eq!(next(s, r, 8, 0).unwrap()[0], 0);
        s.make_mut::<i64>().unwrap()[PROCESS] += 1;
        assert_eq!(next(s, r, 9, 0).unwrap()[0], 0);
    }

    #[test]
    fn the_order_of_the_pieces_is_another_in_every_epoch() {
        let order = |epoch| {
            let mut pieces: Vec<usize> = (0..20).collect();
            pieces.sort_by_key(|piece| rank(3, epoch, *piece));
            pieces
        };
        assert!(order(0) != order(1) && order(0) == order(0));
        assert_eq!((rank(0, 5, 3), rank(0, 6, 3)), (3, 3));
    }

    #[test]
    fn malformed_requests_are_refused() {
        let (mut state, ranges) = pieces();
        let (s, r) = (&mut state, &ranges);
        let code = |outcome: Result<bool>| outcome.unwrap_err().code();
        assert_eq!(code(advance(s, r, [7, 2, 0, 0, 4, 0], 0)), Code::InvalidArgument);
        assert_eq!(code(advance(s, r, [7, -1, 0, 0, 4, 0], 0)), Code::InvalidArgument);
        assert_eq!(code(advance(s, r, [7, 0, 0, 4, 0, 0], 0)), Code::InvalidArgument);
        assert_eq!(code(advance(s, r, [7, 0, 0, 0, 11, 0], 0)), Code::InvalidArgument);
        assert!(Records::of(&Tensor::vector(&[1i64, 2])).is_err() && next(s, r, 0, 0).is_err());
        assert!(next(s, &Tensor::vector(&[1i64, 2, 3]), 1, 0).is_err());
        assert!(next(&mut Tensor::vector(&[1f32; 12]), r, 1, 0).is_err());
    }
}
