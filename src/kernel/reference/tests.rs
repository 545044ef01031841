//! The definitions against results that were worked out by hand, and against the words of the
//! specification.

use super::*;
use crate::kernel::testing::{Random, assert_same, bits};
use crate::kernel::{Binary, Elementary, Unary};
use std::hint::black_box;

const INF: f64 = f64::INFINITY;

fn line<E>(elements: &[E]) -> View<'_, E> {
    // A view borrows its extents: from here, those of every short line.
    static LENGTHS: [usize; 32] = {
        let mut lengths = [0; 32];
        let mut length = 0;
        while length < lengths.len() {
            lengths[length] = length;
            length += 1;
        }
        lengths
    };
    View::new(elements, &LENGTHS[elements.len()..][..1], &[1], 0)
}

fn ulps(a: f64, b: f64) -> u64 {
    a.to_bits().abs_diff(b.to_bits())
}

#[test]
fn a_sum_of_nothing_or_of_minus_zero_is_plus_zero() {
    for elements in [&[][..], &[-0.0], &[-0.0; 20]] {
        assert_eq!(sum_of::<f64>(black_box(elements)).to_bits(), 0);
    }
    assert_eq!(sum_of::<f32>(&[-0.0]).to_bits(), 0);
}

#[test]
fn a_short_sum_takes_a_lane_per_element() {
    // Lanes 0..4 hold one element each: the tree adds 0 with 2 and 1 with 3 first.
    assert_eq!(sum_of(&black_box([1e16, 1.0, -1e16, 1.0])), 2.0);
    assert_eq!(sum_of(&black_box([1e8_f32, 1.0, -1e8, 1.0])), 2.0);
    let tenths = black_box([0.1_f64; 10]);
    let (a, b) = (0.1_f64 + 0.1, 0.1);
    // Lanes 0 and 1 meet lanes 8 and 9, the other six stay single.
    let expected = ((a + b) + (b + b)) + ((a + b) + (b + b));
    assert_eq!(sum_of(&tenths).to_bits(), expected.to_bits());
}

#[test]
fn lanes_take_every_sixteenth_element_and_blocks_are_summed_alike() {
    let mut random = Random(11);
    let elements = (0..2 * SB + 5).map(|_| random.value::<f64>(false)).collect::<Vec<_>>();
    let block = |elements: &[f64]| {
        let lane = |l: usize| elements.iter().skip(l).step_by(16).fold(0.0, |sum, x| sum + x);
        let eight = |l: usize| lane(l) + lane(l + 8);
        let four = |l: usize| eight(l) + eight(l + 4);
        let two = |l: usize| four(l) + four(l + 2);
        two(0) + two(1)
    };
    let blocks = elements.chunks(SB).map(block).collect::<Vec<_>>();
    assert_eq!(blocks.len(), 3);
    assert_eq!(sum_of(&elements).to_bits(), block(&blocks).to_bits());
    // One block is not summed again.
    assert_eq!(sum_of(&elements[..SB]).to_bits(), blocks[0].to_bits());
}

#[test]
fn a_sum_reads_row_major_whatever_the_strides() {
    let elements = [1e16_f64, 1.0, -1e16, 1.0, 3.0, 1e-3];
    let transposed = View::new(&elements, &[3, 2], &[1, 3], 0);
    let logical = [1e16_f64, 1.0, 1.0, 3.0, -1e16, 1e-3];
    assert_eq!(sum(transposed, &[0, 1])[0].to_bits(), sum_of(&logical).to_bits());
    let outer = sum(View::new(&elements, &[2, 3], &[3, 1], 0), &[0]);
    assert_eq!(outer, [1e16 + 1.0, 4.0, -1e16 + 1e-3]);
}

#[test]
fn a_product_multiplies_and_adds_apart() {
    let a = black_box([1.0 + f64::exp2_of(-27), 1.0]);
    let b = black_box([a[0], -(1.0 + f64::exp2_of(-26))]);
    let (a, b) = (View::new(&a, &[1, 2], &[2, 1], 0), View::new(&b, &[2, 1], &[1, 1], 0));
    assert_eq!(product(a, b)[0].to_bits(), 0);
}

