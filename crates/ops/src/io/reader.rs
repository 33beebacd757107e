//! The reader behind the reader ops: records of one file after the other, whose names come from a queue.
//!
//! Reads of one reader take turns, in the order they came. Waiting for a turn or for the name of the next file holds no
//! thread; only opening and reading files does, one of those that may block.

use std::collections::VecDeque;
use std::sync::Arc;

use bytes::Bytes;
use graph::op::{Cancellation, Files, Outputs, Resource, Spawn, Value};
use parking_lot::Mutex;
use smallvec::smallvec;
use tensor::{DType, Result, Status, Tensor, bail, ensure, err};

use crate::data_flow::{Queue, Tuple, Want};
use crate::pending::Pending;

/// Opens what a name from the queue stands for.
pub(crate) type Open = Box<dyn Fn(&dyn Files, &Bytes) -> Result<Box<dyn Unit>> + Send + Sync>;

/// A file, or whatever a name stands for, being read.
pub(crate) trait Unit: Send {
    /// The next record; `None` at the end.
    ///
    /// # Errors
    /// `DataLoss` if the file is damaged, and whatever the operating system says.
    fn next(&mut self) -> Result<Option<Record>>;

    /// Whether records may be read before they are asked for.
    fn reads_ahead(&self) -> bool {
        false
    }
}

/// How many records are read ahead at most, and how many bytes of them. Whoever asks for one of them needs no thread that
/// may block.
const AHEAD: usize = 64;
const AHEAD_BYTES: usize = 256 << 10;

pub(crate) struct Record {
    pub(crate) key: Bytes,
    pub(crate) value: Bytes,
    /// Whether it is known to be the unit's last.
    pub(crate) last: bool,
}

/// How much a read wants.
#[derive(Clone, Copy)]
pub(crate) enum Amount {
    One,
    /// So many, or what one file still has.
    UpTo(usize),
}

/// A read that is under way.
pub(crate) struct Request {
    pub(crate) amount: Amount,
    pub(crate) queue: Arc<Queue>,
    pub(crate) cancellation: Cancellation,
    pub(crate) blocking: Arc<dyn Spawn>,
    pub(crate) files: Arc<dyn Files>,
    pub(crate) pending: Pending,
}

pub(crate) struct Reader {
    pub(crate) kind: &'static str,
    open: Open,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Whether a read has its turn.
    busy: bool,
    waiting: VecDeque<Request>,
    unit: Option<Box<dyn Unit>>,
    /// What was read of the unit before it was asked for; `None` stands for its end.
    ahead: VecDeque<Result<Option<Record>>>,
    /// What went wrong in the unit; it stays so.
    broken: Option<Status>,
    /// Counts resets, so that a read notices one that happened meanwhile.
    resets: u64,
    produced: i64,
    completed: i64,
    /// The name that was taken last.
    work: Bytes,
}

impl Reader {
    pub(crate) fn new(kind: &'static str, open: Open) -> Reader {
        Reader { kind, open, state: Mutex::default() }
    }

    pub(crate) fn produced(&self) -> i64 {
        self.state.lock().produced
    }

    pub(crate) fn completed(&self) -> i64 {
        self.state.lock().completed
    }

    /// Back to the beginning: nothing open, nothing counted.
    pub(crate) fn reset(&self) {
        let mut state = self.state.lock();
        let (unit, ahead) = (state.unit.take(), std::mem::take(&mut state.ahead));
        (state.broken, state.produced, state.completed, state.work) = (None, 0, 0, Bytes::new());
        state.resets += 1;
        drop(state);
        drop((unit, ahead));
    }

    /// Whether a reader of this kind can tell where it is: only those that read a name's record at once.
    fn tells_position(&self) -> bool {
        matches!(self.kind, "IdentityReader" | "WholeFileReader")
    }

    /// Where it is, to be continued from later.
    ///
    /// # Errors
    /// `Unimplemented` for a reader that stays within a file, as in TensorFlow.
    pub(crate) fn position(&self) -> Result<wire::ReaderBaseState> {
        ensure!(self.tells_position(), Unimplemented, "Reader SerializeState");
        let state = self.state.lock();
        Ok(wire::ReaderBaseState {
            work_started: state.completed + i64::from(state.unit.is_some()),
            work_finished: state.completed,
            num_records_produced: state.produced,
            current_work: state.work.clone(),
        })
    }

