//! `Shape`: the extents of a payload, without allocation up to rank 4.

use std::cmp::Ordering;
use std::fmt;
use std::ops::Deref;
use std::sync::Arc;

const INLINE: usize = 4;

/// The extents of a payload, outermost axis first; `[]` is a scalar.
///
/// # Example
///
/// ```
/// use poorgrad::Shape;
///
/// let shape = Shape::from([2, 3]);
/// assert_eq!(shape.rank(), 2);
/// assert_eq!(shape.volume(), Some(6));
/// assert_eq!(shape.to_string(), "[2, 3]");
/// assert_eq!(Shape::from([usize::MAX, 2]).volume(), None);
/// ```
#[derive(Clone)]
pub struct Shape(Extents);

#[derive(Clone)]
enum Extents {
    Inline(u8, [usize; INLINE]),
    /// The volume beside the extents: a line of text may ask for that of any number of axes.
    /// COST: shared, so that a copy of a shape takes no memory of its own, whatever its rank.
    Heap(Arc<[usize]>, Option<usize>),
}

/// The product of extents, `None` where it does not fit.
pub(crate) fn volume_of(mut extents: impl Iterator<Item = usize> + Clone) -> Option<usize> {
    if extents.clone().any(|extent| extent == 0) {
        return Some(0);
    }
    let volume = extents.try_fold(1_usize, |product, extent| product.checked_mul(extent))?;
    (volume <= isize::MAX as usize / 16).then_some(volume)
}

impl Extents {
    fn on_heap(extents: Arc<[usize]>) -> Self {
        let volume = volume_of(extents.iter().copied());
        Self::Heap(extents, volume)
    }
}

impl Shape {
    /// The shape of a scalar, `[]`.
    #[must_use]
    pub const fn scalar() -> Self {
        Self(Extents::Inline(0, [0; INLINE]))
    }

    /// The shape with these extents.
    #[must_use]
    pub fn new(extents: &[usize]) -> Self {
        if extents.len() <= INLINE {
            let mut inline = [0; INLINE];
            inline[..extents.len()].copy_from_slice(extents);
            Self(Extents::Inline(extents.len() as u8, inline))
        } else {
            Self(Extents::on_heap(extents.into()))
        }
    }

    /// The shape of `rank` extents, made without allocation up to rank 4.
    #[inline]
    pub(crate) fn from_fn(rank: usize, extent: impl FnMut(usize) -> usize) -> Self {
        if rank <= INLINE {
            let mut inline = [0; INLINE];
            inline.iter_mut().zip((0..rank).map(extent)).for_each(|(to, extent)| *to = extent);
            Self(Extents::Inline(rank as u8, inline))
        } else {
            Self(Extents::on_heap((0..rank).map(extent).collect()))
        }
    }

    /// The number of axes.
    #[inline]
    #[must_use]
    pub fn rank(&self) -> usize {
        self.len()
    }

    /// The number of elements, `None` where it (or its size in bytes at 16 bytes an element)
    /// does not fit the address space. A zero extent anywhere makes the volume zero.
    #[must_use]
    pub fn volume(&self) -> Option<usize> {
        match &self.0 {
            Extents::Inline(rank, extents) => volume_of(extents[..*rank as usize].iter().copied()),
            Extents::Heap(_, volume) => *volume,
        }
    }

    /// The volume of a shape that was checked when it was made.
    #[inline]
    pub(crate) fn count(&self) -> usize {
        // Wraps only where another extent is 0, and makes 0 of it.
        self.iter().fold(1_usize, |count, &extent| count.wrapping_mul(extent))
    }

    /// The extents as a slice.
    #[must_use]
    pub fn extents(&self) -> &[usize] {
        self
    }

    /// This shape with `extent` at `axis`.
    pub(crate) fn with_extent(&self, axis: usize, extent: usize) -> Self {
        Self::from_fn(self.len(), |i| if i == axis { extent } else { self[i] })
    }

