//! Random tapes: what must hold for every network whatsoever.
//!
//! A tape that breaks a promise is shrunk, and the message holds the bytes that generate it.

use poorgrad::{Network, Tensor, Tensorial, operations};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use testkit::bits::{difference, first_difference, first_gradient_difference};
use testkit::{RandomTape, generate, seeded, shrink::shrunk};

/// The bytes of tape `seed`: between 20 and 275 of them.
fn tape_bytes(seed: u64) -> Vec<u8> {
    seeded(seed, 20 + seeded(seed, 1)[0] as usize)
}

/// Checks a property of the tapes of many seeds; a failure shrinks.
fn for_tapes<P: Tensorial>(
    seeds: std::ops::Range<u64>,
    property: fn(&RandomTape<P>) -> Option<String>,
) {
    let property = |bytes: &[u8]| property(&generate::<P>(bytes));
    // A panic is a failure like any other.
    let found = |bytes: &[u8]| match catch_unwind(AssertUnwindSafe(|| property(bytes))) {
        Ok(found) => found,
        Err(panic) => Some(match panic.downcast::<String>() {
            Ok(message) => *message,
            Err(_) => String::from("a panic"),
        }),
    };
    for seed in seeds {
        let bytes = tape_bytes(seed);
        if found(&bytes).is_some() {
            let small = shrunk(&bytes, |bytes| found(bytes).is_some());
            let message = found(&small).expect("what is shrunk still fails");
            // The text is the tape as it was generated, before the property recorded more.
            let written = folder().join(format!("seed-{seed}.tape"));
            let text = generate::<P>(&small).network.to_text();
            let place = match std::fs::create_dir_all(folder())
                .and_then(|()| std::fs::write(&written, text))
            {
                Ok(()) => written.display().to_string(),
                Err(error) => format!("nowhere ({error})"),
            };
            panic!("tape of seed {seed}, shrunk to {small:?}, written to {place}: {message}");
        }
    }
}

/// Native kernels against the definitions, forward and backward.
fn kernels_agree<P: Tensorial>(tape: &RandomTape<P>) -> Option<String> {
    let RandomTape { network, target, .. } = tape;
    let (native, reference) = (network.forward(), network.reference().forward());
    first_difference(network, &native, &reference).or_else(|| {
        let (native, reference) = (native.backward(target), reference.backward(target));
        first_gradient_difference(network, &native, &reference)
    })
}

/// The gradient computed, computed for the sources only, and recorded.
fn readings_agree<P: Tensorial>(tape: &RandomTape<P>) -> Option<String> {
    let RandomTape { network, target, sources, .. } = tape;
    let evaluation = network.forward();
    let gradients = evaluation.backward(target);
    let narrowed = evaluation.backward_for(target, sources);
    let recorded: Vec<_> =
        network.differentiate(target, sources).iter().map(|value| value.symbol()).collect();
    let evaluation = network.forward();
    sources.iter().zip(recorded).find_map(|(source, recorded)| {
        let computed = gradients.of(source);
        difference(&computed, &evaluation.of(recorded))
            .map(|found| format!("recorded derivative of {:?}: {found}", network.resolve(source)))
            .or_else(|| difference(&computed, &narrowed.of(source)))
    })
}

fn promise_5<P: Tensorial>(tape: &RandomTape<P>) -> Option<String> {
    kernels_agree(tape).or_else(|| readings_agree(tape))
}

#[test]
fn backward_equals_differentiate_and_kernels_their_definitions() {
    for_tapes(0..150, promise_5::<Tensor<f32>>);
    for_tapes(150..300, promise_5::<Tensor<f64>>);
    for_tapes(300..400, promise_5::<f32>);
    for_tapes(400..500, promise_5::<f64>);
}

#[test]
#[ignore = "heavy: 10,000 tapes of each payload"]
fn heavy_backward_equals_differentiate_and_kernels_their_definitions() {
    for_tapes(1_000..11_000, promise_5::<Tensor<f32>>);
    for_tapes(11_000..21_000, promise_5::<Tensor<f64>>);
    for_tapes(21_000..31_000, promise_5::<f32>);
    for_tapes(31_000..41_000, promise_5::<f64>);
}

/// Tapes that once broke a promise: each `.tape` of the folder keeps what it holds.
#[test]
fn tapes_that_once_failed_hold() {
    for path in regressions() {
        let text = std::fs::read_to_string(&path).expect("a readable tape");
        let failure = if text.starts_with("tape 1 f32") {
            holds(Network::<Tensor<f32>>::parse(&text).expect("a tape"))
        } else {
            holds(Network::<Tensor<f64>>::parse(&text).expect("a tape"))
        };
        assert_eq!(failure, None, "{}", path.display());
    }
}

/// All promises of this file for a network as it was written down.
fn holds<P: Tensorial>(network: Network<P>) -> Option<String> {
    let one = |value: &poorgrad::Value<'_, P>| value.shape().volume() == Some(1);
    let target = network.values().filter(one).last()?.symbol();
    let is_source = |value: &poorgrad::Value<'_, P>| {
        let text = format!("{value:?}");
        let name = text.split_whitespace().nth(2);
        matches!(name, Some("input" | "parameter"))
    };
    let sources = network.values().filter(is_source).map(|value| value.symbol()).collect();
    let tape = RandomTape { network, target, results: Vec::new(), sources };
    kernels_agree(&tape).or_else(|| readings_agree(&tape))
}

fn folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests/regress")
}

fn regressions() -> Vec<std::path::PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder()) else { return Vec::new() };
    let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut paths: Vec<_> =
        paths.filter(|path| path.extension().is_some_and(|e| e == "tape")).collect();
    paths.sort();
    paths
}

/// The names of a network's operations.
fn named<P: Tensorial>(network: &Network<P>) -> impl Iterator<Item = String> {
    network.values().map(|value| {
        let text = format!("{value:?}");
        String::from(text.split_whitespace().nth(2).expect("%i = name : shape"))
    })
}

#[test]
fn the_tapes_cover_every_operation() {
    let mut seen = BTreeSet::new();
    let (mut boundary, mut empty, mut nodes) = (0, 0, 0);
    for seed in 0..500 {
        let network = generate::<Tensor<f64>>(&tape_bytes(seed)).network;
        seen.extend(named(&network));
        nodes += network.len();
        let mut extents = network.values().flat_map(|value| value.shape().iter());
        boundary += usize::from(extents.any(|extent| *extent >= 255));
        let mut extents = network.values().flat_map(|value| value.shape().iter());
        empty += usize::from(extents.any(|extent| *extent == 0));
    }
    let missing: Vec<_> = operations()
        .iter()
        .map(|operation| operation.name)
        .filter(|name| !seen.contains(*name))
        .collect();
    assert!(missing.is_empty(), "no tape has {missing:?}");
    assert!((20..100).contains(&boundary), "{boundary} tapes reach a block boundary");
    assert!((10..100).contains(&empty), "{empty} tapes have an empty extent");
    assert!(nodes > 500 * 20, "{nodes} nodes");
}
