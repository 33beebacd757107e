//! Writing event files from steps: `SummaryWriter`, `CreateSummaryFileWriter`, `FlushSummaryWriter` and `CloseSummaryWriter`;
//! `WriteScalarSummary`, `WriteHistogramSummary`, `WriteImageSummary`, `WriteAudioSummary`, `WriteGraphSummary`,
//! `WriteRawProtoSummary`, `WriteSummary` and `ImportEvent`. `CreateSummaryDbWriter` is refused: there are no databases.

use std::time::{Duration, Instant};

use bytes::Bytes;
use files::EventWriter;
use graph::op::{Container, Kernel, OpContext, Registry, Resource, ShapeContext, types};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use prost::Message;
use tensor::{DType, ResourceHandle, Result, Tensor, bail, ensure};
use wire::event::What;
use wire::summary::value::Value;

use super::scalar_summary::{entry, numbers};
use super::{audio_summary, histogram_summary, image_summary, tensor_summary};
use crate::io::path_of;

pub(crate) fn register(r: &mut Registry) {
    const NUMBERS: &str = "float, double, int32, uint8, int16, int8, int64, bfloat16, uint16, half, uint32, uint64";
    r.op("SummaryWriter", "-> writer: resource")
        .attr("shared_name: string = ''")
        .attr("container: string = ''")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(handle_kernel);
    let signature =
        "writer: resource, logdir: string, max_queue: int32, flush_millis: int32, filename_suffix: string ->";
    r.op("CreateSummaryFileWriter", signature).stateful().any_kernel(create_kernel);
    let signature = "writer: resource, db_uri: string, experiment_name: string, run_name: string, user_name: string ->";
    r.op("CreateSummaryDbWriter", signature).stateful().any_kernel(refuse);
    r.op("FlushSummaryWriter", "writer: resource ->").stateful().any_kernel(flush_kernel);
    r.op("CloseSummaryWriter", "writer: resource ->").stateful().any_kernel(close_kernel);
    let step = "writer: resource, step: int64";
    r.op("WriteScalarSummary", &format!("{step}, tag: string, value: T ->"))
        .attr(&format!("T: {{{NUMBERS}}}"))
        .stateful()
        .kernel("T", types::REALS, |_| writing(number));
    let mut counted = types::REALS.to_vec();
    counted.push(DType::Bool);
    r.op("WriteHistogramSummary", &format!("{step}, tag: string, values: T ->"))
        .attr(&format!("T: {{{NUMBERS}, bool}} = float"))
        .stateful()
        .kernel("T", &counted, |_| writing(histogram));
    r.op("WriteImageSummary", &format!("{step}, tag: string, tensor: T, bad_color: uint8 ->"))
        .attr("max_images: int >= 1 = 3")
        .attr("T: {uint8, double, float, half} = float")
        .stateful()
        .any_kernel(|_| writing(image));
    r.op("WriteAudioSummary", &format!("{step}, tag: string, tensor: float, sample_rate: float ->"))
        .attr("max_outputs: int >= 1 = 3")
        .stateful()
        .any_kernel(|_| writing(audio));
    let signature = format!("{step}, tensor: string ->");
    r.op("WriteGraphSummary", &signature).stateful().any_kernel(|_| writing(graph_def));
    r.op("WriteRawProtoSummary", &signature).stateful().any_kernel(|_| writing(raw));
    r.op("WriteSummary", &format!("{step}, tensor: T, tag: string, summary_metadata: string ->"))
        .attr("T: type")
        .stateful()
        .any_kernel(|_| writing(tensor));
    r.op("ImportEvent", "writer: resource, event: string ->").stateful().any_kernel(import_kernel);
}

const WRITER_TYPE: &str = "N10tensorflow22SummaryWriterInterfaceE";

struct Writer {
    state: Mutex<State>,
    max_queue: i32,
    flush_after: Duration,
}

struct State {
    file: EventWriter,
    waiting: i32,
    flushed: Instant,
}

impl Resource for Writer {
    fn kind(&self) -> &'static str {
        "SummaryWriter"
    }
}

impl Writer {
    /// Adds an event, and takes what waits to the file when it is too much or too old.
    fn add(&self, add: impl FnOnce(&mut EventWriter) -> Result<()>) -> Result<()> {
        let mut state = self.state.lock();
        add(&mut state.file)?;
        state.waiting += 1;
        if state.waiting > self.max_queue || state.flushed.elapsed() > self.flush_after {
            return state.flush();
        }
        Ok(())
    }
}

impl State {
    fn flush(&mut self) -> Result<()> {
        (self.waiting, self.flushed) = (0, Instant::now());
        self.file.flush()
    }
}

