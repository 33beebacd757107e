//! The convolution itself.

use super::ConvGeometry;
use super::pad::Frame;
use crate::gemm::{GemmElement, gemm};
use crate::kernel::{Call, Micro, ROWS};
use crate::scratch::with_scratch;
use crate::threads::{SharedMut, parallel_for, threads};

/// Elements of a padded band of an image that a task keeps in its cache.
const BAND: usize = 64 * 1024;
/// Depth that is multiplied at a time.
const DEPTH: usize = 384;

/// `output` = the convolution of `input` with `filter`.
pub(super) fn forward<T: Micro + GemmElement>(g: &ConvGeometry, input: &[T], filter: &[T], output: &mut [T]) {
    g.check(input.len(), filter.len(), output.len());
    if output.is_empty() {
        return;
    }
    if g.depth() == 0 {
        return output.fill(T::ZERO);
    }
    if g.is_plain_product() {
        let pixels = g.batch * g.in_height * g.in_width;
        return gemm(pixels, g.in_channels, g.out_channels, input, false, filter, false, output, false);
    }
    let panels = g.out_channels.div_ceil(T::WIDTH);
    with_scratch(panels * g.depth() * T::WIDTH, |packed| {
        for (i, panel) in packed.chunks_exact_mut(g.depth() * T::WIDTH).enumerate() {
            let col = i * T::WIDTH;
            let cols = T::WIDTH.min(g.out_channels - col);
            for (row, panel) in filter.chunks_exact(g.out_channels).zip(panel.chunks_exact_mut(T::WIDTH)) {
                panel[..cols].copy_from_slice(&row[col..col + cols]);
                panel[cols..].fill(T::ZERO);
            }
        }
        Sliding::new(g, Frame::of(g), packed).run(input, output);
    });
}

/// A packed filter that slides over framed images.
pub(super) struct Sliding<'a, T> {
    pub frame: Frame,
    pub out_height: usize,
    pub out_width: usize,
    pub out_channels: usize,
    pub strides: [usize; 2],
    /// Padded rows that one row of outputs needs.
    pub span: usize,
    /// Where the runs of a patch start, from its first element, and how long each is.
    pub offsets: Vec<usize>,
    pub run: usize,
    pub packed: &'a [T],
}

impl<'a, T: Micro> Sliding<'a, T> {
    pub fn new(g: &ConvGeometry, frame: Frame, packed: &'a [T]) -> Self {
        let (offsets, run) = patch_runs(g, frame.row_len(), frame.channels);
        Self {
            frame,
            out_height: g.out_height,
            out_width: g.out_width,
            out_channels: g.out_channels,
            strides: [g.stride_height, g.stride_width],
            span: (g.filter_height - 1) * g.dilation_height + 1,
            offsets,
            run,
            packed,
        }
    }

    /// Convolves all images; the tasks are bands of output rows.
    pub fn run(&self, input: &[T], output: &mut [T]) {
        let image = self.frame.height * self.frame.width * self.frame.channels;
        let out_row = self.out_width * self.out_channels;
        let batch = output.len() / (self.out_height * out_row);
        // A band is as high as its padded rows fit the cache, lower when there are few images.
        let fitting = (BAND / self.frame.row_len().max(1)).saturating_sub(self.span) / self.strides[0] + 1;
        let wanted = (4 * threads()).div_ceil(batch);
        let height = fitting.min(self.out_height.div_ceil(wanted)).max(1);
        let bands = self.out_height.div_ceil(height);
        let output = SharedMut::new(output);
        parallel_for(batch * bands, 1, |range| {
            for task in range {
                let (b, from) = (task / bands, task % bands * height);
                let rows = height.min(self.out_height - from);
                let at = (b * self.out_height + from) * out_row;
                // SAFETY: each band of each image belongs to one task.
                let out = unsafe { output.slice(at..at + rows * out_row) };
                let image = &input[b * image..(b + 1) * image];
                let first = from * self.strides[0];
                if self.frame.is_original() {
                    self.band(&image[first * self.frame.row_len()..], out);
                } else {
                    let needed = (rows - 1) * self.strides[0] + self.span;
                    with_scratch(needed * self.frame.row_len(), |padded| {
                        self.frame.write(image, first, padded);
                        self.band(padded, out);
                    });
                }
            }
        });
    }

    /// Convolves the padded rows `image` into some rows of outputs.
    fn band(&self, image: &[T], out: &mut [T]) {
        let kernel = T::kernel();
        let depth = self.offsets.len() * self.run;
        let pixels = out.len() / self.out_channels;
        let last = (pixels - 1) / self.out_width;
        let reach = last * self.strides[0] * self.frame.row_len()
            + (self.out_width - 1) * self.strides[1] * self.frame.channels
            + self.offsets.last().map_or(0, |o| o + self.run);
        assert!(reach <= image.len() && out.len().is_multiple_of(self.out_channels));
        assert!(self.packed.len() >= self.out_channels.div_ceil(T::WIDTH) * depth * T::WIDTH);
        let runs = (DEPTH / self.run).max(1);
        for (block, offsets) in self.offsets.chunks(runs).enumerate() {
            for col in (0..self.out_channels).step_by(T::WIDTH) {
                let b = self.packed[(col / T::WIDTH * depth + block * runs * self.run) * T::WIDTH..].as_ptr();
                let mut place = Walk::new(self);
                for pixel in (0..pixels).step_by(ROWS) {
                    let many = ROWS.min(pixels - pixel);
                    let first = image.as_ptr().wrapping_add(place.at);
                    let mut a = [first; ROWS];
                    for a in &mut a[..many] {
                        *a = image.as_ptr().wrapping_add(place.next());
                    }
                    let call = Call {
                        a,
                        rows: many,
                        offsets,
                        len: self.run,
                        step: 1,
                        b,
                        b_step: T::WIDTH,
                        c: out[pixel * self.out_channels + col..].as_mut_ptr(),
                        c_row: self.out_channels,
                        cols: T::WIDTH.min(self.out_channels - col),
                        accumulate: block > 0,
                    };
                    // SAFETY: `reach` covers the last element of the last patch, the packed filter
                    // was checked, and the rows of `out` are those of the pixels.
                    unsafe { kernel(&call) };
                }
            }
        }
    }
}

/// Walks over the first elements of the patches, pixel by pixel.
struct Walk {
    at: usize,
    x: usize,
    width: usize,
    step: usize,
    jump: usize,
}

impl Walk {
    fn new<T>(s: &Sliding<T>) -> Self {
        let step = s.strides[1] * s.frame.channels;
        let row = s.strides[0] * s.frame.padded_width * s.frame.channels;
        Self { at: 0, x: 0, width: s.out_width, step, jump: row.wrapping_sub(s.out_width * step) }
    }

    #[inline(always)]
    fn next(&mut self) -> usize {
        let at = self.at;
        self.at += self.step;
        self.x += 1;
        if self.x == self.width {
            self.x = 0;
            self.at = self.at.wrapping_add(self.jump);
        }
        at
    }
}

/// The runs of contiguous elements of a patch in an image with rows of `row_len` elements.
fn patch_runs(g: &ConvGeometry, row_len: usize, channels: usize) -> (Vec<usize>, usize) {
    let rows = (0..g.filter_height).map(|y| y * g.dilation_height * row_len);
    if g.dilation_width == 1 {
        return (rows.collect(), g.filter_width * channels);
    }
    let columns = |row| (0..g.filter_width).map(move |x| row + x * g.dilation_width * channels);
    (rows.flat_map(columns).collect(), channels)
}
