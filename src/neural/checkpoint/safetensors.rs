//! The `safetensors` format: the length of a header, the header, and the numbers of all arrays.
//!
//! The header is a JSON object; each name has a kind (`dtype`), a `shape` and the two ends of its bytes
//! behind the header (`data_offsets`); `__metadata__` holds notes. Arrays lie behind one another without
//! holes or overlaps, up to the end of the file. See <https://huggingface.co/docs/safetensors>.
//!
//! INVARIANT: reading takes less than the file's size and 64 KiB beside it, whatever the header says: what is kept
//! of an entry is where it stands, and arrays borrow the file's bytes, shapes its text.

use super::contents::Checkpoint;
use super::header::Header;
use super::index::{Index, name_at};
use super::notes::Notes;
use super::{Array, CheckpointError};
use std::borrow::Cow;
use std::io::{self, Write};

/// The bytes before the header: its length.
const LENGTH: usize = 8;
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
        let (data, places, notes) = read(bytes)?;
        Self::indexed(Cow::Borrowed(bytes), data, places, notes)
    }

    /// The same of a file that nobody else needs, and that is kept as it is.
    pub(super) fn from_owned_safetensors(
        bytes: Vec<u8>,
    ) -> Result<Checkpoint<'static>, CheckpointError> {
        let (data, places, notes) = read(&bytes)?;
        let notes = notes.into_owned();
        Checkpoint::indexed(Cow::Owned(bytes), data, places, notes)
    }

    fn indexed(
        file: Cow<'b, [u8]>,
        data: usize,
        places: Vec<usize>,
        notes: Notes<'b>,
    ) -> Result<Self, CheckpointError> {
        let index =
            Index::new(file, data, places).map_err(|problem| error(LENGTH, problem.to_string()))?;
        Ok(Self { index: Some(index), entries: Vec::new(), notes })
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
        let mut order: Vec<(Cow<'_, str>, Array<'_>)> = self.arrays().collect();
        order.sort_by_key(|(_, array)| std::cmp::Reverse(array.dtype().size()));
        let text = |text: &str| serde_json::to_string(text).map_err(io::Error::from);
        let mut header = String::from("{");
        if !self.notes.is_empty() {
            header += &format!("\"__metadata__\":{}", self.notes.to_json());
        }
        let mut from = 0;
        for (name, array) in &order {
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
        order.iter().try_for_each(|(_, array)| to.write_all(array.bytes()))
    }
}

/// Where the numbers of a file begin, where the names of its entries stand, and its notes.
fn read(file: &[u8]) -> Result<(usize, Vec<usize>, Notes<'_>), CheckpointError> {
    let Some((length, rest)) = file.split_first_chunk::<LENGTH>() else {
        return Err(error(0, format!("{} bytes are too few for a length", file.len())));
    };
    let length = u64::from_le_bytes(*length);
    let split = usize::try_from(length).ok().and_then(|length| rest.split_at_checked(length));
    let Some((header, data)) = split else {
        let behind = rest.len();
        return Err(error(0, format!("a header of {length} bytes, where {behind} follow")));
    };
    let text = std::str::from_utf8(header)
        .map_err(|problem| error(LENGTH + problem.valid_up_to(), "not UTF-8"))?;
    let (mut places, notes) = Header::read(text, data)
        .map_err(|problem| error(LENGTH + offset_of(text, &problem), problem.to_string()))?;
    places.sort_unstable_by_key(|place| (place.from, place.to));
    let behind = LENGTH + header.len();
    let mut end = 0;
    for place in &places {
        if place.from != end {
            let problem = if place.from < end { "overlaps another array" } else { "leaves a hole" };
            let name = name_at(header, place.name);
            return Err(error(behind + place.from, format!("`{name}` {problem}")));
        }
        end = place.to;
    }
    if end != data.len() {
        let problem = format!("{} bytes that belong to no array", data.len() - end);
        return Err(error(behind + end, problem));
    }
    let names = places.iter().map(|place| LENGTH + place.name).collect();
    Ok((behind, names, notes))
}

/// The offset of an error in a text of JSON.
fn offset_of(text: &str, problem: &serde_json::Error) -> usize {
    let before = text.split_inclusive('\n').take(problem.line().saturating_sub(1));
    before.fold(problem.column().saturating_sub(1), |offset, line| offset + line.len())
}
