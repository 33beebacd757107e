//! `RaggedTensorToVariant`, `RaggedTensorFromVariant` and `RaggedTensorToVariantGradient`: ragged tensors as elements of other
//! tensors, each with its row splits and values.

use std::any::Any;

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{
    DType, Extent, PartialShape, Result, Shape, Tensor, Variant, VariantData, VariantValue, bail, ensure, err,
};

use super::splits::row_splits;
use crate::arguments::{int_tensor, shape_node};
use crate::moving::{Join, moved};

pub(crate) fn register(r: &mut Registry) {
    let signature = "rt_nested_splits: RAGGED_RANK * Tsplits, rt_dense_values: Tvalues -> encoded_ragged: variant";
    r.op("RaggedTensorToVariant", signature)
        .attr("RAGGED_RANK: int >= 0")
        .attr("Tvalues: type")
        .attr("Tsplits: {int32, int64} = int64")
        .attr("batched_input: bool")
        .shape(to_shape)
        .any_kernel(to_kernel)
        .gradient(gradient);
    let signature =
        "encoded_ragged: variant -> output_nested_splits: output_ragged_rank * Tsplits, output_dense_values: Tvalues";
    r.op("RaggedTensorFromVariant", signature)
        .attr("input_ragged_rank: int >= -1")
        .attr("output_ragged_rank: int >= 0")
        .attr("Tvalues: type")
        .attr("Tsplits: {int32, int64} = int64")
        .shape(from_shape)
        .any_kernel(from_kernel)
        .gradient(from_gradient);
    let signature =
        "encoded_ragged_grad: variant, row_splits: Tsplits, dense_values_shape: int32 -> dense_values_grad: Tvalues";
    r.op("RaggedTensorToVariantGradient", signature)
        .attr("Tvalues: type")
        .attr("Tsplits: {int32, int64} = int64")
        .shape(gradient_shape)
        .any_kernel(gradient_kernel);
}

/// A ragged tensor as an element.
#[derive(Clone, Debug)]
struct Ragged {
    splits: Vec<Tensor>,
    values: Tensor,
}

const TYPE_NAME: &str = "RaggedTensorVariant";

impl VariantValue for Ragged {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn extent(&self) -> Extent {
        Extent::of(self.splits.iter().chain([&self.values]))
    }

    fn to_data(&self) -> Option<VariantData> {
        let tensors = self.splits.iter().chain([&self.values]).cloned().collect();
        Some(VariantData { type_name: TYPE_NAME.to_owned(), metadata: Vec::new(), tensors })
    }
}

fn ragged_in(variant: &Variant) -> Option<Ragged> {
    let decode = |data: &VariantData| {
        let (values, splits) = data.tensors.split_last()?;
        Some(Ragged { splits: splits.to_vec(), values: values.clone() })
    };
    variant.get(TYPE_NAME, decode)
}

/// A ragged tensor as a scalar on an edge.
///
/// # Errors
/// `ResourceExhausted` if variants would be nested too deep.
pub(crate) fn ragged_tensor(splits: Vec<Tensor>, values: Tensor) -> Result<Tensor> {
    Tensor::from_variants(Shape::scalar(), vec![Variant::new(Ragged { splits, values })?])
}

fn to_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let ragged = cx.num_inputs() - 1;
    for index in 0..ragged {
        cx.with_rank(index, 1)?;
    }
    let values = cx.with_rank_at_least(ragged, ragged.min(1))?;
    if !cx.attr_bool("batched_input")? {
        cx.set(0, PartialShape::scalar());
    } else if ragged > 0 {
        cx.set(0, PartialShape::vector(cx.input(0).dim(0).map(|splits| splits - 1)));
    } else {
        cx.set(0, PartialShape::vector(values.dim(0)));
    }
    Ok(())
}

