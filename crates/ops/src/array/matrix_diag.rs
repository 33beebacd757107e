//! `MatrixDiagV3`, `MatrixDiagV2`, `MatrixDiag` and `BatchMatrixDiag`: bands of diagonals put into matrices;
//! `MatrixDiagPartV3`, `MatrixDiagPartV2`, `MatrixDiagPart` and `BatchMatrixDiagPart`: bands taken out of them. The oldest
//! ones know the main diagonal only.

use graph::op::{GradContext, Kernel, OpContext, OpEntry, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::moving::{Move, moved};

pub(crate) fn register(r: &mut Registry) {
    for (version, rest) in [("V3", BAND), ("V2", BAND), ("", ""), ("Batch", "")] {
        let (prefix, suffix) = if version == "Batch" { (version, "") } else { ("", version) };
        let entry = r.op(&format!("{prefix}MatrixDiag{suffix}"), &format!("diagonal: T{rest} -> output: T"));
        let entry = aligned(entry.attr("T: type"), version).shape(diag_shape).any_kernel(diag_kernel);
        if version != "Batch" {
            entry.gradient(diag_gradient);
        }
    }
    for (version, rest) in [("V3", PART), ("V2", PART), ("", ""), ("Batch", "")] {
        let (prefix, suffix) = if version == "Batch" { (version, "") } else { ("", version) };
        let entry = r.op(&format!("{prefix}MatrixDiagPart{suffix}"), &format!("input: T{rest} -> diagonal: T"));
        let entry = aligned(entry.attr("T: type"), version).shape(part_shape).any_kernel(part_kernel);
        if version != "Batch" {
            entry.gradient(part_gradient);
        }
    }
}

const BAND: &str = ", k: int32, num_rows: int32, num_cols: int32, padding_value: T";
const PART: &str = ", k: int32, padding_value: T";

/// The newest ops can be told how short diagonals lie.
pub(super) fn aligned<'a>(entry: OpEntry<'a>, version: &str) -> OpEntry<'a> {
    match version {
        "V3" => entry.attr("align: {'LEFT_RIGHT', 'RIGHT_LEFT', 'LEFT_LEFT', 'RIGHT_RIGHT'} = 'RIGHT_LEFT'"),
        _ => entry,
    }
}

fn diag_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let diagonal = cx.with_rank_at_least(0, 1)?;
    let Some(dims) = diagonal.raw_dims() else { return Ok(()) };
    let only_main = cx.num_inputs() == 1;
    let Some(k) = (if only_main { Some(vec![0]) } else { cx.ints(1) }) else { return Ok(()) };
    let size = |index: usize| if only_main { Some(-1) } else { cx.int(index) };
    let (Some(rows), Some(columns)) = (size(2), size(3)) else { return Ok(()) };
    let Ok(band) = Band::new(&k) else { return Ok(()) };
    let outer = if band.len() == 1 { &dims[..dims.len() - 1] } else { &dims[..dims.len().saturating_sub(2)] };
    let Some(last) = dims.last().filter(|last| **last >= 0) else {
        cx.set(0, PartialShape::from_dims(&[outer, &[-1, -1]].concat()));
        return Ok(());
    };
    if let Ok((rows, columns)) = band.matrix(*last, rows, columns) {
        cx.set(0, PartialShape::from_dims(&[outer, &[rows, columns]].concat()));
    }
    Ok(())
}

fn part_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank_at_least(0, 2)?;
    let k = if cx.num_inputs() == 1 { Some(vec![0]) } else { cx.ints(1) };
    let (Some(&[ref outer @ .., rows, columns]), Some(k)) = (input.raw_dims(), k) else { return Ok(()) };
    let Ok(band) = Band::new(&k) else { return Ok(()) };
    let mut dims = outer.to_vec();
    if band.len() > 1 {
        dims.push(band.len());
    }
    dims.push(if rows < 0 || columns < 0 { -1 } else { band.longest(rows, columns) });
    if dims.iter().all(|dim| *dim >= -1) {
        cx.set(0, PartialShape::from_dims(&dims));
    }
    Ok(())
}

/// The diagonals from `lower` to `upper`; 0 is the main one, those above are positive.
#[derive(Clone, Copy)]
pub(super) struct Band {
    pub(super) lower: i64,
    pub(super) upper: i64,
}

