//! `Checkpoint`: named arrays and notes, whatever file they come from or go to.
//!
//! INVARIANT: entries are sorted by name and no name stands twice, in a file's index and among what was
//! added together, so that a lookup is a search and equal contents are written as equal bytes.

use super::index::Index;
use super::notes::Notes;
use super::{Array, CheckpointError};
use std::borrow::Cow;
use std::fmt;
use std::str::FromStr;

/// What a file holds: arrays by name, and notes (short texts by name).
///
/// # Example
///
/// What goes on after step 900, kept in memory here; see [`Checkpoint::write`] for files:
///
/// ```
/// use poorgrad::{Adam, Batches, Network, Optimizer, Schedule, checkpoint::Checkpoint};
///
/// let network = Network::new();
/// let w = network.parameter(1.5_f64).named("w").symbol();
/// let optimizer = Adam::new(0.1);
///
/// let mut checkpoint = Checkpoint::of(&network).unwrap();
/// checkpoint.put_optimizer(&network, &optimizer).unwrap();
/// checkpoint.set_note("step", 900);
/// checkpoint.set_note("schedule", Schedule::cosine(0.1, 0.001, 2_000));
/// checkpoint.set_note("batches", Batches::new(10_000, 64, 42));
/// let bytes = checkpoint.to_safetensors().unwrap();
///
/// let fresh = Network::new();
/// fresh.parameter(0.0_f64).named("w");
/// let read = Checkpoint::from_safetensors(&bytes).unwrap();
/// let mut optimizer = Adam::new(0.1);
/// let resumed = read.resume(&fresh, &mut optimizer).unwrap();
/// assert_eq!(resumed.find("w").unwrap().payload(), Some(1.5));
/// assert_eq!(read.note::<usize>("step").unwrap(), 900);
/// assert_eq!(read.note::<Schedule>("schedule").unwrap().at(2_000), 0.001);
/// assert_eq!(read.note::<Batches>("batches").unwrap().place(900), [5, 120]);
/// ```
#[derive(Clone, Default)]
pub struct Checkpoint<'b> {
    /// What a `safetensors` file holds.
    pub(super) index: Option<Index<'b>>,
    /// What was added, or comes from another file.
    pub(super) entries: Vec<Entry<'b>>,
    pub(super) notes: Notes<'b>,
}

#[derive(Clone, PartialEq)]
pub(super) struct Entry<'b> {
    pub(super) name: Cow<'b, str>,
    pub(super) array: Array<'b>,
}

impl<'b> Entry<'b> {
    fn borrowed(&self) -> (Cow<'_, str>, Array<'_>) {
        (Cow::Borrowed(&*self.name), self.array.borrowed())
    }
}

/// The longest name that is read or written, in bytes.
pub(super) const LONGEST_NAME: usize = 4096;

pub(super) const TWICE: &str = "stands for two entries";

/// What is wrong with a name, if something is.
pub(super) fn check_name(name: &str) -> Result<(), &'static str> {
    match name {
        "" => Err("is empty"),
        "__metadata__" => Err("is reserved for notes"),
        _ if name.len() > LONGEST_NAME => Err("is longer than 4096 bytes"),
        _ if name.contains('\0') => Err("holds a NUL"),
        _ => Ok(()),
    }
}

impl<'b> Checkpoint<'b> {
    /// Nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The contents with these entries, in any order.
    pub(super) fn with_entries(
        entries: Vec<Entry<'b>>,
        notes: Notes<'b>,
    ) -> Result<Self, CheckpointError> {
        let mut contents = Self { notes, ..Self::default() };
        contents.extend(entries)?;
        Ok(contents)
    }

    /// Adds entries, in any order: all of them or, where a name is refused, none.
    pub(super) fn extend(&mut self, mut more: Vec<Entry<'b>>) -> Result<(), CheckpointError> {
        more.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        let refused =
            |name: &str, problem| Err(CheckpointError::Name { name: name.into(), problem });
        for Entry { name, .. } in &more {
            if let Err(problem) = check_name(name) {
                return refused(name, problem);
            }
            if self.holds(name) {
                return refused(name, TWICE);
            }
        }
        if let Some([entry, _]) = more.array_windows().find(|[a, b]| a.name == b.name) {
            return refused(&entry.name, TWICE);
        }
        if self.entries.is_empty() {
            self.entries = more;
        } else {
            self.entries.append(&mut more);
            self.entries.sort_unstable_by(|a, b| a.name.cmp(&b.name));
        }
        Ok(())
    }

