//! `LSTMBlockCell`, `BlockLSTM`, `BlockLSTMV2` and their gradient ops: cells that remember, a step or a sequence at once.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use math::gemm::gemm;
use tensor::DType::{Float, Half};
use tensor::{PartialShape, Result, Shape, Tensor, bail, ensure};

use crate::arguments::int_scalar;
use crate::math::mat_mul::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    const CELL: &str = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T";
    const STEP: &str = "i: T, cs: T, f: T, o: T, ci: T, co: T";
    const T: &str = "T: {half, float}";
    r.op("LSTMBlockCell", &format!("{CELL} -> {STEP}, h: T"))
        .attr("forget_bias: float = 1.0")
        .attr("cell_clip: float = 3.0")
        .attr("use_peephole: bool = false")
        .attr(T)
        .shape(cell_shape)
        .kernel("T", &[Half, Float], cell_kernel);
    r.op(
        "LSTMBlockCellGrad",
        &format!(
            "{CELL}, {STEP}, cs_grad: T, h_grad: T -> cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T"
        ),
    )
    .attr("use_peephole: bool")
    .attr(T)
    .shape(cell_grad_shape)
    .kernel("T", &[Half, Float], cell_grad_kernel);
    for name in ["BlockLSTM", "BlockLSTMV2"] {
        let op = r.op(name, &format!("seq_len_max: int64, {CELL} -> {STEP}, h: T"));
        let op = match name {
            "BlockLSTM" => op.attr("forget_bias: float = 1.0").attr("cell_clip: float = 3.0"),
            _ => op.attr("cell_clip: float = 0.0"),
        };
        op.attr("use_peephole: bool = false")
            .attr(T)
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
        .attr(T)
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

fn cell_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (x, cells) = (cx.with_rank(0, 2)?, cx.with_rank(1, 2)?);
    for index in 0..7 {
        cx.set(index, PartialShape::new(&[x.dim(0), cells.dim(1)]));
    }
    Ok(())
}

fn cell_grad_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (x, cells) = (cx.with_rank(0, 2)?, cx.with_rank(1, 2)?);
    cx.set(0, PartialShape::new(&[x.dim(0), cells.dim(1)]));
    cx.set(1, PartialShape::new(&[x.dim(0), cells.dim(1).map(|size| size.saturating_mul(4))]));
    for index in 2..5 {
        cx.set(index, PartialShape::vector(cells.dim(1)));
    }
    Ok(())
}

fn sequence_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (x, b) = (cx.with_rank(1, 3)?, cx.with_rank(8, 1)?);
    for index in 0..7 {
        cx.set(index, PartialShape::new(&[x.dim(0), x.dim(1), b.dim(0).map(|size| size / 4)]));
    }
    Ok(())
}

/// How a cell computes.
#[derive(Clone, Copy)]
struct Options {
    forget_bias: f32,
    cell_clip: f32,
    peephole: bool,
    /// The places of the gates i, c, f and o among the columns.
    gates: [usize; 4],
}

impl Options {
    fn of(node: &Node) -> Result<Options> {
        let float = |name: &str| if node.attrs.contains_key(name) { node.attr_float(name) } else { Ok(0.0) };
        Ok(Options {
            forget_bias: float("forget_bias")?,
            cell_clip: float("cell_clip")?,
            peephole: node.attr_bool("use_peephole")?,
            gates: if node.op.ends_with("V2") { [0, 2, 1, 3] } else { [0, 1, 2, 3] },
        })
    }
}

/// The weights of a cell, with its sizes, all checked.
struct Cell {
    options: Options,
    batch: usize,
    inputs: usize,
    units: usize,
    w: Tensor,
    b: Tensor,
    peepholes: [Tensor; 3],
}

/// The values of one step that the way back needs: i, cs, f, o, ci, co and h.
type Step = [Vec<f32>; 7];

fn slice(tensor: &Tensor) -> Result<&[f32]> {
    tensor.as_slice::<f32>()
}

