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

use super::Elementary;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::mem::{needs_drop, take};
use std::ops::{Deref, DerefMut};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Smaller blocks stay with the allocator, which recycles them itself.
const SMALLEST: usize = 1 << 20;

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
#[derive(Debug)]
pub struct Block<E: Elementary> {
    elements: Vec<E>,
    /// Whether the pool counts this block among those in use.
    counted: bool,
}

impl<E: Elementary> Block<E> {
    /// `count` elements with whatever values; the caller writes all of them.
    #[inline]
    pub(crate) fn stale(count: usize) -> Self {
        if count.saturating_mul(size_of::<E>()) < SMALLEST || needs_drop::<E>() {
            return Self { elements: vec![E::zero(); count], counted: false };
        }
        let recycled = pool().take::<E>(count);
        let Some(mut elements) = recycled else {
            return Self { elements: vec![E::zero(); count], counted: true };
        };
        elements.resize(count, E::zero());
        if cfg!(debug_assertions) {
            // Whoever reads what was not written shows.
            elements.fill(E::from_f64(f64::NAN));
        }
        Self { elements, counted: true }
    }

    /// The elements as a list of the caller's own, out of the pool's sight.
    #[must_use]
    pub fn into_vec(mut self) -> Vec<E> {
        if take(&mut self.counted) {
            pool().stats.used_bytes -= self.elements.capacity() * size_of::<E>();
        }
        take(&mut self.elements)
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

impl<E: Elementary> From<Vec<E>> for Block<E> {
    fn from(elements: Vec<E>) -> Self {
        Self { elements, counted: false }
    }
}

impl<E: Elementary> Deref for Block<E> {
    type Target = [E];
    #[inline]
    fn deref(&self) -> &[E] {
        &self.elements
    }
}

impl<E: Elementary> DerefMut for Block<E> {
    #[inline]
    fn deref_mut(&mut self) -> &mut [E] {
        &mut self.elements
    }
}

impl<E: Elementary> Drop for Block<E> {
    fn drop(&mut self) {
        let bytes = self.elements.capacity() * size_of::<E>();
        if bytes >= SMALLEST && !needs_drop::<E>() {
            // What makes room is dropped behind the lock, as below.
            let given_up = pool().put(take(&mut self.elements), self.counted);
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

/// The state of the process's pool: tensors of 1 MiB and more take their memory from it.
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

/// The blocks of one type and capacity.
#[derive(Default)]
struct Shelf {
    /// Each a `Vec` of the type.
    blocks: Vec<Box<dyn Any + Send>>,
    /// The size of each.
    bytes: usize,
    /// When a block was last put here or taken, by the pool's count.
    used_at: u64,
}

struct Pool {
    shelves: BTreeMap<(TypeId, usize), Shelf>,
    stats: MemoryStats,
    /// Blocks put and taken so far.
    count: u64,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    shelves: BTreeMap::new(),
    stats: MemoryStats { pooled_bytes: 0, used_bytes: 0, peak_bytes: 0 },
    count: 0,
});

/// The lock guards a map and three numbers that no panic leaves half done.
fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    fn take<E: Elementary>(&mut self, count: usize) -> Option<Vec<E>> {
        let bytes = count * size_of::<E>();
        // A block may serve for one that is a little smaller.
        let range = (TypeId::of::<E>(), count)..=(TypeId::of::<E>(), count + count / 4);
        self.count += 1;
        let found = self.shelves.range_mut(range).find_map(|(_, shelf)| {
            shelf.used_at = self.count;
            shelf.blocks.pop()
        });
        let elements = found.and_then(|any| any.downcast::<Vec<E>>().ok()).map(|boxed| *boxed);
        let taken = elements.as_ref().map_or(bytes, |found| found.capacity() * size_of::<E>());
        if elements.is_some() {
            self.stats.pooled_bytes -= taken;
        }
        self.stats.used_bytes += taken;
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.stats.used_bytes);
        elements
    }

    /// Keeps a block where the peak allows it; returns what had to make room.
    ///
    /// COST: room is made by what was not used for longest. Were the newcomer refused instead, blocks
    /// of sizes that nobody asks for any more would keep out those that come and go.
    fn put<E: Elementary>(&mut self, elements: Vec<E>, counted: bool) -> Vec<Box<dyn Any + Send>> {
        let capacity = elements.capacity();
        let bytes = capacity * size_of::<E>();
        if counted {
            self.stats.used_bytes -= bytes;
        }
        let mut given_up: Vec<Box<dyn Any + Send>> = Vec::new();
        let room = self.stats.peak_bytes.checked_sub(self.stats.used_bytes + bytes);
        let Some(room) = room else { return vec![Box::new(elements)] };
        while self.stats.pooled_bytes > room {
            let filled = self.shelves.values_mut().filter(|shelf| !shelf.blocks.is_empty());
            let Some(oldest) = filled.min_by_key(|shelf| shelf.used_at) else { break };
            given_up.extend(oldest.blocks.pop());
            self.stats.pooled_bytes -= oldest.bytes;
        }
        self.shelves.retain(|_, shelf| !shelf.blocks.is_empty());
        self.count += 1;
        self.stats.pooled_bytes += bytes;
        let shelf = self.shelves.entry((TypeId::of::<E>(), capacity)).or_default();
        shelf.blocks.push(Box::new(elements));
        (shelf.bytes, shelf.used_at) = (bytes, self.count);
        given_up
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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

    #[test]
    fn what_is_no_longer_asked_for_makes_room() {
        let mut pool = Pool { shelves: BTreeMap::new(), stats: MemoryStats::default(), count: 0 };
        let take = |pool: &mut Pool, count: usize| {
            pool.take::<f32>(count).unwrap_or_else(|| vec![0.0_f32; count])
        };
        let (small, large) = (1 << 18, 1 << 22);
        for _ in 0..2 {
            let block = take(&mut pool, small);
            assert!(pool.put(block, true).is_empty());
        }
        let block = take(&mut pool, large);
        let address = block.as_ptr();
        assert_eq!(pool.put(block, true).len(), 1, "the small one leaves");
        assert_eq!(pool.stats.pooled_bytes, 4 * large);
        let again = take(&mut pool, large);
        assert_eq!(again.as_ptr(), address);
        assert!(pool.put(again, true).is_empty());
        assert_eq!(pool.put(vec![0.0_f32; 2 * large], false).len(), 1, "past the peak");
        assert!(pool.stats.pooled_bytes <= pool.stats.peak_bytes);
    }

    #[test]
    fn what_users_bring_is_kept_only_within_the_peak() {
        let brought = Block::from(vec![1.0_f32; 60_000_000]);
        let before = memory_stats();
        drop(brought);
        assert!(memory_stats().pooled_bytes <= memory_stats().peak_bytes.max(before.peak_bytes));
    }
}
