//! Tensors, types and shapes as TensorFlow's messages.
//!
//! Encoding always uses `tensor_content`. Decoding accepts every form that TensorFlow writes: raw content, the
//! typed fields, and typed fields with fewer values than elements, of which the last repeats.

use bytes::{Buf, BufMut, Bytes, BytesMut};
use prost::Message;

use crate::{
    Complex64, Complex128, DType, Element, PartialShape, ResourceHandle, Result, Shape, Status, Tensor, Variant,
    VariantData, bail, bf16, ensure, err, f16, memory,
};

/// The type for a number in a message.
///
/// # Errors
/// `InvalidArgument` for a number that is no plain type.
pub fn dtype_from_proto(number: i32) -> Result<DType> {
    DType::from_number(number).ok_or_else(|| err!(InvalidArgument, "{number} is not the number of a known data type"))
}

/// # Errors
/// `InvalidArgument` for a dimension below -1.
pub fn partial_shape_from_proto(proto: &wire::TensorShapeProto) -> Result<PartialShape> {
    if proto.unknown_rank {
        return Ok(PartialShape::unknown());
    }
    ensure!(
        proto.dim.len() <= crate::shape::MAX_RANK,
        InvalidArgument,
        "a shape of rank {} is above the limit",
        proto.dim.len()
    );
    let dims: Vec<i64> = proto.dim.iter().map(|dim| dim.size).collect();
    if let Some(dim) = dims.iter().find(|dim| **dim < -1) {
        bail!(InvalidArgument, "dimension {dim} of a shape must be at least -1");
    }
    let shape = PartialShape::from_dims(&dims);
    if shape.is_fully_known() {
        Shape::new(&dims)?;
    }
    Ok(shape)
}

/// Returns the message of a partly known shape.
pub fn partial_shape_to_proto(shape: &PartialShape) -> wire::TensorShapeProto {
    match shape.raw_dims() {
        None => wire::TensorShapeProto { unknown_rank: true, ..Default::default() },
        Some(dims) => shape_proto(dims),
    }
}

/// Returns the message of a shape.
pub fn shape_to_proto(shape: &Shape) -> wire::TensorShapeProto {
    shape_proto(shape.dims())
}

fn shape_proto(dims: &[i64]) -> wire::TensorShapeProto {
    let dim = |size: &i64| wire::tensor_shape_proto::Dim { size: *size, name: String::new() };
    wire::TensorShapeProto { dim: dims.iter().map(dim).collect(), unknown_rank: false }
}

/// The message for a tensor. Plain elements are shared with it, not copied; one that stands for all stays one.
///
/// # Errors
/// `Unimplemented` for variants that have no form outside the process, a dataset for example; `ResourceExhausted` for
/// those that are nested too deep, or become too large because what they share is written out.
pub fn to_proto(tensor: &Tensor) -> Result<wire::TensorProto> {
    if let Some(proto) = repeated_to_proto(tensor) {
        return Ok(proto);
    }
    let tensor_content = match tensor.dtype() {
        DType::String => {
            let strings = tensor.strings()?;
            // Strings may share their bytes; written out they do not, and a message of them is made from that.
            let bytes: u64 = strings.iter().map(|string| string.len() as u64).sum();
            memory::ensure_free(bytes.saturating_mul(2), format_args!("{} strings, written out,", strings.len()))?;
            list_content(strings.iter().cloned())
        }
        DType::Resource => {
            list_content(tensor.handles()?.iter().map(|handle| handle_to_proto(handle).encode_to_vec().into()))
        }
        DType::Variant => {
            let items = tensor.variants()?.iter().map(variant_to_proto).collect::<Result<Vec<_>>>()?;
            list_content(items.iter().map(|item| item.encode_to_vec().into()))
        }
        other => match tensor.buffer() {
            Some(buffer) => {
                buffer.try_bytes()?;
                buffer.to_bytes()
            }
            None if tensor.num_elements() == 0 => Bytes::new(),
            None => bail!(Unimplemented, "a tensor of type {other} cannot leave its process"),
        },
    };
    Ok(wire::TensorProto {
        dtype: tensor.dtype().number(),
        tensor_shape: Some(shape_to_proto(tensor.shape())),
        tensor_content,
        ..Default::default()
    })
}

