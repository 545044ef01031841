//! CIFAR-10: any bytes are refused or read as images with a class each.
#![no_main]

use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(images) = zoo::cifar::parse(bytes) {
        assert_eq!(images.len() * 3073, bytes.len());
    }
});
