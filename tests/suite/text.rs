//! The tape as text: what is printed reads back bit for bit, and no text breaks the parser.

use poorgrad::{
    Differentiable, Elementary, Extent, Network, ParseErrorKind, Stored, Tensor, Tensorial,
};
use std::collections::BTreeMap;
use testkit::bits::first_difference;
use testkit::decisions::{mixed, seeded};
use testkit::{Dual, Modular, generate};

/// Printing, parsing and printing again gives the same text, bits and runs.
fn assert_faithful<P: Tensorial>(network: &Network<P>) {
    let text = network.to_text();
    let again = Network::<P>::parse(&text).unwrap_or_else(|error| panic!("{error}\n{text}"));
    assert_eq!(again.to_text(), text);
    assert_eq!(again.fingerprint(), network.fingerprint());
    assert_eq!(again.structure_fingerprint(), network.structure_fingerprint());
    for (left, right) in network.values().zip(again.values()) {
        assert_eq!(left.label(), right.label());
        assert_eq!(format!("{left:?}"), format!("{right:?}"));
        match (left.payload(), right.payload()) {
            (Some(left), Some(right)) => assert!(same_storage(&left, &right), "{text}"),
            (left, right) => assert!(left.is_none() && right.is_none()),
        }
    }
}

/// Whether two payloads store the same bits in the same form, those of NaN included.
fn same_storage<P: Differentiable>(left: &P, right: &P) -> bool {
    let bytes = |elements: &[P::Element]| {
        let mut bytes = Vec::new();
        elements.iter().for_each(|element| element.write_bytes(&mut bytes));
        bytes
    };
    left.shape() == right.shape()
        && match (left.stored(), right.stored()) {
            (Stored::Dense(left), Stored::Dense(right)) => bytes(&left) == bytes(&right),
            (Stored::Constant(left), Stored::Constant(right)) => bytes(&[left]) == bytes(&[right]),
            (Stored::Selection(left), Stored::Selection(right)) => left == right,
            (Stored::Bfloat16(left), Stored::Bfloat16(right)) => left == right,
            _ => false,
        }
}

/// A tape with every storage, labels, scopes, a view and some operations.
fn sample() -> Network<Tensor<f32>> {
    let network = Network::new();
    let x = network.input(Tensor::from([[1.0, -0.0, 1e-45], [f32::INFINITY, 0.1, 3.4e38]]));
    let w = network.parameter(Tensor::full([3, 2], 0.5)).named("w \"quoted\"\n");
    let _ = network.leaf(Tensor::from([f32::from_bits(0x7fc0_0001), f32::from_bits(0xff80_0001)]));
    let _ = network.leaf(Tensor::from([1.0, 2.0, f32::NAN]).to_bf16());
    let rows = network.input(Tensor::selection(&[1, 0, 1], 3)).named("rows");
    {
        let _scope = network.scope("model");
        let y = x.matmul(w).named("y");
        let _inner = network.scope("läyer; 1");
        let _ = (y.transpose() * 2.0).reshape([Extent::Infer, Extent::Exactly(4)]).sum_along(&[0]);
        let _ = w.gather(rows);
    }
    let _ = network.leaf(Tensor::<f32>::from([[1.0, 2.0], [3.0, 4.0]]).transpose());
    let _ = network.leaf(Tensor::new([0, 3], Vec::new()));
    network
}

#[test]
fn a_tape_of_every_storage_reads_back() {
    let network = sample();
    assert_faithful(&network);
    // A literal text is the same text: what parsing keeps, printing keeps.
    let text = network.to_text();
    let twice = text.parse::<Network<Tensor<f32>>>().unwrap().to_text();
    assert_eq!(text, twice);
    assert!(text.contains("tests/suite/text.rs:"), "{text}");
}

#[test]
fn special_numbers_keep_their_bits() {
    let bits: [u64; 9] = [
        0,
        1 << 63,
        1,
        0x000f_ffff_ffff_ffff,
        0x7ff0_0000_0000_0000,
        0xfff0_0000_0000_0000,
        0x7ff0_0000_0000_0001,
        0xffff_ffff_ffff_ffff,
        0x3fb9_9999_9999_999a,
    ];
    let network = Network::new();
    for bits in bits {
        let _ = network.parameter(f64::from_bits(bits));
        let _ = network.leaf(f64::from_bits(bits)) * f64::from_bits(bits);
    }
    let again = Network::<f64>::parse(&network.to_text()).unwrap();
    for (left, right) in network.values().zip(again.values()) {
        assert_eq!(left.payload().map(f64::to_bits), right.payload().map(f64::to_bits));
    }
    assert_faithful(&network);
    // Signalling NaN of single precision too.
    let single = Network::new();
    let _ = single.leaf(f32::from_bits(0x7f80_0001));
    assert_faithful(&single);
}

