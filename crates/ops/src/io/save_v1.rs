//! `Save`, `SaveSlices`, `Restore` and `RestoreSlice`: checkpoints of the first format, as programs wrote them before `SaveV2`.

use files::bundle::parse_shape_and_slice;
use files::{SlicesReader, SlicesWriter};
use graph::op::{Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, ensure, err};

use super::path_from;
use super::save_v2::text;

pub(crate) fn register(r: &mut Registry) {
    for (name, slices) in [("Save", ""), ("SaveSlices", "shapes_and_slices: string, ")] {
        r.op(name, &format!("filename: string, tensor_names: string, {slices}data: T ->"))
            .attr("T: list(type) >= 1")
            .stateful()
            .role(Role::Save)
            .shape(save_shape)
            .any_kernel(save_kernel)
            .not_differentiable();
    }
    for (name, slice) in [("Restore", ""), ("RestoreSlice", ", shape_and_slice: string")] {
        r.op(name, &format!("file_pattern: string, tensor_name: string{slice} -> tensor: dt"))
            .attr("dt: type")
            .attr("preferred_shard: int = -1")
            .stateful()
            .role(Role::Restore)
            .shape(restore_shape)
            .any_kernel(restore_kernel)
            .not_differentiable();
    }
}

fn save_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    let names = cx.with_rank(1, 1)?;
    let fixed = if cx.node.op == "Save" { 2 } else { 3 };
    let tensors = cx.num_inputs().saturating_sub(fixed) as i64;
    for (index, own) in
        [(1, names.dim(0)), (2, (fixed == 3).then(|| cx.with_rank(2, 1)).transpose()?.and_then(|s| s.dim(0)))]
    {
        ensure!(
            own.is_none_or(|own| own == tensors),
            InvalidArgument,
            "Dimension must be {tensors} but is {} for input {index} of '{}'",
            own.unwrap_or_default(),
            cx.node.name
        );
    }
    Ok(())
}

fn restore_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.with_rank(1, 0)?;
    cx.set(0, PartialShape::unknown());
    if cx.num_inputs() == 3 {
        cx.with_rank(2, 0)?;
        if let Some(spec) = cx.value(2)
            && let Some((whole, slice)) = parse_shape_and_slice(text(spec.to_string_scalar()?)?)?
        {
            cx.set(0, slice.shape_in(&whole)?);
        }
    }
    Ok(())
}

fn save_kernel(node: &Node) -> Result<Kernel> {
    let slices = node.op == "SaveSlices";
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let fixed = if slices { 3 } else { 2 };
        let name = scalar(cx, 0, "filename")?;
        let names = cx.input(1)?.strings()?;
        let count = names.len();
        let specs = if slices { Some(cx.input(2)?.strings()?) } else { None };
        if let Some(specs) = specs {
            ensure!(
                specs.len() == count,
                InvalidArgument,
                "Expected {count} elements for the tensor shapes and slices but got {}",
                specs.len()
            );
        }
        ensure!(
            cx.num_inputs() == count + fixed,
            InvalidArgument,
            "Expected totally {} inputs as input #1 (which is a string tensor of saved names) contains {count} names, but \
             received {} inputs",
            count + fixed,
            cx.num_inputs()
        );
        let path = path_from(&*cx.step.files, name)?;
        let mut writer = SlicesWriter::new(&path)?;
        for (place, name) in names.iter().enumerate() {
            let (name, tensor) = (text(name)?, cx.input(fixed + place)?);
            let spec = specs.map_or(Ok(""), |specs| text(&specs[place]))?;
            match parse_shape_and_slice(spec)? {
                None => writer.add(name, tensor)?,
                Some((whole, slice)) => {
                    let fits = slice.shape_in(&whole).is_ok_and(|shape| shape == *tensor.shape());
                    ensure!(
                        fits,
                        InvalidArgument,
                        "Slice in shape_and_slice specification does not match the shape of the tensor to  save: {spec}, \
                         tensor: {}",
                        tensor.shape()
                    );
                    writer.add_slice(name, &whole, &slice, tensor)?;
                }
            }
        }
        writer.finish()
    }))
}

fn restore_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dt")?;
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let pattern = scalar(cx, 0, "file_pattern")?;
        let name = text(scalar(cx, 1, "tensor_name")?)?;
        let spec = if cx.num_inputs() == 3 { text(scalar(cx, 2, "shape_and_slice")?)? } else { "" };
        let reader = SlicesReader::open(path_from(&*cx.step.files, pattern)?)?;
        let entry = reader.entry(name).map_err(|_| {
            err!(NotFound, "Tensor name \"{name}\" not found in checkpoint files {}", String::from_utf8_lossy(pattern))
        })?;
        ensure!(
            entry.dtype == dtype,
            InvalidArgument,
            "Expected to restore a tensor of type {dtype}, got a tensor of type {} instead: tensor_name = {name}",
            entry.dtype
        );
        let tensor = match parse_shape_and_slice(spec)? {
            None => reader.lookup(name)?,
            Some((whole, slice)) => {
                ensure!(
                    whole == entry.shape,
                    InvalidArgument,
                    "Shape in shape_and_slice spec does not match the shape in the save file: {whole}, save file shape: {}",
                    entry.shape
                );
                reader.lookup_slice(name, &slice)?
            }
        };
        cx.set_output(0, tensor);
        Ok(())
    }))
}

/// The string of an input that must have one.
fn scalar<'a>(cx: &'a OpContext<'_>, index: usize, name: &str) -> Result<&'a bytes::Bytes> {
    let input: &Tensor = cx.input(index)?;
    ensure!(
        input.num_elements() == 1,
        InvalidArgument,
        "Input {index} ({name}) must be a string scalar; got a tensor of {} elements",
        input.num_elements()
    );
    Ok(&input.strings()?[0])
}
