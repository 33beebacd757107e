//! `ReaderReadV2` and `ReaderReadUpToV2`, and with the older kind of handles `ReaderRead` and `ReaderReadUpTo`: the next
//! records of a reader.

use graph::op::{AsyncContext, Done, Kernel, Registry, ShapeContext};
use tensor::{PartialShape, Result, ensure};

use super::reader::{Amount, Reader, Request};
use crate::data_flow::Queue;
use crate::data_flow::handles::{HANDLES, stateful_if_new};
use crate::handle::find;
use crate::pending::Pending;

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        let handles = format!("reader_handle: {handle}, queue_handle: {handle}");
        let entry = r.op(&format!("ReaderRead{version}"), &format!("{handles} -> key: string, value: string"));
        stateful_if_new(entry, version)
            .shape(ShapeContext::scalar)
            .any_kernel(|_| kernel(|_| Ok(Amount::One)))
            .not_differentiable();
        let signature = format!("{handles}, num_records: int64 -> keys: string, values: string");
        stateful_if_new(r.op(&format!("ReaderReadUpTo{version}"), &signature), version)
            .shape(vectors)
            .any_kernel(|_| kernel(count))
            .not_differentiable();
    }
}

fn vectors(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, PartialShape::vector(None));
    cx.set(1, PartialShape::vector(None));
    Ok(())
}

fn count(cx: &AsyncContext) -> Result<Amount> {
    let count = cx.input(2)?;
    ensure!(
        count.shape().is_scalar(),
        InvalidArgument,
        "num_records must be a scalar, but had shape {}",
        count.shape()
    );
    let count = count.to_scalar::<i64>()?;
    ensure!(count >= 0, InvalidArgument, "num_records must not be negative: {count}");
    Ok(Amount::UpTo(count as usize))
}

fn kernel(amount: fn(&AsyncContext) -> Result<Amount>) -> Result<Kernel> {
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let reader = find::<Reader>(&cx.step, cx.inputs.first());
        let prepared = reader.and_then(|reader| Ok((reader, find::<Queue>(&cx.step, cx.inputs.get(1))?, amount(&cx)?)));
        match prepared {
            Ok((reader, queue, amount)) => reader.read(Request {
                amount,
                queue,
                cancellation: cx.step.cancellation.clone(),
                blocking: cx.blocking.clone(),
                files: cx.step.files.clone(),
                pending: Pending::new(done),
            }),
            Err(status) => done(Err(status)),
        }
    }))
}

#[cfg(test)]
mod tests {
    use graph::AttrValue;
    use graph::op::Value;
    use tensor::{Code, DType, PartialShape, Tensor, err};

    use crate::testing::{Bench, Folder, Part, Started, tensor, val};

    /// The handles of the first programs: two strings behind a reference.
    #[test]
    fn older_handles() {
        let bench = Bench::new();
        let attrs = [("component_types", vec![DType::String].into()), ("shapes", vec![PartialShape::scalar()].into())];
        let (queue, reader) = (bench.node("FIFOQueue", &attrs), bench.node("IdentityReader", &[]));
        let queue = || queue.run(&bench, vec![]).unwrap().remove(0);
        let reader = || reader.run(&bench, vec![]).unwrap().remove(0);
        let types = [("Tcomponents", vec![DType::String].into())];
        bench.run("QueueEnqueue", &types, vec![queue(), val("a")]).unwrap();
        let read = bench.run("ReaderRead", &[], vec![reader(), queue()]).unwrap();
        assert_eq!((tensor(&read[0]), tensor(&read[1])), (Tensor::from("a"), Tensor::from("a")));
        let count = bench.value("ReaderNumRecordsProduced", &[], vec![reader()]).unwrap();
        assert_eq!(count, Tensor::from(1i64));
        bench.run("ReaderReset", &[], vec![reader()]).unwrap();
        let count = bench.value("ReaderNumWorkUnitsCompleted", &[], vec![reader()]).unwrap();
        assert_eq!(count, Tensor::from(0i64));
    }

    struct Fixture {
        bench: Bench,
        queue: Part,
        reader: Part,
    }

    impl Fixture {
        fn new(reader: &str, attrs: &[(&str, AttrValue)]) -> Fixture {
            let bench = Bench::new();
            let queue =
                [("component_types", vec![DType::String].into()), ("shapes", vec![PartialShape::scalar()].into())];
            Fixture { queue: bench.node("FIFOQueueV2", &queue), reader: bench.node(reader, attrs), bench }
        }

        fn queue(&self) -> Value {
            self.queue.run(&self.bench, vec![]).unwrap().remove(0)
        }

        fn reader(&self) -> Value {
            self.reader.run(&self.bench, vec![]).unwrap().remove(0)
        }

        fn put(&self, names: &[&str]) {
            let names = Tensor::string_vector(names.iter().map(|name| name.to_string()));
            let attrs = [("Tcomponents", vec![DType::String].into())];
            self.bench.run("QueueEnqueueManyV2", &attrs, vec![self.queue(), val(names)]).unwrap();
        }

        fn close(&self) {
            self.bench.run("QueueCloseV2", &[], vec![self.queue()]).unwrap();
        }

        fn start(&self) -> Started {
            self.bench.node("ReaderReadV2", &[]).start(&self.bench, vec![self.reader(), self.queue()])
        }

        fn read(&self) -> (String, String) {
            pair(&self.start())
        }

        fn counts(&self) -> (i64, i64) {
            let count = |op: &str| self.bench.value(op, &[], vec![self.reader()]).unwrap().to_scalar().unwrap();
            (count("ReaderNumRecordsProducedV2"), count("ReaderNumWorkUnitsCompletedV2"))
        }
    }

