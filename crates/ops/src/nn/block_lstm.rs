//! `BlockLSTM`, `BlockLSTMV2`, `BlockLSTMGrad` and `BlockLSTMGradV2`: a sequence of steps of cells that remember.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use math::gemm::gemm;
use tensor::DType::{Float, Half};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use super::lstm_cell::{ALLOWED, CELL, Cell, Options, STEP, alike, set, slice};
use crate::arguments::int_scalar;
use crate::narrow_floats::widen;

pub(crate) fn register(r: &mut Registry) {
    for name in ["BlockLSTM", "BlockLSTMV2"] {
        let op = r.op(name, &format!("seq_len_max: int64, {CELL} -> {STEP}, h: T"));
        let op = match name {
            "BlockLSTM" => op.attr("forget_bias: float = 1.0").attr("cell_clip: float = 3.0"),
            _ => op.attr("cell_clip: float = 0.0"),
        };
        op.attr("use_peephole: bool = false")
            .attr(ALLOWED)
            .shape(sequence_shape)
            .kernel("T", &[Half, Float], sequence_kernel)
            .gradient(sequence_gradient);
    }
    for name in ["BlockLSTMGrad", "BlockLSTMGradV2"] {
        r.op(
            name,
            &format!(
                "seq_len_max: int64, {CELL}, {STEP}, h: T, cs_grad: T, h_grad: T -> x_grad: T, cs_prev_grad: T, \
                 h_prev_grad: T, w_grad: T, wci_grad: T, wcf_grad: T, wco_grad: T, b_grad: T"
            ),
        )
        .attr("use_peephole: bool")
        .attr(ALLOWED)
        .shape(|cx| {
            for index in 0..8 {
                let shape = cx.input(1 + index);
                cx.set(index, shape);
            }
            Ok(())
        })
        .kernel("T", &[Half, Float], sequence_grad_kernel);
    }
}

fn sequence_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (x, b) = (cx.with_rank(1, 3)?, cx.with_rank(8, 1)?);
    for index in 0..7 {
        cx.set(index, PartialShape::new(&[x.dim(0), x.dim(1), b.dim(0).map(|size| size / 4)]));
    }
    Ok(())
}

/// The length of the sequences, and of the longest one that counts.
fn lengths(cx: &OpContext<'_>) -> Result<(usize, usize)> {
    let (longest, x) = (cx.input(0)?, cx.input(1)?);
    let &[time, _, _] = x.dims() else { bail!(InvalidArgument, "x must be 3D but is {}", x.shape()) };
    ensure!(longest.shape().is_scalar(), InvalidArgument, "seq_len_max must be a scalar, got {}", longest.shape());
    let longest = int_scalar(longest, "seq_len_max must be a scalar, got ")?;
    ensure!(longest >= 0 && longest <= time, InvalidArgument, "seq_len_max {longest} is not in [0, {time}]");
    Ok((time as usize, longest as usize))
}

fn sequence_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (time, longest) = lengths(cx)?;
        let cell = Cell::new(cx, options, 1)?;
        let shape = Shape::new(&[time, cell.batch, cell.units].map(|dim| dim as i64))?;
        Tensor::check_size(Float, &shape)?;
        let [x, cs_prev, h_prev] = [widen(cx.input(1)?)?, widen(cx.input(2)?)?, widen(cx.input(3)?)?];
        let (mut cs, mut h) = (slice(&cs_prev)?.to_vec(), slice(&h_prev)?.to_vec());
        let mut all: [Vec<f32>; 7] = std::array::from_fn(|_| Vec::with_capacity(shape.num_elements()));
        let size = cell.batch * cell.inputs;
        for number in 0..longest {
            let step = cell.forward(&slice(&x)?[number * size..(number + 1) * size], &cs, &h)?;
            all.iter_mut().zip(&step).for_each(|(all, step)| all.extend_from_slice(step));
            let [_, new_cs, .., new_h] = step;
            (cs, h) = (new_cs, new_h);
        }
        for (index, mut values) in all.into_iter().enumerate() {
            values.resize(shape.num_elements(), 0.0);
            set(cx, index, shape.dims(), values)?;
        }
        Ok(())
    }))
}

