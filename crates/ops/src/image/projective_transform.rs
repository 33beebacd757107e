//! `ImageProjectiveTransformV2` and `ImageProjectiveTransformV3`: images seen through projections of the plane.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::DType::{BFloat16, Double, Float, Half, Int32, Int64, UInt8};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    for (name, more) in [("ImageProjectiveTransformV2", ""), ("ImageProjectiveTransformV3", ", fill_value: float")] {
        let inputs = format!("images: dtype, transforms: float, output_shape: int32{more}");
        r.op(name, &format!("{inputs} -> transformed_images: dtype"))
            .attr("dtype: {uint8, int32, int64, half, bfloat16, float, double}")
            .attr("interpolation: string")
            .attr("fill_mode: string = 'CONSTANT'")
            .shape(shape)
            .kernel("dtype", &[UInt8, Int32, Int64, Half, BFloat16, Float, Double], kernel)
            .gradient(gradient);
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank(0, 4)?;
    cx.with_rank(1, 2)?;
    cx.with_rank(2, 1)?;
    let size = cx.ints(2).filter(|size| size.len() == 2);
    let side = |axis: usize| size.as_ref().map(|size| size[axis]).filter(|side| *side >= 0);
    cx.set(0, PartialShape::new(&[images.dim(0), side(0), side(1), images.dim(3)]));
    Ok(())
}

/// What lies beyond the borders of an image.
#[derive(Clone, Copy)]
enum Beyond {
    Reflected,
    Repeated,
    Constant,
    Nearest,
}

