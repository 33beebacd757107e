//! `ShardedFilename` and `ShardedFilespec`: names of one part, or all parts, of a file in several parts.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{PartialShape, Result, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("ShardedFilename", "basename: string, shard: int32, num_shards: int32 -> filename: string")
        .shape(shape)
        .any_kernel(name_kernel)
        .not_differentiable();
    r.op("ShardedFilespec", "basename: string, num_shards: int32 -> filename: string")
        .shape(shape)
        .any_kernel(spec_kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    for index in 0..cx.num_inputs() {
        cx.with_rank(index, 0)?;
    }
    cx.set(0, PartialShape::scalar());
    Ok(())
}

fn name_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let (shard, count) = (scalar(cx, 1)?, scalar(cx, 2)?);
        let name = named(cx, &format!("-{shard:05}-of-{count:05}"))?;
        cx.set_output(0, name);
        Ok(())
    }))
}

fn spec_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let count = scalar(cx, 1)?;
        let name = named(cx, &format!("-?????-of-{count:05}"))?;
        cx.set_output(0, name);
        Ok(())
    }))
}

fn scalar(cx: &OpContext<'_>, index: usize) -> Result<i32> {
    let input = cx.input(index)?;
    ensure!(input.shape().is_scalar(), InvalidArgument, "{} must be a scalar, got shape {}", cx.node.op, input.shape());
    input.to_scalar()
}

fn named(cx: &OpContext<'_>, suffix: &str) -> Result<Tensor> {
    let base = cx.input(0)?;
    ensure!(base.shape().is_scalar(), InvalidArgument, "{} must be a scalar, got shape {}", cx.node.op, base.shape());
    let name = [base.to_string_scalar()?, suffix.as_bytes()].concat();
    Ok(Tensor::from(bytes::Bytes::from(name)))
}

#[cfg(test)]
mod tests {
    use tensor::Tensor;

    use crate::testing::{Bench, val};

    /// As TensorFlow 2.21 gives them.
    #[test]
    fn names_of_parts() {
        let bench = Bench::new();
        let name = bench.value("ShardedFilename", &[], vec![val("a/b"), val(3i32), val(12i32)]).unwrap();
        assert_eq!(name, Tensor::from("a/b-00003-of-00012"));
        let spec = bench.value("ShardedFilespec", &[], vec![val("a/b"), val(12i32)]).unwrap();
        assert_eq!(spec, Tensor::from("a/b-?????-of-00012"));
    }
}
