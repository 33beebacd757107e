//! Attribute values to and from Python. What a Python value means depends on the kind that the op's definition states.

use bytes::Bytes;
use graph::op::{AttrKind, OpDef};
use graph::{AttrValue, Attrs, FunctionRef};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyDict, PyFloat, PyInt, PyList, PyString};

use crate::values::{dtype, shape_from_python, shape_to_python, tensor_from_python, tensor_to_python};

fn bytes_from_python(value: &Bound<'_, PyAny>) -> PyResult<Bytes> {
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Bytes::copy_from_slice(text.to_str()?.as_bytes()));
    }
    Ok(Bytes::copy_from_slice(value.cast::<PyBytes>()?.as_bytes()))
}

fn function_from_python(value: &Bound<'_, PyAny>) -> PyResult<FunctionRef> {
    Ok(FunctionRef { name: value.extract()?, attrs: Attrs::new() })
}

fn list<T>(value: &Bound<'_, PyAny>, one: impl Fn(&Bound<'_, PyAny>) -> PyResult<T>) -> PyResult<Vec<T>> {
    value.try_iter()?.map(|item| one(&item?)).collect()
}

fn value_of(kind: AttrKind, value: &Bound<'_, PyAny>) -> PyResult<AttrValue> {
    Ok(match kind {
        AttrKind::String => AttrValue::String(bytes_from_python(value)?),
        AttrKind::Int => AttrValue::Int(value.extract()?),
        AttrKind::Float => AttrValue::Float(value.extract::<f64>()? as f32),
        AttrKind::Bool => AttrValue::Bool(value.extract()?),
        AttrKind::Type => AttrValue::Type(dtype(value.extract()?)?),
        AttrKind::Shape => AttrValue::Shape(shape_from_python(value)?),
        AttrKind::Tensor => AttrValue::Tensor(tensor_from_python(value)?),
        AttrKind::Function => AttrValue::Function(function_from_python(value)?),
        AttrKind::Strings => AttrValue::Strings(list(value, bytes_from_python)?),
        AttrKind::Ints => AttrValue::Ints(value.extract()?),
        AttrKind::Floats => AttrValue::Floats(value.extract()?),
        AttrKind::Bools => AttrValue::Bools(value.extract()?),
        AttrKind::Types => AttrValue::Types(list(value, |item| dtype(item.extract()?))?),
        AttrKind::Shapes => AttrValue::Shapes(list(value, shape_from_python)?),
        AttrKind::Tensors => AttrValue::Tensors(list(value, tensor_from_python)?),
        AttrKind::Functions => AttrValue::Functions(list(value, function_from_python)?),
    })
}

/// An attribute that the op's definition does not know, such as `_class`: its kind is that of the value.
fn free_value(value: &Bound<'_, PyAny>) -> PyResult<AttrValue> {
    if value.is_instance_of::<PyBool>() {
        return value_of(AttrKind::Bool, value);
    }
    if value.is_instance_of::<PyInt>() {
        return value_of(AttrKind::Int, value);
    }
    if value.is_instance_of::<PyFloat>() {
        return value_of(AttrKind::Float, value);
    }
    if value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>() {
        return value_of(AttrKind::String, value);
    }
    if let Ok(items) = value.cast::<PyList>() {
        let Some(first) = items.iter().next() else { return Ok(AttrValue::EmptyList) };
        let kind = if first.is_instance_of::<PyInt>() { AttrKind::Ints } else { AttrKind::Strings };
        return value_of(kind, value);
    }
    Err(PyTypeError::new_err(format!("{value} cannot be the value of an attribute")))
}

/// The attributes of a Python dict, for a node of an op.
pub fn attrs_from_python(def: &OpDef, dict: &Bound<'_, PyDict>) -> PyResult<Attrs> {
    let mut attrs = Attrs::new();
    for (name, value) in dict {
        let name: String = name.extract()?;
        let converted = match def.attr(&name) {
            Some(attr) => value_of(attr.kind, &value).map_err(|error| {
                let op = &def.name;
                let kind = attr.kind.name();
                PyValueError::new_err(format!("attribute '{name}' of {op} is a {kind}, not {value}: {error}"))
            })?,
            None => free_value(&value)?,
        };
        attrs.insert(name, converted);
    }
    Ok(attrs)
}

/// The Python value of an attribute: types are numbers, shapes lists or None, functions their names.
pub fn attr_to_python<'py>(py: Python<'py>, value: &AttrValue) -> PyResult<Bound<'py, PyAny>> {
    let bytes = |bytes: &Bytes| PyBytes::new(py, bytes);
    Ok(match value {
        AttrValue::String(value) => bytes(value).into_any(),
        AttrValue::Int(value) => value.into_pyobject(py)?.into_any(),
        AttrValue::Float(value) => value.into_pyobject(py)?.into_any(),
        AttrValue::Bool(value) => PyBool::new(py, *value).to_owned().into_any(),
        AttrValue::Type(value) => value.number().into_pyobject(py)?.into_any(),
        AttrValue::Shape(value) => shape_to_python(py, value)?,
        AttrValue::Tensor(value) => tensor_to_python(py, value)?,
        AttrValue::Function(value) => value.name.as_str().into_pyobject(py)?.into_any(),
        AttrValue::EmptyList => PyList::empty(py).into_any(),
        AttrValue::Strings(values) => PyList::new(py, values.iter().map(bytes))?.into_any(),
        AttrValue::Ints(values) => PyList::new(py, values)?.into_any(),
        AttrValue::Floats(values) => PyList::new(py, values)?.into_any(),
        AttrValue::Bools(values) => PyList::new(py, values)?.into_any(),
        AttrValue::Types(values) => PyList::new(py, values.iter().map(|value| value.number()))?.into_any(),
        AttrValue::Shapes(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(shape_to_python(py, value)?)?;
            }
            list.into_any()
        }
        AttrValue::Tensors(values) => {
            let list = PyList::empty(py);
            for value in values {
                list.append(tensor_to_python(py, value)?)?;
            }
            list.into_any()
        }
        AttrValue::Functions(values) => PyList::new(py, values.iter().map(|value| value.name.as_str()))?.into_any(),
        AttrValue::Placeholder(value) => value.as_str().into_pyobject(py)?.into_any(),
        AttrValue::Opaque(value) => bytes(value).into_any(),
    })
}
