//! `StringSplitV2` and `StringSplit`: strings cut into pieces, as a sparse tensor.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("StringSplitV2", "input: string, sep: string -> indices: int64, values: string, shape: int64")
        .attr("maxsplit: int = -1")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    r.op("StringSplit", "input: string, delimiter: string -> indices: int64, values: string, shape: int64")
        .attr("skip_empty: bool = true")
        .shape(shape)
        .any_kernel(old_kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.with_rank(1, 0)?;
    cx.set(0, PartialShape::new(&[None, Some(2)]));
    cx.set(1, PartialShape::vector(None));
    cx.set(2, PartialShape::vector(Some(2)));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let max = usize::try_from(node.attr_int("maxsplit")?).unwrap_or(usize::MAX);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, separator) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            separator.shape().is_scalar(),
            InvalidArgument,
            "sep must be a scalar, got shape: {}",
            separator.shape()
        );
        let separator = separator.to_string_scalar()?.clone();
        let pieces = split_all(input, |text| match separator.is_empty() {
            true => words(text, max),
            false => parts(text, &separator, max),
        })?;
        give(cx, pieces);
        Ok(())
    }))
}

fn old_kernel(node: &Node) -> Result<Kernel> {
    let skip_empty = node.attr_bool("skip_empty")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, delimiter) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            delimiter.shape().is_scalar(),
            InvalidArgument,
            "delimiter must be a scalar, got shape: {}",
            delimiter.shape()
        );
        let delimiters = delimiter.to_string_scalar()?.clone();
        let pieces = split_all(input, |text| {
            if text.is_empty() {
                return Vec::new();
            }
            if delimiters.is_empty() {
                return (0..text.len()).map(|at| text.slice(at..at + 1)).collect();
            }
            let pieces = text.split(|byte| delimiters.contains(byte)).map(|piece| text.slice_ref(piece));
            pieces.filter(|piece| !skip_empty || !piece.is_empty()).collect()
        })?;
        give(cx, pieces);
        Ok(())
    }))
}

/// Indices, values and shape of the pieces of each string.
fn split_all(input: &Tensor, split: impl Fn(&Bytes) -> Vec<Bytes>) -> Result<[Tensor; 3]> {
    ensure!(input.shape().rank() == 1, InvalidArgument, "input must be a vector, got shape: {}", input.shape());
    let (mut indices, mut values, mut widest) = (Vec::new(), Vec::new(), 0);
    for (row, text) in input.strings()?.iter().enumerate() {
        let pieces = split(text);
        widest = widest.max(pieces.len());
        for (column, piece) in pieces.into_iter().enumerate() {
            indices.extend([row as i64, column as i64]);
            values.push(piece);
        }
    }
    let indices = Tensor::new([values.len() as i64, 2], indices)?;
    Ok([indices, Tensor::string_vector(values), Tensor::from([input.num_elements() as i64, widest as i64])])
}

fn give(cx: &mut OpContext<'_>, tensors: [Tensor; 3]) {
    for (index, tensor) in tensors.into_iter().enumerate() {
        cx.set_output(index, tensor);
    }
}

/// What lies between spaces.
fn words(text: &Bytes, max: usize) -> Vec<Bytes> {
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let skip = |from: usize| text[from..].iter().position(|byte| !is_space(byte)).map_or(text.len(), |at| from + at);
    if max == 0 {
        return vec![text.clone()];
    }
    let (mut pieces, mut at) = (Vec::new(), skip(0));
    while at < text.len() {
        let end = text[at..].iter().position(is_space).map_or(text.len(), |length| at + length);
        pieces.push(text.slice(at..end));
        at = skip(end);
        if pieces.len() == max {
            // What is left stays as it is, even if that is nothing.
            pieces.push(text.slice(at..));
            break;
        }
    }
    pieces
}

/// What lies between separators, as Python's `split(separator)`.
fn parts(text: &Bytes, separator: &[u8], max: usize) -> Vec<Bytes> {
    let (mut pieces, mut start) = (Vec::new(), 0);
    while pieces.len() < max {
        let Some(at) = text[start..].windows(separator.len()).position(|window| window == separator) else { break };
        pieces.push(text.slice(start..start + at));
        start += at + separator.len();
    }
    pieces.push(text.slice(start..));
    pieces
}
