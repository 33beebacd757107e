//! `CountUpTo` and `ResourceCountUpTo`: count a variable up to a limit, giving the number before.

use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, bail, ensure, err};

use super::access::{Access, variable_of};

pub(crate) fn register(r: &mut Registry) {
    r.op("CountUpTo", "ref: Ref(T) -> output: T")
        .attr("limit: int")
        .attr("T: {int32, int64}")
        .shape(shape)
        .any_kernel(|node| kernel(node, Access::Ref))
        .not_differentiable();
    r.op("ResourceCountUpTo", "resource: resource -> output: T")
        .attr("limit: int")
        .attr("T: {int32, int64}")
        .stateful()
        .shape(resource_shape)
        .any_kernel(|node| kernel(node, Access::Resource))
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shape = cx.with_rank(0, 0)?;
    cx.set(0, shape);
    Ok(())
}

fn resource_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    if let Some((dtype, shape)) = cx.handle(0) {
        let wanted = cx.attr_type("T")?;
        ensure!(dtype == wanted, InvalidArgument, "ResourceCountUpTo: expected a variable of {wanted}, got {dtype}");
        shape.merge(&PartialShape::scalar())?;
    }
    cx.set(0, PartialShape::scalar());
    Ok(())
}

fn kernel(node: &Node, access: Access) -> Result<Kernel> {
    let limit = node.attr_int("limit")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let before = variable_of(cx, 0, access)?.update(|value| count(value, limit))?;
        cx.set_output(0, before);
        Ok(())
    }))
}

fn count(value: &mut Tensor, limit: i64) -> Result<Tensor> {
    ensure!(value.shape().is_scalar(), InvalidArgument, "input is not a scalar: {}", value.shape());
    let reached = || err!(OutOfRange, "Reached limit of {limit}");
    if let Ok(&[now]) = value.as_slice::<i32>() {
        if now as i64 >= limit {
            return Err(reached());
        }
        *value = Tensor::from(now.wrapping_add(1));
        return Ok(Tensor::from(now));
    }
    if let Ok(&[now]) = value.as_slice::<i64>() {
        if now >= limit {
            return Err(reached());
        }
        *value = Tensor::from(now.wrapping_add(1));
        return Ok(Tensor::from(now));
    }
    bail!(InvalidArgument, "a variable of type {} does not count", value.dtype())
}

#[cfg(test)]
mod tests {
    use super::*;
    use tensor::Code;

    #[test]
    fn it_counts_up_to_the_limit() {
        let mut value = Tensor::from(2i32);
        assert_eq!(count(&mut value, 3).unwrap(), Tensor::from(2i32));
        let status = count(&mut value, 3).unwrap_err();
        assert_eq!((status.code(), status.message()), (Code::OutOfRange, "Reached limit of 3"));
        assert_eq!(value, Tensor::from(3i32));
        assert!(count(&mut Tensor::from([1i64]), 3).is_err());
    }
}
