//! An allocator that counts live bytes, for tests that nothing leaks and that a tape is small.
//!
//! INVARIANT: it counts what the program asked for, not what the system rounds up to, so that the
//! numbers are the same on every platform with the same pointer width.

use std::alloc::System;

/// An allocator that counts. A test binary installs it once:
///
/// ```
/// use testkit::Counting;
///
/// #[global_allocator]
/// static ALLOCATOR: Counting = Counting::new(std::alloc::System, usize::MAX);
///
/// let before = ALLOCATOR.allocated();
/// let kept = vec![0_u8; 1000];
/// assert_eq!(ALLOCATOR.allocated(), before + 1000);
/// drop(kept);
/// assert_eq!(ALLOCATOR.allocated(), before);
/// ```
pub type Counting = cap::Cap<System>;

/// Lets all memory come from the allocator, and waits until nothing else in the process allocates: the
/// test harness starts a test while its own thread still tidies up.
pub fn settle(allocator: &Counting) {
    poorgrad::set_large_pages(false);
    let mut quiet = 0;
    let mut live = allocator.allocated();
    while quiet < 10 {
        std::thread::sleep(std::time::Duration::from_millis(10));
        quiet = if allocator.allocated() == live { quiet + 1 } else { 0 };
        live = allocator.allocated();
    }
}
