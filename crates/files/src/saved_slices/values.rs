//! The elements of a slice: a message with a list of values and neither type nor shape.

use tensor::proto::{from_proto, shape_to_proto};
use tensor::{Complex64, Complex128, DType, Result, Shape, Tensor, bail, ensure, f16};

/// The tensor of a message whose type and shape are known from elsewhere.
///
/// # Errors
/// `DataLoss` if the message does not hold just as many values.
pub(super) fn read(mut proto: wire::TensorProto, dtype: DType, shape: &Shape) -> Result<Tensor> {
    let values = match dtype {
        DType::Float => proto.float_val.len(),
        DType::Double => proto.double_val.len(),
        DType::Int32 | DType::Int16 | DType::Int8 | DType::UInt16 | DType::UInt8 => proto.int_val.len(),
        DType::Int64 => proto.int64_val.len(),
        DType::UInt32 => proto.uint32_val.len(),
        DType::UInt64 => proto.uint64_val.len(),
        DType::Bool => proto.bool_val.len(),
        DType::Half | DType::BFloat16 => proto.half_val.len(),
        DType::Complex64 => proto.scomplex_val.len() / 2,
        DType::Complex128 => proto.dcomplex_val.len() / 2,
        DType::String => proto.string_val.len(),
        other => bail!(Unimplemented, "values of type {other} cannot be restored from a V1 checkpoint"),
    };
    let wanted = shape.num_elements();
    ensure!(values == wanted, DataLoss, "{values} values of type {dtype} are stored where shape {shape} has {wanted}");
    proto.dtype = dtype.number();
    proto.tensor_shape = Some(shape_to_proto(shape));
    proto.tensor_content = bytes::Bytes::new();
    from_proto(&proto)
}

/// The message of a tensor's elements.
///
/// # Errors
/// `Unimplemented` or `InvalidArgument`, as in TensorFlow, for elements that the format does not hold.
pub(super) fn write(tensor: &Tensor) -> Result<wire::TensorProto> {
    let mut proto = wire::TensorProto::default();
    match tensor.dtype() {
        DType::Float => proto.float_val = tensor.as_slice::<f32>()?.to_vec(),
        DType::Double => proto.double_val = tensor.as_slice::<f64>()?.to_vec(),
        DType::Int32 => proto.int_val = tensor.as_slice::<i32>()?.to_vec(),
        DType::Int16 => proto.int_val = tensor.as_slice::<i16>()?.iter().map(|v| i32::from(*v)).collect(),
        DType::Int8 => proto.int_val = tensor.as_slice::<i8>()?.iter().map(|v| i32::from(*v)).collect(),
        DType::UInt16 => proto.int_val = tensor.as_slice::<u16>()?.iter().map(|v| i32::from(*v)).collect(),
        DType::UInt8 => proto.int_val = tensor.as_slice::<u8>()?.iter().map(|v| i32::from(*v)).collect(),
        DType::Int64 => proto.int64_val = tensor.as_slice::<i64>()?.to_vec(),
        DType::UInt32 => proto.uint32_val = tensor.as_slice::<u32>()?.to_vec(),
        DType::Bool => proto.bool_val = tensor.as_slice::<bool>()?.to_vec(),
        DType::Half => proto.half_val = tensor.as_slice::<f16>()?.iter().map(|v| i32::from(v.to_bits())).collect(),
        DType::Complex64 => {
            proto.scomplex_val = tensor.as_slice::<Complex64>()?.iter().flat_map(|v| [v.re, v.im]).collect();
        }
        DType::Complex128 => {
            proto.dcomplex_val = tensor.as_slice::<Complex128>()?.iter().flat_map(|v| [v.re, v.im]).collect();
        }
        DType::String => proto.string_val = tensor.strings()?.to_vec(),
        DType::UInt64 => bail!(InvalidArgument, "Tensor slice serialization not implemented for dtype uint64"),
        other => bail!(Unimplemented, "Saving data type {other} not yet supported"),
    }
    Ok(proto)
}
