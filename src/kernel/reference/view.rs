//! `View`: a slice read through extents, strides and an offset, and the walks that the
//! definitions are written with.
//!
//! INVARIANT: every index within the extents reads an element of the slice.

use crate::kernel::walk::product_of;
use std::fmt;

/// A borrowed, strided, read-only array: element `[i, j, ..]` is
/// `elements[offset + i * strides[0] + j * strides[1] + ..]`.
///
/// A stride of 0 repeats, so that one element can stand for any number.
///
/// # Example
///
/// ```
/// use poorgrad::reference::View;
///
/// let elements = [1, 2, 3, 4, 5, 6];
/// let transposed = View::new(&elements, &[3, 2], &[1, 3], 0);
/// assert_eq!(transposed.at(&[2, 1]), &6);
/// assert_eq!(transposed.to_vec(), [1, 4, 2, 5, 3, 6]);
/// ```
pub struct View<'a, E> {
    pub(crate) elements: &'a [E],
    pub(crate) extents: &'a [usize],
    pub(crate) strides: &'a [usize],
    pub(crate) offset: usize,
}

impl<E> Clone for View<'_, E> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<E> Copy for View<'_, E> {}

impl<E> fmt::Debug for View<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("View")
            .field("extents", &self.extents)
            .field("strides", &self.strides)
            .field("offset", &self.offset)
            .finish_non_exhaustive()
    }
}

impl<'a, E> View<'a, E> {
    /// The view of `elements` with these extents, strides and offset.
    ///
    /// # Panics
    ///
    /// Panics where the extents and strides differ in number, or reach past the slice.
    #[must_use]
    pub fn new(
        elements: &'a [E],
        extents: &'a [usize],
        strides: &'a [usize],
        offset: usize,
    ) -> Self {
        assert_eq!(extents.len(), strides.len(), "view: one stride per extent");
        if !extents.contains(&0) {
            let reach = extents.iter().zip(strides).try_fold(offset, |reach, (extent, stride)| {
                (extent - 1).checked_mul(*stride)?.checked_add(reach)
            });
            assert!(
                reach.is_some_and(|reach| reach < elements.len()),
                "view: extents {extents:?} with strides {strides:?} from {offset} reach past {} elements",
                elements.len(),
            );
        }
        Self { elements, extents, strides, offset }
    }

    /// The extents.
    #[must_use]
    pub fn extents(&self) -> &'a [usize] {
        self.extents
    }

    /// The number of elements.
    #[must_use]
    pub fn count(&self) -> usize {
        product_of(self.extents)
    }

    /// The element at an index.
    ///
    /// # Panics
    ///
    /// Panics where the index has another rank or leaves the extents.
    #[must_use]
    pub fn at(&self, index: &[usize]) -> &'a E {
        assert_eq!(index.len(), self.extents.len(), "view: one index per axis");
        let mut position = self.offset;
        for axis in 0..index.len() {
            assert!(
                index[axis] < self.extents[axis],
                "view: index {index:?} leaves {:?}",
                self.extents
            );
            position += index[axis] * self.strides[axis];
        }
        &self.elements[position]
    }

    /// The elements in row-major order.
    #[must_use]
    pub fn to_vec(&self) -> Vec<E>
    where
        E: Clone,
    {
        let mut out = Vec::with_capacity(self.count());
        each_index(self.extents, |index| out.push(self.at(index).clone()));
        out
    }
}

/// Calls `visit` with every index of `extents`, in row-major order.
pub(super) fn each_index(extents: &[usize], mut visit: impl FnMut(&[usize])) {
    if extents.contains(&0) {
        return;
    }
    let mut index = vec![0; extents.len()];
    loop {
        visit(&index);
        let mut axis = extents.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < extents[axis] {
                break;
            }
            index[axis] = 0;
        }
    }
}

/// The row-major position of an index.
pub(super) fn position(extents: &[usize], index: &[usize]) -> usize {
    extents.iter().zip(index).fold(0, |position, (extent, i)| position * extent + i)
}

/// Calls `visit` with every line of `x` over the ascending `axes`: the elements, row-major over
/// those axes, and the row-major position of each in an array of the extents of `x`. Lines come
/// in row-major order of the other axes.
pub(super) fn each_line<E: Clone>(
    x: View<'_, E>,
    axes: &[usize],
    mut visit: impl FnMut(&[E], &[usize]),
) {
    let kept = (0..x.extents.len()).filter(|axis| !axes.contains(axis)).collect::<Vec<_>>();
    let extents_of = |axes: &[usize]| axes.iter().map(|&axis| x.extents[axis]).collect::<Vec<_>>();
    let (outer, inner) = (extents_of(&kept), extents_of(axes));
    let mut index = vec![0; x.extents.len()];
    let (mut line, mut positions) = (Vec::new(), Vec::new());
    each_index(&outer, |at| {
        line.clear();
        positions.clear();
        kept.iter().zip(at).for_each(|(&axis, &i)| index[axis] = i);
        each_index(&inner, |at| {
            axes.iter().zip(at).for_each(|(&axis, &i)| index[axis] = i);
            line.push(x.at(&index).clone());
            positions.push(position(x.extents, &index));
        });
        visit(&line, &positions);
    });
}
