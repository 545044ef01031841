//! Functions far out, where the naive form overflows or cancels.

use super::{elements, number, read, scalars, tensor, vector};
use poorgrad::{Elementary, Tensor};

#[test]
fn b20_the_slope_of_the_sigmoid_far_out() {
    scalars!(P => {
        read(&[number::<P>(-1000.0)], |v| v[0].sigmoid()).value_is(&[0.0]).gradient_is(0, &[0.0]);
        read(&[number::<P>(1000.0)], |v| v[0].sigmoid()).value_is(&[1.0]).gradient_is(0, &[0.0]);
        read(&[number::<P>(1.0)], |v| v[0].sigmoid())
            .value_within(1, &[0.731_058_578_630_004_9])
            .gradient_within(2, 0, &[f64::from_bits(0x3FC9_2A94_6FA3_4394)]);
    });
    let deep = f64::from_bits(0x36EA_8C1F_14E2_AF5D);
    read(&[-100.0_f64], |v| v[0].sigmoid()).value_within(2, &[deep]).gradient_within(2, 0, &[deep]);
    read(&[-548.3162_f32], |v| v[0].sigmoid()).value_is(&[0.0]).gradient_is(0, &[0.0]);
    let exact = read(&[f64::from(-74.2032_f32)], |v| v[0].sigmoid()).value;
    assert!((exact / 5.942_37e-33 - 1.0).abs() < 2e-6);
    read(&[-74.2032_f32], |v| v[0].sigmoid()).value_within(2, &[exact]);
    let subnormal = f64::from(f32::from_bits(0x0000_001B));
    read(&[-100.0_f32], |v| v[0].sigmoid()).value_within(1, &[subnormal]);
}

#[test]
fn b21_softplus_does_not_overflow() {
    scalars!(P => {
        for x in [50.0, 1000.0] {
            read(&[number::<P>(x)], |v| v[0].softplus()).value_is(&[x]).gradient_is(0, &[1.0]);
        }
        for x in [20.0, 50.0, 100.0] {
            read(&[number::<P>(x)], |v| {
                let five = v[0].literal(5.0);
                (v[0] * five).softplus() / five
            })
            .value_is(&[x])
            .gradient_is(0, &[1.0]);
        }
    });
    let deep = f64::from_bits(0x36EA_8C1F_14E2_AF5D);
    read(&[-100.0_f64], |v| v[0].softplus()).value_within(2, &[deep]).gradient_within(
        2,
        0,
        &[deep],
    );
    read(&[20.0_f64], |v| v[0].softplus())
        .value_within(1, &[f64::from_bits(0x4034_0000_0008_DA43)])
        .gradient_within(1, 0, &[0.999_999_997_938_846_4]);
}

#[test]
fn b22_the_logarithm_of_a_sigmoid() {
    scalars!(P => {
        read(&[number::<P>(-1000.0)], |v| v[0].log_sigmoid())
            .value_is(&[-1000.0])
            .gradient_is(0, &[1.0]);
        read(&[number::<P>(-1.0)], |v| v[0].log_sigmoid())
            .value_within(2, &[-1.313_261_687_518_222_8]);
        read(&[number::<P>(0.0)], |v| v[0].log_sigmoid())
            .value_within(1, &[-std::f64::consts::LN_2])
            .gradient_is(0, &[0.5]);
        read(&[number::<P>(40.0)], |v| v[0].log_sigmoid())
            .value_within(2, &[-4.248_354_255_291_589e-18]);
        let far = read(&[number::<P>(1000.0)], |v| v[0].log_sigmoid());
        let mut all_zero = true;
        poorgrad::Differentiable::for_each(&far.value, &mut |x| all_zero &= x.is_zero());
        assert!(all_zero);
    });
}

#[test]
fn b23_tanh_far_out_and_at_zero() {
    scalars!(P => {
        for (x, value, slope) in [
            (800.0, 1.0, 0.0),
            (-800.0, -1.0, 0.0),
            (0.0, 0.0, 1.0),
            (-0.0, -0.0, 1.0),
            (f64::INFINITY, 1.0, 0.0),
            (f64::NEG_INFINITY, -1.0, 0.0),
        ] {
            read(&[number::<P>(x)], |v| v[0].tanh()).value_is(&[value]).gradient_is(0, &[slope]);
        }
        read(&[number::<P>(0.5)], |v| v[0].tanh())
            .value_within(1, &[0.462_117_157_260_009_74])
            .gradient_within(2, 0, &[0.786_447_732_965_927_4]);
    });
}