fn to_kernel(node: &Node) -> Result<Kernel> {
    let (ragged, batched) = (node.attr_int("RAGGED_RANK")? as usize, node.attr_bool("batched_input")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let values = cx.input(ragged)?.clone();
        let splits: Vec<Tensor> = cx.inputs(0..ragged)?.into_iter().cloned().collect();
        if !batched {
            cx.set_output(0, ragged_tensor(splits, values)?);
            return Ok(());
        }
        let Some(rows) = values.dims().first().copied() else {
            bail!(InvalidArgument, "a scalar has no rows to be made variants of")
        };
        let mut nested = Vec::with_capacity(ragged);
        for index in 0..ragged {
            let next = match index + 1 < ragged {
                true => splits[index + 1].num_elements().saturating_sub(1),
                false => rows as usize,
            };
            nested.push(row_splits(&splits[index], Some(next))?);
        }
        let dtype = splits.first().map_or(DType::Int64, Tensor::dtype);
        let count = nested.first().map_or(rows, |outer| outer.len() as i64 - 1);
        let inner = Shape::new(&values.dims()[1..])?;
        tensor::memory::ensure_free((count as u64).saturating_mul(256), format_args!("{count} ragged tensors"))?;
        let mut variants = Vec::with_capacity(count as usize);
        for row in 0..count as usize {
            // Without splits a row is one of the values; else what it holds is looked up level by level.
            let Some((outer, deeper)) = nested.split_first() else {
                let own = values.window(row * inner.num_elements(), inner.clone())?;
                variants.push(Variant::new(Ragged { splits: Vec::new(), values: own })?);
                continue;
            };
            let (mut start, mut end) = (outer[row], outer[row + 1]);
            let mut own = Vec::with_capacity(deeper.len());
            for level in deeper {
                let part = &level[start as usize..=end as usize];
                let shifted: Vec<i64> = part.iter().map(|split| split - part[0]).collect();
                own.push(int_tensor(&shifted, dtype)?);
                (start, end) = (part[0], part[part.len() - 1]);
            }
            let shape = Shape::new(&[&[end - start], inner.dims()].concat())?;
            let values = values.window(start as usize * inner.num_elements(), shape)?;
            variants.push(Variant::new(Ragged { splits: own, values })?);
        }
        cx.set_output(0, Tensor::from_variants(Shape::vector(variants.len()), variants)?);
        Ok(())
    }))
}

fn from_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (inside, outside) = (cx.attr_int("input_ragged_rank")?, cx.attr_int("output_ragged_rank")?);
    if let (true, Some(rank)) = (inside >= 0, cx.input(0).rank()) {
        ensure!(
            rank as i64 + inside == outside,
            InvalidArgument,
            "Shape must be rank {} but is rank {rank}",
            outside - inside
        );
    }
    for index in 0..outside.max(0) as usize {
        cx.set(index, PartialShape::vector(None));
    }
    Ok(())
}

