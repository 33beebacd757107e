//! `MatrixSetDiagV3`, `MatrixSetDiagV2`, `MatrixSetDiag` and `BatchMatrixSetDiag`: matrices with a band of diagonals replaced.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{Result, Tensor, bail, ensure};

use super::matrix_diag::{Align, Band, aligned, band_of};
use crate::moving::{Pick2, moved};

pub(crate) fn register(r: &mut Registry) {
    for (version, rest) in [("V3", ", k: int32"), ("V2", ", k: int32"), ("", ""), ("Batch", "")] {
        let (prefix, suffix) = if version == "Batch" { (version, "") } else { ("", version) };
        let entry =
            r.op(&format!("{prefix}MatrixSetDiag{suffix}"), &format!("input: T, diagonal: T{rest} -> output: T"));
        let entry = aligned(entry.attr("T: type"), version).shape(shape).any_kernel(kernel);
        if version != "Batch" {
            entry.gradient(gradient);
        }
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank_at_least(0, 2)?;
    cx.with_rank_at_least(1, 1)?;
    cx.set(0, input);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let align = Align::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let band = if cx.num_inputs() > 2 { band_of(cx.input(2)?)? } else { Band { lower: 0, upper: 0 } };
        let output = set_diagonals(cx.input(0)?, cx.input(1)?, band, align)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn set_diagonals(input: &Tensor, diagonal: &Tensor, band: Band, align: Align) -> Result<Tensor> {
    let &[ref outer @ .., rows, columns] = input.dims() else {
        bail!(InvalidArgument, "input must be at least 2-dim, received shape: {}", input.shape())
    };
    ensure!(
        diagonal.shape().rank() >= 1,
        InvalidArgument,
        "diagonal must be at least 1-dim, received shape: {}",
        diagonal.shape()
    );
    for (number, name) in [(band.lower, "lower_diag_index"), (band.upper, "upper_diag_index")] {
        ensure!(
            (-rows < number && number < columns) || number == 0,
            InvalidArgument,
            "{name} is out of bound: {number}. It must be between {} and {columns}",
            -rows
        );
    }
    let (count, longest) = (band.len(), band.longest(rows, columns));
    let mut wanted = outer.to_vec();
    if count > 1 {
        wanted.push(count);
    }
    wanted.push(longest);
    ensure!(
        diagonal.dims() == wanted,
        InvalidArgument,
        "Either first dimensions of diagonal don't match input.shape[:-2], or diagonal.shape[:-1] is not equal to the \
         longests diagonal in range [lower_diag_index:upper_diag_index].\nInput shape: {}\nDiagonal shape: {}\n\
         Expected diagonal shape: {}",
        input.shape(),
        diagonal.shape(),
        tensor::Shape::new(&wanted)?
    );
    let total = input.num_elements();
    let (size, width) = ((rows * columns) as usize, (count * longest) as usize);
    let mut places: Vec<usize> = (0..total).collect();
    for batch in 0..total / size.max(1) {
        for number in band.lower..=band.upper {
            let offset = align.offset(number, rows, columns, longest);
            for along in 0..longest {
                let at = along - offset;
                let (row, column) = (at + (-number).max(0), at + number.max(0));
                if at >= 0 && row < rows && column < columns {
                    let from = batch * width + ((band.upper - number) * longest + along) as usize;
                    places[batch * size + (row * columns + column) as usize] = total + from;
                }
            }
        }
    }
    moved(input.shape().clone(), &[input, diagonal], &Pick2(&places))
}

/// What was replaced has no gradient; the diagonals have theirs from there.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let k = if cx.num_inputs() > 2 { cx.x(2) } else { cx.graph.constant(0i32) };
    let align = cx.attr_str("align").unwrap_or("RIGHT_LEFT").to_owned();
    let zeros = cx.x(1).unary("ZerosLike");
    let zero = cx.graph.constant(Tensor::zeros(cx.dtype(0), &tensor::Shape::scalar())?);
    let rest = cx.op("MatrixSetDiagV3").input(&dy).input(zeros).input(&k).attr("align", align.clone()).output();
    let part = cx.op("MatrixDiagPartV3").input(&dy).input(&k).input(zero).attr("align", align).output();
    let mut all = vec![Some(rest.into()), Some(part.into())];
    all.resize(cx.num_inputs(), None);
    Ok(all)
}
