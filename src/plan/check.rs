//! `check`: the oracle test as a user's one-liner.

use super::error::PlanError;
use super::execute::Given;
use super::item::Id;
use super::run::{Executor, Plan};
use crate::engine::chain_rule::ancestors;
use crate::engine::feeds::bind;
use crate::engine::forward::values;
use crate::graph::head::Expression;
use crate::graph::{Network, Symbol};
use crate::kernel::{Elementary, Kernels};
use crate::payload::Tensorial;
use std::error::Error;
use std::fmt;

/// Where a plan and the oracle part: the first value, in the order of the plan's steps, whose bits
/// differ. A NaN is a NaN, whatever its sign and payload.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct Divergence {
    /// The position of the node on the plan's tape.
    pub node: u32,
    /// What the node computes.
    pub text: String,
    /// The name given to it.
    pub label: Option<String>,
    /// The source line that recorded it.
    pub place: String,
    /// The step of the plan that computed it, where it has steps.
    pub step: Option<usize>,
    /// The index of the first element that differs.
    pub index: Vec<usize>,
    /// The plan's element, as text that keeps its bits.
    pub planned: String,
    /// The oracle's element.
    pub expected: String,
    /// The bytes of both, the plan's first, little-endian.
    pub bits: [Vec<u8>; 2],
}

impl fmt::Display for Divergence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { node, text, place, index, planned, expected, bits, .. } = self;
        let label = self.label.as_ref().map(|label| format!(" \"{label}\"")).unwrap_or_default();
        write!(f, "check: %{node} = {text}{label} (recorded at {place})")?;
        if let Some(step) = self.step {
            write!(f, " of step {step}")?;
        }
        let hex =
            |bytes: &[u8]| bytes.iter().rev().map(|byte| format!("{byte:02x}")).collect::<String>();
        write!(
            f,
            " differs first at {index:?}: the plan has {planned} (0x{}), the oracle {expected} (0x{})",
            hex(&bits[0]),
            hex(&bits[1])
        )
    }
}

impl Error for Divergence {}

impl<P: Tensorial> Plan<P> {
    /// Runs the plan and the oracle on the same parameters and feeds, and compares every value that
    /// the plan lays out in memory, bit for bit.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor};
    ///
    /// let network = Network::new();
    /// let w = network.parameter(Tensor::from([0.5_f32, -0.5]));
    /// let loss = (w.exp() * w).sum();
    /// let plan = network.compile_training(loss, []);
    /// plan.check(&network, []).unwrap();
    /// ```
    ///
    /// # Errors
    ///
    /// The first divergence.
    ///
    /// # Panics
    ///
    /// Where [`Plan::try_forward`] errs.
    #[track_caller]
    pub fn check(
        &self,
        network: &Network<P>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
    ) -> Result<(), Box<Divergence>> {
        super::error::planned(self.try_check(network, feeds))
    }

    /// The twin of [`Plan::check`] that returns also what it would panic with.
    ///
    /// # Errors
    ///
    /// Where [`Plan::try_forward`] errs.
    pub fn try_check(
        &self,
        network: &Network<P>,
        feeds: impl IntoIterator<Item = (Symbol, P)>,
    ) -> Result<Result<(), Box<Divergence>>, PlanError> {
        let tape = self.checked(network)?;
        let feeds = bind(&tape, feeds)?;
        let origins = self.schedule.items.iter().map(|item| item.origin as usize);
        let needed = ancestors(&self.tape, &origins.collect::<Vec<_>>());
        let expected = values(&self.tape, network, &feeds, Some(&needed), Kernels::Reference);
        let given = Given { network, feeds: &feeds };
        let of = |id: Id| {
            let origin = self.schedule.item(id).origin as usize;
            expected[origin].as_ref().expect("invariant: the oracle ran what the plan computes")
        };
        let mut found = None;
        let handed = match &self.executor {
            Executor::Arena(arena) => arena.run_observed(
                &given,
                Some(&mut |number, outputs| {
                    let ids = self.schedule.steps[number].outputs.iter();
                    for (&id, output) in ids.zip(outputs) {
                        if found.is_none() {
                            found = self.divergence(id, Some(number), output, of(id));
                        }
                    }
                }),
            ),
            Executor::Flat(flat) => flat.run(&given),
            Executor::Opaque(opaque) => opaque.run(&given),
        };
        for (&id, payload) in self.schedule.results.iter().zip(&handed) {
            if found.is_none() {
                let mut elements = Vec::new();
                payload.for_each(&mut |element| elements.push(element.clone()));
                found = self.divergence(id, None, &elements, of(id));
            }
        }
        Ok(found.map_or(Ok(()), |found| Err(Box::new(found))))
    }

