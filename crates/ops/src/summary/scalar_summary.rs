//! `ScalarSummary`: numbers with their tags.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext, types};
use prost::Message;
use tensor::{Result, Tensor, bail, bf16, f16};
use wire::summary::value::Value;

pub(crate) fn register(r: &mut Registry) {
    r.op("ScalarSummary", "tags: string, values: T -> summary: string")
        .attr("T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}")
        .shape(ShapeContext::scalar)
        .kernel("T", types::REALS, kernel)
        .not_differentiable();
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let summary = summarize(cx.input(0)?, cx.input(1)?)?;
        cx.set_output(0, summary);
        Ok(())
    }))
}

fn summarize(tags: &Tensor, values: &Tensor) -> Result<Tensor> {
    if tags.shape() != values.shape() {
        let tag = match tags.strings()? {
            [tag] => format!(" (tag '{}')", String::from_utf8_lossy(tag)),
            _ => String::new(),
        };
        bail!(InvalidArgument, "tags and values are not the same shape: {} != {}{tag}", tags.shape(), values.shape());
    }
    let mut summary = wire::Summary::default();
    for (tag, value) in tags.strings()?.iter().zip(numbers(values)?) {
        summary.value.push(entry(tag, Value::SimpleValue(value as f32)));
    }
    Ok(encoded(&summary))
}

/// A value of a summary with its tag.
pub(crate) fn entry(tag: &[u8], value: Value) -> wire::summary::Value {
    let tag = String::from_utf8_lossy(tag).into_owned();
    wire::summary::Value { tag, value: Some(value), ..Default::default() }
}

pub(crate) fn encoded(summary: &wire::Summary) -> Tensor {
    Tensor::from(bytes::Bytes::from(summary.encode_to_vec()))
}

/// The elements of a tensor of numbers as doubles.
pub(crate) fn numbers(values: &Tensor) -> Result<Vec<f64>> {
    dispatch!(values.dtype(), T in [f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, f16, bf16] => {
        Ok(values.as_slice::<T>()?.iter().map(|value| value.to_double()).collect())
    })
}

/// Numbers that have a nearest double.
trait ToDouble {
    fn to_double(&self) -> f64;
}

macro_rules! to_double {
    ($($t:ty),*) => {$(impl ToDouble for $t { fn to_double(&self) -> f64 { *self as f64 } })*};
}
to_double!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64);

impl ToDouble for f16 {
    fn to_double(&self) -> f64 {
        self.to_f64()
    }
}

impl ToDouble for bf16 {
    fn to_double(&self) -> f64 {
        self.to_f64()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_tag_gets_its_number() {
        let summary = summarize(&Tensor::string_vector(["a", "b"]), &Tensor::from([1i64, 2])).unwrap();
        let summary = wire::Summary::decode(summary.strings().unwrap()[0].clone()).unwrap();
        let values: Vec<_> = summary.value.iter().map(|value| (value.tag.as_str(), value.value.clone())).collect();
        assert_eq!(values, [("a", Some(Value::SimpleValue(1.0))), ("b", Some(Value::SimpleValue(2.0)))]);
        // TensorFlow 2.21 gives exactly this.
        let status = summarize(&Tensor::from("a"), &Tensor::from([1f32, 2.0, 3.0])).unwrap_err();
        assert_eq!(status.message(), "tags and values are not the same shape: [] != [3] (tag 'a')");
    }
}
