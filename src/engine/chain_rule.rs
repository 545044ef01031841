//! The chain rule, once: over payloads it computes a gradient, over a tape it records one.
//!
//! BITS: the order of accumulation is part of the specification. Consumers are visited in
//! descending node index and, within one, operands in ascending position; the first contribution
//! is taken as it is, later ones are added to it.

use crate::graph::tape::Tape;
use crate::ops::Site;
use crate::ops::algebra::Algebra;
use std::cell::Cell;

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
        if !wanted[index] || cotangents[index].is_none() {
            continue;
        }
        let node = tape.node(index);
        if node.operands.is_empty() {
            continue;
        }
        operands.clear();
        operands.extend(node.operands.iter().map(|&operand| value(operand as usize)));
        let progress = Cell::new((0, 0));
        for (position, &operand) in node.operands.iter().enumerate() {
            let operand = operand as usize;
            if !wanted[operand] || !node.function.differentiable(position) {
                continue;
            }
            // The cotangent is complete: every consumer of this node has a higher index.
            let cotangent = cotangents[index].as_ref().expect("invariant: checked above");
            let site =
                Site { operands: &operands, output: value(index), cotangent, progress: &progress };
            let contribution = node.function.vjp(algebra, &site, position);
            let sum = match cotangents[operand].take() {
                None => contribution,
                Some(sum) => algebra.add(&sum, &contribution),
            };
            cotangents[operand] = Some(sum);
        }
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
