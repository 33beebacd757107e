//! What a trained model is worth: its accuracy on the test records, and what it sees in single pictures.

use std::path::PathBuf;
use std::sync::Arc;

use clap::Args;
use tensorfleet::prelude::*;
use tensorfleet::train::{
    ExponentialMovingAverage, GRACE, SaverOptions, latest_checkpoint, local_variables_initializer, start_queue_runners,
    trainable_variables,
};
use tensorfleet_examples::boolean;

use crate::images::{PIXELS, read_picture};
use crate::model::{Kind, MOVING_AVERAGE_DECAY, Model, accuracy};
use crate::records::get_batch;

#[derive(Args)]
#[command(rename_all = "snake_case")]
struct CheckpointFlags {
    /// Where the checkpoints are.
    #[arg(long)]
    logdir: PathBuf,
    #[arg(long, value_enum, default_value = "network")]
    model: Kind,
    /// Use the moving averages of the variables.
    #[arg(long, num_args = 0..=1, require_equals = true, default_value = "false", default_missing_value = "true", value_parser = boolean)]
    moving_average: bool,
}

/// Print the accuracy of the newest checkpoint on the test records.
#[derive(Args)]
#[command(rename_all = "snake_case")]
pub struct EvaluateFlags {
    #[command(flatten)]
    checkpoint: CheckpointFlags,
    /// The folder of test.tfrecords.
    #[arg(long)]
    data_dir: PathBuf,
}

/// Print which digits the newest checkpoint sees in pictures.
#[derive(Args)]
#[command(rename_all = "snake_case")]
pub struct PredictFlags {
    #[command(flatten)]
    checkpoint: CheckpointFlags,
    #[arg(required = true)]
    pictures: Vec<PathBuf>,
}

pub fn evaluate(flags: EvaluateFlags) -> Result<()> {
    let g = Graph::new();
    let model = Model::new(&g, flags.checkpoint.model);
    // One epoch: every test image once.
    let (images, labels) = get_batch(&g, &flags.data_dir.join("test.tfrecords"), 1000, Some(1));
    let (shape, accuracy) = (images.shape_tensor(), accuracy(&model.logits(&images, None), &labels));
    let init = local_variables_initializer(&g);
    let sess = restored_session(&g, &flags.checkpoint)?;
    sess.eval(&init)?;
    let coord = Coordinator::new();
    start_queue_runners(&g, &sess, &coord)?;
    let (mut right, mut all) = (0.0, 0.0);
    while !coord.should_stop() {
        match sess.eval::<([i32; 2], f32), _>((&shape, &accuracy)) {
            Ok(([count, _], accuracy)) => {
                right += f64::from(count) * f64::from(accuracy);
                all += f64::from(count);
            }
            Err(status) if status.code() == Code::OutOfRange => break,
            Err(status) => coord.request_stop_because(status),
        }
    }
    coord.request_stop();
    coord.join(GRACE)?;
    println!("test accuracy on {all} images: {:.4}", right / all);
    Ok(())
}

pub fn predict(flags: PredictFlags) -> Result<()> {
    let g = Graph::new();
    let model = Model::new(&g, flags.checkpoint.model);
    let image = g.placeholder(DType::Float, [1, PIXELS]);
    let digit = model.logits(&image, None).argmax(1);
    let sess = restored_session(&g, &flags.checkpoint)?;
    for path in &flags.pictures {
        let pixels = read_picture(path)?.into_iter().map(|pixel| f32::from(pixel) / 255.0).collect();
        let [digit]: [i64; 1] = sess.feed(&image, Tensor::new([1, PIXELS as i64], pixels)?).eval(&digit)?;
        println!("{}: {digit}", path.display());
    }
    Ok(())
}

/// A session of this process whose model has the values of the newest checkpoint.
fn restored_session(g: &Graph, flags: &CheckpointFlags) -> Result<Arc<dyn Session>> {
    let missing = || Status::new(Code::NotFound, format!("{}: there is no checkpoint", flags.logdir.display()));
    let newest = latest_checkpoint(&flags.logdir)?.ok_or_else(missing)?;
    let options = SaverOptions::default();
    let saver = if flags.moving_average {
        // Each variable is restored from its average.
        let averages = ExponentialMovingAverage::new(MOVING_AVERAGE_DECAY);
        Saver::by_name(g, averages.variables_to_restore(g), options)
    } else {
        Saver::of(g, &trainable_variables(g), options)
    };
    let sess: Arc<dyn Session> = Arc::new(LocalSession::new(g)?);
    saver.restore(&*sess, newest)?;
    Ok(sess)
}
