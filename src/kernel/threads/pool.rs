//! Parts handed to other threads and taken back, without anybody falling asleep in between.
//!
//! A caller that is in a pool shares its parts with that. One that is in none works on the first part itself, and
//! hands the others to threads of the crate's own, one less than the machine has. They never wait for a
//! caller's work, and two callers do not share them: the second does all of its parts itself.
//!
//! COST: a thread that sleeps takes 10 to 50 microseconds to wake, as long as many a part takes. So for as
//! long as parts come one after another a thread looks for them, where it would sleep otherwise, and the
//! caller looks for them to end; either for a fraction of a millisecond at most. (`workload a1024` and `c` of
//! the member `peers`, two threads: 0.6 and 0.8 of the speed of one when the pool's threads did all parts and
//! their caller slept.)

use rayon::{ThreadPool, ThreadPoolBuilder, Yield};
use std::hint::spin_loop;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

/// How often a caller looks whether its parts have ended before it sleeps.
const LOOKS: usize = 1 << 14;

/// How often a thread looks for parts in vain before it sleeps.
const WAITS: usize = 1 << 12;

/// Threads that look for parts.
static LOOKING: AtomicUsize = AtomicUsize::new(0);

/// Callers outside of any pool that share parts at the moment.
static CALLERS: AtomicUsize = AtomicUsize::new(0);

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
            CALLERS.fetch_sub(1, Ordering::Release);
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
    let others = CALLERS.fetch_add(1, Ordering::Acquire);
    let _caller = Caller;
    let pool = if others == 0 { pool() } else { None };
    let Some(pool) = pool else { return parts.into_iter().for_each(run) };
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
            LOOKING.fetch_sub(1, Ordering::Relaxed);
        });
    }
}
