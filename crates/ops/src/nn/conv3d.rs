//! `Conv3D` and its gradient ops `Conv3DBackpropInputV2` and `Conv3DBackpropFilterV2`: volumes times filters, in the
//! NDHWC layout. The old forms `Conv3DBackpropInput` and `Conv3DBackpropFilter` take a tensor for its shape.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, OpBuilder, Output, ReadAttrs};
use math::gemm::gemm;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::volume::{Geometry, Volumes, back, five, wide};

pub(crate) fn register(r: &mut Registry) {
    let rows: [(&str, &str, graph::op::ShapeFn, fn(&Node) -> Result<Kernel>, graph::op::GradFn); 3] = [
        ("Conv3D", "input: T, filter: T -> output: T", forward_shape, forward_kernel, forward_gradient),
        (
            "Conv3DBackpropInputV2",
            "input_sizes: Tshape, filter: T, out_backprop: T -> output: T",
            sizes_shape,
            input_kernel,
            input_gradient,
        ),
        (
            "Conv3DBackpropFilterV2",
            "input: T, filter_sizes: int32, out_backprop: T -> output: T",
            sizes_shape,
            filter_kernel,
            filter_gradient,
        ),
    ];
    for (name, signature, shape, kernel, gradient) in rows {
        let mut op = r
            .op(name, signature)
            .attr("T: {half, bfloat16, float, double}")
            .attr("strides: list(int) >= 5")
            .attr("padding: {'SAME', 'VALID'}")
            .attr("data_format: {'NDHWC', 'NCDHW'} = 'NDHWC'")
            .attr("dilations: list(int) = [1, 1, 1, 1, 1]");
        if name == "Conv3DBackpropInputV2" {
            op = op.attr("Tshape: {int32, int64} = int32");
        }
        op.shape(shape).kernel("T", types::FLOATS, kernel).gradient(gradient);
    }
    let old: [(&str, fn(&Node) -> Result<Kernel>); 2] =
        [("Conv3DBackpropInput", old_input_kernel), ("Conv3DBackpropFilter", old_filter_kernel)];
    for (name, kernel) in old {
        r.op(name, "input: T, filter: T, out_backprop: T -> output: T")
            .attr("T: {half, float, double}")
            .attr("strides: list(int) >= 5")
            .attr("padding: {'SAME', 'VALID'}")
            .attr("dilations: list(int) = [1, 1, 1, 1, 1]")
            .shape(old_shape)
            .kernel("T", &[DType::Half, DType::Float, DType::Double], kernel);
    }
}

fn old_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank((cx.node.op == "Conv3DBackpropFilter") as usize, 5)?;
    cx.set(0, shape);
    Ok(())
}

