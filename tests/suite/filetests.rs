//! Filetests: tapes under `tests/filetests/` with what must come of them, in one readable file each.
//!
//! A `.tape` file is a tape in the text form, then directives in comments. What a directive gives
//! stands below it in lines that begin with `;|`; what a refused tape is refused with stands in a
//! line `; error: ..` below the line that causes it. The runner writes the file afresh and
//! compares; with `POORGRAD_BLESS=1` it stores what it wrote. `POORGRAD_FILETEST=part` runs the
//! files with that part in their path.
//!
//! ```text
//! ; payload: scalar            elements instead of tensors, anywhere in the file
//! ; test: print                the full form
//! ; test: display              the short form
//! ; test: dot | mermaid | svg  the drawings
//! ; test: fingerprint          of the bits, of the structure
//! ; test: forward [%n ..]      values, of all computed nodes where none is named
//! ; test: backward %n          gradients of parameters and inputs
//! ; test: differentiate %n %w ..   what is recorded for %n with respect to %w ..
//! ; test: compile %n .. [keep %k ..] [without pass ..]    the plan of targets
//! ; test: compile_training %n [keep %k ..] [without pass ..]   the plan of a loss
//! ; test: emit %n .. | emit_recorded .. | emit_exact .. [donate %from %into ..]   the module of targets;
//! ;   of a loss and its gradients by emit_training ..
//! ; test: compile_dot .. | compile_mermaid .. | compile_svg ..   a plan of targets, drawn
//! ```
//!
//! Values come from the reference kernels, and the native ones must agree to the bit. Every tape
//! that parses must print and parse again as itself.

use poorgrad::{
    Compile, Differentiable, Elementary, Emit, EmitForm, Network, Pass, Plan, Stored, Symbol,
    Tensor, Tensorial, Value,
};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use testkit::bits::identical;

const DIRECTIVE: &str = "; test: ";
const ERROR: &str = "; error: ";
const OUTPUT: &str = ";|";

/// Runs `$run` with the payload that a file is about.
macro_rules! for_payload {
    (@ $payload:ty, $P:ident => $run:expr) => {{
        type $P = $payload;
        $run
    }};
    ($source:expr, $P:ident => $run:expr) => {{
        let source: &[&str] = $source;
        let scalar = source.contains(&"; payload: scalar");
        let single = source.iter().any(|line| line.starts_with("tape ") && line.ends_with(" f32"));
        match (scalar, single) {
            (true, true) => for_payload!(@ f32, $P => $run),
            (true, false) => for_payload!(@ f64, $P => $run),
            (false, true) => for_payload!(@ Tensor<f32>, $P => $run),
            (false, false) => for_payload!(@ Tensor<f64>, $P => $run),
        }
    }};
}

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/filetests")
}

/// The tapes and their texts, sorted by path.
fn files() -> Vec<(PathBuf, String)> {
    let (mut folders, mut files) = (vec![folder()], Vec::new());
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("the folder of filetests") {
            let path = entry.expect("a filetest").path();
            // What once failed is kept for the properties that it broke: see `properties.rs`.
            if path.is_dir() && !path.ends_with("regress") {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "tape") {
                let text = fs::read_to_string(&path).expect("a filetest in UTF-8");
                files.push((path, text));
            }
        }
    }
    files.sort();
    files
}

#[test]
fn golden_filetests() {
    let bless = std::env::var_os("POORGRAD_BLESS").is_some();
    let part = std::env::var("POORGRAD_FILETEST").unwrap_or_default();
    let (mut failures, mut count) = (String::new(), 0);
    for (path, text) in files() {
        if !path.to_string_lossy().contains(&part) {
            continue;
        }
        count += 1;
        let fresh = match written_afresh(&text) {
            Ok(fresh) if fresh == text => continue,
            Ok(fresh) => fresh,
            Err(problem) => {
                let _ = writeln!(failures, "\n{}: {problem}", path.display());
                continue;
            }
        };
        if bless {
            fs::write(&path, fresh).unwrap();
        } else {
            let difference = difference(&text, &fresh);
            let _ = writeln!(failures, "\n{}:\n{difference}", path.display());
        }
    }
    assert!(count > 0, "no filetest has `{part}` in its path");
    assert!(
        failures.is_empty(),
        "{failures}\nlines with - are in the file, lines with + are what happened now; \
         `cargo xtask bless` accepts it"
    );
}

