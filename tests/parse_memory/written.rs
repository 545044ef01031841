//! What a text writes down, in bytes of the network that it becomes: by its form alone, with no part of
//! the parser.

/// A node, without what it holds beside itself.
const NODE: usize = 250;
/// The payload of a source without its elements, boxed, and the shape, which is no other node's.
const SOURCE: usize = 184;
/// A name, a scope or a file without its text: a string that is shared.
const LABEL: usize = 40;
/// An extent or an axis of a list. A shape of up to four axes has room for them in itself.
const AXIS: usize = 8;
const INLINE: usize = 4;
/// An operand beyond three, which have room in the node.
const OPERAND: usize = 4;
/// What counts the owners of a longer list.
const LIST: usize = 16;

/// What the nodes of a text are worth.
#[derive(Clone, Copy, Debug, Default)]
pub struct Written {
    /// Nodes, sources and labels.
    pub nodes: usize,
    /// Extents of shapes with more than four, and axes that are named.
    pub axes: usize,
    /// The elements of payloads, and the part of each that is beyond four bytes.
    pub elements: usize,
    pub beyond: usize,
    /// Operands beyond the third.
    pub operands: usize,
    /// The texts of names, scopes and files.
    pub strings: usize,
    /// The longest list of extents: what an operation gives before it is compared with what is written.
    pub longest: usize,
}

impl Written {
    /// What is written, where an element takes so many bytes.
    pub fn of(text: &str, element: usize) -> Self {
        let mut written = Self::default();
        // A node has a line, also in a text that is refused behind it.
        for line in text.lines().filter(|line| line.starts_with('%')) {
            written.add(line, element);
        }
        written
    }

    fn add(&mut self, line: &str, element: usize) {
        let source = ["leaf", "parameter", "input"].iter().any(|source| line.contains(source));
        self.nodes += NODE + if source { SOURCE } else { 0 };
        let unlabelled = line.split(['"', '@']).next().unwrap_or_default();
        let operands = unlabelled.matches('%').count() - 1;
        self.operands += if operands > 3 { operands * OPERAND } else { 0 };
        let mut rest = line;
        while let Some(at) = rest.find(['"', '[', '@']) {
            let (before, opened) = (rest[..at].trim_end(), &rest[at + 1..]);
            rest = match rest.as_bytes()[at] {
                b'[' => {
                    let (count, behind) = items(opened);
                    self.list(before, count, source, element);
                    behind
                }
                b'"' => {
                    let end = end_of_string(opened);
                    self.nodes += LABEL;
                    self.strings += end;
                    opened.get(end + 1..).unwrap_or("")
                }
                _ => {
                    let file = opened.trim_start();
                    if !file.starts_with('"') {
                        self.nodes += LABEL;
                        self.strings += file.len();
                    }
                    opened
                }
            };
        }
    }

    /// A list of so many items behind that part of a line.
    fn list(&mut self, before: &str, count: usize, source: bool, element: usize) {
        let axes = if count > INLINE { AXIS * count + LIST } else { 0 };
        let mut elements = |bytes: usize| {
            self.elements += count * bytes;
            self.beyond += count * bytes.saturating_sub(4);
        };
        match before {
            _ if before.ends_with("dense") => elements(element),
            _ if before.ends_with("selection") => elements(size_of::<usize>()),
            _ if before.ends_with("bf16") => elements(2),
            // An extent that is asked for is a number, or another's.
            _ if before.ends_with('=') && before.contains("extents") => {
                self.axes += 2 * AXIS * count
            }
            _ if before.ends_with('=') => self.axes += AXIS * count,
            // A payload has strides, too.
            _ => {
                self.axes += if source { 2 * axes } else { axes };
                self.longest = self.longest.max(axes);
            }
        }
    }
}

/// The number of items up to the closing bracket, and what is behind it.
fn items(list: &str) -> (usize, &str) {
    let (mut at, mut count) = (0, 0);
    while let Some(next) = list[at..].find([',', ']', '"']) {
        at += next + 1;
        match list.as_bytes()[at - 1] {
            b',' => count += 1,
            b']' => return (count + 1, &list[at..]),
            _ => at = (at + end_of_string(&list[at..]) + 1).min(list.len()),
        }
    }
    (count + 1, "")
}

/// Where the closing quote is.
fn end_of_string(text: &str) -> usize {
    let mut escaped = false;
    let ends = |byte: u8| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    };
    text.bytes().position(ends).unwrap_or(text.len())
}
