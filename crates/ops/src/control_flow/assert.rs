//! `Assert`: fails the step, showing some values, unless its condition holds.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, Operation, Output, ReadAttrs};
use tensor::{DType, Result, Tensor, bail, bf16, ensure, f16};

pub(crate) fn register(r: &mut Registry) {
    r.op("Assert", "condition: bool, data: T ->")
        .attr("T: list(type) >= 1")
        .attr("summarize: int = 3")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let summarize = node.attr_int("summarize")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let condition = cx.input(0)?;
        let is_scalar = condition.shape().is_scalar();
        ensure!(is_scalar, InvalidArgument, "In[0] should be a scalar: {}", condition.shape());
        if condition.to_scalar::<bool>()? {
            return Ok(());
        }
        let mut shown = Vec::new();
        for index in 1..cx.num_inputs() {
            shown.push(summary(cx.input(index)?, summarize));
        }
        bail!(InvalidArgument, "assertion failed: {}", shown.join(" "))
    }))
}

/// The first `count` elements in brackets, one pair a dimension; all of them if `count` is negative.
pub(crate) fn summary(tensor: &Tensor, count: i64) -> String {
    let total = tensor.num_elements();
    let shown = if count < 0 { total } else { total.min(count as usize) };
    let elements = shown_elements(tensor, shown);
    let mut out = String::from("[");
    let mut next = 0;
    write_dims(tensor.dims(), true, &elements, &mut next, &mut out);
    if total > shown {
        out.push_str("...");
    }
    out.push(']');
    out
}

/// Writes one slice of the tensor; the brackets around it are the caller's.
fn write_dims(dims: &[i64], outermost: bool, elements: &[String], next: &mut usize, out: &mut String) {
    let [dim, inner @ ..] = dims else {
        out.extend(elements.first().map(String::as_str));
        return;
    };
    for place in 0..*dim {
        if *next >= elements.len() {
            // An inner row that breaks off says so; the end of the whole is marked once, after everything.
            if inner.is_empty() && !outermost {
                out.push_str("...");
            }
            return;
        }
        if inner.is_empty() {
            if place > 0 {
                out.push(' ');
            }
            out.push_str(&elements[*next]);
            *next += 1;
        } else {
            out.push('[');
            write_dims(inner, false, elements, next, out);
            out.push(']');
        }
    }
}

/// Each of the first `count` elements as text.
fn shown_elements(tensor: &Tensor, count: usize) -> Vec<String> {
    macro_rules! show {
        ($($t:ty => $f:expr),* $(,)?) => {
            $(if let Ok(values) = tensor.as_slice::<$t>() {
                return values.iter().take(count).map(|value| $f(*value)).collect();
            })*
        };
    }
    show! {
        f32 => float_text, f64 => double_text, f16 => |v: f16| float_text(v.to_f32()),
        bf16 => |v: bf16| float_text(v.to_f32()), i8 => int_text, i16 => int_text, i32 => int_text, i64 => int_text,
        u8 => int_text, u16 => int_text, u32 => int_text, u64 => |v: u64| v.to_string(),
        bool => |v: bool| (v as u8).to_string(),
    }
    if let Ok(strings) = tensor.strings() {
        return strings.iter().take(count).map(|text| escaped(text)).collect();
    }
    let kind = if tensor.dtype() == DType::Resource { "<Resource>" } else { "<?>" };
    vec![kind.to_owned(); count]
}

/// A string as C writes it, but for letters beyond ASCII, which stay.
fn escaped(text: &[u8]) -> String {
    let mut shown = Vec::with_capacity(text.len());
    for byte in text {
        match byte {
            b'\n' => shown.extend(b"\\n"),
            b'\r' => shown.extend(b"\\r"),
            b'\t' => shown.extend(b"\\t"),
            b'"' | b'\'' | b'\\' => shown.extend([b'\\', *byte]),
            0..0x20 | 0x7f => shown.extend(format!("\\{byte:03o}").bytes()),
            _ => shown.push(*byte),
        }
    }
    String::from_utf8_lossy(&shown).into_owned()
}

fn int_text(value: impl Into<i64>) -> String {
    value.into().to_string()
}

/// A float as C's `%g` shows it: with six digits if these say it exactly, else with nine.
pub(crate) fn float_text(value: f32) -> String {
    let short = general(value as f64, 6);
    if short.parse::<f32>() == Ok(value) { short } else { general(value as f64, 9) }
}

