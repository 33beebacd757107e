//! Sorted tables: an immutable file of keys and values in ascending order of keys, LevelDB's format.
//!
//! A file is data blocks, an empty meta index block, an index block (one entry a data block: a key that is not before
//! the block's last and before the next block's first, and where the block lies) and a footer of 48 bytes. A block is
//! followed by its compression (0 none, 1 snappy) and a masked CRC-32C.

mod block;
mod reader;
mod writer;

pub use reader::{Table, TableIter};
pub use writer::TableWriter;

const FOOTER: usize = 48;
const MAGIC: u64 = 0xdb47_7524_8b80_fb57;
/// Compression type and checksum after each block.
const TRAILER: u64 = 5;
const UNCOMPRESSED: u8 = 0;
const SNAPPY: u8 = 1;

/// Where a block lies, without its trailer.
#[derive(Clone, Copy)]
struct BlockHandle {
    offset: u64,
    size: u64,
}

impl BlockHandle {
    fn write(self, target: &mut Vec<u8>) {
        prost::encoding::encode_varint(self.offset, target);
        prost::encoding::encode_varint(self.size, target);
    }

    fn read(bytes: &mut &[u8]) -> Option<BlockHandle> {
        let offset = prost::encoding::decode_varint(bytes).ok()?;
        let size = prost::encoding::decode_varint(bytes).ok()?;
        Some(BlockHandle { offset, size })
    }
}

#[cfg(test)]
mod tests;
