//! `DrawBoundingBoxes` and `DrawBoundingBoxesV2`: the outlines of boxes drawn on images.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::DType::{Float, Half};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    for (name, signature) in [
        ("DrawBoundingBoxes", "images: T, boxes: float -> output: T"),
        ("DrawBoundingBoxesV2", "images: T, boxes: float, colors: float -> output: T"),
    ] {
        r.op(name, signature)
            .attr("T: {float, half} = float")
            .shape(shape)
            .kernel("T", &[Float, Half], kernel)
            .not_differentiable();
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank_at_least(0, 3)?;
    cx.set(0, images.merge(&PartialShape::of_rank(4)).unwrap_or(images));
    Ok(())
}

/// What boxes are drawn in, in turn.
const COLORS: [[f32; 4]; 10] = [
    [1.0, 1.0, 0.0, 1.0],
    [0.0, 0.0, 1.0, 1.0],
    [1.0, 0.0, 0.0, 1.0],
    [0.0, 1.0, 0.0, 1.0],
    [0.5, 0.0, 0.5, 1.0],
    [0.5, 0.5, 0.0, 1.0],
    [0.5, 0.0, 0.0, 1.0],
    [0.0, 0.0, 0.5, 1.0],
    [0.0, 1.0, 1.0, 1.0],
    [1.0, 0.0, 1.0, 1.0],
];

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let (images, boxes) = (cx.input(0)?, cx.input(1)?);
        let mut colors: Vec<Vec<f32>> = COLORS.iter().map(|color| color.to_vec()).collect();
        if cx.num_inputs() > 2 {
            let given = cx.input(2)?;
            ensure!(given.shape().rank() == 2, InvalidArgument, "colors must be a 2-D matrix{}", given.shape());
            let width = given.shape().dim(1);
            ensure!(
                given.num_elements() == 0 || width >= images.dims().last().map_or(0, |depth| *depth as usize),
                InvalidArgument,
                "colors must have equal or more channels than the image provided: {width} vs {}",
                images.dims().last().copied().unwrap_or(0)
            );
            if given.num_elements() > 0 {
                colors = given.as_slice::<f32>()?.chunks_exact(width).map(<[f32]>::to_vec).collect();
            }
        } else if images.dims().last() == Some(&1) {
            colors.iter_mut().for_each(|color| color[0] = 1.0);
        }
        let output = draw(images, boxes, &colors)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn draw(images: &Tensor, boxes: &Tensor, colors: &[Vec<f32>]) -> Result<Tensor> {
    let &[batch, height, width, depth] = images.dims() else {
        bail!(InvalidArgument, "The rank of the images should be 4")
    };
    let &[box_batch, count, 4] = boxes.dims() else {
        bail!(
            InvalidArgument,
            "The rank of the boxes tensor should be 3 with 4 coordinates each, got {}",
            boxes.shape()
        )
    };
    ensure!(
        matches!(depth, 1 | 3 | 4),
        InvalidArgument,
        "Channel depth should be either 1 (GRY), 3 (RGB), or 4 (RGBA)"
    );
    ensure!(batch == box_batch, InvalidArgument, "The batch sizes should be the same: {batch} and {box_batch}");
    let mut out = widen(images)?;
    let values = boxes.as_slice::<f32>()?.as_chunks::<4>().0;
    let pixels = out.make_mut::<f32>()?;
    for (number, corners) in values.iter().enumerate() {
        let (image, color) = (number as i64 / count.max(1), &colors[number % count.max(1) as usize % colors.len()]);
        let scaled = |part: f32, size: i64| (part * (size - 1) as f32) as i64;
        let (top, left) = (scaled(corners[0], height), scaled(corners[1], width));
        let (bottom, right) = (scaled(corners[2], height), scaled(corners[3], width));
        if top > bottom || left > right || top >= height || bottom < 0 || left >= width || right < 0 {
            continue;
        }
        let mut put = |row: i64, column: i64| {
            let at = (((image * height + row) * width + column) * depth) as usize;
            pixels[at..at + depth as usize].iter_mut().zip(color).for_each(|(pixel, color)| *pixel = *color);
        };
        let (rows, columns) = (top.max(0)..=bottom.min(height - 1), left.max(0)..=right.min(width - 1));
        for (row, seen) in [(top, top >= 0), (bottom, bottom < height)] {
            if seen {
                columns.clone().for_each(|column| put(row, column));
            }
        }
        for (column, seen) in [(left, left >= 0), (right, right < width)] {
            if seen {
                rows.clone().for_each(|row| put(row, column));
            }
        }
    }
    if images.dtype() == Float { Ok(out) } else { narrow(&out, images.dtype()) }
}
