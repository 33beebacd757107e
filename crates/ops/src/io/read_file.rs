//! `ReadFile`: all of a file.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{PartialShape, Result, Tensor};

use super::{path_of, read_file};

pub(crate) fn register(r: &mut Registry) {
    r.op("ReadFile", "filename: string -> contents: string").shape(shape).any_kernel(kernel).not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.set(0, PartialShape::scalar());
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::files(|cx: &mut OpContext<'_>| {
        let path = path_of(cx.step, cx.input(0)?, "filename")?;
        let contents = read_file(&path)?;
        cx.set_output(0, Tensor::from(bytes::Bytes::from(contents)));
        Ok(())
    }))
}
