//! `conv2d`, `max_pool` and `average_pool`: by hand, against loops, against differences.

use super::{counted, elements, read, tensor};
use crate::refusal::refused;
use poorgrad::{Network, Tensor, Window, gradcheck};

type Net = Network<Tensor<f32>>;

/// A small generator: whole numbers, so that loops in any order agree to the bit.
struct Draw(u64);

impl Draw {
    fn below(&mut self, bound: usize) -> usize {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % bound
    }

    fn tensor(&mut self, shape: [usize; 4]) -> Tensor<f64> {
        Tensor::from_fn(shape, |_| self.below(19) as f64 - 9.0)
    }
}

/// A random geometry: images, weights, window. The padded image holds a window.
fn geometry(draw: &mut Draw) -> ([usize; 4], [usize; 4], Window) {
    let groups = 1 + draw.below(3);
    let mut two = |low: usize, range: usize| [low + draw.below(range), low + draw.below(range)];
    let (step, dilation, size) = (two(1, 3), two(1, 2), two(1, 3));
    let padding = [two(0, 3), two(0, 3)];
    let extra = two(0, 5);
    let extents = [0, 1].map(|axis| {
        let span = (size[axis] - 1) * dilation[axis] + 1;
        (span + extra[axis]).saturating_sub(padding[axis][0] + padding[axis][1]).max(1)
    });
    let (n, channels) = (draw.below(4), 1 + draw.below(3));
    let filters = groups * (1 + draw.below(4));
    let window = Window::new().step(step).dilation(dilation).padding(padding).groups(groups);
    let [h, w] = extents;
    ([n, channels * groups, h, w], [filters, channels, size[0], size[1]], window)
}

/// Where position `i` of window `w` lies on the image's axis, if it does.
fn place(window: &Window, axis: usize, w: usize, i: usize, extent: usize) -> Option<usize> {
    let at = w * window.step[axis] + i * window.dilation[axis];
    at.checked_sub(window.padding[axis][0]).filter(|at| *at < extent)
}

fn outputs(window: &Window, axis: usize, extent: usize, size: usize) -> usize {
    let padded = extent + window.padding[axis][0] + window.padding[axis][1];
    (padded - (size - 1) * window.dilation[axis] - 1) / window.step[axis] + 1
}

/// `unflipped`.
#[test]
fn conv2d_neither_flips_nor_transposes() {
    elements!(E => {
        let (x, w) = (counted::<E>([1, 1, 3, 3], 1), counted([1, 1, 2, 2], 1));
        read(&[x, w], |v| v[0].conv2d(v[1], &Window::new()))
            .value_is(&[37.0, 47.0, 67.0, 77.0])
            .gradient_is(0, &[1.0, 3.0, 2.0, 4.0, 10.0, 6.0, 3.0, 7.0, 4.0])
            .gradient_is(1, &[12.0, 16.0, 24.0, 28.0]);
    });
}

#[test]
fn conv2d_by_hand_with_step_padding_and_groups() {
    elements!(E => {
        let (x, w) = (counted::<E>([1, 2, 2, 2], 1), tensor([2, 1, 1, 2], &[1.0, 10.0, 2.0, 3.0]));
        let window = Window::new().step([1, 2]).padding([[0, 0], [1, 1]]).groups(2);
        // Rows 1 2 and 3 4 of the first channel, 5 6 and 7 8 of the second, a zero on either side.
        read(&[x, w], |v| v[0].conv2d(v[1], &window))
            .value_is(&[10.0, 2.0, 30.0, 4.0, 15.0, 12.0, 21.0, 16.0])
            .gradient_is(0, &[10.0, 1.0, 10.0, 1.0, 3.0, 2.0, 3.0, 2.0])
            .gradient_is(1, &[6.0, 4.0, 14.0, 12.0]);
    });
}

