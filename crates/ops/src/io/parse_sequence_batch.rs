//! `ParseSequenceExample` and `ParseSequenceExampleV2`: batches of serialized sequence examples to tensors, those of their
//! contexts and those of their steps.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use prost::Message;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure, err};
use wire::feature::Kind;

use super::feature_column::{Column, find, kind_len, kind_type};
use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "ParseSequenceExample",
        "serialized: string, debug_name: string, context_dense_defaults: Tcontext_dense -> context_sparse_indices: \
         Ncontext_sparse * int64, context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * \
         int64, context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64, \
         feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: Nfeature_list_sparse * int64, \
         feature_list_dense_values: feature_list_dense_types, feature_list_dense_lengths: Nfeature_list_dense * int64",
    )
    .attr("feature_list_dense_missing_assumed_empty: list(string) >= 0")
    .attr("context_sparse_keys: list(string) >= 0")
    .attr("context_dense_keys: list(string) >= 0")
    .attr("feature_list_sparse_keys: list(string) >= 0")
    .attr("feature_list_dense_keys: list(string) >= 0")
    .attr("Ncontext_sparse: int >= 0 = 0")
    .attr("Ncontext_dense: int >= 0 = 0")
    .attr("Nfeature_list_sparse: int >= 0 = 0")
    .attr("Nfeature_list_dense: int >= 0 = 0")
    .attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .attr("context_dense_shapes: list(shape) >= 0 = []")
    .attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .shape(shape)
    .any_kernel(kernel)
    .not_differentiable();
    r.op(
        "ParseSequenceExampleV2",
        "serialized: string, debug_name: string, context_sparse_keys: string, context_dense_keys: string, \
         context_ragged_keys: string, feature_list_sparse_keys: string, feature_list_dense_keys: string, \
         feature_list_ragged_keys: string, feature_list_dense_missing_assumed_empty: bool, context_dense_defaults: \
         Tcontext_dense -> context_sparse_indices: Ncontext_sparse * int64, context_sparse_values: context_sparse_types, \
         context_sparse_shapes: Ncontext_sparse * int64, context_dense_values: Tcontext_dense, context_ragged_values: \
         context_ragged_value_types, context_ragged_row_splits: context_ragged_split_types, feature_list_sparse_indices: \
         Nfeature_list_sparse * int64, feature_list_sparse_values: feature_list_sparse_types, feature_list_sparse_shapes: \
         Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types, feature_list_dense_lengths: \
         Nfeature_list_dense * int64, feature_list_ragged_values: feature_list_ragged_value_types, \
         feature_list_ragged_outer_splits: feature_list_ragged_split_types, feature_list_ragged_inner_splits: \
         feature_list_ragged_split_types",
    )
    .attr("Ncontext_sparse: int >= 0 = 0")
    .attr("Tcontext_dense: list({float, int64, string}) >= 0 = []")
    .attr("context_sparse_types: list({float, int64, string}) >= 0 = []")
    .attr("context_ragged_value_types: list({float, int64, string}) >= 0 = []")
    .attr("context_ragged_split_types: list({int32, int64}) >= 0 = []")
    .attr("context_dense_shapes: list(shape) >= 0 = []")
    .attr("Nfeature_list_sparse: int >= 0 = 0")
    .attr("Nfeature_list_dense: int >= 0 = 0")
    .attr("feature_list_dense_types: list({float, int64, string}) >= 0 = []")
    .attr("feature_list_sparse_types: list({float, int64, string}) >= 0 = []")
    .attr("feature_list_ragged_value_types: list({float, int64, string}) >= 0 = []")
    .attr("feature_list_ragged_split_types: list({int32, int64}) >= 0 = []")
    .attr("feature_list_dense_shapes: list(shape) >= 0 = []")
    .shape(shape)
    .any_kernel(kernel)
    .not_differentiable();
}

/// Types and shapes of all features, from the attributes.
struct Features {
    context_sparse: Vec<DType>,
    context_dense: Vec<(DType, PartialShape)>,
    context_ragged: Vec<(DType, DType)>,
    list_sparse: Vec<DType>,
    list_dense: Vec<(DType, PartialShape)>,
    list_ragged: Vec<(DType, DType)>,
}

