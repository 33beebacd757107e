//! Ops that read and write files.

mod example_columns;
mod example_text;
mod feature_column;
mod reader;

pub(crate) use reader::Reader;

op_list! {
    decode_raw, file_readers, matching_files, merge_v2_checkpoints, parse_example, parse_sequence_example, read_file,
    reader_read, reader_state, record_input, restore_v2, save_v2, sharded_filename, write_file,
}

/// A string scalar that is a path.
pub(crate) fn path_of(tensor: &tensor::Tensor, name: &str) -> tensor::Result<std::path::PathBuf> {
    tensor::ensure!(
        tensor.shape().is_scalar(),
        InvalidArgument,
        "Input {name} tensor must be scalar, but had shape: {}",
        tensor.shape()
    );
    Ok(path_from(tensor.to_string_scalar()?))
}

/// A path as graphs spell it, with or without `file://`.
pub(crate) fn path_from(bytes: &[u8]) -> std::path::PathBuf {
    use std::os::unix::ffi::OsStrExt;
    let plain = bytes.strip_prefix(b"file://").unwrap_or(bytes);
    std::path::PathBuf::from(std::ffi::OsStr::from_bytes(plain))
}

/// An error of the operating system, in TensorFlow's form.
pub(crate) fn file_error(path: &std::path::Path, error: std::io::Error) -> tensor::Status {
    let text = error.to_string();
    let text = text.split(" (os error").next().unwrap_or(&text).to_owned();
    tensor::Status::new(tensor::Status::from(error).code(), format!("{}; {text}", path.display()))
}