#[test]
fn every_operation_has_a_filetest() {
    let mut tested = BTreeSet::new();
    for (_, text) in files() {
        let lines: Vec<&str> = text.lines().collect();
        tested.extend(for_payload!(&lines, P => operations::<P>(&text)));
    }
    let untested = |name: &&str| !tested.contains(name);
    let missing: Vec<&str> =
        poorgrad::operations().iter().map(|info| info.name).filter(untested).collect();
    assert!(missing.is_empty(), "no tape under tests/filetests has {missing:?}");
}

fn operations<P: Tensorial>(text: &str) -> Vec<&'static str> {
    let network = Network::<P>::parse(text);
    network.map_or(Vec::new(), |network| network.values().map(Value::operation).collect())
}

/// The file with its outputs replaced by what happens now.
fn written_afresh(text: &str) -> Result<String, String> {
    let generated = |line: &&str| line.starts_with(ERROR) || line.starts_with(OUTPUT);
    let source: Vec<&str> = text.lines().filter(|line| !generated(line)).collect();
    for_payload!(&source, P => outputs::<P>(&source))
}

fn outputs<P: Tensorial>(source: &[&str]) -> Result<String, String> {
    let mut fresh = String::new();
    match Network::<P>::parse(&source.join("\n")) {
        Err(error) => {
            let message = error.to_string();
            let told = message.lines().next().unwrap_or_default();
            let told = told.split_once(", ").map_or(told, |(_, told)| told);
            for (index, line) in source.iter().enumerate() {
                fresh += &format!("{line}\n");
                if index + 1 == error.line() {
                    fresh += &format!("{ERROR}{told}\n");
                }
            }
        }
        Ok(network) => {
            faithful(&network)?;
            let mut directives = 0;
            for line in source {
                fresh += &format!("{line}\n");
                if let Some(directive) = line.strip_prefix(DIRECTIVE) {
                    directives += 1;
                    for line in perform(&network, directive)?.lines() {
                        fresh += format!("{OUTPUT} {line}").trim_end();
                        fresh += "\n";
                    }
                }
            }
            if directives == 0 {
                return Err("the tape is accepted, and no directive says what to test".to_owned());
            }
        }
    }
    Ok(fresh)
}

/// Printing and parsing changes nothing.
fn faithful<P: Tensorial>(network: &Network<P>) -> Result<(), String> {
    let text = network.to_text();
    let again = Network::<P>::parse(&text).map_err(|error| format!("{error} in\n{text}"))?;
    if again.to_text() != text || again.fingerprint() != network.fingerprint() {
        return Err(format!("parsing changes\n{text}"));
    }
    Ok(())
}

fn perform<P: Tensorial>(network: &Network<P>, directive: &str) -> Result<String, String> {
    let mut words = directive.split_whitespace();
    let command = words.next().unwrap_or_default();
    if let "compile" | "compile_training" = command {
        return Ok(compile(network, command, words)?.describe().to_string());
    }
    if let Some(form) = command.strip_prefix("emit") {
        let (command, form) = match form {
            "" => ("compile", EmitForm::Raised),
            "_training" => ("compile_training", EmitForm::Raised),
            "_recorded" => ("compile", EmitForm::Recorded),
            "_exact" => ("compile", EmitForm::Exact),
            _ => return Err(format!("no directive `{directive}`")),
        };
        let plan = compile(network, command, words.by_ref().take_while(|word| *word != "donate"))?;
        let mut emit = Emit::new(&plan).form(form);
        while let Some(from) = words.next() {
            let into = words.next().ok_or("a buffer is given away for nothing")?;
            emit = emit.donate(value(network, from)?, value(network, into)?);
        }
        return match emit.module() {
            Ok(module) => Ok(module.into_text()),
            Err(error) => Ok(format!("refused: {error}")),
        };
    }
    if let Some(drawing) = command.strip_prefix("compile_") {
        let plan = compile(network, "compile", words)?;
        return match drawing {
            "dot" => Ok(plan.to_dot()),
            "mermaid" => Ok(plan.to_mermaid()),
            "svg" => Ok(plan.to_svg()),
            _ => Err(format!("no directive `{directive}`")),
        };
    }
    let values: Vec<Value<'_, P>> =
        words.map(|word| value(network, word)).collect::<Result<_, _>>()?;
    match (command, values.as_slice()) {
        ("print", []) => Ok(network.to_text()),
        ("display", []) => Ok(network.to_string()),
        ("dot", []) => Ok(network.to_dot()),
        ("mermaid", []) => Ok(network.to_mermaid()),
        ("svg", []) => Ok(network.to_svg()),
        ("fingerprint", []) => {
            let (bits, structure) = (network.fingerprint(), network.structure_fingerprint());
            Ok(format!("bits      {bits}\nstructure {structure}"))
        }
        ("forward", _) => forward(network, values),
        ("backward", &[target]) => backward(network, target),
        ("differentiate", &[target, ref wrt @ ..]) => differentiate(network, target, wrt),
        _ => Err(format!("no directive `{directive}`")),
    }
}

