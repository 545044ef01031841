//! The constants that the order of floating-point work is written in.
//!
//! BITS: these three numbers are part of the meaning of every product and every sum. They are the
//! same for every element, build and machine; changing one changes results and is a breaking
//! release. Tile sizes, vector widths and thread splits are not here, because no result may
//! depend on them.

/// A product sums ascending `k` in blocks of this many terms, each block from `+0`, and adds the
/// block sums in ascending order to the first.
pub const KB: usize = 256;

/// A sum takes blocks of this many elements; the sums of the blocks are summed by the same rule.
pub const SB: usize = 4096;

/// In a block of a sum, lane `l` takes the elements `l`, `l + LANES`, .. ascending from `+0`; the
/// lanes join by a tree: `l` with `l + 8`, then `+ 4`, `+ 2`, `+ 1`.
pub const LANES: usize = 16;
