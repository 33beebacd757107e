//! The compact notation for definitions: `a: T, values: N * T -> out: Ref(T)` and `T: {float, double} = float`.

use bytes::Bytes;
use tensor::{DType, PartialShape, Result, Tensor, bail, ensure, err};

use super::definition::{ArgDef, ArgType, AttrDef, AttrKind};
use crate::attr::AttrValue;

/// Inputs and outputs of a signature such as `a: T, b: T -> product: T`.
pub(super) fn signature(text: &str) -> Result<(Vec<ArgDef>, Vec<ArgDef>)> {
    let (inputs, outputs) = text.split_once("->").ok_or_else(|| err!(Internal, "signature '{text}' has no '->'"))?;
    Ok((args(inputs)?, args(outputs)?))
}

fn args(text: &str) -> Result<Vec<ArgDef>> {
    text.split(',').map(str::trim).filter(|arg| !arg.is_empty()).map(arg).collect()
}

fn arg(text: &str) -> Result<ArgDef> {
    let (name, ty) = text.split_once(':').ok_or_else(|| err!(Internal, "argument '{text}' has no type"))?;
    let (mut ty, mut number_attr, mut is_ref) = (ty.trim(), None, false);
    if let Some(inner) = ty.strip_prefix("Ref(").and_then(|rest| rest.strip_suffix(')')) {
        (ty, is_ref) = (inner.trim(), true);
    }
    if let Some((count, element)) = ty.split_once('*') {
        (ty, number_attr) = (element.trim(), Some(count.trim().to_owned()));
    }
    if let Some(inner) = ty.strip_prefix("Ref(").and_then(|rest| rest.strip_suffix(')')) {
        (ty, is_ref) = (inner.trim(), true);
    }
    let ty = DType::from_name(ty).map_or_else(|| ArgType::Attr(ty.to_owned()), ArgType::Fixed);
    Ok(ArgDef { name: name.trim().to_owned(), ty, number_attr, is_ref })
}

/// An attribute such as `N: int >= 1`, `padding: {'SAME', 'VALID'}`, `T: {float, double} = float`, `shape: shape`.
pub(super) fn attr(text: &str) -> Result<AttrDef> {
    let wrong = || err!(Internal, "attribute '{text}' is not understood");
    let (name, rest) = text.split_once(':').ok_or_else(wrong)?;
    let (mut kind, default) = match split_default(rest) {
        Some((kind, default)) => (kind.trim(), Some(default.trim())),
        None => (rest.trim(), None),
    };
    let mut minimum = None;
    if let Some((before, number)) = kind.split_once(">=") {
        (kind, minimum) = (before.trim(), Some(number.trim().parse().map_err(|_| wrong())?));
    }
    let mut attr = AttrDef {
        name: name.trim().to_owned(),
        kind: AttrKind::Type,
        default: None,
        allowed_types: Vec::new(),
        allowed_strings: Vec::new(),
        minimum,
    };
    let (inner, is_list) = match kind.strip_prefix("list(").and_then(|rest| rest.strip_suffix(')')) {
        Some(inner) => (inner.trim(), true),
        None => (kind, false),
    };
    attr.kind = if let Some(choices) = inner.strip_prefix('{').and_then(|rest| rest.strip_suffix('}')) {
        let mut scalar = AttrKind::Type;
        for choice in choices.split(',').map(str::trim) {
            if let Some(string) = choice.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')) {
                scalar = AttrKind::String;
                attr.allowed_strings.push(string.to_owned());
            } else {
                attr.allowed_types.push(DType::from_name(choice).ok_or_else(wrong)?);
            }
        }
        if is_list { list_of(scalar) } else { scalar }
    } else {
        let scalar = scalar_kind(inner).ok_or_else(wrong)?;
        if is_list { list_of(scalar) } else { scalar }
    };
    attr.default = default.map(|text| default_value(attr.kind, text)).transpose()?;
    Ok(attr)
}

/// Splits at the `=` that starts a default, not at the one of `>=`.
fn split_default(text: &str) -> Option<(&str, &str)> {
    let at = text.char_indices().find(|(i, c)| *c == '=' && !text[..*i].ends_with('>')).map(|(i, _)| i)?;
    Some((&text[..at], &text[at + 1..]))
}

fn scalar_kind(text: &str) -> Option<AttrKind> {
    Some(match text {
        "string" => AttrKind::String,
        "int" => AttrKind::Int,
        "float" => AttrKind::Float,
        "bool" => AttrKind::Bool,
        "type" => AttrKind::Type,
        "shape" => AttrKind::Shape,
        "tensor" => AttrKind::Tensor,
        "func" => AttrKind::Function,
        _ => return None,
    })
}

fn list_of(kind: AttrKind) -> AttrKind {
    match kind {
        AttrKind::String => AttrKind::Strings,
        AttrKind::Int => AttrKind::Ints,
        AttrKind::Float => AttrKind::Floats,
        AttrKind::Bool => AttrKind::Bools,
        AttrKind::Type => AttrKind::Types,
        AttrKind::Shape => AttrKind::Shapes,
        AttrKind::Tensor => AttrKind::Tensors,
        AttrKind::Function => AttrKind::Functions,
        list => list,
    }
}

