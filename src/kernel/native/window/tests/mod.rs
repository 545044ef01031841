//! Direct walks against the recorded chain under the reference kernels, to the bit: every level,
//! any number of threads, lanes over windows and over filters.

mod followed;

use super::forward::forward;
use super::images::images_gradient;
use super::pool::{average_pool, max_pool};
use super::unpool::max_pool_gradient;
use super::weights::weights_gradient;
use super::{Across, Manner};
use crate::kernel::simd::{Level, Native};
use crate::kernel::testing::{Random, assert_same, taken};
use crate::kernel::window::{Window, Windows};
use crate::{Network, Tensor};

/// Extents of images and weights with a window that fits them.
type Geometry = ([usize; 4], [usize; 4], Window);

fn geometry(random: &mut Random, groups: usize) -> Geometry {
    let mut two = |low: usize, range: usize| [low + random.below(range), low + random.below(range)];
    let (mut step, mut dilation, size) = (two(1, 3), two(1, 2), two(1, 4));
    let (plain, mut padding) = (two(0, 2), [two(0, 3), two(0, 3)]);
    let extra = two(0, 18);
    if plain[0] == 0 {
        (step, dilation) = ([1, 1], [1, 1]);
    }
    if plain[1] == 0 {
        padding = [[0, 0]; 2];
    }
    let [h, w] = [0, 1].map(|axis| {
        let span = (size[axis] - 1) * dilation[axis] + 1;
        (span + extra[axis]).saturating_sub(padding[axis][0] + padding[axis][1])
    });
    let (n, channels) = (random.below(4), random.below(5));
    let filters = groups * random.pick(&[usize::from(groups > 1), 1, 2, 3, 6, 7, 8, 9, 16, 17, 35]);
    let window = Window::new().step(step).dilation(dilation).padding(padding).groups(groups);
    ([n, channels * groups, h, w], [filters, channels, size[0], size[1]], window)
}

fn values<E: Native>(random: &mut Random, extents: [usize; 4], specials: bool) -> Vec<E> {
    (0..extents.iter().product()).map(|_| random.value(specials)).collect()
}

fn check_convolution<E: Native>(random: &mut Random, geometry: Geometry, threads: &[usize]) {
    let (images, weights, window) = geometry;
    let windows = Windows::new(images, weights, &window);
    let result = [images[0], weights[0], windows.outputs[0], windows.outputs[1]];
    let specials = random.below(4) == 0;
    let x = values::<E>(random, images, specials);
    let w = values::<E>(random, weights, specials);
    let g = values::<E>(random, result, specials);

    let network = Network::new();
    let input = network.input(Tensor::new(images, x.clone()));
    let parameter = network.parameter(Tensor::new(weights, w.clone()));
    let y = input.conv2d(parameter, &window);
    let direction = network.leaf(Tensor::new(result, g.clone()));
    let pulled = network.vjp(y, direction, [input, parameter]);
    let evaluation = network.reference().forward();
    let expected = evaluation.of(y).to_vec();
    let (dx, dw) = (evaluation.of(pulled[0]).to_vec(), evaluation.of(pulled[1]).to_vec());

    for level in Level::all() {
        for &threads in threads {
            let what = format!("{images:?} {weights:?} {window:?} {level:?} {threads} threads");
            for across in [Across::Windows, Across::Channels, Across::Images, Across::Either] {
                let manner = Manner::exact(level);
                let mut out = vec![E::exact(7.0); expected.len()];
                forward(manner, || threads, across, &windows, [&x, &w], &mut out);
                assert_same(&out, &expected, &format!("{across:?}: {what}"));
                let mut out = vec![E::exact(7.0); x.len()];
                images_gradient(manner, || threads, across, &windows, [&w, &g], &mut out);
                assert_same(&out, &dx, &format!("images, {across:?}: {what}"));
                let mut out = vec![E::exact(7.0); w.len()];
                weights_gradient(manner, || threads, across, &windows, [&x, &g], &mut out);
                assert_same(&out, &dw, &format!("weights, {across:?}: {what}"));
            }
        }
    }
}

#[test]
fn convolutions_agree_on_random_geometries() {
    let mut random = Random(41);
    for round in 0..150 {
        let groups = random.pick(&[1, 1, 2, 3]);
        let geometry = geometry(&mut random, groups);
        if round % 2 == 0 {
            check_convolution::<f32>(&mut random, geometry, &[1]);
        } else {
            check_convolution::<f64>(&mut random, geometry, &[1]);
        }
    }
}

