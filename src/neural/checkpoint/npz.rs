//! NumPy's `.npz`: a zip archive with an `.npy` file for each array, packed or not.
//!
//! Notes are one more array, `__metadata__`: the bytes of a JSON object of texts.
//!
//! INVARIANT: an archive takes memory by what its entries unpack to, and never more than they say: the sum
//! of that is held to a limit before, and each to what deflate can stand for. Entries that are not packed
//! are borrowed, and may not be announced twice over.

use super::contents::{Checkpoint, Entry};
use super::notes::Notes;
use super::npy::npy_header;
use super::{Array, CheckpointError, Dtype};
use miniz_oxide::inflate::decompress_to_vec_with_limit;
use rawzip::path::ZipFilePath;
use rawzip::{CompressionMethod, ZipArchive, ZipArchiveWriter, crc32};
use std::borrow::Cow;
use std::io::{self, Write};

/// As many bytes as one byte of deflate can stand for.
const EXPANSION: u64 = 1032;
/// What an archive may unpack to, whatever its size: zeros pack well.
const ALWAYS: u64 = 64 << 20;
/// And beyond that, in sizes of the archive.
const TIMES: u64 = 16;
/// The array of notes.
const NOTES: &str = "__metadata__";

fn error(offset: u64, problem: impl Into<String>) -> CheckpointError {
    CheckpointError::Format { format: "npz", offset: offset as usize, problem: problem.into() }
}

impl<'b> Checkpoint<'b> {
    /// The contents of an `.npz` file. It may unpack to 64 MiB and sixteen times its size; see
    /// [`Checkpoint::from_npz_within`].
    ///
    /// # Errors
    ///
    /// Where the bytes are no archive, or an entry is no `.npy` file, is damaged, or announces too much.
    pub fn from_npz(bytes: &'b [u8]) -> Result<Self, CheckpointError> {
        let times = TIMES.saturating_mul(bytes.len() as u64);
        Self::from_npz_within(bytes, times.saturating_add(ALWAYS))
    }

    /// The contents of an `.npz` file whose packed entries unpack to at most so many bytes in all.
    ///
    /// # Errors
    ///
    /// As [`Checkpoint::from_npz`].
    pub fn from_npz_within(bytes: &'b [u8], limit: u64) -> Result<Self, CheckpointError> {
        let broken = |offset: u64| move |problem: rawzip::Error| error(offset, problem.to_string());
        let archive = ZipArchive::from_slice(bytes).map_err(broken(0))?;
        let (mut entries, mut notes) = (Vec::new(), None);
        let (mut stored, mut unpacked) = (0_u64, 0_u64);
        let mut records = archive.entries();
        while let Some(record) = records.next_entry().map_err(broken(archive.directory_offset()))? {
            let at = record.central_directory_offset();
            let path = std::str::from_utf8(record.file_path().as_bytes());
            let path = path.map_err(|_| error(at, "a name that is not UTF-8"))?;
            let Some(name) = path.strip_suffix(".npy") else {
                return Err(error(at, format!("the entry {path:?} is no .npy file")));
            };
            let refused = |problem: &str| Err(error(at, format!("`{name}` {problem}")));
            let entry = archive.get_entry(record.wayfinder()).map_err(broken(at))?;
            let (from, to) = entry.compressed_data_range();
            let (packed, size) = (to - from, record.uncompressed_size_hint());
            let data = &bytes[from as usize..to as usize];
            let array = match record.compression_method() {
                CompressionMethod::STORE => {
                    stored += packed;
                    if size != packed || stored > bytes.len() as u64 {
                        return refused("lies where another entry does, or has two sizes");
                    }
                    if crc32(data) != record.crc32() {
                        return refused("is damaged: its checksum differs");
                    }
                    Array::from_npy(data)
                }
                CompressionMethod::DEFLATE => {
                    unpacked = unpacked.saturating_add(size);
                    if size > packed.saturating_mul(EXPANSION) {
                        return refused("announces more than it can hold");
                    }
                    if unpacked > limit {
                        return refused(&format!(
                            "and those before it unpack to {unpacked} bytes, above the limit of {limit}; \
                             `from_npz_within` takes another"
                        ));
                    }
                    // Grows with what comes: what is announced is not believed beforehand.
                    let whole = decompress_to_vec_with_limit(data, size as usize).ok();
                    let announced = |whole: &Vec<u8>| {
                        whole.len() as u64 == size && crc32(whole) == record.crc32()
                    };
                    let Some(whole) = whole.filter(announced) else {
                        return refused("is damaged: it does not unpack to what it announces");
                    };
                    Array::from_owned_npy(whole)
                }
                other => return refused(&format!("is packed by {other}, which is not known")),
            };
            let array = array.map_err(|problem| error(from, format!("`{name}`: {problem}")))?;
            if name != NOTES {
                entries.push(Entry { name: Cow::Owned(name.to_owned()), array });
            } else if notes
                .replace(notes_of(array).map_err(|problem| error(from, problem))?)
                .is_some()
            {
                return refused("stands for two entries");
            }
        }
        entries.shrink_to_fit();
        Self::with_entries(entries, notes.unwrap_or_default())
            .map_err(|problem| error(archive.directory_offset(), problem.to_string()))
    }

