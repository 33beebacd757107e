//! `ParseSingleSequenceExample`: one serialized sequence example to tensors, those of its context and those of its steps.

use std::collections::BTreeMap;

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use prost::Message;
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure, err};
use wire::feature::Kind;

use super::feature_column::{Column, find, kind_len, kind_type};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "ParseSingleSequenceExample",
        "serialized: string, feature_list_dense_missing_assumed_empty: string, \
         context_sparse_keys: Ncontext_sparse * string, context_dense_keys: Ncontext_dense * string, \
         feature_list_sparse_keys: Nfeature_list_sparse * string, \
         feature_list_dense_keys: Nfeature_list_dense * string, context_dense_defaults: Tcontext_dense, \
         debug_name: string -> context_sparse_indices: Ncontext_sparse * int64, \
         context_sparse_values: context_sparse_types, context_sparse_shapes: Ncontext_sparse * int64, \
         context_dense_values: Tcontext_dense, feature_list_sparse_indices: Nfeature_list_sparse * int64, \
         feature_list_sparse_values: feature_list_sparse_types, \
         feature_list_sparse_shapes: Nfeature_list_sparse * int64, feature_list_dense_values: feature_list_dense_types",
    )
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
}

/// Types and shapes of all features, from the attributes.
struct Features {
    context_sparse: Vec<DType>,
    context_dense: Vec<(DType, PartialShape)>,
    list_sparse: Vec<DType>,
    list_dense: Vec<(DType, PartialShape)>,
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
        let features = Features {
            context_sparse: attrs.attr_types("context_sparse_types")?.to_vec(),
            context_dense: dense("Tcontext_dense", "context_dense_shapes")?,
            list_sparse: attrs.attr_types("feature_list_sparse_types")?.to_vec(),
            list_dense: dense("feature_list_dense_types", "feature_list_dense_shapes")?,
        };
        let counts = [
            ("Ncontext_sparse", features.context_sparse.len()),
            ("Ncontext_dense", features.context_dense.len()),
            ("Nfeature_list_sparse", features.list_sparse.len()),
            ("Nfeature_list_dense", features.list_dense.len()),
        ];
        for (name, count) in counts {
            let stated = attrs.attr_int(name)?;
            ensure!(stated == count as i64, InvalidArgument, "{name} is {stated}, but there are {count} types");
        }
        Ok(features)
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.with_rank(1, 1)?;
    let features = Features::of(cx)?;
    let mut next = 0;
    let mut set = |cx: &mut ShapeContext<'_>, shape: PartialShape| {
        cx.set(next, shape);
        next += 1;
    };
    for (count, rank) in [(features.context_sparse.len(), 1), (features.list_sparse.len(), 2)] {
        for shape in
            [PartialShape::new(&[None, Some(rank)]), PartialShape::vector(None), PartialShape::vector(Some(rank))]
        {
            for _ in 0..count {
                set(cx, shape.clone());
            }
        }
        let dense = if rank == 1 { &features.context_dense } else { &features.list_dense };
        for (_, shape) in dense {
            let whole = if rank == 1 { shape.clone() } else { PartialShape::vector(None).concatenate(shape) };
            set(cx, whole);
        }
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let features = Features::of(node)?;
    for (_, shape) in features.context_dense.iter().chain(&features.list_dense) {
        ensure!(shape.is_fully_known(), InvalidArgument, "the shape of a dense feature must be known: {shape}");
    }
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let outputs = parse(cx, &features)?;
        for (place, output) in outputs.into_iter().enumerate() {
            cx.set_output(place, output);
        }
        Ok(())
    }))
}

