//! The convolution itself.

use super::ConvGeometry;
use super::regions::{Axis, Stretch};
use crate::caches::Caches;
use crate::gemm::{GemmElement, gemm};
use crate::kernel::{Call, Kernel, MAX_ROWS, Micro};
use crate::scratch::with_scratch;
use crate::threads::{SharedMut, parallel_for, threads};
use std::ops::Range;

/// `output` = the convolution of `input` with `filter`.
pub(super) fn forward<T: Micro + GemmElement>(
    kernel: &Kernel<T>,
    g: &ConvGeometry,
    input: &[T],
    filter: &[T],
    output: &mut [T],
) {
    g.check(input.len(), filter.len(), output.len());
    if output.is_empty() {
        return;
    }
    if g.depth() == 0 || input.is_empty() {
        return output.fill(T::ZERO);
    }
    if g.is_plain_product() {
        let pixels = g.batch * g.in_height * g.in_width;
        return gemm(pixels, g.in_channels, g.out_channels, input, false, filter, false, output, false);
    }
    let width = kernel.width;
    let panels = g.out_channels.div_ceil(width);
    with_scratch(panels * g.depth() * width, |packed| {
        for (i, panel) in packed.chunks_exact_mut(g.depth() * width).enumerate() {
            let col = i * width;
            let cols = width.min(g.out_channels - col);
            for (row, panel) in filter.chunks_exact(g.out_channels).zip(panel.chunks_exact_mut(width)) {
                panel[..cols].copy_from_slice(&row[col..col + cols]);
                panel[cols..].fill(T::ZERO);
            }
        }
        let [down, across] = g.axes();
        let sliding = Sliding {
            kernel,
            down,
            across,
            channels: g.in_channels,
            out_height: g.out_height,
            out_width: g.out_width,
            out_channels: g.out_channels,
            places: Places::dense(g.out_height, g.out_width, g.out_channels),
            packed,
        };
        sliding.run(input, output);
    });
}

/// A packed filter that slides over images.
pub(super) struct Sliding<'a, T: 'static> {
    pub kernel: &'a Kernel<T>,
    pub down: Axis,
    pub across: Axis,
    pub channels: usize,
    pub out_height: usize,
    pub out_width: usize,
    pub out_channels: usize,
    /// Where the outputs lie.
    pub places: Places,
    /// Panels of output channels, each `[taps down, taps across, channels, width]`.
    pub packed: &'a [T],
}

/// Where the outputs of a filter lie: the first one, and the distances of pixels, rows and images.
#[derive(Clone, Copy, Debug)]
pub(super) struct Places {
    pub first: usize,
    pub pixel: usize,
    pub row: usize,
    pub image: usize,
}

impl Places {
    /// All one behind the other.
    pub fn dense(height: usize, width: usize, channels: usize) -> Places {
        Places { first: 0, pixel: channels, row: width * channels, image: height * width * channels }
    }
}

/// A rectangle of outputs with the same taps.
struct Region<'a> {
    down: Range<usize>,
    across: Range<usize>,
    taps_down: &'a Range<usize>,
    taps_across: &'a Range<usize>,
}

