//! Record files and event files.

use std::path::Path;
use std::time::Duration;

use files::{Compression, EventWriter};
use parking_lot::Mutex;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::OrRaise;

fn closed() -> PyErr {
    PyValueError::new_err("the file is closed")
}

/// Writes a file of records.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct RecordWriter {
    writer: Mutex<Option<files::RecordWriter<files::place::Writer>>>,
}

#[pymethods]
impl RecordWriter {
    /// Begins a file; the compression is empty, `ZLIB` or `GZIP`.
    #[new]
    fn new(py: Python<'_>, path: &str, compression: &str) -> PyResult<RecordWriter> {
        let compression = Compression::from_name(compression).or_raise(py)?;
        let writer = files::RecordWriter::create(Path::new(path), compression).or_raise(py)?;
        Ok(RecordWriter { writer: Mutex::new(Some(writer)) })
    }

    fn write(&self, py: Python<'_>, record: &[u8]) -> PyResult<()> {
        self.writer.lock().as_mut().ok_or_else(closed)?.write(record).or_raise(py)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        self.writer.lock().as_mut().ok_or_else(closed)?.flush().or_raise(py)
    }

    /// Ends the file. To close twice does no harm.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        match self.writer.lock().take() {
            Some(writer) => writer.finish().map(drop).or_raise(py),
            None => Ok(()),
        }
    }
}

/// Reads a file of records.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct RecordReader {
    reader: Mutex<files::RecordReader<files::place::Reader>>,
}

#[pymethods]
impl RecordReader {
    #[new]
    fn new(py: Python<'_>, path: &str, compression: &str) -> PyResult<RecordReader> {
        let compression = Compression::from_name(compression).or_raise(py)?;
        Ok(RecordReader { reader: Mutex::new(files::RecordReader::open(Path::new(path), compression).or_raise(py)?) })
    }

    /// The next record, or None at the end.
    fn read<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyBytes>>> {
        let record = py.detach(|| self.reader.lock().read()).or_raise(py)?;
        Ok(record.map(|record| PyBytes::new(py, &record)))
    }
}

/// Writes an event file, for TensorBoard.
#[pyclass(frozen, module = "tensorfleet._core")]
pub struct EventFile {
    writer: Mutex<Option<EventWriter>>,
    path: String,
}

impl EventFile {
    fn of(writer: EventWriter) -> EventFile {
        let path = writer.path().to_string_lossy().into_owned();
        EventFile { writer: Mutex::new(Some(writer)), path }
    }
}

#[pymethods]
impl EventFile {
    /// Begins a file in a folder, which is made if it is missing.
    #[new]
    fn new(py: Python<'_>, folder: &str, suffix: &str, flush_seconds: f64) -> PyResult<EventFile> {
        let mut writer = py.detach(|| EventWriter::create(folder, suffix)).or_raise(py)?;
        writer.set_flush_after(Duration::from_secs_f64(flush_seconds.clamp(0.0, 1e9)));
        Ok(EventFile::of(writer))
    }

    /// Begins a file whose path begins with these words; its folder must be there.
    #[staticmethod]
    fn with_prefix(py: Python<'_>, prefix: &str) -> PyResult<EventFile> {
        py.detach(|| EventWriter::with_prefix(Path::new(prefix), "")).or_raise(py).map(EventFile::of)
    }

    #[getter]
    fn path(&self) -> &str {
        &self.path
    }

    /// Adds the bytes of an event.
    fn write(&self, py: Python<'_>, event: &[u8]) -> PyResult<()> {
        py.detach(|| self.writer.lock().as_mut().map(|writer| writer.write_serialized(event)))
            .ok_or_else(closed)?
            .or_raise(py)
    }

    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        py.detach(|| self.writer.lock().as_mut().map(EventWriter::flush)).map_or(Ok(()), |done| done.or_raise(py))
    }

    /// Ends the file. To close twice does no harm.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let writer = self.writer.lock().take();
        py.detach(|| writer.map(|mut writer| writer.flush())).map_or(Ok(()), |done| done.or_raise(py))
    }
}
