//! `Index`: the entries of a `safetensors` file, each by the place of its name in the header.
//!
//! INVARIANT: an entry takes eight bytes beside the file, which has fifty for it, so that a file of nothing
//! but its header is held in little more than itself. Every entry was read to its end once: reading it
//! again cannot fail. Places are sorted by name, so that a lookup is a search.

use super::contents::{TWICE, check_name};
use super::header::{One, text_of};
use super::{Array, CheckpointError};
use serde::Deserialize;
use serde::de::DeserializeSeed;
use serde_json::Deserializer;
use serde_json::value::RawValue;
use std::borrow::Cow;

/// The entries of a file, and its bytes.
#[derive(Clone)]
pub(super) struct Index<'b> {
    file: Cow<'b, [u8]>,
    /// Where the header ends and the numbers begin.
    data: usize,
    /// Where names begin in the file, by ascending name.
    places: Vec<usize>,
}

const READ_BEFORE: &str = "invariant: every entry was read before";

/// The name that begins at `at`, in quotes, as it is written.
fn written(header: &[u8], at: usize) -> &str {
    let mut json = Deserializer::from_slice(&header[at..]);
    <&RawValue>::deserialize(&mut json).expect(READ_BEFORE).get()
}

/// The name that begins at `at`.
pub(super) fn name_at(header: &[u8], at: usize) -> Cow<'_, str> {
    text_of(written(header, at)).expect(READ_BEFORE)
}

impl<'b> Index<'b> {
    /// The index of a file whose header, in front of `data`, was read, with names at these places.
    ///
    /// # Errors
    ///
    /// Where a name is none that files keep, or stands twice.
    pub(super) fn new(
        file: Cow<'b, [u8]>,
        data: usize,
        mut places: Vec<usize>,
    ) -> Result<Self, CheckpointError> {
        let header = &file[..data];
        places.sort_unstable_by(|&a, &b| name_at(header, a).cmp(&name_at(header, b)));
        let mut last = None;
        for &at in &places {
            let name = name_at(header, at);
            let twice = last.as_ref() == Some(&name);
            let checked = if twice { Err(TWICE) } else { check_name(&name) };
            if let Err(problem) = checked {
                return Err(CheckpointError::Name { name: name.into_owned(), problem });
            }
            last = Some(name);
        }
        Ok(Self { file, data, places })
    }

    pub(super) fn len(&self) -> usize {
        self.places.len()
    }

    fn header(&self) -> &[u8] {
        &self.file[..self.data]
    }

    pub(super) fn holds(&self, wanted: &str) -> bool {
        self.position(wanted).is_ok()
    }

    fn position(&self, wanted: &str) -> Result<usize, usize> {
        self.places.binary_search_by(|&at| (*name_at(self.header(), at)).cmp(wanted))
    }

    pub(super) fn array(&self, wanted: &str) -> Option<Array<'_>> {
        self.position(wanted).ok().map(|found| self.read(self.places[found]).1)
    }

    /// By ascending name.
    pub(super) fn arrays(&self) -> impl Iterator<Item = (Cow<'_, str>, Array<'_>)> {
        self.places.iter().map(|&at| self.read(at))
    }

    /// The entry whose name begins at `at`.
    fn read(&self, at: usize) -> (Cow<'_, str>, Array<'_>) {
        let header = self.header();
        let written = written(header, at);
        let name = text_of(written).expect(READ_BEFORE);
        let behind = &header[at + written.len()..];
        let colon = behind.iter().position(|&byte| byte == b':').expect(READ_BEFORE);
        let mut json = Deserializer::from_slice(&behind[colon + 1..]);
        let one = One { name: &name, data: &self.file[self.data..] };
        let (_, array) = one.deserialize(&mut json).expect(READ_BEFORE);
        (name, array)
    }

    pub(super) fn into_owned(self) -> Index<'static> {
        let file = Cow::Owned(self.file.into_owned());
        Index { file, data: self.data, places: self.places }
    }
}
