//! `StaticRegexReplace` and `RegexReplace`: what matches a pattern, written anew.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use regex::bytes::{Captures, Regex, RegexBuilder};
use tensor::memory::{Tally, extend};
use tensor::{Result, Tensor, bail, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("StaticRegexReplace", "input: string -> output: string")
        .attr("pattern: string")
        .attr("rewrite: string")
        .attr("replace_global: bool = true")
        .shape(ShapeContext::unchanged)
        .any_kernel(static_kernel)
        .not_differentiable();
    r.op("RegexReplace", "input: string, pattern: string, rewrite: string -> output: string")
        .attr("replace_global: bool = true")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    cx.with_rank(2, 0)?;
    cx.set(0, cx.input(0));
    Ok(())
}

fn static_kernel(node: &Node) -> Result<Kernel> {
    let regex = compile(node.attr_bytes("pattern")?)?;
    let rewrite = Rewrite::new(node.attr_bytes("rewrite")?, &regex)?;
    let global = node.attr_bool("replace_global")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let replaced = replace(&regex, &rewrite, global, cx.input(0)?)?;
        cx.set_output(0, replaced);
        Ok(())
    }))
}

fn kernel(node: &Node) -> Result<Kernel> {
    let global = node.attr_bool("replace_global")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (pattern, rewrite) = (cx.input(1)?, cx.input(2)?);
        ensure!(
            pattern.shape().is_scalar(),
            InvalidArgument,
            "Pattern must be scalar, but received {}",
            pattern.shape()
        );
        ensure!(
            rewrite.shape().is_scalar(),
            InvalidArgument,
            "Rewrite must be scalar, but received {}",
            rewrite.shape()
        );
        let regex = compile(pattern.to_string_scalar()?)?;
        let rewrite = Rewrite::new(rewrite.to_string_scalar()?, &regex)?;
        let replaced = replace(&regex, &rewrite, global, cx.input(0)?)?;
        cx.set_output(0, replaced);
        Ok(())
    }))
}

fn compile(pattern: &[u8]) -> Result<Regex> {
    const LIMIT: usize = 1 << 20;
    let text = std::str::from_utf8(pattern)
        .map_err(|_| err!(InvalidArgument, "Invalid pattern: {}, error: not UTF-8", pattern.escape_ascii()))?;
    let build = RegexBuilder::new(text).size_limit(LIMIT).dfa_size_limit(LIMIT).build();
    build.map_err(|error| err!(InvalidArgument, "Invalid pattern: {text}, error: {error}"))
}

/// What a match becomes: text, and groups of the match (`\1`).
struct Rewrite(Vec<Part>);

enum Part {
    Text(Vec<u8>),
    Group(usize),
}

impl Rewrite {
    fn new(text: &[u8], regex: &Regex) -> Result<Rewrite> {
        let (mut parts, mut plain, mut bytes) = (Vec::new(), Vec::new(), text.iter());
        while let Some(byte) = bytes.next() {
            match (byte, *byte == b'\\') {
                (_, false) => plain.push(*byte),
                (_, true) => match bytes.next() {
                    Some(b'\\') => plain.push(b'\\'),
                    Some(digit) if digit.is_ascii_digit() => {
                        let group = (digit - b'0') as usize;
                        ensure!(
                            group < regex.captures_len(),
                            InvalidArgument,
                            "Invalid rewrite pattern: {}, which asks for group {group}",
                            text.escape_ascii()
                        );
                        parts.push(Part::Text(std::mem::take(&mut plain)));
                        parts.push(Part::Group(group));
                    }
                    _ => bail!(InvalidArgument, "Invalid rewrite pattern: {}", text.escape_ascii()),
                },
            }
        }
        parts.push(Part::Text(plain));
        Ok(Rewrite(parts))
    }

    /// Writes what stands for a match.
    fn expand(&self, captures: &Captures<'_>, out: &mut Vec<u8>) -> Result<()> {
        for part in &self.0 {
            let text = match part {
                Part::Text(text) => text,
                Part::Group(group) => captures.get(*group).map_or(&[][..], |found| found.as_bytes()),
            };
            extend(out, text, "a text")?;
        }
        Ok(())
    }
}

fn replace(regex: &Regex, rewrite: &Rewrite, global: bool, input: &Tensor) -> Result<Tensor> {
    let limit = if global { usize::MAX } else { 1 };
    let mut tally = Tally::new("strings");
    let mut replaced = Vec::with_capacity(input.num_elements());
    for text in input.strings()? {
        tally.add(text.len() as u64)?;
        // A text may match at every character, and each time become a long one.
        let (mut new, mut end) = (Vec::with_capacity(text.len()), 0);
        for captures in regex.captures_iter(text).take(limit) {
            let Some(found) = captures.get(0) else { continue };
            extend(&mut new, &text[end..found.start()], "a text")?;
            rewrite.expand(&captures, &mut new)?;
            end = found.end();
        }
        extend(&mut new, &text[end..], "a text")?;
        replaced.push(Bytes::from(new));
    }
    Tensor::from_strings(input.shape().clone(), replaced)
}