#[test]
fn convolutions_agree_at_block_boundaries_and_on_threads() {
    let mut random = Random(42);
    let same = Window::new().padding([[1, 1], [1, 1]]);
    let geometries = [
        // Sums of more than one block forward, of several images back.
        ([3, 29, 9, 9], [7, 29, 3, 3], same),
        ([5, 3, 7, 5], [300, 3, 2, 2], Window::new()),
        ([2, 2, 40, 40], [33, 2, 3, 3], same),
        ([300, 2, 3, 3], [9, 2, 3, 3], Window::new()),
        // Small images: several at once, most windows at an edge, channels in several registers.
        ([9, 36, 8, 8], [70, 36, 3, 3], same),
        ([40, 9, 4, 5], [19, 9, 3, 3], same),
        ([3, 20, 6, 7], [66, 20, 5, 3], Window::new().padding([[2, 2], [1, 3]])),
        ([2, 8, 12, 9], [9, 8, 3, 3], Window::new().padding([[4, 1], [2, 2]]).dilation([2, 1])),
        ([2, 8, 9, 12], [9, 8, 3, 3], Window::new().padding([[4, 5], [2, 2]]).step([2, 3])),
        // Whole periods of blocks: of four images, of one, of sixteen; several registers of periods.
        ([8, 2, 10, 10], [7, 2, 3, 3], Window::new()),
        ([36, 1, 20, 20], [6, 1, 5, 5], Window::new()),
        ([32, 3, 6, 6], [9, 3, 3, 3], Window::new()),
        ([20, 2, 8, 8], [11, 2, 3, 3], same),
        ([12, 1, 22, 18], [5, 1, 3, 3], Window::new()),
        ([8, 4, 16, 8], [4, 2, 3, 3], same.step([2, 1]).groups(2)),
        // Enough work for several threads.
        ([5, 12, 24, 24], [24, 12, 5, 5], Window::new()),
        ([1, 24, 30, 30], [40, 12, 3, 3], same.groups(2)),
        ([3, 48, 31, 31], [48, 16, 3, 3], same.groups(3).step([2, 2])),
    ];
    for geometry in geometries {
        check_convolution::<f32>(&mut random, geometry, &[1, 2, 3]);
        check_convolution::<f64>(&mut random, geometry, &[1, 2, 3]);
    }
}

#[test]
fn terms_in_the_padding_are_left_out_where_they_are_zeros() {
    let same = Window::new().padding([[1, 1], [1, 1]]);
    let windows = Windows::new([4, 16, 8, 8], [16, 16, 3, 3], &same);
    let paths = |at: f32| {
        let (x, w, g) = (vec![1.0; 4096], vec![at; 2304], vec![at; 4096]);
        let (mut y, mut dw, mut dx) = (g.clone(), w.clone(), x.clone());
        let manner = Manner::exact(Level::best());
        let mut paths = taken(|| {
            forward(manner, || 1, Across::Channels, &windows, [&x, &w], &mut y);
            weights_gradient(manner, || 1, Across::Either, &windows, [&x, &g], &mut dw);
            images_gradient(manner, || 1, Across::Either, &windows, [&w, &g], &mut dx);
        });
        paths.retain(|path| *path != "transposed in registers");
        paths
    };
    let images = "gradient of images by channels";
    assert_eq!(paths(1.0), ["windows by their terms", "weights by their terms", images]);
    assert_eq!(paths(f32::INFINITY), [images], "infinity times the padding is NaN");
}

#[test]
fn small_images_and_few_filters_run_across_images() {
    let taken_by = |images: [usize; 4], weights: [usize; 4]| {
        let windows = Windows::new(images, weights, &Window::new());
        let count = |extents: [usize; 4]| extents.iter().product::<usize>();
        let result = [images[0], weights[0], windows.outputs[0], windows.outputs[1]];
        let (x, w, g) =
            (vec![1.0; count(images)], vec![1.0; count(weights)], vec![1.0_f32; count(result)]);
        let (mut dw, mut dx) = (w.clone(), x.clone());
        let manner = Manner::exact(Level::best());
        let mut paths = taken(|| {
            weights_gradient(manner, || 1, Across::Either, &windows, [&x, &g], &mut dw);
            images_gradient(manner, || 1, Across::Either, &windows, [&w, &g], &mut dx);
        });
        paths.retain(|path| *path != "transposed in registers");
        paths
    };
    let (weights, images) = ("gradient of weights by periods", "gradient of images by images");
    assert_eq!(taken_by([64, 1, 28, 28], [1, 1, 5, 5]).first(), Some(&weights));
    assert_eq!(taken_by([64, 6, 12, 12], [16, 6, 5, 5]).last(), Some(&images));
    assert_eq!(taken_by([1, 1, 28, 28], [6, 1, 5, 5]), [""; 0], "one image");
}

#[test]
fn periods_of_few_filters_are_shared_by_their_blocks() {
    let windows = Windows::new([64, 1, 28, 28], [6, 1, 5, 5], &Window::new());
    let mut random = Random(45);
    let (x, g) = (values::<f32>(&mut random, [64, 1, 28, 28], true), [64, 6, 24, 24]);
    let g = values::<f32>(&mut random, g, true);
    let of = |threads: usize| {
        let (manner, across) = (Manner::exact(Level::best()), Across::Images);
        let mut dw = vec![7.0; 150];
        let paths = taken(|| {
            weights_gradient(manner, || threads, across, &windows, [&x, &g], &mut dw);
        });
        (dw, paths.contains(&"periods over threads"))
    };
    let (alone, shared) = of(1);
    assert!(!shared);
    for threads in [2, 3, 8] {
        let (dw, shared) = of(threads);
        assert!(shared);
        assert_same(&dw, &alone, &format!("{threads} threads"));
    }
}

