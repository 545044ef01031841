//! Along one axis: which positions of a window lie on the image.
//!
//! COST: at the edges of an image parts of windows lie in the padding. On images of 8 x 8 under
//! windows of 3 x 3 that is a sixth of all terms.

use crate::kernel::window::Windows;
use std::ops::Range;

/// Neighbours that have to do with the same others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    pub(super) members: Range<usize>,
    pub(super) others: Range<usize>,
}

impl Run {
    /// Pairs of a member and another in all of `runs`.
    pub(super) fn all(runs: &[Self]) -> usize {
        runs.iter().fold(0, |sum, run| sum + run.members.len() * run.others.len())
    }

    /// One run, of all members with all others.
    pub(super) fn whole(members: usize, others: usize) -> Vec<Self> {
        vec![Self { members: 0..members, others: 0..others }]
    }
}

/// Windows by which of their positions lie on the image; all as one where few do not.
pub(super) fn of_windows(windows: &Windows, axis: usize) -> Vec<Run> {
    let (members, others) = (windows.outputs[axis], windows.size[axis]);
    worthwhile(runs(members, others, |i, p| meets(windows, axis, i, p)), members, others)
}

/// Positions of a window by the windows that have theirs on the image; all as one where few do not.
pub(super) fn of_positions(windows: &Windows, axis: usize) -> Vec<Run> {
    let (members, others) = (windows.size[axis], windows.outputs[axis]);
    worthwhile(runs(members, others, |p, i| meets(windows, axis, i, p)), members, others)
}

/// COST: lists of terms for each run take the first-level cache from operands.
fn worthwhile(runs: Vec<Run>, members: usize, others: usize) -> Vec<Run> {
    let few = Run::all(&runs) * 32 > members * others * 31;
    if few { Run::whole(members, others) } else { runs }
}

/// Elements of an image by the positions at which windows that step by 1 have them.
pub(super) fn of_elements(windows: &Windows, axis: usize) -> Vec<Run> {
    let ([before, _], gap) = (windows.window.padding[axis], windows.window.dilation[axis]);
    runs(windows.extents[axis], windows.size[axis], |y, p| {
        (y + before).wrapping_sub(p * gap) < windows.outputs[axis]
    })
}

/// Whether position `p` of window `i` lies on the image.
fn meets(windows: &Windows, axis: usize, i: usize, p: usize) -> bool {
    let (step, gap) = (windows.window.step[axis], windows.window.dilation[axis]);
    (i * step + p * gap).wrapping_sub(windows.window.padding[axis][0]) < windows.extents[axis]
}

/// INVARIANT: the others that a member meets are neighbours.
fn runs(members: usize, others: usize, meets: impl Fn(usize, usize) -> bool) -> Vec<Run> {
    let mut runs: Vec<Run> = Vec::new();
    for member in 0..members {
        let first = (0..others).find(|&other| meets(member, other)).unwrap_or(0);
        let count = (first..others).take_while(|&other| meets(member, other)).count();
        let others = first..first + count;
        match runs.last_mut() {
            Some(run) if run.others == others => run.members.end = member + 1,
            _ => runs.push(Run { members: member..member + 1, others }),
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Window;

    #[test]
    fn edges_have_runs_of_their_own() {
        let window = Window::new().padding([[1, 1], [0, 2]]).step([1, 2]);
        let windows = Windows::new([1, 1, 5, 6], [1, 1, 3, 3], &window);
        let run = |members, others| Run { members, others };
        assert_eq!(of_windows(&windows, 0), [run(0..1, 1..3), run(1..4, 0..3), run(4..5, 0..2)]);
        assert_eq!(of_windows(&windows, 1), [run(0..2, 0..3), run(2..3, 0..2)]);
        assert_eq!(of_positions(&windows, 0), [run(0..1, 1..5), run(1..2, 0..5), run(2..3, 0..4)]);
        assert_eq!(of_elements(&windows, 0), [run(0..1, 0..2), run(1..4, 0..3), run(4..5, 1..3)]);
        assert_eq!(Run::all(&of_windows(&windows, 0)), 13);
    }
}
