//! Reading a box of a tensor that may be stored in pieces.

use prost::Message;
use tensor::{Buffer, DType, Result, Shape, Tensor, bail, ensure};

use super::slice::{Region, count, for_each_run, intersection};
use super::{BundleEntry, BundleReader, TensorSlice};

/// One stored piece: a whole tensor, or a slice.
struct Piece {
    entry: wire::BundleEntryProto,
    shape: Shape,
    region: Region,
}

impl BundleReader {
    /// Reads a box of a tensor from the pieces that it meets.
    pub(super) fn read_slice(
        &self,
        of: &BundleEntry,
        entry: wire::BundleEntryProto,
        slice: &TensorSlice,
    ) -> Result<Tensor> {
        let wanted = slice.region(&of.shape)?;
        let shape = slice.shape_in(&of.shape)?;
        if count(&wanted) == 0 {
            return Tensor::zeros(of.dtype, &shape);
        }
        let mut pieces = self.pieces(of, entry)?;
        pieces.retain(|piece| intersection(&piece.region, &wanted).is_some());
        let covered: i64 =
            pieces.iter().filter_map(|piece| intersection(&piece.region, &wanted)).map(|c| count(&c)).sum();
        ensure!(
            covered == count(&wanted),
            InvalidArgument,
            "Does not have sufficient slices for partitioned tensor {} to restore in slice_spec: {slice}",
            of.name
        );
        if let [piece] = &pieces[..]
            && piece.region == wanted
        {
            return self.read(&of.name, &piece.entry, of.dtype, shape);
        }
        // All pieces exist on disk in full, so the result is no larger than the files.
        for piece in &pieces {
            self.locate(&of.name, &piece.entry, of.dtype, &piece.shape)?;
        }
        let size = of.dtype.size();
        let mut strings = vec![bytes::Bytes::new(); if of.dtype == DType::String { shape.num_elements() } else { 0 }];
        let mut buffer = Buffer::dirty(shape.num_elements() * size);
        for piece in &pieces {
            let Some(common) = intersection(&piece.region, &wanted) else { continue };
            let part = self.read(&of.name, &piece.entry, of.dtype, piece.shape.clone())?;
            if of.dtype == DType::String {
                let source = part.strings()?;
                for_each_run(&common, &wanted, &piece.region, |to, from, run| {
                    strings[to..to + run].clone_from_slice(&source[from..from + run]);
                });
            } else if let (Some(source), Some(target)) = (part.buffer(), buffer.get_mut()) {
                let source = source.as_bytes();
                for_each_run(&common, &wanted, &piece.region, |to, from, run| {
                    target[to * size..(to + run) * size].copy_from_slice(&source[from * size..(from + run) * size]);
                });
            }
        }
        match of.dtype {
            DType::String => Tensor::from_strings(shape, strings),
            dtype => Tensor::from_buffer(dtype, shape, buffer),
        }
    }

    /// The stored pieces of a tensor, which do not overlap.
    fn pieces(&self, of: &BundleEntry, entry: wire::BundleEntryProto) -> Result<Vec<Piece>> {
        if of.slices.is_empty() {
            let region = TensorSlice::full(of.shape.rank()).region(&of.shape)?;
            return Ok(vec![Piece { entry, shape: of.shape.clone(), region }]);
        }
        let mut pieces: Vec<Piece> = Vec::with_capacity(of.slices.len());
        for slice in &of.slices {
            let region = slice.region(&of.shape).map_err(|status| self.damaged(&of.name, status.message()))?;
            let stored = self.index.get(&slice.key(&of.name))?;
            let stored = stored.ok_or_else(|| self.damaged(&of.name, &format!("slice {slice} is missing")))?;
            let stored = wire::BundleEntryProto::decode(stored);
            let stored = stored.map_err(|error| self.damaged(&of.name, &format!("slice {slice}: {error}")))?;
            let shape = slice.shape_in(&of.shape)?;
            ensure!(
                self.type_and_shape(&of.name, &stored)? == (of.dtype, shape.clone()),
                DataLoss,
                "slice {slice} of {} in {} has another type or shape than the whole says",
                of.name,
                self.index.name()
            );
            if let Some(at) = pieces.iter().position(|piece| intersection(&piece.region, &region).is_some()) {
                bail!(Internal, "Overlapping slices: existing slice = {}, new slice = {slice}", of.slices[at]);
            }
            pieces.push(Piece { entry: stored, shape, region });
        }
        Ok(pieces)
    }
}
