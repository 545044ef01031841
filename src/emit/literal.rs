//! Numbers and strings as MLIR spells them.

use super::types::Kind;
use std::fmt::Write;

/// A number: the shortest decimal that reads back exactly, and bits where no decimal is certain to.
pub(super) fn number(value: f64, kind: Kind) -> String {
    match kind {
        Kind::F32 => {
            let single = value as f32;
            match single.is_normal() || single.to_bits() == 0 {
                true => dotted(format!("{single:?}")),
                false if single.is_nan() => "0x7FC00000".into(),
                false => format!("0x{:08X}", single.to_bits()),
            }
        }
        Kind::F64 => match value.is_normal() || value.to_bits() == 0 {
            true => dotted(format!("{value:?}")),
            false if value.is_nan() => "0x7FF8000000000000".into(),
            false => format!("0x{:016X}", value.to_bits()),
        },
        Kind::Truth => (value != 0.0).to_string(),
        Kind::Index => (value as i64).to_string(),
    }
}

/// A decimal needs a point in front of its exponent.
fn dotted(decimal: String) -> String {
    match decimal.split_once('e') {
        Some((digits, exponent)) if !digits.contains('.') => format!("{digits}.0e{exponent}"),
        _ => decimal,
    }
}

/// Elements in nested brackets by their extents.
pub(super) fn nested(extents: &[usize], elements: &[String]) -> String {
    let Some((&first, rest)) = extents.split_first() else { return elements[0].clone() };
    if rest.is_empty() {
        return format!("[{}]", elements.join(", "));
    }
    let part = elements.len() / first.max(1);
    let parts = elements.chunks(part.max(1)).map(|part| nested(rest, part));
    format!("[{}]", parts.collect::<Vec<_>>().join(", "))
}

/// A string in quotes.
pub(super) fn quoted(text: &str) -> String {
    let mut out = String::from("\"");
    for byte in text.bytes() {
        match byte {
            b'"' | b'\\' => {
                let _ = write!(out, "\\{byte:02X}");
            }
            0x20..=0x7e => out.push(char::from(byte)),
            _ => {
                let _ = write!(out, "\\{byte:02X}");
            }
        }
    }
    out + "\""
}

/// A text on one line: a comment ends where its line does.
pub(super) fn one_line(text: &str) -> String {
    let mut out = String::new();
    for c in text.chars() {
        match c.is_control() {
            true => out.extend(c.escape_default()),
            false => out.push(c),
        }
    }
    out
}

/// A label as the name of a value: letters, digits and `_.`, not led by a digit.
pub(super) fn name(label: &str) -> String {
    let plain = |c: char| if c.is_ascii_alphanumeric() || "_.".contains(c) { c } else { '_' };
    let name: String = label.chars().map(plain).collect();
    if name.starts_with(|c: char| c.is_ascii_alphabetic()) { name } else { format!("_{name}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_point_or_are_bits() {
        assert_eq!(number(1.0, Kind::F32), "1.0");
        assert_eq!(number(1e20, Kind::F32), "1.0e20");
        assert_eq!(number(1.5e-20, Kind::F64), "1.5e-20");
        assert_eq!(number(-0.0, Kind::F32), "0x80000000");
        assert_eq!(number(1e-45, Kind::F32), "0x00000001");
        assert_eq!(number(f64::NEG_INFINITY, Kind::F64), "0xFFF0000000000000");
        assert_eq!(number(-f64::NAN, Kind::F64), "0x7FF8000000000000");
    }

    #[test]
    fn strings_and_names_are_plain() {
        assert_eq!(quoted("a\"b\\\u{e9}"), "\"a\\22b\\5C\\C3\\A9\"");
        assert_eq!(name("block0.w 1"), "block0.w_1");
        assert_eq!(name("1"), "_1");
        assert_eq!(name("a$b-c"), "a_b_c");
        assert_eq!(one_line("\u{e9} a\r\nb\0"), "\u{e9} a\\r\\nb\\u{0}");
        let elements: Vec<String> = (0..4).map(|n| n.to_string()).collect();
        assert_eq!(nested(&[2, 2], &elements), "[[0, 1], [2, 3]]");
    }
}
