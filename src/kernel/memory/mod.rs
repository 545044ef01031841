//! The memory of large tensors: how much of it waits for its next use, and how to give it back.
//!
//! `Block` is what elements lie in; large blocks come from a pool of the process and go back to it
//! when their last owner drops them.
//!
//! COST: the first touch of fresh pages runs at 2 to 4 GB/s, a tenth of what memory does, and a
//! step of training lets go of as much as it asks for. What is recycled is touched already.
//!
//! INVARIANT: the pool holds plain elements, which need no drop, and never more bytes than blocks
//! of it were ever in use at one time.

mod pages;
mod pool;

use super::{Elementary, scratch};
use pages::Pages;
use pool::pool;
use std::fmt;
use std::mem::{needs_drop, replace, take};
use std::ops::{Deref, DerefMut};
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

/// Smaller blocks stay with the allocator, which recycles them itself.
///
/// COST: an allocator gives blocks of 128 KiB and more back to the system, or not, by where they lie: what a
/// result of 256 KiB costs in fresh pages changed from build to build (`workload i` of the member `peers`).
const SMALLEST: usize = 64 << 10;

/// Elements in one piece, which a payload's storage may be made of.
///
/// # Example
///
/// ```
/// use poorgrad::Block;
///
/// let mut block = Block::from(vec![1.0_f32, 2.0]);
/// block[1] = 3.0;
/// assert_eq!(block.into_vec(), [1.0, 3.0]);
/// ```
pub struct Block<E: Elementary> {
    held: Held<E>,
    /// Whether the pool counts this block among those in use.
    counted: bool,
}

const PLAIN: &str = "invariant: pages hold plain elements, and begin at a border";

/// What a block's elements lie in, as many as it has or more.
enum Held<E> {
    /// The allocator's, or what a user brought: from a position on, where so many have room.
    List { elements: Vec<E>, start: usize, room: usize },
    /// Boxed, so that a small block is no larger for it.
    Pages(Box<Pages>),
}

impl<E: Elementary> Held<E> {
    fn zeros(count: usize) -> Self {
        let wanted = large_pages().then(|| count.checked_mul(size_of::<E>())).flatten();
        match wanted.and_then(|bytes| Pages::zeros(bytes, plain::<E>)) {
            Some(pages) => Self::Pages(Box::new(pages)),
            None => Self::aligned(count),
        }
    }

    /// `count` zeros that begin at a cache line.
    ///
    /// COST: an allocator's block begins anywhere in a line, and every register that is read or written
    /// lies in two lines then.
    fn aligned(count: usize) -> Self {
        let spare = scratch::LINE / size_of::<E>().max(1);
        let mut elements = vec![E::zero(); count + spare];
        let start = elements.as_ptr().align_offset(scratch::LINE).min(spare);
        elements.truncate(start + count);
        Self::List { elements, start, room: count }
    }

    fn list(elements: Vec<E>) -> Self {
        let room = elements.capacity();
        Self::List { elements, start: 0, room }
    }

    /// The number of elements that there is room for.
    fn capacity(&self) -> usize {
        match self {
            Self::List { room, .. } => *room,
            Self::Pages(pages) => pages.room() / size_of::<E>(),
        }
    }
}

/// Whether bytes are seen as elements, as many as they are.
fn plain<E: Elementary>(bytes: &mut [u8]) -> bool {
    let count = bytes.len() / size_of::<E>().max(1);
    E::cast_bytes(bytes).is_some_and(|elements| elements.len() == count)
        && E::cast_bytes_mut(bytes).is_some_and(|elements| elements.len() == count)
}

impl<E: Elementary> Block<E> {
    /// `count` elements with whatever values; the caller writes all of them.
    #[inline]
    pub(crate) fn stale(count: usize) -> Self {
        if count.saturating_mul(size_of::<E>()) < SMALLEST || needs_drop::<E>() {
            return Self::from(vec![E::zero(); count]);
        }
        let Some(mut held) = pool().take::<E>(count) else {
            return Self { held: Held::zeros(count), counted: true };
        };
        match &mut held {
            Held::List { elements, start, .. } => elements.resize(*start + count, E::zero()),
            Held::Pages(pages) => pages.resize(count * size_of::<E>()),
        }
        let mut block = Self { held, counted: true };
        if cfg!(debug_assertions) {
            // Whoever reads what was not written shows.
            block.fill(E::from_f64(f64::NAN));
        }
        block
    }

