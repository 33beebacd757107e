//! What a slice means: `begin`, `end`, `strides` and the five masks, against a shape that may be partly unknown.

use graph::ReadAttrs;
use tensor::{PartialShape, Result, Shape, bail, ensure};

use crate::strided::{Walk, row_major_steps};

/// The masks: bit `i` speaks of the `i`th entry of `begin`, `end` and `strides`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Masks {
    pub(super) begin: i64,
    pub(super) end: i64,
    pub(super) ellipsis: i64,
    pub(super) new_axis: i64,
    pub(super) shrink_axis: i64,
}

impl Masks {
    pub(crate) fn of(node: &impl ReadAttrs) -> Result<Masks> {
        Ok(Masks {
            begin: node.attr_int("begin_mask")?,
            end: node.attr_int("end_mask")?,
            ellipsis: node.attr_int("ellipsis_mask")?,
            new_axis: node.attr_int("new_axis_mask")?,
            shrink_axis: node.attr_int("shrink_axis_mask")?,
        })
    }
}

fn bit(mask: i64, index: usize) -> bool {
    index < 32 && mask >> index & 1 == 1
}

/// The entries of a slice, one for each given axis; `begin` and `end` may be unknown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entries<'a> {
    pub(super) begin: Option<&'a [i64]>,
    pub(super) end: Option<&'a [i64]>,
    pub(super) strides: &'a [i64],
    pub(super) masks: Masks,
}

/// What becomes of an axis of the input.
#[derive(Clone, Copy, Debug)]
struct AxisEntry {
    /// `None` means from one end on.
    begin: Option<i64>,
    end: Option<i64>,
    stride: i64,
    begin_masked: bool,
    end_masked: bool,
    shrink: bool,
    known: bool,
}

/// An axis of the result.
#[derive(Clone, Copy, Debug)]
enum OutAxis {
    Of(usize),
    New,
}

/// A slice, resolved: for each axis of the input where it begins, its stride and how many are taken (-1: unknown), and
/// the shape of the result.
#[derive(Debug)]
pub(crate) struct Slice {
    begin: Vec<i64>,
    stride: Vec<i64>,
    size: Vec<i64>,
    pub(crate) shape: Vec<i64>,
}

impl Slice {
    /// # Errors
    /// `InvalidArgument` for entries that do not fit the dimensions, of which -1 are unknown.
    pub(super) fn resolve(dims: &[i64], entries: Entries<'_>) -> Result<Slice> {
        let (axes, layout) = spread(dims.len(), entries)?;
        let mut slice = Slice { begin: Vec::new(), stride: Vec::new(), size: Vec::new(), shape: Vec::new() };
        for (at, (dim, axis)) in dims.iter().zip(&axes).enumerate() {
            let (begin, size) = axis.on(at, *dim)?;
            slice.begin.push(begin);
            slice.stride.push(axis.stride);
            slice.size.push(size);
        }
        for axis in layout {
            slice.shape.push(match axis {
                OutAxis::Of(at) => slice.size[at],
                OutAxis::New => 1,
            });
        }
        Ok(slice)
    }

    /// The positions of the slice in a tensor of this shape, which must be the one it was resolved for.
    pub(crate) fn walk(&self, of: &Shape) -> Walk {
        if self.size.contains(&0) {
            return Walk::new(0, [(0, 1)]);
        }
        let dims: Vec<usize> = of.dims().iter().map(|dim| *dim as usize).collect();
        let steps = row_major_steps(&dims);
        let start: i64 = self.begin.iter().zip(&steps).map(|(begin, step)| begin * *step as i64).sum();
        let axes = self.size.iter().zip(&self.stride).zip(&steps);
        // With one element there is no next one, and the stride may be anything.
        let step = |size: i64, stride: i64, step: isize| if size == 1 { 0 } else { stride as isize * step };
        Walk::new(start as usize, axes.map(|((size, stride), unit)| (*size as usize, step(*size, *stride, *unit))))
    }

    pub(super) fn partial_shape(&self) -> PartialShape {
        PartialShape::from_dims(&self.shape)
    }
}