/// Powers of two without the platform's `exp2`.
trait Exp2 {
    fn exp2_of(exponent: i32) -> Self;
}
impl Exp2 for f64 {
    fn exp2_of(exponent: i32) -> f64 {
        f64::from_bits(((1023 + exponent) as u64) << 52)
    }
}

#[test]
fn a_product_ascends_in_blocks() {
    let mut random = Random(12);
    let k = 2 * KB + 3;
    let [a, b] = [0; 2].map(|_| (0..k).map(|_| random.value::<f32>(false)).collect::<Vec<_>>());
    let mut blocks = Vec::new();
    for start in (0..k).step_by(KB) {
        let end = k.min(start + KB);
        blocks.push((start..end).fold(0.0, |sum, i| sum + a[i] * b[i]));
    }
    let expected = (blocks[0] + blocks[1]) + blocks[2];
    let got = product(View::new(&a, &[1, k], &[k, 1], 0), View::new(&b, &[k, 1], &[1, 1], 0));
    assert_eq!(got[0].to_bits(), expected.to_bits());
}

#[test]
fn a_product_without_terms_is_plus_zero() {
    let none: [f32; 0] = [];
    let got = product(
        View { elements: &none, extents: &[2, 0], strides: &[0, 1], offset: 0 },
        View { elements: &none, extents: &[0, 3], strides: &[3, 1], offset: 0 },
    );
    assert_eq!(got.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0; 6]);
}

#[test]
fn subnormals_are_kept() {
    let tiny = black_box([1e-20_f32]);
    let x = View::new(&tiny, &[1, 1], &[1, 1], 0);
    assert_eq!(product(x, x)[0].to_bits(), 0x0001_16c2);
    let tiny = black_box([1e-160_f64]);
    let x = View::new(&tiny, &[1, 1], &[1, 1], 0);
    assert_eq!(product(x, x)[0].to_bits(), 0x7e8);
}

#[test]
fn relu_keeps_nan_and_gives_plus_zero() {
    let x = black_box([f64::NAN, INF, -INF, 1.5, -1.5, -0.0]);
    let got = map(Unary::Relu, line(&x));
    assert_same(&got, &[f64::NAN, INF, 0.0, 1.5, 0.0, 0.0], "relu");
}

#[test]
fn a_maximum_propagates_nan_and_has_no_identity() {
    for elements in [[3.0, 1.0, 7.0, f64::NAN], [f64::NAN, 3.0, 1.0, 7.0], [f64::NAN; 4]] {
        assert!(max_of(&black_box(elements)).is_some_and(|max| max.is_nan()));
    }
    assert_eq!(max_of(&[-32768.0, -32767.0]), Some(-32767.0));
    assert_eq!(max_of(&[-INF, -INF]), Some(-INF));
    assert_eq!(max_of(&[-1e308]), Some(-1e308));
    assert_eq!(max_of::<f64>(&[]), None);
    let zeros = [black_box(-0.0_f64), 0.0];
    assert_eq!(max_of(&zeros).map(f64::to_bits), Some(0));
    assert_eq!(zip(Binary::Maximum, line(&[f64::NAN, 1.0]), line(&[1.0, f64::NAN])).len(), 2);
    let both = zip(Binary::Maximum, line(&[f64::NAN, 1.0]), line(&[1.0, f64::NAN]));
    assert!(both.iter().all(|x| x.is_nan()));
}

#[test]
fn the_first_maximum_is_the_first_of_a_tie_and_the_first_nan() {
    assert_eq!(first_max_of(&[1.0, 3.0, 3.0, 2.0]), Some(1));
    assert_eq!(first_max_of(&[1.0, f64::NAN, 9.0, f64::NAN]), Some(1));
    assert_eq!(first_max_of(&[-0.0, 0.0]), Some(0));
    assert_eq!(first_max_of(&[-INF, -INF]), Some(0));
    let x = [0.0, 5.0, 5.0, 0.0];
    let marks = first_max(View::new(&x, &[2, 2], &[2, 1], 0), &[0, 1]);
    assert_eq!(marks, [0.0, 1.0, 0.0, 0.0]);
}