fn sequence_grad_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (time, longest) = lengths(cx)?;
        let cell = Cell::new(cx, options, 1)?;
        let (batch, inputs, units) = (cell.batch, cell.inputs, cell.units);
        let values = alike(cx, 9..18, &[time, batch, units].map(|dim| dim as i64))?;
        let [x, cs_prev, h_prev] = [widen(cx.input(1)?)?, widen(cx.input(2)?)?, widen(cx.input(3)?)?];
        let (x, w) = (slice(&x)?, slice(&cell.w)?);
        let mut x_grad = vec![0f32; x.len()];
        let (mut cs_back, mut h_back) = (vec![0f32; batch * units], vec![0f32; batch * units]);
        let (mut w_grad, mut b_grad, mut peepholes) =
            (vec![0f32; w.len()], vec![0f32; 4 * units], cell.no_peephole_grads());
        let size = batch * units;
        let part = |index: usize, step: usize| -> Result<&[f32]> {
            Ok(&slice(&values[index])?[step * size..(step + 1) * size])
        };
        for step in (0..longest).rev() {
            let before_cs = if step == 0 { slice(&cs_prev)? } else { part(1, step - 1)? };
            let before_h = if step == 0 { slice(&h_prev)? } else { part(6, step - 1)? };
            let added =
                |grads: &[f32], back: &[f32]| -> Vec<f32> { grads.iter().zip(back).map(|(a, b)| a + b).collect() };
            let (cs_grad, h_grad) = (added(part(7, step)?, &cs_back), added(part(8, step)?, &h_back));
            let mut own: [&[f32]; 6] = [&[]; 6];
            for (index, slot) in own.iter_mut().enumerate() {
                *slot = part(index, step)?;
            }
            let (back, gates) = cell.backward(before_cs, own, &cs_grad, &h_grad, &mut peepholes)?;
            cs_back = back;
            let row = inputs + units;
            let mut joined_grad = vec![0f32; batch * row];
            gemm(batch, 4 * units, row, &gates, false, w, true, &mut joined_grad, false);
            let own_x = &x[step * batch * inputs..(step + 1) * batch * inputs];
            gemm(row, batch, 4 * units, &cell.joined(own_x, before_h), true, &gates, false, &mut w_grad, true);
            for (number, joined) in joined_grad.chunks_exact(row).enumerate() {
                let at = (step * batch + number) * inputs;
                x_grad[at..at + inputs].copy_from_slice(&joined[..inputs]);
                h_back[number * units..(number + 1) * units].copy_from_slice(&joined[inputs..]);
            }
            for gates in gates.chunks_exact(4 * units) {
                b_grad.iter_mut().zip(gates).for_each(|(sum, gate)| *sum += gate);
            }
        }
        let [time, batch, inputs, units] = [time, batch, inputs, units].map(|dim| dim as i64);
        set(cx, 0, &[time, batch, inputs], x_grad)?;
        set(cx, 1, &[batch, units], cs_back)?;
        set(cx, 2, &[batch, units], h_back)?;
        set(cx, 3, &[inputs + units, 4 * units], w_grad)?;
        for (number, values) in peepholes.into_iter().enumerate() {
            set(cx, 4 + number, &[units], values)?;
        }
        set(cx, 7, &[4 * units], b_grad)
    }))
}

fn sequence_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    // TensorFlow's client takes the first gradient op also for the second version.
    let mut node = cx.op("BlockLSTMGrad");
    for index in 0..9 {
        node = node.input(cx.x(index));
    }
    for index in 0..7 {
        node = node.input(cx.y(index));
    }
    let node = node.input(cx.dy(1)?).input(cx.dy(6)?).attr("use_peephole", cx.attr_bool("use_peephole")?);
    let grads = node.outputs().into_iter().map(|grad| Some(Gradient::from(grad)));
    Ok(std::iter::once(None).chain(grads).collect())
}
