//! `_LogOfSoftmaxGrad`: the gradient of a cross entropy that a program writes by hand, sum(labels * log(clip(softmax(x)))),
//! by x.
//!
//! No client writes it. It does what the gradients of the product, the logarithm, the clipping and the softmax do in a row, by
//! the rewrite that is registered here, and computes to the last bit what they compute: probabilities that were clipped pass
//! nothing on. What those nodes took from the loss itself it computes again, so that the loss is one pass over memory too.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, Replacement, Rewrite, ShapeContext, Site};
use graph::{AttrValue, Endpoint, GraphData, Node, ReadAttrs};
use math::broadcast::gradient_axes;
use math::elementwise::BinaryOp;
use math::softmax::{Clip, Softmax};
use tensor::DType::{Double, Float};
use tensor::{Element, PartialShape, Result, Shape, Tensor, ensure};

use crate::array::broadcast::{broadcast_to, incompatible};
use crate::math::binary::{binary, broadcast_plan};
use crate::math::fused_mat_mul::rank;
use crate::math::reduce::sum;

/// Clippings beyond these are left as they are.
const MAX_CLIPS: usize = 2;

pub(crate) fn register(r: &mut Registry) {
    r.op("_LogOfSoftmaxGrad", "softmax: T, labels: T, dy: T, bounds: N * T -> backprop: T")
        .attr("T: {float, double}")
        .attr("N: int >= 0")
        .attr("clips: list(string)")
        .attr("product: string")
        .attr("labels_first: bool")
        .shape(|cx: &mut ShapeContext<'_>| {
            let softmax = cx.input(0);
            cx.set(0, softmax);
            Ok(())
        })
        .kernel("T", &[Float, Double], kernel);
}

/// Makes the gradients one op.
pub(crate) const REWRITE: Rewrite = Rewrite { name: "cross entropy", begins_at: |op| op == "Mul", find };

/// Looks for (g - sum(g * s)) * s with s = softmax(x), where g comes from a logarithm of s.
fn find(site: &Site<'_>) -> Option<Replacement> {
    if !matches!(site.dtype()?, Float | Double) {
        return None;
    }
    let [difference, softmax] = site.node().inputs[..] else { return None };
    if site.graph.node(softmax.node).op != "Softmax" {
        return None;
    }
    let [g, summed] = inputs(site.sole_producer(difference)?, "Sub")?;
    let total = site.sole_producer(summed)?;
    let [product, axes] = inputs(total, "Sum")?;
    let last = site.graph.node(axes.node).attr_tensor("value").ok()?.to_i64_vec().ok()?;
    if last != [-1] || !total.attr_bool("keep_dims").ok()? || !either(site.sole_producer(product)?, "Mul", g, softmax) {
        return None;
    }
    let log = Log::find(site, g, softmax)?;
    let mut inputs = vec![softmax, log.labels, log.dy];
    inputs.extend(log.clips.iter().map(|(_, bound)| *bound));
    let (name, labels_first) = log.product.unwrap_or_default();
    let attrs = vec![
        ("T", AttrValue::Type(site.dtype()?)),
        ("N", AttrValue::Int(log.clips.len() as i64)),
        ("clips", AttrValue::Strings(log.clips.iter().map(|(op, _)| Bytes::from(op.as_bytes())).collect())),
        ("product", AttrValue::String(name.into())),
        ("labels_first", AttrValue::Bool(labels_first)),
    ];
    Some(Replacement { op: "_LogOfSoftmaxGrad", inputs, attrs })
}

