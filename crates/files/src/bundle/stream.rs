//! Reading tensors that are larger than memory.

use tensor::{DType, Result, ensure};

use super::assemble::cover;
use super::reader::PIECE;
use super::slice::{Region, for_each_run, intersection};
use super::{BundleEntry, BundleReader, TensorSlice};

/// Of a tensor that is stored in slices so much is put together at once, and at least a row.
const ROWS: usize = 4 << 20;

impl BundleReader {
    /// Reads the elements of a tensor from first to last, as little-endian bytes in pieces, in bounded memory however large it is.
    /// Of a tensor that is stored in slices a piece holds at least one row.
    ///
    /// Whatever `take` has been given counts only if the whole ends well: the checksum is known last.
    ///
    /// ```
    /// use tensor::Tensor;
    /// use tensorfleet_files::{BundleReader, BundleWriter};
    ///
    /// let folder = std::env::temp_dir().join(format!("bundle-stream-{}", std::process::id()));
    /// let mut writer = BundleWriter::new(folder.join("model"))?;
    /// writer.add("w", &Tensor::from([1u8, 2, 3]))?;
    /// writer.finish()?;
    /// let mut bytes = Vec::new();
    /// BundleReader::open(folder.join("model"))?.read_in_pieces("w", |piece| {
    ///     bytes.extend_from_slice(piece);
    ///     Ok(())
    /// })?;
    /// assert_eq!(bytes, [1, 2, 3]);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// As [`lookup`](BundleReader::lookup); `Unimplemented` for strings; what `take` returns.
    pub fn read_in_pieces(&self, name: &str, mut take: impl FnMut(&[u8]) -> Result<()>) -> Result<()> {
        let entry = self.raw_entry(name)?;
        let of = self.describe(name, &entry)?;
        ensure!(of.dtype != DType::String, Unimplemented, "{name} of type string cannot be read in pieces");
        if of.slices.is_empty() {
            return self.stream(&of, &entry, &mut take);
        }
        let pieces = self.pieces(&of, entry)?;
        let stored: Vec<&TensorSlice> = pieces.iter().map(|(slice, _)| slice).collect();
        let (regions, _) = cover(&of, &TensorSlice::full(of.shape.rank()), &stored)?;
        // Rows are read from several places, so checksums are taken before.
        for (slice, entry) in &pieces {
            let part = BundleEntry { shape: slice.shape_in(&of.shape)?, ..of.clone() };
            self.stream(&part, entry, &mut |_| Ok(()))?;
        }
        let size = of.dtype.size();
        let mut buffer = Vec::new();
        for chunk in chunks(of.shape.dims(), size) {
            buffer.resize(chunk.iter().map(|(_, length)| *length as usize).product::<usize>() * size, 0);
            for ((_, entry), region) in pieces.iter().zip(&regions) {
                let Some(common) = intersection(region, &chunk) else { continue };
                let shape = tensor::Shape::new(&region.iter().map(|(_, length)| *length).collect::<Vec<_>>())?;
                let (source, offset, _) = self.locate(name, entry, of.dtype, &shape)?;
                let mut read = Ok(());
                for_each_run(&common, &chunk, region, |to, from, run| {
                    if read.is_ok() {
                        let target = &mut buffer[to * size..(to + run) * size];
                        read = source.read_into(offset + (from * size) as u64, target);
                    }
                });
                read?;
            }
            take(&buffer)?;
        }
        Ok(())
    }

    /// What one entry of the index points to, piece by piece.
    fn stream(
        &self,
        of: &BundleEntry,
        entry: &wire::BundleEntryProto,
        take: &mut dyn FnMut(&[u8]) -> Result<()>,
    ) -> Result<()> {
        let (source, offset, size) = self.locate(&of.name, entry, of.dtype, &of.shape)?;
        let (mut at, end, mut checksum) = (offset, offset + size, 0);
        let mut buffer = vec![0; PIECE.min(size as usize)];
        while at < end {
            let piece = &mut buffer[..PIECE.min((end - at) as usize)];
            source.read_into(at, piece)?;
            checksum = crc32c::crc32c_append(checksum, piece);
            take(piece)?;
            at += piece.len() as u64;
        }
        self.check_sum(&of.name, entry, checksum)
    }
}

/// Boxes that are all of a tensor, in the order of its elements: whole rows of the first dimension that has several.
fn chunks(dims: &[i64], size: usize) -> impl Iterator<Item = Region> + use<'_> {
    let axis = dims.iter().position(|dim| *dim > 1).unwrap_or(dims.len().saturating_sub(1));
    let row: i64 = dims.iter().skip(axis + 1).product::<i64>() * size as i64;
    let rows = (ROWS as i64 / row.max(1)).max(1);
    let total = dims.get(axis).copied().unwrap_or(1);
    let empty = dims.contains(&0);
    (0..total).step_by(rows as usize).filter(move |_| !empty).map(move |start| {
        let whole = |(at, dim): (usize, &i64)| if at == axis { (start, rows.min(total - start)) } else { (0, *dim) };
        dims.iter().enumerate().map(whole).collect()
    })
}
