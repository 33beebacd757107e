//! `ReaderNumRecordsProducedV2`, `ReaderNumWorkUnitsCompletedV2` and `ReaderResetV2`: how far a reader is, and how it begins
//! anew.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::Result;

use super::reader::Reader;

pub(crate) fn register(r: &mut Registry) {
    r.op("ReaderNumRecordsProducedV2", "reader_handle: resource -> records_produced: int64")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(|_| number(Reader::produced))
        .not_differentiable();
    r.op("ReaderNumWorkUnitsCompletedV2", "reader_handle: resource -> units_completed: int64")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(|_| number(Reader::completed))
        .not_differentiable();
    r.op("ReaderResetV2", "reader_handle: resource ->")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(reset)
        .not_differentiable();
}

fn number(of: fn(&Reader) -> i64) -> Result<Kernel> {
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let number = of(&*cx.resource::<Reader>(0)?);
        cx.set_output(0, number);
        Ok(())
    }))
}

fn reset(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        cx.resource::<Reader>(0)?.reset();
        Ok(())
    }))
}