impl<T: Micro> Sliding<'_, T> {
    /// Convolves all images. The tasks are some images each, or bands of the rows of one.
    pub fn run(&self, input: &[T], output: &mut [T]) {
        let image = self.down.input * self.across.input * self.channels;
        let out_row = self.out_width * self.out_channels;
        let out_image = self.out_height * out_row;
        let places = self.places;
        let last = (self.out_height - 1) * places.row + (self.out_width - 1) * places.pixel + self.out_channels;
        let batch = output.len() / places.image;
        assert!(input.len() == batch * image && output.len() == batch * places.image);
        assert!(places.first + last <= places.image);
        let depth = self.down.taps * self.across.taps * self.channels;
        assert!(self.packed.len() >= self.out_channels.div_ceil(self.kernel.width) * depth * self.kernel.width);
        let (rows, columns) = (self.down.stretches(self.out_height), self.across.stretches(self.out_width));
        // Images that are taken together share tiles where one has few outputs of a kind; they should fit the cache.
        let fitting = Caches::get().second / 2 / ((image + out_image) * size_of::<T>());
        let wanted = 4 * threads();
        let together = fitting.min(batch.div_ceil(wanted)).clamp(1, self.kernel.rows);
        let groups = batch.div_ceil(together);
        let in_row = self.down.stride * self.across.input * self.channels;
        let rows_fitting = Caches::get().second / 2 / ((in_row + out_row) * size_of::<T>());
        let band = self.out_height.div_ceil(wanted.div_ceil(groups)).min(rows_fitting.max(4));
        let bands = self.out_height.div_ceil(band);
        let output = SharedMut::new(output);
        parallel_for(groups * bands, 1, |range| {
            for task in range {
                let (group, from) = (task / bands, task % bands * band);
                let images = group * together..((group + 1) * together).min(batch);
                let band = from..(from + band).min(self.out_height);
                self.task(input, output.start(), images, band, &rows, &columns);
            }
        });
    }

    /// Computes a band of rows of some images; nobody else writes these to `output`.
    fn task(
        &self,
        input: &[T],
        output: *mut T,
        images: Range<usize>,
        band: Range<usize>,
        rows: &[Stretch],
        columns: &[Stretch],
    ) {
        for row in rows {
            let down = row.outputs.start.max(band.start)..row.outputs.end.min(band.end);
            if down.is_empty() {
                continue;
            }
            for column in columns {
                let region = Region {
                    down: down.clone(),
                    across: column.outputs.clone(),
                    taps_down: &row.taps,
                    taps_across: &column.taps,
                };
                self.region(input, output, &images, &region);
            }
        }
    }

    fn region(&self, input: &[T], output: *mut T, images: &Range<usize>, region: &Region) {
        let Kernel { rows: most, width, .. } = *self.kernel;
        let mut outputs = Outputs::new(self, images, region);
        if region.taps_down.is_empty() || region.taps_across.is_empty() {
            for _ in 0..outputs.count {
                let to = output.wrapping_add(outputs.next().1);
                // SAFETY: an output of this task, by the promise of `task`.
                unsafe { std::slice::from_raw_parts_mut(to, self.out_channels) }.fill(T::ZERO);
            }
            return;
        }
        let depth = self.down.taps * self.across.taps * self.channels;
        for (block, (runs, len)) in self.blocks(region).iter().enumerate() {
            for col in (0..self.out_channels).step_by(width) {
                let b = self.packed[col * depth..].as_ptr();
                outputs.restart();
                // As many outputs a time as the kernel takes, evenly shared: a tile of few rows is slow.
                let tiles = outputs.count.div_ceil(most);
                for tile in 0..tiles {
                    let many = outputs.count * (tile + 1) / tiles - outputs.count * tile / tiles;
                    let (first, to) = outputs.next();
                    let mut a = [input.as_ptr().wrapping_add(first); MAX_ROWS];
                    let mut c = [output.wrapping_add(to + col); MAX_ROWS];
                    for i in 1..many {
                        let (from, to) = outputs.next();
                        a[i] = input.as_ptr().wrapping_add(from);
                        c[i] = output.wrapping_add(to + col);
                    }
                    let call = Call {
                        a,
                        rows: many,
                        runs,
                        len: *len,
                        step: 1,
                        b,
                        c,
                        cols: width.min(self.out_channels - col),
                        accumulate: block > 0,
                    };
                    // SAFETY: the taps of a region lie inside the image for each of its outputs; `run` checked the
                    // sizes of images, outputs and the packed filter; the outputs belong to this task.
                    unsafe { self.kernel.run(&call) };
                }
            }
        }
    }

    /// The runs of a region, as many at a time as suits the cache.
    fn blocks(&self, region: &Region) -> Vec<(Vec<(usize, usize)>, usize)> {
        let (runs, len) = self.runs(region);
        let most = self.kernel.blocks().depth;
        if len <= most {
            return runs.chunks(most / len).map(|runs| (runs.to_vec(), len)).collect();
        }
        // Even one run is too long.
        let pieces = len.div_ceil(most);
        let cuts = (0..pieces).map(|piece| len * piece / pieces..len * (piece + 1) / pieces);
        let cut = |(from, to): (usize, usize), part: Range<usize>| {
            (vec![(from + part.start, to + part.start * self.kernel.width)], part.len())
        };
        runs.into_iter().flat_map(|run| cuts.clone().map(move |part| cut(run, part))).collect()
    }

    /// The runs of contiguous elements under the taps of a region: where they begin, from the first tap on in the image
    /// and from the beginning of a panel, and how long they are.
    fn runs(&self, region: &Region) -> (Vec<(usize, usize)>, usize) {
        let width = self.kernel.width;
        let row = self.down.dilation * self.across.input * self.channels;
        let tap = |y: usize, x: usize| (y * self.across.taps + x) * self.channels * width;
        let (first, last) = (region.taps_down.start, region.taps_across.start);
        let rows = region.taps_down.clone().map(|y| ((y - first) * row, y));
        if self.across.dilation == 1 {
            let len = region.taps_across.len() * self.channels;
            return (rows.map(|(at, y)| (at, tap(y, last))).collect(), len);
        }
        let step = self.across.dilation * self.channels;
        let columns = |(at, y)| region.taps_across.clone().map(move |x| (at + (x - last) * step, tap(y, x)));
        (rows.flat_map(columns).collect(), self.channels)
    }
}

/// Walks over the outputs of a region in some images.
struct Outputs {
    count: usize,
    /// Where the first one's first tap lies in the input, and where the output itself lies.
    first: (usize, usize),
    /// How many there are along columns, rows and images, and the steps to the next along each.
    counts: [usize; 2],
    steps: [(usize, usize); 3],
    at: [usize; 2],
    now: [(usize, usize); 3],
}

impl Outputs {
    fn new<T>(s: &Sliding<T>, images: &Range<usize>, region: &Region) -> Self {
        let row = s.across.input * s.channels;
        let (y, x) = (region.down.start, region.across.start);
        let inside = !region.taps_down.is_empty() && !region.taps_across.is_empty();
        let from = if inside {
            s.down.place(y, region.taps_down.start) * row + s.across.place(x, region.taps_across.start) * s.channels
        } else {
            0
        };
        let image = (s.down.input * row, s.places.image);
        let to = s.places.first + y * s.places.row + x * s.places.pixel;
        let first = (images.start * image.0 + from, images.start * image.1 + to);
        Self {
            count: images.len() * region.down.len() * region.across.len(),
            first,
            counts: [region.across.len(), region.down.len()],
            steps: [(s.across.stride * s.channels, s.places.pixel), (s.down.stride * row, s.places.row), image],
            at: [0; 2],
            now: [first; 3],
        }
    }

    fn restart(&mut self) {
        self.at = [0; 2];
        self.now = [self.first; 3];
    }

    #[inline(always)]
    fn next(&mut self) -> (usize, usize) {
        let here = self.now[0];
        self.at[0] += 1;
        let mut axis = 0;
        if self.at[0] == self.counts[0] {
            self.at[0] = 0;
            self.at[1] += 1;
            axis = 1;
            if self.at[1] == self.counts[1] {
                self.at[1] = 0;
                axis = 2;
            }
        }
        let (from, to) = self.now[axis];
        let next = (from + self.steps[axis].0, to + self.steps[axis].1);
        self.now[..=axis].fill(next);
        here
    }
}
