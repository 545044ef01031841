//! Seconds that went by. The crate reads no clock, and neither do its examples: they ask here.

use std::time::Instant;

/// A clock that started when it was made.
///
/// ```
/// let watch = zoo::stopwatch::Stopwatch::start();
/// let first = watch.seconds();
/// assert!(first >= 0.0 && watch.seconds() >= first);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch {
    start: Instant,
}

impl Stopwatch {
    /// Starts now.
    pub fn start() -> Self {
        Self { start: Instant::now() }
    }

    /// The seconds since the start.
    pub fn seconds(&self) -> f64 {
        self.start.elapsed().as_secs_f64()
    }
}
