//! Poles, kinks and branches that are not taken.

use super::{elements, number, read, scalars, tensor, vector};
use poorgrad::{Network, Tensor};

#[test]
fn b12_an_unselected_branch_does_not_poison_the_gradient() {
    scalars!(P => {
        read(&[number::<P>(1.0)], |v| {
            let never = v[0].literal(0.0);
            never.select(v[0] / v[0].literal(0.0), v[0])
        })
        .value_is(&[1.0])
        .gradient_is(0, &[1.0]);
        read(&[number::<P>(-1.0)], |v| {
            let zero = v[0].literal(0.0);
            v[0].gt(zero).select(v[0].ln(), zero)
        })
        .value_is(&[0.0])
        .gradient_is(0, &[0.0]);
    });
}

#[test]
fn b14_powers_of_a_negative_base() {
    scalars!(P => {
        for (exponent, value, slope) in [(2, 4.0, -4.0), (3, -8.0, 12.0), (-1, -0.5, -0.25)] {
            read(&[number::<P>(-2.0)], |v| v[0].powi(exponent))
                .value_is(&[value])
                .gradient_is(0, &[slope]);
            read(&[number::<P>(-2.0)], |v| v[0].powf(v[0].literal(f64::from(exponent))))
                .value_is(&[value])
                .gradient_is(0, &[slope]);
        }
        read(&[number::<P>(-8.0)], |v| v[0].powf(v[0].literal(1.0 / 3.0)))
            .value_is(&[f64::NAN])
            .gradient_is(0, &[f64::NAN]);
    });
}

#[test]
fn b15_a_product_with_zero_factors() {
    let cases: [(&[f64], &[f64]); 5] = [
        (&[0.0, 2.0, 3.0], &[6.0, 0.0, 0.0]),
        (&[2.0, 0.0, 4.0], &[0.0, 8.0, 0.0]),
        (&[4.0, 0.0], &[0.0, 4.0]),
        (&[0.0, 0.0, 3.0], &[0.0, 0.0, 0.0]),
        (&[2.0, 3.0, 0.0, 0.0], &[0.0, 0.0, 0.0, 0.0]),
    ];
    scalars!(P => {
        for (factors, slopes) in cases {
            let inputs: Vec<P> = factors.iter().map(|factor| number(*factor)).collect();
            let reading =
                read(&inputs, |v| v[1..].iter().fold(v[0], |product, factor| product * *factor));
            for (input, slope) in slopes.iter().enumerate() {
                reading.gradient_is(input, &[*slope]);
            }
        }
    });
    let network = Network::new();
    let v = [2.0, 3.0, 0.0, 0.0].map(|factor| network.input(factor));
    let product = v[1..].iter().fold(v[0], |product, factor| product * *factor);
    let first = network.differentiate(product, v);
    for (row, first) in first.iter().enumerate() {
        let second = network.differentiate(*first, v);
        let run = network.forward();
        for (column, second) in second.iter().enumerate() {
            let expected = if (row.min(column), row.max(column)) == (2, 3) { 6.0 } else { 0.0 };
            assert_eq!(run.of(*second), expected, "H[{row}, {column}]");
        }
    }
}

