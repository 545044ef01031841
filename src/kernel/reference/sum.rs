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

/// The sum of `count` equal elements: the additions of [`sum_of`], each of several equal ones done
/// once, in memory for a block.
///
/// # Example
///
/// ```
/// use poorgrad::reference::{sum_of, sum_of_equal};
///
/// let dense: f32 = sum_of(&vec![0.1; 100_000]);
/// assert_eq!(sum_of_equal(&0.1, 100_000), dense);
/// ```
#[must_use]
pub fn sum_of_equal<E: Elementary>(element: &E, count: usize) -> E {
    let (mut element, mut count, mut last) = (element.clone(), count, None);
    // A list of `count` equal elements and perhaps another one behind them, so in every round:
    // the sums of its whole blocks are equal, and that of the last one may be another.
    while count + usize::from(last.is_some()) > SB {
        let rest = list(&element, count % SB, last);
        last = (!rest.is_empty()).then(|| block(&rest));
        element = block(&list(&element, SB, None));
        count /= SB;
    }
    block(&list(&element, count, last))
}

fn list<E: Elementary>(element: &E, count: usize, last: Option<E>) -> Vec<E> {
    std::iter::repeat_n(element, count).cloned().chain(last).collect()
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
