//! Gradients are right: forward mode by dual numbers, central differences, second order, and the
//! declared side of every kink.

use poorgrad::{Elementary, Network, Tensor, Tensorial, Value, gradcheck, gradcheck_second};
use testkit::gradient::{
    Slope, central_differences, columns, dot_product, first_primal_difference, second_dot_product,
    smooth, steady_rows,
};
use testkit::{generate_smooth, seeded};

fn bytes(seed: u64) -> Vec<u8> {
    seeded(seed, 12 + seeded(seed, 1)[0] as usize / 4)
}

/// `<v, J'u> = <J v, u>` within 1e-14 of `sum |u_i (J v)_i|`, the primals bit for bit.
///
/// Where the paths of `J` cancel one another by more than a factor of 10, that sum measures the
/// cancellation and not the rules: there the bound is 1e-14 of the sum of the paths' magnitudes. Of
/// every such tape, the rows that do not cancel are held to the strict bound by themselves.
fn forward_mode_agrees(seeds: std::ops::Range<u64>) {
    let (mut count, mut strict, mut judged) = (0, 0, 0);
    let (mut rows, mut steady) = (0, 0);
    for seed in seeds {
        let tape = smooth(&bytes(seed));
        assert_eq!(first_primal_difference(&tape), None, "seed {seed}");
        // The mean of nothing is NaN, and has no derivative to compare.
        let finite = tape.plain.network.forward().first_nonfinite().is_none();
        if tape.plain.sources.is_empty() || !finite {
            continue;
        }
        count += 1;
        let found = dot_product(&tape);
        assert!(found.relative_to(found.spread) <= 1e-14, "seed {seed}: {found:?}");
        if found.spread <= 10.0 * found.scale {
            strict += 1;
            assert!(found.error() <= 1e-14, "seed {seed}: {found:?}");
        }
        let found = steady_rows(&tape, 10.0);
        assert!(found.adjoint.error() <= 1e-14, "seed {seed}: {found:?}");
        judged += usize::from(found.rows > 0 || found.of == 0);
        (rows, steady) = (rows + found.of, steady + found.rows);
    }
    println!("{strict} of {count} tapes by the strict bound, {judged} on their steady rows");
    println!("{steady} of {rows} rows are steady");
    assert!(10 * judged > 9 * count, "{judged} of {count} tapes have a steady row");
    assert!(10 * strict > 9 * count, "{strict} of {count} tapes are well conditioned");
    assert!(20 * steady > 19 * rows, "{steady} of {rows} rows are well conditioned");
}

#[test]
fn reverse_mode_agrees_with_dual_numbers() {
    forward_mode_agrees(0..200);
}

#[test]
#[ignore = "heavy: 5,000 tapes"]
fn heavy_reverse_mode_agrees_with_dual_numbers() {
    forward_mode_agrees(1_000..6_000);
}

/// Full Jacobians of tapes with few sources: every column is that of dual numbers, entry by entry, within
/// 1e-14 of the entry where its paths do not cancel by more than a factor of 10, else of the sum of the
/// paths' magnitudes.
fn jacobians_agree(seeds: std::ops::Range<u64>) -> usize {
    let (mut judged, mut strict) = (0, 0);
    for seed in seeds {
        let bytes = bytes(seed);
        let tape = generate_smooth::<Tensor<f64>>(&bytes, &mut |value, _| value);
        let network = &tape.network;
        let volume = |symbol| network.resolve(symbol).shape().iter().product::<usize>();
        let elements = tape.sources.iter().fold(0, |sum, source| sum + volume(*source));
        if elements == 0 || elements > 32 || network.forward().first_nonfinite().is_some() {
            continue;
        }
        let columns = columns(&bytes);
        for (number, &(result, _)) in tape.results.iter().enumerate() {
            let jacobians = network.jacobian(result, &tape.sources);
            let run = network.forward();
            let jacobians: Vec<Vec<f64>> = jacobians.iter().map(|j| run.of(*j).to_vec()).collect();
            for column in &columns {
                for (row, &Slope { slope, spread }) in column.results[number].iter().enumerate() {
                    let mut found = 0.0;
                    for (jacobian, direction) in jacobians.iter().zip(&column.direction) {
                        let entries = &jacobian[row * direction.len()..][..direction.len()];
                        let moved =
                            direction.iter().zip(entries).filter(|(moves, _)| **moves != 0.0);
                        found = moved.fold(found, |sum, (_, entry)| sum + entry);
                    }
                    let steady = spread <= 10.0 * f64::abs(slope);
                    let scale = if steady { f64::abs(slope) } else { spread };
                    let near = (found - slope).abs() <= 1e-14 * scale;
                    strict += usize::from(steady);
                    assert!(near, "seed {seed}, row {row}: {found} for {slope} of {spread}");
                    judged += 1;
                }
            }
        }
    }
    println!("{strict} of {judged} entries by the strict bound");
    assert!(20 * strict > 19 * judged, "{strict} of {judged} entries are well conditioned");
    judged
}

