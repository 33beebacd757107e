//! Products of `f32` and `f64` matrices by our own kernels.
//!
//! The right operand is packed into panels first, by all threads; then the threads take blocks of
//! the result. The left operand is read where it lies, unless it is transposed or the result is
//! wide: then each block packs its rows. Every element sums its products in the same order however the work is cut.

use super::Product;
use crate::kernel::{Blocks, Call, Kernel, Micro};
use crate::scratch::with_scratch;
use crate::threads::{SharedMut, parallel_for, parallel_units, threads};
use std::ops::Range;

/// Up to this many rows a panel is packed by the task that uses it, a depth at a time.
const FEW_ROWS: usize = 256;
/// From this many columns on, packing the left operand too pays: its rows are read so often that
/// their distance in memory matters.
const PACK_FROM: usize = 512;
/// Up to this depth it counts most how the result is written: row by row, so that no line of memory is touched twice.
const SHALLOW: usize = 48;
/// Multiplications that are worth a task.
const GRAIN: usize = 128 * 1024;

/// `c = a b` for non-empty operands of checked sizes.
pub(super) fn multiply<T: Micro>(kernel: &Kernel<T>, p: &Product, a: &[T], b: &[T], c: &mut [T]) {
    let Kernel { rows, width, .. } = *kernel;
    let cut = Cut { kernel, rows, width, blocks: kernel.blocks(), p, a, b };
    let panels = p.n.div_ceil(width);
    let c = SharedMut::new(c);
    if p.m <= FEW_ROWS && !p.a_transposed && panels >= 4 * threads() {
        return cut.few_rows(panels, &c);
    }
    let at_a_time = (cut.blocks.packed / (p.k * width)).clamp(1, panels);
    for first in (0..panels).step_by(at_a_time) {
        let count = at_a_time.min(panels - first);
        with_scratch(count * p.k * width, |packed| {
            cut.pack(first, packed);
            cut.tasks(&Columns { first, count, packed, depth: (0, p.k) }, &c);
        });
    }
}

/// A product and how it is cut.
struct Cut<'a, T: 'static> {
    kernel: &'a Kernel<T>,
    rows: usize,
    width: usize,
    blocks: Blocks,
    p: &'a Product,
    a: &'a [T],
    b: &'a [T],
}

/// Some panels of the right operand, packed one after the other.
struct Columns<'a, T> {
    first: usize,
    count: usize,
    packed: &'a [T],
    /// The first depth that is packed, and how many.
    depth: (usize, usize),
}

/// Where rows of the left operand lie: `place(row, depth)` is where the first row of a tile starts at a depth, then come the
/// distances of rows and of the elements of a row.
struct Rows<'a, T> {
    place: &'a dyn Fn(usize, usize) -> *const T,
    row: usize,
    step: usize,
}

