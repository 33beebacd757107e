//! Moving elements without looking at them: strided reads and writes, joins and gathers.
//!
//! Elements are anything that can be cloned; plain ones move as whole runs of memory.

use math::threads::parallel_units;

/// Loops below this many elements are not worth a second thread.
const MIN_CHUNK: usize = 32 * 1024;
/// The block of a transposed walk: so many elements along the axis that is contiguous in the source and so many
/// along the one that is contiguous in the target. Few source lines, because they may all fall into one cache set.
const BLOCK_NEAR: usize = 16;
const BLOCK_FAR: usize = 8;

/// Positions in an array: from `start`, along each axis `size` steps of `step` elements, the last axis fastest.
/// Axes that can be walked as one are merged.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Walk {
    start: usize,
    axes: Vec<Axis>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Axis {
    size: usize,
    step: isize,
}

impl Walk {
    pub(crate) fn new(start: usize, axes: impl IntoIterator<Item = (usize, isize)>) -> Walk {
        let mut merged: Vec<Axis> = Vec::new();
        for (size, step) in axes {
            match merged.last_mut() {
                _ if size == 1 => {}
                Some(last) if last.step == step.wrapping_mul(size as isize) && last.size > 0 && size > 0 => {
                    *last = Axis { size: last.size.saturating_mul(size), step };
                }
                _ => merged.push(Axis { size, step }),
            }
        }
        Walk { start, axes: merged }
    }

    /// A walk over all of a row-major array of these dimensions, the axes taken in the order `axes`.
    pub(crate) fn permuted(dims: &[usize], axes: &[usize]) -> Walk {
        let steps = row_major_steps(dims);
        Walk::new(0, axes.iter().map(|axis| (dims[*axis], steps[*axis])))
    }

    /// How many positions there are.
    pub(crate) fn len(&self) -> usize {
        match self.axes.iter().any(|axis| axis.size == 0) {
            true => 0,
            false => self.axes.iter().map(|axis| axis.size).product(),
        }
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where the run begins, if the positions are one run in order.
    pub(crate) fn as_run(&self) -> Option<usize> {
        match self.axes[..] {
            [] | [Axis { step: 1, .. }] => Some(self.start),
            _ if self.is_empty() => Some(0),
            _ => None,
        }
    }

    fn assert_inside(&self, len: usize) {
        let (mut first, mut last) = (self.start as i128, self.start as i128);
        for axis in &self.axes {
            let reach = (axis.size as i128 - 1) * axis.step as i128;
            if reach < 0 { first += reach } else { last += reach }
        }
        assert!(first >= 0 && last < len as i128, "positions {first}..={last} of {len} elements");
    }
}

/// The distance between neighbours along each axis of a row-major array.
pub(crate) fn row_major_steps(dims: &[usize]) -> Vec<isize> {
    let mut steps = vec![1isize; dims.len()];
    for axis in (1..dims.len()).rev() {
        steps[axis - 1] = steps[axis].wrapping_mul(dims[axis] as isize);
    }
    steps
}

/// Positions in a row-major array of `dims`: every combination of the listed places along the axes, the last axis
/// fastest.
pub(crate) fn grid(places: &[Vec<usize>], dims: &[usize]) -> Vec<usize> {
    let mut positions = vec![0usize];
    for (list, dim) in places.iter().zip(dims) {
        positions = positions.iter().flat_map(|at| list.iter().map(move |place| at * dim + place)).collect();
    }
    positions
}

/// Counts through some axes, keeping the offset.
struct Counter<'a> {
    axes: &'a [Axis],
    index: Vec<usize>,
    offset: isize,
}