impl Features {
    fn of(attrs: &impl ReadAttrs) -> Result<Features> {
        let dense = |types: &str, shapes: &str| -> Result<Vec<(DType, PartialShape)>> {
            let (types, shapes) = (attrs.attr_types(types)?, attrs.attr_shapes(shapes)?);
            ensure!(
                types.len() == shapes.len(),
                InvalidArgument,
                "{} types and {} shapes of dense features",
                types.len(),
                shapes.len()
            );
            Ok(types.iter().copied().zip(shapes.iter().cloned()).collect())
        };
        // The older op has no ragged features.
        let ragged = |what: &str| -> Result<Vec<(DType, DType)>> {
            let values = attrs.attr_types(&format!("{what}_ragged_value_types")).unwrap_or(&[]);
            let splits = attrs.attr_types(&format!("{what}_ragged_split_types")).unwrap_or(&[]);
            ensure!(
                values.len() == splits.len(),
                InvalidArgument,
                "{} types of ragged values, but {} of their splits",
                values.len(),
                splits.len()
            );
            Ok(values.iter().copied().zip(splits.iter().copied()).collect())
        };
        Ok(Features {
            context_sparse: attrs.attr_types("context_sparse_types")?.to_vec(),
            context_dense: dense("Tcontext_dense", "context_dense_shapes")?,
            context_ragged: ragged("context")?,
            list_sparse: attrs.attr_types("feature_list_sparse_types")?.to_vec(),
            list_dense: dense("feature_list_dense_types", "feature_list_dense_shapes")?,
            list_ragged: ragged("feature_list")?,
        })
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let features = Features::of(cx)?;
    let batch = if cx.node.op == "ParseSequenceExample" { cx.with_rank(0, 1)? } else { cx.input(0) };
    let (rank, rows) = (batch.rank().map(|rank| rank as i64), batch.dim(0));
    let mut shapes = Vec::new();
    let ends = |rank: Option<i64>, rows: Option<i64>| match rank {
        Some(0) => PartialShape::vector(Some(0)),
        Some(_) => PartialShape::vector(rows.map(|rows| rows + 1)),
        None => PartialShape::vector(None),
    };
    for (sparse, more) in [(features.context_sparse.len(), 1), (features.list_sparse.len(), 2)] {
        let columns = rank.map(|rank| rank + more);
        let three = [PartialShape::new(&[None, columns]), PartialShape::vector(None), PartialShape::vector(columns)];
        shapes.extend(three.into_iter().flat_map(|shape| vec![shape; sparse]));
        if more == 1 {
            shapes.extend(features.context_dense.iter().map(|(_, shape)| batch.concatenate(shape)));
            shapes.extend(vec![PartialShape::vector(None); features.context_ragged.len()]);
            shapes.extend(vec![ends(rank, rows); features.context_ragged.len()]);
        }
    }
    let steps = PartialShape::vector(None);
    shapes.extend(features.list_dense.iter().map(|(_, shape)| batch.concatenate(&steps).concatenate(shape)));
    shapes.extend(vec![batch.clone(); features.list_dense.len()]);
    shapes.extend(vec![PartialShape::vector(None); features.list_ragged.len()]);
    shapes.extend(vec![ends(rank, rows); features.list_ragged.len()]);
    shapes.extend(vec![PartialShape::vector(None); features.list_ragged.len()]);
    for (index, shape) in shapes.into_iter().enumerate() {
        cx.set(index, shape);
    }
    Ok(())
}

/// The keys of all features, and which lists may be missing.
struct Keys {
    context_sparse: Vec<Bytes>,
    context_dense: Vec<Bytes>,
    context_ragged: Vec<Bytes>,
    list_sparse: Vec<Bytes>,
    list_dense: Vec<(Bytes, bool)>,
    list_ragged: Vec<Bytes>,
}

fn kernel(node: &Node) -> Result<Kernel> {
    let features = Features::of(node)?;
    for (_, shape) in features.context_dense.iter().chain(&features.list_dense) {
        ensure!(shape.is_fully_known(), InvalidArgument, "the shape of a dense feature must be known: {shape}");
    }
    let fixed = match node.op.as_str() {
        "ParseSequenceExample" => {
            let keys = |name: &str| -> Result<Vec<Bytes>> { Ok(node.attr_strings(name)?.to_vec()) };
            let assumed = keys("feature_list_dense_missing_assumed_empty")?;
            let list_dense = keys("feature_list_dense_keys")?;
            Some(Keys {
                context_sparse: keys("context_sparse_keys")?,
                context_dense: keys("context_dense_keys")?,
                context_ragged: Vec::new(),
                list_sparse: keys("feature_list_sparse_keys")?,
                list_dense: list_dense.into_iter().map(|key| (key.clone(), assumed.contains(&key))).collect(),
                list_ragged: Vec::new(),
            })
        }
        _ => None,
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let given;
        let (keys, first) = match &fixed {
            Some(keys) => (keys, 2),
            None => {
                given = given_keys(cx)?;
                (&given, 9)
            }
        };
        let counts = [
            ("context_sparse_keys", keys.context_sparse.len(), features.context_sparse.len()),
            ("context_dense_keys", keys.context_dense.len(), features.context_dense.len()),
            ("context_ragged_keys", keys.context_ragged.len(), features.context_ragged.len()),
            ("feature_list_sparse_keys", keys.list_sparse.len(), features.list_sparse.len()),
            ("feature_list_dense_keys", keys.list_dense.len(), features.list_dense.len()),
            ("feature_list_ragged_keys", keys.list_ragged.len(), features.list_ragged.len()),
        ];
        for (name, keys, types) in counts {
            ensure!(keys == types, InvalidArgument, "Expected {types} {name}, got {keys}");
        }
        keys.check_distinct()?;
        let defaults: Vec<Tensor> =
            cx.inputs(first..first + features.context_dense.len())?.into_iter().cloned().collect();
        let batch = Batch::read(cx.input(0)?, cx.input(1)?)?;
        let outputs = batch.outputs(&features, keys, &defaults)?;
        for (index, output) in outputs.into_iter().enumerate() {
            cx.set_output(index, output);
        }
        Ok(())
    }))
}

