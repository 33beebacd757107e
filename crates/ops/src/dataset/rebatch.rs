//! Datasets whose elements are batches of others' elements: `RebatchDataset`, `RebatchDatasetV2`, `SlidingWindowDataset` and
//! `DenseToSparseBatchDataset`.

use std::collections::VecDeque;

use graph::op::{Kernel, OpContext, OpEntry, Registry, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::combining::{making, window_count, windows};
use super::elements::{Counted, Element, Elements, dataset_input};
use super::sources::scalar_i64;
use super::transforms::{By, Way, batch, batch_count};
use crate::moving::{Join, moved};
use crate::sparse::packed;

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &str = "output_types: list(type) >= 1";
    const SHAPES: &str = "output_shapes: list(shape) >= 1";
    let rest = |entry: OpEntry<'_>, build: fn(&Node) -> Result<Kernel>| {
        entry.shape(ShapeContext::scalar).any_kernel(build).not_differentiable();
    };
    let entry = r.op("RebatchDataset", "input_dataset: variant, num_replicas: int64 -> handle: variant");
    rest(entry.attr(TYPES).attr(SHAPES).attr("use_fallback: bool = true"), parts_kernel);
    let signature = "input_dataset: variant, batch_sizes: int64, drop_remainder: bool -> handle: variant";
    rest(r.op("RebatchDatasetV2", signature).attr(TYPES).attr(SHAPES), sizes_kernel);
    let signature =
        "input_dataset: variant, window_size: int64, window_shift: int64, window_stride: int64 -> handle: variant";
    let entry = r.op("SlidingWindowDataset", signature).attr("drop_remainder: bool = true");
    rest(entry.attr(TYPES).attr(SHAPES), sliding_kernel);
    let signature = "input_dataset: variant, batch_size: int64, row_shape: int64 -> handle: variant";
    rest(r.op("DenseToSparseBatchDataset", signature).attr(TYPES).attr(SHAPES), sparse_kernel);
}

/// The rows `start..end` of a tensor.
fn rows(tensor: &Tensor, start: i64, end: i64) -> Result<Tensor> {
    let Some((_, row)) = tensor.dims().split_first() else {
        bail!(InvalidArgument, "Cannot rebatch a scalar: all components need a batch dimension")
    };
    let row = Shape::new(row)?;
    let shape = Shape::new(&[&[end - start], row.dims()].concat())?;
    tensor.window(start as usize * row.num_elements(), shape)
}

/// Each batch is cut into as many parts as there are replicas, the last ones smaller or empty.
fn parts_kernel(_: &Node) -> Result<Kernel> {
    making(|cx: &OpContext<'_>| {
        let (input, replicas) = (dataset_input(cx, 0)?, scalar_i64(cx, 1, "num_replicas")?);
        ensure!(replicas > 0, InvalidArgument, "num_replicas must be greater than zero.");
        Ok(By(move |step: &Step| {
            let (mut way, mut whole, mut part) = (input.begin(step)?, Vec::new(), 0);
            Ok(Box::new(Way(move |step: &Step| {
                if part == 0 {
                    let Some(next) = way.next(step)? else { return Ok(None) };
                    whole = next;
                }
                let slice = |tensor: &Tensor| {
                    let all = tensor.dims().first().copied().unwrap_or(0);
                    let size = all / replicas + i64::from(all % replicas != 0);
                    let start = size.saturating_mul(part).min(all);
                    rows(tensor, start, start.saturating_add(size).min(all))
                };
                let element = whole.iter().map(slice).collect::<Result<Element>>()?;
                part = (part + 1) % replicas;
                Ok(Some(element))
            })) as Box<dyn Elements>)
        }))
    })
}

