//! `StringToNumber`: numbers out of their text.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Element, Result, Tensor, bail, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("StringToNumber", "string_tensor: string -> output: out_type")
        .attr("out_type: {float, double, int32, int64, uint32, uint64} = float")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("out_type")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = numbers(cx.input(0)?, dtype)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn numbers(input: &Tensor, dtype: DType) -> Result<Tensor> {
    match dtype {
        DType::Float => each(input, |text| match float_of(text) {
            Some(value) => Some(narrowed(text, value)),
            None => hexadecimal(text).map(|value| value as f32),
        }),
        DType::Double => each(input, |text| float_of(text).or_else(|| hexadecimal(text))),
        DType::Int32 => each(input, int_of::<i32>),
        DType::Int64 => each(input, int_of::<i64>),
        DType::UInt32 => each(input, int_of::<u32>),
        DType::UInt64 => each(input, int_of::<u64>),
        other => bail!(InvalidArgument, "no numbers of type {other} in text"),
    }
}

/// The nearest float: rounding twice, by way of a double, could miss it.
fn narrowed(text: &str, value: f64) -> f32 {
    text.trim().parse().unwrap_or(value as f32)
}

fn each<T: Element>(input: &Tensor, read: impl Fn(&str) -> Option<T>) -> Result<Tensor> {
    let mut values = Vec::with_capacity(input.num_elements());
    for text in input.strings()? {
        let value = std::str::from_utf8(text).ok().and_then(&read);
        values.push(value.ok_or_else(|| {
            err!(InvalidArgument, "StringToNumberOp could not correctly convert string: {}", text.escape_ascii())
        })?);
    }
    Tensor::from_slice(input.shape(), &values)
}

/// A float with spaces around it.
pub(crate) fn float_of<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim_matches(|c: char| c.is_ascii_whitespace()).parse().ok()
}

/// A number in hexadecimal digits as C writes it: `0xF`, `-0x1.8p3`.
fn hexadecimal(text: &str) -> Option<f64> {
    let text = text.trim_matches(|c: char| c.is_ascii_whitespace()).to_ascii_lowercase();
    let (sign, digits) = match text.strip_prefix('-') {
        Some(rest) => (-1.0, rest),
        None => (1.0, text.strip_prefix('+').unwrap_or(&text)),
    };
    let digits = digits.strip_prefix("0x")?;
    let (digits, power) = digits.split_once('p').unwrap_or((digits, "0"));
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.len() + fraction.len() == 0 {
        return None;
    }
    let mut value = 0f64;
    for digit in whole.chars().chain(fraction.chars()) {
        value = value * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let power = power.parse::<i32>().ok()?.checked_sub(i32::try_from(fraction.len()).ok()?.checked_mul(4)?)?;
    Some(sign * value * 2f64.powi(power))
}

/// An integer with spaces around it.
pub(crate) fn int_of<T: std::str::FromStr>(text: &str) -> Option<T> {
    text.trim_matches(|c: char| c.is_ascii_whitespace()).parse().ok()
}