    /// This shape with a new axis of `extent` before `axis`.
    pub(crate) fn with_axis(&self, axis: usize, extent: usize) -> Self {
        Self::from_fn(self.len() + 1, |i| match i.cmp(&axis) {
            Ordering::Less => self[i],
            Ordering::Equal => extent,
            Ordering::Greater => self[i - 1],
        })
    }

    /// This shape without the (ascending, distinct) `axes`.
    pub(crate) fn without_axes(&self, axes: &[usize]) -> Self {
        // Both lists ascend, so that one pass over each is enough.
        let (mut axes, mut next) = (axes.iter().peekable(), 0);
        Self::from_fn(self.len() - axes.len(), |_| {
            while axes.next_if(|&&axis| axis == next).is_some() {
                next += 1;
            }
            next += 1;
            self[next - 1]
        })
    }

    /// Whether `rest` is this shape without the (ascending, distinct) `axes`.
    pub(crate) fn is_without_axes(&self, axes: &[usize], rest: &[usize]) -> bool {
        let mut axes = axes.iter().peekable();
        let kept = |&(axis, _): &(usize, &usize)| axes.next_if(|&&other| other == axis).is_none();
        self.iter().enumerate().filter(kept).map(|(_, extent)| extent).eq(rest)
    }

    /// Row-major strides, in elements: a list that is inline where the shape is.
    #[inline]
    pub(crate) fn strides(&self) -> Self {
        match &self.0 {
            Extents::Inline(rank, extents) => {
                let mut strides = *extents;
                to_strides(&mut strides[..*rank as usize]);
                Self(Extents::Inline(*rank, strides))
            }
            Extents::Heap(extents, _) => {
                let mut strides = Arc::<[usize]>::from(&**extents);
                let slots = Arc::get_mut(&mut strides).expect("invariant: it was made just now");
                to_strides(slots);
                // Of strides nobody asks for a volume.
                Self(Extents::Heap(strides, None))
            }
        }
    }
}

/// Makes row-major strides of the extents in these slots.
#[inline]
fn to_strides(slots: &mut [usize]) {
    let mut stride = 1_usize;
    for slot in slots.iter_mut().rev() {
        // Wraps only where another extent is 0, and then no element is read.
        let outer = stride.wrapping_mul(*slot);
        *slot = stride;
        stride = outer;
    }
}

impl Deref for Shape {
    type Target = [usize];
    #[inline]
    fn deref(&self) -> &[usize] {
        match &self.0 {
            Extents::Inline(rank, extents) => &extents[..*rank as usize],
            Extents::Heap(extents, _) => extents,
        }
    }
}

impl<const R: usize> From<[usize; R]> for Shape {
    fn from(extents: [usize; R]) -> Self {
        Self::new(&extents)
    }
}
impl From<&[usize]> for Shape {
    fn from(extents: &[usize]) -> Self {
        Self::new(extents)
    }
}
impl From<Vec<usize>> for Shape {
    fn from(extents: Vec<usize>) -> Self {
        if extents.len() <= INLINE {
            Self::new(&extents)
        } else {
            Self(Extents::on_heap(extents.into()))
        }
    }
}
impl From<&Shape> for Shape {
    fn from(shape: &Shape) -> Self {
        shape.clone()
    }
}

impl PartialEq for Shape {
    #[inline]
    fn eq(&self, other: &Self) -> bool {
        // Most shapes that are compared are one and the same.
        std::ptr::eq(self, other) || **self == **other
    }
}
impl Eq for Shape {}
impl std::hash::Hash for Shape {
    fn hash<H: std::hash::Hasher>(&self, state: &mut H) {
        (**self).hash(state);
    }
}
impl PartialEq<[usize]> for Shape {
    fn eq(&self, other: &[usize]) -> bool {
        **self == *other
    }
}
impl<const R: usize> PartialEq<[usize; R]> for Shape {
    fn eq(&self, other: &[usize; R]) -> bool {
        **self == other[..]
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(self, f)
    }
}
impl fmt::Debug for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // One line also in `{:#?}`: extents are read side by side.
        write!(f, "[")?;
        for (axis, extent) in self.iter().enumerate() {
            write!(f, "{}{extent}", if axis == 0 { "" } else { ", " })?;
        }
        write!(f, "]")
    }
}
