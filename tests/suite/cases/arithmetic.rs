//! The order of additions, products without contraction, and the crate's own functions.

use super::{elements, number, read, scalars, tensor, vector};
use poorgrad::{Elementary, Network, Tensor};

#[test]
fn b70_recorded_additions_keep_their_order() {
    let chain = |numbers: &[f64]| {
        let inputs = numbers.to_vec();
        read(&inputs, |v| v[1..].iter().fold(v[0], |sum, x| sum + *x)).value
    };
    assert_eq!(chain(&[1e16, 1.0, -1e16, 1.0]), 1.0);
    assert_eq!(chain(&[0.1; 10]).to_bits(), 0x3FEF_FFFF_FFFF_FFFF);
    let inputs = [1e8_f32, 1.0, -1e8, 1.0];
    read(&inputs, |v| v[1..].iter().fold(v[0], |sum, x| sum + *x)).value_is(&[1.0]);
    let tenths = read(&[0.1_f32; 10], |v| v[1..].iter().fold(v[0], |sum, x| sum + *x)).value;
    assert_eq!(tenths.to_bits(), 0x3F80_0001);
}

#[test]
fn b70_a_sum_has_sixteen_lanes_and_joins_them_by_a_tree() {
    elements!(E => {
        // Lanes 0 and 2 cancel before lanes 1 and 3 come in.
        let big = if E::BYTES == 4 { 1e8 } else { 1e16 };
        read(&[vector::<E>(&[big, 1.0, -big, 1.0])], |v| v[0].sum()).value_is(&[2.0]);
        let lanes = |mut lanes: [E; 16]| {
            for width in [8, 4, 2, 1] {
                for lane in 0..width {
                    lanes[lane] += lanes[lane + width];
                }
            }
            lanes[0]
        };
        // 33 numbers: the first lane takes three, the others two.
        let number = |at: usize| 1.0 / (at as E + 3.0);
        let mut all = [0.0; 16];
        (0..33).for_each(|at| all[at % 16] += number(at));
        let x = Tensor::<E>::from_fn([33], |at| number(at[0]));
        let sum = read(&[x], |v| v[0].sum()).value.item();
        assert_eq!(sum.to_bits(), lanes(all).to_bits());
    });
}

/// A number whose square is below the rounding of 1, but not below a fused product's.
fn small<E: Elementary>() -> f64 {
    1.0 / if E::BYTES == 4 { f64::from(1 << 13) } else { f64::from(1 << 27) }
}

#[test]
fn b70_nothing_is_contracted() {
    // The square of 1 + e is 1 + 2e + e^2: rounding the product drops e^2, a fused one keeps it.
    elements!(E => {
        let e = small::<E>();
        let (a, square) = (1.0 + e, 1.0 + 2.0 * e);
        let row = tensor::<E>([1, 2], &[a, -1.0]);
        let column = tensor::<E>([2, 1], &[a, square]);
        read(&[row, column], |v| v[0].matmul(v[1])).value_is(&[0.0]);
        let (row, column) = (tensor::<E>([1, 2], &[-1.0, a]), tensor::<E>([2, 1], &[square, a]));
        read(&[row, column], |v| v[0].matmul(v[1])).value_is(&[0.0]);
        let wide = Tensor::<E>::full([100], E::from_f64(a));
        let minus = Tensor::<E>::full([100], E::from_f64(square));
        read(&[wide, minus], |v| v[0] * v[0] - v[1]).value_is(&[0.0; 100]);
    });
    scalars!(P => {
        let e = small::<<P as poorgrad::Differentiable>::Element>();
        read(&[number::<P>(1.0 + e), number(1.0 + 2.0 * e)], |v| v[0] * v[0] - v[1])
            .value_is(&[0.0]);
    });
}

/// The same in debug, in release with overflow checked, and by `cargo xtask cross native` with every
/// instruction of the processor, as the goldens are.
#[test]
fn b76_rosenbrock_golden() {
    scalars!(P => {
        read(&[number::<P>(3.0), number(5.0)], |v| {
            let (x, y) = (v[0], v[1]);
            let (left, right) = (x.literal(1.0) - x, y - x * x);
            left * left + x.literal(100.0) * right * right
        })
        .value_is(&[1604.0])
        .gradient_is(0, &[4804.0])
        .gradient_is(1, &[-800.0]);
    });
}

#[test]
fn b90_c_functions_are_the_same_everywhere() {
    let bits = |x: f64, f: fn(poorgrad::Value<'_, f64>) -> poorgrad::Value<'_, f64>| {
        let network = Network::new();
        let y = f(network.input(x));
        network.forward().of(y).to_bits()
    };
    assert_eq!(bits(1.0, |x| x.exp()), 0x4005_BF0A_8B14_5769);
    assert_eq!(bits(-0.5, |x| x.exp()), 0x3FE3_68B2_FC6F_960A);
    assert_eq!(bits(3.0, |x| x.ln()), 0x3FF1_93EA_7AAD_030B);
    assert_eq!(bits(10.0, |x| x.ln()), 0x4002_6BB1_BBB5_5516);
    assert_eq!(bits(0.5, |x| x.tanh()), 0x3FDD_9353_D756_8AF3);
    assert_eq!(bits(1.0, |x| x.sin()), 0x3FEA_ED54_8F09_0CEE);
}
