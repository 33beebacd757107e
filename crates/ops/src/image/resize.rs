//! What the ops that resize images share: sizes, options, and which place of the input one of the output is.

use graph::op::{GradContext, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

/// An attribute of all of them: pixels are squares around their places, not the places.
pub(super) const HALF: &str = "half_pixel_centers: bool = false";

/// An attribute of all of them: the corners of both images lie on each other.
pub(super) const ALIGN: &str = "align_corners: bool = false";

/// The types of images in definitions.
pub(super) const IMAGES: &str = "T: {int8, uint8, int16, uint16, int32, int64, half, float, double, bfloat16}";

/// The types of images that there are kernels for.
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

/// Returns the sizes of gradients of resized images, and height and width of the original images.
pub(super) fn grad_sizes(grads: &Tensor, original: &Tensor) -> Result<([usize; 4], [usize; 2])> {
    let (&[batch, rows, columns, channels], &[own_batch, height, width, own_channels]) =
        (grads.dims(), original.dims())
    else {
        bail!(
            InvalidArgument,
            "input_grad and original_image must be 4-dimensional: {} and {}",
            grads.shape(),
            original.shape()
        )
    };
    ensure!(
        batch == own_batch && channels == own_channels,
        InvalidArgument,
        "input_grad {} and original_image {} must have the same batch size and channels",
        grads.shape(),
        original.shape()
    );
    ensure!(
        original.num_elements() > 0 || grads.num_elements() == 0,
        InvalidArgument,
        "original_image must not be empty"
    );
    Ok(([batch, rows, columns, channels].map(|dim| dim as usize), [height, width].map(|dim| dim as usize)))
}

/// The gradient of a resizing op: a node of `op`, which takes the same options and the original images.
pub(super) fn gradient_by(cx: &GradContext<'_>, op: &str) -> Result<Vec<Option<Gradient>>> {
    if !matches!(cx.dtype(0), DType::Float | DType::Double) {
        return Ok(vec![None, None]);
    }
    let op = cx.op(op).input(cx.dy(0)?).input(cx.x(0));
    let op = op.attr("align_corners", cx.attr_bool("align_corners")?);
    let dx = op.attr("half_pixel_centers", cx.attr_bool("half_pixel_centers")?).output();
    Ok(vec![Some(dx.into()), None])
}
