//! How the suite sees a refused recording: the message, the file and the line of the panic.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Once;

thread_local! {
    static CAUGHT: RefCell<Option<(String, String, u32)>> = const { RefCell::new(None) };
}

/// Runs `f`, which must panic, and returns the panic's message, file and line.
pub fn caught<T>(f: impl FnOnce() -> T) -> (String, String, u32) {
    static HOOK: Once = Once::new();
    HOOK.call_once(|| {
        let before = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info| {
            let place = info.location().expect("a panic has a place");
            let message = info.payload_as_str().unwrap_or_default().to_owned();
            CAUGHT.with_borrow_mut(|slot| {
                *slot = Some((message, place.file().to_owned(), place.line()));
            });
            // A test that fails still reports as ever.
            if std::env::var_os("RUST_BACKTRACE").is_some() {
                before(info);
            }
        }));
    });
    let outcome = catch_unwind(AssertUnwindSafe(f));
    assert!(outcome.is_err(), "the recording was accepted");
    CAUGHT.take().expect("the hook saw the panic")
}

/// Asserts that recording `$expression` is refused with the constraint's message at this very
/// line, that nothing was recorded, and that the network goes on working, from another thread too.
macro_rules! refused {
    ($network:ident, $operation:literal, $constraint:literal, $expression:expr) => {{
        let before = $network.len();
        let (message, file, line) = $crate::refusal::caught(|| $expression);
        let first = message.lines().next().unwrap_or_default();
        assert!(first.starts_with(concat!($operation, ": ")), "{message}");
        assert!(first.ends_with(concat!("(", $constraint, ")")), "{message}");
        assert!(message.contains("operand 0: ") && message.contains(file!()), "{message}");
        assert_eq!((file.as_str(), line), (file!(), line!()));
        assert_eq!($network.len(), before, "a refused recording changes nothing");
        $crate::refusal::works(&$network);
    }};
}
pub(crate) use refused;

/// The next recording and run of this very network are as ever, from another thread too.
pub fn works(network: &poorgrad::Network<poorgrad::Tensor<f32>>) {
    let record_and_run = || {
        let before = network.len();
        let x = network.leaf(poorgrad::Tensor::from([1.0_f32, 2.0]));
        let y = (x * x).sum();
        assert_eq!(network.forward_for([y], poorgrad::no_feeds()).of(y).item(), 5.0);
        assert_eq!(network.len(), before + 3);
    };
    record_and_run();
    std::thread::scope(|scope| {
        scope.spawn(record_and_run);
    });
}
