//! `Arena`: an append-only store with stable references and reads without a lock.
//!
//! Segments double in size, so a push never moves what is there. One thread at a time appends
//! (the network's append lock sees to it); any number read. INVARIANT: every slot below the
//! published length is set.
//!
//! A segment is a list of chunks, and a chunk is allocated when its first slot is used. COST: the
//! hop to the chunk is paid back by recording, a tenth faster than with segments in one piece:
//! a chunk's slots are still in the nearest cache when they are set, and the heap hands out
//! again what a network of the same size gave back, where large pieces are mapped afresh.

use super::sync::{AtomicUsize, OnceLock, Ordering};

/// The first segment holds 16 items, segment `s` holds `16 << s`: 28 of them pass `u32::MAX`.
#[cfg(not(loom))]
const FIRST: usize = 16;
#[cfg(not(loom))]
const SEGMENTS: usize = 28;
#[cfg(not(loom))]
const CHUNK: usize = 64;
// The model checker follows every cell: it gets few.
#[cfg(loom)]
const FIRST: usize = 2;
#[cfg(loom)]
const SEGMENTS: usize = 2;
#[cfg(loom)]
const CHUNK: usize = 2;

/// The slots of up to `CHUNK` items.
type Chunk<T> = OnceLock<Box<[OnceLock<T>]>>;
/// The chunks of a segment.
type Segment<T> = OnceLock<Box<[Chunk<T>]>>;

pub(crate) struct Arena<T> {
    // Behind a cell of its own, so that an empty arena (every fork has one) costs no allocation.
    segments: OnceLock<Box<[Segment<T>]>>,
    length: AtomicUsize,
}

impl<T> Arena<T> {
    pub(crate) fn new() -> Self {
        Self { segments: OnceLock::new(), length: AtomicUsize::new(0) }
    }

    pub(crate) fn len(&self) -> usize {
        self.length.load(Ordering::Acquire)
    }

    /// Appends under the caller's exclusion of other appends, and returns the position.
    pub(crate) fn push(&self, item: T) -> usize {
        let index = self.length.load(Ordering::Relaxed);
        let (segment, offset) = place(index);
        let size = FIRST << segment;
        let segments = self.segments.get_or_init(|| unset(SEGMENTS));
        let chunks = segments[segment].get_or_init(|| unset(size.div_ceil(CHUNK)));
        let slots = chunks[offset / CHUNK].get_or_init(|| unset(size.min(CHUNK)));
        let unset = slots[offset % CHUNK].set(item).is_ok();
        debug_assert!(unset, "invariant: one thread appends at a time");
        self.length.store(index + 1, Ordering::Release);
        index
    }

    /// The item at a position below a length that the caller has seen.
    #[inline]
    pub(crate) fn get(&self, index: usize) -> &T {
        let (segment, offset) = place(index);
        self.segments
            .get()
            .and_then(|segments| segments[segment].get())
            .and_then(|chunks| chunks[offset / CHUNK].get())
            .and_then(|slots| slots[offset % CHUNK].get())
            .expect("invariant: positions below the length are set")
    }

    /// The first `count` items in order, chunk by chunk.
    pub(crate) fn iter(&self, count: usize) -> impl Iterator<Item = &T> {
        let segments = self.segments.get().map_or(&[][..], |segments| &segments[..]);
        segments
            .iter()
            .map_while(OnceLock::get)
            .flat_map(|chunks| chunks.iter())
            .map_while(OnceLock::get)
            .flat_map(|slots| slots.iter())
            .map_while(OnceLock::get)
            .take(count)
    }
}

fn unset<T>(count: usize) -> Box<[OnceLock<T>]> {
    (0..count).map(|_| OnceLock::new()).collect()
}

#[inline]
fn place(index: usize) -> (usize, usize) {
    let shifted = index + FIRST;
    let segment = (shifted.ilog2() - FIRST.ilog2()) as usize;
    (segment, shifted - (FIRST << segment))
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    #[test]
    fn items_stay_where_they_are() {
        let arena = Arena::new();
        let positions: Vec<usize> = (0..1000).map(|item| arena.push(item)).collect();
        assert_eq!(positions, (0..1000).collect::<Vec<_>>());
        let first: *const i32 = arena.get(0);
        (1000..5000).for_each(|item| {
            arena.push(item);
        });
        assert!(std::ptr::eq(first, arena.get(0)));
        assert!(arena.iter(5000).copied().eq(0..5000));
        assert_eq!(arena.iter(17).count(), 17);
    }

    #[test]
    fn an_empty_arena_iterates_nothing() {
        assert_eq!(Arena::<u8>::new().iter(0).count(), 0);
    }
}
