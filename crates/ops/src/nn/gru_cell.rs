//! `GRUBlockCell` and `GRUBlockCellGrad`: a step of a gated recurrent unit, and the way back.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use math::gemm::gemm;
use tensor::DType::Float;
use tensor::{PartialShape, Result, Tensor, bail, ensure};

pub(crate) fn register(r: &mut Registry) {
    const CELL: &str = "x: T, h_prev: T, w_ru: T, w_c: T, b_ru: T, b_c: T";
    r.op("GRUBlockCell", &format!("{CELL} -> r: T, u: T, c: T, h: T"))
        .attr("T: {float}")
        .shape(|cx| {
            let (x, h) = (cx.with_rank(0, 2)?, cx.with_rank(1, 2)?);
            for index in 0..4 {
                cx.set(index, PartialShape::new(&[x.dim(0), h.dim(1)]));
            }
            Ok(())
        })
        .kernel("T", &[Float], kernel);
    r.op(
        "GRUBlockCellGrad",
        &format!("{CELL}, r: T, u: T, c: T, d_h: T -> d_x: T, d_h_prev: T, d_c_bar: T, d_r_bar_u_bar: T"),
    )
    .attr("T: {float}")
    .shape(grad_shape)
    .kernel("T", &[Float], grad_kernel);
}

fn grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (x, h, gates) = (cx.with_rank(0, 2)?, cx.with_rank(1, 2)?, cx.with_rank(2, 2)?);
    cx.set(0, x.clone());
    cx.set(1, PartialShape::new(&[x.dim(0), h.dim(1)]));
    cx.set(2, PartialShape::new(&[x.dim(0), h.dim(1)]));
    cx.set(3, PartialShape::new(&[x.dim(0), gates.dim(1)]));
    Ok(())
}

/// The sizes: examples, inputs and units, all checked.
fn sizes(cx: &OpContext<'_>) -> Result<[usize; 3]> {
    let (x, h) = (cx.input(0)?, cx.input(1)?);
    let (&[batch, inputs], &[rows, units]) = (x.dims(), h.dims()) else {
        bail!(InvalidArgument, "x and h_prev must be matrices: {} and {}", x.shape(), h.shape())
    };
    ensure!(rows == batch, InvalidArgument, "h_prev.dims(0) != batch_size: {rows} vs. {batch}");
    ensure!(units > 0, InvalidArgument, "cell_size must be positive");
    let expected: [(usize, &[i64]); 4] =
        [(2, &[inputs + units, 2 * units]), (3, &[inputs + units, units]), (4, &[2 * units]), (5, &[units])];
    for (index, dims) in expected {
        let tensor = cx.input(index)?;
        ensure!(
            tensor.dims() == dims,
            InvalidArgument,
            "input {index} of {} must be of shape {dims:?}, but is {}",
            cx.node.op,
            tensor.shape()
        );
    }
    for index in 6..cx.num_inputs() {
        let tensor = cx.input(index)?;
        ensure!(
            tensor.dims() == [batch, units],
            InvalidArgument,
            "input {index} of {} must be of shape [{batch}, {units}], but is {}",
            cx.node.op,
            tensor.shape()
        );
    }
    Ok([batch, inputs, units].map(|dim| dim as usize))
}

fn joined(x: &[f32], h: &[f32], [batch, inputs, units]: [usize; 3]) -> Vec<f32> {
    (0..batch)
        .flat_map(|row| x[row * inputs..(row + 1) * inputs].iter().chain(&h[row * units..(row + 1) * units]))
        .copied()
        .collect()
}

fn repeated(bias: &[f32], rows: usize) -> Vec<f32> {
    bias.iter().copied().cycle().take(bias.len() * rows).collect()
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let sizes = sizes(cx)?;
        let [batch, inputs, units] = sizes;
        let (x, before) = (cx.input(0)?.as_slice::<f32>()?, cx.input(1)?.as_slice::<f32>()?);
        let sigmoid = |x: f32| 1.0 / (1.0 + (-x).exp());
        let mut gates = repeated(cx.input(4)?.as_slice()?, batch);
        gemm(
            batch,
            inputs + units,
            2 * units,
            &joined(x, before, sizes),
            false,
            cx.input(2)?.as_slice()?,
            false,
            &mut gates,
            true,
        );
        let gate = |at: usize, second: usize| sigmoid(gates[at / units * 2 * units + second * units + at % units]);
        let r: Vec<f32> = (0..batch * units).map(|at| gate(at, 0)).collect();
        let u: Vec<f32> = (0..batch * units).map(|at| gate(at, 1)).collect();
        let reset: Vec<f32> = before.iter().zip(&r).map(|(h, r)| h * r).collect();
        let mut c = repeated(cx.input(5)?.as_slice()?, batch);
        gemm(
            batch,
            inputs + units,
            units,
            &joined(x, &reset, sizes),
            false,
            cx.input(3)?.as_slice()?,
            false,
            &mut c,
            true,
        );
        c.iter_mut().for_each(|c| *c = c.tanh());
        let h: Vec<f32> = (0..c.len()).map(|at| u[at] * before[at] + (1.0 - u[at]) * c[at]).collect();
        for (index, values) in [r, u, c, h].into_iter().enumerate() {
            cx.set_output(index, Tensor::new([batch as i64, units as i64], values)?);
        }
        Ok(())
    }))
}

fn grad_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let [batch, inputs, units] = sizes(cx)?;
        let read = |index: usize| -> Result<&[f32]> { cx.input(index)?.as_slice::<f32>() };
        let (before, r, u, c, dh) = (read(1)?, read(6)?, read(7)?, read(8)?, read(9)?);
        let count = batch * units;
        let dc: Vec<f32> = (0..count).map(|at| dh[at] * (1.0 - u[at]) * (1.0 - c[at] * c[at])).collect();
        let row = inputs + units;
        let mut from_c = vec![0f32; batch * row];
        gemm(batch, units, row, &dc, false, read(3)?, true, &mut from_c, false);
        let reset = |at: usize| from_c[at / units * row + inputs + at % units];
        let mut gates = vec![0f32; batch * 2 * units];
        for at in 0..count {
            let start = at / units * 2 * units + at % units;
            gates[start] = reset(at) * before[at] * r[at] * (1.0 - r[at]);
            gates[start + units] = dh[at] * (before[at] - c[at]) * u[at] * (1.0 - u[at]);
        }
        let mut from_gates = vec![0f32; batch * row];
        gemm(batch, 2 * units, row, &gates, false, read(2)?, true, &mut from_gates, false);
        let dx: Vec<f32> = (0..batch * inputs)
            .map(|at| {
                let place = at / inputs * row + at % inputs;
                from_c[place] + from_gates[place]
            })
            .collect();
        let back: Vec<f32> = (0..count)
            .map(|at| from_gates[at / units * row + inputs + at % units] + reset(at) * r[at] + dh[at] * u[at])
            .collect();
        let dims = |width: usize| [batch as i64, width as i64];
        cx.set_output(0, Tensor::new(dims(inputs), dx)?);
        cx.set_output(1, Tensor::new(dims(units), back)?);
        cx.set_output(2, Tensor::new(dims(units), dc)?);
        cx.set_output(3, Tensor::new(dims(2 * units), gates)?);
        Ok(())
    }))
}
