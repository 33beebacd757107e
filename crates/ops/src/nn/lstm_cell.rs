//! `LSTMBlockCell` and `LSTMBlockCellGrad`: a step of a cell that remembers, and the way back.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use math::gemm::gemm;
use tensor::DType::{Float, Half};
use tensor::{PartialShape, Result, Tensor, bail, ensure};

use crate::narrow_floats::{narrow, widen};

pub(crate) fn register(r: &mut Registry) {
    r.op("LSTMBlockCell", &format!("{CELL} -> {STEP}, h: T"))
        .attr("forget_bias: float = 1.0")
        .attr("cell_clip: float = 3.0")
        .attr("use_peephole: bool = false")
        .attr(ALLOWED)
        .shape(cell_shape)
        .kernel("T", &[Half, Float], cell_kernel);
    r.op(
        "LSTMBlockCellGrad",
        &format!(
            "{CELL}, {STEP}, cs_grad: T, h_grad: T -> cs_prev_grad: T, dicfo: T, wci_grad: T, wcf_grad: T, wco_grad: T"
        ),
    )
    .attr("use_peephole: bool")
    .attr(ALLOWED)
    .shape(cell_grad_shape)
    .kernel("T", &[Half, Float], cell_grad_kernel);
}

/// The types of a cell in definitions.
pub(super) const ALLOWED: &str = "T: {half, float}";

/// What a step of a cell computes, but for its output.
pub(super) const STEP: &str = "i: T, cs: T, f: T, o: T, ci: T, co: T";

/// The inputs of a cell.
pub(super) const CELL: &str = "x: T, cs_prev: T, h_prev: T, w: T, wci: T, wcf: T, wco: T, b: T";

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

/// How a cell computes.
#[derive(Clone, Copy)]
pub(super) struct Options {
    pub(super) forget_bias: f32,
    pub(super) cell_clip: f32,
    pub(super) peephole: bool,
    /// The places of the gates i, c, f and o among the columns.
    pub(super) gates: [usize; 4],
}

impl Options {
    pub(super) fn of(node: &Node) -> Result<Options> {
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
pub(super) struct Cell {
    pub(super) options: Options,
    pub(super) batch: usize,
    pub(super) inputs: usize,
    pub(super) units: usize,
    pub(super) w: Tensor,
    pub(super) b: Tensor,
    pub(super) peepholes: [Tensor; 3],
}

/// The values of one step that the way back needs: i, cs, f, o, ci, co and h.
type Step = [Vec<f32>; 7];

pub(super) fn slice(tensor: &Tensor) -> Result<&[f32]> {
    tensor.as_slice::<f32>()
}

impl Cell {
    /// Reads the weights of a node; `first` is the number of the input `x`, whose last two dimensions count.
    pub(super) fn new(cx: &OpContext<'_>, options: Options, first: usize) -> Result<Cell> {
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
    pub(super) fn joined(&self, x: &[f32], h: &[f32]) -> Vec<f32> {
        let mut rows = Vec::with_capacity(self.batch * (self.inputs + self.units));
        for row in 0..self.batch {
            rows.extend_from_slice(&x[row * self.inputs..(row + 1) * self.inputs]);
            rows.extend_from_slice(&h[row * self.units..(row + 1) * self.units]);
        }
        rows
    }

    pub(super) fn forward(&self, x: &[f32], cs_prev: &[f32], h_prev: &[f32]) -> Result<Step> {
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
    pub(super) fn backward(
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

    pub(super) fn no_peephole_grads(&self) -> [Vec<f32>; 3] {
        std::array::from_fn(|_| vec![0f32; self.units])
    }
}

pub(super) fn set(cx: &mut OpContext<'_>, index: usize, dims: &[i64], values: Vec<f32>) -> Result<()> {
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
pub(super) fn alike(cx: &OpContext<'_>, range: std::ops::Range<usize>, dims: &[i64]) -> Result<Vec<Tensor>> {
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
