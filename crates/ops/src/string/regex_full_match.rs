//! `StaticRegexFullMatch` and `RegexFullMatch`: whether strings match a pattern from beginning to end.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use regex::bytes::{Regex, RegexBuilder};
use tensor::{Result, Tensor, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("StaticRegexFullMatch", "input: string -> output: bool")
        .attr("pattern: string")
        .shape(ShapeContext::unchanged)
        .any_kernel(static_kernel)
        .not_differentiable();
    r.op("RegexFullMatch", "input: string, pattern: string -> output: bool")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0)?;
    cx.set(0, cx.input(0));
    Ok(())
}

fn static_kernel(node: &Node) -> Result<Kernel> {
    let regex = compile(node.attr_bytes("pattern")?)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let matched = matches(&regex, cx.input(0)?)?;
        cx.set_output(0, matched);
        Ok(())
    }))
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let pattern = cx.input(1)?;
        ensure!(
            pattern.shape().is_scalar(),
            InvalidArgument,
            "Pattern must be scalar, but received {}",
            pattern.shape()
        );
        let matched = matches(&compile(pattern.to_string_scalar()?)?, cx.input(0)?)?;
        cx.set_output(0, matched);
        Ok(())
    }))
}

/// The pattern, bound to both ends of the text. Patterns are of linear time, whatever they are.
fn compile(pattern: &[u8]) -> Result<Regex> {
    const LIMIT: usize = 1 << 20;
    let text = std::str::from_utf8(pattern)
        .map_err(|_| err!(InvalidArgument, "Invalid pattern: {}, error: not UTF-8", pattern.escape_ascii()))?;
    let build = |text: &str| RegexBuilder::new(text).size_limit(LIMIT).dfa_size_limit(LIMIT).build();
    // By itself first: parentheses that do not match must not find partners in the ones around.
    build(text)
        .and_then(|_| build(&format!(r"\A(?:{text})\z")))
        .map_err(|error| err!(InvalidArgument, "Invalid pattern: {text}, error: {error}"))
}

fn matches(regex: &Regex, input: &Tensor) -> Result<Tensor> {
    let matched: Vec<bool> = input.strings()?.iter().map(|text| regex.is_match(text)).collect();
    Tensor::from_slice(input.shape(), &matched)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As TensorFlow 2.21 gives them.
    #[test]
    fn the_whole_text_must_match() {
        let run = |pattern: &str, texts: &[&'static str]| {
            let texts = Tensor::string_vector(texts.iter().copied());
            matches(&compile(pattern.as_bytes()).unwrap(), &texts).unwrap()
        };
        assert_eq!(run("^s3://.*", &["s3://a", "xs3://", "s3://\n"]), Tensor::from([true, false, false]));
        assert_eq!(run("a.", &["ab", "abc", "aé"]), Tensor::from([true, false, true]));
        assert_eq!(run("a|ab", &["ab"]), Tensor::from([true]));
        assert!(compile(b"((").unwrap_err().message().starts_with("Invalid pattern: ((, error: "));
        assert!(compile(b"a)(b").is_err());
    }
}
