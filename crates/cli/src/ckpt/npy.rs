//! The head of an array in numpy's format, and how its types are called there.

use std::io::Read;

use tensor::{DType, Result, Status, bail, ensure, err};

const MAGIC: &[u8] = b"\x93NUMPY";
/// Far above what any head needs.
const MAX_HEAD: usize = 1 << 16;

/// What the head of an array says.
#[derive(Debug, PartialEq)]
pub struct Head {
    pub kind: Kind,
    pub shape: Vec<i64>,
    /// Columns first.
    pub fortran: bool,
}

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Kind {
    /// Elements of a type of ours; the bytes of each are to be turned round if it says so.
    Plain { dtype: DType, swapped: bool },
    /// Strings of so many bytes, filled up with zeros.
    Bytes(usize),
    /// Strings of so many characters of four bytes.
    Text { characters: usize, swapped: bool },
}

impl Kind {
    /// The bytes of an element.
    pub fn size(self) -> usize {
        match self {
            Kind::Plain { dtype, .. } => dtype.size(),
            Kind::Bytes(length) => length,
            Kind::Text { characters, .. } => characters * 4,
        }
    }
}

/// What numpy calls a type of ours; `None` for types it does not know. It has no bfloat16, which is kept as two opaque bytes,
/// as the Python package `ml_dtypes` does.
pub fn descriptor(dtype: DType) -> Option<&'static str> {
    Some(match dtype {
        DType::Float => "<f4",
        DType::Double => "<f8",
        DType::Half => "<f2",
        DType::BFloat16 => "<V2",
        DType::Int8 => "|i1",
        DType::Int16 => "<i2",
        DType::Int32 => "<i4",
        DType::Int64 => "<i8",
        DType::UInt8 => "|u1",
        DType::UInt16 => "<u2",
        DType::UInt32 => "<u4",
        DType::UInt64 => "<u8",
        DType::Bool => "|b1",
        DType::Complex64 => "<c8",
        DType::Complex128 => "<c16",
        _ => return None,
    })
}

/// The bytes of a head, which end on a multiple of 64.
pub fn write_head(descriptor: &str, shape: &[i64]) -> Vec<u8> {
    let dims: Vec<String> = shape.iter().map(ToString::to_string).collect();
    let comma = if dims.len() == 1 { "," } else { "" };
    let shape = format!("({}{comma})", dims.join(", "));
    let mut text = format!("{{'descr': '{descriptor}', 'fortran_order': False, 'shape': {shape}, }}");
    // Magic, version and the length of the text take ten bytes, the newline one.
    while !(text.len() + 11).is_multiple_of(64) {
        text.push(' ');
    }
    text.push('\n');
    let mut head = [MAGIC, &[1, 0], &(text.len() as u16).to_le_bytes()].concat();
    head.extend_from_slice(text.as_bytes());
    head
}

/// Reads a head; `name` stands for the array in errors.
///
/// # Errors
/// `DataLoss` for what is no array; `Unimplemented` for elements that no tensor has.
pub fn read_head(name: &str, from: &mut impl Read) -> Result<Head> {
    let mut read = |bytes: &mut [u8]| from.read_exact(bytes).map_err(|error| Status::from(error).context(name));
    let mut start = [0; 8];
    read(&mut start)?;
    ensure!(start.starts_with(MAGIC), DataLoss, "{name} is not an array of numpy");
    let length = match start[6] {
        1 => {
            let mut length = [0; 2];
            read(&mut length)?;
            u16::from_le_bytes(length) as usize
        }
        2 | 3 => {
            let mut length = [0; 4];
            read(&mut length)?;
            u32::from_le_bytes(length) as usize
        }
        other => bail!(Unimplemented, "{name} is in version {other} of numpy's format"),
    };
    ensure!(length <= MAX_HEAD, DataLoss, "{name} has a head of {length} bytes");
    let mut text = vec![0; length];
    read(&mut text)?;
    let text = String::from_utf8_lossy(&text).into_owned();
    parse(&text).map_err(|status| status.context(name))
}

