//! Reductions on one thread, from the second-level cache and from memory, against reading alone.
//!
//!     cargo bench -p peers --bench reduce

use peers::{Table, limits, race};
use poorgrad::{Kernels, Tensor, Tensorial};
use std::hint::black_box;

fn main() {
    poorgrad::set_threads(1);
    let mut table = Table::new("reductions of f32", "GB/s of the operand", &["in one chain"]);
    for [rows, columns] in [[64, 512], [512, 512], [8192, 4096]] {
        let x = Tensor::<f32>::from_fn([rows, columns], |at| (at[0] * 7 + at[1] * 3) as f32 * 1e-3);
        let elements = x.to_vec();
        let k = Kernels::Native;
        let bytes = 4e-9 * elements.len() as f64;
        let reductions: [(&str, &dyn Fn()); 7] = [
            ("sum of all", &|| drop(black_box(Tensorial::sum(&x, &[0, 1], k)))),
            ("sums of rows", &|| drop(black_box(Tensorial::sum(&x, &[1], k)))),
            ("sums of columns", &|| drop(black_box(Tensorial::sum(&x, &[0], k)))),
            ("maxima of rows", &|| drop(black_box(Tensorial::max(&x, &[1], k)))),
            ("maxima of columns", &|| drop(black_box(Tensorial::max(&x, &[0], k)))),
            ("log_sum_exp of rows", &|| drop(black_box(Tensorial::log_sum_exp(&x, 1, k)))),
            ("softmax of rows", &|| drop(black_box(Tensorial::softmax(&x, 1, k)))),
        ];
        for (name, run) in reductions {
            let seconds = race(&mut [
                ("ours", &mut || run()),
                ("in one chain", &mut || {
                    black_box(elements.iter().fold(0.0, |sum, x| sum + x));
                }),
                ("reading", &mut || limits::read(&elements)),
            ]);
            let rates: Vec<f64> = seconds.iter().map(|seconds| bytes / seconds).collect();
            table.row(&format!("{name} [{rows}, {columns}]"), &rates[..2], Some(rates[2]));
        }
    }
    table.finish();
}
