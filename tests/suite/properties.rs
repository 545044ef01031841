//! Random tapes: what must hold for every network whatsoever.
//!
//! A tape that breaks a promise is shrunk, and the message holds the bytes that generate it.

use poorgrad::{
    Elementary, Evaluation, Kernels, Network, Shape, Stored, Tensor, Tensorial, Value, operations,
};
use std::collections::BTreeSet;
use std::panic::{AssertUnwindSafe, catch_unwind};
use testkit::bits::{difference, first_difference, first_gradient_difference};
use testkit::{RandomTape, generate, seeded, shrink::shrunk};

/// The bytes of tape `seed`: between 20 and 275 of them.
pub(crate) fn tape_bytes(seed: u64) -> Vec<u8> {
    seeded(seed, 20 + seeded(seed, 1)[0] as usize)
}

/// Checks a property of the tapes of many seeds; a failure shrinks.
pub(crate) fn for_tapes<P: Tensorial>(
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
            let text = format!("{}{}", header::<P>(), generate::<P>(&small).network.to_text());
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

/// Native kernels against the definitions, forward and backward: with the defaults, and with feeds
/// in other layouts, which must also have the bits of their dense twins.
fn kernels_agree<P: Tensorial>(tape: &RandomTape<P>) -> Option<String> {
    let RandomTape { network, target, .. } = tape;
    let agree = |native: &Evaluation<P>, reference: &Evaluation<P>| {
        first_difference(network, native, reference).or_else(|| {
            let (native, reference) = (native.backward(target), reference.backward(target));
            first_gradient_difference(network, &native, &reference)
        })
    };
    let inputs = network.values().filter(|value| value.operation() == "input");
    let inputs: Vec<_> = inputs.map(|input| (input.symbol(), default(input))).collect();
    let oracle = network.reference();
    agree(&network.forward(), &oracle.forward()).or_else(|| {
        (0..LAYOUTS).find_map(|first| {
            let feeds = inputs.iter().enumerate().map(|(number, (input, default))| {
                (*input, in_layout(default, (first + number) % LAYOUTS))
            });
            let feeds: Vec<_> = feeds.collect();
            let dense = feeds.iter().zip(&inputs).map(|((input, feed), (_, default))| {
                let twin = if default.is_selection() { feed.clone() } else { twin(feed) };
                (*input, twin)
            });
            let dense: Vec<_> = dense.collect();
            let native = network.forward_with(feeds.iter().cloned());
            let found = agree(&native, &oracle.forward_with(feeds));
            let found = found.or_else(|| agree(&native, &network.forward_with(dense)));
            found.map(|found| format!("fed in layouts from {first} on: {found}"))
        })
    })
}

pub(crate) fn default<P: Tensorial>(input: Value<'_, P>) -> P {
    input.payload().expect("an input has a default")
}

/// How many layouts [`in_layout`] knows.
pub(crate) const LAYOUTS: usize = 5;

/// A payload to feed where `default` stands: its elements, or others of its shape, in a layout of
/// its own. Where the payload has no such layout, and where only selections fit, the default.
pub(crate) fn in_layout<P: Tensorial>(default: &P, layout: usize) -> P {
    let shape = default.shape();
    let fed = match layout {
        _ if default.is_selection() => None,
        // Reversed axes, seen through the reverse.
        0 => {
            let axes: Vec<usize> = (0..shape.rank()).rev().collect();
            Some(twin(&default.permute(&axes)).permute(&axes))
        }
        1 => Some(P::full(&shape, P::Element::from_f64(-0.625))),
        // Every second position of a longer last axis.
        2 if shape.rank() > 0 => {
            let last = shape.rank() - 1;
            let padded =
                default.unfold(last, 1, 1, 1).pad(last + 1, 0, 2, &P::Element::one(), NATIVE);
            Some(padded.narrow(last + 1, 0, 1).reshape(&shape, NATIVE))
        }
        3 => shape.split_last().filter(|(classes, _)| **classes > 0).and_then(|(classes, rows)| {
            let columns = (0..rows.iter().product()).map(|row: usize| (row * 7 + 3) % classes);
            P::from_stored(&shape, Stored::Selection(columns.collect()))
        }),
        4 => {
            let mut bits = Vec::new();
            default.for_each(&mut |x| bits.push(((x.to_f64() as f32).to_bits() >> 16) as u16));
            P::from_stored(&shape, Stored::Bfloat16(bits))
        }
        _ => None,
    };
    fed.unwrap_or_else(|| default.clone())
}

const NATIVE: Kernels = Kernels::Native;

/// The same elements, stored densely.
fn twin<P: Tensorial>(payload: &P) -> P {
    let mut elements = Vec::new();
    payload.for_each(&mut |element| elements.push(element.clone()));
    P::from_stored(&payload.shape(), Stored::Dense(elements)).expect("as many as the shape says")
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

// A test for each payload, so that they share the cores.
#[test]
#[ignore = "heavy: 10,000 tapes of f32 tensors"]
fn heavy_backward_equals_differentiate_on_tensors_of_f32() {
    for_tapes(1_000..11_000, promise_5::<Tensor<f32>>);
}

#[test]
#[ignore = "heavy: 10,000 tapes of f64 tensors"]
fn heavy_backward_equals_differentiate_on_tensors_of_f64() {
    for_tapes(11_000..21_000, promise_5::<Tensor<f64>>);
}

#[test]
#[ignore = "heavy: 10,000 tapes of each scalar"]
fn heavy_backward_equals_differentiate_on_scalars() {
    for_tapes(21_000..31_000, promise_5::<f32>);
    for_tapes(31_000..41_000, promise_5::<f64>);
}

/// What is written above a failing tape: its payload, as the filetests say it.
fn header<P: Tensorial>() -> &'static str {
    if P::holds(&Shape::from([1])) { "" } else { "; payload: scalar\n" }
}

/// Whether a tape as it was written down breaks a promise.
fn failure(text: &str) -> Option<String> {
    let scalar = text.lines().any(|line| line == "; payload: scalar");
    let single = text.lines().any(|line| line == "tape 1 f32");
    match (scalar, single) {
        (true, true) => holds(Network::<f32>::parse(text).expect("a tape")),
        (true, false) => holds(Network::<f64>::parse(text).expect("a tape")),
        (false, true) => holds(Network::<Tensor<f32>>::parse(text).expect("a tape")),
        (false, false) => holds(Network::<Tensor<f64>>::parse(text).expect("a tape")),
    }
}

/// Tapes that once broke a promise: each `.tape` of the folder keeps what it holds.
#[test]
fn tapes_that_once_failed_hold() {
    let paths = regressions();
    assert!(!paths.is_empty(), "at least the planted tape is found");
    for path in paths {
        let text = std::fs::read_to_string(&path).expect("a readable tape");
        assert_eq!(failure(&text), None, "{}", path.display());
    }
}

#[test]
fn a_failing_tape_is_written_down_as_it_is_read_again() {
    fn check<P: Tensorial>(seed: u64) {
        let network = generate::<P>(&tape_bytes(seed)).network;
        let text = format!("{}{}", header::<P>(), network.to_text());
        assert_eq!(failure(&text), None, "seed {seed}");
        let again = Network::<P>::parse(&text).expect("a tape of the same payload");
        assert_eq!(again.fingerprint(), network.fingerprint());
    }
    for seed in 0..5 {
        check::<f32>(seed);
        check::<f64>(seed);
        check::<Tensor<f32>>(seed);
        check::<Tensor<f64>>(seed);
    }
}

/// All promises of this file for a network as it was written down.
fn holds<P: Tensorial>(network: Network<P>) -> Option<String> {
    let one = |value: &poorgrad::Value<'_, P>| value.shape().volume() == Some(1);
    let target = network.values().filter(one).last()?.symbol();
    let is_source = |value: &poorgrad::Value<'_, P>| match value.operation() {
        "parameter" => true,
        // Neither has a gradient of one that takes selections.
        "input" => !default(*value).is_selection(),
        _ => false,
    };
    let sources = network.values().filter(is_source).map(|value| value.symbol()).collect();
    let tape = RandomTape { network, target, results: Vec::new(), sources };
    kernels_agree(&tape)
        .or_else(|| readings_agree(&tape))
        .or_else(|| super::plans::plans_agree(&tape))
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

#[test]
fn the_tapes_cover_every_operation() {
    let mut seen = BTreeSet::new();
    let (mut boundary, mut empty, mut nodes) = (0, 0, 0);
    for seed in 0..500 {
        let network = generate::<Tensor<f64>>(&tape_bytes(seed)).network;
        seen.extend(network.values().map(Value::operation));
        nodes += network.len();
        let mut extents = network.values().flat_map(|value| value.shape().iter());
        boundary += usize::from(extents.any(|extent| *extent >= 255));
        let mut extents = network.values().flat_map(|value| value.shape().iter());
        empty += usize::from(extents.any(|extent| *extent == 0));
    }
    let missing: Vec<_> = operations()
        .iter()
        .map(|operation| operation.name)
        .filter(|name| !seen.contains(name))
        .collect();
    assert!(missing.is_empty(), "no tape has {missing:?}");
    assert!((20..100).contains(&boundary), "{boundary} tapes reach a block boundary");
    assert!((10..100).contains(&empty), "{empty} tapes have an empty extent");
    assert!(nodes > 500 * 20, "{nodes} nodes");
}
