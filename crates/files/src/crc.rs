//! CRC-32C as TensorFlow stores it: masked, because a checksum of data that itself contains checksums is weak.

const MASK_DELTA: u32 = 0xa282_ead8;

/// The checksum in the form in which files carry it.
pub fn mask(crc: u32) -> u32 {
    crc.rotate_right(15).wrapping_add(MASK_DELTA)
}

/// The inverse of [`mask`].
pub fn unmask(masked: u32) -> u32 {
    masked.wrapping_sub(MASK_DELTA).rotate_left(15)
}

/// The masked checksum of these bytes.
pub fn masked(bytes: &[u8]) -> u32 {
    mask(crc32c::crc32c(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn known_values() {
        // The standard check value of CRC-32C.
        assert_eq!(crc32c::crc32c(b"123456789"), 0xe306_9283);
        // TensorFlow 2.21 writes this for an empty tensor and an empty record.
        assert_eq!(masked(b""), 0xa282_ead8);
        for crc in [0, 1, 0xe306_9283, u32::MAX] {
            assert_eq!(unmask(mask(crc)), crc);
        }
    }
}
