//! A random part of an image that covers enough of one of its boxes: `SampleDistortedBoundingBox`,
//! `SampleDistortedBoundingBoxV2` and, from a seed that is an input, `StatelessSampleDistortedBoundingBox`.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::random::Words;
use tensor::DType::{Int8, Int16, Int32, Int64, UInt8};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use crate::math::cast::cast;
use crate::random::generator::Generator;
use crate::random::stateless::seeded;

/// Attempts are bounded, since each costs time.
const MOST_ATTEMPTS: i64 = 1 << 24;

pub(crate) fn register(r: &mut Registry) {
    for (name, more) in [
        ("SampleDistortedBoundingBox", ""),
        ("SampleDistortedBoundingBoxV2", ", min_object_covered: float"),
        ("StatelessSampleDistortedBoundingBox", ", min_object_covered: float, seed: Tseed"),
    ] {
        let inputs = format!("image_size: T, bounding_boxes: float{more}");
        let mut entry = r
            .op(name, &format!("{inputs} -> begin: T, size: T, bboxes: float"))
            .attr("T: {uint8, int8, int16, int32, int64}");
        entry = match name {
            "StatelessSampleDistortedBoundingBox" => entry.attr("Tseed: {int32, int64}"),
            _ => entry.attr("seed: int = 0").attr("seed2: int = 0").stateful(),
        };
        if name == "SampleDistortedBoundingBox" {
            entry = entry.attr("min_object_covered: float = 0.1");
        }
        entry
            .attr("aspect_ratio_range: list(float) = [0.75, 1.33]")
            .attr("area_range: list(float) = [0.05, 1.0]")
            .attr("max_attempts: int = 100")
            .attr("use_image_if_no_bounding_boxes: bool = false")
            .shape(shape)
            .kernel("T", &[UInt8, Int8, Int16, Int32, Int64], kernel)
            .not_differentiable();
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::from([3]));
    cx.set(1, PartialShape::from([3]));
    cx.set(2, PartialShape::from([1, 1, 4]));
    Ok(())
}

#[derive(Clone, Copy)]
struct Area {
    left: i64,
    top: i64,
    right: i64,
    bottom: i64,
}

impl Area {
    fn size(self) -> f32 {
        ((self.right - self.left) * (self.bottom - self.top)) as f32
    }

    fn common(self, other: Area) -> Area {
        let area = Area {
            left: self.left.max(other.left),
            top: self.top.max(other.top),
            right: self.right.min(other.right),
            bottom: self.bottom.min(other.bottom),
        };
        let none = Area { left: 0, top: 0, right: 0, bottom: 0 };
        if area.left > area.right || area.top > area.bottom { none } else { area }
    }
}

struct Settings {
    ratios: [f32; 2],
    areas: [f32; 2],
    attempts: i64,
    whole_image: bool,
}

impl Settings {
    fn of(node: &Node) -> Result<Settings> {
        let pair = |name: &str, what: &str| -> Result<[f32; 2]> {
            match node.attr_floats(name)? {
                &[low, high] => Ok([low, high]),
                _ => bail!(InvalidArgument, "{what} range field must specify 2 dimensions"),
            }
        };
        let (ratios, areas) = (pair("aspect_ratio_range", "Aspect ratio")?, pair("area_range", "Area")?);
        ensure!(ratios.iter().all(|x| *x > 0.0), InvalidArgument, "aspect_ratio_range must be positive: {ratios:?}");
        ensure!(areas.iter().all(|x| *x > 0.0), InvalidArgument, "area_range must be positive: {areas:?}");
        ensure!(
            areas.iter().all(|x| *x <= 1.0),
            InvalidArgument,
            "area_range must be less then or equal to 1.0: {areas:?}"
        );
        let attempts = node.attr_int("max_attempts")?;
        ensure!(attempts > 0, InvalidArgument, "max_attempts must be positive: {attempts}");
        ensure!(attempts <= MOST_ATTEMPTS, InvalidArgument, "max_attempts must be at most {MOST_ATTEMPTS}: {attempts}");
        Ok(Settings { ratios, areas, attempts, whole_image: node.attr_bool("use_image_if_no_bounding_boxes")? })
    }

