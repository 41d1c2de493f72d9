//! A progress line for long work: on a terminal only, gone when the work is done.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};
use std::time::Duration;

/// A progress line; may be shared between threads.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    bar: ProgressBar,
}

#[allow(dead_code, reason = "the engines' commands use what they need")]
impl Progress {
    /// A line that shows `done/total`; invisible unless `visible` and the standard error is a terminal.
    pub(crate) fn counting(visible: bool, total: u64) -> Self {
        let style = "{spinner} {pos}/{len} {wide_msg} {elapsed}";
        Self::new(visible, ProgressBar::new(total), style)
    }

    /// A line without a known end.
    pub(crate) fn spinning(visible: bool) -> Self {
        Self::new(
            visible,
            ProgressBar::new_spinner(),
            "{spinner} {wide_msg} {elapsed}",
        )
    }

    fn new(visible: bool, bar: ProgressBar, style: &str) -> Self {
        // A hidden target also results when the standard error is no terminal.
        let target = if visible {
            ProgressDrawTarget::stderr_with_hz(10)
        } else {
            ProgressDrawTarget::hidden()
        };
        bar.set_draw_target(target);
        if let Ok(style) = ProgressStyle::with_template(style) {
            bar.set_style(style);
        }
        bar.enable_steady_tick(Duration::from_millis(200));
        Progress { bar }
    }

    /// What is being done now.
    pub(crate) fn message(&self, text: impl Into<String>) {
        self.bar.set_message(text.into());
    }

    /// How many things there are.
    pub(crate) fn set_total(&self, total: u64) {
        self.bar.set_length(total);
    }

    /// One more thing is done.
    pub(crate) fn advance(&self) {
        self.bar.inc(1);
    }

    /// Removes the line.
    pub(crate) fn finish(&self) {
        self.bar.finish_and_clear();
    }

    /// Runs `print` with the line out of the way.
    pub(crate) fn suspend(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }
}
