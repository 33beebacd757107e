//! String tensors in a data file: all lengths as varints, a checksum of the lengths, all bytes.

use std::io::Write;

use bytes::{Buf, Bytes};
use prost::encoding::{decode_varint, encode_varint};
use tensor::{Result, ensure, err};

use crate::crc;

/// Writes the strings; returns how many bytes they took and the checksum (not masked) over them, in which lengths count
/// as fixed-size numbers.
pub(super) fn write(target: &mut impl Write, strings: &[Bytes]) -> Result<(u64, u32)> {
    let mut lengths = Vec::with_capacity(strings.len() * 2);
    let mut checksum = 0;
    for string in strings {
        encode_varint(string.len() as u64, &mut lengths);
        checksum = add_length(checksum, string.len() as u64);
    }
    let lengths_checksum = crc::mask(checksum).to_le_bytes();
    target.write_all(&lengths)?;
    target.write_all(&lengths_checksum)?;
    checksum = crc32c::crc32c_append(checksum, &lengths_checksum);
    let mut size = lengths.len() as u64 + 4;
    for string in strings {
        target.write_all(string)?;
        checksum = crc32c::crc32c_append(checksum, string);
        size += string.len() as u64;
    }
    Ok((size, checksum))
}

/// The strings in `content`, which they share, and the checksum as [`write`] returns it.
///
/// # Errors
/// `DataLoss` if the content is not exactly `count` strings or the checksum of their lengths does not match.
pub(super) fn read(mut content: Bytes, count: usize) -> Result<(Vec<Bytes>, u32)> {
    // Every length takes at least a byte.
    ensure!(count <= content.len(), DataLoss, "{count} strings cannot be in {} bytes", content.len());
    let mut lengths = Vec::with_capacity(count);
    let mut checksum = 0;
    for _ in 0..count {
        let length = decode_varint(&mut content).map_err(|_| err!(DataLoss, "a string's length cannot be read"))?;
        checksum = add_length(checksum, length);
        lengths.push(length);
    }
    ensure!(content.len() >= 4, DataLoss, "the checksum of the string lengths is missing");
    let stored = content.get_u32_le();
    ensure!(
        stored == crc::mask(checksum),
        DataLoss,
        "The length checksum does not match: expected {:#010x} but got {stored:#010x}",
        crc::mask(checksum)
    );
    checksum = crc32c::crc32c_append(checksum, &stored.to_le_bytes());
    checksum = crc32c::crc32c_append(checksum, &content);
    let mut strings = Vec::with_capacity(count);
    for length in lengths {
        ensure!(
            length <= content.len() as u64,
            DataLoss,
            "a string of {length} bytes where {} are left",
            content.len()
        );
        strings.push(content.split_to(length as usize));
    }
    ensure!(content.is_empty(), DataLoss, "{} bytes are left after the last string", content.len());
    Ok((strings, checksum))
}

fn add_length(checksum: u32, length: u64) -> u32 {
    match u32::try_from(length) {
        Ok(short) => crc32c::crc32c_append(checksum, &short.to_le_bytes()),
        Err(_) => crc32c::crc32c_append(checksum, &length.to_le_bytes()),
    }
}
