//! A data set handed out in pieces to whichever workers are there, each record trained on exactly once an epoch.
//!
//! How far each piece has been trained on is a variable of the graph: it lies on a parameter server, every worker reaches it
//! through its session, and checkpoints hold it. A training step moves the position of its piece and applies its gradients, both
//! or neither; [`Shards::gate`] puts the one before the other. `docs/recovery.md` says what is promised, and when.

mod worker;

use std::sync::Arc;
use std::time::Duration;

use graph::{Gradient, Graph, IndexedSlices, Operation, Output};
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};
pub use worker::{Handed, Records, ShardWorker};

use crate::collections::keys;
use crate::nodes::constant_at;
use crate::optimizers::GradientAndVariable;
use crate::variable::{Initial, Variable, VariableKind, Wanted};

/// A data set in pieces. Every worker builds the same.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Shards;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let data: Vec<f32> = (0..100).map(|number| number as f32).collect();
/// let shards = Shards::ranges(100, 40).epochs(2).build(&g)?; // records 0..40, 40..80 and 80..100
/// let x = g.placeholder(DType::Float, [None]);
/// let w = Variable::new("w", g.constant(1f32));
///
/// let optimizer = GradientDescent::new(1e-5);
/// let gradients = optimizer.compute_gradients(&(&x * &w).reduce_mean(..), None)?;
/// let train = optimizer.apply_gradients(&shards.gate(&gradients)?, None)?;
///
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// let (mut worker, mut seen) = (shards.worker("worker 0"), 0);
/// while let Some(records) = worker.next(&session, 16)? {
///     let batch = Tensor::vector(&data[records.begin as usize..records.end as usize]);
///     worker.train(&session, RunRequest::new().feed(&x, batch).target(&train))?;
///     seen += records.end - records.begin;
/// }
/// assert_eq!(seen, 200);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Shards {
    nodes: Arc<Nodes>,
}

#[derive(Debug)]
struct Nodes {
    name: String,
    sources: Vec<String>,
    state: Variable,
    ranges: Output,
    lease: i64,
    /// Fed: who asks.
    worker: Output,
    /// Fed: what a step trains on.
    records: Output,
    /// What is handed out.
    given: Output,
    /// Moves a position without training.
    advance: Output,
}

/// A data set in the making.
///
/// ```
/// use std::time::Duration;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Shards;
/// let g = Graph::new();
/// let shards = Shards::files(["a.tfrecord", "b.tfrecord"]).epochs(3).shuffle(7).lease(Duration::from_secs(60)).build(&g)?;
/// assert_eq!(shards.sources(), ["a.tfrecord", "b.tfrecord"]);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct ShardsBuilder {
    sources: Vec<String>,
    ranges: Vec<[i64; 2]>,
    name: String,
    epochs: i64,
    seed: i64,
    lease: Duration,
}

