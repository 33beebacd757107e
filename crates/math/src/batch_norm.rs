//! Batch normalisation: the moments of each channel of an image, and the passes that use them.
//!
//! Sums are taken over blocks that stay in the nearest cache and put together in `f64`, in one order whatever number of
//! threads there is. A block's squares are taken around its own mean, so that one pass over memory is as good as two.

use crate::simd::wide;
use crate::threads::parallel_units;

/// Elements of a block of which sums are taken, and elements of one channel in it: more would lose digits.
const BLOCK: usize = 4096;
const BLOCK_ROWS: usize = 256;
/// Elements worth a thread.
const GRAIN: usize = 16 * 1024;
/// Rows shorter than this are repeated, so that loops over a row have something to do.
const ROW: usize = 128;

/// How an image falls into channels: `outer` blocks of `channels` runs of `inner` elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Channels {
    /// Blocks.
    pub outer: usize,
    /// Channels in a block.
    pub channels: usize,
    /// Neighbouring elements of one channel: 1 where channels are the last axis.
    pub inner: usize,
}

impl Channels {
    /// The elements of a channel.
    pub fn per_channel(self) -> usize {
        self.outer * self.inner
    }

    fn len(self) -> usize {
        self.per_channel() * self.channels
    }

    /// How many elements a block has, and of how many channels.
    fn block(self) -> (usize, usize) {
        match self.inner {
            1 => ((BLOCK / self.channels.max(1)).clamp(1, BLOCK_ROWS) * self.channels.max(1), self.channels),
            inner => (inner, 1),
        }
    }

    /// For each block in order its number of elements of a channel, its first channel, and two sums for each channel from
    /// there, as `sum(first element, one past the last, first channel, both sums)` gives them.
    fn sums(
        self,
        sum: impl Fn(usize, usize, usize, [&mut [f64]; 2]) + Sync,
        mut each: impl FnMut(usize, usize, &[f64], &[f64]),
    ) {
        if self.len() == 0 {
            return;
        }
        let (block, width) = self.block();
        let blocks = self.len().div_ceil(block);
        let first_channel = |block: usize| if self.inner == 1 { 0 } else { block % self.channels };
        let mut both = vec![0f64; blocks * 2 * width];
        parallel_units(&mut both, 2 * width, GRAIN.div_ceil(block), |first, parts| {
            for (index, part) in parts.chunks_exact_mut(2 * width).enumerate() {
                let begin = (first + index) * block;
                let (one, two) = part.split_at_mut(width);
                sum(begin, (begin + block).min(self.len()), first_channel(first + index), [one, two]);
            }
        });
        for (index, part) in both.chunks_exact(2 * width).enumerate() {
            let rows = block.min(self.len() - index * block) / width;
            each(rows, first_channel(index), &part[..width], &part[width..]);
        }
    }

    /// Calls `f(first element, channel values repeated, row)` for rows of whole channels, or for runs of one channel.
    fn rows(self, out: &mut [f32], values: &[&[f32]], f: impl Fn(usize, Values<'_>, &mut [f32]) + Sync) {
        assert!(out.len() == self.len() && values.iter().all(|values| values.len() == self.channels));
        if self.inner == 1 {
            let repeats = ROW.div_ceil(self.channels.max(1));
            let repeated: Vec<Vec<f32>> = values.iter().map(|values| values.repeat(repeats)).collect();
            let row = (repeats * self.channels).max(1);
            let grain = GRAIN.div_ceil(self.channels.max(1));
            parallel_units(out, self.channels.max(1), grain, |first, run| {
                for (index, out) in run.chunks_mut(row).enumerate() {
                    f(first * self.channels + index * row, Values::Each(&repeated), out);
                }
            });
        } else {
            parallel_units(out, self.inner.max(1), GRAIN.div_ceil(self.inner.max(1)), |first, runs| {
                for (index, out) in runs.chunks_exact_mut(self.inner).enumerate() {
                    let run = first + index;
                    f(run * self.inner, Values::One(values, run % self.channels), out);
                }
            });
        }
    }
}

/// What belongs to a channel, for the elements of a row.
#[derive(Clone, Copy)]
enum Values<'a> {
    /// For each element of the row its own.
    Each(&'a [Vec<f32>]),
    /// All elements are of this channel.
    One(&'a [&'a [f32]], usize),
}

