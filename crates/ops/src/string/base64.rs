//! `EncodeBase64` and `DecodeBase64`: bytes as letters that are safe in web addresses, and back.

use bytes::Bytes;
use graph::op::{Kernel, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, bail, ensure};

use super::string_strip::mapped;

pub(crate) fn register(r: &mut Registry) {
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
    Ok(mapped(|text| decoded(text).map(Bytes::from)))
}

/// The bytes that letters of either alphabet stand for; `None` if they stand for none.
pub(crate) fn base64_of(text: &[u8]) -> Option<Vec<u8>> {
    let safe = |letter: &u8| match letter {
        b'+' => b'-',
        b'/' => b'_',
        other => *other,
    };
    decoded(&text.iter().map(safe).collect::<Vec<u8>>()).ok()
}

fn decoded(text: &[u8]) -> Result<Vec<u8>> {
    let plain = text.strip_suffix(b"==").or_else(|| text.strip_suffix(b"=")).unwrap_or(text);
    ensure!(
        plain.len() == text.len() || text.len().is_multiple_of(4),
        InvalidArgument,
        "Invalid padding in base64: {} letters with it",
        text.len()
    );
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
    Ok(out)
}