/// The gradient of labels * log(clip(softmax)) by the softmax.
struct Log {
    labels: Endpoint,
    dy: Endpoint,
    /// What the softmax is clipped with: `Minimum` or `Maximum`, and a number.
    clips: Vec<(&'static str, Endpoint)>,
    /// The name of the product of labels and logarithm, if only it says the shape of `dy`; whether the labels come first in it.
    product: Option<(String, bool)>,
}

impl Log {
    fn find(site: &Site<'_>, mut g: Endpoint, softmax: Endpoint) -> Option<Log> {
        let mut clips = Vec::new();
        // A value is the softmax as far as it has been clipped.
        let clipped = |value: Endpoint, last: Option<(&'static str, Endpoint, Endpoint)>| match last {
            None => value == softmax,
            Some((op, before, bound)) => inputs(site.graph.node(value.node), op) == Some([before, bound]),
        };
        let mut last = None;
        while let Some((op, value, bound, passed)) = clip(site, g) {
            if !clipped(value, last) {
                return None;
            }
            clips.push((op, bound));
            (g, last) = (passed, Some((op, value, bound)));
        }
        // The logarithm's own gradient: g / clipped.
        let [mut g, inverse] = inputs(site.producer(g)?, "Mul")?;
        let inverse = site.graph.node(inverse.node);
        let waits = inverse.control_inputs.iter().any(|waited| *waited != g.node);
        let [value] = inputs(inverse, "Reciprocal")?;
        if !clipped(value, last) || waits || inverse.device != site.node().device {
            return None;
        }
        let Some([summed, mine, theirs]) = inputs(site.producer(g)?, "_SumToShape") else {
            // Nothing was repeated, if the shapes say so.
            let [labels, dy] = inputs(site.producer(g)?, "Mul")?;
            let shape = |output: Endpoint| site.graph.node(output.node).output_shape(output.index as usize).to_shape();
            let alike = shape(softmax).is_some() && [labels, dy].iter().all(|factor| shape(*factor) == shape(softmax));
            return alike.then_some(Log { labels, dy, clips, product: None });
        };
        g = summed;
        let (log, labels) = (shape_of(site, mine)?, shape_of(site, theirs)?);
        if inputs(site.graph.node(log.node), "Log") != Some([value]) {
            return None;
        }
        let dy = match inputs(site.producer(g)?, "Mul")? {
            [one, two] if one == labels => two,
            [one, two] if two == labels => one,
            _ => return None,
        };
        let (dy, product) = match spread(site, dy, log, labels) {
            Some((dy, product)) => (dy, Some((product.name.clone(), product.inputs.first() == Some(&labels)))),
            None => (dy, None),
        };
        (clips.len() <= MAX_CLIPS).then_some(Log { labels, dy, clips, product })
    }
}

/// The inputs of a node of this op.
fn inputs<const N: usize>(node: &Node, op: &str) -> Option<[Endpoint; N]> {
    (node.op == op).then(|| node.inputs[..].try_into().ok()).flatten()
}

/// Whether a node is of this op and takes these two, in one order or the other.
fn either(node: &Node, op: &str, a: Endpoint, b: Endpoint) -> bool {
    inputs(node, op).is_some_and(|both| both == [a, b] || both == [b, a])
}

/// What a shape is the shape of.
fn shape_of(site: &Site<'_>, shape: Endpoint) -> Option<Endpoint> {
    inputs(site.producer(shape)?, "Shape").map(|[of]| of)
}

/// The gradient of a clipping with a number: its op, what it clips and with which number, and what is let through where that
/// changed nothing.
fn clip(site: &Site<'_>, g: Endpoint) -> Option<(&'static str, Endpoint, Endpoint, Endpoint)> {
    let [unchanged, passed, zeros] = inputs(site.producer(g)?, "SelectV2")?;
    let compared = site.producer(unchanged)?;
    let op = match compared.op.as_str() {
        "LessEqual" => "Minimum",
        "GreaterEqual" => "Maximum",
        _ => return None,
    };
    let [value, bound] = compared.inputs[..] else { return None };
    let nothing = inputs(site.producer(zeros)?, "ZerosLike") == Some([passed]);
    (nothing && rank(site.graph, bound) == Some(0)).then_some((op, value, bound, passed))
}

/// What was spread over the shape of the product of `labels` and `log`, and that product.
fn spread<'a>(site: &Site<'a>, dy: Endpoint, log: Endpoint, labels: Endpoint) -> Option<(Endpoint, &'a Node)> {
    let node = site.producer(dy)?;
    let [small, shape] = node.inputs[..] else { return None };
    let broadcast = match node.op.as_str() {
        "BroadcastTo" => true,
        // A single element that is repeated.
        "Tile" => is_single(site.graph, small),
        _ => false,
    };
    let product = site.graph.node(shape_of(site, shape)?.node);
    (broadcast && either(product, "Mul", labels, log)).then_some((small, product))
}

fn is_single(graph: &GraphData, output: Endpoint) -> bool {
    let node = graph.node(output.node);
    let shape = match node.attr_tensor("value") {
        Ok(value) => PartialShape::from(value.shape()),
        Err(_) => node.output_shape(output.index as usize),
    };
    shape.num_elements() == Some(1)
}

fn kernel(node: &Node) -> Result<Kernel> {
    let lower: Vec<bool> = node.attr_strings("clips")?.iter().map(|op| op.as_ref() == b"Maximum").collect();
    let product = Some(node.attr_str("product")?.to_owned()).filter(|name| !name.is_empty());
    let labels_first = node.attr_bool("labels_first")?;
    ensure!(
        node.attr_int("N")? == lower.len() as i64 && lower.len() <= MAX_CLIPS,
        InvalidArgument,
        "{} clippings with {} bounds",
        lower.len(),
        node.attr_int("N")?
    );
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (softmax, labels, dy) = (cx.input(0)?.clone(), cx.input(1)?.clone(), cx.input(2)?.clone());
        let g = match &product {
            None => by_log(labels, dy, softmax.shape())?,
            Some(name) => {
                let (one, two) = if labels_first { (&labels, &softmax) } else { (&softmax, &labels) };
                let (_, full) = broadcast_plan(one.shape(), two.shape()).map_err(|status| status.at_node(name))?;
                let dy = if dy.num_elements() == 1 && full == *labels.shape() {
                    dy.into_shape(Shape::scalar())?
                } else {
                    broadcast_to(dy, full.dims())?
                };
                by_log(labels, dy, softmax.shape())?
            }
        };
        let backprop = dispatch!(softmax.dtype(), T in [f32, f64] => {
            let mut clips = Vec::with_capacity(lower.len());
            for (index, lower) in lower.iter().enumerate() {
                clips.push(Clip { lower: *lower, bound: cx.input(3 + index)?.to_scalar::<T>()? });
            }
            by_logits::<T>(g, softmax, &clips)
        })?;
        cx.set_output(0, backprop);
        Ok(())
    }))
}

/// The gradient by the logarithm, in its shape: labels * dy, summed up where the logarithm was repeated.
fn by_log(labels: Tensor, dy: Tensor, shape: &Shape) -> Result<Tensor> {
    let axes = gradient_axes(shape.dims(), labels.dims());
    let (axes, _) = axes.ok_or_else(|| incompatible(shape.dims(), labels.dims()))?;
    sum(binary(BinaryOp::Mul, labels, dy)?, &axes)?.into_shape(shape.clone())
}

/// The gradient by the logits from that by the logarithm.
fn by_logits<T: Element + Softmax>(mut g: Tensor, softmax: Tensor, clips: &[Clip<T>]) -> Result<Tensor> {
    let s = softmax.as_slice::<T>()?;
    T::log_gradient(s, clips, g.make_mut::<T>()?);
    let sums = sum(binary(BinaryOp::Mul, g.clone(), softmax.clone())?, &[-1])?;
    T::softmax_gradient(s, sums.as_slice::<T>()?, g.make_mut::<T>()?);
    Ok(g)
}
