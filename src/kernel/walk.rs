//! `Walk`: a row-major pass over strided operands of one shape, with as few and as long inner
//! rows as their strides allow.
//!
//! INVARIANT: rows come in logical row-major order and together visit every index once; merging
//! axes changes how far a row reaches, never the order of elements.

const INLINE: usize = 6;

/// The product of extents. It wraps where it must: in a shape that was checked, only where another
/// extent is 0 and nothing is read.
#[inline]
pub(crate) fn product_of(extents: &[usize]) -> usize {
    extents.iter().fold(1, |product, &extent| product.wrapping_mul(extent))
}

/// An extent and how far each operand moves per position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Axis<const N: usize> {
    pub(crate) extent: usize,
    pub(crate) strides: [usize; N],
}

/// The merged axes of `N` operands of one shape.
#[derive(Debug)]
pub(crate) struct Walk<const N: usize> {
    inline: [Axis<N>; INLINE],
    rank: usize,
    // Takes over from `inline` when the merged rank exceeds it.
    spill: Vec<Axis<N>>,
    empty: bool,
}

impl<const N: usize> Walk<N> {
    /// The walk over `extents`; axes that all operands step through as one are merged.
    pub(crate) fn new(extents: &[usize], strides: [&[usize]; N]) -> Self {
        let axes = (0..extents.len())
            .map(|axis| Axis { extent: extents[axis], strides: strides.map(|of| of[axis]) });
        Self::of(axes)
    }

    /// The walk over these axes.
    pub(crate) fn of(axes: impl Iterator<Item = Axis<N>>) -> Self {
        let unit = Axis { extent: 1, strides: [0; N] };
        let mut walk = Self { inline: [unit; INLINE], rank: 0, spill: Vec::new(), empty: false };
        for axis in axes {
            walk.push(axis);
        }
        walk
    }

    fn push(&mut self, axis: Axis<N>) {
        self.empty |= axis.extent == 0;
        if axis.extent == 1 {
            return;
        }
        if let Some(last) = self.axes_mut().last_mut() {
            let merges =
                (0..N).all(|i| last.strides[i] == axis.extent.wrapping_mul(axis.strides[i]));
            if merges {
                *last =
                    Axis { extent: last.extent.wrapping_mul(axis.extent), strides: axis.strides };
                return;
            }
        }
        if self.spill.is_empty() && self.rank < INLINE {
            self.inline[self.rank] = axis;
            self.rank += 1;
        } else {
            if self.spill.is_empty() {
                self.spill.extend_from_slice(&self.inline);
            }
            self.spill.push(axis);
        }
    }

    fn axes_mut(&mut self) -> &mut [Axis<N>] {
        if self.spill.is_empty() { &mut self.inline[..self.rank] } else { &mut self.spill }
    }

    /// The merged axes, outermost first.
    pub(crate) fn axes(&self) -> &[Axis<N>] {
        if self.spill.is_empty() { &self.inline[..self.rank] } else { &self.spill }
    }

    /// The merged axes over rows, outermost first.
    pub(crate) fn outer(&self) -> &[Axis<N>] {
        let axes = self.axes();
        &axes[..axes.len().saturating_sub(1)]
    }

    /// The innermost merged axis: what one row is. A walk without axes has rows of one element.
    pub(crate) fn inner(&self) -> Axis<N> {
        self.axes().last().copied().unwrap_or(Axis { extent: 1, strides: [0; N] })
    }

    /// Calls `visit` with the position at which each operand's row starts.
    #[inline(always)]
    pub(crate) fn rows(&self, start: [usize; N], visit: impl FnMut([usize; N])) {
        if !self.empty {
            each(self.outer(), start, visit);
        }
    }

    /// Calls `visit` with the position of each operand's every element.
    #[inline(always)]
    pub(crate) fn elements(&self, start: [usize; N], visit: impl FnMut([usize; N])) {
        if !self.empty {
            each(self.axes(), start, visit);
        }
    }
}

/// Calls `visit` with the position of each operand at every place of the axes, none of which is empty.
///
/// COST: no recursion, so that `visit` is compiled where it stands, for the caller's instructions.
#[inline(always)]
pub(crate) fn each<const N: usize>(
    axes: &[Axis<N>],
    mut at: [usize; N],
    mut visit: impl FnMut([usize; N]),
) {
    let mut inline = [0; INLINE];
    let mut heap = Vec::new();
    let counters = if axes.len() <= INLINE {
        &mut inline[..axes.len()]
    } else {
        heap.resize(axes.len(), 0);
        &mut heap[..]
    };
    loop {
        visit(at);
        let mut axis = axes.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            let Axis { extent, strides } = axes[axis];
            counters[axis] += 1;
            // Positions past the last may leave the address space; they are never read.
            for i in 0..N {
                at[i] = at[i].wrapping_add(strides[i]);
            }
            if counters[axis] < extent {
                break;
            }
            counters[axis] = 0;
            for i in 0..N {
                at[i] = at[i].wrapping_sub(extent.wrapping_mul(strides[i]));
            }
        }
    }
}
