//! `ReadFile`: all of a file.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{PartialShape, Result, Tensor};

use super::{file_error, path_of};

pub(crate) fn register(r: &mut Registry) {
    r.op("ReadFile", "filename: string -> contents: string").shape(shape).any_kernel(kernel).not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.set(0, PartialShape::scalar());
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::blocking(|cx: &mut OpContext<'_>| {
        let path = path_of(cx.input(0)?, "filename")?;
        let contents = std::fs::read(&path).map_err(|error| file_error(&path, error))?;
        cx.set_output(0, Tensor::from(bytes::Bytes::from(contents)));
        Ok(())
    }))
}
