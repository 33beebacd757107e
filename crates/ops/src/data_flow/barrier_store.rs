//! The barrier behind the `Barrier` ops: elements whose components come one by one, under a key.
//!
//! Complete elements go to a queue that is ordered by the insertion in which their keys first came; takes wait there.

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use graph::op::{AsyncContext, Cancellation, Done, Outputs, Resource, ResourceState};
use parking_lot::Mutex;
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure, err};

use super::queue::{Queue, Tuple, Want};
use super::queue_config::{Kind, QueueConfig, type_list};

/// Elements under way, and the queue of those that are complete.
pub(crate) struct Barrier {
    name: String,
    pub(super) types: Vec<DType>,
    shapes: Vec<PartialShape>,
    ready: Arc<Queue>,
    state: Mutex<State>,
}

struct State {
    incomplete: HashMap<Bytes, Partial>,
    /// The number of the next insertion.
    next: i64,
    closed: bool,
    cancelled: bool,
}

struct Partial {
    index: i64,
    values: Vec<Option<Tensor>>,
}

impl Resource for Barrier {
    fn kind(&self) -> &'static str {
        "Barrier"
    }

    fn abandon(&self) {
        self.ready.abandon();
    }

    fn state(&self) -> ResourceState {
        Resource::state(&*self.ready)
    }
}

impl Barrier {
    pub(super) fn new(name: &str, types: &[DType], shapes: &[PartialShape]) -> Result<Barrier> {
        let config = QueueConfig {
            kind: Kind::Priority,
            types: [&[DType::Int64, DType::String], types].concat(),
            shapes: [&[PartialShape::scalar(), PartialShape::scalar()], shapes].concat(),
            capacity: -1,
        };
        let state = State { incomplete: HashMap::new(), next: i64::MIN, closed: false, cancelled: false };
        Ok(Barrier {
            name: name.to_owned(),
            types: types.to_vec(),
            shapes: shapes.to_vec(),
            ready: Arc::new(Queue::new(&format!("{name}_queue"), config)?),
            state: Mutex::new(state),
        })
    }

    pub(super) fn check_same(&self, types: &[DType], shapes: &[PartialShape]) -> Result<()> {
        ensure!(
            self.types == types,
            InvalidArgument,
            "Shared barrier '{}' has component types {} but requested component types were {}",
            self.name,
            type_list(&self.types),
            type_list(types)
        );
        ensure!(
            self.shapes == shapes,
            InvalidArgument,
            "Shared barrier '{}' has component shapes {:?} but requested component shapes were {shapes:?}",
            self.name,
            self.shapes
        );
        Ok(())
    }

    /// Returns how many elements are complete.
    pub(super) fn ready_len(&self) -> usize {
        self.ready.len()
    }

    /// Returns how many elements have some of their components.
    pub(super) fn incomplete_len(&self) -> usize {
        self.state.lock().incomplete.len()
    }

    /// Gives each key a row of `values` as its component. A key that is refused ends the insertion, those before it stay.
    pub(super) fn insert(&self, keys: &[Bytes], component: usize, values: &Tensor) -> Result<()> {
        let row = Shape::new(values.dims().get(1..).unwrap_or(&[]))?;
        ensure!(
            keys.is_empty() || row.num_elements() > 0,
            InvalidArgument,
            "Tensors with no elements are not supported: {} for {} keys",
            values.shape(),
            keys.len()
        );
        ensure!(
            self.shapes[component].is_compatible_with(&row),
            InvalidArgument,
            "Shape mismatch in tuple component {}. Expected {}, got {row}",
            component + 2,
            self.shapes[component]
        );
        let mut complete = Vec::new();
        let inserted = self.insert_rows(keys, component, values, &row, &mut complete);
        // Without a limit, nothing waits for room.
        let failed = Arc::new(Mutex::new(None));
        for tuple in complete {
            let failed = failed.clone();
            let done = Box::new(move |result: Result<()>| {
                if let Err(status) = result {
                    *failed.lock() = Some(status);
                }
            });
            self.ready.enqueue(tuple, false, &Cancellation::new(), done);
        }
        let over = {
            let state = self.state.lock();
            state.closed && state.incomplete.is_empty()
        };
        if over && !self.ready.is_closed() {
            self.ready.close(false, &Cancellation::new(), Box::new(|_| {}));
        }
        let failed = failed.lock().take();
        inserted.and(failed.map_or(Ok(()), Err))
    }

