//! Movement on one thread, against `memcpy` into memory that is there.
//!
//!     cargo bench -p peers --bench move

use peers::{Table, race};
use poorgrad::{Kernels, Tensor, Tensorial};
use std::hint::black_box;

fn main() {
    poorgrad::set_threads(1);
    let mut table = Table::new("movement of f32", "GB/s read and written", &[]);
    for side in [128, 512, 4096] {
        let number = |at: &[usize]| (at[0] * 7 + at[1] * 3) as f32 * 1e-3;
        let x = Tensor::<f32>::from_fn([side, side], number);
        let images = x.reshape([side / 32, 4, 8, side]);
        let from = x.to_vec();
        let mut to = vec![0.0; side * side];
        let flat = [side * side];
        let moves: [(&str, &dyn Fn()); 6] = [
            ("transpose", &|| drop(black_box(x.transpose().reshape(flat)))),
            ("rows of a wider one", &|| {
                drop(black_box(x.narrow(1, 1, side - 1).reshape([side * (side - 1)])))
            }),
            ("channels last", &|| {
                drop(black_box(Tensor::permute(&images, &[0, 2, 3, 1]).reshape(flat)))
            }),
            ("pad", &|| drop(black_box(Tensorial::pad(&x, 1, 1, 1, &0.0, Kernels::Native)))),
            ("concat", &|| {
                drop(black_box(<Tensor<f32> as Tensorial>::concat(&[&x, &x], 1, Kernels::Native)))
            }),
            ("unfold", &|| {
                let windows = x.narrow(1, 0, side / 2).unfold(1, 3, 2, 1);
                let count = windows.shape().volume().unwrap_or(0);
                black_box(windows.reshape([count]));
            }),
        ];
        for (name, run) in moves {
            let each = match name {
                "concat" => 16.0,
                "unfold" => 4.0 * 0.75 * 2.0,
                _ => 8.0,
            };
            let bytes = 1e-9 * each * (side * side) as f64;
            let seconds = race(&mut [
                ("ours", &mut || run()),
                ("memcpy", &mut || {
                    to.copy_from_slice(&from);
                    black_box(&mut to);
                }),
            ]);
            let limit = 8e-9 * (side * side) as f64 / seconds[1];
            table.row(&format!("{name} {side} x {side}"), &[bytes / seconds[0]], Some(limit));
        }
    }
    table.finish();
}
