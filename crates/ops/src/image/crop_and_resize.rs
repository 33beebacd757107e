//! `CropAndResize` and its gradient ops `CropAndResizeGradImage` and `CropAndResizeGradBoxes`: boxes of images, each
//! brought to one size.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::DType::{self, Double, Float, Half, Int8, Int16, Int32, Int64, UInt8, UInt16};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::resize::as_floats;
use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    const IMAGES: &str = "T: {uint8, uint16, int8, int16, int32, int64, half, float, double}";
    const SOURCES: &[DType] = &[UInt8, UInt16, Int8, Int16, Int32, Int64, Half, Float, Double];
    r.op("CropAndResize", "image: T, boxes: float, box_ind: int32, crop_size: int32 -> crops: float")
        .attr(IMAGES)
        .attr("method: {'bilinear', 'nearest'} = 'bilinear'")
        .attr("extrapolation_value: float = 0.0")
        .shape(crop_shape)
        .kernel("T", SOURCES, crop_kernel)
        .gradient(gradient);
    r.op("CropAndResizeGradImage", "grads: float, boxes: float, box_ind: int32, image_size: int32 -> output: T")
        .attr("T: {float, half, double}")
        .attr("method: {'bilinear', 'nearest'} = 'bilinear'")
        .shape(|cx| {
            let shape = cx.input_as_shape(3).merge(&PartialShape::of_rank(4))?;
            cx.set(0, shape);
            Ok(())
        })
        .kernel("T", &[Float, Half, Double], grad_image_kernel);
    r.op("CropAndResizeGradBoxes", "grads: float, image: T, boxes: float, box_ind: int32 -> output: float")
        .attr(IMAGES)
        .attr("method: {'bilinear'} = 'bilinear'")
        .shape(|cx| {
            let boxes = cx.with_rank(2, 2)?;
            cx.set(0, boxes);
            Ok(())
        })
        .kernel("T", SOURCES, grad_boxes_kernel);
}

fn crop_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (image, boxes, owners) = (cx.with_rank(0, 4)?, cx.with_rank(1, 2)?, cx.with_rank(2, 1)?);
    let count = PartialShape::vector(boxes.dim(0)).merge(&owners)?.dim(0);
    let size = cx.ints(3).unwrap_or_default();
    cx.set(0, PartialShape::new(&[count, size.first().copied(), size.get(1).copied(), image.dim(3)]));
    Ok(())
}

/// Boxes, and the image that each is of.
struct Boxes {
    corners: Vec<[f32; 4]>,
    owners: Vec<usize>,
}

impl Boxes {
    fn new(boxes: &Tensor, owners: &Tensor, batch: i64) -> Result<Boxes> {
        let owner_list = owners.to_i64_vec()?;
        if boxes.num_elements() == 0 && owner_list.is_empty() {
            return Ok(Boxes { corners: Vec::new(), owners: Vec::new() });
        }
        let &[count, 4] = boxes.dims() else {
            bail!(InvalidArgument, "boxes must be 2-D with 4 columns, got shape {}", boxes.shape())
        };
        ensure!(owners.shape().rank() == 1, InvalidArgument, "box_index must be 1-D, got shape {}", owners.shape());
        ensure!(
            owner_list.len() as i64 == count,
            InvalidArgument,
            "box_index has incompatible shape: {} for {count} boxes",
            owners.shape()
        );
        for owner in &owner_list {
            ensure!(
                (0..batch).contains(owner),
                OutOfRange,
                "box_index has values outside [0, batch_size): {owner} of {batch}"
            );
        }
        let corners = boxes.as_slice::<f32>()?.as_chunks::<4>().0.to_vec();
        Ok(Boxes { corners, owners: owner_list.into_iter().map(|owner| owner as usize).collect() })
    }

    fn iter(&self) -> impl Iterator<Item = ([f32; 4], usize)> {
        self.corners.iter().copied().zip(self.owners.iter().copied())
    }
}

/// Where the places of a crop lie on the image, along one axis; none for those outside.
fn places(low: f32, high: f32, size: usize, count: usize) -> Vec<Option<f32>> {
    let last = size as f32 - 1.0;
    let step = if count > 1 { (high - low) * last / (count - 1) as f32 } else { 0.0 };
    let place = |number: usize| if count > 1 { low * last + number as f32 * step } else { 0.5 * (low + high) * last };
    (0..count).map(place).map(|at| (at >= 0.0 && at <= last).then_some(at)).collect()
}

