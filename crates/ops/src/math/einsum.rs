//! `Einsum`: sums of products over named dimensions, of one or two tensors.

use std::collections::BTreeMap;

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, ReadAttrs};
use math::number::Number;
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

pub(crate) fn register(r: &mut Registry) {
    const TYPES: &[DType] = &[
        DType::Float,
        DType::Double,
        DType::Half,
        DType::BFloat16,
        DType::Int32,
        DType::Int64,
        DType::Complex64,
        DType::Complex128,
    ];
    r.op("Einsum", "inputs: N * T -> output: T")
        .attr("equation: string")
        .attr("N: int >= 1")
        .attr("T: type")
        .shape(shape)
        .kernel("T", TYPES, kernel)
        .gradient(gradient);
}

/// An equation such as `ab,bc->ac`; `...` stands for the dimensions that have no letter.
struct Equation {
    inputs: Vec<String>,
    output: String,
}

impl Equation {
    fn new(text: &str, inputs: usize) -> Result<Equation> {
        let text: String = text.chars().filter(|c| !c.is_whitespace()).collect();
        let Some((left, right)) = text.split_once("->") else {
            bail!(InvalidArgument, "Expecting exactly one '->' in einsum equation: {text}")
        };
        let parts: Vec<String> = left.split(',').map(|part| part.replace("...", ".")).collect();
        ensure!(
            parts.len() == inputs,
            InvalidArgument,
            "Expected {} inputs for equation {text} but got: {inputs}",
            parts.len()
        );
        let output = right.replace("...", ".");
        for part in parts.iter().chain([&output]) {
            let fine = part.chars().all(|c| c.is_ascii_alphabetic() || c == '.') && part.matches('.').count() <= 1;
            ensure!(fine, InvalidArgument, "Invalid character in einsum equation: {text}");
        }
        for letter in output.chars().filter(|c| *c != '.') {
            ensure!(
                parts.iter().any(|part| part.contains(letter)),
                InvalidArgument,
                "Output subscripts contain the label '{letter}', which no input has"
            );
        }
        Ok(Equation { inputs: parts, output })
    }
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let equation = Equation::new(cx.attr_str("equation")?, cx.num_inputs())?;
    let mut sizes: BTreeMap<u32, i64> = BTreeMap::new();
    for (index, part) in equation.inputs.iter().enumerate() {
        let input = cx.input(index);
        let Some(dims) = input.raw_dims() else { return Ok(()) };
        for (label, dim) in labels(part, dims)?.into_iter().zip(dims) {
            let known = sizes.entry(label).or_insert(*dim);
            if *known < 0 || (label < HIDDEN && *known == 1) {
                *known = *dim;
            }
            ensure!(
                *known == *dim || *dim < 0 || (label < HIDDEN && *dim == 1),
                InvalidArgument,
                "Expected dimension {known} at axis but got dimension {dim}"
            );
        }
    }
    let hidden = sizes.keys().filter(|label| **label < HIDDEN).count() as u32;
    let order = ordered(&equation.output, hidden);
    let dims: Vec<i64> = order.iter().map(|label| sizes.get(label).copied().unwrap_or(1)).collect();
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}

/// Labels below this are dimensions of an ellipsis.
const HIDDEN: u32 = 256;

/// The labels of the output in order.
fn ordered(output: &str, hidden: u32) -> Vec<u32> {
    let mut order = Vec::new();
    for c in output.chars() {
        match c {
            '.' => order.extend((0..hidden).rev()),
            letter => order.push(HIDDEN + letter as u32),
        }
    }
    order
}