impl<T: Micro> Cut<'_, T> {
    /// A result of few rows: the tasks take panels, and pack them just before they are used.
    fn few_rows(&self, panels: usize, c: &SharedMut<T>) {
        let (p, width, most) = (self.p, self.width, self.blocks.depth);
        parallel_for(panels, GRAIN.div_ceil(p.m * p.k * width), |range| {
            let rows = Rows { place: &|row, depth| self.a[row * p.k + depth..].as_ptr(), row: p.k, step: 1 };
            with_scratch(most * width, |packed| {
                for depth in (0..p.k).step_by(most) {
                    let len = most.min(p.k - depth);
                    for panel in range.clone() {
                        self.pack_panel(panel * width, depth, &mut packed[..len * width]);
                        let columns = Columns { first: panel, count: 1, packed, depth: (depth, len) };
                        self.multiply_block(&rows, &columns, c, depth, &(0..p.m), &(0..1));
                    }
                }
            });
        });
    }

    /// Packs panels of the right operand, the last one padded with zeros.
    fn pack(&self, first: usize, packed: &mut [T]) {
        let size = self.p.k * self.width;
        parallel_units(packed, size, (32 * 1024usize).div_ceil(size), |start, packed| {
            for (i, panel) in packed.chunks_exact_mut(size).enumerate() {
                self.pack_panel((first + start + i) * self.width, 0, panel);
            }
        });
    }

    /// Packs the depths from `depth` on, as many as fit `panel`, of the columns from `col` on.
    fn pack_panel(&self, col: usize, depth: usize, panel: &mut [T]) {
        let (p, b, width) = (self.p, self.b, self.width);
        let cols = width.min(p.n - col);
        let len = panel.len() / width;
        if cols < width {
            panel.fill(T::ZERO);
        }
        if !p.b_transposed {
            let from = &b[depth * p.n + col..];
            match cols {
                8 if width == 8 => copy_rows::<T, 8>(from, p.n, panel),
                16 if width == 16 => copy_rows::<T, 16>(from, p.n, panel),
                32 if width == 32 => copy_rows::<T, 32>(from, p.n, panel),
                _ => {
                    for (row, panel) in from.chunks(p.n).zip(panel.chunks_exact_mut(width)) {
                        panel[..cols].copy_from_slice(&row[..cols]);
                    }
                }
            }
        } else if cols == width {
            self.kernel.transpose_panel(&b[col * p.k + depth..], p.k, len, width, panel);
        } else {
            for j in 0..cols {
                let row = (col + j) * p.k + depth;
                for (q, &x) in b[row..row + len].iter().enumerate() {
                    panel[q * width + j] = x;
                }
            }
        }
    }

    /// Cuts the result into blocks of rows and groups of panels.
    fn tasks(&self, columns: &Columns<T>, c: &SharedMut<T>) {
        let (p, most) = (self.p, self.rows);
        let tiles = p.m.div_ceil(most);
        let work = p.m * p.k * columns.count * self.width;
        let wanted = (work / GRAIN).clamp(1, 4 * threads());
        let block = self.blocks.tiles.min(tiles.div_ceil(wanted.min(tiles)));
        let blocks = tiles.div_ceil(block);
        let groups = wanted.div_ceil(blocks).min(columns.count);
        let group = columns.count.div_ceil(groups);
        let groups = columns.count.div_ceil(group);
        parallel_for(blocks * groups, 1, |range| {
            for task in range {
                let rows = task / groups * block * most..((task / groups + 1) * block * most).min(p.m);
                let panels = task % groups * group..((task % groups + 1) * group).min(columns.count);
                if p.a_transposed || p.n >= PACK_FROM {
                    self.packed_rows(columns, c, rows, panels);
                } else {
                    let left = Rows { place: &|row, depth| self.a[row * p.k + depth..].as_ptr(), row: p.k, step: 1 };
                    for depth in (0..p.k).step_by(self.blocks.depth) {
                        self.multiply_block(&left, columns, c, depth, &rows, &panels);
                    }
                }
            }
        });
    }

    /// A block whose rows of the left operand are packed first.
    fn packed_rows(&self, columns: &Columns<T>, c: &SharedMut<T>, rows: Range<usize>, panels: Range<usize>) {
        let (p, most, size) = (self.p, self.rows, self.rows * self.blocks.depth);
        with_scratch(rows.len().div_ceil(most) * size, |packed: &mut [T]| {
            for depth in (0..p.k).step_by(self.blocks.depth) {
                let len = self.blocks.depth.min(p.k - depth);
                for (tile, packed) in packed.chunks_exact_mut(size).enumerate() {
                    let row = rows.start + tile * most;
                    self.pack_rows(row, most.min(rows.end - row), depth, &mut packed[..most * len]);
                }
                let packed = &*packed;
                let place = |row: usize, _: usize| packed[(row - rows.start) / most * size..].as_ptr();
                let left = Rows { place: &place, row: 1, step: most };
                self.multiply_block(&left, columns, c, depth, &rows, &panels);
            }
        });
    }

    /// Packs the depths from `depth` on, as many as fit `packed`, of `many` rows from `row` on: the rows of a depth side by
    /// side. What lies beside the last rows is not used.
    fn pack_rows(&self, row: usize, many: usize, depth: usize, packed: &mut [T]) {
        let (p, a, most) = (self.p, self.a, self.rows);
        if p.a_transposed {
            let from = &a[depth * p.m + row..];
            match many {
                6 if most == 6 => copy_rows::<T, 6>(from, p.m, packed),
                12 if most == 12 => copy_rows::<T, 12>(from, p.m, packed),
                _ => {
                    for (from, packed) in from.chunks(p.m).zip(packed.chunks_exact_mut(most)) {
                        packed[..many].copy_from_slice(&from[..many]);
                    }
                }
            }
        } else if many == most {
            self.kernel.transpose_panel(&a[row * p.k + depth..], p.k, packed.len() / most, most, packed);
        } else {
            let len = packed.len() / most;
            for i in 0..many {
                let from = &a[(row + i) * p.k + depth..][..len];
                for (packed, &x) in packed[i..].iter_mut().step_by(most).zip(from) {
                    *packed = x;
                }
            }
        }
    }

    /// One depth of a block.
    fn multiply_block(
        &self,
        left: &Rows<T>,
        columns: &Columns<T>,
        c: &SharedMut<T>,
        depth: usize,
        rows: &Range<usize>,
        panels: &Range<usize>,
    ) {
        let (p, width) = (self.p, self.width);
        let len = self.blocks.depth.min(p.k - depth);
        let tile = |row: usize, panel: usize| {
            let b = columns.packed[(panel * columns.depth.1 + depth - columns.depth.0) * width..].as_ptr();
            let col = (columns.first + panel) * width;
            let many = self.rows.min(rows.end - row);
            let (a, c) = ((left.place)(row, depth), c.start().wrapping_add(row * p.n + col));
            let call = Call {
                a: std::array::from_fn(|i| a.wrapping_add(i * left.row)),
                rows: many,
                runs: &[(0, 0)],
                len,
                step: left.step,
                b,
                c: std::array::from_fn(|i| c.wrapping_add(i * p.n)),
                cols: width.min(p.n - col),
                accumulate: p.accumulate || depth > 0,
            };
            // SAFETY: `product` checked the sizes, so all rows, depths and columns named lie inside
            // the operands; each block of the result belongs to one task.
            unsafe { self.kernel.run(&call) };
        };
        let tiles = || rows.clone().step_by(self.rows);
        if p.k <= SHALLOW {
            tiles().for_each(|row| panels.clone().for_each(|panel| tile(row, panel)));
        } else {
            panels.clone().for_each(|panel| tiles().for_each(|row| tile(row, panel)));
        }
    }
}

/// Copies `N` elements of each row, `step` apart, to rows that lie one behind the other.
fn copy_rows<T: Copy, const N: usize>(from: &[T], step: usize, to: &mut [T]) {
    for (from, to) in from.chunks(step).zip(to.chunks_exact_mut(N)) {
        to.copy_from_slice(&from[..N]);
    }
}