    /// Continues where a state says.
    ///
    /// # Errors
    /// `InvalidArgument` for a state that cannot be; `Unimplemented` as [`position`](Reader::position).
    pub(crate) fn go_to(&self, to: wire::ReaderBaseState) -> Result<()> {
        ensure!(self.tells_position(), Unimplemented, "Reader RestoreState");
        ensure!(
            to.work_started >= 0 && to.work_finished >= 0 && to.num_records_produced >= 0,
            InvalidArgument,
            "Unexpected negative value when restoring in {}: {to:?}",
            self.kind
        );
        ensure!(
            to.work_started <= to.work_finished,
            InvalidArgument,
            "Inconsistent work started vs. finished when restoring in {}: {to:?}",
            self.kind
        );
        self.reset();
        let mut state = self.state.lock();
        (state.produced, state.completed, state.work) = (to.num_records_produced, to.work_finished, to.current_work);
        Ok(())
    }

    /// Reads records; the request's kernel ends with them.
    pub(crate) fn read(self: &Arc<Reader>, request: Request) {
        let pending = request.pending.clone();
        let config = request.queue.config();
        if config.types != [DType::String] {
            return pending.finish(Err(err!(InvalidArgument, "Expected queue with single string component")));
        }
        let cancellation = request.cancellation.clone();
        // Also while a thread waits for a file that does not come.
        let end_when_cancelled = || {
            let cancelled = pending.clone();
            pending.keep(cancellation.on_cancel(move |_| {
                cancelled.finish(Err(err!(Cancelled, "Dequeue operation was cancelled")));
            }));
        };
        let mut state = self.state.lock();
        if state.busy {
            state.waiting.push_back(request);
            drop(state);
            end_when_cancelled();
        } else if let Some((keys, values)) = state.take_ahead(request.amount) {
            drop(state);
            pending.finish(outputs(request.amount, keys, values));
        } else {
            state.busy = true;
            drop(state);
            self.begin(request);
            end_when_cancelled();
        }
    }

    /// Gives a request its turn on a thread that may block.
    fn begin(self: &Arc<Reader>, request: Request) {
        let reader = self.clone();
        let blocking = request.blocking.clone();
        blocking.spawn(Box::new(move || reader.work(request, None)));
    }

    /// Reads some records more while it is this read's turn.
    fn read_ahead(&self) {
        let (mut unit, resets, mut have) = {
            let mut state = self.state.lock();
            let ahead = &state.ahead;
            let over = state.broken.is_some() || ahead.iter().any(|record| !matches!(record, Ok(Some(_))));
            match state.unit.take_if(|unit| !over && unit.reads_ahead()) {
                Some(unit) => (unit, state.resets, state.ahead.len()),
                None => return,
            }
        };
        let (mut records, mut bytes, mut goes_on) = (Vec::new(), 0, true);
        while goes_on && have < AHEAD && bytes < AHEAD_BYTES {
            let record = unit.next();
            goes_on = matches!(record, Ok(Some(_)));
            bytes += record.as_ref().ok().and_then(Option::as_ref).map_or(0, |record| record.value.len());
            records.push(record);
            have += 1;
        }
        let mut state = self.state.lock();
        if state.resets == resets {
            state.ahead.extend(records);
            state.unit = Some(unit);
        }
    }

    /// Gives the turn to whoever waits next.
    fn pass_on(self: &Arc<Reader>) {
        loop {
            let mut state = self.state.lock();
            match state.waiting.pop_front() {
                // Cancelled while it waited.
                Some(next) if next.pending.is_over() => continue,
                Some(next) => {
                    if let Some((keys, values)) = state.take_ahead(next.amount) {
                        drop(state);
                        next.pending.finish(outputs(next.amount, keys, values));
                        continue;
                    }
                    drop(state);
                    return self.begin(next);
                }
                None => {
                    state.busy = false;
                    return;
                }
            }
        }
    }

    /// Reads on until the request has what it wants, or a new name is needed.
    fn work(self: &Arc<Reader>, request: Request, name: Option<Bytes>) {
        match self.try_work(&request, name) {
            Ok(Some(outputs)) => {
                request.pending.finish(Ok(outputs));
                self.read_ahead();
                self.pass_on();
            }
            Ok(None) => self.ask_for_name(request),
            Err(status) => {
                self.pass_on();
                request.pending.finish(Err(status));
            }
        }
    }

