//! `RandomCrop`: a part of an image, at a random place.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use tensor::{PartialShape, Result, Shape, ensure};

use super::generator::Generator;
use crate::moving::taken;
use crate::strided::Walk;

pub(crate) fn register(r: &mut Registry) {
    r.op("RandomCrop", "image: T, size: int64 -> output: T")
        .attr("T: {uint8, int8, int16, int32, int64, float, double}")
        .attr("seed: int = 0")
        .attr("seed2: int = 0")
        .stateful()
        .shape(shape)
        .kernel("T", types::REALS, kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let image = cx.with_rank(0, 3)?;
    let size = cx.input_as_shape(1);
    cx.set(0, PartialShape::new(&[size.dim(0), size.dim(1), image.dim(2)]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let generator = Generator::new(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (image, size) = (cx.input(0)?, cx.input(1)?);
        ensure!(image.shape().rank() == 3, InvalidArgument, "image must be 3-dimensional{}", image.shape());
        ensure!(size.shape().rank() == 1, InvalidArgument, "shape_t must be 1-D{}", size.shape());
        ensure!(size.dims() == [2], InvalidArgument, "shape_t must have two elements{}", size.shape());
        let (dims, wanted) = (image.dims(), size.to_i64_vec()?);
        for (axis, name) in ["height", "width"].iter().enumerate() {
            ensure!(
                dims[axis] >= wanted[axis],
                FailedPrecondition,
                "{name} must be >= target_{name}: {name} = {}, target_{name} = {}",
                dims[axis],
                wanted[axis]
            );
        }
        ensure!(wanted.iter().all(|side| *side >= 0), InvalidArgument, "size must not be negative: {wanted:?}");
        let mut philox = generator.reserve_words(4);
        let words = philox.next_output();
        let (mut used, mut start) = (0, [0usize; 2]);
        for axis in 0..2 {
            let room = (dims[axis] - wanted[axis]) as u64;
            if room > 0 {
                start[axis] = (u64::from(words[used]) % (room + 1)) as usize;
                used += 1;
            }
        }
        let (columns, channels) = (dims[1] as usize, dims[2] as usize);
        let first = (start[0] * columns + start[1]) * channels;
        let sides = [
            (wanted[0] as usize, (columns * channels) as isize),
            (wanted[1] as usize, channels as isize),
            (channels, 1),
        ];
        let shape = Shape::new(&[wanted[0], wanted[1], dims[2]])?;
        let part = taken(image, &Walk::new(first, sides), shape)?;
        cx.set_output(0, part);
        Ok(())
    }))
}
