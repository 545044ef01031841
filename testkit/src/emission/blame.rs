//! `Blame`: which operation a runner of modules computes wrongly.
//!
//! Prefixes of the tape are run and bisected: a prefix is wrong where a value at its end is further
//! from the oracle's than its operations' bounds can make it ([`spread`]), or where, with every value
//! shown, one is outside its own bound given the operands that the runner made itself. The last node of
//! the shortest such prefix is the suspect. Alone, on the oracle's operands, it is either still wrong,
//! or it is right, and wrong only together with what the runner fused it with. What is left is made
//! small.

use super::accuracy::Accuracy;
use super::apart::Apart;
use super::check::{Violation, check, numbers, ulps};
use super::shrink::shrunk;
use super::single::Single;
use super::spread::spread;
use poorgrad::{Compile, Elementary, Emit, EmitForm, Module, Network, Symbol, Tensor, Value};
use std::collections::BTreeSet;
use std::fmt;

/// What runs a module on a network's own parameters and defaults, and gives its results.
pub type Run<'r, E> =
    dyn FnMut(&Module<Tensor<E>>, &Network<Tensor<E>>) -> Result<Vec<Tensor<E>>, String> + 'r;

/// Whether an operation is wrong by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Alone, on the oracle's operands, it leaves its bound.
    Operation,
    /// Alone it keeps its bound: with these nodes, which a module holds together, it does not.
    Fusion(Vec<usize>),
}

/// What is wrong, and the least that shows it.
#[derive(Clone, Debug)]
pub struct Report {
    /// The operation or its neighbours.
    pub verdict: Verdict,
    /// The element, in the numbering of the minimal tape where the operation alone is wrong.
    pub violation: Violation,
    /// The line of the tape, with its source line.
    pub line: String,
    /// A tape that shows it, with its operands as the inputs' defaults.
    pub tape: String,
    /// The module of that tape.
    pub module: String,
    /// How many modules were run.
    pub runs: usize,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { verdict, violation, line, tape, module, runs } = self;
        writeln!(f, "{line}")?;
        match verdict {
            Verdict::Operation => writeln!(f, "is wrong by itself")?,
            Verdict::Fusion(nodes) => {
                let nodes: Vec<String> = nodes.iter().map(|node| format!("%{node}")).collect();
                let nodes = nodes.join(", ");
                writeln!(f, "is right by itself, and wrong in one module with {nodes}")?;
            }
        }
        let Violation { at, expected, found, ulps, bound, .. } = violation;
        writeln!(f, "  element {at}: the runner has {found:e}, the oracle {expected:e}")?;
        let apart = (found - expected).abs();
        writeln!(f, "  {ulps} ulp, {apart:e} apart; the bound is {bound:e}")?;
        writeln!(
            f,
            "after {runs} modules; the least that shows it, and its module:\n\n{tape}\n{module}"
        )
    }
}

/// A tape and a runner.
pub struct Blame<'b, E: Elementary> {
    network: &'b Network<Tensor<E>>,
    accuracy: Accuracy,
    form: EmitForm,
    run: &'b mut Run<'b, E>,
    runs: usize,
}

impl<E: Elementary> fmt::Debug for Blame<'_, E> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Blame").field("accuracy", &self.accuracy).finish_non_exhaustive()
    }
}

fn is_computed<E: Elementary>(value: &Value<'_, Tensor<E>>) -> bool {
    !value.is_selection() && !matches!(value.operation(), "leaf" | "parameter" | "input")
}

impl<'b, E: Elementary> Blame<'b, E> {
    /// A tape, run on its parameters and its inputs' defaults.
    pub fn new(
        network: &'b Network<Tensor<E>>,
        accuracy: Accuracy,
        form: EmitForm,
        run: &'b mut Run<'b, E>,
    ) -> Self {
        Self { network, accuracy, form, run, runs: 0 }
    }

    /// The first operation that leaves its bound, nothing where all keep theirs.
    ///
    /// # Errors
    ///
    /// Where the runner does not run a module.
    pub fn report(mut self) -> Result<Option<Report>, String> {
        let network = self.network;
        let apart = Apart::<Tensor<E>>::new(network);
        let evaluation = network.reference().forward();
        let values: Vec<Tensor<E>> = network.values().map(|value| evaluation.of(value)).collect();
        let bounds = spread(&apart, &values, &self.accuracy);
        let known = Known { apart, values, bounds };
        if self.wrong(&known, network.len())?.is_none() {
            return Ok(None);
        }
        // The shortest prefix that is wrong: everything up to `right` is not.
        let (mut right, mut wrong) = (0, network.len());
        while wrong - right > 1 {
            let middle = right + (wrong - right) / 2;
            match self.wrong(&known, middle)? {
                Some(_) => wrong = middle,
                None => right = middle,
            }
        }
        let found =
            self.wrong(&known, wrong)?.ok_or("the runner gives other results every time")?;
        self.verdict(&known, found).map(Some)
    }

