//! Between tensors and the arrays of the crate `ndarray`.

use ndarray::{Array, ArrayD, ArrayView, Dimension, IxDyn};

use crate::{DType, Element, FromTensor, Result, Shape, Status, Tensor, err};

/// The elements are copied, in row-major order.
impl<T: Element, D: Dimension> From<Array<T, D>> for Tensor {
    fn from(array: Array<T, D>) -> Tensor {
        Tensor::from(array.view())
    }
}

/// The elements are copied, in row-major order.
impl<T: Element, D: Dimension> From<&Array<T, D>> for Tensor {
    fn from(array: &Array<T, D>) -> Tensor {
        Tensor::from(array.view())
    }
}

/// The elements are copied, in row-major order.
impl<T: Element, D: Dimension> From<ArrayView<'_, T, D>> for Tensor {
    fn from(array: ArrayView<'_, T, D>) -> Tensor {
        let flat = match array.as_slice() {
            Some(elements) => Tensor::vector(elements),
            None => Tensor::vector(&array.iter().copied().collect::<Vec<T>>()),
        };
        let dims: Vec<i64> = array.shape().iter().map(|dim| *dim as i64).collect();
        // The element count is the product of the dimensions by construction.
        match Shape::new(&dims).and_then(|shape| flat.reshape(shape)) {
            Ok(shaped) => shaped,
            Err(_) => flat,
        }
    }
}

impl<T: Element, D: Dimension> FromTensor for Array<T, D> {
    const DTYPE: Option<DType> = Some(T::DTYPE);
    const RANK: Option<usize> = D::NDIM;

    fn from_tensor(tensor: &Tensor) -> Result<Array<T, D>> {
        let dims: Vec<usize> = (0..tensor.shape().rank()).map(|axis| tensor.shape().dim(axis)).collect();
        let elements = tensor.as_slice::<T>()?.to_vec();
        ArrayD::from_shape_vec(IxDyn(&dims), elements)
            .and_then(|array| array.into_dimensionality())
            .map_err(|error| err!(InvalidArgument, "shape {} as an array: {error}", tensor.shape()))
    }
}

impl<T: Element, D: Dimension> TryFrom<&Tensor> for Array<T, D> {
    type Error = Status;

    fn try_from(tensor: &Tensor) -> Result<Array<T, D>> {
        tensor.to()
    }
}

impl<T: Element, D: Dimension> TryFrom<Tensor> for Array<T, D> {
    type Error = Status;

    fn try_from(tensor: Tensor) -> Result<Array<T, D>> {
        tensor.to()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array1, Array2, ArrayD, array};

    use super::*;

    #[test]
    fn arrays_go_in_and_out() {
        let matrix = array![[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]];
        let tensor = Tensor::from(&matrix);
        assert_eq!(tensor, Tensor::from([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]));
        assert_eq!(tensor.to::<Array2<f32>>().unwrap(), matrix);
        assert_eq!(ArrayD::<f32>::try_from(&tensor).unwrap().shape(), [2, 3]);
        // A transposed view is not in row-major order; the tensor is.
        assert_eq!(Tensor::from(matrix.t()), Tensor::from([[1f32, 4.0], [2.0, 5.0], [3.0, 6.0]]));
        assert_eq!(Tensor::from(ndarray::arr0(7i64)), Tensor::from(7i64));
    }

    #[test]
    fn another_rank_or_type_is_refused() {
        let tensor = Tensor::from([[1f32]]);
        let status = Array1::<f32>::try_from(&tensor).unwrap_err();
        assert_eq!(status.message(), "expected float of shape [?], but the value is float of shape [1,1]");
        assert!(Array2::<f64>::try_from(tensor).is_err());
    }
}
