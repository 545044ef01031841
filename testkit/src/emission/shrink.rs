//! What is wrong made small: fewer operations, shorter axes then, plainer numbers last.

use super::piece::Piece;
use poorgrad::{Differentiable, Elementary};
use std::collections::BTreeSet;

/// At most so many elements are tried to be made plain.
const ELEMENTS: usize = 24;

/// The smallest that was found for which `fails` still holds.
pub(super) fn shrunk<E: Elementary>(
    mut piece: Piece<E>,
    fails: &mut dyn FnMut(&Piece<E>) -> bool,
) -> Piece<E> {
    piece = fewer(piece, fails);
    while let Some(smaller) = shorter(&piece, fails) {
        piece = smaller;
    }
    for operand in 0..piece.operands.len() {
        let count = piece.operands[operand].shape().volume().unwrap_or(0);
        if piece.operands[operand].is_selection() || count > ELEMENTS {
            continue;
        }
        for at in 0..count {
            let x = piece.operands[operand].to_vec()[at].to_f64();
            let plain = [0.0, 1.0, x.round(), (x * 8.0).round() / 8.0];
            let smaller = plain.into_iter().filter(|&plain| plain.to_bits() != x.to_bits());
            let smaller = smaller.map(|plain| piece.with(operand, at, E::from_f64(plain)));
            if x != 0.0
                && let Some(found) = smaller.into_iter().find(|smaller| fails(smaller))
            {
                piece = found;
            }
        }
    }
    piece
}

/// Operations that need not be there become operands of the values that they have, the nearest to the
/// suspect first: what only they need goes with them.
fn fewer<E: Elementary>(mut piece: Piece<E>, fails: &mut dyn FnMut(&Piece<E>) -> bool) -> Piece<E> {
    let mut kept = 0;
    while let Some(other) = piece.others().len().checked_sub(1 + kept) {
        let Some(network) = piece.network() else { return piece };
        let evaluation = network.reference().forward();
        let values: Vec<_> = network.values().map(|value| evaluation.of(value)).collect();
        let smaller = piece.with_given(other, &values);
        if fails(&smaller) {
            piece = smaller;
        } else {
            kept += 1;
        }
    }
    piece
}

/// The first of the halves, of every extent there is, that still fails.
fn shorter<E: Elementary>(
    piece: &Piece<E>,
    fails: &mut dyn FnMut(&Piece<E>) -> bool,
) -> Option<Piece<E>> {
    let extents: BTreeSet<usize> =
        piece.operands.iter().flat_map(|operand| operand.shape().extents().to_vec()).collect();
    extents.into_iter().rev().filter(|&extent| extent > 1).find_map(|extent| {
        let half = extent / 2;
        let cuts = [(0, half), (half, extent - half), (0, extent - 1), (1, extent - 1)];
        cuts.into_iter().find_map(|(start, length)| {
            let mut smaller = piece.cut(extent, start, length);
            // The shapes of results follow.
            smaller.network()?;
            fails(&smaller).then_some(smaller)
        })
    })
}
