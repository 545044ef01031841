//! Payloads as text: every form of storage, each element exactly.
//!
//! A bare element is one stored densely (a scalar); other forms open with their name. A reader of
//! the short form gets at most [`INLINE`] elements and a digest of longer payloads.
//!
//! COST: memory is proportional to the text, whatever shape it claims: a constant stores one
//! element, and every other form as many as are written down.

use super::cursor::Cursor;
use super::error::{ParseError, ParseErrorKind};
use super::fingerprint::digest;
use super::quote::Word;
use super::shape::WrittenShape;
use crate::kernel::Elementary;
use crate::payload::{Brief, Stored, Tensorial};
use std::fmt;

/// The short form prints this many elements before it prints a digest instead.
pub(super) const INLINE: usize = 16;

/// Prints a payload: all of it, or its digest where it is long.
pub(super) fn write_payload<P: Tensorial>(
    f: &mut fmt::Formatter<'_>,
    payload: &P,
    full: bool,
) -> fmt::Result {
    let stored = payload.stored();
    let (form, count) = match &stored {
        Stored::Dense(elements) => ("dense", elements.len()),
        Stored::Constant(_) => ("constant", 1),
        Stored::Selection(columns) => ("selection", columns.len()),
        Stored::Bfloat16(bits) => ("bf16", bits.len()),
    };
    if count > INLINE && !full {
        let digest = digest(&payload.shape(), &stored);
        return write!(f, "{form} #{digest:032x}");
    }
    match &stored {
        Stored::Dense(elements) if count == 1 && payload.shape().is_empty() => {
            write_element(f, &elements[0])
        }
        Stored::Constant(element) => {
            f.write_str("constant ")?;
            write_element(f, element)
        }
        Stored::Dense(elements) => write_list(f, form, elements, write_element),
        Stored::Selection(columns) => {
            write_list(f, form, columns, |f, column| write!(f, "{column}"))
        }
        Stored::Bfloat16(bits) => write_list(f, form, bits, |f, bits| write!(f, "0x{bits:04x}")),
    }
}

fn write_element<E: Elementary>(f: &mut fmt::Formatter<'_>, element: &E) -> fmt::Result {
    write!(f, "{}", Word(&element.to_text()))
}

fn write_list<T>(
    f: &mut fmt::Formatter<'_>,
    form: &str,
    items: &[T],
    write: impl Fn(&mut fmt::Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    write!(f, "{form} [")?;
    for (position, item) in items.iter().enumerate() {
        if position > 0 {
            f.write_str(", ")?;
        }
        write(f, item)?;
    }
    f.write_str("]")
}

/// Reads what [`write_payload`] prints in full, and makes sure that it fits the shape behind it.
pub(super) fn read_payload<P: Tensorial>(cursor: &mut Cursor<'_>) -> Result<P, ParseError> {
    let start = cursor.place();
    let stored = match cursor.peek() {
        Some(b'"') => Stored::Dense(vec![read_element(cursor)?]),
        _ => match cursor.word() {
            Some("constant") => Stored::Constant(read_element(cursor)?),
            Some("dense") => Stored::Dense(read_list(cursor, read_element)?),
            Some("selection") => Stored::Selection(read_list(cursor, |cursor| {
                cursor.number("a column of the selection")
            })?),
            Some("bf16") => Stored::Bfloat16(read_list(cursor, read_bf16)?),
            Some(word) => match P::Element::from_text(word) {
                Some(element) => Stored::Dense(vec![element]),
                None => return Err(cursor.error_at(start, ParseErrorKind::Payload, any::<P>())),
            },
            None => return Err(cursor.error(ParseErrorKind::Syntax, any::<P>())),
        },
    };
    let shape = WrittenShape::read(cursor)?.shape();
    let what = describe(&stored);
    P::from_stored(&shape, stored).ok_or_else(|| {
        let name = P::Element::NAME;
        let expected = format!("a payload that `{name}` can hold in the shape {}", Brief(&shape));
        cursor.error_found(start, ParseErrorKind::Payload, expected, what)
    })
}

fn any<P: Tensorial>() -> String {
    let name = P::Element::NAME;
    format!("a payload: an element of `{name}`, or dense, constant, selection or bf16")
}

/// What a message says of stored elements that do not fit.
fn describe<E>(stored: &Stored<E>) -> String {
    match stored {
        Stored::Dense(elements) => format!("{} dense elements", elements.len()),
        Stored::Constant(_) => "a constant".to_owned(),
        Stored::Bfloat16(bits) => format!("{} bf16 elements", bits.len()),
        Stored::Selection(columns) => match columns.iter().max() {
            Some(last) => format!("a selection of {} rows up to column {last}", columns.len()),
            None => "a selection of no rows".to_owned(),
        },
    }
}

fn read_element<E: Elementary>(cursor: &mut Cursor<'_>) -> Result<E, ParseError> {
    let expected = || format!("an element of `{}`", E::NAME);
    let start = cursor.place();
    let text = match cursor.word() {
        Some(word) => word.into(),
        None => cursor.text(&expected())?,
    };
    E::from_text(&text).ok_or_else(|| cursor.error_at(start, ParseErrorKind::Payload, expected()))
}

fn read_bf16(cursor: &mut Cursor<'_>) -> Result<u16, ParseError> {
    let start = cursor.place();
    let digits = cursor.word().and_then(|word| word.strip_prefix("0x"));
    let bits = digits.filter(|digits| digits.len() == 4 && !digits.starts_with('+'));
    bits.and_then(|digits| u16::from_str_radix(digits, 16).ok()).ok_or_else(|| {
        cursor.error_at(start, ParseErrorKind::Payload, "the bits of a bf16, such as 0x3f80")
    })
}

fn read_list<'t, T>(
    cursor: &mut Cursor<'t>,
    read: impl Fn(&mut Cursor<'t>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    if cursor.peek() == Some(b'#') {
        let expected = "all elements: this text has their digest only; print the full form, \
                        `network.to_text()`";
        return Err(cursor.error(ParseErrorKind::Elided, expected));
    }
    // COST: as long as it gets from the start, or twice what it takes would be held while it grows.
    let mut ahead = cursor.clone();
    let count = if ahead.take(b'[') { ahead.items() } else { 0 };
    let mut items = Vec::with_capacity(count);
    read_items(cursor, "the elements in brackets", |cursor| {
        items.push(read(cursor)?);
        Ok(())
    })?;
    items.shrink_to_fit();
    Ok(items)
}

/// Reads `[item, item, ..]`.
pub(super) fn read_items<'t>(
    cursor: &mut Cursor<'t>,
    expected: &str,
    mut read: impl FnMut(&mut Cursor<'t>) -> Result<(), ParseError>,
) -> Result<(), ParseError> {
    cursor.expect(b'[', expected)?;
    if cursor.take(b']') {
        return Ok(());
    }
    loop {
        read(cursor)?;
        if cursor.take(b']') {
            return Ok(());
        }
        cursor.expect(b',', "`,` or `]`")?;
    }
}
