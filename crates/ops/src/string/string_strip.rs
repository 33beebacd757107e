//! `StringStrip`: strings without the white space around them.

use bytes::Bytes;
use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::memory::Tally;
use tensor::{Result, Tensor};

pub(crate) fn register(r: &mut Registry) {
    r.op("StringStrip", "input: string -> output: string")
        .shape(ShapeContext::unchanged)
        .any_kernel(strip_kernel)
        .not_differentiable();
}

/// A kernel that changes each string by itself.
pub(super) fn mapped(change: impl Fn(&Bytes) -> Result<Bytes> + Send + Sync + 'static) -> Kernel {
    Kernel::compute(move |cx: &mut OpContext<'_>| {
        let input = cx.input(0)?;
        // Strings of one tensor may be the same bytes; changed ones are not.
        let mut tally = Tally::new("strings");
        let changed = input.strings()?.iter().map(|text| tally.add(text.len() as u64).and_then(|()| change(text)));
        let changed = changed.collect::<Result<Vec<_>>>()?;
        let output = Tensor::from_strings(input.shape().clone(), changed)?;
        cx.set_output(0, output);
        Ok(())
    })
}

fn strip_kernel(_: &Node) -> Result<Kernel> {
    Ok(mapped(|text| Ok(text.slice_ref(text.trim_ascii()))))
}

/// Where the characters of UTF-8 begin: every byte that does not continue one.
pub(super) fn begins(byte: u8) -> bool {
    byte & 0xc0 != 0x80
}
