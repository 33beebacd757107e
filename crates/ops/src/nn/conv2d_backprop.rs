//! `Conv2DBackpropInput` and `Conv2DBackpropFilter`: the gradients of `Conv2D`, in the NHWC layout.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node};
use math::conv::{Conv, ConvGeometry};
use tensor::DType::*;
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::conv2d::{
    WITH_INTEGERS, columns, conv_windows, each_product, enter, geometry, output_dims, same_windows, sizes,
};
use super::window::{Windows, inferring};
use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    let signature = "input_sizes: int32, filter: T, out_backprop: T -> output: T";
    enter(r, "Conv2DBackpropInput", signature, WITH_INTEGERS, input_shape, input_kernel, input_gradient);
    let signature = "input: T, filter_sizes: int32, out_backprop: T -> output: T";
    let floats = "T: {half, bfloat16, float, double}";
    enter(r, "Conv2DBackpropFilter", signature, floats, filter_shape, filter_kernel, filter_gradient);
}

/// Checks that the gradient of an output is what a convolution of these sizes gives.
fn check_backprop(
    op: &str,
    windows: &Windows,
    input: &[i64],
    filter: &[i64],
    backprop: &Tensor,
) -> Result<ConvGeometry> {
    ensure!(input.len() == 4, InvalidArgument, "{op}: input must be 4-dimensional");
    ensure!(filter.len() == 4, InvalidArgument, "{op}: filter must be 4-dimensional");
    ensure!(backprop.shape().rank() == 4, InvalidArgument, "{op}: out_backprop must be 4-dimensional");
    for dim in input.iter().chain(filter) {
        ensure!(*dim >= 0, InvalidArgument, "Dimension {dim} must be >= 0");
    }
    let actual = backprop.dims();
    ensure!(
        input[0] == actual[0],
        InvalidArgument,
        "{op}: input and out_backprop must have the same batch size. Input batch: {}, outbackprop batch: {}, batch_dim: 0",
        input[0],
        actual[0]
    );
    let geometry = geometry(windows, input, filter)?;
    ensure!(filter[3] == actual[3], InvalidArgument, "{op}: filter and out_backprop must have the same out_depth");
    let computed = output_dims(&geometry);
    for axis in [1, 2] {
        ensure!(
            actual[axis] == computed[axis],
            InvalidArgument,
            "{op}: Size of out_backprop doesn't match computed: actual = {}, computed = {} spatial_dim: {axis} input: {} \
             filter: {} output: {} stride: {} dilation: {}",
            actual[axis],
            computed[axis],
            input[axis],
            filter[axis - 1],
            actual[axis],
            windows.strides[axis - 1],
            windows.dilations[axis - 1]
        );
    }
    Ok(geometry)
}

fn input_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let windows = inferring(cx, Windows::new(cx.node))?;
    let sizes = cx.input_as_shape(0);
    if sizes.rank() == Some(4) {
        cx.set(0, sizes);
        return Ok(());
    }
    let (filter, backprop) = (cx.with_rank(1, 4)?, cx.with_rank(2, 4)?);
    let known = sizes.rank() == Some(2);
    let [height, width] = [0, 1].map(|axis| if known { sizes.dim(axis) } else { None });
    cx.set(0, PartialShape::new(&windows.arrange([backprop.dim(0), height, width, filter.dim(2)])));
    Ok(())
}