#[test]
fn softmax_is_shifted_and_survives_extremes() {
    let wide = softmax(line(&[1000.0, 1001.0, 1002.0]), 0);
    let expected = [0.090_030_573_170_380_46, 0.244_728_471_054_797_64, 0.665_240_955_774_821_8];
    assert!(wide.iter().zip(expected).all(|(a, b)| ulps(*a, b) <= 2), "{wide:?}");
    assert_eq!(bits(&wide), bits(&softmax(line(&[0.0, 1.0, 2.0]), 0)));
    assert_eq!(log_softmax(line(&[1000.0, 0.0]), 0), [0.0, -1000.0]);
    assert_eq!(softmax(line(&[-1e308, 1e308]), 0), [0.0, 1.0]);
}

#[test]
fn log_sum_exp_knows_infinities() {
    let of = |x: &[f64]| log_sum_exp(line(x), 0)[0];
    assert_eq!(of(&[-INF, -INF]), -INF);
    assert_eq!(of(&[INF, 0.0]), INF);
    assert_eq!(of(&[-INF, 1.0]), 1.0);
    assert_eq!(of(&[-INF]), -INF);
}

#[test]
fn log_softmax_of_impossible_and_masked_classes() {
    assert_eq!(log_softmax(line(&[-INF, 0.0]), 0), [-INF, 0.0]);
    let x = [0.0, 0.0, -INF, -INF];
    let masked = log_softmax(View::new(&x, &[2, 2], &[2, 1], 0), 1);
    assert!(ulps(masked[0], -std::f64::consts::LN_2) <= 1);
    assert!(masked[2].is_nan() && masked[3].is_nan());
    let x = [f64::NAN, INF, -INF, 1.0, 2.0, 3.0];
    let rows = log_softmax(View::new(&x, &[2, 3], &[3, 1], 0), 1);
    assert!(rows[..3].iter().all(|x| x.is_nan()));
    let expected = [-2.407_605_964_444_38, -1.407_605_964_444_380_4, -0.407_605_964_444_380_3];
    assert!(rows[3..].iter().zip(expected).all(|(a, b)| ulps(*a, b) <= 2), "{rows:?}");
}

#[test]
fn softmax_reads_the_logical_rows() {
    let x = (1..=12).map(f64::from).collect::<Vec<_>>();
    let rows = softmax(View::new(&x, &[4, 3], &[1, 4], 0), 1);
    let expected =
        [0.000_329_320_438_963_892_93, 0.017_980_286_735_531_547, 0.981_690_392_825_504_5];
    for row in rows.chunks(3) {
        assert!(row.iter().zip(expected).all(|(a, b)| ulps(*a, b) <= 2), "{row:?}");
    }
}

#[test]
fn overlapping_windows_add() {
    // Every 2 x 2 window of ones over a 3 x 3 square, folded twice.
    let ones = [1.0; 16];
    let x = View::new(&ones, &[2, 2, 2, 2], &[8, 4, 2, 1], 0);
    let columns = fold(x, 1, 3, 1, 1);
    let both = fold(View::new(&columns, &[2, 3, 2], &[6, 2, 1], 0), 0, 3, 1, 1);
    assert_eq!(both, [1.0, 2.0, 1.0, 2.0, 4.0, 2.0, 1.0, 2.0, 1.0]);
}

#[test]
fn a_fold_adds_windows_in_ascending_order_from_plus_zero() {
    // Position 2 of 4 is reached by windows 0, 1 and 2 of size 3.
    let x = [0.0_f64, 0.0, 1e16, 0.0, 1.0, 0.0, -1e16, -0.0, 0.0];
    let x = View::new(&x, &[3, 3], &[3, 1], 0);
    let got = fold(x, 0, 5, 1, 1);
    assert_eq!(got[2].to_bits(), (((0.0 + 1e16) + 1.0) + -1e16_f64).to_bits());
    assert_eq!(got[3].to_bits(), 0);
}

