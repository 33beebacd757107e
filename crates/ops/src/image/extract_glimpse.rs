//! `ExtractGlimpse` and `ExtractGlimpseV2`: a window of each image around a point, with noise where it leaves the image.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::random::{Philox, Random};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

pub(crate) fn register(r: &mut Registry) {
    for name in ["ExtractGlimpse", "ExtractGlimpseV2"] {
        r.op(name, "input: float, size: int32, offsets: float -> glimpse: float")
            .attr("centered: bool = true")
            .attr("normalized: bool = true")
            .attr("uniform_noise: bool = true")
            .attr("noise: string = 'uniform'")
            .shape(shape)
            .any_kernel(kernel)
            .not_differentiable();
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, offsets) = (cx.with_rank(0, 4)?, cx.with_rank(2, 2)?);
    cx.with_rank(1, 1)?;
    let size = cx.ints(1).unwrap_or_default();
    let side = |axis: usize| size.get(axis).copied().filter(|side| *side > 0);
    let batch = input.dim(0).or(offsets.dim(0));
    cx.set(0, PartialShape::new(&[batch, side(0), side(1), input.dim(3)]));
    Ok(())
}

#[derive(Clone, Copy)]
enum Noise {
    Uniform,
    Gaussian,
    Zero,
}

#[derive(Clone, Copy)]
struct Settings {
    centered: bool,
    normalized: bool,
    second: bool,
    noise: Noise,
}

impl Settings {
    fn of(node: &Node) -> Result<Settings> {
        let (uniform, name) = (node.attr_bool("uniform_noise")?, node.attr_str("noise")?);
        let noise = match name {
            "uniform" if uniform => Noise::Uniform,
            "uniform" | "gaussian" if !uniform => Noise::Gaussian,
            "zero" if !uniform => Noise::Zero,
            "gaussian" | "zero" => {
                bail!(InvalidArgument, "The uniform_noise and noise should not be specified at the same time")
            }
            other => bail!(InvalidArgument, "noise must be uniform, gaussian or zero, not {other}"),
        };
        let centered = node.attr_bool("centered")?;
        Ok(Settings {
            centered,
            normalized: node.attr_bool("normalized")?,
            second: node.op == "ExtractGlimpseV2",
            noise,
        })
    }

    /// Where a glimpse begins on an axis, as a point on it is given.
    fn start(&self, at: f32, length: f32, glimpse: f32) -> i64 {
        let mut at = at;
        if self.normalized {
            at *= length;
        }
        if self.centered && (self.normalized || !self.second) {
            at = at / 2.0 + length / 2.0;
        } else if self.centered {
            at += length / 2.0;
        }
        // The second version leaves plain offsets where they are: they are corners.
        if !self.second || (self.normalized && self.centered) {
            at -= glimpse / 2.0;
        }
        at as i64
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let settings = Settings::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, size, offsets) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let &[batch, height, width, channels] = input.dims() else {
            bail!(InvalidArgument, "input must be a 4-D tensor, not {}", input.shape())
        };
        ensure!(
            size.dims() == [2],
            InvalidArgument,
            "input must be a vector of size 2 (height, width), not {}",
            size.shape()
        );
        let sides = size.to_i64_vec()?;
        let (rows, columns) = (sides[0], sides[1]);
        ensure!(rows >= 0 && columns >= 0, InvalidArgument, "the size must not be negative: {rows} and {columns}");
        ensure!(
            offsets.dims() == [batch, 2],
            InvalidArgument,
            "input must be a tensor of shape [{batch}, 2], not {}",
            offsets.shape()
        );
        let shape = Shape::new(&[batch, rows, columns, channels])?;
        Tensor::check_size(DType::Float, &shape)?;
        let (values, points) = (input.as_slice::<f32>()?, offsets.as_slice::<f32>()?);
        let output = Tensor::build(shape, |out: &mut [f32]| {
            fill(out, settings.noise, values);
            for image in 0..batch {
                let point = &points[2 * image as usize..2 * image as usize + 2];
                let top = settings.start(point[0], height as f32, rows as f32);
                let left = settings.start(point[1], width as f32, columns as f32);
                // The part of the glimpse that is on the image.
                let (first, last) =
                    (left.saturating_neg().clamp(0, columns), width.saturating_sub(left).clamp(0, columns));
                if first >= last {
                    continue;
                }
                for row in top.saturating_neg().clamp(0, rows)..height.saturating_sub(top).clamp(0, rows) {
                    let target = ((image * rows + row) * columns + first) * channels;
                    let source = ((image * height + top + row) * width + left + first) * channels;
                    let count = ((last - first) * channels) as usize;
                    out[target as usize..][..count].copy_from_slice(&values[source as usize..][..count]);
                }
            }
            Ok(())
        })?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// Noise like the images: as wide as their range, or as their deviation from the mean.
fn fill(out: &mut [f32], noise: Noise, values: &[f32]) {
    let philox = Philox::new(87, 0);
    match noise {
        Noise::Zero => out.fill(0.0),
        Noise::Uniform => {
            let (least, most) = values
                .iter()
                .fold((f32::INFINITY, f32::NEG_INFINITY), |(least, most), x| (least.min(*x), most.max(*x)));
            f32::uniform(philox, out);
            out.iter_mut().for_each(|x| *x = if least < most { *x * (most - least) + least } else { 0.0 });
        }
        Noise::Gaussian => {
            let count = values.len().max(1) as f32;
            let mean = values.iter().sum::<f32>() / count;
            let deviation = (values.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / count).sqrt();
            f32::normal(philox, out);
            out.iter_mut().for_each(|x| *x = *x * deviation + mean);
        }
    }
}
