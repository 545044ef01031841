//! Reading one node, and recording it by the rules of every recording.

use super::cursor::{Cursor, Mark};
use super::error::{ParseError, ParseErrorKind};
use super::payload::{read_items, read_payload};
use super::shape::WrittenShape;
use crate::graph::measured::{Axes, Measured};
use crate::graph::node::{Operands, Origin, Place, TextPlace};
use crate::graph::{Network, Value};
use crate::ops::attribute::Attributes;
use crate::ops::{Function, Input, Leaf};
use crate::payload::{Brief, Tensorial};
use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

/// The file of nodes that the text gives no source line.
const FILE: &str = "tape";

/// Reads the nodes of a text into a network.
pub(super) struct Lines<'n, P: Tensorial> {
    network: &'n Network<P>,
    /// Files and scopes, each kept once.
    texts: BTreeSet<Arc<String>>,
    /// The last source line: the nodes of one expression share it.
    place: Option<Arc<TextPlace>>,
}

impl<'n, P: Tensorial> Lines<'n, P> {
    pub(super) fn new(network: &'n Network<P>) -> Self {
        Self { network, texts: BTreeSet::new(), place: None }
    }

    /// Reads and records the node in a line.
    pub(super) fn read(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        let position = self.network.len();
        let start = cursor.place();
        if !cursor.take(b'%') {
            return Err(cursor.error(ParseErrorKind::Syntax, format!("the node `%{position}`")));
        }
        if cursor.number("the number of the node")? != position {
            let expected = format!("`%{position}`, as nodes are numbered in their order");
            return Err(cursor.error_at(start, ParseErrorKind::Position, expected));
        }
        cursor.expect(b'=', "`=`")?;
        let start = cursor.place();
        match cursor.word() {
            Some("leaf") => self.source(cursor, |network, payload, origin| {
                network.source_from(Leaf.into(), payload, false, origin)
            }),
            Some("input") => self.source(cursor, |network, payload, origin| {
                let differentiable = !payload.is_selection();
                network.source_from(Input.into(), payload, differentiable, origin)
            }),
            Some("parameter") => self.source(cursor, Network::parameter_from),
            Some(name) if Function::ENTRIES.iter().any(|entry| entry.name == name) => {
                self.operation(cursor, start, name)
            }
            _ => Err(cursor.error_at(start, ParseErrorKind::Operation, "an operation")),
        }
    }

    fn source(
        &mut self,
        cursor: &mut Cursor<'_>,
        record: impl FnOnce(&'n Network<P>, P, Origin) -> Value<'n, P>,
    ) -> Result<(), ParseError> {
        let payload = read_payload(cursor)?;
        let (name, origin) = self.labels(cursor)?;
        give_name(record(self.network, payload, origin), name);
        Ok(())
    }

    fn operation(
        &mut self,
        cursor: &mut Cursor<'_>,
        start: Mark,
        name: &str,
    ) -> Result<(), ParseError> {
        let place = cursor.place();
        let operands = self.read_operands(cursor)?;
        let brace = cursor.place();
        let attributes = read_attributes(cursor)?;
        let function = Function::from_text(name, &attributes).filter(|_| attributes.all_asked());
        let Some(function) = function else {
            let expected = format!("the attributes that `{name}` takes");
            return Err(match attributes.is_empty() {
                true => cursor.error_found(brace, ParseErrorKind::Attributes, expected, "none"),
                false => cursor.error_at(brace, ParseErrorKind::Attributes, expected),
            });
        };
        let count = operands.len();
        // INVARIANT: shape rules index their operands, so that their number is right from here.
        let expected = match function.arity() {
            Some(arity) if arity != count => format!("{arity} operands of `{name}`"),
            None if count == 0 => format!("at least one operand of `{name}`"),
            _ => {
                let written = WrittenShape::read(cursor)?;
                let (label, origin) = self.labels(cursor)?;
                let value = self
                    .network
                    .record_from(function, operands, origin)
                    .map_err(|refusal| ParseError::refused(cursor.position(start), refusal))?;
                if !written.is(value.shape()) {
                    let given = Brief(value.shape());
                    let expected = format!("{given}, the shape that `{name}` gives");
                    let found = Brief(&written.shape()).to_string();
                    let (at, kind) = (written.at, ParseErrorKind::Shape);
                    return Err(cursor.error_found(at, kind, expected, found));
                }
                give_name(value, label);
                return Ok(());
            }
        };
        Err(cursor.error_found(place, ParseErrorKind::Arity, expected, count.to_string()))
    }

    fn read_operands(&self, cursor: &mut Cursor<'_>) -> Result<Operands, ParseError> {
        if cursor.peek() != Some(b'%') {
            return Ok(Operands::new(&[]));
        }
        let mut operands = Vec::with_capacity(cursor.items());
        loop {
            let start = cursor.place();
            cursor.expect(b'%', "an operand")?;
            let operand = cursor.number("the number of an operand")?;
            if operand >= self.network.len() {
                let expected = "an operand that stands above";
                return Err(cursor.error_at(start, ParseErrorKind::Operand, expected));
            }
            // The tape holds fewer than 2^32 nodes.
            operands.push(operand as u32);
            if !cursor.take(b',') {
                return Ok(operands.into());
            }
        }
    }

    /// What stands behind the shape: name, scopes, source line.
    fn labels<'t>(
        &mut self,
        cursor: &mut Cursor<'t>,
    ) -> Result<(Option<Cow<'t, str>>, Origin), ParseError> {
        let name = if cursor.peek() == Some(b'"') { Some(cursor.string()?) } else { None };
        let scope = if cursor.peek() == Some(b'i') {
            let start = cursor.place();
            if cursor.word() != Some("in") {
                let expected = "`in` and a scope";
                return Err(cursor.error_at(start, ParseErrorKind::Syntax, expected));
            }
            let scope = cursor.string()?;
            Some(self.kept(&scope))
        } else {
            None
        };
        let measured = self.measured(cursor)?;
        let place = if cursor.take(b'@') {
            self.read_place(cursor)?
        } else {
            cursor.end(
                "a name, `in` and a scope, `by` and a value, `@` and a source line, or the end of \
                 the line",
            )?;
            self.place_of(FILE, u32::try_from(cursor.line_number()).unwrap_or(u32::MAX), 1)
        };
        Ok((name, Origin { place: Place::Text(place), scope, measured }))
    }

