//! The gradients of a convolution.
//!
//! The gradient by the input is itself a convolution, one for each phase of the strides: of the output
//! gradient, with the taps that meet the phase turned around and their channels exchanged.
//! The gradient by the filter is a product of patches, over all pixels, with the output gradient.

use super::ConvGeometry;
use super::forward::{Places, Sliding};
use super::regions::Axis;
use crate::elementwise::add_assign;
use crate::gemm::{GemmElement, gemm};
use crate::kernel::{Call, Kernel, MAX_ROWS, Micro};
use crate::scratch::with_scratch;
use crate::threads::{SharedMut, parallel_for, parallel_units};
use std::ops::Range;

/// Elements of copied images that are kept at a time.
const COPIED: usize = 2 << 20;
/// A panel of which only this part would be used is not worth a kernel.
const FEW_CHANNELS: usize = 4;
/// Elements of partial filter gradients.
const PARTIAL: usize = 64 * 1024;
/// Parts that the rows of a filter's gradient are cut into.
const CHUNKS: usize = 32;

/// `input_grad` = the gradient by the input, from the filter and the gradient by the output.
pub(super) fn backward_input<T: Micro + GemmElement>(
    kernel: &Kernel<T>,
    g: &ConvGeometry,
    filter: &[T],
    output_grad: &[T],
    input_grad: &mut [T],
) {
    g.check(input_grad.len(), filter.len(), output_grad.len());
    if input_grad.is_empty() {
        return;
    }
    if output_grad.is_empty() || filter.is_empty() {
        return input_grad.fill(T::ZERO);
    }
    let (inner, outer) = (g.in_channels, g.out_channels);
    if g.is_plain_product() {
        let pixels = g.batch * g.in_height * g.in_width;
        return gemm(pixels, outer, inner, output_grad, false, filter, true, input_grad, false);
    }
    if inner * FEW_CHANNELS <= kernel.width {
        return by_patches(g, filter, output_grad, input_grad);
    }
    let [down, across] = g.axes();
    let (rows, columns) = (phases(down, g.in_height, g.out_height), phases(across, g.in_width, g.out_width));
    if rows.len() < g.stride_height || columns.len() < g.stride_width {
        // Some pixels may meet no output.
        input_grad.fill(T::ZERO);
    }
    for (down, across) in rows.iter().flat_map(|down| columns.iter().map(move |across| (down, across))) {
        let size = down.taps.len() * across.taps.len() * outer * kernel.width;
        with_scratch(inner.div_ceil(kernel.width) * size, |packed| {
            pack_turned(kernel.width, g, [&down.taps, &across.taps], filter, packed);
            let dense = Places::dense(g.in_height, g.in_width, inner);
            let sliding = Sliding {
                kernel,
                down: down.axis,
                across: across.axis,
                channels: outer,
                out_height: down.count,
                out_width: across.count,
                out_channels: inner,
                places: Places {
                    first: down.first * dense.row + across.first * dense.pixel,
                    pixel: g.stride_width * dense.pixel,
                    row: g.stride_height * dense.row,
                    ..dense
                },
                packed,
            };
            sliding.run(output_grad, input_grad);
        });
    }
}

/// The gradient by images of few channels: the gradients of whole patches are one product, and are then added up where the
/// patches lie, those of an image in order by one task.
fn by_patches<T: Micro + GemmElement>(g: &ConvGeometry, filter: &[T], output_grad: &[T], input_grad: &mut [T]) {
    let (depth, outer) = (g.depth(), g.out_channels);
    let (pixels, image) = (g.out_height * g.out_width, g.in_height * g.in_width * g.in_channels);
    let images = (COPIED / (pixels * depth)).clamp(1, g.batch);
    for (grads, sums) in output_grad.chunks(images * pixels * outer).zip(input_grad.chunks_mut(images * image)) {
        let count = grads.len() / outer;
        with_scratch(count * depth, |patches: &mut [T]| {
            gemm(count, outer, depth, grads, false, filter, true, patches, false);
            let patches = &*patches;
            parallel_units(sums, image, 1 + 16 * 1024 / (pixels * depth), |first, sums| {
                for (i, sums) in sums.chunks_exact_mut(image).enumerate() {
                    let size = pixels * depth;
                    add_patches(g, &patches[(first + i) * size..][..size], sums);
                }
            });
        });
    }
}

