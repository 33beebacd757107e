//! `DataFormatDimMap` and `DataFormatVecPermute`: axes, and vectors with a number for each axis, from one layout of images
//! to another.

use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Node, ReadAttrs};
use tensor::{Result, Tensor, bail, ensure};

use crate::arguments::int_tensor;
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    for (name, build) in
        [("DataFormatDimMap", map_kernel as fn(&Node) -> Result<Kernel>), ("DataFormatVecPermute", permute_kernel)]
    {
        r.op(name, "x: T -> y: T")
            .attr("T: {int32, int64} = int32")
            .attr("src_format: string = 'NHWC'")
            .attr("dst_format: string = 'NCHW'")
            .shape(ShapeContext::unchanged)
            .kernel("T", types::INDICES, build);
    }
}

/// The layouts of a node, each a word with a letter for each axis.
fn formats(node: &Node) -> Result<(Vec<u8>, Vec<u8>)> {
    let (source, target) = (node.attr_str("src_format")?, node.attr_str("dst_format")?);
    ensure!(
        matches!(source.len(), 4 | 5),
        InvalidArgument,
        "Source format must be of length 4 or 5, received src_format = {source}"
    );
    ensure!(
        matches!(target.len(), 4 | 5),
        InvalidArgument,
        "Destination format must be of length 4 or 5, received dst_format = {target}"
    );
    let sorted = |word: &str| {
        let mut letters = word.as_bytes().to_vec();
        letters.sort_unstable();
        letters
    };
    let letters = sorted(source);
    ensure!(
        letters == sorted(target) && letters.windows(2).all(|pair| pair[0] != pair[1]),
        InvalidArgument,
        "Destination and source format must determine a permutation, got {source} and {target}"
    );
    Ok((source.as_bytes().to_vec(), target.as_bytes().to_vec()))
}

/// Where each letter of one word stands in another.
fn places(of: &[u8], within: &[u8]) -> Vec<usize> {
    of.iter().map(|letter| within.iter().position(|other| other == letter).unwrap_or(0)).collect()
}

fn map_kernel(node: &Node) -> Result<Kernel> {
    let (source, target) = formats(node)?;
    let axes = places(&source, &target);
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let x = cx.input(0)?;
        let count = axes.len() as i64;
        let mapped: Vec<i64> =
            x.to_i64_vec()?.iter().map(|axis| axes[axis.rem_euclid(count) as usize] as i64).collect();
        let y = int_tensor(&mapped, x.dtype())?.into_shape(x.shape().clone())?;
        cx.set_output(0, y);
        Ok(())
    }))
}

fn permute_kernel(node: &Node) -> Result<Kernel> {
    let (source, target) = formats(node)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let y = permuted(cx.input(0)?, &source, &target)?;
        cx.set_output(0, y);
        Ok(())
    }))
}

fn permuted(x: &Tensor, source: &[u8], target: &[u8]) -> Result<Tensor> {
    let (full, spatial) = (source.len() as i64, source.len() as i64 - 2);
    let allowed = |size: i64| size == full || size == spatial;
    let width = match *x.dims() {
        [size] => {
            ensure!(
                allowed(size),
                InvalidArgument,
                "1D input must be of size {spatial} or {full}, but got shape {}",
                x.shape()
            );
            1
        }
        [size, width] => {
            ensure!(
                allowed(size),
                InvalidArgument,
                "First dimension of 2D input must be of size {spatial} or {full}, but got shape {}",
                x.shape()
            );
            ensure!(
                width == 2,
                InvalidArgument,
                "Second dimension of 2D input must be of size 2, but got shape {}",
                x.shape()
            );
            2
        }
        _ => bail!(InvalidArgument, "input must be a vector or 2D tensor, but got shape {}", x.shape()),
    };
    // A vector without batch and channels has the other letters only.
    let keep = |word: &[u8]| -> Vec<u8> {
        let whole = x.dims()[0] == full;
        word.iter().copied().filter(|letter| whole || !matches!(letter, b'N' | b'C')).collect()
    };
    let (source, target) = (keep(source), keep(target));
    ensure!(
        source.len() as i64 == x.dims()[0],
        InvalidArgument,
        "Format specifier must contain {} case, but without N and C it is {}",
        if spatial == 2 { "H and W for 2D" } else { "D, H and W for 3D" },
        String::from_utf8_lossy(&source)
    );
    let rows = places(&target, &source);
    let elements: Vec<usize> = rows.iter().flat_map(|row| (0..width).map(move |at| row * width + at)).collect();
    moved(x.shape().clone(), &[x], &Pick(&elements))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn permutations() {
        let run = |x: Tensor| permuted(&x, b"NHWC", b"HWNC").unwrap();
        assert_eq!(run(Tensor::from([1i32, 2, 3, 4])), Tensor::from([2i32, 3, 1, 4]));
        assert_eq!(run(Tensor::from([1i32, 2])), Tensor::from([1i32, 2]));
    }
}