impl Keys {
    /// # Errors
    /// `InvalidArgument` if a feature is to become tensors of two kinds.
    fn check_distinct(&self) -> Result<()> {
        let list_dense: Vec<Bytes> = self.list_dense.iter().map(|(key, _)| key.clone()).collect();
        for (what, dense, sparse, ragged) in [
            ("Context feature", &self.context_dense, &self.context_sparse, &self.context_ragged),
            ("Feature list", &list_dense, &self.list_sparse, &self.list_ragged),
        ] {
            let pairs = [("dense", dense, "sparse", sparse), ("dense", dense, "ragged", ragged)];
            for (one, ones, other, others) in pairs.into_iter().chain([("ragged", ragged, "sparse", sparse)]) {
                let both = ones.iter().find(|key| others.contains(key));
                if let Some(key) = both {
                    bail!(InvalidArgument, "{what} {} cannot be both {one} and {other}", key.escape_ascii());
                }
            }
        }
        Ok(())
    }
}

fn given_keys(cx: &OpContext<'_>) -> Result<Keys> {
    let keys = |index: usize| -> Result<Vec<Bytes>> {
        let input = cx.input(index)?;
        ensure!(input.shape().rank() == 1, InvalidArgument, "keys must be a vector, got shape: {}", input.shape());
        Ok(input.strings()?.to_vec())
    };
    let (list_dense, assumed) = (keys(6)?, cx.input(8)?.as_slice::<bool>()?);
    ensure!(
        list_dense.len() == assumed.len(),
        InvalidArgument,
        "Expected len(feature_list_dense_missing_assumed_empty) to be {}, got {}",
        list_dense.len(),
        assumed.len()
    );
    Ok(Keys {
        context_sparse: keys(2)?,
        context_dense: keys(3)?,
        context_ragged: keys(4)?,
        list_sparse: keys(5)?,
        list_dense: list_dense.into_iter().zip(assumed.iter().copied()).collect(),
        list_ragged: keys(7)?,
    })
}

