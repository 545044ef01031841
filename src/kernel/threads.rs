//! Threads: when work is worth splitting, and into how many parts.
//!
//! BITS: no result depends on it. A kernel splits its output, or whole blocks of terms whose sums
//! it then adds in order.
//!
//! With the feature `parallel` parts run on the pool that the caller is in: its own `rayon` code neither waits
//! for a second pool nor competes with one. A caller that is in none has threads of the crate's own beside it
//! (`pool`). Without the feature everything runs on the calling thread.

#[cfg(feature = "parallel")]
mod pool;

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering};

/// 0: as many as `available` says.
static LIMIT: AtomicUsize = AtomicUsize::new(0);

/// The number of threads that one operation may be split over: what [`set_threads`] said, at most
/// as many as the `rayon` pool has that the caller is in, or else the machine (or `RAYON_NUM_THREADS`). The
/// global pool of `rayon` counts for callers inside of it alone.
///
/// # Example
///
/// ```
/// assert!(poorgrad::threads() >= 1);
/// ```
#[must_use]
pub fn threads() -> usize {
    let limit = match HERE.get() {
        0 => LIMIT.load(Ordering::Relaxed),
        here => here,
    };
    if limit == 1 {
        // Asked first: a program that wants one thread starts no pool.
        return 1;
    }
    let available = available();
    if limit == 0 { available } else { limit.min(available) }
}

thread_local! {
    /// The limit of what this thread runs at the moment; 0: the process's.
    static HERE: Cell<usize> = const { Cell::new(0) };
}

/// Runs `work` with a limit of its own on how many threads an operation is split over.
pub(crate) fn limited<R>(limit: Option<usize>, work: impl FnOnce() -> R) -> R {
    /// Puts the outer limit back, after a panic too.
    struct Outer(usize);
    impl Drop for Outer {
        fn drop(&mut self) {
            HERE.set(self.0);
        }
    }
    let Some(limit) = limit else { return work() };
    let _outer = Outer(HERE.replace(limit.max(1)));
    work()
}

/// Limits, for the whole process, over how many threads one operation may be split; 0 lifts the
/// limit. Results do not depend on it.
///
/// # Example
///
/// ```
/// poorgrad::set_threads(1);
/// assert_eq!(poorgrad::threads(), 1);
/// poorgrad::set_threads(0);
/// ```
pub fn set_threads(count: usize) {
    LIMIT.store(count, Ordering::Relaxed);
}

#[cfg(feature = "parallel")]
use pool::available;
#[cfg(not(feature = "parallel"))]
fn available() -> usize {
    1
}

/// Work below this is not shared.
///
/// COST: in operations of one lane, of which a core does as many in some five microseconds. A thread that looks
/// for parts has one after less than one, a thread that sleeps after 10 to 50. Of 2^21, 2^20, 2^19 and 2^18 the
/// last was the best for two threads, or as good (`workload a1024`, `b`, `c`, `d`, `i` of the member `peers`).
const GRAIN: usize = 1 << 18;

#[cfg(not(test))]
fn grain() -> usize {
    // Nobody looks for parts in a pool of the caller's own.
    #[cfg(feature = "parallel")]
    if rayon::current_thread_index().is_some() {
        return 8 * GRAIN;
    }
    GRAIN
}

#[cfg(test)]
use testing::grain;

/// Threads that share whatever they may, for tests of small work.
#[cfg(test)]
pub(crate) mod testing {
    use std::cell::Cell;

    thread_local! {
        static SHARED: Cell<usize> = const { Cell::new(super::GRAIN) };
    }

    pub(super) fn grain() -> usize {
        SHARED.get()
    }

    /// Runs `work` with every operation shared that may be, however small: on this thread alone, so
    /// that other tests are as ever.
    pub(crate) fn eagerly<T>(work: impl FnOnce() -> T) -> T {
        let before = SHARED.replace(1);
        let result = work();
        SHARED.set(before);
        result
    }
}

/// The number of parts for that many operations, at most `threads`.
pub(crate) fn parts(operations: usize, threads: usize) -> usize {
    (operations / grain()).clamp(1, threads.max(1))
}

/// The number of parts for that many operations, at most `most` and as many as there are threads.
/// These are counted only where there is work for more than one.
pub(crate) fn parts_here(operations: usize, most: usize) -> usize {
    match parts(operations, most) {
        1 => 1,
        parts => parts.min(threads()),
    }
}

/// Runs `run` on every part, on as many threads as there are parts; returns when all are done.
pub(crate) fn each<T: Send>(parts: Vec<T>, run: impl Fn(T) + Sync) {
    #[cfg(feature = "parallel")]
    if parts.len() > 1 {
        return pool::each(parts, run);
    }
    parts.into_iter().for_each(run);
}

/// The bounds of `count` parts of `0..length`, each a multiple of `unit` but the last.
pub(crate) fn bounds(length: usize, count: usize, unit: usize) -> Vec<std::ops::Range<usize>> {
    let units = length.div_ceil(unit);
    let count = count.clamp(1, units.max(1));
    let at = |part: usize| (units * part / count * unit).min(length);
    (0..count).map(|part| at(part)..at(part + 1)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bounds_cover_everything_once() {
        for length in 0..40 {
            for count in 1..6 {
                for unit in 1..5 {
                    let bounds = bounds(length, count, unit);
                    assert_eq!(bounds[0].start, 0);
                    assert_eq!(bounds.last().map(|last| last.end), Some(length));
                    assert!(bounds.windows(2).all(|pair| pair[0].end == pair[1].start));
                    assert!(bounds.iter().all(|part| part.start % unit == 0));
                }
            }
        }
    }

    #[test]
    fn little_work_is_not_split() {
        assert_eq!(parts(1000, 8), 1);
        assert_eq!(parts(usize::MAX, 8), 8);
        assert_eq!(parts(GRAIN * 3, 8), 3);
    }

    #[test]
    fn a_limit_of_ones_own_ends_with_the_work() {
        let before = threads();
        assert_eq!(limited(Some(1), threads), 1);
        let _ = std::panic::catch_unwind(|| limited(Some(1), || panic!("work that fails")));
        assert_eq!(threads(), before);
        assert_eq!(limited(None, threads), before);
    }

    #[test]
    fn every_part_runs() {
        let done = AtomicUsize::new(0);
        each((0..7).collect(), |part| {
            done.fetch_add(1 << part, Ordering::Relaxed);
        });
        assert_eq!(done.into_inner(), 127);
    }
}
