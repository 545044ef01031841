//! Characters as tokens, and the windows that a model of the next character is trained on.

use std::{collections::BTreeSet, error::Error, fmt};

/// The character that stands before the first and after the last one of a name: token 0.
pub const BOUNDARY: char = '.';

/// The characters of a corpus, numbered: [`BOUNDARY`] is token 0, the others follow in sorted order.
///
/// ```
/// use zoo::vocabulary::Vocabulary;
///
/// let vocabulary = Vocabulary::of(["bab", "ac"]);
/// assert_eq!(vocabulary.symbols(), ['.', 'a', 'b', 'c']);
/// assert_eq!(vocabulary.encode("cab"), Ok(vec![3, 1, 2]));
/// assert_eq!(vocabulary.decode(&[3, 1, 2]), "cab");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vocabulary {
    symbols: Vec<char>,
}

impl Vocabulary {
    /// The vocabulary of all characters that occur in `names`.
    pub fn of<S: AsRef<str>>(names: impl IntoIterator<Item = S>) -> Self {
        let mut characters = BTreeSet::new();
        for name in names {
            characters.extend(name.as_ref().chars());
        }
        characters.remove(&BOUNDARY);
        Self { symbols: std::iter::once(BOUNDARY).chain(characters).collect() }
    }

    /// The number of tokens, the boundary included.
    pub fn size(&self) -> usize {
        self.symbols.len()
    }

    /// The characters in the order of their tokens.
    pub fn symbols(&self) -> &[char] {
        &self.symbols
    }

    /// The token of a character.
    pub fn token(&self, character: char) -> Option<usize> {
        if character == BOUNDARY {
            return Some(0);
        }
        self.symbols[1..].binary_search(&character).ok().map(|index| index + 1)
    }

    /// The tokens of a name, without boundaries.
    pub fn encode(&self, name: &str) -> Result<Vec<usize>, UnknownCharacter> {
        name.chars()
            .map(|character| self.token(character).ok_or(UnknownCharacter { character }))
            .collect()
    }

    /// The name that `tokens` spell. Panics if one of them is no token of this vocabulary.
    pub fn decode(&self, tokens: &[usize]) -> String {
        tokens.iter().map(|&token| self.symbols[token]).collect()
    }

    /// Every next character of `names` with the `context` tokens before it (boundaries before the first
    /// character): what a model predicts, and from what. A name of `n` characters makes `n + 1` windows.
    pub fn windows<S: AsRef<str>>(
        &self,
        names: impl IntoIterator<Item = S>,
        context: usize,
    ) -> Result<Windows, UnknownCharacter> {
        let mut windows = Windows { context, contexts: Vec::new(), targets: Vec::new() };
        for name in names {
            let mut line = vec![0; context];
            line.extend(self.encode(name.as_ref())?);
            line.push(0);
            for (start, &target) in line[context..].iter().enumerate() {
                windows.contexts.extend(&line[start..start + context]);
                windows.targets.push(target);
            }
        }
        Ok(windows)
    }
}

/// Contexts and what follows them, as flat rows ready to feed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Windows {
    context: usize,
    contexts: Vec<usize>,
    targets: Vec<usize>,
}

impl Windows {
    /// The number of windows.
    pub fn len(&self) -> usize {
        self.targets.len()
    }

    /// Whether there is no window at all.
    pub fn is_empty(&self) -> bool {
        self.targets.is_empty()
    }

    /// The number of tokens in a context.
    pub fn context(&self) -> usize {
        self.context
    }

    /// All contexts, row after row: `len() * context()` tokens.
    pub fn contexts(&self) -> &[usize] {
        &self.contexts
    }

    /// All targets: `len()` tokens.
    pub fn targets(&self) -> &[usize] {
        &self.targets
    }

    /// One window: its context and its target.
    pub fn row(&self, index: usize) -> (&[usize], usize) {
        let start = index * self.context;
        (&self.contexts[start..start + self.context], self.targets[index])
    }

    /// The windows at `indices`, in that order: a batch.
    pub fn gather(&self, indices: &[usize]) -> Self {
        let mut batch = Self { context: self.context, contexts: Vec::new(), targets: Vec::new() };
        for &index in indices {
            let (context, target) = self.row(index);
            batch.contexts.extend(context);
            batch.targets.push(target);
        }
        batch
    }
}

/// A character that the vocabulary was not built from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownCharacter {
    /// The character.
    pub character: char,
}

impl fmt::Display for UnknownCharacter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "the vocabulary has no {:?}; build it from all names that are to be encoded",
            self.character
        )
    }
}

impl Error for UnknownCharacter {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Corpus;

    #[test]
    fn the_boundary_comes_first_and_the_rest_is_sorted() {
        let vocabulary = Vocabulary::of(["zoë", "ab-c", "a"]);
        assert_eq!(vocabulary.symbols(), ['.', '-', 'a', 'b', 'c', 'o', 'z', 'ë']);
        assert_eq!(vocabulary.size(), 8);
        for (token, &symbol) in vocabulary.symbols().iter().enumerate() {
            assert_eq!(vocabulary.token(symbol), Some(token));
        }
        assert_eq!(vocabulary.token('q'), None);
    }

    #[test]
    fn builtin_names_make_27_tokens() {
        let corpus = Corpus::builtin();
        let vocabulary = Vocabulary::of(corpus.names());
        assert_eq!(vocabulary.size(), 27);
        assert_eq!((vocabulary.token('a'), vocabulary.token('z')), (Some(1), Some(26)));
        assert_eq!(vocabulary.windows(corpus.names(), 3).unwrap().len(), 214_764);
    }

    #[test]
    fn windows_slide_over_a_name_and_end_with_its_boundary() {
        let vocabulary = Vocabulary::of(["ab", "b"]);
        let windows = vocabulary.windows(["ab", "b"], 2).unwrap();
        assert_eq!(windows.contexts(), [0, 0, 0, 1, 1, 2, 0, 0, 0, 2]);
        assert_eq!(windows.targets(), [1, 2, 0, 2, 0]);
        assert_eq!((windows.len(), windows.context(), windows.is_empty()), (5, 2, false));
        assert_eq!(windows.row(2), (&[1, 2][..], 0));
        let batch = windows.gather(&[4, 0, 4]);
        assert_eq!((batch.contexts(), batch.targets()), (&[0, 2, 0, 0, 0, 2][..], &[0, 1, 0][..]));
    }

    #[test]
    fn a_context_longer_than_the_name_and_one_of_nothing_both_work() {
        let vocabulary = Vocabulary::of(["a"]);
        let long = vocabulary.windows(["a"], 4).unwrap();
        assert_eq!(long.contexts(), [0, 0, 0, 0, 0, 0, 0, 1]);
        let none = vocabulary.windows(["a"], 0).unwrap();
        assert_eq!(
            (none.contexts(), none.targets(), none.row(1)),
            (&[][..], &[1, 0][..], (&[][..], 0))
        );
        assert!(vocabulary.windows::<&str>([], 3).unwrap().is_empty());
    }

    #[test]
    fn an_unknown_character_is_named() {
        let vocabulary = Vocabulary::of(["ab"]);
        let error = vocabulary.windows(["ab", "aq"], 3).unwrap_err();
        assert_eq!(error, UnknownCharacter { character: 'q' });
        assert!(error.to_string().contains("'q'"));
        assert_eq!(
            vocabulary.encode("ab").map(|tokens| vocabulary.decode(&tokens)),
            Ok("ab".to_owned())
        );
    }
}
