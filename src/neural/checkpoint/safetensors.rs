//! The `safetensors` format: the length of a header, the header, and the numbers of all arrays.
//!
//! The header is a JSON object; each name has a kind (`dtype`), a `shape` and the two ends of its bytes
//! behind the header (`data_offsets`); `__metadata__` holds notes. Arrays lie behind one another without
//! holes or overlaps, up to the end of the file. See <https://huggingface.co/docs/safetensors>.
//!
//! INVARIANT: reading takes at most twice the file's size and 64 KiB, whatever the header says: arrays
//! borrow the file's bytes, shapes its text.

use super::array::Extents;
use super::contents::{Checkpoint, Entry};
use super::notes::{Name, Notes};
use super::{Array, CheckpointError, Dtype};
use serde::Deserializer;
use serde::de::{DeserializeSeed, Error, IgnoredAny, MapAccess, Visitor};
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::fmt;
use std::io::{self, Write};

/// The bytes before the header: its length.
const LENGTH: usize = 8;
/// The most axes of an array.
pub(super) const MOST_AXES: usize = 64;
/// An entry as short as it can be, with what parts it from the next.
const SHORTEST: &str = r#""":{"dtype":"U8","shape":[],"data_offsets":[0,0]},"#;

fn error(offset: usize, problem: impl Into<String>) -> CheckpointError {
    CheckpointError::Format { format: "safetensors", offset, problem: problem.into() }
}

impl<'b> Checkpoint<'b> {
    /// The contents of a `safetensors` file.
    ///
    /// # Errors
    ///
    /// Where the bytes are none, as a whole or in one entry: a header beyond the end, a name twice, a
    /// shape whose volume overflows, offsets that overlap, leave a hole, or don't fit the shape.
    pub fn from_safetensors(bytes: &'b [u8]) -> Result<Self, CheckpointError> {
        let Some((length, rest)) = bytes.split_first_chunk::<LENGTH>() else {
            return Err(error(0, format!("{} bytes are too few for a length", bytes.len())));
        };
        let length = u64::from_le_bytes(*length);
        let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
        let Some((header, data)) = split else {
            let behind = rest.len();
            return Err(error(0, format!("a header of {length} bytes, where {behind} follow")));
        };
        let text = std::str::from_utf8(header)
            .map_err(|problem| error(LENGTH + problem.valid_up_to(), "not UTF-8"))?;
        let (mut entries, notes) = Header::read(text, data)
            .map_err(|problem| error(LENGTH + offset_of(text, &problem), problem.to_string()))?;
        // Each array is a part of the data, so that where it lies is known by its address.
        let start = |entry: &Entry<'_>| entry.array.bytes().as_ptr().addr() - data.as_ptr().addr();
        entries.sort_unstable_by_key(|entry| (start(entry), entry.array.bytes().len()));
        let mut end = 0;
        for entry in &entries {
            let from = start(entry);
            if from != end {
                let problem = if from < end { "overlaps another array" } else { "leaves a hole" };
                let problem = format!("`{}` {problem}", entry.name);
                return Err(error(LENGTH + header.len() + from, problem));
            }
            end = from + entry.array.bytes().len();
        }
        if end != data.len() {
            let problem = format!("{} bytes that belong to no array", data.len() - end);
            return Err(error(LENGTH + header.len() + end, problem));
        }
        Self::with_entries(entries, notes).map_err(|problem| error(LENGTH, problem.to_string()))
    }

    /// The contents as a `safetensors` file; equal contents give equal bytes.
    ///
    /// # Errors
    ///
    /// Where there are more than 1,024 notes, or one has a name above 4096 bytes.
    pub fn to_safetensors(&self) -> Result<Vec<u8>, CheckpointError> {
        self.notes.check()?;
        let mut bytes = Vec::new();
        self.write_safetensors(&mut bytes).expect("invariant: memory takes what is written to it");
        Ok(bytes)
    }

