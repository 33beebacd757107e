//! The table behind the lookup ops: keys and values as their bytes, whatever their types.

use std::collections::HashMap;

use bytes::Bytes;
use graph::Node;
use graph::op::{Kernel, OpContext, Registry, Resource, ShapeFn};
use parking_lot::Mutex;
use tensor::{DType, Result, Shape, Tensor, bail, ensure};

use super::handles::stateful_if_new;
use crate::handle::find;

/// The type name in handles of tables.
pub(crate) const TABLE_TYPE: &str = "N10tensorflow6lookup15LookupInterfaceE";

/// Registers an op that works on a table.
pub(super) fn enter(
    r: &mut Registry,
    version: &str,
    name: &str,
    signature: &str,
    attrs: &[&str],
    shape: ShapeFn,
    kernel: fn(&Node) -> Result<Kernel>,
) {
    let entry = attrs.iter().fold(r.op(name, signature), |entry, attr| entry.attr(attr));
    stateful_if_new(entry, version).shape(shape).any_kernel(kernel).not_differentiable();
}

/// A table from keys to values. Elements are kept as their bytes, whatever their type.
pub(crate) struct Table {
    pub(super) key: DType,
    pub(super) value: DType,
    pub(super) mutable: bool,
    /// The shapes of a key and of a value.
    pub(super) key_shape: Shape,
    pub(super) value_shape: Shape,
    /// Keys that must not be used, and what they are called.
    pub(super) reserved: Vec<(&'static str, Bytes)>,
    /// How many places a table has that sets keys apart, of which some hold nothing: all are exported.
    pub(super) places: Option<Places>,
    /// Not there until the table is initialized; a mutable table always is.
    pub(super) entries: Mutex<Option<HashMap<Bytes, Bytes>>>,
}

/// The places of a table, a power of two, and how full they may become.
pub(super) struct Places {
    pub(super) count: Mutex<usize>,
    pub(super) load: f32,
}

impl Resource for Table {
    fn kind(&self) -> &'static str {
        "LookupTable"
    }
}

