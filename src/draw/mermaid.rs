//! Mermaid: <https://mermaid.js.org/syntax/flowchart.html>.

use super::picture::{Cell, Look, Picture};
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
            joined(&label(index, node), &mut text);
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

/// A plan: a subgraph for every step.
pub(super) fn plan(picture: &Picture) -> String {
    let mut text = String::from("flowchart TD\n");
    let group_of = picture.group_of();
    for (at, cell) in picture.cells.iter().enumerate().filter(|(at, _)| group_of[*at].is_none()) {
        value(&mut text, "  ", at, cell);
    }
    for (number, group) in picture.groups.iter().enumerate() {
        text += &format!("  subgraph g{number}[\"");
        joined(&group.lines, &mut text);
        text += "\"]\n";
        group.cells.iter().for_each(|&at| value(&mut text, "    ", at, &picture.cells[at]));
        text += "  end\n";
    }
    for (from, to) in &picture.edges {
        text += &format!("  i{from} --> i{to}\n");
    }
    for (look, name) in Look::OF_PLANS {
        let style = match look {
            Look::Inside => "stroke-dasharray: 1 2",
            Look::View => "stroke-dasharray: 6 3",
            Look::Handed => "stroke-width: 3px",
            _ => "fill: #fbeeda, stroke-dasharray: 8 2",
        };
        let cells = picture.cells.iter().enumerate().filter(|(_, cell)| cell.look == look);
        let cells: Vec<String> = cells.map(|(at, _)| format!("i{at}")).collect();
        if !cells.is_empty() {
            text += &format!("  classDef {name} {style}\n  class {} {name}\n", cells.join(","));
        }
    }
    text
}

fn value(text: &mut String, indentation: &str, at: usize, cell: &Cell) {
    let (open, close) = match cell.look {
        Look::Input => ("([\"", "\"])\n"),
        Look::Parameter => ("[[\"", "\"]]\n"),
        Look::Leaf => ("(\"", "\")\n"),
        _ => ("[\"", "\"]\n"),
    };
    *text += &format!("{indentation}i{at}{open}");
    joined(&cell.lines, text);
    *text += close;
}

fn joined(lines: &[String], text: &mut String) {
    for (position, line) in lines.iter().enumerate() {
        *text += if position == 0 { "" } else { "<br>" };
        escape(line, text);
    }
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
