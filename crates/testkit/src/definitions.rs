//! Comparison of op definitions with TensorFlow's.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Debug;
use std::path::Path;

use graph::AttrValue;
use graph::op::{ArgDef, ArgType, AttrDef, OpDef};
use prost::Message;
use tensor::{DType, Result, err, proto};

use crate::scenario::read_records;

/// The definitions in a file that `reference/definitions.py` wrote, by name.
///
/// # Errors
/// `DataLoss` if the file is not whole.
pub fn read_definitions(path: &Path) -> Result<BTreeMap<String, wire::OpDef>> {
    let decode = |record: &bytes::Bytes| {
        let def = wire::OpDef::decode(record.clone()).map_err(|error| err!(DataLoss, "a definition: {error}"))?;
        Ok((def.name.clone(), def))
    };
    read_records(path)?.iter().map(decode).collect()
}

/// All that differs between a definition and TensorFlow's, a line each.
pub fn differences(ours: &OpDef, theirs: &wire::OpDef) -> Vec<String> {
    let mut found = Found { op: &ours.name, lines: Vec::new() };
    found.compare("is_stateful", ours.stateful, theirs.is_stateful);
    found.compare("allows_uninitialized_input", ours.allows_uninitialized_input, theirs.allows_uninitialized_input);
    found.compare("is_commutative", ours.commutative, theirs.is_commutative);
    found.compare("is_aggregate", ours.aggregate, theirs.is_aggregate);
    found.compare("inputs", args(&ours.inputs), their_args(&theirs.input_arg));
    found.compare("outputs", args(&ours.outputs), their_args(&theirs.output_arg));
    let names: BTreeSet<&str> = ours.attrs.iter().map(|attr| attr.name.as_str()).collect();
    let their_names: BTreeSet<&str> = theirs.attr.iter().map(|attr| attr.name.as_str()).collect();
    found.compare("attributes", &names, &their_names);
    for theirs in &theirs.attr {
        if let Some(ours) = ours.attrs.iter().find(|attr| attr.name == theirs.name) {
            found.attribute(ours, theirs);
        }
    }
    found.lines
}

struct Found<'a> {
    op: &'a str,
    lines: Vec<String>,
}

impl Found<'_> {
    fn compare<T: PartialEq + Debug>(&mut self, what: &str, ours: T, theirs: T) {
        if ours != theirs {
            self.lines.push(format!("{}: {what} {ours:?} instead of {theirs:?}", self.op));
        }
    }

    fn attribute(&mut self, ours: &AttrDef, theirs: &wire::op_def::AttrDef) {
        let name = &ours.name;
        self.compare(name, ours.kind.name(), theirs.r#type.as_str());
        self.compare(&format!("{name}'s minimum"), ours.minimum, theirs.has_minimum.then_some(theirs.minimum));
        let default = theirs.default_value.as_ref().map(their_value);
        self.compare(&format!("{name}'s default"), ours.default.as_ref().map(value), default);
        let types: BTreeSet<&str> = ours.allowed_types.iter().map(|dtype| dtype.name()).collect();
        let strings: BTreeSet<String> = ours.allowed_strings.iter().cloned().collect();
        let (mut their_types, mut their_strings) = (BTreeSet::new(), BTreeSet::new());
        if let Some(wire::attr_value::Value::List(list)) =
            theirs.allowed_values.as_ref().and_then(|value| value.value.as_ref())
        {
            their_types.extend(list.r#type.iter().map(|number| type_name(*number)));
            their_strings.extend(list.s.iter().map(|text| String::from_utf8_lossy(text).into_owned()));
        }
        self.compare(&format!("{name}'s types"), types, their_types);
        self.compare(&format!("{name}'s strings"), strings, their_strings);
    }
}

fn type_name(number: i32) -> &'static str {
    DType::from_number(number).map_or("?", DType::name)
}