fn parse(cx: &OpContext<'_>, features: &Features) -> Result<Vec<Tensor>> {
    let serialized = cx.input(0)?;
    ensure!(
        serialized.shape().is_scalar(),
        InvalidArgument,
        "Expected serialized to be a scalar, got shape: {}",
        serialized.shape()
    );
    let assumed = cx.input(1)?.strings()?;
    let mut next = 2;
    let mut keys = |count: usize| -> Result<Vec<Bytes>> {
        let keys = (next..next + count).map(|index| cx.input(index)?.to_string_scalar().cloned()).collect();
        next += count;
        keys
    };
    let (sparse_keys, dense_keys) = (keys(features.context_sparse.len())?, keys(features.context_dense.len())?);
    let (list_sparse_keys, list_dense_keys) = (keys(features.list_sparse.len())?, keys(features.list_dense.len())?);
    let (defaults, debug) = (cx.inputs(next..next + dense_keys.len())?, cx.input(next + dense_keys.len())?);
    let name = match debug.strings()? {
        [name] => String::from_utf8_lossy(name).into_owned(),
        _ => "<unknown>".to_owned(),
    };
    let text = serialized.to_string_scalar()?;
    let example = wire::SequenceExample::decode(text.clone()).map_err(|error| {
        err!(InvalidArgument, "Invalid protocol message input, example id: {name} ({} bytes): {error}", text.len())
    })?;
    let context = example.context.unwrap_or_default();
    let lists = Lists { name: &name, lists: example.feature_lists.unwrap_or_default().feature_list };
    let context = Context { name: &name, features: context };
    Ok([
        context.sparse(&sparse_keys, &features.context_sparse)?,
        context.dense(&dense_keys, &features.context_dense, &defaults)?,
        lists.sparse(&list_sparse_keys, &features.list_sparse)?,
        lists.dense(&list_dense_keys, &features.list_dense, assumed)?,
    ]
    .concat())
}

/// The features of the whole sequence.
struct Context<'a> {
    /// The example's name in messages.
    name: &'a str,
    features: wire::Features,
}

impl Context<'_> {
    fn sparse(&self, keys: &[Bytes], types: &[DType]) -> Result<Vec<Tensor>> {
        let name = self.name;
        let mut sparse = Sparse::default();
        for (key, dtype) in keys.iter().zip(types) {
            let mut column = Column::new(*dtype)?;
            if let Some(kind) = find(&self.features, key) {
                check_type(name, "Context feature", key, kind, *dtype)?;
                column.extend(kind);
            }
            let count = column.len() as i64;
            sparse.push(&column, (0..count).collect(), vec![count])?;
        }
        Ok(sparse.into_outputs())
    }

    fn dense(&self, keys: &[Bytes], kinds: &[(DType, PartialShape)], defaults: &[&Tensor]) -> Result<Vec<Tensor>> {
        let (name, mut outputs) = (self.name, Vec::with_capacity(keys.len()));
        for ((key, (dtype, shape)), default) in keys.iter().zip(kinds).zip(defaults) {
            let whole = shape.to_shape().unwrap_or_default();
            let mut column = Column::new(*dtype)?;
            match find(&self.features, key) {
                Some(kind) => {
                    check_type(name, "Context feature", key, kind, *dtype)?;
                    ensure!(
                        kind_len(kind) == whole.num_elements(),
                        InvalidArgument,
                        "Unexpected number of elements in example {name}: {} values for shape {whole} of '{}'",
                        kind_len(kind),
                        String::from_utf8_lossy(key)
                    );
                    column.extend(kind);
                }
                None => {
                    ensure!(
                        default.num_elements() == whole.num_elements(),
                        InvalidArgument,
                        "Inconsistent max number of elements for feature {}: expected {}, but found {}",
                        String::from_utf8_lossy(key),
                        whole.num_elements(),
                        default.num_elements()
                    );
                    column.extend_from(default)?;
                }
            }
            outputs.push(column.to_tensor(whole)?);
        }
        Ok(outputs)
    }
}

/// The features of the sequence's steps.
struct Lists<'a> {
    /// The example's name in messages.
    name: &'a str,
    lists: BTreeMap<String, wire::FeatureList>,
}