/// Gives the handle; the writer itself is made by another op.
fn handle_kernel(node: &Node) -> Result<Kernel> {
    let place = Container::of_variable(node)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let resources = &cx.step.resources;
        let container = if place.container.is_empty() { resources.default_container() } else { &place.container };
        let handle = ResourceHandle {
            device: cx.step.device.clone(),
            container: container.to_owned(),
            name: place.name.clone(),
            hash_code: crate::handle::type_hash(WRITER_TYPE),
            type_name: WRITER_TYPE.to_owned(),
            ..Default::default()
        };
        cx.set_output(0, Tensor::from_handle(handle));
        Ok(())
    }))
}

fn handle<'a>(cx: &'a OpContext<'_>) -> Result<&'a ResourceHandle> {
    match cx.input(0)?.handles()? {
        [handle] => Ok(handle),
        other => bail!(InvalidArgument, "expected one resource handle, got {}", other.len()),
    }
}

fn create_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::blocking(|cx: &mut OpContext<'_>| {
        let folder = path_of(cx.step, cx.input(1)?, "logdir")?;
        let (queue, millis, suffix) = (cx.input(2)?, cx.input(3)?, cx.input(4)?);
        for (input, name) in [(queue, "max_queue"), (millis, "flush_millis"), (suffix, "filename_suffix")] {
            ensure!(input.shape().is_scalar(), InvalidArgument, "{name} must be a scalar, not {}", input.shape());
        }
        let (max_queue, millis) = (queue.to_scalar::<i32>()?, millis.to_scalar::<i32>()?);
        let suffix = String::from_utf8_lossy(suffix.to_string_scalar()?).into_owned();
        ensure!(!suffix.contains('/'), InvalidArgument, "a suffix of event files that leads elsewhere: '{suffix}'");
        let handle = handle(cx)?;
        cx.step.resources.lookup_or_create(&handle.container, &handle.name, || {
            let mut file = EventWriter::create(&folder, &suffix)?;
            let flush_after = Duration::from_millis(millis.max(0) as u64);
            file.set_flush_after(flush_after);
            let state = Mutex::new(State { file, waiting: 0, flushed: Instant::now() });
            Ok(Writer { state, max_queue, flush_after })
        })?;
        Ok(())
    }))
}

fn refuse(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|_: &mut OpContext<'_>| bail!(Unimplemented, "summaries are not written to databases")))
}

fn flush_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::blocking(|cx: &mut OpContext<'_>| cx.resource::<Writer>(0)?.state.lock().flush()))
}

fn close_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::blocking(|cx: &mut OpContext<'_>| {
        let writer = cx.resource::<Writer>(0)?;
        let handle = handle(cx)?;
        cx.step.resources.delete::<Writer>(&handle.container, &handle.name);
        writer.state.lock().flush()
    }))
}

fn import_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::blocking(|cx: &mut OpContext<'_>| {
        let writer = cx.resource::<Writer>(0)?;
        let event = scalar(cx, 1, "event")?.to_string_scalar()?;
        ensure!(wire::Event::decode(event.clone()).is_ok(), DataLoss, "Bad tf.Event binary proto tensor string");
        writer.add(|file| file.write_serialized(event))
    }))
}

/// Makes what an event says.
type Made = fn(&OpContext<'_>) -> Result<What>;

fn writing(make: Made) -> Result<Kernel> {
    Ok(Kernel::blocking(move |cx: &mut OpContext<'_>| {
        let writer = cx.resource::<Writer>(0)?;
        let step = scalar(cx, 1, "step")?.to_scalar::<i64>()?;
        let what = make(cx)?;
        writer.add(|file| file.add(step, what))
    }))
}

fn scalar<'a>(cx: &'a OpContext<'_>, index: usize, name: &str) -> Result<&'a Tensor> {
    let input = cx.input(index)?;
    ensure!(input.shape().is_scalar(), InvalidArgument, "{name} must be scalar, got shape {}", input.shape());
    Ok(input)
}

fn summary(value: wire::summary::Value) -> What {
    What::Summary(wire::Summary { value: vec![value] })
}

/// What a kernel of summaries makes, as an event.
fn of_summary(serialized: Tensor) -> Result<What> {
    parsed(serialized.to_string_scalar()?).map(What::Summary)
}

fn parsed(bytes: &Bytes) -> Result<wire::Summary> {
    wire::Summary::decode(bytes.clone())
        .map_err(|_| tensor::err!(DataLoss, "Bad tf.Summary binary proto tensor string"))
}

fn scalar_tag<'a>(cx: &'a OpContext<'_>, index: usize) -> Result<&'a Bytes> {
    scalar(cx, index, "tag")?.to_string_scalar()
}

fn number(cx: &OpContext<'_>) -> Result<What> {
    // Of several numbers the first is taken, as in TensorFlow.
    let Some(value) = numbers(cx.input(3)?)?.first().copied() else {
        bail!(InvalidArgument, "a summary of no number: the value has shape {}", cx.input(3)?.shape())
    };
    Ok(summary(entry(scalar_tag(cx, 2)?, Value::SimpleValue(value as f32))))
}

