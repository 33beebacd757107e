//! How training is shown: a bar per worker on a terminal, plain lines elsewhere.

use std::io::IsTerminal;
use std::time::{Duration, Instant};

use indicatif::{MultiProgress, ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::output;

/// How often a worker has a line when there is no terminal.
const LINE_EVERY: Duration = Duration::from_secs(1);

pub struct Progress {
    steps: i64,
    workers: Vec<Worker>,
    /// On a terminal.
    bars: Option<MultiProgress>,
}

struct Worker {
    bar: Option<ProgressBar>,
    /// Its first report of its own steps, to tell how fast it is since.
    first: Option<(i64, Instant)>,
    last_line: Option<Instant>,
    rate: f64,
}

impl Progress {
    pub fn new(workers: u32, steps: i64) -> Progress {
        let on_stdout = || MultiProgress::with_draw_target(ProgressDrawTarget::stdout());
        let bars = std::io::stdout().is_terminal().then(on_stdout);
        let style = ProgressStyle::with_template("{prefix} [{bar:40}] {pos:>6}/{len} {msg}")
            .unwrap_or_else(|_| ProgressStyle::default_bar())
            .progress_chars("=> ");
        let worker = |number: u32| Worker {
            bar: bars.as_ref().map(|bars| {
                let bar = bars.add(ProgressBar::new(steps.max(0) as u64)).with_style(style.clone());
                bar.with_prefix(format!("worker {number}")).with_message("waiting")
            }),
            first: None,
            last_line: None,
            rate: 0.0,
        };
        let progress = Progress { steps, workers: (0..workers).map(worker).collect(), bars };
        for bar in progress.workers.iter().filter_map(|worker| worker.bar.as_ref()) {
            bar.tick();
        }
        progress
    }

    /// A worker has come to this global step, with so many steps of its own.
    pub fn update(&mut self, number: u32, step: i64, local_step: i64, loss: f32) {
        let (steps, Some(worker)) = (self.steps, self.workers.get_mut(number as usize)) else { return };
        let now = Instant::now();
        match worker.first {
            // A worker that was started again counts anew.
            Some((first, since)) if local_step > first => {
                worker.rate = (local_step - first) as f64 / now.duration_since(since).as_secs_f64().max(1e-3);
            }
            _ => worker.first = Some((local_step, now)),
        }
        let state = format!("loss {loss:.4}  {:.0} steps/s", worker.rate);
        match &worker.bar {
            Some(bar) => {
                bar.set_position(step.clamp(0, steps) as u64);
                bar.set_message(state);
            }
            None if worker.last_line.is_none_or(|last| now.duration_since(last) >= LINE_EVERY) || step >= steps => {
                worker.last_line = Some(now);
                output::line(format_args!("worker {number}: step {step}/{steps}  {state}"));
            }
            None => {}
        }
    }

    /// A line above the bars.
    pub fn say(&self, line: &str) {
        match &self.bars {
            Some(bars) => drop(bars.println(line)),
            None => output::line(line),
        }
    }

    /// Leaves the bars as they are.
    pub fn finish(&self) {
        for bar in self.workers.iter().filter_map(|worker| worker.bar.as_ref()) {
            bar.abandon();
        }
    }
}
