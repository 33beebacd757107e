//! Datasets that begin with data: `TensorDataset`, `TensorSliceDataset`, `RangeDataset`, `TFRecordDataset`,
//! `TFRecordDatasetV2`, `TextLineDataset`, `FixedLengthRecordDataset` and `FixedLengthRecordDatasetV2`.

use std::io::{BufRead, BufReader, Read, Seek, SeekFrom};
use std::path::PathBuf;

use bytes::Bytes;
use files::{Compression, RecordReader, place};
use graph::op::{Kernel, OpContext, Registry, ShapeContext, Step};
use graph::{Node, ReadAttrs};
use tensor::{DType, Extent, Result, Shape, Tensor, bail, ensure};

use super::elements::{Element, Elements, Source, dataset_tensor, extent_of_inputs};
use crate::io::{file_error, path_from, read_line};

pub(crate) fn register(r: &mut Registry) {
    for name in ["TensorDataset", "TensorSliceDataset"] {
        let mut entry = r
            .op(name, "components: Toutput_types -> handle: variant")
            .attr("Toutput_types: list(type) >= 1")
            .attr("output_shapes: list(shape) >= 1");
        if name == "TensorSliceDataset" {
            entry = entry.attr("is_files: bool = false");
        }
        entry = entry.attr("metadata: string = ''");
        if name == "TensorSliceDataset" {
            entry = entry.attr("replicate_on_split: bool = false");
        }
        entry.stateful().shape(ShapeContext::scalar).any_kernel(tensors_kernel).not_differentiable();
    }
    r.op("RangeDataset", "start: int64, stop: int64, step: int64 -> handle: variant")
        .attr("output_types: list(type) >= 1")
        .attr("output_shapes: list(shape) >= 1")
        .attr("metadata: string = ''")
        .attr("replicate_on_split: bool = false")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(range_kernel)
        .not_differentiable();
    register_fixed(r);
    let signature =
        "filenames: string, compression_type: string, buffer_size: int64, byte_offsets: int64 -> handle: variant";
    r.op("TFRecordDatasetV2", signature)
        .attr("metadata: string = ''")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(files_kernel)
        .not_differentiable();
    for name in ["TFRecordDataset", "TextLineDataset"] {
        r.op(name, "filenames: string, compression_type: string, buffer_size: int64 -> handle: variant")
            .attr("metadata: string = ''")
            .stateful()
            .shape(ShapeContext::scalar)
            .any_kernel(files_kernel)
            .not_differentiable();
    }
}

fn register_fixed(r: &mut Registry) {
    let inputs = "filenames: string, header_bytes: int64, record_bytes: int64, footer_bytes: int64, buffer_size: int64";
    for (name, more) in [("FixedLengthRecordDataset", ""), ("FixedLengthRecordDatasetV2", ", compression_type: string")]
    {
        r.op(name, &format!("{inputs}{more} -> handle: variant"))
            .attr("metadata: string = ''")
            .stateful()
            .shape(ShapeContext::scalar)
            .any_kernel(fixed_kernel)
            .not_differentiable();
    }
}

struct Tensors {
    components: Vec<Tensor>,
    /// How many rows there are, if elements are rows.
    rows: Option<usize>,
}

impl Source for Tensors {
    fn begin(&self, _: &Step) -> Result<Box<dyn Elements>> {
        Ok(Box::new(TensorsWay { components: self.components.clone(), rows: self.rows, next: 0 }))
    }

    fn cardinality(&self) -> i64 {
        self.rows.map_or(1, |rows| rows as i64)
    }
}

struct TensorsWay {
    components: Vec<Tensor>,
    rows: Option<usize>,
    next: usize,
}

impl Elements for TensorsWay {
    fn next(&mut self, _: &Step) -> Result<Option<Element>> {
        if self.next >= self.rows.unwrap_or(1) {
            return Ok(None);
        }
        let row = self.next;
        self.next += 1;
        if self.rows.is_none() {
            return Ok(Some(self.components.clone()));
        }
        let slice = |component: &Tensor| {
            let shape = Shape::new(component.dims().get(1..).unwrap_or(&[]))?;
            component.window(row * shape.num_elements(), shape)
        };
        self.components.iter().map(slice).collect::<Result<Element>>().map(Some)
    }
}

fn tensors_kernel(node: &Node) -> Result<Kernel> {
    let slices = node.op == "TensorSliceDataset";
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let components = (0..cx.num_inputs()).map(|index| cx.take_input(index)).collect::<Result<Vec<_>>>()?;
        let mut rows = None;
        if slices {
            for component in &components {
                let Some(own) = component.dims().first().copied() else {
                    bail!(
                        InvalidArgument,
                        "All components must be at least 1-dimensional, but one has shape {}",
                        component.shape()
                    )
                };
                ensure!(
                    rows.is_none_or(|rows| rows == own as usize),
                    InvalidArgument,
                    "All components must have the same size in the 0th dimension: {rows:?} and {own}"
                );
                rows = Some(own as usize);
            }
        }
        let inside = Extent::of(&components);
        cx.set_output(0, dataset_tensor(Tensors { components, rows }, inside)?);
        Ok(())
    }))
}