#[test]
fn conv2d_is_the_loop_over_windows() {
    let mut draw = Draw(71);
    for round in 0..60 {
        let (images, weights, window) = geometry(&mut draw);
        let (x, w) = (draw.tensor(images), draw.tensor(weights));
        let [n, _, height, width] = images;
        let [filters, channels, kh, kw] = weights;
        let (oh, ow) = (outputs(&window, 0, height, kh), outputs(&window, 1, width, kw));
        let part = filters / window.groups;
        let expected = Tensor::from_fn([n, filters, oh, ow], |at| {
            let mut sum = 0.0;
            for c in 0..channels {
                for p in 0..kh {
                    for q in 0..kw {
                        let row = place(&window, 0, at[2], p, height);
                        let column = place(&window, 1, at[3], q, width);
                        let (Some(row), Some(column)) = (row, column) else { continue };
                        let channel = at[1] / part * channels + c;
                        let x = x.get(&[at[0], channel, row, column]).expect("inside");
                        sum += x * w.get(&[at[1], c, p, q]).expect("inside");
                    }
                }
            }
            sum
        });
        let reading = read(&[x, w], |v| v[0].conv2d(v[1], &window));
        assert_eq!(reading.value, expected, "round {round}: {images:?} {weights:?} {window:?}");
    }
}

#[test]
fn conv2d_has_the_gradients_of_differences() {
    let mut draw = Draw(72);
    for _ in 0..8 {
        let (mut images, weights, window) = geometry(&mut draw);
        images[0] = 1;
        let network = Network::new();
        let x = network.input(draw.tensor(images));
        let w = network.parameter(draw.tensor(weights));
        let y = x.conv2d(w, &window);
        let target = (y * y * y.literal(0.01)).sum();
        let report = gradcheck(&network, target, [x, w]).expect("a scalar target");
        assert!(report.error() < 1e-6, "{report}");
    }
}

#[test]
fn a_refused_conv2d_records_nothing() {
    let network = Net::new();
    let leaf = |shape: [usize; 4]| network.input(Tensor::zeros(shape));
    let (x, w) = (leaf([2, 4, 5, 5]), leaf([6, 4, 3, 3]));
    let flat = network.input(Tensor::zeros([4, 5, 5]));
    let window = Window::new();
    refused!(network, "conv2d", "C1", flat.conv2d(w, &window));
    refused!(network, "conv2d", "C1", x.conv2d(flat, &window));
    refused!(network, "conv2d", "C2", x.conv2d(w, &window.step([0, 1])));
    refused!(network, "conv2d", "C2", x.conv2d(w, &window.dilation([1, 0])));
    refused!(network, "conv2d", "C2", x.conv2d(w, &window.groups(0)));
    let empty = leaf([6, 4, 0, 3]);
    refused!(network, "conv2d", "C2", x.conv2d(empty, &window));
    refused!(network, "conv2d", "C3", x.conv2d(w, &window.groups(4)));
    refused!(network, "conv2d", "C3", x.conv2d(w, &window.groups(2)));
    let none = leaf([0, 0, 3, 3]);
    refused!(network, "conv2d", "C3", x.conv2d(none, &window.groups(usize::MAX)));
    let tall = leaf([6, 4, 6, 3]);
    refused!(network, "conv2d", "C4", x.conv2d(tall, &window));
    refused!(network, "conv2d", "C4", x.conv2d(w, &window.dilation([1, 3])));
    refused!(network, "conv2d", "C5", x.conv2d(w, &window.padding([[usize::MAX, 0], [0, 0]])));
    refused!(network, "conv2d", "C5", x.conv2d(w, &window.padding([[usize::MAX / 64, 0], [0, 0]])));
    let other = Net::new();
    let stranger = other.input(Tensor::zeros([6, 4, 3, 3]));
    let (before, error) = (network.len(), x.try_conv2d(stranger, &window).unwrap_err());
    assert_eq!((error.operation(), error.constraint()), ("conv2d", None));
    assert_eq!(network.len(), before);
}

