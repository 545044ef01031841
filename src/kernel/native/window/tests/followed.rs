//! What follows on results, and sums that round once.

use super::{Across, Geometry, Manner, geometry, values};
use super::{forward, images_gradient, max_pool_gradient, weights_gradient};
use crate::kernel::simd::{Level, Native};
use crate::kernel::testing::{Random, assert_same};
use crate::kernel::threads::testing::eagerly;
use crate::kernel::window::Windows;

/// A walk over windows, into a result of so many elements.
type Walk<'a, E> = (usize, Box<dyn Fn(Manner<'_, E>, usize, &mut [E]) + 'a>);

/// The walks that call what follows, on operands that are drawn.
fn walks<'a, E: Native>(
    windows: &'a Windows,
    [x, w, g]: [&'a [E]; 3],
    pools: Option<(&'a Windows, &'a [E])>,
) -> Vec<(&'static str, Walk<'a, E>)> {
    let by = move |across: Across| -> Walk<'a, E> {
        let run = move |manner: Manner<'_, E>, threads: usize, out: &mut [E]| {
            forward(manner, || threads, across, windows, [x, w], out);
        };
        (g.len(), Box::new(run))
    };
    let back = move |across: Across| -> Walk<'a, E> {
        let run = move |manner: Manner<'_, E>, threads: usize, out: &mut [E]| {
            images_gradient(manner, || threads, across, windows, [w, g], out);
        };
        (x.len(), Box::new(run))
    };
    let mut walks = vec![
        ("windows", by(Across::Windows)),
        ("filters", by(Across::Channels)),
        ("images", back(Across::Windows)),
        ("images by channels", back(Across::Channels)),
        ("images by images", back(Across::Images)),
    ];
    if let Some((windows, g)) = pools {
        let run = move |manner: Manner<'_, E>, threads: usize, out: &mut [E]| {
            max_pool_gradient(manner, || threads, windows, [x, g], out);
        };
        walks.push(("pool", (x.len(), Box::new(run))));
    }
    walks
}

fn check<E: Native>(random: &mut Random, (images, weights, window): Geometry) {
    let windows = Windows::new(images, weights, &window);
    let result = [images[0], weights[0], windows.outputs[0], windows.outputs[1]];
    let x = values::<E>(random, images, false);
    let w = values::<E>(random, weights, false);
    let g = values::<E>(random, result, false);
    let pools = Windows::new(images, [images[1], images[1], weights[2], weights[3]], &window);
    let pooled =
        values::<E>(random, [images[0], images[1], pools.outputs[0], pools.outputs[1]], false);
    for level in Level::all() {
        for (name, (count, walk)) in walks(&windows, [&x, &w, &g], Some((&pools, &pooled))) {
            let mut expected = vec![E::exact(7.0); count];
            walk(Manner::exact(level), 1, &mut expected);
            for (i, x) in expected.iter_mut().enumerate() {
                *x = x.add(&E::from_f64(i as f64));
            }
            for threads in [1, 3] {
                let mut out = vec![E::exact(7.0); count];
                let finish = |start: usize, run: &mut [E]| {
                    for (i, x) in run.iter_mut().enumerate() {
                        *x = x.add(&E::from_f64((start + i) as f64));
                    }
                };
                let manner = Manner { finish: Some(&finish), ..Manner::exact(level) };
                walk(manner, threads, &mut out);
                let what = format!("{name}: {images:?} {weights:?} {window:?} {level:?} {threads}");
                assert_same(&out, &expected, &what);
            }
        }
    }
}

#[test]
fn what_follows_sees_every_element_once_where_it_stands() {
    eagerly(every_element_once);
}

fn every_element_once() {
    let mut random = Random(47);
    for round in 0..24 {
        let geometry = geometry(&mut random, 1 + round % 3);
        check::<f32>(&mut random, geometry);
        check::<f64>(&mut random, geometry);
    }
    check::<f32>(&mut random, ([3, 4, 40, 44], [5, 4, 3, 3], crate::Window::new()));
}