impl Cell {
    /// Reads the weights of a node; `first` is the number of the input `x`, whose last two dimensions count.
    fn new(cx: &OpContext<'_>, options: Options, first: usize) -> Result<Cell> {
        let (x, cs_prev, h_prev) = (cx.input(first)?, cx.input(first + 1)?, cx.input(first + 2)?);
        let (w, b) = (cx.input(first + 3)?, cx.input(first + 7)?);
        let &[.., batch, inputs] = x.dims() else { bail!(InvalidArgument, "x must be 2D but is {}", x.shape()) };
        let &[rows, units] = cs_prev.dims() else {
            bail!(InvalidArgument, "cs_prev must be 2D but is {}", cs_prev.shape())
        };
        ensure!(rows == batch, InvalidArgument, "cs_prev.dims(0) != batch_size: {rows} vs. {batch}");
        ensure!(units > 0 && inputs >= 0, InvalidArgument, "cell_size must be positive, got {units}");
        ensure!(
            h_prev.dims() == [batch, units],
            InvalidArgument,
            "h_prev.dims(0) != batch_size: {} vs. [{batch},{units}]",
            h_prev.shape()
        );
        ensure!(
            w.dims() == [inputs + units, 4 * units],
            InvalidArgument,
            "w.dim_size(0) != input_size + cell_size or w.dim_size(1) != cell_size * 4: {} for {inputs} and {units}",
            w.shape()
        );
        ensure!(b.dims() == [4 * units], InvalidArgument, "b.dim_size(0) != cell_size * 4: {} vs. {units}", b.shape());
        let mut peepholes = Vec::new();
        for index in 4..7 {
            let tensor = cx.input(first + index)?;
            ensure!(
                !options.peephole || tensor.dims() == [units],
                InvalidArgument,
                "a peephole of shape {} for {units} units",
                tensor.shape()
            );
            peepholes.push(widen(tensor)?);
        }
        let Ok(peepholes) = <[Tensor; 3]>::try_from(peepholes) else { bail!(Internal, "three peepholes") };
        let [batch, inputs, units] = [batch, inputs, units].map(|dim| dim as usize);
        Ok(Cell { options, batch, inputs, units, w: widen(w)?, b: widen(b)?, peepholes })
    }

    /// The rows of x and h beside each other.
    fn joined(&self, x: &[f32], h: &[f32]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(self.batch * (self.inputs + self.units));
        for row in 0..self.batch {
            rows.extend_from_slice(&x[row * self.inputs..(row + 1) * self.inputs]);
            rows.extend_from_slice(&h[row * self.units..(row + 1) * self.units]);
        }
        rows
    }

    fn forward(&self, x: &[f32], cs_prev: &[f32], h_prev: &[f32]) -> Result<Step> {
        let (units, width) = (self.units, 4 * self.units);
        let mut sums = vec![0f32; self.batch * width];
        sums.chunks_exact_mut(width).for_each(|row| row.copy_from_slice(slice(&self.b).unwrap_or_default()));
        gemm(
            self.batch,
            self.inputs + units,
            width,
            &self.joined(x, h_prev),
            false,
            slice(&self.w)?,
            false,
            &mut sums,
            true,
        );
        let [wci, wcf, wco] = [slice(&self.peepholes[0])?, slice(&self.peepholes[1])?, slice(&self.peepholes[2])?];
        let peep =
            |weights: &[f32], unit: usize, state: f32| if self.options.peephole { weights[unit] * state } else { 0.0 };
        let sigmoid = |x: f32| 1.0 / (1.0 + (-x).exp());
        let mut step: Step = std::array::from_fn(|_| vec![0f32; self.batch * units]);
        for at in 0..self.batch * units {
            let (row, unit) = (at / units, at % units);
            let gate = |number: usize| sums[row * width + self.options.gates[number] * units + unit];
            let before = cs_prev[at];
            let i = sigmoid(gate(0) + peep(wci, unit, before));
            let ci = gate(1).tanh();
            let f = sigmoid(gate(2) + self.options.forget_bias + peep(wcf, unit, before));
            let mut cs = i * ci + f * before;
            if self.options.cell_clip > 0.0 {
                cs = cs.clamp(-self.options.cell_clip, self.options.cell_clip);
            }
            let o = sigmoid(gate(3) + peep(wco, unit, cs));
            let co = cs.tanh();
            for (values, value) in step.iter_mut().zip([i, cs, f, o, ci, co, o * co]) {
                values[at] = value;
            }
        }
        Ok(step)
    }

