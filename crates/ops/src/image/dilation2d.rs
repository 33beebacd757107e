//! `Dilation2D` and its gradient ops `Dilation2DBackpropInput` and `Dilation2DBackpropFilter`: the greatest sum of a window
//! of an image and a filter.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{AttrValue, Gradient, Node, ReadAttrs};
use math::number::{Number, Real};
use tensor::{PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

use super::extract_patches::Along;

pub(crate) fn register(r: &mut Registry) {
    const T: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
    for (name, signature) in [
        ("Dilation2D", "input: T, filter: T -> output: T"),
        ("Dilation2DBackpropInput", "input: T, filter: T, out_backprop: T -> in_backprop: T"),
        ("Dilation2DBackpropFilter", "input: T, filter: T, out_backprop: T -> filter_backprop: T"),
    ] {
        let entry = r
            .op(name, signature)
            .attr(T)
            .attr("strides: list(int) >= 4")
            .attr("rates: list(int) >= 4")
            .attr("padding: {'SAME', 'VALID'}");
        match name {
            "Dilation2D" => entry.shape(shape).kernel("T", types::REALS, kernel).gradient(gradient),
            "Dilation2DBackpropInput" => entry.shape(ShapeContext::unchanged).kernel("T", types::REALS, input_kernel),
            _ => entry.shape(filter_shape).kernel("T", types::REALS, filter_kernel),
        };
    }
}

fn filter_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let filter = cx.input(1);
    cx.set(0, filter);
    Ok(())
}

/// Strides and rates along height and width, and whether the border is filled.
#[derive(Clone, Copy)]
struct Steps {
    strides: [i64; 2],
    rates: [i64; 2],
    same: bool,
}

impl Steps {
    fn new(attrs: &impl ReadAttrs) -> Result<Steps> {
        let read = |name: &str| -> Result<[i64; 2]> {
            match attrs.attr_ints(name)? {
                // What is larger would overflow, and has no use.
                [_, high, wide, _] if (*high).max(*wide) > i64::from(i32::MAX) => {
                    bail!(InvalidArgument, "{name} are too large: {high} and {wide}")
                }
                [1, high, wide, 1] if *high > 0 && *wide > 0 => Ok([*high, *wide]),
                [_, high, wide, _] if *high > 0 && *wide > 0 => {
                    bail!(Unimplemented, "{name} along batch or depth are not supported")
                }
                other => bail!(InvalidArgument, "{name} must be 4 positive numbers, got {other:?}"),
            }
        };
        Ok(Steps { strides: read("strides")?, rates: read("rates")?, same: attrs.attr_str("padding")? == "SAME" })
    }

    fn along(self, axis: usize, window: i64) -> Along {
        Along { window, stride: self.strides[axis], rate: self.rates[axis], same: self.same }
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, filter) = (cx.with_rank(0, 4)?, cx.with_rank(1, 3)?);
    let steps = Steps::new(cx)?;
    let depth = PartialShape::vector(input.dim(3)).merge(&PartialShape::vector(filter.dim(2)))?.dim(0);
    let size = |axis: usize| -> Result<Option<i64>> {
        match (input.dim(axis + 1), filter.dim(axis)) {
            (Some(size), Some(window)) if window > 0 => Ok(Some(steps.along(axis, window).fit(size)?.0)),
            _ => Ok(None),
        }
    };
    let (height, width) = (size(0)?, size(1)?);
    cx.set(0, PartialShape::new(&[input.dim(0), height, width, depth]));
    Ok(())
}

/// Sizes of image, filter and output, and where windows lie.
struct Geometry {
    input: [i64; 4],
    window: [i64; 2],
    output: [i64; 4],
    start: [i64; 2],
    steps: Steps,
}

impl Geometry {
    fn new(input: &Tensor, filter: &Tensor, steps: Steps) -> Result<Geometry> {
        let &[batch, height, width, depth] = input.dims() else {
            bail!(InvalidArgument, "input must be 4-dimensional{}", input.shape())
        };
        let &[window_height, window_width, filter_depth] = filter.dims() else {
            bail!(InvalidArgument, "filter must be 3-dimensional: {}", filter.shape())
        };
        ensure!(
            depth == filter_depth,
            InvalidArgument,
            "input and filter must have the same depth: {depth} vs {filter_depth}"
        );
        ensure!(window_height > 0 && window_width > 0, InvalidArgument, "filter must not be empty: {}", filter.shape());
        let (rows, top) = steps.along(0, window_height).fit(height)?;
        let (columns, left) = steps.along(1, window_width).fit(width)?;
        Ok(Geometry {
            input: [batch, height, width, depth],
            window: [window_height, window_width],
            output: [batch, rows, columns, depth],
            start: [top, left],
            steps,
        })
    }

