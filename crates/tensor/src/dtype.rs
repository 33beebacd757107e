//! Element types, with TensorFlow's numbers and names.

use std::fmt;

pub use half::{bf16, f16};
/// A complex number of two 32-bit floats.
///
/// ```
/// use tensorfleet_tensor::{Complex64, DType, Tensor};
/// let product = Complex64::new(0.0, 1.0) * Complex64::new(0.0, 1.0);
/// assert_eq!(product, Complex64::new(-1.0, 0.0));
/// assert_eq!(Tensor::from(product).dtype(), DType::Complex64);
/// ```
pub type Complex64 = num_complex::Complex<f32>;
/// A complex number of two 64-bit floats.
///
/// ```
/// use tensorfleet_tensor::{Complex128, DType, Tensor};
/// assert_eq!(Tensor::from(Complex128::new(1.0, 2.0)).dtype(), DType::Complex128);
/// ```
pub type Complex128 = num_complex::Complex<f64>;

macro_rules! dtypes {
    ($($variant:ident = $number:literal $name:literal $size:literal),* $(,)?) => {
        /// The type of a tensor's elements. The numbers are those of TensorFlow's `DataType`.
        ///
        /// ```
        /// use tensorfleet::prelude::*;
        /// assert_eq!((DType::Int64.number(), DType::Int64.name(), DType::Int64.size()), (9, "int64", 8));
        /// assert_eq!(DType::from_name("float"), Some(DType::Float));
        /// assert!(DType::ALL.contains(&DType::Bool));
        /// ```
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum DType { $(#[doc = concat!("`", $name, "`")] $variant = $number),* }

        impl DType {
            /// All types.
            pub const ALL: &'static [DType] = &[$(DType::$variant),*];

            /// The type with this number, for a plain (not reference) type number.
            pub fn from_number(number: i32) -> Option<DType> {
                match number { $($number => Some(DType::$variant),)* _ => None }
            }

            /// TensorFlow's name in op definitions and messages, as in `float` or `int64`.
            pub fn name(self) -> &'static str {
                match self { $(DType::$variant => $name),* }
            }

            /// Bytes an element takes; 0 for types that are not plain bytes (strings, handles, variants)
            /// and for types narrower than a byte, for which there are no kernels.
            pub fn size(self) -> usize {
                match self { $(DType::$variant => $size),* }
            }

            /// Returns the type of this name, as in `float` or `int64`.
            pub fn from_name(name: &str) -> Option<DType> {
                match name { $($name => Some(DType::$variant),)* _ => None }
            }
        }
    };
}

dtypes! {
    Float = 1 "float" 4, Double = 2 "double" 8, Int32 = 3 "int32" 4, UInt8 = 4 "uint8" 1,
    Int16 = 5 "int16" 2, Int8 = 6 "int8" 1, String = 7 "string" 0, Complex64 = 8 "complex64" 8,
    Int64 = 9 "int64" 8, Bool = 10 "bool" 1, QInt8 = 11 "qint8" 1, QUInt8 = 12 "quint8" 1,
    QInt32 = 13 "qint32" 4, BFloat16 = 14 "bfloat16" 2, QInt16 = 15 "qint16" 2,
    QUInt16 = 16 "quint16" 2, UInt16 = 17 "uint16" 2, Complex128 = 18 "complex128" 16,
    Half = 19 "half" 2, Resource = 20 "resource" 0, Variant = 21 "variant" 0,
    UInt32 = 22 "uint32" 4, UInt64 = 23 "uint64" 8, Float8E5M2 = 24 "float8_e5m2" 1,
    Float8E4M3Fn = 25 "float8_e4m3fn" 1, Float8E4M3Fnuz = 26 "float8_e4m3fnuz" 1,
    Float8E4M3B11Fnuz = 27 "float8_e4m3b11fnuz" 1, Float8E5M2Fnuz = 28 "float8_e5m2fnuz" 1,
    Int4 = 29 "int4" 0, UInt4 = 30 "uint4" 0, Int2 = 31 "int2" 0, UInt2 = 32 "uint2" 0,
    Float4E2M1Fn = 33 "float4_e2m1fn" 0,
}

impl DType {
    /// Returns TensorFlow's number of the type.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(DType::Int64.number(), 9);
    /// assert_eq!(DType::from_number(9), Some(DType::Int64));
    /// ```
    pub fn number(self) -> i32 {
        self as i32
    }

    /// Whether a tensor of this type is one block of plain bytes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert!(DType::Float.is_plain() && !DType::String.is_plain());
    /// ```
    pub fn is_plain(self) -> bool {
        self.size() > 0
    }

    /// Returns whether it is a real floating-point type that is computed with.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert!(DType::Half.is_floating() && !DType::Int32.is_floating() && !DType::Complex64.is_floating());
    /// ```
    pub fn is_floating(self) -> bool {
        matches!(self, DType::Float | DType::Double | DType::Half | DType::BFloat16)
    }

    /// Returns whether it is complex.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert!(DType::Complex64.is_complex() && !DType::Double.is_complex());
    /// ```
    pub fn is_complex(self) -> bool {
        matches!(self, DType::Complex64 | DType::Complex128)
    }

    /// Returns whether it is an integer type that is computed with.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert!(DType::UInt8.is_integer() && !DType::Bool.is_integer() && !DType::QInt8.is_integer());
    /// ```
    pub fn is_integer(self) -> bool {
        use DType::*;
        matches!(self, Int8 | Int16 | Int32 | Int64 | UInt8 | UInt16 | UInt32 | UInt64)
    }

    /// The name Python users know, as in `float32`; in Python's messages and `tensorfleet ops` alike.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((DType::Float.name(), DType::Float.python_name()), ("float", "float32"));
    /// ```
    pub fn python_name(self) -> &'static str {
        match self {
            DType::Float => "float32",
            DType::Double => "float64",
            DType::Half => "float16",
            other => other.name(),
        }
    }
}

impl fmt::Display for DType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// A Rust type that is a tensor's element. `bool` is stored as one byte, 0 or 1.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::Element;
/// fn type_of<T: Element>(_: &[T]) -> DType {
///     T::DTYPE
/// }
/// assert_eq!(type_of(&[1u8, 2]), DType::UInt8);
/// ```
pub trait Element: bytemuck::NoUninit + bytemuck::Zeroable + PartialEq + fmt::Debug + Send + Sync + 'static {
    /// The type of tensors of such elements.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($rust:ty => $dtype:ident),* $(,)?) => {
        $(impl Element for $rust { const DTYPE: DType = DType::$dtype; })*
    };
}

elements! {
    f32 => Float, f64 => Double, i8 => Int8, i16 => Int16, i32 => Int32, i64 => Int64, u8 => UInt8,
    u16 => UInt16, u32 => UInt32, u64 => UInt64, bool => Bool, f16 => Half, bf16 => BFloat16,
    Complex64 => Complex64, Complex128 => Complex128,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_lead_back() {
        for &dtype in DType::ALL {
            assert_eq!(DType::from_number(dtype.number()), Some(dtype));
            assert_eq!(DType::from_name(dtype.name()), Some(dtype));
        }
        assert_eq!(DType::from_number(0), None);
        assert_eq!(DType::from_number(101), None);
    }
}
