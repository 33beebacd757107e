//! A box of a tensor, put together from stored pieces.

use prost::Message;
use tensor::{Buffer, DType, Result, Tensor, bail, ensure};

use super::slice::{Region, count, for_each_run, intersection};
use super::{BundleEntry, BundleReader, TensorSlice};

impl BundleReader {
    /// Reads a box of a tensor from the pieces that it meets.
    pub(super) fn read_slice(
        &self,
        of: &BundleEntry,
        entry: wire::BundleEntryProto,
        slice: &TensorSlice,
    ) -> Result<Tensor> {
        let pieces = self.pieces(of, entry)?;
        let stored: Vec<&TensorSlice> = pieces.iter().map(|(slice, _)| slice).collect();
        let shape = |piece: usize| pieces[piece].0.shape_in(&of.shape);
        assemble(
            of,
            slice,
            &stored,
            |piece| self.locate(&of.name, &pieces[piece].1, of.dtype, &shape(piece)?).map(drop),
            |piece| self.read(&of.name, &pieces[piece].1, of.dtype, shape(piece)?),
        )
    }

    /// The stored pieces of a tensor.
    pub(super) fn pieces(
        &self,
        of: &BundleEntry,
        entry: wire::BundleEntryProto,
    ) -> Result<Vec<(TensorSlice, wire::BundleEntryProto)>> {
        if of.slices.is_empty() {
            return Ok(vec![(TensorSlice::full(of.shape.rank()), entry)]);
        }
        let mut pieces = Vec::with_capacity(of.slices.len());
        for slice in &of.slices {
            let shape = slice.shape_in(&of.shape).map_err(|status| self.damaged(&of.name, status.message()))?;
            let stored = self.index.get(&slice.key(&of.name))?;
            let stored = stored.ok_or_else(|| self.damaged(&of.name, &format!("slice {slice} is missing")))?;
            let stored = wire::BundleEntryProto::decode(stored);
            let stored = stored.map_err(|error| self.damaged(&of.name, &format!("slice {slice}: {error}")))?;
            ensure!(
                self.type_and_shape(&of.name, &stored)? == (of.dtype, shape.clone()),
                DataLoss,
                "slice {slice} of {} in {} has another type or shape than the whole says",
                of.name,
                self.index.name()
            );
            pieces.push((slice.clone(), stored));
        }
        Ok(pieces)
    }
}

/// The box `wanted` of a tensor that is stored in `pieces`. By its number, `check` sees to it that one exists on disk in full,
/// so that the result is no larger than the files, and `read` reads it.
pub(crate) fn assemble(
    of: &BundleEntry,
    wanted: &TensorSlice,
    pieces: &[&TensorSlice],
    check: impl Fn(usize) -> Result<()>,
    read: impl Fn(usize) -> Result<Tensor>,
) -> Result<Tensor> {
    let shape = wanted.shape_in(&of.shape)?;
    let region = wanted.region(&of.shape)?;
    if count(&region) == 0 {
        return Tensor::zeros(of.dtype, &shape);
    }
    let (regions, common) = cover(of, wanted, pieces)?;
    if let [(at, _)] = common[..]
        && regions[at] == region
    {
        return read(at);
    }
    for (at, _) in &common {
        check(*at)?;
    }
    let size = of.dtype.size();
    let mut strings = vec![bytes::Bytes::new(); if of.dtype == DType::String { shape.num_elements() } else { 0 }];
    let mut buffer = Buffer::try_dirty(shape.num_elements() * size)?;
    for (at, common) in &common {
        let part = read(*at)?;
        if of.dtype == DType::String {
            let source = part.strings()?;
            for_each_run(common, &region, &regions[*at], |to, from, run| {
                strings[to..to + run].clone_from_slice(&source[from..from + run]);
            });
        } else if let (Some(source), Some(target)) = (part.buffer(), buffer.get_mut()) {
            let source = source.as_bytes();
            for_each_run(common, &region, &regions[*at], |to, from, run| {
                target[to * size..(to + run) * size].copy_from_slice(&source[from * size..(from + run) * size]);
            });
        }
    }
    match of.dtype {
        DType::String => Tensor::from_strings(shape, strings),
        dtype => Tensor::from_buffer(dtype, shape, buffer),
    }
}

/// The regions of all pieces, and which of them have what in common with the box `wanted`.
///
/// # Errors
/// `Internal` if pieces overlap and `InvalidArgument` if some of the box is in none, as in TensorFlow.
pub(super) fn cover(
    of: &BundleEntry,
    wanted: &TensorSlice,
    pieces: &[&TensorSlice],
) -> Result<(Vec<Region>, Vec<(usize, Region)>)> {
    let region = wanted.region(&of.shape)?;
    let regions = pieces.iter().map(|piece| piece.region(&of.shape)).collect::<Result<Vec<Region>>>()?;
    for (at, piece) in regions.iter().enumerate() {
        if let Some(other) = regions[..at].iter().position(|other| intersection(other, piece).is_some()) {
            bail!(Internal, "Overlapping slices: existing slice = {}, new slice = {}", pieces[other], pieces[at]);
        }
    }
    let common: Vec<(usize, Region)> = (regions.iter().enumerate())
        .filter_map(|(at, piece)| intersection(piece, &region).map(|common| (at, common)))
        .collect();
    ensure!(
        common.iter().map(|(_, common)| count(common)).sum::<i64>() == count(&region),
        InvalidArgument,
        "Does not have sufficient slices for partitioned tensor {} to restore in slice_spec: {wanted}",
        of.name
    );
    Ok((regions, common))
}
