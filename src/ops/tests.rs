//! Declared reads: a derivative rule gives the same bits when everything that it does not declare
//! holds NaN, and other bits when something that it declares does.

use super::algebra::Algebra;
use super::*;
use crate::kernel::Comparison;
use crate::payload::{Shape, Stored, Tensor};
use std::collections::{BTreeMap, BTreeSet};

/// Rules computed now, by the definitions.
struct Now;

type Payload = Tensor<f64>;

impl Algebra for Now {
    type Value = Payload;

    fn apply(&self, function: Function, operands: &[&Payload]) -> Payload {
        function.eval(operands, Kernels::Reference)
    }
    fn shape(&self, value: &Payload) -> Shape {
        value.shape().clone()
    }
    fn literal_like(&self, value: f64, like: &Payload) -> Payload {
        Tensor::full(like.shape(), value)
    }
    fn zeros(&self, shape: &Shape) -> Payload {
        Tensor::zeros(shape)
    }
    fn iota(&self, count: usize) -> Payload {
        Tensor::arange(count).unsqueeze(1)
    }
}

fn numbers(shape: &[usize], first: f64) -> Payload {
    let mut next = first;
    Tensor::from_fn(shape, |_| {
        next += 0.25;
        next
    })
}

/// An instance of each operation with operands that fit it, away from kinks.
fn samples() -> Vec<(Function, Vec<Payload>)> {
    let matrix = || numbers(&[2, 3], 0.5);
    let other = || numbers(&[2, 3], 2.0);
    let at = || Tensor::selection(&[1, 0, 1], 2);
    let unary = |function: Function| (function, vec![matrix()]);
    let binary = |function: Function| (function, vec![matrix(), other()]);
    let condition = Tensor::from([[1.0, 0.0, 1.0], [0.0, 0.0, 2.0]]);
    let relation = |relation| Compare { relation };
    let mut samples = vec![
        binary(Add.into()),
        binary(Sub.into()),
        binary(Mul.into()),
        binary(Div.into()),
        unary(Neg.into()),
        binary(Absorb.into()),
        binary(AbsorbDiv.into()),
        unary(Exp.into()),
        unary(ExpM1.into()),
        unary(Ln.into()),
        unary(Ln1p.into()),
        unary(Sqrt.into()),
        unary(Tanh.into()),
        unary(Sigmoid.into()),
        unary(Sin.into()),
        unary(Cos.into()),
        unary(Erf.into()),
        binary(Powf.into()),
        unary(Powi { exponent: 3 }.into()),
        unary(Powi { exponent: 0 }.into()),
        unary(Powi { exponent: 1 }.into()),
        (Powi { exponent: i32::MIN }.into(), vec![numbers(&[2], 0.75)]),
        (Maximum.into(), vec![matrix(), Tensor::full([2, 3], 1.2)]),
        unary(Relu.into()),
        unary(Softplus.into()),
        (Select.into(), vec![condition, matrix(), other()]),
        (Matmul.into(), vec![matrix(), numbers(&[3, 2], 1.0)]),
        (Matmul.into(), vec![numbers(&[2, 1, 3], 1.0), numbers(&[2, 3, 2], 2.0)]),
        unary(Reshape { extents: Box::new([Extent::Infer]) }.into()),
        (ReshapeLike.into(), vec![matrix(), numbers(&[6], 1.0)]),
        unary(Permute { axes: Box::new([1, 0]) }.into()),
        unary(Unsqueeze { axis: 1 }.into()),
        (Squeeze { axis: 0 }.into(), vec![numbers(&[1, 3], 1.0)]),
        unary(Narrow { axis: 1, start: 1, length: 2 }.into()),
        unary(Pad { axis: 0, before: 1, after: 2, value: 3.0 }.into()),
        (Concat { axis: 1 }.into(), vec![matrix(), other(), numbers(&[2, 1], 1.0), other()]),
        (BroadcastLike.into(), vec![numbers(&[3], 1.0), other()]),
        (SumLike.into(), vec![matrix(), numbers(&[1, 3], 1.0)]),
        (BroadcastAlong { axes: Box::new([0]) }.into(), vec![numbers(&[3], 1.0), other()]),
        unary(Count { axes: Box::new([1]) }.into()),
        unary(Unfold { axis: 1, size: 2, step: 1, dilation: 1 }.into()),
        (Fold { axis: 0, extent: 4, step: 1, dilation: 1 }.into(), vec![matrix()]),
        (Gather.into(), vec![matrix(), at()]),
        (Scatter.into(), vec![numbers(&[3, 2], 1.0), at()]),
        (RowUpdate.into(), vec![matrix(), numbers(&[3, 3], 5.0), at()]),
        (
            RowUpdate.into(),
            vec![numbers(&[3, 2], 1.0), numbers(&[1, 2], 5.0), Tensor::selection(&[0], 3)],
        ),
        unary(Sum.into()),
        unary(SumAlong { axes: Box::new([0]) }.into()),
        unary(MaxAlong { axes: Box::new([0, 1]) }.into()),
        unary(FirstMaxAlong { axes: Box::new([1]) }.into()),
        unary(LogSumExp { axis: 0 }.into()),
        unary(LogSoftmax { axis: 1 }.into()),
        unary(Softmax { axis: 1 }.into()),
    ];
    samples.extend(Comparison::ALL.map(|each| binary(relation(each).into())));
    samples
}