/// The mean of each channel, and the mean square of the distances from it.
pub fn moments(at: Channels, x: &[f32]) -> (Vec<f64>, Vec<f64>) {
    assert_eq!(x.len(), at.len());
    let mut count = vec![0f64; at.channels];
    let (mut mean, mut squares) = (count.clone(), count.clone());
    let sum = |begin: usize, end: usize, _: usize, [sums, around]: [&mut [f64]; 2]| {
        let block = &x[begin..end];
        let rows = (block.len() / sums.len()) as f64;
        let mut means = vec![0f32; sums.len()];
        add_up([block, block], &means, sums, |x, _, _| x);
        for (mean, sum) in means.iter_mut().zip(sums) {
            *mean = (*sum / rows) as f32;
        }
        add_up([block, block], &means, around, |x, _, mean| (x - mean) * (x - mean));
    };
    // Chan's formula: the squares of two parts, and what their means are apart.
    at.sums(sum, |rows, channel, sums, around| {
        let rows = rows as f64;
        for (lane, (sum, around)) in sums.iter().zip(around).enumerate() {
            let (count, mean) = (&mut count[channel + lane], &mut mean[channel + lane]);
            let apart = sum / rows - *mean;
            let total = *count + rows;
            squares[channel + lane] += around + apart * apart * *count * rows / total;
            *mean += apart * rows / total;
            *count = total;
        }
    });
    let rows = at.per_channel().max(1) as f64;
    squares.iter_mut().for_each(|square| *square /= rows);
    (mean, squares)
}

/// For each channel the sum of `dy`, and that of `dy * (x - mean)`.
pub fn gradient_sums(at: Channels, dy: &[f32], x: &[f32], mean: &[f32]) -> (Vec<f64>, Vec<f64>) {
    assert!(dy.len() == at.len() && x.len() == at.len() && mean.len() == at.channels);
    let (mut plain, mut products) = (vec![0f64; at.channels], vec![0f64; at.channels]);
    let sum = |begin: usize, end: usize, channel: usize, [sums, with_x]: [&mut [f64]; 2]| {
        let (dy, x, mean) = (&dy[begin..end], &x[begin..end], &mean[channel..channel + sums.len()]);
        add_up([dy, dy], mean, sums, |dy, _, _| dy);
        add_up([dy, x], mean, with_x, |dy, x, mean| dy * (x - mean));
    };
    at.sums(sum, |_, channel, sums, with_x| {
        for (lane, (sum, product)) in sums.iter().zip(with_x).enumerate() {
            plain[channel + lane] += sum;
            products[channel + lane] += product;
        }
    });
    (plain, products)
}

/// What becomes of a normalised image: `(x - mean) * factor + offset` for each channel, something added, negatives cut off.
#[derive(Clone, Copy)]
pub struct Normal<'a> {
    /// For each channel.
    pub mean: &'a [f32],
    /// For each channel.
    pub factor: &'a [f32],
    /// For each channel.
    pub offset: &'a [f32],
    /// As large as the image.
    pub added: Option<&'a [f32]>,
    /// Whether negative numbers become zero.
    pub relu: bool,
}

/// `out` = `x`, or what `out` holds itself, normalised.
pub fn normalize(at: Channels, x: Option<&[f32]>, normal: Normal<'_>, out: &mut [f32]) {
    assert!(x.is_none_or(|x| x.len() == at.len()) && normal.added.is_none_or(|added| added.len() == at.len()));
    at.rows(out, &[normal.mean, normal.factor, normal.offset], |begin, values, out| {
        let range = begin..begin + out.len();
        let x = x.map(|x| &x[range.clone()]);
        pass(values, x, out, |[mean, factor, offset], x, _| (x - mean) * factor + offset);
        wide(
            #[inline(always)]
            || {
                if let Some(added) = normal.added {
                    out.iter_mut().zip(&added[range]).for_each(|(y, added)| *y += added);
                }
                if normal.relu {
                    out.iter_mut().for_each(|y| *y = if *y < 0.0 { 0.0 } else { *y });
                }
            },
        );
    });
}

