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
use super::known::{Known, Level};
use super::piece::{Piece, Shown};
use super::report::{Report, Verdict};
use super::shrink::shrunk;
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
        self.verdict(&known, wrong, found).map(Some)
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

    /// The suspect by itself, and if it is innocent, with its neighbours among the first `count` nodes.
    fn verdict(mut self, known: &Known<E>, count: usize, fault: Fault) -> Result<Report, String> {
        let suspect = fault.node();
        let piece = |nodes: &BTreeSet<usize>, shown| {
            Piece::new(&known.apart, nodes, suspect, &known.values, shown)
        };
        let alone = piece(&BTreeSet::from([suspect]), Shown::Suspect);
        if let Some(found) = self.fault(&alone)? {
            return self.report_of(suspect, alone, &found);
        }
        // The fewest levels of operands that show it.
        for depth in 1..=known.apart.len() {
            let Level { nodes, whole } = known.level(suspect, depth);
            let part = piece(&nodes, Shown::Suspect);
            if let Some(found) = self.fault(&part)? {
                return self.report_of(suspect, part, &found);
            }
            if whole {
                break;
            }
        }
        // No part shows it with its end alone: the whole does, with all values shown.
        let all = (0..count).filter(|&node| known.apart.is_step(node)).collect();
        let whole = piece(&all, Shown::All);
        match self.fault(&whole)? {
            Some(found) => self.report_of(suspect, whole, &found),
            None => Err(UNSTEADY.into()),
        }
    }

    /// What is told of a piece that shows a fault, made small.
    fn report_of(
        &mut self,
        suspect: usize,
        piece: Piece<E>,
        found: &Fault,
    ) -> Result<Report, String> {
        let refused = matches!(found, Fault::Refused(..));
        let mut piece = self.shrunk(piece, refused)?;
        let others = piece.others();
        let fault = self.fault(&piece)?.ok_or(UNSTEADY)?;
        let (verdict, violation) = fault.told(match others.is_empty() {
            true => Verdict::Operation,
            false => Verdict::Fusion(others),
        });
        let text = self.network.to_text();
        let line = text.lines().nth(1 + suspect).unwrap_or_default().to_string();
        let network = piece.network().ok_or("the operations refuse their operands")?;
        let module = module(&plan(&network, &piece), self.form)?.into_text();
        Ok(Report { verdict, violation, line, tape: piece.text(), module, runs: self.runs })
    }

    /// The least that shows the same kind of fault; of several operations, one that the suspect does not
    /// show by itself.
    fn shrunk(&mut self, piece: Piece<E>, refused: bool) -> Result<Piece<E>, String> {
        let mut problem = Ok(());
        let several = !piece.others().is_empty();
        let small = shrunk(piece, &mut |piece| {
            if several && piece.others().is_empty() {
                return false;
            }
            let same = |fault: &Fault| refused == matches!(fault, Fault::Refused(..));
            let shows = self.fault(piece).and_then(|found| {
                let shows = found.is_some_and(|found| same(&found));
                Ok(shows && (!several || self.is_innocent(piece)?))
            });
            shows.unwrap_or_else(|error| {
                problem = Err(error);
                false
            })
        });
        problem.map(|()| small)
    }

    /// Whether the suspect of a piece keeps its bound by itself.
    fn is_innocent(&mut self, piece: &Piece<E>) -> Result<bool, String> {
        let Some(network) = piece.clone().network() else { return Ok(false) };
        let known = Known::new(&network, &self.accuracy);
        let suspect = piece.suspect();
        let nodes = BTreeSet::from([suspect]);
        let alone = Piece::new(&known.apart, &nodes, suspect, &known.values, Shown::Suspect);
        Ok(self.fault(&alone)?.is_none())
    }

    /// What is wrong with the suspect of a piece: by itself and with every value shown it is held to
    /// its own bound, else to what the piece can make of the bounds.
    fn fault(&mut self, piece: &Piece<E>) -> Result<Option<Fault>, String> {
        let Some(network) = piece.clone().network() else { return Ok(None) };
        let known = Known::new(&network, &self.accuracy);
        let suspect = piece.suspect();
        let found = match self.run(&plan(&network, piece), &network)? {
            Ok(found) => found,
            Err(message) => return Ok(Some(Fault::Refused(suspect, message))),
        };
        if piece.shown == Shown::Suspect && !piece.others().is_empty() {
            return Ok(known.outside(suspect, &found[0]).map(Fault::Outside));
        }
        let mut values = known.values.clone();
        for (at, found) in shown(&network, piece).into_iter().zip(found) {
            values[at] = found;
        }
        let operands = known.apart.read(suspect, &values);
        let found = check(&known.apart, suspect, &operands, &values[suspect], &self.accuracy);
        Ok(found.map(Fault::Outside))
    }
}

/// The places on a piece's tape of what its module gives.
fn shown<E: Elementary>(network: &Network<Tensor<E>>, piece: &Piece<E>) -> Vec<usize> {
    match piece.shown {
        Shown::Suspect => vec![piece.suspect()],
        Shown::All => {
            let all = network.values().enumerate().filter(|(_, value)| is_computed(value));
            all.map(|(at, _)| at).collect()
        }
    }
}

fn plan<E: Elementary>(network: &Network<Tensor<E>>, piece: &Piece<E>) -> Plan<Tensor<E>> {
    let symbols: Vec<Symbol> = network.values().map(|value| value.symbol()).collect();
    let targets = shown(network, piece).into_iter().map(|at| symbols[at]);
    targets.fold(Compile::new(network), Compile::target).plan()
}

fn module<E: Elementary>(
    plan: &Plan<Tensor<E>>,
    form: EmitForm,
) -> Result<EmittedModule<Tensor<E>>, String> {
    Emit::new(plan).form(form).module().map_err(|error| error.to_string())
}