impl Band {
    pub(super) fn new(k: &[i64]) -> Result<Band> {
        let band = match *k {
            [one] => Band { lower: one, upper: one },
            [lower, upper] => Band { lower, upper },
            _ => {
                bail!(InvalidArgument, "diag_index must have only one or two elements, received {} elements.", k.len())
            }
        };
        ensure!(
            band.lower <= band.upper,
            InvalidArgument,
            "lower_diag_index must not be larger than upper_diag_index: {} > {}",
            band.lower,
            band.upper
        );
        Ok(band)
    }

    pub(super) fn len(self) -> i64 {
        self.upper - self.lower + 1
    }

    /// The size of the matrix whose longest diagonal of the band is this long.
    fn matrix(self, longest: i64, rows: i64, columns: i64) -> Result<(i64, i64)> {
        let least_rows = longest - self.upper.min(0);
        let least_columns = longest + self.lower.max(0);
        ensure!(
            rows == -1 || rows >= least_rows,
            InvalidArgument,
            "The number of rows is too small: {rows}, but the diagonals need {least_rows}"
        );
        ensure!(
            columns == -1 || columns >= least_columns,
            InvalidArgument,
            "The number of columns is too small: {columns}, but the diagonals need {least_columns}"
        );
        let (rows, columns) = match (rows, columns) {
            (-1, -1) => (least_rows.max(least_columns), least_rows.max(least_columns)),
            (-1, columns) => (least_rows, columns),
            (rows, -1) => (rows, least_columns),
            both => both,
        };
        ensure!(
            rows == least_rows || columns == least_columns,
            InvalidArgument,
            "The number of rows or columns is not consistent with the specified d_lower, d_upper, and diagonal."
        );
        Ok((rows, columns))
    }

    pub(super) fn longest(self, rows: i64, columns: i64) -> i64 {
        (rows + self.upper.min(0)).min(columns - self.lower.max(0))
    }
}

/// How diagonals shorter than the longest one lie in their row.
#[derive(Clone, Copy)]
pub(super) struct Align {
    upper_left: bool,
    lower_left: bool,
}

impl Align {
    pub(super) fn of(node: &Node) -> Result<Align> {
        // Older ops lay all diagonals to the left.
        let align = node.attr_str("align").unwrap_or("LEFT_LEFT");
        Ok(Align { upper_left: align.starts_with("LEFT"), lower_left: align.ends_with("LEFT") })
    }

    pub(super) fn offset(self, diagonal: i64, rows: i64, columns: i64, longest: i64) -> i64 {
        let left = if diagonal >= 0 { self.upper_left } else { self.lower_left };
        // The main diagonal follows those that lie left.
        let left = left || (diagonal == 0 && self.lower_left);
        let length = (rows + diagonal.min(0)).min(columns - diagonal.max(0));
        if left { 0 } else { longest - length }
    }
}

fn int(tensor: &Tensor, name: &str) -> Result<i64> {
    ensure!(tensor.shape().is_scalar(), InvalidArgument, "{name} must be a scalar, received shape {}", tensor.shape());
    Ok(tensor.to_scalar::<i32>()? as i64)
}

pub(super) fn band_of(k: &Tensor) -> Result<Band> {
    ensure!(
        k.shape().rank() <= 1,
        InvalidArgument,
        "diag_index must be a scalar or vector, received shape: {}",
        k.shape()
    );
    Band::new(&k.to_i64_vec()?)
}

/// For each element of the result: its place in the first input, or beyond its end for the padding.
struct Places(Vec<usize>);

impl Move for Places {
    fn run<T: Clone + Send + Sync>(&self, inputs: &[&[T]], out: &mut [T]) {
        let Some(padding) = inputs[1].first() else { return };
        for (out, place) in out.iter_mut().zip(&self.0) {
            *out = inputs[0].get(*place).unwrap_or(padding).clone();
        }
    }
}