/// As in `values: N * T`.
fn args(args: &[ArgDef]) -> Vec<String> {
    let text = |arg: &ArgDef| {
        let ty = match &arg.ty {
            ArgType::Fixed(dtype) => dtype.name().to_owned(),
            ArgType::Attr(name) => name.clone(),
        };
        arg_text(&arg.name, arg.number_attr.as_deref().unwrap_or(""), &ty, arg.is_ref)
    };
    args.iter().map(text).collect()
}

fn their_args(args: &[wire::op_def::ArgDef]) -> Vec<String> {
    let text = |arg: &wire::op_def::ArgDef| {
        let ty = match (arg.type_attr.as_str(), arg.type_list_attr.as_str()) {
            ("", "") => type_name(arg.r#type),
            ("", list) => list,
            (name, _) => name,
        };
        arg_text(&arg.name, &arg.number_attr, ty, arg.is_ref)
    };
    args.iter().map(text).collect()
}

fn arg_text(name: &str, number: &str, ty: &str, is_ref: bool) -> String {
    let times = if number.is_empty() { String::new() } else { format!("{number} * ") };
    if is_ref { format!("{name}: {times}Ref({ty})") } else { format!("{name}: {times}{ty}") }
}

/// A value in words that are the same for both sides.
fn value(value: &AttrValue) -> String {
    match value {
        AttrValue::String(text) => format!("{text:?}"),
        AttrValue::Int(number) => number.to_string(),
        AttrValue::Float(number) => number.to_string(),
        AttrValue::Bool(flag) => flag.to_string(),
        AttrValue::Type(dtype) => dtype.name().to_owned(),
        AttrValue::Shape(shape) => shape.to_string(),
        AttrValue::Tensor(tensor) => format!("{tensor:?}"),
        AttrValue::EmptyList => "[]".to_owned(),
        AttrValue::Strings(list) => format!("{list:?}"),
        AttrValue::Ints(list) => format!("{list:?}"),
        AttrValue::Floats(list) => format!("{list:?}"),
        AttrValue::Bools(list) => format!("{list:?}"),
        AttrValue::Types(list) => format!("{:?}", list.iter().map(|dtype| dtype.name()).collect::<Vec<_>>()),
        AttrValue::Shapes(list) => format!("{:?}", list.iter().map(|shape| shape.to_string()).collect::<Vec<_>>()),
        other => format!("{other:?}"),
    }
}

fn their_value(theirs: &wire::AttrValue) -> String {
    use wire::attr_value::Value;
    let shape = |shape: &wire::TensorShapeProto| {
        proto::partial_shape_from_proto(shape).map_or_else(|status| status.to_string(), |shape| shape.to_string())
    };
    match &theirs.value {
        Some(Value::S(text)) => format!("{text:?}"),
        Some(Value::I(number)) => number.to_string(),
        Some(Value::F(number)) => number.to_string(),
        Some(Value::B(flag)) => flag.to_string(),
        Some(Value::Type(number)) => type_name(*number).to_owned(),
        Some(Value::Shape(value)) => shape(value),
        Some(Value::Tensor(value)) => {
            proto::from_proto(value).map_or_else(|status| status.to_string(), |tensor| format!("{tensor:?}"))
        }
        Some(Value::List(list)) => {
            if !list.s.is_empty() {
                format!("{:?}", list.s)
            } else if !list.i.is_empty() {
                format!("{:?}", list.i)
            } else if !list.f.is_empty() {
                format!("{:?}", list.f)
            } else if !list.b.is_empty() {
                format!("{:?}", list.b)
            } else if !list.r#type.is_empty() {
                format!("{:?}", list.r#type.iter().map(|number| type_name(*number)).collect::<Vec<_>>())
            } else if !list.shape.is_empty() {
                format!("{:?}", list.shape.iter().map(shape).collect::<Vec<_>>())
            } else {
                "[]".to_owned()
            }
        }
        other => format!("{other:?}"),
    }
}
