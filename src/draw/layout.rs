//! A layered layout: boxes in rows, operands above their readers.
//!
//! Rows are longest paths; within a row, boxes follow the middle of their neighbours in the rows
//! beside it, for some sweeps down and up.
//!
//! INVARIANT: integers throughout, ties in the order of the boxes: one drawing, everywhere.

/// Between boxes of a row.
const BESIDE: usize = 24;
/// Between rows.
const BELOW: usize = 44;
/// COST: how often the rows are sorted by their neighbours, down and up.
const SWEEPS: usize = 4;

/// Where boxes are.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Placed {
    /// The left upper corner of each box.
    pub(super) corners: Vec<[usize; 2]>,
    /// Width and height of all.
    pub(super) size: [usize; 2],
}

/// Places boxes of some widths and heights, of which the first of an edge stands above the second.
/// Edges have no cycle.
pub(super) fn layered(sizes: &[[usize; 2]], edges: &[(usize, usize)]) -> Placed {
    let mut edges: Vec<(usize, usize)> =
        edges.iter().copied().filter(|(from, to)| from != to).collect();
    edges.sort_unstable();
    edges.dedup();
    let mut above = vec![Vec::new(); sizes.len()];
    let mut below = vec![Vec::new(); sizes.len()];
    for &(from, to) in &edges {
        below[from].push(to);
        above[to].push(from);
    }
    let mut rows = rows(&above, &below);
    let mut lefts = vec![0; sizes.len()];
    let width = rows.iter().map(|row| width_of(row, sizes)).max().unwrap_or(0);
    rows.iter().for_each(|row| pack(row, sizes, width, &mut lefts));
    for _ in 0..SWEEPS {
        for row in &mut rows {
            sort(row, &above, sizes, &lefts);
            pack(row, sizes, width, &mut lefts);
        }
        for row in rows.iter_mut().rev() {
            sort(row, &below, sizes, &lefts);
            pack(row, sizes, width, &mut lefts);
        }
    }
    let (mut corners, mut top) = (vec![[0, 0]; sizes.len()], 0);
    for row in &rows {
        row.iter().for_each(|&at| corners[at] = [lefts[at], top]);
        top += row.iter().map(|&at| sizes[at][1]).max().unwrap_or(0) + BELOW;
    }
    Placed { corners, size: [width, top.saturating_sub(BELOW)] }
}

/// The boxes of each row: behind all that stand above them, but those that nothing stands above
/// close to the first that they stand above.
fn rows(above: &[Vec<usize>], below: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut waits: Vec<usize> = above.iter().map(Vec::len).collect();
    let mut rank = vec![0; above.len()];
    let mut ready: Vec<usize> = (0..above.len()).filter(|&at| waits[at] == 0).collect();
    while let Some(at) = ready.pop() {
        for &next in &below[at] {
            rank[next] = rank[next].max(rank[at] + 1);
            waits[next] -= 1;
            if waits[next] == 0 {
                ready.push(next);
            }
        }
    }
    for at in (0..above.len()).filter(|&at| above[at].is_empty()) {
        rank[at] = below[at].iter().map(|&next| rank[next] - 1).min().unwrap_or(0);
    }
    let mut rows = vec![Vec::new(); rank.iter().max().map_or(0, |last| last + 1)];
    rank.iter().enumerate().for_each(|(at, &rank)| rows[rank].push(at));
    rows
}

fn width_of(row: &[usize], sizes: &[[usize; 2]]) -> usize {
    let widths = row.iter().fold(0, |sum, &at| sum + sizes[at][0]);
    widths + BESIDE * row.len().saturating_sub(1)
}

/// One behind the other, in the middle of the drawing.
fn pack(row: &[usize], sizes: &[[usize; 2]], width: usize, lefts: &mut [usize]) {
    let mut left = (width - width_of(row, sizes)) / 2;
    for &at in row {
        lefts[at] = left;
        left += sizes[at][0] + BESIDE;
    }
}

fn sort(row: &mut [usize], beside: &[Vec<usize>], sizes: &[[usize; 2]], lefts: &[usize]) {
    let middle = |at: usize| lefts[at] + sizes[at][0] / 2;
    row.sort_by_cached_key(|&at| match &beside[at][..] {
        [] => middle(at),
        all => all.iter().fold(0, |sum, &of| sum + middle(of)) / all.len(),
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_read_stands_above_and_nothing_overlaps() {
        let sizes = [[40, 20], [60, 20], [50, 30], [40, 20], [30, 20]];
        // A source that is read late stands close to its reader.
        let edges = [(0, 2), (0, 2), (2, 3), (1, 3), (4, 4)];
        let Placed { corners, size } = layered(&sizes, &edges);
        assert!(
            edges[..4]
                .iter()
                .all(|&(from, to)| { corners[from][1] + sizes[from][1] < corners[to][1] })
        );
        assert_eq!(corners[1][1], corners[2][1]);
        for (a, at) in corners.iter().enumerate() {
            assert!(at[0] + sizes[a][0] <= size[0] && at[1] + sizes[a][1] <= size[1]);
            for (b, other) in corners.iter().enumerate().skip(a + 1) {
                let apart = |axis: usize| {
                    at[axis] + sizes[a][axis] <= other[axis]
                        || other[axis] + sizes[b][axis] <= at[axis]
                };
                assert!(apart(0) || apart(1), "{a} and {b} overlap");
            }
        }
    }

    #[test]
    fn lines_that_would_cross_are_untangled() {
        let sizes = [[10, 10]; 4];
        let Placed { corners, .. } = layered(&sizes, &[(0, 3), (1, 2)]);
        assert_eq!(corners[0][0] < corners[1][0], corners[3][0] < corners[2][0]);
    }

    #[test]
    fn nothing_takes_no_room() {
        assert_eq!(layered(&[], &[]), Placed { corners: vec![], size: [0, 0] });
    }
}
