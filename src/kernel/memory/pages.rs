//! Large pages: memory that the system maps two megabytes at a time.
//!
//! A core that walks through ordinary pages asks for the place of each, 4 KiB after 4 KiB, and its
//! prefetchers stop at every border; the first touch of each is a fault besides. Linux maps an area
//! in pages of 2 MiB where it is advised to, and where it can: else the area is as any other.
//!
//! COST: `cargo bench -p peers --bench pages` measures both kinds.

#[cfg(not(all(feature = "simd", target_os = "linux")))]
pub(super) use absent::Pages;
#[cfg(all(feature = "simd", target_os = "linux"))]
pub(super) use mapped::Pages;

#[cfg(all(feature = "simd", target_os = "linux"))]
mod mapped {
    use crate::kernel::Elementary;
    use memmap2::{Advice, MmapMut, MmapOptions};

    const LARGE: usize = 1 << 21;
    /// A smaller area would fill too little of its last page.
    const SMALLEST: usize = 3 << 19;

    /// An area of elements, none of which needs a drop.
    #[derive(Debug)]
    pub(in super::super) struct Pages {
        map: MmapMut,
        /// Where the first large page begins.
        start: usize,
        /// Bytes that there is room for.
        room: usize,
        /// Bytes of the elements.
        bytes: usize,
    }

    impl Pages {
        /// Zeros for so many elements, where they are plain, many, and the system agrees.
        pub(in super::super) fn zeros<E: Elementary>(count: usize) -> Option<Self> {
            let bytes = count.checked_mul(size_of::<E>())?;
            if bytes < SMALLEST {
                return None;
            }
            // Whole pages, and room to begin at the border of one: what is never touched is no memory.
            let length = bytes.checked_next_multiple_of(LARGE)?.checked_add(LARGE)?;
            let map = MmapOptions::new().len(length).map_anon().ok()?;
            // A system that does not know large pages still has the area.
            let _ = map.advise(Advice::HugePage);
            let start = map.as_ptr().addr().next_multiple_of(LARGE) - map.as_ptr().addr();
            E::from_bytes(&map[start..start])?;
            Some(Self { map, start, room: bytes, bytes })
        }

        /// Bytes that there is room for.
        pub(in super::super) fn room(&self) -> usize {
            self.room
        }

        /// So many elements from now on, for which there must be room.
        pub(in super::super) fn resize<E: Elementary>(&mut self, count: usize) {
            self.bytes = count * size_of::<E>();
            assert!(self.bytes <= self.room, "invariant: the pool serves what there is room for");
        }

        #[inline]
        pub(in super::super) fn as_slice<E: Elementary>(&self) -> &[E] {
            let bytes = &self.map[self.start..][..self.bytes];
            E::from_bytes(bytes).expect("invariant: plain, and at a page's border")
        }

        #[inline]
        pub(in super::super) fn as_mut_slice<E: Elementary>(&mut self) -> &mut [E] {
            let bytes = &mut self.map[self.start..][..self.bytes];
            E::from_bytes_mut(bytes).expect("invariant: plain, and at a page's border")
        }
    }
}

#[cfg(not(all(feature = "simd", target_os = "linux")))]
mod absent {
    use crate::kernel::Elementary;

    /// No area: there are no large pages to be had here.
    #[derive(Debug)]
    pub(in super::super) enum Pages {}

    impl Pages {
        pub(in super::super) fn zeros<E: Elementary>(_count: usize) -> Option<Self> {
            None
        }

        pub(in super::super) fn room(&self) -> usize {
            match *self {}
        }

        pub(in super::super) fn resize<E: Elementary>(&mut self, _count: usize) {
            match *self {}
        }

        pub(in super::super) fn as_slice<E: Elementary>(&self) -> &[E] {
            match *self {}
        }

        pub(in super::super) fn as_mut_slice<E: Elementary>(&mut self) -> &mut [E] {
            match *self {}
        }
    }
}
