//! The chain rule: shared values, repeated rows, broadcasts, parts.

use super::{counted, elements, number, read, scalars, tensor, vector};
use poorgrad::{Network, Tensor, Value};

#[test]
fn b01_a_reused_value_sums_over_all_paths() {
    scalars!(P => {
        read(&[number::<P>(1.0)], |v| {
            let b = v[0] + v[0];
            b + b
        })
        .value_is(&[4.0])
        .gradient_is(0, &[4.0]);
        read(&[number::<P>(2.0), number(3.0)], |v| {
            let (c, d) = (v[0] + v[1], v[0] * v[1]);
            (c + d) + (c * d)
        })
        .value_is(&[41.0])
        .gradient_is(0, &[25.0])
        .gradient_is(1, &[19.0]);
    });
}

#[test]
fn b04_a_row_gathered_twice_gets_both_contributions() {
    elements!(E => {
        let at = Tensor::<E>::selection(&[0, 0], 1);
        read(&[tensor([1, 1], &[0.1]), at], |v| {
            let upstream = v[0].network().leaf(tensor([2, 1], &[0.25, 0.5]));
            v[0].gather(v[1]) * upstream
        })
        .gradient_is(0, &[0.75]);
        let at = Tensor::<E>::selection(&[1, 1, 0], 3);
        read(&[counted([3, 2], 0), at], |v| v[0].gather(v[1]))
            .value_is(&[2.0, 3.0, 2.0, 3.0, 0.0, 1.0])
            .gradient_is(0, &[1.0, 1.0, 2.0, 2.0, 0.0, 0.0]);
        assert!(Tensor::<E>::try_selection(&[3], 3).is_err());
    });
}

#[test]
fn b05_a_slice_broadcast_against_its_own_source() {
    elements!(E => {
        read(&[counted::<E>([4], 1)], |v| v[0].narrow(0, 0, 1).broadcast_like(v[0]) * v[0])
            .value_is(&[1.0, 2.0, 3.0, 4.0])
            .gradient_is(0, &[11.0, 1.0, 1.0, 1.0]);
    });
}

#[test]
fn b06_a_bias_is_broadcast_by_name_only() {
    elements!(E => {
        let network = Network::new();
        let column = network.input(tensor::<E>([2, 1], &[1.0, 1.0]));
        let row = network.input(tensor([1, 3], &[1.0, 2.0, 3.0]));
        assert!(column.try_add(row).is_err());
        let inputs = [counted::<E>([2, 3], 1), tensor([3, 1], &[1.0; 3]), counted([1, 3], 1)];
        let reading = read(&inputs, |v| {
            let product = v[0].matmul(v[1]).broadcast_to([2, 3]);
            product + v[2].broadcast_like(product)
        });
        reading.value_is(&[7.0, 8.0, 9.0, 16.0, 17.0, 18.0]);
        read(&inputs, |v| {
            let product = v[0].matmul(v[1]).broadcast_to([2, 3]);
            let y = product + v[2].broadcast_like(product);
            (y * y).sum()
        })
        .value_is(&[1063.0])
        .gradient_is(2, &[46.0, 50.0, 54.0])
        .gradient_is(1, &[456.0, 606.0, 756.0])
        .gradient_is(0, &[48.0, 48.0, 48.0, 102.0, 102.0, 102.0]);
    });
}

#[test]
fn b07_a_broadcast_reduces_in_the_gradient() {
    elements!(E => {
        read(&[tensor::<E>([], &[1.0])], |v| {
            let many = v[0].exp().broadcast_to([1000]);
            (v[0].exp() - v[0].literal(0.0)) + (many - many.literal(0.0)).sum()
        })
        .gradient_within(2, 0, &[f64::from_bits(0x40A5_4200_0E74_A273)]);
    });
}

#[test]
fn b09_subtracting_the_mean() {
    elements!(E => {
        read(&[counted::<E>([4], 1)], |v| v[0] - v[0].mean().broadcast_like(v[0]))
            .value_is(&[-1.5, -0.5, 0.5, 1.5])
            .gradient_is(0, &[0.0; 4]);
        read(&[counted::<E>([4], 1)], |v| {
            let upstream = v[0].network().leaf(vector(&[1.0, 0.0, 0.0, 0.0]));
            (v[0] - v[0].mean().broadcast_like(v[0])) * upstream
        })
        .gradient_is(0, &[0.75, -0.25, -0.25, -0.25]);
    });
}

