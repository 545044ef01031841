//! IDX, packed or not: any bytes are refused or read as an array of as many bytes as its extents say.
#![no_main]

use libfuzzer_sys::fuzz_target;
use zoo::idx::Idx;

fuzz_target!(|bytes: &[u8]| {
    for axes in [1, 3] {
        if let Ok(idx) = Idx::parse(bytes, axes) {
            assert_eq!(idx.extents.iter().product::<usize>(), idx.bytes.len());
        }
    }
});
