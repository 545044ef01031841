//! Text and bytes of elements, and the rank-0 semantics of scalars.

use crate::kernel::testing::Random;
use crate::kernel::{Binary, Comparison, Elementary, Kernels, Unary};
use crate::payload::{Differentiable, Shape, Stored, Tensor, Tensorial};
use std::hint::black_box;

#[test]
fn text_reads_back_to_the_bit() {
    let mut random = Random(21);
    let bits = [0, 1 << 31, 1, 0x7f80_0000, 0xff80_0000, 0x7fc0_0000, 0x7fc0_0001, 0xffc1_2345];
    for bits in bits.into_iter().chain((0..20_000).map(|_| random.next() as u32)) {
        let text = f32::from_bits(bits).to_text();
        assert_eq!(f32::from_text(&text).map(f32::to_bits), Some(bits), "{text}");
        assert!(!text.contains(' '));
    }
    for _ in 0..20_000 {
        let bits = random.next();
        let text = f64::from_bits(bits).to_text();
        assert_eq!(f64::from_text(&text).map(f64::to_bits), Some(bits), "{text}");
    }
}

#[test]
fn text_is_short_and_plain() {
    assert_eq!(0.1_f32.to_text(), "0.1");
    assert_eq!((-0.0_f64).to_text(), "-0.0");
    assert_eq!(f64::INFINITY.to_text(), "inf");
    assert_eq!(f32::NEG_INFINITY.to_text(), "-inf");
    assert_eq!(f32::from_bits(0x7fc0_0001).to_text(), "nan:0x7fc00001");
    assert_eq!(f64::from_text("3"), Some(3.0));
    assert_eq!(f64::from_text("-2.5e-3"), Some(-0.0025));
    for text in
        ["", "one", "1.0 ", "nan:0x3f800000", "nan:0x", "nan:0x+7fc00000", "nan:0x17fc00000"]
    {
        assert_eq!(f32::from_text(text), None, "{text:?}");
    }
}

#[test]
fn bytes_read_back() {
    let mut bytes = Vec::new();
    (-0.0_f32).write_bytes(&mut bytes);
    1.5_f64.write_bytes(&mut bytes);
    assert_eq!(bytes.len(), f32::BYTES + f64::BYTES);
    assert_eq!(f32::read_bytes(&bytes[..4]).map(f32::to_bits), Some(1 << 31));
    assert_eq!(f64::read_bytes(&bytes[4..]), Some(1.5));
    assert_eq!(f32::read_bytes(&bytes), None);
}

#[test]
fn a_scalar_is_a_rank_zero_tensor() {
    let mut random = Random(22);
    for _ in 0..500 {
        let [x, y] = [0; 2].map(|_| random.value::<f64>(true));
        for kernels in [Kernels::Reference, Kernels::Native] {
            let (tx, ty) = (Tensor::scalar(x), Tensor::new([], vec![y]));
            let same = |scalar: f64, tensor: Tensor<f64>| {
                assert!(Tensor::scalar(scalar).is_identical(&tensor), "{scalar:?} {tensor:?}");
            };
            let map = random.pick(&[Unary::Exp, Unary::Tanh, Unary::Relu, Unary::Powi(3)]);
            same(x.map(map, kernels), Tensorial::map(&tx, map, kernels));
            let zip = random.pick(&[Binary::Add, Binary::Absorb, Binary::Compare(Comparison::Ne)]);
            same(x.zip(zip, &y, kernels), tx.zip(zip, &ty, kernels));
            same(x.select(&y, &x, kernels), tx.select(&ty, &tx, kernels));
            same(
                Tensorial::sum(&x, &[], kernels),
                Tensorial::sum(
                    &ty.zip(Binary::Sub, &ty, kernels).zip(Binary::Add, &tx, kernels).map(|_| x),
                    &[],
                    kernels,
                ),
            );
            same(Tensorial::max(&x, &[], kernels), Tensorial::max(&tx, &[], kernels));
            same(x.first_max(&[], kernels), tx.first_max(&[], kernels));
        }
    }
}

