//! Scratch: memory that a thread works in and keeps for its next work.
//!
//! COST: what is packed or computed on the way is some kilobytes, thousands of times a second: a
//! thread that keeps them neither asks the allocator nor touches fresh pages.

use super::Elementary;
use std::any::Any;
use std::cell::RefCell;

/// COST: bytes of a cache line, and of the widest register. An allocator's blocks begin anywhere in one, and then
/// every register that is read or written lies in two.
pub(crate) const LINE: usize = 64;

thread_local! {
    /// Lists that nobody on this thread uses, one or two for each type of element.
    static SHELF: RefCell<Vec<Box<dyn Any>>> = const { RefCell::new(Vec::new()) };
}

/// Runs `work` on a list of this thread, with whatever elements it holds.
pub(crate) fn with_list<E: Elementary, R>(work: impl FnOnce(&mut Vec<E>) -> R) -> R {
    let taken = SHELF.with_borrow_mut(|shelf| {
        // The last that was given back: of lists within one another each is the same one again.
        let at = shelf.iter().rposition(|list| list.is::<Vec<E>>())?;
        Some(shelf.remove(at))
    });
    let taken = taken.and_then(|list| list.downcast::<Vec<E>>().ok());
    let mut list = taken.unwrap_or_default();
    let result = work(&mut list);
    SHELF.with_borrow_mut(|shelf| shelf.push(list));
    result
}

/// Runs `work` on `count` elements of this thread, with whatever values.
pub(crate) fn with<E: Elementary, R>(count: usize, work: impl FnOnce(&mut [E]) -> R) -> R {
    with_list(|list: &mut Vec<E>| {
        let spare = LINE / size_of::<E>().max(1);
        if list.len() < count + spare {
            list.resize(count + spare, E::zero());
        }
        // Elements whose size divides no line lie where they lie.
        let start = list.as_ptr().align_offset(LINE).min(spare);
        work(&mut list[start..][..count])
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_thread_gets_its_list_back_and_another_inside() {
        let address = |list: &[f64]| list.as_ptr().addr();
        let first = with(100, |list: &mut [f64]| {
            let outer = address(list);
            with(100, |inner: &mut [f64]| assert_ne!(address(inner), outer));
            with(100, |other: &mut [f32]| assert_eq!(other.len(), 100));
            outer
        });
        let both = with(10, |list: &mut [f64]| {
            [address(list), with(10, |inner: &mut [f64]| address(inner))]
        });
        assert!(both.contains(&first));
    }
}
