//! Convolution and pooling, written with windows.

use super::{counted, elements, read, tensor, vector};
use poorgrad::{Tensor, Tensorial, Value};

/// A convolution of `[n, c, h, w]` with filters `[f, c, kh, kw]`, step 1, no padding.
fn convolution<'n, P: Tensorial>(x: Value<'n, P>, w: Value<'n, P>) -> Value<'n, P> {
    let (kh, kw) = (w.shape()[2], w.shape()[3]);
    let (filters, taps) = (w.shape()[0], w.shape()[1] * kh * kw);
    let windows = x.unfold(2, kh, 1, 1).unfold(3, kw, 1, 1);
    let (n, oh, ow) = (x.shape()[0], windows.shape()[2], windows.shape()[3]);
    let columns = windows.permute(&[0, 2, 3, 1, 4, 5]).reshape([n * oh * ow, taps]);
    let product = columns.matmul(w.reshape([filters, taps]).transpose());
    product.reshape([n, oh, ow, filters]).permute(&[0, 3, 1, 2])
}

fn max_pool<'n, P: Tensorial>(x: Value<'n, P>, size: usize) -> Value<'n, P> {
    x.unfold(0, size, 1, 1).unfold(1, size, 1, 1).max_along(&[2, 3])
}

#[test]
fn b47_a_convolution_neither_flips_nor_transposes_its_filter() {
    elements!(E => {
        let (x, w) = (counted::<E>([1, 1, 3, 3], 1), counted([1, 1, 2, 2], 1));
        read(&[x, w], |v| convolution(v[0], v[1])).value_is(&[37.0, 47.0, 67.0, 77.0]);
    });
}

#[test]
fn b48_channels_and_samples_accumulate() {
    elements!(E => {
        let eight = counted::<E>([1, 2, 2, 2], 1);
        let numbers = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.0];
        read(&[eight.clone(), eight], |v| convolution(v[0], v[1]))
            .value_is(&[204.0])
            .gradient_is(0, &numbers)
            .gradient_is(1, &numbers);
        let (batch, tap) = (counted::<E>([2, 1, 2, 2], 1), tensor([1, 1, 1, 1], &[3.0]));
        read(&[batch, tap], |v| convolution(v[0], v[1]))
            .gradient_is(0, &[3.0; 8])
            .gradient_is(1, &[36.0]);
    });
}

#[test]
fn b49_a_fold_of_overlapping_windows_adds() {
    elements!(E => {
        read(&[Tensor::<E>::ones([3, 3])], |v| {
            let windows = v[0].unfold(0, 2, 1, 1).unfold(1, 2, 1, 1);
            windows.fold(1, 3, 1, 1).fold(0, 3, 1, 1)
        })
        .value_is(&[1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0])
        .gradient_is(0, &[1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0]);
    });
}

#[test]
fn b51_overlapping_windows_with_one_maximum_add_their_gradients() {
    elements!(E => {
        let x = tensor::<E>([3, 3], &[1.0, 2.0, 3.0, 4.0, 9.0, 5.0, 6.0, 7.0, 8.0]);
        read(&[x], |v| max_pool(v[0], 2))
            .value_is(&[9.0; 4])
            .gradient_is(0, &[0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
    });
}

#[test]
fn b52_a_tie_in_a_window_goes_to_the_earliest_position() {
    elements!(E => {
        read(&[Tensor::<E>::ones([2, 2])], |v| max_pool(v[0], 2))
            .value_is(&[1.0])
            .gradient_is(0, &[1.0, 0.0, 0.0, 0.0]);
        read(&[tensor::<E>([2, 2], &[0.0, 5.0, 5.0, 0.0])], |v| max_pool(v[0], 2))
            .value_is(&[5.0])
            .gradient_is(0, &[0.0, 1.0, 0.0, 0.0]);
        read(&[tensor::<E>([2, 2], &[9.0, f64::NAN, 5.0, f64::NAN])], |v| max_pool(v[0], 2))
            .value_is(&[f64::NAN])
            .gradient_is(0, &[0.0, 1.0, 0.0, 0.0]);
    });
}

#[test]
fn b55_an_average_divides_forward_and_backward_alike() {
    elements!(E => {
        read(&[counted::<E>([5], 1)], |v| v[0].unfold(0, 2, 2, 1).mean_along(&[1]))
            .value_is(&[1.5, 3.5])
            .gradient_is(0, &[0.5, 0.5, 0.5, 0.5, 0.0]);
    });
}

#[test]
fn b72_a_crop_and_a_pad_do_not_cancel() {
    elements!(E => {
        read(&[vector::<E>(&[669.0, -763.0])], |v| {
            v[0].narrow(0, 1, 1).pad(0, 1, 0, 0.0).unfold(0, 2, 1, 1).sum_along(&[1])
        })
        .value_is(&[-763.0]);
        read(&[tensor::<E>([1, 1, 1, 2], &[669.0, -763.0]), Tensor::ones([1, 1, 1, 2])], |v| {
            convolution(v[0].narrow(3, 1, 1).pad(3, 1, 0, 0.0), v[1])
        })
        .value_is(&[-763.0]);
    });
}
