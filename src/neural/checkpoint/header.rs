//! The header of a `safetensors` file: a JSON object of entries, read in place.
//!
//! INVARIANT: of an entry three numbers are kept; no text of the header is copied but names with
//! escapes, one at a time and short ones alone.

use super::Dtype;
use super::array::{Array, Extents};
use super::contents::LONGEST_NAME;
use super::notes::{Name, Notes};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;

/// The most axes of an array.
pub(super) const MOST_AXES: usize = 64;
/// An entry as short as it can be, with what parts it from the next.
const SHORTEST: &str = r#""":{"dtype":"U8","shape":[],"data_offsets":[0,0]},"#;
/// The longest escape that stands for one byte, `\u0041`.
const ESCAPE: usize = 6;

/// The short text that a string of JSON holds.
///
/// # Errors
///
/// Where it is no string, or is longer than names are: seen before it is unfolded.
pub(super) fn text_of(written: &str) -> Result<Cow<'_, str>, String> {
    let longest = ESCAPE * LONGEST_NAME + 2;
    if written.len() > longest {
        let length = written.len();
        return Err(format!("a text of {length} bytes, which is longer than {LONGEST_NAME}"));
    }
    let mut json = serde_json::Deserializer::from_str(written);
    Name.deserialize(&mut json).map_err(|problem| problem.to_string())
}

/// Where an entry is.
pub(super) struct Place {
    /// Its name, in the text.
    pub(super) name: usize,
    /// Its numbers, in the data.
    pub(super) from: usize,
    pub(super) to: usize,
}

/// Reads the header.
pub(super) struct Header<'b> {
    /// How many entries there may be: the list of a valid file is made once, of the right size.
    count: usize,
    text: &'b str,
    data: &'b [u8],
}

impl<'b> Header<'b> {
    pub(super) fn read(
        text: &'b str,
        data: &'b [u8],
    ) -> Result<(Vec<Place>, Notes<'b>), serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        // What is named need not be an entry: of those the text holds so many and one at most.
        let count = json.deserialize_map(Count)?.min(text.len() / SHORTEST.len() + 1);
        let mut json = serde_json::Deserializer::from_str(text);
        let read = json.deserialize_map(Header { count, text, data })?;
        // Behind the object spaces may fill the header up.
        json.end()?;
        Ok(read)
    }
}

/// Counts the entries of an object.
struct Count;

impl<'de> Visitor<'de> for Count {
    type Value = usize;
    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of arrays")
    }
    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<usize, A::Error> {
        let mut count = 0;
        while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {
            count += 1;
        }
        Ok(count)
    }
}

impl<'de> Visitor<'de> for Header<'de> {
    type Value = (Vec<Place>, Notes<'de>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of arrays")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut places, mut notes) = (Vec::with_capacity(self.count), None);
        while let Some(written) = map.next_key::<&RawValue>()? {
            let written = written.get();
            let name = text_of(written).map_err(A::Error::custom)?;
            if name == "__metadata__" {
                let text: &RawValue = map.next_value()?;
                let read = Notes::read(text.get()).map_err(A::Error::custom)?;
                if notes.replace(read).is_some() {
                    return Err(A::Error::custom("`__metadata__` stands twice"));
                }
                continue;
            }
            let (from, array) = map.next_value_seed(One { name: &name, data: self.data })?;
            // What was read is a part of the text, so that where it lies is known by its address.
            let name = written.as_ptr().addr() - self.text.as_ptr().addr();
            places.push(Place { name, from, to: from + array.bytes().len() });
        }
        Ok((places, notes.unwrap_or_default()))
    }
}

/// Reads what stands behind a name: where its numbers begin, and the array.
pub(super) struct One<'n, 'de> {
    pub(super) name: &'n str,
    pub(super) data: &'de [u8],
}

impl<'de> DeserializeSeed<'de> for One<'_, 'de> {
    type Value = (usize, Array<'de>);
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Self::Value, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for One<'_, 'de> {
    type Value = (usize, Array<'de>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with dtype, shape and data_offsets")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let Self { name, data } = self;
        let refused = |what: String| A::Error::custom(format!("`{name}`: {what}"));
        let (mut dtype, mut shape, mut ends) = (None, None, None);
        while let Some(key) = map.next_key::<&RawValue>()? {
            let key = text_of(key.get()).map_err(refused)?;
            let twice = match &*key {
                "dtype" => {
                    let written: &RawValue = map.next_value()?;
                    let found = text_of(written.get()).map_err(refused)?;
                    let known = Dtype::from_name(&found);
                    let unknown = || refused(format!("numbers of the unknown kind {found:?}"));
                    dtype.replace(known.ok_or_else(unknown)?).is_some()
                }
                "shape" => {
                    let text: &RawValue = map.next_value()?;
                    Axes::check(text.get()).map_err(|problem| refused(problem.to_string()))?;
                    shape.replace(text.get()).is_some()
                }
                "data_offsets" => {
                    let [from, to] = map.next_value::<[u64; 2]>()?;
                    if from > to {
                        return Err(refused(format!("ends at {to}, before it begins at {from}")));
                    }
                    ends.replace([from, to]).is_some()
                }
                _ => {
                    map.next_value::<IgnoredAny>()?;
                    false
                }
            };
            if twice {
                return Err(refused(format!("`{key}` stands twice")));
            }
        }
        let missing = |what: &str| refused(format!("no `{what}`"));
        let dtype = dtype.ok_or_else(|| missing("dtype"))?;
        let shape = shape.ok_or_else(|| missing("shape"))?;
        let [from, to] = ends.ok_or_else(|| missing("data_offsets"))?;
        let index = |offset: u64| usize::try_from(offset).ok();
        let taken = index(from).zip(index(to));
        let taken = taken.and_then(|(from, to)| Some((from, data.get(from..to)?)));
        let Some((from, taken)) = taken else {
            return Err(refused(format!("ends at {to} of {} bytes of data", data.len())));
        };
        match Array::fitting(dtype, Extents::Text(Cow::Borrowed(shape)), Cow::Borrowed(taken)) {
            Some(array) => Ok((from, array)),
            None => Err(refused(format!("{} bytes for {dtype} of shape {shape}", taken.len()))),
        }
    }
}

/// Reads over a list of extents.
struct Axes;

impl Axes {
    fn check(text: &str) -> Result<(), serde_json::Error> {
        serde_json::Deserializer::from_str(text).deserialize_seq(Self)
    }
}

impl<'de> Visitor<'de> for Axes {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list of extents")
    }

    fn visit_seq<A: serde::de::SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        let mut axes = 0;
        while seq.next_element::<usize>()?.is_some() {
            axes += 1;
            if axes > MOST_AXES {
                return Err(A::Error::custom(format!("more than {MOST_AXES} axes")));
            }
        }
        Ok(())
    }
}
