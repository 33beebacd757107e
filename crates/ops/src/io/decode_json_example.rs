//! `DecodeJSONExample`: examples as JSON to serialized ones.

use std::collections::BTreeMap;

use bytes::Bytes;
use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use prost::Message;
use serde_json::{Map, Value};
use tensor::{Result, Tensor, bail, ensure, err};
use wire::feature::Kind;

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeJSONExample", "json_examples: string -> binary_examples: string")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let binary = input.strings()?.iter().map(|text| Ok(Bytes::from(example(text)?.encode_to_vec())));
        let output = Tensor::from_strings(input.shape().clone(), binary.collect::<Result<_>>()?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn example(text: &[u8]) -> Result<wire::Example> {
    let value: Value =
        serde_json::from_slice(text).map_err(|error| err!(InvalidArgument, "Error while parsing JSON: {error}"))?;
    let mut example = wire::Example::default();
    for (name, value) in object(&value, "an example")? {
        ensure!(name == "features", InvalidArgument, "Error while parsing JSON: an example has no field '{name}'");
        for (name, value) in object(value, "features")? {
            ensure!(name == "feature", InvalidArgument, "Error while parsing JSON: features have no field '{name}'");
            let features = example.features.get_or_insert_default();
            let list = object(value, "a map of features")?.iter();
            let list = list.map(|(name, value)| Ok((name.clone(), feature(value)?)));
            features.feature.extend(list.collect::<Result<BTreeMap<_, _>>>()?);
        }
        example.features.get_or_insert_default();
    }
    Ok(example)
}

fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>> {
    static NOTHING: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(&NOTHING),
        other => bail!(InvalidArgument, "Error while parsing JSON: {what} is no object: {other}"),
    }
}

fn feature(value: &Value) -> Result<wire::Feature> {
    let mut kind = None;
    for (name, value) in object(value, "a feature")? {
        ensure!(
            kind.is_none(),
            InvalidArgument,
            "Error while parsing JSON: a feature of two kinds, the second '{name}'"
        );
        kind = Some(match name.as_str() {
            "bytesList" | "bytes_list" => Kind::BytesList(wire::BytesList { value: values(value, bytes)? }),
            "floatList" | "float_list" => Kind::FloatList(wire::FloatList { value: values(value, float)? }),
            "int64List" | "int64_list" => Kind::Int64List(wire::Int64List { value: values(value, int)? }),
            _ => bail!(InvalidArgument, "Error while parsing JSON: a feature has no field '{name}'"),
        });
    }
    Ok(wire::Feature { kind })
}

fn values<T>(value: &Value, read: fn(&Value) -> Option<T>) -> Result<Vec<T>> {
    let mut all = Vec::new();
    for (name, value) in object(value, "a list")? {
        ensure!(name == "value", InvalidArgument, "Error while parsing JSON: a list has no field '{name}'");
        let items = match value {
            Value::Array(items) => &items[..],
            Value::Null => &[],
            other => bail!(InvalidArgument, "Error while parsing JSON: values that are no array: {other}"),
        };
        for item in items {
            let Some(item) = read(item) else {
                bail!(InvalidArgument, "Error while parsing JSON: a value of the wrong kind: {item}")
            };
            all.push(item);
        }
    }
    Ok(all)
}

fn bytes(value: &Value) -> Option<Bytes> {
    crate::string::base64_of(value.as_str()?.as_bytes()).map(Bytes::from)
}

/// Numbers may also be written as strings.
fn float(value: &Value) -> Option<f32> {
    match value {
        Value::Number(number) => number.as_f64().map(|number| number as f32),
        Value::String(text) => match text.as_str() {
            "NaN" => Some(f32::NAN),
            "Infinity" => Some(f32::INFINITY),
            "-Infinity" => Some(f32::NEG_INFINITY),
            text => text.parse().ok(),
        },
        _ => None,
    }
}

fn int(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let whole = number.as_f64().filter(|number| number.fract() == 0.0 && number.abs() < 9.2e18);
            whole.map(|number| number as i64)
        }),
        Value::String(text) => text.parse().ok(),
        _ => None,
    }
}