impl<'a> Counter<'a> {
    fn at(axes: &'a [Axis], mut position: usize) -> Counter<'a> {
        let mut counter = Counter { axes, index: vec![0; axes.len()], offset: 0 };
        for (axis, index) in axes.iter().zip(&mut counter.index).rev() {
            *index = position % axis.size;
            position /= axis.size;
            counter.offset += *index as isize * axis.step;
        }
        counter
    }

    fn advance(&mut self) {
        for (axis, index) in self.axes.iter().zip(&mut self.index).rev() {
            *index += 1;
            self.offset += axis.step;
            if *index < axis.size {
                return;
            }
            self.offset -= axis.step * axis.size as isize;
            *index = 0;
        }
    }
}

/// Copies the elements at the walk's positions in `src` to `out`, in order.
pub(crate) fn take<T: Clone + Send + Sync>(walk: &Walk, src: &[T], out: &mut [T]) {
    assert_eq!(walk.len(), out.len());
    if out.is_empty() {
        return;
    }
    walk.assert_inside(src.len());
    if let Some(start) = walk.as_run() {
        return parallel_units(out, 1, 2 * MIN_CHUNK, |first, run| {
            run.clone_from_slice(&src[start + first..start + first + run.len()]);
        });
    }
    let Some((inner, outer)) = walk.axes.split_last() else { return };
    if !(0..=1).contains(&inner.step)
        && let Some(near) = outer.iter().rposition(|axis| axis.step == 1)
    {
        return take_turned(walk, near, src, out);
    }
    let rows_at_once = (MIN_CHUNK / inner.size).max(1);
    parallel_units(out, inner.size, rows_at_once, |first, run| {
        let mut counter = Counter::at(outer, first);
        for row in run.chunks_exact_mut(inner.size) {
            let base = (walk.start as isize + counter.offset) as usize;
            match inner.step {
                1 => row.clone_from_slice(&src[base..base + row.len()]),
                0 => row.fill(src[base].clone()),
                step => {
                    for (i, slot) in row.iter_mut().enumerate() {
                        *slot = src[(base as isize + i as isize * step) as usize].clone();
                    }
                }
            }
            counter.advance();
        }
    });
}

/// A walk whose axis `near` is contiguous in the source while the last one is contiguous in the target: in blocks, so
/// that lines of both stay in the cache until they are used up.
fn take_turned<T: Clone + Send + Sync>(walk: &Walk, near: usize, src: &[T], out: &mut [T]) {
    let last = walk.axes.len() - 1;
    let (outer, middle) = (&walk.axes[..near], &walk.axes[near + 1..last]);
    let (rows, far) = (walk.axes[near].size, walk.axes[last]);
    let middles: usize = middle.iter().map(|axis| axis.size).product();
    let row = middles * far.size;
    parallel_units(out, row, (MIN_CHUNK / row).max(BLOCK_NEAR), |first, mut run| {
        let mut unit = first;
        while !run.is_empty() {
            let from = unit % rows;
            let count = (rows - from).min(run.len() / row);
            let (slab, rest) = run.split_at_mut(count * row);
            let base = walk.start as isize + Counter::at(outer, unit / rows).offset + from as isize;
            let mut counter = Counter::at(middle, 0);
            for part in 0..middles {
                let target = &mut slab[part * far.size..];
                turn_block(src, base + counter.offset, far.step, target, row, count, far.size);
                counter.advance();
            }
            (run, unit) = (rest, unit + count);
        }
    });
}

fn turn_block<T: Clone>(src: &[T], base: isize, step: isize, out: &mut [T], row: usize, rows: usize, columns: usize) {
    for top in (0..rows).step_by(BLOCK_NEAR) {
        for left in (0..columns).step_by(BLOCK_FAR) {
            let right = (left + BLOCK_FAR).min(columns);
            for i in top..(top + BLOCK_NEAR).min(rows) {
                let target = &mut out[i * row + left..i * row + right];
                let mut at = base + i as isize + left as isize * step;
                for slot in target {
                    *slot = src[at as usize].clone();
                    at += step;
                }
            }
        }
    }
}

/// Copies the elements of `src`, in order, to the walk's positions in `out`.
pub(crate) fn put<T: Clone>(walk: &Walk, src: &[T], out: &mut [T]) {
    assert_eq!(walk.len(), src.len());
    if src.is_empty() {
        return;
    }
    walk.assert_inside(out.len());
    let one = Axis { size: 1, step: 1 };
    let (inner, outer) = walk.axes.split_last().unwrap_or((&one, &[]));
    let mut counter = Counter::at(outer, 0);
    for row in src.chunks_exact(inner.size) {
        let base = (walk.start as isize + counter.offset) as usize;
        if inner.step == 1 {
            out[base..base + row.len()].clone_from_slice(row);
        } else {
            for (i, value) in row.iter().enumerate() {
                out[(base as isize + i as isize * inner.step) as usize] = value.clone();
            }
        }
        counter.advance();
    }
}

/// Joins arrays row by row: a row of `out` is a row of each part, one after the other. Each part is given with the
/// length of its rows.
pub(crate) fn join<T: Clone + Send + Sync>(parts: &[(&[T], usize)], out: &mut [T]) {
    assert_eq!(parts.iter().map(|(part, _)| part.len()).sum::<usize>(), out.len());
    if out.is_empty() {
        return;
    }
    let starts: Vec<usize> = parts
        .iter()
        .scan(0, |start, (_, len)| {
            *start += len;
            Some(*start - len)
        })
        .collect();
    let width: usize = parts.iter().map(|(_, len)| len).sum();
    parallel_units(out, 1, 2 * MIN_CHUNK, |first, mut run| {
        let mut row = first / width;
        // The last part that begins at or before the position; empty ones before it begin there too.
        let mut part = starts.partition_point(|start| *start <= first % width) - 1;
        let mut skip = first % width - starts[part];
        while !run.is_empty() {
            let (values, len) = parts[part];
            let count = (len - skip).min(run.len());
            let (target, rest) = run.split_at_mut(count);
            target.clone_from_slice(&values[row * len + skip..row * len + skip + count]);
            run = rest;
            (part, skip) = (part + 1, 0);
            if part == parts.len() {
                (part, row) = (0, row + 1);
            }
        }
    });
}

/// Sizes of a [`gather`]: `src` is `[batches, outer, rows, len]`, the indices `[batches, count]` and the result
/// `[batches, outer, count, len]`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct GatherSizes {
    pub(crate) batches: usize,
    pub(crate) outer: usize,
    pub(crate) rows: usize,
    pub(crate) count: usize,
    pub(crate) len: usize,
}

