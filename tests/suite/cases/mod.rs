//! Faults that engines of this kind have had, each turned into a test named by its number.
//!
//! An expression is read in all ways there are (native and reference kernels, `backward`,
//! `differentiate` and a run, plans of the value, of its gradients and of these in less memory, on one
//! thread and on two), over contiguous payloads and over views of others: all readings must agree to
//! the bit before a value is compared with what is expected. Most are read in `f32` and `f64`; where
//! an entry gives bits, in its own type.

mod arithmetic;
mod chain;
mod compositions;
mod convolution;
mod higher;
mod overflow;
mod saturation;
mod seeded;
mod singular;
mod special;
mod views;
mod windows;

use poorgrad::{
    Compile, Elementary, Field, Kernels, Network, Shape, Stored, Tensor, Tensorial, Value,
};
use testkit::bits::{difference, first_difference, first_gradient_difference, identical};

/// Runs a body once for each element type.
macro_rules! elements {
    ($E:ident => $body:block) => {{
        {
            type $E = f32;
            $body
        }
        {
            type $E = f64;
            $body
        }
    }};
}

/// Runs a body once for each payload that holds a scalar.
macro_rules! scalars {
    ($P:ident => $body:block) => {{
        {
            type $P = f32;
            $body
        }
        {
            type $P = f64;
            $body
        }
        {
            type $P = poorgrad::Tensor<f32>;
            $body
        }
        {
            type $P = poorgrad::Tensor<f64>;
            $body
        }
    }};
}
use {elements, scalars};

/// A payload of shape `[]`.
fn number<P: Tensorial>(value: f64) -> P {
    P::full(&Shape::scalar(), P::Element::from_f64(value))
}

/// A vector.
fn vector<E: Elementary>(elements: &[f64]) -> Tensor<E> {
    tensor([elements.len()], elements)
}

fn tensor<E: Elementary>(shape: impl Into<Shape>, elements: &[f64]) -> Tensor<E> {
    Tensor::new(shape, elements.iter().map(|element| E::from_f64(*element)).collect())
}

/// The numbers `first, first + 1, ..` in a shape.
fn counted<E: Elementary>(shape: impl Into<Shape>, first: usize) -> Tensor<E> {
    let shape = shape.into();
    let count = shape.volume().expect("a small shape");
    tensor(shape, &(first..first + count).map(|number| number as f64).collect::<Vec<_>>())
}

/// What an expression gave: its value and the derivatives of the sum of its elements.
struct Reading<P: Tensorial> {
    value: P,
    gradients: Vec<P>,
}

/// Reads an expression of some inputs in all ways, over all storages of the inputs.
fn read<P: Tensorial>(
    inputs: &[P],
    build: impl for<'n> Fn(&[Value<'n, P>]) -> Value<'n, P>,
) -> Reading<P> {
    read_all(inputs, &build)
}