/// The short message of a tensor of which one value stands for all.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet_tensor::proto::repeated_to_proto;
/// let ones = Tensor::repeating(&Tensor::from(1f32), Shape::new(&[1000, 1000])?)?;
/// assert_eq!(repeated_to_proto(&ones).unwrap().float_val, [1.0]);
/// assert!(repeated_to_proto(&Tensor::from([1f32, 1.0])).is_none());
/// # Ok::<(), Status>(())
/// ```
pub fn repeated_to_proto(tensor: &Tensor) -> Option<wire::TensorProto> {
    let element = tensor.element().filter(|_| tensor.byte_size() as u64 <= MAX_EXPANDED_BYTES)?;
    let mut proto = wire::TensorProto {
        dtype: element.dtype().number(),
        tensor_shape: Some(shape_to_proto(tensor.shape())),
        ..Default::default()
    };
    match element.dtype() {
        DType::Float => proto.float_val = vec![element.to_scalar().ok()?],
        DType::Double => proto.double_val = vec![element.to_scalar().ok()?],
        DType::Int32 => proto.int_val = vec![element.to_scalar().ok()?],
        DType::Int16 => proto.int_val = vec![element.to_scalar::<i16>().ok()?.into()],
        DType::Int8 => proto.int_val = vec![element.to_scalar::<i8>().ok()?.into()],
        DType::UInt16 => proto.int_val = vec![element.to_scalar::<u16>().ok()?.into()],
        DType::UInt8 => proto.int_val = vec![element.to_scalar::<u8>().ok()?.into()],
        DType::Int64 => proto.int64_val = vec![element.to_scalar().ok()?],
        DType::UInt32 => proto.uint32_val = vec![element.to_scalar().ok()?],
        DType::UInt64 => proto.uint64_val = vec![element.to_scalar().ok()?],
        DType::Bool => proto.bool_val = vec![element.to_scalar().ok()?],
        DType::Half => proto.half_val = vec![element.to_scalar::<f16>().ok()?.to_bits().into()],
        DType::BFloat16 => proto.half_val = vec![element.to_scalar::<bf16>().ok()?.to_bits().into()],
        DType::Complex64 => {
            let value = element.to_scalar::<Complex64>().ok()?;
            proto.scomplex_val = vec![value.re, value.im];
        }
        DType::Complex128 => {
            let value = element.to_scalar::<Complex128>().ok()?;
            proto.dcomplex_val = vec![value.re, value.im];
        }
        _ => return None,
    }
    Some(proto)
}

fn variant_to_proto(variant: &Variant) -> Result<wire::VariantTensorDataProto> {
    let (type_name, extent) = (variant.value().type_name(), variant.extent());
    ensure!(
        extent.depth <= MAX_DEPTH,
        ResourceExhausted,
        "a variant of type {type_name} holds variants {} deep; at most {MAX_DEPTH} can leave a process",
        extent.depth
    );
    ensure!(
        extent.bytes <= MAX_EXPANDED_BYTES,
        ResourceExhausted,
        "a variant of type {type_name} written out takes {} bytes; at most {MAX_EXPANDED_BYTES} can leave a process",
        extent.bytes
    );
    let Some(data) = variant.value().to_data() else {
        bail!(Unimplemented, "a variant of type {type_name} cannot leave its process")
    };
    Ok(wire::VariantTensorDataProto {
        type_name: data.type_name,
        metadata: data.metadata.into(),
        tensors: data.tensors.iter().map(to_proto).collect::<Result<_>>()?,
    })
}

/// All lengths as varints, then all bytes.
fn list_content(items: impl Iterator<Item = Bytes> + Clone) -> Bytes {
    let total: usize = items.clone().map(|item| item.len() + 5).sum();
    let mut content = BytesMut::with_capacity(total);
    for item in items.clone() {
        prost::encoding::encode_varint(item.len() as u64, &mut content);
    }
    for item in items {
        content.put_slice(&item);
    }
    content.freeze()
}

/// A message that repeats its last value may not grow beyond what a message that spells out all of them could hold.
const MAX_EXPANDED_BYTES: u64 = i32::MAX as u64;

/// The tensor of a message.
///
/// # Errors
/// `InvalidArgument` for an unknown type, an incomplete shape, or content of the wrong size;
/// `ResourceExhausted` for a size that cannot be.
pub fn from_proto(proto: &wire::TensorProto) -> Result<Tensor> {
    nested_from_proto(proto, 0)
}

/// How deep variants may be in variants on their way between processes.
const MAX_DEPTH: usize = 16;

