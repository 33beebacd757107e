//! `StringLower` and `StringUpper`: strings in small or capital letters.

use bytes::Bytes;
use graph::op::{Kernel, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, bail};

use super::string_strip::mapped;

pub(crate) fn register(r: &mut Registry) {
    for name in ["StringLower", "StringUpper"] {
        r.op(name, "input: string -> output: string")
            .attr("encoding: string = ''")
            .shape(ShapeContext::unchanged)
            .any_kernel(case_kernel)
            .not_differentiable();
    }
}

fn case_kernel(node: &Node) -> Result<Kernel> {
    let upper = node.op == "StringUpper";
    let unicode = match node.attr_str("encoding")? {
        "" => false,
        "utf-8" => true,
        other => bail!(InvalidArgument, "only utf-8 or '' (no encoding) is supported, received {other}"),
    };
    Ok(mapped(move |text| {
        if unicode && let Ok(text) = std::str::from_utf8(text) {
            return Ok(Bytes::from(if upper { text.to_uppercase() } else { text.to_lowercase() }));
        }
        Ok(Bytes::from(if upper { text.to_ascii_uppercase() } else { text.to_ascii_lowercase() }))
    }))
}
