//! Layouts against the indices that they are meant to reach.

use super::*;
use crate::kernel::testing::Random;

fn positions(layout: &Layout) -> Vec<usize> {
    let mut out = Vec::new();
    let walk = crate::kernel::walk::Walk::new(layout.shape(), [layout.strides()]);
    walk.elements([layout.offset()], |[at]| out.push(at));
    out
}

fn of<const R: usize>(extents: [usize; R]) -> Layout {
    Layout::contiguous(Shape::from(extents))
}

#[test]
fn views_reach_the_right_elements() {
    let x = of([2, 3]);
    assert!(x.is_contiguous());
    assert_eq!(positions(&x.permute(&[1, 0])), [0, 3, 1, 4, 2, 5]);
    assert_eq!(positions(&x.narrow(1, 1, 2)), [1, 2, 4, 5]);
    assert_eq!(positions(&x.narrow(0, 1, 1).permute(&[1, 0])), [3, 4, 5]);
    assert!(x.narrow(0, 1, 1).is_contiguous() && !x.narrow(1, 1, 2).is_contiguous());
    let rows = of([3]).broadcast(&Shape::from([2, 3]), &[1]);
    assert_eq!(positions(&rows), [0, 1, 2, 0, 1, 2]);
    let columns = of([3]).broadcast(&Shape::from([3, 2]), &[0]);
    assert_eq!(positions(&columns), [0, 0, 1, 1, 2, 2]);
    let units = of([3, 1]).broadcast(&Shape::from([3, 2]), &[0, 1]);
    assert_eq!(positions(&units), [0, 0, 1, 1, 2, 2]);
    assert_eq!(x.position(&[1, 2]), Some(5));
    assert_eq!((x.position(&[2, 0]), x.position(&[0])), (None, None));
}

#[test]
fn windows_are_strides() {
    let x = of([7]).unfold(0, 3, 2, 1);
    assert_eq!(*x.shape(), [3, 3]);
    assert_eq!(positions(&x), [0, 1, 2, 2, 3, 4, 4, 5, 6]);
    let x = of([7]).unfold(0, 3, 1, 3);
    assert_eq!(positions(&x), [0, 3, 6]);
    let x = of([3, 2]).unfold(0, 2, 1, 1);
    assert_eq!(*x.shape(), [2, 2, 2]);
    assert_eq!(positions(&x), [0, 2, 1, 3, 2, 4, 3, 5]);
    assert_eq!(*of([2, 4]).unfold(1, 9, 1, 1).shape(), [2, 0, 9]);
    // A huge step with one window.
    assert_eq!(positions(&of([4]).unfold(0, 2, usize::MAX, 3)), [0, 3]);
}

#[test]
fn unit_axes_move_freely_but_their_neighbours_do_not() {
    let x = of([3, 1, 2]).permute(&[1, 2, 0]);
    assert!(!x.is_contiguous());
    assert!(x.reshape(&Shape::from([1, 6])).is_none());
    assert!(of([3, 1, 2]).permute(&[1, 0, 2]).is_contiguous());
}

#[test]
fn reshaping_is_a_view_exactly_where_strides_allow() {
    let mut random = Random(31);
    let (mut views, mut copies) = (0, 0);
    for _ in 0..4000 {
        let mut layout =
            Layout::contiguous(Shape::from_fn(1 + random.below(4), |_| 1 + random.below(4)));
        let rank = layout.shape().rank();
        for _ in 0..random.below(3) {
            layout = match random.below(3) {
                0 => layout.permute(&random.shuffled(rank)),
                1 => {
                    let axis = random.below(rank);
                    let length = 1 + random.below(layout.shape()[axis]);
                    let start = random.below(layout.shape()[axis] - length + 1);
                    layout.narrow(axis, start, length)
                }
                _ => {
                    let shape = layout.shape().clone();
                    let shape = Shape::from_fn(rank, |i| if shape[i] == 1 { 3 } else { shape[i] });
                    layout.broadcast(&shape, &(0..rank).collect::<Vec<_>>())
                }
            };
        }
        // Any factorisation of the volume, with unit axes thrown in.
        let (mut rest, mut extents) = (layout.count(), Vec::new());
        while rest > 1 || random.below(3) == 0 {
            let factor = (1..=rest).filter(|f| rest % f == 0).nth(random.below(3)).unwrap_or(rest);
            extents.push(factor);
            rest /= factor;
        }
        let shape = Shape::from(extents);
        match layout.reshape(&shape) {
            Some(view) => {
                assert_eq!(*view.shape(), *shape);
                assert_eq!(positions(&view), positions(&layout), "{layout:?} to {shape}");
                views += 1;
            }
            None => {
                assert!(!layout.is_contiguous());
                copies += 1;
            }
        }
    }
    assert!(views > 1000 && copies > 200, "{views} {copies}");
}

#[test]
fn high_ranks_and_zero_extents() {
    let x = of([2, 1, 3, 1, 2, 2]);
    assert_eq!(
        positions(&x.permute(&[5, 4, 3, 2, 1, 0]).permute(&[5, 4, 3, 2, 1, 0])),
        positions(&x)
    );
    let empty = of([0, 3]);
    assert!(empty.is_contiguous() && positions(&empty).is_empty());
    assert_eq!(*empty.reshape(&Shape::from([3, 0, 5])).unwrap().shape(), [3, 0, 5]);
    assert!(positions(&of([2, 3]).narrow(1, 3, 0)).is_empty());
}