/// The plan; its run has the oracle's bits.
fn compile<'w, P: Tensorial>(
    network: &Network<P>,
    command: &str,
    words: impl Iterator<Item = &'w str>,
) -> Result<Plan<P>, String> {
    let (mut builder, mut list) = (Compile::new(network), command);
    for word in words {
        builder = match (list, word) {
            (_, "keep" | "without" | "cache") => {
                list = word;
                builder
            }
            ("cache", bytes) => builder.cache(bytes.parse().map_err(|_| "no number of bytes")?),
            ("without", "bands") => builder.without(Pass::Bands),
            ("without", "fuse") => builder.without(Pass::Fuse),
            ("without", "windows") => builder.without(Pass::Windows),
            ("without", "epilogue") => builder.without(Pass::Epilogue),
            ("without", "sums") => builder.without(Pass::Sums),
            ("without", "simplify") => builder.without(Pass::Simplify),
            ("keep", word) => builder.keep(value(network, word)?),
            ("compile", word) => builder.target(value(network, word)?),
            ("compile_training", word) => builder.loss(value(network, word)?),
            _ => return Err(format!("no word `{word}` in `{list}`")),
        };
    }
    let plan = builder.plan();
    plan.check(network, []).map_err(|divergence| divergence.to_string())?;
    Ok(plan)
}

fn value<'n, P: Tensorial>(network: &'n Network<P>, word: &str) -> Result<Value<'n, P>, String> {
    let index = word.strip_prefix('%').and_then(|digits| digits.parse().ok());
    let value = index.and_then(|index: usize| network.values().nth(index));
    value.ok_or_else(|| format!("no value `{word}`"))
}

fn is_source<P: Tensorial>(value: &Value<'_, P>) -> bool {
    matches!(value.operation(), "leaf" | "parameter" | "input")
}

fn forward<'n, P: Tensorial>(
    network: &'n Network<P>,
    mut values: Vec<Value<'n, P>>,
) -> Result<String, String> {
    if values.is_empty() {
        values = network.values().filter(|value| !is_source(value)).collect();
    }
    let (oracle, native) = (network.reference().forward(), network.forward());
    let mut text = String::new();
    for value in values {
        let payload = oracle.of(value);
        if !identical(&payload, &native.of(value)) {
            return Err(format!("{value:?}: the native kernels differ"));
        }
        text += &line(value, &payload);
    }
    Ok(text)
}

fn backward<P: Tensorial>(network: &Network<P>, target: Value<'_, P>) -> Result<String, String> {
    let oracle = network.reference().forward().try_backward(target);
    let oracle = match oracle {
        Ok(gradients) => gradients,
        Err(error) => return Ok(format!("refused: {error}")),
    };
    let native = network.forward().backward(target);
    let mut text = String::new();
    for value in network.values().filter(is_source) {
        if !oracle.contains(value) {
            continue;
        }
        let gradient = oracle.of(value);
        if !identical(&gradient, &native.of(value)) {
            return Err(format!("gradient of {value:?}: the native kernels differ"));
        }
        text += &line(value, &gradient);
    }
    Ok(text)
}