    fn pair(started: &Started) -> (String, String) {
        let outputs = started.take().expect("the reader waits").unwrap();
        let text = |value: &Value| String::from_utf8(tensor(value).to_string_scalar().unwrap().to_vec()).unwrap();
        (text(&outputs[0]), text(&outputs[1]))
    }

    fn records(folder: &Folder, name: &str, records: &[&str]) -> String {
        let path = folder.path(name);
        let mut writer = files::RecordWriter::create(std::path::Path::new(&path), files::Compression::None).unwrap();
        records.iter().for_each(|record| writer.write(record.as_bytes()).unwrap());
        writer.finish().unwrap();
        path
    }

    /// Keys, counts and texts as in TensorFlow 2.21.
    #[test]
    fn records_of_one_file_after_the_other() {
        let folder = Folder::new("tf_records");
        let files = [records(&folder, "r1", &["rec0", "rec1", "rec2"]), records(&folder, "r2", &["two0"])];
        let r = Fixture::new("TFRecordReaderV2", &[]);
        r.put(&[&files[0], &files[1]]);
        r.close();
        assert_eq!(r.read(), (format!("{}:0", files[0]), "rec0".into()));
        assert_eq!(r.read(), (format!("{}:20", files[0]), "rec1".into()));
        assert_eq!(r.counts(), (2, 0));
        let up_to = r.bench.node("ReaderReadUpToV2", &[]);
        let outputs = up_to.run(&r.bench, vec![r.reader(), r.queue(), val(5i64)]).unwrap();
        assert_eq!(tensor(&outputs[1]), Tensor::string_vector(["rec2"]));
        assert_eq!(r.counts(), (3, 1));
        assert_eq!(r.read(), (format!("{}:0", files[1]), "two0".into()));
        assert_eq!(r.counts(), (4, 1));
        let status = r.start().error();
        assert_eq!(status.code(), Code::OutOfRange);
        assert!(status.message().ends_with("is closed and has insufficient elements (requested 1, current size 0)"));
        r.bench.run("ReaderResetV2", &[], vec![r.reader()]).unwrap();
        assert_eq!(r.counts(), (0, 0));
    }

    #[test]
    fn a_missing_file_is_passed_over_and_a_broken_one_is_not() {
        let folder = Folder::new("broken_records");
        std::fs::write(folder.path("bad"), b"0123456789abcdef").unwrap();
        let r = Fixture::new("TFRecordReaderV2", &[]);
        r.put(&[&folder.path("nope"), &records(&folder, "good", &["x"]), &folder.path("bad")]);
        let status = r.start().error();
        assert_eq!(status.code(), Code::NotFound);
        assert!(status.message().ends_with("nope; No such file or directory"));
        assert_eq!(r.read().1, "x");
        for _ in 0..2 {
            let status = r.start().error();
            assert_eq!(status.code(), Code::DataLoss);
            assert!(status.message().starts_with("corrupted record at"));
        }
    }

    #[test]
    fn lines_whole_files_and_fixed_lengths() {
        let folder = Folder::new("lines");
        let path = folder.path("b.txt");
        std::fs::write(&path, "x\r\ny\n\nz").unwrap();
        let r = Fixture::new("TextLineReaderV2", &[("skip_header_lines", 1i64.into())]);
        r.put(&[&path]);
        let read: Vec<(String, String)> = (0..3).map(|_| r.read()).collect();
        let expected = [("2", "y"), ("3", ""), ("4", "z")];
        assert_eq!(read, expected.map(|(line, text)| (format!("{path}:{line}"), text.to_owned())));
        let r = Fixture::new("WholeFileReaderV2", &[]);
        r.put(&[&path]);
        assert_eq!(r.read(), (path.clone(), "x\r\ny\n\nz".into()));
        assert_eq!(r.counts(), (1, 1));
        std::fs::write(folder.path("fixed"), "HHaabbccF").unwrap();
        let attrs = |hop: i64| {
            vec![
                ("record_bytes", AttrValue::Int(2)),
                ("header_bytes", 2i64.into()),
                ("footer_bytes", 1i64.into()),
                ("hop_bytes", hop.into()),
            ]
        };
        for (hop, expected) in [(0, vec!["aa", "bb", "cc"]), (1, vec!["aa", "ab", "bb", "bc", "cc"])] {
            let r = Fixture::new("FixedLengthRecordReaderV2", &attrs(hop));
            r.put(&[&folder.path("fixed")]);
            r.close();
            let read: Vec<String> = expected.iter().map(|_| r.read().1).collect();
            assert_eq!(read, expected);
            assert_eq!(r.start().error().code(), Code::OutOfRange);
        }
    }

    #[test]
    fn reads_take_turns_and_can_be_cancelled_while_they_wait() {
        let r = Fixture::new("IdentityReaderV2", &[]);
        let (first, second) = (r.start(), r.start());
        let other = Bench { step: r.bench.next_step().step };
        let third = r.bench.node("ReaderReadV2", &[]).start(&other, vec![r.reader(), r.queue()]);
        other.step.cancellation.cancel(err!(Cancelled, "enough"));
        assert_eq!(third.error().code(), Code::Cancelled);
        r.put(&["a"]);
        assert_eq!(pair(&first), ("a".into(), "a".into()));
        assert!(!second.is_done());
        r.put(&["b"]);
        assert_eq!(pair(&second).1, "b");
        // After the cancelled one, the reader is free again.
        let fourth = r.start();
        r.put(&["c"]);
        assert_eq!(pair(&fourth).1, "c");
    }
}
