//! Lookup tables: `HashTable`, `MutableHashTable`, and what fills, asks, changes and empties them, in both versions.

use std::collections::HashMap;

use bytes::Bytes;
use graph::op::{Kernel, OpContext, OpEntry, Registry, Resource, ShapeContext};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{DType, Result, Shape, Tensor, bail, ensure, err};

use super::fifo_queue::{HANDLES, handle_shape, stateful_if_new};
use crate::handle::{MakeResource, find};
use crate::io::{file_error, path_of};

/// The type name in handles of tables.
pub(crate) const TABLE_TYPE: &str = "N10tensorflow6lookup15LookupInterfaceE";

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        for name in ["HashTable", "MutableHashTable"] {
            r.op(&format!("{name}{version}"), &format!("-> table_handle: {handle}"))
                .attr("container: string = ''")
                .attr("shared_name: string = ''")
                .attr("use_node_name_sharing: bool = false")
                .attr("key_dtype: type")
                .attr("value_dtype: type")
                .stateful()
                .shape(handle_shape)
                .any_kernel(make_kernel)
                .not_differentiable();
        }
        let mut op = |name: &str, inputs: &str, outputs: &str, attrs: &[&str], shape, kernel: fn(&Node) -> Result<Kernel>| {
            let signature = format!("table_handle: {handle}{inputs} -> {outputs}");
            let mut entry: OpEntry<'_> = r.op(&format!("{name}{version}"), &signature);
            for attr in attrs {
                entry = entry.attr(attr);
            }
            stateful_if_new(entry, version).shape(shape).any_kernel(kernel).not_differentiable();
        };
        let none: graph::op::ShapeFn = ShapeContext::unknown;
        let typed = ["Tin: type", "Tout: type"];
        op("InitializeTable", ", keys: Tkey, values: Tval", "", &["Tkey: type", "Tval: type"], none, fill_kernel);
        op("LookupTableImport", ", keys: Tin, values: Tout", "", &typed, none, fill_kernel);
        op("LookupTableInsert", ", keys: Tin, values: Tout", "", &typed, none, insert_kernel);
        op("LookupTableFind", ", keys: Tin, default_value: Tout", "values: Tout", &typed, find_shape, find_kernel);
        op("LookupTableSize", "", "size: int64", &[], ShapeContext::scalar, size_kernel);
        op("LookupTableExport", "", "keys: Tkeys, values: Tvalues", &["Tkeys: type", "Tvalues: type"], none, export_kernel);
        if version == "V2" {
            op("LookupTableRemove", ", keys: Tin", "", &["Tin: type"], none, remove_kernel);
        }
        let attrs = [
            "key_index: int >= -2",
            "value_index: int >= -2",
            "vocab_size: int >= -1 = -1",
            "delimiter: string = '\t'",
            "offset: int = 0",
        ];
        op("InitializeTableFromTextFile", ", filename: string", "", &attrs, none, file_kernel);
    }
}

/// A table from keys to values. Elements are kept as their bytes, whatever their type.
pub(crate) struct Table {
    key: DType,
    value: DType,
    mutable: bool,
    /// Not there until the table is initialized; a mutable table always is.
    entries: Mutex<Option<HashMap<Bytes, Bytes>>>,
}

impl Resource for Table {
    fn kind(&self) -> &'static str {
        "LookupTable"
    }
}

impl Table {
    fn check(&self, keys: DType, values: Option<DType>) -> Result<()> {
        let fits = self.key == keys && values.is_none_or(|values| values == self.value);
        ensure!(
            fits,
            InvalidArgument,
            "Conflicting key/value dtypes {keys}->{} with {}-{} for table",
            values.unwrap_or(self.value),
            self.key,
            self.value
        );
        Ok(())
    }

    fn initialize(&self, pairs: Vec<(Bytes, Bytes)>) -> Result<()> {
        let mut new: HashMap<Bytes, Bytes> = HashMap::with_capacity(pairs.len());
        for (key, value) in pairs {
            if self.mutable {
                new.insert(key, value);
                continue;
            }
            match new.get(&key) {
                Some(old) if *old != value => bail!(
                    FailedPrecondition,
                    "HashTable has different value for same key. Key {} has {} and trying to add value {}",
                    shown(&key, self.key),
                    shown(old, self.value),
                    shown(&value, self.value)
                ),
                Some(_) => {}
                None => drop(new.insert(key, value)),
            }
        }
        let mut entries = self.entries.lock();
        if let (Some(old), false) = (&*entries, self.mutable) {
            ensure!(*old == new, FailedPrecondition, "Table was already initialized with different data.");
        }
        *entries = Some(new);
        Ok(())
    }

    fn read<R>(&self, look: impl FnOnce(&HashMap<Bytes, Bytes>) -> Result<R>) -> Result<R> {
        match &*self.entries.lock() {
            Some(entries) => look(entries),
            None => bail!(FailedPrecondition, "Table not initialized."),
        }
    }

    fn change(&self, change: impl FnOnce(&mut HashMap<Bytes, Bytes>)) -> Result<()> {
        ensure!(self.mutable, Unimplemented, "Insert not supported by HashTable implementations.");
        change(self.entries.lock().get_or_insert_default());
        Ok(())
    }
}