/// Batches of the given sizes, one after the other and again from the first.
fn sizes_kernel(node: &Node) -> Result<Kernel> {
    let (types, shapes) = (node.attr_types("output_types")?.to_vec(), node.attr_shapes("output_shapes")?.to_vec());
    making(move |cx: &OpContext<'_>| {
        let (input, sizes, last) = (dataset_input(cx, 0)?, cx.input(1)?, cx.input(2)?);
        ensure!(sizes.shape().rank() <= 1, InvalidArgument, "`batch_sizes` must be a scalar or a vector.");
        ensure!(last.shape().is_scalar(), InvalidArgument, "drop_remainder must be a scalar");
        let (sizes, drop_remainder) = (sizes.to_i64_vec()?, last.to_scalar::<bool>()?);
        let (types, shapes) = (types.clone(), shapes.clone());
        Ok(By(move |step: &Step| {
            ensure!(
                sizes.iter().all(|size| *size >= 0) && sizes.iter().any(|size| *size > 0),
                InvalidArgument,
                "batch_sizes must not be negative, nor all zero: {sizes:?}"
            );
            let (mut way, sizes, mut turn, mut over) = (input.begin(step)?, sizes.clone(), 0, false);
            let (types, shapes) = (types.clone(), shapes.clone());
            // What is left of the last batch, and how many of its rows were given.
            let mut open: Option<(Element, i64)> = None;
            Ok(Box::new(Way(move |step: &Step| {
                let wanted = sizes[turn];
                if wanted == 0 && !over {
                    turn = (turn + 1) % sizes.len();
                    return types
                        .iter()
                        .zip(&shapes)
                        .map(|(dtype, shape)| empty(*dtype, shape))
                        .collect::<Result<_>>()
                        .map(Some);
                }
                let (mut pieces, mut have): (Vec<Element>, i64) = (Vec::new(), 0);
                while have < wanted && !over {
                    step.cancellation.check()?;
                    if open.is_none() {
                        match way.next(step)? {
                            Some(batch) => open = Some((batch, 0)),
                            None => {
                                over = true;
                                break;
                            }
                        }
                    }
                    let Some((batch, given)) = &mut open else { break };
                    let all = batch.first().and_then(|tensor| tensor.dims().first().copied());
                    let Some(all) = all else {
                        bail!(
                            InvalidArgument,
                            "Cannot rebatch dataset: All components must have at least one dimension."
                        )
                    };
                    ensure!(
                        batch.iter().all(|tensor| tensor.dims().first() == Some(&all)),
                        InvalidArgument,
                        "Input element must have the same batch size in each component."
                    );
                    let end = all.min(*given + wanted - have);
                    if end > *given {
                        pieces.push(batch.iter().map(|tensor| rows(tensor, *given, end)).collect::<Result<_>>()?);
                        have += end - *given;
                    }
                    *given = end;
                    if end == all {
                        open = None;
                    }
                }
                if pieces.is_empty() || (have < wanted && drop_remainder) {
                    over = true;
                    return Ok(None);
                }
                turn = (turn + 1) % sizes.len();
                joined(&pieces, have).map(Some)
            })) as Box<dyn Elements>)
        }))
    })
}

fn empty(dtype: DType, shape: &PartialShape) -> Result<Tensor> {
    let inner = shape.raw_dims().unwrap_or(&[]).iter().skip(1).map(|dim| (*dim).max(0));
    Tensor::zeros(dtype, &Shape::new(&std::iter::once(0).chain(inner).collect::<Vec<_>>())?)
}

/// Pieces of batches below each other.
fn joined(pieces: &[Element], rows: i64) -> Result<Element> {
    if let [piece] = pieces {
        return Ok(piece.clone());
    }
    (0..pieces[0].len())
        .map(|component| {
            let parts: Vec<&Tensor> = pieces.iter().filter_map(|piece| piece.get(component)).collect();
            let row = parts[0].dims()[1..].to_vec();
            ensure!(
                parts.len() == pieces.len()
                    && parts
                        .iter()
                        .all(|part| part.dtype() == parts[0].dtype() && part.dims().get(1..) == Some(&row[..])),
                InvalidArgument,
                "Cannot rebatch tensors with different shapes in component {component}: {} and others",
                parts[0].shape()
            );
            let lengths: Vec<usize> = parts.iter().map(|part| part.num_elements()).collect();
            moved(Shape::new(&[&[rows], &row[..]].concat())?, &parts, &Join(&lengths))
        })
        .collect()
}

