//! Pools over windows of two sizes that differ by one, in random order: `FractionalMaxPool`, `FractionalAvgPool`, and their
//! gradients `FractionalMaxPoolGrad` and `FractionalAvgPoolGrad`.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use math::random::{Philox, shuffle};
use tensor::DType::{self, Double, Float, Int32, Int64};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::random::generator::Generator;

const TYPES: &[DType] = &[Float, Double, Int32, Int64];
const ALLOWED: &str = "T: {float, double, int32, int64}";

pub(crate) fn register(r: &mut Registry) {
    for name in ["FractionalMaxPool", "FractionalAvgPool"] {
        r.op(name, "value: T -> output: T, row_pooling_sequence: int64, col_pooling_sequence: int64")
            .attr("pooling_ratio: list(float) >= 4")
            .attr("pseudo_random: bool = false")
            .attr("overlapping: bool = false")
            .attr("deterministic: bool = false")
            .attr("seed: int = 0")
            .attr("seed2: int = 0")
            .attr(ALLOWED)
            .shape(shape)
            .kernel("T", TYPES, kernel)
            .gradient(gradient);
    }
    const SEQUENCES: &str = "row_pooling_sequence: int64, col_pooling_sequence: int64";
    r.op("FractionalMaxPoolGrad", &format!("orig_input: T, orig_output: T, out_backprop: T, {SEQUENCES} -> output: T"))
        .attr("overlapping: bool = false")
        .attr(ALLOWED)
        .shape(|cx| {
            let shape = cx.with_rank(0, 4)?;
            cx.set(0, shape);
            Ok(())
        })
        .kernel("T", TYPES, max_grad_kernel);
    r.op(
        "FractionalAvgPoolGrad",
        &format!("orig_input_tensor_shape: int64, out_backprop: T, {SEQUENCES} -> output: T"),
    )
    .attr("overlapping: bool = false")
    .attr(ALLOWED)
    .shape(|cx| {
        let shape = cx.input_as_shape(0).merge(&PartialShape::of_rank(4))?;
        cx.set(0, shape);
        Ok(())
    })
    .kernel("T", TYPES, avg_grad_kernel);
}

/// The ratios of the four axes.
fn ratios(node: &impl ReadAttrs) -> Result<[f32; 4]> {
    let &[batch, rows, columns, depth] = node.attr_floats("pooling_ratio")? else {
        bail!(InvalidArgument, "pooling_ratio field must specify 4 dimensions")
    };
    ensure!(
        [batch, rows, columns, depth].iter().all(|ratio| *ratio >= 1.0),
        InvalidArgument,
        "pooling_ratio cannot be smaller than 1, got: {rows} and {columns}"
    );
    ensure!(
        batch == 1.0 && depth == 1.0,
        Unimplemented,
        "Fractional pooling is not yet supported on the batch or channel dimension."
    );
    Ok([batch, rows, columns, depth])
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 4)?;
    let ratios = ratios(cx)?;
    let dims: Vec<Option<i64>> =
        (0..4).map(|axis| input.dim(axis).map(|dim| (dim as f32 / ratios[axis]).floor() as i64)).collect();
    // The sequences are one longer, but TensorFlow says this.
    cx.set(1, PartialShape::new(&[dims[1]]));
    cx.set(2, PartialShape::new(&[dims[2]]));
    cx.set(0, PartialShape::new(&dims));
    Ok(())
}

/// Where the windows of an axis begin, and where the last one ends.
fn sequence(length: usize, count: usize, pseudo: bool, philox: &mut Philox) -> Vec<i64> {
    let mut steps = if pseudo {
        let words = philox.next_output();
        // The first two words as a number in [0, 1).
        let bits = 1023u64 << 52 | u64::from(words[0] & 0xf_ffff) << 32 | u64::from(words[1]);
        let chance = f64::from_bits(bits) - 1.0;
        let (alpha, least) = (length as f64 / count as f64, length / count);
        let first = (least + 2) as f64 / alpha - 1.0;
        let last = (length + 1 - least) as f64 / alpha - (count - 1) as f64;
        let u = chance * first.min(last);
        let mut ends: Vec<i64> = (0..=count).map(|at| (alpha * (at as f64 + u)).ceil() as i64).collect();
        ends[0] = 1;
        ends[count] = length as i64 + 1;
        ends.windows(2).map(|pair| pair[1] - pair[0]).collect()
    } else {
        let mut steps: Vec<i64> =
            (0..count).map(|at| (length / count + (at < length % count) as usize) as i64).collect();
        shuffle(*philox, &mut steps);
        philox.skip(count.div_ceil(4) as u64);
        steps
    };
    let mut at = 0;
    steps.iter_mut().for_each(|step| {
        at += *step;
        *step = at;
    });
    steps.insert(0, 0);
    steps
}

/// The windows that sequences describe: for each output its rows and columns.
struct Windows {
    rows: Vec<(usize, usize)>,
    columns: Vec<(usize, usize)>,
}

