//! Functions of two in the first one's place have the bits of the function, at every length round what is copied
//! away at a time.

use super::ordered::Ordered;
use crate::kernel::native::pointwise::zip_in_slice;
use crate::kernel::testing::{Random, assert_same};
use crate::kernel::{Binary, Comparison, Elementary};

fn check<E: Elementary>(operations: &[Binary]) {
    let mut random = Random(47);
    let mut value = |_| E::from_f64(random.value::<f64>(true));
    let mine: Vec<E> = (0..1025).map(&mut value).collect();
    let others: Vec<E> = (0..1025).map(&mut value).collect();
    for length in [1, 2, 511, 512, 513, 1024, 1025] {
        for partners in [1, length] {
            let (mine, others) = (&mine[..length], &others[..partners]);
            for &op in operations {
                for flipped in [false, true] {
                    let pairs = mine.iter().enumerate().map(|(i, x)| (x, &others[i % partners]));
                    let apply = |(x, y)| if flipped { op.apply(y, x) } else { op.apply(x, y) };
                    let expected: Vec<E> = pairs.map(apply).collect();
                    let mut out = mine.to_vec();
                    zip_in_slice(op, &mut out, others, flipped);
                    let what = format!("{op:?} of {length} and {partners}, flipped: {flipped}");
                    assert_same(&out, &expected, &what);
                }
            }
        }
    }
}

#[test]
fn pairs_in_place_have_the_bits_of_the_function() {
    use Comparison::{Eq, Ge, Gt, Le, Lt, Ne};
    let mut operations = [Lt, Le, Gt, Ge, Eq, Ne].map(Binary::Compare).to_vec();
    let arithmetic = [Binary::Add, Binary::Sub, Binary::Mul, Binary::Div];
    operations.extend(arithmetic.iter().chain(&[Binary::Absorb, Binary::Maximum]));
    check::<Ordered>(&operations);
    operations.extend([Binary::AbsorbDiv, Binary::Powf]);
    check::<f32>(&operations);
    check::<f64>(&operations);
}
