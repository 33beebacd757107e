//! Products of `f32` and `f64` matrices by our own kernels.
//!
//! The right operand is packed into panels first, by all threads; then the threads take blocks of
//! the result. The left operand is read where it lies, unless it is transposed or the result is
//! wide: then each block packs its rows. Every element sums its products in the same order however the work is cut.

use super::Product;
use crate::kernel::{Call, Micro, ROWS};
use crate::scratch::with_scratch;
use crate::threads::{SharedMut, parallel_for, parallel_units, threads};

/// Depth that is multiplied at a time: a panel of this depth fits the first-level cache.
const DEPTH: usize = 256;
/// Tiles of rows in a block of the result.
const BLOCK_TILES: usize = 16;
/// Elements of the right operand that are packed at a time.
const PACKED: usize = 4 << 20;
/// Up to this many rows a panel is packed by the task that uses it, a depth at a time.
const FEW_ROWS: usize = 256;
/// From this many columns on, packing the left operand too pays: its rows are read so often that
/// their distance in memory matters.
const PACK_FROM: usize = 512;
/// Multiplications that are worth a task.
const GRAIN: usize = 128 * 1024;

/// `c = a b` for non-empty operands of checked sizes.
pub(super) fn multiply<T: Micro>(p: &Product, a: &[T], b: &[T], c: &mut [T]) {
    let panels = p.n.div_ceil(T::WIDTH);
    if p.m <= FEW_ROWS && !p.a_transposed && panels >= 4 * threads() {
        return few_rows(p, a, b, c);
    }
    let at_a_time = (PACKED / (p.k * T::WIDTH)).clamp(1, panels);
    let c = SharedMut::new(c);
    for first in (0..panels).step_by(at_a_time) {
        let count = at_a_time.min(panels - first);
        with_scratch(count * p.k * T::WIDTH, |packed| {
            pack(p, b, first, packed);
            let columns = Columns { first, count, packed, depth: (0, p.k) };
            tasks(p, a, &columns, &c);
        });
    }
}

/// A result of few rows: the tasks take panels, and pack them just before they are used.
fn few_rows<T: Micro>(p: &Product, a: &[T], b: &[T], c: &mut [T]) {
    let panels = p.n.div_ceil(T::WIDTH);
    let c = SharedMut::new(c);
    let place = |row: usize, depth: usize| a[row * p.k + depth..].as_ptr();
    parallel_for(panels, GRAIN.div_ceil(p.m * p.k * T::WIDTH), |range| {
        with_scratch(DEPTH * T::WIDTH, |packed| {
            for depth in (0..p.k).step_by(DEPTH) {
                let len = DEPTH.min(p.k - depth);
                for panel in range.clone() {
                    pack_panel(p, b, panel * T::WIDTH, depth, &mut packed[..len * T::WIDTH]);
                    let columns = Columns { first: panel, count: 1, packed, depth: (depth, len) };
                    multiply_block(p, &place, 1, &columns, &c, depth, &(0..p.m), &(0..1));
                }
            }
        });
    });
}

/// Some panels of the right operand, packed one after the other.
struct Columns<'a, T> {
    first: usize,
    count: usize,
    packed: &'a [T],
    /// The first depth that is packed, and how many.
    depth: (usize, usize),
}

/// Packs panels of the right operand, the last one padded with zeros.
fn pack<T: Micro>(p: &Product, b: &[T], first: usize, packed: &mut [T]) {
    let size = p.k * T::WIDTH;
    parallel_units(packed, size, (32 * 1024usize).div_ceil(size), |start, packed| {
        for (i, panel) in packed.chunks_exact_mut(size).enumerate() {
            let col = (first + start + i) * T::WIDTH;
            pack_panel(p, b, col, 0, panel);
        }
    });
}

/// Packs the depths from `depth` on, as many as fit `panel`, of the columns from `col` on.
fn pack_panel<T: Micro>(p: &Product, b: &[T], col: usize, depth: usize, panel: &mut [T]) {
    let cols = T::WIDTH.min(p.n - col);
    let len = panel.len() / T::WIDTH;
    if cols < T::WIDTH {
        panel.fill(T::ZERO);
    }
    if !p.b_transposed {
        for (row, panel) in b[depth * p.n..].chunks_exact(p.n).zip(panel.chunks_exact_mut(T::WIDTH)) {
            if cols == T::WIDTH {
                panel.copy_from_slice(&row[col..col + T::WIDTH]);
            } else {
                panel[..cols].copy_from_slice(&row[col..col + cols]);
            }
        }
    } else if cols == T::WIDTH {
        T::transpose_panel(&b[col * p.k + depth..], p.k, len, panel);
    } else {
        for j in 0..cols {
            let row = (col + j) * p.k + depth;
            for (q, &x) in b[row..row + len].iter().enumerate() {
                panel[q * T::WIDTH + j] = x;
            }
        }
    }
}