#[test]
fn jacobians_agree_with_dual_numbers() {
    assert!(jacobians_agree(0..100) > 1_000);
}

#[test]
#[ignore = "heavy: 2,000 tapes"]
fn heavy_jacobians_agree_with_dual_numbers() {
    assert!(jacobians_agree(1_000..3_000) > 20_000);
}

fn differences_agree(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let tape = generate_smooth::<Tensor<f64>>(&bytes(seed), &mut |value, _| value);
        let worst = central_differences(&tape.network, tape.target, &tape.sources, 1e-6);
        assert!(worst.error <= 1e-8, "seed {seed}: {worst:?}");
    }
}

#[test]
fn central_differences_agree() {
    differences_agree(0..60);
}

#[test]
#[ignore = "heavy: 1,000 tapes"]
fn heavy_central_differences_agree() {
    differences_agree(1_000..2_000);
}

/// Differentiating twice against dual numbers through the recorded gradient, as `forward_mode_agrees`.
/// A second derivative's paths cancel more often than a first one's. Returns how many tapes are curved.
fn second_order_agrees_with_dual_numbers(seeds: std::ops::Range<u64>) -> usize {
    let (mut count, mut strict) = (0, 0);
    for seed in seeds {
        let tape = smooth(&bytes(seed));
        let finite = tape.plain.network.forward().first_nonfinite().is_none();
        if tape.plain.sources.is_empty() || !finite {
            continue;
        }
        let found = second_dot_product(&tape);
        assert!(found.relative_to(found.spread) <= 1e-14, "seed {seed}: {found:?}");
        if found.scale == 0.0 {
            continue;
        }
        count += 1;
        if found.spread <= 10.0 * found.scale {
            strict += 1;
            assert!(found.error() <= 1e-14, "seed {seed}: {found:?}");
        }
    }
    println!("{strict} of {count} curved tapes by the strict bound");
    assert!(4 * strict > 3 * count, "{strict} of {count} tapes are well conditioned");
    count
}

#[test]
fn second_derivatives_agree_with_dual_numbers() {
    assert!(second_order_agrees_with_dual_numbers(0..100) > 20);
}

#[test]
#[ignore = "heavy: 2,000 tapes"]
fn heavy_second_derivatives_agree_with_dual_numbers() {
    assert!(second_order_agrees_with_dual_numbers(1_000..3_000) > 500);
}

/// Differentiating twice against differences of the gradient.
fn second_order_agrees(seeds: std::ops::Range<u64>) {
    for seed in seeds {
        let tape = generate_smooth::<Tensor<f64>>(&bytes(seed)[..12], &mut |value, _| value);
        let report = gradcheck_second(&tape.network, tape.target, &tape.sources)
            .expect("symbols of the tape");
        if tape.sources.is_empty() {
            continue;
        }
        assert!(report.error() <= 1e-6, "seed {seed}: {report}");
        assert!(report.checked() > 0 && report.kinks().is_empty(), "seed {seed}: {report}");
    }
}

#[test]
fn second_derivatives_agree_with_differences_of_first_ones() {
    second_order_agrees(0..30);
}

#[test]
#[ignore = "heavy: 300 tapes"]
fn heavy_second_derivatives_agree_with_differences_of_first_ones() {
    second_order_agrees(1_000..1_300);
}

