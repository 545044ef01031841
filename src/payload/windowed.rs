//! The windowed product: what a convolution computes, defined by the chain of operations that
//! records one.

use super::{Shape, Tensorial};
use crate::kernel::{Elementary, Kernels, Window};

/// `[n, c, h, w]` by weights `[f, c / groups, kh, kw]`: `[n, f, oh, ow]`.
///
/// BITS: one product per group; its `k` runs over (channel, kh, kw).
pub(super) fn windowed_product<P: Tensorial>(
    x: &P,
    weights: &P,
    window: &Window,
    kernels: Kernels,
) -> P {
    let Window { step, dilation, padding, groups } = *window;
    let filters = weights.shape();
    let [f, c, kh, kw] = [filters[0], filters[1], filters[2], filters[3]];
    let zero = P::Element::zero();
    let padded = x.pad(2, padding[0][0], padding[0][1], &zero, kernels);
    let padded = padded.pad(3, padding[1][0], padding[1][1], &zero, kernels);
    let windows = padded.unfold(2, kh, step[0], dilation[0]).unfold(3, kw, step[1], dilation[1]);
    let shape = windows.shape();
    let [n, oh, ow] = [shape[0], shape[2], shape[3]];
    let (depth, part) = (c * kh * kw, f / groups);
    let products: Vec<P> = (0..groups)
        .map(|group| {
            let rows = windows.narrow(1, group * c, c).permute(&[0, 2, 3, 1, 4, 5]);
            let rows = rows.reshape(&Shape::from([n * oh * ow, depth]), kernels);
            let columns = weights.narrow(0, group * part, part);
            let columns = columns.reshape(&Shape::from([part, depth]), kernels).permute(&[1, 0]);
            let product = rows.matmul(&columns, kernels);
            product.reshape(&Shape::from([n, oh, ow, part]), kernels)
        })
        .collect();
    let joint = P::concat(&products.iter().collect::<Vec<_>>(), 3, kernels);
    joint.permute(&[0, 3, 1, 2])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::payload::Tensor;

    fn numbers(shape: [usize; 4], scale: usize) -> Tensor<f64> {
        Tensor::from_fn(shape, |i| {
            ((i[0] * 31 + i[1] * 17 + i[2] * 7 + i[3]) * scale % 11) as f64 - 5.0
        })
    }

    #[test]
    fn it_is_the_loop_over_windows() {
        let x = numbers([2, 4, 7, 6], 3);
        let w = numbers([6, 2, 3, 2], 5);
        let window =
            Window::new().step([2, 1]).dilation([1, 2]).padding([[1, 0], [2, 1]]).groups(2);
        let y = x.windowed_product(&w, &window, Kernels::Reference);
        // Rows: (7 + 1 - 3) / 2 + 1; columns: (6 + 3 - 3) / 1 + 1.
        assert_eq!(*y.shape(), [2, 6, 3, 7]);
        for [n, f, i, j] in (0..252_usize).map(|at| [at / 126, at / 21 % 6, at / 7 % 3, at % 7]) {
            let mut sum = 0.0;
            for [c, p, q] in (0..12_usize).map(|at| [at / 6, at / 2 % 3, at % 2]) {
                let (row, column) = ((i * 2 + p).wrapping_sub(1), (j + q * 2).wrapping_sub(2));
                let channel = f / 3 * 2 + c;
                if let Some(element) = x.get(&[n, channel, row, column]) {
                    sum += element * w.get(&[f, c, p, q]).unwrap();
                }
            }
            assert_eq!(y.get(&[n, f, i, j]), Some(sum));
        }
    }

    #[test]
    fn whatever_the_storage_the_direct_product_has_the_bits_of_the_chain() {
        let window = Window::new().step([1, 2]).padding([[1, 0], [0, 2]]).groups(2);
        let dense = numbers([2, 4, 7, 6], 3);
        let turned = numbers([6, 7, 4, 2], 7).permute(&[3, 2, 1, 0]);
        let constant = Tensor::full([2, 4, 7, 6], 0.1);
        let weights = [numbers([6, 2, 3, 2], 5), numbers([2, 3, 2, 6], 2).permute(&[3, 2, 1, 0])];
        for x in [dense, turned, constant] {
            for w in &weights {
                let native = x.windowed_product(w, &window, Kernels::Native);
                let reference = x.windowed_product(w, &window, Kernels::Reference);
                assert_eq!(native.shape(), reference.shape());
                let bits = |y: &Tensor<f64>| y.iter().map(|x| x.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&native), bits(&reference));
            }
        }
    }
}
