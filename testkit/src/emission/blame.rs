//! `Blame`: which operation a runner of modules computes wrongly.
//!
//! Prefixes of the tape are run and bisected: a prefix is wrong where a value at its end is further
//! from the oracle's than its operations' bounds can make it ([`spread`]), or where, with every value
//! shown, one is outside its own bound given the operands that the runner made itself. The last node of
//! the shortest such prefix is the suspect. Alone, on the oracle's operands, it is either still wrong,
//! or it is right, and wrong only together with what the runner fused it with. What is left is made
//! small.

use super::accuracy::Accuracy;
use super::check::{Violation, check};
use super::part::{Known, Part};
use super::report::{Report, Verdict};
use super::shrink::shrunk;
use super::single::Single;
use poorgrad::{
    Compile, Elementary, Emit, EmitForm, EmittedModule, Network, Plan, Symbol, Tensor, Value,
};
use std::collections::BTreeSet;
use std::fmt;

/// What runs a module on a network's own parameters and defaults: its results, or what the runner
/// says instead.
pub type Run<'r, E> = dyn FnMut(&EmittedModule<Tensor<E>>, &Network<Tensor<E>>) -> Result<Vec<Tensor<E>>, String>
    + 'r;

/// What is not right with a module.
enum Fault {
    Outside(Violation),
    /// The last node of the module, and what the runner says.
    Refused(usize, String),
}

impl Fault {
    fn node(&self) -> usize {
        match self {
            Self::Outside(violation) => violation.node,
            Self::Refused(node, _) => *node,
        }
    }

