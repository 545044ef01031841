//! Scopes: a prefix for the labels of what a thread records while a guard lives.

use super::chain::Branch;
use super::network::Network;
use crate::payload::Tensorial;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;

thread_local! {
    // Per thread, so that two threads that record on one network keep their scopes apart.
    static OPEN: RefCell<Vec<(Branch, Arc<String>)>> = const { RefCell::new(Vec::new()) };
}

/// The innermost open scope of this thread on this branch: its whole path.
pub(crate) fn current(branch: Branch) -> Option<Arc<String>> {
    OPEN.with_borrow(|open| {
        open.iter().rev().find(|(of, _)| *of == branch).map(|(_, path)| path.clone())
    })
}

/// A guard: until it drops, what this thread records on its network is labelled by its path.
///
/// Made by [`Network::scope`].
#[must_use = "a scope ends when its guard drops"]
pub struct Scope<'n> {
    depth: usize,
    network: PhantomData<(&'n (), *const ())>,
}

impl<'n> Scope<'n> {
    pub(crate) fn open(branch: Branch, name: &str) -> Self {
        let path = match current(branch) {
            Some(outer) => Arc::new(format!("{outer}.{name}")),
            None => Arc::new(name.to_string()),
        };
        OPEN.with_borrow_mut(|open| {
            open.push((branch, path));
            Self { depth: open.len(), network: PhantomData }
        })
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        // Guards normally close innermost first; one that outlived its outer scope closes what
        // is left of both.
        OPEN.with_borrow_mut(|open| open.truncate(self.depth.saturating_sub(1)));
    }
}

impl<P: Tensorial> Network<P> {
    /// Labels what this thread records on this network with a path, until the guard drops.
    /// Scopes nest: `block0` inside `model` gives `model.block0`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::Network;
    ///
    /// let network = Network::new();
    /// {
    ///     let _block = network.scope("block0");
    ///     network.parameter(1.0_f64).named("weight");
    /// }
    /// let paths: Vec<String> = network.parameters().map(|(path, _)| path).collect();
    /// assert_eq!(paths, ["block0.weight"]);
    /// ```
    pub fn scope(&self, name: &str) -> Scope<'_> {
        Scope::open(self.branch(), name)
    }
}
