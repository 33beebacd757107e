//! `DecodeProtoV2` and `EncodeProto`: fields of any protocol buffer, by their names, to tensors and back.
//!
//! Messages are described by a file, by bytes in the attribute (`bytes://`), or are among those of this program (`local://`).

use bytes::{Buf, BufMut, Bytes};
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use prost::Message;
use prost::encoding::{WireType, decode_key, decode_varint, encode_key, encode_varint};
use prost_reflect::{DescriptorPool, DynamicMessage, FieldDescriptor, Kind, MessageDescriptor};
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, ensure, err};

use super::{path_from, read_file};

pub(crate) fn register(r: &mut Registry) {
    r.op("DecodeProtoV2", "bytes: string -> sizes: int32, values: output_types")
        .attr("message_type: string")
        .attr("field_names: list(string)")
        .attr("output_types: list(type) >= 0")
        .attr("descriptor_source: string = 'local://'")
        .attr("message_format: string = 'binary'")
        .attr("sanitize: bool = false")
        .shape(decode_shape)
        .any_kernel(decode_kernel)
        .not_differentiable();
    r.op("EncodeProto", "sizes: int32, values: Tinput_types -> bytes: string")
        .attr("field_names: list(string)")
        .attr("message_type: string")
        .attr("descriptor_source: string = 'local://'")
        .attr("Tinput_types: list(type) >= 1")
        .shape(encode_shape)
        .any_kernel(encode_kernel)
        .not_differentiable();
}

fn decode_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (batch, count) = (cx.input(0), cx.attr_types("output_types")?.len());
    cx.set(0, batch.concatenate(&PartialShape::from([count as i64])));
    for index in 0..count {
        cx.set(index + 1, batch.concatenate(&PartialShape::vector(None)));
    }
    Ok(())
}

fn encode_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let sizes = cx.with_rank_at_least(0, 1)?;
    if let Some(dims) = sizes.dims() {
        cx.set(0, PartialShape::new(&dims[..dims.len().saturating_sub(1)]));
    }
    Ok(())
}

/// The fields that a node names, found when the kernel first runs: files are judged by the step.
struct Fields {
    source: Bytes,
    message: String,
    names: Vec<String>,
    types: Vec<DType>,
    found: Mutex<Option<(MessageDescriptor, Vec<FieldDescriptor>)>>,
}

impl Fields {
    fn of(node: &Node, types: &str) -> Result<Fields> {
        let names = node.attr_strings("field_names")?.iter().map(|name| String::from_utf8_lossy(name).into_owned());
        let fields = Fields {
            source: node.attr_bytes("descriptor_source")?.clone(),
            message: node.attr_str("message_type")?.to_owned(),
            names: names.collect(),
            types: node.attr_types(types)?.to_vec(),
            found: Mutex::new(None),
        };
        ensure!(
            fields.names.len() == fields.types.len(),
            InvalidArgument,
            "field_names and {types} attributes must have the same length: {} and {}",
            fields.names.len(),
            fields.types.len()
        );
        Ok(fields)
    }

    fn find(&self, cx: &OpContext<'_>) -> Result<(MessageDescriptor, Vec<FieldDescriptor>)> {
        let mut found = self.found.lock();
        if let Some(found) = &*found {
            return Ok(found.clone());
        }
        let bytes = match &self.source[..] {
            b"local://" | b"" => Bytes::from_static(wire::DESCRIPTORS),
            source => match source.strip_prefix(b"bytes://") {
                Some(bytes) => self.source.slice_ref(bytes),
                None => read_file(&path_from(&*cx.step.files, source)?)?.into(),
            },
        };
        let pool = DescriptorPool::decode(bytes)
            .map_err(|error| err!(InvalidArgument, "the descriptions of messages cannot be read: {error}"))?;
        let message = pool
            .get_message_by_name(&self.message)
            .ok_or_else(|| err!(InvalidArgument, "No descriptor found for message type {}", self.message))?;
        let field = |(name, dtype): (&String, &DType)| {
            let field = message
                .get_field_by_name(name)
                .ok_or_else(|| err!(InvalidArgument, "Unknown field: {name} in message type {}", self.message))?;
            ensure!(
                fits(&field.kind(), *dtype),
                InvalidArgument,
                "Unexpected output type for {}: {:?} to {dtype}",
                field.full_name(),
                field.kind()
            );
            Ok(field)
        };
        let fields = self.names.iter().zip(&self.types).map(field).collect::<Result<Vec<_>>>()?;
        Ok(found.insert((message, fields)).clone())
    }
}

