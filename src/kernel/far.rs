//! Whether what a kernel reads comes from memory, where the kernel sees a part that would fit a cache.

use std::cell::Cell;

thread_local! {
    static FAR: Cell<bool> = const { Cell::new(false) };
}

/// Runs `work`, whose kernels read parts of something that no cache holds; on this thread, which is where a part small
/// enough for a cache is read.
pub(crate) fn from_memory<R>(work: impl FnOnce() -> R) -> R {
    /// Puts the outer answer back, after a panic too.
    struct Outer(bool);
    impl Drop for Outer {
        fn drop(&mut self) {
            FAR.set(self.0);
        }
    }
    let _outer = Outer(FAR.replace(true));
    work()
}

/// Whether [`from_memory`] runs what asks.
pub(crate) fn is_from_memory() -> bool {
    FAR.get()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_answer_ends_with_the_work() {
        assert!(from_memory(is_from_memory));
        let _ = std::panic::catch_unwind(|| from_memory(|| panic!("work that fails")));
        assert!(!is_from_memory());
    }
}