fn old_input_kernel(node: &Node) -> Result<Kernel> {
    let volumes = volumes_of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let gradient = backprop_input(&volumes, cx.input(0)?.dims(), cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

fn old_filter_kernel(node: &Node) -> Result<Kernel> {
    let volumes = volumes_of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let gradient = backprop_filter(&volumes, cx.input(0)?, cx.input(1)?.dims(), cx.input(2)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

fn forward_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, filter) = (cx.with_rank(0, 5)?, cx.with_rank(1, 5)?);
    let volumes = Volumes::new(cx.node)?;
    let (batch, sizes, channels) = volumes.dims(&input);
    if let (Some(channels), Some(depth)) = (channels, filter.dim(3)) {
        ensure!(
            depth > 0 && channels % depth == 0,
            InvalidArgument,
            "Depth of input ({channels}) is not a multiple of input depth of filter ({depth})"
        );
    }
    let out = volumes.inferred(sizes, [0, 1, 2].map(|axis| filter.dim(axis)))?;
    cx.set(0, volumes.arrange(batch, out, filter.dim(4)));
    Ok(())
}

fn sizes_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let index = if cx.node.op == "Conv3DBackpropInputV2" { 0 } else { 1 };
    let shape = cx.input_as_shape(index).merge(&PartialShape::of_rank(5))?;
    cx.set(0, shape);
    Ok(())
}

/// The attributes, as far as there is code for them.
fn volumes_of(node: &Node) -> Result<Volumes> {
    let volumes = Volumes::new(node)?;
    let message = "Dilation rates field must specify 5 dimensions";
    let (outer, rates) = five(node, "dilations", message, volumes.channels_first)?;
    ensure!(
        outer == [1, 1],
        InvalidArgument,
        "Current implementation does not yet support dilation rates in the batch and depth dimensions."
    );
    ensure!(rates.iter().all(|rate| *rate > 0), InvalidArgument, "Dilated rates should be larger than 0.");
    ensure!(
        !volumes.channels_first,
        InvalidArgument,
        "CPU implementation of Conv3D currently only supports the NHWC tensor format."
    );
    ensure!(
        rates == [1, 1, 1],
        InvalidArgument,
        "CPU implementation of Conv3D currently only supports dilated rates of 1."
    );
    Ok(volumes)
}

/// The sizes, for an input and a filter of these dimensions.
fn geometry(volumes: &Volumes, input: &[i64], filter: &[i64]) -> Result<Geometry> {
    ensure!(input.len() == 5, InvalidArgument, "input must be 5-dimensional");
    let &[a, b, c, depth, _] = filter else { bail!(InvalidArgument, "filter must be 5-dimensional") };
    ensure!([a, b, c, depth].iter().all(|dim| *dim > 0), InvalidArgument, "filter must not have zero elements");
    ensure!(
        input[4] % depth == 0,
        InvalidArgument,
        "Input depth must be evenly divisible by filter depth: {} vs {depth}",
        input[4]
    );
    ensure!(
        input[4] == depth,
        InvalidArgument,
        "Number of channels in filter ({depth}) must match last dimension of input ({})",
        input[4]
    );
    Geometry::new(volumes, input, [a, b, c])
}

/// Windows are worked on so many at a time, so that their copies stay small.
fn chunk(g: &Geometry, row: usize) -> usize {
    const ELEMENTS: usize = 1 << 18;
    (ELEMENTS / row.max(1)).clamp(1, g.windows().max(1))
}

/// Copies the windows from `first` on into rows.
fn gather<T: Copy + Default>(g: &Geometry, image: usize, first: usize, input: &[T], rows: &mut [T], row: usize) {
    rows.fill(T::default());
    let channels = g.channels;
    for (number, target) in rows.chunks_exact_mut(row).enumerate() {
        g.each_voxel(image, first + number, |place, voxel| {
            let source = &input[voxel * channels..(voxel + 1) * channels];
            target[place * channels..(place + 1) * channels].copy_from_slice(source);
        });
    }
}

pub(super) fn forward_kernel(node: &Node) -> Result<Kernel> {
    let volumes = volumes_of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = forward(&volumes, cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn forward(volumes: &Volumes, input: &Tensor, filter: &Tensor) -> Result<Tensor> {
    let g = geometry(volumes, input.dims(), filter.dims())?;
    let out_channels = filter.shape().dim(4);
    let shape = g.output_shape(out_channels)?;
    if shape.num_elements() == 0 {
        return Tensor::zeros(input.dtype(), &shape);
    }
    let (x, w) = (wide(input)?, wide(filter)?);
    let row = filter.num_elements() / out_channels;
    let output = dispatch!(x.dtype(), T in [f32, f64] => {
        let (x, w) = (x.as_slice::<T>()?, w.as_slice::<T>()?);
        Tensor::build(shape, |out: &mut [T]| {
            let step = chunk(&g, row);
            let mut rows = vec![0 as T; step * row];
            for (image, out) in out.chunks_exact_mut(g.windows() * out_channels).enumerate() {
                for (number, out) in out.chunks_mut(step * out_channels).enumerate() {
                    let count = out.len() / out_channels;
                    gather(&g, image, number * step, x, &mut rows[..count * row], row);
                    gemm(count, row, out_channels, &rows[..count * row], false, w, false, out, false);
                }
            }
            Ok(())
        })
    })?;
    back(output, input.dtype())
}

/// Checks that a gradient is that of an output of these sizes.
fn check_backprop(op: &str, volumes: &Volumes, input: &[i64], filter: &[i64], backprop: &Tensor) -> Result<Geometry> {
    for dim in input.iter().chain(filter) {
        ensure!(*dim >= 0, InvalidArgument, "Dimension {dim} must be >= 0");
    }
    ensure!(backprop.shape().rank() == 5, InvalidArgument, "out_backprop must be 5-dimensional");
    let g = geometry(volumes, input, filter)?;
    let actual = backprop.dims();
    ensure!(
        actual[4] == filter[4],
        InvalidArgument,
        "out_backprop and filter_sizes must have the same number of channels. Got {} for out_backprop and {} for filter_sizes",
        actual[4],
        filter[4]
    );
    ensure!(
        actual[0] == input[0],
        InvalidArgument,
        "{op}: input and out_backprop must have the same batch size. Input batch: {}, outbackprop batch: {}",
        input[0],
        actual[0]
    );
    for axis in 0..3 {
        ensure!(
            actual[axis + 1] == g.output[axis] as i64,
            InvalidArgument,
            "{op}: Size of out_backprop doesn't match computed: actual = {}, computed = {} spatial_dim: {} input: {} \
             filter: {}",
            actual[axis + 1],
            g.output[axis],
            axis + 1,
            input[axis + 1],
            filter[axis]
        );
    }
    Ok(g)
}

fn input_kernel(node: &Node) -> Result<Kernel> {
    let volumes = volumes_of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let sizes = cx.input(0)?;
        ensure!(sizes.shape().rank() == 1, InvalidArgument, "input_sizes must be a vector, got {}", sizes.shape());
        let gradient = backprop_input(&volumes, &sizes.to_i64_vec()?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

fn backprop_input(volumes: &Volumes, sizes: &[i64], filter: &Tensor, backprop: &Tensor) -> Result<Tensor> {
    let g = check_backprop("Conv3DBackpropInputOp", volumes, sizes, filter.dims(), backprop)?;
    let shape = Shape::new(sizes)?;
    let (w, dy) = (wide(filter)?, wide(backprop)?);
    let out_channels = filter.shape().dim(4);
    let mut gradient = Tensor::zeros(w.dtype(), &shape)?;
    if shape.num_elements() > 0 && backprop.num_elements() > 0 {
        let row = filter.num_elements() / out_channels;
        let channels = g.channels;
        dispatch!(w.dtype(), T in [f32, f64] => {
            let (w, dy, sums) = (w.as_slice::<T>()?, dy.as_slice::<T>()?, gradient.make_mut::<T>()?);
            let step = chunk(&g, row);
            let mut rows = vec![0 as T; step * row];
            for (image, dy) in dy.chunks_exact(g.windows() * out_channels).enumerate() {
                for (number, dy) in dy.chunks(step * out_channels).enumerate() {
                    let count = dy.len() / out_channels;
                    gemm(count, out_channels, row, dy, false, w, true, &mut rows[..count * row], false);
                    for (window, source) in rows[..count * row].chunks_exact(row).enumerate() {
                        g.each_voxel(image, number * step + window, |place, voxel| {
                            let target = &mut sums[voxel * channels..(voxel + 1) * channels];
                            target.iter_mut().zip(&source[place * channels..]).for_each(|(sum, value)| *sum += value);
                        });
                    }
                }
            }
            Ok(())
        })?;
    }
    back(gradient, filter.dtype())
}

fn filter_kernel(node: &Node) -> Result<Kernel> {
    let volumes = volumes_of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let sizes = cx.input(1)?;
        ensure!(sizes.shape().rank() == 1, InvalidArgument, "filter_sizes must be a vector, got {}", sizes.shape());
        let gradient = backprop_filter(&volumes, cx.input(0)?, &sizes.to_i64_vec()?, cx.input(2)?)?;
        cx.set_output(0, gradient);
        Ok(())
    }))
}

fn backprop_filter(volumes: &Volumes, input: &Tensor, sizes: &[i64], backprop: &Tensor) -> Result<Tensor> {
    let g = check_backprop("Conv3DBackpropFilterOp", volumes, input.dims(), sizes, backprop)?;
    let shape = Shape::new(sizes)?;
    let (x, dy) = (wide(input)?, wide(backprop)?);
    let mut gradient = Tensor::zeros(x.dtype(), &shape)?;
    if shape.num_elements() > 0 && backprop.num_elements() > 0 {
        let out_channels = shape.dim(4);
        let row = shape.num_elements() / out_channels;
        dispatch!(x.dtype(), T in [f32, f64] => {
            let (x, dy, sums) = (x.as_slice::<T>()?, dy.as_slice::<T>()?, gradient.make_mut::<T>()?);
            let step = chunk(&g, row);
            let mut rows = vec![0 as T; step * row];
            for (image, dy) in dy.chunks_exact(g.windows() * out_channels).enumerate() {
                for (number, dy) in dy.chunks(step * out_channels).enumerate() {
                    let count = dy.len() / out_channels;
                    gather(&g, image, number * step, x, &mut rows[..count * row], row);
                    gemm(row, count, out_channels, &rows[..count * row], true, dy, false, sums, true);
                }
            }
            Ok(())
        })?;
    }
    back(gradient, input.dtype())
}

/// Gives a node the attributes of the one that is differentiated.
fn alike(cx: &GradContext<'_>, node: OpBuilder) -> Output {
    ["strides", "padding", "data_format", "dilations"]
        .into_iter()
        .filter_map(|name| Some((name, cx.attr_map().get(name)?.clone())))
        .fold(node, |node, (name, value)| node.attr(name, value))
        .output()
}

fn forward_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, w, dy) = (cx.x(0), cx.x(1), cx.dy(0)?);
    let shapes = cx.op("ShapeN").input_list(&[x.clone(), w.clone()]).outputs();
    let [input, filter] = &shapes[..] else { bail!(Internal, "two shapes are missing") };
    let dx = alike(cx, cx.op("Conv3DBackpropInputV2").input(input).input(&w).input(&dy));
    let dw = alike(cx, cx.op("Conv3DBackpropFilterV2").input(&x).input(filter).input(&dy));
    Ok(vec![Some(dx.into()), Some(dw.into())])
}

