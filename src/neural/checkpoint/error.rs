//! `CheckpointError`: what files and networks can make fail.

use super::Dtype;
use super::header::MOST_AXES;
use super::notes::MOST_NOTES;
use crate::{Shape, StateError};
use std::error::Error;
use std::path::PathBuf;
use std::{fmt, io};

/// Why a checkpoint could not be written, read or taken over.
#[derive(Debug)]
#[non_exhaustive]
pub enum CheckpointError {
    /// The file can't be read or written.
    File {
        /// Its path.
        path: PathBuf,
        /// What the system says.
        error: io::Error,
    },
    /// The ending of a file's name is none that stands for a format.
    Ending {
        /// The path.
        path: PathBuf,
    },
    /// The file with this path is not valid.
    Within {
        /// Its path.
        path: PathBuf,
        /// What is wrong.
        error: Box<CheckpointError>,
    },
    /// The bytes are not of the format.
    Format {
        /// The format: `safetensors`, `npy` or `npz`.
        format: &'static str,
        /// The offset of the first byte that is wrong, as near as it can be told.
        offset: usize,
        /// What is wrong.
        problem: String,
    },
    /// An array does not have as many bytes as its shape takes.
    Bytes {
        /// Its kind.
        dtype: Dtype,
        /// Its shape.
        shape: Shape,
        /// The bytes that came.
        found: usize,
    },
    /// An array has more axes than files keep: 64.
    Axes {
        /// The number of its axes.
        rank: usize,
    },
    /// There are more notes than files keep: 1,024.
    Notes {
        /// Their number.
        count: usize,
    },
    /// The format has no such numbers.
    NoForm {
        /// The format.
        format: &'static str,
        /// The kind of the numbers.
        dtype: Dtype,
    },
    /// A name that no entry can have.
    Name {
        /// The name.
        name: String,
        /// What is wrong with it.
        problem: &'static str,
    },
    /// The entries don't fit the network, with everything that is wrong.
    Mismatch {
        /// Each thing that does not fit.
        problems: Vec<Mismatch>,
    },
    /// Neither a network nor its optimiser can go on from the checkpoint.
    Both {
        /// Everything that does not fit the network.
        network: Box<CheckpointError>,
        /// And why the optimiser does not take its state.
        optimizer: Box<CheckpointError>,
    },
    /// The state of an optimiser can't be written down or does not fit.
    State(StateError),
    /// A note is missing, or is not what was asked for.
    Note {
        /// Its name.
        name: String,
        /// What it says; `None` where there is none.
        found: Option<String>,
    },
}

/// One thing about the entries of a file that does not fit a network.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Mismatch {
    /// A parameter has no entry.
    Missing {
        /// The parameter's path.
        path: String,
        /// The name that was looked for.
        name: String,
    },
    /// An entry belongs to no parameter.
    Extra {
        /// Its name.
        name: String,
    },
    /// An entry has another shape than its parameter.
    Shape {
        /// The parameter's path.
        path: String,
        /// The entry's name.
        name: String,
        /// The parameter's shape.
        expected: Shape,
        /// The entry's shape.
        found: Shape,
    },
    /// An entry holds numbers that no parameter is made of.
    Dtype {
        /// The parameter's path.
        path: String,
        /// The entry's name.
        name: String,
        /// The kind of its numbers.
        found: Dtype,
    },
    /// Two parameters would be one entry.
    Twice {
        /// The paths of both.
        paths: [String; 2],
        /// The entry's name.
        name: String,
    },
}

/// `path`, and the name where it is another.
fn named(path: &str, name: &str) -> String {
    if path == name { format!("`{path}`") } else { format!("`{path}` (as `{name}`)") }
}

impl fmt::Display for Mismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing { path, name } => write!(f, "{} is missing", named(path, name)),
            Self::Extra { name } => write!(f, "`{name}` belongs to no parameter"),
            Self::Shape { path, name, expected, found } => {
                write!(f, "{} has the shape {found}, not {expected}", named(path, name))
            }
            Self::Dtype { path, name, found } => {
                write!(f, "{} holds {found}, which no parameter is made of", named(path, name))
            }
            Self::Twice { paths: [first, second], name } => write!(
                f,
                "`{first}` and `{second}` both are `{name}`; open a scope for each part of a model"
            ),
        }
    }
}

impl fmt::Display for CheckpointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Ending { path } => write!(
                f,
                "{}: the ending says no format; use .safetensors, .npz or .npy",
                path.display()
            ),
            Self::Within { path, error } => write!(f, "{}: {error}", path.display()),
            Self::Format { format, offset, problem } => {
                write!(f, "{format}: at byte {offset}: {problem}")
            }
            Self::Bytes { dtype, shape, found } => {
                write!(f, "array: {found} bytes do not make {dtype} of shape {shape}")
            }
            Self::Axes { rank } => {
                write!(f, "array: {rank} axes, where files keep at most {MOST_AXES}; reshape it")
            }
            Self::Notes { count } => {
                write!(f, "{count} notes, where files keep at most {MOST_NOTES}; join some of them")
            }
            Self::NoForm { format, dtype } => {
                write!(f, "{format}: there are no {dtype} numbers in this format; use .safetensors")
            }
            Self::Name { name, problem } => write!(f, "the name {name:?} {problem}"),
            Self::Mismatch { problems } => {
                f.write_str("the checkpoint does not fit: ")?;
                for (at, problem) in problems.iter().enumerate() {
                    write!(f, "{}{problem}", if at == 0 { "" } else { "; " })?;
                }
                Ok(())
            }
            Self::Both { network, optimizer } => write!(f, "{network}; {optimizer}"),
            Self::State(error) => error.fmt(f),
            Self::Note { name, found: None } => write!(f, "there is no note `{name}`"),
            Self::Note { name, found: Some(found) } => {
                write!(f, "the note `{name}` is {found:?}, which is not what was asked for")
            }
        }
    }
}

impl Error for CheckpointError {
    fn source(&self) -> Option<&(dyn Error + 'static)> {
        match self {
            Self::File { error, .. } => Some(error),
            Self::Within { error, .. } | Self::Both { network: error, .. } => Some(error),
            Self::State(error) => Some(error),
            _ => None,
        }
    }
}