fn from_kernel(node: &Node) -> Result<Kernel> {
    let (inside, outside) = (node.attr_int("input_ragged_rank")?, node.attr_int("output_ragged_rank")?);
    let (values_type, splits_type) = (node.attr_type("Tvalues")?, node.attr_type("Tsplits")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let encoded = cx.input(0)?;
        let outer = encoded.dims().to_vec();
        let inside = if inside == -1 { outside - outer.len() as i64 } else { inside };
        ensure!(
            inside >= 0,
            InvalidArgument,
            "Inferred input_ragged_rank (output_ragged_rank - encoded_variant.dims()) must be >= 0, found output_ragged_rank: \
             {outside}, encoded_variant.dims(): {}, inferred input_ragged_rank: {inside}",
            outer.len()
        );
        ensure!(
            outside == inside + outer.len() as i64,
            InvalidArgument,
            "output_ragged_rank must be equal to input_ragged_rank + encoded_ragged.dims(); output_ragged_rank: {outside}, \
             input_ragged_rank: {inside}, encoded_variant.dims(): {}",
            outer.len()
        );
        let mut parts = Vec::new();
        for (number, variant) in encoded.variants()?.iter().enumerate() {
            let Some(part) = ragged_in(variant) else {
                bail!(
                    InvalidArgument,
                    "Input Variant element at index {number} doesn't hold a RaggedTensorVariant: {}",
                    variant.value().type_name()
                )
            };
            ensure!(
                part.splits.len() as i64 == inside,
                InvalidArgument,
                "Encoded input RaggedTensorVariant has ragged_rank={}.  Expected ragged_rank={inside}.",
                part.splits.len()
            );
            ensure!(
                part.values.dtype() == values_type,
                InvalidArgument,
                "Expected values Tensor dtype: {values_type}, found: {}",
                part.values.dtype()
            );
            ensure!(
                part.values.shape().rank() >= 1 || outer.is_empty(),
                InvalidArgument,
                "Ragged values must have rank >= 1; encoded scalar element at index {number} has values Tensor: {:?}",
                part.values
            );
            if let Some(wrong) = part.splits.iter().find(|splits| splits.dtype() != splits_type) {
                bail!(InvalidArgument, "Expected row_splits Tensor dtype: {splits_type}, found: {}", wrong.dtype());
            }
            parts.push(part);
        }
        if outer.is_empty() {
            let Some(part) = parts.pop() else { bail!(InvalidArgument, "an empty variant") };
            let count = part.splits.len();
            for (index, splits) in part.splits.into_iter().enumerate() {
                cx.set_output(index, splits);
            }
            cx.set_output(count, part.values);
            return Ok(());
        }
        let (splits, values) = stacked(&parts, &outer, inside as usize, values_type)?;
        let count = splits.len();
        for (index, splits) in splits.iter().enumerate() {
            cx.set_output(index, int_tensor(splits, splits_type)?);
        }
        cx.set_output(count, values);
        Ok(())
    }))
}

/// Ragged tensors below each other, as many as the outer dimensions say: their splits and values.
fn stacked(parts: &[Ragged], outer: &[i64], inside: usize, dtype: DType) -> Result<(Vec<Vec<i64>>, Tensor)> {
    let mut splits: Vec<Vec<i64>> = Vec::new();
    // The outer dimensions but the last are regular.
    let mut rows = 1i64;
    for pair in outer.windows(2) {
        rows = rows.checked_mul(pair[0]).ok_or_else(|| err!(InvalidArgument, "too many rows"))?;
        tensor::memory::ensure_free((rows as u64).saturating_mul(8), format_args!("{rows} rows of ragged tensors"))?;
        splits.push((0..=rows).map(|row| row.saturating_mul(pair[1])).collect());
    }
    // Each part is a row; what it holds are the rows of its first splits, or its values.
    let length = |part: &Ragged| match part.splits.first() {
        Some(first) => first.num_elements().saturating_sub(1) as i64,
        None => part.values.dims().first().copied().unwrap_or(0),
    };
    let mut rows = vec![0];
    for part in parts {
        rows.push(rows[rows.len() - 1] + length(part));
    }
    splits.push(rows);
    for level in 0..inside {
        let mut joined = vec![0i64];
        for (number, part) in parts.iter().enumerate() {
            let own = part.splits[level].to_i64_vec()?;
            ensure!(!own.is_empty(), InvalidArgument, "Invalid splits: the part {number} has none at level {level}");
            let base = joined[joined.len() - 1];
            joined.extend(own[1..].iter().map(|split| base.saturating_add(*split)));
        }
        splits.push(joined);
    }
    let Some(first) = parts.first() else {
        return Ok((splits, Tensor::zeros(dtype, &Shape::new(&[0])?)?));
    };
    let row = first.values.dims()[1..].to_vec();
    let mut total = 0;
    for part in parts {
        ensure!(
            part.values.dims()[1..] == row[..],
            InvalidArgument,
            "All flat_values must have compatible shapes.  Shape at index 0: {}.  Another: {}",
            first.values.shape(),
            part.values.shape()
        );
        total += part.values.dims()[0];
    }
    let tensors: Vec<&Tensor> = parts.iter().map(|part| &part.values).collect();
    let lengths: Vec<usize> = tensors.iter().map(|tensor| tensor.num_elements()).collect();
    let values = moved(Shape::new(&[&[total], &row[..]].concat())?, &tensors, &Join(&lengths))?;
    Ok((splits, values))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let ragged = cx.attr_int("RAGGED_RANK")? as usize;
    let values = cx.x(ragged);
    let splits = if ragged > 0 { cx.x(0) } else { cx.graph.constant(0i64) };
    let grad = cx
        .op("RaggedTensorToVariantGradient")
        .input(cx.dy(0)?)
        .input(splits)
        .input(shape_node(cx, &values, DType::Int32))
        .attr("Tvalues", cx.attr_type("Tvalues")?)
        .output();
    let mut gradients: Vec<Option<Gradient>> = (0..ragged).map(|_| None).collect();
    gradients.push(Some(grad.into()));
    Ok(gradients)
}

