//! The chain rule, once: over payloads it computes a gradient, over a tape it records one.
//!
//! BITS: the order of accumulation is part of the specification. Consumers are visited in
//! descending node index and, within one, operands in ascending position; the first contribution
//! is taken as it is, later ones are added to it.

use crate::graph::tape::Tape;
use crate::ops::Site;
use crate::ops::algebra::Algebra;

/// What the walk needs to know of a value's dependents.
pub(crate) struct Walk<'a, P> {
    pub(crate) tape: &'a Tape<P>,
    /// The node that the seed belongs to.
    pub(crate) target: usize,
    /// Which nodes, up to the target, can pass a cotangent on.
    pub(crate) wanted: &'a [bool],
}

/// The cotangents of the wanted nodes up to the target, each the sum of its consumers'
/// contributions; `None` where there is none.
pub(crate) fn chain_rule<'v, P, A: Algebra>(
    algebra: &A,
    walk: &Walk<'_, P>,
    value: impl Fn(usize) -> &'v A::Value,
    seed: A::Value,
) -> Vec<Option<A::Value>>
where
    A::Value: 'v,
{
    let Walk { tape, target, wanted } = *walk;
    let mut cotangents: Vec<Option<A::Value>> = vec![None; target + 1];
    cotangents[target] = Some(seed);
    let mut operands: Vec<&A::Value> = Vec::new();
    for index in (0..=target).rev() {
        let node = tape.node(index);
        if !wanted[index] || node.operands.is_empty() {
            continue;
        }
        // Complete, as every consumer of this node has a higher index. It goes back below.
        let Some(cotangent) = cotangents[index].take() else { continue };
        algebra.enter(index);
        operands.clear();
        operands.extend(node.operands.iter().map(|&operand| value(operand as usize)));
        let site = Site { operands: &operands, output: value(index), cotangent: &cotangent };
        let asked = |position: usize| {
            wanted[node.operands[position] as usize] && node.function.differentiable(position)
        };
        node.function.vjp_each(algebra, &site, asked, |position, contribution| {
            let slot = &mut cotangents[node.operands[position] as usize];
            *slot = Some(match slot.take() {
                None => contribution,
                Some(sum) => algebra.add(&sum, &contribution),
            });
        });
        cotangents[index] = Some(cotangent);
    }
    cotangents
}

/// Which nodes up to `target` a cotangent must pass: those that depend, through differentiable
/// positions, on one of `wrt`. Without `wrt` it is every differentiable node.
pub(crate) fn wanted<P>(tape: &Tape<P>, target: usize, wrt: Option<&[usize]>) -> Vec<bool> {
    let Some(wrt) = wrt else {
        return tape.nodes().take(target + 1).map(|node| node.differentiable).collect();
    };
    let mut wanted = vec![false; target + 1];
    for &index in wrt.iter().filter(|&&index| index <= target) {
        wanted[index] = true;
    }
    for (index, node) in tape.nodes().take(target + 1).enumerate() {
        if !wanted[index] {
            wanted[index] = node.operands.iter().enumerate().any(|(position, &operand)| {
                wanted[operand as usize] && node.function.differentiable(position)
            });
        }
    }
    wanted
}

/// Which nodes the targets depend on.
pub(crate) fn ancestors<P>(tape: &Tape<P>, targets: &[usize]) -> Vec<bool> {
    let mut needed = vec![false; tape.len()];
    for &target in targets {
        needed[target] = true;
    }
    let last = targets.iter().max().map_or(0, |last| last + 1);
    for index in (0..last).rev() {
        if needed[index] {
            for &operand in tape.node(index).operands.iter() {
                needed[operand as usize] = true;
            }
        }
    }
    needed
}
