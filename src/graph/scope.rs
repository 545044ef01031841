//! Scopes: a prefix for the labels of what a thread records while a guard lives.

use super::chain::Branch;
use super::network::Network;
use crate::payload::Tensorial;
use std::cell::{Cell, RefCell};
use std::fmt;
use std::marker::PhantomData;
use std::sync::Arc;

thread_local! {
    // Per thread, so that two threads that record on one network keep their scopes apart.
    static OPEN: RefCell<Vec<Entry>> = const { RefCell::new(Vec::new()) };
    static NEXT: Cell<u64> = const { Cell::new(0) };
}

/// A scope that is open: its guard's number, its network's branch, its whole path.
struct Entry {
    id: u64,
    branch: Branch,
    path: Arc<String>,
}

/// The innermost open scope of this thread on this branch: its whole path.
pub(crate) fn current(branch: Branch) -> Option<Arc<String>> {
    OPEN.with_borrow(|open| {
        open.iter().rev().find(|entry| entry.branch == branch).map(|entry| entry.path.clone())
    })
}

/// A guard: until it drops, what this thread records on its network is labelled by its path.
///
/// Made by [`Network::scope`].
#[must_use = "a scope ends when its guard drops"]
pub struct Scope<'n> {
    id: u64,
    network: PhantomData<(&'n (), *const ())>,
}

impl<'n> Scope<'n> {
    pub(crate) fn open(branch: Branch, name: &str) -> Self {
        let path = match current(branch) {
            Some(outer) => Arc::new(format!("{outer}.{name}")),
            None => Arc::new(name.to_string()),
        };
        let id = NEXT.replace(NEXT.get() + 1);
        OPEN.with_borrow_mut(|open| open.push(Entry { id, branch, path }));
        Self { id, network: PhantomData }
    }
}

impl fmt::Debug for Scope<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // A guard never leaves its thread, and its entry stays until it drops.
        let path = OPEN.with_borrow(|open| {
            open.iter().find(|entry| entry.id == self.id).map(|entry| entry.path.clone())
        });
        f.debug_tuple("Scope").field(&path.as_deref().map_or("", String::as_str)).finish()
    }
}

impl Drop for Scope<'_> {
    fn drop(&mut self) {
        // Guards normally close innermost first, but need not: each takes its own entry alone, as
        // the others may be of other networks, or of guards that live on.
        OPEN.with_borrow_mut(|open| {
            if let Some(at) = open.iter().rposition(|entry| entry.id == self.id) {
                open.remove(at);
            }
        });
    }
}

impl<P: Tensorial> Network<P> {
    /// Labels what this thread records on this network with a path, until the guard drops.
    /// Scopes nest: `block0` inside `model` gives `model.block0`, also where the guard of `model`
    /// drops first.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn path(network: &Network<f64>) -> Option<String> {
        network.leaf(1.0).named("w").label()
    }

    #[test]
    fn n9_a_guard_closes_its_own_scope_alone() {
        let (first, second) = (Network::new(), Network::new());
        let a = first.scope("x");
        let b = second.scope("y");
        drop(a);
        assert_eq!(path(&first).as_deref(), Some("w"));
        assert_eq!(path(&second).as_deref(), Some("y.w"));
        drop(b);
        assert_eq!(path(&second).as_deref(), Some("w"));
    }

    #[test]
    fn n9_guards_may_drop_in_any_order() {
        let network = Network::new();
        let a = network.scope("a");
        let b = network.scope("b");
        drop(a);
        assert_eq!(path(&network).as_deref(), Some("a.b.w"));
        let c = network.scope("c");
        let d = network.scope("d");
        drop(b);
        assert_eq!(path(&network).as_deref(), Some("a.b.c.d.w"));
        drop(d);
        assert_eq!(path(&network).as_deref(), Some("a.b.c.w"));
        drop(c);
        assert_eq!(path(&network).as_deref(), Some("w"));
    }
}
