//! `BatchNormWithGlobalNormalization` and `BatchNormWithGlobalNormalizationGrad`: each channel brought to mean 0 and variance 1
//! by numbers that are given, as the first programs did it.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

use crate::math::cast::cast;
use crate::narrow_floats::narrow;
use tensor::DType::{Double, Float, Half};

const NUMBERS: &str = "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, \
                       qint16, quint16, uint16, complex128, half, uint32, uint64}";

pub(crate) fn register(r: &mut Registry) {
    r.op("BatchNormWithGlobalNormalization", "t: T, m: T, v: T, beta: T, gamma: T -> result: T")
        .attr(NUMBERS)
        .attr("variance_epsilon: float")
        .attr("scale_after_normalization: bool")
        .shape(shape)
        .kernel("T", &[Half, Float, Double], kernel)
        .gradient(gradient);
    r.op(
        "BatchNormWithGlobalNormalizationGrad",
        "t: T, m: T, v: T, gamma: T, backprop: T -> dx: T, dm: T, dv: T, db: T, dg: T",
    )
    .attr(NUMBERS)
    .attr("variance_epsilon: float")
    .attr("scale_after_normalization: bool")
    .shape(grad_shape)
    .kernel("T", &[Half, Float, Double], grad_kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (images, _) = known(cx, &[1, 2, 3, 4])?;
    cx.set(0, images);
    Ok(())
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (images, channels) = known(cx, &[1, 2, 3])?;
    let images = images.merge(&cx.with_rank(4, 4)?)?;
    cx.set(0, images);
    for index in 1..5 {
        cx.set(index, PartialShape::from_dims(&[channels]));
    }
    Ok(())
}

/// The shape of the images and how many channels there are, which the vectors agree on.
fn known(cx: &ShapeContext<'_>, vectors: &[usize]) -> Result<(PartialShape, i64)> {
    let images = cx.with_rank(0, 4)?;
    let mut channels = PartialShape::from_dims(&[images.dim(3).unwrap_or(-1)]);
    for index in vectors {
        channels = channels.merge(&cx.with_rank(*index, 1)?)?;
    }
    let count = channels.dim(0).unwrap_or(-1);
    Ok((images.merge(&PartialShape::from_dims(&[-1, -1, -1, count]))?, count))
}

struct Settings {
    epsilon: f64,
    scales: bool,
}

impl Settings {
    fn of(node: &Node) -> Result<Settings> {
        let epsilon = f64::from(node.attr_float("variance_epsilon")?);
        Ok(Settings { epsilon, scales: node.attr_bool("scale_after_normalization")? })
    }
}

/// The inputs in double precision: the images first, then vectors of a number for each channel.
fn inputs(cx: &OpContext<'_>, vectors: &[usize]) -> Result<Vec<Vec<f64>>> {
    let images = cx.input(0)?;
    ensure!(images.shape().rank() == 4, InvalidArgument, "input must be 4-dimensional{}", images.shape());
    let mut out = vec![cast(images.clone(), Double, false)?.as_slice::<f64>()?.to_vec()];
    for index in vectors {
        let vector = cx.input(*index)?;
        ensure!(
            *vector.shape() == Shape::vector(images.shape().dim(3)),
            InvalidArgument,
            "input {index} must hold a number for each channel of {}, not {}",
            images.shape(),
            vector.shape()
        );
        out.push(cast(vector.clone(), Double, false)?.as_slice::<f64>()?.to_vec());
    }
    Ok(out)
}

fn finished(shape: &Shape, values: Vec<f64>, cx: &OpContext<'_>) -> Result<Tensor> {
    let dtype = cx.node.output_types[0].dtype;
    let tensor = Tensor::new(shape.dims(), values)?;
    match dtype {
        Half => narrow(&cast(tensor, Float, false)?, dtype),
        _ => cast(tensor, dtype, false),
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let settings = Settings::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let all = inputs(cx, &[1, 2, 3, 4])?;
        let [t, mean, variance, beta, gamma] = &all[..] else { return Ok(()) };
        let channels = mean.len().max(1);
        let scale = |at: usize| {
            let scale = 1.0 / (variance[at] + settings.epsilon).sqrt();
            if settings.scales { scale * gamma[at] } else { scale }
        };
        let scales: Vec<f64> = (0..mean.len()).map(scale).collect();
        let values = t.iter().enumerate().map(|(at, x)| {
            let channel = at % channels;
            (x - mean[channel]) * scales[channel] + beta[channel]
        });
        let output = finished(cx.input(0)?.shape(), values.collect(), cx)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn grad_kernel(node: &Node) -> Result<Kernel> {
    let settings = Settings::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let all = inputs(cx, &[1, 2, 3])?;
        let [t, mean, variance, gamma] = &all[..] else { return Ok(()) };
        let (images, backprop) = (cx.input(0)?.shape().clone(), cx.input(4)?);
        ensure!(
            *backprop.shape() == images,
            InvalidArgument,
            "out_backprop must have the shape {images} of the input, not {}",
            backprop.shape()
        );
        let dy = cast(backprop.clone(), Double, false)?.as_slice::<f64>()?.to_vec();
        let channels = mean.len();
        let (mut sums, mut products) = (vec![0.0; channels], vec![0.0; channels]);
        for (at, dy) in dy.iter().enumerate() {
            let channel = at % channels;
            sums[channel] += dy;
            products[channel] += dy * (t[at] - mean[channel]);
        }
        let scale = |channel: usize| 1.0 / (variance[channel] + settings.epsilon).sqrt();
        let factor = |channel: usize| if settings.scales { gamma[channel] } else { 1.0 };
        let dx = dy.iter().enumerate().map(|(at, dy)| dy * scale(at % channels) * factor(at % channels)).collect();
        let each = |number: &dyn Fn(usize) -> f64| (0..channels).map(number).collect::<Vec<f64>>();
        let dm = each(&|at| -sums[at] * scale(at) * factor(at));
        let dv = each(&|at| products[at] * -0.5 * scale(at).powi(3) * factor(at));
        let dg = each(&|at| if settings.scales { products[at] * scale(at) } else { 0.0 });
        let vector = Shape::vector(channels);
        let outputs = [
            finished(&images, dx, cx)?,
            finished(&vector, dm, cx)?,
            finished(&vector, dv, cx)?,
            finished(&vector, sums, cx)?,
            finished(&vector, dg, cx)?,
        ];
        outputs.into_iter().enumerate().for_each(|(index, output)| cx.set_output(index, output));
        Ok(())
    }))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let node = cx.op("BatchNormWithGlobalNormalizationGrad").input(cx.x(0)).input(cx.x(1)).input(cx.x(2));
    let node = node.input(cx.x(4)).input(cx.dy(0)?).attr("variance_epsilon", cx.attr_float("variance_epsilon")?);
    let outputs = node.attr("scale_after_normalization", cx.attr_bool("scale_after_normalization")?).outputs();
    Ok(outputs.into_iter().map(|output| Some(output.into())).collect())
}