impl Lists<'_> {
    fn get(&self, key: &Bytes) -> Option<&wire::FeatureList> {
        std::str::from_utf8(key).ok().and_then(|key| self.lists.get(key))
    }

    fn sparse(&self, keys: &[Bytes], types: &[DType]) -> Result<Vec<Tensor>> {
        let name = self.name;
        let mut sparse = Sparse::default();
        for (key, dtype) in keys.iter().zip(types) {
            let (mut column, mut places, mut longest, mut steps) = (Column::new(*dtype)?, Vec::new(), 0, 0);
            if let Some(list) = self.get(key) {
                steps = list.feature.len() as i64;
                for (step, feature) in list.feature.iter().enumerate() {
                    let Some(kind) = &feature.kind else { continue };
                    check_type(name, "Feature list", key, kind, *dtype)?;
                    let count = kind_len(kind) as i64;
                    places.extend((0..count).flat_map(|at| [step as i64, at]));
                    longest = longest.max(count);
                    column.extend(kind);
                }
            }
            sparse.push(&column, places, vec![steps, longest])?;
        }
        Ok(sparse.into_outputs())
    }

    /// A list that is not there is empty if it is `assumed` to be, else an error.
    fn dense(&self, keys: &[Bytes], kinds: &[(DType, PartialShape)], assumed: &[Bytes]) -> Result<Vec<Tensor>> {
        let (name, mut outputs) = (self.name, Vec::with_capacity(keys.len()));
        for (key, (dtype, shape)) in keys.iter().zip(kinds) {
            let step = shape.to_shape().unwrap_or_default();
            let mut column = Column::new(*dtype)?;
            let list = self.get(key);
            ensure!(
                list.is_some() || assumed.contains(key),
                InvalidArgument,
                "Name: {name}, Feature list '{}' is required but could not be found.  Did you mean to include it in \
                 feature_list_dense_missing_assumed_empty or feature_list_dense_defaults?",
                String::from_utf8_lossy(key)
            );
            let steps = list.map_or(&[][..], |list| &list.feature[..]);
            for (number, feature) in steps.iter().enumerate() {
                let Some(kind) = &feature.kind else {
                    return Err(err!(
                        InvalidArgument,
                        "Name: {name}, Feature list: {}, Index: {number}.  Data types don't match. Expected type: {dtype}, \
                         but there is no value",
                        String::from_utf8_lossy(key)
                    ));
                };
                check_type(name, "Feature list", key, kind, *dtype)?;
                ensure!(
                    kind_len(kind) == step.num_elements(),
                    InvalidArgument,
                    "Feature list '{}' has an unexpected number of values.  {} values in step {number} for shape {step}",
                    String::from_utf8_lossy(key),
                    kind_len(kind)
                );
                column.extend(kind);
            }
            let dims = [&[steps.len() as i64], step.dims()].concat();
            outputs.push(column.to_tensor(Shape::new(&dims)?)?);
        }
        Ok(outputs)
    }
}

/// Sparse tensors, as all their indices, all their values and all their shapes.
#[derive(Default)]
struct Sparse {
    indices: Vec<Tensor>,
    values: Vec<Tensor>,
    shapes: Vec<Tensor>,
}

impl Sparse {
    fn push(&mut self, column: &Column, places: Vec<i64>, shape: Vec<i64>) -> Result<()> {
        self.indices.push(Tensor::new([column.len() as i64, shape.len() as i64], places)?);
        self.values.push(column.to_tensor(Shape::vector(column.len()))?);
        self.shapes.push(Tensor::vector(&shape));
        Ok(())
    }

    fn into_outputs(self) -> Vec<Tensor> {
        [self.indices, self.values, self.shapes].concat()
    }
}

fn check_type(name: &str, what: &str, key: &Bytes, kind: &Kind, expected: DType) -> Result<()> {
    let actual = kind_type(kind);
    ensure!(
        actual == expected,
        InvalidArgument,
        "Name: {name}, {what}: {}.  Data types don't match. Expected type: {expected}, actual type: {actual}",
        String::from_utf8_lossy(key)
    );
    Ok(())
}