    /// Writes a `safetensors` file.
    pub(super) fn write_safetensors(&self, to: &mut impl Write) -> io::Result<()> {
        // Wide numbers first, so that each array lies where its numbers may.
        let mut order: Vec<&Entry<'_>> = self.entries.iter().collect();
        order.sort_by_key(|entry| std::cmp::Reverse(entry.array.dtype().size()));
        let text = |text: &str| serde_json::to_string(text).map_err(io::Error::from);
        let mut header = String::from("{");
        if !self.notes.is_empty() {
            header += &format!("\"__metadata__\":{}", self.notes.to_json());
        }
        let mut from = 0;
        for Entry { name, array } in &order {
            let separator = if header.len() > 1 { "," } else { "" };
            let (dtype, to) = (array.dtype(), from + array.bytes().len());
            let extents: Vec<String> = array.shape().iter().map(usize::to_string).collect();
            header += &format!(
                "{separator}{}:{{\"dtype\":\"{dtype}\",\"shape\":[{}],\"data_offsets\":[{from},{to}]}}",
                text(name)?,
                extents.join(","),
            );
            from = to;
        }
        header.push('}');
        // The numbers begin where eight bytes do.
        header += &" ".repeat(header.len().next_multiple_of(LENGTH) - header.len());
        to.write_all(&(header.len() as u64).to_le_bytes())?;
        to.write_all(header.as_bytes())?;
        order.iter().try_for_each(|entry| to.write_all(entry.array.bytes()))
    }
}

/// The offset of an error in a text of JSON.
fn offset_of(text: &str, problem: &serde_json::Error) -> usize {
    let before = text.split_inclusive('\n').take(problem.line().saturating_sub(1));
    before.fold(problem.column().saturating_sub(1), |offset, line| offset + line.len())
}

/// Reads the header, which it borrows, as it borrows the data behind.
struct Header<'b> {
    /// How many entries there may be: the list of a valid file is made once, of the right size.
    count: usize,
    data: &'b [u8],
}

impl<'b> Header<'b> {
    fn read(
        text: &'b str,
        data: &'b [u8],
    ) -> Result<(Vec<Entry<'b>>, Notes<'b>), serde_json::Error> {
        let mut json = serde_json::Deserializer::from_str(text);
        // What is named need not be an entry: of those the text holds so many and one at most.
        let count = json.deserialize_map(Count)?.min(text.len() / SHORTEST.len() + 1);
        let mut json = serde_json::Deserializer::from_str(text);
        let read = json.deserialize_map(Header { count, data })?;
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
    type Value = (Vec<Entry<'de>>, Notes<'de>);

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object of arrays")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let (mut entries, mut notes) = (Vec::with_capacity(self.count), None);
        while let Some(name) = map.next_key_seed(Name)? {
            if name == "__metadata__" {
                let text: &RawValue = map.next_value()?;
                let read = Notes::read(text.get()).map_err(A::Error::custom)?;
                if notes.replace(read).is_some() {
                    return Err(A::Error::custom("`__metadata__` stands twice"));
                }
                continue;
            }
            entries.push(map.next_value_seed(One { name, data: self.data })?);
        }
        Ok((entries, notes.unwrap_or_default()))
    }
}

/// Reads what stands behind a name.
struct One<'de> {
    name: Cow<'de, str>,
    data: &'de [u8],
}

impl<'de> DeserializeSeed<'de> for One<'de> {
    type Value = Entry<'de>;
    fn deserialize<D: Deserializer<'de>>(self, json: D) -> Result<Entry<'de>, D::Error> {
        json.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for One<'de> {
    type Value = Entry<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with dtype, shape and data_offsets")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entry<'de>, A::Error> {
        let Self { name, data } = self;
        let refused = |what: String| A::Error::custom(format!("`{name}`: {what}"));
        let (mut dtype, mut shape, mut ends) = (None, None, None);
        while let Some(key) = map.next_key_seed(Name)? {
            let twice = match &*key {
                "dtype" => {
                    let found = map.next_value_seed(Name)?;
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
        let taken = index(from).zip(index(to)).and_then(|(from, to)| data.get(from..to));
        let Some(taken) = taken else {
            return Err(refused(format!("ends at {to} of {} bytes of data", data.len())));
        };
        match Array::fitting(dtype, Extents::Text(Cow::Borrowed(shape)), Cow::Borrowed(taken)) {
            Some(array) => Ok(Entry { name, array }),
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