#[test]
fn b10_parts_of_a_concatenation_get_their_own_gradients() {
    elements!(E => {
        read(&[counted::<E>([6], 1), vector(&[10.0, 20.0])], |v| {
            Value::concat(&[v[0].narrow(0, 0, 2), v[1], v[0].narrow(0, 4, 2)], 0).sum()
        })
        .value_is(&[44.0])
        .gradient_is(0, &[1.0, 1.0, 0.0, 0.0, 1.0, 1.0])
        .gradient_is(1, &[1.0, 1.0]);
        read(&[counted::<E>([1, 3], 0), counted([2, 3], 3)], |v| {
            let upstream = v[0].network().leaf(counted([3, 3], 1));
            Value::concat(&[v[0], v[1]], 0) * upstream
        })
        .gradient_is(0, &[1.0, 2.0, 3.0])
        .gradient_is(1, &[4.0, 5.0, 6.0, 7.0, 8.0, 9.0]);
    });
}

#[test]
fn b11_elementary_derivatives() {
    scalars!(P => {
        let x = |value| [number::<P>(value)];
        read(&x(4.0), |v| v[0].sqrt()).value_is(&[2.0]).gradient_is(0, &[0.25]);
        read(&x(2.0), |v| v[0].ln()).gradient_is(0, &[0.5]);
        read(&x(-2.0), |v| v[0].literal(1.0) / v[0]).value_is(&[-0.5]).gradient_is(0, &[-0.25]);
        read(&x(-2.0), |v| v[0].powi(3)).value_is(&[-8.0]).gradient_is(0, &[12.0]);
        read(&x(0.0), |v| v[0].tanh()).value_is(&[0.0]).gradient_is(0, &[1.0]);
        read(&x(0.0), |v| v[0].exp()).value_is(&[1.0]).gradient_is(0, &[1.0]);
        read(&x(0.0), |v| v[0].exp_m1()).value_is(&[0.0]).gradient_is(0, &[1.0]);
        read(&x(1.0), |v| v[0].ln_1p()).gradient_is(0, &[0.5]);
        read(&x(0.0), |v| v[0].sin()).value_is(&[0.0]).gradient_is(0, &[1.0]);
        read(&x(0.0), |v| v[0].cos()).value_is(&[1.0]).gradient_is(0, &[-0.0]);
        read(&x(0.0), |v| v[0].sigmoid()).value_is(&[0.5]).gradient_is(0, &[0.25]);
        read(&x(0.0), |v| v[0].erf()).gradient_is(0, &[std::f64::consts::FRAC_2_SQRT_PI]);
        read(&x(0.0), |v| v[0].softplus()).gradient_is(0, &[0.5]);
        read(&x(3.0), |v| v[0] + v[0].literal(1.0)).gradient_is(0, &[1.0]);
        read(&x(3.0), |v| v[0].literal(1.0) - v[0]).gradient_is(0, &[-1.0]);
        read(&x(3.0), |v| v[0] * v[0].literal(5.0)).gradient_is(0, &[5.0]);
        read(&x(3.0), |v| v[0] / v[0].literal(4.0)).gradient_is(0, &[0.25]);
        read(&[number::<P>(2.0), number(3.0)], |v| v[0].powf(v[1]))
            .value_is(&[8.0])
            .gradient_is(0, &[12.0])
            .gradient_within(2, 1, &[8.0 * std::f64::consts::LN_2]);
        read(&[number::<P>(2.0), number(3.0)], |v| v[0].maximum(v[1]))
            .value_is(&[3.0])
            .gradient_is(0, &[0.0])
            .gradient_is(1, &[1.0]);
        read(&[number::<P>(2.0), number(3.0)], |v| v[0].absorb(v[1]))
            .gradient_is(0, &[3.0])
            .gradient_is(1, &[2.0]);
        read(&[number::<P>(2.0), number(4.0)], |v| v[0].absorb_div(v[1]))
            .gradient_is(0, &[0.25])
            .gradient_is(1, &[-0.125]);
    });
}