/// A payload of the same shape that no correct use of it survives unseen.
fn poisoned(payload: &Payload) -> Payload {
    if let Stored::Selection(columns) = crate::payload::Differentiable::stored(payload) {
        // The rules take selections only; another choice of rows is what poisons one.
        let classes = payload.shape()[payload.rank() - 1];
        let turned: Vec<usize> = columns.iter().map(|column| classes - 1 - column).collect();
        return Tensor::selection(&turned, classes);
    }
    Tensor::full(payload.shape(), f64::NAN)
}

struct Instance {
    function: Function,
    operands: Vec<Payload>,
    output: Payload,
    cotangent: Payload,
}

impl Instance {
    fn new((function, operands): (Function, Vec<Payload>)) -> Self {
        let shapes: Vec<&Shape> = operands.iter().map(Tensor::shape).collect();
        let shape = function.infer(&shapes).expect("the sample respects the constraints");
        let output = function.eval(&operands.iter().collect::<Vec<_>>(), Kernels::Reference);
        assert_eq!(*output.shape(), shape, "{}", function.name());
        let cotangent = numbers(&shape, -1.0);
        Self { function, operands, output, cotangent }
    }

    fn rule(&self, operands: &[Payload], output: &Payload, position: usize) -> Payload {
        let operands: Vec<&Payload> = operands.iter().collect();
        let site = Site { operands: &operands, output, cotangent: &self.cotangent };
        let alone = self.function.vjp(&Now, &site, position);
        let mut taken = Vec::new();
        let asked = |asked| asked == position;
        self.function.vjp_each(&Now, &site, asked, |at, contribution| {
            assert_eq!(at, position);
            taken.push(contribution);
        });
        assert!(taken.len() == 1 && taken[0].is_identical(&alone), "{:?}", self.function);
        alone
    }

    fn positions(&self) -> impl Iterator<Item = usize> {
        (0..self.operands.len()).filter(|position| self.function.differentiable(*position))
    }
}

#[test]
fn every_operation_has_a_sample() {
    let sources = [Leaf::NAME, Parameter::NAME, Input::NAME];
    let all: BTreeSet<_> = Function::ENTRIES.iter().map(|entry| entry.name).collect();
    let sampled = samples().into_iter().map(|(function, _)| function.name());
    let seen: BTreeSet<_> = sampled.chain(sources).collect();
    assert_eq!(all, seen);
}

#[test]
fn rules_read_nothing_that_they_do_not_declare() {
    let mut checked = 0;
    for instance in samples().into_iter().map(Instance::new) {
        for position in instance.positions() {
            let reads = instance.function.reads(position);
            let expected = instance.rule(&instance.operands, &instance.output, position);
            let operands: Vec<Payload> = instance
                .operands
                .iter()
                .enumerate()
                .map(
                    |(at, operand)| {
                        if reads.reads_operand(at) { operand.clone() } else { poisoned(operand) }
                    },
                )
                .collect();
            let output = if reads.reads_output() {
                instance.output.clone()
            } else {
                poisoned(&instance.output)
            };
            let found = instance.rule(&operands, &output, position);
            let name = instance.function.name();
            assert!(
                found.is_identical(&expected),
                "the rule of `{name}` for operand {position} reads more than it declares: \
                 {found:?} for {expected:?}"
            );
            assert!(found.iter().all(|element| !element.is_nan()), "{name}: the sample has a pole");
            checked += 1;
        }
    }
    assert!(checked >= 60, "{checked} rules");
}

/// What a rule declares keeps a payload alive: each is needed in one sample at least.
#[test]
fn rules_declare_nothing_that_they_do_not_read() {
    let mut needed = BTreeMap::new();
    for instance in samples().into_iter().map(Instance::new) {
        for position in instance.positions() {
            let reads = instance.function.reads(position);
            let expected = instance.rule(&instance.operands, &instance.output, position);
            let name = instance.function.name();
            for at in (0..instance.operands.len()).filter(|at| reads.reads_operand(*at)) {
                let mut operands = instance.operands.clone();
                operands[at] = poisoned(&operands[at]);
                let found = instance.rule(&operands, &instance.output, position);
                let matters: &mut bool = needed.entry((name, position, Some(at))).or_default();
                *matters |= !found.is_identical(&expected);
            }
            if reads.reads_output() {
                let output = poisoned(&instance.output);
                let found = instance.rule(&instance.operands, &output, position);
                let matters = needed.entry((name, position, None)).or_default();
                *matters |= !found.is_identical(&expected);
            }
        }
    }
    let idle: Vec<_> = needed.iter().filter(|(_, matters)| !**matters).collect();
    assert!(idle.is_empty(), "declared, but never read: {idle:?}");
}