#[derive(Clone)]
struct Range {
    next: i64,
    stop: i64,
    step: i64,
    dtype: DType,
    over: bool,
}

impl Source for Range {
    fn begin(&self, _: &Step) -> Result<Box<dyn Elements>> {
        Ok(Box::new(self.clone()))
    }

    fn cardinality(&self) -> i64 {
        let span = (i128::from(self.stop) - i128::from(self.next)) * i128::from(self.step.signum());
        let step = i128::from(self.step).abs().max(1);
        i64::try_from((span.max(0) + step - 1) / step).unwrap_or(i64::MAX)
    }
}

impl Elements for Range {
    fn next(&mut self, _: &Step) -> Result<Option<Element>> {
        let inside = if self.step > 0 { self.next < self.stop } else { self.next > self.stop };
        if self.over || !inside {
            return Ok(None);
        }
        let value = self.next;
        match self.next.checked_add(self.step) {
            Some(next) => self.next = next,
            None => self.over = true,
        }
        Ok(Some(vec![match self.dtype {
            DType::Int32 => Tensor::from(value as i32),
            DType::Float => Tensor::from(value as f32),
            DType::Double => Tensor::from(value as f64),
            _ => Tensor::from(value),
        }]))
    }
}

pub(super) fn scalar_i64(cx: &OpContext<'_>, index: usize, name: &str) -> Result<i64> {
    let input = cx.input(index)?;
    ensure!(input.shape().is_scalar(), InvalidArgument, "{name} must be a scalar");
    input.to_scalar::<i64>()
}

fn range_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_types("output_types")?.first().copied().unwrap_or(DType::Int64);
    ensure!(
        matches!(dtype, DType::Int32 | DType::Int64 | DType::Float | DType::Double),
        Unimplemented,
        "a range of {dtype}"
    );
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (next, stop) = (scalar_i64(cx, 0, "start")?, scalar_i64(cx, 1, "stop")?);
        let step = scalar_i64(cx, 2, "step")?;
        ensure!(step != 0, InvalidArgument, "step must be a non-zero integer.");
        cx.set_output(0, dataset_tensor(Range { next, stop, step, dtype, over: false }, Extent::default())?);
        Ok(())
    }))
}

struct Files {
    /// With where in the file to begin.
    names: Vec<(Bytes, u64)>,
    compression: Compression,
    records: bool,
}

impl Source for Files {
    fn begin(&self, _: &Step) -> Result<Box<dyn Elements>> {
        let names = self.names.clone().into_iter();
        Ok(Box::new(FilesWay { names, compression: self.compression, records: self.records, open: None }))
    }
}

enum Open {
    Records(RecordReader<place::Reader>),
    Lines(PathBuf, Box<dyn BufRead + Send>),
}

struct FilesWay {
    names: std::vec::IntoIter<(Bytes, u64)>,
    compression: Compression,
    records: bool,
    open: Option<Open>,
}

impl Elements for FilesWay {
    fn next(&mut self, step: &Step) -> Result<Option<Element>> {
        loop {
            let value = match &mut self.open {
                None => None,
                Some(Open::Records(reader)) => reader.read()?,
                Some(Open::Lines(path, text)) => {
                    let mut line = read_line(text, path)?;
                    let read = line.len();
                    if line.last() == Some(&b'\n') {
                        line.pop();
                    }
                    if line.last() == Some(&b'\r') {
                        line.pop();
                    }
                    (read > 0).then(|| Bytes::from(line))
                }
            };
            if let Some(value) = value {
                return Ok(Some(vec![Tensor::from(value)]));
            }
            self.open = None;
            let Some((name, offset)) = self.names.next() else { return Ok(None) };
            let path = path_from(&*step.files, &name)?;
            let mut file = place::Reader::open(&path).map_err(|error| file_error(&path, error))?;
            self.open = Some(match self.records {
                true => {
                    file.seek(SeekFrom::Start(offset)).map_err(|error| file_error(&path, error))?;
                    Open::Records(RecordReader::new(file, path.display(), self.compression))
                }
                false => {
                    let plain = files::decompressed(file, self.compression);
                    Open::Lines(path, Box::new(BufReader::new(plain)))
                }
            });
        }
    }
}

