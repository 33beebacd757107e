//! `+`, `-`, `*`, `/` and unary `-` on outputs, with outputs or numbers on the other side.

use std::ops::{Add, Div, Mul, Neg, Sub};
use std::panic::Location;

use tensor::{DType, Tensor, bf16, f16};

use crate::builder::{Graph, Output};

/// Something that can stand in an expression beside an [`Output`].
pub trait Operand {
    /// This operand as an output of `graph`, a number taking the type of the other side.
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
    ($($number:ty),*) => {
        $(impl Operand for $number {
            #[track_caller]
            fn to_output(&self, graph: &Graph, other: Option<DType>) -> Output {
                graph.constant(number(*self as f64, other.unwrap_or(DType::Float)))
            }

            #[track_caller]
            fn to_named_output(&self, graph: &Graph, other: Option<DType>, name: &str) -> Output {
                let value = number(*self as f64, other.unwrap_or(DType::Float));
                graph.op("Const").name_exactly(name).attr("dtype", value.dtype()).attr("value", value).output()
            }
        })*
    };
}

number_operands!(f32, f64, i32);

fn number(value: f64, dtype: DType) -> Tensor {
    match dtype {
        DType::Double => Tensor::scalar(value),
        DType::Half => Tensor::scalar(f16::from_f64(value)),
        DType::BFloat16 => Tensor::scalar(bf16::from_f64(value)),
        DType::Int8 => Tensor::scalar(value as i8),
        DType::Int16 => Tensor::scalar(value as i16),
        DType::Int32 => Tensor::scalar(value as i32),
        DType::Int64 => Tensor::scalar(value as i64),
        DType::UInt8 => Tensor::scalar(value as u8),
        DType::UInt16 => Tensor::scalar(value as u16),
        DType::UInt32 => Tensor::scalar(value as u32),
        DType::UInt64 => Tensor::scalar(value as u64),
        _ => Tensor::scalar(value as f32),
    }
}

impl Output {
    /// A node of a two-sided op, with this output on the left. A number on the right becomes the constant `name/y`.
    #[track_caller]
    pub fn binary(&self, op: &str, name: &str, right: impl Operand) -> Output {
        let name = self.graph().unique_name(name);
        let right = right.to_named_output(self.graph(), self.dtype(), &format!("{name}/y"));
        self.graph().op(op).name_exactly(name).input(self).input(right).at(Location::caller()).output()
    }

    /// A node of a two-sided op, with this output on the right. A number on the left becomes the constant `name/x`.
    #[track_caller]
    pub fn binary_right(&self, op: &str, name: &str, left: impl Operand) -> Output {
        let name = self.graph().unique_name(name);
        let left = left.to_named_output(self.graph(), self.dtype(), &format!("{name}/x"));
        self.graph().op(op).name_exactly(name).input(left).input(self).at(Location::caller()).output()
    }

    /// A node of an op with one input.
    #[track_caller]
    pub fn unary(&self, op: &str) -> Output {
        self.graph().op(op).input(self).at(Location::caller()).output()
    }
}

macro_rules! operators {
    ($($trait:ident $method:ident $op:literal $name:literal),*) => {
        $(impl<R: Operand> $trait<R> for &Output {
            type Output = Output;
            #[track_caller]
            fn $method(self, right: R) -> Output { self.binary($op, $name, right) }
        }
        impl<R: Operand> $trait<R> for Output {
            type Output = Output;
            #[track_caller]
            fn $method(self, right: R) -> Output { (&self).binary($op, $name, right) }
        }
        operators!(left f32 $trait $method $op $name);
        operators!(left f64 $trait $method $op $name);
        operators!(left i32 $trait $method $op $name);)*
    };
    (left $number:ident $trait:ident $method:ident $op:literal $name:literal) => {
        impl $trait<&Output> for $number {
            type Output = Output;
            #[track_caller]
            fn $method(self, right: &Output) -> Output {
                right.binary_right($op, $name, self)
            }
        }
        impl $trait<Output> for $number {
            type Output = Output;
            #[track_caller]
            fn $method(self, right: Output) -> Output { self.$method(&right) }
        }
    };
}

operators!(Add add "AddV2" "add", Sub sub "Sub" "sub", Mul mul "Mul" "mul", Div div "RealDiv" "truediv");

impl Neg for &Output {
    type Output = Output;
    #[track_caller]
    fn neg(self) -> Output {
        self.unary("Neg")
    }
}

impl Neg for Output {
    type Output = Output;
    #[track_caller]
    fn neg(self) -> Output {
        self.unary("Neg")
    }
}
