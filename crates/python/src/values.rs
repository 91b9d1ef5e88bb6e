//! Parameter values: Python's to Mercer's and back.

use crate::errors::bad;
use mercer::{Declaration, Object, ParamKind, Value};
use pyo3::IntoPyObjectExt;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use std::collections::BTreeMap;

/// Deeper values than this are refused: a list that holds itself has no end.
const MAX_DEPTH: usize = 32;

/// The learner's object from a dict of parameters. `None` for a parameter that has no such value means its default.
pub(crate) fn object(declaration: &Declaration, params: &Bound<'_, PyDict>) -> PyResult<Object> {
    nested(declaration, params, 0)
}

fn nested(declaration: &Declaration, params: &Bound<'_, PyDict>, depth: usize) -> PyResult<Object> {
    let mut map = BTreeMap::new();
    for (name, value) in params {
        let name: String = name.extract()?;
        let declared = declaration.params.iter().find(|p| p.name == name);
        if value.is_none() && declared.is_some_and(|p| !matches!(p.kind, ParamKind::Optional(_))) {
            continue;
        }
        let value = to_value(&value, depth)
            .map_err(|e| bad(format!("`{name}` of {}: {}", declaration.name, e.value(params.py()))))?;
        map.insert(name, value);
    }
    Ok(Object { kind: declaration.name.to_owned(), params: map })
}

/// Any parameter value.
pub(crate) fn any(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    to_value(value, 0)
}

fn to_value(value: &Bound<'_, PyAny>, depth: usize) -> PyResult<Value> {
    if depth > MAX_DEPTH {
        return Err(bad("nested too deeply"));
    }
    if value.is_none() {
        return Ok(Value::Null);
    }
    if let Ok(truth) = value.cast::<PyBool>() {
        return Ok(Value::Bool(truth.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Ok(Value::Text(text.extract()?));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter()?.map(|item| to_value(&item?, depth + 1));
        return items.collect::<PyResult<_>>().map(Value::List);
    }
    if value.hasattr("ndim")? && value.getattr("ndim")?.extract::<usize>()? > 0 {
        return to_value(&value.call_method0("tolist")?, depth + 1);
    }
    if let Ok(dict) = value.cast::<PyDict>() {
        let pair = |(k, v): (Bound<'_, PyAny>, Bound<'_, PyAny>)| {
            Ok((to_value(&k, depth + 1)?, to_value(&v, depth + 1)?))
        };
        return dict.iter().map(pair).collect::<PyResult<_>>().map(Value::Map);
    }
    if let Ok(spec) = value.getattr("_mercer_spec") {
        let (name, params): (String, Bound<'_, PyDict>) = spec.call0()?.extract()?;
        let entry = mercer::core::catalogue::find(&name).map_err(crate::errors::raise)?;
        return nested((entry.declaration)(), &params, depth + 1).map(Value::Object);
    }
    // Kernels say themselves in the text grammar.
    if let Ok(text) = value.getattr("_mercer_kernel") {
        return Value::parse(&text.call0()?.extract::<String>()?).map_err(crate::errors::raise);
    }
    // Arrays are lists, of lists where they have two dimensions.
    if let Ok(list) = value.call_method0("tolist")
        && list.is_instance_of::<PyList>()
    {
        return to_value(&list, depth + 1);
    }
    number(value)
}

/// Python's and NumPy's numbers; NumPy's truth values answer to neither of Python's own types.
fn number(value: &Bound<'_, PyAny>) -> PyResult<Value> {
    let kind = value.get_type();
    if kind.name()?.to_string_lossy().starts_with("bool") {
        return Ok(Value::Bool(value.is_truthy()?));
    }
    if let Ok(whole) = value.extract::<i64>() {
        return Ok(Value::Int(whole));
    }
    if let Ok(real) = value.extract::<f64>() {
        return Ok(Value::Real(real));
    }
    Err(bad(format!("a {} is no parameter value", kind.name()?)))
}

/// Mercer's value as a Python object; a learner becomes `(name, params)`.
pub(crate) fn to_python<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    match value {
        Value::Null => Ok(py.None().into_bound(py)),
        Value::Bool(b) => b.into_bound_py_any(py),
        Value::Int(i) => i.into_bound_py_any(py),
        Value::Real(r) => r.into_bound_py_any(py),
        Value::Text(s) => s.into_bound_py_any(py),
        Value::List(items) => {
            let items = items.iter().map(|v| to_python(py, v)).collect::<PyResult<Vec<_>>>()?;
            Ok(PyList::new(py, items)?.into_any())
        }
        Value::Map(pairs) => {
            let dict = PyDict::new(py);
            for (key, value) in pairs {
                dict.set_item(to_python(py, key)?, to_python(py, value)?)?;
            }
            Ok(dict.into_any())
        }
        Value::Object(object) => (object.kind.as_str(), params_to_python(py, object)?).into_bound_py_any(py),
    }
}

/// The parameters of an object as a dict.
pub(crate) fn params_to_python<'py>(py: Python<'py>, object: &Object) -> PyResult<Bound<'py, PyDict>> {
    let dict = PyDict::new(py);
    for (name, value) in &object.params {
        dict.set_item(name, to_python(py, value)?)?;
    }
    Ok(dict)
}
