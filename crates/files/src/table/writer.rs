//! Writing a table, byte for byte as TensorFlow does.

use std::io::Write;

use tensor::{Result, ensure};

use super::block::BlockBuilder;
use super::{BlockHandle, FOOTER, MAGIC, UNCOMPRESSED};

const BLOCK_SIZE: usize = 256 << 10;
const RESTART_INTERVAL: usize = 16;

/// Writes entries to a stream. Nothing is compressed.
///
/// ```
/// use tensorfleet_files::table::{Table, TableWriter};
///
/// let mut writer = TableWriter::new(Vec::new());
/// writer.add(b"a", b"one")?;
/// writer.add(b"b", b"two")?;
/// let table = Table::from_bytes("memory", writer.finish()?.into())?;
/// assert_eq!(table.get(b"b")?.as_deref(), Some(&b"two"[..]));
/// assert_eq!(table.get(b"c")?, None);
/// # Ok::<(), tensor::Status>(())
/// ```
pub struct TableWriter<W: Write> {
    stream: W,
    offset: u64,
    block: BlockBuilder,
    index: BlockBuilder,
    last_key: Option<Vec<u8>>,
    /// The block just written: its index key depends on the key that follows.
    pending: Option<BlockHandle>,
    block_size: usize,
}

impl<W: Write> TableWriter<W> {
    /// Returns a writer to a stream.
    pub fn new(stream: W) -> TableWriter<W> {
        TableWriter::with_block_size(stream, BLOCK_SIZE)
    }

    pub(super) fn with_block_size(stream: W, block_size: usize) -> TableWriter<W> {
        TableWriter {
            stream,
            offset: 0,
            block: BlockBuilder::new(RESTART_INTERVAL),
            index: BlockBuilder::new(1),
            last_key: None,
            pending: None,
            block_size,
        }
    }

    /// Adds an entry; its key must come after all keys before.
    ///
    /// # Errors
    /// `InvalidArgument` for a key out of order; the code of the operating system's error.
    pub fn add(&mut self, key: &[u8], value: &[u8]) -> Result<()> {
        let ordered = self.last_key.as_ref().is_none_or(|last| last.as_slice() < key);
        ensure!(ordered, InvalidArgument, "key {} is not after the last one", key.escape_ascii());
        if let (Some(handle), Some(last)) = (self.pending.take(), &self.last_key) {
            self.add_to_index(&separator(last, key), handle);
        }
        self.block.add(key, value);
        self.last_key = Some(key.to_vec());
        if self.block.size() >= self.block_size {
            self.end_block()?;
        }
        Ok(())
    }

    /// Writes the rest and returns the stream.
    ///
    /// # Errors
    /// The code of the operating system's error.
    pub fn finish(mut self) -> Result<W> {
        self.end_block()?;
        let meta_index = self.write_block(BlockBuilder::new(RESTART_INTERVAL).take())?;
        if let (Some(handle), Some(last)) = (self.pending.take(), &self.last_key) {
            self.add_to_index(&successor(last), handle);
        }
        let index = self.index.take();
        let index = self.write_block(index)?;
        let mut footer = Vec::with_capacity(FOOTER);
        meta_index.write(&mut footer);
        index.write(&mut footer);
        footer.resize(FOOTER - 8, 0);
        footer.extend_from_slice(&MAGIC.to_le_bytes());
        self.stream.write_all(&footer)?;
        Ok(self.stream)
    }

    fn end_block(&mut self) -> Result<()> {
        if !self.block.is_empty() {
            let block = self.block.take();
            self.pending = Some(self.write_block(block)?);
        }
        Ok(())
    }

    fn add_to_index(&mut self, key: &[u8], handle: BlockHandle) {
        let mut value = Vec::new();
        handle.write(&mut value);
        self.index.add(key, &value);
    }

    fn write_block(&mut self, mut block: Vec<u8>) -> Result<BlockHandle> {
        let handle = BlockHandle { offset: self.offset, size: block.len() as u64 };
        block.push(UNCOMPRESSED);
        let checksum = crate::crc::masked(&block);
        block.extend_from_slice(&checksum.to_le_bytes());
        self.stream.write_all(&block)?;
        self.offset += block.len() as u64;
        Ok(handle)
    }
}

/// A short key that is not before `key` and before `next`, which comes after `key`.
fn separator(key: &[u8], next: &[u8]) -> Vec<u8> {
    let shared = key.iter().zip(next).take_while(|(a, b)| a == b).count();
    if let (Some(byte), Some(limit)) = (key.get(shared), next.get(shared))
        && *byte < 0xff
        && byte + 1 < *limit
    {
        return [&key[..shared], &[byte + 1]].concat();
    }
    key.to_vec()
}

/// A short key that is not before `key`.
fn successor(key: &[u8]) -> Vec<u8> {
    match key.iter().position(|byte| *byte != 0xff) {
        Some(at) => [&key[..at], &[key[at] + 1]].concat(),
        None => key.to_vec(),
    }
}
