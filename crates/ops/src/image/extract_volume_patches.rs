//! `ExtractVolumePatches`: the voxels of each window over volumes, one after the other in the depth of the result.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::moving::{Pick, moved};

/// Sizes beyond this are refused, so that nothing computed from them overflows.
const LIMIT: i64 = i32::MAX as i64;

pub(crate) fn register(r: &mut Registry) {
    r.op("ExtractVolumePatches", "input: T -> patches: T")
        .attr("ksizes: list(int) >= 5")
        .attr("strides: list(int) >= 5")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
        .attr("padding: {'SAME', 'VALID'}")
        .shape(shape)
        .kernel("T", types::REALS, kernel)
        .gradient(gradient);
}

/// Windows over the three inner axes.
#[derive(Clone, Copy)]
struct Windows {
    sizes: [i64; 3],
    strides: [i64; 3],
    same: bool,
}

impl Windows {
    fn of(node: &impl ReadAttrs) -> Result<Windows> {
        let five = |name: &str| -> Result<[i64; 3]> {
            let &[batch, a, b, c, depth] = node.attr_ints(name)? else {
                bail!(InvalidArgument, "ExtractVolumePatches requires the {name} attribute to contain 5 values")
            };
            ensure!(
                batch == 1 && depth == 1,
                Unimplemented,
                "ExtractVolumePatches: only support ksizes and strides across space, not {name} of {batch} and {depth}"
            );
            ensure!(
                [a, b, c].iter().all(|side| (1..=LIMIT).contains(side)),
                InvalidArgument,
                "{name} must be positive: {a}, {b}, {c}"
            );
            Ok([a, b, c])
        };
        Ok(Windows { sizes: five("ksizes")?, strides: five("strides")?, same: node.attr_str("padding")? == "SAME" })
    }

    /// How many windows there are along an axis, and how many voxels are missing before the first one.
    fn along(&self, axis: usize, length: i64) -> Result<(i64, i64)> {
        let (size, stride) = (self.sizes[axis], self.strides[axis]);
        if self.same {
            let count = (length + stride - 1) / stride;
            return Ok((count, ((count - 1) * stride + size - length).max(0) / 2));
        }
        ensure!(
            length >= size,
            InvalidArgument,
            "Computed output size would be negative: a window of {size} on an axis of {length}"
        );
        Ok(((length - size) / stride + 1, 0))
    }

    fn volume(&self) -> Option<i64> {
        self.sizes.iter().try_fold(1i64, |product, size| product.checked_mul(*size))
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank(0, 5)?;
    let windows = Windows::of(cx.node)?;
    let mut dims = vec![input.dim(0)];
    for axis in 0..3 {
        dims.push(match input.dim(axis + 1) {
            Some(length) => Some(windows.along(axis, length)?.0),
            None => None,
        });
    }
    dims.push(input.dim(4).zip(windows.volume()).and_then(|(depth, volume)| depth.checked_mul(volume)));
    cx.set(0, PartialShape::new(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let windows = Windows::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let patches = patches(&windows, cx.input(0)?)?;
        cx.set_output(0, patches);
        Ok(())
    }))
}

fn patches(windows: &Windows, input: &Tensor) -> Result<Tensor> {
    let &[batch, a, b, c, depth] = input.dims() else {
        bail!(InvalidArgument, "input must be 5-dimensional{}", input.shape())
    };
    let lengths = [a, b, c];
    let mut ways = [(0, 0); 3];
    for axis in 0..3 {
        ways[axis] = windows.along(axis, lengths[axis])?;
    }
    let Some(width) = windows.volume().and_then(|volume| volume.checked_mul(depth)) else {
        bail!(ResourceExhausted, "windows of {:?} with {depth} channels are too large", windows.sizes)
    };
    let shape = Shape::new(&[batch, ways[0].0, ways[1].0, ways[2].0, width])?;
    // The places of all elements are listed first.
    Tensor::check_size(tensor::DType::Int64, &shape)?;
    let mut places = Vec::with_capacity(shape.num_elements());
    let none = input.num_elements();
    // Where a window of this number begins and how it goes on, along each axis.
    let line = |axis: usize, number: i64| {
        let first = number * windows.strides[axis] - ways[axis].1;
        (0..windows.sizes[axis]).map(move |at| Some(first + at).filter(|at| (0..lengths[axis]).contains(at)))
    };
    for image in 0..batch {
        for x in 0..ways[0].0 {
            for y in 0..ways[1].0 {
                for z in 0..ways[2].0 {
                    for i in line(0, x) {
                        for j in line(1, y) {
                            for k in line(2, z) {
                                let voxel = i.zip(j).zip(k).map(|((i, j), k)| ((image * a + i) * b + j) * c + k);
                                let place =
                                    |channel: i64| voxel.map_or(none, |voxel| (voxel * depth + channel) as usize);
                                places.extend((0..depth).map(place));
                            }
                        }
                    }
                }
            }
        }
    }
    let zero = Tensor::zeros(input.dtype(), &Shape::scalar())?;
    moved(shape, &[input, &zero], &Pick(&places))
}

/// Patches are what a convolution with the identity gives, so their gradient is its gradient.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let windows = Windows::of(cx)?;
    let (input, graph) = (cx.x(0), cx.graph);
    let (Some(depth), Some(volume)) = (input.shape().dim(4), windows.volume()) else {
        bail!(Unimplemented, "the gradient of ExtractVolumePatches of an unknown number of channels")
    };
    let Ok(width) = i32::try_from(depth.saturating_mul(volume)) else {
        bail!(Unimplemented, "the gradient of ExtractVolumePatches with windows of {depth} times {volume} elements")
    };
    let one = cx.op("Cast").input(graph.constant(1f32)).attr("DstT", cx.dtype(0)).output();
    let ones = cx.op("Fill").input(graph.constant([width])).input(one).output();
    let [a, b, c] = windows.sizes.map(|side| side as i32);
    let filter =
        cx.op("Reshape").input(ones.unary("Diag")).input(graph.constant([a, b, c, depth as i32, width])).output();
    let sizes = cx.op("Shape").input(&input).output();
    let node = cx.op("Conv3DBackpropInputV2").input(sizes).input(filter).input(cx.dy(0)?);
    let node =
        node.attr("strides", cx.attr_ints("strides")?.to_vec()).attr("padding", cx.attr_str("padding")?.to_owned());
    Ok(vec![Some(node.output().into())])
}
