//! `Loader`: all parameters of a network from a file, or none and a list of what does not fit.

use super::contents::Checkpoint;
use super::load::payload_of;
use super::{CheckpointError, Mismatch, Real};
use crate::{Field, Network, Tensorial};
use std::collections::BTreeMap;
use std::fmt;

/// How a network is loaded.
///
/// # Example
///
/// A file of another program, with other names and an entry that no parameter has:
///
/// ```
/// use poorgrad::checkpoint::{Array, Checkpoint, Dtype};
/// use poorgrad::Network;
///
/// let mut file = Checkpoint::new();
/// file.insert("module.w", Array::new(Dtype::F32, [], 2.5_f32.to_le_bytes().to_vec()).unwrap()).unwrap();
/// file.insert("module.mask", Array::new(Dtype::Bool, [1], vec![1]).unwrap()).unwrap();
///
/// let network = Network::new();
/// let w = network.parameter(0.0_f64).named("w").symbol();
/// let loader = file.loader().names(|path| format!("module.{path}"));
/// let loaded = loader.ignoring(|name| name.ends_with(".mask")).network(&network).unwrap();
/// assert_eq!(loaded.resolve(w).payload(), Some(2.5));
/// assert!(file.network(&network).unwrap_err().to_string().contains("`w` is missing"));
/// ```
pub struct Loader<'c, 'b> {
    checkpoint: &'c Checkpoint<'b>,
    names: Box<dyn Fn(&str) -> String + Send + Sync + 'c>,
    ignored: Box<dyn Fn(&str) -> bool + Send + Sync + 'c>,
}

impl fmt::Debug for Loader<'_, '_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Loader").field("checkpoint", self.checkpoint).finish_non_exhaustive()
    }
}

impl<'c, 'b> Loader<'c, 'b> {
    pub(super) fn new(checkpoint: &'c Checkpoint<'b>) -> Self {
        let (names, ignored) = (Box::new(str::to_owned), Box::new(|_: &str| false));
        Self { checkpoint, names, ignored }
    }

    /// The name of a parameter's entry, from its path.
    #[must_use]
    pub fn names(self, names: impl Fn(&str) -> String + Send + Sync + 'c) -> Self {
        Self { names: Box::new(names), ..self }
    }

    /// Entries that may be there without a parameter, by name.
    #[must_use]
    pub fn ignoring(self, ignored: impl Fn(&str) -> bool + Send + Sync + 'c) -> Self {
        Self { ignored: Box::new(ignored), ..self }
    }

    /// The next generation of `network` with the parameters of the checkpoint.
    ///
    /// # Errors
    ///
    /// Where entries are missing, left over, or of another shape or kind: all of them are named.
    pub fn network<P: Tensorial<Element: Real>>(
        &self,
        network: &Network<P>,
    ) -> Result<Network<P>, CheckpointError> {
        // A fork: what others record meanwhile is not its own.
        let network = network.clone();
        let (mut problems, mut payloads) = (Vec::new(), Vec::new());
        let mut wanted: BTreeMap<String, String> = BTreeMap::new();
        for (path, parameter) in network.parameters() {
            let name = (self.names)(&path);
            let expected = parameter.shape();
            let array = self.checkpoint.array(&name);
            let (given, called) = (path.clone(), name.clone());
            if let Some(first) = wanted.insert(name.clone(), path.clone()) {
                problems.push(Mismatch::Twice { paths: [first, path], name });
                continue;
            }
            let Some(array) = array else {
                problems.push(Mismatch::Missing { path, name });
                continue;
            };
            let found = array.shape();
            if found != *expected {
                problems.push(Mismatch::Shape { path, name, expected: expected.clone(), found });
                continue;
            }
            match payload_of::<P>(expected, &array) {
                Some(payload) => payloads.push((parameter.symbol(), payload)),
                None => {
                    let found = array.dtype();
                    problems.push(Mismatch::Dtype { path: given, name: called, found });
                }
            }
        }
        let state: Vec<_> = self.checkpoint.state().map(|(name, _)| name).collect();
        let more = self.checkpoint.arrays().map(|(name, _)| name);
        let extra = more.filter(|name| {
            let known = wanted.contains_key(&**name) || state.binary_search(name).is_ok();
            !known && !(self.ignored)(name)
        });
        problems.extend(extra.map(|name| Mismatch::Extra { name: name.into_owned() }));
        if !problems.is_empty() {
            return Err(CheckpointError::Mismatch { problems });
        }
        let field = Field::try_new(&network, payloads);
        let field = field.expect("invariant: each payload has its parameter's shape");
        Ok(network.update_each(&field, |_, _, loaded| loaded.clone()))
    }
}
