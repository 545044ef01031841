//! Names to learn from: a list of words, in the order of its file.
//!
//! A corpus file has one name a line. Line ends may be those of Unix or Windows; white space round a
//! name, blank lines and a byte-order mark are ignored; any character may occur but the boundary mark
//! `.` (see [`crate::vocabulary`]), which a model uses to say where a name starts and ends.

use std::{
    error::Error,
    fmt, fs, io,
    path::{Path, PathBuf},
};

use crate::vocabulary::BOUNDARY;
use poorgrad::Random;

/// A list of names that is not empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Corpus {
    names: Vec<String>,
}

impl Corpus {
    /// The names in this repository: 29,910 of the United States, in lower case (see `zoo/data/README.md`).
    pub fn builtin() -> Self {
        match Self::parse(include_bytes!("../data/names.txt")) {
            Ok(corpus) => corpus,
            Err(error) => unreachable!("invariant: the corpus in the repository is valid: {error}"),
        }
    }

    /// The names of `data` if there is such a file, else the built-in ones: what `--data FILE` means.
    pub fn open(data: Option<&Path>) -> Result<Self, CorpusError> {
        data.map_or_else(|| Ok(Self::builtin()), Self::read)
    }

    /// The names of a file.
    pub fn read(path: &Path) -> Result<Self, CorpusError> {
        fs::read(path)
            .map_err(CorpusErrorKind::Unreadable)
            .and_then(|bytes| parse(&bytes))
            .map(|names| Self { names })
            .map_err(|kind| CorpusError { path: Some(path.to_owned()), kind })
    }

    /// The names in the bytes of a file.
    pub fn parse(bytes: &[u8]) -> Result<Self, CorpusError> {
        parse(bytes).map(|names| Self { names }).map_err(|kind| CorpusError { path: None, kind })
    }

    /// The names, in the order of the file.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// The names in three parts: one tenth to choose a model by (`dev`), one tenth to report (`test`),
    /// the rest to train on. A pure function of the names and the seed.
    ///
    /// Fewer than ten names leave `dev` and `test` empty.
    pub fn split(&self, seed: u64) -> Split {
        let mut train = self.names.clone();
        Random::new(seed).shuffle(&mut train);
        let tenth = train.len() / 10;
        let test = train.split_off(train.len() - tenth);
        let dev = train.split_off(train.len() - tenth);
        Split { train, dev, test }
    }
}

/// A corpus in three parts that have no line in common.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Split {
    /// Eight tenths: what the model learns from.
    pub train: Vec<String>,
    /// One tenth: what its settings are chosen by.
    pub dev: Vec<String>,
    /// One tenth: looked at once, at the end.
    pub test: Vec<String>,
}

fn parse(bytes: &[u8]) -> Result<Vec<String>, CorpusErrorKind> {
    let text = std::str::from_utf8(bytes).map_err(|error| {
        let before = &bytes[..error.valid_up_to()];
        CorpusErrorKind::NotUtf8 { line: before.iter().filter(|&&byte| byte == b'\n').count() + 1 }
    })?;
    let text = text.strip_prefix('\u{FEFF}').unwrap_or(text);
    let mut names = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let name = line.trim();
        if name.contains(BOUNDARY) {
            return Err(CorpusErrorKind::Boundary { line: index + 1, name: name.to_owned() });
        }
        if !name.is_empty() {
            names.push(name.to_owned());
        }
    }
    if names.is_empty() { Err(CorpusErrorKind::Empty) } else { Ok(names) }
}

/// Why a file is no corpus; its text says which file, which line, and what to do.
#[derive(Debug)]
pub struct CorpusError {
    path: Option<PathBuf>,
    kind: CorpusErrorKind,
}

impl CorpusError {
    /// The reason, to match on.
    pub fn kind(&self) -> &CorpusErrorKind {
        &self.kind
    }
}

/// The reasons for which a file is no corpus.
#[derive(Debug)]
#[non_exhaustive]
pub enum CorpusErrorKind {
    /// The file can't be read.
    Unreadable(io::Error),
    /// Bytes that are no UTF-8 text.
    NotUtf8 {
        /// The first line that has such bytes, from 1.
        line: usize,
    },
    /// A name holds the character that stands for its start and end.
    Boundary {
        /// The line of the name, from 1.
        line: usize,
        /// The name.
        name: String,
    },
    /// No line holds a name.
    Empty,
}