#[test]
fn fast_sums_are_near_the_exact_ones_and_the_same_on_any_number_of_threads() {
    eagerly(near_and_the_same);
}

fn near_and_the_same() {
    let mut random = Random(48);
    let mut differ = 0;
    for _ in 0..30 {
        let (images, weights, window) = geometry(&mut random, 1);
        let windows = Windows::new(images, weights, &window);
        let result = [images[0], weights[0], windows.outputs[0], windows.outputs[1]];
        let drawn = |random: &mut Random, extents: [usize; 4]| -> Vec<f32> {
            (0..extents.iter().product()).map(|_| random.below(2001) as f32 * 1e-3 - 1.0).collect()
        };
        let [x, w, g] = [images, weights, result].map(|extents| drawn(&mut random, extents));
        let mut walks = walks(&windows, [&x, &w, &g], None);
        let run = |manner: Manner<'_, f32>, threads: usize, out: &mut [f32]| {
            weights_gradient(manner, || threads, Across::Channels, &windows, [&x, &g], out);
        };
        walks.push(("weights", (w.len(), Box::new(run))));
        let run = |manner: Manner<'_, f32>, threads: usize, out: &mut [f32]| {
            weights_gradient(manner, || threads, Across::Images, &windows, [&x, &g], out);
        };
        walks.push(("weights by periods", (w.len(), Box::new(run))));
        for (name, (count, walk)) in walks {
            let level = Level::best();
            let run = |fast: bool, threads: usize| {
                let mut out = vec![7.0; count];
                walk(Manner { fast, ..Manner::exact(level) }, threads, &mut out);
                out
            };
            let (exact, fast) = (run(false, 1), run(true, 1));
            let what = format!("{name}: {images:?} {weights:?} {window:?}");
            assert_same(&run(true, 3), &fast, &what);
            differ += usize::from(exact != fast);
            // Every factor is at most 1, and no sum has more terms than there are here.
            let terms = (images[0] * windows.positions()).max(windows.depth()).max(weights[0] * 16);
            let bound = 2.0 * terms as f32 * f32::EPSILON * terms as f32;
            let near = exact.iter().zip(&fast).all(|(a, b)| (a - b).abs() <= bound);
            assert!(near, "{what}");
        }
    }
    // Where the machine fuses, the two must differ somewhere, or fast is not what it says.
    assert_eq!(differ > 0, !matches!(Level::best(), Level::Portable));
}

#[test]
fn zeros_of_fast_sums_have_no_sign() {
    // Every term underflows; fused, most are -0, and the padding is skipped by some walks alone.
    let (images, weights) = ([1, 256, 9, 9], [16, 256, 3, 3]);
    let windows = Windows::new(images, weights, &crate::Window::new().padding([[1, 1]; 2]));
    let x = vec![1e-30_f32; 256 * 81];
    let tap = |i: usize| if i % 9 == 8 { 1e-30 } else { -1e-30 };
    let w: Vec<f32> = (0..16 * 256 * 9).map(tap).collect();
    let g = vec![-1e-30_f32; 16 * 81];
    for across in [Across::Windows, Across::Channels, Across::Images, Across::Either] {
        for threads in [1, 4] {
            let manner = Manner { fast: true, ..Manner::exact(Level::best()) };
            let plain = |out: &[f32]| out.iter().all(|y| y.to_bits() == 0);
            let mut out = vec![7.0; g.len()];
            forward(manner, || threads, across, &windows, [&x, &w], &mut out);
            assert!(plain(&out), "forward {across:?} {threads}");
            let mut out = vec![7.0; x.len()];
            images_gradient(manner, || threads, across, &windows, [&w, &g], &mut out);
            assert!(plain(&out), "images {across:?} {threads}");
            let mut out = vec![7.0; w.len()];
            weights_gradient(manner, || threads, across, &windows, [&x, &g], &mut out);
            assert!(plain(&out), "weights {across:?} {threads}");
        }
    }
}
