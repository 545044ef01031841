//! The sum of elements.

use super::view::each_line;
use super::{LANES, SB, View};
use crate::kernel::Elementary;

/// The sum of a slice by the sum rule.
///
/// BITS: blocks of [`SB`]; in a block, lane `l` of [`LANES`] starts at `+0` and takes the elements
/// `l`, `l + 16`, .. ascending; lanes join by a tree, `l` with `l + 8`, `+ 4`, `+ 2`, `+ 1`; absent
/// lanes are `+0`. The sums of the blocks, where there are several, are summed by the same rule.
/// Nothing sums to `+0`, and so does `[-0.0]`.
///
/// # Example
///
/// ```
/// use poorgrad::reference::sum_of;
///
/// assert_eq!(sum_of(&[1.0, 2.0, 3.0]), 6.0);
/// assert_eq!(sum_of::<f64>(&[-0.0]).to_bits(), 0.0_f64.to_bits());
/// ```
#[must_use]
pub fn sum_of<E: Elementary>(elements: &[E]) -> E {
    if elements.len() <= SB {
        return block(elements);
    }
    sum_of(&elements.chunks(SB).map(block).collect::<Vec<_>>())
}

fn block<E: Elementary>(elements: &[E]) -> E {
    let mut lanes = vec![E::zero(); LANES];
    for (i, element) in elements.iter().enumerate() {
        lanes[i % LANES] = lanes[i % LANES].add(element);
    }
    let mut width = LANES / 2;
    while width > 0 {
        for l in 0..width {
            lanes[l] = lanes[l].add(&lanes[l + width]);
        }
        width /= 2;
    }
    lanes.swap_remove(0)
}

/// The sum over the ascending `axes`, in row-major order of the reduced elements whatever the
/// axes or strides. The result has the other axes.
#[must_use]
pub fn sum<E: Elementary>(x: View<'_, E>, axes: &[usize]) -> Vec<E> {
    let mut out = Vec::new();
    each_line(x, axes, |line, _| out.push(sum_of(line)));
    out
}
