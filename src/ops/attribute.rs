//! The attributes of an operation as data: what text prints and parses.

use super::movement::Extent;
use std::fmt;

/// One attribute.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Attribute {
    Integer(i64),
    /// A number that the constraints do not bound.
    Count(usize),
    /// A number, printed so that its bits come back.
    Number(f64),
    Integers(Vec<usize>),
    Extents(Vec<Extent>),
    Word(&'static str),
}

impl fmt::Display for Attribute {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Integer(integer) => write!(f, "{integer}"),
            Self::Count(count) => write!(f, "{count}"),
            Self::Number(number) => f.write_str(&crate::kernel::Elementary::to_text(number)),
            Self::Integers(integers) => write!(f, "{integers:?}"),
            Self::Extents(extents) => {
                let texts: Vec<_> = extents.iter().map(Extent::to_string).collect();
                write!(f, "[{}]", texts.join(", "))
            }
            Self::Word(word) => f.write_str(word),
        }
    }
}

/// The attributes that text gave, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes(pub(crate) Vec<(String, String)>);

impl Attributes {
    fn text(&self, name: &str) -> Option<&str> {
        self.0.iter().find(|(key, _)| key == name).map(|(_, text)| text.as_str())
    }
    pub(crate) fn integer<T: std::str::FromStr>(&self, name: &str) -> Option<T> {
        self.text(name)?.parse().ok()
    }
    pub(crate) fn number(&self, name: &str) -> Option<f64> {
        crate::kernel::Elementary::from_text(self.text(name)?)
    }
    pub(crate) fn word(&self, name: &str) -> Option<&str> {
        self.text(name)
    }
    fn list(&self, name: &str) -> Option<impl Iterator<Item = &str>> {
        let inner = self.text(name)?.strip_prefix('[')?.strip_suffix(']')?;
        Some(inner.split(',').map(str::trim).filter(|item| !item.is_empty()))
    }
    pub(crate) fn integers(&self, name: &str) -> Option<Vec<usize>> {
        self.list(name)?.map(|item| item.parse().ok()).collect()
    }
    pub(crate) fn extents(&self, name: &str) -> Option<Vec<Extent>> {
        self.list(name)?.map(Extent::from_text).collect()
    }
}
