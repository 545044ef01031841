//! `Chain`: a sequence that forks in O(1). Shared parts in front, one arena of its own behind.
//!
//! A fork freezes its parent's length and continues in a new, empty arena: what either side
//! appends afterwards the other never sees. A parent that appended nothing of its own since its
//! last fork is skipped, so that a long line of generations does not grow the list of parts.
//! The parts carry the identity of the branch that appended them, which is what makes a symbol
//! of one fork unknown to another.

use super::arena::Arena;
use super::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// The identity of one fork's own arena, unique in the process.
pub(crate) type Branch = u64;

/// A number never handed out before in this process.
pub(crate) fn unique() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

/// Positions `start..end` of a sequence, appended by `branch`.
pub(crate) struct Part<T> {
    branch: Branch,
    arena: Arc<Arena<T>>,
    start: usize,
    end: usize,
}

impl<T> Clone for Part<T> {
    fn clone(&self) -> Self {
        Self { arena: self.arena.clone(), ..*self }
    }
}

pub(crate) struct Chain<T> {
    trunk: Arc<[Part<T>]>,
    base: usize,
    branch: Branch,
    own: Arc<Arena<T>>,
}

/// Shares the same tip: for readers. `fork` is what a second writer needs.
impl<T> Clone for Chain<T> {
    fn clone(&self) -> Self {
        Self { trunk: self.trunk.clone(), own: self.own.clone(), ..*self }
    }
}

impl<T> Chain<T> {
    pub(crate) fn new() -> Self {
        Self { trunk: Arc::from([]), base: 0, branch: unique(), own: Arc::new(Arena::new()) }
    }

    pub(crate) fn from_items(items: impl IntoIterator<Item = T>) -> Self {
        let chain = Self::new();
        for item in items {
            chain.push(item);
        }
        chain
    }

    pub(crate) fn len(&self) -> usize {
        self.base + self.own.len()
    }

    /// Appends under the caller's exclusion of other appends.
    pub(crate) fn push(&self, item: T) -> usize {
        self.base + self.own.push(item)
    }

    #[inline]
    pub(crate) fn get(&self, index: usize) -> &T {
        if index >= self.base {
            return self.own.get(index - self.base);
        }
        let part = self.part(index);
        part.arena.get(index - part.start)
    }

    fn part(&self, index: usize) -> &Part<T> {
        match &*self.trunk {
            [only] => only,
            parts => &parts[parts.partition_point(|part| part.end <= index)],
        }
    }

    /// The branch that appends here.
    pub(crate) fn branch(&self) -> Branch {
        self.branch
    }

    /// The branch that appended the item at `index`.
    pub(crate) fn branch_of(&self, index: usize) -> Branch {
        if index >= self.base { self.branch } else { self.part(index).branch }
    }

    /// The first `length` items in order.
    pub(crate) fn iter(&self, length: usize) -> impl Iterator<Item = &T> {
        let own = self.own.iter(length.saturating_sub(self.base));
        self.trunk
            .iter()
            .take_while(move |part| part.start < length)
            .flat_map(move |part| part.arena.iter(part.end.min(length) - part.start))
            .chain(own)
    }

    /// A sequence with the same items and a tip of its own.
    ///
    /// COST: O(1) in the length; the list of parts is copied where the parent has appended since
    /// its own fork.
    pub(crate) fn fork(&self) -> Self {
        let length = self.len();
        let trunk = if length == self.base {
            self.trunk.clone()
        } else {
            let own = Part {
                branch: self.branch,
                arena: self.own.clone(),
                start: self.base,
                end: length,
            };
            self.trunk.iter().cloned().chain([own]).collect()
        };
        Self { trunk, base: length, branch: unique(), own: Arc::new(Arena::new()) }
    }

    /// How many items in front two sequences have in common, of the first `lengths` of each.
    pub(crate) fn common_prefix(&self, other: &Self, lengths: (usize, usize)) -> usize {
        let ends = |chain: &Self, length: usize| {
            let own = (chain.branch, length);
            let parts = chain.trunk.iter().map(|part| (part.branch, part.end));
            parts
                .chain([own])
                .map(move |(branch, end)| (branch, end.min(length)))
                .collect::<Vec<_>>()
        };
        let mut common = 0;
        for (left, right) in ends(self, lengths.0).into_iter().zip(ends(other, lengths.1)) {
            if left.0 != right.0 {
                break;
            }
            common = left.1.min(right.1);
            if left.1 != right.1 {
                break;
            }
        }
        common
    }

    /// How many items others appended to shared parts behind the positions seen here.
    pub(crate) fn foreign(&self) -> usize {
        self.trunk.iter().fold(0, |count, part| count + part.arena.len() - (part.end - part.start))
    }

    /// The same branches over one private arena made of `items`, one for each of this sequence's
    /// first `length` items: identities stay, storage shared with others is let go.
    pub(crate) fn rebuilt(&self, length: usize, items: impl IntoIterator<Item = T>) -> Self {
        let mut items = items.into_iter();
        let mut part = |branch, start, end: usize| {
            let arena = Arena::new();
            items.by_ref().take(end - start).for_each(|item| {
                arena.push(item);
            });
            Part { branch, arena: Arc::new(arena), start, end }
        };
        let mut parts: Vec<_> =
            self.trunk.iter().map(|old| part(old.branch, old.start, old.end)).collect();
        if length > self.base {
            parts.push(part(self.branch, self.base, length));
        }
        Self { trunk: parts.into(), base: length, branch: unique(), own: Arc::new(Arena::new()) }
    }
}

#[cfg(all(test, not(loom)))]
mod tests {
    use super::*;

    fn items(chain: &Chain<usize>) -> Vec<usize> {
        chain.iter(chain.len()).copied().collect()
    }

    #[test]
    fn forks_share_the_past_and_not_the_future() {
        let a = Chain::from_items(0..20);
        let b = a.fork();
        a.push(100);
        b.push(200);
        let c = b.fork().fork().fork();
        c.push(300);
        assert_eq!(a.len(), 21);
        assert_eq!(items(&a)[20..], [100]);
        assert_eq!(items(&b)[20..], [200]);
        assert_eq!(items(&c)[20..], [200, 300]);
        assert_eq!(*c.get(20), 200);
        assert_eq!(*c.get(3), 3);
        assert_eq!(a.common_prefix(&b, (21, 21)), 20);
        assert_eq!(b.common_prefix(&c, (21, 22)), 21);
        assert_eq!(a.common_prefix(&c, (21, 22)), 20);
        assert_eq!(c.branch_of(20), b.branch_of(20));
        assert_ne!(a.branch_of(20), b.branch_of(20));
    }

    #[test]
    fn empty_generations_do_not_grow_the_trunk() {
        let mut chain = Chain::from_items(0..3);
        for _ in 0..100 {
            chain = chain.fork();
        }
        assert_eq!(chain.trunk.len(), 1);
    }

    #[test]
    fn rebuilding_keeps_branches() {
        let a = Chain::from_items(0..5);
        let b = a.fork();
        b.push(5);
        let c = b.rebuilt(6, 0..6);
        assert_eq!(items(&c), [0, 1, 2, 3, 4, 5]);
        assert!((0..6).all(|index| c.branch_of(index) == b.branch_of(index)));
        assert_eq!(b.common_prefix(&c, (6, 6)), 6);
    }
}
