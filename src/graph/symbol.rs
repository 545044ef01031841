//! `Symbol`: the identity of a value, detached from any one generation.

use super::chain::Branch;
use super::value::Value;
use crate::payload::Tensorial;

/// A detached `Copy` identity of a value: valid in the network that recorded it, in its forks
/// and in every generation, refused by all others.
///
/// # Example
///
/// ```
/// use poorgrad::Network;
///
/// let network = Network::new();
/// let symbol = network.parameter(1.5_f64).symbol();
/// let fork = network.clone();
/// assert_eq!(fork.resolve(symbol).payload(), Some(1.5));
/// assert!(Network::<f64>::new().try_resolve(symbol).is_err());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Symbol {
    pub(crate) lineage: u64,
    pub(crate) branch: Branch,
    pub(crate) index: u32,
}

impl<P: Tensorial> From<Value<'_, P>> for Symbol {
    fn from(value: Value<'_, P>) -> Self {
        value.symbol()
    }
}
impl From<&Symbol> for Symbol {
    fn from(symbol: &Symbol) -> Self {
        *symbol
    }
}