#[test]
fn b25_softmax_is_shifted() {
    let shifted = [0.090_030_573_170_380_46, 0.244_728_471_054_797_64, 0.665_240_955_774_821_9];
    elements!(E => {
        let far = read(&[vector::<E>(&[1000.0, 1001.0, 1002.0])], |v| v[0].softmax(0));
        far.value_within(2, &shifted);
        let near = read(&[vector::<E>(&[0.0, 1.0, 2.0])], |v| v[0].softmax(0));
        assert!(far.value.is_identical(&near.value));
        read(&[vector::<E>(&[1000.0, 0.0])], |v| v[0].log_softmax(0)).value_is(&[0.0, -1000.0]);
        let largest = if E::BYTES == 4 { 3e38 } else { 1e308 };
        read(&[vector::<E>(&[-largest, largest])], |v| v[0].softmax(0)).value_is(&[0.0, 1.0]);
    });
}

#[test]
fn b26_log_sum_exp_of_infinities() {
    const INF: f64 = f64::INFINITY;
    elements!(E => {
        let of = |row: &[f64]| read(&[vector::<E>(row)], |v| v[0].log_sum_exp(0));
        of(&[-INF, -INF]).value_is(&[-INF]);
        of(&[INF, 0.0]).value_is(&[INF]);
        of(&[-INF]).value_is(&[-INF]);
        of(&[-INF, 1.0]).value_is(&[1.0]).gradient_is(0, &[0.0, 1.0]);
        // No element leads: -inf - (-inf) is NaN, and so is every slope.
        of(&[-INF, -INF]).gradient_is(0, &[f64::NAN, f64::NAN]);
    });
}

#[test]
fn b27_cross_entropy_with_an_impossible_class() {
    const INF: f64 = f64::INFINITY;
    elements!(E => {
        let loss = |logits: &[f64], target: &[f64]| {
            read(&[vector::<E>(logits), vector(target)], |v| {
                -(v[1].absorb(v[0].log_softmax(0)).sum())
            })
        };
        let possible = loss(&[-INF, 0.0], &[0.0, 1.0]);
        assert_eq!(possible.value.item(), 0.0);
        possible.gradient_is(0, &[0.0, 0.0]);
        loss(&[-INF, 0.0], &[1.0, 0.0]).value_is(&[INF]);
        let soft = read(&[vector::<E>(&[0.0, -INF])], |v| {
            -(v[0].softmax(0).absorb(v[0].log_softmax(0)).sum())
        });
        assert_eq!(soft.value.item(), 0.0);
    });
}

#[test]
fn b28_a_fully_masked_row_leaves_the_others_alone() {
    const INF: f64 = f64::INFINITY;
    elements!(E => {
        let x = tensor::<E>([2, 2], &[0.0, 0.0, -INF, -INF]);
        read(std::slice::from_ref(&x), |v| v[0].log_softmax(1).narrow(0, 0, 1).narrow(1, 0, 1))
            .value_within(1, &[-std::f64::consts::LN_2])
            .gradient_is(0, &[0.5, -0.5, 0.0, 0.0]);
        let rows = Tensor::to_vec(&read(&[x], |v| v[0].log_softmax(1)).value);
        assert!(rows[2].is_nan() && rows[3].is_nan());
    });
}

#[test]
fn b29_a_nan_contaminates_its_whole_row_and_no_other() {
    const INF: f64 = f64::INFINITY;
    elements!(E => {
        let x = tensor::<E>([2, 3], &[f64::NAN, INF, -INF, 1.0, 2.0, 3.0]);
        let row = [-2.407_605_964_444_38, -1.407_605_964_444_380_4, -0.407_605_964_444_380_4];
        let reading = read(&[x], |v| v[0].log_softmax(1));
        assert!(reading.value.to_vec()[..3].iter().all(|x| x.is_nan()));
        super::compare("row", &reading.value.narrow(0, 1, 1), &row, 2);
    });
}