impl Shards {
    /// The records 0 to `records` of one data set, in pieces of so many.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Shards;
    /// assert_eq!(Shards::ranges(100, 40).build(&Graph::new())?.sources().len(), 3);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn ranges(records: i64, piece: i64) -> ShardsBuilder {
        let piece = piece.max(1);
        let begins = (0..records.max(0)).step_by(usize::try_from(piece).unwrap_or(usize::MAX));
        Shards::pieces(begins.map(|begin| (String::new(), begin, Some(begin.saturating_add(piece).min(records)))))
    }

    /// Files, each a piece. Whoever reads one says where it [ends](ShardWorker::end_after).
    pub fn files<S: Into<String>>(files: impl IntoIterator<Item = S>) -> ShardsBuilder {
        Shards::pieces(files.into_iter().map(|file| (file.into(), 0, None)))
    }

    /// Pieces, each a source (such as a file) with its first record and its end, if that is known.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Shards;
    /// let pieces = [("a".to_owned(), 0, Some(10)), ("a".to_owned(), 10, Some(20)), ("b".to_owned(), 0, None)];
    /// assert_eq!(Shards::pieces(pieces).build(&Graph::new())?.sources(), ["a", "a", "b"]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn pieces(pieces: impl IntoIterator<Item = (String, i64, Option<i64>)>) -> ShardsBuilder {
        let of = |(source, begin, end): (String, i64, Option<i64>)| (source, [begin, end.unwrap_or(-1)]);
        let (sources, ranges) = pieces.into_iter().map(of).unzip();
        let (name, lease) = ("shards".to_owned(), Duration::from_secs(30));
        ShardsBuilder { sources, ranges, name, epochs: 1, seed: 0, lease }
    }

    /// Returns the source of each piece.
    pub fn sources(&self) -> &[String] {
        &self.nodes.sources
    }

    /// Returns the variable that holds how far all pieces have been trained on.
    pub fn state(&self) -> &Variable {
        &self.nodes.state
    }

    /// One who trains. Under the same name one that is started anew goes on at once with what it had; two at a time must not have
    /// the same.
    pub fn worker(&self, name: &str) -> ShardWorker {
        ShardWorker::new(self.clone(), name)
    }

    /// Returns these gradients as they are once the position of the step's piece was moved: whatever is applied of them is
    /// applied if and only if the records count as trained on. All that a step changes belongs in one call, also values that are
    /// no gradients; each is taken to where its variable is.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Shards;
    /// let g = Graph::new();
    /// let shards = Shards::ranges(10, 5).build(&g)?;
    /// let sum = Variable::untrained("sum", g.constant(0i64));
    /// let gated = shards.gate(&[(Some(g.constant(1i64).into()), sum.clone())])?;
    /// let count = sum.assign_add(gated[0].0.as_ref().unwrap().to_dense());
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// let mut worker = shards.worker("worker 0");
    /// while worker.next(&session, 2)?.is_some() {
    ///     worker.train(&session, RunRequest::new().target(&count))?;
    /// }
    /// assert_eq!(session.eval::<i64, _>(&sum)?, 6); // 2, 2 and 1 of each piece
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if there is no gradient at all.
    #[track_caller]
    pub fn gate(&self, gradients: &[GradientAndVariable]) -> Result<Vec<GradientAndVariable>> {
        let graph = self.nodes.state.handle().graph().clone();
        // The tensors of each place, and the variable that stands for it.
        let mut places: Vec<(String, Operation, Vec<Output>)> = Vec::new();
        for (gradient, variable) in gradients {
            let Some(gradient) = gradient else { continue };
            let device = variable.device();
            let place = places.iter().position(|(known, ..)| *known == device).unwrap_or_else(|| {
                places.push((device, variable.operation(), Vec::new()));
                places.len() - 1
            });
            places[place].2.extend(tensors(gradient));
        }
        ensure!(!places.is_empty(), InvalidArgument, "there is no gradient for the gate of '{}'", self.nodes.name);
        let passed: Vec<(String, Vec<Output>)> = graph.with_name_scope(&format!("{}_gate", self.nodes.name), |graph| {
            let list = |op: &str, taken: Option<&Output>, values: &[Output]| {
                let op = taken.iter().fold(graph.op(op), |op, taken| op.input(*taken));
                let node = op.input_list(values).build();
                (0..values.len()).map(|index| node.output(index)).collect::<Vec<Output>>()
            };
            let ready: Vec<Vec<Output>> = places
                .iter()
                .map(|(_, beside, values)| graph.with_colocation(beside, |_| list("ShardReady", None, values)))
                .collect();
            let arrived: Vec<Operation> = ready.iter().map(|values| values[0].operation()).collect();
            let taken = graph.with_control_dependencies(&arrived, |_| self.nodes.advance());
            let pass = |((device, beside, _), values): (&(String, Operation, _), &Vec<Output>)| {
                (device.clone(), graph.with_colocation(beside, |_| list("ShardPass", Some(&taken), values)))
            };
            places.iter().zip(&ready).map(pass).collect()
        });
        let mut rest: Vec<(String, std::vec::IntoIter<Output>)> =
            passed.into_iter().map(|(device, values)| (device, values.into_iter())).collect();
        let mut through = |(gradient, variable): &GradientAndVariable| {
            let mut place = rest.iter_mut().find(|(device, _)| *device == variable.device());
            let mut next = || place.as_mut().and_then(|(_, values)| values.next());
            let gradient = gradient.as_ref().and_then(|gradient| match gradient {
                Gradient::Dense(_) => next().map(Gradient::Dense),
                Gradient::Slices(_) => {
                    let (values, indices, dense_shape) = (next()?, next()?, next()?);
                    Some(Gradient::Slices(IndexedSlices { values, indices, dense_shape }))
                }
            });
            (gradient, variable.clone())
        };
        Ok(gradients.iter().map(&mut through).collect())
    }
}

