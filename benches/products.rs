//! Square products in the specified order on one thread, with whatever features the crate is built with; and
//! what it is worth that a right operand was laid out before, for how many rows of the left one.
//!
//!     cargo bench --bench products
//!     cargo bench --no-default-features --bench products
//!
//! Without the feature `simd` the registers are arrays that the compiler vectorises by itself.

use poorgrad::{Elementary, GemmTask, Matrix, set_threads};
use zoo::stopwatch::Stopwatch;

/// Turns, of which the median counts.
const TURNS: usize = 9;

macro_rules! bench {
    ($float:ident) => {
        for side in [64, 256, 1024] {
            let number = |i: usize| (i * 7919 % 101) as $float * 0.01 - 0.5;
            let a: Vec<$float> = (0..side * side).map(number).collect();
            let mut out = vec![0.0; side * side];
            let repeats = (1 << 28) / (side * side * side) + 1;
            let mut seconds: Vec<f64> = (0..TURNS)
                .map(|_| {
                    let start = Stopwatch::start();
                    for _ in 0..repeats {
                        let (a, b) = (Matrix::new(&a, side, 1), Matrix::new(&a, side, 1));
                        $float::gemm(&mut GemmTask::new([side; 3], a, b, &mut out));
                        std::hint::black_box(&mut out);
                    }
                    start.seconds() / repeats as f64
                })
                .collect();
            seconds.sort_by(f64::total_cmp);
            let rate = 2e-9 * (side * side * side) as f64 / seconds[TURNS / 2];
            println!("{} {side} x {side} x {side}: {rate:.1} GFLOP/s", stringify!($float));
        }
    };
}

/// How many times as fast products are whose right operand was laid out before.
fn laid_out() {
    const ROWS: [usize; 10] = [2, 4, 8, 16, 19, 32, 64, 128, 256, 512];
    println!("laid out before, times as fast, by rows of the left operand: {ROWS:?}");
    for [k, n] in [[64, 64], [200, 27], [30, 200], [784, 512], [768, 3072]] {
        for turned in [false, true] {
            let number = |i: usize| (i * 7919 % 101) as f32 * 0.01 - 0.5;
            let (a, b): (Vec<f32>, Vec<f32>) =
                ((0..ROWS[9] * k).map(number).collect(), (0..k * n).map(number).collect());
            let b = if turned { Matrix::new(&b, 1, k) } else { Matrix::new(&b, n, 1) };
            let packed = f32::pack(b, [k, n]).expect("a kernel of its own");
            let mut out = vec![0.0; ROWS[9] * n];
            let ratios = ROWS.map(|m| {
                let repeats = (1 << 24) / (m * k * n) + 1;
                let mut time = |packs: bool| {
                    let start = Stopwatch::start();
                    for _ in 0..repeats {
                        let (a, out) = (Matrix::new(&a, k, 1), &mut out[..m * n]);
                        let task = GemmTask::new([m, k, n], a, b, out);
                        f32::gemm(&mut if packs { task.packed(&packed) } else { task });
                        std::hint::black_box(&mut *out);
                    }
                    start.seconds()
                };
                let mut ratios: Vec<f64> = (0..TURNS).map(|_| time(false) / time(true)).collect();
                ratios.sort_by(f64::total_cmp);
                ratios[TURNS / 2]
            });
            let way = if turned { "by columns" } else { "by rows" };
            println!(
                "{k:>4} x {n:<4} {way:<10} {}",
                ratios.map(|ratio| format!("{ratio:6.2}")).concat()
            );
        }
    }
}

fn main() {
    set_threads(1);
    println!("simd: {}, parallel: {}", cfg!(feature = "simd"), cfg!(feature = "parallel"));
    bench!(f32);
    bench!(f64);
    laid_out();
}
