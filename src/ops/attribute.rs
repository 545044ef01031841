//! The attributes of an operation as data: what text prints and parses.

use super::movement::Extent;
use std::cell::Cell;
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

/// More attributes than any operation has: what is given beyond them is only counted.
const MOST: usize = 8;

/// The attributes that text gave, by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Attributes<'t> {
    given: [(&'t str, &'t str); MOST],
    count: usize,
    /// Those that were asked for, a bit each.
    asked: Cell<u32>,
}

impl<'t> Attributes<'t> {
    /// Adds one behind the others.
    pub(crate) fn give(&mut self, name: &'t str, text: &'t str) {
        if let Some(slot) = self.given.get_mut(self.count) {
            *slot = (name, text);
        }
        self.count += 1;
    }
    pub(crate) fn is_empty(&self) -> bool {
        self.count == 0
    }
    /// Whether each was asked for: one that was not is none of the operation's, or given twice.
    pub(crate) fn all_asked(&self) -> bool {
        self.asked.get().count_ones() as usize == self.count
    }
    fn text(&self, name: &str) -> Option<&'t str> {
        let given = &self.given[..self.count.min(MOST)];
        let at = given.iter().position(|(key, _)| *key == name)?;
        self.asked.set(self.asked.get() | 1 << at);
        Some(given[at].1)
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
    fn list(&self, name: &str) -> Option<impl Iterator<Item = &'t str> + Clone> {
        let inner = self.text(name)?.strip_prefix('[')?.strip_suffix(']')?;
        Some(inner.split(',').map(str::trim).filter(|item| !item.is_empty()))
    }
    pub(crate) fn integers(&self, name: &str) -> Option<Box<[usize]>> {
        exact(self.list(name)?, |item| item.parse().ok())
    }
    pub(crate) fn extents(&self, name: &str) -> Option<Box<[Extent]>> {
        exact(self.list(name)?, Extent::from_text)
    }
}

/// The items read, in a list that is as long as it gets from the start.
fn exact<'t, T>(
    items: impl Iterator<Item = &'t str> + Clone,
    read: impl Fn(&str) -> Option<T>,
) -> Option<Box<[T]>> {
    let mut list = Vec::with_capacity(items.clone().count());
    for item in items {
        list.push(read(item)?);
    }
    Some(list.into())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ops::{Function, Input, Leaf, Narrow, Parameter};

    fn read(name: &str, given: &[(&str, &str)]) -> (Option<Function>, bool) {
        let mut attributes = Attributes::default();
        given.iter().for_each(|(name, text)| attributes.give(name, text));
        (Function::from_text(name, &attributes), attributes.all_asked())
    }

    #[test]
    fn a_source_comes_back_from_its_attributes() {
        for function in [Function::from(Leaf), Input.into(), Parameter { slot: 3 }.into()] {
            let texts = function.attributes().into_iter().map(|(name, it)| (name, it.to_string()));
            let texts: Vec<(&str, String)> = texts.collect();
            let given: Vec<_> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
            assert_eq!(read(function.name(), &given), (Some(function), true));
        }
    }

    #[test]
    fn what_the_operation_has_not_is_not_asked_for() {
        let given = [("axis", "0"), ("start", "1"), ("length", "2")];
        let narrow = Some(Narrow { axis: 0, start: 1, length: 2 }.into());
        assert_eq!(read("narrow", &given), (narrow.clone(), true));
        let more =
            |name: &'static str, count: usize| [&given[..], &vec![(name, "0"); count]].concat();
        // Another's, one that is given twice, and more than are kept.
        for (name, count) in [("step", 1), ("axis", 1), ("axis", 100)] {
            assert_eq!(
                read("narrow", &more(name, count)),
                (narrow.clone(), false),
                "{name} {count}"
            );
        }
        assert_eq!(read("narrow", &given[1..]).0, None);
    }
}
