//! `+`, `-`, `*`, `/` and unary `-` on outputs, with outputs or numbers on the other side.

use std::panic::Location;

use tensor::{DType, Result, Status, Tensor, bf16, err, f16};

use crate::builder::{Graph, Output};

/// What can stand in an expression beside an [`Output`]: another output, a variable, or a number.
///
/// A number takes the type of the other side and becomes a constant, named as TensorFlow names it. One that the type cannot
/// hold, such as 0.5 beside integers, is a mistake of the graph. On the right, numbers are `f32`, `f64`, `i32` or `i64`; on the
/// left, literals, `f64` or `i64`.
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.constant([1i64, 2]);
/// let y = 10 - &x * 3;
/// assert_eq!(y.name().unwrap().to_string(), "sub:0");
/// assert!(g.operation("mul/y").is_ok() && g.operation("sub/x").is_ok());
/// assert_eq!(LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&y))?[0], Tensor::from([7i64, 4]));
///
/// let _ = &x * 0.5;
/// assert_eq!(g.check().unwrap_err().code(), Code::InvalidArgument);
/// # Ok(())
/// # }
/// ```
pub trait Operand {
    /// This operand as an output of `graph`, a number taking the type of the other side.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::Operand;
    /// let g = Graph::new();
    /// let two = 2.to_output(&g, Some(DType::Double));
    /// assert_eq!(two.dtype(), Some(DType::Double));
    /// ```
    fn to_output(&self, graph: &Graph, other: Option<DType>) -> Output;

    /// The same, a number becoming a constant of this full name.
    #[track_caller]
    fn to_named_output(&self, graph: &Graph, other: Option<DType>, _name: &str) -> Output {
        self.to_output(graph, other)
    }
}

impl Operand for Output {
    fn to_output(&self, _: &Graph, _: Option<DType>) -> Output {
        self.clone()
    }
}

impl Operand for &Output {
    fn to_output(&self, _: &Graph, _: Option<DType>) -> Output {
        (*self).clone()
    }
}

macro_rules! number_operands {
    ($($number:ty as $exact:ty),*) => {
        $(impl Operand for $number {
            #[track_caller]
            fn to_output(&self, graph: &Graph, other: Option<DType>) -> Output {
                constant(graph, Number::from(*self as $exact), other, None)
            }

            #[track_caller]
            fn to_named_output(&self, graph: &Graph, other: Option<DType>, name: &str) -> Output {
                constant(graph, Number::from(*self as $exact), other, Some(name))
            }
        })*
    };
}

number_operands!(f32 as f64, f64 as f64, i32 as i64, i64 as i64);

/// A number of a program, before it takes the type of the tensor that it stands beside.
#[derive(Clone, Copy)]
enum Number {
    Float(f64),
    Int(i64),
}

impl From<f64> for Number {
    fn from(value: f64) -> Number {
        Number::Float(value)
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::Int(value)
    }
}

#[track_caller]
fn constant(graph: &Graph, value: Number, other: Option<DType>, name: Option<&str>) -> Output {
    match value.to_tensor(other.unwrap_or(DType::Float)) {
        Ok(value) => {
            let node = graph.op("Const").attr("dtype", value.dtype()).attr("value", value);
            if let Some(name) = name { node.name_exactly(name).output() } else { node.output() }
        }
        Err(status) => {
            graph.note_mistake(status);
            graph.poisoned_output()
        }
    }
}

impl Number {
    fn to_tensor(self, dtype: DType) -> Result<Tensor> {
        macro_rules! integer {
            ($type:ty) => {
                Ok(Tensor::scalar(<$type>::try_from(self.to_integer(dtype)?).map_err(|_| self.misfit(dtype))?))
            };
        }
        let float = match self {
            Number::Float(value) => value,
            Number::Int(value) => value as f64,
        };
        match dtype {
            DType::Double => Ok(Tensor::scalar(float)),
            DType::Half => Ok(Tensor::scalar(f16::from_f64(float))),
            DType::BFloat16 => Ok(Tensor::scalar(bf16::from_f64(float))),
            DType::Complex64 => Ok(Tensor::scalar(tensor::Complex64::new(float as f32, 0.0))),
            DType::Complex128 => Ok(Tensor::scalar(tensor::Complex128::new(float, 0.0))),
            DType::Int8 => integer!(i8),
            DType::Int16 => integer!(i16),
            DType::Int32 => integer!(i32),
            DType::Int64 => integer!(i64),
            DType::UInt8 => integer!(u8),
            DType::UInt16 => integer!(u16),
            DType::UInt32 => integer!(u32),
            DType::UInt64 => integer!(u64),
            _ => Ok(Tensor::scalar(float as f32)),
        }
    }

