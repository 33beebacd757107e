//! Between tensors and the values of Rust: numbers, texts, vectors and arrays of any depth.

use bytes::Bytes;

use crate::{Complex64, Complex128, DType, Element, Result, Shape, Tensor, bail, bf16, err, f16};

/// What the value of a tensor can be read as: a number, a text, a vector or an array of these, to any depth, or the tensor
/// itself. [`Tensor::to`] and the sessions' results use it.
///
/// ```
/// use tensorfleet_tensor::Tensor;
/// let matrix = Tensor::from([[1f32, 2.0], [3.0, 4.0]]);
/// let rows: Vec<Vec<f32>> = matrix.to()?;
/// assert_eq!(rows[1], [3.0, 4.0]);
/// let pairs: Vec<[f32; 2]> = matrix.to()?;
/// assert_eq!(pairs[0], [1.0, 2.0]);
/// let status = matrix.to::<f32>().unwrap_err();
/// assert_eq!(status.message(), "expected float of shape [], but the value is float of shape [2,2]");
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
pub trait FromTensor: Sized {
    /// The element type that the tensor must have; `None` if any will do.
    const DTYPE: Option<DType>;
    /// The rank that the tensor must have; `None` if any will do.
    const RANK: Option<usize>;

    /// Reads a tensor of the right type and rank.
    ///
    /// # Errors
    /// `InvalidArgument` if a dimension is not that of an array, or a text is not UTF-8.
    fn from_tensor(tensor: &Tensor) -> Result<Self>;

    /// Reads one value for each row of a tensor, which has one dimension more than a single value.
    ///
    /// # Errors
    /// As [`from_tensor`](FromTensor::from_tensor).
    fn from_rows(tensor: &Tensor) -> Result<Vec<Self>> {
        let Some((rows, row)) = tensor.dims().split_first() else { bail!(InvalidArgument, "a scalar has no rows") };
        let row = Shape::new(row)?;
        let start = |index: i64| index as usize * row.num_elements();
        (0..*rows).map(|index| Self::from_tensor(&tensor.window(start(index), row.clone())?)).collect()
    }
}

impl Tensor {
    /// Returns the value as a number, a text, a vector, an array or whatever else is [`FromTensor`].
    ///
    /// ```
    /// use tensorfleet_tensor::Tensor;
    /// let names: Vec<String> = Tensor::from(["w", "b"]).to()?;
    /// assert_eq!(names, ["w", "b"]);
    /// let (rows, columns) = (2i64, Tensor::from(3i64).to::<i64>()?);
    /// assert_eq!(rows * columns, 6);
    /// # Ok::<(), tensorfleet_tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the tensor is of another element type, rank or size.
    pub fn to<T: FromTensor>(&self) -> Result<T> {
        let fits = T::DTYPE.is_none_or(|dtype| dtype == self.dtype())
            && T::RANK.is_none_or(|rank| rank == self.shape().rank());
        if !fits {
            let rank = T::RANK.unwrap_or(self.shape().rank());
            let dtype = T::DTYPE.unwrap_or(self.dtype());
            bail!(
                InvalidArgument,
                "expected {dtype} of shape {}, but the value is {} of shape {}",
                crate::PartialShape::of_rank(rank),
                self.dtype(),
                self.shape()
            );
        }
        T::from_tensor(self)
    }
}

impl FromTensor for Tensor {
    const DTYPE: Option<DType> = None;
    const RANK: Option<usize> = None;

    fn from_tensor(tensor: &Tensor) -> Result<Tensor> {
        Ok(tensor.clone())
    }
}

macro_rules! numbers {
    ($($number:ty),*) => {
        $(impl FromTensor for $number {
            const DTYPE: Option<DType> = Some(<$number as Element>::DTYPE);
            const RANK: Option<usize> = Some(0);

            fn from_tensor(tensor: &Tensor) -> Result<$number> {
                tensor.to_scalar()
            }

            fn from_rows(tensor: &Tensor) -> Result<Vec<$number>> {
                Ok(tensor.as_slice()?.to_vec())
            }
        })*
    };
}

numbers!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool, f16, bf16, Complex64, Complex128);

impl FromTensor for String {
    const DTYPE: Option<DType> = Some(DType::String);
    const RANK: Option<usize> = Some(0);

    fn from_tensor(tensor: &Tensor) -> Result<String> {
        let bytes = tensor.to_string_scalar()?;
        String::from_utf8(bytes.to_vec())
            .map_err(|error| err!(InvalidArgument, "the string '{}' is not UTF-8: {error}", bytes.escape_ascii()))
    }
}

impl FromTensor for Bytes {
    const DTYPE: Option<DType> = Some(DType::String);
    const RANK: Option<usize> = Some(0);

    fn from_tensor(tensor: &Tensor) -> Result<Bytes> {
        Ok(tensor.to_string_scalar()?.clone())
    }
}

const fn one_more(rank: Option<usize>) -> Option<usize> {
    match rank {
        Some(rank) => Some(rank + 1),
        None => None,
    }
}

impl<T: FromTensor> FromTensor for Vec<T> {
    const DTYPE: Option<DType> = T::DTYPE;
    const RANK: Option<usize> = one_more(T::RANK);

    fn from_tensor(tensor: &Tensor) -> Result<Vec<T>> {
        T::from_rows(tensor)
    }
}

impl<T: FromTensor, const N: usize> FromTensor for [T; N] {
    const DTYPE: Option<DType> = T::DTYPE;
    const RANK: Option<usize> = one_more(T::RANK);

    fn from_tensor(tensor: &Tensor) -> Result<[T; N]> {
        let rows = T::from_rows(tensor)?;
        let found = rows.len();
        rows.try_into().map_err(|_| err!(InvalidArgument, "expected {N} values, but the tensor has {found}"))
    }
}

