//! Reading a table: single keys, or all of them in order.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use parking_lot::Mutex;
use tensor::{Result, bail, ensure, err};

use super::block::{Block, Cursor};
use super::{BlockHandle, FOOTER, MAGIC, SNAPPY, TRAILER, UNCOMPRESSED};
use crate::crc;
use crate::source::Source;

/// Snappy cannot make more than about 22 bytes out of one.
const MAX_EXPANSION: usize = 32;
/// How many bytes of blocks stay in memory.
const CACHED: usize = 64 << 20;

/// An open table. Blocks are read when needed, and up to 64 MiB of them are kept. May be used from several threads.
///
/// ```
/// use tensorfleet_files::table::{Table, TableWriter};
///
/// let path = std::env::temp_dir().join(format!("table-{}", std::process::id()));
/// let mut writer = TableWriter::new(std::fs::File::create(&path)?);
/// writer.add(b"key", b"value")?;
/// writer.finish()?;
/// let table = Table::open(&path)?;
/// assert_eq!(table.name(), path.display().to_string());
/// assert_eq!(table.get(b"key")?.as_deref(), Some(&b"value"[..]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct Table {
    source: Source,
    index: Arc<Block>,
    blocks: Mutex<CachedBlocks>,
}

#[derive(Default)]
struct CachedBlocks {
    by_offset: HashMap<u64, Arc<Block>>,
    bytes: usize,
}

impl Table {
    /// Opens a file.
    ///
    /// # Errors
    /// `NotFound` or another code of the operating system; `DataLoss` if it is not a table.
    pub fn open(path: &Path) -> Result<Table> {
        Table::from_source(Source::open(path)?)
    }

    /// Opens a table in memory; `name` stands for it in errors.
    ///
    /// # Errors
    /// `DataLoss` if it is not a table.
    pub fn from_bytes(name: &str, bytes: Bytes) -> Result<Table> {
        Table::from_source(Source::memory(name, bytes))
    }

    fn from_source(source: Source) -> Result<Table> {
        let name = source.name();
        let footer_at = source.len().checked_sub(FOOTER as u64);
        let footer_at = footer_at
            .ok_or_else(|| err!(DataLoss, "file is too short to be an sstable: {name} has {} bytes", source.len()))?;
        let footer = source.read(footer_at, FOOTER as u64)?;
        let magic = footer.last_chunk().map(|bytes| u64::from_le_bytes(*bytes));
        ensure!(magic == Some(MAGIC), DataLoss, "not an sstable (bad magic number): {name}");
        let mut handles = &footer[..FOOTER - 8];
        let index = BlockHandle::read(&mut handles).and_then(|_meta_index| BlockHandle::read(&mut handles));
        let Some(index) = index else { bail!(DataLoss, "bad block handle in the footer of {name}") };
        let index = Arc::new(read_block(&source, index)?);
        Ok(Table { source, index, blocks: Mutex::default() })
    }

    /// Returns the path of the file, or the name that was given to bytes in memory.
    pub fn name(&self) -> &str {
        self.source.name()
    }

    /// Returns the size of the file in bytes.
    pub(crate) fn size(&self) -> u64 {
        self.source.len()
    }

    /// Returns the value of a key, if the table has it.
    ///
    /// # Errors
    /// `DataLoss` if the block it would be in is damaged.
    pub fn get(&self, key: &[u8]) -> Result<Option<Bytes>> {
        let Some(entry) = self.index.seek(key)? else { return Ok(None) };
        let found = self.block(&entry.value)?.seek(key)?;
        Ok(found.filter(|cursor| cursor.key == key).map(|cursor| cursor.value))
    }

    /// Returns all entries, ascending by key.
    ///
    /// ```
    /// use tensorfleet_files::table::{Table, TableWriter};
    ///
    /// let mut writer = TableWriter::new(Vec::new());
    /// writer.add(b"a", b"1")?;
    /// writer.add(b"b", b"2")?;
    /// let table = Table::from_bytes("memory", writer.finish()?.into())?;
    /// let entries = table.iter().collect::<Result<Vec<_>, _>>()?;
    /// assert_eq!(entries, [(b"a".to_vec(), "1".into()), (b"b".to_vec(), "2".into())]);
    /// # Ok::<(), tensor::Status>(())
    /// ```
    pub fn iter(&self) -> TableIter<'_> {
        let budget = self.source.len().saturating_mul(MAX_EXPANSION as u64);
        TableIter { table: self, index: self.index.cursor(), block: None, last: None, budget, ended: false }
    }

    fn block(&self, handle: &[u8]) -> Result<Arc<Block>> {
        let handle = BlockHandle::read(&mut &handle[..]);
        let handle = handle.ok_or_else(|| err!(DataLoss, "bad block handle in the index of {}", self.name()))?;
        if let Some(block) = self.blocks.lock().by_offset.get(&handle.offset) {
            return Ok(block.clone());
        }
        let block = Arc::new(read_block(&self.source, handle)?);
        let mut blocks = self.blocks.lock();
        if blocks.bytes + block.len() > CACHED {
            *blocks = CachedBlocks::default();
        }
        blocks.bytes += block.len();
        blocks.by_offset.insert(handle.offset, block.clone());
        Ok(block)
    }
}

