//! What is shown: the lines of all tasks, each with its task before it, and on a terminal one line of how things are.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use super::plan::{Plan, Task};
use crate::output;

const COLOURS: [u8; 6] = [36, 33, 32, 35, 34, 31];

pub struct Screen {
    bar: ProgressBar,
    /// Whether standard output and standard error have colours.
    colours: [bool; 2],
    width: usize,
    done: usize,
}

impl Screen {
    pub fn new(plan: &Plan) -> Screen {
        let wanted = std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty());
        let on_terminal = std::io::stderr().is_terminal();
        let target = if on_terminal { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{msg}").unwrap_or_else(|_| ProgressStyle::default_spinner());
        Screen {
            bar: ProgressBar::with_draw_target(None, target).with_style(style),
            colours: [wanted && std::io::stdout().is_terminal(), wanted && on_terminal],
            width: plan.tasks().map(|task| task.to_string().len()).max().unwrap_or(0),
            done: 0,
        }
    }

    pub fn line(&self, task: &Task, is_error: bool, line: &str) {
        let name = format!("{:<width$}", task.to_string(), width = self.width);
        let colour = COLOURS[(task.index as usize * 2 + usize::from(task.job == "ps")) % COLOURS.len()];
        let name = if self.colours[usize::from(is_error)] { format!("\x1b[{colour}m{name}\x1b[0m") } else { name };
        self.bar.suspend(|| match is_error {
            true => output::error_line(format_args!("{name} | {line}")),
            false => output::line(format_args!("{name} | {line}")),
        });
    }

    pub fn say(&self, line: &str) {
        self.bar.suspend(|| output::error_line(format_args!("tensorfleet: {line}")));
    }

    pub fn ended(&mut self, _: &Task) {
        self.done += 1;
    }

    pub fn tick(&self, running: usize, since: Duration) {
        self.bar.set_message(format!("{running} tasks running, {} done, {} s", self.done, since.as_secs()));
        self.bar.tick();
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}