    /// Adds an array.
    ///
    /// # Errors
    ///
    /// Where the name is taken, or is none that files keep: empty, with a NUL, above 4096 bytes, or
    /// `__metadata__`.
    pub fn insert(
        &mut self,
        name: impl Into<String>,
        array: Array<'b>,
    ) -> Result<(), CheckpointError> {
        let name = name.into();
        let problem = match check_name(&name) {
            Err(problem) => problem,
            Ok(()) if self.holds(&name) => TWICE,
            Ok(()) => {
                let at = self.position(&name).unwrap_or_else(|at| at);
                self.entries.insert(at, Entry { name: Cow::Owned(name), array });
                return Ok(());
            }
        };
        Err(CheckpointError::Name { name, problem })
    }

    fn position(&self, name: &str) -> Result<usize, usize> {
        self.entries.binary_search_by(|entry| (*entry.name).cmp(name))
    }

    fn holds(&self, name: &str) -> bool {
        self.index.as_ref().is_some_and(|index| index.holds(name)) || self.position(name).is_ok()
    }

    /// The array of this name.
    #[must_use]
    pub fn array(&self, name: &str) -> Option<Array<'_>> {
        match self.position(name) {
            Ok(at) => Some(self.entries[at].array.borrowed()),
            Err(_) => self.index.as_ref()?.array(name),
        }
    }

    /// The arrays by ascending name.
    pub fn arrays(&self) -> impl Iterator<Item = (Cow<'_, str>, Array<'_>)> {
        let mut read = self.index.iter().flat_map(Index::arrays).peekable();
        let mut added = self.entries.iter().map(Entry::borrowed).peekable();
        std::iter::from_fn(move || {
            let first = match (read.peek(), added.peek()) {
                (Some((read, _)), Some((added, _))) => read < added,
                (read, _) => read.is_some(),
            };
            if first { read.next() } else { added.next() }
        })
    }

    /// Writes a note down, in the place of an older one of this name. Files keep 1,024 of them, with names
    /// of at most 4096 bytes: writing more is refused.
    pub fn set_note(&mut self, name: impl Into<String>, text: impl ToString) {
        self.notes.set(name.into(), text.to_string());
    }

    /// The note of this name, as a text (`String`), a number or whatever reads itself from a text.
    ///
    /// # Errors
    ///
    /// Where there is none, or it does not read as what was asked for.
    pub fn note<T: FromStr>(&self, name: &str) -> Result<T, CheckpointError> {
        let found = self.notes.get(name);
        match found.as_deref().map(str::parse) {
            Some(Ok(note)) => Ok(note),
            _ => Err(CheckpointError::Note { name: name.to_owned(), found }),
        }
    }

    /// The notes by ascending name.
    #[must_use]
    pub fn notes(&self) -> Vec<(String, String)> {
        self.notes.all().into_iter().collect()
    }

    /// The same contents, with nothing borrowed from a file's bytes.
    #[must_use]
    pub fn into_owned(self) -> Checkpoint<'static> {
        let owned = |entry: Entry<'b>| Entry {
            name: Cow::Owned(entry.name.into_owned()),
            array: entry.array.into_owned(),
        };
        let entries = self.entries.into_iter().map(owned).collect();
        let index = self.index.map(Index::into_owned);
        Checkpoint { index, entries, notes: self.notes.into_owned() }
    }
}

/// Equal arrays by equal names, and equal notes.
impl PartialEq for Checkpoint<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.notes == other.notes && self.arrays().eq(other.arrays())
    }
}

/// The number of arrays and of notes.
impl fmt::Debug for Checkpoint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Checkpoint")
            .field("arrays", &(self.index.as_ref().map_or(0, Index::len) + self.entries.len()))
            .field("notes", &self.notes.all().len())
            .finish()
    }
}
