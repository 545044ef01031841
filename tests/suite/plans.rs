//! Plans have the bits of the interpreter: every tape, in every mode.

use super::properties::{LAYOUTS, default, for_tapes, in_layout};
use poorgrad::{Compile, Pass, Plan, Symbol, Tensor, Tensorial};
use testkit::bits::difference;
use testkit::{Dual, RandomTape, Wrapped};

/// One way of compiling a tape, drawn from its numbers.
struct Mode {
    without: Vec<Pass>,
    limit: Option<usize>,
    keep: Vec<Symbol>,
    training: bool,
    compact: bool,
    /// Small enough that what is random has bands.
    cache: Option<usize>,
}

/// The modes that a tape is compiled in: together they have every pair of switches over some
/// hundred tapes.
fn modes<P: Tensorial>(tape: &RandomTape<P>) -> Vec<Mode> {
    let symbols: Vec<Symbol> = tape.network.values().map(|value| value.symbol()).collect();
    let draw = |number: usize| (symbols.len() * 7919 + number * 104_729) >> 3;
    let keep = |number: usize, every: usize| {
        symbols.iter().skip(draw(number) % every).step_by(every).copied().collect::<Vec<_>>()
    };
    let mode = |number: usize, without: &[Pass], every: usize| Mode {
        without: without.to_vec(),
        limit: (draw(number) % 5 == 0).then_some(draw(number) % 3),
        keep: keep(number, every),
        training: number.is_multiple_of(2),
        compact: number.is_multiple_of(4),
        cache: (number % 3 != 1).then_some(draw(number) % 4 * 64),
    };
    let all = symbols.len() + 1;
    vec![
        mode(0, &[], all),
        mode(1, &[], all),
        mode(2, &[], 5),
        mode(3, &[Pass::Fuse], 3),
        mode(4, &[Pass::Simplify], 7),
        mode(5, &[Pass::Simplify, Pass::Fuse], all),
        mode(6, &[Pass::Fuse], all),
        mode(7, &[], 1),
        mode(8, &[Pass::Epilogue], all),
        mode(9, &[Pass::Sums], 4),
        mode(10, &[Pass::Simplify], all),
        mode(11, &[Pass::Bands], all),
    ]
}

fn plan<P: Tensorial>(tape: &RandomTape<P>, mode: &Mode) -> Plan<P> {
    let RandomTape { network, target, results, sources } = tape;
    let mut compile = Compile::new(network);
    if mode.training {
        compile = compile.loss(target);
        compile = sources.iter().fold(compile, Compile::gradients_of);
    } else {
        compile = compile.target(target);
        compile = results.iter().fold(compile, |compile, (result, _)| compile.target(result));
    }
    compile = mode.keep.iter().fold(compile, Compile::keep);
    compile = mode.without.iter().fold(compile, |compile, &pass| compile.without(pass));
    compile = mode.cache.into_iter().fold(compile, Compile::cache);
    if mode.compact {
        compile = compile.compact();
    }
    mode.limit.into_iter().fold(compile, Compile::pass_limit).plan()
}

/// The plan's results against the oracle's, with the defaults and with feeds in other layouts.
pub(crate) fn plans_agree<P: Tensorial>(tape: &RandomTape<P>) -> Option<String> {
    let RandomTape { network, target, results, .. } = tape;
    let inputs = network.values().filter(|value| value.operation() == "input");
    let inputs: Vec<_> = inputs.map(|input| (input.symbol(), default(input))).collect();
    modes(tape).iter().enumerate().find_map(|(number, mode)| {
        let plan = plan(tape, mode);
        // Twice in the same memory, and once with other feeds.
        [None, None, Some(number % LAYOUTS)].into_iter().find_map(|layout| {
            let feeds = || match layout {
                None => Vec::new(),
                Some(first) => {
                    let fed = inputs.iter().enumerate().map(|(at, (input, default))| {
                        (*input, in_layout(default, (first + at) % LAYOUTS))
                    });
                    fed.collect()
                }
            };
            let oracle = network.reference().forward_with(feeds());
            let run = plan.forward(network, feeds());
            let handed = results.iter().map(|(result, _)| result).filter(|_| !mode.training);
            let handed = handed.chain([target]).chain(&mode.keep);
            let values = handed.into_iter().find_map(|value| {
                let found = difference(&run.of(value), &oracle.of(value))?;
                Some(format!("{:?}: {found}", network.resolve(value)))
            });
            let found = values.or_else(|| {
                let (planned, gradients) =
                    (run.try_backward(target).ok()?, oracle.backward(target));
                tape.sources.iter().find_map(|source| {
                    let found = difference(&planned.of(source), &gradients.of(source))?;
                    Some(format!("gradient of {:?}: {found}", network.resolve(source)))
                })
            });
            found.map(|found| format!("mode {number}, layout {layout:?}: {found}"))
        })
    })
}

#[test]
fn plans_have_the_bits_of_the_interpreter() {
    for_tapes(0..200, plans_agree::<Tensor<f32>>);
    for_tapes(200..400, plans_agree::<Tensor<f64>>);
    for_tapes(400..500, plans_agree::<f32>);
    for_tapes(500..600, plans_agree::<f64>);
}

#[test]
fn plans_run_elements_of_a_users_own() {
    for_tapes(600..660, plans_agree::<Tensor<Dual>>);
    for_tapes(660..700, plans_agree::<Dual>);
}

#[test]
fn plans_run_payloads_that_they_know_nothing_of() {
    for_tapes(700..760, plans_agree::<Wrapped<f32>>);
}

#[test]
#[ignore = "heavy: 10,000 tapes"]
fn heavy_plans_have_the_bits_of_the_interpreter() {
    for_tapes(1_000..5_000, plans_agree::<Tensor<f32>>);
    for_tapes(5_000..9_000, plans_agree::<Tensor<f64>>);
    for_tapes(9_000..10_000, plans_agree::<f32>);
    for_tapes(10_000..11_000, plans_agree::<f64>);
}