fn default_value(kind: AttrKind, text: &str) -> Result<AttrValue> {
    let wrong = || err!(Internal, "default '{text}' is not a {}", kind.name());
    let items = || -> Result<Vec<&str>> {
        let inner = text.strip_prefix('[').and_then(|rest| rest.strip_suffix(']')).ok_or_else(wrong)?;
        Ok(inner.split(',').map(str::trim).filter(|item| !item.is_empty()).collect())
    };
    let string = |text: &str| -> Result<Bytes> {
        let inner = text.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\'')).ok_or_else(wrong)?;
        Ok(Bytes::copy_from_slice(inner.as_bytes()))
    };
    Ok(match kind {
        AttrKind::String => AttrValue::String(string(text)?),
        AttrKind::Int => AttrValue::Int(text.parse().map_err(|_| wrong())?),
        AttrKind::Float => AttrValue::Float(text.parse().map_err(|_| wrong())?),
        AttrKind::Bool => AttrValue::Bool(text.parse().map_err(|_| wrong())?),
        AttrKind::Type => AttrValue::Type(DType::from_name(text).ok_or_else(wrong)?),
        AttrKind::Shape if text == "?" => AttrValue::Shape(PartialShape::unknown()),
        AttrKind::Shape => {
            let dims: std::result::Result<Vec<i64>, _> = items()?.iter().map(|dim| dim.parse()).collect();
            AttrValue::Shape(PartialShape::from_dims(&dims.map_err(|_| wrong())?))
        }
        AttrKind::Tensor => {
            // The only default tensor that TensorFlow's ops have: a list of bytes, as a colour.
            let bytes: std::result::Result<Vec<u8>, _> = items()?.iter().map(|item| item.parse()).collect();
            AttrValue::Tensor(Tensor::vector(&bytes.map_err(|_| wrong())?))
        }
        kind => {
            let items = items()?;
            if items.is_empty() {
                return Ok(AttrValue::EmptyList);
            }
            match kind {
                AttrKind::Ints => AttrValue::Ints(
                    items.iter().map(|i| i.parse()).collect::<std::result::Result<_, _>>().map_err(|_| wrong())?,
                ),
                AttrKind::Floats => AttrValue::Floats(
                    items.iter().map(|i| i.parse()).collect::<std::result::Result<_, _>>().map_err(|_| wrong())?,
                ),
                AttrKind::Bools => AttrValue::Bools(
                    items.iter().map(|i| i.parse()).collect::<std::result::Result<_, _>>().map_err(|_| wrong())?,
                ),
                AttrKind::Strings => AttrValue::Strings(items.iter().map(|i| string(i)).collect::<Result<_>>()?),
                AttrKind::Types => AttrValue::Types(
                    items.iter().map(|i| DType::from_name(i).ok_or_else(wrong)).collect::<Result<_>>()?,
                ),
                _ => bail!(Internal, "a default for {} is not understood", kind.name()),
            }
        }
    })
}

/// Every attribute that arguments refer to must exist.
pub(super) fn check_references(args: &[ArgDef], attrs: &[AttrDef]) -> Result<()> {
    let exists = |name: &str| attrs.iter().any(|attr| attr.name == name);
    for arg in args {
        if let ArgType::Attr(name) = &arg.ty {
            ensure!(
                exists(name),
                Internal,
                "argument '{}' refers to an attribute '{name}' that is not there",
                arg.name
            );
        }
        if let Some(name) = &arg.number_attr {
            ensure!(
                exists(name),
                Internal,
                "argument '{}' refers to an attribute '{name}' that is not there",
                arg.name
            );
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signatures() {
        let (inputs, outputs) = signature("values: N * T, ref: Ref(T), axis: int32 -> out: T, index: int64").unwrap();
        assert_eq!(inputs[0].number_attr.as_deref(), Some("N"));
        assert!(inputs[1].is_ref && inputs[1].ty == ArgType::Attr("T".into()));
        assert_eq!(inputs[2].ty, ArgType::Fixed(DType::Int32));
        assert_eq!(outputs.len(), 2);
        assert!(signature("->").unwrap().0.is_empty());
    }

    #[test]
    fn attributes() {
        let n = attr("N: int >= 1 = 3").unwrap();
        assert_eq!((n.minimum, n.default), (Some(1), Some(AttrValue::Int(3))));
        let t = attr("T: {float, double} = float").unwrap();
        assert_eq!(t.allowed_types, [DType::Float, DType::Double]);
        let padding = attr("padding: {'SAME', 'VALID'}").unwrap();
        assert_eq!((padding.kind, padding.allowed_strings.len()), (AttrKind::String, 2));
        assert_eq!(attr("dilations: list(int) = [1, 1, 1, 1]").unwrap().default, Some(AttrValue::Ints(vec![1; 4])));
        assert_eq!(attr("types: list({float, int32}) >= 1").unwrap().kind, AttrKind::Types);
        assert_eq!(attr("shape: shape = ?").unwrap().default, Some(AttrValue::Shape(PartialShape::unknown())));
        assert!(attr("x: nonsense").is_err());
    }
}