struct Batch {
    examples: Vec<wire::SequenceExample>,
    names: Vec<String>,
    /// Whether there is a batch, or a single example without one.
    batched: bool,
}

/// The values of one feature: how many each example has, or each step of each example.
struct Gathered {
    column: Column,
    counts: Vec<Vec<i64>>,
}

impl Batch {
    fn read(serialized: &Tensor, names: &Tensor) -> Result<Batch> {
        let rank = serialized.shape().rank();
        ensure!(
            rank <= 1,
            InvalidArgument,
            "Expected serialized to be a scalar or vector, got shape: {}",
            serialized.shape()
        );
        ensure!(
            names.num_elements() == 0 || names.num_elements() == serialized.num_elements(),
            InvalidArgument,
            "Expected len(debug_name) to be {}, got {}",
            serialized.num_elements(),
            names.num_elements()
        );
        let names = names.strings()?;
        let name = |place: usize| {
            names.get(place).map_or_else(|| "<unknown>".to_owned(), |name| String::from_utf8_lossy(name).into_owned())
        };
        let mut examples = Vec::with_capacity(serialized.num_elements());
        for (place, text) in serialized.strings()?.iter().enumerate() {
            let example = wire::SequenceExample::decode(text.clone());
            examples.push(example.map_err(|error| {
                let name = name(place);
                err!(
                    InvalidArgument,
                    "Invalid protocol message input, example id: {name} ({} bytes): {error}",
                    text.len()
                )
            })?);
        }
        let names = (0..examples.len()).map(name).collect();
        Ok(Batch { examples, names, batched: rank == 1 })
    }

    /// All outputs, in the order of the ops.
    fn outputs(&self, features: &Features, keys: &Keys, defaults: &[Tensor]) -> Result<Vec<Tensor>> {
        let context = |key: &Bytes, dtype: DType| self.context(key, dtype);
        let mut outputs = Vec::new();
        let contexts = keys.context_sparse.iter().zip(&features.context_sparse);
        let contexts = contexts.map(|(key, dtype)| context(key, *dtype)).collect::<Result<Vec<_>>>()?;
        outputs.extend(self.sparse(&contexts, 1)?);
        for ((key, (dtype, shape)), default) in keys.context_dense.iter().zip(&features.context_dense).zip(defaults) {
            outputs.push(self.context_dense(key, *dtype, shape, default)?);
        }
        let mut ends = Vec::new();
        for (key, (values, splits)) in keys.context_ragged.iter().zip(&features.context_ragged) {
            let gathered = context(key, *values)?;
            outputs.push(gathered.column.to_tensor(Shape::vector(gathered.column.len()))?);
            let counts: Vec<i64> = gathered.counts.iter().map(|counts| counts[0]).collect();
            ends.push(if self.batched { int_tensor(&ends_of(&counts), *splits)? } else { int_tensor(&[], *splits)? });
        }
        outputs.extend(ends);
        let lists = keys.list_sparse.iter().zip(&features.list_sparse);
        let lists = lists.map(|(key, dtype)| Ok(self.list(key, *dtype)?.0)).collect::<Result<Vec<_>>>()?;
        outputs.extend(self.sparse(&lists, 2)?);
        let mut lengths = Vec::new();
        for ((key, assumed), (dtype, shape)) in keys.list_dense.iter().zip(&features.list_dense) {
            let (values, length) = self.list_dense(key, *assumed, *dtype, shape)?;
            outputs.push(values);
            lengths.push(length);
        }
        outputs.extend(lengths);
        let (mut outer, mut inner) = (Vec::new(), Vec::new());
        for (key, (values, splits)) in keys.list_ragged.iter().zip(&features.list_ragged) {
            let gathered = self.list(key, *values)?.0;
            outputs.push(gathered.column.to_tensor(Shape::vector(gathered.column.len()))?);
            let steps: Vec<i64> = gathered.counts.iter().map(|counts| counts.len() as i64).collect();
            outer.push(if self.batched { int_tensor(&ends_of(&steps), *splits)? } else { int_tensor(&[], *splits)? });
            inner.push(int_tensor(&ends_of(&gathered.counts.concat()), *splits)?);
        }
        outputs.extend(outer);
        outputs.extend(inner);
        Ok(outputs)
    }

