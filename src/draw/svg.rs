//! Scalable vector graphics: <https://www.w3.org/TR/SVG2/>. Self-contained: no script, no font and
//! no style from elsewhere.
//!
//! A group is laid out by itself and stands in the drawing as one box.

use super::layout::{Placed, layered};
use super::picture::{Look, Picture};

/// The width of a character, in tenths: of a monospaced font of 12 pixels.
const CHARACTER: usize = 73;
/// The height of a line.
const LINE: usize = 16;
/// Between a box and what is in it.
const INSIDE: usize = 8;
/// Around the drawing.
const MARGIN: usize = 12;

const STYLE: &str = "\
text { font: 12px monospace; fill: #1a1a1a; }
rect { fill: #ffffff; stroke: #404040; }
path { fill: none; stroke: #707070; }
.group { fill: #f2f4f8; stroke: #9aa4b5; }
.input { fill: #e3f1e3; }
.parameter { fill: #dfe9f7; }
.leaf { stroke-dasharray: 4 2; }
.inside { stroke-dasharray: 1 2; }
.view { stroke-dasharray: 6 3; stroke: #9a9a9a; }
.result { stroke-width: 2; }
.again { fill: #fbeeda; stroke-dasharray: 8 2; }
";

pub(super) fn draw(picture: &Picture) -> String {
    let boxes: Vec<[usize; 2]> = picture.cells.iter().map(|cell| size_of(&cell.lines)).collect();
    let Arranged { cells, groups, size } = arrange(picture, &boxes);
    let [width, height] = size.map(|extent| extent + 2 * MARGIN);
    let mut text = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
         viewBox=\"0 0 {width} {height}\">\n<style>\n{STYLE}</style>\n\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerWidth=\"7\" \
         markerHeight=\"7\" orient=\"auto\"><path d=\"M1 1L7 4L1 7\"/></marker></defs>\n\
         <rect width=\"{width}\" height=\"{height}\" style=\"stroke: none\"/>\n"
    );
    for (group, [corner, size]) in picture.groups.iter().zip(&groups) {
        rectangle(&mut text, "group", *corner, *size);
        lines(&mut text, &group.lines, *corner);
    }
    let mut edges = picture.edges.clone();
    edges.sort_unstable();
    edges.dedup();
    for (from, to) in edges {
        let [x, y] = [cells[from][0] + boxes[from][0] / 2, cells[from][1] + boxes[from][1]];
        let [u, v] = [cells[to][0] + boxes[to][0] / 2, cells[to][1]];
        let middle = (y + v) / 2;
        text += &format!(
            "<path d=\"M{x} {y}C{x} {middle} {u} {middle} {u} {v}\" marker-end=\"url(#arrow)\"/>\n"
        );
    }
    for ((cell, corner), size) in picture.cells.iter().zip(&cells).zip(&boxes) {
        text += "<g><title>";
        escape(&cell.place, &mut text);
        text += "</title>";
        rectangle(&mut text, class(cell.look), *corner, *size);
        lines(&mut text, &cell.lines, *corner);
        text += "</g>\n";
    }
    text + "</svg>\n"
}

/// Where everything is: corners of cells, corners and sizes of groups, the whole.
struct Arranged {
    cells: Vec<[usize; 2]>,
    groups: Vec<[[usize; 2]; 2]>,
    size: [usize; 2],
}

fn arrange(picture: &Picture, boxes: &[[usize; 2]]) -> Arranged {
    let group_of = picture.group_of();
    // Edges inside each group, between its cells by their numbers in it.
    let mut number = vec![0; boxes.len()];
    for group in &picture.groups {
        group.cells.iter().enumerate().for_each(|(at, &cell)| number[cell] = at);
    }
    let mut inner: Vec<Vec<(usize, usize)>> = vec![Vec::new(); picture.groups.len()];
    for &(from, to) in &picture.edges {
        if let (Some(group), true) = (group_of[from], group_of[from] == group_of[to]) {
            inner[group].push((number[from], number[to]));
        }
    }
    let inside: Vec<Placed> = picture
        .groups
        .iter()
        .zip(&inner)
        .map(|(group, edges)| {
            let sizes: Vec<[usize; 2]> = group.cells.iter().map(|&cell| boxes[cell]).collect();
            layered(&sizes, edges)
        })
        .collect();
    // Groups, and the cells that are in none, are the boxes of the whole.
    let mut sizes: Vec<[usize; 2]> = Vec::new();
    for (group, placed) in picture.groups.iter().zip(&inside) {
        let [width, height] = size_of(&group.lines);
        let inner_width = placed.size[0] + 2 * INSIDE;
        sizes.push([width.max(inner_width), height + placed.size[1] + INSIDE]);
    }
    let mut outer = vec![0; boxes.len()];
    for (cell, group) in group_of.iter().enumerate() {
        outer[cell] = group.unwrap_or(sizes.len());
        if group.is_none() {
            sizes.push(boxes[cell]);
        }
    }
    let edges = picture.edges.iter().map(|&(from, to)| (outer[from], outer[to]));
    let whole = layered(&sizes, &edges.collect::<Vec<_>>());
    let shifted = |at: usize| whole.corners[at].map(|place| place + MARGIN);
    let mut cells: Vec<[usize; 2]> = outer.iter().map(|&at| shifted(at)).collect();
    let mut groups = Vec::with_capacity(inside.len());
    for (at, (group, placed)) in picture.groups.iter().zip(&inside).enumerate() {
        let corner = shifted(at);
        let left = corner[0] + (sizes[at][0] - placed.size[0]) / 2;
        let top = corner[1] + size_of(&group.lines)[1];
        for (&cell, [x, y]) in group.cells.iter().zip(&placed.corners) {
            cells[cell] = [left + x, top + y];
        }
        groups.push([corner, sizes[at]]);
    }
    Arranged { cells, groups, size: whole.size }
}

/// Width and height of a box around lines.
fn size_of(lines: &[String]) -> [usize; 2] {
    let longest = lines.iter().map(|line| line.chars().count()).max().unwrap_or(0);
    [longest * CHARACTER / 10 + 2 * INSIDE, lines.len() * LINE + INSIDE]
}

fn class(look: Look) -> &'static str {
    match look {
        Look::Input => "input",
        Look::Parameter => "parameter",
        Look::Leaf => "leaf",
        Look::Stored => "stored",
        Look::Inside | Look::View | Look::Handed | Look::Again => {
            let found = Look::OF_PLANS.iter().find(|(other, _)| *other == look);
            found.map_or("stored", |(_, name)| name)
        }
    }
}

fn rectangle(text: &mut String, class: &str, [x, y]: [usize; 2], [width, height]: [usize; 2]) {
    // Inputs are round, as in the other drawings.
    let round = if class == "input" { 12 } else { 3 };
    *text += &format!(
        "<rect class=\"{class}\" x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" \
         rx=\"{round}\"/>"
    );
    if class == "group" {
        *text += "\n";
    }
}

fn lines(text: &mut String, lines: &[String], [x, y]: [usize; 2]) {
    for (number, line) in lines.iter().enumerate() {
        let (x, y) = (x + INSIDE, y + (number + 1) * LINE);
        *text += &format!("<text x=\"{x}\" y=\"{y}\" xml:space=\"preserve\">");
        escape(line, text);
        *text += "</text>";
    }
}

/// Markup becomes entities; what XML has no character for becomes a blank.
fn escape(label: &str, text: &mut String) {
    for character in label.chars() {
        match character {
            '&' => text.push_str("&amp;"),
            '<' => text.push_str("&lt;"),
            '>' => text.push_str("&gt;"),
            '"' => text.push_str("&quot;"),
            '\u{fffe}' | '\u{ffff}' => text.push(' '),
            control if control.is_control() => text.push(' '),
            other => text.push(other),
        }
    }
}
