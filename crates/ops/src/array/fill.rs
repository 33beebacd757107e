//! `Fill`: a tensor of one value.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Graph, Node, Output};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bf16, ensure, err, f16};

use crate::arguments::{kernel_by_size, known_dims, shape_constant};
use crate::moving::{Repeat, moved};

pub(crate) fn register(r: &mut Registry) {
    r.op("Fill", "dims: index_type, value: T -> output: T")
        .attr("T: type")
        .attr("index_type: {int32, int64} = int32")
        .shape(fill_shape)
        .kernel("T", types::ALL, fill_kernel)
        .gradient(fill_gradient);
}

fn fill_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.with_rank(1, 0)?;
    let negative = cx.ints(0).is_some_and(|dims| dims.iter().any(|dim| *dim < 0));
    ensure!(!negative, InvalidArgument, "Fill dimensions must be >= 0");
    cx.set(0, cx.input_as_shape(0));
    Ok(())
}

fn fill_kernel(node: &Node) -> Result<Kernel> {
    Ok(kernel_by_size(node, |cx: &mut OpContext<'_>| {
        let filled = fill(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, filled);
        Ok(())
    }))
}

/// A tensor of the shape `dims` and one value everywhere.
pub(crate) fn fill(dims: &Tensor, value: &Tensor) -> Result<Tensor> {
    ensure!(dims.shape().rank() <= 1, InvalidArgument, "dims must represent a vector, got shape {}", dims.shape());
    ensure!(value.num_elements() == 1, InvalidArgument, "value must represent a scalar, got shape {}", value.shape());
    let dims = dims.to_i64_vec()?;
    if let Some(dim) = dims.iter().find(|dim| **dim < 0) {
        return Err(err!(InvalidArgument, "Dimension {dim} must be >= 0"));
    }
    let shape = Shape::new(&dims)?;
    match value.buffer() {
        Some(_) => Tensor::repeating(value, shape),
        None => moved(shape, &[value], &Repeat),
    }
}

/// The value is everywhere, so its gradient is the sum of all.
fn fill_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dy = cx.dy(0)?;
    let rank = cx.op("Rank").input(&dy).output();
    let axes = cx.op("Range").input(cx.graph.constant(0i32)).input(rank).input(cx.graph.constant(1i32)).output();
    Ok(vec![None, Some(cx.op("Sum").input(dy).input(axes).output().into())])
}

/// The number 1 of a type.
pub(crate) fn one(dtype: DType) -> Result<Tensor> {
    Ok(match dtype {
        DType::Float => Tensor::scalar(1f32),
        DType::Double => Tensor::scalar(1f64),
        DType::Half => Tensor::scalar(f16::ONE),
        DType::BFloat16 => Tensor::scalar(bf16::ONE),
        DType::Int8 => Tensor::scalar(1i8),
        DType::Int16 => Tensor::scalar(1i16),
        DType::Int32 => Tensor::scalar(1i32),
        DType::Int64 => Tensor::scalar(1i64),
        DType::UInt8 => Tensor::scalar(1u8),
        DType::UInt16 => Tensor::scalar(1u16),
        DType::UInt32 => Tensor::scalar(1u32),
        DType::UInt64 => Tensor::scalar(1u64),
        DType::Bool => Tensor::scalar(true),
        DType::Complex64 => Tensor::scalar(tensor::Complex64::new(1.0, 0.0)),
        DType::Complex128 => Tensor::scalar(tensor::Complex128::new(1.0, 0.0)),
        other => return Err(err!(InvalidArgument, "there is no 1 of type {other}")),
    })
}

/// Tensors with one value everywhere (`Fill`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// assert_eq!(eval(&g.fill(&[2], "x"))?, Tensor::string_vector(["x", "x"]));
/// assert_eq!(eval(&g.zeros(&[1, 2], DType::Float))?, Tensor::from([[0f32, 0.0]]));
/// assert_eq!(eval(&g.ones((), DType::Int64))?, Tensor::from(1i64));
/// # Ok(())
/// # }
/// ```
pub trait FillOps {
    /// Returns a tensor of this shape with one value everywhere.
    fn fill(&self, shape: impl Into<PartialShape>, value: impl Into<Tensor>) -> Output;
    /// Returns a tensor of zeros.
    fn zeros(&self, shape: impl Into<PartialShape>, dtype: DType) -> Output;
    /// Returns a tensor of ones.
    fn ones(&self, shape: impl Into<PartialShape>, dtype: DType) -> Output;
}

impl FillOps for Graph {
    #[track_caller]
    fn fill(&self, shape: impl Into<PartialShape>, value: impl Into<Tensor>) -> Output {
        let (shape, value) = (shape_constant(self, shape), self.constant(value));
        self.op("Fill").input(shape).input(value).output()
    }