#[test]
fn conv2d_of_nothing() {
    elements!(E => {
        let shapes = [
            ([0, 2, 3, 3], [4, 2, 2, 2], [0, 4, 2, 2]),
            ([2, 0, 3, 3], [4, 0, 2, 2], [2, 4, 2, 2]),
            ([2, 2, 3, 3], [0, 2, 2, 2], [2, 0, 2, 2]),
        ];
        for (images, weights, result) in shapes {
            let (x, w) = (Tensor::<E>::ones(images), Tensor::ones(weights));
            let reading = read(&[x, w], |v| v[0].conv2d(v[1], &Window::new()));
            assert_eq!(*reading.value.shape(), result);
            assert!(reading.value.iter().all(|x| x == 0.0));
        }
    });
}

#[test]
fn max_pool_by_hand() {
    elements!(E => {
        let x = tensor::<E>([1, 1, 3, 3], &[1.0, 2.0, 3.0, 4.0, 9.0, 5.0, 6.0, 7.0, 8.0]);
        read(std::slice::from_ref(&x), |v| v[0].max_pool([2, 2], &Window::new()))
            .value_is(&[9.0; 4])
            .gradient_is(0, &[0.0, 0.0, 0.0, 0.0, 4.0, 0.0, 0.0, 0.0, 0.0]);
        let window = Window::new().step([2, 2]).padding([[1, 0], [0, 1]]);
        read(&[x], |v| v[0].max_pool([2, 2], &window))
            .value_is(&[2.0, 3.0, 9.0, 8.0])
            .gradient_is(0, &[0.0, 1.0, 1.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    });
}

#[test]
fn max_pool_ties_go_to_the_earliest_and_nan_comes_first() {
    elements!(E => {
        let pool = |elements: &[f64]| {
            let x = tensor::<E>([1, 1, 2, 2], elements);
            read(&[x], |v| v[0].max_pool([2, 2], &Window::new().step([2, 2])))
        };
        pool(&[1.0; 4]).value_is(&[1.0]).gradient_is(0, &[1.0, 0.0, 0.0, 0.0]);
        pool(&[0.0, 5.0, 5.0, 0.0]).value_is(&[5.0]).gradient_is(0, &[0.0, 1.0, 0.0, 0.0]);
        pool(&[-0.0, 0.0, 0.0, -0.0]).value_is(&[0.0]).gradient_is(0, &[1.0, 0.0, 0.0, 0.0]);
        pool(&[9.0, f64::NAN, 5.0, f64::NAN])
            .value_is(&[f64::NAN])
            .gradient_is(0, &[0.0, 1.0, 0.0, 0.0]);
        pool(&[f64::NEG_INFINITY; 4])
            .value_is(&[f64::NEG_INFINITY])
            .gradient_is(0, &[1.0, 0.0, 0.0, 0.0]);
    });
}

#[test]
fn pools_are_loops_over_windows() {
    let mut draw = Draw(73);
    let mut pooled = 0;
    for round in 0..80 {
        let (images, [_, _, kh, kw], window) = geometry(&mut draw);
        let window = window.groups(1);
        let x = draw.tensor(images);
        let [n, channels, height, width] = images;
        let (oh, ow) = (outputs(&window, 0, height, kh), outputs(&window, 1, width, kw));
        let inside = |at: &[usize]| {
            let mut inside = Vec::new();
            for (p, q) in (0..kh * kw).map(|i| (i / kw, i % kw)) {
                let row = place(&window, 0, at[2], p, height);
                let column = place(&window, 1, at[3], q, width);
                if let (Some(row), Some(column)) = (row, column) {
                    inside.push(x.get(&[at[0], at[1], row, column]).expect("inside"));
                }
            }
            inside
        };
        let what = format!("round {round}: {images:?} {kh} by {kw} {window:?}");
        let means = Tensor::from_fn([n, channels, oh, ow], |at| {
            inside(at).iter().fold(0.0, |sum, x| sum + x) / (kh * kw) as f64
        });
        let mut bare = false;
        for (i, j) in (0..oh * ow).map(|at| (at / ow, at % ow)) {
            bare |= n * channels > 0 && inside(&[0, 0, i, j]).is_empty();
        }
        let network = Network::new();
        let image = network.input(x.clone());
        let refused = [
            image.try_max_pool([kh, kw], &window).is_err(),
            image.try_average_pool([kh, kw], &window).is_err(),
        ];
        assert_eq!(refused[0], refused[1], "{what}");
        if n * channels > 0 {
            assert_eq!(refused[0], bare, "{what}");
        }
        if refused[0] {
            assert_eq!(network.len(), 1);
            continue;
        }
        let reading = read(std::slice::from_ref(&x), |v| v[0].average_pool([kh, kw], &window));
        assert_eq!(reading.value, means, "{what}");
        if n == 0 {
            continue;
        }
        pooled += 1;
        let maxima = Tensor::from_fn([n, channels, oh, ow], |at| {
            let larger = |max, x| if max < x { x } else { max };
            inside(at).into_iter().fold(f64::NEG_INFINITY, larger)
        });
        let reading = read(std::slice::from_ref(&x), |v| v[0].max_pool([kh, kw], &window));
        assert_eq!(reading.value, maxima, "{what}");
    }
    assert!(pooled > 20, "{pooled} geometries have no bare window");
}

/// `padding-counts`.
#[test]
fn average_pool_counts_its_padding() {
    elements!(E => {
        let x = tensor::<E>([1, 1, 2, 2], &[4.0, 8.0, 12.0, 16.0]);
        let window = Window::new().step([2, 2]).padding([[1, 1], [1, 1]]);
        read(&[x], |v| v[0].average_pool([2, 2], &window))
            .value_is(&[1.0, 2.0, 3.0, 4.0])
            .gradient_is(0, &[0.25; 4]);
    });
}

#[test]
fn a_refused_pool_records_nothing() {
    let network = Net::new();
    let x = network.input(Tensor::zeros([2, 4, 5, 5]));
    let flat = network.input(Tensor::zeros([4, 5, 5]));
    let window = Window::new();
    refused!(network, "max_pool", "C1", flat.max_pool([2, 2], &window));
    refused!(network, "max_pool", "C2", x.max_pool([2, 2], &window.step([1, 0])));
    refused!(network, "max_pool", "C2", x.max_pool([0, 2], &window));
    refused!(network, "max_pool", "C2", x.max_pool([2, 2], &window.groups(2)));
    refused!(network, "max_pool", "C3", x.max_pool([6, 2], &window));
    let wide = window.padding([[0, usize::MAX / 32], [0, 0]]);
    refused!(network, "max_pool", "C4", x.max_pool([2, 2], &wide));
    refused!(network, "max_pool", "C5", x.max_pool([2, 2], &window.padding([[2, 0], [0, 0]])));
    refused!(network, "max_pool", "C5", x.max_pool([2, 2], &window.padding([[0, 0], [0, 2]])));
    refused!(network, "average_pool", "C1", flat.average_pool([2, 2], &window));
    refused!(network, "average_pool", "C2", x.average_pool([2, 2], &window.dilation([0, 1])));
    refused!(network, "average_pool", "C3", x.average_pool([2, 6], &window));
    refused!(network, "average_pool", "C4", x.average_pool([2, 2], &wide));
    let above = window.padding([[2, 0], [0, 0]]);
    refused!(network, "average_pool", "C5", x.average_pool([2, 2], &above));
    // Gaps wider than the image: every position of a window is on either side of it.
    let point = network.input(Tensor::zeros([1, 1, 1, 1]));
    let gaps = window.dilation([2, 1]).padding([[1, 1], [0, 0]]);
    refused!(network, "max_pool", "C5", point.max_pool([2, 1], &gaps));
}
