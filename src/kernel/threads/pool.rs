//! Parts handed to other threads and taken back, without anybody falling asleep in between.
//!
//! A caller that is in a pool shares its parts with that. One that is in none works on the first part itself, and
//! hands the others to threads of the crate's own, one less than the machine has. One caller at a
//! time has them: another one meanwhile does all of its parts itself.
//!
//! COST: a thread that sleeps takes 10 to 50 microseconds to wake, as long as many a part takes. So for as
//! long as parts come one after another a thread looks for them, where it would sleep otherwise, and the
//! caller looks for them to end; either for about a millisecond at most. (`workload a1024` and `c` of the
//! member `peers`, two threads: 0.8 of the speed of one when the pool's threads did all parts and their caller
//! slept.)

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};
use std::cell::Cell;
use std::hint::spin_loop;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

/// How often a caller looks whether its parts have ended before it sleeps.
const LOOKS: usize = 1 << 14;

/// How often a thread looks for parts in vain before it sleeps.
const WAITS: usize = 1 << 12;

/// Threads that look for parts.
static LOOKING: AtomicUsize = AtomicUsize::new(0);

/// Whether a caller shares parts at the moment.
static TAKEN: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// Whether this thread is the one that does.
    static SHARES: Cell<bool> = const { Cell::new(false) };
    /// Whether it looks for parts.
    static LOOKS_HERE: Cell<bool> = const { Cell::new(false) };
}

/// How many threads a caller here can share parts with, itself among them.
pub(super) fn available() -> usize {
    static COUNT: OnceLock<usize> = OnceLock::new();
    if rayon::current_thread_index().is_some() {
        return rayon::current_num_threads();
    }
    // What rayon would take, without a pool of its own being started for the answer.
    *COUNT.get_or_init(|| {
        let told = std::env::var("RAYON_NUM_THREADS").ok().and_then(|word| word.parse().ok());
        told.filter(|count| *count > 0)
            .unwrap_or_else(|| thread::available_parallelism().map_or(1, usize::from))
    })
}

/// The crate's own threads, started when parts are shared for the first time.
fn pool() -> Option<&'static ThreadPool> {
    static POOL: OnceLock<Option<ThreadPool>> = OnceLock::new();
    let build = || {
        let count = available().checked_sub(1).filter(|count| *count > 0)?;
        let named = |number| format!("poorgrad {number}");
        ThreadPoolBuilder::new().num_threads(count).thread_name(named).build().ok()
    };
    POOL.get_or_init(build).as_ref()
}

/// As `threads::each`, of more than one part.
pub(super) fn each<T: Send>(parts: Vec<T>, run: impl Fn(T) + Sync) {
    /// Makes room for the next caller, after a panic too.
    struct Caller;
    impl Drop for Caller {
        fn drop(&mut self) {
            SHARES.set(false);
            TAKEN.store(false, Ordering::Release);
        }
    }
    let run = &run;
    if rayon::current_thread_index().is_some() {
        return rayon::in_place_scope(|scope| {
            let mut parts = parts.into_iter();
            let first = parts.next();
            parts.for_each(|part| scope.spawn(move |_| run(part)));
            first.into_iter().for_each(run);
        });
    }
    // Parts of a part are shared as parts are.
    let within = SHARES.get();
    let pool = pool().filter(|_| within || !TAKEN.swap(true, Ordering::Acquire));
    let Some(pool) = pool else { return parts.into_iter().for_each(run) };
    let _caller = (!within).then(|| {
        SHARES.set(true);
        Caller
    });
    let left = AtomicUsize::new(parts.len() - 1);
    look(pool, parts.len() - 1);
    let left = &left;
    pool.in_place_scope(|scope| {
        let mut parts = parts.into_iter();
        let first = parts.next();
        for part in parts {
            scope.spawn(move |_| {
                run(part);
                left.fetch_sub(1, Ordering::Release);
            });
        }
        first.into_iter().for_each(run);
        // A part that panicked is never counted: the scope finds out.
        let mut looks = 0;
        while left.load(Ordering::Acquire) > 0 && looks < LOOKS {
            spin_loop();
            looks += 1;
            if looks % 256 == 0 {
                // Who is looked for may wait for this very core.
                thread::yield_now();
            }
        }
    });
}

/// Has so many threads of the pool look for parts, as far as there are threads.
fn look(pool: &'static ThreadPool, count: usize) {
    let count = count.min(pool.current_num_threads());
    while LOOKING.load(Ordering::Relaxed) < count {
        LOOKING.fetch_add(1, Ordering::Relaxed);
        pool.spawn(|| {
            // A thread that looks finds whoever was to look on another one.
            if LOOKS_HERE.replace(true) {
                LOOKING.fetch_sub(1, Ordering::Relaxed);
                return;
            }
            let mut waits = 0;
            while waits < WAITS {
                match rayon::yield_now() {
                    Some(Yield::Executed) => waits = 0,
                    _ => waits += 1,
                }
                if waits % 64 == 63 {
                    thread::yield_now();
                }
                spin_loop();
            }
            LOOKS_HERE.set(false);
            LOOKING.fetch_sub(1, Ordering::Relaxed);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};

    fn on_a_pool_thread() -> bool {
        thread::current().name().is_some_and(|name| name.starts_with("poorgrad "))
    }

    #[test]
    fn a_part_that_panics_is_the_callers_and_the_next_are_shared() {
        for faulty in [0, 1] {
            let parts = vec![0, 1];
            let run = |part| assert_ne!(part, faulty, "a part");
            assert!(catch_unwind(AssertUnwindSafe(|| each(parts, run))).is_err());
        }
        // Other tests share parts too, and only one caller at a time does.
        let shared = || {
            let elsewhere = AtomicUsize::new(0);
            each(vec![0, 1], |_| {
                elsewhere.fetch_add(usize::from(on_a_pool_thread()), Ordering::Relaxed);
                thread::sleep(std::time::Duration::from_micros(100));
            });
            elsewhere.into_inner() == 1
        };
        assert!(available() == 1 || (0..10_000).any(|_| shared()));
    }

    #[test]
    fn parts_of_parts_and_those_of_two_callers_are_all_done() {
        let done = AtomicUsize::new(0);
        thread::scope(|scope| {
            for _ in 0..2 {
                scope.spawn(|| {
                    for _ in 0..200 {
                        each(vec![(); 3], |()| {
                            each(vec![(); 2], |()| {
                                done.fetch_add(1, Ordering::Relaxed);
                            });
                        });
                    }
                });
            }
        });
        assert_eq!(done.into_inner(), 2 * 200 * 6);
    }
}