    pub(super) fn insert_rows(
        &self,
        keys: &[Bytes],
        component: usize,
        values: &Tensor,
        row: &Shape,
        complete: &mut Vec<Vec<Tensor>>,
    ) -> Result<()> {
        let room = keys.iter().map(|key| key.len() + size_of::<Tensor>()).sum::<usize>();
        tensor::memory::ensure_free(room as u64, format_args!("{} keys of a barrier", keys.len()))?;
        let mut state = self.state.lock();
        let name = &self.name;
        let new = keys.iter().filter(|key| !state.incomplete.contains_key(*key)).count();
        ensure!(
            !state.closed || !(state.cancelled || (state.incomplete.is_empty() && !keys.is_empty())),
            Cancelled,
            "Barrier {name} is closed.  Pending enqueues cancelled: {}.  Number of new insertions: {new}.  Number of \
             incomplete keys: {}.",
            u8::from(state.cancelled),
            state.incomplete.len()
        );
        let index = state.next;
        for (number, key) in keys.iter().enumerate() {
            let value = values.window(number * row.num_elements(), row.clone())?;
            if !state.incomplete.contains_key(key) {
                ensure!(
                    !state.closed,
                    Cancelled,
                    "Barrier {name} is closed, but attempted to insert a brand new key: {}.  Pending enqueues cancelled: \
                     {}.  Insertion index: {number}.  Number of incomplete keys: {}.",
                    key.escape_ascii(),
                    u8::from(state.cancelled),
                    state.incomplete.len()
                );
                let partial = Partial { index, values: vec![None; self.types.len()] };
                state.incomplete.insert(key.clone(), partial);
                // All keys that an insertion brings share its number.
                state.next = index.wrapping_add(1);
            }
            let Some(partial) = state.incomplete.get_mut(key) else { continue };
            ensure!(
                partial.values[component].is_none(),
                InvalidArgument,
                "Key {} already has a value for component {component} in barrier {name}",
                key.escape_ascii()
            );
            partial.values[component] = Some(value);
            if partial.values.iter().all(Option::is_some)
                && let Some(partial) = state.incomplete.remove(key)
            {
                let begin = [Tensor::from(partial.index), Tensor::from(key.clone())];
                complete.push(begin.into_iter().chain(partial.values.into_iter().flatten()).collect());
            }
        }
        Ok(())
    }

    pub(super) fn take(self: &Arc<Barrier>, count: usize, small: bool, cx: &AsyncContext, done: Done) {
        let mut count = count;
        {
            let state = self.state.lock();
            if state.closed {
                let mut available = self.ready.len();
                if small {
                    count = count.min(available);
                } else {
                    available += state.incomplete.len();
                }
                if available < count.max(if small { 1 } else { 0 }) {
                    let status = err!(
                        OutOfRange,
                        "Barrier '{}' is closed and has insufficient elements (requested {count}, total size {available})",
                        self.name
                    );
                    drop(state);
                    return done(Err(status));
                }
            }
        }
        let barrier = self.clone();
        let taken = Box::new(move |taken: Result<Vec<Tuple>>| done(taken.and_then(|taken| barrier.batch(&taken))));
        let want = if small { Want::UpTo(count) } else { Want::Many(count) };
        self.ready.dequeue(want, &cx.step.cancellation, taken);
    }

    pub(super) fn batch(&self, taken: &[Tuple]) -> Result<Outputs> {
        super::queue_dequeue::batch(self.ready.config(), taken)
    }

    /// # Errors
    /// `Cancelled` if it is closed already.
    pub(super) fn close(&self, cancel: bool) -> Result<()> {
        let over = {
            let mut state = self.state.lock();
            ensure!(
                !state.closed || (cancel && !state.cancelled),
                Cancelled,
                "Barrier '{}' is already closed.",
                self.name
            );
            (state.closed, state.cancelled) = (true, cancel);
            if cancel {
                state.incomplete.clear();
            }
            state.incomplete.is_empty()
        };
        if over && !self.ready.is_closed() {
            self.ready.close(cancel, &Cancellation::new(), Box::new(|_| {}));
        }
        Ok(())
    }
}
