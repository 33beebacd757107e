//! Tensors to and from Python: a tuple of the number of the element type, the dimensions, and the data, which is a buffer of
//! bytes, a list of `bytes` for strings, or a handle for what Python cannot look into.
//!
//! What comes from Python is copied while the interpreter is held: a program may write to an array that it feeds as soon as
//! another of its threads runs.

use std::sync::OnceLock;

use bytes::Bytes;
use pyo3::buffer::PyBuffer;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyByteArray, PyBytes, PyList, PyTuple};
use tensor::{Buffer, DType, PartialShape, Shape, Tensor};

use crate::errors::OrRaise;

/// A value that Python holds and cannot look into: handles of resources, variants.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct Handle(Tensor);

#[pymethods]
impl Handle {
    fn __repr__(&self) -> String {
        format!("<handle of {} {}>", self.0.dtype().python_name(), self.0.shape())
    }
}

/// The element type with a number of TensorFlow's.
pub fn dtype(number: i32) -> PyResult<DType> {
    DType::from_number(number).ok_or_else(|| PyValueError::new_err(format!("there is no element type {number}")))
}

/// The tensor of a Python value.
pub fn tensor_from_python(value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = value.py();
    if let Ok(handle) = value.cast::<Handle>() {
        return Ok(handle.get().0.clone());
    }
    let (number, dims, data): (i32, Vec<i64>, Bound<'_, PyAny>) = value.extract()?;
    let (dtype, shape) = (dtype(number)?, Shape::new(&dims).or_raise(py)?);
    if dtype == DType::String {
        let strings: Vec<Bound<'_, PyBytes>> = data.extract()?;
        let strings = strings.iter().map(|string| Bytes::copy_from_slice(string.as_bytes())).collect();
        return Tensor::from_strings(shape, strings).or_raise(py);
    }
    let source = PyBuffer::<u8>::get(&data)?;
    let mut buffer = Buffer::dirty(source.item_count());
    match buffer.get_mut() {
        Some(target) => source.copy_to_slice(py, target)?,
        None => buffer = Buffer::copy_of(&source.to_vec(py)?),
    }
    Tensor::from_buffer(dtype, shape, buffer).or_raise(py)
}

/// What makes an array of so many bytes: numpy's own memory comes in larger pages than Python's.
static ARRAY_FACTORY: OnceLock<Py<PyAny>> = OnceLock::new();

/// From so many bytes on, an array is worth a call.
const LARGE: usize = 256 << 10;

/// Says what makes an array of so many bytes, for large values that are fetched.
#[pyfunction]
pub fn set_array_factory(factory: Py<PyAny>) {
    // The first one stays, which does the same.
    let _ = ARRAY_FACTORY.set(factory);
}

/// A copy of bytes that the program may write to.
fn own_bytes<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyAny>> {
    let Some(factory) = ARRAY_FACTORY.get().filter(|_| bytes.len() >= LARGE) else {
        return Ok(PyByteArray::new(py, bytes).into_any());
    };
    let array = factory.bind(py).call1((bytes.len(),))?;
    PyBuffer::<u8>::get(&array)?.copy_from_slice(py, bytes)?;
    Ok(array)
}

/// The Python value of a tensor.
pub fn tensor_to_python<'py>(py: Python<'py>, tensor: &Tensor) -> PyResult<Bound<'py, PyAny>> {
    let data = if let Some(buffer) = tensor.buffer() {
        own_bytes(py, buffer.as_bytes())?
    } else if tensor.dtype() == DType::String {
        let strings = tensor.strings().or_raise(py)?;
        PyList::new(py, strings.iter().map(|string| PyBytes::new(py, string)))?.into_any()
    } else {
        return Ok(Bound::new(py, Handle(tensor.clone()))?.into_any());
    };
    Ok((tensor.dtype().number(), PyTuple::new(py, tensor.dims())?, data).into_pyobject(py)?.into_any())
}

/// The shape of a Python value: None, or a list of dimensions of which unknown ones are -1 or None.
pub fn shape_from_python(value: &Bound<'_, PyAny>) -> PyResult<PartialShape> {
    if value.is_none() {
        return Ok(PartialShape::unknown());
    }
    let dims: Vec<Option<i64>> = value.extract()?;
    let dims: Vec<Option<i64>> = dims.into_iter().map(|dim| dim.filter(|dim| *dim >= 0)).collect();
    Ok(PartialShape::new(&dims))
}

/// The Python value of a shape.
pub fn shape_to_python<'py>(py: Python<'py>, shape: &PartialShape) -> PyResult<Bound<'py, PyAny>> {
    match shape.dims() {
        None => Ok(py.None().into_bound(py)),
        Some(dims) => Ok(PyList::new(py, dims)?.into_any()),
    }
}