/// The two neighbours, and how much of the second one counts; with `nearest` one pixel alone.
fn neighbours(at: f32, nearest: bool) -> (usize, usize, f32) {
    match nearest {
        true => (at.round() as usize, at.round() as usize, 0.0),
        false => (at.floor() as usize, at.ceil() as usize, at - at.floor()),
    }
}

fn image_dims(image: &Tensor) -> Result<[usize; 4]> {
    let &[batch, height, width, depth] = image.dims() else {
        bail!(InvalidArgument, "input image must be 4-D{}", image.shape())
    };
    ensure!(height > 0 && width > 0, InvalidArgument, "image dimensions must be positive");
    Ok([batch, height, width, depth].map(|dim| dim as usize))
}

fn crop_kernel(node: &Node) -> Result<Kernel> {
    let nearest = node.attr_str("method")? == "nearest";
    let outside = node.attr_float("extrapolation_value")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (image, size) = (cx.input(0)?, cx.input(3)?);
        let [batch, height, width, depth] = image_dims(image)?;
        let boxes = Boxes::new(cx.input(1)?, cx.input(2)?, batch as i64)?;
        ensure!(size.shape().rank() == 1, InvalidArgument, "crop_size must be 1-D{}", size.shape());
        let &[rows, columns] = size.as_slice::<i32>()? else {
            bail!(InvalidArgument, "crop_size must have two elements{}", size.shape())
        };
        ensure!(rows > 0 && columns > 0, InvalidArgument, "crop dimensions must be positive");
        let (rows, columns) = (rows as usize, columns as usize);
        let shape = Shape::new(&[boxes.corners.len(), rows, columns, depth].map(|dim| dim as i64))?;
        Tensor::check_size(DType::Float, &shape)?;
        let values = as_floats(image)?;
        let output = Tensor::build(shape, |out: &mut [f32]| {
            if out.is_empty() {
                return Ok(());
            }
            for (([y1, x1, y2, x2], owner), out) in boxes.iter().zip(out.chunks_exact_mut(rows * columns * depth)) {
                let (down, across) = (places(y1, y2, height, rows), places(x1, x2, width, columns));
                for (number, out) in out.chunks_exact_mut(depth).enumerate() {
                    let (Some(y), Some(x)) = (down[number / columns], across[number % columns]) else {
                        out.fill(outside);
                        continue;
                    };
                    let ((top, bottom, dy), (left, right, dx)) = (neighbours(y, nearest), neighbours(x, nearest));
                    for (channel, out) in out.iter_mut().enumerate() {
                        let value = |y: usize, x: usize| values[((owner * height + y) * width + x) * depth + channel];
                        let upper = value(top, left) + (value(top, right) - value(top, left)) * dx;
                        let lower = value(bottom, left) + (value(bottom, right) - value(bottom, left)) * dx;
                        *out = upper + (lower - upper) * dy;
                    }
                }
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn grad_image_kernel(node: &Node) -> Result<Kernel> {
    let nearest = node.attr_str("method")? == "nearest";
    let dtype = node.attr_type("T")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (grads, size) = (cx.input(0)?, cx.input(3)?);
        let &[count, rows, columns, depth] = grads.dims() else {
            bail!(InvalidArgument, "grads image must be 4-D{}", grads.shape())
        };
        ensure!(rows > 0 && columns > 0, InvalidArgument, "grads dimensions must be positive");
        ensure!(
            size.shape().rank() == 1 && size.num_elements() == 4,
            InvalidArgument,
            "image_size must have 4 elements: {}",
            size.shape()
        );
        let dims = size.to_i64_vec()?;
        let shape = Shape::new(&dims)?;
        ensure!(dims[1] > 0 && dims[2] > 0, InvalidArgument, "image dimensions must be positive");
        ensure!(
            dims[3] == depth,
            InvalidArgument,
            "image_size and grads are incompatible: {shape} and {}",
            grads.shape()
        );
        let boxes = Boxes::new(cx.input(1)?, cx.input(2)?, dims[0])?;
        ensure!(
            boxes.corners.len() as i64 == count,
            InvalidArgument,
            "boxes and grads have incompatible shape: {} boxes, grads {}",
            boxes.corners.len(),
            grads.shape()
        );
        let [rows, columns, depth] = [rows, columns, depth].map(|dim| dim as usize);
        let (height, width) = (dims[1] as usize, dims[2] as usize);
        let mut sums = Tensor::zeros(DType::Float, &shape)?;
        if grads.num_elements() > 0 {
            let (sums, grads) = (sums.make_mut::<f32>()?, grads.as_slice::<f32>()?);
            for (([y1, x1, y2, x2], owner), grads) in boxes.iter().zip(grads.chunks_exact(rows * columns * depth)) {
                let (down, across) = (places(y1, y2, height, rows), places(x1, x2, width, columns));
                for (number, grad) in grads.chunks_exact(depth).enumerate() {
                    let (Some(y), Some(x)) = (down[number / columns], across[number % columns]) else { continue };
                    let ((top, bottom, dy), (left, right, dx)) = (neighbours(y, nearest), neighbours(x, nearest));
                    let corners = [
                        (top, left, (1.0 - dy) * (1.0 - dx)),
                        (top, right, (1.0 - dy) * dx),
                        (bottom, left, dy * (1.0 - dx)),
                        (bottom, right, dy * dx),
                    ];
                    for (y, x, weight) in corners {
                        let pixel = ((owner * height + y) * width + x) * depth;
                        sums[pixel..].iter_mut().zip(grad).for_each(|(sum, grad)| *sum += grad * weight);
                    }
                }
            }
        }
        cx.set_output(0, cast(sums, dtype, false)?);
        Ok(())
    }))
}

fn grad_boxes_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (grads, image) = (cx.input(0)?, cx.input(1)?);
        let &[count, rows, columns, depth] = grads.dims() else {
            bail!(InvalidArgument, "grads image must be 4-D{}", grads.shape())
        };
        ensure!(rows > 0 && columns > 0, InvalidArgument, "grads dimensions must be positive");
        let [batch, height, width, own_depth] = image_dims(image)?;
        ensure!(
            own_depth as i64 == depth,
            InvalidArgument,
            "image and grads are incompatible: {} and {}",
            image.shape(),
            grads.shape()
        );
        let boxes = Boxes::new(cx.input(2)?, cx.input(3)?, batch as i64)?;
        ensure!(
            boxes.corners.len() as i64 == count,
            InvalidArgument,
            "boxes and grads have incompatible shape: {} boxes, grads {}",
            boxes.corners.len(),
            grads.shape()
        );
        let [rows, columns, depth] = [rows, columns, depth].map(|dim| dim as usize);
        let values = as_floats(image)?;
        let grads = grads.as_slice::<f32>()?;
        let mut sums = vec![[0f32; 4]; boxes.corners.len()];
        // How a step along the image is shared by the two ends of a box.
        let share = |number: usize, count: usize, size: usize| -> (f32, f32) {
            let last = size as f32 - 1.0;
            match count {
                1 => (0.5 * last, 0.5 * last),
                _ => {
                    let at = number as f32 * last / (count - 1) as f32;
                    (last - at, at)
                }
            }
        };
        let each = boxes.iter().zip(grads.chunks_exact((rows * columns * depth).max(1)));
        for ((([y1, x1, y2, x2], owner), grads), sums) in each.zip(&mut sums) {
            let (down, across) = (places(y1, y2, height, rows), places(x1, x2, width, columns));
            for (number, grad) in grads.chunks_exact(depth.max(1)).enumerate() {
                let (row, column) = (number / columns, number % columns);
                let (Some(y), Some(x)) = (down[row], across[column]) else { continue };
                let ((top, bottom, dy), (left, right, dx)) = (neighbours(y, false), neighbours(x, false));
                let ((y_low, y_high), (x_low, x_high)) = (share(row, rows, height), share(column, columns, width));
                for (channel, grad) in grad.iter().enumerate() {
                    let value = |y: usize, x: usize| values[((owner * height + y) * width + x) * depth + channel];
                    let (a, b, c, d) = (value(top, left), value(top, right), value(bottom, left), value(bottom, right));
                    let along_y = grad * ((1.0 - dx) * (c - a) + dx * (d - b));
                    let along_x = grad * ((1.0 - dy) * (b - a) + dy * (d - c));
                    sums[0] += along_y * y_low;
                    sums[1] += along_x * x_low;
                    sums[2] += along_y * y_high;
                    sums[3] += along_x * x_high;
                }
            }
        }
        cx.set_output(0, Tensor::new([sums.len() as i64, 4], sums.as_flattened().to_vec())?);
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (image, dy) = (cx.x(0), cx.dy(0)?);
    let dtype = cx.dtype(0);
    let images = if matches!(dtype, Half | Float | Double) {
        let node = cx.op("CropAndResizeGradImage").input(&dy).input(cx.x(1)).input(cx.x(2)).input(image.unary("Shape"));
        Some(node.attr("T", dtype).attr("method", cx.attr_str("method")?.to_owned()).output().into())
    } else {
        None
    };
    let boxes = cx.op("CropAndResizeGradBoxes").input(&dy).input(&image).input(cx.x(1)).input(cx.x(2)).output();
    Ok(vec![images, Some(boxes.into()), None, None])
}
