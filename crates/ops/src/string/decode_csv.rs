//! `DecodeCSV`: lines of comma-separated values as columns.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Tensor, bail, ensure};

use super::string_to_number::{float_of, int_of};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeCSV", "records: string, record_defaults: OUT_TYPE -> output: OUT_TYPE")
        .attr("OUT_TYPE: list({float, double, int32, int64, string}) >= 1")
        .attr("field_delim: string = ','")
        .attr("use_quote_delim: bool = true")
        .attr("na_value: string = ''")
        .attr("select_cols: list(int) = []")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in 1..cx.num_inputs() {
        if let Some(rank) = cx.input(index).rank() {
            ensure!(
                rank <= 1,
                InvalidArgument,
                "Shape of a default must be a length-0 or length-1 vector, or a scalar."
            );
        }
        if let Some(length) = cx.input(index).dim(0) {
            ensure!(
                length <= 1,
                InvalidArgument,
                "Shape of a default must be a length-0 or length-1 vector, or a scalar."
            );
        }
    }
    let records = cx.input(0);
    for index in 0..cx.num_outputs() {
        cx.set(index, records.clone());
    }
    Ok(())
}

/// How lines are read.
pub(crate) struct CsvReader {
    pub(crate) delimiter: u8,
    pub(crate) quotes: bool,
    pub(crate) na_value: Bytes,
    /// The columns wanted, in rising order; all if empty.
    pub(crate) columns: Vec<usize>,
}

fn kernel(node: &Node) -> Result<Kernel> {
    let &[delimiter] = &node.attr_bytes("field_delim")?[..] else {
        bail!(InvalidArgument, "field_delim should be only 1 char")
    };
    let columns = node.attr_ints("select_cols")?;
    ensure!(
        columns.is_empty() || columns.len() == node.output_types.len(),
        InvalidArgument,
        "select_cols should match output size"
    );
    ensure!(
        columns.iter().all(|column| *column >= 0) && columns.windows(2).all(|pair| pair[0] < pair[1]),
        InvalidArgument,
        "select_cols should be strictly increasing indices"
    );
    let reader = CsvReader {
        delimiter,
        quotes: node.attr_bool("use_quote_delim")?,
        na_value: node.attr_bytes("na_value")?.clone(),
        columns: columns.iter().map(|column| *column as usize).collect(),
    };
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let count = cx.num_outputs();
        let records = cx.input(0)?.clone();
        let mut columns: Vec<Column> = Vec::with_capacity(count);
        for index in 0..count {
            let default = cx.input(1 + index)?;
            ensure!(
                default.num_elements() <= 1,
                InvalidArgument,
                "There should only be 1 default per field but field {index} has {}",
                default.num_elements()
            );
            columns.push(Column::new(default)?);
        }
        for (number, record) in records.strings()?.iter().enumerate() {
            let fields = reader.fields(record)?;
            let chosen: Vec<Field> = match reader.columns.is_empty() {
                true => fields,
                false => {
                    let wanted = |(place, field)| reader.columns.contains(&place).then_some(field);
                    fields.into_iter().enumerate().filter_map(wanted).collect()
                }
            };
            ensure!(
                chosen.len() == count,
                InvalidArgument,
                "Expect {count} fields but have {} in record {number}",
                chosen.len()
            );
            for (place, (column, field)) in columns.iter_mut().zip(chosen).enumerate() {
                column.push(field, &reader.na_value, place, number)?;
            }
        }
        for (index, column) in columns.into_iter().enumerate() {
            cx.set_output(index, column.finish(records.shape())?);
        }
        Ok(())
    }))
}

pub(crate) struct Field {
    text: Vec<u8>,
    quoted: bool,
}

impl CsvReader {
    /// Whether a line ends within quotes, so that its record goes on behind it; `inside` if it begins within them.
    pub(crate) fn ends_in_quotes(&self, line: &[u8], mut inside: bool) -> bool {
        let (mut at, mut begins) = (0, !inside);
        while at < line.len() {
            match (inside, line[at], line.get(at + 1)) {
                (true, b'"', Some(b'"')) => at += 1,
                (true, b'"', _) => (inside, begins) = (false, false),
                (true, ..) => {}
                (false, b'"', _) if begins => inside = true,
                (false, byte, _) => begins = byte == self.delimiter,
            }
            at += 1;
        }
        inside
    }

