//! Ops that read and write files.

use std::ffi::OsStr;
use std::io::{BufRead, Read};
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};

use files::place;
use graph::op::{Files, Step};
use tensor::{Result, Status, Tensor, ensure};

mod example_columns;
mod example_text;
mod feature_column;
mod reader;

pub(crate) use reader::Reader;

op_list! {
    decode_compressed, decode_json_example, decode_proto, decode_raw, file_readers, matching_files, merge_v2_checkpoints, parse_example,
    parse_sequence_batch, parse_sequence_example, read_file, reader_read, reader_state, record_input, restore_v2, save_v1, save_v2,
    sharded_filename,
    vocabulary, write_file,
}

/// A string scalar that is a path.
///
/// # Errors
/// `InvalidArgument` if it is no scalar; `PermissionDenied` if the path may not be touched.
pub(crate) fn path_of(step: &Step, tensor: &Tensor, name: &str) -> Result<PathBuf> {
    ensure!(
        tensor.shape().is_scalar(),
        InvalidArgument,
        "Input {name} tensor must be scalar, but had shape: {}",
        tensor.shape()
    );
    path_from(&*step.files, tensor.to_string_scalar()?)
}

/// A path as graphs spell it, with or without `file://`. All ops that touch files come by here, or by
/// [`checkpoint_from`].
///
/// # Errors
/// `PermissionDenied` if it may not be touched.
pub(crate) fn path_from(files: &dyn Files, bytes: &[u8]) -> Result<PathBuf> {
    let path = plain_path(bytes);
    files.check(&path)?;
    Ok(path)
}

/// The prefix of a checkpoint's files, as graphs spell it.
///
/// # Errors
/// `PermissionDenied` if it, or a file of the checkpoint that is there, may not be touched.
pub(crate) fn checkpoint_from(files: &dyn Files, bytes: &[u8]) -> Result<PathBuf> {
    let prefix = path_from(files, bytes)?;
    let (Some(folder), Some(name)) = (prefix.parent(), prefix.file_name()) else { return Ok(prefix) };
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let parts = [b".index".as_slice(), b".data-"].map(|kind| [name.as_bytes(), kind].concat());
    // In a store no name leads elsewhere.
    if place::is_url(folder) {
        return Ok(prefix);
    }
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if parts.iter().any(|part| entry.file_name().as_bytes().starts_with(part)) {
            files.check(&entry.path())?;
        }
    }
    Ok(prefix)
}

fn plain_path(bytes: &[u8]) -> PathBuf {
    let plain = bytes.strip_prefix(b"file://").unwrap_or(bytes);
    PathBuf::from(OsStr::from_bytes(plain))
}

/// All of a file.
///
/// # Errors
/// The operating system's, in TensorFlow's form; `ResourceExhausted` for a file that is larger than the memory that is free.
pub(crate) fn read_file(path: &Path) -> Result<Vec<u8>> {
    let fail = |error| file_error(path, error);
    let file = place::Reader::open(path).map_err(fail)?;
    let length = file.size().map_err(fail)?;
    tensor::memory::ensure_free(length, format_args!("the file '{}'", path.display()))?;
    let mut contents = Vec::with_capacity(length as usize);
    // What is added while it is read is left out, so that the bound holds.
    file.take(length).read_to_end(&mut contents).map_err(fail)?;
    Ok(contents)
}

/// The next line with its end; nothing at the end of the file.
///
/// # Errors
/// As [`read_file`], for the line.
pub(crate) fn read_line(text: &mut impl BufRead, path: &Path) -> Result<Vec<u8>> {
    /// A line is asked about whenever it has grown by so much.
    const PIECE: u64 = 64 << 20;
    let mut line = Vec::new();
    loop {
        let read = text.take(PIECE).read_until(b'\n', &mut line).map_err(|error| file_error(path, error))?;
        if (read as u64) < PIECE || line.last() == Some(&b'\n') {
            return Ok(line);
        }
        let twice = 2 * line.len() as u64;
        tensor::memory::ensure_free(twice, format_args!("a line of the file '{}'", path.display()))?;
    }
}

/// An error of the operating system or of a store, in TensorFlow's form.
pub(crate) fn file_error(path: &Path, error: std::io::Error) -> Status {
    let status = Status::from(error);
    let text = status.message();
    let text = text.split(" (os error").next().unwrap_or(text);
    Status::new(status.code(), format!("{}; {text}", path.display()))
}