/// Sets an image to the sums of its patches, as far as they lie inside it.
fn add_patches<T: Micro>(g: &ConvGeometry, patches: &[T], image: &mut [T]) {
    image.fill(T::ZERO);
    let [down, across] = g.axes();
    let row = g.filter_width * g.in_channels;
    for (output, patch) in patches.chunks_exact(g.depth()).enumerate() {
        let (y, x) = (output / g.out_width, output % g.out_width);
        let taps = across.taps_inside(x);
        for tap_down in down.taps_inside(y) {
            let line = down.place(y, tap_down) * g.in_width;
            let mut add = |taps: Range<usize>| {
                let to = (line + across.place(x, taps.start)) * g.in_channels;
                let from = &patch[tap_down * row..][taps.start * g.in_channels..taps.end * g.in_channels];
                for (sum, &value) in image[to..to + from.len()].iter_mut().zip(from) {
                    *sum = sum.plus(value);
                }
            };
            if across.dilation == 1 && !taps.is_empty() {
                // Taps side by side lie side by side.
                add(taps.clone());
            } else {
                taps.clone().for_each(|tap| add(tap..tap + 1));
            }
        }
    }
}

/// Input pixels along an axis that are a stride apart from each other. They meet the outputs with the same taps.
struct Phase {
    first: usize,
    count: usize,
    /// The taps that they meet outputs with, from the last to the first.
    taps: Vec<usize>,
    /// How these taps slide over the gradient by the output.
    axis: Axis,
}

/// The phases that meet any output. Input pixel y meets output (y + before - tap * dilation) / stride, where that is a whole
/// number: every so many taps for the pixels of a phase, and every so many outputs. That is a convolution with these taps, turned
/// around.
fn phases(axis: Axis, inputs: usize, outputs: usize) -> Vec<Phase> {
    let (stride, dilation) = (axis.stride as isize, axis.dilation as isize);
    let mut taps = vec![Vec::new(); axis.stride.min(inputs)];
    for tap in (0..axis.taps).rev() {
        let first = (tap as isize * dilation - axis.before).rem_euclid(stride);
        if let Some(taps) = taps.get_mut(first as usize) {
            taps.push(tap);
        }
    }
    let phase = |(first, taps): (usize, Vec<usize>)| {
        let met = |tap: usize| (first as isize + axis.before - tap as isize * dilation) / stride;
        let apart = if let [last, previous, ..] = taps[..] { met(previous) - met(last) } else { 1 };
        let before = -met(*taps.first()?);
        let axis = Axis { input: outputs, taps: taps.len(), stride: 1, dilation: apart as usize, before };
        Some(Phase { first, count: (inputs - first).div_ceil(stride as usize), taps, axis })
    };
    taps.into_iter().enumerate().filter_map(phase).collect()
}

/// Packs some taps of the filter, given by rows and columns, with the channels exchanged.
fn pack_turned<T: Micro>(width: usize, g: &ConvGeometry, taps: [&[usize]; 2], filter: &[T], packed: &mut [T]) {
    let (inner, outer) = (g.in_channels, g.out_channels);
    let size = taps[0].len() * taps[1].len() * outer * width;
    parallel_units(packed, size, 1, |first, packed| {
        for (i, panel) in packed.chunks_exact_mut(size).enumerate() {
            let col = (first + i) * width;
            let taps = taps[0].iter().flat_map(|y| taps[1].iter().map(move |x| y * g.filter_width + x));
            for (tap, panel) in taps.zip(panel.chunks_exact_mut(outer * width)) {
                for j in 0..width {
                    let channel = col + j;
                    if channel < inner {
                        let row = &filter[(tap * inner + channel) * outer..][..outer];
                        for (o, &x) in row.iter().enumerate() {
                            panel[o * width + j] = x;
                        }
                    } else {
                        panel.chunks_exact_mut(width).for_each(|row| row[j] = T::ZERO);
                    }
                }
            }
        }
    });
}