fn files_kernel(node: &Node) -> Result<Kernel> {
    let records = node.op.starts_with("TFRecordDataset");
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let (names, compression) = (cx.input(0)?, cx.input(1)?);
        ensure!(names.shape().rank() <= 1, InvalidArgument, "`filenames` must be a scalar or a vector.");
        ensure!(compression.shape().is_scalar(), InvalidArgument, "`compression_type` must be a scalar");
        let text = String::from_utf8_lossy(compression.to_string_scalar()?).into_owned();
        let compression = Compression::from_name(&text)?;
        let names = names.strings()?;
        let offsets = match cx.num_inputs() > 3 {
            true => cx.input(3)?.to_i64_vec()?,
            false => Vec::new(),
        };
        ensure!(
            offsets.is_empty() || offsets.len() == names.len(),
            InvalidArgument,
            "`byte_offsets` must be of same size as `filenames`: {} and {}",
            offsets.len(),
            names.len()
        );
        let offset = |place: usize| u64::try_from(offsets.get(place).copied().unwrap_or(0)).unwrap_or(0);
        let names = names.iter().cloned().enumerate().map(|(place, name)| (name, offset(place))).collect();
        cx.set_output(0, dataset_tensor(Files { names, compression, records }, extent_of_inputs(cx))?);
        Ok(())
    }))
}

/// Records of a fixed length, between a header and a footer of each file.
fn fixed_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let names = cx.input(0)?;
        ensure!(names.shape().rank() <= 1, InvalidArgument, "`filenames` must be a scalar or a vector.");
        let names = names.strings()?.to_vec();
        let size = |index: usize, name: &str| -> Result<usize> {
            let size = scalar_i64(cx, index, name)?;
            ensure!(size >= 0, InvalidArgument, "{name} must be >= 0");
            Ok(size as usize)
        };
        let (header, record, footer) = (size(1, "header_bytes")?, size(2, "record_bytes")?, size(3, "footer_bytes")?);
        ensure!(record > 0, InvalidArgument, "`record_bytes` must be > 0");
        let compression = match cx.num_inputs() > 5 {
            true => Compression::from_name(&String::from_utf8_lossy(cx.input(5)?.to_string_scalar()?))?,
            false => Compression::None,
        };
        let records = super::transforms::By(move |_: &Step| {
            let mut names = names.clone().into_iter();
            let mut open: Option<FixedRecords> = None;
            Ok(Box::new(super::transforms::Way(move |step: &Step| {
                loop {
                    if let Some(file) = &mut open {
                        if let Some(record) = file.next()? {
                            return Ok(Some(vec![Tensor::from(record)]));
                        }
                        open = None;
                    }
                    let Some(name) = names.next() else { return Ok(None) };
                    open = Some(FixedRecords::open(
                        path_from(&*step.files, &name)?,
                        compression,
                        (header, record, footer),
                    )?);
                }
            })) as Box<dyn Elements>)
        });
        let made = dataset_tensor(records, extent_of_inputs(cx))?;
        cx.set_output(0, made);
        Ok(())
    }))
}

struct FixedRecords {
    path: PathBuf,
    stream: BufReader<Box<dyn Read + Send>>,
    record: usize,
    footer: usize,
    /// What was read but may belong to the footer.
    held: Vec<u8>,
}

impl FixedRecords {
    fn open(path: PathBuf, compression: Compression, sizes: (usize, usize, usize)) -> Result<FixedRecords> {
        let (header, record, footer) = sizes;
        let file = place::Reader::open(&path).map_err(|error| file_error(&path, error))?;
        if compression == Compression::None {
            let length = file.size().map_err(|error| file_error(&path, error))?;
            let body = length.checked_sub(header as u64).and_then(|rest| rest.checked_sub(footer as u64));
            ensure!(
                body.is_some_and(|body| body % record as u64 == 0),
                InvalidArgument,
                "Excepted complete records in file {}: {length} bytes are not a header of {header}, records of {record} and a \
                 footer of {footer}",
                path.display()
            );
        }
        let mut records = FixedRecords {
            stream: BufReader::new(files::decompressed(file, compression)),
            path,
            record,
            footer,
            held: Vec::new(),
        };
        records.fill(header)?;
        records.held.clear();
        Ok(records)
    }

    /// Reads until so much is held, or the file ends.
    fn fill(&mut self, size: usize) -> Result<()> {
        tensor::memory::ensure_free(size as u64, format_args!("a record of '{}'", self.path.display()))?;
        let missing = size.saturating_sub(self.held.len()) as u64;
        let read = (&mut self.stream).take(missing).read_to_end(&mut self.held);
        read.map(drop).map_err(|error| file_error(&self.path, error))
    }

    fn next(&mut self) -> Result<Option<Bytes>> {
        let whole = self.record.saturating_add(self.footer);
        self.fill(whole)?;
        if self.held.len() < whole {
            return Ok(None);
        }
        let rest = self.held.split_off(self.record);
        Ok(Some(Bytes::from(std::mem::replace(&mut self.held, rest))))
    }
}
