//! The text of a tape: any text is refused or reads as a tape that prints and reads back.
#![no_main]

use libfuzzer_sys::fuzz_target;
use poorgrad::{Network, Tensor};

fuzz_target!(|text: &str| {
    if let Ok(network) = Network::<Tensor<f32>>::parse(text) {
        let printed = network.to_string();
        let again = Network::<Tensor<f32>>::parse(&printed).expect("what was printed reads back");
        assert_eq!(again.to_string(), printed);
    }
    let _ = Network::<f64>::parse(text);
});
