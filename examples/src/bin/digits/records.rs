//! Folders of pictures as TFRecord files, and the input pipeline that reads them.

use std::path::{Path, PathBuf};

use clap::Args;
use tensorfleet::prelude::*;
use tensorfleet::train::{
    BatchOptions, Compression, Example, Feature, InputOptions, Reader, RecordWriter, batch, decode_raw,
    parse_single_example, shuffle_batch, string_input_producer,
};

use crate::images::{PIXELS, read_picture};

/// Gather the pictures of IMAGES/train and IMAGES/test in TFRecord files.
#[derive(Args)]
#[command(rename_all = "snake_case")]
pub struct Flags {
    /// A folder with `train` and `test`, each with a folder of pictures per class, 0 to 9.
    #[arg(long)]
    images: PathBuf,
    /// Where train.tfrecords and test.tfrecords go.
    #[arg(long)]
    out: PathBuf,
}

pub fn write_records(flags: Flags) -> Result<()> {
    std::fs::create_dir_all(&flags.out)?;
    for part in ["train", "test"] {
        let path = flags.out.join(format!("{part}.tfrecords"));
        let count = write_part(&flags.images.join(part), &path)?;
        println!("{count} examples in {}", path.display());
    }
    Ok(())
}

fn write_part(folder: &Path, path: &Path) -> Result<usize> {
    let mut classes = Vec::new();
    for class in 0..10 {
        let folder = folder.join(class.to_string());
        let entries = std::fs::read_dir(&folder).map_err(|error| Status::from(error).context(folder.display()))?;
        let mut pictures = entries.map(|entry| Ok(entry?.path())).collect::<std::io::Result<Vec<_>>>()?;
        pictures.sort();
        classes.push(pictures.into_iter());
    }
    // One of each class in turn, so that a part of the file has digits of all kinds.
    let mut writer = RecordWriter::create(path, Compression::None)?;
    let mut count = 0;
    loop {
        let before = count;
        for (class, pictures) in classes.iter_mut().enumerate() {
            let Some(picture) = pictures.next() else { continue };
            // The label is ten numbers, of which that of the class is 1, as the bytes of doubles.
            let label: Vec<u8> = (0..10).flat_map(|at| f64::from(u8::from(at == class)).to_le_bytes()).collect();
            let example = Example::new().bytes("image", read_picture(&picture)?).bytes("label", label);
            writer.write(&example.encode())?;
            count += 1;
        }
        if count == before {
            break;
        }
    }
    writer.finish()?;
    match count {
        0 => Err(Status::new(Code::NotFound, format!("{}: no pictures", folder.display()))),
        count => Ok(count),
    }
}

/// How many threads gather examples for a worker.
const THREADS: usize = 8;

/// Batches of images `[batch, 784]` from 0 to 1 and labels `[batch, 10]`: shuffled for training, else in order.
pub fn get_batch(g: &Graph, file: &Path, batch_size: i32, num_epochs: Option<i64>) -> (Output, Output) {
    let options = num_epochs.map_or(InputOptions::new(), |epochs| InputOptions::new().num_epochs(epochs));
    let filename_queue = string_input_producer(g, &[file.to_string_lossy()], options);
    let (_key, serialized) = Reader::tf_record(g).read(&filename_queue);
    let bytes = Feature::fixed((), DType::String);
    let features = parse_single_example(&serialized, &[("image", bytes.clone()), ("label", bytes)]);
    let image = decode_raw(&features.get("image"), DType::UInt8).reshape([PIXELS as i64]);
    let image = image.cast(DType::Float) * (1.0 / 255.0);
    let label = decode_raw(&features.get("label"), DType::Double).reshape([10]).cast(DType::Float);
    let options = BatchOptions::new(batch_size).capacity(2000 + 3 * i64::from(batch_size));
    let batch = match num_epochs {
        None => shuffle_batch(&[image, label], &options.num_threads(THREADS).min_after_dequeue(1000)),
        Some(_) => batch(&[image, label], &options.allow_smaller_final_batch(true)),
    };
    (batch[0].clone(), batch[1].clone())
}