/// A double as C's `%g` shows it: with fifteen digits if these say it exactly, else with seventeen.
pub(crate) fn double_text(value: f64) -> String {
    let short = general(value, 15);
    if short.parse::<f64>() == Ok(value) { short } else { general(value, 17) }
}

/// C's `%.<digits>g`.
pub(crate) fn general(value: f64, digits: usize) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    if value == 0.0 {
        return if value.is_sign_negative() { "-0".into() } else { "0".into() };
    }
    let digits = digits.max(1);
    let scientific = format!("{value:.*e}", digits - 1);
    let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    let trim = |text: &str| match text.contains('.') {
        true => text.trim_end_matches('0').trim_end_matches('.').to_owned(),
        false => text.to_owned(),
    };
    if exponent < -4 || exponent >= digits as i32 {
        let sign = if exponent < 0 { '-' } else { '+' };
        return format!("{}e{sign}{:02}", trim(mantissa), exponent.abs());
    }
    trim(&format!("{value:.*}", (digits as i32 - 1 - exponent).max(0) as usize))
}

/// Stops the step where a condition fails (`Assert`).
///
/// ```
/// use tensorfleet::prelude::*;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let x = g.placeholder(DType::Int32, Shape::scalar());
/// let check = x.greater(0).assert(&[g.constant("x is"), x.clone()]);
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().feed(&x, 1i32).target(&check))?;
/// let error = session.run(RunRequest::new().feed(&x, -1i32).target(&check)).err().unwrap();
/// assert!(error.message().contains("assertion failed: [x is] [-1]"), "{error}");
/// # Ok(())
/// # }
/// ```
pub trait AssertOps {
    /// Fails the step with `data` in the message unless this condition holds.
    fn assert(&self, data: &[Output]) -> Operation;
}

impl AssertOps for Output {
    #[track_caller]
    fn assert(&self, data: &[Output]) -> Operation {
        self.graph().op("Assert").input(self).input_list(data).build()
    }
}

#[cfg(test)]
mod tests {
    use tensor::{Shape, Tensor};

    use super::*;
    use crate::testing::{Bench, val};

    fn thirds() -> Tensor {
        let values: Vec<f32> = (0..24).map(|i| i as f32 / 3.0).collect();
        Tensor::from_slice(&Shape::new(&[2, 3, 4]).unwrap(), &values).unwrap()
    }

    /// All as TensorFlow 2.21 shows them.
    #[test]
    fn values_are_shown_as_tensorflow_shows_them() {
        assert_eq!(summary(&Tensor::from([0i32, 1, 2, 3, 4]), 3), "[0 1 2...]");
        assert_eq!(summary(&Tensor::from(1.5f32), 3), "[1.5]");
        assert_eq!(summary(&Tensor::from([[true, false], [true, true]]), 3), "[[1 0][1...]...]");
        assert_eq!(summary(&thirds(), 7), "[[[0 0.333333343 0.666666687 1][1.33333337 1.66666663 2...]]...]");
        assert_eq!(summary(&Tensor::zeros(DType::Float, &Shape::new(&[2, 0]).unwrap()).unwrap(), 3), "[]");
        let odd = Tensor::from([1e20f32, 1e-7, 100000.0, 1234567.0, f32::NAN, f32::INFINITY]);
        assert_eq!(summary(&odd, 7), "[1e+20 1e-07 100000 1234567 nan inf]");
        assert_eq!(double_text(1.0 / 7e9), "1.4285714285714285e-10");
        assert_eq!(float_text(f16::from_f32(1.1).to_f32()), "1.09960938");
        assert_eq!(summary(&Tensor::string_vector(["a\"b\n", ""]), -1), "[a\\\"b\\n ]");
    }

    #[test]
    fn a_failed_assertion_shows_its_data() {
        let attrs = [("T", vec![DType::Int32, DType::String].into())];
        let run = |condition: bool| {
            Bench::new().run("Assert", &attrs, vec![val(condition), val([1i32, 2]), val("x")]).map(|_| ())
        };
        assert!(run(true).is_ok());
        assert_eq!(run(false).unwrap_err().message(), "assertion failed: [1 2] [x]");
    }
}
