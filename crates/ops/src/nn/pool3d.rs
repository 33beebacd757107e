//! `MaxPool3D`, `AvgPool3D` and their gradient ops `MaxPool3DGrad`, `MaxPool3DGradGrad` and `AvgPool3DGrad`: the
//! greatest value or the mean of windows of volumes.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, OpBuilder, Output, ReadAttrs};
use tensor::DType::{BFloat16, Double, Float, Half};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use super::volume::{Geometry, Volumes, back, five, like_input, wide};

pub(crate) fn register(r: &mut Registry) {
    const ATTRS: [&str; 4] = [
        "ksize: list(int) >= 5",
        "strides: list(int) >= 5",
        "padding: {'SAME', 'VALID'}",
        "data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'",
    ];
    const SINGLE: &[tensor::DType] = &[Float, Half, BFloat16];
    let mut op = |name: &str, signature: &str, types: &[&str]| {
        let entry = ATTRS.iter().chain(types).fold(r.op(name, signature), |entry, attr| entry.attr(attr));
        match name {
            "MaxPool3D" => entry.shape(shape).kernel("T", SINGLE, max_kernel).gradient(max_gradient),
            "MaxPool3DGrad" => {
                entry.shape(like_input).kernel("T", SINGLE, max_grad_kernel).gradient(max_second_gradient)
            }
            "MaxPool3DGradGrad" => entry
                .shape(|cx| {
                    let shape = cx.with_rank(1, 5)?;
                    cx.set(0, shape);
                    Ok(())
                })
                .kernel("T", &[Float, Double, Half, BFloat16], max_grad_grad_kernel)
                .gradient(max_third_gradient),
            "AvgPool3D" => entry.shape(shape).kernel("T", types::FLOATS, avg_kernel).gradient(avg_gradient),
            _ => entry.shape(avg_grad_shape).kernel("T", types::FLOATS, avg_grad_kernel).gradient(avg_second_gradient),
        };
    };
    const FLOATS: &str = "T: {half, bfloat16, float, double}";
    op("MaxPool3D", "input: T -> output: T", &["T: {half, bfloat16, float}"]);
    op(
        "MaxPool3DGrad",
        "orig_input: TInput, orig_output: TInput, grad: T -> output: T",
        &["T: {half, bfloat16, float} = float", "TInput: {half, bfloat16, float} = float"],
    );
    op(
        "MaxPool3DGradGrad",
        "orig_input: T, orig_output: T, grad: T -> output: T",
        &["T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}"],
    );
    op("AvgPool3D", "input: T -> output: T", &[FLOATS]);
    op("AvgPool3DGrad", "orig_input_shape: int32, grad: T -> output: T", &[FLOATS]);
}

#[derive(Clone, Copy)]
struct Windows {
    volumes: Volumes,
    size: [i64; 3],
    outer: [i64; 2],
}

impl Windows {
    fn of(node: &Node) -> Result<Windows> {
        let volumes = Volumes::new(node)?;
        let message = "Sliding window ksize field must specify 5 dimensions";
        let (outer, size) = five(node, "ksize", message, volumes.channels_first)?;
        Ok(Windows { volumes, size, outer })
    }

    fn for_kernel(node: &Node) -> Result<Windows> {
        let windows = Windows::of(node)?;
        ensure!(
            !windows.volumes.channels_first,
            InvalidArgument,
            "Default Pooling3DOp only supports NDHWC on device type CPU"
        );
        ensure!(windows.outer[0] == 1, Unimplemented, "Pooling is not yet supported on the batch dimension.");
        ensure!(windows.outer[1] == 1, Unimplemented, "Pooling is not yet supported on the depth dimension.");
        for size in windows.size {
            ensure!(size > 0, InvalidArgument, "Sliding window ksize for dimension must be positive, got {size}");
        }
        Ok(windows)
    }

    fn geometry(&self, dims: &[i64]) -> Result<Geometry> {
        Geometry::new(&self.volumes, dims, self.size)
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 5)?;
    let windows = Windows::of(cx.node)?;
    let (batch, sizes, channels) = windows.volumes.dims(&input);
    let out = windows.volumes.inferred(sizes, windows.size.map(Some))?;
    let channels = channels.and_then(|channels| channels.checked_div(windows.outer[1]));
    cx.set(0, windows.volumes.arrange(batch, out, channels));
    Ok(())
}