/// Copies the rows that the indices name. Indices must be below `rows`.
pub(crate) fn gather<T: Clone + Send + Sync>(sizes: GatherSizes, src: &[T], indices: &[usize], out: &mut [T]) {
    let GatherSizes { batches, outer, rows, count, len } = sizes;
    assert_eq!(src.len(), batches * outer * rows * len);
    assert_eq!([indices.len(), out.len()], [batches * count, batches * outer * count * len]);
    if out.is_empty() {
        return;
    }
    parallel_units(out, len, (MIN_CHUNK / len).max(1), |first, run| {
        let (mut slab, mut item) = (first / count, first % count);
        for target in run.chunks_exact_mut(len) {
            let row = indices[slab / outer * count + item];
            let start = (slab * rows + row) * len;
            match target {
                [slot] => *slot = src[start].clone(),
                target => target.clone_from_slice(&src[start..start + len]),
            }
            item += 1;
            if item == count {
                (slab, item) = (slab + 1, 0);
            }
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn taken(walk: &Walk, src: &[i32]) -> Vec<i32> {
        let mut out = vec![-1; walk.len()];
        take(walk, src, &mut out);
        out
    }

    #[test]
    fn axes_merge_where_they_are_one_run() {
        assert_eq!(Walk::new(2, [(3, 4), (1, 9), (4, 1)]).as_run(), Some(2));
        assert_eq!(Walk::new(0, [(3, 4), (3, 1)]).as_run(), None);
        assert_eq!(Walk::new(7, []).as_run(), Some(7));
        assert_eq!(Walk::new(7, [(0, 3), (usize::MAX, 1)]).len(), 0);
    }

    #[test]
    fn strided_reversed_and_repeated_reads() {
        let src: Vec<i32> = (0..12).collect();
        assert_eq!(taken(&Walk::new(1, [(2, 4), (2, 2)]), &src), [1, 3, 5, 7]);
        assert_eq!(taken(&Walk::new(11, [(3, -4), (2, -1)]), &src), [11, 10, 7, 6, 3, 2]);
        assert_eq!(taken(&Walk::new(0, [(2, 0), (2, 1), (2, 0)]), &src), [0, 0, 1, 1, 0, 0, 1, 1]);
    }

    #[test]
    fn a_turned_walk_visits_every_element_once() {
        // Odd sizes, so that blocks are cut off at both edges and threads start inside a slab.
        let dims = [3, 37, 5, 141];
        let src: Vec<i32> = (0..dims.iter().product::<usize>() as i32).collect();
        for axes in [[0, 3, 2, 1], [3, 1, 0, 2], [0, 2, 3, 1], [3, 2, 1, 0]] {
            let out = taken(&Walk::permuted(&dims, &axes), &src);
            let steps = row_major_steps(&dims);
            let mut expected = Vec::new();
            for i in 0..dims[axes[0]] {
                for j in 0..dims[axes[1]] {
                    for k in 0..dims[axes[2]] {
                        for l in 0..dims[axes[3]] {
                            let index = [i, j, k, l];
                            expected.push((0..4).map(|n| index[n] as i32 * steps[axes[n]] as i32).sum::<i32>());
                        }
                    }
                }
            }
            assert!(out == expected, "{axes:?}");
        }
    }

    #[test]
    fn writes_go_where_reads_come_from() {
        let walk = Walk::new(5, [(2, -4), (2, 1)]);
        let mut out = vec![0; 8];
        put(&walk, &[1, 2, 3, 4], &mut out);
        assert_eq!(out, [0, 3, 4, 0, 0, 1, 2, 0]);
        assert_eq!(taken(&walk, &out), [1, 2, 3, 4]);
    }

    #[test]
    fn rows_are_joined_and_empty_parts_skipped() {
        let mut out = vec![0; 6];
        join(&[(&[][..], 0), (&[1, 2][..], 1), (&[][..], 0), (&[3, 4, 5, 6][..], 2)], &mut out);
        assert_eq!(out, [1, 3, 4, 2, 5, 6]);
    }

    #[test]
    fn joining_in_parallel_starts_anywhere() {
        let (a, b) = (vec![1u8; 300_000], vec![2u8; 100_000]);
        let mut out = vec![0; 400_000];
        join(&[(&a[..], 3), (&b[..], 1)], &mut out);
        assert!(out.chunks(4).all(|row| row == [1, 1, 1, 2]));
    }

    #[test]
    fn gathering_with_batches() {
        let src: Vec<i32> = (0..12).collect();
        let mut out = vec![0; 8];
        let sizes = GatherSizes { batches: 2, outer: 1, rows: 3, count: 2, len: 2 };
        gather(sizes, &src, &[2, 0, 1, 1], &mut out);
        assert_eq!(out, [4, 5, 0, 1, 8, 9, 8, 9]);
    }
}
