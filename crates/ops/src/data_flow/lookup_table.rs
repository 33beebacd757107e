//! `LookupTableFind`, `LookupTableInsert`, `LookupTableRemoveV2`, `LookupTableSize`, `LookupTableImport` and
//! `LookupTableExport`, and the same with `V2` (`LookupTableFindV2`, `LookupTableInsertV2`, `LookupTableSizeV2`,
//! `LookupTableImportV2`, `LookupTableExportV2`): asking and changing a table.

use std::collections::HashMap;

use bytes::Bytes;
use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

use super::handles::HANDLES;
use super::table_store::{Table, enter, fill_kernel, pairs, rows, tensor_of};
use crate::handle::find;

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        let typed = ["Tin: type", "Tout: type"];
        let mut op = |name, inputs, outputs, attrs: &[&str], shape, kernel| {
            enter(
                r,
                version,
                &format!("{name}{version}"),
                &format!("table_handle: {handle}{inputs} -> {outputs}"),
                attrs,
                shape,
                kernel,
            )
        };
        op("LookupTableImport", ", keys: Tin, values: Tout", "", &typed, ShapeContext::unknown, fill_kernel);
        op("LookupTableInsert", ", keys: Tin, values: Tout", "", &typed, ShapeContext::unknown, insert_kernel);
        op("LookupTableFind", ", keys: Tin, default_value: Tout", "values: Tout", &typed, find_shape, find_kernel);
        op("LookupTableSize", "", "size: int64", &[], ShapeContext::scalar, size_kernel);
        let typed = ["Tkeys: type", "Tvalues: type"];
        op("LookupTableExport", "", "keys: Tkeys, values: Tvalues", &typed, ShapeContext::unknown, export_kernel);
        if version == "V2" {
            op("LookupTableRemove", ", keys: Tin", "", &["Tin: type"], ShapeContext::unknown, remove_kernel);
        }
    }
}

fn find_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    // Values that are tensors, or keys that are, cannot be told from the handle.
    let scalar = cx.input(2).rank() == Some(0);
    cx.set(0, if scalar { cx.input(1) } else { PartialShape::default() });
    Ok(())
}

fn insert_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let table = find::<Table>(cx.step, Some(&handle))?;
        let pairs = pairs(cx, &table)?;
        table.insert(pairs)
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
        let (mut keys, mut values): (Vec<Bytes>, Vec<Bytes>) =
            table.read(|entries| Ok(entries.iter().map(|(key, value)| (key.clone(), value.clone())).unzip()))?;
        if let (Some(places), Some((_, empty))) = (&table.places, table.reserved.first()) {
            let count = (*places.count.lock()).max(keys.len());
            let zeros = match table.value {
                DType::String => {
                    rows(&Tensor::zeros(DType::String, &table.value_shape)?, table.value_shape.num_elements())?
                }
                plain => vec![Bytes::from(vec![0; table.value_shape.num_elements() * plain.size()])],
            };
            let bytes = count.saturating_mul(64 + empty.len() + zeros.first().map_or(0, Bytes::len));
            tensor::memory::ensure_free(bytes as u64, format_args!("the {count} places of a table"))?;
            keys.resize(count, empty.clone());
            values.resize(count, zeros.into_iter().next().unwrap_or_default());
        }
        let outer = Shape::vector(keys.len());
        let key_shape = Shape::new(&[outer.dims(), table.key_shape.dims()].concat())?;
        let value_shape = table.values_shape(&outer)?;
        cx.set_output(0, tensor_of(table.key, &key_shape, keys, table.key_shape.num_elements())?);
        cx.set_output(1, tensor_of(table.value, &value_shape, values, table.value_shape.num_elements())?);
        Ok(())
    }))
}