    /// As a report has it; `verdict` of what runs.
    fn told(self, verdict: Verdict) -> (Verdict, Option<Violation>) {
        match self {
            Self::Outside(violation) => (verdict, Some(violation)),
            Self::Refused(_, message) => (Verdict::Refused(message), None),
        }
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

const UNSTEADY: &str = "the runner gives other results every time";

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

    /// The first operation that leaves its bound, or that the runner refuses; nothing where all keep
    /// theirs.
    ///
    /// # Errors
    ///
    /// Where the tape cannot be emitted, or the runner gives other results every time.
    pub fn report(mut self) -> Result<Option<Report>, String> {
        let known = Known::new(self.network, &self.accuracy);
        let all = self.network.len();
        if self.wrong(&known, all)?.is_none() {
            return Ok(None);
        }
        // The shortest prefix that is wrong: everything up to `right` is not.
        let (mut right, mut wrong) = (0, all);
        while wrong - right > 1 {
            let middle = right + (wrong - right) / 2;
            match self.wrong(&known, middle)? {
                Some(_) => wrong = middle,
                None => right = middle,
            }
        }
        let found = self.wrong(&known, wrong)?.ok_or(UNSTEADY)?;
        self.verdict(&known, found).map(Some)
    }

    /// What is wrong with the first nodes: at their end, run as one module, or anywhere, with every
    /// value shown.
    fn wrong(&mut self, known: &Known<E>, count: usize) -> Result<Option<Fault>, String> {
        let values: Vec<Value<'_, _>> = self.network.values().take(count).collect();
        let read: BTreeSet<usize> =
            (0..count).flat_map(|node| known.apart.operands(node).iter().copied()).collect();
        let all = values.iter().enumerate().filter(|(_, value)| is_computed(value));
        let all: Vec<(usize, Symbol)> = all.map(|(at, value)| (at, value.symbol())).collect();
        // What nothing in the prefix reads.
        let ends: Vec<(usize, Symbol)> =
            all.iter().copied().filter(|(at, _)| !read.contains(at)).collect();
        let refused = |message| Ok(Some(Fault::Refused(count - 1, message)));
        let found = match self.targets(&ends)? {
            Ok(found) => found,
            Err(message) => return refused(message),
        };
        for (&(node, _), found) in ends.iter().zip(found) {
            if let Some(violation) = known.outside(node, &found) {
                return Ok(Some(Fault::Outside(violation)));
            }
        }
        let mut values = known.values.clone();
        let found = match self.targets(&all)? {
            Ok(found) => found,
            Err(message) => return refused(message),
        };
        for (&(node, _), found) in all.iter().zip(found) {
            values[node] = found;
        }
        Ok(all.iter().find_map(|&(node, _)| {
            let operands = known.apart.read(node, &values);
            let found = check(&known.apart, node, &operands, &values[node], &self.accuracy);
            found.map(Fault::Outside)
        }))
    }

    /// What the runner gives for these targets, or says.
    fn targets(
        &mut self,
        targets: &[(usize, Symbol)],
    ) -> Result<Result<Vec<Tensor<E>>, String>, String> {
        if targets.is_empty() {
            return Ok(Ok(Vec::new()));
        }
        let symbols = targets.iter().map(|(_, symbol)| *symbol);
        let plan = symbols.fold(Compile::new(self.network), Compile::target).plan();
        self.run(&plan, self.network)
    }

    fn run(
        &mut self,
        plan: &Plan<Tensor<E>>,
        network: &Network<Tensor<E>>,
    ) -> Result<Result<Vec<Tensor<E>>, String>, String> {
        let module = module(plan, self.form)?;
        self.runs += 1;
        Ok((self.run)(&module, network))
    }

    /// The suspect by itself, and if it is innocent, with its neighbours.
    fn verdict(mut self, known: &Known<E>, fault: Fault) -> Result<Report, String> {
        let node = fault.node();
        let text = self.network.to_text();
        let line = text.lines().nth(1 + node).unwrap_or_default().to_string();
        let single = Single::new(&known.apart, node, &known.apart.read(node, &known.values));
        if let Some(alone) = self.alone(&single)? {
            let single = self.shrunk(single, matches!(alone, Fault::Refused(..)))?;
            let fault = self.alone(&single)?.ok_or(UNSTEADY)?;
            let (verdict, violation) = fault.told(Verdict::Operation);
            let (network, last) =
                single.clone().network().ok_or("the operation refuses its operands")?;
            let module = module(&network.compile([last], []), self.form)?.into_text();
            let (tape, runs) = (single.text(), self.runs);
            return Ok(Report { verdict, violation, line, tape, module, runs });
        }
        // The fewest levels of operands that show it.
        for depth in 1..=known.apart.len() {
            let part = Part::new(known, node, depth);
            if let Some(fault) = self.together(&part)? {
                let (verdict, violation) = fault.told(Verdict::Fusion(part.nodes.clone()));
                let module = module(&part.network.compile([part.last], []), self.form)?.into_text();
                let (tape, runs) = (part.text, self.runs);
                return Ok(Report { verdict, violation, line, tape, module, runs });
            }
            if part.whole {
                break;
            }
        }
        // No part shows it with its end alone: the whole does, with all values shown.
        let all = self.network.values().take(node + 1).filter(is_computed);
        let all = all.map(|value| value.symbol());
        let plan = all.fold(Compile::new(self.network), Compile::target).plan();
        let module = module(&plan, self.form)?.into_text();
        let others = known.apart.operands(node).to_vec();
        let (verdict, violation) = fault.told(Verdict::Fusion(others));
        Ok(Report { verdict, violation, line, tape: text, module, runs: self.runs })
    }

    /// The least that shows the same kind of fault.
    fn shrunk(&mut self, single: Single<E>, refused: bool) -> Result<Single<E>, String> {
        let mut problem = Ok(());
        let small = shrunk(single, &mut |single| match self.alone(single) {
            Ok(found) => found.is_some_and(|found| refused == matches!(found, Fault::Refused(..))),
            Err(error) => {
                problem = Err(error);
                false
            }
        });
        problem.map(|()| small)
    }

    /// What is wrong with an operation by itself.
    fn alone(&mut self, single: &Single<E>) -> Result<Option<Fault>, String> {
        let Some((network, last)) = single.clone().network() else { return Ok(None) };
        let known = Known::new(&network, &self.accuracy);
        let node = known.apart.len() - 1;
        Ok(match self.run(&network.compile([last], []), &network)? {
            Ok(found) => {
                let operands = known.apart.read(node, &known.values);
                check(&known.apart, node, &operands, &found[0], &self.accuracy).map(Fault::Outside)
            }
            Err(message) => Some(Fault::Refused(node, message)),
        })
    }

    /// What is wrong with a part of the tape, its end alone being shown.
    fn together(&mut self, part: &Part<E>) -> Result<Option<Fault>, String> {
        let known = Known::new(&part.network, &self.accuracy);
        let node = known.apart.len() - 1;
        Ok(match self.run(&part.network.compile([part.last], []), &part.network)? {
            Ok(found) => known.outside(node, &found[0]).map(Fault::Outside),
            Err(message) => Some(Fault::Refused(node, message)),
        })
    }
}

fn module<E: Elementary>(
    plan: &Plan<Tensor<E>>,
    form: EmitForm,
) -> Result<EmittedModule<Tensor<E>>, String> {
    Emit::new(plan).form(form).module().map_err(|error| error.to_string())
}