    /// What is wrong with the first nodes, run as one module.
    fn wrong(&mut self, known: &Known<E>, count: usize) -> Result<Option<Violation>, String> {
        let computed: Vec<Value<'_, _>> = self.network.values().take(count).collect();
        let read: BTreeSet<usize> =
            (0..count).flat_map(|node| known.apart.operands(node).iter().copied()).collect();
        // What nothing in the prefix reads: its end.
        let ends = computed
            .iter()
            .enumerate()
            .filter(|(at, value)| is_computed(value) && !read.contains(at));
        let ends: Vec<(usize, Symbol)> = ends.map(|(at, value)| (at, value.symbol())).collect();
        for (&(node, _), found) in ends.iter().zip(self.targets(&ends)?) {
            if let Some(violation) = known.outside(node, &found) {
                return Ok(Some(violation));
            }
        }
        let all = computed.iter().enumerate().filter(|(_, value)| is_computed(value));
        let all: Vec<(usize, Symbol)> = all.map(|(at, value)| (at, value.symbol())).collect();
        let mut values = known.values.clone();
        for (&(node, _), found) in all.iter().zip(self.targets(&all)?) {
            values[node] = found;
        }
        Ok(all.iter().find_map(|&(node, _)| {
            let operands = known.apart.operands(node).iter().map(|&at| values[at].clone());
            let operands: Vec<_> = operands.collect();
            check(&known.apart, node, &operands, &values[node], &self.accuracy)
        }))
    }

    fn targets(&mut self, targets: &[(usize, Symbol)]) -> Result<Vec<Tensor<E>>, String> {
        if targets.is_empty() {
            return Ok(Vec::new());
        }
        let symbols = targets.iter().map(|(_, symbol)| *symbol);
        let plan = symbols.fold(Compile::new(self.network), Compile::target).plan();
        let module =
            Emit::new(&plan).form(self.form).module().map_err(|error| error.to_string())?;
        self.runs += 1;
        (self.run)(&module, self.network)
    }

    /// The suspect by itself, and if it is innocent, with its neighbours.
    fn verdict(mut self, known: &Known<E>, found: Violation) -> Result<Report, String> {
        let node = found.node;
        let text = self.network.to_text();
        let line = text.lines().nth(1 + node).unwrap_or_default().to_string();
        let operands = known.apart.operands(node).iter().map(|&at| known.values[at].clone());
        let operands: Vec<_> = operands.collect();
        let single = Single::new(&known.apart, node, &operands);
        if self.alone(&single)?.is_some() {
            let mut problem = None;
            let single = shrunk(single, &mut |single| match self.alone(single) {
                Ok(found) => found.is_some(),
                Err(error) => {
                    problem = Some(error);
                    false
                }
            });
            let violation =
                self.alone(&single)?.ok_or("the runner gives other results every time")?;
            let module = module_of(&single, self.form)?;
            let (verdict, runs) = (Verdict::Operation, self.runs);
            return Ok(Report { verdict, violation, line, tape: single.text(), module, runs });
        }
        // The fewest levels of operands that show it.
        for depth in 1..=known.apart.len() {
            let part = Part::new(known, node, depth);
            if let Some(violation) = self.together(&part)? {
                let module = part.module(self.form)?;
                let verdict = Verdict::Fusion(part.nodes.clone());
                let (tape, runs) = (part.text, self.runs);
                return Ok(Report { verdict, violation, line, tape, module, runs });
            }
            if part.whole {
                break;
            }
        }
        // No part shows it with its end alone: the whole, with all values shown, did.
        let verdict = Verdict::Fusion(known.apart.operands(node).to_vec());
        let module = String::from("(the module of the whole prefix, every value a result)");
        Ok(Report { verdict, violation: found, line, tape: text, module, runs: self.runs })
    }

    /// An operation by itself.
    fn alone(&mut self, single: &Single<E>) -> Result<Option<Violation>, String> {
        let mut single = single.clone();
        let Some((network, last)) = single.network() else { return Ok(None) };
        let plan = network.compile([last], []);
        let module =
            Emit::new(&plan).form(self.form).module().map_err(|error| error.to_string())?;
        self.runs += 1;
        let found = (self.run)(&module, &network)?;
        let apart = Apart::<Tensor<E>>::new(&network);
        let node = apart.len() - 1;
        let evaluation = network.reference().forward();
        let values: Vec<Tensor<E>> = network.values().map(|value| evaluation.of(value)).collect();
        let operands = apart.operands(node).iter().map(|&at| values[at].clone());
        let operands: Vec<_> = operands.collect();
        Ok(check(&apart, node, &operands, &found[0], &self.accuracy))
    }

