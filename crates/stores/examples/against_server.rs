//! The other side of `tests/interop/stores.py`, which runs servers: every format of the crate `files` in a folder of a store.
//!
//! `against_server all URL` writes, lists, reads, replaces and removes files below the URL; `against_server read URL` prints the
//! records of one file; `against_server fail URL` prints the code and the message of the error that opening a checkpoint gives.

use std::path::Path;
use std::time::Instant;

use files::place::{self, Reader};
use files::{
    BundleReader, BundleWriter, Compression, EventReader, EventWriter, RecordReader, RecordWriter, SlicesWriter,
    checkpoint_state, latest_checkpoint, merge_bundles,
};
use tensor::{Code, Result, Status, Tensor, bail, ensure, err};

fn main() {
    tensorfleet_stores::install();
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let begin = Instant::now();
    let done = match &arguments[..] {
        [what, url] if what == "all" => all(Path::new(url)),
        [what, url] if what == "read" => read(Path::new(url)),
        [what, url] if what == "fail" => fail(Path::new(url)),
        _ => Err(err!(InvalidArgument, "usage: against_server all|read|fail URL")),
    };
    if let Err(status) = done {
        eprintln!("{status}");
        std::process::exit(1);
    }
    eprintln!("{:.1} s", begin.elapsed().as_secs_f64());
}

fn read(url: &Path) -> Result<()> {
    for record in RecordReader::open(url, Compression::None)? {
        println!("{}", String::from_utf8_lossy(&record?));
    }
    Ok(())
}

fn fail(url: &Path) -> Result<()> {
    let Err(status) = BundleReader::open(url).and_then(|reader| reader.entries()) else {
        bail!(Internal, "{} is there", url.display())
    };
    println!("{}: {}", status.code(), status.message());
    Ok(())
}

fn all(folder: &Path) -> Result<()> {
    records(folder)?;
    checkpoints(folder)?;
    events(folder)?;
    names(folder)
}

fn records(folder: &Path) -> Result<()> {
    let path = folder.join("records/a.tfrecord");
    let mut writer = RecordWriter::create(&path, Compression::Gzip)?;
    for number in 0..1000 {
        writer.write(format!("record {number}").as_bytes())?;
    }
    writer.finish()?;
    let read = RecordReader::open(&path, Compression::Gzip)?.collect::<Result<Vec<_>>>()?;
    ensure!(read.len() == 1000 && read[999] == "record 999", DataLoss, "{} records", read.len());
    Ok(())
}

/// A checkpoint whose data travel in several parts, made of two; and one of the first format.
fn checkpoints(folder: &Path) -> Result<()> {
    let folder = folder.join("model");
    let large = Tensor::from((0..10 << 20).map(|number| number as f32).collect::<Vec<f32>>());
    let parts = ["m-7_temp/part-0", "m-7_temp/part-1"].map(|part| folder.join(part));
    for (part, (name, value)) in parts.iter().zip([("a", Tensor::from([1f32, 2.0])), ("large", large.clone())]) {
        let mut writer = BundleWriter::new(part)?;
        writer.add(name, &value)?;
        writer.finish()?;
    }
    let prefix = folder.join("m-7");
    merge_bundles(&parts, &prefix, true)?;
    let state =
        checkpoint_state::CheckpointState { model_checkpoint_path: prefix.display().to_string(), ..Default::default() };
    checkpoint_state::write(&folder, checkpoint_state::FILE_NAME, &state, false)?;
    let latest = latest_checkpoint(&folder)?;
    ensure!(latest.as_deref() == Some(&*prefix), NotFound, "the newest is {latest:?}");
    let reader = BundleReader::open(&prefix)?;
    ensure!(reader.lookup("large")? == large, DataLoss, "the large tensor came back as another");
    let names: Vec<String> = list(&folder)?;
    let wanted = ["checkpoint", "m-7.data-00000-of-00002", "m-7.data-00001-of-00002", "m-7.index"];
    ensure!(names == wanted, DataLoss, "the folder has {names:?}");
    let mut first = SlicesWriter::new(folder.join("old"))?;
    first.add("w", &Tensor::from([3f32]))?;
    first.finish()?;
    ensure!(files::CheckpointReader::open(folder.join("old"))?.lookup("w")? == Tensor::from([3f32]), DataLoss, "V1");
    // A save that is given up leaves nothing.
    let mut given_up = BundleWriter::new(folder.join("given_up"))?;
    given_up.add("large", &large)?;
    drop(given_up);
    ensure!(!list(&folder)?.iter().any(|name| name.contains("given_up")), DataLoss, "half a checkpoint is there");
    Ok(())
}

fn events(folder: &Path) -> Result<()> {
    let folder = folder.join("events");
    let mut writer = EventWriter::create(&folder, "")?;
    for step in 0..10 {
        writer.add_scalar(step, "loss", 1.0 / (step + 1) as f32)?;
        writer.flush()?;
    }
    let count = EventReader::open(writer.path())?.collect::<Result<Vec<_>>>()?.len();
    ensure!(count == 11, DataLoss, "{count} events");
    let second = EventWriter::create(&folder, "")?;
    ensure!(second.path() != writer.path(), AlreadyExists, "two writers have one file");
    Ok(())
}

/// Odd names, empty files, files that are replaced while they are read.
fn names(folder: &Path) -> Result<()> {
    let folder = folder.join("names");
    for name in ["a b", "ü+%41", "empty"] {
        let path = folder.join(name);
        let content = if name == "empty" { "" } else { name };
        files::atomic::write_file(&path, content.as_bytes())?;
        ensure!(place::read(&path)? == content.as_bytes(), DataLoss, "{name} came back as another");
    }
    let mut names = list(&folder)?;
    names.sort();
    ensure!(names == ["a b", "empty", "ü+%41"], DataLoss, "{names:?}");
    let path = folder.join("replaced");
    files::atomic::write_file(&path, &[1; 1 << 20])?;
    let mut reader = Reader::open(&path)?;
    let mut piece = [0; 10];
    std::io::Read::read_exact(&mut reader, &mut piece)?;
    files::atomic::write_file(&path, &[2; 1 << 20])?;
    let torn = std::io::copy(&mut reader, &mut std::io::sink()).map_err(Status::from);
    ensure!(torn.is_err_and(|status| status.code() == Code::Aborted), Internal, "two files were read as one");
    place::remove_file(&path)?;
    ensure!(!place::exists(&path) && place::exists(&folder), Internal, "it is still there");
    place::rename(&folder.join("a b"), &folder.join("c"))?;
    ensure!(place::is_file(&folder.join("c")) && !place::is_file(&folder.join("a b")), Internal, "not renamed");
    Ok(())
}

fn list(folder: &Path) -> Result<Vec<String>> {
    let entries = place::read_folder(folder)?;
    Ok(entries.into_iter().map(|entry| entry.name.to_string_lossy().into_owned()).collect())
}
