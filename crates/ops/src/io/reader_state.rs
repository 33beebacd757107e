//! `ReaderNumRecordsProducedV2`, `ReaderNumWorkUnitsCompletedV2` and `ReaderResetV2`, and with the older kind of handles
//! `ReaderNumRecordsProduced`, `ReaderNumWorkUnitsCompleted` and `ReaderReset`: how far a reader is, and back to its start.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::Result;

use super::reader::Reader;
use crate::data_flow::handles::{HANDLES, stateful_if_new};
use crate::handle::find;

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        let mut op = |name: &str, outputs: &str, build: fn(&Node) -> Result<Kernel>| {
            let entry = r.op(&format!("{name}{version}"), &format!("reader_handle: {handle} -> {outputs}"));
            stateful_if_new(entry, version).shape(ShapeContext::scalar).any_kernel(build).not_differentiable();
        };
        op("ReaderNumRecordsProduced", "records_produced: int64", |_| number(Reader::produced));
        op("ReaderNumWorkUnitsCompleted", "units_completed: int64", |_| number(Reader::completed));
        op("ReaderReset", "", reset);
    }
}

fn number(of: fn(&Reader) -> i64) -> Result<Kernel> {
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let number = of(&*find::<Reader>(cx.step, Some(&handle))?);
        cx.set_output(0, number);
        Ok(())
    }))
}

fn reset(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        find::<Reader>(cx.step, Some(&handle))?.reset();
        Ok(())
    }))
}
