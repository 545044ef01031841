//! The pool of large blocks.

use super::{Held, MemoryStats};
use crate::kernel::Elementary;
use std::any::{Any, TypeId};
use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The blocks of one type and capacity.
#[derive(Default)]
pub(super) struct Shelf {
    /// Each a `Held` of the type.
    pub(super) blocks: Vec<Box<dyn Any + Send>>,
    /// The size of each.
    bytes: usize,
    /// When a block was last put here or taken, by the pool's count.
    used_at: u64,
}

pub(super) struct Pool {
    pub(super) shelves: BTreeMap<(TypeId, usize), Shelf>,
    pub(super) stats: MemoryStats,
    /// Blocks put and taken so far.
    pub(super) count: u64,
    /// The count when empty shelves were last taken away.
    pub(super) swept: u64,
}

/// Blocks put and taken before empty shelves are taken away again.
///
/// COST: a look at every shelf, and a size that comes and goes keeps its shelf meanwhile.
const SWEEP: u64 = 256;

static POOL: Mutex<Pool> = Mutex::new(Pool {
    shelves: BTreeMap::new(),
    stats: MemoryStats { pooled_bytes: 0, used_bytes: 0, peak_bytes: 0 },
    count: 0,
    swept: 0,
});

/// The lock guards a map and three numbers that no panic leaves half done.
pub(super) fn pool() -> MutexGuard<'static, Pool> {
    POOL.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Pool {
    pub(super) fn take<E: Elementary>(&mut self, count: usize) -> Option<Held<E>> {
        let bytes = count * size_of::<E>();
        // A block may serve for one that is a little smaller.
        let range = (TypeId::of::<E>(), count)..=(TypeId::of::<E>(), count + count / 4);
        self.count += 1;
        let found = self.shelves.range_mut(range).find_map(|(_, shelf)| {
            shelf.used_at = self.count;
            shelf.blocks.pop()
        });
        let held = found.and_then(|any| any.downcast::<Held<E>>().ok()).map(|boxed| *boxed);
        let taken = held.as_ref().map_or(bytes, |found| found.capacity() * size_of::<E>());
        if held.is_some() {
            self.stats.pooled_bytes -= taken;
        }
        self.stats.used_bytes += taken;
        self.stats.peak_bytes = self.stats.peak_bytes.max(self.stats.used_bytes);
        held
    }

    /// Keeps a block where the peak allows it; returns what had to make room.
    ///
    /// COST: room is made by what was not used for longest. Were the newcomer refused instead, blocks
    /// of sizes that nobody asks for any more would keep out those that come and go.
    pub(super) fn put<E: Elementary>(
        &mut self,
        held: Held<E>,
        counted: bool,
    ) -> Vec<Box<dyn Any + Send>> {
        let capacity = held.capacity();
        let bytes = capacity * size_of::<E>();
        if counted {
            self.stats.used_bytes -= bytes;
        }
        let mut given_up: Vec<Box<dyn Any + Send>> = Vec::new();
        let room = self.stats.peak_bytes.checked_sub(self.stats.used_bytes + bytes);
        let Some(room) = room else { return vec![Box::new(held)] };
        while self.stats.pooled_bytes > room {
            let filled = self.shelves.values_mut().filter(|shelf| !shelf.blocks.is_empty());
            let Some(oldest) = filled.min_by_key(|shelf| shelf.used_at) else { break };
            given_up.extend(oldest.blocks.pop());
            self.stats.pooled_bytes -= oldest.bytes;
        }
        self.count += 1;
        if self.count - self.swept >= SWEEP {
            self.swept = self.count;
            self.shelves.retain(|_, shelf| !shelf.blocks.is_empty());
        }
        self.stats.pooled_bytes += bytes;
        let shelf = self.shelves.entry((TypeId::of::<E>(), capacity)).or_default();
        shelf.blocks.push(Box::new(held));
        (shelf.bytes, shelf.used_at) = (bytes, self.count);
        given_up
    }
}
