//! `Brief`: lists in messages.
//!
//! INVARIANT: what a message takes is bounded, however many axes a text or a program names.

use std::fmt;

/// A list as it is printed everywhere; of a longer one the beginning, and how many it has.
pub(crate) struct Brief<'a, T>(pub(crate) &'a [T]);

impl<T> Brief<'_, T> {
    /// The longest list that is shown whole.
    pub(crate) const WHOLE: usize = 32;
}

impl<T: fmt::Display> fmt::Display for Brief<'_, T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let count = self.0.len();
        let shown = if count <= Self::WHOLE { count } else { Self::WHOLE / 2 };
        f.write_str("[")?;
        for (position, item) in self.0[..shown].iter().enumerate() {
            write!(f, "{}{item}", if position == 0 { "" } else { ", " })?;
        }
        if shown < count {
            write!(f, ", .. ({count} in all)")?;
        }
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_list_shows_its_beginning() {
        assert_eq!(Brief(&[0; 0]).to_string(), "[]");
        let all: Vec<usize> = (0..33).collect();
        assert_eq!(Brief(&all[..32]).to_string(), format!("{:?}", &all[..32]));
        let beginning = format!("{:?}", &all[..16]);
        let expected = format!("{}, .. (33 in all)]", beginning.trim_end_matches(']'));
        assert_eq!(Brief(&all).to_string(), expected);
    }
}