#[test]
fn every_payload_of_a_user_reads_back() {
    let duals = Network::new();
    let x = duals.input(Dual::<f64>::from_f64(-0.0));
    let _ = (x * x).sum();
    assert_faithful(&duals);
    let modular = Network::new();
    let x = modular.parameter(Tensor::from([Modular::from_f64(3.0), Modular::from_f64(5.0)]));
    let _ = x * x;
    assert_faithful(&modular);
    let error = Network::<f64>::parse(&duals.to_text()).unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::Element);
}

fn random_tapes_read_back(count: u64) {
    for seed in 0..count {
        let bytes = seeded(seed, 120);
        match seed % 4 {
            0 => assert_faithful(&generate::<Tensor<f32>>(&bytes).network),
            1 => assert_faithful(&generate::<Tensor<f64>>(&bytes).network),
            2 => assert_faithful(&generate::<f32>(&bytes).network),
            _ => assert_faithful(&generate::<f64>(&bytes).network),
        }
    }
}

#[test]
fn random_tapes_read_back_as_themselves() {
    random_tapes_read_back(200);
}

#[test]
#[ignore = "heavy: run by cargo xtask ci in release"]
fn heavy_random_tapes_read_back_as_themselves() {
    random_tapes_read_back(10_000);
}

#[test]
fn a_parsed_tape_computes_the_same_bits() {
    for seed in 0..50 {
        let tape = generate::<Tensor<f64>>(&seeded(seed, 150));
        let again = Network::parse(&tape.network.to_text()).unwrap();
        let (left, right) = (tape.network.forward(), again.forward());
        // The same positions: compare payload by payload.
        for (a, b) in tape.network.values().zip(again.values()) {
            let difference = testkit::bits::difference(&left.of(a), &right.of(b));
            assert_eq!(difference, None, "{a:?} of seed {seed}");
        }
        assert_eq!(first_difference(&again, &right, &again.reference().forward()), None);
    }
}

#[test]
fn a_fork_prints_its_own_path() {
    let network = Network::new();
    let x = network.input(2.0_f64).named("x");
    let fork = network.clone();
    let _ = x.exp();
    let _ = fork.find("x").unwrap().sin();
    assert!(network.to_text().contains("exp") && !network.to_text().contains("sin"));
    assert!(fork.to_text().contains("sin") && !fork.to_text().contains("exp"));
    assert_eq!(fork.to_text().lines().count(), 3);
    assert_faithful(&network);
    assert_faithful(&fork);
    assert_faithful(&fork.compacted());
}

#[test]
fn a_generation_prints_its_own_parameters() {
    let network = Network::new();
    let w = network.parameter(1.0_f64);
    let loss = w * w;
    let gradients = network.forward().backward(loss);
    let next = network.update(&gradients, |w, g| w - 0.25 * g);
    assert!(network.to_text().contains("parameter 1.0 : []"));
    assert!(next.to_text().contains("parameter 0.5 : []"));
    assert_faithful(&next);
}

#[test]
fn names_of_any_characters_read_back() {
    let characters: Vec<char> =
        "a\"\\\n\r\t;@:%[]{}#'\u{0}\u{7f}\u{85}\u{2028}é∂\u{10ffff} ".chars().collect();
    for seed in 0..200 {
        let bytes = seeded(seed, 12);
        let text = |part: &[u8]| -> String {
            part.iter().map(|byte| characters[usize::from(*byte) % characters.len()]).collect()
        };
        let network = Network::new();
        let _scope = network.scope(&text(&bytes[..6]));
        let x = network.input(1.0_f64).named(&text(&bytes[6..]));
        assert_faithful(&network);
        let again = Network::<f64>::parse(&network.to_text()).unwrap();
        assert!(again.find(&x.label().unwrap()).is_some());
    }
}

#[test]
fn the_short_form_says_what_it_leaves_out() {
    let network = Network::new();
    let _ = network.parameter(Tensor::<f32>::arange(17));
    let text = network.to_string();
    assert!(text.contains("parameter dense #"), "{text}");
    assert!(text.contains(" : [17]"), "{text}");
    let error = Network::<Tensor<f32>>::parse(&text).unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::Elided);
    assert_eq!(network.to_string(), network.compacted().to_string());
}