    /// What the numbers of the node were read off: `by %4`, the rule of a node, or `by %4 [0, 1]`,
    /// extents of a value.
    fn measured(&self, cursor: &mut Cursor<'_>) -> Result<Measured, ParseError> {
        if cursor.peek() != Some(b'b') {
            return Ok(Measured::Nothing);
        }
        let start = cursor.place();
        if cursor.word() != Some("by") {
            return Err(cursor.error_at(start, ParseErrorKind::Syntax, "`by` and a value"));
        }
        let start = cursor.place();
        cursor.expect(b'%', "a value")?;
        let of = cursor.number("the number of a value")?;
        if of >= self.network.len() {
            return Err(cursor.error_at(
                start,
                ParseErrorKind::Operand,
                "a value that stands above",
            ));
        }
        // The tape holds fewer than 2^32 nodes.
        let index = of as u32;
        if cursor.peek() != Some(b'[') {
            return Ok(Measured::Rule(index));
        }
        let (start, rank) = (cursor.place(), self.network.node(index).shape.rank());
        let mut axes = Axes::new([]);
        read_items(cursor, "axes, such as [0, 1]", |cursor| {
            axes = axes.with(cursor.number("an axis")?);
            Ok(())
        })?;
        if axes.within(rank) {
            Ok(Measured::Extents(index, axes))
        } else {
            Err(cursor.error_at(start, ParseErrorKind::Operand, "axes of the value"))
        }
    }

    fn read_place(&mut self, cursor: &mut Cursor<'_>) -> Result<Arc<TextPlace>, ParseError> {
        let start = cursor.place();
        let quoted = if cursor.peek() == Some(b'"') { Some(cursor.string()?) } else { None };
        let piece = cursor.piece().unwrap_or_default();
        let parsed = piece.rsplit_once(':').and_then(|(rest, column)| {
            let (file, line) = rest.rsplit_once(':')?;
            Some((file, number(line)?, number(column)?))
        });
        match (&quoted, parsed) {
            (Some(file), Some(("", line, column))) => Ok(self.place_of(file, line, column)),
            (None, Some((file, line, column))) => Ok(self.place_of(file, line, column)),
            _ => {
                let expected = "a source line, such as `src/main.rs:7:13`";
                Err(cursor.error_at(start, ParseErrorKind::Syntax, expected))
            }
        }
    }

    fn place_of(&mut self, file: &str, line: u32, column: u32) -> Arc<TextPlace> {
        let same = |place: &&Arc<TextPlace>| {
            place.line == line && place.column == column && *place.file == *file
        };
        if let Some(place) = self.place.as_ref().filter(same) {
            return Arc::clone(place);
        }
        let place = Arc::new(TextPlace { file: self.kept(file), line, column });
        self.place = Some(Arc::clone(&place));
        place
    }

    /// The one copy of a text.
    fn kept(&mut self, text: &str) -> Arc<String> {
        let text = text.to_string();
        if let Some(kept) = self.texts.get(&text) {
            return Arc::clone(kept);
        }
        let kept = Arc::new(text);
        self.texts.insert(Arc::clone(&kept));
        kept
    }
}

fn give_name<P: Tensorial>(value: Value<'_, P>, name: Option<Cow<'_, str>>) {
    if let Some(name) = name {
        let _ = value.named(&name);
    }
}

fn number(digits: &str) -> Option<u32> {
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit());
    if plain { digits.parse().ok() } else { None }
}

/// `{name = value, ..}`, where there are attributes.
fn read_attributes<'t>(cursor: &mut Cursor<'t>) -> Result<Attributes<'t>, ParseError> {
    let mut attributes = Attributes::default();
    if !cursor.take(b'{') {
        return Ok(attributes);
    }
    loop {
        let Some(name) = cursor.word() else {
            return Err(cursor.error(ParseErrorKind::Syntax, "the name of an attribute"));
        };
        cursor.expect(b'=', "`=` and the value of the attribute")?;
        let start = cursor.place();
        if cursor.peek() == Some(b'[') {
            read_items(cursor, "a list", read_word)?;
        } else {
            read_word(cursor)?;
        }
        attributes.give(name, cursor.since(start));
        if cursor.take(b'}') {
            return Ok(attributes);
        }
        cursor.expect(b',', "`,` or `}`")?;
    }
}

fn read_word(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
    match cursor.word() {
        Some(_) => Ok(()),
        None => Err(cursor.error(ParseErrorKind::Syntax, "the value of an attribute")),
    }
}
