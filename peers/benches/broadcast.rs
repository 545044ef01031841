//! Operations on two tensors, broadcast and not, on one thread, against a loop over slices.
//!
//!     cargo bench -p peers --bench broadcast

use peers::{Table, race};
use poorgrad::{Binary, Kernels, Tensor, Tensorial};
use std::hint::black_box;

fn main() {
    poorgrad::set_threads(1);
    let mut table = Table::new("additions of f32", "GB/s of operands and result", &["loop"]);
    for [rows, columns] in [[16, 512], [256, 512], [4096, 2048]] {
        let number = |at: &[usize]| (at[0] * 7 + at[1] * 3) as f32 * 1e-3;
        let x = Tensor::<f32>::from_fn([rows, columns], number);
        let y = Tensor::<f32>::from_fn([rows, columns], number);
        let turned = Tensor::<f32>::from_fn([columns, rows], number).transpose();
        let row = Tensor::<f32>::from_fn([1, columns], number).broadcast_to([rows, columns]);
        let column = Tensor::<f32>::from_fn([rows, 1], number).broadcast_to([rows, columns]);
        let (left, right) = (x.to_vec(), y.to_vec());
        let mut out = vec![0.0; rows * columns];
        let operands: [(&str, &Tensor<f32>, f64); 4] = [
            ("a tensor", &y, 12.0),
            ("a row", &row, 8.0),
            ("a column", &column, 8.0),
            ("a transposed tensor", &turned, 12.0),
        ];
        for (name, operand, each) in operands {
            let bytes = 1e-9 * each * (rows * columns) as f64;
            let seconds = race(&mut [
                ("ours", &mut || {
                    black_box(x.zip(Binary::Add, operand, Kernels::Native));
                }),
                ("loop", &mut || {
                    let pairs = left.iter().zip(&right);
                    out.iter_mut().zip(pairs).for_each(|(out, (x, y))| *out = x + y);
                    black_box(&mut out);
                }),
            ]);
            let rates = [bytes / seconds[0], 12e-9 * (rows * columns) as f64 / seconds[1]];
            table.row(&format!("[{rows}, {columns}] and {name}"), &rates, None);
        }
    }
    table.finish();
}
