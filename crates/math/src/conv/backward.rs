//! The gradients of a convolution.
//!
//! The gradient by the input is itself a convolution: the output gradient, spread out by the
//! strides and framed with zeros, with the filter turned around and its channels exchanged.
//! The gradient by the filter is a product of patches, over all pixels, with the output gradient.

use super::ConvGeometry;
use super::forward::Sliding;
use super::pad::Frame;
use crate::elementwise::add_assign;
use crate::gemm::{GemmElement, gemm};
use crate::kernel::{Call, Micro, ROWS};
use crate::scratch::with_scratch;
use crate::threads::{SharedMut, parallel_for, parallel_units};

/// Elements of padded images that are kept at a time.
const PADDED: usize = 2 << 20;
/// Elements of partial filter gradients.
const PARTIAL: usize = 64 * 1024;

/// `input_grad` = the gradient by the input, from the filter and the gradient by the output.
pub(super) fn backward_input<T: Micro + GemmElement>(
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
    // An input pixel y meets output (y + top - k * dilation) / stride: with the filter turned
    // around, a window that starts `span - 1 - top` before y in the spread gradient. Where the
    // border is wider than the filter, the window starts inside the gradient.
    let span = [(g.filter_height - 1) * g.dilation_height, (g.filter_width - 1) * g.dilation_width];
    let before = [span[0].saturating_sub(g.pad_top), span[1].saturating_sub(g.pad_left)];
    let skip = [g.pad_top.saturating_sub(span[0]), g.pad_left.saturating_sub(span[1])];
    let frame = Frame {
        height: g.out_height,
        width: g.out_width,
        channels: outer,
        top: before[0],
        left: before[1],
        padded_height: skip[0] + g.in_height + span[0],
        padded_width: skip[1] + g.in_width + span[1],
        spread: [g.stride_height, g.stride_width],
    };
    let window = ConvGeometry {
        in_channels: outer,
        out_channels: inner,
        out_height: g.in_height + skip[0],
        out_width: g.in_width + skip[1],
        stride_height: 1,
        stride_width: 1,
        ..*g
    };
    let depth = g.filter_height * g.filter_width * outer;
    let panels = inner.div_ceil(T::WIDTH);
    with_scratch(panels * depth * T::WIDTH, |packed| {
        pack_turned(g, filter, packed);
        let sliding = Sliding::new(&window, frame, packed);
        if skip == [0, 0] {
            return sliding.run(output_grad, input_grad);
        }
        let mut larger = vec![T::ZERO; g.batch * window.out_height * window.out_width * inner];
        sliding.run(output_grad, &mut larger);
        let rows = input_grad.chunks_exact_mut(g.in_width * inner).enumerate();
        for (i, row) in rows {
            let y = i / g.in_height * window.out_height + i % g.in_height + skip[0];
            let from = (y * window.out_width + skip[1]) * inner;
            row.copy_from_slice(&larger[from..from + row.len()]);
        }
    });
}

/// Packs the filter with its rows and columns reversed and its channels exchanged.
fn pack_turned<T: Micro + GemmElement>(g: &ConvGeometry, filter: &[T], packed: &mut [T]) {
    let (inner, outer) = (g.in_channels, g.out_channels);
    let taps = g.filter_height * g.filter_width;
    parallel_units(packed, taps * outer * T::WIDTH, 1, |first, packed| {
        for (i, panel) in packed.chunks_exact_mut(taps * outer * T::WIDTH).enumerate() {
            let col = (first + i) * T::WIDTH;
            for (tap, panel) in panel.chunks_exact_mut(outer * T::WIDTH).enumerate() {
                let from = (taps - 1 - tap) * inner * outer;
                for j in 0..T::WIDTH {
                    let channel = col + j;
                    if channel < inner {
                        let row = &filter[from + channel * outer..from + (channel + 1) * outer];
                        for (o, &x) in row.iter().enumerate() {
                            panel[o * T::WIDTH + j] = x;
                        }
                    } else {
                        panel.chunks_exact_mut(T::WIDTH).for_each(|row| row[j] = T::ZERO);
                    }
                }
            }
        }
    });
}

/// `filter_grad` = the gradient by the filter, from the input and the gradient by the output.
pub(super) fn backward_filter<T: Micro + GemmElement>(
    g: &ConvGeometry,
    input: &[T],
    output_grad: &[T],
    filter_grad: &mut [T],
) {
    g.check(input.len(), filter_grad.len(), output_grad.len());
    if filter_grad.is_empty() {
        return;
    }
    if output_grad.is_empty() {
        return filter_grad.fill(T::ZERO);
    }
    if g.is_plain_product() {
        let pixels = g.batch * g.in_height * g.in_width;
        return gemm(g.in_channels, pixels, g.out_channels, input, true, output_grad, false, filter_grad, false);
    }
    filter_grad.fill(T::ZERO);
    let frame = Frame::of(g);
    let padded_len = frame.padded_height * frame.row_len();
    let image_len = g.in_height * g.in_width * g.in_channels;
    let out_len = g.out_height * g.out_width * g.out_channels;
    let images = (PADDED / padded_len).clamp(1, g.batch);
    for first in (0..g.batch).step_by(images) {
        let count = images.min(g.batch - first);
        let grads = &output_grad[first * out_len..(first + count) * out_len];
        let originals = &input[first * image_len..(first + count) * image_len];
        if frame.is_original() {
            accumulate_images(g, &frame, originals, grads, filter_grad);
            continue;
        }
        with_scratch(count * padded_len, |padded: &mut [T]| {
            parallel_units(padded, padded_len, 1 + 16 * 1024 / padded_len, |first, padded| {
                for (i, padded) in padded.chunks_exact_mut(padded_len).enumerate() {
                    frame.write(&originals[(first + i) * image_len..(first + i + 1) * image_len], 0, padded);
                }
            });
            accumulate_images(g, &frame, padded, grads, filter_grad);
        });
    }
}

