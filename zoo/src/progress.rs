//! A progress bar for training: step and total, the last loss, the time left.
//!
//! It draws on standard error and hides itself when that is no terminal, so that a log or a pipe
//! receives the program's own lines and nothing else.

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

const BYTES: &str = "{prefix} {wide_bar} {bytes}/{total_bytes} {eta} left";
const TEMPLATE: &str = "{prefix} {wide_bar} {pos}/{len} {msg} {eta} left";

/// A bar over a known number of steps.
///
/// ```
/// let progress = zoo::progress::Progress::new("training", 100);
/// for step in 0..100 {
///     progress.step(1.0 / (step + 1) as f64);
/// }
/// progress.finish();
/// ```
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar named `label` that is full after `total` steps.
    pub fn new(label: &str, total: usize) -> Self {
        // At most ten drawings a second: a step must not wait for the terminal.
        Self::on(ProgressDrawTarget::stderr_with_hz(10), label, total)
    }

    /// A bar named `label` that is full after `total` bytes.
    pub fn bytes(label: &str, total: u64) -> Self {
        Self::drawn(ProgressDrawTarget::stderr_with_hz(10), BYTES, label, total)
    }

    fn on(target: ProgressDrawTarget, label: &str, total: usize) -> Self {
        Self::drawn(target, TEMPLATE, label, total as u64)
    }

    fn drawn(target: ProgressDrawTarget, template: &str, label: &str, total: u64) -> Self {
        let bar = ProgressBar::with_draw_target(Some(total), target);
        let style =
            ProgressStyle::with_template(template).expect("invariant: the template is valid");
        bar.set_style(style.progress_chars("█▉▊▋▌▍▎▏ "));
        bar.set_prefix(label.to_owned());
        Self { bar }
    }

    /// One more step is done, with this loss.
    pub fn step(&self, loss: f64) {
        // Formatting costs more than a small training step: only when somebody sees it.
        if !self.bar.is_hidden() {
            self.bar.set_message(format!("loss {loss:.4}"));
        }
        self.bar.inc(1);
    }

    /// So many more bytes are there.
    pub fn advance(&self, bytes: usize) {
        self.bar.inc(bytes as u64);
    }

    /// The number of steps that are done.
    pub fn position(&self) -> usize {
        self.bar.position() as usize
    }

    /// Whether nothing is drawn because standard error is no terminal.
    pub fn is_hidden(&self) -> bool {
        self.bar.is_hidden()
    }

    /// Prints a line on standard output without tearing the bar.
    pub fn note(&self, line: &str) {
        self.bar.suspend(|| println!("{line}"));
    }

    /// Leaves the bar as it stands and goes to the next line.
    pub fn finish(&self) {
        self.bar.abandon();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::{
        io,
        sync::{Arc, Mutex},
    };

    /// A terminal that only remembers what was written.
    #[derive(Clone, Debug, Default)]
    struct Paper(Arc<Mutex<String>>);

    impl indicatif::TermLike for Paper {
        fn width(&self) -> u16 {
            100
        }
        fn move_cursor_up(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_down(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_right(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn move_cursor_left(&self, _: usize) -> io::Result<()> {
            Ok(())
        }
        fn write_line(&self, text: &str) -> io::Result<()> {
            self.write_str(text)?;
            self.write_str("\n")
        }
        fn write_str(&self, text: &str) -> io::Result<()> {
            self.0.lock().unwrap().push_str(text);
            Ok(())
        }
        fn clear_line(&self) -> io::Result<()> {
            Ok(())
        }
        fn flush(&self) -> io::Result<()> {
            Ok(())
        }
    }

    #[test]
    fn a_terminal_sees_label_step_total_and_loss() {
        let paper = Paper::default();
        let progress =
            Progress::on(ProgressDrawTarget::term_like(Box::new(paper.clone())), "training", 3);
        assert!(!progress.is_hidden());
        for loss in [3.0, 2.0, 1.5] {
            progress.step(loss);
        }
        progress.finish();
        let seen = paper.0.lock().unwrap().clone();
        for part in ["training", "3/3", "loss 1.5000", "left"] {
            assert!(seen.contains(part), "no {part:?} in {seen:?}");
        }
    }

    #[test]
    fn without_a_terminal_it_counts_and_is_silent() {
        let progress = Progress::on(ProgressDrawTarget::hidden(), "training", 2);
        assert!(progress.is_hidden());
        progress.step(f64::NAN);
        progress.step(1.0);
        progress.finish();
        assert_eq!(progress.position(), 2);
    }
}