impl fmt::Display for CorpusError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: ", path.display())?,
            None => f.write_str("corpus: ")?,
        }
        match &self.kind {
            CorpusErrorKind::Unreadable(error) => {
                write!(f, "can't be read ({error}); a corpus is a text file with a name a line")
            }
            CorpusErrorKind::NotUtf8 { line } => {
                write!(f, "line {line} is not UTF-8 text; save the file as UTF-8")
            }
            CorpusErrorKind::Boundary { line, name } => write!(
                f,
                "line {line}: `{name}` holds a `{BOUNDARY}`, which marks where names start and end; remove it"
            ),
            CorpusErrorKind::Empty => f.write_str("holds no name; a corpus has a name a line"),
        }
    }
}

impl Error for CorpusError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match &self.kind {
            CorpusErrorKind::Unreadable(error) => Some(error),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(bytes: &[u8]) -> Vec<String> {
        Corpus::parse(bytes).unwrap().names
    }

    #[test]
    fn builtin_names_are_unique_lower_case_words() {
        let corpus = Corpus::builtin();
        assert_eq!(corpus.names().len(), 29_910);
        assert_eq!(corpus.names()[..3], ["emma", "liam", "olivia"]);
        let mut sorted = corpus.names.clone();
        sorted.sort_unstable();
        sorted.dedup();
        assert_eq!(sorted.len(), 29_910);
        assert!(sorted.iter().all(|name| name.bytes().all(|byte| byte.is_ascii_lowercase())));
    }

    #[test]
    fn line_ends_blank_lines_and_a_byte_order_mark_are_ignored() {
        assert_eq!(names(b"ada\nbob\n"), ["ada", "bob"]);
        assert_eq!(names(b"ada\r\nbob\r\n"), ["ada", "bob"]);
        assert_eq!(names(b"\n\n  ada \t\n\r\n\nbob"), ["ada", "bob"]);
        assert_eq!(names("\u{FEFF}ada\nada".as_bytes()), ["ada", "ada"]);
    }

    #[test]
    fn any_character_may_occur_in_a_name() {
        assert_eq!(
            names("Zoë\nJean-Luc O'Neill\n愛\n".as_bytes()),
            ["Zoë", "Jean-Luc O'Neill", "愛"]
        );
    }

    #[test]
    fn a_file_without_names_is_refused() {
        for bytes in [&b""[..], b"\n", b" \r\n\t\n", "\u{FEFF}".as_bytes()] {
            let error = Corpus::parse(bytes).unwrap_err();
            assert!(matches!(error.kind(), CorpusErrorKind::Empty), "{error}");
        }
    }

    #[test]
    fn bytes_that_are_no_text_are_refused_with_their_line() {
        let error = Corpus::parse(b"ada\nbob\nzo\xFF\n").unwrap_err();
        assert!(matches!(error.kind(), CorpusErrorKind::NotUtf8 { line: 3 }), "{error:?}");
        assert_eq!(error.to_string(), "corpus: line 3 is not UTF-8 text; save the file as UTF-8");
    }

    #[test]
    fn the_boundary_mark_in_a_name_is_refused_with_its_line() {
        let error = Corpus::parse(b"ada\n\nj.r.\n").unwrap_err();
        assert!(
            matches!(error.kind(), CorpusErrorKind::Boundary { line: 3, name } if name == "j.r.")
        );
    }

    #[test]
    fn a_missing_file_is_named() {
        let error = Corpus::open(Some(Path::new("no/such/names.txt"))).unwrap_err();
        assert!(matches!(error.kind(), CorpusErrorKind::Unreadable(_)));
        assert!(error.to_string().starts_with("no/such/names.txt: can't be read ("), "{error}");
        assert!(error.source().is_some());
    }

    #[test]
    fn without_a_file_the_builtin_names_are_taken() {
        assert_eq!(Corpus::open(None).unwrap(), Corpus::builtin());
    }

    #[test]
    fn a_split_is_a_function_of_the_seed_that_loses_no_name() {
        let corpus = Corpus::builtin();
        let split = corpus.split(42);
        assert_eq!(split, corpus.split(42));
        assert_ne!(split, corpus.split(43));
        assert_eq!((split.train.len(), split.dev.len(), split.test.len()), (23_928, 2_991, 2_991));
        let mut all = [split.train, split.dev, split.test].concat();
        let mut names = corpus.names;
        all.sort_unstable();
        names.sort_unstable();
        assert_eq!(all, names);
    }

    #[test]
    fn a_split_is_the_same_on_every_platform() {
        let split = Corpus::parse(b"a\nb\nc\nd\ne\nf\ng\nh\ni\nj\n").unwrap().split(7);
        assert_eq!(
            split.train.concat() + "|" + &split.dev.concat() + "|" + &split.test.concat(),
            "jfigbceh|a|d"
        );
    }

    #[test]
    fn a_tiny_corpus_is_all_for_training() {
        let split = Corpus::parse(b"ada\n").unwrap().split(0);
        assert_eq!((split.train.len(), split.dev.len(), split.test.len()), (1, 0, 0));
    }
}
