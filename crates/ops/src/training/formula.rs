//! What all optimizer steps share: an optimizer is a [`Formula`]; from it follow the dense ops (`ApplyX`,
//! `ResourceApplyX`) and the sparse ones (`SparseApplyX`, `ResourceSparseApplyX`).
//!
//! All variables of a step change under their locks, in one pass. Values that somebody still reads are left alone: the
//! results then go to new memory.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use math::optimize::Optimize;
use smallvec::SmallVec;
use tensor::{Complex64, Complex128, DType, PartialShape, Result, Tensor, bf16, ensure, err, f16};

use super::stored::Stored;
use super::update::{change, change_all, change_rows, check_rows, check_slots};
use crate::state::Access;

/// How an optimizer changes its variables.
pub(crate) trait Formula: Send + Sync + Sized + 'static {
    /// The variables: the one that is trained, then its slots.
    const VARIABLES: &'static [&'static str];
    /// The inputs after the variables: scalars, and the gradient.
    const INPUTS: &'static [&'static str];
    /// Which of the inputs is the gradient.
    const GRADIENT: &'static str = "grad";

    /// # Errors
    /// `InvalidArgument` if an attribute is missing.
    fn of_node(node: &Node) -> Result<Self>;

    /// One step on elements that belong together: `variables` and `grad` are of one length, `scalars` are the other
    /// inputs in their order.
    fn step<F: Optimize>(&self, variables: &mut [&mut [F]], grad: &[F], scalars: &[F]);

    /// Whether there is a step on complex numbers.
    const COMPLEX: bool = false;

    /// One step on one complex number of each variable.
    fn complex_step(&self, _variables: &mut [Complex128], _grad: Complex128, _scalars: &[Complex128]) {}
}

/// Registers `Apply...` and `ResourceApply...`.
pub(crate) fn register_dense<A: Formula>(r: &mut Registry, name: &str, attrs: &[&str]) {
    enter::<A>(r, name, Access::Ref, A::INPUTS, attrs, |node| dense::<A>(node, Access::Ref));
    register_resource::<A>(r, name, attrs);
}

/// Registers `ResourceApply...` alone.
pub(crate) fn register_resource<A: Formula>(r: &mut Registry, name: &str, attrs: &[&str]) {
    let name = format!("Resource{name}");
    enter::<A>(r, &name, Access::Resource, A::INPUTS, attrs, |node| dense::<A>(node, Access::Resource));
}

/// Registers `SparseApply...` and `ResourceSparseApply...`; `inputs` are those after the variables, with `indices`
/// among them.
pub(crate) fn register_sparse<A: Formula>(
    r: &mut Registry,
    name: &str,
    inputs: &'static [&'static str],
    attrs: &[&str],
) {
    enter::<A>(r, name, Access::Ref, inputs, attrs, |node| sparse::<A>(node, Access::Ref));
    let name = format!("Resource{name}");
    enter::<A>(r, &name, Access::Resource, inputs, attrs, |node| sparse::<A>(node, Access::Resource));
}

/// Registers `ResourceSparseApply...` alone.
pub(crate) fn register_resource_sparse<A: Formula>(
    r: &mut Registry,
    name: &str,
    inputs: &'static [&'static str],
    attrs: &[&str],
) {
    let name = format!("Resource{name}");
    enter::<A>(r, &name, Access::Resource, inputs, attrs, |node| sparse::<A>(node, Access::Resource));
}

fn enter<A: Formula>(
    r: &mut Registry,
    name: &str,
    access: Access,
    inputs: &[&str],
    attrs: &[&str],
    build: fn(&Node) -> Result<Kernel>,
) {
    let variable = if access == Access::Ref { "Ref(T)" } else { "resource" };
    let mut args: Vec<String> = A::VARIABLES.iter().map(|name| format!("{name}: {variable}")).collect();
    args.extend(inputs.iter().map(|name| {
        format!(
            "{name}: {}",
            match *name {
                "indices" => "Tindices",
                "global_step" => "int64",
                _ => "T",
            }
        )
    }));
    let result = if access == Access::Ref { "out: Ref(T)" } else { "" };
    let mut entry = r.op(name, &format!("{} -> {result}", args.join(", "))).attr(
        "T: {float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, qint16, quint16, \
         uint16, complex128, half, uint32, uint64}",
    );
    if inputs.contains(&"indices") {
        entry = entry.attr("Tindices: {int32, int64}");
    }
    entry = entry.attr("use_locking: bool = false");
    for attr in attrs {
        entry = entry.attr(attr);
    }
    if access == Access::Resource {
        entry = entry.stateful();
    }
    const WITH_COMPLEX: &[DType] =
        &[DType::Half, DType::BFloat16, DType::Float, DType::Double, DType::Complex64, DType::Complex128];
    let types = if A::COMPLEX { WITH_COMPLEX } else { types::FLOATS };
    entry.shape(shape::<A>).kernel("T", types, build).not_differentiable();
}

