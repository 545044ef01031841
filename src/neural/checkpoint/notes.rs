//! Notes: short texts by name, which `safetensors` calls metadata.
//!
//! What was read stays the JSON text that it is until somebody asks: a file of very many notes is
//! not to take many times its size in memory.

use super::CheckpointError;
use super::contents::LONGEST_NAME;
use super::header::text_of;
use serde::Deserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt;

/// The most notes that a file may have.
pub(super) const MOST_NOTES: usize = 1024;

#[derive(Clone)]
pub(super) enum Notes<'b> {
    /// A JSON object of texts, found valid.
    Read(Cow<'b, str>),
    /// By name.
    Own(BTreeMap<String, String>),
}

impl Default for Notes<'_> {
    fn default() -> Self {
        Self::Own(BTreeMap::new())
    }
}

impl PartialEq for Notes<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.all() == other.all()
    }
}

impl<'b> Notes<'b> {
    /// The notes of a JSON object.
    ///
    /// # Errors
    ///
    /// Where it is none, holds something else than texts, or a name twice.
    pub(super) fn read(text: &'b str) -> Result<Self, serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        json.deserialize_map(Check)?;
        json.end()?;
        Ok(Self::Read(Cow::Borrowed(text)))
    }

    pub(super) fn all(&self) -> BTreeMap<String, String> {
        match self {
            Self::Own(notes) => notes.clone(),
            Self::Read(text) => {
                serde_json::from_str(text).expect("invariant: notes were read before")
            }
        }
    }

    pub(super) fn get(&self, name: &str) -> Option<String> {
        match self {
            Self::Own(notes) => notes.get(name).cloned(),
            Self::Read(_) => self.all().remove(name),
        }
    }

    pub(super) fn set(&mut self, name: String, text: String) {
        let mut notes = self.all();
        notes.insert(name, text);
        *self = Self::Own(notes);
    }

    pub(super) fn is_empty(&self) -> bool {
        match self {
            Self::Own(notes) => notes.is_empty(),
            Self::Read(_) => self.all().is_empty(),
        }
    }

    /// Whether they can be read again from a file.
    ///
    /// # Errors
    ///
    /// Where there are too many, or a name is too long.
    pub(super) fn check(&self) -> Result<(), CheckpointError> {
        // What was read was checked then.
        let Self::Own(notes) = self else { return Ok(()) };
        if notes.len() > MOST_NOTES {
            return Err(CheckpointError::Notes { count: notes.len() });
        }
        match notes.keys().find(|name| name.len() > LONGEST_NAME) {
            Some(name) => {
                let problem = "is longer than 4096 bytes";
                Err(CheckpointError::Name { name: name.clone(), problem })
            }
            None => Ok(()),
        }
    }

    /// As a JSON object, by ascending name.
    pub(super) fn to_json(&self) -> String {
        serde_json::to_string(&self.all()).expect("invariant: texts have a form in JSON")
    }

    pub(super) fn into_owned(self) -> Notes<'static> {
        match self {
            Self::Own(notes) => Notes::Own(notes),
            Self::Read(text) => Notes::Read(Cow::Owned(text.into_owned())),
        }
    }
}

/// Reads over an object of texts without keeping them.
struct Check;

impl<'de> Visitor<'de> for Check {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of texts")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        let mut names = Vec::new();
        while let Some(name) = map.next_key::<&RawValue>()? {
            let name = text_of(name.get()).map_err(A::Error::custom)?;
            let text: &RawValue = map.next_value()?;
            if !is_text(text.get()) {
                return Err(A::Error::custom(format!("the note {name:?} is no text")));
            }
            if names.len() == MOST_NOTES {
                return Err(A::Error::custom(format!("more than {MOST_NOTES} notes")));
            }
            names.push(name);
        }
        names.sort_unstable();
        match names.array_windows().find(|[a, b]| a == b) {
            Some([name, _]) => Err(A::Error::custom(format!("the note {name:?} stands twice"))),
            None => Ok(()),
        }
    }
}

/// Whether a value of JSON is a string that stands for a text: none of its escapes is half a pair of
/// surrogates. It is looked at where it lies: unfolded, a long one takes up to twice its size.
fn is_text(value: &str) -> bool {
    let unit = |escape: &str| {
        let digits = escape.strip_prefix('u')?.get(..4)?;
        u32::from_str_radix(digits, 16).ok()
    };
    let mut rest = value;
    while let Some((_, escape)) = rest.split_once('\\') {
        let length = match unit(escape) {
            None => 1,
            Some(0xd800..0xdc00) => match escape[5..].strip_prefix('\\').and_then(unit) {
                Some(0xdc00..0xe000) => 11,
                _ => return false,
            },
            Some(0xdc00..0xe000) => return false,
            Some(_) => 5,
        };
        rest = &escape[length..];
    }
    value.starts_with('"')
}

/// A name, which borrows the file where it can. A long one is refused before it is copied.
pub(super) struct Name;

impl<'de> serde::de::DeserializeSeed<'de> for Name {
    type Value = Cow<'de, str>;
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Cow<'de, str>, D::Error> {
        json.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Name {
    type Value = Cow<'de, str>;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a name")
    }
    fn visit_borrowed_str<E: Error>(self, name: &'de str) -> Result<Cow<'de, str>, E> {
        short(name).map(Cow::Borrowed)
    }
    fn visit_str<E: Error>(self, name: &str) -> Result<Cow<'de, str>, E> {
        short(name).map(|name| Cow::Owned(name.to_owned()))
    }
}

fn short<E: Error>(name: &str) -> Result<&str, E> {
    if name.len() <= LONGEST_NAME {
        return Ok(name);
    }
    Err(E::custom(format!("a name of {} bytes, which is longer than {LONGEST_NAME}", name.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_what_json_reads_as_one() {
        let parts = [
            "", "a", "u", "\u{e9}", "\\n", "\\\\", "\\\"", "\\u0041", "\\ud800", "\\uDBFF",
            "\\udc00",
        ];
        let mut texts = 0;
        for code in 0..parts.len().pow(4) {
            let part = |digit: u32| parts[code / parts.len().pow(digit) % parts.len()];
            let written = format!("\"{}{}{}{}\"", part(0), part(1), part(2), part(3));
            let read = serde_json::from_str::<String>(&written).is_ok();
            assert_eq!(is_text(&written), read, "{written}");
            texts += usize::from(read);
        }
        assert!(texts > parts.len().pow(3), "{texts}");
        assert!(!is_text("1") && !is_text("[\"a\"]"));
    }
}
