//! `InitializeTable`, `InitializeTableV2`, `InitializeTableFromTextFile` and `InitializeTableFromTextFileV2`: filling a table
//! once.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, bail, ensure, err};

use super::handles::HANDLES;
use super::table_store::{Table, enter, fill_kernel};
use crate::handle::find;
use crate::io::{path_of, read_file};

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        let signature = format!("table_handle: {handle}, keys: Tkey, values: Tval ->");
        let typed = ["Tkey: type", "Tval: type"];
        enter(r, version, &format!("InitializeTable{version}"), &signature, &typed, ShapeContext::unknown, fill_kernel);
        let attrs = [
            "key_index: int >= -2",
            "value_index: int >= -2",
            "vocab_size: int >= -1 = -1",
            "delimiter: string = '\t'",
            "offset: int = 0",
        ];
        let signature = format!("table_handle: {handle}, filename: string ->");
        let name = format!("InitializeTableFromTextFile{version}");
        enter(r, version, &name, &signature, &attrs, ShapeContext::unknown, file_kernel);
    }
}

/// What of a line is taken.
#[derive(Clone, Copy)]
enum Part {
    LineNumber,
    WholeLine,
    Column(usize),
}

impl Part {
    fn of(index: i64) -> Part {
        match index {
            -1 => Part::LineNumber,
            -2 => Part::WholeLine,
            column => Part::Column(column.max(0) as usize),
        }
    }

    fn take(self, line: &str, number: i64, delimiter: char, dtype: DType) -> Result<Bytes> {
        let text = match self {
            Part::LineNumber => number.to_string(),
            Part::WholeLine => line.to_owned(),
            Part::Column(column) => match line.split(delimiter).nth(column) {
                Some(text) => text.to_owned(),
                None => bail!(
                    InvalidArgument,
                    "Invalid number of columns in line {number} ({line}) : expected at least {} got {}",
                    column + 1,
                    line.split(delimiter).count()
                ),
            },
        };
        let wrong = || err!(InvalidArgument, "Field {text} in line {number} is not a valid {dtype}.");
        Ok(match dtype {
            DType::String => Bytes::from(text),
            DType::Int64 => Bytes::copy_from_slice(&text.trim().parse::<i64>().map_err(|_| wrong())?.to_le_bytes()),
            DType::Int32 => Bytes::copy_from_slice(&text.trim().parse::<i32>().map_err(|_| wrong())?.to_le_bytes()),
            DType::Float => Bytes::copy_from_slice(&text.trim().parse::<f32>().map_err(|_| wrong())?.to_le_bytes()),
            DType::Double => Bytes::copy_from_slice(&text.trim().parse::<f64>().map_err(|_| wrong())?.to_le_bytes()),
            other => bail!(InvalidArgument, "Data type {other} not supported."),
        })
    }
}

fn file_kernel(node: &Node) -> Result<Kernel> {
    let (key, value) = (Part::of(node.attr_int("key_index")?), Part::of(node.attr_int("value_index")?));
    let (vocab_size, offset) = (node.attr_int("vocab_size")?, node.attr_int("offset")?);
    let delimiter = node.attr_str("delimiter")?.chars().next();
    let delimiter = delimiter.ok_or_else(|| err!(InvalidArgument, "delimiter should be only 1 char"))?;
    Ok(Kernel::files(move |cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let path = path_of(cx.step, cx.input(1)?, "filename")?;
        let text = read_file(&path)?;
        let text = String::from_utf8_lossy(&text);
        let mut pairs = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if vocab_size >= 0 && number as i64 >= vocab_size {
                break;
            }
            let number = (number as i64).saturating_add(offset);
            pairs.push((
                key.take(line, number, delimiter, table.key)?,
                value.take(line, number, delimiter, table.value)?,
            ));
        }
        ensure!(
            vocab_size < 0 || pairs.len() as i64 == vocab_size,
            InvalidArgument,
            "Invalid vocab_size in {}: expected {vocab_size} but got {}",
            path.display(),
            pairs.len()
        );
        table.initialize(pairs)
    }))
}
