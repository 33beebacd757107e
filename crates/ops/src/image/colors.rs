//! Colours: `RGBToHSV`, `HSVToRGB`, `AdjustContrast`, `AdjustContrastv2`, `AdjustHue` and `AdjustSaturation`.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use tensor::DType::{Double, Float, Half, Int8, Int16, Int32, UInt8};
use tensor::{Result, Tensor, ensure};

use crate::math::cast::cast;

pub(crate) fn register(r: &mut Registry) {
    for name in ["RGBToHSV", "HSVToRGB"] {
        r.op(name, "images: T -> output: T")
            .attr("T: {half, bfloat16, float, double} = float")
            .shape(convert_shape)
            .kernel("T", types::FLOATS, convert_kernel);
    }
    r.op("AdjustContrast", "images: T, contrast_factor: float, min_value: float, max_value: float -> output: float")
        .attr("T: {uint8, int8, int16, int32, int64, float, double}")
        .shape(old_contrast_shape)
        .kernel("T", &[UInt8, Int8, Int16, Int32, Float, Double], old_contrast_kernel);
    for (name, signature) in [
        ("AdjustContrastv2", "images: T, contrast_factor: float -> output: T"),
        ("AdjustHue", "images: T, delta: float -> output: T"),
        ("AdjustSaturation", "images: T, scale: float -> output: T"),
    ] {
        r.op(name, signature).attr("T: {half, float} = float").shape(adjust_shape).kernel(
            "T",
            &[Half, Float],
            adjust_kernel,
        );
    }
}

fn convert_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank_at_least(0, 1)?;
    if let Some(&last) = images.raw_dims().and_then(|dims| dims.last()) {
        ensure!(last < 0 || last == 3, InvalidArgument, "Dimension must be 3 but is {last}");
    }
    cx.set(0, images);
    Ok(())
}

fn adjust_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank_at_least(0, 3)?;
    cx.with_rank(1, 0)?;
    cx.set(0, images);
    Ok(())
}

fn old_contrast_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let images = cx.with_rank_at_least(0, 3)?;
    for index in 1..4 {
        cx.with_rank(index, 0)?;
    }
    cx.set(0, images);
    Ok(())
}

fn old_contrast_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let images = cx.input(0)?;
        ensure!(images.shape().rank() >= 3, InvalidArgument, "input must be at least 3-D, got shape{}", images.shape());
        let number = |index: usize, name: &str| -> Result<f32> {
            let value = cx.input(index)?;
            ensure!(value.shape().is_scalar(), InvalidArgument, "{name} must be scalar: {}", value.shape());
            value.to_scalar()
        };
        let (amount, low, high) = (number(1, "contrast_factor")?, number(2, "min_value")?, number(3, "max_value")?);
        let wide = contrast(&cast(images.clone(), Double, false)?, f64::from(amount))?;
        let mut output = cast(wide, Float, false)?;
        // Not `clamp`, which does not take bounds that are the wrong way round.
        output.make_mut::<f32>()?.iter_mut().for_each(|value| *value = value.min(high).max(low));
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The images in double precision, worked on pixel by pixel.
fn by_pixel(images: &Tensor, change: impl Fn([f64; 3]) -> [f64; 3]) -> Result<Tensor> {
    let dtype = images.dtype();
    let mut wide = cast(images.clone(), Double, false)?;
    for pixel in wide.make_mut::<f64>()?.as_chunks_mut::<3>().0 {
        *pixel = change(*pixel);
    }
    cast(wide, dtype, false)
}

