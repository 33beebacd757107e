//! The readers: `TFRecordReaderV2`, `TextLineReaderV2`, `WholeFileReaderV2`, `IdentityReaderV2` and
//! `FixedLengthRecordReaderV2`; `TFRecordReader`, `TextLineReader`, `WholeFileReader`, `IdentityReader` and
//! `FixedLengthRecordReader` give the older kind of handle.

use std::io::{BufReader, Cursor, Read, Seek, SeekFrom};
use std::path::PathBuf;

use bytes::Bytes;
use files::{Compression, RecordReader, place};
use graph::op::{Kernel, OpEntry, Registry};
use graph::{Node, ReadAttrs};
use tensor::{Result, ensure};

use super::decode_compressed::expand;
use super::reader::{Open, Reader, Record, Unit};
use super::{file_error, path_from, read_file, read_line};
use crate::data_flow::handles::{HANDLES, handle_shape};
use crate::handle::MakeResource;

/// The type name in handles of readers.
pub(crate) const READER_TYPE: &str = "N10tensorflow15ReaderInterfaceE";

pub(crate) fn register(r: &mut Registry) {
    for (version, handle) in HANDLES {
        let signature = format!("-> reader_handle: {handle}");
        let entry = place(r.op(&format!("TFRecordReader{version}"), &signature)).attr("compression_type: string = ''");
        rest(entry, tf_record);
        let entry = r.op(&format!("TextLineReader{version}"), &signature).attr("skip_header_lines: int = 0");
        rest(place(entry), text_line);
        rest(place(r.op(&format!("WholeFileReader{version}"), &signature)), whole_file);
        rest(place(r.op(&format!("IdentityReader{version}"), &signature)), identity);
        let entry = r
            .op(&format!("FixedLengthRecordReader{version}"), &signature)
            .attr("header_bytes: int = 0")
            .attr("record_bytes: int")
            .attr("footer_bytes: int = 0")
            .attr("hop_bytes: int = 0");
        let entry = place(entry);
        rest(if version.is_empty() { entry } else { entry.attr("encoding: string = ''") }, fixed_length);
    }
}

