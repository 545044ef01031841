//! Feeds: what a run puts in place of inputs' defaults, validated and in tape order.

use crate::graph::Symbol;
use crate::graph::error::{NetworkError, describe};
use crate::graph::tape::Tape;
use crate::ops::Function;
use crate::payload::Tensorial;

/// Validated feeds by ascending position.
pub(crate) struct Bound<P>(Vec<(usize, P)>);

impl<P> Default for Bound<P> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<P> Bound<P> {
    /// One source's payload replaced, unchecked: what a finite difference perturbs.
    pub(crate) fn one(index: usize, payload: P) -> Self {
        Self(vec![(index, payload)])
    }

    /// What is fed to the node at `index`.
    pub(crate) fn get(&self, index: usize) -> Option<&P> {
        let found = self.0.binary_search_by_key(&index, |(at, _)| *at);
        found.ok().map(|at| &self.0[at].1)
    }
}

pub(crate) fn bind<P: Tensorial, S: Into<Symbol>>(
    tape: &Tape<P>,
    feeds: impl IntoIterator<Item = (S, P)>,
) -> Result<Bound<P>, NetworkError> {
    let mut bound = Vec::new();
    for (symbol, payload) in feeds {
        let index = tape.position(symbol.into(), "feed")?;
        let node = tape.node(index);
        let value = || describe(index, node);
        if !matches!(node.function, Function::Input(_)) {
            return Err(NetworkError::NotAnInput { value: value() });
        }
        let found = payload.shape();
        if found != *node.shape {
            let expected = (*node.shape).clone();
            return Err(NetworkError::FeedShape { value: value(), expected, found });
        }
        if node.selection && !payload.is_selection() {
            return Err(NetworkError::FeedNotSelection { value: value() });
        }
        bound.push((index, payload));
    }
    bound.sort_by_key(|(index, _)| *index);
    if let Some(pair) = bound.windows(2).find(|pair| pair[0].0 == pair[1].0) {
        let index = pair[0].0;
        return Err(NetworkError::FedTwice { value: describe(index, tape.node(index)) });
    }
    Ok(Bound(bound))
}
