//! Graphviz: <https://graphviz.org/doc/info/lang.html>.

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
            for (position, line) in label(index, node).iter().enumerate() {
                text += if position == 0 { "" } else { "\\n" };
                escape(line, &mut text);
            }
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