fn nested_from_proto(proto: &wire::TensorProto, depth: usize) -> Result<Tensor> {
    let dtype = dtype_from_proto(proto.dtype)?;
    let shape = match &proto.tensor_shape {
        None => Shape::scalar(),
        Some(shape) => partial_shape_from_proto(shape)?
            .to_shape()
            .ok_or_else(|| err!(InvalidArgument, "the shape of a tensor's value must be fully known"))?,
    };
    if !proto.tensor_content.is_empty() {
        return from_content(dtype, shape, &proto.tensor_content, depth);
    }
    let bytes = (shape.num_elements() as u64).saturating_mul(dtype.size().max(1) as u64);
    ensure!(
        bytes <= MAX_EXPANDED_BYTES,
        ResourceExhausted,
        "a {dtype} tensor of shape {shape} is larger than any message can hold"
    );
    match dtype {
        DType::Float => repeat(shape, &proto.float_val, |v| *v),
        DType::Double => repeat(shape, &proto.double_val, |v| *v),
        DType::Int32 => repeat(shape, &proto.int_val, |v| *v),
        DType::Int16 => repeat(shape, &proto.int_val, |v| *v as i16),
        DType::Int8 => repeat(shape, &proto.int_val, |v| *v as i8),
        DType::UInt16 => repeat(shape, &proto.int_val, |v| *v as u16),
        DType::UInt8 => repeat(shape, &proto.int_val, |v| *v as u8),
        DType::Int64 => repeat(shape, &proto.int64_val, |v| *v),
        DType::UInt32 => repeat(shape, &proto.uint32_val, |v| *v),
        DType::UInt64 => repeat(shape, &proto.uint64_val, |v| *v),
        DType::Bool => repeat(shape, &proto.bool_val, |v| *v),
        DType::Half => repeat(shape, &proto.half_val, |v| f16::from_bits(*v as u16)),
        DType::BFloat16 => repeat(shape, &proto.half_val, |v| bf16::from_bits(*v as u16)),
        DType::Complex64 => repeat(shape, &pairs(&proto.scomplex_val), |v| Complex64::new(v.0, v.1)),
        DType::Complex128 => repeat(shape, &pairs(&proto.dcomplex_val), |v| Complex128::new(v.0, v.1)),
        DType::String => {
            let zeros = Tensor::zeros(dtype, &shape)?;
            let Some(last) = proto.string_val.last() else { return Ok(zeros) };
            let count = shape.num_elements();
            let mut strings: Vec<Bytes> = proto.string_val.iter().take(count).cloned().collect();
            strings.resize(count, last.clone());
            Tensor::from_strings(shape, strings)
        }
        DType::Resource => {
            Tensor::zeros(dtype, &shape)?;
            let count = shape.num_elements();
            let mut handles = Vec::new();
            for handle in proto.resource_handle_val.iter().take(count) {
                handles.push(handle_from_proto(handle)?);
            }
            handles.resize(count, ResourceHandle::default());
            Tensor::from_handles(shape, handles)
        }
        DType::Variant => {
            let variants = proto.variant_val.iter().take(shape.num_elements());
            let variants = variants.map(|data| variant_from_proto(data, depth)).collect::<Result<Vec<_>>>()?;
            Tensor::from_variants(shape, variants)
        }
        // Floats of eight bits, a byte each.
        other if !proto.float8_val.is_empty() && other.size() == 1 && other.is_plain() => {
            let bytes = repeat(shape.clone(), &proto.float8_val, |v| *v)?;
            Tensor::from_bytes(other, shape, Bytes::copy_from_slice(bytes.as_slice::<u8>()?))
        }
        other if other.is_plain() => Tensor::repeating(&Tensor::zeros(other, &Shape::scalar())?, shape),
        other => bail!(Unimplemented, "tensors of type {other} are not supported"),
    }
}

fn from_content(dtype: DType, shape: Shape, content: &Bytes, depth: usize) -> Result<Tensor> {
    match dtype {
        DType::String => {
            let strings = split_list(&shape, content)?;
            Tensor::from_strings(shape, strings)
        }
        DType::Resource => {
            let mut handles = Vec::new();
            for item in split_list(&shape, content)? {
                let proto = wire::ResourceHandleProto::decode(item)
                    .map_err(|error| err!(InvalidArgument, "a resource handle does not decode: {error}"))?;
                handles.push(handle_from_proto(&proto)?);
            }
            Tensor::from_handles(shape, handles)
        }
        DType::Variant => {
            let mut variants = Vec::new();
            for item in split_list(&shape, content)? {
                let proto = wire::VariantTensorDataProto::decode(item)
                    .map_err(|error| err!(InvalidArgument, "a variant does not decode: {error}"))?;
                variants.push(variant_from_proto(&proto, depth)?);
            }
            Tensor::from_variants(shape, variants)
        }
        other => Tensor::from_bytes(other, shape, content.clone()),
    }
}

