//! The counting model of names: how often each character follows each other one.
//!
//! No gradient is needed for it, and no model that sees one character back can have a lower loss on
//! the names that were counted: it is the number a trained bigram network is measured against.

use crate::vocabulary::{UnknownCharacter, Vocabulary};

/// Counts of all pairs of neighbouring tokens, boundaries included.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bigram {
    size: usize,
    counts: Vec<u64>,
}

impl Bigram {
    /// Counts the pairs in `names`.
    pub fn count<S: AsRef<str>>(
        vocabulary: &Vocabulary,
        names: impl IntoIterator<Item = S>,
    ) -> Result<Self, UnknownCharacter> {
        let size = vocabulary.size();
        let mut counts = vec![0; size * size];
        let windows = vocabulary.windows(names, 1)?;
        for (&before, &after) in windows.contexts().iter().zip(windows.targets()) {
            counts[before * size + after] += 1;
        }
        Ok(Self { size, counts })
    }

    /// How often each token followed the token `before`.
    pub fn row(&self, before: usize) -> &[u64] {
        &self.counts[before * self.size..][..self.size]
    }

    /// The number of pairs that were counted.
    pub fn transitions(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// The mean negative log-likelihood (in nats) of the counted names under the frequencies of their
    /// own pairs, after `smoothing` more of each pair (0 for the plain frequencies).
    pub fn loss(&self, smoothing: f64) -> f64 {
        let mut loss = 0.0;
        for before in 0..self.size {
            let row = self.row(before);
            let total = row.iter().fold(0.0, |total, &count| total + count as f64 + smoothing);
            for &count in row.iter().filter(|&&count| count > 0) {
                loss -= count as f64 * ((count as f64 + smoothing) / total).ln();
            }
        }
        loss / self.transitions() as f64
    }

    /// The mean negative log-likelihood (in nats) of the counted names under the chances of another
    /// model: `chance(before, after)`.
    pub fn loss_under(&self, chance: impl Fn(usize, usize) -> f64) -> f64 {
        let mut loss = 0.0;
        for before in 0..self.size {
            for (after, &count) in self.row(before).iter().enumerate().filter(|pair| *pair.1 > 0) {
                loss -= count as f64 * chance(before, after).ln();
            }
        }
        loss / self.transitions() as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::corpus::Corpus;

    fn counted(corpus: &Corpus) -> Bigram {
        Bigram::count(&Vocabulary::of(corpus.names()), corpus.names()).unwrap()
    }

    #[test]
    fn pairs_of_one_name() {
        let vocabulary = Vocabulary::of(["aab"]);
        let bigram = Bigram::count(&vocabulary, ["aab"]).unwrap();
        assert_eq!(
            [bigram.row(0), bigram.row(1), bigram.row(2)],
            [[0, 1, 0], [0, 1, 1], [1, 0, 0]]
        );
        assert_eq!(bigram.transitions(), 4);
        // Two certain steps, and two of one half each.
        assert!((bigram.loss(0.0) - 0.5 * 2.0_f64.ln()).abs() < 1e-15);
        // Under chances of a quarter for every pair it is ln 4.
        assert!((bigram.loss_under(|_, _| 0.25) - 4.0_f64.ln()).abs() < 1e-15);
    }

    #[test]
    fn builtin_names_have_the_documented_loss() {
        let bigram = counted(&Corpus::builtin());
        assert_eq!(bigram.transitions(), 214_764);
        assert!((bigram.loss(0.0) - 2.454_089_290).abs() < 1e-9, "{}", bigram.loss(0.0));
        assert!(bigram.loss(1.0) > bigram.loss(0.0));
    }

    /// Runs where `POORGRAD_DATA` is set: its folder has the corpus of the makemore lectures.
    #[test]
    fn external_names_have_their_known_loss() {
        let Some(folder) = std::env::var_os("POORGRAD_DATA") else { return };
        let path = std::path::Path::new(&folder).join("names.txt");
        assert!(path.exists(), "POORGRAD_DATA is set, and {} does not exist", path.display());
        let bigram = counted(&Corpus::read(&path).unwrap());
        assert_eq!(bigram.transitions(), 228_146);
        assert!((bigram.loss(0.0) - 2.454_014).abs() < 1e-6, "{}", bigram.loss(0.0));
        assert!((bigram.loss(1.0) - 2.454_577).abs() < 1e-6, "{}", bigram.loss(1.0));
    }
}