    fn check(&self, place: usize, key: &Bytes, kind: &Kind, dtype: DType) -> Result<()> {
        let actual = kind_type(kind);
        ensure!(
            actual == dtype,
            InvalidArgument,
            "Key: {}.  Data types don't match. Data type: {actual} but expected type: {dtype} (in example '{}')",
            String::from_utf8_lossy(key),
            self.names[place]
        );
        Ok(())
    }

    fn context(&self, key: &Bytes, dtype: DType) -> Result<Gathered> {
        let mut gathered = Gathered { column: Column::new(dtype)?, counts: Vec::new() };
        for (place, example) in self.examples.iter().enumerate() {
            let mut count = 0;
            if let Some(kind) = example.context.as_ref().and_then(|context| find(context, key)) {
                self.check(place, key, kind, dtype)?;
                count = kind_len(kind) as i64;
                gathered.column.extend(kind);
            }
            gathered.counts.push(vec![count]);
        }
        Ok(gathered)
    }

    /// The values of a list, and which examples have it.
    fn list(&self, key: &Bytes, dtype: DType) -> Result<(Gathered, Vec<bool>)> {
        let mut gathered = Gathered { column: Column::new(dtype)?, counts: Vec::new() };
        let mut there = Vec::with_capacity(self.examples.len());
        let name = std::str::from_utf8(key).unwrap_or("");
        for (place, example) in self.examples.iter().enumerate() {
            let list = example.feature_lists.as_ref().and_then(|lists| lists.feature_list.get(name));
            there.push(list.is_some());
            let mut counts = Vec::new();
            for feature in list.map_or(&[][..], |list| &list.feature[..]) {
                counts.push(feature.kind.as_ref().map_or(0, |kind| kind_len(kind) as i64));
                if let Some(kind) = &feature.kind {
                    self.check(place, key, kind, dtype)?;
                    gathered.column.extend(kind);
                }
            }
            gathered.counts.push(counts);
        }
        Ok((gathered, there))
    }

    /// Indices, values and shapes of features; of each value its example, its step if there are steps, and its place.
    fn sparse(&self, all: &[Gathered], depth: usize) -> Result<Vec<Tensor>> {
        let (mut indices, mut values, mut shapes) = (Vec::new(), Vec::new(), Vec::new());
        let first = usize::from(!self.batched);
        for gathered in all {
            let mut flat = Vec::new();
            for (example, counts) in gathered.counts.iter().enumerate() {
                for (step, count) in counts.iter().enumerate() {
                    for place in 0..*count {
                        let whole = [example as i64, step as i64, place];
                        let row: Vec<i64> = if depth == 1 { vec![whole[0], whole[2]] } else { whole.to_vec() };
                        flat.extend_from_slice(&row[first..]);
                    }
                }
            }
            let steps = gathered.counts.iter().map(|counts| counts.len() as i64).max().unwrap_or(0);
            let longest = gathered.counts.iter().flatten().copied().max().unwrap_or(0);
            let whole = [self.examples.len() as i64, steps, longest];
            let shape: Vec<i64> = if depth == 1 { vec![whole[0], whole[2]] } else { whole.to_vec() };
            let shape = &shape[first..];
            indices.push(Tensor::new([gathered.column.len() as i64, shape.len() as i64], flat)?);
            values.push(gathered.column.to_tensor(Shape::vector(gathered.column.len()))?);
            shapes.push(Tensor::vector(shape));
        }
        Ok([indices, values, shapes].concat())
    }

    fn with_batch(&self, dims: &[i64]) -> Result<Shape> {
        match self.batched {
            true => Shape::new(&[&[self.examples.len() as i64], dims].concat()),
            false => Shape::new(dims),
        }
    }

