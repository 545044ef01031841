//! `Cursor`: reads the tokens of one line, and says where it stands when one is missing.
//!
//! INVARIANT: it moves forward only and stops at character boundaries, so that no text makes it
//! loop or panic, and a whole line costs time and memory proportional to its length.

use super::error::{ParseError, ParseErrorKind};
use super::quote::is_word_byte;
use std::borrow::Cow;

/// The longest piece of a text that a message repeats, in characters.
const SHOWN: usize = 40;

#[derive(Clone)]
pub(super) struct Cursor<'t> {
    line: &'t str,
    number: usize,
    at: usize,
}

impl<'t> Cursor<'t> {
    /// The start of the line that has this number.
    pub(super) fn new(line: &'t str, number: usize) -> Self {
        Self { line, number, at: 0 }
    }

    /// The number of the line.
    pub(super) fn line_number(&self) -> usize {
        self.number
    }

    fn rest(&self) -> &'t str {
        &self.line[self.at..]
    }

    fn skip_blanks(&mut self) {
        let blank = |byte: &u8| matches!(byte, b' ' | b'\t' | b'\r');
        self.at += self.rest().bytes().take_while(blank).count();
    }

    /// The byte that the next token begins with, `None` at the end or at a comment.
    pub(super) fn peek(&mut self) -> Option<u8> {
        self.skip_blanks();
        self.rest().bytes().next().filter(|&byte| byte != b';')
    }

    /// Where the next token begins.
    pub(super) fn place(&mut self) -> Mark {
        self.skip_blanks();
        Mark(self.at)
    }

    /// Takes the byte `token`, if it is next.
    pub(super) fn take(&mut self, token: u8) -> bool {
        let taken = self.peek() == Some(token);
        self.at += usize::from(taken);
        taken
    }

    /// Takes the byte `token`, which must be next.
    pub(super) fn expect(&mut self, token: u8, expected: &str) -> Result<(), ParseError> {
        if self.take(token) {
            return Ok(());
        }
        Err(self.error(ParseErrorKind::Syntax, expected))
    }

    /// A bare word, if one is next.
    pub(super) fn word(&mut self) -> Option<&'t str> {
        self.skip_blanks();
        self.run(is_word_byte)
    }

    /// The bytes from here that are all `of` a class.
    fn run(&mut self, of: impl Fn(u8) -> bool) -> Option<&'t str> {
        let rest = self.rest();
        let length = rest.bytes().take_while(|&byte| of(byte)).count();
        // A class of ASCII bytes ends at a character boundary.
        let run = rest.get(..length)?;
        self.at += length;
        (length > 0).then_some(run)
    }

    /// A piece that ends at a blank, a comment or the end of the line: what stands behind `@`.
    pub(super) fn piece(&mut self) -> Option<&'t str> {
        self.skip_blanks();
        self.run(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b';'))
    }

    /// A decimal number without a sign.
    pub(super) fn number(&mut self, expected: &str) -> Result<usize, ParseError> {
        self.skip_blanks();
        let mark = Mark(self.at);
        let Some(digits) = self.run(|byte| byte.is_ascii_digit()) else {
            return Err(self.error(ParseErrorKind::Syntax, expected));
        };
        digits.parse().map_err(|_| self.error_at(mark, ParseErrorKind::Number, expected))
    }

    /// A word, or a string in quotes.
    pub(super) fn text(&mut self, expected: &str) -> Result<Cow<'t, str>, ParseError> {
        if self.peek() == Some(b'"') {
            return self.string();
        }
        match self.word() {
            Some(word) => Ok(Cow::Borrowed(word)),
            None => Err(self.error(ParseErrorKind::Syntax, expected)),
        }
    }

    /// A string in quotes.
    pub(super) fn string(&mut self) -> Result<Cow<'t, str>, ParseError> {
        self.expect(b'"', "a string in quotes")?;
        let rest = self.rest();
        let (length, closed) = match to_quote(rest.as_bytes()) {
            Some(length) => (length, true),
            None => (rest.len(), false),
        };
        let (within, end) = (&rest[..length], self.at + length);
        let text = if within.contains('\\') {
            // What an escape stands for is shorter than the escape.
            let mut text = String::with_capacity(length);
            while self.at < end {
                let rest = &self.line[self.at..end];
                let plain = &rest[..rest.find('\\').unwrap_or(rest.len())];
                text.push_str(plain);
                self.at += plain.len();
                if self.at < end {
                    text.push(self.escape()?);
                }
            }
            Cow::Owned(text)
        } else {
            Cow::Borrowed(within)
        };
        self.at = end;
        if !closed {
            return Err(self.error(ParseErrorKind::Quote, "the closing quote of a string"));
        }
        self.at += 1;
        Ok(text)
    }

    /// The character behind a backslash.
    fn escape(&mut self) -> Result<char, ParseError> {
        let rest = self.rest().as_bytes();
        let short = match rest.get(1) {
            Some(b'n') => Some('\n'),
            Some(b'r') => Some('\r'),
            Some(b't') => Some('\t'),
            Some(b'"') => Some('"'),
            Some(b'\\') => Some('\\'),
            _ => None,
        };
        if let Some(character) = short {
            self.at += 2;
            return Ok(character);
        }
        let digits =
            self.rest().strip_prefix("\\u{").and_then(|rest| Some(rest.split_once('}')?.0));
        let hexadecimal =
            digits.filter(|digits| digits.bytes().all(|byte| byte.is_ascii_hexdigit()));
        let code = hexadecimal.and_then(|digits| u32::from_str_radix(digits, 16).ok());
        match (digits, code.and_then(char::from_u32)) {
            (Some(digits), Some(character)) => {
                self.at += digits.len() + "\\u{}".len();
                Ok(character)
            }
            _ => {
                let expected = "an escape: \\n, \\r, \\t, \\\", \\\\ or \\u{hexadecimal}";
                Err(self.error(ParseErrorKind::Quote, expected))
            }
        }
    }

    /// The number of items from here to the bracket that closes their list, or to an empty one: each
    /// is a byte of the text at least, and a comma or a bracket.
    pub(super) fn items(&self) -> usize {
        let rest = self.rest().as_bytes();
        let (mut at, mut count, mut empty) = (0, 0, true);
        while let Some(&byte) = rest.get(at) {
            at += 1;
            match byte {
                b',' if !empty => (count, empty) = (count + 1, true),
                b' ' | b'\t' | b'\r' => {}
                b',' | b'[' | b']' | b'{' | b';' => break,
                b'"' => {
                    let Some(length) = to_quote(&rest[at..]) else { break };
                    (at, empty) = (at + length + 1, false);
                }
                _ => empty = false,
            }
        }
        count + usize::from(!empty)
    }

    /// The text between two places, without blanks at its end.
    pub(super) fn since(&self, start: Mark) -> &'t str {
        self.line[start.0..self.at].trim_end()
    }

    /// That nothing but a comment follows.
    pub(super) fn end(&mut self, expected: &str) -> Result<(), ParseError> {
        match self.peek() {
            None => Ok(()),
            Some(_) => Err(self.error(ParseErrorKind::Syntax, expected)),
        }
    }

    /// The error at the next token.
    #[cold]
    pub(super) fn error(
        &mut self,
        kind: ParseErrorKind,
        expected: impl Into<String>,
    ) -> ParseError {
        let mark = self.place();
        self.error_at(mark, kind, expected)
    }

    /// The error at a place that the cursor has passed.
    #[cold]
    pub(super) fn error_at(
        &self,
        mark: Mark,
        kind: ParseErrorKind,
        expected: impl Into<String>,
    ) -> ParseError {
        ParseError::new(self.position(mark), kind, expected, found(&self.line[mark.0..]))
    }

    /// The error at a place that the cursor has passed, with what was found there.
    #[cold]
    pub(super) fn error_found(
        &self,
        mark: Mark,
        kind: ParseErrorKind,
        expected: impl Into<String>,
        found: impl Into<String>,
    ) -> ParseError {
        ParseError::new(self.position(mark), kind, expected, found)
    }

    /// Line and column of a place.
    pub(super) fn position(&self, mark: Mark) -> (usize, usize) {
        (self.number, self.line[..mark.0].chars().count() + 1)
    }
}