    /// The contents as an `.npz` file, not packed; equal contents give equal bytes.
    ///
    /// # Errors
    ///
    /// Where NumPy has no such numbers (`BF16`), or a name is none that an archive keeps.
    pub fn to_npz(&self) -> Result<Vec<u8>, CheckpointError> {
        self.check_npz()?;
        let mut bytes = Vec::new();
        self.write_npz(&mut bytes).expect("invariant: memory takes what is written to it");
        Ok(bytes)
    }

    /// Whether the contents have a form in an `.npz` file.
    pub(super) fn check_npz(&self) -> Result<(), CheckpointError> {
        self.notes.check()?;
        for (name, array) in self.arrays() {
            npy_header(&array)?;
            if ZipFilePath::from_str(&name).as_str() != name || name.ends_with('/') {
                let problem = "is no path in an archive; use .safetensors";
                return Err(CheckpointError::Name { name: name.into_owned(), problem });
            }
        }
        Ok(())
    }

    /// Writes an `.npz` file of what has a form in one.
    pub(super) fn write_npz(&self, to: &mut impl Write) -> io::Result<()> {
        let mut archive = ZipArchiveWriter::new(to);
        let notes = self.notes.to_json().into_bytes();
        let notes = Array::new(Dtype::U8, [notes.len()], notes).map_err(io::Error::other)?;
        let notes = (!self.notes.is_empty()).then_some((Cow::Borrowed(NOTES), notes));
        for (name, array) in notes.into_iter().chain(self.arrays()) {
            let path = format!("{name}.npy");
            let (mut entry, config) = archive.new_file(&path).start().map_err(io::Error::other)?;
            let mut writer = config.wrap(&mut entry);
            writer.write_all(&npy_header(&array).map_err(io::Error::other)?)?;
            writer.write_all(array.bytes())?;
            let (_, sums) = writer.finish().map_err(io::Error::other)?;
            entry.finish(sums).map_err(io::Error::other)?;
        }
        archive.finish().map_err(io::Error::other)?;
        Ok(())
    }
}

/// The notes that an array of bytes holds.
fn notes_of(array: Array<'_>) -> Result<Notes<'_>, String> {
    let wrong = |problem: &dyn ToString| format!("`{NOTES}`: {}", problem.to_string());
    if array.dtype() != Dtype::U8 {
        return Err(wrong(&"its numbers are no bytes"));
    }
    match array.into_bytes() {
        Cow::Borrowed(bytes) => {
            let text = std::str::from_utf8(bytes).map_err(|problem| wrong(&problem))?;
            Notes::read(text).map_err(|problem| wrong(&problem))
        }
        Cow::Owned(bytes) => {
            let text = std::str::from_utf8(&bytes).map_err(|problem| wrong(&problem))?;
            Notes::read(text).map(Notes::into_owned).map_err(|problem| wrong(&problem))
        }
    }
}