#[test]
fn b16_a_norm_at_its_kink_stays_honest_and_is_named() {
    elements!(E => {
        let zeros = [vector::<E>(&[0.0; 3])];
        read(&zeros, |v| (v[0] * v[0]).sum().sqrt()).value_is(&[0.0]).gradient_is(0, &[f64::NAN; 3]);
        read(&zeros, |v| {
            let squares = (v[0] * v[0]).sum();
            (squares + squares.literal(1e-12)).sqrt()
        })
        .value_within(1, &[1e-6])
        .gradient_is(0, &[0.0; 3]);
        read(&[vector::<E>(&[1.0, 1.0])], |v| v[0].variance_along(&[0]))
            .value_is(&[0.0])
            .gradient_is(0, &[0.0, 0.0]);
    });
    let network = Network::new();
    let x = network.input(Tensor::from([0.0_f64; 3]));
    let squares = (x * x).sum().named("squares");
    let norm = squares.sqrt().named("norm");
    let found = network.forward().backward(norm).first_nonfinite();
    // The cotangent that the root hands to its operand is the first that is not finite, and it is
    // the root that is named.
    let found = found.expect("an infinite cotangent");
    assert_eq!((found.operation(), found.element()), ("sqrt", f64::INFINITY));
    assert_eq!((found.symbol(), found.receiver()), (norm.symbol(), Some(squares.symbol())));
    assert_eq!((found.label(), found.position()), (Some("norm"), 0));
    assert!(found.place().contains("singular.rs:"), "{}", found.place());
    assert_eq!(found.operands().collect::<Vec<_>>(), [(squares.symbol(), None)]);
    let text = found.to_string();
    assert!(text.contains(r#"sqrt "norm" (recorded at"#) && text.contains("the cotangent inf"));
    assert!(text.contains(r#"to %2 = sum "squares""#), "{text}");
    // A root alone hands it to the input; so does a gradient for the input only.
    let network = Network::new();
    let x = network.input(0.0_f64);
    let y = x.sqrt();
    let run = network.forward();
    for gradients in [run.backward(y), run.backward_for(y, [x])] {
        assert_eq!(gradients.first_nonfinite().map(|found| found.operation()), Some("sqrt"));
    }
    // A field that is no gradient any more names who holds the element.
    let scaled = run.backward(y).map(|g| g * 2.0).first_nonfinite().expect("an infinity");
    assert_eq!((scaled.operation(), scaled.receiver()), ("input", None));
    // Several consumers: the first whose cotangent is added, and the others.
    let _late = y + 1.0;
    let z = y + x.sqrt();
    let found = network.forward().backward(z).first_nonfinite().expect("an infinity");
    assert_eq!((found.operation(), found.receiver()), ("sqrt", Some(x.symbol())));
    assert!(found.to_string().contains("or it comes from %1 = sqrt"), "{found}");
}

#[test]
fn b17_a_norm_below_its_floor_has_no_gradient() {
    scalars!(P => {
        read(&[number::<P>(0.0), number(0.0)], |v| {
            let norm = (v[0] * v[0] + v[1] * v[1]).sqrt();
            norm.maximum(norm.literal(1e-10))
        })
        .value_is(&[1e-10])
        .gradient_is(0, &[0.0])
        .gradient_is(1, &[0.0]);
    });
}

#[test]
fn b18_a_clamp_after_an_overflow() {
    scalars!(P => {
        for x in [100.0, 1000.0] {
            read(&[number::<P>(x)], |v| v[0].exp().minimum(v[0].literal(1.0)))
                .value_is(&[1.0])
                .gradient_is(0, &[0.0]);
            read(&[number::<P>(x)], |v| v[0].exp().clamp(0.0, 1.0))
                .value_is(&[1.0])
                .gradient_is(0, &[0.0]);
        }
        let e = std::f64::consts::E;
        read(&[number::<P>(-1.0)], |v| v[0].exp().minimum(v[0].literal(1.0)))
            .value_within(1, &[1.0 / e])
            .gradient_within(1, 0, &[1.0 / e]);
    });
}

#[test]
fn b18_a_saturated_gelu_does_not_poison_the_gradient() {
    scalars!(P => {
        for x in [40.0, 1e30] {
            read(&[number::<P>(x)], |v| v[0].gelu()).value_is(&[x]).gradient_is(0, &[1.0]);
            read(&[number::<P>(-x)], |v| v[0].gelu()).gradient_is(0, &[0.0]);
        }
    });
}

#[test]
fn b14_conventions_of_a_power_at_zero() {
    scalars!(P => {
        let at = |x: f64, y: f64| read(&[number::<P>(x), number(y)], |v| v[0].powf(v[1]));
        at(0.0, 0.0).value_is(&[1.0]);
        at(0.0, 2.0).value_is(&[0.0]).gradient_is(0, &[0.0]).gradient_is(1, &[0.0]);
        at(0.0, 1.5).gradient_is(0, &[0.0]);
        at(0.0, 1.0).gradient_is(0, &[1.0]).gradient_is(1, &[0.0]);
        at(0.0, 0.5).gradient_is(1, &[0.0]);
    });
}

#[test]
fn b12_a_masked_sum_ignores_what_it_masks() {
    elements!(E => {
        let x = tensor::<E>([2, 2], &[1.0, 0.0, 4.0, 0.0]);
        read(&[x], |v| {
            let positive = v[0].gt(v[0].literal(0.0));
            positive.select(v[0].literal(1.0) / v[0] + v[0].ln(), v[0].literal(0.0))
        })
        .gradient_is(0, &[0.0, 0.0, -0.0625 + 0.25, 0.0]);
    });
}