#[test]
fn a_refusal_carries_its_constraint_and_places() {
    let text = "tape 1 f32\n%0 = leaf constant 1.0 : [2, 3]  \"a\"  @ model.rs:7:5\n\
                %1 = leaf constant 1.0 : [2, 3]\n%2 = matmul %0, %1 : [2, 3]\n";
    let error = Network::<Tensor<f32>>::parse(text).unwrap_err();
    assert_eq!(error.kind(), ParseErrorKind::Refused);
    assert_eq!((error.line(), error.column()), (4, 6));
    assert_eq!(error.refusal().and_then(|refusal| refusal.constraint()), Some(2));
    let told = error.to_string();
    assert!(told.starts_with("line 4, column 6: matmul: inner dimensions differ"), "{told}");
    assert!(told.contains("leaf \"a\" at model.rs:7:5"), "{told}");
    assert!(told.contains("leaf at tape:3:1"), "{told}");
    assert!(std::error::Error::source(&error).is_some());
}

#[test]
fn no_claim_is_believed() {
    let huge = "tape 1 f64\n%0 = leaf constant 1.0 : [500000000000000000]\n%1 = exp %0 : [500000000000000000]\n";
    let network = Network::<Tensor<f64>>::parse(huge).unwrap();
    assert_eq!(network.stats().structure_bytes, 0);
    let overflowing =
        "tape 1 f64\n%0 = leaf constant 1.0 : [9999999999999999999, 9999999999999999999, 0]\n";
    if let Ok(network) = Network::<Tensor<f64>>::parse(overflowing) {
        assert_eq!(network.forward().of(network.values().next().unwrap()).len(), 0);
    }
    for shape in ["[1000000000000000000]", "[4294967296, 4294967296]", "[18446744073709551616]"] {
        for payload in ["dense [1.0]", "constant 1.0", "selection [0]", "bf16 [0x0000]"] {
            let text = format!("tape 1 f32\n%0 = leaf {payload} : {shape}\n");
            assert!(Network::<Tensor<f32>>::parse(&text).is_err(), "{text}");
        }
    }
}

/// Texts whose truncations and mutations the parser must survive.
fn samples() -> Vec<String> {
    let mut samples = vec![sample().to_text(), sample().to_string()];
    samples.push(generate::<Tensor<f32>>(&seeded(3, 100)).network.to_text());
    samples.push(include_str!("../filetests/text/labels.tape").to_owned());
    samples.push(include_str!("../filetests/movement/views.tape").to_owned());
    samples.push(include_str!("../filetests/window/unfold_fold.tape").to_owned());
    samples
}

/// Parses bytes as every payload there is; what parses prints and parses again.
fn survive(bytes: &[u8]) -> usize {
    let text = String::from_utf8_lossy(bytes);
    let single = Network::<Tensor<f32>>::parse(&text).map(|network| assert_faithful(&network));
    let double = Network::<Tensor<f64>>::parse(&text).map(|network| assert_faithful(&network));
    let scalar = Network::<f64>::parse(&text).map(|network| assert_faithful(&network));
    usize::from(single.is_ok()) + usize::from(double.is_ok()) + usize::from(scalar.is_ok())
}

fn cut(most: usize) {
    for sample in samples() {
        let cuts = sample.len().min(most);
        (0..=cuts).for_each(|cut| {
            survive(&sample.as_bytes()[..cut]);
        });
    }
}

#[test]
fn a_text_cut_anywhere_is_read_or_refused() {
    cut(4000);
}

#[test]
#[ignore = "heavy: every cut of the longest texts"]
fn heavy_a_text_cut_anywhere_is_read_or_refused() {
    cut(usize::MAX);
}

/// One mutation of a text: a byte changed, removed, doubled, or a piece moved, repeated or
/// replaced by a number that is too large.
fn mutate(text: &mut Vec<u8>, random: &mut impl FnMut(usize) -> usize) {
    const PIECES: [&str; 14] = [
        "18446744073709551615",
        "9223372036854775808",
        "4294967296",
        "0",
        "-1",
        "nan:0x",
        "\"",
        "[",
        "]",
        "%",
        ";",
        "\\u{",
        "[0, 18446744073709551615]",
        "é",
    ];
    if text.is_empty() {
        return;
    }
    let at = random(text.len());
    match random(7) {
        0 => text[at] = random(256) as u8,
        1 => {
            text.remove(at);
        }
        2 => text.insert(at, text[at]),
        3 => {
            let piece = PIECES[random(PIECES.len())];
            text.splice(at..at, piece.bytes());
        }
        4 => {
            // A number replaced: the claims that shapes and attributes make.
            let start =
                text[..at].iter().rposition(|byte| !byte.is_ascii_digit()).map_or(0, |p| p + 1);
            let end = text[at..]
                .iter()
                .position(|byte| !byte.is_ascii_digit())
                .map_or(text.len(), |p| at + p);
            let piece = PIECES[random(5)];
            text.splice(start..end, piece.bytes());
        }
        5 => {
            let end = (at + 1 + random(40)).min(text.len());
            text.drain(at..end);
        }
        _ => {
            let end = (at + 1 + random(60)).min(text.len());
            let piece = text[at..end].to_vec();
            let to = random(text.len());
            text.splice(to..to, piece);
        }
    }
}

