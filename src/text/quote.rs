//! Words and quoted strings: how names and other free text stand in a line.
//!
//! INVARIANT: whatever the text, what is printed has no line break, and reads back exactly.

use std::fmt;

/// Words that open a form of payload, and that an element's text must not be taken for.
pub(super) const FORMS: [&str; 4] = ["dense", "constant", "selection", "bf16"];

/// Whether a byte can stand in a bare word.
pub(super) fn is_word_byte(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"_.+-:".contains(&byte)
}

/// Text in quotes, with `"`, `\` and control characters escaped.
pub(super) struct Quoted<'a>(pub(super) &'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("\"")?;
        let mut plain = 0;
        // The characters that need an escape are single bytes or U+0080..U+009F.
        for (at, character) in self.0.char_indices() {
            if character != '"' && character != '\\' && !character.is_control() {
                continue;
            }
            f.write_str(&self.0[plain..at])?;
            plain = at + character.len_utf8();
            match character {
                '"' => f.write_str("\\\"")?,
                '\\' => f.write_str("\\\\")?,
                '\n' => f.write_str("\\n")?,
                '\r' => f.write_str("\\r")?,
                '\t' => f.write_str("\\t")?,
                other => write!(f, "\\u{{{:x}}}", u32::from(other))?,
            }
        }
        f.write_str(&self.0[plain..])?;
        f.write_str("\"")
    }
}

/// The text of an element or of its type: bare where it is a word, else in quotes.
pub(super) struct Word<'a>(pub(super) &'a str);

impl fmt::Display for Word<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let bare = !self.0.is_empty() && self.0.bytes().all(is_word_byte);
        if bare && !FORMS.contains(&self.0) {
            f.write_str(self.0)
        } else {
            write!(f, "{}", Quoted(self.0))
        }
    }
}

/// A source file: bare where no reader could take it for anything else, else in quotes.
pub(super) struct File<'a>(pub(super) &'a str);

impl fmt::Display for File<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let plain = |byte: u8| byte.is_ascii_graphic() && byte != b'"' && byte != b';';
        if !self.0.is_empty() && self.0.bytes().all(plain) {
            f.write_str(self.0)
        } else {
            write!(f, "{}", Quoted(self.0))
        }
    }
}