    /// The elements as a list of the caller's own, out of the pool's sight.
    ///
    /// COST: O(1) for what came from a list, and for what is small; what is large is copied, or moved to
    /// the front of its list.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<E> {
        let capacity = self.held.capacity();
        let Held::List { elements, start, room } = &mut self.held else { return self.to_vec() };
        // What is left has no room: the pool keeps nothing of it.
        *room = 0;
        let mut elements = take(elements);
        elements.drain(..take(start));
        if take(&mut self.counted) {
            pool().stats.used_bytes -= capacity * size_of::<E>();
        }
        elements
    }

    /// `count` zeros.
    pub(crate) fn zeros(count: usize) -> Self {
        if count.saturating_mul(size_of::<E>()) < SMALLEST {
            return Self::from(vec![E::zero(); count]);
        }
        let mut block = Self::stale(count);
        block.fill(E::zero());
        block
    }
}

impl<E: Elementary> fmt::Debug for Block<E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (**self).fmt(f)
    }
}

impl<E: Elementary> From<Vec<E>> for Block<E> {
    fn from(elements: Vec<E>) -> Self {
        Self { held: Held::list(elements), counted: false }
    }
}

impl<E: Elementary> Deref for Block<E> {
    type Target = [E];
    #[inline]
    fn deref(&self) -> &[E] {
        match &self.held {
            Held::List { elements, start, .. } => &elements[*start..],
            Held::Pages(pages) => E::cast_bytes(pages.bytes()).expect(PLAIN),
        }
    }
}

impl<E: Elementary> DerefMut for Block<E> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [E] {
        match &mut self.held {
            Held::List { elements, start, .. } => &mut elements[*start..],
            Held::Pages(pages) => E::cast_bytes_mut(pages.bytes_mut()).expect(PLAIN),
        }
    }
}

impl<E: Elementary> Drop for Block<E> {
    fn drop(&mut self) {
        let bytes = self.held.capacity() * size_of::<E>();
        if bytes >= SMALLEST && !needs_drop::<E>() {
            let held = replace(&mut self.held, Held::list(Vec::new()));
            // What makes room is dropped behind the lock, as below.
            let given_up = pool().put(held, self.counted);
            drop(given_up);
        }
    }
}

/// What the pool of large blocks holds: see [`memory_stats`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct MemoryStats {
    /// Bytes that wait in the pool for their next use.
    pub pooled_bytes: usize,
    /// Bytes of the pool's blocks that are in use.
    pub used_bytes: usize,
    /// The largest number of bytes that were in use at one time.
    pub peak_bytes: usize,
}

/// The state of the process's pool: tensors of 64 KiB and more take their memory from it.
///
/// # Example
///
/// ```
/// let stats = poorgrad::memory_stats();
/// assert!(stats.pooled_bytes <= stats.peak_bytes);
/// ```
#[must_use]
pub fn memory_stats() -> MemoryStats {
    pool().stats
}

/// Whether large blocks that are made from now on lie on large pages, where the system has them; they
/// do unless told. It is a setting of the process, and changes nothing but on Linux with the feature `simd`.
///
/// What comes from memory is read faster on large pages (`cargo bench -p peers --bench pages`). They do not come from the program's
/// allocator, so that a counting one does not see them, and the system gives them in pieces of 2 MiB. What
/// there is already stays where it is, also what waits in the pool: [`trim_memory`] empties that.
///
/// # Example
///
/// ```
/// use poorgrad::{Tensor, large_pages, set_large_pages, trim_memory};
///
/// let before = large_pages();
/// set_large_pages(false);
/// trim_memory();
/// let from_the_allocator = Tensor::from_fn([1024, 1024], |_| 1.0_f32);
/// assert_eq!(from_the_allocator.get(&[1, 1]), Some(1.0));
/// set_large_pages(before);
/// ```
pub fn set_large_pages(wanted: bool) {
    LARGE_PAGES.store(wanted, Relaxed);
}

/// What [`set_large_pages`] was told last; true unless told.
///
/// # Example
///
/// ```
/// let wanted = poorgrad::large_pages();
/// poorgrad::set_large_pages(wanted);
/// ```
#[must_use]
pub fn large_pages() -> bool {
    LARGE_PAGES.load(Relaxed)
}

/// What [`set_large_pages`] was told last.
static LARGE_PAGES: AtomicBool = AtomicBool::new(true);

/// Gives what waits in the pool back to the system.
///
/// # Example
///
/// ```
/// poorgrad::trim_memory();
/// ```
pub fn trim_memory() {
    // Dropped behind the lock: giving memory back takes time.
    let shelves = {
        let mut pool = pool();
        pool.stats.pooled_bytes = 0;
        take(&mut pool.shelves)
    };
    drop(shelves);
}

