//! What a product or a quotient leaves: the same by halves and by one fused operation.

use crate::math::{exact::remainder_by_halves, format::Format, scalar::Scalar, value::Value};

/// Words of a fixed sequence (Marsaglia, Xorshift RNGs, 2003).
fn words() -> impl Iterator<Item = u64> {
    let mut state = 88_172_645_463_325_252_u64;
    std::iter::repeat_with(move || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        state
    })
}

/// Significands that are drawn, and ones with long runs of equal bits, where halves round over.
fn significand(word: u64, bits: u32) -> u64 {
    let mask = (1 << bits) - 1;
    let run = word >> 58;
    match word % 4 {
        0 => word >> (64 - bits),
        1 => mask - (word >> 12) % 16,
        2 => mask >> (run % u64::from(bits)),
        _ => !(mask >> (run % u64::from(bits))) & mask,
    }
}

macro_rules! agree {
    ($name:ident, $float:ident, $bits:literal) => {
        #[test]
        #[expect(clippy::disallowed_methods, reason = "what it is held against, and exact here")]
        fn $name() {
            let one = $float::power_word(0);
            let mut words = words();
            let mut next = || {
                let word = words.next().expect("endless");
                $float::from_bits(one | significand(word, $bits) as <$float as Format>::Word)
            };
            let token = Scalar::<$float>::new();
            for _ in 0..400_000 {
                let (a, b) = (next(), next());
                for (c, a) in [(a * b, a), (a, a / b)] {
                    let fused = (-a).mul_add(b, c);
                    let [c, a, b] = [c, a, b].map(|x| Value::new(token, x));
                    let plain = remainder_by_halves(c, a, b).lanes();
                    assert_eq!(plain, fused, "{} {}", a.lanes(), b.lanes());
                }
            }
        }
    };
}

agree!(halves_leave_what_a_fused_operation_leaves_of_f32, f32, 23);
agree!(halves_leave_what_a_fused_operation_leaves_of_f64, f64, 52);
