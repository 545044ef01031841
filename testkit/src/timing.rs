//! Bounds on time and on the stack, for tests of deep and wide graphs.
//!
//! Time is the thread's own on its processor where the system tells it, so that a busy machine
//! fails no test; elsewhere it is the time that passed.

use std::time::{Duration, Instant};

/// The time that this thread has spent on a processor.
fn on_processor() -> Option<Duration> {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    Some(Duration::from_nanos(text.split_whitespace().next()?.parse().ok()?))
}

/// Runs `work` and prints how long it took.
///
/// # Panics
///
/// Where it took longer than `limit`.
#[track_caller]
pub fn within<T>(limit: Duration, name: &str, work: impl FnOnce() -> T) -> T {
    let (start, busy) = (Instant::now(), on_processor());
    let result = work();
    let taken = match (busy, on_processor()) {
        (Some(before), Some(after)) => after.saturating_sub(before),
        _ => start.elapsed(),
    };
    println!("{name}: {taken:.2?}");
    assert!(taken <= limit, "{name} took {taken:.2?}, longer than {limit:?}");
    result
}

/// Runs `work` on a thread with a stack of `bytes`, and passes its panic on.
///
/// # Panics
///
/// Where `work` panics, or the thread cannot start.
pub fn on_stack<T: Send>(bytes: usize, work: impl FnOnce() -> T + Send) -> T {
    std::thread::scope(|scope| {
        let thread = std::thread::Builder::new().stack_size(bytes).spawn_scoped(scope, work);
        match thread.expect("a thread").join() {
            Ok(result) => result,
            Err(panic) => std::panic::resume_unwind(panic),
        }
    })
}
