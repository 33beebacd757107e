//! `StringLength`: how many bytes or characters strings have.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, Tensor};

use super::string_strip::begins;

pub(crate) fn register(r: &mut Registry) {
    r.op("StringLength", "input: string -> output: int32")
        .attr("unit: {'BYTE', 'UTF8_CHAR'} = 'BYTE'")
        .shape(ShapeContext::unchanged)
        .any_kernel(length_kernel)
        .not_differentiable();
}

fn length_kernel(node: &Node) -> Result<Kernel> {
    let letters = node.attr_str("unit")? == "UTF8_CHAR";
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        let length = |text: &Bytes| match letters {
            true => text.iter().filter(|byte| begins(**byte)).count() as i32,
            false => text.len() as i32,
        };
        let lengths: Vec<i32> = input.strings()?.iter().map(length).collect();
        let output = Tensor::from_slice(input.shape(), &lengths)?;
        cx.set_output(0, output);
        Ok(())
    }))
}
