//! `HashTable`, `HashTableV2`, `MutableHashTable` and `MutableHashTableV2`: tables from keys to values; those whose values are
//! tensors, `MutableHashTableOfTensors` and `MutableHashTableOfTensorsV2`; those that set keys apart, `MutableDenseHashTable` and
//! `MutableDenseHashTableV2`.

use std::collections::HashMap;
use std::sync::Arc;

use graph::op::{Compute, Kernel, OpContext, Registry};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::handles::{HANDLES, handle_shape};
use super::table_store::{TABLE_TYPE, Table, rows};
use crate::handle::MakeResource;

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
