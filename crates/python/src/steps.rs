//! What a step is asked for: fetches and targets whose names are looked up once however often it runs, and what is fed to it.

use bytemuck::Pod;
use pyo3::buffer::{Element, PyUntypedBuffer};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyList, PyTuple};
use tensor::{Buffer, DType, PartialShape, Shape, Tensor};

use crate::errors::OrRaise;
use crate::graph::{Graph, Place};
use crate::values::{Handle, tensor_from_python};

/// What a step is asked for, for as many steps as there are.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct Step {
    pub fetches: Vec<String>,
    pub targets: Vec<String>,
}

#[pymethods]
impl Step {
    #[new]
    fn new(graph: &Graph, fetches: Vec<Place>, targets: Vec<u32>) -> PyResult<Step> {
        let names = graph.graph.read(|data| {
            let node = |number: u32| data.nodes().get(number as usize).map(|node| node.name.as_str());
            let fetches = fetches.iter().map(|(number, index)| Some(tensor_name(node(*number)?, *index)));
            let targets = targets.iter().map(|number| node(*number).map(str::to_owned));
            Some((fetches.collect::<Option<_>>()?, targets.collect::<Option<_>>()?))
        });
        let (fetches, targets) = names.ok_or_else(foreign)?;
        Ok(Step { fetches, targets })
    }
}

fn tensor_name(node: &str, index: u32) -> String {
    match index {
        0 => node.to_owned(),
        _ => format!("{node}:{index}"),
    }
}

fn foreign() -> PyErr {
    PyValueError::new_err("a tensor or operation of another graph")
}

/// A tensor that is fed: what its graph knows of it.
struct Fed {
    name: String,
    dtype: DType,
    shape: PartialShape,
}

/// The names and values of what is fed: pairs of a tensor's place and a packed value, a handle, or an array that has the
/// tensor's element type.
pub fn feeds_from_python(graph: &graph::Graph, feeds: &Bound<'_, PyList>) -> PyResult<Vec<(String, Tensor)>> {
    let mut given = Vec::with_capacity(feeds.len());
    for feed in feeds {
        given.push(feed.extract::<(Place, Bound<'_, PyAny>)>()?);
    }
    // No value is looked at while the graph is held.
    let known = graph.read(|data| {
        let look = |((number, index), _): &(Place, Bound<'_, PyAny>)| {
            let node = data.nodes().get(*number as usize)?;
            let dtype = node.output_types.get(*index as usize)?.dtype;
            let shape = node.output_shapes.get(*index as usize).cloned();
            let shape = shape.unwrap_or_else(PartialShape::unknown);
            Some(Fed { name: tensor_name(&node.name, *index), dtype, shape })
        };
        given.iter().map(look).collect::<Option<Vec<Fed>>>()
    });
    let values = known.ok_or_else(foreign)?.into_iter().zip(&given);
    values
        .map(|(fed, (_, value))| {
            let packed = value.is_instance_of::<PyTuple>() || value.is_instance_of::<Handle>();
            let tensor = if packed { tensor_from_python(value)? } else { array(&fed, value)? };
            Ok((fed.name, tensor))
        })
        .collect()
}

/// A copy of an array that has the element type of what is fed.
fn array(fed: &Fed, value: &Bound<'_, PyAny>) -> PyResult<Tensor> {
    let py = value.py();
    let mut source = PyUntypedBuffer::get(value)?;
    if !(source.buf_ptr() as usize).is_multiple_of(fed.dtype.size().max(1)) {
        // Elements that lie across the borders of words, as in a view of bytes.
        source = PyUntypedBuffer::get(&value.call_method0("copy")?)?;
    }
    let dims: Vec<i64> = source.shape().iter().map(|dim| *dim as i64).collect();
    let shape = Shape::new(&dims).or_raise(py)?;
    if !fed.shape.is_compatible_with(&shape) {
        let given = PyTuple::new(py, &dims)?;
        return Err(PyValueError::new_err(format!(
            "the feed for '{}' has shape {given}, but the tensor has {}",
            if fed.name.contains(':') { fed.name.clone() } else { format!("{}:0", fed.name) },
            in_words(&fed.shape),
        )));
    }
    let buffer = match fed.dtype {
        DType::Float => copied::<f32>(py, source),
        DType::Double => copied::<f64>(py, source),
        DType::Int8 => copied::<i8>(py, source),
        DType::Int16 => copied::<i16>(py, source),
        DType::Int32 => copied::<i32>(py, source),
        DType::Int64 => copied::<i64>(py, source),
        DType::UInt8 => copied::<u8>(py, source),
        DType::UInt16 => copied::<u16>(py, source),
        DType::UInt32 => copied::<u32>(py, source),
        DType::UInt64 => copied::<u64>(py, source),
        other => Err(PyTypeError::new_err(format!("arrays of {} come packed", other.python_name()))),
    }?;
    Tensor::from_buffer(fed.dtype, shape, buffer).or_raise(py)
}

/// The elements of a buffer, in the order of rows. The interpreter is held meanwhile: a program may write to the array as soon as
/// another of its threads runs.
fn copied<T: Element + Pod>(py: Python<'_>, source: PyUntypedBuffer) -> PyResult<Buffer> {
    let source = source.into_typed::<T>()?;
    let mut buffer = Buffer::dirty(source.len_bytes());
    let target = buffer.get_mut().and_then(|bytes| bytemuck::try_cast_slice_mut(bytes).ok());
    match target {
        Some(target) => source.copy_to_slice(py, target)?,
        None => buffer = Buffer::copy_of(bytemuck::cast_slice(&source.to_vec(py)?)),
    }
    Ok(buffer)
}

/// A shape as the program sees it: `(?, 784)`.
fn in_words(shape: &PartialShape) -> String {
    let Some(dims) = shape.dims() else { return "<unknown>".to_owned() };
    let dims: Vec<String> = dims.iter().map(|dim| dim.map_or_else(|| "?".to_owned(), |dim| dim.to_string())).collect();
    let comma = if dims.len() == 1 { "," } else { "" };
    format!("({}{comma})", dims.join(", "))
}
