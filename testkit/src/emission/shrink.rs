//! A wrong operation made small: shorter axes first, plainer numbers then.

use super::single::Single;
use poorgrad::{Differentiable, Elementary};
use std::collections::BTreeSet;

/// At most so many elements are tried to be made plain.
const ELEMENTS: usize = 24;

/// The smallest that was found for which `fails` still holds.
pub(super) fn shrunk<E: Elementary>(
    mut single: Single<E>,
    fails: &mut dyn FnMut(&Single<E>) -> bool,
) -> Single<E> {
    while let Some(smaller) = shorter(&single, fails) {
        single = smaller;
    }
    for operand in 0..single.operands.len() {
        let count = single.operands[operand].shape().volume().unwrap_or(0);
        if single.operands[operand].is_selection() || count > ELEMENTS {
            continue;
        }
        for at in 0..count {
            let x = single.operands[operand].to_vec()[at].to_f64();
            let plain = [0.0, 1.0, x.round(), (x * 8.0).round() / 8.0];
            let smaller = plain.into_iter().filter(|&plain| plain.to_bits() != x.to_bits());
            let smaller = smaller.map(|plain| single.with(operand, at, E::from_f64(plain)));
            if x != 0.0
                && let Some(found) = smaller.into_iter().find(|smaller| fails(smaller))
            {
                single = found;
            }
        }
    }
    single
}

/// The first of the halves, of every extent there is, that still fails.
fn shorter<E: Elementary>(
    single: &Single<E>,
    fails: &mut dyn FnMut(&Single<E>) -> bool,
) -> Option<Single<E>> {
    let extents: BTreeSet<usize> =
        single.operands.iter().flat_map(|operand| operand.shape().extents().to_vec()).collect();
    extents.into_iter().rev().filter(|&extent| extent > 1).find_map(|extent| {
        let half = extent / 2;
        let cuts = [(0, half), (half, extent - half), (0, extent - 1), (1, extent - 1)];
        cuts.into_iter().find_map(|(start, length)| {
            let mut smaller = single.cut(extent, start, length);
            // The shape of its result follows.
            smaller.network()?;
            fails(&smaller).then_some(smaller)
        })
    })
}