/// Whether a field can be a tensor of a type.
fn fits(kind: &Kind, dtype: DType) -> bool {
    use DType as D;
    match kind {
        Kind::Double => dtype == D::Double,
        Kind::Float => matches!(dtype, D::Float | D::Double),
        Kind::Int64 | Kind::Sint64 | Kind::Sfixed64 => dtype == D::Int64,
        Kind::Uint64 | Kind::Fixed64 => matches!(dtype, D::Int64 | D::UInt64),
        Kind::Int32 | Kind::Sint32 | Kind::Sfixed32 => matches!(dtype, D::Int32 | D::Int64),
        Kind::Uint32 | Kind::Fixed32 => matches!(dtype, D::Int32 | D::Int64 | D::UInt32 | D::UInt64),
        Kind::Bool => dtype == D::Bool,
        Kind::Enum(_) => dtype == D::Int32,
        Kind::String | Kind::Bytes | Kind::Message(_) => dtype == D::String,
    }
}

/// A value as it is on the wire: the bits of a number, or bytes.
#[derive(Clone)]
enum Cell {
    Bits(u64),
    Bytes(Bytes),
}

fn decode_kernel(node: &Node) -> Result<Kernel> {
    let fields = Fields::of(node, "output_types")?;
    let text = match node.attr_str("message_format")? {
        "binary" => false,
        "text" => true,
        other => bail!(InvalidArgument, "format must be one of binary or text, not {other}"),
    };
    let sanitize = node.attr_bool("sanitize")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (message, found) = fields.find(cx)?;
        let input = cx.input(0)?;
        let mut rows: Vec<Vec<Vec<Cell>>> = Vec::with_capacity(input.num_elements());
        for bytes in input.strings()? {
            let bytes = match text {
                true => {
                    let text = std::str::from_utf8(bytes).unwrap_or("");
                    ensure!(
                        depth(bytes) <= MAX_DEPTH,
                        DataLoss,
                        "Unable to parse text protobuf: it is nested too deep"
                    );
                    let parsed = DynamicMessage::parse_text_format(message.clone(), text);
                    parsed.map_err(|_| err!(DataLoss, "Unable to parse text protobuf"))?.encode_to_vec().into()
                }
                false if sanitize => {
                    let parsed = DynamicMessage::decode(message.clone(), bytes.clone());
                    parsed.map_err(|_| err!(DataLoss, "Unable to parse binary protobuf"))?.encode_to_vec().into()
                }
                false => bytes.clone(),
            };
            let cells = cells_of(bytes, &found).ok_or_else(|| err!(DataLoss, "Unable to parse binary protobuf"))?;
            rows.push(cells);
        }
        let batch = input.dims().to_vec();
        let sizes: Vec<i32> = rows.iter().flatten().map(|cells| cells.len() as i32).collect();
        let shape = Shape::new(&[&batch[..], &[found.len() as i64]].concat())?;
        cx.set_output(0, Tensor::from_slice(&shape, &sizes)?);
        for (place, (field, dtype)) in found.iter().zip(&fields.types).enumerate() {
            let longest = rows.iter().map(|row| row[place].len()).max().unwrap_or(0);
            let shape = Shape::new(&[&batch[..], &[longest as i64]].concat())?;
            let column = rows.iter().map(|row| &row[place][..]);
            cx.set_output(place + 1, tensor_of(column, longest, &shape, &field.kind(), *dtype)?);
        }
        Ok(())
    }))
}

/// How deep messages may lie in each other as text; as bytes the decoder has the same limit.
const MAX_DEPTH: usize = 100;

