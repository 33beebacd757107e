//! Whether two tensors are the same, up to the rounding of their type.

use tensor::{Complex64, Complex128, DType, Tensor, bf16, f16};

/// How far a number may be from the expected one: `atol + rtol * |expected|`.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tolerance {
    pub rtol: f64,
    pub atol: f64,
}

impl Tolerance {
    pub const EXACT: Tolerance = Tolerance { rtol: 0.0, atol: 0.0 };

    /// What the arithmetic of a type lets one expect.
    pub fn of(dtype: DType) -> Tolerance {
        match dtype {
            DType::Float | DType::Complex64 => Tolerance { rtol: 1e-5, atol: 1e-6 },
            DType::Double | DType::Complex128 => Tolerance { rtol: 1e-12, atol: 1e-12 },
            DType::Half => Tolerance { rtol: 2e-3, atol: 1e-3 },
            DType::BFloat16 => Tolerance { rtol: 1.6e-2, atol: 1e-2 },
            _ => Tolerance::EXACT,
        }
    }

    fn accepts(self, got: f64, expected: f64) -> bool {
        // Equal infinities are equal; an infinity is far from every number.
        got == expected
            || (got.is_nan() && expected.is_nan())
            || (got.is_finite()
                && expected.is_finite()
                && (got - expected).abs() <= self.atol + self.rtol * expected.abs())
    }
}

/// What differs, in words; `Ok` if nothing does. NaN equals NaN.
///
/// # Errors
/// The first difference: type, shape, or the place and the two numbers.
pub fn compare(got: &Tensor, expected: &Tensor, tolerance: Tolerance) -> Result<(), String> {
    if got.dtype() != expected.dtype() {
        return Err(format!("type {} instead of {}", got.dtype(), expected.dtype()));
    }
    if got.dims() != expected.dims() {
        return Err(format!("shape {} instead of {}", got.shape(), expected.shape()));
    }
    if got.dtype() == DType::String {
        let (got, expected) = (got.strings().unwrap_or(&[]), expected.strings().unwrap_or(&[]));
        return match got.iter().zip(expected).position(|(a, b)| a != b) {
            Some(place) => Err(format!("element {place} is {:?} instead of {:?}", got[place], expected[place])),
            None => Ok(()),
        };
    }
    let (Some(got_numbers), Some(numbers)) = (numbers(got), numbers(expected)) else {
        return match (got.buffer(), expected.buffer()) {
            (Some(a), Some(b)) if a.as_bytes() == b.as_bytes() => Ok(()),
            (Some(_), Some(_)) => Err(format!("{got:?} instead of {expected:?}")),
            _ => Err(format!("values of type {} cannot be compared", got.dtype())),
        };
    };
    let wrong = |(a, b): (&f64, &f64)| !tolerance.accepts(*a, *b);
    match got_numbers.iter().zip(&numbers).position(wrong) {
        Some(place) => Err(format!(
            "element {place} is {} instead of {}: {} instead of {}",
            got_numbers[place],
            numbers[place],
            short(&got_numbers),
            short(&numbers)
        )),
        None => Ok(()),
    }
}

fn short(numbers: &[f64]) -> String {
    let shown: Vec<String> = numbers.iter().take(12).map(|number| number.to_string()).collect();
    format!("[{}{}]", shown.join(", "), if numbers.len() > 12 { ", .." } else { "" })
}

/// The elements as numbers, complex ones in pairs; `None` for integers, which are compared as bytes.
fn numbers(tensor: &Tensor) -> Option<Vec<f64>> {
    Some(match tensor.dtype() {
        DType::Float => tensor.as_slice::<f32>().ok()?.iter().map(|x| f64::from(*x)).collect(),
        DType::Double => tensor.as_slice::<f64>().ok()?.to_vec(),
        DType::Half => tensor.as_slice::<f16>().ok()?.iter().map(|x| x.to_f64()).collect(),
        DType::BFloat16 => tensor.as_slice::<bf16>().ok()?.iter().map(|x| x.to_f64()).collect(),
        DType::Complex64 => {
            let numbers = tensor.as_slice::<Complex64>().ok()?;
            numbers.iter().flat_map(|x| [f64::from(x.re), f64::from(x.im)]).collect()
        }
        DType::Complex128 => tensor.as_slice::<Complex128>().ok()?.iter().flat_map(|x| [x.re, x.im]).collect(),
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_equal_and_what_is_not() {
        let tolerance = Tolerance::of(DType::Float);
        let same = |a: Tensor, b: Tensor| compare(&a, &b, tolerance).is_ok();
        assert!(same([1.0f32, f32::NAN].into(), [1.000001f32, f32::NAN].into()));
        assert!(same([f32::INFINITY].into(), [f32::INFINITY].into()));
        assert!(!same([f32::INFINITY].into(), [1.0f32].into()));
        assert!(!same([f32::NAN].into(), [1.0f32].into()));
        assert!(!same([1.0f32].into(), [1.1f32].into()));
        assert!(!same([1.0f32].into(), [[1.0f32]].into()));
        assert!(!same([1i32].into(), [1i64].into()));
        assert!(!same([1i32].into(), [2i32].into()));
        assert!(!same(Tensor::string_vector(["a"]), Tensor::string_vector(["b"])));
    }
}