fn input_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (w, dy) = (cx.x(1), cx.dy(0)?);
    let dw = alike(cx, cx.op("Conv3DBackpropFilterV2").input(&dy).input(w.unary("Shape")).input(cx.x(2)));
    let back = alike(cx, cx.op("Conv3D").input(&dy).input(&w));
    Ok(vec![None, Some(dw.into()), Some(back.into())])
}

fn filter_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (x, dy) = (cx.x(0), cx.dy(0)?);
    let dx = alike(cx, cx.op("Conv3DBackpropInputV2").input(x.unary("Shape")).input(&dy).input(cx.x(2)));
    let back = alike(cx, cx.op("Conv3D").input(&x).input(&dy));
    Ok(vec![Some(dx.into()), None, Some(back.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A window of ones sums what it covers: the whole of a 2x2x2 volume, and its gradient is spread evenly.
    #[test]
    fn a_filter_of_ones() {
        let volumes = Volumes { strides: [1; 3], same: false, channels_first: false };
        let x = Tensor::new([1, 2, 2, 2, 1], (1..=8).map(|i| i as f32).collect()).unwrap();
        let ones = Tensor::new([2, 2, 2, 1, 1], vec![1f32; 8]).unwrap();
        let y = forward(&volumes, &x, &ones).unwrap();
        assert_eq!(y, Tensor::new([1, 1, 1, 1, 1], vec![36f32]).unwrap());
        let dy = Tensor::new([1, 1, 1, 1, 1], vec![2f32]).unwrap();
        let dx = backprop_input(&volumes, x.dims(), &ones, &dy).unwrap();
        assert_eq!(dx.as_slice::<f32>().unwrap(), [2.0; 8]);
        let dw = backprop_filter(&volumes, &x, ones.dims(), &dy).unwrap();
        assert_eq!(dw.as_slice::<f32>().unwrap(), [2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.0, 16.0]);
    }
}
