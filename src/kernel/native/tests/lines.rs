//! Lines that lie apart, on several threads.

use crate::kernel::testing::{Random, Strided, assert_same, taken};
use crate::kernel::threads::testing::eagerly;
use crate::kernel::{Elementary, native, reference};

#[test]
fn lines_that_lie_apart_are_reduced_on_threads_as_defined() {
    fn check<E: Elementary>(random: &mut Random, extents: &[usize], axes: &[usize]) {
        let x = Strided::<E>::random(random, extents, true);
        let x = x.view();
        let what = format!("{extents:?} over {axes:?} of {}", E::NAME);
        eagerly(|| {
            assert_same(&native::sum(x, axes), &reference::sum(x, axes), &what);
            if axes.iter().all(|&axis| extents[axis] > 0) {
                assert_same(&native::max(x, axes), &reference::max(x, axes), &what);
            }
        });
    }
    let mut random = Random(71);
    // Runs that are copied whole, elements one by one, nothing to add, no line, more than a block.
    for extents in [[4, 3, 9], [3, 5, 2], [0, 3, 4], [2, 0, 5], [5, 1, 8], [300, 2, 9], [9, 4, 3]] {
        for axes in [&[0, 2][..], &[0], &[1], &[0, 1, 2]] {
            check::<f32>(&mut random, &extents, axes);
            check::<f64>(&mut random, &extents, axes);
        }
    }
    if crate::threads() > 1 {
        let paths = taken(|| check::<f32>(&mut random, &[4, 3, 9], &[0, 2]));
        assert!(paths.contains(&"lines over threads"), "{paths:?}");
    }
}
