//! `Stage`, `Unstage`, `StagePeek`, `StageSize` and `StageClear`: tuples that are put aside in one step and taken up in
//! another, in order.

use std::collections::VecDeque;

use graph::op::{AsyncContext, Done, Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use smallvec::SmallVec;
use tensor::{Result, Tensor, ensure, err};

use super::staging_area::{Area, Place, size_of, tensors, typed};

pub(crate) fn register(r: &mut Registry) {
    for (name, signature, some, build) in [
        ("Stage", "values: dtypes ->", true, put_kernel as fn(&Node) -> Result<Kernel>),
        ("Unstage", "-> values: dtypes", true, take_kernel),
        ("StagePeek", "index: int32 -> values: dtypes", true, take_kernel),
        ("StageSize", "-> size: int32", false, size_kernel),
        ("StageClear", "->", false, clear_kernel),
    ] {
        let shape = if name == "StageSize" { ShapeContext::scalar } else { ShapeContext::unknown };
        r.op(name, signature)
            .attr("capacity: int >= 0 = 0")
            .attr("memory_limit: int >= 0 = 0")
            .attr(if some { "dtypes: list(type) >= 1" } else { "dtypes: list(type)" })
            .attr("container: string = ''")
            .attr("shared_name: string = ''")
            .stateful()
            .shape(shape)
            .any_kernel(build)
            .not_differentiable();
    }
}

pub(super) fn area() -> Area<VecDeque<Vec<Tensor>>> {
    Area::new("StagingArea")
}

fn put_kernel(node: &Node) -> Result<Kernel> {
    let place = Place::of(node)?;
    Ok(Kernel::asynchronous(move |mut cx: AsyncContext, done: Done| {
        let limits = place.limits;
        let prepared = place.find(&cx.step, area).and_then(|area| {
            let values = tensors(&mut cx, 0)?;
            limits.check(size_of(&values))?;
            Ok((area, values))
        });
        let (area, values) = match prepared {
            Ok(prepared) => prepared,
            Err(status) => return done(Err(status)),
        };
        let mut values = Some(values);
        area.tuples.when_possible(&cx.step.cancellation, done, move |tuples| {
            let size = values.as_deref().map_or(0, size_of);
            let held: usize = tuples.iter().map(|tuple| size_of(tuple)).sum();
            if !limits.allow(tuples.len() + 1, held + size) {
                return None;
            }
            tuples.extend(values.take());
            Some(Ok(SmallVec::new()))
        });
    }))
}

fn take_kernel(node: &Node) -> Result<Kernel> {
    let (place, types) = (Place::of(node)?, node.attr_types("dtypes")?.to_vec());
    let peek = node.op == "StagePeek";
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let prepared = place.find(&cx.step, area).and_then(|area| {
            let index = if peek { scalar_index(cx.input(0)?)? } else { 0 };
            Ok((area, index))
        });
        let (area, index) = match prepared {
            Ok(prepared) => prepared,
            Err(status) => return done(Err(status)),
        };
        let types = types.clone();
        area.tuples.when_possible(&cx.step.cancellation, done, move |tuples| {
            let found = tuples.get(index)?;
            let values = typed(found, &types);
            if !peek {
                tuples.pop_front();
            }
            Some(values)
        });
    }))
}

fn scalar_index(index: &Tensor) -> Result<usize> {
    ensure!(index.shape().is_scalar(), InvalidArgument, "index must be scalar");
    let index = index.to_scalar::<i32>()?;
    usize::try_from(index).map_err(|_| err!(InvalidArgument, "index {index} must not be negative"))
}

fn size_kernel(node: &Node) -> Result<Kernel> {
    let place = Place::of(node)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let size = place.find(cx.step, area)?.tuples.now(|tuples| tuples.len());
        cx.set_output(0, i32::try_from(size).unwrap_or(i32::MAX));
        Ok(())
    }))
}

fn clear_kernel(node: &Node) -> Result<Kernel> {
    let place = Place::of(node)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        place.find(cx.step, area)?.tuples.now(VecDeque::clear);
        Ok(())
    }))
}

#[cfg(test)]
mod tests {
    use tensor::{Code, DType};

    use super::*;
    use crate::testing::{Bench, val};

    #[test]
    fn a_full_area_lets_in_when_something_is_taken() {
        let bench = Bench::new();
        let attrs = [("dtypes", vec![DType::Int32].into()), ("capacity", 1i64.into()), ("shared_name", "s".into())];
        let start = |op: &str, inputs| bench.node(op, &attrs).start(&bench, inputs);
        let early = start("Unstage", vec![]);
        start("Stage", vec![val(1i32)]).take().unwrap().unwrap();
        assert_eq!(early.value(), Tensor::from(1i32));
        start("Stage", vec![val(2i32)]).take().unwrap().unwrap();
        let full = start("Stage", vec![val(3i32)]);
        assert!(!full.is_done());
        assert_eq!(start("StagePeek", vec![val(0i32)]).value(), Tensor::from(2i32));
        assert_eq!(start("Unstage", vec![]).value(), Tensor::from(2i32));
        assert!(full.is_done());
        start("StageClear", vec![]);
        let waiting = start("Unstage", vec![]);
        bench.step.cancellation.cancel(err!(Cancelled, "the session was closed"));
        assert_eq!(waiting.error().code(), Code::Cancelled);
    }
}
