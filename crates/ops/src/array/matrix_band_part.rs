//! `MatrixBandPart` and `BatchMatrixBandPart`: matrices with only the diagonals of a band around the main one kept.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node};
use tensor::{Result, Shape, Tensor, bail, ensure};

use crate::arguments::int_scalar;
use crate::moving::{Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("MatrixBandPart", "input: T, num_lower: Tindex, num_upper: Tindex -> band: T")
        .attr("T: type")
        .attr("Tindex: {int32, int64} = int64")
        .shape(shape)
        .kernel("T", types::PLAIN, kernel)
        .gradient(gradient);
    r.op("BatchMatrixBandPart", "input: T, num_lower: int64, num_upper: int64 -> band: T")
        .attr("T: type")
        .shape(shape)
        .kernel("T", types::PLAIN, kernel);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank_at_least(0, 2)?;
    cx.with_rank(1, 0)?;
    cx.with_rank(2, 0)?;
    cx.set(0, input);
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let limit = |index: usize, name: &str| -> Result<i64> {
            let limit = cx.input(index)?;
            ensure!(limit.shape().is_scalar(), InvalidArgument, "{name} must be scalar, got shape {}", limit.shape());
            int_scalar(limit, name)
        };
        let band = band_part(input, limit(1, "num_lower")?, limit(2, "num_upper")?)?;
        cx.set_output(0, band);
        Ok(())
    }))
}

/// Keeps `lower` diagonals below the main one and `upper` ones above; all of them for a negative number.
fn band_part(input: &Tensor, lower: i64, upper: i64) -> Result<Tensor> {
    let &[.., rows, columns] = input.dims() else {
        bail!(InvalidArgument, "input must be at least 2-dim, received shape: {}", input.shape())
    };
    ensure!(
        lower <= rows,
        InvalidArgument,
        "num_lower must be negative or less or equal to number of rows ({rows}) got: {lower}"
    );
    ensure!(
        upper <= columns,
        InvalidArgument,
        "num_upper must be negative or less or equal to number of columns ({columns}) got: {upper}"
    );
    let kept = |row: i64, column: i64| (lower < 0 || row - column <= lower) && (upper < 0 || column - row <= upper);
    let size = (rows * columns) as usize;
    let places: Vec<usize> = (0..input.num_elements())
        .map(|place| {
            let inside = (place % size) as i64;
            if kept(inside / columns, inside % columns) { place } else { usize::MAX }
        })
        .collect();
    let zero = Tensor::zeros(input.dtype(), &Shape::scalar())?;
    moved(input.shape().clone(), &[input, &zero], &Pick(&places))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dx = cx.op("MatrixBandPart").input(cx.dy(0)?).input(cx.x(1)).input(cx.x(2)).output();
    Ok(vec![Some(dx.into()), None, None])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn triangles_and_bands() {
        let x = Tensor::from([[1i32, 2, 3], [4, 5, 6], [7, 8, 9]]);
        assert_eq!(band_part(&x, 0, -1).unwrap(), Tensor::from([[1i32, 2, 3], [0, 5, 6], [0, 0, 9]]));
        assert_eq!(band_part(&x, 1, 0).unwrap(), Tensor::from([[1i32, 0, 0], [4, 5, 0], [0, 8, 9]]));
        assert!(band_part(&x, 4, 0).unwrap_err().message().starts_with("num_lower must be negative or less"));
    }
}