    /// A part of the tape, its end alone being shown.
    fn together(&mut self, part: &Part<E>) -> Result<Option<Violation>, String> {
        let plan = part.network.compile([part.last], []);
        let module =
            Emit::new(&plan).form(self.form).module().map_err(|error| error.to_string())?;
        self.runs += 1;
        let found = (self.run)(&module, &part.network)?;
        let apart = Apart::<Tensor<E>>::new(&part.network);
        let evaluation = part.network.reference().forward();
        let values: Vec<Tensor<E>> =
            part.network.values().map(|value| evaluation.of(value)).collect();
        let bounds = spread(&apart, &values, &self.accuracy);
        let node = apart.len() - 1;
        Ok(Known { apart, values, bounds }.outside(node, &found[0]))
    }
}

fn module_of<E: Elementary>(single: &Single<E>, form: EmitForm) -> Result<String, String> {
    let (network, last) = single.clone().network().ok_or("the operation refuses its operands")?;
    let plan = network.compile([last], []);
    let module = Emit::new(&plan).form(form).module().map_err(|error| error.to_string())?;
    Ok(module.into_text())
}

/// What the oracle says of a tape.
struct Known<E: Elementary> {
    apart: Apart<Tensor<E>>,
    values: Vec<Tensor<E>>,
    bounds: Vec<Vec<f64>>,
}

impl<E: Elementary> Known<E> {
    /// The first element that is further from the oracle's than bounds can make it.
    fn outside(&self, node: usize, found: &Tensor<E>) -> Option<Violation> {
        let (right, found, bounds) =
            (numbers(&self.values[node]), numbers(found), &self.bounds[node]);
        let at = (0..right.len()).find(|&at| {
            let (right, found) = (right[at], found[at]);
            let same = right == found || right.is_nan() && found.is_nan();
            let apart = (right - found).abs();
            !same && bounds[at] != f64::INFINITY && (apart > bounds[at] || apart.is_nan())
        })?;
        let (expected, found, bound) = (right[at], found[at], bounds[at]);
        let ulps = ulps(expected, found, E::lowering());
        Some(Violation { node, at, expected, found, ulps, bound })
    }
}

/// A node with some levels of what it reads; what those read are inputs.
struct Part<E: Elementary> {
    network: Network<Tensor<E>>,
    last: Symbol,
    text: String,
    /// The nodes besides the suspect, in the numbering of the whole tape.
    nodes: Vec<usize>,
    /// Whether nothing is left out.
    whole: bool,
}

impl<E: Elementary> Part<E> {
    fn new(known: &Known<E>, node: usize, depth: usize) -> Self {
        let mut inside = BTreeSet::from([node]);
        let mut edge = vec![node];
        for _ in 0..depth {
            let next: Vec<usize> = edge
                .iter()
                .flat_map(|&at| known.apart.operands(at).iter().copied())
                .filter(|&at| known.apart.is_step(at) && inside.insert(at))
                .collect();
            edge = next;
        }
        let read = |at: &usize| known.apart.operands(*at).iter().copied();
        let whole =
            inside.iter().flat_map(read).all(|at| inside.contains(&at) || !known.apart.is_step(at));
        let all: BTreeSet<usize> =
            inside.iter().flat_map(read).chain(inside.iter().copied()).collect();
        let mut numbers = std::collections::BTreeMap::new();
        let mut part = format!("tape 1 {}\n", E::NAME);
        for (number, &at) in all.iter().enumerate() {
            let operands =
                known.apart.operands(at).iter().map(|at| {
                    numbers.get(at).map(|number| format!("%{number}")).unwrap_or_default()
                });
            let operands = operands.collect::<Vec<_>>().join(", ");
            let body = match inside.contains(&at) {
                true => {
                    let (operation, attributes) =
                        (known.apart.operation(at), known.apart.attributes(at));
                    let shape = known.values[at].shape();
                    format!("{operation} {operands}{attributes} : {shape}")
                }
                false => super::single::input(&known.values[at]),
            };
            part += &format!("%{number} = {body}\n");
            numbers.insert(at, number);
        }
        let network =
            Network::<Tensor<E>>::parse(&part).unwrap_or_else(|error| panic!("{error}\n{part}"));
        let last = network.values().last().expect("invariant: the suspect").symbol();
        inside.remove(&node);
        Self { network, last, text: part, nodes: inside.into_iter().collect(), whole }
    }

    fn module(&self, form: EmitForm) -> Result<String, String> {
        let plan = self.network.compile([self.last], []);
        let module = Emit::new(&plan).form(form).module().map_err(|error| error.to_string())?;
        Ok(module.into_text())
    }
}
