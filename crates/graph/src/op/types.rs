//! Lists of element types that kernels and definitions share.

use tensor::DType::{self, *};

/// The floating-point types.
pub const FLOATS: &[DType] = &[Half, BFloat16, Float, Double];
/// The floating-point types of 32 and 64 bits.
pub const WIDE_FLOATS: &[DType] = &[Float, Double];
/// The integer types.
pub const INTEGERS: &[DType] = &[Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
/// The types of indices and sizes.
pub const INDICES: &[DType] = &[Int32, Int64];
/// Numbers without the complex ones.
pub const REALS: &[DType] = &[Half, BFloat16, Float, Double, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64];
/// The types of real and complex numbers.
pub const NUMBERS: &[DType] =
    &[Half, BFloat16, Float, Double, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128];
/// Everything that is one block of bytes.
pub const PLAIN: &[DType] = &[
    Half, BFloat16, Float, Double, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128,
    Bool, QInt8, QUInt8, QInt32, QInt16, QUInt16,
];
/// Everything that moves: plain elements, strings, handles, variants.
pub const ALL: &[DType] = &[
    Half, BFloat16, Float, Double, Int8, Int16, Int32, Int64, UInt8, UInt16, UInt32, UInt64, Complex64, Complex128,
    Bool, QInt8, QUInt8, QInt32, QInt16, QUInt16, String, Resource, Variant,
];