/// Few values, so that ties, NaN and infinities meet.
fn crowded<E: Native>(random: &mut Random, extents: [usize; 4]) -> Vec<E> {
    let palette = random.pick(&[
        &[0.0, -0.0, 1.0, -1.0][..],
        &[f64::NEG_INFINITY, f64::NEG_INFINITY, f64::NEG_INFINITY, -1.0],
        &[f64::NAN, 1.0, 2.0, 3.0, 4.0, f64::INFINITY, f64::NEG_INFINITY, 0.5],
    ]);
    (0..extents.iter().product()).map(|_| E::exact(random.pick(palette))).collect()
}

fn check_pools<E: Native>(random: &mut Random, geometry: Geometry, threads: &[usize]) {
    let (images, [_, _, kh, kw], window) = geometry;
    let windows = Windows::new(images, [images[1], images[1], kh, kw], &window);
    let result = [images[0], images[1], windows.outputs[0], windows.outputs[1]];
    let x = if random.below(2) == 0 {
        crowded::<E>(random, images)
    } else {
        values(random, images, false)
    };
    let g = values::<E>(random, result, true);
    let network = Network::new();
    let input = network.input(Tensor::new(images, x.clone()));
    // Where a window would be wholly padding, neither is recorded.
    let mean = input.try_average_pool([kh, kw], &window);
    let max = input.try_max_pool([kh, kw], &window);
    let direction = network.leaf(Tensor::new(result, g.clone()));
    let pulled = max.as_ref().map(|max| network.vjp(*max, direction, [input])[0]);
    let evaluation = network.reference().forward();
    for level in Level::all() {
        for &threads in threads {
            let what = format!("{images:?} {kh} x {kw} {window:?} {level:?} {threads} threads");
            let mut out = vec![E::exact(7.0); g.len()];
            if let Ok(mean) = &mean {
                average_pool(level, || threads, &windows, &x, &mut out);
                assert_same(&out, &evaluation.of(*mean).to_vec(), &format!("mean: {what}"));
            }
            let (Ok(max), Ok(pulled)) = (&max, &pulled) else { continue };
            max_pool(level, || threads, &windows, &x, &mut out);
            assert_same(&out, &evaluation.of(*max).to_vec(), &format!("max: {what}"));
            let mut out = vec![E::exact(7.0); x.len()];
            max_pool_gradient(Manner::exact(level), || threads, &windows, [&x, &g], &mut out);
            assert_same(&out, &evaluation.of(*pulled).to_vec(), &format!("gradient: {what}"));
        }
    }
}

#[test]
fn pools_agree_on_random_geometries() {
    let mut random = Random(43);
    for _ in 0..200 {
        let geometry = geometry(&mut random, 1);
        check_pools::<f32>(&mut random, geometry, &[1]);
        check_pools::<f64>(&mut random, geometry, &[1]);
    }
}

#[test]
fn pools_agree_on_large_windows_and_on_threads() {
    let mut random = Random(44);
    let geometries = [
        ([1, 2, 70, 66], [2, 2, 65, 64], Window::new()),
        ([2, 1, 9, 9], [1, 1, 5, 5], Window::new().padding([[2, 2], [2, 2]])),
        ([40, 12, 64, 64], [12, 12, 3, 3], Window::new().step([2, 2])),
        ([40, 12, 64, 64], [12, 12, 3, 3], Window::new()),
    ];
    for geometry in geometries {
        check_pools::<f32>(&mut random, geometry, &[1, 2, 3]);
        check_pools::<f64>(&mut random, geometry, &[1, 3]);
    }
}

#[test]
fn pools_of_two_by_two_agree_and_take_their_paths() {
    let mut random = Random(45);
    let window = Window::new().step([2, 2]);
    for [height, width] in [
        [2, 2],
        [4, 8],
        [8, 8],
        [6, 16],
        [24, 24],
        [2, 32],
        [10, 14],
        [4, 70],
        [62, 26],
        [50, 8],
        [4, 530],
    ] {
        for _ in 0..6 {
            let geometry = ([3, 2, height, width], [2, 2, 2, 2], window);
            check_pools::<f32>(&mut random, geometry, &[1, 2]);
            check_pools::<f64>(&mut random, geometry, &[1]);
        }
    }
    let paths = |width| {
        let windows = Windows::new([1, 1, 4, width], [1, 1, 2, 2], &window);
        let (x, g) = (vec![1.0_f32; 4 * width], vec![1.0; windows.positions()]);
        let (mut y, mut dx) = (g.clone(), x.clone());
        taken(|| {
            max_pool(Level::best(), || 1, &windows, &x, &mut y);
            average_pool(Level::best(), || 1, &windows, &x, &mut y);
            max_pool_gradient(Manner::exact(Level::best()), || 1, &windows, [&x, &g], &mut dx);
        })
    };
    assert_eq!(paths(8), ["maxima by pairs", "means by pairs", "maxima's gradients by pairs"]);
    assert_eq!(paths(9), [""; 0], "a column is left over");
}
