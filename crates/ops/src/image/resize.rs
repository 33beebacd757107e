//! What the ops that resize images share: sizes, options, and which place of the input one of the output is.

use graph::op::ShapeContext;
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

pub(super) const HALF: &str = "half_pixel_centers: bool = false";

pub(super) const ALIGN: &str = "align_corners: bool = false";

pub(super) const SOURCES: &[DType] = &[
    DType::Float,
    DType::Double,
    DType::Half,
    DType::BFloat16,
    DType::Int8,
    DType::UInt8,
    DType::Int16,
    DType::UInt16,
    DType::Int32,
    DType::Int64,
];

pub(super) fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank(0, 4)?;
    cx.with_rank(1, 1)?;
    let size = cx.ints(1).unwrap_or_default();
    let dim = |at: usize| size.get(at).copied().filter(|size| *size > 0);
    cx.set(0, PartialShape::new(&[images.dim(0), dim(0), dim(1), images.dim(3)]));
    Ok(())
}

/// How places of the result lie on the image, along one axis.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    pub(super) scale: f32,
    pub(super) half_pixel: bool,
    pub(super) align: bool,
    pub(super) size: usize,
}

impl Scale {
    pub(super) fn new(from: usize, to: usize, align: bool, half_pixel: bool) -> Scale {
        let scale = if align && to > 1 {
            from.saturating_sub(1) as f32 / (to - 1) as f32
        } else {
            from as f32 / to.max(1) as f32
        };
        Scale { scale, half_pixel, align, size: from }
    }

    pub(super) fn source(self, place: usize) -> f32 {
        if self.half_pixel { (place as f32 + 0.5) * self.scale - 0.5 } else { place as f32 * self.scale }
    }

    /// The two neighbours, and how much of the second one counts.
    pub(super) fn between(self, place: usize) -> (usize, usize, f32) {
        let at = self.source(place);
        let floor = at.floor();
        let last = self.size.saturating_sub(1) as f32;
        let low = floor.clamp(0.0, last);
        let high = at.ceil().clamp(0.0, last);
        (low as usize, high as usize, at - floor)
    }

    pub(super) fn nearest(self, place: usize) -> usize {
        let at = if self.half_pixel { (place as f32 + 0.5) * self.scale } else { place as f32 * self.scale };
        let at = if self.align { at.round() } else { at.floor() };
        (at.max(0.0) as usize).min(self.size.saturating_sub(1))
    }
}

pub(super) struct Options {
    pub(super) align: bool,
    pub(super) half_pixel: bool,
}

impl Options {
    pub(super) fn of(node: &Node) -> Result<Options> {
        let options =
            Options { align: node.attr_bool("align_corners")?, half_pixel: node.attr_bool("half_pixel_centers")? };
        ensure!(
            !(options.align && options.half_pixel),
            InvalidArgument,
            "If half_pixel_centers is True, align_corners must be False."
        );
        Ok(options)
    }
}

/// Batch, height, width and channels of the images, and the height and width wanted.
pub(super) fn sizes(images: &Tensor, size: &Tensor) -> Result<([usize; 4], [usize; 2])> {
    let &[batch, height, width, channels] = images.dims() else {
        bail!(InvalidArgument, "input must be 4-dimensional{}", images.shape())
    };
    ensure!(
        size.shape().rank() == 1 && size.num_elements() == 2,
        InvalidArgument,
        "shape_t must have two elements{}",
        size.shape()
    );
    let size = size.to_i64_vec()?;
    ensure!(size.iter().all(|size| *size > 0), InvalidArgument, "output dimensions must be positive");
    ensure!(height > 0 && width > 0 && channels > 0, InvalidArgument, "input image must be of non-zero size");
    Shape::new(&[batch, size[0], size[1], channels])?;
    Ok(([batch as usize, height as usize, width as usize, channels as usize], [size[0] as usize, size[1] as usize]))
}

pub(super) fn as_floats(images: &Tensor) -> Result<Vec<f32>> {
    macro_rules! read {
        ($($t:ty => $f:expr),*) => {
            $(if let Ok(values) = images.as_slice::<$t>() {
                return Ok(values.iter().map(|value| $f(*value)).collect());
            })*
        };
    }
    read!(f32 => |v| v, f64 => |v: f64| v as f32, f16 => |v: f16| v.to_f32(), bf16 => |v: bf16| v.to_f32(), u8 => |v: u8| v as f32,
          i8 => |v: i8| v as f32, u16 => |v: u16| v as f32, i16 => |v: i16| v as f32, i32 => |v: i32| v as f32, i64 => |v: i64| v as f32);
    bail!(Internal, "no code for images of type {}", images.dtype())
}