#[test]
fn a_pull_back_and_a_push_forward_are_adjoint() {
    for seed in 0..100 {
        let tape = generate_smooth::<Tensor<f64>>(&bytes(seed), &mut |value, _| value);
        let network = &tape.network;
        let (result, weight) = tape.results[0];
        let tangents: Vec<_> = tape
            .sources
            .iter()
            .map(|source| {
                let shape = network.resolve(source).shape();
                let numbers = |at: &[usize]| at.iter().fold(1.0, |sum, i| sum + 0.125 * *i as f64);
                (*source, network.leaf(Tensor::from_fn(shape, numbers)).symbol())
            })
            .collect();
        if tangents.is_empty() {
            continue;
        }
        let pushed = network.jvp(result, tangents.iter().copied());
        let pulled = network.vjp(result, weight, tape.sources.iter());
        let run = network.forward();
        let dot = |left: &Tensor<f64>, right: &Tensor<f64>| {
            let pairs = left.iter().zip(right.iter());
            pairs.fold((0.0, 0.0), |(sum, scale), (a, b)| (sum + a * b, scale + f64::abs(a * b)))
        };
        let (pushed, scale) = dot(&run.of(pushed), &run.of(weight));
        let mut along = 0.0;
        for (gradient, (_, tangent)) in pulled.iter().zip(&tangents) {
            along += dot(&run.of(*gradient), &run.of(tangent)).0;
        }
        let error = (along - pushed).abs();
        assert!(error <= 1e-13 * scale || error == 0.0, "seed {seed}: {along} {pushed}");
    }
}

#[test]
fn a_kink_is_flagged_and_a_report_that_judged_nothing_has_no_error_to_pass_with() {
    let network = Network::new();
    let (x, y) = (network.input(0.0_f64), network.input(0.75));
    let target = x.abs() + y * y;
    let report = gradcheck(&network, target, [x, y]).expect("symbols of the network");
    assert_eq!((report.checked(), report.kinks().len()), (1, 1), "{report}");
    assert!(report.to_string().starts_with("1 coordinate, 1 kink, the worst off by "), "{report}");
    assert!(report.error() < 1e-8 && report.kinks()[0].value.contains("%0 = input"), "{report}");
    let only_the_kink = gradcheck(&network, target, [x]).expect("a symbol of the network");
    assert_eq!(only_the_kink.checked(), 0);
    assert!(only_the_kink.error().is_nan());
    let nothing = gradcheck(&network, target, Vec::<poorgrad::Symbol>::new()).expect("no symbol");
    assert!(nothing.error().is_nan() && nothing.worst().is_none());
}

#[test]
fn rounding_is_no_kink_and_does_not_hide_a_wrong_gradient() {
    // The noise of a large constant term exceeds the gap of one-sided slopes, and doubles at half
    // the step: the coordinate is judged all the same, and does not pass for exact.
    let network = Network::new();
    let x = network.input(0.7_f64);
    let report = gradcheck(&network, x * x + 1e7, [x]).expect("a symbol of the network");
    assert_eq!((report.checked(), report.kinks().len()), (1, 0), "{report}");
    assert!(report.error() < 1e-2, "{report}");
}

#[test]
fn a_gradient_of_singles_is_judged_by_a_step_that_singles_resolve() {
    let network = Network::new();
    let (x, y) = (network.input(0.7_f32), network.input(30.0_f32));
    let target = (x * x).sin() + y.ln() + (x * y).tanh();
    let report = gradcheck(&network, target, [x, y]).expect("symbols of the network");
    assert_eq!((report.checked(), report.kinks().len()), (2, 0), "{report}");
    // A single has no digits to spare: more than of doubles, and little enough to tell a wrong
    // gradient from a right one.
    assert!(report.error() > 1e-8 && report.error() < 1e-3, "{report}");

    let network = Network::new();
    let z = network.input(0.0_f32);
    let report = gradcheck(&network, z.abs(), [z]).expect("a symbol of the network");
    assert_eq!((report.checked(), report.kinks().len()), (0, 1), "{report}");
}

/// Value and slope of a function of one number, in both element types.
fn at<E: Elementary + Tensorial<Element = E>>(
    x: f64,
    f: impl for<'n> Fn(Value<'n, E>) -> Value<'n, E>,
) -> (f64, f64) {
    let network = Network::new();
    let x = network.input(E::from_f64(x));
    let y = f(x);
    let recorded = network.differentiate(y, [x])[0];
    let run = network.forward();
    let slope = run.backward(y).of(x);
    // One NaN for all.
    let number = |x: E| if x.is_nan() { f64::NAN } else { x.to_f64() };
    let (value, slope, recorded) = (run.of(y), slope, run.of(recorded));
    let (value, slope, recorded) = (number(value), number(slope), number(recorded));
    assert_eq!(slope.to_bits(), recorded.to_bits());
    (value, slope)
}

/// Asserts value and slope by their bits, signs of zeros included.
macro_rules! kink {
    ($x:expr, $f:expr => $value:expr, $slope:expr) => {
        let bits = |(value, slope): (f64, f64)| (value.to_bits(), slope.to_bits());
        assert_eq!(bits(at::<f32>($x, $f)), bits(($value, $slope)), "f32 at {}", $x);
        assert_eq!(bits(at::<f64>($x, $f)), bits(($value, $slope)), "f64 at {}", $x);
    };
}