fn parse(text: &str) -> Result<Head> {
    let value = |key: &str| {
        let rest = text.split_once(&format!("'{key}':")).map(|(_, rest)| rest.trim_start());
        rest.ok_or_else(|| err!(DataLoss, "the head has no {key}: {text}"))
    };
    let descriptor = value("descr")?;
    let descriptor = descriptor.strip_prefix('\'').and_then(|rest| rest.split_once('\''));
    let Some((descriptor, _)) = descriptor else {
        bail!(Unimplemented, "its elements have several fields, which no tensor has: {}", text.trim());
    };
    let shape = value("shape")?.strip_prefix('(').and_then(|rest| rest.split_once(')'));
    let (shape, _) = shape.ok_or_else(|| err!(DataLoss, "the head has no shape: {text}"))?;
    let dims = shape.split(',').map(str::trim).filter(|dim| !dim.is_empty());
    let dims = dims.map(|dim| dim.parse::<i64>().ok().filter(|dim| *dim >= 0));
    let shape = dims.collect::<Option<Vec<i64>>>().ok_or_else(|| err!(DataLoss, "the shape is ({shape})"))?;
    Ok(Head { kind: kind(descriptor)?, shape, fortran: value("fortran_order")?.starts_with("True") })
}

fn kind(descriptor: &str) -> Result<Kind> {
    let order = descriptor.as_bytes().first().copied().unwrap_or_default();
    let (swapped, code) = match order {
        b'<' | b'|' | b'=' => (false, &descriptor[1..]),
        b'>' => (true, &descriptor[1..]),
        _ => (false, descriptor),
    };
    let length = |code: &str| {
        let length = code.parse::<usize>().ok().filter(|length| *length <= i32::MAX as usize / 4);
        length.ok_or_else(|| err!(DataLoss, "elements of type {descriptor} have no length"))
    };
    Ok(match code {
        "f2" => Kind::Plain { dtype: DType::Half, swapped },
        "V2" => Kind::Plain { dtype: DType::BFloat16, swapped },
        "f4" => Kind::Plain { dtype: DType::Float, swapped },
        "f8" => Kind::Plain { dtype: DType::Double, swapped },
        "i1" => Kind::Plain { dtype: DType::Int8, swapped },
        "i2" => Kind::Plain { dtype: DType::Int16, swapped },
        "i4" => Kind::Plain { dtype: DType::Int32, swapped },
        "i8" => Kind::Plain { dtype: DType::Int64, swapped },
        "u1" => Kind::Plain { dtype: DType::UInt8, swapped },
        "u2" => Kind::Plain { dtype: DType::UInt16, swapped },
        "u4" => Kind::Plain { dtype: DType::UInt32, swapped },
        "u8" => Kind::Plain { dtype: DType::UInt64, swapped },
        "b1" => Kind::Plain { dtype: DType::Bool, swapped },
        "c8" => Kind::Plain { dtype: DType::Complex64, swapped },
        "c16" => Kind::Plain { dtype: DType::Complex128, swapped },
        code if code.starts_with('S') => Kind::Bytes(length(&code[1..])?),
        code if code.starts_with('U') => Kind::Text { characters: length(&code[1..])?, swapped },
        "O" => bail!(Unimplemented, "its elements are Python objects, which only Python can read"),
        _ => bail!(Unimplemented, "elements of type {descriptor} are none of a tensor"),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn heads_come_back() {
        for (dtype, shape) in [(DType::Float, vec![]), (DType::Bool, vec![3]), (DType::Complex128, vec![2, 0, 5])] {
            let head = write_head(descriptor(dtype).unwrap(), &shape);
            assert_eq!(head.len() % 64, 0);
            let read = read_head("a", &mut &head[..]).unwrap();
            assert_eq!(read, Head { kind: Kind::Plain { dtype, swapped: false }, shape, fortran: false });
        }
    }

    #[test]
    fn other_heads_are_understood_or_refused() {
        let head = |text: &str| parse(text);
        let read = head("{'descr': '>i2', 'fortran_order': True, 'shape': (2, 3), }").unwrap();
        assert_eq!((read.kind, read.fortran), (Kind::Plain { dtype: DType::Int16, swapped: true }, true));
        assert_eq!(kind("|S7").unwrap(), Kind::Bytes(7));
        assert_eq!(kind("<U3").unwrap().size(), 12);
        for text in
            ["", "{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", "{'descr': '|O'", "{'descr': [('a'"]
        {
            assert!(head(text).is_err(), "{text}");
        }
        assert!(kind("|S99999999999").is_err());
        assert!(read_head("a", &mut &b"PK"[..]).is_err());
    }
}
