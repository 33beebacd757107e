//! `AsString`: numbers as text, formatted as C does.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::memory::Tally;
use tensor::{Complex64, Complex128, DType, Result, Tensor, bail, bf16, ensure, f16};

use crate::control_flow::general;

pub(crate) fn register(r: &mut Registry) {
    r.op("AsString", "input: T -> output: string")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64, complex64, complex128, bool, variant, string}")
        .attr("precision: int = -1")
        .attr("scientific: bool = false")
        .attr("shortest: bool = false")
        .attr("width: int = -1")
        .attr("fill: string = ''")
        .shape(ShapeContext::unchanged)
        .any_kernel(kernel)
        .not_differentiable();
}

fn kernel(node: &Node) -> Result<Kernel> {
    let format = Format::of_node(node)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let text = format.apply(cx.input(0)?)?;
        cx.set_output(0, text);
        Ok(())
    }))
}

#[derive(Clone, Copy)]
enum Notation {
    Fixed,
    Scientific,
    Shortest,
}

struct Format {
    notation: Notation,
    precision: usize,
    width: usize,
    fill: Option<u8>,
}

impl Format {
    fn of_node(node: &Node) -> Result<Format> {
        /// Wider or more precise than this is taken for a mistake.
        const MOST: i64 = 4096;
        let dtype = node.attr_type("T")?;
        let (precision, width) = (node.attr_int("precision")?, node.attr_int("width")?);
        let (scientific, shortest) = (node.attr_bool("scientific")?, node.attr_bool("shortest")?);
        let fill = node.attr_bytes("fill")?;
        let is_float = dtype.is_floating() || dtype.is_complex();
        ensure!(fill.len() <= 1, InvalidArgument, "Fill string must be one or fewer characters");
        ensure!(!(scientific && shortest), InvalidArgument, "Cannot select both scientific and shortest notation");
        ensure!(precision < 0 || is_float, InvalidArgument, "precision not supported for datatype {dtype}");
        ensure!(
            is_float || !(scientific || shortest),
            InvalidArgument,
            "scientific and shortest format not supported for datatype {dtype}"
        );
        ensure!(
            precision <= MOST && width <= MOST,
            InvalidArgument,
            "precision {precision} or width {width} is above the limit of {MOST}"
        );
        let fill = fill.first().copied();
        if let Some(fill) = fill {
            ensure!(
                b" 0+-".contains(&fill),
                InvalidArgument,
                "Fill argument not supported: \"{}\"",
                fill.escape_ascii()
            );
        }
        let notation = match (scientific, shortest) {
            (true, _) => Notation::Scientific,
            (_, true) => Notation::Shortest,
            _ => Notation::Fixed,
        };
        let precision = if precision < 0 { 6 } else { precision as usize };
        Ok(Format { notation, precision, width: width.max(0) as usize, fill })
    }

    fn apply(&self, input: &Tensor) -> Result<Tensor> {
        let mut tally = Tally::new("strings");
        let mut counted = |text: Vec<u8>| tally.add(text.len() as u64).map(|()| Bytes::from(text));
        macro_rules! each {
            ($($t:ty => $f:expr),* $(,)?) => {
                $(if let Ok(values) = input.as_slice::<$t>() {
                    let texts = values.iter().map(|value| counted($f(*value).into_bytes()));
                    return Tensor::from_strings(input.shape().clone(), texts.collect::<Result<_>>()?);
                })*
            };
        }
        let part = |value: f64| self.padded(self.float(value), value.is_finite());
        let complex = |re: f64, im: f64| format!("({},{})", part(re), part(im));
        each! {
            f32 => |v: f32| self.padded(self.float(v as f64), v.is_finite()),
            f64 => |v: f64| self.padded(self.float(v), v.is_finite()),
            f16 => |v: f16| self.padded(self.float(v.to_f64()), v.is_finite()),
            bf16 => |v: bf16| self.padded(self.float(v.to_f64()), v.is_finite()),
            i8 => |v: i8| self.padded(self.signed(v < 0, v.to_string()), true),
            i16 => |v: i16| self.padded(self.signed(v < 0, v.to_string()), true),
            i32 => |v: i32| self.padded(self.signed(v < 0, v.to_string()), true),
            i64 => |v: i64| self.padded(self.signed(v < 0, v.to_string()), true),
            u8 => |v: u8| self.padded(v.to_string(), true),
            u16 => |v: u16| self.padded(v.to_string(), true),
            u32 => |v: u32| self.padded(v.to_string(), true),
            u64 => |v: u64| self.padded(v.to_string(), true),
            bool => |v: bool| v.to_string(),
            Complex64 => |v: Complex64| complex(v.re as f64, v.im as f64),
            Complex128 => |v: Complex128| complex(v.re, v.im),
        }
        if input.dtype() == DType::String {
            let texts = input.strings()?.iter().map(|text| {
                let spaces = vec![b' '; self.width.saturating_sub(text.len())];
                let both: [&[u8]; 2] = if self.fill == Some(b'-') { [text, &spaces] } else { [&spaces, text] };
                counted(both.concat())
            });
            return Tensor::from_strings(input.shape().clone(), texts.collect::<Result<_>>()?);
        }
        bail!(Unimplemented, "text of elements of type {}", input.dtype())
    }