fn place(entry: OpEntry<'_>) -> OpEntry<'_> {
    entry.attr("container: string = ''").attr("shared_name: string = ''")
}

fn rest(entry: OpEntry<'_>, build: fn(&Node) -> Result<Kernel>) {
    entry.stateful().shape(handle_shape).any_kernel(build).not_differentiable();
}

fn kernel(node: &Node, kind: &'static str, open: impl Fn() -> Open + Send + Sync + 'static) -> Result<Kernel> {
    let make = MakeResource::new(node, READER_TYPE, move |_| Ok(Reader::new(kind, open())), |_: &Reader| Ok(()))?;
    Ok(Kernel::cheap(make))
}

fn tf_record(node: &Node) -> Result<Kernel> {
    let compression = Compression::from_name(node.attr_str("compression_type")?)?;
    kernel(node, "TFRecordReader", move || {
        Box::new(move |files, name| {
            let path = path_from(files, name)?;
            // Opened here, for an error in TensorFlow's words.
            let file = place::Reader::open(&path).map_err(|error| file_error(&path, error))?;
            let records = RecordReader::new(file, path.display(), compression);
            Ok(Box::new(TfRecords { name: name.clone(), records }))
        })
    })
}

struct TfRecords {
    name: Bytes,
    records: RecordReader<place::Reader>,
}

impl Unit for TfRecords {
    fn next(&mut self) -> Result<Option<Record>> {
        let offset = self.records.offset();
        let value = self.records.read()?;
        Ok(value.map(|value| Record { key: numbered(&self.name, offset), value, last: false }))
    }

    fn reads_ahead(&self) -> bool {
        true
    }
}

fn text_line(node: &Node) -> Result<Kernel> {
    let skip = node.attr_int("skip_header_lines")?;
    kernel(node, "TextLineReader", move || {
        Box::new(move |files, name| {
            let path = path_from(files, name)?;
            let file = place::Reader::open(&path).map_err(|error| file_error(&path, error))?;
            let mut lines = Lines { name: name.clone(), path, text: BufReader::new(file), line: 0 };
            for _ in 0..skip {
                if lines.next()?.is_none() {
                    break;
                }
            }
            Ok(Box::new(lines))
        })
    })
}

struct Lines {
    name: Bytes,
    path: PathBuf,
    text: BufReader<place::Reader>,
    line: u64,
}

impl Unit for Lines {
    fn next(&mut self) -> Result<Option<Record>> {
        let mut line = read_line(&mut self.text, &self.path)?;
        if line.is_empty() {
            return Ok(None);
        }
        line.retain(|byte| *byte != b'\r' && *byte != b'\n');
        self.line += 1;
        Ok(Some(Record { key: numbered(&self.name, self.line), value: line.into(), last: false }))
    }

    fn reads_ahead(&self) -> bool {
        true
    }
}

fn whole_file(node: &Node) -> Result<Kernel> {
    kernel(node, "WholeFileReader", || {
        Box::new(|files, name| {
            let path = path_from(files, name)?;
            let value = read_file(&path)?;
            Ok(Box::new(Single { record: Some((name.clone(), value.into())) }))
        })
    })
}

fn identity(node: &Node) -> Result<Kernel> {
    kernel(node, "IdentityReader", || {
        Box::new(|_, name| Ok(Box::new(Single { record: Some((name.clone(), name.clone())) })))
    })
}

struct Single {
    record: Option<(Bytes, Bytes)>,
}

impl Unit for Single {
    fn next(&mut self) -> Result<Option<Record>> {
        Ok(self.record.take().map(|(key, value)| Record { key, value, last: true }))
    }
}

fn fixed_length(node: &Node) -> Result<Kernel> {
    let bytes = |name: &str| -> Result<u64> {
        let value = node.attr_int(name)?;
        ensure!(value >= 0, InvalidArgument, "{name} must be >= 0 not {value}");
        Ok(value as u64)
    };
    let (header, record, footer, hop) =
        (bytes("header_bytes")?, bytes("record_bytes")?, bytes("footer_bytes")?, bytes("hop_bytes")?);
    ensure!(record > 0, InvalidArgument, "record_bytes must be > 0 not {record}");
    let encoding = Compression::from_name(node.attr_str("encoding").unwrap_or_default())?;
    kernel(node, "FixedLengthRecordReader", move || {
        Box::new(move |files, name| {
            let path = path_from(files, name)?;
            let fail = |error| file_error(&path, error);
            let file = place::Reader::open(&path).map_err(fail)?;
            let (mut file, length): (Box<dyn Source>, u64) = if encoding == Compression::None {
                let length = file.size().map_err(fail)?;
                (Box::new(BufReader::new(file)), length)
            } else {
                let whole = expand(::files::decompressed(BufReader::new(file), encoding))?;
                let length = whole.len() as u64;
                (Box::new(Cursor::new(whole)), length)
            };
            let body = length.saturating_sub(header.saturating_add(footer));
            ensure!(
                hop > 0 || body.is_multiple_of(record),
                InvalidArgument,
                "Excluding the header ({header} bytes) and footer ({footer} bytes), input file \"{}\" has body length \
                 {body} bytes, which is not an exact multiple of the record length ({record} bytes).",
                path.display()
            );
            file.seek(SeekFrom::Start(header)).map_err(fail)?;
            let hop = if hop == 0 { record } else { hop };
            let end = header.saturating_add(body);
            Ok(Box::new(Fixed { name: name.clone(), path, file, at: header, end, record, hop, number: 0 }))
        })
    })
}

/// What records are read from: a file, or what one holds when it is unpacked.
trait Source: Read + Seek + Send {}

impl<T: Read + Seek + Send> Source for T {}

struct Fixed {
    name: Bytes,
    path: PathBuf,
    file: Box<dyn Source>,
    at: u64,
    end: u64,
    record: u64,
    hop: u64,
    number: u64,
}

impl Unit for Fixed {
    fn next(&mut self) -> Result<Option<Record>> {
        // `end` is within the file, so `record` is not more than the file has.
        if self.at.saturating_add(self.record) > self.end {
            return Ok(None);
        }
        tensor::memory::ensure_free(self.record, format_args!("a record of '{}'", self.path.display()))?;
        let mut value = vec![0; self.record as usize];
        self.file.read_exact(&mut value).map_err(|error| file_error(&self.path, error))?;
        let back = self.hop as i64 - self.record as i64;
        self.file.seek_relative(back).map_err(|error| file_error(&self.path, error))?;
        self.at += self.hop;
        self.number += 1;
        Ok(Some(Record { key: numbered(&self.name, self.number - 1), value: value.into(), last: false }))
    }
}

/// A record's key: its file, and where in it.
fn numbered(name: &[u8], number: u64) -> Bytes {
    [name, format!(":{number}").as_bytes()].concat().into()
}
