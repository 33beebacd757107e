//! `DecodeJSONExample`: examples as JSON to serialized ones.

use bytes::Bytes;
use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use prost::encoding::encode_varint;
use serde_json::{Map, Value};
use tensor::{Result, Tensor, bail, ensure, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeJSONExample", "json_examples: string -> binary_examples: string")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let binary = input.strings()?.iter().map(|text| Ok(Bytes::from(example(text)?)));
        let output = Tensor::from_strings(input.shape().clone(), binary.collect::<Result<_>>()?)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

/// The message of an example. Its numbers are not packed, and what is named is there also if it is empty, as TensorFlow writes it.
fn example(text: &[u8]) -> Result<Vec<u8>> {
    let value: Value =
        serde_json::from_slice(text).map_err(|error| err!(InvalidArgument, "Error while parsing JSON: {error}"))?;
    let mut example = Vec::new();
    for (name, value) in object(&value, "an example")? {
        ensure!(name == "features", InvalidArgument, "Error while parsing JSON: an example has no field '{name}'");
        let mut features = Vec::new();
        for (name, value) in object(value, "features")? {
            ensure!(name == "feature", InvalidArgument, "Error while parsing JSON: features have no field '{name}'");
            for (name, value) in object(value, "a map of features")? {
                let mut entry = Vec::new();
                put(&mut entry, 1, name.as_bytes());
                put(&mut entry, 2, &feature(value)?);
                put(&mut features, 1, &entry);
            }
        }
        put(&mut example, 1, &features);
    }
    Ok(example)
}

/// Adds a field of bytes.
fn put(message: &mut Vec<u8>, field: u8, content: &[u8]) {
    message.push(field << 3 | 2);
    encode_varint(content.len() as u64, message);
    message.extend_from_slice(content);
}

fn object<'a>(value: &'a Value, what: &str) -> Result<&'a Map<String, Value>> {
    static NOTHING: std::sync::LazyLock<Map<String, Value>> = std::sync::LazyLock::new(Map::new);
    match value {
        Value::Object(fields) => Ok(fields),
        Value::Null => Ok(&NOTHING),
        other => bail!(InvalidArgument, "Error while parsing JSON: {what} is no object: {other}"),
    }
}

fn feature(value: &Value) -> Result<Vec<u8>> {
    let mut feature = Vec::new();
    for (name, value) in object(value, "a feature")? {
        ensure!(
            feature.is_empty(),
            InvalidArgument,
            "Error while parsing JSON: a feature of two kinds, the second '{name}'"
        );
        let mut list = Vec::new();
        let kind = match name.as_str() {
            "bytesList" | "bytes_list" => {
                values(value, bytes)?.iter().for_each(|value| put(&mut list, 1, value));
                1
            }
            "floatList" | "float_list" => {
                for value in values(value, float)? {
                    list.push(1 << 3 | 5);
                    list.extend(value.to_le_bytes());
                }
                2
            }
            "int64List" | "int64_list" => {
                for value in values(value, int)? {
                    list.push(1 << 3);
                    encode_varint(value as u64, &mut list);
                }
                3
            }
            _ => bail!(InvalidArgument, "Error while parsing JSON: a feature has no field '{name}'"),
        };
        put(&mut feature, kind, &list);
    }
    Ok(feature)
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
