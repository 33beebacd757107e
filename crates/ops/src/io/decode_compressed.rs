//! `DecodeCompressed`: the contents of compressed strings.

use std::io::{Cursor, Read};

use bytes::Bytes;
use files::Compression;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, Tensor, err, memory};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeCompressed", "bytes: string -> output: string")
        .attr("compression_type: string = ''")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel);
}

fn kernel(node: &Node) -> Result<Kernel> {
    let kind = node.attr_str("compression_type")?;
    let kind = Compression::from_name(kind).map_err(|_| {
        err!(
            InvalidArgument,
            "Only ZLIB, ZSTD, GZIP or NONE are supported compressions (here without ZSTD), not '{kind}'"
        )
    })?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let texts = input.strings()?.iter().map(|text| match kind {
            Compression::None => Ok(text.clone()),
            kind => expand(files::decompressed(Cursor::new(text.clone()), kind)),
        });
        let texts = texts.collect::<Result<Vec<_>>>()?;
        let output = Tensor::from_strings(input.shape().clone(), texts)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// Reads all, and asks for room as it grows: a few bytes can stand for very many.
pub(super) fn expand(mut stream: impl Read) -> Result<Bytes> {
    const PIECE: u64 = 16 << 20;
    let mut all = Vec::new();
    loop {
        let read = (&mut stream).take(PIECE).read_to_end(&mut all);
        let read = read.map_err(|error| err!(DataLoss, "a compressed string is damaged: {error}"))?;
        if (read as u64) < PIECE {
            return Ok(all.into());
        }
        memory::ensure_free(2 * all.len() as u64, format_args!("what a compressed string holds"))?;
    }
}
