//! `StringFormat`: values put into a text, as `tf.print` shows them.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, Tensor, ensure};

use crate::control_flow::summary;

pub(crate) fn register(r: &mut Registry) {
    r.op("StringFormat", "inputs: T -> output: string")
        .attr("T: list(type) >= 0")
        .attr("template: string = '%s'")
        .attr("placeholder: string = '%s'")
        .attr("summarize: int = 3")
        .shape(ShapeContext::scalar)
        .any_kernel(format_kernel)
        .not_differentiable();
}

fn format_kernel(node: &Node) -> Result<Kernel> {
    let (template, placeholder) = (node.attr_bytes("template")?.clone(), node.attr_bytes("placeholder")?.clone());
    let summarize = node.attr_int("summarize")?;
    ensure!(!placeholder.is_empty(), InvalidArgument, "placeholder must not be empty");
    let template = String::from_utf8_lossy(&template).into_owned();
    let placeholder = String::from_utf8_lossy(&placeholder).into_owned();
    let pieces: Vec<String> = template.split(&placeholder).map(str::to_owned).collect();
    let count = node.input_types.len();
    ensure!(
        pieces.len() == count + 1,
        InvalidArgument,
        "num placeholders in template and num inputs must match: {} vs. {count}",
        pieces.len() - 1
    );
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let mut text = String::new();
        let mut tally = tensor::memory::Tally::new("a text");
        for (index, piece) in pieces.iter().enumerate() {
            text.push_str(piece);
            if index < cx.num_inputs() {
                let shown = shown(cx.input(index)?, summarize);
                tally.add((piece.len() + shown.len()) as u64)?;
                text.push_str(&shown);
            }
        }
        cx.set_output(0, text);
        Ok(())
    }))
}

/// A value as `tf.print` shows it: edges of each dimension, with dots between.
fn shown(tensor: &Tensor, edge: i64) -> String {
    let one = |place: usize| {
        let element = tensor.window(place, tensor::Shape::scalar()).map(|element| summary(&element, 1));
        let text = element.unwrap_or_default();
        let text = text.strip_prefix('[').and_then(|text| text.strip_suffix(']')).unwrap_or(&text).to_owned();
        if tensor.dtype() == tensor::DType::String { format!("\"{text}\"") } else { text }
    };
    fn level(dims: &[i64], start: usize, edge: i64, one: &dyn Fn(usize) -> String, depth: usize, out: &mut String) {
        let [dim, inner @ ..] = dims else {
            out.push_str(&one(start));
            return;
        };
        let size: i64 = inner.iter().product();
        out.push('[');
        let cut = edge >= 0 && *dim > 2 * edge;
        for place in 0..*dim {
            if cut && (edge..*dim - edge).contains(&place) {
                if place == edge {
                    if edge > 0 {
                        separate(inner, depth, out);
                    }
                    out.push_str("...");
                }
                continue;
            }
            if place > 0 {
                separate(inner, depth, out);
            }
            level(inner, start + (place * size) as usize, edge, one, depth + 1, out);
        }
        out.push(']');
    }
    fn separate(inner: &[i64], depth: usize, out: &mut String) {
        if inner.is_empty() {
            out.push(' ');
        } else {
            out.extend(std::iter::repeat_n('\n', inner.len()));
            out.extend(std::iter::repeat_n(' ', depth + 1));
        }
    }
    let mut out = String::new();
    level(tensor.dims(), 0, edge, &one, 0, &mut out);
    out
}
