//! Sparse tensors as three strings or variants, their indices, values and shape: `SerializeSparse`, `SerializeManySparse`
//! (one for each row), `DeserializeSparse` and `DeserializeManySparse`. Datasets carry sparse tensors so.

use std::any::Any;

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use prost::Message;
use tensor::{
    DType, Extent, PartialShape, Result, Shape, Tensor, Variant, VariantData, VariantValue, bail, ensure, err,
};

use super::Coordinates;
use crate::moving::{Join, Pick, moved};

pub(crate) fn register(r: &mut Registry) {
    for name in ["SerializeSparse", "SerializeManySparse"] {
        r.op(name, "sparse_indices: int64, sparse_values: T, sparse_shape: int64 -> serialized_sparse: out_type")
            .attr("T: type")
            .attr("out_type: {string, variant} = string")
            .shape(serialize_shape)
            .any_kernel(serialize_kernel);
    }
    let results = "sparse_indices: int64, sparse_values: dtype, sparse_shape: int64";
    r.op("DeserializeSparse", &format!("serialized_sparse: Tserialized -> {results}"))
        .attr("dtype: type")
        .attr("Tserialized: {string, variant} = string")
        .shape(deserialize_shape)
        .any_kernel(deserialize_kernel);
    r.op("DeserializeManySparse", &format!("serialized_sparse: string -> {results}"))
        .attr("dtype: type")
        .shape(deserialize_shape)
        .any_kernel(deserialize_kernel);
}

fn serialize_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let many = cx.node.op == "SerializeManySparse";
    cx.set(0, if many { PartialShape::new(&[None, Some(3)]) } else { PartialShape::from([3]) });
    Ok(())
}

fn deserialize_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::of_rank(2));
    cx.set(1, PartialShape::of_rank(1));
    cx.set(2, PartialShape::of_rank(1));
    Ok(())
}

/// A tensor as an element of another.
#[derive(Clone, Debug)]
struct Inner(Tensor);

const TYPE_NAME: &str = "tensorflow::Tensor";

impl VariantValue for Inner {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn extent(&self) -> Extent {
        Extent::of([&self.0])
    }

    fn to_data(&self) -> Option<VariantData> {
        Some(VariantData { type_name: TYPE_NAME.to_owned(), metadata: Vec::new(), tensors: vec![self.0.clone()] })
    }
}

pub(crate) fn packed(parts: Vec<Tensor>, shape: Shape, dtype: DType) -> Result<Tensor> {
    if dtype == DType::Variant {
        let variants = parts.into_iter().map(|part| Variant::new(Inner(part))).collect::<Result<_>>()?;
        return Tensor::from_variants(shape, variants);
    }
    let text = |part: &Tensor| Ok(Bytes::from(tensor::proto::to_proto(part)?.encode_to_vec()));
    Tensor::from_strings(shape, parts.iter().map(text).collect::<Result<_>>()?)
}

fn parsed(text: &Bytes) -> Result<Tensor> {
    tensor::proto::decode(text.clone())
        .map_err(|status| err!(InvalidArgument, "Could not parse serialized proto: {}", status.message()))
}

fn unpacked(packed: &Tensor) -> Result<Vec<Tensor>> {
    if packed.dtype() == DType::String {
        return packed.strings()?.iter().map(parsed).collect();
    }
    let decode = |data: &VariantData| data.tensors.first().cloned().map(Inner);
    let inner = |variant: &Variant| match variant.get(TYPE_NAME, decode) {
        Some(inner) => Ok(inner.0),
        None => bail!(InvalidArgument, "Cannot get tensor in variant"),
    };
    packed.variants()?.iter().map(inner).collect()
}