/// A place in a line.
#[derive(Clone, Copy)]
pub(super) struct Mark(usize);

/// The bytes before the quote that ends a string.
fn to_quote(text: &[u8]) -> Option<usize> {
    let mut escaped = false;
    text.iter().position(|&byte| {
        let ends = byte == b'"' && !escaped;
        escaped = byte == b'\\' && !escaped;
        ends
    })
}

/// How a message shows the token that a text begins with.
fn found(text: &str) -> String {
    let text = text.trim_end();
    let Some(first) = text.chars().next() else { return "the end of the line".to_owned() };
    if first == ';' {
        return "a comment".to_owned();
    }
    let is_word = |character: &char| character.is_ascii() && is_word_byte(*character as u8);
    let length = match first {
        '%' | '\\' => 1 + text.chars().skip(1).take_while(is_word).count(),
        '"' => usize::MAX,
        '{' => text.chars().take_while(|character| *character != '}').count() + 1,
        _ => text.chars().take_while(is_word).count().max(1),
    };
    let shown: String = text.chars().take(length.min(SHOWN)).flat_map(visible).collect();
    let more = if text.chars().take(length).nth(SHOWN).is_some() { ".." } else { "" };
    format!("`{shown}{more}`")
}

/// A character as a message shows it: no control character reaches a terminal.
fn visible(character: char) -> impl Iterator<Item = char> {
    let control = character.is_control();
    let escaped = control.then(|| character.escape_unicode()).into_iter().flatten();
    escaped.chain((!control).then_some(character))
}