fn variant_from_proto(proto: &wire::VariantTensorDataProto, depth: usize) -> Result<Variant> {
    ensure!(depth < MAX_DEPTH, InvalidArgument, "variants are nested more than {MAX_DEPTH} deep");
    let tensors = proto.tensors.iter().map(|tensor| nested_from_proto(tensor, depth + 1));
    let tensors = tensors.collect::<Result<Vec<_>>>()?;
    let data = VariantData { type_name: proto.type_name.clone(), metadata: proto.metadata.to_vec(), tensors };
    Variant::new(data)
}

/// The inverse of [`list_content`]. Each element takes at least one byte, which bounds what is allocated.
fn split_list(shape: &Shape, content: &Bytes) -> Result<Vec<Bytes>> {
    let malformed = || {
        err!(
            InvalidArgument,
            "content of {} bytes does not hold the {} elements of shape {shape}",
            content.len(),
            shape.num_elements()
        )
    };
    let count = shape.num_elements();
    if count > content.len() {
        return Err(malformed());
    }
    let mut rest = content.clone();
    let mut lengths = Vec::with_capacity(count);
    for _ in 0..count {
        lengths.push(prost::encoding::decode_varint(&mut rest).map_err(|_| malformed())?);
    }
    let mut items = Vec::with_capacity(count);
    for length in lengths {
        if length > rest.remaining() as u64 {
            return Err(malformed());
        }
        items.push(rest.split_to(length as usize));
    }
    if rest.is_empty() { Ok(items) } else { Err(malformed()) }
}

/// Typed values: none means zeros, too few means that the last one repeats, too many are ignored.
fn repeat<V, T: Element>(shape: Shape, values: &[V], convert: impl Fn(&V) -> T) -> Result<Tensor> {
    let Some(last) = values.last() else {
        return Tensor::repeating(&Tensor::zeros(T::DTYPE, &Shape::scalar())?, shape);
    };
    if values.len() == 1 {
        return Tensor::repeating(&Tensor::scalar(convert(last)), shape);
    }
    Tensor::build(shape, |out: &mut [T]| {
        let given = values.len().min(out.len());
        let (head, tail) = out.split_at_mut(given);
        for (slot, value) in head.iter_mut().zip(values) {
            *slot = convert(value);
        }
        tail.fill(convert(last));
        Ok(())
    })
}

fn pairs<T: Copy>(values: &[T]) -> Vec<(T, T)> {
    values.chunks_exact(2).map(|pair| (pair[0], pair[1])).collect()
}

/// Returns the message of a handle.
pub fn handle_to_proto(handle: &ResourceHandle) -> wire::ResourceHandleProto {
    let dtype_and_shape = |(dtype, shape): &(DType, PartialShape)| wire::resource_handle_proto::DtypeAndShape {
        dtype: dtype.number(),
        shape: Some(partial_shape_to_proto(shape)),
    };
    wire::ResourceHandleProto {
        device: handle.device.clone(),
        container: handle.container.clone(),
        name: handle.name.clone(),
        hash_code: handle.hash_code,
        maybe_type_name: handle.type_name.clone(),
        dtypes_and_shapes: handle.dtypes_and_shapes.iter().map(dtype_and_shape).collect(),
    }
}

/// # Errors
/// `InvalidArgument` for an unknown type or a malformed shape inside.
pub fn handle_from_proto(proto: &wire::ResourceHandleProto) -> Result<ResourceHandle> {
    let mut dtypes_and_shapes = Vec::new();
    for entry in &proto.dtypes_and_shapes {
        let shape = entry.shape.as_ref().map_or(Ok(PartialShape::unknown()), partial_shape_from_proto)?;
        dtypes_and_shapes.push((dtype_from_proto(entry.dtype)?, shape));
    }
    Ok(ResourceHandle {
        device: proto.device.clone(),
        container: proto.container.clone(),
        name: proto.name.clone(),
        hash_code: proto.hash_code,
        type_name: proto.maybe_type_name.clone(),
        dtypes_and_shapes,
        owner: None,
    })
}

