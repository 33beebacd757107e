//! `SparseSparseMaximum` and `SparseSparseMinimum`: the larger or smaller of two sparse tensors' values at each place; what a
//! tensor does not have is zero.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use math::number::Number;
use tensor::{PartialShape, Result, Tensor, bf16, ensure, f16};

use super::Coordinates;
use super::numbers::NUMBERS;

pub(crate) fn register(r: &mut Registry) {
    const REALS: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
    let numbers = format!("T: {NUMBERS}");
    for (name, element) in [("SparseSparseMaximum", REALS), ("SparseSparseMinimum", numbers.as_str())] {
        r.op(
            name,
            "a_indices: int64, a_values: T, a_shape: int64, b_indices: int64, b_values: T, b_shape: int64 -> \
             output_indices: int64, output_values: T",
        )
        .attr(element)
        .shape(shape)
        .kernel("T", types::REALS, kernel);
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 2)?;
    cx.set(0, PartialShape::of_rank(2));
    cx.set(1, PartialShape::vector(None));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let largest = node.op == "SparseSparseMaximum";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (a_values, b_values) = (cx.input(1)?, cx.input(4)?);
        let a = Coordinates::new(cx.input(0)?, Some(a_values), cx.input(2)?)?;
        let b = Coordinates::new(cx.input(3)?, Some(b_values), cx.input(5)?)?;
        ensure!(
            a.rank == b.rank,
            InvalidArgument,
            "Operands do not have the same ranks; got shapes: {:?} and {:?}",
            a.shape,
            b.shape
        );
        ensure!(
            a.shape == b.shape,
            InvalidArgument,
            "Operands' shapes do not match: got {:?} and {:?}",
            a.shape,
            b.shape
        );
        let (a_rows, b_rows): (Vec<&[i64]>, Vec<&[i64]>) = (a.rows().collect(), b.rows().collect());
        let (mut i, mut j, mut places, mut flat) = (0, 0, Vec::new(), Vec::new());
        while i < a_rows.len() || j < b_rows.len() {
            let order = match (a_rows.get(i), b_rows.get(j)) {
                (Some(x), Some(y)) => x.cmp(y),
                (Some(_), None) => std::cmp::Ordering::Less,
                _ => std::cmp::Ordering::Greater,
            };
            flat.extend_from_slice(if order.is_le() { a_rows[i] } else { b_rows[j] });
            places.push((order.is_le().then_some(i), order.is_ge().then_some(j)));
            i += order.is_le() as usize;
            j += order.is_ge() as usize;
        }
        let values = dispatch!(a_values.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
            let (x, y, zero) = (a_values.as_slice::<T>()?, b_values.as_slice::<T>()?, <T as Number>::ZERO);
            let each = |(i, j): &(Option<usize>, Option<usize>)| {
                let (x, y) = (i.map_or(zero, |i| x[i]), j.map_or(zero, |j| y[j]));
                if (x > y) == largest { x } else { y }
            };
            Ok(Tensor::vector(&places.iter().map(each).collect::<Vec<T>>()))
        })?;
        cx.set_output(0, Tensor::new([places.len() as i64, a.rank as i64], flat)?);
        cx.set_output(1, values);
        Ok(())
    }))
}
