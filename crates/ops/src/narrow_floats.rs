//! Half and bfloat16 tensors, which are computed with as floats and rounded once, at the end.

use tensor::{DType, Result, Tensor, bail, bf16, f16};

/// A half or bfloat16 tensor as float.
pub(crate) fn widen(tensor: &Tensor) -> Result<Tensor> {
    if !matches!(tensor.dtype(), DType::Half | DType::BFloat16) {
        return Ok(tensor.clone());
    }
    Tensor::build(tensor.shape().clone(), |out: &mut [f32]| {
        match tensor.dtype() {
            DType::Half => math::convert::f16_to_f32(tensor.as_slice()?, out),
            _ => math::convert::bf16_to_f32(tensor.as_slice()?, out),
        }
        Ok(())
    })
}

/// A float tensor as half or bfloat16.
pub(crate) fn narrow(tensor: &Tensor, dtype: DType) -> Result<Tensor> {
    let values = tensor.as_slice::<f32>()?;
    let shape = tensor.shape().clone();
    match dtype {
        DType::Half => Tensor::build(shape, |out: &mut [f16]| {
            math::convert::f32_to_f16(values, out);
            Ok(())
        }),
        DType::BFloat16 => Tensor::build(shape, |out: &mut [bf16]| {
            math::convert::f32_to_bf16(values, out);
            Ok(())
        }),
        DType::Float => Ok(tensor.clone()),
        other => bail!(Internal, "float is not narrowed to {other}"),
    }
}
