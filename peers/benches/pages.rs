//! Large pages: what memory on pages of 2 MiB is worth, against the allocator's.
//!
//!     cargo bench -p peers --bench pages
//!
//! Elements that the library writes itself lie on large pages where the system has them; a list that a
//! user brought stays where it is.

use peers::{Table, race};
use poorgrad::{Kernels, Tensor, Tensorial};
use std::hint::black_box;

/// What is timed on either tensor.
type Run<'r> = &'r dyn Fn(&Tensor);

fn main() {
    poorgrad::set_threads(1);
    let mut table = Table::new("pages, f32", "GB/s of the operands", &["the allocator's"]);
    for mebibytes in [2, 8, 32, 128] {
        let count = mebibytes << 18;
        let large = Tensor::from_fn([count], |at| (at[0] % 1000) as f32 * 1e-3);
        let small = Tensor::new([count], large.to_vec());
        let k = Kernels::Native;
        let rows = |x: &Tensor| x.reshape([count / 64, 64]);
        let weights = Tensor::from_fn([64, 1], |at| at[0] as f32);
        let runs: [(&str, Run<'_>); 3] = [
            ("sum", &|x| drop(black_box(Tensorial::sum(x, &[0], k)))),
            ("times a vector", &|x| drop(black_box(Tensorial::matmul(&rows(x), &weights, k)))),
            ("columns turned to rows", &|x| drop(black_box(rows(x).transpose().reshape([count])))),
        ];
        for (name, run) in runs {
            let seconds =
                race(&mut [("large", &mut || run(&large)), ("small", &mut || run(&small))]);
            let rates: Vec<f64> =
                seconds.iter().map(|seconds| 4e-9 * count as f64 / seconds).collect();
            table.row(&format!("{name}, {mebibytes} MiB"), &rates, None);
        }
    }
    table.finish();
}