const NAN: f64 = f64::NAN;
const INF: f64 = f64::INFINITY;

/// `relu-at-zero`.
#[test]
fn the_slope_of_relu_at_zero_is_zero() {
    kink!(0.0, |x| x.relu() => 0.0, 0.0);
}

/// `relu-negative-zero`.
#[test]
fn relu_of_negative_zero_is_positive_zero() {
    kink!(-0.0, |x| x.relu() => 0.0, 0.0);
}

/// `relu-nan`.
#[test]
fn relu_of_nan_is_nan_with_slope_zero() {
    let (value, slope) = at::<f64>(NAN, |x| x.relu());
    assert!(value.is_nan() && slope.to_bits() == 0);
    let (value, slope) = at::<f32>(NAN, |x| x.relu());
    assert!(value.is_nan() && slope.to_bits() == 0);
}

/// `abs-at-zero`.
#[test]
fn the_slope_of_abs_at_zero_is_zero() {
    kink!(0.0, |x| x.abs() => 0.0, 0.0);
    kink!(-0.0, |x| x.abs() => 0.0, 0.0);
}

/// `maximum-tie` and `maximum-nan`.
#[test]
fn a_tie_of_maximum_goes_to_the_left() {
    for (left, right) in [(1.0, 1.0), (0.0, -0.0), (-0.0, 0.0), (NAN, 1.0), (NAN, NAN), (INF, INF)]
    {
        let network = Network::new();
        let (a, b) = (network.input(left), network.input(right));
        let y = a.maximum(b);
        let gradients = network.forward().backward(y);
        assert_eq!((gradients.of(a), gradients.of(b)), (1.0, 0.0), "{left} {right}");
    }
    // The first NaN: the right one, where the left is a number.
    let network = Network::new();
    let (a, b) = (network.input(1.0), network.input(NAN));
    let y = a.maximum(b);
    let gradients = network.forward().backward(y);
    assert_eq!((gradients.of(a), gradients.of(b)), (0.0, 1.0));
}

/// `minimum-tie`.
#[test]
fn a_tie_of_minimum_goes_to_the_left() {
    let network = Network::new();
    let (a, b) = (network.input(2.0), network.input(2.0));
    let y = a.minimum(b);
    let gradients = network.forward().backward(y);
    assert_eq!((gradients.of(a), gradients.of(b)), (1.0, 0.0));
}

/// `window-tie`.
#[test]
fn a_tie_of_max_along_goes_to_the_earliest_position() {
    let network = Network::new();
    let x = network.input(Tensor::from([[1.0, 3.0, 3.0], [3.0, 0.0, 3.0]]));
    for (axes, expected) in [
        (&[1][..], [0.0, 1.0, 0.0, 1.0, 0.0, 0.0]),
        (&[0], [0.0, 1.0, 1.0, 1.0, 0.0, 0.0]),
        (&[0, 1], [0.0, 1.0, 0.0, 0.0, 0.0, 0.0]),
    ] {
        let y = x.max_along(axes).sum();
        assert_eq!(network.forward().backward(y).of(x).to_vec(), expected, "{axes:?}");
    }
}

/// `window-nan`.
#[test]
fn the_first_nan_of_max_along_gets_the_gradient() {
    let network = Network::new();
    let x = network.input(Tensor::from([5.0, NAN, 7.0, NAN]));
    let y = x.max_along(&[0]);
    let run = network.forward();
    assert!(run.of(y).item().is_nan());
    assert_eq!(run.backward(y).of(x).to_vec(), [0.0, 1.0, 0.0, 0.0]);
}

/// `sqrt-at-zero`.
#[test]
fn the_slope_of_sqrt_at_zero_is_infinite() {
    kink!(0.0, |x| x.sqrt() => 0.0, INF);
}

/// `powf-zero-zero`.
#[test]
fn powf_is_one_at_zero_to_the_zero() {
    kink!(0.0, |x| x.powf(x.literal(0.0)) => 1.0, 0.0);
    kink!(NAN, |x| x.powf(x.literal(0.0)) => 1.0, 0.0);
}

/// `powf-base-derivative`.
#[test]
fn the_slope_of_powf_at_zero_is_zero_above_one_and_one_at_one() {
    kink!(0.0, |x| x.powf(x.literal(2.5)) => 0.0, 0.0);
    kink!(0.0, |x| x.powf(x.literal(1.0)) => 0.0, 1.0);
}

