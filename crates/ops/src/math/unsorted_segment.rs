//! `UnsortedSegmentMin`, `UnsortedSegmentMax` and `UnsortedSegmentProd`: rows gathered by the number each one carries.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node};
use tensor::{PartialShape, Result, ensure};

use super::segment::{How, NUMBERS, REALS, gathered, in_data_shape, prod_gradient, unsorted};

pub(crate) fn register(r: &mut Registry) {
    for name in ["UnsortedSegmentMin", "UnsortedSegmentMax", "UnsortedSegmentProd"] {
        let allowed = if name.ends_with("Prod") { NUMBERS } else { REALS };
        let entry = r
            .op(name, "data: T, segment_ids: Tindices, num_segments: Tnumsegments -> output: T")
            .attr(allowed)
            .attr("Tindices: {int32, int64}")
            .attr("Tnumsegments: {int32, int64} = int32")
            .shape(unsorted_shape)
            .kernel("T", if allowed == REALS { types::REALS } else { types::NUMBERS }, unsorted_kernel);
        match name {
            "UnsortedSegmentProd" => drop(entry.gradient(prod_gradient)),
            _ => drop(entry.gradient(unsorted_extreme_gradient)),
        }
    }
}

fn unsorted_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(2, 0)?;
    let (data, ids) = (cx.input(0), cx.input(1));
    let (Some(dims), Some(ids)) = (data.raw_dims(), ids.raw_dims()) else { return Ok(()) };
    ensure!(
        dims.len() >= ids.len(),
        InvalidArgument,
        "Shape must be at least rank {} but is rank {}",
        ids.len(),
        dims.len()
    );
    let count = cx.int(2).filter(|count| *count >= 0).unwrap_or(-1);
    cx.set(0, PartialShape::from_dims(&[&[count], &dims[ids.len()..]].concat()));
    Ok(())
}

fn unsorted_kernel(node: &Node) -> Result<Kernel> {
    let how = How::of(node);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let result = unsorted(how, cx.input(0)?, cx.input(1)?, cx.input(2)?)?;
        cx.set_output(0, result);
        Ok(())
    }))
}

fn unsorted_extreme_gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let ids = cx.x(1);
    let zero_ids = cx.op("ZerosLike").input(&ids).output();
    let clipped = cx.op("Maximum").input(&ids).input(&zero_ids).output();
    let counted = cx.op("GreaterEqual").input(&ids).input(&zero_ids).output();
    let chosen = gathered(cx, cx.y(0), clipped.clone());
    let equal = cx.op("Equal").input(cx.x(0)).input(chosen).output();
    let counted = in_data_shape(cx, counted);
    let taken = cx.op("LogicalAnd").input(equal).input(counted).output();
    let ones = cx.op("Cast").input(&taken).attr("DstT", cx.dtype(0)).output();
    let counts = cx.op("UnsortedSegmentSum").input(ones).input(&ids).input(cx.x(2)).output();
    let shared = cx.op("RealDiv").input(cx.dy(0)?).input(counts).output();
    let shared = gathered(cx, shared, clipped);
    let zeros = cx.op("ZerosLike").input(&shared).output();
    let dx = cx.op("SelectV2").input(taken).input(shared).input(zeros).output();
    Ok(vec![Some(dx.into()), None, None])
}
