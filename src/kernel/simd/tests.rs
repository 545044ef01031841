//! Every level against the scalar form, to the bit.

use super::Level;
use crate::kernel::native::lanes::map_at;
use crate::kernel::native::power::powers;
use crate::kernel::testing::{Random, assert_same};
use crate::kernel::{Elementary, Unary};

const UNARY: [Unary; 12] = [
    Unary::Neg,
    Unary::Exp,
    Unary::ExpM1,
    Unary::Ln,
    Unary::Ln1p,
    Unary::Sqrt,
    Unary::Tanh,
    Unary::Sigmoid,
    Unary::Sin,
    Unary::Cos,
    Unary::Erf,
    Unary::Relu,
];

fn check<E: super::Native>(words: impl Fn(&mut Random) -> E) {
    let mut random = Random(77);
    let mut inputs: Vec<E> = (0..20_001).map(|_| words(&mut random)).collect();
    inputs.extend((0..2000).map(|_| random.value::<E>(true)));
    inputs.extend((0..2000).map(|_| E::from_f64(random.unit() * 40.0 - 20.0)));
    for level in Level::all() {
        for op in UNARY {
            let expected: Vec<E> = inputs.iter().map(|x| op.apply(x)).collect();
            let mut out = vec![E::zero(); inputs.len()];
            map_at(level, op, &inputs, &mut out);
            assert_same(&out, &expected, &format!("{op:?} at {level:?}"));
        }
    }
}

#[test]
fn functions_have_the_bits_of_their_scalar_form_at_every_level() {
    check::<f32>(|random| f32::from_bits(random.next() as u32));
    check::<f64>(|random| f64::from_bits(random.next()));
}

#[test]
fn short_slices_are_padded() {
    let mut random = Random(78);
    for level in Level::all() {
        for length in 0..40 {
            let x: Vec<f32> = (0..length).map(|_| random.value(true)).collect();
            let expected: Vec<f32> = x.iter().map(Elementary::exp).collect();
            let mut out = vec![0.0; length];
            map_at(level, Unary::Exp, &x, &mut out);
            assert_same(&out, &expected, &format!("{length} elements at {level:?}"));
        }
    }
}

#[test]
fn powers_have_the_bits_of_their_scalar_form_at_every_level() {
    fn check<E: super::Native>() {
        let mut random = Random(79);
        let bases: Vec<E> = (0..3000).map(|i| random.value(i % 2 == 0)).collect();
        let exponents: Vec<E> = (0..3000)
            .map(|i| match i % 3 {
                0 => random.value(true),
                1 => E::from_f64(random.below(9) as f64 - 4.0),
                _ => E::from_f64(random.unit() * 8.0 - 4.0),
            })
            .collect();
        let pairs = bases.iter().zip(&exponents);
        let expected: Vec<E> = pairs.map(|(x, y)| x.powf(y)).collect();
        for level in Level::all() {
            let mut out = vec![E::zero(); bases.len()];
            assert!(powers(level, &bases, |i| exponents[i].to_f64(), &mut out));
            assert_same(&out, &expected, &format!("powers at {level:?}"));
        }
    }
    check::<f32>();
    check::<f64>();
}

#[test]
fn columns_come_out_in_order_at_every_level() {
    struct Turn<E>(core::marker::PhantomData<E>);
    impl<E: super::Native> super::Work<E> for Turn<E> {
        type Output = ();
        #[inline(always)]
        fn run<R: super::Registers<Element = E>>(self, token: R) {
            const LINE: usize = 7;
            let elements: Vec<E> = (0..16 * LINE).map(|i| E::from_f64(i as f64)).collect();
            let mut lines = [&elements[..0]; super::WIDEST];
            for (line, number) in lines[..R::WIDTH].iter_mut().zip(R::ORDER) {
                *line = &elements[number * LINE..];
            }
            let registers = token.gather_4(&lines, 1);
            for (t, lanes) in R::elements(&registers).chunks_exact(R::WIDTH).enumerate() {
                for (line, x) in lanes.iter().enumerate() {
                    assert_eq!(*x, E::from_f64((line * LINE + 1 + t) as f64), "the order is known");
                }
            }
        }
    }
    for level in Level::all() {
        <f32 as super::Native>::at(level, Turn(core::marker::PhantomData));
        <f64 as super::Native>::at(level, Turn(core::marker::PhantomData));
    }
}
