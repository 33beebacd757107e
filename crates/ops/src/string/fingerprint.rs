//! `Fingerprint`: eight bytes for each row of a tensor, which differ if the rows do.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("Fingerprint", "data: T, method: string -> fingerprint: uint8")
        .attr("T: type")
        .shape(shape)
        .any_kernel(kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let data = cx.with_rank_at_least(0, 1)?;
    cx.with_rank(1, 0)?;
    cx.set(0, PartialShape::new(&[data.dim(0), Some(8)]));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("T")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (data, method) = (cx.input(0)?, cx.input(1)?);
        ensure!(method.shape().is_scalar(), InvalidArgument, "`method` should be a scalar string: {}", method.shape());
        let method = method.to_string_scalar()?;
        ensure!(
            method.as_ref() == b"farmhash64",
            InvalidArgument,
            "Unsupported fingerprint method: {}",
            String::from_utf8_lossy(method)
        );
        ensure!(
            data.shape().rank() >= 1,
            InvalidArgument,
            "`data` should have at least one dimension: {}",
            data.shape()
        );
        let rows = data.shape().dim(0);
        let each = data.num_elements().checked_div(rows).unwrap_or(0);
        let mut prints = Vec::with_capacity(rows * 8);
        for row in 0..rows {
            let print = match (data.buffer(), dtype.size()) {
                (Some(buffer), size) if size > 0 => {
                    farmhash::fingerprint64(&buffer.try_bytes()?[row * each * size..(row + 1) * each * size])
                }
                _ if dtype != tensor::DType::String => bail!(InvalidArgument, "Data type not supported: {dtype}"),
                _ => match &data.strings()?[row * each..(row + 1) * each] {
                    // A row of one string is as the string itself.
                    [one] if data.shape().rank() == 1 => farmhash::fingerprint64(one),
                    many => {
                        let prints: Vec<u8> =
                            many.iter().flat_map(|text| farmhash::fingerprint64(text).to_le_bytes()).collect();
                        farmhash::fingerprint64(&prints)
                    }
                },
            };
            prints.extend(print.to_le_bytes());
        }
        let output = Tensor::new([rows as i64, 8], prints)?;
        cx.set_output(0, output);
        Ok(())
    }))
}