pub(super) fn shape<A: Formula>(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = A::VARIABLES.len();
    let access = if cx.num_outputs() > 0 { Access::Ref } else { Access::Resource };
    let spec = cx.node.spec.clone();
    let names: Vec<&str> =
        spec.iter().flat_map(|spec| &spec.def.inputs).skip(count).map(|arg| arg.name.as_str()).collect();
    let sparse = names.contains(&"indices");
    let mut shape = PartialShape::unknown();
    for index in 0..count {
        shape = shape.merge(&access.shape(cx, index))?;
    }
    for (place, name) in names.iter().enumerate() {
        match *name {
            "indices" => drop(cx.with_rank(count + place, 1)?),
            name if name == A::GRADIENT && sparse => {
                if let (Some([_, row @ ..]), Some([_, grad @ ..])) =
                    (shape.raw_dims(), cx.input(count + place).raw_dims())
                {
                    PartialShape::from_dims(row).merge(&PartialShape::from_dims(grad))?;
                }
            }
            name if name == A::GRADIENT => shape = shape.merge(&cx.input(count + place))?,
            _ => drop(cx.with_rank(count + place, 0)?),
        }
    }
    cx.set(0, shape);
    Ok(())
}

fn dense<A: Formula>(node: &Node, access: Access) -> Result<Kernel> {
    let formula = A::of_node(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let inputs = Inputs::of::<A>(cx, A::INPUTS)?;
        let var = change::<A>(cx, access, |variables| {
            check_slots::<A>(variables)?;
            ensure!(
                variables[0].shape() == inputs.grad.shape(),
                InvalidArgument,
                "{} and {} do not have the same shape{} {}",
                A::VARIABLES[0],
                A::GRADIENT,
                variables[0].shape(),
                inputs.grad.shape()
            );
            dispatch!(inputs.grad.dtype(), T in [f32, f64, f16, bf16, Complex64, Complex128] => {
                let scalars = inputs.scalars::<T>()?;
                change_all::<A, T>(&formula, variables, inputs.grad.as_slice::<T>()?, &scalars)
            })
        })?;
        drop(inputs);
        if access == Access::Ref {
            cx.set_ref(0, var);
        }
        Ok(())
    }))
}

fn sparse<A: Formula>(node: &Node, access: Access) -> Result<Kernel> {
    let formula = A::of_node(node)?;
    let names = sparse_inputs::<A>(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let inputs = Inputs::of::<A>(cx, &names)?;
        let indices = inputs.indices.ok_or_else(|| err!(Internal, "op {} has no indices", cx.node.op))?;
        ensure!(indices.shape().rank() == 1, InvalidArgument, "indices must be one-dimensional: {}", indices.shape());
        let rows = indices.to_i64_vec()?;
        let var = change::<A>(cx, access, |variables| {
            check_slots::<A>(variables)?;
            check_rows(&variables[0], inputs.grad, &rows)?;
            dispatch!(inputs.grad.dtype(), T in [f32, f64, f16, bf16, Complex64, Complex128] => {
                let scalars = inputs.scalars::<T>()?;
                change_rows::<A, T>(&formula, variables, &rows, inputs.grad.as_slice::<T>()?, &scalars)
            })
        })?;
        drop(inputs);
        if access == Access::Ref {
            cx.set_ref(0, var);
        }
        Ok(())
    }))
}

/// The inputs of a sparse op after its variables, from its definition.
fn sparse_inputs<A: Formula>(node: &Node) -> Vec<&'static str> {
    let spec = node.spec.as_ref();
    let args = spec.iter().flat_map(|spec| &spec.def.inputs).skip(A::VARIABLES.len());
    args.filter_map(|arg| match arg.name.as_str() {
        "indices" => Some("indices"),
        name => A::INPUTS.iter().find(|known| **known == name).copied(),
    })
    .collect()
}

