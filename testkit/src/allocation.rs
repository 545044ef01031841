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
