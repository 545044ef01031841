//! Every value of a tape against its operation's bound, given what the runner made of the operands.

use super::tools::Bench;
use poorgrad::{
    Compile, Elementary, Emit, EmitForm, EmittedModule, Network, Symbol, Tensor, Tensorial,
};
use testkit::emission::{Accuracy, Apart, check};

/// Whether the run of a tape hands a value out: computed, and no selection.
fn is_computed<P: Tensorial>(value: &poorgrad::Value<'_, P>) -> bool {
    !value.is_selection() && !matches!(value.operation(), "leaf" | "parameter" | "input")
}

/// The module that gives every computed value of a tape.
pub(super) fn observed<P: Tensorial>(network: &Network<P>, form: EmitForm) -> EmittedModule<P> {
    let computed = network.values().filter(is_computed).map(|value| value.symbol());
    let plan = computed.fold(Compile::new(network), Compile::target).plan();
    Emit::new(&plan).form(form).module().unwrap_or_else(|error| panic!("{error}"))
}

/// Runs that module, and says which value is outside its operation's bound, the first one.
pub(super) fn violation<P: Tensorial>(
    bench: &mut Bench,
    network: &Network<P>,
    form: EmitForm,
    accuracy: &Accuracy,
) -> Option<String> {
    violations(bench, network, form, accuracy).into_iter().next().map(|(_, told)| told)
}

/// Every node whose value is outside its operation's bound, with what is told of it.
pub(super) fn violations<P: Tensorial>(
    bench: &mut Bench,
    network: &Network<P>,
    form: EmitForm,
    accuracy: &Accuracy,
) -> Vec<(usize, String)> {
    let module = observed(network, form);
    let results = match bench.run(&module, network, &[]) {
        Ok(results) => results,
        Err(error) => return vec![(network.len(), error)],
    };
    let text = network.to_text();
    let lines: Vec<&str> = text.lines().skip(1).collect();
    let network = Network::<Tensor<P::Element>>::parse(&text).expect("a tape of tensors");
    let mut values = sources(&network);
    for (result, payload) in module.results().iter().zip(results) {
        values[result.node] = Some(payload);
    }
    let apart = Apart::<Tensor<P::Element>>::new(&network);
    let of = |at: usize| values[at].clone().expect("a value of every node");
    let steps = (0..apart.len()).filter(|&node| apart.is_step(node));
    let outside = steps.filter_map(|node| {
        let operands: Vec<_> = apart.operands(node).iter().map(|&at| of(at)).collect();
        let found = check(&apart, node, &operands, &of(node), accuracy)?;
        let read = operands.iter().map(|operand| operand.to_vec().get(found.at).cloned());
        let read: Vec<Option<f64>> = read.map(|x| x.map(|x| x.to_f64())).collect();
        let line = lines[node];
        Some((node, format!("{found}\nin {form:?} form, of\n{line}\nat the same place: {read:?}")))
    });
    outside.collect()
}

/// What a tape holds before it runs: sources, and selections under any shape.
fn sources<E: Elementary>(network: &Network<Tensor<E>>) -> Vec<Option<Tensor<E>>> {
    let evaluation = network.reference().forward();
    let of = |value: poorgrad::Value<'_, Tensor<E>>| {
        (!is_computed(&value)).then(|| evaluation.of(value))
    };
    network.values().map(of).collect()
}

/// The symbols of a network in order.
pub(super) fn symbols<P: Tensorial>(network: &Network<P>) -> Vec<Symbol> {
    network.values().map(|value| value.symbol()).collect()
}