/// `powf-exponent-derivative`.
#[test]
fn the_slope_of_powf_in_its_exponent_at_base_zero_is_zero() {
    kink!(2.0, |y| y.literal(0.0).powf(y) => 0.0, 0.0);
}

/// `condition-no-gradient`.
#[test]
fn a_condition_gets_no_gradient() {
    kink!(2.0, |x| x.select(x.literal(3.0), x.literal(4.0)) => 3.0, 0.0);
    kink!(2.0, |x| x.gt(x.literal(1.0)) => 1.0, 0.0);
    kink!(2.0, |x| x.step(2.0) => 1.0, 0.0);
}

/// `branch-not-taken`.
#[test]
fn the_branch_not_taken_gets_exactly_nothing() {
    kink!(0.0, |x| x.literal(0.0).select(x.ln() / x, x.literal(7.0)) => 7.0, 0.0);
}

/// `compare-nan` and `select-nan`.
#[test]
fn comparisons_are_false_on_nan_but_for_ne() {
    kink!(NAN, |x| x.lt(x) + x.le(x) + x.gt(x) + x.ge(x) + x.eq(x) => 0.0, 0.0);
    kink!(NAN, |x| x.ne(x) => 1.0, 0.0);
    let network = Network::new();
    let condition = network.input(NAN);
    // NaN is not 0: the first is taken.
    let y = condition.select(condition.literal(1.0), condition.literal(2.0));
    assert_eq!(network.forward().of(y), 1.0);
}

/// `clamp-outside`.
#[test]
fn outside_a_clamp_the_slope_is_zero() {
    // `minimum` is a negated maximum, and so is the zero that it routes.
    kink!(3.0, |x| x.clamp(-1.0, 1.0) => 1.0, -0.0);
    kink!(-3.0, |x| x.clamp(-1.0, 1.0) => -1.0, 0.0);
    kink!(0.5, |x| x.clamp(-1.0, 1.0) => 0.5, 1.0);
}

/// `non-ancestors`.
#[test]
fn values_that_are_no_ancestors_never_influence_a_gradient() {
    let network = Network::new();
    let (x, other) = (network.input(2.0_f64), network.input(0.0));
    let y = x * x;
    let _ = x / other + other.ln() * x;
    let gradients = network.forward().backward(y);
    assert_eq!(gradients.of(x), 4.0);
    assert!(!gradients.contains(other) && gradients.of(other).to_bits() == 0);
}

#[test]
fn an_absorbing_product_ignores_what_a_zero_meets() {
    for zero in [0.0, -0.0] {
        for other in [NAN, INF, -INF, 3.0, 0.0] {
            kink!(zero, |g| g.absorb(g.literal(other)) => 0.0, other);
            let (value, _) = at::<f64>(zero, |g| g.absorb_div(g.literal(other)));
            assert_eq!(value.to_bits(), 0);
        }
    }
    // Their own slopes absorb as well: the slope of the second operand is the first.
    kink!(INF, |d| d.literal(0.0).absorb(d) => 0.0, 0.0);
    kink!(0.0, |d| d.literal(0.0).absorb_div(d) => 0.0, -0.0);
}

/// `softplus-at-zero`.
#[test]
fn the_slope_of_softplus_is_the_sigmoid() {
    for x in [-30.0, -1.0, 0.0, 0.5, 40.0] {
        let sigmoid = at::<f64>(x, |x| x.sigmoid()).0;
        assert_eq!(at::<f64>(x, |x| x.softplus()).1.to_bits(), sigmoid.to_bits());
    }
}

/// `powf-exponent-derivative`, once more: the derivatives of that 0 are 0 as well.
#[test]
fn second_derivatives_of_a_power_of_zero_are_finite() {
    let network = Network::new();
    let (x, y) = (network.input(0.0_f64), network.input(2.0));
    let z = x.powf(y);
    let first = network.differentiate(z, [x, y]);
    let second = first.iter().map(|first| network.differentiate(*first, [x, y]));
    let second: Vec<_> = second.collect();
    let run = network.forward();
    let of = |row: usize, column: usize| run.of(second[row][column]);
    assert_eq!([of(0, 0), of(0, 1), of(1, 0), of(1, 1)], [2.0, 0.0, 0.0, 0.0]);
    let one = network.leaf(1.0);
    let product = network.hvp(z, [(x, one), (y, one)]);
    let run = network.forward();
    assert_eq!([run.of(product[0]), run.of(product[1])], [2.0, 0.0]);
}