/// Cuts the result into blocks of rows and groups of panels.
fn tasks<T: Micro>(p: &Product, a: &[T], columns: &Columns<T>, c: &SharedMut<T>) {
    let tiles = p.m.div_ceil(ROWS);
    let work = p.m * p.k * columns.count * T::WIDTH;
    let wanted = (work / GRAIN).clamp(1, 4 * threads());
    let block = BLOCK_TILES.min(tiles.div_ceil(wanted.min(tiles)));
    let blocks = tiles.div_ceil(block);
    let groups = wanted.div_ceil(blocks).min(columns.count);
    let group = columns.count.div_ceil(groups);
    let groups = columns.count.div_ceil(group);
    parallel_for(blocks * groups, 1, |range| {
        for task in range {
            let rows = task / groups * block * ROWS..((task / groups + 1) * block * ROWS).min(p.m);
            let panels = task % groups * group..((task % groups + 1) * group).min(columns.count);
            if p.a_transposed || p.n >= PACK_FROM {
                packed_rows(p, a, columns, c, rows, panels);
            } else {
                let place = |row: usize, depth: usize| a[row * p.k + depth..].as_ptr();
                for depth in (0..p.k).step_by(DEPTH) {
                    multiply_block(p, &place, 1, columns, c, depth, &rows, &panels);
                }
            }
        }
    });
}

/// A block whose rows of the left operand are packed first.
fn packed_rows<T: Micro>(
    p: &Product,
    a: &[T],
    columns: &Columns<T>,
    c: &SharedMut<T>,
    rows: std::ops::Range<usize>,
    panels: std::ops::Range<usize>,
) {
    let tiles = rows.len().div_ceil(ROWS);
    with_scratch(tiles * ROWS * DEPTH, |packed: &mut [T]| {
        for depth in (0..p.k).step_by(DEPTH) {
            let len = DEPTH.min(p.k - depth);
            for (tile, packed) in packed.chunks_exact_mut(ROWS * DEPTH).enumerate() {
                let row = rows.start + tile * ROWS;
                let many = ROWS.min(rows.end - row);
                if p.a_transposed {
                    for (q, packed) in packed.chunks_exact_mut(ROWS).take(len).enumerate() {
                        let from = &a[(depth + q) * p.m + row..];
                        if many == ROWS {
                            packed.copy_from_slice(&from[..ROWS]);
                        } else {
                            packed[..many].copy_from_slice(&from[..many]);
                        }
                    }
                } else {
                    for i in 0..many {
                        let from = &a[(row + i) * p.k + depth..][..len];
                        for (q, &x) in from.iter().enumerate() {
                            packed[q * ROWS + i] = x;
                        }
                    }
                }
            }
            let packed = &*packed;
            let place = |row: usize, _: usize| {
                let row = row - rows.start;
                packed[row / ROWS * ROWS * DEPTH + row % ROWS..].as_ptr()
            };
            multiply_block(p, &place, ROWS, columns, c, depth, &rows, &panels);
        }
    });
}

/// One depth of a block: `place(row, depth)` is where a row of the left operand starts, `step`
/// the distance between its elements.
#[inline]
fn multiply_block<T: Micro>(
    p: &Product,
    place: &dyn Fn(usize, usize) -> *const T,
    step: usize,
    columns: &Columns<T>,
    c: &SharedMut<T>,
    depth: usize,
    rows: &std::ops::Range<usize>,
    panels: &std::ops::Range<usize>,
) {
    let kernel = T::kernel();
    let len = DEPTH.min(p.k - depth);
    for panel in panels.clone() {
        let b = columns.packed[(panel * columns.depth.1 + depth - columns.depth.0) * T::WIDTH..].as_ptr();
        let col = (columns.first + panel) * T::WIDTH;
        for row in rows.clone().step_by(ROWS) {
            let many = ROWS.min(rows.end - row);
            let first = place(row, depth);
            let a = std::array::from_fn(|i| if i < many { place(row + i, depth) } else { first });
            let call = Call {
                a,
                rows: many,
                offsets: &[0],
                len,
                step,
                b,
                b_step: T::WIDTH,
                c: c.start().wrapping_add(row * p.n + col),
                c_row: p.n,
                cols: T::WIDTH.min(p.n - col),
                accumulate: p.accumulate || depth > 0,
            };
            // SAFETY: `product` checked the sizes, so all rows, depths and columns named lie inside
            // the operands; each block of the result belongs to one task.
            unsafe { kernel(&call) };
        }
    }
}