    #[track_caller]
    fn zeros(&self, shape: impl Into<PartialShape>, dtype: DType) -> Output {
        filled(self, "zeros", shape.into(), Tensor::zeros(dtype, &Shape::scalar()))
    }

    #[track_caller]
    fn ones(&self, shape: impl Into<PartialShape>, dtype: DType) -> Output {
        filled(self, "ones", shape.into(), one(dtype))
    }
}

/// Small tensors are constants, large ones are filled when they run: the nodes that TensorFlow makes.
#[track_caller]
fn filled(graph: &Graph, name: &str, shape: PartialShape, value: Result<Tensor>) -> Output {
    let at = std::panic::Location::caller();
    let (shape, value) = match (known_dims(shape), value) {
        (Ok(shape), value) => (shape, value),
        (Err(mistake), _) => (Vec::new(), Err(mistake)),
    };
    let constant = |name: String, value: Tensor| {
        graph.op("Const").name_exactly(name).attr("dtype", value.dtype()).attr("value", value).at(at).output()
    };
    let full = graph.unique_name(name);
    let elements = shape.iter().try_fold(1i64, |product, dim| product.checked_mul(*dim));
    let whole = |value: Tensor| match elements {
        Some(0..1000) => fill(&Tensor::vector(&shape), &value).map(|whole| constant(full.clone(), whole)),
        _ => {
            let dims = match shape.iter().map(|dim| i32::try_from(*dim).ok()).collect::<Option<Vec<i32>>>() {
                Some(dims) => Tensor::vector(&dims),
                None => Tensor::vector(&shape),
            };
            let dims = constant(format!("{full}/shape_as_tensor"), dims);
            let value = constant(format!("{full}/Const"), value);
            Ok(graph.op("Fill").name_exactly(full.clone()).input(dims).input(value).at(at).output())
        }
    };
    value.and_then(whole).unwrap_or_else(|mistake| {
        graph.note_mistake(mistake);
        graph.op("Fill").output()
    })
}

/// Returns a constant in a shape and type: one value is repeated, several must be as many as fit.
///
/// # Errors
/// `InvalidArgument` if they are not as many, or cannot be of that type.
pub fn constant_of_shape(value: &Tensor, shape: &[i64], dtype: DType) -> Result<Tensor> {
    let shape = Shape::new(shape)?;
    let value = crate::math::cast(value.clone(), dtype, false)?;
    if value.num_elements() == shape.num_elements() {
        return value.reshape(shape);
    }
    ensure!(
        value.num_elements() == 1,
        InvalidArgument,
        "a constant of {} elements does not fill shape {shape}",
        value.num_elements()
    );
    fill(&Tensor::vector(shape.dims()), &value.reshape(Shape::scalar())?)
}

/// Zeros and ones with the type and shape of a tensor (`ZerosLike`, `OnesLike`).
///
/// ```
/// use tensorfleet::prelude::*;
/// use testkit::eval;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([3i32, 4]);
/// assert_eq!(eval(&x.zeros_like())?, Tensor::from([0i32, 0]));
/// assert_eq!(eval(&x.ones_like())?, Tensor::from([1i32, 1]));
/// # Ok(())
/// # }
/// ```
pub trait LikeOps {
    /// Returns zeros in the same shape.
    fn zeros_like(&self) -> Output;
    /// Returns ones in the same shape.
    fn ones_like(&self) -> Output;
}

impl LikeOps for Output {
    #[track_caller]
    fn zeros_like(&self) -> Output {
        self.unary("ZerosLike")
    }

    #[track_caller]
    fn ones_like(&self) -> Output {
        self.unary("OnesLike")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_type_can_be_filled() {
        let dims = Tensor::from([2i32, 2]);
        assert_eq!(fill(&dims, &Tensor::from(3f32)).unwrap(), Tensor::from([[3f32, 3.0], [3.0, 3.0]]));
        assert_eq!(fill(&dims, &Tensor::from(true)).unwrap(), Tensor::from([[true, true], [true, true]]));
        assert_eq!(fill(&dims, &Tensor::from("a")).unwrap().strings().unwrap(), ["a", "a", "a", "a"]);
        assert_eq!(
            fill(&Tensor::from([-1i32]), &Tensor::from(3f32)).unwrap_err().message(),
            "Dimension -1 must be >= 0"
        );
        let huge = Tensor::from([1i64 << 40, 1 << 40]);
        assert_eq!(fill(&huge, &Tensor::from("a")).unwrap_err().code(), tensor::Code::InvalidArgument);
        assert_eq!(
            fill(&Tensor::from([1i64 << 50]), &Tensor::from("a")).unwrap_err().code(),
            tensor::Code::ResourceExhausted
        );
    }
}