/// `data`, which holds the gradient by the normalised image, becomes that by the image `x`:
/// `factor * (dy - mean_grad - (x - mean) * slope)` for each channel.
pub fn gradient(at: Channels, x: &[f32], values: [&[f32]; 4], data: &mut [f32]) {
    assert_eq!(x.len(), at.len());
    at.rows(data, &values, |begin, values, data| {
        let x = Some(&x[begin..begin + data.len()]);
        pass(values, x, data, |[mean, factor, mean_grad, slope], x, dy| factor * (dy - mean_grad - (x - mean) * slope));
    });
}

/// `data` = `f(values of the channel, x, data)` element by element; without `x`, the data stands for it too.
fn pass<const N: usize>(
    values: Values<'_>,
    x: Option<&[f32]>,
    data: &mut [f32],
    f: impl Fn([f32; N], f32, f32) -> f32,
) {
    let len = data.len();
    let x = x.map(|x| &x[..len]);
    wide(
        #[inline(always)]
        || match values {
            Values::Each(values) => {
                let values: [&[f32]; N] = std::array::from_fn(|index| &values[index][..len]);
                match x {
                    Some(x) => (0..len).for_each(|at| data[at] = f(values.map(|values| values[at]), x[at], data[at])),
                    None => (0..len).for_each(|at| data[at] = f(values.map(|values| values[at]), data[at], data[at])),
                }
            }
            Values::One(values, channel) => {
                let values: [f32; N] = std::array::from_fn(|index| values[index][channel]);
                match x {
                    Some(x) => data.iter_mut().zip(x).for_each(|(y, x)| *y = f(values, *x, *y)),
                    None => data.iter_mut().for_each(|y| *y = f(values, *y, *y)),
                }
            }
        },
    );
}

/// For each channel the sum of `f(a, b, the channel's value)` over rows of as many channels as there are sums.
fn add_up([a, b]: [&[f32]; 2], values: &[f32], sums: &mut [f64], f: impl Fn(f32, f32, f32) -> f32 + Copy) {
    wide(
        #[inline(always)]
        || match sums {
            [sum] => {
                // One channel: a few elements at a time are as good as channels.
                for (a, b) in a.chunks(BLOCK).zip(b.chunks(BLOCK)) {
                    let whole = a.len() / 32 * 32;
                    let lanes = tile([&a[..whole], &b[..whole]], 32, &[values[0]; 32], f);
                    *sum += lanes.iter().map(|lane| f64::from(*lane)).sum::<f64>();
                    for (a, b) in a[whole..].iter().zip(&b[whole..]) {
                        *sum += f64::from(f(*a, *b, values[0]));
                    }
                }
            }
            sums => {
                let done = tiles::<32>([a, b], 0, values, sums, f);
                let done = tiles::<8>([a, b], done, values, sums, f);
                tiles::<1>([a, b], done, values, sums, f);
            }
        },
    );
}

/// Sums as many channels from `done` as fit, `L` at a time, and returns how many are done then.
#[inline(always)]
fn tiles<const L: usize>(
    [a, b]: [&[f32]; 2],
    mut done: usize,
    values: &[f32],
    sums: &mut [f64],
    f: impl Fn(f32, f32, f32) -> f32 + Copy,
) -> usize {
    while let Some(values) = values[done..].first_chunk::<L>() {
        let lanes = tile([&a[done..], &b[done..]], sums.len(), values, f);
        for (sum, lane) in sums[done..].iter_mut().zip(lanes) {
            *sum = f64::from(lane);
        }
        done += L;
    }
    done
}

