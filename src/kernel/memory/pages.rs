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
    use memmap2::{Advice, MmapMut, MmapOptions};

    const LARGE: usize = 1 << 21;
    /// A smaller area would fill too little of its last page.
    const SMALLEST: usize = 3 << 19;

    /// An area of bytes that begins at a large page.
    #[derive(Debug)]
    pub(in super::super) struct Pages {
        map: MmapMut,
        /// Where the first large page begins.
        start: usize,
        /// Bytes that there is room for.
        room: usize,
        /// Bytes in use.
        used: usize,
    }

    impl Pages {
        /// So many zeros, where they are many, the system agrees, and bytes can be seen as elements.
        pub(in super::super) fn zeros(bytes: usize, plain: fn(&mut [u8]) -> bool) -> Option<Self> {
            // Words, so that the sample lies as elements do.
            if bytes < SMALLEST || !plain(bytemuck::cast_slice_mut(&mut [0_u64; 8])) {
                return None;
            }
            // Whole pages, and room to begin at the border of one: what is never touched is no memory.
            let length = bytes.checked_next_multiple_of(LARGE)?.checked_add(LARGE)?;
            let map = MmapOptions::new().len(length).map_anon().ok()?;
            // A system that does not know large pages still has the area.
            let _ = map.advise(Advice::HugePage);
            let start = map.as_ptr().addr().next_multiple_of(LARGE) - map.as_ptr().addr();
            Some(Self { map, start, room: bytes, used: bytes })
        }

        /// Bytes that there is room for.
        pub(in super::super) fn room(&self) -> usize {
            self.room
        }

        /// So many bytes in use from now on, for which there must be room.
        pub(in super::super) fn resize(&mut self, bytes: usize) {
            assert!(bytes <= self.room, "invariant: the pool serves what there is room for");
            self.used = bytes;
        }

        #[inline]
        pub(in super::super) fn bytes(&self) -> &[u8] {
            &self.map[self.start..][..self.used]
        }

        #[inline]
        pub(in super::super) fn bytes_mut(&mut self) -> &mut [u8] {
            &mut self.map[self.start..][..self.used]
        }
    }
}

#[cfg(not(all(feature = "simd", target_os = "linux")))]
mod absent {
    /// No area: there are no large pages to be had here.
    #[derive(Debug)]
    pub(in super::super) enum Pages {}

    impl Pages {
        pub(in super::super) fn zeros(
            _bytes: usize,
            _plain: fn(&mut [u8]) -> bool,
        ) -> Option<Self> {
            None
        }

        pub(in super::super) fn room(&self) -> usize {
            match *self {}
        }

        pub(in super::super) fn resize(&mut self, _bytes: usize) {
            match *self {}
        }

        pub(in super::super) fn bytes(&self) -> &[u8] {
            match *self {}
        }

        pub(in super::super) fn bytes_mut(&mut self) -> &mut [u8] {
            match *self {}
        }
    }
}