impl Beyond {
    /// The place on an axis of this length that stands for another one.
    fn map(self, at: f32, length: f32) -> f32 {
        let inside = |at: f32| at.max(0.0).min(length - 1.0);
        if length <= 1.0 {
            return match self {
                Beyond::Constant => at,
                _ => 0.0,
            };
        }
        match self {
            Beyond::Constant => at,
            Beyond::Nearest => inside(at),
            Beyond::Reflected => {
                let twice = 2.0 * length;
                inside(if at < 0.0 {
                    let near = twice * (-at / twice).trunc() + at;
                    if near < -length { near + twice } else { -near - 1.0 }
                } else if at > length - 1.0 {
                    let near = at - twice * (at / twice).trunc();
                    if near >= length { twice - near - 1.0 } else { near }
                } else {
                    at
                })
            }
            Beyond::Repeated => {
                let gaps = length - 1.0;
                inside(if at < 0.0 {
                    at + length * ((-at / gaps).trunc() + 1.0)
                } else if at > length - 1.0 {
                    at - length * (at / gaps).trunc()
                } else {
                    at
                })
            }
        }
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let bilinear = match node.attr_str("interpolation")? {
        "NEAREST" => false,
        "BILINEAR" => true,
        other => bail!(Internal, "Invalid interpolation {other}. Supported types: NEAREST, BILINEAR"),
    };
    let beyond = match node.attr_str("fill_mode")? {
        "REFLECT" => Beyond::Reflected,
        "WRAP" => Beyond::Repeated,
        "CONSTANT" => Beyond::Constant,
        "NEAREST" => Beyond::Nearest,
        other => bail!(Internal, "Invalid mode {other}. Supported types: REFLECT, WRAP, CONSTANT, NEAREST"),
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (images, transforms, size) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let &[batch, height, width, channels] = images.dims() else {
            bail!(InvalidArgument, "Input images must have rank 4")
        };
        let fits = matches!(transforms.dims(), [count, 8] if *count == 1 || *count == batch);
        ensure!(
            fits,
            InvalidArgument,
            "Input transform should be num_images x 8 or 1 x 8, not {} for images {}",
            transforms.shape(),
            images.shape()
        );
        ensure!(size.dims() == [2], InvalidArgument, "output shape must have two elements{}", size.shape());
        let [rows, columns] = <[i64; 2]>::try_from(size.to_i64_vec()?).unwrap_or_default();
        ensure!(rows > 0 && columns > 0, InvalidArgument, "output dimensions must be positive: {rows} and {columns}");
        let filling = match cx.num_inputs() {
            4 => {
                let value = cx.input(3)?;
                ensure!(value.shape().is_scalar(), InvalidArgument, "fill_value must be a scalar{}", value.shape());
                f64::from(value.to_scalar::<f32>()?)
            }
            _ => 0.0,
        };
        let shape = Shape::new(&[batch, rows, columns, channels])?;
        Tensor::check_size(Double, &shape)?;
        let wide = cast(images.clone(), Double, false)?;
        let (values, matrices) = (wide.as_slice::<f64>()?, transforms.as_slice::<f32>()?);
        let (height, width, channels) = (height as usize, width as usize, channels as usize);
        let output = Tensor::build(shape, |out: &mut [f64]| {
            let (rows, columns) = (rows as usize, columns as usize);
            for (at, pixel) in out.chunks_exact_mut(channels.max(1)).enumerate() {
                let (image, row, column) = (at / (rows * columns), at / columns % rows, at % columns);
                let m = if matrices.len() == 8 { matrices } else { &matrices[image * 8..image * 8 + 8] };
                let (x, y) = (column as f32, row as f32);
                let depth = m[6] * x + m[7] * y + 1.0;
                if depth == 0.0 {
                    pixel.fill(filling);
                    continue;
                }
                let source = [(m[0] * x + m[1] * y + m[2]) / depth, (m[3] * x + m[4] * y + m[5]) / depth];
                let (x, y) = (beyond.map(source[0], width as f32), beyond.map(source[1], height as f32));
                let read = |y: f32, x: f32, channel: usize| {
                    let inside = y >= 0.0 && x >= 0.0 && y < height as f32 && x < width as f32;
                    if !inside {
                        return filling;
                    }
                    values[((image * height + y as usize) * width + x as usize) * channels + channel]
                };
                for (channel, out) in pixel.iter_mut().enumerate() {
                    *out = if bilinear {
                        let (left, top) = (x.floor(), y.floor());
                        let (right, bottom) = (left + 1.0, top + 1.0);
                        let line = |y: f32| {
                            f64::from(right - x) * read(y, left, channel)
                                + f64::from(x - left) * read(y, right, channel)
                        };
                        f64::from(bottom - y) * line(top) + f64::from(y - top) * line(bottom)
                    } else {
                        read(y.round(), x.round(), channel)
                    };
                }
            }
            Ok(())
        })?;
        let output = cast(output, images.dtype(), false)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The gradient seen through the inverse projections.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (graph, flat) = (cx.graph, cx.x(1));
    let reshape =
        |of: Output, dims: &[i32]| cx.op("Reshape").input(of).input(graph.constant(Tensor::vector(dims))).output();
    let columns = |of: &Output, begin: i32, end: i32| {
        let ends = [[0, begin], [0, end], [1, 1]].map(|end| graph.constant(end));
        let slice = cx.op("StridedSlice").input(of).input(&ends[0]).input(&ends[1]).input(&ends[2]);
        slice.attr("begin_mask", 1i64).attr("end_mask", 1i64).output()
    };
    let flat = reshape(flat, &[-1, 8]);
    let last = columns(&flat, 0, 1).unary("OnesLike");
    let nine = cx.op("ConcatV2").input_list(&[flat, last]).input(graph.constant(1i32)).output();
    let inverse = reshape(reshape(nine, &[-1, 3, 3]).unary("MatrixInverse"), &[-1, 9]);
    let inverse = columns(&(&inverse / &columns(&inverse, 8, 9)), 0, 8);
    let shape = cx.op("Shape").input(cx.x(0)).output();
    let ends = [[1], [3], [1]].map(|end| graph.constant(end));
    let size = cx.op("StridedSlice").input(shape).input(&ends[0]).input(&ends[1]).input(&ends[2]).output();
    let mut node = cx.op(&cx.node.op).input(cx.dy(0)?).input(inverse).input(size);
    if cx.num_inputs() == 4 {
        node = node.input(graph.constant(0f32));
    }
    for name in ["interpolation", "fill_mode"] {
        node = node.attr(name, cx.attr_str(name)?.to_owned());
    }
    let mut gradients = vec![Some(node.output().into())];
    gradients.resize_with(cx.num_inputs(), || None);
    Ok(gradients)
}