fn mutations_are_survived(count: u64) {
    let samples = samples();
    let mut accepted = 0;
    for seed in 0..count {
        let mut state = mixed(seed);
        let mut random = |below: usize| {
            state = mixed(state);
            (state % below as u64) as usize
        };
        let mut text = samples[random(samples.len())].clone().into_bytes();
        for _ in 0..=random(3) {
            mutate(&mut text, &mut random);
        }
        accepted += survive(&text);
    }
    // Some mutations only touch a name or a number: the test reaches past the grammar.
    assert!(accepted > count as usize / 50, "{accepted} of {count} mutations were accepted");
}

#[test]
fn mutated_texts_are_read_or_refused() {
    mutations_are_survived(2_000);
}

#[test]
#[ignore = "heavy: run by cargo xtask ci in release"]
fn heavy_mutated_texts_are_read_or_refused() {
    mutations_are_survived(100_000);
}

#[test]
#[ignore = "heavy: run by cargo xtask ci in release"]
fn heavy_a_million_nodes_print_and_parse() {
    let network = Network::new();
    let mut x = network.input(1.0_f64);
    for _ in 0..1_000_000 {
        x = x.sin();
    }
    let text = network.to_text();
    assert_eq!(text.lines().count(), 1_000_002);
    let again = Network::<f64>::parse(&text).unwrap();
    assert_eq!(again.len(), network.len());
    assert_eq!(again.fingerprint(), network.fingerprint());
    assert_eq!(again.to_dot().matches("->").count(), 1_000_000);
    assert_eq!(again.to_mermaid().matches("-->").count(), 1_000_000);
}

#[test]
fn golden_fingerprints() {
    let network =
        Network::<Tensor<f32>>::parse(include_str!("../filetests/contract/matmul.tape")).unwrap();
    assert_eq!(network.fingerprint().to_string(), "5bb03a8ef6f2f1358bf1ce21ea78a868");
    assert_eq!(network.structure_fingerprint().to_string(), "0995208e27755f11530ff49b171e542d");
    assert_eq!(Network::<f64>::new().fingerprint().to_string(), "6786572bc2226205222d5050e3469a2b");
}

#[test]
fn a_fingerprint_sees_what_it_says() {
    let parse = |text: &str| Network::<Tensor<f32>>::parse(text).unwrap();
    let text = "tape 1 f32\n%0 = parameter dense [1.0, 2.0] : [2]  \"w\"\n\
                %1 = input constant 0.0 : [2]\n%2 = leaf constant 3.0 : [2]\n\
                %3 = add %0, %1 : [2]\n%4 = sub %3, %2 : [2]\n\
                %5 = narrow %4 {axis = 0, start = 0, length = 1} : [1]\n";
    let base = parse(text);
    let mut seen = BTreeMap::new();
    seen.insert(base.fingerprint(), "the base");
    // What is changed, and whether the structure changes with it.
    for (from, to, structure) in [
        ("1.0, 2.0", "1.0, 2.5", false),
        ("1.0, 2.0", "-1.0, 2.0", false),
        ("constant 0.0", "constant -0.0", false),
        ("constant 0.0", "dense [0.0, 0.0]", false),
        ("constant 3.0", "constant 4.0", true),
        ("add", "mul", true),
        ("%0, %1", "%1, %0", true),
        ("start = 0", "start = 1", true),
    ] {
        let changed = parse(&text.replace(from, to));
        assert_eq!(seen.insert(changed.fingerprint(), to), None, "{to}");
        let same = changed.structure_fingerprint() == base.structure_fingerprint();
        assert_eq!(same, !structure, "{to}");
    }
    for (from, to) in [("\"w\"", "\"v\" in \"s\"  @ a.rs:1:2"), ("\"w\"", "; no name")] {
        let changed = parse(&text.replace(from, to));
        assert_eq!(changed.fingerprint(), base.fingerprint(), "{to}");
    }
    let nan =
        |bits| parse(&text.replace("1.0, 2.0", &format!("nan:0x{bits:08x}, 2.0"))).fingerprint();
    assert_eq!(nan(0x7fc0_0000_u32), nan(0xffc0_0001));
}