fn input_kernel(node: &Node) -> Result<Kernel> {
    let windows = conv_windows(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        ensure!(!windows.channels_first, InvalidArgument, "Conv2DCustomBackpropInputOp only supports NHWC.");
        let gradient = backprop_input(&windows, cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

pub(super) fn backprop_input(windows: &Windows, sizes: &Tensor, filter: &Tensor, backprop: &Tensor) -> Result<Tensor> {
    let op = "Conv2DCustomBackpropInput";
    ensure!(
        sizes.shape().rank() == 1,
        InvalidArgument,
        "Conv2DBackpropInput: input_sizes input must be 1-dim, not {}",
        sizes.shape().rank()
    );
    ensure!(filter.shape().rank() == 4, InvalidArgument, "{op}: filter must be 4-dimensional");
    ensure!(backprop.shape().rank() == 4, InvalidArgument, "{op}: out_backprop must be 4-dimensional");
    let dims = match sizes.to_i64_vec()?[..] {
        [batch, height, width, channels] => [batch, height, width, channels],
        [height, width] => [backprop.dims()[0], height, width, filter.dims()[2]],
        ref other => bail!(
            InvalidArgument,
            "Conv2DBackpropInput requires input_sizes to contain 4 values or 2 values, but got: {}",
            other.len()
        ),
    };
    let geometry = check_backprop(op, windows, &dims, filter.dims(), backprop)?;
    let shape = Shape::new(&dims)?;
    if matches!(filter.dtype(), Half | BFloat16) {
        return narrow(&backprop_input(windows, sizes, &widen(filter)?, &widen(backprop)?)?, filter.dtype());
    }
    if backprop.num_elements() == 0 || shape.num_elements() == 0 {
        return Tensor::zeros(filter.dtype(), &shape);
    }
    let depth = filter.shape().dim(2);
    if filter.dtype() == Int32 {
        let (w, dy) = (filter.as_slice::<i32>()?, backprop.as_slice::<i32>()?);
        return Tensor::build(shape, |out: &mut [i32]| {
            out.fill(0);
            each_product(&geometry, depth, |x_at, w_at, y_at| {
                out[x_at] = out[x_at].wrapping_add(dy[y_at].wrapping_mul(w[w_at]));
            });
            Ok(())
        });
    }
    let groups = Groups::of(&geometry, depth);
    dispatch!(filter.dtype(), T in [f32, f64] => {
        let (w, dy) = (filter.as_slice::<T>()?, backprop.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            if groups.count == 1 {
                <T as Conv>::backward_input(&geometry, w, dy, out);
                return Ok(());
            }
            let mut part = vec![0 as T; out.len() / groups.count];
            for group in 0..groups.count {
                let w = columns(w, geometry.out_channels, groups.part.out_channels, group);
                let dy = columns(dy, geometry.out_channels, groups.part.out_channels, group);
                <T as Conv>::backward_input(&groups.part, &w, &dy, &mut part);
                put_columns(out, geometry.in_channels, &part, depth, group);
            }
            Ok(())
        })
    })
}

/// A convolution in groups: how many, and the sizes of one.
struct Groups {
    count: usize,
    part: ConvGeometry,
}

impl Groups {
    fn of(whole: &ConvGeometry, depth: usize) -> Groups {
        let count = (whole.in_channels / depth.max(1)).max(1);
        Groups { count, part: ConvGeometry { in_channels: depth, out_channels: whole.out_channels / count, ..*whole } }
    }
}

/// Writes the columns of one group back into rows of `width`.
fn put_columns<T: Copy>(rows: &mut [T], width: usize, part: &[T], count: usize, group: usize) {
    for (row, part) in rows.chunks_exact_mut(width).zip(part.chunks_exact(count)) {
        row[group * count..(group + 1) * count].copy_from_slice(part);
    }
}

fn filter_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    inferring(cx, Windows::new(cx.node))?;
    let sizes = cx.input_as_shape(1).merge(&PartialShape::of_rank(4))?;
    cx.set(0, sizes);
    Ok(())
}

fn filter_kernel(node: &Node) -> Result<Kernel> {
    let windows = conv_windows(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        ensure!(!windows.channels_first, InvalidArgument, "Conv2DCustomBackpropFilterOp only supports NHWC.");
        let gradient = backprop_filter(&windows, cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

pub(super) fn backprop_filter(windows: &Windows, input: &Tensor, sizes: &Tensor, backprop: &Tensor) -> Result<Tensor> {
    ensure!(
        sizes.shape().rank() == 1,
        InvalidArgument,
        "Conv2DCustomBackpropFilter: filter_sizes input must be 1-dim, not {}",
        sizes.shape().rank()
    );
    let dims = sizes.to_i64_vec()?;
    let geometry = check_backprop("Conv2DCustomBackpropFilter", windows, input.dims(), &dims, backprop)?;
    let shape = Shape::new(&dims)?;
    if matches!(input.dtype(), Half | BFloat16) {
        return narrow(&backprop_filter(windows, &widen(input)?, sizes, &widen(backprop)?)?, input.dtype());
    }
    if backprop.num_elements() == 0 || shape.num_elements() == 0 {
        return Tensor::zeros(input.dtype(), &shape);
    }
    let depth = shape.dim(2);
    let groups = Groups::of(&geometry, depth);
    dispatch!(input.dtype(), T in [f32, f64] => {
        let (x, dy) = (input.as_slice::<T>()?, backprop.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            if groups.count == 1 {
                <T as Conv>::backward_filter(&geometry, x, dy, out);
                return Ok(());
            }
            let mut part = vec![0 as T; out.len() / groups.count];
            for group in 0..groups.count {
                let x = columns(x, geometry.in_channels, depth, group);
                let dy = columns(dy, geometry.out_channels, groups.part.out_channels, group);
                <T as Conv>::backward_filter(&groups.part, &x, &dy, &mut part);
                put_columns(out, geometry.out_channels, &part, groups.part.out_channels, group);
            }
            Ok(())
        })
    })
}

fn input_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (w, dy, dz) = (cx.x(1), cx.x(2), cx.dy(0)?);
    let for_filter = cx.op("Conv2DBackpropFilter").input(&dz).input(sizes(cx, &w)).input(&dy);
    let for_backprop = cx.op("Conv2D").input(&dz).input(&w);
    Ok(vec![None, Some(same_windows(cx, for_filter).into()), Some(same_windows(cx, for_backprop).into())])
}

fn filter_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, dy, dz) = (cx.x(0), cx.x(2), cx.dy(0)?);
    let for_input = cx.op("Conv2DBackpropInput").input(sizes(cx, &x)).input(&dz).input(&dy);
    let for_backprop = cx.op("Conv2D").input(&x).input(&dz);
    Ok(vec![Some(same_windows(cx, for_input).into()), None, Some(same_windows(cx, for_backprop).into())])
}
