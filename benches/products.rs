//! Square products in the specified order on one thread, with whatever features the crate is built with.
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

fn main() {
    set_threads(1);
    println!("simd: {}, parallel: {}", cfg!(feature = "simd"), cfg!(feature = "parallel"));
    bench!(f32);
    bench!(f64);
}