    /// One step back: the gradients of the state before and of the gates; those of the peepholes are added up.
    fn backward(
        &self,
        cs_prev: &[f32],
        step: [&[f32]; 6],
        cs_grad: &[f32],
        h_grad: &[f32],
        peephole_grads: &mut [Vec<f32>; 3],
    ) -> Result<(Vec<f32>, Vec<f32>)> {
        let (units, width) = (self.units, 4 * self.units);
        let [wci, wcf, wco] = [slice(&self.peepholes[0])?, slice(&self.peepholes[1])?, slice(&self.peepholes[2])?];
        let (mut back, mut gates) = (vec![0f32; self.batch * units], vec![0f32; self.batch * width]);
        let [all_i, all_cs, all_f, all_o, all_ci, all_co] = step;
        for at in 0..self.batch * units {
            let (row, unit) = (at / units, at % units);
            let (i, f, o, ci, co) = (all_i[at], all_f[at], all_o[at], all_ci[at], all_co[at]);
            let d_o = o * (1.0 - o) * h_grad[at] * co;
            let mut d_cs = (1.0 - co * co) * h_grad[at] * o + cs_grad[at];
            if self.options.peephole {
                d_cs += d_o * wco[unit];
            }
            let d_ci = (1.0 - ci * ci) * d_cs * i;
            let d_f = f * (1.0 - f) * d_cs * cs_prev[at];
            let d_i = i * (1.0 - i) * d_cs * ci;
            back[at] = d_cs * f;
            if self.options.peephole {
                back[at] += d_i * wci[unit] + d_f * wcf[unit];
                peephole_grads[0][unit] += d_i * cs_prev[at];
                peephole_grads[1][unit] += d_f * cs_prev[at];
                peephole_grads[2][unit] += d_o * all_cs[at];
            }
            for (place, value) in self.options.gates.into_iter().zip([d_i, d_ci, d_f, d_o]) {
                gates[row * width + place * units + unit] = value;
            }
        }
        Ok((back, gates))
    }

    fn no_peephole_grads(&self) -> [Vec<f32>; 3] {
        std::array::from_fn(|_| vec![0f32; self.units])
    }
}

fn set(cx: &mut OpContext<'_>, index: usize, dims: &[i64], values: Vec<f32>) -> Result<()> {
    let dtype = cx.node.output_types[index].dtype;
    cx.set_output(index, narrow(&Tensor::new(dims, values)?, dtype)?);
    Ok(())
}

fn cell_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        ensure!(cx.input(0)?.shape().rank() == 2, InvalidArgument, "x must be 2D but is {}", cx.input(0)?.shape());
        let cell = Cell::new(cx, options, 0)?;
        let [x, cs_prev, h_prev] = [widen(cx.input(0)?)?, widen(cx.input(1)?)?, widen(cx.input(2)?)?];
        let step = cell.forward(slice(&x)?, slice(&cs_prev)?, slice(&h_prev)?)?;
        for (index, values) in step.into_iter().enumerate() {
            set(cx, index, &[cell.batch as i64, cell.units as i64], values)?;
        }
        Ok(())
    }))
}

/// Checks that inputs are of one shape, and widens them.
fn alike(cx: &OpContext<'_>, range: std::ops::Range<usize>, dims: &[i64]) -> Result<Vec<Tensor>> {
    range
        .map(|index| {
            let tensor = cx.input(index)?;
            ensure!(
                tensor.dims() == dims,
                InvalidArgument,
                "input {index} of {} must be of shape {dims:?}, but is {}",
                cx.node.op,
                tensor.shape()
            );
            widen(tensor)
        })
        .collect()
}

fn cell_grad_kernel(node: &Node) -> Result<Kernel> {
    let options = Options::of(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        ensure!(cx.input(0)?.shape().rank() == 2, InvalidArgument, "x must be 2D but is {}", cx.input(0)?.shape());
        let cell = Cell::new(cx, options, 0)?;
        let dims = [cell.batch as i64, cell.units as i64];
        let values = alike(cx, 8..16, &dims)?;
        let mut step: [&[f32]; 8] = [&[]; 8];
        for (slot, tensor) in step.iter_mut().zip(&values) {
            *slot = slice(tensor)?;
        }
        let [i, cs, f, o, ci, co, cs_grad, h_grad] = step;
        let cs_prev = widen(cx.input(1)?)?;
        let mut peepholes = cell.no_peephole_grads();
        let (back, gates) = cell.backward(slice(&cs_prev)?, [i, cs, f, o, ci, co], cs_grad, h_grad, &mut peepholes)?;
        set(cx, 0, &dims, back)?;
        set(cx, 1, &[dims[0], 4 * dims[1]], gates)?;
        for (number, values) in peepholes.into_iter().enumerate() {
            set(cx, 2 + number, &[dims[1]], values)?;
        }
        Ok(())
    }))
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
