//! Numbers and strings as bytes whose order is the order of the values: the keys of partitioned tensors in a
//! checkpoint's index are built of these.

/// An unsigned number: how many bytes follow, then these, most significant first.
pub fn write_unsigned(target: &mut Vec<u8>, value: u64) {
    let bytes = value.to_be_bytes();
    let zeros = value.leading_zeros() as usize / 8;
    target.push((8 - zeros) as u8);
    target.extend_from_slice(&bytes[zeros..]);
}

/// A string of any bytes: 00 and FF are escaped, 00 01 ends it.
pub fn write_string(target: &mut Vec<u8>, value: &[u8]) {
    for &byte in value {
        target.push(byte);
        match byte {
            0x00 => target.push(0xff),
            0xff => target.push(0x00),
            _ => {}
        }
    }
    target.extend_from_slice(&[0x00, 0x01]);
}

/// A signed number: -64 to 63 take one byte, others as many as they need, the count written in unary in the leading
/// bits.
pub fn write_signed(target: &mut Vec<u8>, value: i64) {
    let magnitude = if value < 0 { !value } else { value };
    let bits = 64 - magnitude.leading_zeros() as usize;
    let length = (bits + 1).div_ceil(7).max(1);
    // Sign-extended to ten bytes, the longest form there is.
    let sign = if value < 0 { 0xff } else { 0x00 };
    let mut bytes = [sign; 10];
    bytes[2..].copy_from_slice(&value.to_be_bytes());
    let used = &mut bytes[10 - length..];
    let header = (!0u16) << (16 - length);
    for (byte, bits) in used.iter_mut().zip(header.to_be_bytes()) {
        *byte ^= bits;
    }
    target.extend_from_slice(used);
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn written<T>(write: impl Fn(&mut Vec<u8>, T), value: T) -> Vec<u8> {
        let mut bytes = Vec::new();
        write(&mut bytes, value);
        bytes
    }

    #[test]
    fn known_forms() {
        assert_eq!(written(write_unsigned, 0), [0]);
        assert_eq!(written(write_unsigned, 2), [1, 2]);
        assert_eq!(written(write_unsigned, 0x1_00), [2, 1, 0]);
        assert_eq!(written(write_string, &b"a\x00\xff"[..]), b"a\x00\xff\xff\x00\x00\x01");
        assert_eq!(written(write_signed, 0), [0x80]);
        assert_eq!(written(write_signed, 3), [0x83]);
        assert_eq!(written(write_signed, -1), [0x7f]);
        assert_eq!(written(write_signed, 63), [0xbf]);
        assert_eq!(written(write_signed, 64), [0xc0, 0x40]);
        assert_eq!(written(write_signed, -65), [0x3f, 0xbf]);
        assert_eq!(written(write_signed, 1 << 13), [0xe0, 0x20, 0x00]);
        assert_eq!(written(write_signed, i64::MAX), [0xff, 0xc0, 0x7f, 255, 255, 255, 255, 255, 255, 255]);
        assert_eq!(written(write_signed, i64::MIN), [0x00, 0x3f, 0x80, 0, 0, 0, 0, 0, 0, 0]);
    }

    proptest! {
        #[test]
        fn the_order_is_kept(a: i64, b: i64, shift in 0u32..64) {
            let (a, b) = (a >> shift, b >> shift);
            prop_assert_eq!(written(write_signed, a).cmp(&written(write_signed, b)), a.cmp(&b));
            let (a, b) = (a as u64, b as u64);
            prop_assert_eq!(written(write_unsigned, a).cmp(&written(write_unsigned, b)), a.cmp(&b));
        }

        #[test]
        fn the_order_of_strings_is_kept(a: Vec<u8>, b: Vec<u8>) {
            prop_assert_eq!(written(write_string, &a[..]).cmp(&written(write_string, &b[..])), a.cmp(&b));
        }
    }
}