impl Windows {
    /// # Errors
    /// `InvalidArgument` for sequences that do not lie within these sizes.
    fn new(rows: &[i64], columns: &[i64], overlapping: bool, [height, width]: [i64; 2]) -> Result<Windows> {
        for (name, sequence) in [("Row", rows), ("Column", columns)] {
            let negative = sequence.iter().find(|place| **place < 0);
            ensure!(
                negative.is_none(),
                InvalidArgument,
                "{name} sequence tensor values must not be negative, got {sequence:?}"
            );
        }
        let spans = |sequence: &[i64], length: i64| -> Result<Vec<(usize, usize)>> {
            let mut spans = Vec::with_capacity(sequence.len());
            for pair in sequence.windows(2) {
                let end = if overlapping { pair[1] + 1 } else { pair[1] }.min(length);
                ensure!(
                    pair[0] >= 0 && pair[0] < end,
                    InvalidArgument,
                    "a pooling sequence that goes from {} to {} on an axis of {length}",
                    pair[0],
                    pair[1]
                );
                spans.push((pair[0] as usize, end as usize));
            }
            Ok(spans)
        };
        Ok(Windows { rows: spans(rows, height)?, columns: spans(columns, width)? })
    }

    /// Calls `f` with the places in an image of this width of the voxels of each window, and the window's number.
    fn each(&self, width: usize, mut f: impl FnMut(usize, &mut dyn Iterator<Item = usize>, usize)) {
        for (i, rows) in self.rows.iter().enumerate() {
            for (j, columns) in self.columns.iter().enumerate() {
                let mut places =
                    (rows.0..rows.1).flat_map(|row| (columns.0..columns.1).map(move |column| row * width + column));
                let count = (rows.1 - rows.0) * (columns.1 - columns.0);
                f(i * self.columns.len() + j, &mut places, count);
            }
        }
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let ratios = ratios(node)?;
    let (pseudo, overlapping) = (node.attr_bool("pseudo_random")?, node.attr_bool("overlapping")?);
    let seeds = (node.attr_int("seed")?, node.attr_int("seed2")?);
    ensure!(
        node.attr_bool("deterministic")? || seeds == (0, 0),
        InvalidArgument,
        "Both seed and seed2 should be 0 if deterministic is false."
    );
    let average = node.op == "FractionalAvgPool";
    let fixed = node
        .attr_bool("deterministic")?
        .then(|| Generator::new(node))
        .transpose()?
        .map(|generator| generator.reserve(0));
    let chance = Generator::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let &[batch, height, width, channels] = input.dims() else {
            bail!(InvalidArgument, "tensor_in must be 4-dimensional")
        };
        for (axis, length) in [(1, height), (2, width)] {
            ensure!(
                length as f32 >= ratios[axis],
                InvalidArgument,
                "Pooling ratio is higher than input dimension size for dimension {axis}: ratio {}, size {length}",
                ratios[axis]
            );
        }
        let count = |length: i64, axis: usize| (length as f32 / ratios[axis]).floor() as i64;
        let (rows, columns) = (count(height, 1), count(width, 2));
        ensure!(
            rows > 0 && columns > 0,
            InvalidArgument,
            "Fractional pooling of {} leaves nothing with these ratios",
            input.shape()
        );
        let mut philox = fixed.unwrap_or_else(|| chance.reserve(1));
        let by_row = sequence(height as usize, rows as usize, pseudo, &mut philox);
        let by_column = sequence(width as usize, columns as usize, pseudo, &mut philox);
        let windows = Windows::new(&by_row, &by_column, overlapping, [height, width])?;
        let shape = Shape::new(&[batch, rows, columns, channels])?;
        let (width, channels) = (width as usize, channels as usize);
        let output = dispatch!(input.dtype(), T in [f32, f64, i32, i64] => {
            let values = input.as_slice::<T>()?;
            Tensor::build(shape, |out: &mut [T]| {
                let (area, windows_area) = (height as usize * width * channels, (rows * columns) as usize * channels);
                for image in 0..batch as usize {
                    let values = &values[image * area..(image + 1) * area];
                    let out = &mut out[image * windows_area..(image + 1) * windows_area];
                    windows.each(width, |number, places, size| {
                        let target = &mut out[number * channels..(number + 1) * channels];
                        for (at, place) in places.enumerate() {
                            let source = &values[place * channels..(place + 1) * channels];
                            for (target, x) in target.iter_mut().zip(source) {
                                *target = match (at, average) {
                                    (0, _) => *x,
                                    (_, true) => *target + *x,
                                    (_, false) => if *x > *target { *x } else { *target },
                                };
                            }
                        }
                        if average {
                            target.iter_mut().for_each(|target| *target /= size as T);
                        }
                    });
                }
                Ok(())
            })
        })?;
        cx.set_output(0, output);
        cx.set_output(1, Tensor::vector(&by_row));
        cx.set_output(2, Tensor::vector(&by_column));
        Ok(())
    }))
}

