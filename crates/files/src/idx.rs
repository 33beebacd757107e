//! IDX files, the format of MNIST: a type, the dimensions, the elements, all big-endian. Plain or compressed with gzip,
//! which is recognised by the first bytes.

use std::fmt;
use std::io::{self, BufReader, Read};
use std::path::Path;

use flate2::read::MultiGzDecoder;
use tensor::{Buffer, DType, Result, Shape, Status, Tensor, bail, ensure, err};

use crate::atomic::at;

/// The limits on what is accepted; MNIST needs rank 3 and 47 MB.
const MAX_RANK: u8 = 8;
const MAX_BYTES: u64 = 4 << 30;
const GZIP: [u8; 2] = [0x1f, 0x8b];

/// Reads a file.
///
/// ```
/// use tensor::Tensor;
/// use tensorfleet_files::idx;
///
/// let path = std::env::temp_dir().join(format!("labels-idx1-ubyte-{}", std::process::id()));
/// std::fs::write(&path, [0, 0, 8, 1, 0, 0, 0, 3, 5, 0, 4])?;
/// assert_eq!(idx::read_file(&path)?, Tensor::from([5u8, 0, 4]));
/// # std::fs::remove_file(&path)?;
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// `NotFound` or another code of the operating system; `DataLoss` if the file is damaged; `InvalidArgument` if it is no
/// IDX file or above the limits (rank 8, 4 GiB).
pub fn read_file(path: &Path) -> Result<Tensor> {
    let file = crate::place::Reader::open(path).map_err(|error| at(path, error))?;
    read(BufReader::new(file), path.display())
}

/// Reads from any stream; `name` stands for it in errors.
///
/// ```
/// use tensor::Tensor;
///
/// let bytes = [0, 0, 8, 1, 0, 0, 0, 2, 7, 9]; // type 8 is a byte; one axis, of size 2
/// assert_eq!(tensorfleet_files::idx::read(&bytes[..], "memory")?, Tensor::from([7u8, 9]));
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// As [`read_file`].
pub fn read(mut stream: impl Read, name: impl fmt::Display) -> Result<Tensor> {
    let mut start = Vec::new();
    (&mut stream).take(2).read_to_end(&mut start).map_err(failed)?;
    let compressed = start == GZIP;
    let mut stream = start.as_slice().chain(stream);
    let parsed = if compressed { parse(&mut MultiGzDecoder::new(stream)) } else { parse(&mut stream) };
    parsed.map_err(|status| status.context(name))
}

fn parse(stream: &mut dyn Read) -> Result<Tensor> {
    let mut magic = [0; 4];
    read_exact(stream, &mut magic, "the header")?;
    let [0, 0, kind, rank] = magic else { bail!(InvalidArgument, "not an IDX file: it begins with {magic:02x?}") };
    let dtype = match kind {
        0x08 => DType::UInt8,
        0x09 => DType::Int8,
        0x0b => DType::Int16,
        0x0c => DType::Int32,
        0x0d => DType::Float,
        0x0e => DType::Double,
        other => bail!(InvalidArgument, "not an IDX file: element type {other:#04x} is unknown"),
    };
    ensure!(rank <= MAX_RANK, InvalidArgument, "rank {rank} is above the limit of {MAX_RANK}");
    let mut dims = Vec::new();
    for _ in 0..rank {
        let mut dim = [0; 4];
        read_exact(stream, &mut dim, "the dimensions")?;
        dims.push(u32::from_be_bytes(dim) as i64);
    }
    let shape = Shape::new(&dims)?;
    let bytes = (shape.num_elements() as u64).saturating_mul(dtype.size() as u64);
    ensure!(bytes <= MAX_BYTES, InvalidArgument, "shape {shape} of type {dtype} is above the limit of 4 GiB");
    // Memory grows with what really arrives, not with what the header claims.
    let mut elements = Vec::new();
    stream.take(bytes + 1).read_to_end(&mut elements).map_err(failed)?;
    let got = elements.len() as u64;
    ensure!(got >= bytes, DataLoss, "shape {shape} of type {dtype} takes {bytes} bytes, the file has only {got}");
    ensure!(got == bytes, DataLoss, "shape {shape} of type {dtype} takes {bytes} bytes, the file has more");
    if dtype.size() > 1 {
        elements.chunks_exact_mut(dtype.size()).for_each(<[u8]>::reverse);
    }
    Tensor::from_buffer(dtype, shape, Buffer::copy_of(&elements))
}

fn read_exact(stream: &mut dyn Read, target: &mut [u8], what: &str) -> Result<()> {
    stream.read_exact(target).map_err(|error| match error.kind() {
        io::ErrorKind::UnexpectedEof => err!(DataLoss, "the file ends within {what}"),
        _ => failed(error),
    })
}

fn failed(error: io::Error) -> Status {
    match error.kind() {
        // What flate2 says about a damaged stream.
        io::ErrorKind::InvalidInput | io::ErrorKind::InvalidData | io::ErrorKind::UnexpectedEof => {
            err!(DataLoss, "the compressed stream is damaged: {error}")
        }
        _ => error.into(),
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use proptest::prelude::*;
    use tensor::Code;

    use super::*;
    use crate::testing::Damage;

    const IMAGES: &[u8] = &[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 255];

    fn gzipped(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    #[test]
    fn plain_and_compressed() {
        let expected = Tensor::new([2, 1, 2], vec![1u8, 2, 3, 255]).unwrap();
        assert_eq!(read(IMAGES, "images").unwrap(), expected);
        assert_eq!(read(&gzipped(IMAGES)[..], "images").unwrap(), expected);
    }

    #[test]
    fn numbers_are_big_endian() {
        let floats = [&[0, 0, 0x0d, 1, 0, 0, 0, 2][..], &1.5f32.to_be_bytes(), &(-2f32).to_be_bytes()].concat();
        assert_eq!(read(&floats[..], "floats").unwrap(), Tensor::from([1.5f32, -2.0]));
    }

    #[test]
    fn damage_is_named() {
        let refused = |bytes: &[u8], code: Code, message: &str| {
            let status = read(bytes, "x").unwrap_err();
            assert_eq!((status.code(), status.message()), (code, message));
        };
        let short = "x: shape [2,1,2] of type uint8 takes 4 bytes, the file has only 3";
        refused(&IMAGES[..IMAGES.len() - 1], Code::DataLoss, short);
        let long = [IMAGES, &[0]].concat();
        refused(&long, Code::DataLoss, "x: shape [2,1,2] of type uint8 takes 4 bytes, the file has more");
        refused(&IMAGES[..9], Code::DataLoss, "x: the file ends within the dimensions");
        refused(b"\x89PNG", Code::InvalidArgument, "x: not an IDX file: it begins with [89, 50, 4e, 47]");
        let huge = [0, 0, 14, 1, 255, 255, 255, 255];
        let message = "x: shape [4294967295] of type double is above the limit of 4 GiB";
        refused(&huge, Code::InvalidArgument, message);
        let gzip = gzipped(IMAGES);
        assert_eq!(read(&gzip[..gzip.len() - 9], "x").unwrap_err().code(), Code::DataLoss);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn damaged_files_never_panic(damage in Damage::any(), compress: bool) {
            let original = if compress { gzipped(IMAGES) } else { IMAGES.to_vec() };
            if let Err(status) = read(&damage.apply(&original)[..], "x") {
                prop_assert!(matches!(status.code(), Code::DataLoss | Code::InvalidArgument), "{status}");
            }
        }
    }
}
