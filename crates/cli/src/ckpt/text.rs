//! How sizes, tables and elements are written.

use files::bundle::BundleEntry;
use tensor::{Complex64, Complex128, DType, Element, Result, Tensor, bail, bf16, f16};

/// The bytes of a tensor's elements; strings count by their number only.
pub fn bytes_of(entry: &BundleEntry) -> u64 {
    (entry.shape.num_elements() as u64).saturating_mul(entry.dtype.size() as u64)
}

/// `1.5 MB`, in powers of 1000 as disks are sold.
pub fn size(bytes: u64) -> String {
    let mut value = bytes as f64;
    for unit in ["B", "kB", "MB", "GB"] {
        if value < 999.5 {
            return if unit == "B" { format!("{bytes} B") } else { format!("{value:.1} {unit}") };
        }
        value /= 1000.0;
    }
    format!("{value:.1} TB")
}

/// Columns as wide as what is in them; the first row is the head.
pub fn table(rows: &[Vec<String>]) -> String {
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max();
    let widths: Vec<usize> = (0..columns).map(|column| width(column).unwrap_or(0)).collect();
    let mut text = String::new();
    for row in rows {
        let cells = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:<width$}"));
        text += cells.collect::<Vec<_>>().join("  ").trim_end();
        text.push('\n');
    }
    text
}

/// The elements as texts, those at the places asked for.
pub fn elements(tensor: &Tensor, places: &[usize]) -> Result<Vec<String>> {
    fn plain<T: Element>(tensor: &Tensor, places: &[usize], show: impl Fn(T) -> String) -> Result<Vec<String>> {
        let values = tensor.as_slice::<T>()?;
        Ok(places.iter().filter_map(|place| values.get(*place)).map(|value| show(*value)).collect())
    }
    Ok(match tensor.dtype() {
        DType::Float => plain(tensor, places, |v: f32| v.to_string())?,
        DType::Double => plain(tensor, places, |v: f64| v.to_string())?,
        DType::Half => plain(tensor, places, |v: f16| v.to_string())?,
        DType::BFloat16 => plain(tensor, places, |v: bf16| v.to_string())?,
        DType::Int8 => plain(tensor, places, |v: i8| v.to_string())?,
        DType::Int16 => plain(tensor, places, |v: i16| v.to_string())?,
        DType::Int32 => plain(tensor, places, |v: i32| v.to_string())?,
        DType::Int64 => plain(tensor, places, |v: i64| v.to_string())?,
        DType::UInt8 => plain(tensor, places, |v: u8| v.to_string())?,
        DType::UInt16 => plain(tensor, places, |v: u16| v.to_string())?,
        DType::UInt32 => plain(tensor, places, |v: u32| v.to_string())?,
        DType::UInt64 => plain(tensor, places, |v: u64| v.to_string())?,
        DType::Bool => plain(tensor, places, |v: bool| v.to_string())?,
        DType::Complex64 => plain(tensor, places, |v: Complex64| v.to_string())?,
        DType::Complex128 => plain(tensor, places, |v: Complex128| v.to_string())?,
        DType::String => {
            let strings = tensor.strings()?;
            let found = places.iter().filter_map(|place| strings.get(*place));
            found.map(|string| format!("\"{}\"", string.escape_ascii())).collect()
        }
        other => bail!(Unimplemented, "elements of type {other} cannot be shown"),
    })
}

/// Elements in little-endian bytes, as numbers to compare; of complex ones both parts. `None` for other types.
pub fn numbers(dtype: DType, bytes: &[u8]) -> Option<Vec<f64>> {
    fn all<const N: usize>(bytes: &[u8], value: impl Fn([u8; N]) -> f64) -> Option<Vec<f64>> {
        Some(bytes.as_chunks::<N>().0.iter().map(|chunk| value(*chunk)).collect())
    }
    match dtype {
        DType::Float | DType::Complex64 => all(bytes, |b| f64::from(f32::from_le_bytes(b))),
        DType::Double | DType::Complex128 => all(bytes, f64::from_le_bytes),
        DType::Half => all(bytes, |b| f16::from_le_bytes(b).to_f64()),
        DType::BFloat16 => all(bytes, |b| bf16::from_le_bytes(b).to_f64()),
        DType::Int8 => all(bytes, |b| f64::from(i8::from_le_bytes(b))),
        DType::Int16 => all(bytes, |b| f64::from(i16::from_le_bytes(b))),
        DType::Int32 => all(bytes, |b| f64::from(i32::from_le_bytes(b))),
        DType::Int64 => all(bytes, |b| i64::from_le_bytes(b) as f64),
        DType::UInt8 | DType::Bool => all(bytes, |b| f64::from(u8::from_le_bytes(b))),
        DType::UInt16 => all(bytes, |b| f64::from(u16::from_le_bytes(b))),
        DType::UInt32 => all(bytes, |b| f64::from(u32::from_le_bytes(b))),
        DType::UInt64 => all(bytes, |b| u64::from_le_bytes(b) as f64),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_units() {
        assert_eq!([size(0), size(999), size(1000), size(1_540_000)], ["0 B", "999 B", "1.0 kB", "1.5 MB"]);
        assert_eq!([size(20_000_000_000), size(u64::MAX)], ["20.0 GB", "18446744.1 TB"]);
    }

    #[test]
    fn columns_are_as_wide_as_needed() {
        let rows = [["a", "b"], ["long", "c"]].map(|row| row.map(str::to_owned).to_vec());
        assert_eq!(table(&rows), "a     b\nlong  c\n");
    }
}