/// What records an expression. Not a generic parameter, so that one copy of the code reads all.
type Build<'b, P> = dyn for<'n> Fn(&[Value<'n, P>]) -> Value<'n, P> + 'b;

fn read_all<P: Tensorial>(inputs: &[P], build: &Build<'_, P>) -> Reading<P> {
    let reading = read_once(inputs, build);
    for storage in [turned, cut] {
        let views: Vec<P> = inputs.iter().map(storage).collect();
        let other = read_once(&views, build);
        assert!(identical(&reading.value, &other.value), "a view changed the value");
        for (left, right) in reading.gradients.iter().zip(&other.gradients) {
            assert!(identical(left, right), "a view changed a gradient: {left:?}, {right:?}");
        }
    }
    reading
}

/// The same elements, stored with the axes in reverse.
fn turned<P: Tensorial>(payload: &P) -> P {
    let rank = payload.shape().rank();
    if rank < 2 || payload.is_selection() {
        return payload.clone();
    }
    let axes: Vec<usize> = (0..rank).rev().collect();
    let reversed = payload.permute(&axes);
    let mut elements = Vec::new();
    reversed.for_each(&mut |element| elements.push(element.clone()));
    let stored = P::from_stored(&reversed.shape(), Stored::Dense(elements));
    stored.expect("one element per index").permute(&axes)
}

/// The same elements as a part of a larger buffer.
fn cut<P: Tensorial>(payload: &P) -> P {
    let shape = payload.shape();
    let Some(&extent) = shape.last() else { return payload.clone() };
    if payload.is_selection() {
        return payload.clone();
    }
    let axis = shape.rank() - 1;
    P::concat(&[payload, payload, payload], axis, Kernels::Native).narrow(axis, extent, extent)
}

fn read_once<P: Tensorial>(inputs: &[P], build: &Build<'_, P>) -> Reading<P> {
    let network = Network::new();
    let values: Vec<_> = inputs.iter().map(|input| network.input(input.clone())).collect();
    let result = build(&values);
    let target = if result.shape().volume() == Some(1) { result } else { result.sum() };
    let (native, reference) = (network.forward(), network.reference().forward());
    assert_eq!(first_difference(&network, &native, &reference), None);
    let (gradients, other) = (native.backward(target), reference.backward(target));
    assert_eq!(first_gradient_difference(&network, &gradients, &other), None);
    let recorded = network.differentiate(target, values.iter().map(|value| value.symbol()));
    let run = network.forward();
    for (value, recorded) in values.iter().zip(&recorded) {
        assert_eq!(difference(&gradients.of(*value), &run.of(*recorded)), None);
    }
    let value = native.of(result);
    plans_agree(&values, target, result, &value, &gradients);
    let gradients = values.iter().map(|value| gradients.of(*value)).collect();
    Reading { value, gradients }
}

/// `compile`, `compile_training` and `compile_training_compact` against the interpreter.
fn plans_agree<P: Tensorial>(
    inputs: &[Value<'_, P>],
    target: Value<'_, P>,
    result: Value<'_, P>,
    value: &P,
    gradients: &Field<P>,
) {
    let network = result.network();
    let forward = Compile::new(network).target(result);
    let training = Compile::new(network).loss(target).keep(result);
    let training = inputs.iter().copied().fold(training, Compile::gradients_of);
    let compact = training.clone().compact();
    for (compile, has_gradients) in [(forward, false), (training, true), (compact, true)] {
        for threads in [1, 2] {
            let run = compile.clone().threads(threads).plan().forward(network, []);
            assert_eq!(difference(&run.of(result), value), None, "{threads} threads: {compile:?}");
            if !has_gradients {
                continue;
            }
            let planned = run.backward(target);
            for input in inputs {
                let found = difference(&planned.of(*input), &gradients.of(*input));
                assert_eq!(found, None, "{input:?}, {threads} threads: {compile:?}");
            }
        }
    }
}

impl<P: Tensorial> Reading<P> {
    #[track_caller]
    fn value_is(&self, expected: &[f64]) -> &Self {
        compare("value", &self.value, expected, 0);
        self
    }
    #[track_caller]
    fn value_within(&self, ulps: u64, expected: &[f64]) -> &Self {
        compare("value", &self.value, expected, ulps);
        self
    }
    #[track_caller]
    fn gradient_is(&self, input: usize, expected: &[f64]) -> &Self {
        compare("gradient", &self.gradients[input], expected, 0);
        self
    }
    #[track_caller]
    fn gradient_within(&self, ulps: u64, input: usize, expected: &[f64]) -> &Self {
        compare("gradient", &self.gradients[input], expected, ulps);
        self
    }
}

/// Elements against expected numbers rounded to the element type, within some units in the last
/// place; 0 units: the sign of zero counts.
#[track_caller]
fn compare<P: Tensorial>(what: &str, payload: &P, expected: &[f64], ulps: u64) {
    let mut found = Vec::new();
    payload.for_each(&mut |element| found.push(element.clone()));
    assert_eq!(found.len(), expected.len(), "{what}: {found:?} for {expected:?}");
    for (found_at, expected_at) in found.iter().zip(expected) {
        let (left, right) = (ordinal(found_at), ordinal(&P::Element::from_f64(*expected_at)));
        let near = match ulps {
            0 => identical_elements(found_at, &P::Element::from_f64(*expected_at)),
            ulps => left.zip(right).is_some_and(|(left, right)| left.abs_diff(right) <= ulps),
        };
        assert!(near, "{what} in {}: {found:?}, expected {expected:?}", P::Element::NAME);
    }
}

fn identical_elements<E: Elementary>(left: &E, right: &E) -> bool {
    identical(&Tensor::scalar(left.clone()), &Tensor::scalar(right.clone()))
}

/// The position of a float among the floats of its type: neighbours differ by 1, NaN has none.
fn ordinal<E: Elementary>(element: &E) -> Option<i64> {
    let mut bytes = Vec::new();
    element.write_bytes(&mut bytes);
    let bits = match *bytes {
        [a, b, c, d] => i64::from(i32::from_le_bytes([a, b, c, d])),
        _ => i64::from_le_bytes(bytes.try_into().ok()?),
    };
    let magnitude = if E::BYTES == 4 { bits & 0x7fff_ffff } else { bits & i64::MAX };
    (!element.is_nan()).then_some(if bits < 0 { -magnitude } else { magnitude })
}
