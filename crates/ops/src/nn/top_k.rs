//! `TopKV2` and `TopK`: the largest values of each row, and where they are.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext};
use graph::{Gradient, Node, Output, ReadAttrs};
use math::number::Real;
use tensor::{DType, PartialShape, Result, Shape, Tensor, bail, bf16, ensure, f16};

pub(crate) fn register(r: &mut Registry) {
    const REALS: &str = "T: {float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64}";
    r.op("TopKV2", "input: T, k: Tk -> values: T, indices: index_type")
        .attr("sorted: bool = true")
        .attr(REALS)
        .attr("Tk: {int16, int32, int64} = int32")
        .attr("index_type: {int16, int32, int64} = int32")
        .shape(shape)
        .kernel("T", graph::op::types::REALS, kernel)
        .gradient(gradient);
    r.op("TopK", "input: T -> values: T, indices: int32")
        .attr("k: int >= 0")
        .attr("sorted: bool = true")
        .attr(REALS)
        .shape(shape)
        .kernel("T", graph::op::types::REALS, kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let input = cx.with_rank_at_least(0, 1)?;
    let k = if cx.num_inputs() > 1 { cx.int(1) } else { Some(cx.attr_int("k")?) };
    if let Some(k) = k {
        ensure!(k >= 0, InvalidArgument, "Dimension size, given by scalar input 1, must be non-negative but is {k}");
    }
    let Some(dims) = input.raw_dims() else { return Ok(()) };
    let mut dims = dims.to_vec();
    if let Some(last) = dims.last_mut() {
        if let (Some(k), true) = (k, *last >= 0) {
            ensure!(*last >= k, InvalidArgument, "input must have last dimension >= k = {k} but is {last}");
        }
        *last = k.unwrap_or(-1);
    }
    cx.set(0, PartialShape::from_dims(&dims));
    cx.set(1, PartialShape::from_dims(&dims));
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let fixed = if node.op == "TopK" { Some(node.attr_int("k")?) } else { None };
    let index_type = node.output_types.get(1).map_or(DType::Int32, |output| output.dtype);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let k = match fixed {
            Some(k) => k,
            None => {
                let k = cx.input(1)?;
                ensure!(k.shape().is_scalar(), InvalidArgument, "k must be scalar, got shape {}", k.shape());
                match k.to_i64_vec()?[..] {
                    [k] => k,
                    _ => bail!(Internal, "a scalar without a value"),
                }
            }
        };
        ensure!(k >= 0, InvalidArgument, "Need k >= 0, got {k}");
        let input = cx.input(0)?;
        let Some(columns) = input.dims().last().copied() else {
            bail!(InvalidArgument, "input must be >= 1-D, got shape {}", input.shape())
        };
        ensure!(columns >= k, InvalidArgument, "input must have at least k columns. Had {columns}, needed {k}");
        let (values, indices) = top_k(input, k as usize, index_type)?;
        cx.set_output(0, values);
        cx.set_output(1, indices);
        Ok(())
    }))
}

fn top_k(input: &Tensor, k: usize, index_type: DType) -> Result<(Tensor, Tensor)> {
    let mut dims = input.dims().to_vec();
    let columns = dims.last().copied().unwrap_or(0) as usize;
    if let Some(last) = dims.last_mut() {
        *last = k as i64;
    }
    let shape = Shape::new(&dims)?;
    Tensor::check_size(DType::Int64, &shape)?;
    let mut places = Vec::with_capacity(shape.num_elements());
    let values = dispatch!(input.dtype(), T in [f32, f64, f16, bf16, i8, i16, i32, i64, u8, u16, u32, u64] => {
        let all = input.as_slice::<T>()?;
        if columns > 0 {
            for row in all.chunks_exact(columns) {
                best::<T>(row, k, &mut places);
            }
        }
        Tensor::build(shape.clone(), |out: &mut [T]| {
            for (at, (out, place)) in out.iter_mut().zip(&places).enumerate() {
                *out = all[at / k * columns + *place as usize];
            }
            Ok(())
        })
    })?;
    let indices = match index_type {
        DType::Int16 => Tensor::from_slice(&shape, &places.iter().map(|place| *place as i16).collect::<Vec<_>>())?,
        DType::Int64 => Tensor::from_slice(&shape, &places.iter().map(|place| *place as i64).collect::<Vec<_>>())?,
        _ => Tensor::from_slice(&shape, &places.iter().map(|place| *place as i32).collect::<Vec<_>>())?,
    };
    Ok((values, indices))
}

