//! `DecodeRaw` and `DecodePaddedRaw`: the bytes of strings as numbers; the second form cuts or fills each string to one length.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, PartialShape, Result, Shape, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeRaw", "bytes: string -> output: out_type")
        .attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, complex64, complex128, bool, bfloat16}")
        .attr("little_endian: bool = true")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
    r.op("DecodePaddedRaw", "input_bytes: string, fixed_length: int32 -> output: out_type")
        .attr("out_type: {half, float, double, int32, uint16, uint8, int16, int8, int64, bfloat16}")
        .attr("little_endian: bool = true")
        .shape(padded_shape)
        .any_kernel(padded_kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.input(0).concatenate(&PartialShape::vector(None));
    cx.set(0, shape);
    Ok(())
}

fn padded_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let dtype = cx.attr_type("out_type")?;
    let length = cx.int(1).map(|length| length / dtype.size().max(1) as i64).filter(|length| *length > 0);
    let shape = cx.input(0).concatenate(&PartialShape::vector(length));
    cx.set(0, shape);
    Ok(())
}

fn padded_kernel(node: &Node) -> Result<Kernel> {
    let (dtype, little) = (node.attr_type("out_type")?, node.attr_bool("little_endian")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (input, length, size) = (cx.input(0)?, cx.input(1)?, dtype.size().max(1) as i64);
        ensure!(length.shape().is_scalar(), InvalidArgument, "k must be scalar, got shape {}", length.shape());
        let length = i64::from(length.to_scalar::<i32>()?);
        ensure!(
            length > 0 && length % size == 0,
            InvalidArgument,
            "fixed_length ({length}) must be greater than zero and a multiple of the size of out_type ({size})"
        );
        let bytes = (input.num_elements() as u64).saturating_mul(length as u64);
        tensor::memory::ensure_free(bytes.saturating_mul(2), format_args!("strings of {length} bytes"))?;
        let padded = |text: &bytes::Bytes| {
            let mut text = text[..text.len().min(length as usize)].to_vec();
            text.resize(length as usize, 0);
            bytes::Bytes::from(text)
        };
        let texts = input.strings()?.iter().map(padded).collect();
        let decoded = decode(&Tensor::from_strings(input.shape().clone(), texts)?, dtype, little)?;
        let shape = Shape::new(&[input.dims(), &[length / size]].concat())?;
        cx.set_output(0, decoded.into_shape(shape)?);
        Ok(())
    }))
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (dtype, little) = (node.attr_type("out_type")?, node.attr_bool("little_endian")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let decoded = decode(cx.input(0)?, dtype, little)?;
        cx.set_output(0, decoded);
        Ok(())
    }))
}

fn decode(input: &Tensor, dtype: DType, little_endian: bool) -> Result<Tensor> {
    let (strings, size) = (input.strings()?, dtype.size());
    let length = strings.first().map_or(0, |first| first.len());
    for (place, string) in strings.iter().enumerate() {
        ensure!(
            string.len() == length,
            InvalidArgument,
            "DecodeRaw requires input strings to all be the same size, but element {place} has size {length} != {}",
            string.len()
        );
    }
    ensure!(
        length.is_multiple_of(size.max(1)),
        InvalidArgument,
        "Input to DecodeRaw has length {length} that is not a multiple of {size}, the size of {dtype}"
    );
    let count = length / size.max(1);
    let shape = Shape::new(&[input.dims(), &[count as i64]].concat())?;
    let mut bytes = strings.concat();
    // Numbers of two parts are turned part by part.
    let word = if dtype.is_complex() { size / 2 } else { size };
    if !little_endian && word > 1 {
        bytes.chunks_exact_mut(word).for_each(<[u8]>::reverse);
    }
    Tensor::from_bytes(dtype, shape, bytes.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As TensorFlow 2.21 gives them.
    #[test]
    fn bytes_become_numbers() {
        let strings = Tensor::string_vector(["abcd", "efgh"]);
        assert_eq!(decode(&strings, DType::Int16, true).unwrap(), Tensor::from([[25185i16, 25699], [26213, 26727]]));
        assert_eq!(decode(&strings, DType::Int16, false).unwrap(), Tensor::from([[24930i16, 25444], [25958, 26472]]));
        assert_eq!(decode(&Tensor::from("abcd"), DType::Int16, true).unwrap(), Tensor::from([25185i16, 25699]));
        assert_eq!(decode(&Tensor::string_vector(["", ""]), DType::Int16, true).unwrap().dims(), [2, 0]);
        let message = |strings: [&'static str; 2]| {
            decode(&Tensor::string_vector(strings), DType::Int16, true).unwrap_err().message().to_owned()
        };
        assert_eq!(
            message(["abc", "def"]),
            "Input to DecodeRaw has length 3 that is not a multiple of 2, the size of int16"
        );
        assert_eq!(
            message(["abcd", "ef"]),
            "DecodeRaw requires input strings to all be the same size, but element 1 has size 4 != 2"
        );
    }
}