fn serialize_kernel(node: &Node) -> Result<Kernel> {
    let (many, dtype) = (node.op == "SerializeManySparse", node.attr_type("out_type")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (indices, values, shape) = (cx.input(0)?, cx.input(1)?, cx.input(2)?);
        let coordinates = Coordinates::new(indices, Some(values), shape)?;
        if !many {
            let parts = vec![indices.clone(), values.clone(), shape.clone()];
            let output = packed(parts, Shape::vector(3), dtype)?;
            cx.set_output(0, output);
            return Ok(());
        }
        let rank = coordinates.rank;
        ensure!(rank > 1, InvalidArgument, "Rank of input SparseTensor should be > 1, but saw rank: {rank}");
        let count = coordinates.shape[0];
        ensure!(count <= 1 << 26, ResourceExhausted, "{count} rows of a sparse tensor");
        let rest = Tensor::vector(&coordinates.shape[1..]);
        let mut rows: Vec<(Vec<i64>, Vec<usize>)> = vec![Default::default(); count as usize];
        for (place, row) in coordinates.rows().enumerate() {
            let group = usize::try_from(row[0]).ok().and_then(|group| rows.get_mut(group));
            let Some((own, places)) = group else {
                bail!(InvalidArgument, "Received unexpected group index {} for sparse tensor with N = {count}", row[0])
            };
            own.extend_from_slice(&row[1..]);
            places.push(place);
        }
        let mut parts = Vec::with_capacity(3 * rows.len());
        for (own, places) in rows {
            parts.push(Tensor::from_slice(&Shape::new(&[places.len() as i64, rank as i64 - 1])?, &own)?);
            parts.push(moved(Shape::vector(places.len()), &[values], &Pick(&places))?);
            parts.push(rest.clone());
        }
        let output = packed(parts, Shape::new(&[count, 3])?, dtype)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn deserialize_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("dtype")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let Some((&3, outer)) = input.dims().split_last() else {
            bail!(InvalidArgument, "Serialized sparse should have 3 as the last dimension, has shape {}", input.shape())
        };
        let outer = outer.to_vec();
        let parts = unpacked(input)?;
        ensure!(
            !parts.is_empty(),
            InvalidArgument,
            "Must have at least 1 serialized SparseTensor, but input matrix has 0 rows"
        );
        let mut shape: Vec<i64> = Vec::new();
        let (mut flat, mut all_values) = (Vec::new(), Vec::new());
        for (number, part) in parts.chunks_exact(3).enumerate() {
            let [indices, values, own_shape] = part else { continue };
            ensure!(
                indices.dtype() == DType::Int64 && own_shape.dtype() == DType::Int64,
                InvalidArgument,
                "Expected SparseTensor indices and shape of type int64, got {} and {}",
                indices.dtype(),
                own_shape.dtype()
            );
            ensure!(
                values.dtype() == dtype,
                InvalidArgument,
                "Requested SparseTensor of type {dtype} but SparseTensor[{number}].values.dtype() == {}",
                values.dtype()
            );
            let coordinates = Coordinates::new(indices, Some(values), own_shape)?;
            if number == 0 {
                shape = coordinates.shape.clone();
            }
            ensure!(
                coordinates.rank == shape.len(),
                InvalidArgument,
                "Inconsistent shape across SparseTensors: rank prior to SparseTensor[{number}] was: {} but rank of \
                 SparseTensor[{number}] is: {}",
                shape.len(),
                coordinates.rank
            );
            for (dim, own) in shape.iter_mut().zip(&coordinates.shape) {
                *dim = (*dim).max(*own);
            }
            let mut group = vec![0; outer.len()];
            let mut rest = number as i64;
            for (at, dim) in group.iter_mut().zip(&outer).rev() {
                (*at, rest) = (rest % dim, rest / dim);
            }
            let mut rows = coordinates.rows();
            for _ in 0..values.num_elements() {
                flat.extend_from_slice(&group);
                flat.extend_from_slice(rows.next().unwrap_or_default());
            }
            all_values.push(values);
        }
        let lengths: Vec<usize> = all_values.iter().map(|values| values.num_elements()).collect();
        let count: usize = lengths.iter().sum();
        let values = moved(Shape::vector(count), &all_values, &Join(&lengths))?;
        let shape = [outer, shape].concat();
        let rank = i64::try_from(shape.len()).map_err(|_| err!(InvalidArgument, "a rank that cannot be"))?;
        cx.set_output(0, Tensor::from_slice(&Shape::new(&[count as i64, rank])?, &flat)?);
        cx.set_output(1, values);
        cx.set_output(2, Tensor::vector(&shape));
        Ok(())
    }))
}