fn diag_kernel(node: &Node) -> Result<Kernel> {
    let align = Align::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let diagonal = cx.input(0)?;
        let zero = Tensor::zeros(diagonal.dtype(), &Shape::scalar())?;
        let (band, rows, columns, padding) = match cx.num_inputs() {
            1 => (Band { lower: 0, upper: 0 }, -1, -1, &zero),
            _ => {
                let (rows, columns) = (int(cx.input(2)?, "num_rows")?, int(cx.input(3)?, "num_cols")?);
                (band_of(cx.input(1)?)?, rows, columns, cx.input(4)?)
            }
        };
        let dims = diagonal.dims();
        let Some((longest, outer)) = dims.split_last() else {
            bail!(InvalidArgument, "diagonal must be at least 1-dim, received shape: {}", diagonal.shape())
        };
        let count = band.len();
        let outer = match (count, outer.split_last()) {
            (1, _) => outer,
            (_, Some((bands, outer))) => {
                ensure!(
                    *bands == count,
                    InvalidArgument,
                    "The number of diagonals provided in the input does not match the lower_diag_index and \
                     upper_diag_index range."
                );
                outer
            }
            _ => bail!(InvalidArgument, "diagonal must be at least 2-dim, received shape: {}", diagonal.shape()),
        };
        ensure!(
            padding.shape().is_scalar(),
            InvalidArgument,
            "padding_value must be a scalar, got shape {}",
            padding.shape()
        );
        let (rows, columns) = band.matrix(*longest, rows, columns)?;
        let shape = Shape::new(&[outer, &[rows, columns]].concat())?;
        Tensor::check_size(tensor::DType::Int64, &shape)?;
        let size = (count * longest) as usize;
        let batches = outer.iter().product::<i64>() as usize;
        let mut places = Vec::with_capacity(shape.num_elements());
        for batch in 0..batches {
            for row in 0..rows {
                for column in 0..columns {
                    let number = column - row;
                    places.push(if (band.lower..=band.upper).contains(&number) {
                        let along = column - number.max(0) + align.offset(number, rows, columns, *longest);
                        batch * size + ((band.upper - number) * longest + along) as usize
                    } else {
                        usize::MAX
                    });
                }
            }
        }
        let matrix = moved(shape, &[diagonal, padding], &Places(places))?;
        cx.set_output(0, matrix);
        Ok(())
    }))
}

fn part_kernel(node: &Node) -> Result<Kernel> {
    let align = Align::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let zero = Tensor::zeros(input.dtype(), &Shape::scalar())?;
        let (band, padding) = match cx.num_inputs() {
            1 => (Band { lower: 0, upper: 0 }, &zero),
            _ => (band_of(cx.input(1)?)?, cx.input(2)?),
        };
        let &[ref outer @ .., rows, columns] = input.dims() else {
            bail!(InvalidArgument, "input must be at least 2-dim, received shape: {}", input.shape())
        };
        for number in [band.lower, band.upper] {
            ensure!(
                (-rows < number && number < columns) || number == 0,
                InvalidArgument,
                "diag_index is out of bound: {number}. It must be between {} and {columns}",
                -rows
            );
        }
        ensure!(
            padding.shape().is_scalar(),
            InvalidArgument,
            "padding_value must be a scalar, got shape {}",
            padding.shape()
        );
        let longest = band.longest(rows, columns);
        let mut dims = outer.to_vec();
        if band.len() > 1 {
            dims.push(band.len());
        }
        dims.push(longest);
        let shape = Shape::new(&dims)?;
        let batches = outer.iter().product::<i64>();
        let mut places = Vec::with_capacity(shape.num_elements());
        for batch in 0..batches {
            for number in (band.lower..=band.upper).rev() {
                let offset = align.offset(number, rows, columns, longest);
                for along in 0..longest {
                    let at = along - offset;
                    let (row, column) = (at + (-number).max(0), at + number.max(0));
                    let inside = at >= 0 && row < rows && column < columns;
                    places.push(match inside {
                        true => ((batch * rows + row) * columns + column) as usize,
                        false => usize::MAX,
                    });
                }
            }
        }
        let part = moved(shape, &[input, padding], &Places(places))?;
        cx.set_output(0, part);
        Ok(())
    }))
}

/// The diagonals that an op means, and how they lie, as inputs of the newest ops.
fn band_nodes(cx: &GradContext<'_>) -> (Output, String) {
    let k = if cx.num_inputs() == 1 { cx.graph.constant(0i32) } else { cx.x(1) };
    (k, cx.attr_str("align").unwrap_or("RIGHT_LEFT").to_owned())
}

fn nothing_for_the_rest(cx: &GradContext<'_>, first: Output) -> Vec<Option<Gradient>> {
    std::iter::once(Some(first.into())).chain((1..cx.num_inputs()).map(|_| None)).collect()
}

fn diag_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (k, align) = band_nodes(cx);
    let zero = cx.graph.constant(Tensor::zeros(cx.dtype(0), &Shape::scalar())?);
    let dx = cx.op("MatrixDiagPartV3").input(cx.dy(0)?).input(k).input(zero).attr("align", align).output();
    Ok(nothing_for_the_rest(cx, dx))
}

fn part_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let (k, align) = band_nodes(cx);
    let zeros = cx.x(0).unary("ZerosLike");
    let dx = cx.op("MatrixSetDiagV3").input(zeros).input(cx.dy(0)?).input(k).attr("align", align).output();
    Ok(nothing_for_the_rest(cx, dx))
}