#[test]
fn the_sum_of_minus_zero_is_plus_zero() {
    for kernels in [Kernels::Reference, Kernels::Native] {
        let x = black_box(-0.0_f64);
        assert_eq!(Tensorial::sum(&x, &[], kernels).to_bits(), 0);
        assert_eq!(Tensorial::sum(&Tensor::new([], vec![x]), &[], kernels).item().to_bits(), 0);
        assert_eq!(Tensorial::sum(&Tensor::scalar(x), &[], kernels).item().to_bits(), 0);
    }
}

#[test]
fn only_the_scalar_shape_fits() {
    let scalar = Shape::scalar();
    assert_eq!(f64::from_stored(&scalar, Stored::Dense(vec![2.0])), Some(2.0));
    assert_eq!(f64::from_stored(&scalar, Stored::Constant(2.0)), Some(2.0));
    assert_eq!(f64::from_stored(&scalar, Stored::Dense(vec![])), None);
    assert_eq!(f64::from_stored(&Shape::from([1]), Stored::Dense(vec![2.0])), None);
    assert_eq!(f64::from_stored(&scalar, Stored::Selection(vec![0])), None);
    assert_eq!(2.0_f64.stored(), Stored::Dense(vec![2.0]));
}

/// An exact element from outside: integers modulo 7, without a single elementary function.
#[derive(Clone, Debug, PartialEq)]
struct Modular(u64);

impl Elementary for Modular {
    const NAME: &'static str = "mod7";
    const BYTES: usize = 1;
    fn from_f64(value: f64) -> Self {
        Self((value as i64).rem_euclid(7) as u64)
    }
    fn to_f64(&self) -> f64 {
        self.0 as f64
    }
    fn is_zero(&self) -> bool {
        self.0 == 0
    }
    fn add(&self, rhs: &Self) -> Self {
        Self((self.0 + rhs.0) % 7)
    }
    fn sub(&self, rhs: &Self) -> Self {
        Self((self.0 + 7 - rhs.0) % 7)
    }
    fn mul(&self, rhs: &Self) -> Self {
        Self(self.0 * rhs.0 % 7)
    }
    fn div(&self, rhs: &Self) -> Self {
        self.mul(&rhs.powi(5))
    }
    fn neg(&self) -> Self {
        Self((7 - self.0) % 7)
    }
    fn order(&self, rhs: &Self) -> Option<std::cmp::Ordering> {
        Some(self.0.cmp(&rhs.0))
    }
    fn write_bytes(&self, out: &mut Vec<u8>) {
        out.push(self.0 as u8);
    }
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        let &[byte] = bytes else { return None };
        (byte < 7).then_some(Self(u64::from(byte)))
    }
}

#[test]
fn any_element_is_a_scalar_and_an_element_of_tensors() {
    let x = Modular(3);
    assert_eq!(x.zip(Binary::Div, &Modular(5), Kernels::Native), Modular(2));
    assert_eq!(Modular::from_text(&x.to_text()), Some(x));
    let mut random = Random(23);
    let mut matrix = |m: usize, n: usize| Tensor::from_fn([m, n], |_| Modular(random.next() % 7));
    let (a, b) = (matrix(6, 300), matrix(300, 11));
    let products = [Kernels::Reference, Kernels::Native].map(|k| Tensorial::matmul(&a, &b, k));
    assert_eq!(products[0], products[1]);
    let naive = |i, j| {
        (0..300).fold(Modular(0), |sum, k| {
            let (a, b) = (a.get(&[i, k]).unwrap(), b.get(&[k, j]).unwrap());
            Elementary::add(&sum, &Elementary::mul(&a, &b))
        })
    };
    assert_eq!(products[0], Tensor::from_fn([6, 11], |index| naive(index[0], index[1])));
    assert_eq!(-(-&a) - &a, Tensor::zeros([6, 300]));
}
