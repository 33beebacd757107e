//! `HashTable`, `HashTableV2`, `MutableHashTable` and `MutableHashTableV2`: tables from keys to values; those whose values are
//! tensors, `MutableHashTableOfTensors` and `MutableHashTableOfTensorsV2`; those that set keys apart, `MutableDenseHashTable` and
//! `MutableDenseHashTableV2`; and those that end with their last handle: `AnonymousHashTable`, `AnonymousMutableHashTable`,
//! `AnonymousMutableHashTableOfTensors` and `AnonymousMutableDenseHashTable`.

use std::collections::HashMap;
use std::sync::Arc;

use graph::op::{Compute, Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::handles::{HANDLES, handle_shape};
use super::table_store::{Places, TABLE_TYPE, Table, rows};
use crate::handle::{MakeResource, owned_handle};

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
    }
    register_anonymous(r);
}

fn register_anonymous(r: &mut Registry) {
    for (name, inputs) in [
        ("AnonymousHashTable", ""),
        ("AnonymousMutableHashTable", ""),
        ("AnonymousMutableHashTableOfTensors", ""),
        ("AnonymousMutableDenseHashTable", "empty_key: key_dtype, deleted_key: key_dtype "),
    ] {
        let entry = r.op(name, &format!("{inputs}-> table_handle: resource"));
        let entry = entry.attr("key_dtype: type").attr("value_dtype: type");
        let entry = if name.ends_with("HashTable") && inputs.is_empty() {
            entry
        } else {
            entry.attr("value_shape: shape = []")
        };
        let entry = match inputs {
            "" => entry.any_kernel(anonymous_kernel),
            _ => entry
                .attr("initial_num_buckets: int = 131072")
                .attr("max_load_factor: float = 0.8")
                .any_kernel(anonymous_dense_kernel),
        };
        entry.stateful().shape(ShapeContext::scalar).not_differentiable();
    }
}

fn anonymous_kernel(node: &Node) -> Result<Kernel> {
    let (key, value, value_shape) = kinds_of(node)?;
    let mutable = node.op.starts_with("AnonymousMutable");
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let handle = owned_handle(cx.step, TABLE_TYPE, plain_table(key, value, value_shape.clone(), mutable))?;
        cx.set_output(0, handle);
        Ok(())
    }))
}

fn anonymous_dense_kernel(node: &Node) -> Result<Kernel> {
    let kinds = dense_kinds_of(node)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let keys = reserved_keys(cx)?;
        let handle = owned_handle(cx.step, TABLE_TYPE, dense_table(&kinds, &keys)?)?;
        cx.set_output(0, handle);
        Ok(())
    }))
}

fn plain_table(key: DType, value: DType, value_shape: Shape, mutable: bool) -> Table {
    Table {
        key,
        value,
        mutable,
        key_shape: Shape::scalar(),
        value_shape,
        reserved: Vec::new(),
        places: None,
        entries: Mutex::new(mutable.then(HashMap::new)),
    }
}

fn dense_table(kinds: &DenseKinds, keys: &[Tensor]) -> Result<Table> {
    let mut reserved = Vec::new();
    for (name, own) in ["empty_key", "deleted_key"].into_iter().zip(keys) {
        reserved.push((name, rows(own, own.num_elements())?.pop().unwrap_or_default()));
    }
    let key_shape = keys.first().map_or_else(Shape::scalar, |key| key.shape().clone());
    let (key, value, value_shape) = kinds.plain.clone();
    let places = Some(Places { count: Mutex::new(kinds.buckets), load: kinds.load });
    Ok(Table { key_shape, reserved, places, ..plain_table(key, value, value_shape, true) })
}

/// The keys that are set apart, from the inputs.
fn reserved_keys(cx: &OpContext<'_>) -> Result<Vec<Tensor>> {
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
    Ok(keys)
}

fn kinds_of(node: &Node) -> Result<(DType, DType, Shape)> {
    let (key, value) = (node.attr_type("key_dtype")?, node.attr_type("value_dtype")?);
    let fine = |dtype: DType| dtype.is_plain() || dtype == DType::String;
    ensure!(fine(key) && fine(value), Unimplemented, "no table from {key} to {value}");
    let shape = node.attr_shape("value_shape").cloned().unwrap_or_else(|_| PartialShape::scalar());
    let Some(shape) = shape.to_shape() else { bail!(InvalidArgument, "Shape {shape} is not fully defined") };
    let of_tensors = node.op.contains("MutableHashTableOfTensors");
    ensure!(!of_tensors || shape.rank() == 1, InvalidArgument, "Default value must be a vector, got shape {shape}");
    Ok((key, value, shape))
}

/// What a table that sets keys apart is made of.
struct DenseKinds {
    plain: (DType, DType, Shape),
    buckets: usize,
    load: f32,
}

fn dense_kinds_of(node: &Node) -> Result<DenseKinds> {
    let buckets = node.attr_int("initial_num_buckets")?;
    ensure!(
        buckets >= 4 && buckets & (buckets - 1) == 0,
        InvalidArgument,
        "Number of buckets must be at least 4 and a power of 2, got: {buckets}"
    );
    let load = node.attr_float("max_load_factor")?;
    ensure!(load > 0.0 && load < 1.0, InvalidArgument, "max_load_factor must be between 0 and 1, got: {load}");
    Ok(DenseKinds { plain: kinds_of(node)?, buckets: buckets as usize, load })
}

/// Makes a table whose first inputs are keys that are set apart.
fn dense_kernel(node: &Node) -> Result<Kernel> {
    let kinds = dense_kinds_of(node)?;
    let (key, value, _) = kinds.plain.clone();
    let given: Arc<Mutex<Vec<Tensor>>> = Arc::default();
    let reserved = given.clone();
    let make = MakeResource::new(
        node,
        TABLE_TYPE,
        move |_| dense_table(&kinds, &reserved.lock()),
        move |found: &Table| found.check(key, Some(value)),
    )?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let keys = reserved_keys(cx)?;
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
        move |_| Ok(plain_table(key, value, value_shape.clone(), mutable)),
        move |found: &Table| found.check(key, Some(value)),
    )?;
    Ok(Kernel::cheap(make))
}