/// A serialized `TensorProto`, decoded.
///
/// # Errors
/// `InvalidArgument` if the bytes are no such message, and as [`from_proto`].
pub fn decode(bytes: Bytes) -> Result<Tensor> {
    let proto = wire::TensorProto::decode(bytes)
        .map_err(|error| -> Status { err!(InvalidArgument, "a TensorProto does not decode: {error}") })?;
    from_proto(&proto)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;
    use proptest::prelude::*;

    fn proto(dtype: DType, dims: &[i64]) -> wire::TensorProto {
        wire::TensorProto { dtype: dtype.number(), tensor_shape: Some(shape_proto(dims)), ..Default::default() }
    }

    #[test]
    fn one_value_stays_one_on_its_way() {
        let shape = Shape::new(&[1000, 1000]).unwrap();
        let all = [
            Tensor::from(1.5f32),
            Tensor::from(-2.5f64),
            Tensor::from(-3i8),
            Tensor::from(7u16),
            Tensor::from(-1i64),
            Tensor::from(u64::MAX),
            Tensor::from(true),
            Tensor::scalar(f16::from_f32(0.1)),
            Tensor::scalar(bf16::from_f32(0.1)),
        ];
        for value in all {
            let tensor = Tensor::repeating(&value, shape.clone()).unwrap();
            let message = to_proto(&tensor).unwrap();
            assert!(message.encoded_len() < 100, "{} takes {} bytes", value.dtype(), message.encoded_len());
            let read = from_proto(&message).unwrap();
            assert_eq!((read.element(), read.shape()), (Some(value.clone()), &shape));
            assert_eq!(read.window(999_999, Shape::scalar()).unwrap(), value);
        }
        // Whoever writes to it has elements of its own.
        let mut tensor = Tensor::repeating(&Tensor::from(1f32), shape).unwrap();
        let other = tensor.clone();
        tensor.make_mut::<f32>().unwrap()[5] = 2.0;
        assert_eq!((tensor.element(), tensor.as_slice::<f32>().unwrap()[4..6].to_vec()), (None, vec![1.0, 2.0]));
        assert_eq!(other.as_slice::<f32>().unwrap()[5], 1.0);
        assert!(other.element().is_some() && to_proto(&other).unwrap().tensor_content.is_empty());
    }

    #[test]
    fn typed_values_repeat_and_default() {
        assert_eq!(from_proto(&proto(DType::Float, &[2])).unwrap(), Tensor::from([0f32, 0.0]));
        let short = wire::TensorProto { int_val: vec![1, 2], ..proto(DType::Int32, &[4]) };
        assert_eq!(from_proto(&short).unwrap(), Tensor::from([1i32, 2, 2, 2]));
        let long = wire::TensorProto { int_val: vec![1, 2], ..proto(DType::Int32, &[1]) };
        assert_eq!(from_proto(&long).unwrap(), Tensor::from([1i32]));
        let strings = wire::TensorProto { string_val: vec!["a".into()], ..proto(DType::String, &[2]) };
        assert_eq!(from_proto(&strings).unwrap(), Tensor::string_vector(["a", "a"]));
        let half = wire::TensorProto { half_val: vec![0x3c00], ..proto(DType::Half, &[1]) };
        assert_eq!(from_proto(&half).unwrap(), Tensor::from([f16::from_f32(1.0)]));
        let quarter = wire::TensorProto { float8_val: vec![1u8, 2].into(), ..proto(DType::Float8E4M3Fn, &[3]) };
        assert_eq!(from_proto(&quarter).unwrap().buffer().unwrap().as_bytes(), [1, 2, 2]);
    }

    #[test]
    fn every_type_returns_from_its_message() {
        let tensors = [
            Tensor::from([1.5f32, -2.0]),
            Tensor::from([true, false]),
            Tensor::from([Complex64::new(1.0, 2.0)]),
            Tensor::from([u64::MAX]),
            Tensor::from([[1i8, 2], [3, 4]]),
            Tensor::string_vector(["", "abc"]),
            Tensor::from("scalar"),
            Tensor::from_handle(ResourceHandle { name: "v".into(), container: "ps".into(), ..Default::default() }),
            Tensor::zeros(DType::Double, &Shape::new(&[0, 3]).unwrap()).unwrap(),
        ];
        for tensor in tensors {
            assert_eq!(from_proto(&to_proto(&tensor).unwrap()).unwrap(), tensor);
        }
    }

    #[test]
    fn variants_travel_as_data() {
        // An optional that holds the numbers 1 and 2, as TensorFlow 2.21 serializes it.
        let inner = wire::TensorProto { int_val: vec![1, 2], ..proto(DType::Int32, &[2]) };
        let data = wire::VariantTensorDataProto {
            type_name: "tensorflow::data::Optional".into(),
            metadata: Bytes::from_static(&[1]),
            tensors: vec![inner],
        };
        let mut content = vec![data.encoded_len() as u8];
        content.extend(data.encode_to_vec());
        for message in [
            wire::TensorProto { variant_val: vec![data], ..proto(DType::Variant, &[]) },
            wire::TensorProto { tensor_content: content.into(), ..proto(DType::Variant, &[]) },
        ] {
            let again = from_proto(&to_proto(&from_proto(&message).unwrap()).unwrap()).unwrap();
            let variant = again.variants().unwrap()[0].clone();
            let data = variant.get("tensorflow::data::Optional", |data| Some(data.clone())).unwrap();
            assert_eq!((data.metadata, data.tensors), (vec![1], vec![Tensor::from([1i32, 2])]));
        }
    }

    /// What the writer may write is what the reader reads.
    #[test]
    fn variants_leave_their_process_up_to_a_depth_and_a_size() {
        let around = |tensors: Vec<Tensor>| {
            let data = VariantData { type_name: "Box".to_owned(), metadata: Vec::new(), tensors };
            Tensor::from_variants(Shape::scalar(), vec![Variant::new(data).unwrap()]).unwrap()
        };
        let mut value = Tensor::from(1f32);
        for _ in 0..MAX_DEPTH {
            value = around(vec![value]);
        }
        from_proto(&to_proto(&value).unwrap()).unwrap();
        let refused = to_proto(&around(vec![value])).unwrap_err();
        assert_eq!(refused.code(), Code::ResourceExhausted);
        assert!(refused.message().contains("variants 17 deep; at most 16"), "{refused}");
        let shared = around(vec![Tensor::zeros(DType::UInt8, &Shape::new(&[1 << 20]).unwrap()).unwrap()]);
        let refused = to_proto(&around(vec![shared; 4096])).unwrap_err();
        assert!(refused.message().contains("bytes; at most"), "{refused}");
    }

    #[test]
    fn variants_are_not_nested_without_end() {
        let mut message = proto(DType::Variant, &[0]);
        for _ in 0..1000 {
            let data = wire::VariantTensorDataProto { tensors: vec![message], ..Default::default() };
            let mut content = Vec::new();
            prost::encoding::encode_varint(data.encoded_len() as u64, &mut content);
            content.extend(data.encode_to_vec());
            message = wire::TensorProto { tensor_content: content.into(), ..proto(DType::Variant, &[]) };
        }
        assert_eq!(from_proto(&message).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn hostile_messages_are_refused() {
        let wrong_size = wire::TensorProto { tensor_content: Bytes::from_static(b"abc"), ..proto(DType::Float, &[1]) };
        assert_eq!(from_proto(&wrong_size).unwrap_err().code(), Code::InvalidArgument);
        assert_eq!(from_proto(&proto(DType::Float, &[1 << 40, 1 << 20])).unwrap_err().code(), Code::ResourceExhausted);
        assert_eq!(from_proto(&proto(DType::Float, &[-1])).unwrap_err().code(), Code::InvalidArgument);
        let long_string =
            wire::TensorProto { tensor_content: Bytes::from_static(&[200, 1, b'a']), ..proto(DType::String, &[1]) };
        assert_eq!(from_proto(&long_string).unwrap_err().code(), Code::InvalidArgument);
        let many = wire::TensorProto { tensor_content: Bytes::from_static(&[0]), ..proto(DType::String, &[1 << 40]) };
        assert!(from_proto(&many).is_err());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]
        #[test]
        fn mutated_messages_never_panic(seed in 0usize..5, cut in 0usize..200, at in 0usize..200, byte: u8) {
            let tensor = match seed {
                0 => Tensor::from([1.5f32, -2.0, 3.0]),
                1 => Tensor::string_vector(["hello", "", "distributed"]),
                2 => Tensor::from([true, false, true]),
                3 => Tensor::from([[1i64, 2], [3, 4]]),
                _ => Tensor::from_handle(ResourceHandle { name: "v".into(), dtypes_and_shapes: vec![(DType::Float, PartialShape::from([2, 3]))], ..Default::default() }),
            };
            let mut bytes = to_proto(&tensor).unwrap().encode_to_vec();
            let at = at % bytes.len();
            bytes[at] = byte;
            bytes.truncate(bytes.len() - cut % (bytes.len() / 2 + 1));
            let _ = decode(bytes.into());
        }
    }
}