/// `filter_grad` = the gradient by the filter, from the input and the gradient by the output.
pub(super) fn backward_filter<T: Micro + GemmElement>(
    kernel: &Kernel<T>,
    g: &ConvGeometry,
    input: &[T],
    output_grad: &[T],
    filter_grad: &mut [T],
) {
    g.check(input.len(), filter_grad.len(), output_grad.len());
    if filter_grad.is_empty() {
        return;
    }
    filter_grad.fill(T::ZERO);
    if output_grad.is_empty() || input.is_empty() {
        return;
    }
    if g.is_plain_product() {
        let pixels = g.batch * g.in_height * g.in_width;
        return gemm(g.in_channels, pixels, g.out_channels, input, true, output_grad, false, filter_grad, false);
    }
    let axes = g.axes();
    // The channels of a tap share the outputs for which it lies inside. Where they are too few for a tile, images get a
    // border instead, and all taps share all outputs.
    let outside = |axis: Axis, outputs| (0..axis.taps).any(|tap| axis.outputs_inside(tap, outputs).len() < outputs);
    let bordered = g.in_channels < kernel.rows && (outside(axes[0], g.out_height) || outside(axes[1], g.out_width));
    let padded = [g.padded_height(), g.padded_width()];
    let (size, image) = (padded[0] * padded[1] * g.in_channels, g.in_height * g.in_width * g.in_channels);
    let out = g.out_height * g.out_width * g.out_channels;
    let panels = g.out_channels.div_ceil(kernel.width);
    let packed_size = g.out_height * g.out_width * panels * kernel.width;
    let images = (COPIED / packed_size.max(if bordered { size } else { 0 })).clamp(1, g.batch);
    for (grads, originals) in output_grad.chunks(images * out).zip(input.chunks(images * image)) {
        let count = grads.len() / out;
        with_scratch(count * packed_size, |packed: &mut [T]| {
            parallel_units(packed, packed_size, 1 + 16 * 1024 / packed_size, |first, packed| {
                for (packed, grad) in packed.chunks_exact_mut(packed_size).zip(grads[first * out..].chunks_exact(out)) {
                    pack_pixels(kernel.width, g.out_channels, grad, packed);
                }
            });
            if !bordered {
                return Patches::new(kernel, g, axes, originals, packed).accumulate(filter_grad);
            }
            with_scratch(count * size, |copies: &mut [T]| {
                parallel_units(copies, size, 1 + 16 * 1024 / size, |first, copies| {
                    let originals = originals[first * image..].chunks_exact(image);
                    for (copy, original) in copies.chunks_exact_mut(size).zip(originals) {
                        add_border(g, original, copy);
                    }
                });
                let axes = [0, 1].map(|i| Axis { input: padded[i], before: 0, ..axes[i] });
                Patches::new(kernel, g, axes, copies, packed).accumulate(filter_grad);
            });
        });
    }
}

/// Packs the gradients of pixels, `channels` each, into panels: `[panel, pixel, width]`, the last one padded with zeros.
fn pack_pixels<T: Micro>(width: usize, channels: usize, grad: &[T], packed: &mut [T]) {
    for (i, panel) in packed.chunks_exact_mut(grad.len() / channels * width).enumerate() {
        let cols = width.min(channels - i * width);
        for (to, from) in panel.chunks_exact_mut(width).zip(grad.chunks_exact(channels)) {
            to[..cols].copy_from_slice(&from[i * width..i * width + cols]);
            to[cols..].fill(T::ZERO);
        }
    }
}

/// Copies an image, with a border of zeros, as far as the outputs reach.
fn add_border<T: Micro>(g: &ConvGeometry, image: &[T], copy: &mut [T]) {
    copy.fill(T::ZERO);
    let (row, left) = (g.padded_width() * g.in_channels, g.pad_left * g.in_channels);
    let rows = copy.chunks_exact_mut(row).skip(g.pad_top);
    for (to, from) in rows.zip(image.chunks_exact(g.in_width * g.in_channels)) {
        let to = &mut to[left.min(row)..];
        let many = from.len().min(to.len());
        to[..many].copy_from_slice(&from[..many]);
    }
}

/// The patches of some images, and the gradients of their outputs, packed.
struct Patches<'a, T: 'static> {
    kernel: &'a Kernel<T>,
    g: &'a ConvGeometry,
    axes: [Axis; 2],
    images: &'a [T],
    grads: &'a [T],
    kinds: Vec<Kind>,
    /// How far the rows of outputs are from the first one: in the image, and in the packed gradients.
    runs: Vec<(usize, usize)>,
}

/// Elements of patches, one behind the other, that lie inside the image for the same outputs.
struct Kind {
    elements: Range<usize>,
    down: Range<usize>,
    across: Range<usize>,
}

/// Elements of one kind, and where each lies in the image for the first output.
struct Tile<'a> {
    kind: &'a Kind,
    elements: Range<usize>,
    places: [usize; MAX_ROWS],
}

impl<'a, T: Micro> Patches<'a, T> {
    fn new(kernel: &'a Kernel<T>, g: &'a ConvGeometry, axes: [Axis; 2], images: &'a [T], grads: &'a [T]) -> Self {
        let mut kinds: Vec<Kind> = Vec::new();
        let row = axes[0].stride * axes[1].input * g.in_channels;
        for tap in 0..g.filter_height * g.filter_width {
            let down = axes[0].outputs_inside(tap / g.filter_width, g.out_height);
            let across = axes[1].outputs_inside(tap % g.filter_width, g.out_width);
            let elements = tap * g.in_channels..(tap + 1) * g.in_channels;
            match kinds.last_mut() {
                Some(last) if last.down == down && last.across == across => last.elements.end = elements.end,
                _ => kinds.push(Kind { elements, down, across }),
            }
        }
        kinds.retain(|kind| !kind.down.is_empty() && !kind.across.is_empty());
        let image = axes[0].input * axes[1].input * g.in_channels;
        let grad = g.out_height * g.out_width * g.out_channels.div_ceil(kernel.width) * kernel.width;
        assert!(images.len() / image == grads.len() / grad && grads.len().is_multiple_of(grad));
        let runs = (0..g.out_height).map(|y| (y * row, y * g.out_width * kernel.width)).collect();
        Self { kernel, g, axes, images, grads, kinds, runs }
    }