fn sliding_kernel(node: &Node) -> Result<Kernel> {
    let drop_remainder = node.attr_bool("drop_remainder")?;
    making(move |cx: &OpContext<'_>| {
        let input = dataset_input(cx, 0)?;
        let read = |index: usize, name: &str| -> Result<usize> {
            let value = scalar_i64(cx, index, &format!("window_{name}"))?;
            ensure!(value > 0, InvalidArgument, "Window {name} must be greater than zero.");
            Ok(value as usize)
        };
        let (size, shift, stride) = (read(1, "size")?, read(2, "shift")?, read(3, "stride")?);
        let span = (size - 1).saturating_mul(stride).saturating_add(1);
        let known = window_count(input.cardinality(), span as i64, shift as i64, drop_remainder);
        let windows = By(move |step: &Step| {
            let make =
                |chosen: &[&Element]| batch(&chosen.iter().map(|element| (*element).clone()).collect::<Vec<_>>());
            Ok(windows(input.begin(step)?, (size, shift, stride), drop_remainder, make))
        });
        Ok(Counted(windows, known))
    })
}

/// Batches of dense tensors of different sizes, as sparse tensors.
fn sparse_kernel(_: &Node) -> Result<Kernel> {
    making(|cx: &OpContext<'_>| {
        let (input, size, row) = (dataset_input(cx, 0)?, scalar_i64(cx, 1, "batch_size")?, cx.input(2)?);
        ensure!(size > 0, InvalidArgument, "Batch size must be greater than zero.");
        ensure!(row.shape().rank() == 1, InvalidArgument, "row_shape must be a vector");
        let row = row.to_i64_vec()?;
        ensure!(row.iter().all(|dim| *dim >= -1), InvalidArgument, "row_shape must not be negative: {row:?}");
        let known = batch_count(input.cardinality(), size, false);
        let batched = By(move |step: &Step| {
            let (mut way, row, mut over) = (input.begin(step)?, row.clone(), false);
            Ok(Box::new(Way(move |step: &Step| {
                let mut elements = VecDeque::new();
                while !over && (elements.len() as i64) < size {
                    step.cancellation.check()?;
                    match way.next(step)? {
                        Some(element) => elements.extend(element.into_iter().next()),
                        None => over = true,
                    }
                }
                if elements.is_empty() {
                    return Ok(None);
                }
                let elements: Vec<Tensor> = elements.into();
                Ok(Some(vec![sparse(&elements, &row)?]))
            })) as Box<dyn Elements>)
        });
        Ok(Counted(batched, known))
    })
}

fn sparse(elements: &[Tensor], row: &[i64]) -> Result<Tensor> {
    let mut shape: Vec<i64> =
        std::iter::once(elements.len() as i64).chain(row.iter().map(|dim| (*dim).max(0))).collect();
    let mut indices: Vec<i64> = Vec::new();
    for (number, element) in elements.iter().enumerate() {
        let fits = element.dims().len() == row.len()
            && element.dtype() == elements[0].dtype()
            && element.dims().iter().zip(row).all(|(dim, limit)| *limit < 0 || dim <= limit);
        ensure!(
            fits,
            DataLoss,
            "Input element had shape ({}) that is incompatible with the row shape ({}).",
            element.shape(),
            PartialShape::from_dims(row)
        );
        for (axis, dim) in element.dims().iter().enumerate() {
            shape[axis + 1] = shape[axis + 1].max(*dim);
        }
        let mut at = vec![0i64; row.len()];
        for _ in 0..element.num_elements() {
            indices.push(number as i64);
            indices.extend_from_slice(&at);
            for axis in (0..at.len()).rev() {
                at[axis] += 1;
                if at[axis] < element.dims()[axis] {
                    break;
                }
                at[axis] = 0;
            }
        }
    }
    let parts: Vec<&Tensor> = elements.iter().collect();
    let lengths: Vec<usize> = elements.iter().map(Tensor::num_elements).collect();
    let count = lengths.iter().sum::<usize>();
    let values = moved(Shape::vector(count), &parts, &Join(&lengths))?;
    let indices = Tensor::new([count as i64, row.len() as i64 + 1], indices)?;
    packed(vec![indices, values, Tensor::vector(&shape)], Shape::vector(3), DType::Variant)
}