fn differentiate<P: Tensorial>(
    network: &Network<P>,
    target: Value<'_, P>,
    wrt: &[Value<'_, P>],
) -> Result<String, String> {
    let wrt: Vec<Symbol> = wrt.iter().map(|value| value.symbol()).collect();
    let fork = network.clone();
    let derivatives = fork.differentiate(target, wrt.iter());
    let evaluation = fork.reference().forward();
    let gradients = network.reference().forward().backward_for(target, wrt.iter());
    let mut text = String::new();
    for recorded in fork.to_text().lines().skip(1 + network.len()) {
        // All of it was recorded at one line, of this file.
        text += recorded.rsplit_once("  @ ").map_or(recorded, |(node, _)| node);
        text += "\n";
    }
    for (symbol, derivative) in wrt.iter().zip(derivatives) {
        let payload = evaluation.of(derivative);
        if !identical(&payload, &gradients.of(symbol)) {
            return Err(format!("{derivative:?}: `differentiate` and `backward` differ"));
        }
        text += &line(derivative, &payload);
    }
    Ok(text)
}

/// A value with its payload: all elements, however they are stored.
fn line<P: Tensorial>(value: Value<'_, P>, payload: &P) -> String {
    let mut elements: Vec<String> = Vec::new();
    payload.for_each(&mut |element| {
        // Platforms differ in the bits of a NaN that was computed.
        elements.push(if element.is_nan() { "nan".to_owned() } else { element.to_text() });
    });
    let number = format!("{value:?}");
    let number = number.split(' ').next().unwrap_or_default();
    let label = value.label().map(|label| format!(" {label:?}")).unwrap_or_default();
    format!("{number}{label} = [{}] : {}\n", elements.join(", "), payload.shape())
}

/// The lines in which two texts differ, each with the one before it.
fn difference(old: &str, new: &str) -> String {
    let (old, new): (Vec<&str>, Vec<&str>) = (old.lines().collect(), new.lines().collect());
    let mut left = vec![vec![0_usize; new.len() + 1]; old.len() + 1];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            left[i][j] = if old[i] == new[j] {
                left[i + 1][j + 1] + 1
            } else {
                left[i + 1][j].max(left[i][j + 1])
            };
        }
    }
    let (mut i, mut j, mut text, mut context) = (0, 0, String::new(), None);
    while i < old.len() || j < new.len() {
        if i < old.len() && j < new.len() && old[i] == new[j] {
            context = Some(format!("  {:4}  {}\n", i + 1, old[i]));
            (i, j) = (i + 1, j + 1);
            continue;
        }
        text += &context.take().unwrap_or_default();
        if j == new.len() || (i < old.len() && left[i + 1][j] >= left[i][j + 1]) {
            let _ = writeln!(text, "- {:4}  {}", i + 1, old[i]);
            i += 1;
        } else {
            let _ = writeln!(text, "+       {}", new[j]);
            j += 1;
        }
    }
    text
}

#[test]
fn a_wrong_expectation_is_found_and_shown() {
    let right = "tape 1 f64\n%0 = leaf 2.0 : []\n%1 = neg %0 : []\n\n; test: forward\n;| %1 = [-2.0] : []\n";
    assert_eq!(written_afresh(right).unwrap(), right);
    let wrong = right.replace("-2.0", "2.0");
    let fresh = written_afresh(&wrong).unwrap();
    assert_eq!(fresh, right);
    let shown = difference(&wrong, &fresh);
    assert!(shown.contains("-    6  ;| %1 = [2.0] : []"), "{shown}");
    assert!(shown.contains("+       ;| %1 = [-2.0] : []"), "{shown}");
}

#[test]
fn an_error_stands_below_its_line_and_is_no_more_when_it_is_mended() {
    let mended = "tape 1 f64\n%0 = leaf 2.0 : [1]\n; error: told\n; test: forward\n";
    let fresh = written_afresh(mended).unwrap();
    assert!(fresh.contains("leaf 2.0 : [1]\n; test"), "{fresh}");
    let twice = "tape 1 f64\n%0 = leaf 2.0 : []\n%0 = neg %0 : []\n; after\n";
    let fresh = written_afresh(twice).unwrap();
    assert!(fresh.contains("neg %0 : []\n; error: column 1: expected `%1`"), "{fresh}");
    let accepted = "tape 1 f64\n%0 = leaf 2.0 : []\n";
    assert!(written_afresh(accepted).unwrap_err().contains("no directive"));
}

#[test]
fn all_elements_are_shown_however_they_are_stored() {
    let constant = Tensor::full([2], 1.5_f64);
    assert_eq!(constant.stored(), Stored::Constant(1.5));
    let network = Network::new();
    let value = network.leaf(constant.clone());
    assert_eq!(line(value, &constant), "%0 = [1.5, 1.5] : [2]\n");
}