fn convert_kernel(node: &Node) -> Result<Kernel> {
    let convert = if node.op == "RGBToHSV" { to_hsv } else { to_rgb };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let images = cx.input(0)?;
        let last = images.dims().last().copied();
        ensure!(last.is_some(), InvalidArgument, "input must be at least 1D{}", images.shape());
        ensure!(
            last == Some(3),
            FailedPrecondition,
            "input must have 3 channels but instead has {} channels.",
            last.unwrap_or(0)
        );
        let output = by_pixel(images, convert)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// Hue, saturation and value, all in [0, 1].
fn to_hsv([r, g, b]: [f64; 3]) -> [f64; 3] {
    let value = r.max(g).max(b);
    let range = value - r.min(g).min(b);
    let saturation = if value > 0.0 { range / value } else { 0.0 };
    if range <= 0.0 {
        return [0.0, saturation, value];
    }
    let hue = if r == value {
        (g - b) / (6.0 * range)
    } else if g == value {
        (b - r) / (6.0 * range) + 2.0 / 6.0
    } else {
        (r - g) / (6.0 * range) + 4.0 / 6.0
    };
    [if hue < 0.0 { hue + 1.0 } else { hue }, saturation, value]
}

fn to_rgb([hue, saturation, value]: [f64; 3]) -> [f64; 3] {
    let turn = hue * 6.0;
    let parts = [(turn - 3.0).abs() - 1.0, 2.0 - (turn - 2.0).abs(), 2.0 - (turn - 4.0).abs()];
    parts.map(|part| (1.0 - saturation + saturation * part.clamp(0.0, 1.0)) * value)
}

fn adjust_kernel(node: &Node) -> Result<Kernel> {
    let op = node.op.clone();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (images, amount) = (cx.input(0)?, cx.input(1)?);
        ensure!(images.shape().rank() >= 3, InvalidArgument, "input must be at least 3-D, got shape{}", images.shape());
        let name = match op.as_str() {
            "AdjustContrastv2" => "contrast_factor",
            "AdjustHue" => "delta",
            _ => "scale",
        };
        ensure!(amount.shape().is_scalar(), InvalidArgument, "{name} must be scalar: {}", amount.shape());
        let amount = amount.to_scalar::<f32>()? as f64;
        let channels = images.dims().last().copied().unwrap_or(0);
        ensure!(
            op == "AdjustContrastv2" || channels == 3,
            InvalidArgument,
            "input must have 3 channels but instead has {channels} channels."
        );
        let output = match op.as_str() {
            "AdjustContrastv2" => contrast(images, amount)?,
            "AdjustHue" => by_pixel(images, |pixel| {
                let [hue, saturation, value] = to_hsv(pixel);
                // Values below 0 have no saturation of their own, but keep their range.
                match value > 0.0 {
                    true => to_rgb([(hue + amount).rem_euclid(1.0), saturation, value]),
                    false => rotate(pixel, amount),
                }
            })?,
            _ => by_pixel(images, |pixel| {
                let [hue, saturation, value] = to_hsv(pixel);
                to_rgb([hue, (saturation * amount).clamp(0.0, 1.0), value])
            })?,
        };
        cx.set_output(0, output);
        Ok(())
    }))
}

/// Turns the hue, for pixels whose largest value is not positive.
fn rotate(pixel: [f64; 3], amount: f64) -> [f64; 3] {
    let lift = 1.0 - pixel.iter().copied().fold(f64::INFINITY, f64::min);
    let [hue, saturation, value] = to_hsv(pixel.map(|part| part + lift));
    to_rgb([(hue + amount).rem_euclid(1.0), saturation, value]).map(|part| part - lift)
}

/// Moves every value away from its channel's mean over the image, or towards it.
fn contrast(images: &Tensor, amount: f64) -> Result<Tensor> {
    let dtype = images.dtype();
    let (mut wide, rank) = (cast(images.clone(), Double, false)?, images.shape().rank());
    let channels = images.shape().dim(rank - 1);
    let pixels = images.shape().dim(rank - 3) * images.shape().dim(rank - 2);
    if images.num_elements() > 0 {
        for image in wide.make_mut::<f64>()?.chunks_exact_mut(pixels * channels) {
            for channel in 0..channels {
                let mean = image.iter().skip(channel).step_by(channels).sum::<f64>() / pixels as f64;
                for value in image.iter_mut().skip(channel).step_by(channels) {
                    *value = (*value - mean) * amount + mean;
                }
            }
        }
    }
    cast(wide, dtype, false)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{Bench, val};

    /// The old form is the new one, as floats within bounds. TensorFlow takes it only from graphs of its first days.
    #[test]
    fn contrast_within_bounds() {
        let image = Tensor::new([1, 2, 2, 1], vec![10u8, 20, 30, 60]).unwrap();
        let inputs = vec![val(image), val(2f32), val(0f32), val(60f32)];
        let output = Bench::new().value("AdjustContrast", &[("T", UInt8.into())], inputs).unwrap();
        // The mean is 30, so the values are -10, 10, 30 and 90 before they are bounded.
        assert_eq!(output, Tensor::new([1, 2, 2, 1], vec![0f32, 10.0, 30.0, 60.0]).unwrap());
    }

    /// TensorFlow 2.21 gives these.
    #[test]
    fn there_and_back() {
        assert_eq!(to_hsv([1.0, 0.5, 0.0]), [0.5 / 6.0, 1.0, 1.0]);
        assert_eq!(to_hsv([0.25, 0.25, 0.25]), [0.0, 0.0, 0.25]);
        assert_eq!(to_rgb([0.5, 1.0, 0.5]), [0.0, 0.5, 0.5]);
    }
}
