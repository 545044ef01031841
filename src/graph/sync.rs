//! The cells of the recording protocol, in one place, so that a model checker can stand in.
//!
//! A normal build re-exports the standard library. Under `--cfg loom` the same names are the
//! model checker's; its `OnceLock` is a flag that the checker sees over the standard cell.

#[cfg(not(loom))]
pub(crate) use std::sync::{
    Arc, Mutex, OnceLock,
    atomic::{AtomicUsize, Ordering},
};

#[cfg(loom)]
pub(crate) use loom::sync::{
    Mutex,
    atomic::{AtomicUsize, Ordering},
};
#[cfg(loom)]
pub(crate) use model::OnceLock;
#[cfg(loom)]
pub(crate) use std::sync::Arc;

#[cfg(loom)]
mod model {
    //! A write-once cell whose publication the model checker orders.
    use loom::sync::atomic::{AtomicBool, Ordering};

    #[derive(Debug)]
    pub(crate) struct OnceLock<T> {
        published: AtomicBool,
        cell: std::sync::OnceLock<T>,
    }

    impl<T> OnceLock<T> {
        pub(crate) fn new() -> Self {
            Self { published: AtomicBool::new(false), cell: std::sync::OnceLock::new() }
        }
        pub(crate) fn get(&self) -> Option<&T> {
            if self.published.load(Ordering::Acquire) { self.cell.get() } else { None }
        }
        pub(crate) fn set(&self, value: T) -> Result<(), T> {
            let result = self.cell.set(value);
            self.published.store(true, Ordering::Release);
            result
        }
        pub(crate) fn get_or_init(&self, init: impl FnOnce() -> T) -> &T {
            let value = self.cell.get_or_init(init);
            self.published.store(true, Ordering::Release);
            value
        }
    }
}
