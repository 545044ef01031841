//! `slice`: only what the results are computed from remains.

use crate::graph::node::{Node, Operands};
use crate::graph::tape::Tape;
use crate::kernel::Elementary;
use crate::ops::Function;
use crate::ops::lower::Lowered;
use crate::payload::{Form, Shape, Tensorial};
use crate::plan::item::{Definition, Id, Item};
use crate::plan::report::Report;
use crate::plan::schedule::Schedule;

/// The schedule of what nodes of a tape, its results, are computed from: their ancestors, but for
/// those of which only the shape is read. Nodes from `gradients_from` on compute gradients.
pub(crate) fn slice<P: Tensorial>(
    tape: &Tape<P>,
    wanted: &[u32],
    gradients_from: usize,
) -> Schedule<P> {
    let needed = needed(tape, wanted);
    let mut numbers: Vec<Id> = vec![0; tape.len()];
    // COST: one piece from the start; a million items that are moved whenever it grows are most of a pass.
    let mut items = Vec::with_capacity(needed.iter().flatten().count());
    for (index, (node, needed)) in tape.nodes().zip(needed).enumerate() {
        let Some(lowered) = needed else { continue };
        numbers[index] = items.len() as Id;
        let read = |(position, &at): (usize, &u32)| {
            reads::<P>(&lowered, position).then_some(numbers[at as usize])
        };
        let operands: Vec<Id> = node.operands.iter().enumerate().filter_map(read).collect();
        items.push(Item {
            origin: index as u32,
            definition: definition(node, lowered),
            operands: Operands::new(&operands),
            shape: node.shape.clone(),
            recomputed: false,
        });
    }
    let results = wanted.iter().map(|&index| numbers[index as usize]).collect();
    let summary = format!("{} of {} nodes are needed", items.len(), tape.len());
    let mut schedule = Schedule::new(items, results, gradients_from as u32);
    schedule.reports.push(Report::new("slice", summary));
    schedule
}

/// Whether the elements of the operand at a position are read. An opaque payload is given all its
/// operands.
fn reads<P: Tensorial>(lowered: &Lowered, position: usize) -> bool {
    lowered.reads(position) || P::form() == Form::Opaque
}

/// What computes each node that is needed.
fn needed<P: Tensorial>(tape: &Tape<P>, wanted: &[u32]) -> Vec<Option<Lowered>> {
    let mut lowered: Vec<Option<Lowered>> = vec![None; tape.len()];
    let mut needed = vec![false; tape.len()];
    wanted.iter().for_each(|&index| needed[index as usize] = true);
    let last = wanted.iter().max().map_or(0, |&last| last as usize + 1);
    for index in (0..last).rev() {
        if !needed[index] {
            continue;
        }
        let node = tape.node(index);
        let shape = |&at: &u32| &*tape.node(at as usize).shape;
        let of = match *node.operands {
            [] => node.function.lower(&[]),
            [ref a] => node.function.lower(&[shape(a)]),
            [ref a, ref b] => node.function.lower(&[shape(a), shape(b)]),
            ref all => node.function.lower(&all.iter().map(shape).collect::<Vec<&Shape>>()),
        };
        for (position, &at) in node.operands.iter().enumerate() {
            if reads::<P>(&of, position) {
                needed[at as usize] = true;
            }
        }
        lowered[index] = Some(of);
    }
    lowered
}

fn definition<P: Tensorial>(node: &Node<P>, lowered: Lowered) -> Definition<P> {
    let payload = || {
        let payload = node.payload.as_deref().cloned();
        payload.expect("invariant: leaves and inputs hold a payload")
    };
    match (&node.function, lowered) {
        (Function::Parameter(parameter), _) => Definition::Parameter(parameter.slot),
        (Function::Input(_), _) => Definition::Input(payload()),
        (Function::Leaf(_), _) => Definition::Constant(payload()),
        (_, Lowered::Number(bits)) if P::form() != Form::Opaque => {
            let value = P::Element::from_f64(f64::from_bits(bits));
            Definition::Constant(P::full(&node.shape, value))
        }
        (function, lowered) => Definition::Operation(function.clone(), lowered),
    }
}