fn from_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let outside = cx.attr_int("output_ragged_rank")? as usize;
    let batched = match cx.x(0).shape().rank() {
        Some(0) => false,
        Some(1) => true,
        None => outside > 0,
        Some(rank) => {
            bail!(Unimplemented, "Unable to compute gradient: variants of rank {rank} are made of 0D or 1D only")
        }
    };
    let splits: Vec<_> = (0..outside).map(|index| cx.y(index)).collect();
    let encoded = cx
        .op("RaggedTensorToVariant")
        .input_list(&splits)
        .input(cx.dy(outside)?)
        .attr("batched_input", batched)
        .attr("Tsplits", cx.attr_type("Tsplits")?)
        .output();
    Ok(vec![Some(encoded.into())])
}

fn gradient_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(2);
    cx.set(0, shape);
    Ok(())
}

/// The gradients of the rows below each other; rows without one have zeros.
fn gradient_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("Tvalues")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (encoded, splits) = (cx.input(0)?, cx.input(1)?.to_i64_vec()?);
        let shape = cx.input(2)?.to_i64_vec()?;
        let mut parts = Vec::new();
        for (number, variant) in encoded.variants()?.iter().enumerate() {
            match ragged_in(variant) {
                Some(part) => {
                    ensure!(
                        part.values.dtype() == dtype,
                        InvalidArgument,
                        "a gradient of {} instead of {dtype}",
                        part.values.dtype()
                    );
                    parts.push(part.values);
                }
                None => {
                    let Some([start, end]) = splits.get(number..number + 2) else {
                        bail!(InvalidArgument, "{} splits for {} rows", splits.len(), encoded.num_elements())
                    };
                    let dims: Vec<i64> = std::iter::once(end - start).chain(shape.iter().skip(1).copied()).collect();
                    parts.push(Tensor::zeros(dtype, &Shape::new(&dims)?)?);
                }
            }
        }
        if let [whole] = &parts[..] {
            let whole = whole.clone();
            cx.set_output(0, whole);
            return Ok(());
        }
        let Some(row) = parts.first().map(|part| part.dims().get(1..).unwrap_or(&[]).to_vec()) else {
            cx.set_output(0, Tensor::zeros(dtype, &Shape::new(&shape)?)?);
            return Ok(());
        };
        let mut total = 0;
        for part in &parts {
            ensure!(
                part.shape().rank() == row.len() + 1 && part.dims()[1..] == row[..],
                InvalidArgument,
                "Unable to concatenate gradients of different shapes: {} and others",
                part.shape()
            );
            total += part.dims()[0];
        }
        let lengths: Vec<usize> = parts.iter().map(Tensor::num_elements).collect();
        let all: Vec<&Tensor> = parts.iter().collect();
        let output = moved(Shape::new(&[&[total], &row[..]].concat())?, &all, &Join(&lengths))?;
        cx.set_output(0, output);
        Ok(())
    }))
}