/// Gives every axis of the input its entry, and lays out the axes of the result.
fn spread(rank: usize, entries: Entries<'_>) -> Result<(Vec<AxisEntry>, Vec<OutAxis>)> {
    let Entries { begin, end, strides, masks } = entries;
    let given = strides.len();
    let mut ellipsis = None;
    let mut new_after_ellipsis = 0;
    for entry in 0..given {
        if bit(masks.ellipsis, entry) {
            ensure!(ellipsis.is_none(), InvalidArgument, "Multiple ellipses in slice spec not allowed");
            ellipsis = Some(entry);
        } else if ellipsis.is_some() && bit(masks.new_axis, entry) {
            new_after_ellipsis += 1;
        }
    }
    let whole = AxisEntry {
        begin: None,
        end: None,
        stride: 1,
        begin_masked: true,
        end_masked: true,
        shrink: false,
        known: true,
    };
    let (mut axes, mut layout) = (Vec::with_capacity(rank), Vec::new());
    // Without an ellipsis there is one at the end.
    let last = ellipsis.map_or(given, |_| given.saturating_sub(1));
    for entry in 0..=last {
        if ellipsis.map_or(entry == given, |at| at == entry) {
            // It stands for all axes but those of the entries behind it.
            let count = last + 1;
            let until = (rank + 1 + new_after_ellipsis).saturating_sub(count - entry).min(rank);
            while axes.len() < until {
                layout.push(OutAxis::Of(axes.len()));
                axes.push(whole);
            }
        } else if bit(masks.new_axis, entry) {
            layout.push(OutAxis::New);
        } else {
            ensure!(rank > 0, InvalidArgument, "Attempting to slice scalar input.");
            ensure!(
                axes.len() < rank,
                InvalidArgument,
                "Index out of range using input dim {}; input has only {rank} dims",
                axes.len()
            );
            let Some(stride) = strides.get(entry).copied() else { break };
            let value = |list: Option<&[i64]>| list.and_then(|list| list.get(entry)).copied();
            let shrink = bit(masks.shrink_axis, entry);
            if !shrink {
                layout.push(OutAxis::Of(axes.len()));
            }
            axes.push(AxisEntry {
                begin: value(begin),
                end: value(end),
                stride,
                begin_masked: bit(masks.begin, entry),
                end_masked: bit(masks.end, entry),
                shrink,
                known: begin.is_some() && end.is_some(),
            });
        }
    }
    // An ellipsis that had to stand for fewer axes than none leaves some over.
    while axes.len() < rank {
        layout.push(OutAxis::Of(axes.len()));
        axes.push(whole);
    }
    Ok((axes, layout))
}

impl AxisEntry {
    /// Where the slice begins on axis `at` of size `dim`, and how many it takes: -1 if that is unknown.
    fn on(&self, at: usize, dim: i64) -> Result<(i64, i64)> {
        ensure!(self.stride != 0, InvalidArgument, "strides[{at}] must be non-zero");
        ensure!(!self.shrink || self.stride > 0, InvalidArgument, "only stride 1 allowed on non-range indexing.");
        if self.shrink && (dim < 0 || !self.known) {
            return Ok((0, 1));
        }
        if dim < 0 {
            return Ok((0, -1));
        }
        let forward = self.stride > 0;
        let counted = |index: i64| if index < 0 { index.saturating_add(dim) } else { index };
        if self.shrink {
            let Some(index) = self.begin.map(counted) else { bail!(Internal, "an index without a value") };
            ensure!((0..dim).contains(&index), InvalidArgument, "slice index {index} of dimension {at} out of bounds.");
            return Ok((index, 1));
        }
        let whole = self.begin_masked && self.end_masked;
        if !self.known && !whole {
            return Ok((0, -1));
        }
        let (low, high) = if forward { (0, dim) } else { (-1, dim - 1) };
        let begin = match self.begin {
            Some(begin) if !self.begin_masked => counted(begin).clamp(low, high.max(low)),
            _ => {
                if forward {
                    low
                } else {
                    high
                }
            }
        };
        let end = match self.end {
            Some(end) if !self.end_masked => counted(end).clamp(low, high.max(low)),
            _ => {
                if forward {
                    high
                } else {
                    low
                }
            }
        };
        let distance = end - begin;
        if distance == 0 || (distance < 0) == forward {
            return Ok((0, 0));
        }
        Ok((begin, distance / self.stride + (distance % self.stride != 0) as i64))
    }
}