fn avg_grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(0).merge(&PartialShape::of_rank(5))?;
    cx.set(0, shape);
    Ok(())
}

fn max_kernel(node: &Node) -> Result<Kernel> {
    let windows = Windows::for_kernel(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = pool(&windows, cx.input(0)?, true)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn avg_kernel(node: &Node) -> Result<Kernel> {
    let windows = Windows::for_kernel(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = pool(&windows, cx.input(0)?, false)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn pool(windows: &Windows, input: &Tensor, greatest: bool) -> Result<Tensor> {
    let g = windows.geometry(input.dims())?;
    let shape = g.output_shape(g.channels)?;
    let x = wide(input)?;
    let output = dispatch!(x.dtype(), T in [f32, f64] => {
        let x = x.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            for (number, out) in out.chunks_exact_mut(g.channels.max(1)).enumerate() {
                let mut count = 0usize;
                out.fill(if greatest { T::MIN } else { 0.0 });
                g.each_voxel(number / g.windows(), number % g.windows(), |_, voxel| {
                    count += 1;
                    for (out, value) in out.iter_mut().zip(&x[voxel * g.channels..]) {
                        *out = if !greatest { *out + value } else if *value > *out { *value } else { *out };
                    }
                });
                if !greatest && count > 0 {
                    out.iter_mut().for_each(|out| *out /= count as T);
                }
            }
            Ok(())
        })
    })?;
    back(output, input.dtype())
}

fn max_grad_kernel(node: &Node) -> Result<Kernel> {
    let windows = Windows::for_kernel(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let gradient = max_grad(&windows, cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

fn same_shape(what: &str, tensor: &Tensor, expected: &Shape) -> Result<()> {
    ensure!(
        tensor.shape() == expected,
        InvalidArgument,
        "Expected {what} shape to be {expected}, but got {}",
        tensor.shape()
    );
    Ok(())
}

/// The gradient goes to every voxel that has the greatest value of its window.
fn max_grad(windows: &Windows, input: &Tensor, output: &Tensor, grad: &Tensor) -> Result<Tensor> {
    let g = windows.geometry(input.dims())?;
    let expected = g.output_shape(g.channels)?;
    same_shape("orig_output", output, &expected)?;
    same_shape("grad", grad, &expected)?;
    let (x, y, dy) = (wide(input)?, wide(output)?, wide(grad)?);
    let (x, y, dy) = (x.as_slice::<f32>()?, y.as_slice::<f32>()?, dy.as_slice::<f32>()?);
    let channels = g.channels;
    let gradient = Tensor::build(input.shape().clone(), |out: &mut [f32]| {
        out.fill(0.0);
        if channels == 0 {
            return Ok(());
        }
        for (number, (y, dy)) in y.chunks_exact(channels).zip(dy.chunks_exact(channels)).enumerate() {
            g.each_voxel(number / g.windows(), number % g.windows(), |_, voxel| {
                for channel in 0..channels {
                    let at = voxel * channels + channel;
                    if x[at] == y[channel] {
                        out[at] += dy[channel];
                    }
                }
            });
        }
        Ok(())
    })?;
    back(gradient, grad.dtype())
}

fn max_grad_grad_kernel(node: &Node) -> Result<Kernel> {
    let windows = Windows::for_kernel(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, output, grad) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let g = windows.geometry(input.dims())?;
        let expected = g.output_shape(g.channels)?;
        same_shape("orig_output", output, &expected)?;
        same_shape("grad", grad, input.shape())?;
        let (x, y, dy) = (wide(input)?, wide(output)?, wide(grad)?);
        let channels = g.channels;
        let result = dispatch!(x.dtype(), T in [f32, f64] => {
            let (x, y, dy) = (x.as_slice::<T>()?, y.as_slice::<T>()?, dy.as_slice::<T>()?);
            Tensor::build(expected, |out: &mut [T]| {
                out.fill(0.0);
                let mut found = vec![false; channels];
                for (number, out) in out.chunks_exact_mut(channels.max(1)).enumerate() {
                    found.fill(false);
                    g.each_voxel(number / g.windows(), number % g.windows(), |_, voxel| {
                        for (channel, found) in found.iter_mut().enumerate() {
                            let at = voxel * channels + channel;
                            if !*found && x[at] == y[number * channels + channel] {
                                out[channel] = dy[at];
                                *found = true;
                            }
                        }
                    });
                }
                Ok(())
            })
        })?;
        let result = back(result, input.dtype())?;
        cx.set_output(0, result);
        Ok(())
    }))
}

fn avg_grad_kernel(node: &Node) -> Result<Kernel> {
    let windows = Windows::for_kernel(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (sizes, grad) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            sizes.shape().rank() == 1 && sizes.num_elements() == 5,
            InvalidArgument,
            "tensor_in must be 1-dimensional and 5 elements"
        );
        ensure!(grad.shape().rank() == 5, InvalidArgument, "out_backprop must be 5-dimensional");
        let gradient = avg_grad(&windows, Shape::new(&sizes.to_i64_vec()?)?, grad)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

/// The gradient of a mean goes to all voxels of the window, in equal parts.
fn avg_grad(windows: &Windows, shape: Shape, grad: &Tensor) -> Result<Tensor> {
    let g = windows.geometry(shape.dims())?;
    same_shape("out_backprop", grad, &g.output_shape(g.channels)?)?;
    let dy = wide(grad)?;
    let channels = g.channels;
    let gradient = dispatch!(dy.dtype(), T in [f32, f64] => {
        let dy = dy.as_slice::<T>()?;
        Tensor::build(shape, |out: &mut [T]| {
            out.fill(0.0);
            for (number, dy) in dy.chunks_exact(channels.max(1)).enumerate() {
                let (image, window) = (number / g.windows(), number % g.windows());
                let mut count = 0usize;
                g.each_voxel(image, window, |_, _| count += 1);
                g.each_voxel(image, window, |_, voxel| {
                    for (out, dy) in out[voxel * channels..].iter_mut().zip(dy) {
                        *out += dy / count as T;
                    }
                });
            }
            Ok(())
        })
    })?;
    back(gradient, grad.dtype())
}

/// Gives a node the attributes of the one that is differentiated.
fn alike(cx: &GradContext<'_>, node: OpBuilder) -> Output {
    ["ksize", "strides", "padding", "data_format"]
        .into_iter()
        .filter_map(|name| Some((name, cx.attr_map().get(name)?.clone())))
        .fold(node, |node, (name, value)| node.attr(name, value))
        .output()
}

fn max_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dx = alike(cx, cx.op("MaxPool3DGrad").input(cx.x(0)).input(cx.y(0)).input(cx.dy(0)?));
    Ok(vec![Some(dx.into())])
}

fn max_second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    inner_gradient(cx, "MaxPool3DGradGrad")
}

fn max_third_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    inner_gradient(cx, "MaxPool3DGrad")
}