/// How deep braces lie in each other, at most.
fn depth(text: &[u8]) -> usize {
    let (mut depth, mut deepest) = (0usize, 0);
    for byte in text {
        match byte {
            b'{' | b'<' | b'[' => depth += 1,
            b'}' | b'>' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

/// The values of each field in a message; of a field that is not repeated, the last.
fn cells_of(mut bytes: Bytes, fields: &[FieldDescriptor]) -> Option<Vec<Vec<Cell>>> {
    let mut all: Vec<Vec<Cell>> = vec![Vec::new(); fields.len()];
    while bytes.has_remaining() {
        let (number, wire) = decode_key(&mut bytes).ok()?;
        let cell = cell_of(&mut bytes, wire)?;
        for (field, cells) in fields.iter().zip(&mut all).filter(|(field, _)| field.number() == number) {
            let packed = wire == WireType::LengthDelimited && field.is_list() && wire_of(&field.kind()) != wire;
            match (&cell, packed) {
                (Cell::Bytes(inside), true) => {
                    let mut inside = inside.clone();
                    while inside.has_remaining() {
                        cells.push(cell_of(&mut inside, wire_of(&field.kind()))?);
                    }
                }
                _ if wire != wire_of(&field.kind()) => {}
                _ => {
                    if !field.is_list() {
                        cells.clear();
                    }
                    cells.push(cell.clone());
                }
            }
        }
    }
    Some(all)
}

fn cell_of(bytes: &mut Bytes, wire: WireType) -> Option<Cell> {
    Some(match wire {
        WireType::Varint => Cell::Bits(decode_varint(bytes).ok()?),
        WireType::ThirtyTwoBit => Cell::Bits(u64::from(bytes.try_get_u32_le().ok()?)),
        WireType::SixtyFourBit => Cell::Bits(bytes.try_get_u64_le().ok()?),
        WireType::LengthDelimited => {
            let length = usize::try_from(decode_varint(bytes).ok()?).ok()?;
            Cell::Bytes((length <= bytes.remaining()).then(|| bytes.split_to(length))?)
        }
        WireType::StartGroup | WireType::EndGroup => return None,
    })
}

fn wire_of(kind: &Kind) -> WireType {
    match kind {
        Kind::Double | Kind::Fixed64 | Kind::Sfixed64 => WireType::SixtyFourBit,
        Kind::Float | Kind::Fixed32 | Kind::Sfixed32 => WireType::ThirtyTwoBit,
        Kind::String | Kind::Bytes | Kind::Message(_) => WireType::LengthDelimited,
        _ => WireType::Varint,
    }
}

/// A column of values, each row filled up to the longest.
fn tensor_of<'a>(
    rows: impl Iterator<Item = &'a [Cell]>,
    longest: usize,
    shape: &Shape,
    kind: &Kind,
    dtype: DType,
) -> Result<Tensor> {
    Tensor::check_size(dtype, shape)?;
    let padded = rows.flat_map(|cells| (0..longest).map(move |place| cells.get(place)));
    if dtype == DType::String {
        let text = |cell: Option<&Cell>| match cell {
            Some(Cell::Bytes(bytes)) => bytes.clone(),
            _ => Bytes::new(),
        };
        return Tensor::from_strings(shape.clone(), padded.map(text).collect());
    }
    let bits = padded.map(|cell| match cell {
        Some(Cell::Bits(bits)) => *bits,
        _ => 0,
    });
    let whole = |bits: u64| match kind {
        Kind::Sint32 | Kind::Sint64 => (bits >> 1) as i64 ^ -((bits & 1) as i64),
        Kind::Int32 | Kind::Sfixed32 | Kind::Enum(_) => i64::from(bits as u32 as i32),
        Kind::Uint32 | Kind::Fixed32 => i64::from(bits as u32),
        _ => bits as i64,
    };
    let number = |bits: u64| match kind {
        Kind::Float => f64::from(f32::from_bits(bits as u32)),
        _ => f64::from_bits(bits),
    };
    match dtype {
        DType::Double => Tensor::from_slice(shape, &bits.map(number).collect::<Vec<_>>()),
        DType::Float => Tensor::from_slice(shape, &bits.map(|bits| f32::from_bits(bits as u32)).collect::<Vec<_>>()),
        DType::Int32 => Tensor::from_slice(shape, &bits.map(|bits| whole(bits) as i32).collect::<Vec<_>>()),
        DType::Int64 => Tensor::from_slice(shape, &bits.map(whole).collect::<Vec<_>>()),
        DType::UInt32 => Tensor::from_slice(shape, &bits.map(|bits| whole(bits) as u32).collect::<Vec<_>>()),
        DType::UInt64 => Tensor::from_slice(shape, &bits.map(|bits| whole(bits) as u64).collect::<Vec<_>>()),
        DType::Bool => Tensor::from_slice(shape, &bits.map(|bits| bits != 0).collect::<Vec<_>>()),
        other => bail!(InvalidArgument, "no field becomes {other}"),
    }
}

fn encode_kernel(node: &Node) -> Result<Kernel> {
    let fields = Fields::of(node, "Tinput_types")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (_, found) = fields.find(cx)?;
        let sizes = cx.input(0)?;
        let Some((&count, batch)) = sizes.dims().split_last() else {
            bail!(InvalidArgument, "sizes should be at least a vector, not a scalar")
        };
        ensure!(
            count as usize == found.len(),
            InvalidArgument,
            "The innermost dimension of sizes must be the number of fields, {}, not {count}",
            found.len()
        );
        let batch = batch.to_vec();
        let rows = Shape::new(&batch)?.num_elements();
        for place in 0..found.len() {
            let dims = cx.input(place + 1)?.dims();
            ensure!(
                dims.split_last().is_some_and(|(_, outer)| outer == batch),
                InvalidArgument,
                "Values for field {} have shape {}, which does not begin with that of sizes, {}",
                fields.names[place],
                cx.input(place + 1)?.shape(),
                sizes.shape()
            );
        }
        // Fields are written in the order of their numbers.
        let mut order: Vec<usize> = (0..found.len()).collect();
        order.sort_by_key(|place| found[*place].number());
        let sizes = sizes.as_slice::<i32>()?;
        let mut messages = Vec::with_capacity(rows);
        for row in 0..rows {
            let mut message = Vec::new();
            for place in &order {
                let (field, values) = (&found[*place], cx.input(place + 1)?);
                let longest = values.dims().last().copied().unwrap_or(0);
                let size = sizes[row * found.len() + place];
                ensure!(
                    size >= 0 && i64::from(size) <= longest,
                    InvalidArgument,
                    "Size to write {size} is not in [0, {longest}] for field {}",
                    field.name()
                );
                ensure!(
                    size <= 1 || field.is_list(),
                    InvalidArgument,
                    "Field {} is not repeated, but has {size} values",
                    field.name()
                );
                let first = row * longest as usize;
                write(field, values, first..first + size as usize, &mut message)?;
            }
            messages.push(Bytes::from(message));
        }
        let output = Tensor::from_strings(Shape::new(&batch)?, messages)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn write(field: &FieldDescriptor, values: &Tensor, range: std::ops::Range<usize>, out: &mut Vec<u8>) -> Result<()> {
    let (kind, wire) = (field.kind(), wire_of(&field.kind()));
    if wire == WireType::LengthDelimited {
        for text in &values.strings()?[range] {
            encode_key(field.number(), wire, out);
            encode_varint(text.len() as u64, out);
            out.put_slice(text);
        }
        return Ok(());
    }
    let all = bits_of(values, &kind)?;
    let bits = &all[range];
    let put = |bits: u64, out: &mut Vec<u8>| match wire {
        WireType::SixtyFourBit => out.put_u64_le(bits),
        WireType::ThirtyTwoBit => out.put_u32_le(bits as u32),
        _ => encode_varint(bits, out),
    };
    if field.is_packed() {
        if bits.is_empty() {
            return Ok(());
        }
        let mut inside = Vec::new();
        bits.iter().for_each(|bits| put(*bits, &mut inside));
        encode_key(field.number(), WireType::LengthDelimited, out);
        encode_varint(inside.len() as u64, out);
        out.put_slice(&inside);
        return Ok(());
    }
    for bits in bits {
        encode_key(field.number(), wire, out);
        put(*bits, out);
    }
    Ok(())
}

/// Numbers as they are on the wire.
fn bits_of(values: &Tensor, kind: &Kind) -> Result<Vec<u64>> {
    Ok(match values.dtype() {
        DType::Float => values.as_slice::<f32>()?.iter().map(|value| u64::from(value.to_bits())).collect(),
        DType::Double if matches!(kind, Kind::Float) => {
            values.as_slice::<f64>()?.iter().map(|value| u64::from((*value as f32).to_bits())).collect()
        }
        DType::Double => values.as_slice::<f64>()?.iter().map(|value| value.to_bits()).collect(),
        DType::Bool => values.as_slice::<bool>()?.iter().map(|value| u64::from(*value)).collect(),
        DType::UInt64 => values.as_slice::<u64>()?.to_vec(),
        DType::UInt32 => values.as_slice::<u32>()?.iter().map(|value| u64::from(*value)).collect(),
        _ => {
            let zigzag = matches!(kind, Kind::Sint32 | Kind::Sint64);
            let narrow = matches!(kind, Kind::Uint32 | Kind::Fixed32);
            let bits = |value: i64| match (zigzag, narrow) {
                (true, _) => ((value << 1) ^ (value >> 63)) as u64,
                (_, true) => u64::from(value as u32),
                _ => value as u64,
            };
            values.to_i64_vec()?.into_iter().map(bits).collect()
        }
    })
}