/// The places of the `k` largest, largest first; of equal ones the first comes first.
pub(super) fn best<T: Real>(row: &[T], k: usize, places: &mut Vec<u32>) {
    if k == 0 {
        return;
    }
    let order = |a: &u32, b: &u32| {
        let (x, y) = (row[*a as usize], row[*b as usize]);
        y.partial_cmp(&x).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan())).then(a.cmp(b))
    };
    let mut all: Vec<u32> = (0..row.len() as u32).collect();
    if k < all.len() {
        all.select_nth_unstable_by(k - 1, order);
        all.truncate(k);
    }
    all.sort_unstable_by(order);
    places.extend(all);
}

/// Each gradient goes back to where its value came from.
fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let graph = cx.graph;
    let (dy, indices) = (cx.dy(0)?, cx.y(1));
    let cast = |x: &Output| cx.op("Cast").input(x).attr("DstT", DType::Int64).output();
    let constant = |values: &[i64]| graph.constant(Tensor::vector(values));
    let shape = cx.op("Shape").input(cx.x(0)).attr("out_type", DType::Int64).output();
    let last_of = |shape: &Output| {
        let (begin, end) = (graph.constant([-1i32]), graph.constant([0i32]));
        let step = graph.constant([1i32]);
        let slice = cx.op("StridedSlice").input(shape).input(begin).input(end).input(step);
        slice.attr("end_mask", 1i64).output()
    };
    let columns = last_of(&shape);
    let found = cx.op("Shape").input(&indices).attr("out_type", DType::Int64).output();
    let axis = graph.constant(0i32);
    let rows_by_k = [constant(&[-1]), last_of(&found)];
    let rows_by_k = cx.op("ConcatV2").name("concat").input_list(&rows_by_k).input(&axis).output();
    let flat = cx.op("Reshape").input(cast(&indices)).input(rows_by_k).output();
    let zero = graph.constant(Tensor::scalar(0i64));
    let rows_shape = cx.op("Shape").input(&flat).attr("out_type", DType::Int64).output();
    let rows = cx.op("GatherV2").input(rows_shape).input(&zero).input(&axis).output();
    let width = cx.op("Reshape").input(&columns).input(graph.constant(Tensor::vector::<i32>(&[]))).output();
    let one = graph.constant(Tensor::scalar(1i64));
    let numbers = cx.op("Range").input(&zero).input(rows).input(one).output();
    let starts = cx.op("Mul").input(numbers).input(width).output();
    let starts = cx.op("ExpandDims").input(starts).input(graph.constant(-1i32)).output();
    let places = cx.op("AddV2").input(flat).input(starts).output();
    let places = cx.op("Reshape").input(places).input(constant(&[-1, 1])).output();
    let updates = cx.op("Reshape").input(dy).input(constant(&[-1])).output();
    let size = cx.op("Prod").input(&shape).input(graph.constant([0i32])).attr("keep_dims", true).output();
    let scattered = cx.op("ScatterNd").input(places).input(updates).input(size).output();
    let dx = cx.op("Reshape").input(scattered).input(shape).output();
    let mut grads = vec![Some(dx.into())];
    grads.resize_with(cx.num_inputs(), || None);
    Ok(grads)
}

/// The largest values (`TopKV2`).
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let (values, places) = g.constant([3f32, 9.0, 5.0]).top_k(2);
/// let (values, places): (Vec<f32>, Vec<i32>) = LocalSession::new(&g)?.eval((&values, &places))?;
/// assert_eq!((values, places), (vec![9.0, 5.0], vec![1, 2]));
/// # Ok::<(), Status>(())
/// ```
pub trait TopKOps {
    /// Returns the `k` largest values of each row, largest first, and their places in it.
    fn top_k(&self, k: i32) -> (Output, Output);
}

impl TopKOps for Output {
    #[track_caller]
    fn top_k(&self, k: i32) -> (Output, Output) {
        let node = self.graph().op("TopKV2").input(self).input(self.graph().constant(k)).build();
        (node.output(0), node.output(1))
    }
}