#[cfg(test)]
mod tests {
    use super::pool::Pool;
    use super::*;
    use std::collections::BTreeMap;

    #[test]
    fn a_large_block_comes_back() {
        // A type of its own size class: other tests use the pool at the same time.
        let count = 1_234_567;
        let mut block = Block::<f64>::stale(count);
        block.fill(3.0);
        let address = block.as_ptr();
        assert!(memory_stats().used_bytes >= count * 8);
        drop(block);
        let again = Block::<f64>::stale(count);
        assert_eq!(again.as_ptr(), address);
        if cfg!(debug_assertions) {
            assert!(again.iter().all(|x| x.is_nan()));
        }
        drop(again);
        assert!(Block::<f64>::zeros(count).iter().all(|&x| x == 0.0));
    }

    #[cfg(all(feature = "simd", target_os = "linux"))]
    #[test]
    fn what_is_large_begins_at_a_large_page() {
        let count = 3_000_017;
        let mut block = Block::<f32>::zeros(count);
        assert_eq!(block.as_ptr().addr() % (1 << 21), 0);
        (block[0], block[count - 1]) = (1.0, 2.0);
        let list = block.into_vec();
        assert_eq!((list.len(), list[0], list[1], list[count - 1]), (count, 1.0, 0.0, 2.0));
    }

    #[test]
    fn what_is_no_longer_asked_for_makes_room() {
        let mut pool =
            Pool { shelves: BTreeMap::new(), stats: MemoryStats::default(), count: 0, swept: 0 };
        let take = |pool: &mut Pool, count: usize| {
            pool.take::<f32>(count).unwrap_or_else(|| Held::zeros(count))
        };
        let (small, large) = (1 << 18, 1 << 22);
        for _ in 0..2 {
            let block = take(&mut pool, small);
            assert!(pool.put(block, true).is_empty());
        }
        let block = take(&mut pool, large);
        let address = |held: &Held<f32>| match held {
            Held::List { elements, start, .. } => elements[*start..].as_ptr(),
            Held::Pages(pages) => pages.bytes().as_ptr().cast(),
        };
        let first = address(&block);
        assert_eq!(pool.put(block, true).len(), 1, "the small one leaves");
        assert_eq!(pool.stats.pooled_bytes, 4 * large);
        let again = take(&mut pool, large);
        assert_eq!(address(&again), first);
        assert!(pool.put(again, true).is_empty());
        assert_eq!(pool.put(Held::list(vec![0.0_f32; 2 * large]), false).len(), 1, "past the peak");
        assert!(pool.stats.pooled_bytes <= pool.stats.peak_bytes);
    }

    #[test]
    fn shelves_of_sizes_that_no_longer_come_are_taken_away() {
        let mut pool =
            Pool { shelves: BTreeMap::new(), stats: MemoryStats::default(), count: 0, swept: 0 };
        for size in 1..2000 {
            let held = pool.take::<f32>(1 << 16).unwrap_or_else(|| Held::list(vec![0.0; 1 << 16]));
            assert!(pool.put(held, true).is_empty());
            // What is taken and does not come back leaves an empty shelf.
            assert!(pool.put(Held::list(vec![0.0_f64; size]), false).len() <= 1);
            drop(pool.take::<f64>(size));
            pool.stats.used_bytes = 0;
        }
        assert!(pool.shelves.len() < 200, "{}", pool.shelves.len());
    }

    #[test]
    fn what_was_taken_out_leaves_nothing_in_the_pool() {
        // Of a size of their own: the pool serves whoever asks for as much.
        let count = 765_431;
        // There is room in the pool.
        drop(Block::<f32>::stale(4 * count));
        let counted = || {
            let pool = pool();
            let shelf = pool.shelves.get(&(std::any::TypeId::of::<f32>(), count));
            shelf.map_or(0, |shelf| shelf.blocks.len())
        };
        drop(Block::from(vec![0.0_f32; count].into_boxed_slice().into_vec()).into_vec());
        assert_eq!(counted(), 0);
    }

    #[test]
    fn what_users_bring_is_kept_only_within_the_peak() {
        let brought = Block::from(vec![1.0_f32; 60_000_000]);
        let before = memory_stats();
        drop(brought);
        assert!(memory_stats().pooled_bytes <= memory_stats().peak_bytes.max(before.peak_bytes));
    }
}