/// The windows of the last two inputs, which must be as many as the gradient has pixels.
fn given(cx: &OpContext<'_>, first: usize, dims: &[i64], backprop: &Tensor, overlapping: bool) -> Result<Windows> {
    let &[batch, height, width, channels] = dims else {
        bail!(InvalidArgument, "the pooled tensor must be 4-dimensional, not of {dims:?}")
    };
    let (rows, columns) = (cx.input(first)?, cx.input(first + 1)?);
    for (name, sequence) in [("row", rows), ("col", columns)] {
        let shape = sequence.shape();
        ensure!(shape.rank() == 1, InvalidArgument, "{name}_pooling_sequence must be a vector, received shape {shape}");
    }
    let windows = Windows::new(&rows.to_i64_vec()?, &columns.to_i64_vec()?, overlapping, [height, width])?;
    let wanted = [batch, windows.rows.len() as i64, windows.columns.len() as i64, channels];
    ensure!(
        backprop.dims() == wanted,
        InvalidArgument,
        "out_backprop must have the shape {wanted:?}, as the pooling sequences say, not {}",
        backprop.shape()
    );
    Ok(windows)
}

/// The gradient goes to the first of the greatest values of each window.
fn max_grad_kernel(node: &Node) -> Result<Kernel> {
    let overlapping = node.attr_bool("overlapping")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, output, dy) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let windows = given(cx, 3, input.dims(), dy, overlapping)?;
        ensure!(
            output.shape() == dy.shape(),
            InvalidArgument,
            "orig_output {} and out_backprop {} must have one shape",
            output.shape(),
            dy.shape()
        );
        let [height, width, channels] = [1, 2, 3].map(|axis| input.shape().dim(axis));
        let gradient = dispatch!(input.dtype(), T in [f32, f64, i32, i64] => {
            let (values, dy) = (input.as_slice::<T>()?, dy.as_slice::<T>()?);
            Tensor::build(input.shape().clone(), |out: &mut [T]| {
                out.fill(0 as T);
                let area = height * width * channels;
                let per_image = windows.rows.len() * windows.columns.len() * channels;
                for image in 0..input.shape().dim(0) {
                    windows.each(width, |number, places, _| {
                        let places: Vec<usize> = places.collect();
                        for channel in 0..channels {
                            let at = |place: usize| image * area + place * channels + channel;
                            let best = places.iter().copied().reduce(|best, place| {
                                if values[at(place)] > values[at(best)] { place } else { best }
                            });
                            if let Some(best) = best {
                                out[at(best)] += dy[image * per_image + number * channels + channel];
                            }
                        }
                    });
                }
                Ok(())
            })
        })?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

/// Each value of a window gets its share.
fn avg_grad_kernel(node: &Node) -> Result<Kernel> {
    let overlapping = node.attr_bool("overlapping")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (dims, dy) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            dims.dims() == [4],
            InvalidArgument,
            "original input tensor shape must be 1-dimensional and 4 elements"
        );
        let dims = dims.to_i64_vec()?;
        let shape = Shape::new(&dims)?;
        Tensor::check_size(Double, &shape)?;
        let windows = given(cx, 2, &dims, dy, overlapping)?;
        let [height, width, channels] = [1, 2, 3].map(|axis| shape.dim(axis));
        let gradient = dispatch!(dy.dtype(), T in [f32, f64, i32, i64] => {
            let dy = dy.as_slice::<T>()?;
            let mut sums = vec![0f64; shape.num_elements()];
            let (area, per_image) = (height * width * channels, windows.rows.len() * windows.columns.len() * channels);
            for image in 0..shape.dim(0) {
                windows.each(width, |number, places, size| {
                    for place in places {
                        for channel in 0..channels {
                            #[allow(clippy::unnecessary_cast)]
                            let grad = dy[image * per_image + number * channels + channel] as f64;
                            sums[image * area + place * channels + channel] += grad / size as f64;
                        }
                    }
                });
            }
            Tensor::build(shape, |out: &mut [T]| {
                out.iter_mut().zip(&sums).for_each(|(out, sum)| *out = *sum as T);
                Ok(())
            })
        })?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = match cx.node.op.as_str() {
        "FractionalMaxPool" => cx.op("FractionalMaxPoolGrad").input(cx.x(0)).input(cx.y(0)).input(cx.dy(0)?),
        _ => {
            let shape = cx.op("Shape").input(cx.x(0)).attr("out_type", Int64).output();
            cx.op("FractionalAvgPoolGrad").input(shape).input(cx.dy(0)?)
        }
    };
    let node = node.input(cx.y(1)).input(cx.y(2)).attr("overlapping", cx.attr_bool("overlapping")?);
    Ok(vec![Some(node.output().into())])
}