fn kernel(node: &Node) -> Result<Kernel> {
    let count = node.attr_int("N")?.max(0) as usize;
    ensure!(count <= 2, InvalidArgument, "Expecting 1 or 2 inputs, got: {count}");
    let equation = Equation::new(node.attr_str("equation")?, count)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let inputs = cx.inputs(0..cx.num_inputs())?;
        let output = einsum(&equation, &inputs)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The dimensions of each input by label; those of an ellipsis are numbered from the last.
fn labels(part: &str, dims: &[i64]) -> Result<Vec<u32>> {
    let letters = part.chars().filter(|c| *c != '.').count();
    let ellipsis = part.contains('.');
    ensure!(
        letters == dims.len() || (ellipsis && letters < dims.len() + 1),
        InvalidArgument,
        "Expected input to have rank {letters} but got: {}",
        dims.len()
    );
    let hidden = dims.len() - letters;
    let mut all = Vec::with_capacity(dims.len());
    for c in part.chars() {
        match c {
            '.' => all.extend((0..hidden as u32).rev()),
            letter => all.push(HIDDEN + letter as u32),
        }
    }
    Ok(all)
}

fn einsum(equation: &Equation, inputs: &[&Tensor]) -> Result<Tensor> {
    let mut sizes: BTreeMap<u32, i64> = BTreeMap::new();
    let mut named = Vec::with_capacity(inputs.len());
    for (part, input) in equation.inputs.iter().zip(inputs) {
        let labels = labels(part, input.dims())?;
        for (label, dim) in labels.iter().zip(input.dims()) {
            let known = sizes.entry(*label).or_insert(*dim);
            // Dimensions of an ellipsis are broadcast.
            if *label < HIDDEN && *known == 1 {
                *known = *dim;
            }
            ensure!(
                *known == *dim || (*label < HIDDEN && *dim == 1),
                InvalidArgument,
                "Expected dimension {known} at axis but got dimension {dim}"
            );
        }
        named.push(labels);
    }
    let hidden = sizes.keys().filter(|label| **label < HIDDEN).count() as u32;
    let order = ordered(&equation.output, hidden);
    let dims: Vec<i64> = order.iter().map(|label| sizes.get(label).copied().unwrap_or(1)).collect();
    let summed: Vec<u32> = sizes.keys().copied().filter(|label| !order.contains(label)).collect();
    let shape = Shape::new(&dims)?;
    Tensor::check_size(inputs[0].dtype(), &shape)?;
    // For each input, how far a step along each label goes; a label that comes twice goes along the diagonal.
    let strides = |labels: &[u32], input: &Tensor, wanted: &[u32]| -> Vec<usize> {
        let mut by_label: BTreeMap<u32, usize> = BTreeMap::new();
        let mut stride = 1usize;
        for (label, dim) in labels.iter().zip(input.dims()).rev() {
            if *dim != 1 {
                *by_label.entry(*label).or_default() += stride;
            }
            stride *= *dim as usize;
        }
        wanted.iter().map(|label| by_label.get(label).copied().unwrap_or(0)).collect()
    };
    let mut outer: Vec<Vec<usize>> = named.iter().zip(inputs).map(|(l, input)| strides(l, input, &order)).collect();
    // A label that comes twice in the output has its values on the diagonal, and zeros elsewhere.
    let mut equal = Vec::new();
    for (place, label) in order.iter().enumerate() {
        if let Some(first) = order[..place].iter().position(|before| before == label) {
            equal.push((first, place));
            outer.iter_mut().for_each(|strides| strides[place] = 0);
        }
    }
    let inner: Vec<Vec<usize>> = named.iter().zip(inputs).map(|(l, input)| strides(l, input, &summed)).collect();
    let summed_dims: Vec<usize> = summed.iter().map(|label| sizes[label] as usize).collect();
    let steps = Steps { outer_dims: dims.iter().map(|dim| *dim as usize).collect(), outer, equal, summed_dims, inner };
    dispatch!(inputs[0].dtype(), T in [f32, f64, f16, bf16, i32, i64, Complex64, Complex128] => {
        let values = inputs.iter().map(|input| input.as_slice::<T>()).collect::<Result<Vec<_>>>()?;
        Tensor::build(shape, |out: &mut [T]| {
            steps.run(&values, out);
            Ok(())
        })
    })
}

struct Steps {
    outer_dims: Vec<usize>,
    outer: Vec<Vec<usize>>,
    /// Pairs of the outer dimensions in which only equal places are not zero.
    equal: Vec<(usize, usize)>,
    summed_dims: Vec<usize>,
    inner: Vec<Vec<usize>>,
}

impl Steps {
    fn run<T: Number>(&self, values: &[&[T]], out: &mut [T]) {
        let total: usize = self.summed_dims.iter().product();
        math::threads::parallel_units(out, 1, (32 * 1024 / total.max(1)).max(1), |first, run| {
            for (place, out) in run.iter_mut().enumerate() {
                if !self.is_on_diagonal(first + place) {
                    *out = T::ZERO;
                    continue;
                }
                let start: Vec<usize> = self.outer.iter().map(|s| offset(first + place, &self.outer_dims, s)).collect();
                let mut sum = T::Wide::ZERO;
                let (a, b) = (values[0], values.get(1));
                for step in 0..total {
                    let x = a[start[0] + offset(step, &self.summed_dims, &self.inner[0])].widen();
                    sum = sum.plus(match b {
                        Some(b) => x.times(b[start[1] + offset(step, &self.summed_dims, &self.inner[1])].widen()),
                        None => x,
                    });
                }
                *out = T::narrow(sum);
            }
        });
    }

    /// Whether an element of the output has the same place in all dimensions of one label.
    fn is_on_diagonal(&self, place: usize) -> bool {
        let at = |dimension: usize| {
            let stride: usize = self.outer_dims[dimension + 1..].iter().product();
            place / stride % self.outer_dims[dimension]
        };
        self.equal.iter().all(|(a, b)| at(*a) == at(*b))
    }
}

/// Where the element number `place` of a block of these dimensions lies.
fn offset(mut place: usize, dims: &[usize], strides: &[usize]) -> usize {
    let mut at = 0;
    for (dim, stride) in dims.iter().zip(strides).rev() {
        at += place % dim.max(&1) * stride;
        place /= dim.max(&1);
    }
    at
}

/// The gradient of an input is the product of the other one and the gradient, where every label of the input is in one
/// of them.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let equation = Equation::new(cx.attr_str("equation")?, cx.num_inputs())?;
    let dy = cx.dy(0)?;
    let mut grads = Vec::with_capacity(cx.num_inputs());
    for index in 0..cx.num_inputs() {
        let own = &equation.inputs[index];
        let other = if cx.num_inputs() == 2 { Some(1 - index) } else { None };
        let known =
            |c: char| equation.output.contains(c) || other.is_some_and(|other| equation.inputs[other].contains(c));
        ensure!(
            own.chars().all(|c| c != '.' && known(c) && own.matches(c).count() == 1),
            Unimplemented,
            "the gradient of the einsum {} for input {index}",
            cx.attr_str("equation")?
        );
        let op = cx.op("Einsum");
        let built = match other {
            Some(other) => op
                .input_list(&[dy.clone(), cx.x(other)])
                .attr("equation", format!("{},{}->{own}", equation.output, equation.inputs[other])),
            None => op.input_list(std::slice::from_ref(&dy)).attr("equation", format!("{}->{own}", equation.output)),
        };
        grads.push(Some(built.output().into()));
    }
    Ok(grads)
}
