//! Products of odd shapes, and kernels that must read the logical view.

use super::{counted, elements, read, tensor};
use poorgrad::{Tensor, Value};

fn pattern<E: poorgrad::Elementary>(rows: usize, columns: usize, right: bool) -> Tensor<E> {
    Tensor::from_fn([rows, columns], |at| {
        let number = if right { (2 * at[0] + 11 * at[1]) % 5 } else { (3 * at[0] + 5 * at[1]) % 7 };
        E::from_f64(number as f64 - if right { 2.0 } else { 3.0 })
    })
}

#[test]
fn b41_products_of_odd_shapes() {
    elements!(E => {
        let a = Tensor::<E>::from_fn([45, 33], |at| (33 * at[0] + at[1]) as E);
        let product = read(&[a.clone(), Tensor::eye(33)], |v| v[0].matmul(v[1]));
        assert!(product.value.is_identical(&a));
        assert_eq!(product.value.get(&[44, 32]), Some(1484.0));
        for k in [8, 7] {
            let rows = Tensor::<E>::from_fn([k, 3], |at| (at[1] + 1) as E);
            let expected: Vec<f64> = (0..9).map(|i| (k * (i % 3 + 1)) as f64).collect();
            read(&[Tensor::ones([3, k]), rows], |v| v[0].matmul(v[1])).value_is(&expected);
        }
        let row = tensor::<E>([1, 2], &[1.0, 2.0]);
        read(&[row.clone(), row.transpose()], |v| v[0].matmul(v[1])).value_is(&[5.0]);
        let cases = [
            ([7, 5, 3], [11.0, 3.0, 0.0, 938.0]),
            ([1, 1, 1], [6.0, 6.0, 6.0, 36.0]),
            ([17, 1, 33], [6.0, 0.0, 0.0, 4810.0]),
            ([1, 257, 1], [5.0, 5.0, 5.0, 25.0]),
            ([13, 31, 29], [-4.0, -6.0, -2.0, 14276.0]),
        ];
        for ([m, k, n], expected) in cases {
            let (a, b) = (pattern::<E>(m, k, false), pattern::<E>(k, n, true));
            // `read` also runs both operands as transposed and as narrowed views.
            let c = read(&[a, b], |v| v[0].matmul(v[1])).value;
            let all = c.to_vec();
            let sums = all.iter().fold([0.0, 0.0], |[sum, squares], x| [sum + x, squares + x * x]);
            let found = [all[0], all[all.len() - 1], sums[0], sums[1]].map(f64::from);
            assert_eq!(found, expected, "{m} x {k} x {n}");
        }
    });
}

#[test]
fn b42_softmax_of_a_transposed_value() {
    let row = [0.000_329_320_438_963_892_93, 0.017_980_286_735_531_547, 0.981_690_392_825_504_5];
    elements!(E => {
        read(&[counted::<E>([3, 4], 1)], |v| v[0].transpose().softmax(1))
            .value_within(2, &row.repeat(4));
    });
}

#[test]
fn b44_a_column_replaced() {
    elements!(E => {
        let expected = [0.1, 2.0, 0.3, 4.0];
        read(&[counted::<E>([2, 2], 1)], |v| {
            let column = v[0].narrow(1, 0, 1);
            Value::concat(&[column / column.literal(10.0), v[0].narrow(1, 1, 1)], 1)
        })
        .value_is(&expected);
        read(&[counted::<E>([2, 2], 1), Tensor::selection(&[0], 2)], |v| {
            let turned = v[0].transpose();
            let row = turned.narrow(0, 0, 1);
            turned.row_update(row / row.literal(10.0), v[1]).transpose()
        })
        .value_is(&expected);
    });
}

#[test]
fn b45_a_transposition_of_unit_axes_is_not_nothing() {
    elements!(E => {
        read(&[counted::<E>([3, 1, 2], 0)], |v| v[0].permute(&[1, 2, 0]).reshape([1, 6]))
            .value_is(&[0.0, 2.0, 4.0, 1.0, 3.0, 5.0]);
    });
}
