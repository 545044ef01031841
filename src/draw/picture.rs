//! `Picture`: boxes, arrows and groups, before anything says where they are: what tapes and plans
//! have in common when they are drawn.

use super::{Kind, label};
use crate::graph::tape::Tape;
use crate::payload::{Shape, Tensorial};
use crate::plan::{Lies, Outline};
use std::collections::BTreeMap;

/// What a box says of its value besides its text.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Input,
    Parameter,
    Leaf,
    /// Computed, and in memory until its last reader.
    Stored,
    /// Computed, and never in memory.
    Inside,
    /// Read through strides of another value.
    View,
    /// Handed back.
    Handed,
    /// Computed once more.
    Again,
}

impl Look {
    /// The looks that plans alone have, each with its name.
    pub(super) const OF_PLANS: [(Self, &'static str); 4] = [
        (Self::Inside, "inside"),
        (Self::View, "view"),
        (Self::Handed, "result"),
        (Self::Again, "again"),
    ];
}

/// A value.
pub(super) struct Cell {
    pub(super) lines: Vec<String>,
    /// The source line that recorded it.
    pub(super) place: String,
    pub(super) look: Look,
}

/// Values that one step computes.
pub(super) struct Group {
    pub(super) lines: Vec<String>,
    pub(super) cells: Vec<usize>,
}

/// What a drawing shows.
pub(super) struct Picture {
    pub(super) cells: Vec<Cell>,
    /// From operands to results, in the order of the results' operands.
    pub(super) edges: Vec<(usize, usize)>,
    pub(super) groups: Vec<Group>,
}

impl Picture {
    pub(super) fn of_tape<P: Tensorial>(tape: &Tape<P>) -> Self {
        let cells = tape.nodes().enumerate().map(|(index, node)| {
            let mut lines = label(index, node);
            lines.extend(node.scope.as_deref().map(|scope| format!("in {scope}")));
            let look = match Kind::of(node) {
                Kind::Input => Look::Input,
                Kind::Parameter => Look::Parameter,
                Kind::Leaf => Look::Leaf,
                Kind::Computed => Look::Stored,
            };
            Cell { lines, place: node.location.to_string(), look }
        });
        let edges = tape.nodes().enumerate().flat_map(|(index, node)| {
            node.operands.iter().map(move |&operand| (operand as usize, index)).collect::<Vec<_>>()
        });
        Self { cells: cells.collect(), edges: edges.collect(), groups: Vec::new() }
    }

    pub(super) fn of_plan<P: Tensorial>(outline: &Outline<'_, P>) -> Self {
        let mut cells: Vec<Cell> = Vec::with_capacity(outline.items.len());
        let mut edges = Vec::new();
        for (id, item) in outline.items.iter().enumerate() {
            let node = outline.tape.node(item.node as usize);
            let mut lines = label(item.node as usize, node);
            let look = match (item.lies, Kind::of(node)) {
                (_, Kind::Input) => Look::Input,
                (_, Kind::Parameter) => Look::Parameter,
                // What simplifying computed when the plan was made is a constant like any other.
                (Lies::Source, _) => Look::Leaf,
                _ if item.again => Look::Again,
                (Lies::Handed, _) => Look::Handed,
                (Lies::View, _) => Look::View,
                (Lies::Inside, _) => Look::Inside,
                (Lies::Stored, _) => Look::Stored,
            };
            if item.again {
                lines.push(String::from("computed again"));
            }
            if item.lies == Lies::Handed {
                lines.push(String::from("result"));
            }
            cells.push(Cell { lines, place: node.location.to_string(), look });
            edges.extend(item.operands.iter().map(|&operand| (operand as usize, id)));
        }
        let groups = outline.steps.iter().enumerate().map(|(number, (step, items))| {
            let by_node = items.iter().map(|&id| (outline.items[id as usize].node, id as usize));
            let by_node: BTreeMap<u32, usize> = by_node.collect();
            for write in &step.writes {
                let text = match (write.offset, write.in_place_of) {
                    (None, _) => continue,
                    (Some(offset), None) => format!("at {offset}"),
                    (Some(offset), Some(of)) => format!("at {offset}, in place of %{of}"),
                };
                if let Some(&id) = by_node.get(&write.node) {
                    cells[id].lines.push(text);
                }
            }
            let title = format!("{number}: {} {}", step.title(), Shape::new(&step.shape));
            let mut lines = vec![title];
            if !step.frees.is_empty() {
                let drops: Vec<String> = step.frees.iter().map(|node| format!("%{node}")).collect();
                lines.push(format!("drops {}", drops.join(", ")));
            }
            Group { lines, cells: items.iter().map(|&id| id as usize).collect() }
        });
        let groups = groups.collect();
        Self { cells, edges, groups }
    }

    /// The group of each cell, by its number.
    pub(super) fn group_of(&self) -> Vec<Option<usize>> {
        let mut group_of = vec![None; self.cells.len()];
        for (number, group) in self.groups.iter().enumerate() {
            group.cells.iter().for_each(|&cell| group_of[cell] = Some(number));
        }
        group_of
    }
}