/// Which voxel is the greatest does not change a little way around; only the gradient passes.
fn inner_gradient(cx: &GradContext<'_>, op: &str) -> Result<Vec<Option<Gradient>>> {
    let (input, output) = (cx.x(0), cx.x(1));
    let passed = alike(cx, cx.op(op).input(&input).input(&output).input(cx.dy(0)?));
    Ok(vec![Some(input.unary("ZerosLike").into()), Some(output.unary("ZerosLike").into()), Some(passed.into())])
}

fn avg_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dx = alike(cx, cx.op("AvgPool3DGrad").input(cx.x(0).unary("Shape")).input(cx.dy(0)?));
    Ok(vec![Some(dx.into())])
}

fn avg_second_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    Ok(vec![None, Some(alike(cx, cx.op("AvgPool3D").input(cx.dy(0)?)).into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these: all of the greatest values get the whole gradient.
    #[test]
    fn equal_values_share_nothing() {
        let volumes = Volumes { strides: [2; 3], same: false, channels_first: false };
        let windows = Windows { volumes, size: [2; 3], outer: [1; 2] };
        let x = Tensor::new([1, 2, 2, 2, 1], vec![1f32; 8]).unwrap();
        let dy = Tensor::new([1, 1, 1, 1, 1], vec![2f32]).unwrap();
        let y = pool(&windows, &x, true).unwrap();
        assert_eq!(max_grad(&windows, &x, &y, &dy).unwrap().as_slice::<f32>().unwrap(), [2.0; 8]);
        assert_eq!(avg_grad(&windows, x.shape().clone(), &dy).unwrap().as_slice::<f32>().unwrap(), [0.25; 8]);
    }
}
