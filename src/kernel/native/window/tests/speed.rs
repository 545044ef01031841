//! What convolutions and pools reach, printed; run by hand in release mode.

use super::super::Manner;
use super::super::forward::{Across, forward};
use super::{average_pool, images_gradient, max_pool, max_pool_gradient, weights_gradient};
use crate::kernel::native::gemm::gemm_at;
use crate::kernel::simd::Level;
use crate::kernel::task::{GemmTask, Matrix};
use crate::kernel::window::{Window, Windows};

/// Seconds of the fastest of several runs.
fn seconds(mut run: impl FnMut()) -> f64 {
    let mut best = f64::INFINITY;
    for _ in 0..60 {
        #[expect(clippy::disallowed_methods, reason = "a measurement")]
        let start = std::time::Instant::now();
        run();
        let seconds = start.elapsed().as_secs_f64();
        if seconds < best {
            best = seconds;
        }
    }
    best
}

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 37 % 101) as f32 * 0.01 - 0.5).collect()
}

#[test]
#[ignore = "deep: a measurement, which prints rates and asserts nothing; no check counts it"]
fn deep_speed_of_convolutions() {
    let same = Window::new().padding([[1, 1], [1, 1]]);
    let rows = [
        ("LeNet 1", [64, 1, 28, 28], [6, 1, 5, 5], Window::new()),
        ("LeNet 2", [64, 6, 12, 12], [16, 6, 5, 5], Window::new()),
        ("VGG 3-32", [4, 3, 32, 32], [32, 3, 3, 3], same),
        ("VGG 32-32", [4, 32, 32, 32], [32, 32, 3, 3], same),
        ("VGG 32-64", [4, 32, 16, 16], [64, 32, 3, 3], same),
        ("VGG 64-64", [4, 64, 16, 16], [64, 64, 3, 3], same),
        ("VGG 64-128", [8, 64, 8, 8], [128, 64, 3, 3], same),
        ("VGG 128-128", [8, 128, 8, 8], [128, 128, 3, 3], same),
        ("by 2", [2, 64, 56, 56], [128, 64, 3, 3], same.step([2, 2])),
        ("1 x 1", [4, 64, 28, 28], [128, 64, 1, 1], Window::new()),
        ("depthwise", [4, 64, 28, 28], [64, 1, 3, 3], same.groups(64)),
    ];
    for level in Level::all().into_iter().rev() {
        let (a, b, mut c) = (numbers(384 * 384), numbers(384 * 384), numbers(384 * 384));
        let product = seconds(|| {
            let (a, b) = (Matrix::new(&a, 384, 1), Matrix::new(&b, 384, 1));
            gemm_at(level, || 1, &mut GemmTask::new([384; 3], a, b, &mut c));
        });
        let product = 2e-9 * 384_f64 * 384.0 * 384.0 / product;
        println!("{level:.3?}: a product of 384 cubed {product:.1} GFLOP/s");
        for (name, images, filters, window) in rows {
            let windows = Windows::new(images, filters, &window);
            let x = numbers(images.iter().product());
            let w = numbers(filters.iter().product());
            let g = numbers(images[0] * filters[0] * windows.positions());
            let (mut y, mut dx, mut dw) = (g.clone(), x.clone(), w.clone());
            let by = |across: Across, y: &mut [f32]| {
                seconds(|| forward(Manner::exact(level), || 1, across, &windows, [&x, &w], y))
            };
            let times = [
                by(Across::Windows, &mut y),
                by(Across::Filters, &mut y),
                by(Across::Either, &mut y),
                seconds(|| {
                    weights_gradient(Manner::exact(level), || 1, &windows, [&x, &g], &mut dw)
                }),
                seconds(|| {
                    images_gradient(Manner::exact(level), || 1, &windows, [&w, &g], &mut dx)
                }),
            ];
            let speed = times.map(|t| 2e-9 * windows.operations() as f64 / t);
            let [by_windows, by_filters, forward, weights, images] = speed;
            println!(
                "{name:>12}: forward {forward:5.1} (across windows {by_windows:5.1}, filters \
                 {by_filters:5.1}), weights {weights:5.1}, images {images:5.1} GFLOP/s"
            );
        }
        let pools = [([64, 6, 24, 24], 2), ([64, 16, 8, 8], 2), ([32, 32, 32, 32], 2)];
        for (images, size) in pools {
            let window = Window::new().step([size, size]);
            let windows = Windows::new(images, [images[1], images[1], size, size], &window);
            let x = numbers(images.iter().product());
            let g = numbers(images[0] * images[1] * windows.positions());
            let (mut y, mut dx) = (g.clone(), x.clone());
            let times = [
                seconds(|| max_pool(level, || 1, &windows, &x, &mut y)),
                seconds(|| average_pool(level, || 1, &windows, &x, &mut y)),
                seconds(|| {
                    max_pool_gradient(Manner::exact(level), || 1, &windows, [&x, &g], &mut dx)
                }),
            ];
            let [max, mean, gradient] = times.map(|t| 1e-9 * x.len() as f64 / t);
            println!("{images:?}: max {max:.2}, mean {mean:.2}, gradient {gradient:.2} Gelem/s");
        }
    }
}