    /// Adds the products of all images. Tasks take tiles of patch elements; when these are few, groups of images are taken
    /// apart and their sums added in order.
    fn accumulate(&self, filter_grad: &mut [T]) {
        let count = self.images.len() / (self.axes[0].input * self.axes[1].input * self.g.in_channels);
        let len = filter_grad.len();
        let groups = (PARTIAL / len).clamp(1, count);
        let per_group = count.div_ceil(groups);
        let groups = count.div_ceil(per_group);
        let tiles = self.tiles();
        let chunks = tiles.chunks(tiles.len().div_ceil(CHUNKS).max(1)).collect::<Vec<_>>();
        let mut partial = if groups > 1 { vec![T::ZERO; (groups - 1) * len] } else { Vec::new() };
        let (first, others) = (SharedMut::new(filter_grad), SharedMut::new(&mut partial));
        parallel_for(groups * chunks.len(), 1, |range| {
            for task in range {
                let (group, tiles) = (task / chunks.len(), chunks[task % chunks.len()]);
                let sums = match group.checked_sub(1) {
                    None => first.start(),
                    Some(other) => others.start().wrapping_add(other * len),
                };
                for image in group * per_group..((group + 1) * per_group).min(count) {
                    self.image(image, tiles, sums);
                }
            }
        });
        for partial in partial.chunks_exact(len) {
            add_assign(filter_grad, partial);
        }
    }

    /// The elements of each kind in tiles, as many as the kernel takes, evenly shared.
    fn tiles(&self) -> Vec<Tile<'_>> {
        let (g, [down, across]) = (self.g, self.axes);
        let place = |kind: &Kind, element: usize| {
            let (tap, channel) = (element / g.in_channels, element % g.in_channels);
            let y = down.place(kind.down.start, tap / g.filter_width);
            let x = across.place(kind.across.start, tap % g.filter_width);
            (y * across.input + x) * g.in_channels + channel
        };
        let mut tiles = Vec::new();
        for kind in &self.kinds {
            let (start, len) = (kind.elements.start, kind.elements.len());
            let count = len.div_ceil(self.kernel.rows);
            for tile in 0..count {
                let elements = start + len * tile / count..start + len * (tile + 1) / count;
                let places = std::array::from_fn(|i| place(kind, elements.start + i.min(elements.len() - 1)));
                tiles.push(Tile { kind, elements, places });
            }
        }
        tiles
    }

    /// Adds one image's products for some tiles to `sums`, where nobody else writes the tiles' elements.
    fn image(&self, image: usize, tiles: &[Tile], sums: *mut T) {
        let (g, width, [down, across]) = (self.g, self.kernel.width, self.axes);
        let size = down.input * across.input * g.in_channels;
        let panel_size = g.out_height * g.out_width * width;
        let panels = g.out_channels.div_ceil(width);
        let pixels = &self.images[image * size..(image + 1) * size];
        let grads = &self.grads[image * panels * panel_size..(image + 1) * panels * panel_size];
        // Some rows of outputs at a time, so that image and gradient stay in the first-level cache.
        let lines = (self.kernel.blocks().depth / g.out_width).clamp(1, g.out_height);
        for from in (0..g.out_height).step_by(lines) {
            for (panel, grads) in grads.chunks_exact(panel_size).enumerate() {
                let col = panel * width;
                for Tile { kind, elements, places } in tiles {
                    let start = kind.down.start.max(from);
                    let end = kind.down.end.min(from + lines);
                    if start >= end {
                        continue;
                    }
                    let sum = sums.wrapping_add(elements.start * g.out_channels + col);
                    let call = Call {
                        a: places.map(|place| pixels.as_ptr().wrapping_add(place)),
                        rows: elements.len(),
                        runs: &self.runs[start - kind.down.start..end - kind.down.start],
                        len: kind.across.len(),
                        step: across.stride * g.in_channels,
                        b: grads[(kind.down.start * g.out_width + kind.across.start) * width..].as_ptr(),
                        c: std::array::from_fn(|i| sum.wrapping_add(i * g.out_channels)),
                        cols: width.min(g.out_channels - col),
                        accumulate: true,
                    };
                    // SAFETY: the taps of a kind lie inside the image for its outputs, and these inside the packed
                    // gradients, whose sizes `new` checked; the elements belong to this task.
                    unsafe { self.kernel.run(&call) };
                }
            }
        }
    }
}
