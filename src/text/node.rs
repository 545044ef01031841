//! Reading one node, and recording it by the rules of every recording.

use super::cursor::{Cursor, Mark};
use super::error::{ParseError, ParseErrorKind};
use super::payload::{read_items, read_payload};
use crate::graph::measured::{Axes, Measured};
use crate::graph::node::{Origin, Place, TextPlace};
use crate::graph::{Network, Value};
use crate::ops::attribute::Attributes;
use crate::ops::{Function, Input, Leaf};
use crate::payload::{Shape, Tensorial};
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
    /// The operands of the node at hand.
    operands: Vec<u32>,
}

impl<'n, P: Tensorial> Lines<'n, P> {
    pub(super) fn new(network: &'n Network<P>) -> Self {
        Self { network, texts: BTreeSet::new(), place: None, operands: Vec::new() }
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
        let payload = read_payload(cursor, |cursor| Ok(read_shape(cursor)?.1))?;
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
        let operands = cursor.place();
        self.read_operands(cursor)?;
        let brace = cursor.place();
        let attributes = read_attributes(cursor)?;
        let given = attributes.0.len();
        // A count that differs is an attribute that the operation has not, or one given twice.
        let function = Function::from_text(name, &attributes)
            .filter(|function| function.attributes().len() == given);
        let Some(function) = function else {
            let expected = format!("the attributes that `{name}` takes");
            return Err(match given {
                0 => cursor.error_found(brace, ParseErrorKind::Attributes, expected, "none"),
                _ => cursor.error_at(brace, ParseErrorKind::Attributes, expected),
            });
        };
        let count = self.operands.len();
        // INVARIANT: shape rules index their operands, so that their number is right from here.
        let expected = match function.arity() {
            Some(arity) if arity != count => format!("{arity} operands of `{name}`"),
            None if count == 0 => format!("at least one operand of `{name}`"),
            _ => {
                let (at, shape) = read_shape(cursor)?;
                let (label, origin) = self.labels(cursor)?;
                let value = self
                    .network
                    .record_from(function, &self.operands, origin)
                    .map_err(|refusal| ParseError::refused(cursor.position(start), refusal))?;
                if *value.shape() != shape {
                    let expected = format!("{}, the shape that `{name}` gives", value.shape());
                    let found = shape.to_string();
                    return Err(cursor.error_found(at, ParseErrorKind::Shape, expected, found));
                }
                give_name(value, label);
                return Ok(());
            }
        };
        Err(cursor.error_found(operands, ParseErrorKind::Arity, expected, count.to_string()))
    }

    fn read_operands(&mut self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        self.operands.clear();
        if cursor.peek() != Some(b'%') {
            return Ok(());
        }
        loop {
            let start = cursor.place();
            cursor.expect(b'%', "an operand")?;
            let operand = cursor.number("the number of an operand")?;
            if operand >= self.network.len() {
                let expected = "an operand that stands above";
                return Err(cursor.error_at(start, ParseErrorKind::Operand, expected));
            }
            // The tape holds fewer than 2^32 nodes.
            self.operands.push(operand as u32);
            if !cursor.take(b',') {
                return Ok(());
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

/// `: [extent, ..]`, and where the shape begins.
fn read_shape(cursor: &mut Cursor<'_>) -> Result<(Mark, Shape), ParseError> {
    cursor.expect(b':', "`:` and the shape")?;
    let start = cursor.place();
    let mut extents = Vec::new();
    read_items(cursor, "a shape, such as [2, 3]", |cursor| {
        extents.push(cursor.number("an extent")?);
        Ok(())
    })?;
    Ok((start, Shape::from(extents)))
}

/// `{name = value, ..}`, where there are attributes.
fn read_attributes(cursor: &mut Cursor<'_>) -> Result<Attributes, ParseError> {
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
        attributes.0.push((name.to_owned(), cursor.since(start).to_owned()));
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
