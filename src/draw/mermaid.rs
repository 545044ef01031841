//! Mermaid: <https://mermaid.js.org/syntax/flowchart.html>.

use super::scopes::{Clusters, Event, indentation};
use super::{Kind, label};
use crate::graph::tape::Tape;
use crate::payload::Tensorial;

pub(super) fn draw<P: Tensorial>(tape: &Tape<P>) -> String {
    let mut text = String::from("flowchart TD\n");
    let clusters =
        Clusters::new(tape.nodes().map(|node| node.scope.as_deref().map(String::as_str)));
    let mut depth = 1;
    clusters.walk(|event| match event {
        Event::Open(number, name, at) => {
            text += &format!("{}subgraph s{number}[\"", indentation(at));
            escape(name, &mut text);
            text += "\"]\n";
            depth = at + 1;
        }
        Event::Node(index) => {
            let node = tape.node(index);
            let (open, close) = match Kind::of(node) {
                Kind::Input => ("([\"", "\"])"),
                Kind::Parameter => ("[[\"", "\"]]"),
                Kind::Leaf => ("(\"", "\")"),
                Kind::Computed => ("[\"", "\"]"),
            };
            text += &format!("{}n{index}{open}", indentation(depth));
            for (position, line) in label(index, node).iter().enumerate() {
                text += if position == 0 { "" } else { "<br>" };
                escape(line, &mut text);
            }
            text += close;
            text.push('\n');
        }
        Event::Close(at) => {
            text += &format!("{}end\n", indentation(at));
            depth = at;
        }
    });
    for (index, node) in tape.nodes().enumerate() {
        for operand in node.operands.iter() {
            text += &format!("  n{operand} --> n{index}\n");
        }
    }
    text
}

/// Everything that Mermaid, or the HTML that it makes, would take for syntax becomes an entity:
/// quotes, markup, the entities themselves, and the `%%` and `` "` `` of directives and Markdown.
fn escape(label: &str, text: &mut String) {
    let mut last = ' ';
    for character in label.chars() {
        match character {
            '"' => text.push_str("#quot;"),
            '<' => text.push_str("#lt;"),
            '>' => text.push_str("#gt;"),
            '&' | '#' | '`' | '\\' => text.push_str(&format!("#{};", u32::from(character))),
            '%' if last == '%' => text.push_str("#37;"),
            '\n' => text.push_str("<br>"),
            control if control.is_control() => text.push(' '),
            other => text.push(other),
        }
        last = character;
    }
}
