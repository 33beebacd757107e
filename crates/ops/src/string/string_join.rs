//! `StringJoin`: strings one after the other, element by element.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::memory::Tally;
use tensor::{PartialShape, Result, Shape, Tensor, ensure};

pub(crate) fn register(r: &mut Registry) {
    r.op("StringJoin", "inputs: N * string -> output: string")
        .attr("N: int >= 0")
        .attr("separator: string = ''")
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let mut shape = PartialShape::scalar();
    for index in 0..cx.num_inputs() {
        let input = cx.input(index);
        shape = match (shape.rank(), input.rank()) {
            (Some(0), _) => input,
            (_, Some(0)) => shape,
            (_, None) | (None, _) => PartialShape::unknown(),
            _ => shape.merge(&input)?,
        };
    }
    cx.set(0, shape);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let separator = node.attr_bytes("separator")?.clone();
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let joined = join(&cx.inputs(0..cx.num_inputs())?, &separator)?;
        cx.set_output(0, joined);
        Ok(())
    }))
}

/// Scalars go with every element.
fn join(inputs: &[&Tensor], separator: &[u8]) -> Result<Tensor> {
    let mut shape = Shape::scalar();
    for input in inputs.iter().filter(|input| !input.shape().is_scalar()) {
        ensure!(
            shape.is_scalar() || shape == *input.shape(),
            InvalidArgument,
            "Input shapes do not match: {shape} vs. {}",
            input.shape()
        );
        shape = input.shape().clone();
    }
    let lists: Vec<&[Bytes]> = inputs.iter().map(|input| input.strings()).collect::<Result<_>>()?;
    let mut joined = Vec::with_capacity(shape.num_elements());
    let mut tally = Tally::new("strings");
    for place in 0..shape.num_elements() {
        let mut text = Vec::new();
        for (number, list) in lists.iter().enumerate() {
            if number > 0 {
                text.extend_from_slice(separator);
            }
            // A scalar has one string, the others as many as the result.
            let part = &list[if list.len() == 1 { 0 } else { place }];
            tally.add((part.len() + separator.len()) as u64)?;
            text.extend_from_slice(part);
        }
        joined.push(Bytes::from(text));
    }
    Tensor::from_strings(shape, joined)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As TensorFlow 2.21 gives them.
    #[test]
    fn scalars_go_with_every_element() {
        let joined = join(&[&Tensor::from("a"), &Tensor::string_vector(["x", "y"])], b"-").unwrap();
        assert_eq!(joined, Tensor::string_vector(["a-x", "a-y"]));
        assert_eq!(join(&[], b"-").unwrap(), Tensor::from(""));
        let status =
            join(&[&Tensor::string_vector(["x", "y"]), &Tensor::string_vector(["p", "q", "r"])], b"").unwrap_err();
        assert_eq!(status.message(), "Input shapes do not match: [2] vs. [3]");
    }
}
