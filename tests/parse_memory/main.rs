//! What reading takes in memory: in proportion to what is read, whatever that claims. Texts of tapes
//! in `texts`, files in `loaders`.
//!
//! In a binary of its own, with one test: the allocator counts for the whole process.

#[cfg(feature = "checkpoint")]
mod lies;
#[cfg(feature = "checkpoint")]
mod loaders;
mod texts;
mod written;

use testkit::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new(std::alloc::System, usize::MAX);

const SLACK: usize = 64 * 1024;

/// The most that a call holds at a time, and what it returns.
fn peak<T>(call: impl FnOnce() -> T) -> (usize, T) {
    // The allocator knows the most that was ever held: fill up to it, so that the call raises it.
    let before = ALLOCATOR.max_allocated();
    let ballast = vec![0_u8; before - ALLOCATOR.allocated()];
    let before = ALLOCATOR.max_allocated();
    let held = ALLOCATOR.allocated();
    let result = call();
    drop(ballast);
    (ALLOCATOR.max_allocated() - before + (before - held), result)
}

#[test]
fn memory_is_proportional_to_what_is_read() {
    // The counter sees what comes from the allocator.
    poorgrad::set_large_pages(false);
    // COST: what is large comes last, as each later call begins with a fill to the most so far.
    texts::mutated();
    #[cfg(feature = "checkpoint")]
    loaders::check();
    texts::refused();
    texts::accepted();
}