    /// With sign, without padding.
    fn float(&self, value: f64) -> String {
        let text = match self.notation {
            _ if value.is_nan() => "nan".to_owned(),
            _ if value.is_infinite() => if value > 0.0 { "inf" } else { "-inf" }.to_owned(),
            Notation::Fixed => format!("{value:.*}", self.precision),
            Notation::Shortest => general(value, self.precision),
            Notation::Scientific => {
                let text = format!("{value:.*e}", self.precision);
                let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
                let exponent: i32 = exponent.parse().unwrap_or(0);
                format!("{mantissa}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs())
            }
        };
        self.signed(value.is_sign_negative() && !value.is_nan(), text)
    }

    /// Marks what is not negative, if asked for.
    fn signed(&self, negative: bool, text: String) -> String {
        match self.fill {
            Some(mark @ (b' ' | b'+')) if !negative => format!("{}{text}", mark as char),
            _ => text,
        }
    }

    fn padded(&self, text: String, finite: bool) -> String {
        let missing = self.width.saturating_sub(text.len());
        match self.fill {
            Some(b'-') => format!("{text}{}", " ".repeat(missing)),
            Some(b'0') if finite => {
                let digits = usize::from(text.starts_with('-'));
                format!("{}{}{}", &text[..digits], "0".repeat(missing), &text[digits..])
            }
            _ => format!("{}{text}", " ".repeat(missing)),
        }
    }
}

#[cfg(test)]
mod tests {
    use graph::AttrValue;

    use crate::testing::{Bench, val};
    use tensor::{DType, Tensor};

    fn run(input: Tensor, attrs: &[(&str, AttrValue)]) -> Vec<String> {
        let mut attrs = attrs.to_vec();
        attrs.push(("T", input.dtype().into()));
        let text = Bench::new().value("AsString", &attrs, vec![val(input)]).unwrap();
        text.strings().unwrap().iter().map(|text| String::from_utf8(text.to_vec()).unwrap()).collect()
    }

    /// All as TensorFlow 2.21 gives them.
    #[test]
    fn numbers_as_c_writes_them() {
        let floats = || Tensor::from([1.5f32, -2.25, 1e20, f32::NAN]);
        let fill = |fill: &'static str| [("width", AttrValue::Int(10)), ("fill", fill.into())];
        assert_eq!(run(floats(), &[]), ["1.500000", "-2.250000", "100000002004087734272.000000", "nan"]);
        let two = ("precision", AttrValue::Int(2));
        assert_eq!(run(floats(), &[two, ("scientific", true.into())]), ["1.50e+00", "-2.25e+00", "1.00e+20", "nan"]);
        assert_eq!(run(floats(), &[("shortest", true.into())]), ["1.5", "-2.25", "1e+20", "nan"]);
        let some = || Tensor::from([1.5f32, f32::INFINITY]);
        assert_eq!(run(some(), &fill("0")), ["001.500000", "       inf"]);
        assert_eq!(run(some(), &fill("-")), ["1.500000  ", "inf       "]);
        assert_eq!(run(some(), &fill("+")), [" +1.500000", "      +inf"]);
        assert_eq!(run(Tensor::from([1i32, -22]), &fill("0")), ["0000000001", "-000000022"]);
        assert_eq!(run(Tensor::from([true, false]), &fill("0")[..1]), ["true", "false"]);
        assert_eq!(run(Tensor::string_vector(["a"]), &[("width", 4i64.into())]), ["   a"]);
        let wrong = [("T", DType::Int32.into()), ("precision", 3i64.into())];
        let status = Bench::new().try_node("AsString", &wrong).err().unwrap();
        assert_eq!(status.message(), "precision not supported for datatype int32");
    }
}