    /// Gives the places in output, input and filter of the greatest sum of each window, with the sum itself.
    fn each<T: Real>(&self, input: &[T], filter: &[T], mut give: impl FnMut(usize, usize, usize, T)) {
        let [_, height, width, depth] = self.input;
        let [batch, rows, columns, _] = self.output;
        for image in 0..batch {
            for (row, column) in (0..rows).flat_map(|row| (0..columns).map(move |column| (row, column))) {
                let (y0, x0) =
                    (self.start[0] + row * self.steps.strides[0], self.start[1] + column * self.steps.strides[1]);
                for channel in 0..depth {
                    let mut best = T::LOWEST;
                    // Where nothing is greater than the lowest number, it is the corner that counts.
                    let mut from = (((image * height + y0.max(0)) * width + x0.max(0)) * depth + channel) as usize;
                    let mut with = channel as usize;
                    for i in 0..self.window[0] {
                        let y = y0 + i * self.steps.rates[0];
                        if !(0..height).contains(&y) {
                            continue;
                        }
                        for j in 0..self.window[1] {
                            let x = x0 + j * self.steps.rates[1];
                            if !(0..width).contains(&x) {
                                continue;
                            }
                            let pixel = (((image * height + y) * width + x) * depth + channel) as usize;
                            let weight = ((i * self.window[1] + j) * depth + channel) as usize;
                            let sum = input[pixel].plus(filter[weight]);
                            if sum > best {
                                (best, from, with) = (sum, pixel, weight);
                            }
                        }
                    }
                    let place = ((image * rows + row) * columns + column) * depth + channel;
                    give(place as usize, from, with, best);
                }
            }
        }
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let steps = Steps::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, filter) = (cx.input(0)?, cx.input(1)?);
        let geometry = Geometry::new(input, filter, steps)?;
        let shape = Shape::new(&geometry.output)?;
        let output = dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
            let (input, filter) = (input.as_slice::<T>()?, filter.as_slice::<T>()?);
            Tensor::build(shape, |out: &mut [T]| {
                geometry.each(input, filter, |place, _, _, best| out[place] = best);
                Ok(())
            })
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn input_kernel(node: &Node) -> Result<Kernel> {
    back_kernel(node, true)
}

fn filter_kernel(node: &Node) -> Result<Kernel> {
    back_kernel(node, false)
}

/// The gradient of each output goes to the pixel, or to the weight, that made it the greatest.
fn back_kernel(node: &Node, to_input: bool) -> Result<Kernel> {
    let steps = Steps::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, filter, dy) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let geometry = Geometry::new(input, filter, steps)?;
        ensure!(
            dy.dims() == geometry.output,
            InvalidArgument,
            "out_backprop has incompatible size: {} instead of {:?}",
            dy.shape(),
            geometry.output
        );
        let mut sums = Tensor::zeros(input.dtype(), if to_input { input.shape() } else { filter.shape() })?;
        dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
            let (input, filter, dy) = (input.as_slice::<T>()?, filter.as_slice::<T>()?, dy.as_slice::<T>()?);
            let sums = sums.make_mut::<T>()?;
            geometry.each(input, filter, |place, pixel, weight, _| {
                if let Some(sum) = sums.get_mut(if to_input { pixel } else { weight }) {
                    *sum = sum.plus(dy[place]);
                }
            });
            Ok(())
        })?;
        cx.set_output(0, sums);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let back = |op: &str| -> Result<Option<Gradient>> {
        let node = cx.op(op).input(cx.x(0)).input(cx.x(1)).input(cx.dy(0)?);
        let node = node.attr("padding", cx.attr_str("padding")?.to_owned());
        let ints = |name: &str| -> Result<AttrValue> { Ok(AttrValue::Ints(cx.attr_ints(name)?.to_vec())) };
        let node = node.attr("strides", ints("strides")?).attr("rates", ints("rates")?);
        Ok(Some(node.output().into()))
    };
    Ok(vec![back("Dilation2DBackpropInput")?, back("Dilation2DBackpropFilter")?])
}