    fn to_integer(self, dtype: DType) -> Result<i64> {
        match self {
            Number::Int(value) => Ok(value),
            Number::Float(value) => {
                // Above 2^53 not every integer is a float, and none is meant.
                let whole = value.fract() == 0.0 && value.abs() <= (1i64 << 53) as f64;
                if whole { Ok(value as i64) } else { Err(self.misfit(dtype)) }
            }
        }
    }

    fn misfit(self, dtype: DType) -> Status {
        match self {
            Number::Float(value) => err!(InvalidArgument, "Expected {dtype}, but got {value:?} of type 'float'"),
            Number::Int(value) => err!(InvalidArgument, "Expected {dtype}, but got {value} of type 'int'"),
        }
    }
}

impl Output {
    /// A node of a two-sided op, with this output on the left. A number on the right becomes the constant `name/y`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let power = g.constant(3f32).binary("Pow", "power", 2.0);
    /// assert_eq!(power.name().unwrap().to_string(), "power:0");
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&power)?, 9.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn binary(&self, op: &str, name: &str, right: impl Operand) -> Output {
        let name = self.graph().unique_name(name);
        let right = right.to_named_output(self.graph(), self.dtype(), &format!("{name}/y"));
        self.graph().op(op).name_exactly(name).input(self).input(right).at(Location::caller()).output()
    }

    /// A node of a two-sided op, with this output on the right. A number on the left becomes the constant `name/x`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let power = g.constant(3f32).binary_right("Pow", "power", 2.0);
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&power)?, 8.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn binary_right(&self, op: &str, name: &str, left: impl Operand) -> Output {
        let name = self.graph().unique_name(name);
        let left = left.to_named_output(self.graph(), self.dtype(), &format!("{name}/x"));
        self.graph().op(op).name_exactly(name).input(left).input(self).at(Location::caller()).output()
    }

    /// A node of an op with one input.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let root = g.constant(9f32).unary("Sqrt");
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&root)?, 3.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn unary(&self, op: &str) -> Output {
        self.graph().op(op).input(self).at(Location::caller()).output()
    }
}

/// Gives a type that dereferences to [`Output`] the operators `+`, `-`, `*`, `/` and unary `-`, owned and borrowed, with
/// [`Operand`]s on the right and `f64` or `i64` on the left.
#[macro_export]
macro_rules! impl_operators {
    ($type:ty) => {
        $crate::impl_operators!($type, Add add "AddV2" "add");
        $crate::impl_operators!($type, Sub sub "Sub" "sub");
        $crate::impl_operators!($type, Mul mul "Mul" "mul");
        $crate::impl_operators!($type, Div div "RealDiv" "truediv");

        impl ::std::ops::Neg for &$type {
            type Output = $crate::Output;
            #[track_caller]
            fn neg(self) -> $crate::Output {
                self.unary("Neg")
            }
        }

        impl ::std::ops::Neg for $type {
            type Output = $crate::Output;
            #[track_caller]
            fn neg(self) -> $crate::Output {
                self.unary("Neg")
            }
        }
    };
    ($type:ty, $trait:ident $method:ident $op:literal $name:literal) => {
        impl<R: $crate::Operand> ::std::ops::$trait<R> for &$type {
            type Output = $crate::Output;
            #[track_caller]
            fn $method(self, right: R) -> $crate::Output {
                self.binary($op, $name, right)
            }
        }

        impl<R: $crate::Operand> ::std::ops::$trait<R> for $type {
            type Output = $crate::Output;
            #[track_caller]
            fn $method(self, right: R) -> $crate::Output {
                self.binary($op, $name, right)
            }
        }

        // One type of floats and one of integers, so that the type of `2.0 * &x` is known at once and needs no annotation.
        $crate::impl_operators!(f64, $type, $trait $method $op $name);
        $crate::impl_operators!(i64, $type, $trait $method $op $name);
    };
    ($number:ty, $type:ty, $trait:ident $method:ident $op:literal $name:literal) => {
        impl ::std::ops::$trait<&$type> for $number {
            type Output = $crate::Output;
            #[track_caller]
            fn $method(self, right: &$type) -> $crate::Output {
                right.binary_right($op, $name, self)
            }
        }

        impl ::std::ops::$trait<$type> for $number {
            type Output = $crate::Output;
            #[track_caller]
            fn $method(self, right: $type) -> $crate::Output {
                right.binary_right($op, $name, self)
            }
        }
    };
}

impl_operators!(Output);
