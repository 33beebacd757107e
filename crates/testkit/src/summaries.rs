//! Comparison of serialized summaries by content: pictures by their pixels, numbers up to rounding.

use bytes::Bytes;
use prost::Message;
use tensor::Tensor;
use wire::summary::value::Value;

/// # Errors
/// What differs, in words.
pub(crate) fn same_summaries(got: &Tensor, expected: &Tensor) -> Result<(), String> {
    let (Ok(got), Ok(expected)) = (got.strings(), expected.strings()) else {
        return Err("summaries are strings".to_owned());
    };
    if got.len() != expected.len() {
        return Err(format!("{} summaries instead of {}", got.len(), expected.len()));
    }
    got.iter().zip(expected).try_for_each(|(got, expected)| same_summary(got, expected))
}

fn same_summary(got: &Bytes, expected: &Bytes) -> Result<(), String> {
    let decode = |bytes: &Bytes| wire::Summary::decode(bytes.clone()).map_err(|error| error.to_string());
    let (got, expected) = (decode(got)?, decode(expected)?);
    if got.value.len() != expected.value.len() {
        return Err(format!("{} values instead of {}", got.value.len(), expected.value.len()));
    }
    for (got, expected) in got.value.into_iter().zip(expected.value) {
        let tag = expected.tag.clone();
        let (got, expected) = (plain(got)?, plain(expected)?);
        if got != expected {
            return Err(format!("{tag}: {got:?} instead of {expected:?}"));
        }
    }
    Ok(())
}

/// The value with pictures unpacked and numbers rounded.
fn plain(mut value: wire::summary::Value) -> Result<wire::summary::Value, String> {
    match &mut value.value {
        Some(Value::Image(image)) => image.encoded_image_string = pixels(&image.encoded_image_string)?,
        Some(Value::Histo(histogram)) => {
            for number in [&mut histogram.sum, &mut histogram.sum_squares, &mut histogram.min, &mut histogram.max] {
                *number = rounded(*number);
            }
            histogram.bucket_limit.iter_mut().for_each(|limit| *limit = rounded(*limit));
        }
        // NaN is not equal to itself.
        Some(Value::SimpleValue(number)) if number.is_nan() => {
            value.tag.push_str(" is NaN");
            value.value = None;
        }
        _ => {}
    }
    Ok(value)
}

/// To ten digits.
fn rounded(number: f64) -> f64 {
    format!("{number:.9e}").parse().unwrap_or(number)
}

fn pixels(encoded: &[u8]) -> Result<Bytes, String> {
    let decoder = png::Decoder::new(std::io::Cursor::new(encoded));
    let mut reader = decoder.read_info().map_err(|error| format!("not a PNG: {error}"))?;
    let size = reader.output_buffer_size().ok_or("a PNG of no size")?;
    let mut pixels = vec![0; size];
    reader.next_frame(&mut pixels).map_err(|error| format!("a broken PNG: {error}"))?;
    Ok(pixels.into())
}
