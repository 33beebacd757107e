//! Until when a certificate holds, read from its DER. Only what leads there is read; everything else is rustls' to judge.

use tensor::{Result, err};

/// Returns the second since 1970 until which a certificate holds.
///
/// # Errors
/// `InvalidArgument` if it is no certificate as X.509 has them.
pub(super) fn valid_until(certificate: &[u8]) -> Result<i64> {
    until(certificate).ok_or_else(|| err!(InvalidArgument, "a certificate of {} bytes is malformed", certificate.len()))
}

const SEQUENCE: u8 = 0x30;
const VERSION: u8 = 0xa0;
const UTC_TIME: u8 = 0x17;
const GENERALIZED_TIME: u8 = 0x18;

fn until(certificate: &[u8]) -> Option<i64> {
    let (_, certificate, _) = element(certificate).filter(|(tag, ..)| *tag == SEQUENCE)?;
    let (_, mut fields, _) = element(certificate).filter(|(tag, ..)| *tag == SEQUENCE)?;
    if element(fields)?.0 == VERSION {
        fields = element(fields)?.2;
    }
    // The serial number, the algorithm and the issuer come before.
    for _ in 0..3 {
        fields = element(fields)?.2;
    }
    let (_, validity, _) = element(fields).filter(|(tag, ..)| *tag == SEQUENCE)?;
    let (tag, time, _) = element(element(validity)?.2)?;
    moment(tag, std::str::from_utf8(time).ok()?)
}

/// The first element: its tag, its contents, and what follows it.
fn element(bytes: &[u8]) -> Option<(u8, &[u8], &[u8])> {
    let (tag, rest) = bytes.split_first()?;
    let (first, rest) = rest.split_first()?;
    let (length, rest) = match first {
        short if *short < 0x80 => (usize::from(*short), rest),
        long => {
            let count = usize::from(long & 0x7f);
            let digits = rest.get(..count).filter(|_| (1..=4).contains(&count))?;
            (digits.iter().fold(0, |sum, digit| sum << 8 | usize::from(*digit)), &rest[count..])
        }
    };
    Some((*tag, rest.get(..length)?, &rest[length..]))
}

/// `YYMMDDhhmmssZ`, or with four digits of the year.
fn moment(tag: u8, text: &str) -> Option<i64> {
    let digits = text.strip_suffix('Z').filter(|digits| digits.bytes().all(|byte| byte.is_ascii_digit()))?;
    let (year, rest) = match tag {
        UTC_TIME if digits.len() == 12 => {
            let year: i64 = digits[..2].parse().ok()?;
            (if year < 50 { 2000 + year } else { 1900 + year }, &digits[2..])
        }
        GENERALIZED_TIME if digits.len() == 14 => (digits[..4].parse().ok()?, &digits[4..]),
        _ => return None,
    };
    let number = |at: usize| rest[at..at + 2].parse::<i64>().ok();
    let (month, day) = (number(0).filter(|month| (1..=12).contains(month))?, number(2)?);
    // Days since 1970 in the Gregorian calendar; years begin in March, so that the day that leaps is the last.
    let (year, month) = if month > 2 { (year, month - 3) } else { (year - 1, month + 9) };
    let days = 365 * year + year / 4 - year / 100 + year / 400 + (153 * month + 2) / 5 + day - 1 - 719_468;
    Some(((days * 24 + number(4)?) * 60 + number(6)?) * 60 + number(8)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_seconds_since_1970() {
        assert_eq!(moment(UTC_TIME, "700101000000Z"), Some(0));
        assert_eq!(moment(UTC_TIME, "210101000000Z"), Some(1_609_459_200));
        assert_eq!(moment(GENERALIZED_TIME, "20240229235959Z"), Some(1_709_251_199));
        assert_eq!(moment(GENERALIZED_TIME, "40960101000000Z"), Some(67_090_118_400));
        for wrong in ["", "Z", "7001010000Z", "70010100000aZ", "701301000000Z", "700101000000"] {
            assert_eq!(moment(UTC_TIME, wrong), None, "{wrong}");
        }
    }

    #[test]
    fn what_is_no_certificate_is_refused() {
        for wrong in [&[][..], &[0x30], &[0x30, 0x80], &[0x30, 0x82, 0xff], &[0x30, 2, 0x30, 0], &[0x17, 1, 0]] {
            assert!(valid_until(wrong).is_err(), "{wrong:?}");
        }
    }
}