    fn divergence(
        &self,
        id: Id,
        step: Option<usize>,
        planned: &[P::Element],
        expected: &P,
    ) -> Option<Divergence> {
        let (mut at, mut found) = (0, None);
        expected.for_each(&mut |element| {
            if found.is_none() && !same(&planned[at], element) {
                found = Some((at, element.clone()));
            }
            at += 1;
        });
        let (position, element) = found?;
        let item = self.schedule.item(id);
        let node = self.tape.node(item.origin as usize);
        let mut rest = position;
        let mut index: Vec<usize> = item
            .shape
            .iter()
            .rev()
            .map(|&extent| {
                let at = rest % extent;
                rest /= extent;
                at
            })
            .collect();
        index.reverse();
        Some(Divergence {
            node: item.origin,
            text: Expression(node).to_string(),
            label: node.label(),
            place: node.location.to_string(),
            step,
            index,
            planned: planned[position].to_text(),
            expected: element.to_text(),
            bits: [bytes(&planned[position]), bytes(&element)],
        })
    }
}

fn bytes<E: Elementary>(element: &E) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(E::BYTES);
    element.write_bytes(&mut bytes);
    bytes
}

fn same<E: Elementary>(a: &E, b: &E) -> bool {
    a.is_nan() && b.is_nan() || bytes(a) == bytes(b)
}

#[cfg(test)]
mod tests {
    use super::Divergence;
    use crate::graph::{Network, Symbol};
    use crate::payload::{Tensor, Tensorial};
    use crate::plan::Plan;

    fn scaled<P: Tensorial>(by: P, x: P) -> (Network<P>, Plan<P>, Symbol) {
        let network = Network::new();
        let by = network.leaf(by);
        let scaled = (network.input(x) * by).named("scaled");
        let symbol = scaled.symbol();
        let plan = network.compile([scaled], []);
        (network, plan, symbol)
    }

    /// What is told of a plan that multiplies by another constant than its tape.
    fn told<P: Tensorial>(x: P, [tape, plan]: [P; 2]) -> Option<Box<Divergence>> {
        let (network, right, symbol) = scaled(tape, x.clone());
        let (_, wrong, _) = scaled(plan, x);
        right.check(&network, []).expect("it is the tape's");
        let mixed = Plan { executor: wrong.executor, ..right };
        let told = mixed.check(&network, []).err()?;
        assert_eq!((told.node, told.label.as_deref()), (2, Some("scaled")));
        assert_eq!((&*told.text, told.node), ("mul %1, %0", symbol.index));
        assert!(told.place.starts_with(file!()), "{}", told.place);
        let message = told.to_string();
        let start = format!("check: %2 = mul %1, %0 \"scaled\" (recorded at {})", told.place);
        assert!(message.starts_with(&start), "{message}");
        Some(told)
    }

    #[test]
    fn the_first_element_that_differs_is_told() {
        let twos = Tensor::full([2, 3], 2.0_f32);
        let ones = [[1.0, 1.0, 1.0], [1.0, 1.0, 1.0]];
        let two_differ = [[1.0, 1.0, 1.0], [1.0, 1.5, 0.0]];
        let told = told(twos, [Tensor::from(ones), Tensor::from(two_differ)]);
        let told = told.expect("two elements differ");
        assert_eq!((told.step, &told.index[..]), (Some(0), &[1, 1][..]));
        assert_eq!([&*told.planned, &told.expected], ["3.0", "2.0"]);
        assert_eq!(told.bits, [3.0_f32, 2.0].map(|element| element.to_le_bytes().to_vec()));
        let end = " of step 0 differs first at [1, 1]: the plan has 3.0 (0x40400000), the oracle 2.0 \
                   (0x40000000)";
        assert!(told.to_string().ends_with(end), "{told}");
    }

    #[test]
    fn scalars_differ_without_a_step() {
        let told = told(2.0_f64, [1.0, 1.5]).expect("it differs");
        assert_eq!((told.step, &told.index[..]), (None, &[][..]));
        assert_eq!([&*told.planned, &told.expected], ["3.0", "2.0"]);
    }

    #[test]
    fn zeros_differ_by_their_sign_and_nan_do_not() {
        let one = || Tensor::from([1.0_f64]);
        let of = |tape: f64, plan: f64| told(one(), [Tensor::from([tape]), Tensor::from([plan])]);
        assert_eq!(of(0.0, -0.0).expect("the signs differ").index, [0]);
        assert_eq!(of(-0.0, 0.0).expect("the signs differ").planned, "0.0");
        let nan = f64::from_bits(0xfff8_0000_0000_0001);
        assert_eq!(of(f64::NAN, nan), None);
        assert!(of(1.0, f64::NAN).is_some() && of(f64::NAN, 1.0).is_some());
    }
}