fn shown(element: &[u8], dtype: DType) -> String {
    match dtype {
        DType::String => element.escape_ascii().to_string(),
        DType::Int64 => <[u8; 8]>::try_from(element).map(i64::from_le_bytes).unwrap_or_default().to_string(),
        DType::Int32 => <[u8; 4]>::try_from(element).map(i32::from_le_bytes).unwrap_or_default().to_string(),
        DType::Float => <[u8; 4]>::try_from(element).map(f32::from_le_bytes).unwrap_or_default().to_string(),
        _ => format!("{element:?}"),
    }
}

/// Each element as its bytes.
fn elements(tensor: &Tensor) -> Result<Vec<Bytes>> {
    if let Ok(strings) = tensor.strings() {
        return Ok(strings.to_vec());
    }
    let Some(buffer) = tensor.buffer() else { bail!(Unimplemented, "no tables of {}", tensor.dtype()) };
    let size = tensor.dtype().size();
    Ok(buffer.as_bytes().chunks_exact(size).map(Bytes::copy_from_slice).collect())
}

/// The other way round.
fn tensor_of(dtype: DType, shape: &Shape, elements: Vec<Bytes>) -> Result<Tensor> {
    if dtype == DType::String {
        return Tensor::from_strings(shape.clone(), elements);
    }
    Tensor::from_bytes(dtype, shape.clone(), Bytes::from(elements.concat()))
}

fn make_kernel(node: &Node) -> Result<Kernel> {
    let (key, value) = (node.attr_type("key_dtype")?, node.attr_type("value_dtype")?);
    let fine = |dtype: DType| dtype.is_plain() || dtype == DType::String;
    ensure!(fine(key) && fine(value), Unimplemented, "no table from {key} to {value}");
    let mutable = node.op.starts_with("Mutable");
    let make = MakeResource::new(
        node,
        TABLE_TYPE,
        move |_| Ok(Table { key, value, mutable, entries: Mutex::new(mutable.then(HashMap::new)) }),
        move |found: &Table| found.check(key, Some(value)),
    )?;
    Ok(Kernel::cheap(make))
}

fn find_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, cx.input(1));
    Ok(())
}

/// Keys and values of inputs 1 and 2, which must be as many.
fn pairs(cx: &OpContext<'_>, table: &Table) -> Result<Vec<(Bytes, Bytes)>> {
    let (keys, values) = (cx.input(1)?, cx.input(2)?);
    table.check(keys.dtype(), Some(values.dtype()))?;
    ensure!(
        keys.shape() == values.shape(),
        InvalidArgument,
        "Input key and value must have the same number of elements, saw shapes: {} and {}",
        keys.shape(),
        values.shape()
    );
    Ok(elements(keys)?.into_iter().zip(elements(values)?).collect())
}

fn fill_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let pairs = pairs(cx, &table)?;
        table.initialize(pairs)
    }))
}

fn insert_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let pairs = pairs(cx, &table)?;
        table.change(|entries| entries.extend(pairs))
    }))
}

fn remove_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let keys = cx.input(1)?;
        table.check(keys.dtype(), None)?;
        let keys = elements(keys)?;
        table.change(|entries| {
            for key in &keys {
                entries.remove(key);
            }
        })
    }))
}

fn find_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let (keys, default) = (cx.input(1)?, cx.input(2)?);
        table.check(keys.dtype(), Some(default.dtype()))?;
        let defaults = elements(default)?;
        let many = default.shape() == keys.shape();
        ensure!(
            defaults.len() == 1 || many,
            InvalidArgument,
            "Expected shape [] or {} for default value, got {}",
            keys.shape(),
            default.shape()
        );
        let found = table.read(|entries| {
            let find = |(place, key): (usize, Bytes)| {
                let default = || defaults.get(if many { place } else { 0 }).cloned().unwrap_or_default();
                entries.get(&key).cloned().unwrap_or_else(default)
            };
            Ok(elements(keys)?.into_iter().enumerate().map(find).collect())
        })?;
        let values = tensor_of(table.value, keys.shape(), found)?;
        cx.set_output(0, values);
        Ok(())
    }))
}

fn size_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let size = find::<Table>(cx.step, Some(&handle))?.entries.lock().as_ref().map_or(0, HashMap::len);
        cx.set_output(0, size as i64);
        Ok(())
    }))
}

fn export_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let (keys, values): (Vec<Bytes>, Vec<Bytes>) =
            table.read(|entries| Ok(entries.iter().map(|(key, value)| (key.clone(), value.clone())).unzip()))?;
        let shape = Shape::vector(keys.len());
        cx.set_output(0, tensor_of(table.key, &shape, keys)?);
        cx.set_output(1, tensor_of(table.value, &shape, values)?);
        Ok(())
    }))
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
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let path = path_of(cx.input(1)?, "filename")?;
        let text = std::fs::read(&path).map_err(|error| file_error(&path, error))?;
        let text = String::from_utf8_lossy(&text);
        let mut pairs = Vec::new();
        for (number, line) in text.lines().enumerate() {
            if vocab_size >= 0 && number as i64 >= vocab_size {
                break;
            }
            let number = (number as i64).saturating_add(offset);
            pairs.push((key.take(line, number, delimiter, table.key)?, value.take(line, number, delimiter, table.value)?));
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