fn tensors(gradient: &Gradient) -> Vec<Output> {
    match gradient {
        Gradient::Dense(value) => vec![value.clone()],
        Gradient::Slices(rows) => vec![rows.values.clone(), rows.indices.clone(), rows.dense_shape.clone()],
    }
}

impl Nodes {
    fn advance(&self) -> Output {
        advance(&self.state, &self.ranges, &self.records, self.lease)
    }
}

fn advance(state: &Variable, ranges: &Output, records: &Output, lease: i64) -> Output {
    let op = state.handle().graph().op("ShardAdvance").input(state.handle()).input(ranges).input(records);
    op.attr("lease_millis", lease).output()
}

impl ShardsBuilder {
    /// How often every record is trained on; 0 is without end. Once, unless said otherwise.
    pub fn epochs(self, epochs: u32) -> ShardsBuilder {
        ShardsBuilder { epochs: i64::from(epochs), ..self }
    }

    /// The pieces come in another order in every epoch, by this seed. 0 leaves them as they are.
    pub fn shuffle(self, seed: i64) -> ShardsBuilder {
        ShardsBuilder { seed, ..self }
    }

    /// A worker that has trained on nothing of its piece for so long is taken for lost: others get the rest. 30 seconds, unless
    /// said otherwise; a step should take less.
    pub fn lease(self, lease: Duration) -> ShardsBuilder {
        ShardsBuilder { lease, ..self }
    }

    /// The name of the variable that holds the positions; `shards`, unless said otherwise.
    pub fn name(self, name: &str) -> ShardsBuilder {
        ShardsBuilder { name: name.to_owned(), ..self }
    }

    /// Adds the nodes; the positions go where variables go.
    ///
    /// # Errors
    /// `InvalidArgument` if there is no piece, or if one ends before it begins.
    #[track_caller]
    pub fn build(self, graph: &Graph) -> Result<Shards> {
        let ShardsBuilder { sources, ranges, name, epochs, seed, lease } = self;
        ensure!(!ranges.is_empty(), InvalidArgument, "there are no pieces to hand out as '{name}'");
        for (piece, [begin, end]) in ranges.iter().enumerate() {
            ensure!(
                *begin >= 0 && (*end == -1 || begin <= end),
                InvalidArgument,
                "piece {piece} of '{name}' cannot be the records {begin} to {end}"
            );
        }
        let lease = i64::try_from(lease.as_millis()).unwrap_or(i64::MAX).max(1);
        let rows: Vec<i64> =
            std::iter::once(0).chain(ranges.iter().map(|range| range[0])).flat_map(|begin| [begin, 0, 0, 0]).collect();
        let pieces = ranges.len() as i64;
        let first = Tensor::vector(&rows).into_shape(Shape::new(&[pieces + 1, 4])?)?;
        let ranges = Tensor::vector(&ranges.concat()).into_shape(Shape::new(&[pieces, 2])?)?;
        // References only: what a step changes by them is known to all that look after moments.
        let collections = vec![keys::GLOBAL_VARIABLES.to_owned()];
        let wanted = Wanted { kind: VariableKind::Ref, collections, ..Wanted::new(graph, false) };
        let state = Variable::make(graph, &name, Initial::Constant(first), wanted);
        let nodes = graph.with_name_scope(&format!("{}_nodes", state.name()), |graph| {
            let ranges = graph.with_colocation(&state.operation(), |graph| {
                constant_at(graph, &format!("{}/ranges", graph.name_scope()), ranges)
            });
            let fed =
                |shape: PartialShape| graph.op("Placeholder").attr("dtype", DType::Int64).attr("shape", shape).output();
            let (worker, records) = (fed(PartialShape::scalar()), fed(PartialShape::from([6])));
            let given = graph.op("ShardNext").input(state.handle()).input(&ranges).input(&worker);
            let given = given.attr("epochs", epochs).attr("lease_millis", lease).attr("seed", seed).output();
            let advance = advance(&state, &ranges, &records, lease);
            let name = state.name().to_owned();
            Nodes { name, sources, state: state.clone(), ranges, lease, worker, records, given, advance }
        });
        Ok(Shards { nodes: Arc::new(nodes) })
    }
}
