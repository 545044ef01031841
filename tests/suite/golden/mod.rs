//! Golden bits: results that must never change, as digests under `tests/golden/`.
//!
//! The same in debug and release, with and without features, at every SIMD level and on every
//! platform. `POORGRAD_BLESS=1 cargo test golden` writes them anew: a change of a file is a change
//! of results, and is named as one in CHANGELOG.

mod elementary;
mod operations;
mod tapes;
mod training;

use poorgrad::{Elementary, Tensor};
use std::{env, fs, path::Path};
use testkit::training::numbers;

/// Compares digests with those of a file, or writes the file when asked to bless.
fn check(file: &str, what: &str, found: &[(String, String)]) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden").join(file);
    let lines: Vec<String> =
        found.iter().map(|(name, digest)| format!("{digest}  {name}")).collect();
    let text = format!("# {what}\n{}\n", lines.join("\n"));
    if env::var_os("POORGRAD_BLESS").is_some() {
        fs::write(&path, text).expect("the file of digests can be written");
        return;
    }
    let golden = fs::read_to_string(&path)
        .unwrap_or_else(|error| panic!("{file}: {error}; bless it with POORGRAD_BLESS=1"));
    let golden: Vec<&str> = golden.lines().filter(|line| !line.starts_with('#')).collect();
    let differing: Vec<_> = lines.iter().filter(|line| !golden.contains(&line.as_str())).collect();
    assert!(differing.is_empty(), "{file}: bits changed: {differing:#?}");
    assert_eq!(golden.len(), lines.len(), "{file} has lines that nothing computes");
}

/// Numbers between -2 and 2 with zeros of both signs among them.
fn mixture<E: Elementary>(shape: &[usize], seed: u64) -> Tensor<E> {
    let mut at = 0;
    numbers::<Tensor<E>>(shape, seed, 2.0).map(|element: E| {
        at += 1;
        match at % 11 {
            5 => E::from_f64(0.0),
            9 => E::from_f64(-0.0),
            _ => element,
        }
    })
}
