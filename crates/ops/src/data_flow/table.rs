//! Lookup tables: `HashTable`, `MutableHashTable`, and what fills, asks, changes and empties them, in both versions; tables
//! whose values are tensors (`MutableHashTableOfTensors`), and those that set two keys apart (`MutableDenseHashTable`).

use std::collections::HashMap;
use std::sync::Arc;

use bytes::Bytes;
use graph::op::{Compute, Kernel, OpContext, OpEntry, Registry, Resource, ShapeContext};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure, err};

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
        r.op(&format!("MutableHashTableOfTensors{version}"), &format!("-> table_handle: {handle}"))
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("use_node_name_sharing: bool = false")
            .attr("key_dtype: type")
            .attr("value_dtype: type")
            .attr("value_shape: shape = []")
            .stateful()
            .shape(handle_shape)
            .any_kernel(make_kernel)
            .not_differentiable();
        let keys =
            if version == "V2" { "empty_key: key_dtype, deleted_key: key_dtype" } else { "empty_key: key_dtype" };
        r.op(&format!("MutableDenseHashTable{version}"), &format!("{keys} -> table_handle: {handle}"))
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .attr("use_node_name_sharing: bool = false")
            .attr("key_dtype: type")
            .attr("value_dtype: type")
            .attr("value_shape: shape = []")
            .attr("initial_num_buckets: int = 131072")
            .attr("max_load_factor: float = 0.8")
            .stateful()
            .shape(handle_shape)
            .any_kernel(dense_kernel)
            .not_differentiable();
        let mut op =
            |name: &str, inputs: &str, outputs: &str, attrs: &[&str], shape, kernel: fn(&Node) -> Result<Kernel>| {
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
        op(
            "LookupTableExport",
            "",
            "keys: Tkeys, values: Tvalues",
            &["Tkeys: type", "Tvalues: type"],
            none,
            export_kernel,
        );
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
    /// The shapes of a key and of a value.
    key_shape: Shape,
    value_shape: Shape,
    /// Keys that must not be used, and what they are called.
    reserved: Vec<(&'static str, Bytes)>,
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

/// Each row of so many elements as its bytes.
fn rows(tensor: &Tensor, size: usize) -> Result<Vec<Bytes>> {
    if size == 0 {
        bail!(InvalidArgument, "keys and values of tables have elements, but these have none: {}", tensor.shape());
    }
    if let Ok(strings) = tensor.strings() {
        if size == 1 {
            return Ok(strings.to_vec());
        }
        let row = |row: &[Bytes]| {
            let parts = row.iter().flat_map(|text| [&(text.len() as u64).to_le_bytes()[..], text].concat());
            Bytes::from(parts.collect::<Vec<u8>>())
        };
        return Ok(strings.chunks_exact(size).map(row).collect());
    }
    let Some(buffer) = tensor.buffer() else { bail!(Unimplemented, "no tables of {}", tensor.dtype()) };
    let size = tensor.dtype().size() * size;
    Ok(buffer.as_bytes().chunks_exact(size).map(Bytes::copy_from_slice).collect())
}

/// The other way round.
fn tensor_of(dtype: DType, shape: &Shape, rows: Vec<Bytes>, size: usize) -> Result<Tensor> {
    if dtype != DType::String {
        return Tensor::from_bytes(dtype, shape.clone(), Bytes::from(rows.concat()));
    }
    if size == 1 {
        return Tensor::from_strings(shape.clone(), rows);
    }
    let mut strings = Vec::with_capacity(rows.len() * size);
    for mut row in rows {
        while row.len() >= 8 {
            let length = row.split_to(8);
            let length = <[u8; 8]>::try_from(&length[..]).map(u64::from_le_bytes).unwrap_or(0);
            strings.push(row.split_to((length as usize).min(row.len())));
        }
    }
    Tensor::from_strings(shape.clone(), strings)
}

fn kinds_of(node: &Node) -> Result<(DType, DType, Shape)> {
    let (key, value) = (node.attr_type("key_dtype")?, node.attr_type("value_dtype")?);
    let fine = |dtype: DType| dtype.is_plain() || dtype == DType::String;
    ensure!(fine(key) && fine(value), Unimplemented, "no table from {key} to {value}");
    let shape = node.attr_shape("value_shape").cloned().unwrap_or_else(|_| PartialShape::scalar());
    let Some(shape) = shape.to_shape() else { bail!(InvalidArgument, "Shape {shape} is not fully defined") };
    let of_tensors = node.op.starts_with("MutableHashTableOfTensors");
    ensure!(!of_tensors || shape.rank() == 1, InvalidArgument, "Default value must be a vector, got shape {shape}");
    Ok((key, value, shape))
}

/// Makes a table whose first inputs are keys that are set apart.
fn dense_kernel(node: &Node) -> Result<Kernel> {
    let (key, value, value_shape) = kinds_of(node)?;
    let buckets = node.attr_int("initial_num_buckets")?;
    ensure!(
        buckets >= 4 && buckets & (buckets - 1) == 0,
        InvalidArgument,
        "Number of buckets must be at least 4 and a power of 2, got: {buckets}"
    );
    let load = node.attr_float("max_load_factor")?;
    ensure!(load > 0.0 && load < 1.0, InvalidArgument, "max_load_factor must be between 0 and 1, got: {load}");
    let given: Arc<Mutex<Vec<Tensor>>> = Arc::default();
    let (reserved, shape) = (given.clone(), value_shape.clone());
    let make = MakeResource::new(
        node,
        TABLE_TYPE,
        move |_| {
            let keys = reserved.lock().clone();
            let mut apart = Vec::new();
            for (name, own) in ["empty_key", "deleted_key"].into_iter().zip(&keys) {
                apart.push((name, rows(own, own.num_elements())?.pop().unwrap_or_default()));
            }
            Ok(Table {
                key,
                value,
                mutable: true,
                key_shape: keys.first().map_or_else(Shape::scalar, |key| key.shape().clone()),
                value_shape: shape.clone(),
                reserved: apart,
                entries: Mutex::new(Some(HashMap::new())),
            })
        },
        move |found: &Table| found.check(key, Some(value)),
    )?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let keys = (0..cx.num_inputs()).map(|index| cx.input(index).cloned()).collect::<Result<Vec<_>>>()?;
        if let [empty, deleted] = &keys[..] {
            ensure!(
                empty.shape() == deleted.shape(),
                InvalidArgument,
                "Empty and deleted keys must have same shape, got shapes: {} and {}",
                empty.shape(),
                deleted.shape()
            );
            ensure!(empty != deleted, InvalidArgument, "Empty and deleted keys cannot be equal");
        }
        *given.lock() = keys;
        make.compute(cx)
    }))
}

