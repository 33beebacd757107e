//! Digits from pictures to predictions: a folder of images per class, TFRecord files, a model that a cluster trains from them
//! through queues, and what it makes of single images.
//!
//! ```text
//! digits images    MNIST as one picture a digit, in folders 0 to 9
//! digits records   such folders as TFRecord files
//! digits train     one task of the cluster that trains
//! digits evaluate  the accuracy of a checkpoint on the test records
//! digits predict   what a checkpoint sees in pictures
//! ```

mod images;
mod model;
mod predict;
mod records;
mod train;

use clap::Parser;
use tensorfleet_examples::log_to_stderr;

#[derive(Parser)]
enum Command {
    Images(images::Flags),
    Records(records::Flags),
    Train(train::Flags),
    Evaluate(predict::EvaluateFlags),
    Predict(predict::PredictFlags),
}

fn main() -> tensorfleet::Result<()> {
    let command = Command::parse();
    log_to_stderr();
    match command {
        Command::Images(flags) => images::write_mnist(flags),
        Command::Records(flags) => records::write_records(flags),
        Command::Train(flags) => train::train(flags),
        Command::Evaluate(flags) => predict::evaluate(flags),
        Command::Predict(flags) => predict::predict(flags),
    }
}
