//! `.npy`: any bytes are refused or read as an array that is written and read back the same.
#![no_main]

use libfuzzer_sys::fuzz_target;
use poorgrad::checkpoint::Array;

fuzz_target!(|bytes: &[u8]| {
    if let Ok(array) = Array::from_npy(bytes) {
        let written = array.to_npy().expect("what NumPy has, it writes");
        assert!(Array::from_npy(&written).expect("what was written reads back") == array);
    }
});