/// The sums of the first `L` channels of rows that are `stride` apart.
#[inline(always)]
fn tile<const L: usize>(
    [a, b]: [&[f32]; 2],
    stride: usize,
    values: &[f32; L],
    f: impl Fn(f32, f32, f32) -> f32,
) -> [f32; L] {
    let mut lanes = [0f32; L];
    for (a, b) in a.chunks(stride).zip(b.chunks(stride)) {
        let (a, b) = (&a[..L], &b[..L]);
        for lane in 0..L {
            lanes[lane] += f(a[lane], b[lane], values[lane]);
        }
    }
    lanes
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that are not all alike, far from zero.
    fn numbers(count: usize) -> Vec<f32> {
        (0..count).map(|n| 100.0 + (n * 7919 % 1013) as f32 / 512.0).collect()
    }

    fn channel_of(at: Channels, element: usize) -> usize {
        element / at.inner % at.channels
    }

    const SHAPES: [(usize, usize, usize); 7] =
        [(1, 1, 1), (500, 3, 1), (700, 32, 1), (90, 45, 1), (3, 5, 49), (2, 3, 5000), (300, 1, 1)];

    #[test]
    fn moments_and_sums_are_those_of_wider_numbers() {
        for (outer, channels, inner) in SHAPES {
            let at = Channels { outer, channels, inner };
            let (x, dy) = (numbers(at.len()), numbers(at.len() + 1)[1..].to_vec());
            let (mean, variance) = moments(at, &x);
            let means: Vec<f32> = mean.iter().map(|mean| *mean as f32).collect();
            let (plain, products) = gradient_sums(at, &dy, &x, &means);
            for channel in 0..channels {
                let own = || (0..at.len()).filter(|element| channel_of(at, *element) == channel);
                let count = own().count() as f64;
                let wanted = own().map(|n| f64::from(x[n])).sum::<f64>() / count;
                let around = own().map(|n| (f64::from(x[n]) - wanted).powi(2)).sum::<f64>() / count;
                let sum = own().map(|n| f64::from(dy[n])).sum::<f64>();
                let product =
                    own().map(|n| f64::from(dy[n]) * (f64::from(x[n]) - f64::from(means[channel]))).sum::<f64>();
                assert!((mean[channel] - wanted).abs() < 1e-5, "{at:?}: {} is not {wanted}", mean[channel]);
                assert!(
                    (variance[channel] - around).abs() < 1e-6 + 1e-5 * around,
                    "{at:?}: {} is not {around}",
                    variance[channel]
                );
                assert!((plain[channel] - sum).abs() < 1e-6 * sum, "{at:?}: {} is not {sum}", plain[channel]);
                assert!(
                    (products[channel] - product).abs() < 1e-4 * sum,
                    "{at:?}: {} is not {product}",
                    products[channel]
                );
            }
        }
    }

    #[test]
    fn passes_take_what_belongs_to_the_channel() {
        for (outer, channels, inner) in SHAPES {
            let at = Channels { outer, channels, inner };
            let (x, dy) = (numbers(at.len()), numbers(at.len() + 1)[1..].to_vec());
            let values = |first: f32| (0..channels).map(|channel| first + channel as f32).collect::<Vec<_>>();
            let (mean, factor, offset, slope) = (values(99.0), values(-2.0), values(0.5), values(0.25));
            let mut out = vec![0f32; at.len()];
            let plain = Normal { mean: &mean, factor: &factor, offset: &offset, added: None, relu: false };
            normalize(at, Some(&x), plain, &mut out);
            let wanted = |n: usize, c: usize| (x[n] - mean[c]) * factor[c] + offset[c];
            assert!(out.iter().enumerate().all(|(n, y)| *y == wanted(n, channel_of(at, n))), "{at:?}");
            out.copy_from_slice(&x);
            normalize(at, None, Normal { added: Some(&dy), relu: true, ..plain }, &mut out);
            assert!(
                out.iter().enumerate().all(|(n, y)| *y == (wanted(n, channel_of(at, n)) + dy[n]).max(0.0)),
                "{at:?}"
            );
            let mut dx = dy.clone();
            gradient(at, &x, [&mean, &factor, &offset, &slope], &mut dx);
            let wanted = |n: usize, c: usize| factor[c] * (dy[n] - offset[c] - (x[n] - mean[c]) * slope[c]);
            assert!(dx.iter().enumerate().all(|(n, dx)| *dx == wanted(n, channel_of(at, n))), "{at:?}");
        }
    }
}
