//! One block of a table: entries whose keys share prefixes, and restart points at which a key is whole.
//!
//! An entry is three varints (bytes shared with the previous key, further key bytes, value bytes), the further key
//! bytes, and the value. The block ends with the offsets of the restart points and their count, as u32.

use std::sync::Arc;

use bytes::Bytes;
use prost::encoding::{decode_varint, encode_varint};
use tensor::{Result, Status, ensure, err};

/// Keys beyond this length are taken for damage.
const MAX_KEY: usize = 1 << 20;

/// A block as read.
pub(super) struct Block {
    data: Bytes,
    /// Where entries end and restart offsets begin.
    entries: usize,
    restarts: usize,
}

impl Block {
    pub fn new(data: Bytes) -> Result<Block> {
        let count = data.last_chunk().map(|bytes| u32::from_le_bytes(*bytes) as usize);
        let count = count.ok_or_else(|| damaged("it is shorter than 4 bytes"))?;
        let room = (data.len() - 4) / 4;
        ensure!(count <= room, DataLoss, "damaged table block: {count} restart points in {} bytes", data.len());
        let entries = data.len() - 4 - 4 * count;
        Ok(Block { data, entries, restarts: count })
    }

    /// Bytes the block takes in memory.
    pub fn len(&self) -> usize {
        self.data.len()
    }

    fn restart(&self, index: usize) -> Result<usize> {
        let at = self.entries + 4 * index;
        let offset = self.data.get(at..).and_then(|bytes| bytes.first_chunk());
        let offset = offset.map(|bytes| u32::from_le_bytes(*bytes) as usize).filter(|offset| *offset <= self.entries);
        offset.ok_or_else(|| damaged("a restart point lies outside of it"))
    }

    /// A cursor before the first entry.
    pub fn cursor(self: &Arc<Block>) -> Cursor {
        Cursor { block: self.clone(), next: 0, key: Vec::new(), value: Bytes::new() }
    }

    /// A cursor on the first entry whose key is not less than `key`, if there is one.
    pub fn seek(self: &Arc<Block>, key: &[u8]) -> Result<Option<Cursor>> {
        // The last restart point with a key less than the wanted one; the entry is in the run that begins there.
        let (mut low, mut high) = (0, self.restarts);
        while low + 1 < high {
            let middle = low + (high - low) / 2;
            let mut cursor = self.cursor();
            cursor.next = self.restart(middle)?;
            if cursor.advance()? && cursor.key.as_slice() < key {
                low = middle;
            } else {
                high = middle;
            }
        }
        let mut cursor = self.cursor();
        if self.restarts > 0 {
            cursor.next = self.restart(low)?;
        }
        while cursor.advance()? {
            if cursor.key.as_slice() >= key {
                return Ok(Some(cursor));
            }
        }
        Ok(None)
    }
}

/// A position in a block.
pub(super) struct Cursor {
    block: Arc<Block>,
    next: usize,
    pub key: Vec<u8>,
    pub value: Bytes,
}

impl Cursor {
    /// Goes to the next entry; false at the end.
    pub fn advance(&mut self) -> Result<bool> {
        if self.next >= self.block.entries {
            return Ok(false);
        }
        let data = &self.block.data[..self.block.entries];
        let mut rest = &data[self.next..];
        let mut number =
            || decode_varint(&mut rest).ok().and_then(|n| u32::try_from(n).ok()).map(|number| number as usize);
        let (Some(shared), Some(unshared), Some(value)) = (number(), number(), number()) else {
            return Err(damaged("an entry's lengths cannot be read"));
        };
        ensure!(
            shared <= self.key.len() && unshared <= MAX_KEY - shared.min(MAX_KEY) && unshared + value <= rest.len(),
            DataLoss,
            "damaged table block: an entry of {shared}+{unshared} key and {value} value bytes after a key of {}, with \
             {} bytes left",
            self.key.len(),
            rest.len()
        );
        let at = data.len() - rest.len();
        self.key.truncate(shared);
        self.key.extend_from_slice(&rest[..unshared]);
        self.next = at + unshared + value;
        self.value = self.block.data.slice(at + unshared..self.next);
        Ok(true)
    }
}

fn damaged(what: &str) -> Status {
    err!(DataLoss, "damaged table block: {what}")
}

/// A block being written. Keys must come in ascending order.
pub(super) struct BlockBuilder {
    data: Vec<u8>,
    restarts: Vec<u32>,
    interval: usize,
    since_restart: usize,
    last_key: Vec<u8>,
}

impl BlockBuilder {
    /// With a restart point every `interval` entries.
    pub fn new(interval: usize) -> BlockBuilder {
        BlockBuilder { data: Vec::new(), restarts: vec![0], interval, since_restart: 0, last_key: Vec::new() }
    }

    pub fn add(&mut self, key: &[u8], value: &[u8]) {
        let mut shared = 0;
        if self.since_restart < self.interval {
            shared = self.last_key.iter().zip(key).take_while(|(a, b)| a == b).count();
        } else {
            self.restarts.push(self.data.len() as u32);
            self.since_restart = 0;
        }
        self.since_restart += 1;
        encode_varint(shared as u64, &mut self.data);
        encode_varint((key.len() - shared) as u64, &mut self.data);
        encode_varint(value.len() as u64, &mut self.data);
        self.data.extend_from_slice(&key[shared..]);
        self.data.extend_from_slice(value);
        self.last_key.truncate(shared);
        self.last_key.extend_from_slice(&key[shared..]);
    }

    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Bytes the block would take now.
    pub fn size(&self) -> usize {
        self.data.len() + 4 * self.restarts.len() + 4
    }

    /// The finished block; the builder is empty again.
    pub fn take(&mut self) -> Vec<u8> {
        let mut data = std::mem::take(&mut self.data);
        for restart in &self.restarts {
            data.extend_from_slice(&restart.to_le_bytes());
        }
        data.extend_from_slice(&(self.restarts.len() as u32).to_le_bytes());
        *self = BlockBuilder::new(self.interval);
        data
    }
}