#[test]
fn scatter_adds_in_source_order_and_gather_reads_only_what_is_named() {
    let source = [1e16, 1.0, -1e16, 1.0];
    let got = scatter(View::new(&source, &[4, 1], &[1, 1], 0), &[1, 1, 1, 1], 3);
    assert_eq!(got, [0.0, ((1e16 + 1.0) - 1e16) + 1.0, 0.0]);
    let table = [f64::NAN, 1.0, 2.0];
    assert_eq!(gather(View::new(&table, &[3, 1], &[1, 1], 0), &[2, 1, 2]), [2.0, 1.0, 2.0]);
    let updated = row_update(
        View::new(&table, &[3, 1], &[1, 1], 0),
        View::new(&[5.0, 6.0], &[2, 1], &[1, 1], 0),
        &[0, 0],
    );
    assert_eq!(updated, [6.0, 1.0, 2.0]);
}

#[test]
fn a_crop_comes_before_padding() {
    // Crop one on the left, pad one zero, sum windows of two: 0 + -763.
    let x = [669.0, -763.0];
    let cropped = View::new(&x, &[1], &[1], 1);
    let padded = pad(cropped, 0, 1, 0, &0.0);
    assert_eq!(sum(View::new(&padded, &[1, 2], &[1, 1], 0), &[1]), [-763.0]);
}

#[test]
fn select_takes_its_first_where_the_condition_is_not_zero() {
    let condition = [0.0, -0.0, 1.0, f64::NAN];
    assert_eq!(select(line(&condition), line(&[1.0; 4]), line(&[2.0; 4])), [2.0, 2.0, 1.0, 1.0]);
}

#[test]
fn absorbing_zero_never_meets_infinity() {
    let zeros = [0.0, -0.0, 2.0];
    let got = zip(Binary::Absorb, line(&zeros), line(&[INF, f64::NAN, 3.0]));
    assert_eq!(got.iter().map(|x| x.to_bits()).collect::<Vec<_>>(), [0, 0, 6.0_f64.to_bits()]);
    let got = zip(Binary::AbsorbDiv, line(&zeros), line(&[0.0, 0.0, 4.0]));
    assert_eq!(got, [0.0, 0.0, 0.5]);
    assert!(f64::NAN.absorb(&0.0).is_nan());
}

#[test]
fn views_refuse_what_they_cannot_read() {
    let reach = std::panic::catch_unwind(|| View::new(&[1.0, 2.0], &[2, 2], &[2, 1], 0));
    assert!(reach.is_err());
    let wraps = std::panic::catch_unwind(|| View::new(&[1.0], &[3], &[usize::MAX], 0));
    assert!(wraps.is_err());
}

#[test]
fn v13_equal_elements_sum_as_their_dense_twin_does() {
    let counts = [0, 1, 7, 16, 17, SB - 1, SB, SB + 1, SB + 17, 2 * SB, 3 * SB + 5, 40 * SB + 100];
    for element in [0.1, -0.0, 1e300, f64::NAN, -INF] {
        for count in counts {
            let dense = sum_of(&black_box(vec![element; count]));
            assert_same(
                &[dense],
                &[sum_of_equal(&element, count)],
                &format!("{count} x {element}"),
            );
        }
    }
    // Blocks of blocks, and a last block in each of the two.
    let count = SB * SB + 3 * SB + 11;
    let dense = sum_of(&black_box(vec![0.1_f32; count]));
    assert_eq!(dense.to_bits(), sum_of_equal(&0.1_f32, count).to_bits());
}

#[test]
#[should_panic(expected = "concat: [1, 2] and [2, 2] differ outside axis 1")]
fn parts_that_differ_in_another_axis_are_refused() {
    let elements = [1.0; 4];
    let (whole, half) =
        (View::new(&elements, &[2, 2], &[2, 1], 0), View::new(&elements, &[1, 2], &[2, 1], 0));
    let _ = concat(&[whole, half], 1);
}
