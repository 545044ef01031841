//! Graphviz: <https://graphviz.org/doc/info/lang.html>.

use super::picture::{Cell, Look, Picture};
use super::scopes::{Clusters, Event, indentation};
use super::{Kind, label};
use crate::graph::tape::Tape;
use crate::payload::Tensorial;

pub(super) fn draw<P: Tensorial>(tape: &Tape<P>) -> String {
    let mut text = String::from("digraph tape {\n  node [shape=box, fontname=\"monospace\"];\n");
    let clusters =
        Clusters::new(tape.nodes().map(|node| node.scope.as_deref().map(String::as_str)));
    let mut depth = 1;
    clusters.walk(|event| match event {
        Event::Open(number, name, at) => {
            let (outer, inner) = (indentation(at), indentation(at + 1));
            text += &format!("{outer}subgraph cluster_{number} {{\n{inner}label=\"");
            escape(name, &mut text);
            text += "\";\n";
            depth = at + 1;
        }
        Event::Node(index) => {
            let node = tape.node(index);
            text += &format!("{}n{index} [label=\"", indentation(depth));
            joined(&label(index, node), &mut text);
            text += match Kind::of(node) {
                Kind::Input => "\", shape=ellipse];\n",
                Kind::Parameter => "\", style=filled];\n",
                Kind::Leaf => "\", style=dashed];\n",
                Kind::Computed => "\"];\n",
            };
        }
        Event::Close(at) => {
            text += &format!("{}}}\n", indentation(at));
            depth = at;
        }
    });
    for (index, node) in tape.nodes().enumerate() {
        for operand in node.operands.iter() {
            text += &format!("  n{operand} -> n{index};\n");
        }
    }
    text + "}\n"
}

/// A plan: a cluster for every step.
pub(super) fn plan(picture: &Picture) -> String {
    let mut text = String::from("digraph plan {\n  node [shape=box, fontname=\"monospace\"];\n");
    let group_of = picture.group_of();
    for (at, cell) in picture.cells.iter().enumerate().filter(|(at, _)| group_of[*at].is_none()) {
        value(&mut text, "  ", at, cell);
    }
    for (number, group) in picture.groups.iter().enumerate() {
        text += &format!("  subgraph cluster_{number} {{\n    label=\"");
        joined(&group.lines, &mut text);
        text += "\";\n";
        group.cells.iter().for_each(|&at| value(&mut text, "    ", at, &picture.cells[at]));
        text += "  }\n";
    }
    for (from, to) in &picture.edges {
        text += &format!("  i{from} -> i{to};\n");
    }
    text + "}\n"
}

fn value(text: &mut String, indentation: &str, at: usize, cell: &Cell) {
    *text += &format!("{indentation}i{at} [label=\"");
    joined(&cell.lines, text);
    *text += match cell.look {
        Look::Input => "\", shape=ellipse];\n",
        Look::Parameter => "\", style=filled];\n",
        Look::Leaf => "\", style=dashed];\n",
        Look::Stored => "\"];\n",
        Look::Inside => "\", style=dotted];\n",
        Look::View => "\", shape=plaintext];\n",
        Look::Handed => "\", peripheries=2];\n",
        Look::Again => "\", style=\"dashed,filled\"];\n",
    };
}

fn joined(lines: &[String], text: &mut String) {
    for (position, line) in lines.iter().enumerate() {
        *text += if position == 0 { "" } else { "\\n" };
        escape(line, text);
    }
}

/// Within quotes, `"` and `\` (which begins Graphviz's own escapes) are escaped; a line break
/// becomes one in the label, and other control characters a blank.
fn escape(label: &str, text: &mut String) {
    for character in label.chars() {
        match character {
            '"' => text.push_str("\\\""),
            '\\' => text.push_str("\\\\"),
            '\n' => text.push_str("\\n"),
            control if control.is_control() => text.push(' '),
            other => text.push(other),
        }
    }
}
