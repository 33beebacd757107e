//! Moving trained rows to another vocabulary: `GenerateVocabRemapping` says where the words of one file are in another,
//! `LoadAndRemapMatrix` reads a matrix from a checkpoint by such numbers; and `ImmutableConst`, a constant whose bytes are a file.

use std::collections::HashMap;

use bytes::Bytes;
use files::CheckpointReader;
use files::TensorSlice;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure};

use super::save_v2::text;
use super::{checkpoint_from, path_from, read_file};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "GenerateVocabRemapping",
        "new_vocab_file: string, old_vocab_file: string -> remapping: int64, num_present: int32",
    )
    .attr("new_vocab_offset: int >= 0")
    .attr("num_new_vocab: int >= 0")
    .attr("old_vocab_size: int >= -1 = -1")
    .shape(remapping_shape)
    .any_kernel(remapping_kernel)
    .not_differentiable();
    let signature = "ckpt_path: string, old_tensor_name: string, row_remapping: int64, col_remapping: int64, \
                     initializing_values: float -> output_matrix: float";
    r.op("LoadAndRemapMatrix", signature)
        .attr("num_rows: int >= 0")
        .attr("num_cols: int >= 1")
        .attr("max_rows_in_memory: int = -1")
        .stateful()
        .shape(matrix_shape)
        .any_kernel(matrix_kernel)
        .not_differentiable();
    r.op("ImmutableConst", "-> tensor: dtype")
        .attr("dtype: type")
        .attr("shape: shape")
        .attr("memory_region_name: string")
        .shape(const_shape)
        .any_kernel(const_kernel);
}

fn remapping_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.with_rank(1, 0)?;
    let count = cx.attr_int("num_new_vocab")?;
    cx.set(0, PartialShape::vector(Some(count)));
    cx.set(1, PartialShape::scalar());
    Ok(())
}

fn matrix_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.with_rank(1, 0)?;
    cx.with_rank(2, 1)?;
    cx.with_rank(3, 1)?;
    cx.with_rank(4, 1)?;
    let (rows, columns) = (cx.attr_int("num_rows")?, cx.attr_int("num_cols")?);
    cx.set(0, PartialShape::new(&[Some(rows), Some(columns)]));
    Ok(())
}

fn const_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.attr_shape("shape")?.clone();
    cx.set(0, shape);
    Ok(())
}

/// The lines of a file, which an input names.
fn lines(cx: &OpContext<'_>, index: usize, name: &str) -> Result<(String, Vec<Bytes>)> {
    let input = cx.input(index)?;
    ensure!(
        input.shape().is_scalar(),
        InvalidArgument,
        "{name}_vocab_file should be a single string, but got {}",
        input.shape()
    );
    let file = input.to_string_scalar()?;
    ensure!(!file.is_empty(), InvalidArgument, "{name} vocab filename cannot be empty.");
    let contents = Bytes::from(read_file(&path_from(&*cx.step.files, file)?)?);
    let mut lines: Vec<Bytes> = contents.split(|byte| *byte == b'\n').map(|line| contents.slice_ref(line)).collect();
    if lines.last().is_some_and(|line| line.is_empty()) {
        lines.pop();
    }
    Ok((String::from_utf8_lossy(file).into_owned(), lines))
}

fn remapping_kernel(node: &Node) -> Result<Kernel> {
    let (offset, count) = (node.attr_int("new_vocab_offset")? as usize, node.attr_int("num_new_vocab")? as usize);
    let old_size = node.attr_int("old_vocab_size")?;
    ensure!(count <= 1 << 31, ResourceExhausted, "{count} words");
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let (name, mut old) = lines(cx, 1, "old")?;
        if let Ok(size) = usize::try_from(old_size) {
            ensure!(
                old.len() >= size,
                InvalidArgument,
                "Invalid vocab_size in {name}: expected {size} but got {}",
                old.len()
            );
            old.truncate(size);
        }
        let mut places: HashMap<&[u8], i64> = HashMap::with_capacity(old.len());
        for (place, word) in old.iter().enumerate() {
            let before = places.insert(word, place as i64);
            ensure!(
                before.is_none(),
                FailedPrecondition,
                "HashTable has different value for same key. Key {} has {} and trying to add value {place}",
                word.escape_ascii(),
                before.unwrap_or_default()
            );
        }
        let (name, new) = lines(cx, 0, "new")?;
        ensure!(
            new.len() >= offset.saturating_add(count),
            InvalidArgument,
            "Invalid vocab_size in {name}: {count} words are wanted from line {offset}, but it has {} lines",
            new.len()
        );
        let words = &new[offset..offset + count];
        let remapping: Vec<i64> = words.iter().map(|word| places.get(&word[..]).copied().unwrap_or(-1)).collect();
        let present = remapping.iter().filter(|place| **place >= 0).count();
        cx.set_output(0, Tensor::vector(&remapping));
        cx.set_output(1, present as i32);
        Ok(())
    }))
}