fn histogram(cx: &OpContext<'_>) -> Result<What> {
    let values = cx.input(3)?;
    let flags;
    let values = match values.dtype() {
        DType::Bool => {
            let numbers: Vec<u8> = values.as_slice::<bool>()?.iter().map(|flag| u8::from(*flag)).collect();
            flags = Tensor::vector(&numbers);
            &flags
        }
        _ => values,
    };
    let tag = scalar(cx, 2, "tag")?;
    let name = String::from_utf8_lossy(tag.to_string_scalar()?).into_owned();
    of_summary(histogram_summary::summarize(tag, values, &name)?)
}

fn image(cx: &OpContext<'_>) -> Result<What> {
    let color = cx.input(4)?;
    ensure!(color.shape().rank() == 1, InvalidArgument, "bad_color must be a vector, got shape {}", color.shape());
    let most = cx.node.attr_int("max_images")?;
    of_summary(image_summary::summarize(cx.input(2)?, cx.input(3)?, most, color.as_slice::<u8>()?)?)
}

fn audio(cx: &OpContext<'_>) -> Result<What> {
    let rate = scalar(cx, 4, "sample_rate")?.to_scalar::<f32>()?;
    let most = cx.node.attr_int("max_outputs")?;
    of_summary(audio_summary::summarize(cx.input(2)?, cx.input(3)?, rate, most)?)
}

fn graph_def(cx: &OpContext<'_>) -> Result<What> {
    let bytes = scalar(cx, 2, "tensor")?.to_string_scalar()?;
    ensure!(wire::GraphDef::decode(bytes.clone()).is_ok(), DataLoss, "Bad tf.GraphDef binary proto tensor string");
    Ok(What::GraphDef(bytes.clone()))
}

/// Summaries that are serialized already, all values in one event.
fn raw(cx: &OpContext<'_>) -> Result<What> {
    let mut all = wire::Summary::default();
    for bytes in cx.input(2)?.strings()? {
        all.value.extend(parsed(bytes)?.value);
    }
    Ok(What::Summary(all))
}

fn tensor(cx: &OpContext<'_>) -> Result<What> {
    let mut value = entry(scalar_tag(cx, 3)?, Value::Tensor(tensor_summary::message(cx.input(2)?)?));
    let metadata = scalar(cx, 4, "summary_metadata")?.to_string_scalar()?;
    if !metadata.is_empty() {
        value.metadata = Some(wire::SummaryMetadata::decode(metadata.clone()).unwrap_or_default());
    }
    Ok(summary(value))
}

#[cfg(test)]
mod tests {
    use files::EventReader;
    use graph::AttrValue;
    use graph::op::Value as Edge;
    use tensor::Code;

    use super::*;
    use crate::testing::{Bench, Folder, val};

    #[test]
    fn events_reach_the_file_when_the_writer_is_closed() {
        let (bench, folder) = (Bench::new(), Folder::new("summary_writer"));
        let named: [(&str, AttrValue); 1] = [("shared_name", "w".into())];
        let writer = || bench.run("SummaryWriter", &named, vec![]).unwrap().remove(0);
        let run = |op: &str, attrs: &[(&str, AttrValue)], mut inputs: Vec<Edge>| {
            inputs.insert(0, writer());
            bench.run(op, attrs, inputs)
        };
        let number: [(&str, AttrValue); 1] = [("T", DType::Float.into())];
        let scalar = || run("WriteScalarSummary", &number, vec![val(7i64), val("loss"), val(0.5f32)]);
        assert_eq!(scalar().err().unwrap().code(), Code::NotFound);
        let logs = folder.path("logs");
        let create = vec![val(logs.as_str()), val(10i32), val(120_000i32), val(".v2")];
        run("CreateSummaryFileWriter", &[], create).unwrap();
        scalar().unwrap();
        let tensor = vec![val(8i64), val([1f32, 2.0]), val("t"), val("")];
        run("WriteSummary", &number, tensor).unwrap();
        let bad = run("WriteGraphSummary", &[], vec![val(9i64), val(Bytes::from_static(b"\xff\xff"))]);
        assert_eq!(bad.err().unwrap().code(), Code::DataLoss);
        run("CloseSummaryWriter", &[], vec![]).unwrap();
        assert_eq!(run("FlushSummaryWriter", &[], vec![]).err().unwrap().code(), Code::NotFound);
        let file = std::fs::read_dir(&logs).unwrap().next().unwrap().unwrap().path();
        assert!(file.to_string_lossy().ends_with(".v2"));
        let events: Vec<wire::Event> = EventReader::open(&file).unwrap().skip(1).collect::<Result<_>>().unwrap();
        assert_eq!(events.iter().map(|event| event.step).collect::<Vec<_>>(), [7, 8]);
        let Some(What::Summary(first)) = &events[0].what else { panic!("{:?}", events[0]) };
        assert_eq!((first.value[0].tag.as_str(), &first.value[0].value), ("loss", &Some(Value::SimpleValue(0.5))));
    }
}