fn read_block(source: &Source, handle: BlockHandle) -> Result<Block> {
    let name = source.name();
    let whole = handle.size.checked_add(TRAILER).filter(|size| source.contains(handle.offset, *size));
    let Some(whole) = whole else {
        bail!(
            DataLoss,
            "truncated block read: {} bytes at offset {} of {name}, which has {}",
            handle.size,
            handle.offset,
            source.len()
        )
    };
    let bytes = source.read(handle.offset, whole)?;
    let size = handle.size as usize;
    let stored = bytes.last_chunk().map(|bytes| u32::from_le_bytes(*bytes));
    ensure!(
        stored == Some(crc::masked(&bytes[..size + 1])),
        DataLoss,
        "block checksum mismatch: {size} bytes at offset {} of {name}",
        handle.offset
    );
    let content = match bytes[size] {
        UNCOMPRESSED => bytes.slice(..size),
        SNAPPY => {
            let length = snap::raw::decompress_len(&bytes[..size]).ok();
            ensure!(
                length.is_some_and(|length| length <= size * MAX_EXPANSION),
                DataLoss,
                "corrupted compressed block contents: at offset {} of {name}",
                handle.offset
            );
            let plain = snap::raw::Decoder::new().decompress_vec(&bytes[..size]);
            plain.map_err(|error| err!(DataLoss, "corrupted compressed block contents: {name}: {error}"))?.into()
        }
        other => bail!(DataLoss, "bad block type {other} at offset {} of {name}", handle.offset),
    };
    Block::new(content).map_err(|status| status.context(name))
}

/// The entries of a table in order, as [`Table::iter`] returns them. Ends after the first error.
///
/// ```
/// use tensorfleet_files::table::{Table, TableWriter};
///
/// let mut writer = TableWriter::new(Vec::new());
/// writer.add(b"a", b"1")?;
/// writer.add(b"b", b"2")?;
/// let table = Table::from_bytes("table", writer.finish()?.into())?;
/// let keys = table.iter().map(|entry| entry.map(|(key, _value)| key)).collect::<Result<Vec<_>, _>>()?;
/// assert_eq!(keys, [b"a", b"b"]);
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct TableIter<'a> {
    table: &'a Table,
    index: Cursor,
    block: Option<Cursor>,
    last: Option<Vec<u8>>,
    /// Bytes of keys that may still come. Keys share prefixes, so a small file could claim enormous keys.
    budget: u64,
    ended: bool,
}

impl TableIter<'_> {
    fn advance(&mut self) -> Result<Option<(Vec<u8>, Bytes)>> {
        loop {
            if let Some(cursor) = &mut self.block
                && cursor.advance()?
            {
                let (key, value) = (cursor.key.clone(), cursor.value.clone());
                let name = self.table.name();
                // Ascending keys also bound the walk: an index that names a block twice ends it.
                ensure!(self.last.as_ref() < Some(&key), DataLoss, "keys of {name} are not in ascending order");
                self.budget = match self.budget.checked_sub(key.len() as u64) {
                    Some(budget) => budget,
                    None => bail!(DataLoss, "keys of {name} take more space than its size explains"),
                };
                self.last = Some(key.clone());
                return Ok(Some((key, value)));
            }
            if !self.index.advance()? {
                return Ok(None);
            }
            self.block = Some(self.table.block(&self.index.value)?.cursor());
        }
    }
}

impl Iterator for TableIter<'_> {
    type Item = Result<(Vec<u8>, Bytes)>;

    fn next(&mut self) -> Option<Self::Item> {
        if self.ended {
            return None;
        }
        let entry = self.advance();
        self.ended = !matches!(entry, Ok(Some(_)));
        entry.transpose()
    }
}
