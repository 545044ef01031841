//! Elements that bring no kernel of their own see the order of the definitions.

use super::check_product;
use crate::kernel::reference::KB;
use crate::kernel::testing::{Random, Strided, assert_same, taken};
use crate::kernel::{Binary, Elementary, Numerics, native, reference};

/// An element whose operations neither commute nor associate: any other order shows, and so does
/// a term that is left out because it "is only a zero".
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Ordered(u64);

impl Elementary for Ordered {
    const NAME: &'static str = "ordered";
    const BYTES: usize = 8;
    fn from_f64(value: f64) -> Self {
        Self(if value.is_nan() { 0 } else { value.to_bits() % 1_000_003 })
    }
    fn to_f64(&self) -> f64 {
        self.0 as f64
    }
    fn is_zero(&self) -> bool {
        self.0 == 0
    }
    fn add(&self, rhs: &Self) -> Self {
        Self((3 * self.0 + 2 * rhs.0 + 1) % 1_000_003)
    }
    fn sub(&self, rhs: &Self) -> Self {
        Self((5 * self.0 + rhs.0) % 1_000_003)
    }
    fn mul(&self, rhs: &Self) -> Self {
        Self((7 * self.0 + 4 * rhs.0) % 1_000_003)
    }
    fn div(&self, rhs: &Self) -> Self {
        Self((9 * self.0 + 8 * rhs.0) % 1_000_003)
    }
    fn neg(&self) -> Self {
        Self(1_000_002 - self.0)
    }
    fn order(&self, rhs: &Self) -> Option<std::cmp::Ordering> {
        // Many ties between elements that are not the same.
        Some((self.0 % 10).cmp(&(rhs.0 % 10)))
    }
    fn write_bytes(&self, out: &mut Vec<u8>) {
        out.extend(self.0.to_le_bytes());
    }
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        Some(Self(u64::from_le_bytes(bytes.try_into().ok()?)))
    }
}

#[test]
fn any_element_sees_the_order_of_the_definitions() {
    let mut random = Random(6);
    for _ in 0..400 {
        let sizes = [0; 3].map(|_| random.pick(&[0, 1, 2, 3, 7, 18, KB + 3]));
        if sizes.iter().product::<usize>() < 20_000 {
            check_product::<Ordered>(&mut random, &[], sizes);
        }
        let extents = [0; 3].map(|_| random.pick(&[1, 2, 5, 9, 33]));
        let x = Strided::<Ordered>::random(&mut random, &extents, false);
        let x = x.view();
        for axes in [&[][..], &[0], &[1], &[2], &[0, 1], &[0, 2], &[1, 2], &[0, 1, 2]] {
            assert_same(&native::sum(x, axes), &reference::sum(x, axes), "sum");
            assert_same(&native::max(x, axes), &reference::max(x, axes), "max");
            assert_same(&native::first_max(x, axes), &reference::first_max(x, axes), "first_max");
        }
        let op = random.pick(&[Binary::Add, Binary::Sub, Binary::Mul, Binary::Div]);
        let y = Strided::<Ordered>::random(&mut random, &extents, false);
        let expected = reference::zip(op, x, y.view());
        assert_same(&native::zip(op, x, y.view()), &expected, "zip");
        let mut in_place = y.view().to_vec();
        native::zip_in_place(op, &mut in_place, x, true);
        assert_same(&in_place, &expected, "zip in place");
        let extent = extents[0] + 2 * extents[2];
        let folded = native::fold(x, 0, extent, 1, 2);
        assert_same(&folded, &reference::fold(x, 0, extent, 1, 2), "fold");
        let columns = (0..extents[0]).map(|_| random.below(4)).collect::<Vec<_>>();
        let scattered = native::scatter(x, &columns, 4);
        assert_same(&scattered, &reference::scatter(x, &columns, 4), "scatter");
    }
}

#[test]
fn what_follows_a_product_follows_on_every_slice_and_every_element() {
    fn check<E: Elementary>(extents: [usize; 4]) {
        let [p, m, k, n] = extents;
        let random = &mut Random(40);
        let a = Strided::<E>::random(random, &[p, m, k], false);
        let b = Strided::<E>::random(random, &[p, k, n], false);
        let after = |at: usize, x: &E| x.sub(&E::from_f64(at as f64));
        let finish = |start: usize, run: &mut [E]| {
            run.iter_mut().enumerate().for_each(|(i, x)| *x = after(start + i, x));
        };
        let mut out = vec![E::from_f64(f64::NAN); p * m * n];
        native::matmul_into(a.view(), b.view(), Numerics::Exact, None, Some(&finish), &mut out);
        let sums = reference::product(a.view(), b.view());
        let expected = sums.iter().enumerate().map(|(at, x)| after(at, x)).collect::<Vec<_>>();
        assert_same(&out, &expected, &format!("{extents:?} of {}", E::NAME));
        native::matmul_into(a.view(), b.view(), Numerics::Exact, None, None, &mut out);
        assert_same(&out, &sums, "nothing follows");
    }
    for extents in [[1, 3, 4, 5], [4, 5, 0, 3], [3, 40, 30, 33], [7, 1, 20, 1], [2, 300, 8, 1]] {
        check::<f32>(extents);
        check::<f64>(extents);
        check::<Ordered>(extents);
    }
    let paths = taken(|| check::<f32>([40, 64, 80, 70]));
    assert_eq!(paths.contains(&"slices over threads"), crate::threads() > 1, "{paths:?}");
}