    fn ask_for_name(self: &Arc<Reader>, request: Request) {
        let (reader, queue, cancellation) = (self.clone(), request.queue.clone(), request.cancellation.clone());
        let named = Box::new(move |taken: Result<Vec<Tuple>>| match taken.and_then(name_in) {
            Ok(name) => {
                let blocking = request.blocking.clone();
                blocking.spawn(Box::new(move || reader.work(request, Some(name))));
            }
            Err(status) => {
                reader.pass_on();
                request.pending.finish(Err(status));
            }
        });
        queue.dequeue(Want::One, &cancellation, named);
    }

    /// The records, or `None` if the next name is needed for them.
    fn try_work(&self, request: &Request, name: Option<Bytes>) -> Result<Option<Outputs>> {
        let (mut unit, mut ahead, resets) = {
            let mut state = self.state.lock();
            if let Some(status) = &state.broken {
                return Err(status.clone());
            }
            (state.unit.take(), std::mem::take(&mut state.ahead), state.resets)
        };
        if let Some(name) = name {
            self.state.lock().work = name.clone();
            unit = Some((self.open)(&*request.files, &name)?);
        }
        let Some(mut unit) = unit else { return Ok(None) };
        let wanted = match request.amount {
            Amount::One => 1,
            Amount::UpTo(count) => count,
        };
        let (mut keys, mut values, mut over, mut broken) = (Vec::new(), Vec::new(), false, None);
        while keys.len() < wanted && !over {
            match ahead.pop_front().unwrap_or_else(|| unit.next()) {
                Ok(Some(record)) => {
                    keys.push(record.key);
                    values.push(record.value);
                    over = record.last;
                }
                Ok(None) => over = true,
                Err(status) => {
                    broken = Some(status);
                    break;
                }
            }
        }
        let mut state = self.state.lock();
        if state.resets == resets {
            state.produced += keys.len() as i64;
            state.completed += over as i64;
            state.broken = broken.clone();
            state.unit = (!over).then_some(unit);
            state.ahead = ahead;
        }
        drop(state);
        if let (Some(status), true) = (broken, keys.is_empty()) {
            return Err(status);
        }
        if keys.is_empty() && wanted > 0 {
            return Ok(None);
        }
        Ok(Some(outputs(request.amount, keys, values)?))
    }
}

impl State {
    /// Keys and values of as many records as are wanted, if all of them have been read.
    fn take_ahead(&mut self, amount: Amount) -> Option<(Vec<Bytes>, Vec<Bytes>)> {
        let wanted = match amount {
            Amount::One => 1,
            Amount::UpTo(count) => count,
        };
        let there = self.ahead.iter().take(wanted).take_while(|record| matches!(record, Ok(Some(_)))).count();
        if there < wanted || wanted == 0 {
            return None;
        }
        let records = self.ahead.drain(..wanted).filter_map(|record| record.ok().flatten());
        self.produced += wanted as i64;
        Some(records.map(|record| (record.key, record.value)).unzip())
    }
}

impl Resource for Reader {
    fn kind(&self) -> &'static str {
        self.kind
    }
}

fn name_in(taken: Vec<Tuple>) -> Result<Bytes> {
    match taken.first().and_then(|tuple| tuple.first()) {
        Some(name) => {
            ensure!(name.num_elements() == 1, InvalidArgument, "Expected to dequeue a one-element string tensor");
            name.to_string_scalar().cloned()
        }
        None => bail!(Internal, "an empty dequeue"),
    }
}

fn outputs(amount: Amount, mut keys: Vec<Bytes>, mut values: Vec<Bytes>) -> Result<Outputs> {
    Ok(match amount {
        Amount::One => match (keys.pop(), values.pop()) {
            (Some(key), Some(value)) => {
                smallvec![Value::Tensor(Tensor::from(key)), Value::Tensor(Tensor::from(value))]
            }
            _ => bail!(Internal, "a read without a record"),
        },
        Amount::UpTo(_) => {
            smallvec![Value::Tensor(Tensor::string_vector(keys)), Value::Tensor(Tensor::string_vector(values))]
        }
    })
}
