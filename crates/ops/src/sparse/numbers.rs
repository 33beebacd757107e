//! The types of numbers in sparse tensors, and the sizes of numbers of any type.

use tensor::{Complex64, Complex128, DType, Result, Tensor};

use crate::summary::scalar_summary::numbers;

/// The types that TensorFlow allows for numbers.
pub(super) const NUMBERS: &str = "{float, double, int32, uint8, int16, int8, complex64, int64, qint8, quint8, qint32, bfloat16, \
                                  qint16, quint16, uint16, complex128, half, uint32, uint64}";

/// How large numbers are, as doubles.
pub(super) fn magnitudes(values: &Tensor) -> Result<Vec<f64>> {
    match values.dtype() {
        DType::Complex64 => Ok(values.as_slice::<Complex64>()?.iter().map(|value| value.norm() as f64).collect()),
        DType::Complex128 => Ok(values.as_slice::<Complex128>()?.iter().map(|value| value.norm()).collect()),
        _ => Ok(numbers(values)?.into_iter().map(f64::abs).collect()),
    }
}