    pub(crate) fn fields(&self, record: &[u8]) -> Result<Vec<Field>> {
        let (mut fields, mut at) = (Vec::new(), 0);
        loop {
            let mut field = Field { text: Vec::new(), quoted: false };
            if self.quotes && record.get(at) == Some(&b'"') {
                field.quoted = true;
                at += 1;
                loop {
                    match (record.get(at), record.get(at + 1)) {
                        (Some(b'"'), Some(b'"')) => {
                            field.text.push(b'"');
                            at += 2;
                        }
                        (Some(b'"'), next) => {
                            ensure!(
                                next.is_none_or(|next| *next == self.delimiter),
                                InvalidArgument,
                                "Quote inside a string has to be escaped by another quote"
                            );
                            break;
                        }
                        (Some(byte), _) => {
                            field.text.push(*byte);
                            at += 1;
                        }
                        (None, _) => {
                            bail!(InvalidArgument, "Quoted field has to end with quote followed by delim or end")
                        }
                    }
                }
                at += 1;
            } else {
                while let Some(byte) = record.get(at).filter(|byte| **byte != self.delimiter) {
                    ensure!(
                        !(matches!(byte, b'\n' | b'\r') || self.quotes && *byte == b'"'),
                        InvalidArgument,
                        "Unquoted fields cannot have quotes/CRLFs inside"
                    );
                    field.text.push(*byte);
                    at += 1;
                }
            }
            fields.push(field);
            if at >= record.len() {
                return Ok(fields);
            }
            at += 1;
        }
    }
}

/// The values of one column so far.
pub(crate) enum Column {
    Floats(Vec<f32>, Option<f32>),
    Doubles(Vec<f64>, Option<f64>),
    Ints(Vec<i32>, Option<i32>),
    Longs(Vec<i64>, Option<i64>),
    Strings(Vec<Bytes>, Option<Bytes>),
}

impl Column {
    pub(crate) fn new(default: &Tensor) -> Result<Column> {
        Ok(match default.dtype() {
            DType::Float => Column::Floats(Vec::new(), default.as_slice::<f32>()?.first().copied()),
            DType::Double => Column::Doubles(Vec::new(), default.as_slice::<f64>()?.first().copied()),
            DType::Int32 => Column::Ints(Vec::new(), default.as_slice::<i32>()?.first().copied()),
            DType::Int64 => Column::Longs(Vec::new(), default.as_slice::<i64>()?.first().copied()),
            DType::String => Column::Strings(Vec::new(), default.strings()?.first().cloned()),
            other => bail!(InvalidArgument, "csv: data type {other} not supported in field"),
        })
    }

    pub(crate) fn push(&mut self, field: Field, na_value: &[u8], place: usize, record: usize) -> Result<()> {
        let missing = field.text.is_empty() || (!field.quoted && field.text == na_value);
        let needed =
            || -> Result<()> { bail!(InvalidArgument, "Field {place} is required but missing in record {record}!") };
        let text = String::from_utf8_lossy(&field.text).into_owned();
        let wrong = |kind: &str| -> Result<()> {
            bail!(InvalidArgument, "Field {place} in record {record} is not a valid {kind}: {text}")
        };
        macro_rules! number {
            ($values:expr, $default:expr, $read:expr, $kind:literal) => {
                match (missing, $default.clone(), $read(&text)) {
                    (true, Some(default), _) => $values.push(default),
                    (true, None, _) => needed()?,
                    (false, _, Some(value)) => $values.push(value),
                    (false, _, None) => wrong($kind)?,
                }
            };
        }
        match self {
            Column::Floats(values, default) => number!(values, default, float_of::<f32>, "float"),
            Column::Doubles(values, default) => number!(values, default, float_of::<f64>, "double"),
            Column::Ints(values, default) => number!(values, default, int_of::<i32>, "int32"),
            Column::Longs(values, default) => number!(values, default, int_of::<i64>, "int64"),
            Column::Strings(values, default) => match (missing, default.clone()) {
                (true, Some(default)) => values.push(default),
                (true, None) => needed()?,
                (false, _) => values.push(Bytes::from(field.text)),
            },
        }
        Ok(())
    }

    pub(crate) fn finish(self, shape: &tensor::Shape) -> Result<Tensor> {
        match self {
            Column::Floats(values, _) => Tensor::from_slice(shape, &values),
            Column::Doubles(values, _) => Tensor::from_slice(shape, &values),
            Column::Ints(values, _) => Tensor::from_slice(shape, &values),
            Column::Longs(values, _) => Tensor::from_slice(shape, &values),
            Column::Strings(values, _) => Tensor::from_strings(shape.clone(), values),
        }
    }
}
