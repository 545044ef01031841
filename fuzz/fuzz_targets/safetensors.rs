//! `safetensors`: any bytes are refused or read as contents that are written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use poorgrad::checkpoint::Checkpoint;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(checkpoint) = Checkpoint::from_safetensors(bytes) {
        let written = checkpoint.to_safetensors().expect("what was read has a form");
        let again = Checkpoint::from_safetensors(&written).expect("what was written reads back");
        assert!(again == checkpoint);
    }
});