fn make_kernel(node: &Node) -> Result<Kernel> {
    let (key, value, value_shape) = kinds_of(node)?;
    let mutable = node.op.starts_with("Mutable");
    let make = MakeResource::new(
        node,
        TABLE_TYPE,
        move |_| {
            Ok(Table {
                key,
                value,
                mutable,
                key_shape: Shape::scalar(),
                value_shape: value_shape.clone(),
                reserved: Vec::new(),
                entries: Mutex::new(mutable.then(HashMap::new)),
            })
        },
        move |found: &Table| found.check(key, Some(value)),
    )?;
    Ok(Kernel::cheap(make))
}

fn find_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    // Values that are tensors, or keys that are, cannot be told from the handle.
    let scalar = cx.input(2).rank() == Some(0);
    cx.set(0, if scalar { cx.input(1) } else { PartialShape::default() });
    Ok(())
}

impl Table {
    /// The shape of these keys as a collection: without the axes of a single key.
    fn outer(&self, keys: &Tensor) -> Result<Shape> {
        let (dims, own) = (keys.dims(), self.key_shape.dims());
        let split = dims.len().checked_sub(own.len()).filter(|split| &dims[*split..] == own);
        match split {
            Some(split) => Shape::new(&dims[..split]),
            None => bail!(
                InvalidArgument,
                "Input key shape {} must be a vector shape suffix {}",
                keys.shape(),
                self.key_shape
            ),
        }
    }

    /// # Errors
    /// `InvalidArgument` for a key that is set apart.
    fn keys(&self, keys: &Tensor) -> Result<Vec<Bytes>> {
        let rows = rows(keys, self.key_shape.num_elements())?;
        for (name, reserved) in &self.reserved {
            ensure!(!rows.contains(reserved), InvalidArgument, "Using the {name} as a table key is not allowed");
        }
        Ok(rows)
    }

    /// The shape of values for keys of this shape.
    fn values_shape(&self, outer: &Shape) -> Result<Shape> {
        Shape::new(&[outer.dims(), self.value_shape.dims()].concat())
    }
}

/// Keys and values of inputs 1 and 2, which must be as many.
fn pairs(cx: &OpContext<'_>, table: &Table) -> Result<Vec<(Bytes, Bytes)>> {
    let (keys, values) = (cx.input(1)?, cx.input(2)?);
    table.check(keys.dtype(), Some(values.dtype()))?;
    let expected = table.values_shape(&table.outer(keys)?)?;
    ensure!(
        *values.shape() == expected,
        InvalidArgument,
        "{}",
        if table.mutable {
            format!("Expected shape {expected} for value, got {}", values.shape())
        } else {
            format!(
                "Input key and value must have the same number of elements, saw shapes: {} and {}",
                keys.shape(),
                values.shape()
            )
        }
    );
    Ok(table.keys(keys)?.into_iter().zip(rows(values, table.value_shape.num_elements())?).collect())
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
        let keys = table.keys(keys)?;
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
        let outer = table.outer(keys)?;
        let (shape, size) = (table.values_shape(&outer)?, table.value_shape.num_elements());
        let many = *default.shape() == shape;
        ensure!(
            default.num_elements() == size || many,
            InvalidArgument,
            "Expected shape {} or {shape} for default value, got {}",
            table.value_shape,
            default.shape()
        );
        let defaults = rows(default, size)?;
        let keys = table.keys(keys)?;
        let found = table.read(|entries| {
            let find = |(place, key): (usize, Bytes)| {
                let default = || defaults.get(if many { place } else { 0 }).cloned().unwrap_or_default();
                entries.get(&key).cloned().unwrap_or_else(default)
            };
            Ok(keys.into_iter().enumerate().map(find).collect())
        })?;
        let values = tensor_of(table.value, &shape, found, size)?;
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
        let outer = Shape::vector(keys.len());
        let key_shape = Shape::new(&[outer.dims(), table.key_shape.dims()].concat())?;
        let value_shape = table.values_shape(&outer)?;
        cx.set_output(0, tensor_of(table.key, &key_shape, keys, table.key_shape.num_elements())?);
        cx.set_output(1, tensor_of(table.value, &value_shape, values, table.value_shape.num_elements())?);
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
