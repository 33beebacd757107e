//! Checkpoints, meta graphs and event files for TensorFlow to read, and from it.
//!
//! `checkpoints write FOLDER` trains a model for three steps, saves it as `ours.ckpt-3` and, sharded, as `sharded.ckpt-3`, and
//! prints the losses of three more steps. It also writes an event file to `events` and examples to `examples.tfrecords`.
//!
//! `checkpoints read FOLDER` imports `theirs.ckpt-3.meta`, restores the checkpoint, prints the losses of three more steps, and
//! saves the result as `back.ckpt`.
//!
//! `checkpoints forever FOLDER COUNT` saves a model of so many numbers, all of them the step, again and again, and prints each
//! step that is saved.

use std::path::Path;
use std::process::ExitCode;

use tensorfleet::prelude::*;
use tensorfleet::train::{
    Compression, Example, FileWriter, Initializer, InputOptions, RecordWriter, SaverOptions, VariableKind,
    add_to_collection, collection, fixed_size_partitioner, global_variables, import_meta_graph, keys,
    range_input_producer,
};

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        ["write", folder] => write(Path::new(folder)),
        ["read", folder] => read(Path::new(folder)),
        ["forever", folder, count] => forever(Path::new(folder), count.parse().unwrap_or(1)),
        _ => {
            eprintln!("usage: checkpoints write|read|forever FOLDER [COUNT]");
            return ExitCode::FAILURE;
        }
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(status) => {
            eprintln!("checkpoints: {status}");
            ExitCode::FAILURE
        }
    }
}

fn write(folder: &Path) -> Result<()> {
    let mut examples = RecordWriter::create(&folder.join("examples.tfrecords"), Compression::None)?;
    for number in 0..2u8 {
        let example =
            Example::new().bytes("label", f64::from(number).to_le_bytes()).ints("size", [28, i64::from(number)]);
        examples.write(&example.floats("x", [0.5, f32::from(number)]).encode())?;
    }
    examples.finish()?;
    let g = Graph::new();
    // The kind of each is such that no gradient reads a reference variable which the same step updates.
    Variable::set_kind(&g, VariableKind::Resource);
    let w = g.with_device("/device:CPU:0", |g| Variable::new("w", g.constant([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]])));
    Variable::set_kind(&g, VariableKind::Ref);
    let r = g.with_device("/device:CPU:1", |g| Variable::new("r", g.constant([0.5f32, -0.5, 0.25])));
    let p = g.variable("p").shape([3, 2]).initializer(Initializer::Ones);
    let p = p.partitioner(fixed_size_partitioner(2)).try_get_partitioned()?;
    let global_step = get_or_create_global_step(&g);
    let x = p.value().matmul(&w) + &r;
    let loss = x.square().reduce_mean(..);
    let train = Adam::new(0.1).minimize(&loss, Some(&global_step))?;
    add_to_collection(&g, keys::TRAIN_OP, train.name().unwrap_or_default());
    add_to_collection(&g, keys::LOSSES, loss.name().map(|name| name.to_string()).unwrap_or_default());
    let queue = range_input_producer(&g, 3, InputOptions::new().num_epochs(1).shuffle(false));
    add_to_collection(&g, "numbers", queue.dequeue()[0].name().map(|name| name.to_string()).unwrap_or_default());
    summary::scalar("loss", &loss);
    summary::histogram("weights", &w);
    summary::image("picture", &g.constant(Tensor::new([1, 2, 2, 1], vec![0f32, 0.25, 0.5, 1.0])?), 1);
    summary::text("note", &g.constant("**bold**"));
    let merged = summary::merge(
        &g,
        &collection(&g, keys::SUMMARIES)
            .iter()
            .filter(|name| !name.contains("fraction"))
            .map(|name| g.output(name))
            .collect::<Result<Vec<_>>>()?,
    );
    let saver = Saver::new(&g);
    let sharded = SaverOptions { sharded: true, name: "sharded".to_owned(), ..Default::default() };
    let sharded = Saver::with_options(&g, sharded);
    let init = global_variables_initializer(&g);
    let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: 2, ..Default::default() })?;
    session.run(RunRequest::new().target(&init))?;
    let writer = FileWriter::new(folder.join("events"))?;
    writer.add_graph(&g)?;
    writer.add_session_start(0)?;
    for step in 1..=3 {
        let fetched = session.fetch(RunRequest::new().target(&train).fetch(&merged))?;
        writer.add_summary(&fetched[0], step)?;
    }
    let prefix = saver.save(&session, folder.join("ours.ckpt"), Some(3))?;
    writer.add_checkpoint(&prefix, 3)?;
    writer.close()?;
    sharded.save(&session, folder.join("sharded.ckpt"), Some(3))?;
    print_losses(&session, &train.name().unwrap_or_default(), &loss.name().map(|n| n.to_string()).unwrap_or_default())
}

fn read(folder: &Path) -> Result<()> {
    let g = Graph::new();
    let saver = import_meta_graph(&g, folder.join("theirs.ckpt-3.meta"))?;
    let missing = || Status::new(Code::NotFound, "the meta graph has no saver");
    let saver = saver.ok_or_else(missing)?;
    let session = LocalSession::new(&g)?;
    saver.restore(&session, folder.join("theirs.ckpt-3"))?;
    for variable in global_variables(&g) {
        println!("variable {}", variable.name());
    }
    let (train, losses) = (collection(&g, keys::TRAIN_OP), collection(&g, keys::LOSSES));
    print_losses(&session, &train[0], &losses[0])?;
    saver.save(&session, folder.join("back.ckpt"), None).map(drop)
}

fn forever(folder: &Path, count: i64) -> Result<()> {
    let g = Graph::new();
    let numbers = Variable::new("numbers", g.zeros([count], DType::Int64));
    let (init, next) = (global_variables_initializer(&g), numbers.assign_add(g.fill([count], 1i64)));
    let saver = Saver::new(&g);
    let session = LocalSession::new(&g)?;
    session.run(RunRequest::new().target(&init))?;
    for step in 1.. {
        session.run(RunRequest::new().target(&next))?;
        saver.save(&session, folder.join("model.ckpt"), Some(step))?;
        println!("{step}");
    }
    Ok(())
}

/// Three steps, and the loss before each.
fn print_losses(session: &dyn Session, train: &str, loss: &str) -> Result<()> {
    for _ in 0..3 {
        let fetched = session.fetch(RunRequest::new().fetch(loss))?;
        println!("loss {}", fetched[0].to_scalar::<f32>()?);
        session.run(RunRequest::new().target(train))?;
    }
    Ok(())
}