    /// A part of an image with this ratio of width to height, or none.
    fn part(&self, width: i64, height: i64, ratio: f32, words: &mut Words) -> Option<Area> {
        let [least, most] = self.areas;
        if most <= 0.0 || ratio <= 0.0 || width <= 0 || height <= 0 || least > most {
            return None;
        }
        let (least, most) = (least * width as f32 * height as f32, most * width as f32 * height as f32);
        let rounded = |x: f32| x.round_ties_even() as i64;
        let wide = |tall: i64| rounded(tall as f32 * ratio);
        let mut tall = rounded((least / ratio).sqrt());
        let mut tallest = rounded((most / ratio).sqrt());
        if wide(tallest) > width {
            // The tallest part whose width still fits.
            tallest = ((width as f64 + 0.5 - f64::from(0.000_000_1f32)) / f64::from(ratio)) as i64;
        }
        tallest = tallest.min(height);
        tall = tall.min(tallest);
        if tall < tallest {
            tall += i64::from(words.below_word((tallest - tall + 1) as u32));
        }
        // Rounding may have left the area by a little.
        if ((wide(tall) * tall) as f32) < least {
            tall += 1;
        }
        if (wide(tall) * tall) as f32 > most {
            tall -= 1;
        }
        let wide = wide(tall);
        let area = (wide * tall) as f32;
        if area < least || area > most || wide > width || tall > height || wide <= 0 || tall <= 0 {
            return None;
        }
        let top = if tall < height { i64::from(words.below_word((height - tall) as u32)) } else { 0 };
        let left = if wide < width { i64::from(words.below_word((width - wide) as u32)) } else { 0 };
        Some(Area { left, top, right: left + wide, bottom: top + tall })
    }
}

/// Whether a part covers enough of a box.
fn covers(part: Area, boxes: &[Area], enough: f32) -> bool {
    part.size() >= 1.0
        && boxes.iter().any(|area| area.size() >= 1.0 && part.common(*area).size() / area.size() >= enough)
}

fn kernel(node: &Node) -> Result<Kernel> {
    let settings = Settings::of(node)?;
    let generator = if node.op.starts_with("Stateless") { None } else { Some(Generator::new(node)?) };
    let fixed = node.attr_float("min_object_covered").ok();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (size, boxes) = (cx.input(0)?, cx.input(1)?);
        ensure!(size.shape().rank() == 1, InvalidArgument, "image_size must be 1-dimensional{}", size.shape());
        ensure!(size.dims() == [3], InvalidArgument, "image_size must contain 3 elements{}", size.shape());
        let sides = cast(size.clone(), Int64, false)?.to_i64_vec()?;
        let (height, width) = (sides[0], sides[1]);
        for (name, side) in [("height", height), ("width", width)] {
            ensure!(
                (0..i64::from(i32::MAX)).contains(&side),
                InvalidArgument,
                "image {name} cannot be >= int32 max, or negative: {side}"
            );
        }
        ensure!(
            boxes.shape().rank() == 3,
            InvalidArgument,
            "input boxes must be 3-dimensional [batch, num_boxes, coords]: {}",
            boxes.shape()
        );
        ensure!(
            boxes.dims()[2] == 4,
            InvalidArgument,
            "bounding boxes must have shape [4] or [*, 4], got {}",
            boxes.shape()
        );
        let mut areas = Vec::new();
        for corners in boxes.as_slice::<f32>()?.chunks_exact(4) {
            for corner in corners {
                ensure!(
                    (0.0..=1.0).contains(corner),
                    InvalidArgument,
                    "All bounding box coordinates must be in [0.0, 1.0]: {corner}"
                );
            }
            let on = |corner: f32, side: i64| (corner * side as f32) as i64;
            areas.push(Area {
                left: on(corners[1], width),
                top: on(corners[0], height),
                right: on(corners[3], width),
                bottom: on(corners[2], height),
            });
        }
        let whole = Area { left: 0, top: 0, right: width, bottom: height };
        if areas.is_empty() {
            ensure!(
                settings.whole_image,
                InvalidArgument,
                "No bounding boxes provided as input. One must enable use_image_if_no_bounding_boxes if you wish to not \
                 provide any bounding boxes."
            );
            areas.push(whole);
        }
        let enough = match fixed {
            Some(enough) => enough,
            None => {
                let enough = cx.input(2)?;
                ensure!(
                    enough.shape().is_scalar(),
                    InvalidArgument,
                    "min_object_covered must be 0-D, got shape {}",
                    enough.shape()
                );
                enough.to_scalar::<f32>()?
            }
        };
        ensure!(enough >= 0.0, InvalidArgument, "Min object covered must be non-negative: {enough}");
        let philox = match &generator {
            Some(generator) => generator.reserve_words(4 * settings.attempts as u64),
            None => seeded(cx.input(3)?)?,
        };
        let mut words = Words::new(philox);
        let [flat, steep] = settings.ratios;
        let mut chosen = whole;
        for _ in 0..settings.attempts {
            let ratio = words.float() * (steep - flat) + flat;
            let Some(part) = settings.part(width, height, ratio, &mut words) else { continue };
            if covers(part, &areas, enough) {
                chosen = part;
                break;
            }
        }
        let Area { left, top, right, bottom } = chosen;
        let begin = cast(Tensor::vector(&[top, left, 0]), size.dtype(), false)?;
        let extent = cast(Tensor::vector(&[bottom - top, right - left, -1]), size.dtype(), false)?;
        let share = |at: i64, side: i64| at as f32 / side as f32;
        let corners = vec![share(top, height), share(left, width), share(bottom, height), share(right, width)];
        cx.set_output(0, begin);
        cx.set_output(1, extent);
        cx.set_output(2, Tensor::new([1, 1, 4], corners)?);
        Ok(())
    }))
}
