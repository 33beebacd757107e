//! The values of one feature of examples: how they are decoded, and the column that they are gathered in.

use bytes::Bytes;
use prost::Message;
use tensor::{DType, Result, Shape, Tensor, bail, err};
use wire::feature::Kind;

use super::example_text::{ExampleText, TextValues};

/// Where an example stands, for messages.
pub(super) struct Place<'a> {
    pub(super) name: Option<&'a Bytes>,
    pub(super) number: usize,
    pub(super) single: bool,
}

impl Place<'_> {
    pub(super) fn lead(&self) -> String {
        match self.name {
            Some(name) => format!("Name: {}, ", String::from_utf8_lossy(name)),
            None if self.single => String::new(),
            None => "Name: <unknown>, ".to_owned(),
        }
    }

    pub(super) fn key(&self, key: &Bytes) -> String {
        let key = String::from_utf8_lossy(key);
        if self.single {
            format!("{}Key: {key}", self.lead())
        } else {
            format!("{}Key: {key}, Index: {}", self.lead(), self.number)
        }
    }
}

/// The features of an example.
pub(super) enum Features {
    /// Found, and not decoded yet.
    Text(ExampleText),
    Decoded(wire::Features),
}

/// The values of a feature.
#[derive(Clone, Copy)]
pub(super) enum Values<'a> {
    Text(TextValues<'a>),
    Decoded(&'a Kind),
}

impl Features {
    pub(super) fn find(&self, key: &Bytes) -> Option<Values<'_>> {
        match self {
            Features::Text(text) => text.find(key).map(Values::Text),
            Features::Decoded(features) => find(features, key).map(Values::Decoded),
        }
    }
}

impl Values<'_> {
    pub(super) fn dtype(&self) -> DType {
        match self {
            Values::Text(text) => text.dtype(),
            Values::Decoded(kind) => kind_type(kind),
        }
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Values::Text(text) => text.len(),
            Values::Decoded(kind) => kind_len(kind),
        }
    }

    /// Writes as many floats as there is room for.
    pub(super) fn write_floats(&self, room: &mut [f32]) {
        match self {
            Values::Text(text) => room.iter_mut().zip(text.floats()).for_each(|(to, value)| *to = value),
            Values::Decoded(Kind::FloatList(list)) => {
                room.iter_mut().zip(&list.value).for_each(|(to, value)| *to = *value);
            }
            Values::Decoded(_) => {}
        }
    }

    /// Writes as many integers as there is room for.
    pub(super) fn write_integers(&self, room: &mut [i64]) {
        match self {
            Values::Text(text) => room.iter_mut().zip(text.integers()).for_each(|(to, value)| *to = value),
            Values::Decoded(Kind::Int64List(list)) => {
                room.iter_mut().zip(&list.value).for_each(|(to, value)| *to = *value);
            }
            Values::Decoded(_) => {}
        }
    }
}

/// Decodes an example as the format allows it to be written.
pub(super) fn decode(text: &Bytes, place: &Place<'_>) -> Result<wire::Features> {
    const SHOWN: usize = 64;
    let example = wire::Example::decode(text.clone()).map_err(|error| {
        let shown = text.slice(..text.len().min(SHOWN));
        err!(
            InvalidArgument,
            "{}Could not parse example input, value: '{}' ({} bytes): {error}",
            place.lead(),
            shown.escape_ascii(),
            text.len()
        )
    })?;
    Ok(example.features.unwrap_or_default())
}

pub(super) fn find<'a>(features: &'a wire::Features, key: &Bytes) -> Option<&'a Kind> {
    features.feature.get(std::str::from_utf8(key).ok()?)?.kind.as_ref()
}

pub(super) fn kind_type(kind: &Kind) -> DType {
    match kind {
        Kind::BytesList(_) => DType::String,
        Kind::FloatList(_) => DType::Float,
        Kind::Int64List(_) => DType::Int64,
    }
}

pub(super) fn kind_len(kind: &Kind) -> usize {
    match kind {
        Kind::BytesList(list) => list.value.len(),
        Kind::FloatList(list) => list.value.len(),
        Kind::Int64List(list) => list.value.len(),
    }
}

/// Values of one feature.
pub(super) enum Column {
    Floats(Vec<f32>),
    Ints(Vec<i64>),
    Strings(Vec<Bytes>),
}

impl Column {
    pub(super) fn new(dtype: DType) -> Result<Column> {
        Ok(match dtype {
            DType::Float => Column::Floats(Vec::new()),
            DType::Int64 => Column::Ints(Vec::new()),
            DType::String => Column::Strings(Vec::new()),
            other => bail!(InvalidArgument, "features are not of type {other}"),
        })
    }

    pub(super) fn len(&self) -> usize {
        match self {
            Column::Floats(values) => values.len(),
            Column::Ints(values) => values.len(),
            Column::Strings(values) => values.len(),
        }
    }

    /// Adds an example's values, which are of the column's type.
    pub(super) fn extend(&mut self, kind: &Kind) {
        match (self, kind) {
            (Column::Floats(values), Kind::FloatList(list)) => values.extend_from_slice(&list.value),
            (Column::Ints(values), Kind::Int64List(list)) => values.extend_from_slice(&list.value),
            (Column::Strings(values), Kind::BytesList(list)) => values.extend_from_slice(&list.value),
            _ => {}
        }
    }

    /// As [`extend`](Column::extend), for values that may not be decoded yet.
    pub(super) fn extend_with(&mut self, values: Values<'_>) {
        match (self, values) {
            (column, Values::Decoded(kind)) => column.extend(kind),
            (Column::Floats(values), Values::Text(text)) => values.extend(text.floats()),
            (Column::Ints(values), Values::Text(text)) => values.extend(text.integers()),
            (Column::Strings(values), Values::Text(text)) => values.extend(text.strings()),
        }
    }

    pub(super) fn extend_from(&mut self, default: &Tensor) -> Result<()> {
        match self {
            Column::Floats(values) => values.extend_from_slice(default.as_slice()?),
            Column::Ints(values) => values.extend_from_slice(default.as_slice()?),
            Column::Strings(values) => values.extend_from_slice(default.strings()?),
        }
        Ok(())
    }

    pub(super) fn pad(&mut self, element: &Tensor, length: usize) -> Result<()> {
        match self {
            Column::Floats(values) => values.resize(length, element.to_scalar()?),
            Column::Ints(values) => values.resize(length, element.to_scalar()?),
            Column::Strings(values) => values.resize(length, element.to_string_scalar()?.clone()),
        }
        Ok(())
    }

    pub(super) fn to_tensor(&self, shape: Shape) -> Result<Tensor> {
        match self {
            Column::Floats(values) => Tensor::from_slice(&shape, values),
            Column::Ints(values) => Tensor::from_slice(&shape, values),
            Column::Strings(values) => Tensor::from_strings(shape, values.clone()),
        }
    }

    pub(super) fn into_tensor(self, shape: Shape) -> Result<Tensor> {
        match self {
            Column::Strings(values) => Tensor::from_strings(shape, values),
            plain => plain.to_tensor(shape),
        }
    }
}