/// Adds the products of some padded images. Tasks take tiles of patch elements; when these are
/// few, groups of images are taken apart and their sums added in order.
fn accumulate_images<T: Micro + GemmElement>(
    g: &ConvGeometry,
    frame: &Frame,
    padded: &[T],
    grads: &[T],
    filter_grad: &mut [T],
) {
    let padded_len = frame.padded_height * frame.row_len();
    let count = padded.len() / padded_len;
    let len = g.filter_len();
    let groups = (PARTIAL / len).clamp(1, count);
    let per_group = count.div_ceil(groups);
    let groups = count.div_ceil(per_group);
    let tiles = g.depth().div_ceil(ROWS);
    let mut partial = if groups > 1 { vec![T::ZERO; (groups - 1) * len] } else { Vec::new() };
    let first = SharedMut::new(filter_grad);
    let others = SharedMut::new(&mut partial);
    // Tiles that share the channels of one pixel are best taken together.
    let at_a_time = tiles.div_ceil(32);
    let chunks = tiles.div_ceil(at_a_time);
    parallel_for(groups * chunks, 1, |range| {
        for task in range {
            let (group, tile) = (task / chunks, task % chunks * at_a_time);
            let rows = tile * ROWS..((tile + at_a_time) * ROWS).min(g.depth());
            let images = group * per_group..((group + 1) * per_group).min(count);
            let part = rows.start * g.out_channels..rows.end * g.out_channels;
            // SAFETY: every group has its own sums, and every task its own rows of them.
            let sums = unsafe {
                match group.checked_sub(1) {
                    None => first.slice(part),
                    Some(other) => others.slice(other * len + part.start..other * len + part.end),
                }
            };
            for image in images {
                let grad = &grads[image * g.out_height * g.out_width * g.out_channels..];
                tile_rows(g, frame, &padded[image * padded_len..(image + 1) * padded_len], grad, rows.clone(), sums);
            }
        }
    });
    for partial in partial.chunks_exact(len) {
        add_assign(filter_grad, partial);
    }
}

/// Adds one image's products for the patch elements `rows` to `sums`.
fn tile_rows<T: Micro + GemmElement>(
    g: &ConvGeometry,
    frame: &Frame,
    image: &[T],
    grad: &[T],
    rows: std::ops::Range<usize>,
    sums: &mut [T],
) {
    let kernel = T::kernel();
    let row_len = frame.row_len();
    assert!(image.len() >= g.padded_height() * row_len && row_len == g.padded_width() * g.in_channels);
    assert!(grad.len() >= g.out_height * g.out_width * g.out_channels);
    assert!(sums.len() == rows.len() * g.out_channels && rows.end <= g.depth());
    let element = |row: usize| {
        let (tap, c) = (row / g.in_channels, row % g.in_channels);
        let (y, x) = (tap / g.filter_width, tap % g.filter_width);
        y * g.dilation_height * row_len + x * g.dilation_width * g.in_channels + c
    };
    // Some output rows at a time, so that image and gradient stay in the first-level cache.
    let lines = (256 / g.out_width).clamp(1, g.out_height);
    let mut edge = Vec::new();
    for from in (0..g.out_height).step_by(lines) {
        let lines = lines.min(g.out_height - from);
        let offsets = (from..from + lines).map(|y| y * g.stride_height * row_len).collect::<Vec<_>>();
        let pixels = lines * g.out_width;
        let grad = &grad[from * g.out_width * g.out_channels..][..pixels * g.out_channels];
        for col in (0..g.out_channels).step_by(T::WIDTH) {
            let cols = T::WIDTH.min(g.out_channels - col);
            let (b, b_step) = if cols == T::WIDTH {
                (grad[col..].as_ptr(), g.out_channels)
            } else {
                // The last columns are copied to a panel of full width.
                edge.clear();
                for pixel in grad.chunks_exact(g.out_channels) {
                    edge.extend_from_slice(&pixel[col..]);
                    edge.resize(edge.len() + T::WIDTH - cols, T::ZERO);
                }
                (edge.as_ptr(), T::WIDTH)
            };
            for row in rows.clone().step_by(ROWS) {
                let many = ROWS.min(rows.end - row);
                let a = std::array::from_fn(|i| image[element(row + i.min(many - 1))..].as_ptr());
                let call = Call {
                    a,
                    rows: many,
                    offsets: &offsets,
                    len: g.out_width,
                    step: g.stride_width * g.in_channels,
                    b,
                    b_step,
                    c: sums[(row - rows.start) * g.out_channels + col..].as_mut_ptr(),
                    c_row: g.out_channels,
                    cols,
                    accumulate: true,
                };
                // SAFETY: the assertions above cover the last pixel of the last tap, every pixel
                // of the gradient, and the rows of the sums.
                unsafe { kernel(&call) };
            }
        }
    }
}
