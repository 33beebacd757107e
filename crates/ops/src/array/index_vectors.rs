//! Slices of tensors that index vectors name: where they lie, and how they are changed.

use graph::{Node, ReadAttrs};
use math::number::{Number, Real};
use tensor::{Complex64, Complex128, DType, Result, Shape, Tensor, bail, bf16, ensure, err, f16};

use crate::array::place_in;
use crate::moving::{Move, moved};

/// What to do with an index that points nowhere.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum BadIndices {
    Refuse,
    Ignore,
}

impl BadIndices {
    pub(crate) fn of(node: &Node) -> Result<BadIndices> {
        match node.attr_str("bad_indices_policy")? {
            "" | "DEFAULT" | "ERROR" => Ok(BadIndices::Refuse),
            "IGNORE" => Ok(BadIndices::Ignore),
            other => Err(err!(InvalidArgument, "Unknown bad_indices_policy: {other}")),
        }
    }
}

/// The slice each index vector names, as a number; `None` for one that points nowhere and is to be ignored.
pub(super) fn positions(
    indices: &Tensor,
    dims: &[i64],
    bad: BadIndices,
    wrong: impl Fn(usize, &[i64]) -> tensor::Status,
) -> Result<Vec<Option<usize>>> {
    let length = dims.len();
    let values = indices.to_i64_vec()?;
    // With empty index vectors each of them names the whole.
    let whole = || indices.dims().split_last().map_or(1, |(_, places)| places.iter().product::<i64>() as usize);
    let count = values.len().checked_div(length).unwrap_or_else(whole);
    let mut found = Vec::with_capacity(count);
    for place in 0..count {
        let index = &values[place * length..(place + 1) * length];
        let inside = index.iter().zip(dims).all(|(i, dim)| (0..*dim).contains(i));
        if inside {
            found.push(Some(index.iter().zip(dims).fold(0usize, |at, (i, dim)| at * *dim as usize + *i as usize)));
        } else if bad == BadIndices::Ignore {
            found.push(None);
        } else {
            return Err(wrong(place, index));
        }
    }
    Ok(found)
}

pub(super) fn listed(index: &[i64]) -> String {
    index.iter().map(|i| i.to_string()).collect::<Vec<_>>().join(", ")
}

/// How an update changes the slice that its index names.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Change {
    Add,
    Sub,
    Min,
    Max,
    Replace,
}

/// # Errors
/// `InvalidArgument` if indices and updates do not fit together, or not into a tensor of this shape.
pub(crate) fn check_updates(indices: &Tensor, updates: &Tensor, shape: &Shape) -> Result<()> {
    let Some((length, places)) = indices.dims().split_last() else {
        bail!(InvalidArgument, "Indices shape must have rank at least one. Found:{}", indices.shape())
    };
    let dims = shape.dims();
    let (outer, rank) = (places.len(), updates.shape().rank());
    ensure!(
        shape.num_elements() > 0 || (indices.num_elements() == 0 && updates.num_elements() == 0),
        InvalidArgument,
        "Indices and updates specified for empty output.  indices shape: {}",
        indices.shape()
    );
    ensure!(
        rank >= outer && &updates.dims()[..outer] == places,
        InvalidArgument,
        "Dimensions [0,{outer}) of indices[shape={}] must match dimensions [0,{outer}) of updates[shape={}]",
        indices.shape(),
        updates.shape()
    );
    let depth = *length as usize;
    ensure!(
        depth <= dims.len() && updates.dims()[outer..] == dims[depth..],
        InvalidArgument,
        "Dimensions [{depth},{}) of input[shape={shape}] must match dimensions [{outer},{rank}) of updates[shape={}]",
        dims.len(),
        updates.shape()
    );
    Ok(())
}

/// Changes the slices of `out` that the indices name, in order; what fits together was checked before.
///
/// # Errors
/// `InvalidArgument` for an index that points nowhere, before anything has changed.
pub(crate) fn change_slices(
    out: &mut Tensor,
    indices: &Tensor,
    updates: &Tensor,
    bad: BadIndices,
    change: Change,
) -> Result<()> {
    let Some((length, places)) = indices.dims().split_last() else { return Ok(()) };
    if out.num_elements() == 0 {
        return Ok(());
    }
    let (shape, depth) = (out.shape().clone(), *length as usize);
    let wrong = |place: usize, index: &[i64]| {
        let places = Shape::new(places).unwrap_or_default();
        err!(
            InvalidArgument,
            "indices{} = [{}] does not index into shape {shape}",
            place_in(&places, place),
            listed(index)
        )
    };
    let positions = positions(indices, &shape.dims()[..depth], bad, wrong)?;
    let len = shape.dims()[depth..].iter().product::<i64>() as usize;
    if change == Change::Replace {
        *out = replaced(out, updates, &positions, len)?;
        return Ok(());
    }
    if updates.dtype() == DType::Bool {
        ensure!(change == Change::Add, Unimplemented, "truth values only add up");
        apply(out.make_mut::<bool>()?, updates.as_slice::<bool>()?, &positions, len, |a, b| a | b);
        return Ok(());
    }
    if matches!(change, Change::Min | Change::Max) {
        return dispatch!(updates.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
            let pick = if change == Change::Min { <T as Real>::lesser } else { <T as Real>::greater };
            apply(out.make_mut::<T>()?, updates.as_slice::<T>()?, &positions, len, pick);
            Ok(())
        });
    }
    dispatch!(updates.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
        let pick = if change == Change::Add { <T as Number>::plus } else { <T as Number>::minus };
        apply(out.make_mut::<T>()?, updates.as_slice::<T>()?, &positions, len, pick);
        Ok(())
    })
}

fn apply<T: Copy>(out: &mut [T], updates: &[T], positions: &[Option<usize>], len: usize, change: impl Fn(T, T) -> T) {
    for (update, position) in updates.chunks_exact(len.max(1)).zip(positions) {
        if let Some(at) = position {
            for (slot, value) in out[at * len..(at + 1) * len].iter_mut().zip(update) {
                *slot = change(*slot, *value);
            }
        }
    }
}

/// The tensor with slices of it replaced, elements of any type.
fn replaced(tensor: &Tensor, updates: &Tensor, positions: &[Option<usize>], len: usize) -> Result<Tensor> {
    struct Replace<'a>(&'a [Option<usize>], usize);
    impl Move for Replace<'_> {
        fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
            out.clone_from_slice(inputs[0]);
            for (update, position) in inputs[1].chunks_exact(self.1.max(1)).zip(self.0) {
                if let Some(at) = position {
                    out[at * self.1..(at + 1) * self.1].clone_from_slice(update);
                }
            }
        }
    }
    moved(tensor.shape().clone(), &[tensor, updates], &Replace(positions, len))
}
