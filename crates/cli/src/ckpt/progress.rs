//! A bar for what takes long, on a terminal only.

use std::io::IsTerminal;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Less than this is done before anybody looks.
const WORTH_A_BAR: u64 = 64 << 20;

pub struct Progress(ProgressBar);

impl Progress {
    pub fn new(what: &str, bytes: u64) -> Progress {
        let shown = bytes >= WORTH_A_BAR && std::io::stderr().is_terminal();
        let target = if shown { ProgressDrawTarget::stderr() } else { ProgressDrawTarget::hidden() };
        let style = ProgressStyle::with_template("{prefix} [{bar:40}] {bytes}/{total_bytes} {bytes_per_sec} {eta}");
        let style = style.unwrap_or_else(|_| ProgressStyle::default_bar()).progress_chars("=> ");
        let bar = ProgressBar::with_draw_target(Some(bytes), target).with_style(style);
        Progress(bar.with_prefix(what.to_owned()))
    }

    pub fn add(&self, bytes: usize) {
        self.0.inc(bytes as u64);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