impl From<&Tensor> for Tensor {
    fn from(tensor: &Tensor) -> Tensor {
        tensor.clone()
    }
}

impl From<&str> for Tensor {
    fn from(text: &str) -> Tensor {
        Tensor::from(Bytes::copy_from_slice(text.as_bytes()))
    }
}

impl From<String> for Tensor {
    fn from(text: String) -> Tensor {
        Tensor::from(Bytes::from(text))
    }
}

impl From<Bytes> for Tensor {
    fn from(bytes: Bytes) -> Tensor {
        shaped(Tensor::string_vector([bytes]), &[])
    }
}

impl<T: Element> From<T> for Tensor {
    fn from(value: T) -> Tensor {
        Tensor::scalar(value)
    }
}

impl<T: Element> From<Vec<T>> for Tensor {
    fn from(values: Vec<T>) -> Tensor {
        Tensor::vector(&values)
    }
}

impl<T: Element> From<&[T]> for Tensor {
    fn from(values: &[T]) -> Tensor {
        Tensor::vector(values)
    }
}

impl<T: Element, const N: usize> From<[T; N]> for Tensor {
    fn from(values: [T; N]) -> Tensor {
        Tensor::vector(&values)
    }
}

impl<T: Element, const N: usize, const M: usize> From<[[T; N]; M]> for Tensor {
    fn from(rows: [[T; N]; M]) -> Tensor {
        shaped(Tensor::vector(rows.as_flattened()), &[M, N])
    }
}

impl<T: Element, const N: usize, const M: usize, const L: usize> From<[[[T; N]; M]; L]> for Tensor {
    fn from(planes: [[[T; N]; M]; L]) -> Tensor {
        shaped(Tensor::vector(planes.as_flattened().as_flattened()), &[L, M, N])
    }
}

impl<T: Element, const N: usize, const M: usize, const L: usize, const K: usize> From<[[[[T; N]; M]; L]; K]>
    for Tensor
{
    fn from(images: [[[[T; N]; M]; L]; K]) -> Tensor {
        shaped(Tensor::vector(images.as_flattened().as_flattened().as_flattened()), &[K, L, M, N])
    }
}

impl<const N: usize> From<[&str; N]> for Tensor {
    fn from(texts: [&str; N]) -> Tensor {
        Tensor::string_vector(texts.map(str::to_owned))
    }
}

impl<const N: usize> From<[String; N]> for Tensor {
    fn from(texts: [String; N]) -> Tensor {
        Tensor::string_vector(texts)
    }
}

impl From<Vec<&str>> for Tensor {
    fn from(texts: Vec<&str>) -> Tensor {
        Tensor::string_vector(texts.into_iter().map(str::to_owned))
    }
}

impl From<Vec<String>> for Tensor {
    fn from(texts: Vec<String>) -> Tensor {
        Tensor::string_vector(texts)
    }
}

/// Gives a tensor dimensions that its element count is the product of, by construction.
fn shaped(tensor: Tensor, dims: &[usize]) -> Tensor {
    let dims: Vec<i64> = dims.iter().map(|dim| *dim as i64).collect();
    match Shape::new(&dims).and_then(|shape| tensor.reshape(shape)) {
        Ok(shaped) => shaped,
        Err(_) => tensor,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn values_go_in_and_out_at_any_depth() {
        let cube = [[[1i32, 2], [3, 4]], [[5, 6], [7, 8]], [[9, 10], [11, 12]]];
        let tensor = Tensor::from(cube);
        assert_eq!(tensor.dims(), [3, 2, 2]);
        assert_eq!(tensor.to::<[[[i32; 2]; 2]; 3]>().unwrap(), cube);
        assert_eq!(tensor.to::<Vec<[Vec<i32>; 2]>>().unwrap()[2][1], [11, 12]);
        let rows: Vec<Tensor> = tensor.to().unwrap();
        assert_eq!(rows[1], Tensor::from([[5i32, 6], [7, 8]]));
        assert_eq!(Tensor::from(vec!["a", "b"]).to::<Vec<Bytes>>().unwrap(), ["a", "b"]);
    }

    #[test]
    fn empty_values_have_no_rows() {
        let none = Tensor::zeros(DType::Float, &Shape::new(&[0, 3]).unwrap()).unwrap();
        assert_eq!(none.to::<Vec<Vec<f32>>>().unwrap(), Vec::<Vec<f32>>::new());
        let hollow = Tensor::zeros(DType::Float, &Shape::new(&[2, 0]).unwrap()).unwrap();
        assert_eq!(hollow.to::<Vec<Vec<f32>>>().unwrap(), [[], []] as [[f32; 0]; 2]);
        assert_eq!(Tensor::from(Vec::<f32>::new()).dims(), [0]);
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let vector = Tensor::from([1f32, 2.0]);
        let said = |status: crate::Status| {
            assert_eq!(status.code(), Code::InvalidArgument);
            status.message().to_owned()
        };
        let another_type = said(vector.to::<Vec<i64>>().unwrap_err());
        assert_eq!(another_type, "expected int64 of shape [?], but the value is float of shape [2]");
        assert_eq!(said(vector.to::<[f32; 3]>().unwrap_err()), "expected 3 values, but the tensor has 2");
        let bytes = Tensor::from(Bytes::from_static(&[0xff]));
        assert!(said(bytes.to::<String>().unwrap_err()).starts_with(r"the string '\xff' is not UTF-8"));
        // A scalar has no rows, also for who takes tensors of any rank.
        assert_eq!(said(Tensor::from(1f32).to::<Vec<Tensor>>().unwrap_err()), "a scalar has no rows");
    }
}
