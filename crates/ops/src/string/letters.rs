//! Small functions of strings: `StringLower`, `StringUpper`, `StringStrip`, `StringLength`, `Substr`, `EncodeBase64`,
//! `DecodeBase64`.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use crate::array::broadcast_to;

pub(crate) fn register(r: &mut Registry) {
    for name in ["StringLower", "StringUpper"] {
        r.op(name, "input: string -> output: string")
            .attr("encoding: string = ''")
            .shape(ShapeContext::unchanged)
            .any_kernel(case_kernel)
            .not_differentiable();
    }
    r.op("StringStrip", "input: string -> output: string")
        .shape(ShapeContext::unchanged)
        .any_kernel(strip_kernel)
        .not_differentiable();
    r.op("StringLength", "input: string -> output: int32")
        .attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
        .shape(ShapeContext::unchanged)
        .any_kernel(length_kernel)
        .not_differentiable();
    r.op("Substr", "input: string, pos: T, len: T -> output: string")
        .attr("T: {int32, int64}")
        .attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
        .shape(substr_shape)
        .any_kernel(substr_kernel)
        .not_differentiable();
    r.op("EncodeBase64", "input: string -> output: string")
        .attr("pad: bool = false")
        .shape(ShapeContext::unchanged)
        .any_kernel(encode_kernel)
        .not_differentiable();
    r.op("DecodeBase64", "input: string -> output: string")
        .shape(ShapeContext::unchanged)
        .any_kernel(decode_kernel)
        .not_differentiable();
}

/// A kernel that changes each string by itself.
fn mapped(change: impl Fn(&Bytes) -> Result<Bytes> + Send + Sync + 'static) -> Kernel {
    Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let changed = input.strings()?.iter().map(&change).collect::<Result<Vec<_>>>()?;
        let output = Tensor::from_strings(input.shape().clone(), changed)?;
        cx.set_output(0, output);
        Ok(())
    })
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

fn strip_kernel(_: &Node) -> Result<Kernel> {
    Ok(mapped(|text| Ok(text.slice_ref(text.trim_ascii()))))
}

/// Where the characters of UTF-8 begin: every byte that does not continue one.
fn begins(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}

fn length_kernel(node: &Node) -> Result<Kernel> {
    let letters = node.attr_str("unit")? == "UTF8_CHAR";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let length = |text: &Bytes| match letters {
            true => text.iter().filter(|byte| begins(**byte)).count() as i32,
            false => text.len() as i32,
        };
        let lengths: Vec<i32> = input.strings()?.iter().map(length).collect();
        let output = Tensor::from_slice(input.shape(), &lengths)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn substr_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, pos, len) = (cx.input(0), cx.input(1), cx.input(2));
    if let (Some(a), Some(b)) = (pos.rank(), len.rank()) {
        ensure!(a == b, InvalidArgument, "pos and len must have same rank, got {a} and {b}");
    }
    let shape = graph::op::broadcast_shapes(&input, &pos.merge(&len)?)?;
    cx.set(0, shape);
    Ok(())
}

fn substr_kernel(node: &Node) -> Result<Kernel> {
    let letters = node.attr_str("unit")? == "UTF8_CHAR";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, pos, len) = (cx.take_input(0)?, cx.take_input(1)?, cx.take_input(2)?);
        ensure!(
            pos.shape() == len.shape(),
            InvalidArgument,
            "pos and len should have the same shape, got: {} vs. {}",
            pos.shape(),
            len.shape()
        );
        let both = graph::op::broadcast_shapes(&PartialShape::from(input.shape()), &PartialShape::from(pos.shape()))?;
        let Some(shape) = both.to_shape() else { bail!(Internal, "known shapes with an unknown result") };
        let input = broadcast_to(input, shape.dims())?;
        let (pos, len) =
            (broadcast_to(pos, shape.dims())?.to_i64_vec()?, broadcast_to(len, shape.dims())?.to_i64_vec()?);
        let mut parts = Vec::with_capacity(pos.len());
        for (place, text) in input.strings()?.iter().enumerate() {
            let Some(part) = substr(text, pos[place], len[place], letters) else {
                bail!(
                    InvalidArgument,
                    "pos {} out of range for string b'{}' at index {place}",
                    pos[place],
                    text.escape_ascii()
                )
            };
            parts.push(part);
        }
        cx.set_output(0, Tensor::from_strings(shape, parts)?);
        Ok(())
    }))
}

fn substr(text: &Bytes, pos: i64, len: i64, letters: bool) -> Option<Bytes> {
    // Where each unit begins, and the end.
    let bounds: Vec<usize> = match letters {
        true => (0..text.len()).filter(|at| begins(text[*at])).chain([text.len()]).collect(),
        false => Vec::new(),
    };
    let count = if letters { bounds.len() - 1 } else { text.len() } as i64;
    let start = if pos < 0 { pos.checked_add(count)? } else { pos };
    if !(0..=count).contains(&start) {
        return None;
    }
    let end = start.saturating_add(len.max(0)).min(count);
    let byte = |unit: i64| if letters { bounds[unit as usize] } else { unit as usize };
    Some(text.slice(byte(start)..byte(end)))
}

const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

fn encode_kernel(node: &Node) -> Result<Kernel> {
    let pad = node.attr_bool("pad")?;
    Ok(mapped(move |text| {
        let mut out = Vec::with_capacity(text.len() / 3 * 4 + 4);
        for group in text.chunks(3) {
            let mut three = [0u8; 3];
            three[..group.len()].copy_from_slice(group);
            let bits = u32::from_be_bytes([0, three[0], three[1], three[2]]);
            for place in 0..4 {
                match place <= group.len() {
                    true => out.push(ALPHABET[(bits >> (18 - 6 * place)) as usize & 63]),
                    false if pad => out.push(b'='),
                    false => {}
                }
            }
        }
        Ok(Bytes::from(out))
    }))
}

fn decode_kernel(_: &Node) -> Result<Kernel> {
    Ok(mapped(|text| {
        let plain = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
        let mut out = Vec::with_capacity(plain.len() / 4 * 3 + 3);
        ensure!(plain.len() % 4 != 1, InvalidArgument, "Base64 string length cannot be 1 modulo 4");
        for group in plain.chunks(4) {
            let mut bits = 0u32;
            for (place, letter) in group.iter().enumerate() {
                let Some(value) = ALPHABET.iter().position(|known| known == letter) else {
                    bail!(InvalidArgument, "Invalid character found in base64.")
                };
                bits |= (value as u32) << (18 - 6 * place);
            }
            out.extend_from_slice(&bits.to_be_bytes()[1..group.len()]);
        }
        Ok(Bytes::from(out))
    }))
}
