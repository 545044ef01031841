//! Slots: where the elements of a tile are that an instruction reads and writes.

/// A tile's elements, or the one of a splat.
pub(crate) enum Slot<'a, E> {
    Read(&'a [E]),
    Write(&'a mut [E]),
    /// Elements of one group of registers alone, wherever that is in the tile.
    Near(&'a mut [E]),
}

impl<E> Default for Slot<'_, E> {
    fn default() -> Self {
        Self::Read(&[])
    }
}

impl<E> Slot<'_, E> {
    #[inline(always)]
    pub(crate) fn read(&self) -> &[E] {
        match self {
            Self::Read(elements) => elements,
            Self::Write(elements) | Self::Near(elements) => elements,
        }
    }

    #[inline(always)]
    pub(crate) fn write(&mut self) -> &mut [E] {
        match self {
            Self::Write(elements) | Self::Near(elements) => elements,
            Self::Read(_) => unreachable!("invariant: instructions write outputs and registers"),
        }
    }

    /// Where its elements of the tile's group from `at` begin.
    #[inline(always)]
    pub(crate) fn from(&self, at: usize) -> usize {
        if matches!(self, Self::Near(_)) { 0 } else { at }
    }
}
