//! `StringFormat`, `Print`, `PrintV2`, `Timestamp`, `SerializeTensor`, `ParseTensor`: values as text or bytes, and what
//! is said to the operator.

use std::io::Write;
use std::sync::atomic::{AtomicI64, Ordering};

use bytes::Bytes;
use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use prost::Message;
use tensor::{Result, Tensor, bail, ensure, err};

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
    r.op("Print", "input: T, data: U -> output: T")
        .attr("T: type")
        .attr("U: list(type) >= 0")
        .attr("message: string = ''")
        .attr("first_n: int = -1")
        .attr("summarize: int = 3")
        .stateful()
        .shape(ShapeContext::unchanged)
        .any_kernel(print_kernel)
        .gradient(print_gradient);
    r.op("PrintV2", "input: string ->")
        .attr("output_stream: string = 'stderr'")
        .attr("end: string = '\n'")
        .stateful()
        .any_kernel(print_v2_kernel)
        .not_differentiable();
    r.op("Timestamp", "-> ts: double")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(timestamp_kernel)
        .not_differentiable();
    r.op("SerializeTensor", "tensor: T -> serialized: string")
        .attr("T: type")
        .shape(ShapeContext::scalar)
        .any_kernel(serialize_kernel)
        .not_differentiable();
    r.op("ParseTensor", "serialized: string -> output: out_type")
        .attr("out_type: type")
        .shape(ShapeContext::unknown)
        .any_kernel(parse_kernel)
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
        for (index, piece) in pieces.iter().enumerate() {
            text.push_str(piece);
            if index < cx.num_inputs() {
                text.push_str(&shown(cx.input(index)?, summarize));
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

fn print_kernel(node: &Node) -> Result<Kernel> {
    let message = String::from_utf8_lossy(node.attr_bytes("message")?).into_owned();
    let (first_n, summarize) = (node.attr_int("first_n")?, node.attr_int("summarize")?);
    let printed = AtomicI64::new(0);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        if first_n < 0 || printed.fetch_add(1, Ordering::Relaxed) < first_n {
            let mut text = message.clone();
            for index in 1..cx.num_inputs() {
                let values = summary(cx.input(index)?, summarize);
                text.push_str(&values);
            }
            say(&mut std::io::stderr(), &text, "\n");
        }
        let value = cx.take_value(0);
        cx.set_value(0, value);
        Ok(())
    }))
}

/// What cannot be said is not said: nobody listening is no reason to fail a step.
fn say(stream: &mut dyn Write, text: &str, end: &str) {
    let _ = stream.write_all(format!("{text}{end}").as_bytes()).and_then(|()| stream.flush());
}

fn print_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let mut grads = vec![cx.grad(0).cloned()];
    grads.resize_with(cx.num_inputs(), || None);
    Ok(grads)
}

fn print_v2_kernel(node: &Node) -> Result<Kernel> {
    let stream = node.attr_str("output_stream")?.to_owned();
    let end = String::from_utf8_lossy(node.attr_bytes("end")?).into_owned();
    let file = stream.strip_prefix("file://").map(str::to_owned);
    ensure!(
        file.is_some() || matches!(stream.as_str(), "stdout" | "stderr" | "log(info)" | "log(warning)" | "log(error)"),
        InvalidArgument,
        "Unknown output stream: {stream}, Valid streams are: log(info), log(warning), log(error), stdout, stderr, file://path"
    );
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        ensure!(
            input.shape().is_scalar(),
            InvalidArgument,
            "Input is expected to be scalar, but got {}",
            input.shape()
        );
        let text = String::from_utf8_lossy(input.to_string_scalar()?).into_owned();
        match (&file, stream.as_str()) {
            (Some(path), _) => {
                let path = std::path::Path::new(path);
                let opened = std::fs::OpenOptions::new().append(true).create(true).open(path);
                let mut opened = opened.map_err(|error| crate::io::file_error(path, error))?;
                say(&mut opened, &text, &end);
            }
            (None, "stdout") => say(&mut std::io::stdout(), &text, &end),
            (None, _) => say(&mut std::io::stderr(), &text, &end),
        }
        Ok(())
    }))
}

fn timestamp_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seconds = now.map_err(|_| err!(Internal, "the clock is before 1970"))?.as_secs_f64();
        cx.set_output(0, seconds);
        Ok(())
    }))
}

fn serialize_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let mut proto = tensor::proto::to_proto(input)?;
        if let Ok(strings) = input.strings() {
            // The plain form: one field a string.
            proto.tensor_content = Bytes::new();
            proto.string_val = strings.to_vec();
        }
        cx.set_output(0, Bytes::from(proto.encode_to_vec()));
        Ok(())
    }))
}

fn parse_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("out_type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        ensure!(
            input.shape().is_scalar(),
            InvalidArgument,
            "Expected `serialized` to be a scalar, got shape: {}",
            input.shape()
        );
        let bytes = input.to_string_scalar()?.clone();
        let Ok(proto) = wire::TensorProto::decode(bytes.clone()) else {
            bail!(InvalidArgument, "Could not parse `serialized` as TensorProto: '{}'", bytes.escape_ascii())
        };
        let parsed = tensor::proto::from_proto(&proto)?;
        ensure!(
            parsed.dtype() == dtype,
            InvalidArgument,
            "Type mismatch between parsed tensor ({}) and dtype ({dtype})",
            parsed.dtype()
        );
        cx.set_output(0, parsed);
        Ok(())
    }))
}
