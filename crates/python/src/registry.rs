//! The definitions of all ops, from which the package makes a Python function each.

use graph::op::{ArgDef, ArgType, OpDef};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::attrs::attr_to_python;

fn args<'py>(py: Python<'py>, def: &OpDef, args: &[ArgDef]) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    for arg in args {
        let dict = PyDict::new(py);
        dict.set_item("name", &arg.name)?;
        match &arg.ty {
            ArgType::Fixed(dtype) => dict.set_item("type", dtype.number())?,
            ArgType::Attr(attr) => dict.set_item("type_attr", attr)?,
        }
        dict.set_item("number_attr", arg.number_attr.as_deref())?;
        dict.set_item("is_list", arg.is_list(def))?;
        dict.set_item("is_ref", arg.is_ref)?;
        list.append(dict)?;
    }
    Ok(list)
}

/// Returns every op that a graph can have: its name with a dict of its inputs, outputs and attributes.
#[pyfunction]
pub fn op_definitions(py: Python<'_>) -> PyResult<Bound<'_, PyDict>> {
    let all = PyDict::new(py);
    for spec in ops::registry().iter() {
        let (def, dict) = (&spec.def, PyDict::new(py));
        dict.set_item("inputs", args(py, def, &def.inputs)?)?;
        dict.set_item("outputs", args(py, def, &def.outputs)?)?;
        let attrs = PyList::empty(py);
        for attr in &def.attrs {
            let default = attr.default.as_ref().map(|value| attr_to_python(py, value)).transpose()?;
            let item = PyDict::new(py);
            item.set_item("name", &attr.name)?;
            item.set_item("kind", attr.kind.name())?;
            item.set_item("has_default", default.is_some())?;
            item.set_item("default", default)?;
            let allowed: Vec<i32> = attr.allowed_types.iter().map(|dtype| dtype.number()).collect();
            item.set_item("allowed_types", allowed)?;
            attrs.append(item)?;
        }
        dict.set_item("attrs", attrs)?;
        dict.set_item("stateful", def.stateful)?;
        all.set_item(&def.name, dict)?;
    }
    Ok(all)
}