impl Table {
    pub(super) fn check(&self, keys: DType, values: Option<DType>) -> Result<()> {
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

    pub(crate) fn initialize(&self, pairs: Vec<(Bytes, Bytes)>) -> Result<()> {
        check_room(&pairs)?;
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

    pub(super) fn read<R>(&self, look: impl FnOnce(&HashMap<Bytes, Bytes>) -> Result<R>) -> Result<R> {
        match &*self.entries.lock() {
            Some(entries) => look(entries),
            None => bail!(FailedPrecondition, "Table not initialized."),
        }
    }

    /// # Errors
    /// `Unimplemented` for a table that stays as it was made, `ResourceExhausted` if there is no room for the pairs.
    pub(super) fn insert(&self, pairs: Vec<(Bytes, Bytes)>) -> Result<()> {
        check_room(&pairs)?;
        self.change(|entries| {
            if let Some(places) = &self.places {
                let (mut count, expected) = (places.count.lock(), entries.len() + pairs.len());
                while expected as f32 > *count as f32 * places.load {
                    *count *= 2;
                }
            }
            entries.extend(pairs)
        })
    }

    pub(super) fn change(&self, change: impl FnOnce(&mut HashMap<Bytes, Bytes>)) -> Result<()> {
        ensure!(self.mutable, Unimplemented, "Insert not supported by HashTable implementations.");
        change(self.entries.lock().get_or_insert_default());
        Ok(())
    }
}

/// Looks whether there is room for entries, which keep their bytes and a place in the table.
fn check_room(pairs: &[(Bytes, Bytes)]) -> Result<()> {
    let bytes: usize = pairs.iter().map(|(key, value)| key.len() + value.len()).sum();
    // Two small blocks for each entry, and its place, of which there are some more when the table grows.
    let room = bytes + pairs.len() * 256;
    tensor::memory::ensure_free(room as u64, format_args!("{} entries of a table", pairs.len()))
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
pub(super) fn rows(tensor: &Tensor, size: usize) -> Result<Vec<Bytes>> {
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
    Ok(buffer.try_bytes()?.chunks_exact(size).map(Bytes::copy_from_slice).collect())
}

/// The other way round.
pub(super) fn tensor_of(dtype: DType, shape: &Shape, rows: Vec<Bytes>, size: usize) -> Result<Tensor> {
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

impl Table {
    /// The shape of these keys as a collection: without the axes of a single key.
    pub(super) fn outer(&self, keys: &Tensor) -> Result<Shape> {
        let (dims, own) = (keys.dims(), self.key_shape.dims());
        let split = dims.len().checked_sub(own.len()).filter(|split| &dims[*split..] == own);
        // As in TensorFlow, tables that set keys apart take one key for each place of the first axis.
        let rows = |split: &usize| dims[..*split].iter().skip(1).product::<i64>() == 1;
        let split = split.filter(|split| self.places.is_none() || rows(split));
        match split {
            Some(split) => Shape::new(&dims[..split]),
            None => bail!(InvalidArgument, "Expected key shape to end with {}, got {}", self.key_shape, keys.shape()),
        }
    }

    /// # Errors
    /// `InvalidArgument` for a key that is set apart.
    pub(super) fn keys(&self, keys: &Tensor) -> Result<Vec<Bytes>> {
        let rows = rows(keys, self.key_shape.num_elements())?;
        for (name, reserved) in &self.reserved {
            ensure!(!rows.contains(reserved), InvalidArgument, "Using the {name} as a table key is not allowed");
        }
        Ok(rows)
    }

    /// The shape of values for keys of this shape.
    pub(super) fn values_shape(&self, outer: &Shape) -> Result<Shape> {
        Shape::new(&[outer.dims(), self.value_shape.dims()].concat())
    }
}

/// Keys and values of inputs 1 and 2, which must be as many.
pub(super) fn pairs(cx: &OpContext<'_>, table: &Table) -> Result<Vec<(Bytes, Bytes)>> {
    pair_of(table, cx.input(1)?, cx.input(2)?)
}

/// Keys with their values.
///
/// # Errors
/// `InvalidArgument` if they are not of the table's types and shapes.
pub(crate) fn pair_of(table: &Table, keys: &Tensor, values: &Tensor) -> Result<Vec<(Bytes, Bytes)>> {
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

/// The pairs of inputs 1 and 2 whose keys are not set apart.
fn stored(cx: &OpContext<'_>, table: &Table) -> Result<Vec<(Bytes, Bytes)>> {
    let (keys, values) = (cx.input(1)?, cx.input(2)?);
    table.check(keys.dtype(), Some(values.dtype()))?;
    let expected = table.values_shape(&table.outer(keys)?)?;
    ensure!(
        *values.shape() == expected,
        InvalidArgument,
        "Expected shape {expected} for value, got {}",
        values.shape()
    );
    let (keys, values) = (rows(keys, table.key_shape.num_elements())?, rows(values, table.value_shape.num_elements())?);
    let free = |key: &Bytes| table.reserved.iter().all(|(_, reserved)| reserved != key);
    Ok(keys.into_iter().zip(values).filter(|(key, _)| free(key)).collect())
}

pub(super) fn fill_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        if let Some(places) = &table.places {
            let pairs = stored(cx, &table)?;
            table.initialize(pairs)?;
            // What was exported had all places.
            *places.count.lock() =
                cx.input(1)?.dims().first().map_or(4, |count| *count as usize).max(4).next_power_of_two();
            return Ok(());
        }
        ensure!(
            table.mutable || cx.input(1)?.num_elements() > 0,
            InvalidArgument,
            "keys and values cannot be empty tensors: their shapes are {} and {}",
            cx.input(1)?.shape(),
            cx.input(2)?.shape()
        );
        let pairs = pairs(cx, &table)?;
        table.initialize(pairs)
    }))
}
