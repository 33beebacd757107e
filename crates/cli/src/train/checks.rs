//! What `tensorfleet train` makes sure of before it starts a process.

use std::path::Path;

use files::place;
use tensor::{Code, Result, Status, ensure, err};
use tensorfleet::train::{all_checkpoints, global_variables, latest_checkpoint};
use tensorfleet::{Graph, NewGraph};

use super::{Model, Train, model};
use crate::output;

impl Train {
    /// Checks the flags that the parser of the command line cannot.
    pub(super) fn check_flags(&self) -> Result<()> {
        ensure!(
            self.hidden_units.is_none() || self.model == Model::Mlp,
            InvalidArgument,
            "--hidden_units is for --model mlp, but the model is {}",
            self.model.name()
        );
        ensure!(self.batch_size() > 0, InvalidArgument, "--batch_size must be at least 1");
        let rate = self.learning_rate();
        ensure!(
            rate > 0.0 && rate.is_finite(),
            InvalidArgument,
            "--learning_rate must be a number above 0, not {rate}"
        );
        Ok(())
    }

    /// A checkpoint in the folder must be of this model.
    pub(super) fn check_checkpoint(&self, logdir: &Path) -> Result<()> {
        let Some(prefix) = latest_checkpoint(logdir)? else { return Ok(()) };
        ensure!(
            !self.fresh,
            AlreadyExists,
            "--fresh: there is a checkpoint already, {}; choose another --logdir or move it away",
            prefix.display()
        );
        let graph = Graph::new();
        let model = model::build(&graph, self.model, self.hidden_units())?;
        // As training does, past those that are damaged.
        let mut oldest_first = all_checkpoints(logdir)?;
        oldest_first.retain(|other| *other != prefix);
        oldest_first.push(prefix);
        let mut damage = None;
        for prefix in oldest_first.into_iter().rev() {
            match self.step_in(&prefix, &graph, &model) {
                Err(status) if status.code() == Code::DataLoss => {
                    output::line(format_args!("{} is damaged: {}", prefix.display(), status.message()));
                    damage.get_or_insert(status);
                }
                outcome => return outcome.map(|step| self.say_going_on(&prefix, step)),
            }
        }
        let first = damage.as_ref().map_or("", |status| status.message());
        Err(err!(DataLoss, "all checkpoints are damaged: {first}"))
    }

    fn say_going_on(&self, prefix: &Path, step: i64) {
        output::line(format_args!("going on from {} at step {step}", prefix.display()));
        if step >= self.steps() {
            let steps = self.steps();
            output::line(format_args!("it has all of the {steps} steps: give more --steps to train further"));
        }
    }

    /// The step of a checkpoint, which must be of this model and whole.
    fn step_in(&self, prefix: &Path, graph: &Graph, model: &model::Built) -> Result<i64> {
        let reader = files::BundleReader::open(prefix)?;
        for variable in global_variables(graph) {
            let entry = reader.entry(variable.name()).map_err(|status| match status.code() {
                Code::NotFound => err!(
                    InvalidArgument,
                    "{} is a checkpoint of another model than {}: it has no variable '{}'; choose another --logdir",
                    prefix.display(),
                    self.model.name(),
                    variable.name()
                ),
                _ => status,
            })?;
            ensure!(
                variable.shape().is_compatible_with(&entry.shape),
                InvalidArgument,
                "{} is a checkpoint of another model: its '{}' is {}, that of {} is {}; choose another --logdir",
                prefix.display(),
                variable.name(),
                entry.shape,
                self.model.name(),
                variable.shape()
            );
        }
        // All of it: training restores what the optimizer remembers too.
        for entry in reader.entries()? {
            reader.lookup(&entry.name)?;
        }
        reader.lookup(model.global_step.name())?.to_scalar::<i64>()
    }
}

/// Tries the folder before a minute of work depends on it.
pub fn check_writable(folder: &Path) -> Result<()> {
    let probe = folder.join(format!(".probe-{}", std::process::id()));
    let tried =
        place::create_folder(folder).map_err(Status::from).and_then(|()| files::atomic::write_file(&probe, b"x"));
    let _ = place::remove_file(&probe);
    tried.map_err(|status| status.context(format_args!("cannot write to --logdir {}", folder.display())))
}
