//! `Print` and `PrintV2`: values shown to the operator.

use std::io::Write;
use std::sync::atomic::{AtomicI64, Ordering};

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{Result, ensure};

use crate::control_flow::summary;

pub(crate) fn register(r: &mut Registry) {
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
                let path = crate::io::path_from(&*cx.step.files, path.as_bytes())?;
                let opened = std::fs::OpenOptions::new().append(true).create(true).open(&path);
                let mut opened = opened.map_err(|error| crate::io::file_error(&path, error))?;
                say(&mut opened, &text, &end);
            }
            (None, "stdout") => say(&mut std::io::stdout(), &text, &end),
            (None, _) => say(&mut std::io::stderr(), &text, &end),
        }
        Ok(())
    }))
}
