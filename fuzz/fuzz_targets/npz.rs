//! `.npz`: any bytes are refused or read as contents that, where they have a form, are written and read
//! back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use poorgrad::checkpoint::Checkpoint;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(checkpoint) = Checkpoint::from_npz_within(bytes, 1 << 20)
        && let Ok(written) = checkpoint.to_npz()
    {
        let again = Checkpoint::from_npz(&written).expect("what was written reads back");
        assert!(again == checkpoint);
    }
});
