//! Large pages: what memory on pages of 2 MiB is worth, against the allocator's.
//!
//!     cargo bench -p peers --bench pages
//!
//! Elements that the library writes itself lie on large pages where the system has them; a list that a
//! user brought stays where it is.

use peers::{Table, race};
use poorgrad::{Kernels, Tensor, Tensorial};
use std::hint::black_box;

fn main() {
    poorgrad::set_threads(1);
    let mut table = Table::new("pages, f32", "GB/s of the operands", &["the allocator's"]);
    for mebibytes in [2, 8, 32, 128] {
        let count = mebibytes << 18;
        let large = Tensor::from_fn([count], |at| (at[0] % 1000) as f32 * 1e-3);
        let small = Tensor::new([count], large.to_vec());
        let k = Kernels::Native;
        let rows = |x: &Tensor| x.reshape([count / 64, 64]);
        let (large_rows, small_rows) = (rows(&large), rows(&small));
        let weights = Tensor::from_fn([64, 1], |at| at[0] as f32);
        let runs: [(&str, &dyn Fn(), &dyn Fn()); 3] = [
            ("sum", &|| drop(black_box(Tensorial::sum(&large, &[0], k))), &|| {
                drop(black_box(Tensorial::sum(&small, &[0], k)))
            }),
            (
                "times a vector",
                &|| drop(black_box(Tensorial::matmul(&large_rows, &weights, k))),
                &|| drop(black_box(Tensorial::matmul(&small_rows, &weights, k))),
            ),
            (
                "columns turned to rows",
                &|| drop(black_box(large_rows.transpose().reshape([count]))),
                &|| drop(black_box(small_rows.transpose().reshape([count]))),
            ),
        ];
        for (name, of_large, of_small) in runs {
            let seconds = race(&mut [("large", &mut || of_large()), ("small", &mut || of_small())]);
            let rates: Vec<f64> =
                seconds.iter().map(|seconds| 4e-9 * count as f64 / seconds).collect();
            table.row(&format!("{name}, {mebibytes} MiB"), &rates, None);
        }
    }
    table.finish();
}
