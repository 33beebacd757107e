//! `InplaceUpdate`, `InplaceAdd` and `InplaceSub`: some rows of a tensor replaced, or added to, or subtracted from; `Empty`:
//! memory for such a tensor; `DeepCopy`: a copy that shares nothing.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use math::number::Number;
use tensor::{Complex64, Complex128, DType, Element, Result, Shape, Tensor, bail, bf16, ensure, f16};

use crate::arguments::int_vector;
use crate::moving::{Pick2, moved};

pub(crate) fn register(r: &mut Registry) {
    for name in ["InplaceUpdate", "InplaceAdd", "InplaceSub"] {
        r.op(name, "x: T, i: int32, v: T -> y: T").attr("T: type").shape(ShapeContext::unchanged).any_kernel(kernel);
    }
    r.op("Empty", "shape: int32 -> output: dtype")
        .attr("dtype: type")
        .attr("init: bool = false")
        .stateful()
        .shape(empty_shape)
        .kernel("dtype", types::ALL, empty_kernel);
    r.op("DeepCopy", "x: T -> y: T").attr("T: type").stateful().shape(ShapeContext::unchanged).any_kernel(copy_kernel);
}

fn empty_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input_as_shape(0);
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let op = node.op.clone();
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let x = cx.take_input(0)?;
        let y = changed(&op, x, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, y);
        Ok(())
    }))
}

fn changed(op: &str, mut x: Tensor, rows: &Tensor, values: &Tensor) -> Result<Tensor> {
    let (own, new) = (x.dims(), values.dims());
    ensure!(
        own.len() == new.len(),
        InvalidArgument,
        "x and v shape doesn't match (ranks differ): {} vs. {}",
        x.shape(),
        values.shape()
    );
    if let Some(axis) = (1..own.len()).find(|axis| own[*axis] != new[*axis]) {
        bail!(InvalidArgument, "x and v shape doesn't match at index {axis} : {} vs. {}", x.shape(), values.shape());
    }
    let (Some(count), Some(given)) = (own.first().copied(), new.first().copied()) else {
        bail!(InvalidArgument, "x must be at least a vector, got shape {}", x.shape())
    };
    let rows = int_vector(rows, "i must be a vector. ")?;
    ensure!(
        rows.len() as i64 == given,
        InvalidArgument,
        "i and x shape doesn't match at index 0: [{}] vs. {}",
        rows.len(),
        values.shape()
    );
    if count == 0 || x.num_elements() == 0 {
        return Ok(x);
    }
    // Rows beyond either end count around.
    let rows: Vec<usize> = rows.iter().map(|row| row.rem_euclid(count) as usize).collect();
    let width = x.num_elements() / count as usize;
    if op == "InplaceUpdate" {
        let own = x.num_elements();
        let mut places: Vec<usize> = (0..own).collect();
        for (from, row) in rows.iter().enumerate() {
            (0..width).for_each(|column| places[row * width + column] = own + from * width + column);
        }
        return moved(x.shape().clone(), &[&x, values], &Pick2(&places));
    }
    let subtract = op == "InplaceSub";
    fn by<T: Element + Number>(x: &mut [T], rows: &[usize], width: usize, values: &[T], subtract: bool) {
        for (row, value) in rows.iter().zip(values.chunks_exact(width)) {
            for (x, v) in x[row * width..(row + 1) * width].iter_mut().zip(value) {
                *x = if subtract { x.minus(*v) } else { x.plus(*v) };
            }
        }
    }
    match x.dtype() {
        DType::Bool | DType::String | DType::Resource | DType::Variant => {
            bail!(InvalidArgument, "Unsupported data type: {}", x.dtype())
        }
        _ => {}
    }
    dispatch!(
        x.dtype(),
        T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64, Complex64, Complex128] => {
            by::<T>(x.make_mut::<T>()?, &rows, width, values.as_slice::<T>()?, subtract);
            Ok(x)
        }
    )
}

fn empty_kernel(node: &Node) -> Result<Kernel> {
    let dtype = graph::ReadAttrs::attr_type(node, "dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let shape = int_vector(cx.input(0)?, "shape must be a vector of int32, got shape ")?;
        for dim in &shape {
            ensure!(*dim >= 0, InvalidArgument, "Dimension {dim} must be >= 0");
        }
        let zeros = Tensor::zeros(dtype, &Shape::new(&shape)?)?;
        cx.set_output(0, zeros);
        Ok(())
    }))
}

fn copy_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let copy = cx.input(0)?.deep_copy();
        cx.set_output(0, copy);
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn rows_count_around() {
        let x = || Tensor::from([[0f32, 0.0], [0.0, 0.0], [0.0, 0.0]]);
        let values = Tensor::from([[0f32, 1.0], [2.0, 3.0], [4.0, 5.0], [6.0, 7.0]]);
        let updated = changed("InplaceUpdate", x(), &Tensor::from([0i32, 5, -1, -5]), &values).unwrap();
        assert_eq!(updated, Tensor::from([[0f32, 1.0], [6.0, 7.0], [4.0, 5.0]]));
        let ones = Tensor::from([[1f32, 1.0], [1.0, 1.0], [1.0, 1.0]]);
        let added = changed("InplaceAdd", x(), &Tensor::from([0i32, 5, -1]), &ones).unwrap();
        assert_eq!(added, Tensor::from([[1f32, 1.0], [0.0, 0.0], [2.0, 2.0]]));
    }
}
