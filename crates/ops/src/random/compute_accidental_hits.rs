//! `ComputeAccidentalHits`: the sampled classes that are true classes too.

use std::collections::HashMap;

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op(
        "ComputeAccidentalHits",
        "true_classes: int64, sampled_candidates: int64 -> indices: int32, ids: int64, weights: float",
    )
    .attr("num_true: int")
    .attr("seed: int = 0")
    .attr("seed2: int = 0")
    .shape(hits_shape)
    .any_kernel(hits_kernel)
    .not_differentiable();
}

fn hits_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 2)?;
    for index in 0..3 {
        cx.set(index, PartialShape::vector(None));
    }
    Ok(())
}

fn hits_kernel(node: &Node) -> Result<Kernel> {
    let num_true = node.attr_int("num_true")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (classes, sampled) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            classes.shape().rank() == 2 && classes.dims()[1] == num_true,
            InvalidArgument,
            "true_candidates must be a batch_size * num_true matrix"
        );
        ensure!(
            sampled.shape().rank() == 1,
            InvalidArgument,
            "sampled_candidates must be a vector, which is typically an output from CandidateSampler"
        );
        let places: HashMap<i64, i64> =
            sampled.as_slice::<i64>()?.iter().enumerate().map(|(place, class)| (*class, place as i64)).collect();
        let (mut rows, mut ids) = (Vec::new(), Vec::new());
        for (number, class) in classes.as_slice::<i64>()?.iter().enumerate() {
            if let Some(place) = places.get(class) {
                rows.push((number / num_true.max(1) as usize) as i32);
                ids.push(*place);
            }
        }
        let weights = vec![-f32::MAX; ids.len()];
        cx.set_output(0, Tensor::vector(&rows));
        cx.set_output(1, Tensor::vector(&ids));
        cx.set_output(2, Tensor::vector(&weights));
        Ok(())
    }))
}
