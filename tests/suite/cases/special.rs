//! NaN, zeros of both signs, infinities, subnormals, nothing at all.

use super::{elements, number, read, scalars, tensor, vector};
use poorgrad::{Compile, Elementary, Network, Tensor, TensorError};

const INF: f64 = f64::INFINITY;
const NAN: f64 = f64::NAN;

#[test]
fn b31_relu_keeps_nan() {
    elements!(E => {
        read(&[vector::<E>(&[NAN, INF, -INF, 1.5, -1.5, -0.0, 0.0])], |v| v[0].relu())
            .value_is(&[NAN, INF, 0.0, 1.5, 0.0, 0.0, 0.0])
            .gradient_is(0, &[0.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0]);
    });
}

#[test]
fn b32_a_maximum_propagates_nan_from_anywhere() {
    elements!(E => {
        for row in [[3.0, 1.0, 7.0, NAN], [NAN, 3.0, 1.0, 7.0], [NAN; 4]] {
            read(&[vector::<E>(&row)], |v| v[0].max_along(&[0])).value_is(&[NAN]);
        }
    });
    scalars!(P => {
        for (a, b) in [(NAN, 1.0), (1.0, NAN), (NAN, NAN), (NAN, INF)] {
            read(&[number::<P>(a), number(b)], |v| v[0].maximum(v[1])).value_is(&[NAN]);
            read(&[number::<P>(a), number(b)], |v| v[0].minimum(v[1])).value_is(&[NAN]);
        }
        read(&[number::<P>(-0.0), number(0.0)], |v| v[0].maximum(v[1])).value_is(&[0.0]);
        read(&[number::<P>(0.0), number(-0.0)], |v| v[0].maximum(v[1])).value_is(&[0.0]);
        read(&[number::<P>(0.0), number(-0.0)], |v| v[0].minimum(v[1])).value_is(&[-0.0]);
        read(&[number::<P>(-0.0), number(0.0)], |v| v[0].minimum(v[1])).value_is(&[-0.0]);
    });
}

#[test]
fn b33_a_maximum_starts_at_no_finite_number() {
    elements!(E => {
        let largest = |row: &[f64], expected| {
            read(&[vector::<E>(row)], |v| v[0].max_along(&[0])).value_is(&[expected]);
        };
        largest(&[-32768.0, -32767.0], -32767.0);
        largest(&[-INF, -INF], -INF);
        largest(&[-3e38], -3e38);
        largest(&[-0.0, 0.0], 0.0);
        largest(&[-0.0, -0.0], -0.0);
        read(&[vector::<E>(&[32768.0, 32767.0])], |v| -((-v[0]).max_along(&[0]))).value_is(&[32767.0]);
        let network = Network::new();
        let empty = network.input(Tensor::<E>::zeros([2, 0]));
        assert_eq!(empty.try_max_along(&[1]).unwrap_err().constraint(), Some(2));
    });
}

#[test]
fn b35_sums_of_nothing_and_of_negative_zeros() {
    elements!(E => {
        read(&[Tensor::<E>::zeros([0])], |v| v[0].sum()).value_is(&[0.0]);
        read(&[Tensor::<E>::zeros([3, 0])], |v| v[0].sum_along(&[1])).value_is(&[0.0; 3]);
        read(&[vector::<E>(&[-0.0])], |v| v[0].sum()).value_is(&[0.0]);
        read(&[Tensor::<E>::full([5], -0.0)], |v| v[0].sum()).value_is(&[0.0]);
        let inner = [Tensor::<E>::zeros([2, 0]), Tensor::zeros([0, 2])];
        read(&inner, |v| v[0].matmul(v[1])).value_is(&[0.0; 4]);
    });
    scalars!(P => {
        // An input that nothing uses.
        read(&[number::<P>(3.0), number(5.0)], |v| -v[0]).gradient_is(1, &[0.0]);
    });
}

#[test]
fn b36_positions_and_draws_on_ties_and_nan() {
    elements!(E => {
        assert_eq!(vector::<E>(&[1.0, 3.0, 3.0, 2.0]).argmax_along(0), [1]);
        assert_eq!(vector::<E>(&[1.0, NAN, 3.0, NAN]).argmax_along(0), [1]);
        for weights in [[0.0, 0.0], [1.0, NAN], [1.0, -1.0], [INF, 1.0]] {
            let drawn = vector::<E>(&weights).categorical(7);
            assert!(matches!(drawn, Err(TensorError::Weights { row: 0, .. })), "{weights:?}");
        }
        assert_eq!(vector::<E>(&[0.0, 5.0, 0.0]).categorical(7), Ok(vec![1]));
    });
}

#[test]
fn b37_subnormals_are_numbers() {
    scalars!(P => {
        read(&[number::<P>(1e-40)], |v| {
            let zero = v[0].literal(0.0);
            v[0].gt(zero) - v[0].lt(zero)
        })
        .value_is(&[1.0]);
    });
    let small = vector::<f32>(&[1e-20]);
    let product = read(&[small.clone(), small], |v| v[0].dot(v[1]));
    assert_eq!(product.value.item().to_bits(), 0x0001_16C2);
    let small = vector::<f64>(&[1e-160]);
    let product = read(&[small.clone(), small], |v| v[0].dot(v[1]));
    assert_eq!(product.value.item().to_bits(), 0x7E8);
}

#[test]
fn b39_a_run_leaves_nothing_to_the_next() {
    elements!(E => {
        let (a, b) = (super::counted::<E>([7, 5], 1), super::counted([5, 3], 3));
        let image = super::counted::<E>([1, 1, 5, 5], 1);
        let network = Network::new();
        let (x, w) = (network.input(a.clone()), network.input(b.clone()));
        let pixels = network.input(image.clone());
        let windows = pixels.unfold(2, 2, 1, 1).unfold(3, 2, 1, 1).reshape([16, 4]);
        let filter = network.leaf(tensor::<E>([4, 1], &[1.0, 2.0, 3.0, 4.0]));
        let y = x.matmul(w).sum() + windows.matmul(filter).sum();
        let clean = network.forward();
        let nan = |like: &Tensor<E>| Tensor::full(like.shape(), E::from_f64(NAN));
        let poisoned = network.forward_with([(x, nan(&a)), (w, nan(&b)), (pixels, nan(&image))]);
        assert!(poisoned.of(y).item().is_nan());
        assert!(poisoned.backward(y).of(x).to_vec().iter().all(|g| g.is_nan()));
        let again = network.forward();
        assert_eq!(testkit::bits::first_difference(&network, &clean, &again), None);
        let (left, right) = (clean.backward(y), again.backward(y));
        assert_eq!(testkit::bits::first_gradient_difference(&network, &left, &right), None);

        // One plan, whose second run takes the memory of the first over, against a fresh one.
        let compile = || {
            let inputs = [x, w, pixels];
            inputs.into_iter().fold(Compile::new(&network).loss(y), Compile::gradients_of).plan()
        };
        let plan = compile();
        let feeds = [(x, &a), (w, &b), (pixels, &image)];
        let poisoned = plan.forward(&network, feeds.map(|(of, like)| (of.symbol(), nan(like))));
        assert!(poisoned.of(y).item().is_nan());
        assert!(poisoned.backward(y).of(x).to_vec().iter().all(|g| g.is_nan()));
        drop(poisoned);
        let (second, fresh) = (plan.forward(&network, []), compile().forward(&network, []));
        for run in [&second, &fresh] {
            assert!(run.of(y).is_identical(&clean.of(y)));
            for (of, _) in feeds {
                assert!(run.backward(y).of(of).is_identical(&left.of(of)));
            }
        }
    });
}