fn matrix_kernel(node: &Node) -> Result<Kernel> {
    let (rows, columns) = (node.attr_int("num_rows")?, node.attr_int("num_cols")?);
    let shape = Shape::new(&[rows, columns])?;
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let row_map = cx.input(2)?.to_i64_vec()?;
        ensure!(
            row_map.len() as i64 == rows,
            InvalidArgument,
            "Size of row_remapping is {} instead of being equal to num_rows={rows}",
            row_map.len()
        );
        unique(&row_map)?;
        let column_map = cx.input(3)?.to_i64_vec()?;
        ensure!(
            column_map.is_empty() || column_map.len() as i64 == columns,
            InvalidArgument,
            "Provided col_remapping, but its size is {} instead of being equal to num_cols={columns}",
            column_map.len()
        );
        unique(&column_map)?;
        let (path, name) = (cx.input(0)?, cx.input(1)?);
        ensure!(path.num_elements() == 1, InvalidArgument, "The `ckpt_path` tensor must have exactly one element");
        ensure!(
            name.num_elements() == 1,
            InvalidArgument,
            "The `old_tensor_name` tensor must have exactly one element"
        );
        let reader = CheckpointReader::open(checkpoint_from(&*cx.step.files, path.to_string_scalar()?)?)?;
        let name = text(name.to_string_scalar()?)?;
        let entry = reader.entry(name)?;
        let &[_, old_columns] = entry.shape.dims() else {
            bail!(InvalidArgument, "Old tensor's shape must be 2-D, but is {}", entry.shape)
        };
        ensure!(
            entry.dtype == DType::Float,
            InvalidArgument,
            "Old tensor must be of floats, but is of {}",
            entry.dtype
        );
        if column_map.is_empty() {
            ensure!(
                old_columns == columns,
                InvalidArgument,
                "If not remapping columns, the number of columns of the old tensor must be num_cols={columns}, not {old_columns}"
            );
        }
        let wanted = row_map.iter().copied().filter(|row| *row >= 0);
        let (first, last) = (wanted.clone().min().unwrap_or(0), wanted.max().unwrap_or(-1));
        ensure!(
            column_map.iter().all(|column| *column < old_columns),
            InvalidArgument,
            "columns of an old tensor of shape {} are wanted that it does not have",
            entry.shape
        );
        let old = match last < first {
            true => Tensor::zeros(DType::Float, &Shape::new(&[0, old_columns])?)?,
            false => reader.lookup_slice(name, &TensorSlice::new(&[Some((first, last + 1 - first)), None])?)?,
        };
        let (old, width) = (old.as_slice::<f32>()?, old_columns as usize);
        let mut fresh = cx.input(4)?.as_slice::<f32>()?.iter().copied();
        let mut missing = false;
        let output = Tensor::build(shape.clone(), |out: &mut [f32]| {
            for (row, out) in row_map.iter().zip(out.chunks_exact_mut(columns as usize)) {
                for (column, out) in out.iter_mut().enumerate() {
                    let from = if column_map.is_empty() { column as i64 } else { column_map[column] };
                    *out = match *row >= 0 && from >= 0 {
                        true => old[(*row - first) as usize * width + from as usize],
                        false => fresh.next().unwrap_or_else(|| {
                            missing = true;
                            0.0
                        }),
                    };
                }
            }
            Ok(())
        })?;
        ensure!(
            !missing,
            InvalidArgument,
            "initializing_values contains {} values, but more missing rows and columns are to be filled",
            cx.input(4)?.num_elements()
        );
        let left = fresh.count();
        ensure!(
            left == 0,
            InvalidArgument,
            "initializing_values contained {} elements, but only {} are needed",
            cx.input(4)?.num_elements(),
            cx.input(4)?.num_elements() - left
        );
        cx.set_output(0, output);
        Ok(())
    }))
}

/// Old rows or columns go to one new place each.
fn unique(map: &[i64]) -> Result<()> {
    let mut seen: HashMap<i64, usize> = HashMap::new();
    for (new, old) in map.iter().enumerate().filter(|(_, old)| **old >= 0) {
        if let Some(before) = seen.insert(*old, new) {
            bail!(
                Unimplemented,
                "Old ID {old} is mapped to both new ID {before} and {new}, which is not currently supported."
            );
        }
    }
    Ok(())
}

fn const_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, shape) = (node.attr_type("dtype")?, node.attr_shape("shape")?.clone());
    let Some(shape) = shape.to_shape() else { bail!(InvalidArgument, "a constant of shape {shape}") };
    let name = node.attr_bytes("memory_region_name")?.clone();
    ensure!(dtype.is_plain(), Unimplemented, "Sorry, {dtype} is not currently supported for ImmutableConstOp.");
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let contents = Bytes::from(read_file(&path_from(&*cx.step.files, &name)?)?);
        let size = shape.num_elements().saturating_mul(dtype.size());
        ensure!(
            contents.len() >= size,
            ResourceExhausted,
            "Readonly memory region has wrong length ({}) when allocating {size}",
            contents.len()
        );
        let tensor = Tensor::from_bytes(dtype, shape.clone(), contents.slice(..size))?;
        cx.set_output(0, tensor);
        Ok(())
    }))
}
