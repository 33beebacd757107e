//! Where the windows of convolutions and pools over volumes lie: depth, height and width.

use graph::op::ShapeContext;
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::narrow_floats::{narrow, widen};

/// Sizes beyond this are refused, so that nothing computed from them overflows.
const LIMIT: i64 = i32::MAX as i64;

/// Strides and padding along the three axes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Volumes {
    pub(crate) strides: [i64; 3],
    pub(crate) same: bool,
    pub(crate) channels_first: bool,
}

impl Volumes {
    /// # Errors
    /// `InvalidArgument` for strides that are impossible.
    pub(crate) fn new(node: &Node) -> Result<Volumes> {
        // The old forms do not say, and are NDHWC.
        let channels_first = node.attr_str("data_format").is_ok_and(|format| format == "NCDHW");
        let (outer, strides) =
            five(node, "strides", "Sliding window strides field must specify 5 dimensions", channels_first)?;
        for stride in strides {
            ensure!(
                (1..=LIMIT).contains(&stride),
                InvalidArgument,
                "Spatial strides should be larger than 0, got {stride}"
            );
        }
        ensure!(
            outer == [1, 1],
            InvalidArgument,
            "Current implementation does not yet support strides in the batch and depth dimensions."
        );
        Ok(Volumes { strides, same: node.attr_str("padding")? == "SAME", channels_first })
    }

    /// Along one axis: how many windows there are, and how many zeros come before.
    pub(crate) fn fit(&self, axis: usize, size: i64, window: i64) -> Result<(i64, i64)> {
        ensure!((0..=LIMIT).contains(&size), InvalidArgument, "a volume of size {size} is too large");
        ensure!((1..=LIMIT).contains(&window), InvalidArgument, "a window of size {window} is impossible");
        let stride = self.strides[axis];
        if self.same {
            let count = (size + stride - 1) / stride;
            return Ok((count, ((count - 1) * stride + window - size).max(0) / 2));
        }
        let count = (size - window + stride).div_euclid(stride);
        ensure!(
            count >= 0,
            InvalidArgument,
            "Computed output size would be negative: {count} [input_size: {size}, effective_filter_size: {window}, \
             stride: {stride}]"
        );
        Ok((count, 0))
    }

    /// The output's spatial dimensions as far as they are known.
    pub(crate) fn inferred(&self, sizes: [Option<i64>; 3], windows: [Option<i64>; 3]) -> Result<[Option<i64>; 3]> {
        let mut out = [None; 3];
        for axis in 0..3 {
            if let (Some(size), true) = (sizes[axis], self.same) {
                out[axis] = Some(size.saturating_add(self.strides[axis] - 1) / self.strides[axis]);
            } else if let (Some(size), Some(window)) = (sizes[axis], windows[axis]) {
                out[axis] = Some(self.fit(axis, size, window)?.0);
            }
        }
        Ok(out)
    }

    /// Batch, the three spatial dimensions and channels of a shape in this layout.
    pub(crate) fn dims(&self, shape: &PartialShape) -> (Option<i64>, [Option<i64>; 3], Option<i64>) {
        let first = if self.channels_first { 2 } else { 1 };
        let spatial = [0, 1, 2].map(|axis| shape.dim(first + axis));
        (shape.dim(0), spatial, shape.dim(if self.channels_first { 1 } else { 4 }))
    }

    pub(crate) fn arrange(
        &self,
        batch: Option<i64>,
        [a, b, c]: [Option<i64>; 3],
        channels: Option<i64>,
    ) -> PartialShape {
        match self.channels_first {
            true => PartialShape::new(&[batch, channels, a, b, c]),
            false => PartialShape::new(&[batch, a, b, c, channels]),
        }
    }
}

/// Five numbers of an attribute: those for batch and channels, and those for space.
pub(crate) fn five(node: &Node, name: &str, message: &str, channels_first: bool) -> Result<([i64; 2], [i64; 3])> {
    match *node.attr_ints(name)? {
        [batch, channels, a, b, c] if channels_first => Ok(([batch, channels], [a, b, c])),
        [batch, a, b, c, channels] => Ok(([batch, channels], [a, b, c])),
        _ => bail!(InvalidArgument, "{message}"),
    }
}

/// The sizes of one execution, all checked, in the layout with channels last.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Geometry {
    pub(crate) batch: usize,
    pub(crate) input: [usize; 3],
    pub(crate) channels: usize,
    pub(crate) window: [usize; 3],
    pub(crate) strides: [usize; 3],
    pub(crate) before: [usize; 3],
    pub(crate) output: [usize; 3],
}

impl Geometry {
    /// # Errors
    /// `InvalidArgument` for sizes that do not fit together.
    pub(crate) fn new(volumes: &Volumes, dims: &[i64], window: [i64; 3]) -> Result<Geometry> {
        let &[batch, a, b, c, channels] = dims else { bail!(InvalidArgument, "tensor_in must be 5-dimensional") };
        Shape::new(dims)?;
        let (mut before, mut output) = ([0; 3], [0; 3]);
        for (axis, size) in [a, b, c].into_iter().enumerate() {
            let (count, zeros) = volumes.fit(axis, size, window[axis])?;
            (output[axis], before[axis]) = (count as usize, zeros as usize);
        }
        Ok(Geometry {
            batch: batch as usize,
            input: [a, b, c].map(|size| size as usize),
            channels: channels as usize,
            window: window.map(|size| size as usize),
            strides: volumes.strides.map(|stride| stride as usize),
            before,
            output,
        })
    }

    pub(crate) fn output_shape(&self, channels: usize) -> Result<Shape> {
        let [a, b, c] = self.output;
        Shape::new(&[self.batch, a, b, c, channels].map(|dim| dim as i64))
    }

    /// How many windows there are in one volume.
    pub(crate) fn windows(&self) -> usize {
        self.output.iter().product()
    }

    /// Calls `f` with the place in the window and the number of the voxel, for all voxels that lie in the window
    /// `number` of the volume `image`.
    pub(crate) fn each_voxel(&self, image: usize, number: usize, mut f: impl FnMut(usize, usize)) {
        let [_, high, wide] = self.output;
        let at = [number / (high * wide), number / wide % high, number % wide];
        let start = |axis: usize| (at[axis] * self.strides[axis]) as isize - self.before[axis] as isize;
        let inside = |axis: usize, offset: usize| -> Option<usize> {
            let place = start(axis) + offset as isize;
            (0..self.input[axis] as isize).contains(&place).then_some(place as usize)
        };
        for i in 0..self.window[0] {
            let Some(z) = inside(0, i) else { continue };
            for j in 0..self.window[1] {
                let Some(y) = inside(1, j) else { continue };
                for k in 0..self.window[2] {
                    let Some(x) = inside(2, k) else { continue };
                    let voxel = ((image * self.input[0] + z) * self.input[1] + y) * self.input[2] + x;
                    f((i * self.window[1] + j) * self.window[2] + k, voxel);
                }
            }
        }
    }
}

/// The tensor as float or double.
pub(crate) fn wide(tensor: &Tensor) -> Result<Tensor> {
    widen(tensor)
}

/// Back to half or bfloat16 if that is what is wanted.
pub(crate) fn back(tensor: Tensor, dtype: DType) -> Result<Tensor> {
    if tensor.dtype() == dtype { Ok(tensor) } else { narrow(&tensor, dtype) }
}

/// The shape of an op whose output is like its input.
pub(crate) fn like_input(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank(0, 5)?;
    cx.set(0, shape);
    Ok(())
}
