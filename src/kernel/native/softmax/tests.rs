//! Lines in registers have the bits of the definition: lengths round rows of lanes and the block,
//! specials, every level, and nothing is written past the result.

use super::softmax_at;
use crate::kernel::native::log_softmax;
use crate::kernel::reference::{self, View};
use crate::kernel::simd::{Level, Native, Registers, Work};
use crate::kernel::testing::{Random, assert_same, taken};
use crate::kernel::{Softmax, SoftmaxTask};

fn check<E: Native>(random: &mut Random, lines: usize, length: usize, specials: bool) {
    let mut elements: Vec<E> = (0..lines * length).map(|_| random.value(specials)).collect();
    if specials {
        // Lines of one value: no finite maximum, zeros of both signs, nothing but NaN.
        let values = [f64::NEG_INFINITY, f64::INFINITY, f64::NAN, 0.0, -0.0];
        for line in elements.chunks_exact_mut(length).step_by(3) {
            let [one, other] = [random.pick(&values), random.pick(&values)];
            let only = random.below(2) == 0;
            for x in line {
                let one = if only || random.below(2) == 0 { one } else { other };
                *x = crate::kernel::Elementary::from_f64(one);
            }
        }
    }
    let extents = [lines, length];
    let strides = [length, 1];
    let view = View::new(&elements, &extents, &strides, 0);
    for form in [Softmax::Softmax, Softmax::LogSoftmax, Softmax::LogSumExp] {
        let expected = match form {
            Softmax::Softmax => reference::softmax(view, 1),
            Softmax::LogSoftmax => reference::log_softmax(view, 1),
            Softmax::LogSumExp => reference::log_sum_exp(view, 1),
        };
        for level in Level::all() {
            let mut out = vec![E::zero(); expected.len()];
            let (elements, out_of) = (&elements[..], &mut out[..]);
            let mut task = SoftmaxTask { form, elements, length, out: out_of };
            assert!(softmax_at(level, &mut task), "{form:?} of {lines} lines of {length}");
            assert_same(&out, &expected, &format!("{form:?} of {elements:?}, {level:?}"));
        }
    }
}

#[test]
fn lines_have_the_bits_of_the_definition() {
    let mut random = Random(31);
    let lengths = (1..=50).chain([63, 64, 65, 79, 80, 81, 127, 128, 129, 192, 209, 4095, 4096]);
    for length in lengths {
        for specials in [false, true] {
            let lines = if length > 1000 { 2 } else { 1 + random.below(9) };
            check::<f32>(&mut random, lines, length, specials);
            check::<f64>(&mut random, lines, length, specials);
        }
    }
}

#[test]
fn lines_of_several_blocks_are_left_to_the_steps() {
    let elements = [0.5_f32; 4097];
    let mut out = [0.0; 4097];
    let (form, length) = (Softmax::Softmax, elements.len());
    let mut task = SoftmaxTask { form, elements: &elements, length, out: &mut out };
    assert!(!softmax_at(Level::best(), &mut task));
    assert_eq!(out[0], 0.0);
}

#[test]
fn short_lines_go_through_registers() {
    let x = [1.0_f32, 2.0, 3.0, 4.0];
    let view = View::new(&x, &[2, 2], &[2, 1], 0);
    assert!(taken(|| drop(log_softmax(view, 1))).contains(&"softmax in registers"));
}

struct Many;

impl Work<f32> for Many {
    type Output = bool;

    #[inline(always)]
    fn run<R: Registers<Element = f32>>(self, _: R) -> bool {
        R::MANY
    }
}

#[test]
fn long_lines_go_through_several_registers_at_once_where_there_are_many() {
    let elements: Vec<f32> = (0..160).map(|i| i as f32 * 0.1).collect();
    for level in Level::all() {
        for (length, long) in [(80, true), (16, false)] {
            let mut out = vec![0.0; 160];
            let (form, elements) = (Softmax::Softmax, &elements[..160 / length * length]);
            let out = &mut out[..elements.len()];
            let mut task = SoftmaxTask { form, elements, length, out };
            let paths = taken(|| assert!(softmax_at(level, &mut task)));
            let many = f32::at(level, Many);
            assert_eq!(paths.contains(&"softmax of long lines"), long && many, "{level:?}");
        }
    }
}