/// The inputs of one execution, after the variables.
struct Inputs<'a> {
    grad: &'a Tensor,
    indices: Option<&'a Tensor>,
    scalars: SmallVec<[&'a Tensor; 8]>,
}

impl<'a> Inputs<'a> {
    fn of<A: Formula>(cx: &'a OpContext<'_>, names: &[&str]) -> Result<Inputs<'a>> {
        let (mut grad, mut indices, mut scalars) = (None, None, SmallVec::new());
        for (place, name) in names.iter().enumerate() {
            let input = cx.input(A::VARIABLES.len() + place)?;
            match *name {
                "indices" => indices = Some(input),
                name if name == A::GRADIENT => grad = Some(input),
                name => {
                    ensure!(input.shape().is_scalar(), InvalidArgument, "{name} is not a scalar: {}", input.shape());
                    scalars.push(input);
                }
            }
        }
        let grad = grad.ok_or_else(|| err!(Internal, "op {} has no gradient input", cx.node.op))?;
        Ok(Inputs { grad, indices, scalars })
    }

    fn scalars<T: Stored>(&self) -> Result<SmallVec<[T; 8]>> {
        self.scalars.iter().map(|scalar| scalar_as::<T>(scalar)).collect()
    }
}

/// A step's number is an integer whatever the variable's type.
fn scalar_as<T: Stored>(scalar: &Tensor) -> Result<T> {
    match scalar.dtype() {
        DType::Int64 => Ok(T::from_count(scalar.to_scalar::<i64>()?)),
        _ => scalar.to_scalar::<T>(),
    }
}

#[cfg(test)]
pub(crate) mod testing {
    use std::sync::Arc;

    use graph::AttrValue;
    use graph::op::{Value, Variable};
    use tensor::{DType, PartialShape};

    use super::*;
    use crate::testing::{Bench, val};

    /// One step of a ref op on the variables [1, -2], [0.5, 0.25], [0.125, 2], [0.75, 0.5] with the gradient
    /// [0.5, -1.5]; the variables afterwards.
    pub(crate) fn step<A: Formula>(op: &str, attrs: &[(&str, AttrValue)], scalars: &[f32]) -> Vec<Vec<f32>> {
        step_from::<A>(op, attrs, scalars, &[[1.0, -2.0], [0.5, 0.25], [0.125, 2.0], [0.75, 0.5]])
    }

    pub(crate) fn step_from<A: Formula>(
        op: &str,
        attrs: &[(&str, AttrValue)],
        scalars: &[f32],
        before: &[[f32; 2]],
    ) -> Vec<Vec<f32>> {
        let variables: Vec<Arc<Variable>> = A::VARIABLES
            .iter()
            .zip(before)
            .map(|(name, value)| {
                let variable = Variable::new(*name, DType::Float, PartialShape::from([2]));
                variable.set(Tensor::from(*value));
                Arc::new(variable)
            })
            .collect();
        // Somebody reads the first one, which must not change under them.
        let read = variables[0].read().unwrap();
        let mut inputs: Vec<Value> = variables.iter().cloned().map(Value::Ref).collect();
        let mut scalars = scalars.iter();
        for name in A::INPUTS {
            let is_grad = *name == A::GRADIENT;
            inputs.push(if is_grad { val([0.5f32, -1.5]) } else { val(*scalars.next().unwrap()) });
        }
        let mut attrs = attrs.to_vec();
        attrs.push(("T", DType::Float.into()));
        Bench::new().run(op, &attrs, inputs).unwrap();
        assert_eq!(read, Tensor::from(before[0]));
        variables.iter().map(|variable| variable.read().unwrap().as_slice::<f32>().unwrap().to_vec()).collect()
    }

    #[track_caller]
    pub(crate) fn assert_close(actual: &[Vec<f32>], expected: &[[f32; 2]]) {
        assert_eq!(actual.len(), expected.len());
        for (a, e) in actual.iter().flatten().zip(expected.iter().flatten()) {
            assert!((a - e).abs() <= 2e-6 * e.abs().max(1.0), "{actual:?} is not {expected:?}");
        }
    }
}