    fn context_dense(&self, key: &Bytes, dtype: DType, shape: &PartialShape, default: &Tensor) -> Result<Tensor> {
        let own = shape.to_shape().unwrap_or_default();
        let mut column = Column::new(dtype)?;
        for (place, example) in self.examples.iter().enumerate() {
            match example.context.as_ref().and_then(|context| find(context, key)) {
                Some(kind) => {
                    self.check(place, key, kind, dtype)?;
                    ensure!(
                        kind_len(kind) == own.num_elements(),
                        InvalidArgument,
                        "Unexpected number of elements in example {}: {} values for shape {own} of '{}'",
                        self.names[place],
                        kind_len(kind),
                        String::from_utf8_lossy(key)
                    );
                    column.extend(kind);
                }
                None => {
                    ensure!(
                        default.num_elements() == own.num_elements()
                            && (default.num_elements() > 0 || own.num_elements() == 0),
                        InvalidArgument,
                        "Inconsistent max number of elements for feature {}: expected {}, but found {} (in example {})",
                        String::from_utf8_lossy(key),
                        own.num_elements(),
                        default.num_elements(),
                        self.names[place]
                    );
                    column.extend_from(default)?;
                }
            }
        }
        column.to_tensor(self.with_batch(own.dims())?)
    }

    /// Steps of all examples, filled up with zeros or empty strings to the longest; and how many there are.
    fn list_dense(&self, key: &Bytes, assumed: bool, dtype: DType, shape: &PartialShape) -> Result<(Tensor, Tensor)> {
        let own = shape.to_shape().unwrap_or_default();
        let (gathered, there) = self.list(key, dtype)?;
        if let (Some(place), false) = (there.iter().position(|there| !there), assumed) {
            bail!(
                InvalidArgument,
                "Name: {}, Feature list '{}' is required but could not be found.  Did you mean to include it in \
                 feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
                self.names[place],
                String::from_utf8_lossy(key)
            )
        }
        let size = own.num_elements() as i64;
        for (place, counts) in gathered.counts.iter().enumerate() {
            if let Some(wrong) = counts.iter().find(|count| **count != size) {
                bail!(
                    InvalidArgument,
                    "Feature list '{}' has an unexpected number of values.  {wrong} values for shape {own} in example {}",
                    String::from_utf8_lossy(key),
                    self.names[place]
                )
            }
        }
        let lengths: Vec<i64> = gathered.counts.iter().map(|counts| counts.len() as i64).collect();
        let longest = lengths.iter().copied().max().unwrap_or(0);
        let whole = self.with_batch(&[&[longest], own.dims()].concat())?;
        Tensor::check_size(dtype, &whole)?;
        let bytes = (whole.num_elements() as u64).saturating_mul(8);
        tensor::memory::ensure_free(bytes, format_args!("steps of shape {whole}"))?;
        let flat = gathered.column.to_tensor(Shape::vector(gathered.column.len()))?;
        // The place of each value in the result, or beyond the end for what is filled up.
        let (mut places, mut next) = (Vec::with_capacity(whole.num_elements()), 0usize);
        for length in &lengths {
            let values = (length * size) as usize;
            places.extend(next..next + values);
            places.extend(vec![usize::MAX; ((longest - length) * size) as usize]);
            next += values;
        }
        let zero = match dtype {
            DType::String => Tensor::from(Bytes::new()),
            _ => Tensor::zeros(dtype, &Shape::scalar())?,
        };
        let values = crate::moving::moved(whole, &[&flat, &zero], &crate::moving::Pick(&places))?;
        let lengths =
            if self.batched { Tensor::vector(&lengths) } else { Tensor::from(lengths.first().copied().unwrap_or(0)) };
        Ok((values, lengths))
    }
}

/// Where each of several parts ends, from 0.
fn ends_of(counts: &[i64]) -> Vec<i64> {
    let mut ends = vec![0];
    for count in counts {
        ends.push(ends[ends.len() - 1] + count);
    }
    ends
}
