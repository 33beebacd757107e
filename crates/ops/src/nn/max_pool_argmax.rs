//! `MaxPoolWithArgmax` and `MaxPoolGradWithArgmax`: the greatest value of each window, and where it is.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{AttrValue, Gradient, Node, ReadAttrs};
use math::number::{Number, Real};
use math::pool::PoolGeometry;
use tensor::{Result, Tensor, bf16, ensure, f16};

use super::pool::{Windowing, shape_of};
use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    const T: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
    r.op("MaxPoolWithArgmax", "input: T -> output: T, argmax: Targmax")
        .attr("ksize: list(int) >= 4")
        .attr("strides: list(int) >= 4")
        .attr("Targmax: {int32, int64} = int64")
        .attr("padding: {'SAME', 'VALID'}")
        .attr("include_batch_in_index: bool = false")
        .attr(T)
        .shape(shape)
        .kernel("T", types::REALS, kernel)
        .gradient(gradient);
    r.op("MaxPoolGradWithArgmax", "input: T, grad: T, argmax: Targmax -> output: T")
        .attr("ksize: list(int) >= 4")
        .attr("strides: list(int) >= 4")
        .attr("padding: {'SAME', 'VALID'}")
        .attr("include_batch_in_index: bool = false")
        .attr("Targmax: {int32, int64}")
        .attr(T)
        .shape(ShapeContext::unchanged)
        .kernel("T", types::REALS, grad_kernel);
}

/// The node with the layout that these ops do not name.
fn in_nhwc(node: &Node) -> Node {
    let mut node = node.clone();
    node.attrs.insert("data_format".into(), AttrValue::from("NHWC"));
    node
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 4)?;
    let node = in_nhwc(cx.node);
    if let Some(output) = shape_of(cx, &node, &input)? {
        cx.set(0, output.clone());
        cx.set(1, output);
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(&in_nhwc(node))?;
    let (dtype, with_batch) = (node.attr_type("Targmax")?, node.attr_bool("include_batch_in_index")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        ensure!(input.shape().rank() == 4, InvalidArgument, "tensor_in must be 4-dimensional");
        ensure!(pool.ksize[3] == 1, Unimplemented, "windows of channels are not supported by MaxPoolWithArgmax");
        let geometry = pool.geometry(input.dims())?;
        let shape = pool.output_shape(input.dims(), &geometry)?;
        let mut places = vec![0i64; shape.num_elements()];
        let output = dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
            let values = input.as_slice::<T>()?;
            Tensor::build(shape.clone(), |out: &mut [T]| {
                greatest(&geometry, values, out, &mut places);
                Ok(())
            })
        })?;
        if !with_batch {
            let image = (geometry.in_height * geometry.in_width * geometry.channels).max(1) as i64;
            places.iter_mut().for_each(|place| *place %= image);
        }
        cx.set_output(0, output);
        cx.set_output(1, int_tensor(&places, dtype)?.into_shape(shape)?);
        Ok(())
    }))
}

/// The first of the greatest values of each window, and its place in the input.
fn greatest<T: Real>(g: &PoolGeometry, values: &[T], out: &mut [T], places: &mut [i64]) {
    let mut at = 0;
    for image in 0..g.batch {
        for (row, column) in (0..g.out_height).flat_map(|row| (0..g.out_width).map(move |column| (row, column))) {
            let range = |place: usize, stride: usize, pad: usize, window: usize, size: usize| {
                let start = (place * stride).saturating_sub(pad);
                start..(place * stride + window).saturating_sub(pad).min(size)
            };
            let down = range(row, g.stride_height, g.pad_top, g.window_height, g.in_height);
            let across = range(column, g.stride_width, g.pad_left, g.window_width, g.in_width);
            for channel in 0..g.channels {
                let mut best: Option<(T, usize)> = None;
                for (y, x) in down.clone().flat_map(|y| across.clone().map(move |x| (y, x))) {
                    let place = ((image * g.in_height + y) * g.in_width + x) * g.channels + channel;
                    if best.is_none_or(|(greatest, _)| greatest < values[place]) {
                        best = Some((values[place], place));
                    }
                }
                let (value, place) = best.unwrap_or((T::LOWEST, 0));
                (out[at], places[at]) = (value, place as i64);
                at += 1;
            }
        }
    }
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let pool = Windowing::new(&in_nhwc(node))?;
    let with_batch = node.attr_bool("include_batch_in_index")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, grad, argmax) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        ensure!(input.shape().rank() == 4, InvalidArgument, "tensor_in must be 4-dimensional");
        let geometry = pool.geometry(input.dims())?;
        let expected = pool.output_shape(input.dims(), &geometry)?;
        ensure!(
            *grad.shape() == expected,
            InvalidArgument,
            "Expected grad shape to be {expected}, but got {}",
            grad.shape()
        );
        ensure!(
            *argmax.shape() == expected,
            InvalidArgument,
            "Expected argmax shape to be {expected}, but got {}",
            argmax.shape()
        );
        let image = geometry.in_height * geometry.in_width * geometry.channels;
        let windows = (geometry.out_height * geometry.out_width * geometry.channels).max(1);
        let places = argmax.to_i64_vec()?;
        let mut sums = Tensor::zeros(input.dtype(), input.shape())?;
        dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
            let (grad, sums) = (grad.as_slice::<T>()?, sums.make_mut::<T>()?);
            for (number, place) in places.iter().enumerate() {
                let own = if with_batch { 0 } else { number / windows * image };
                let target = usize::try_from(*place).ok().and_then(|place| place.checked_add(own));
                let Some(sum) = target.and_then(|target| sums.get_mut(target)) else {
                    tensor::bail!(InvalidArgument, "MaxPoolGradWithArgmax: invalid argmax index {place}")
                };
                *sum = sum.plus(grad[number]);
            }
            Ok(())
        })?;
        cx.set_output(0, sums);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("MaxPoolGradWithArgmax").input(cx.x(0)).input(cx.dy(0)?).input(cx.y(1));
    let names = ["ksize", "strides", "padding", "include_batch_in_index"];
    let same = names.into_iter().filter_map(|name| Some((name, cx.attr_map().get(name)?.clone())));
    let node = same.fold(node, |node, (name, value)| node.attr(name, value));
    Ok(vec![Some(node.output().into())])
}
