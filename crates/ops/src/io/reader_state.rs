//! `ReaderNumRecordsProducedV2`, `ReaderNumWorkUnitsCompletedV2` and `ReaderResetV2`, and with the older kind of handles
//! `ReaderNumRecordsProduced`, `ReaderNumWorkUnitsCompleted` and `ReaderReset`: how far a reader is, and back to its start.
//! `ReaderSerializeStateV2`, `ReaderRestoreStateV2`, `ReaderSerializeState` and `ReaderRestoreState`: where it is, to go on from
//! there later.

use bytes::Bytes;
use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use prost::Message;
use tensor::{Result, ensure, err};

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
        op("ReaderSerializeState", "state: string", serialize);
        let entry =
            r.op(&format!("ReaderRestoreState{version}"), &format!("reader_handle: {handle}, state: string ->"));
        stateful_if_new(entry, version).shape(restore_shape).any_kernel(restore).not_differentiable();
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

fn restore_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(1, 0).map(drop)
}

fn serialize(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let state = find::<Reader>(cx.step, Some(&handle))?.position()?;
        cx.set_output(0, Bytes::from(state.encode_to_vec()));
        Ok(())
    }))
}

fn restore(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let handle = cx.take_value(0);
        let reader = find::<Reader>(cx.step, Some(&handle))?;
        let state = cx.input(1)?;
        ensure!(
            state.shape().is_scalar(),
            InvalidArgument,
            "Reader state must be scalar, but had shape: {}",
            state.shape()
        );
        let bytes = state.to_string_scalar()?;
        let state = wire::ReaderBaseState::decode(bytes.clone())
            .map_err(|_| err!(InvalidArgument, "Could not parse state for {}: {} bytes", reader.kind, bytes.len()))?;
        reader.go_to(state)
    }))
}
