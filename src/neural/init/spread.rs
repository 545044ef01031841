//! The initialisers: which distribution, how wide.

use super::draw::{self, Stream};
use super::fan::fans;
use crate::{Binary, Differentiable, Elementary, Kernels, Shape, Stored, Tensorial};

/// No standard normal number is larger, of any element.
const FURTHEST: f64 = 8.58;

/// A closure that calls `fill` with each parameter's shape and a stream of its own.
fn seeded<P: Differentiable>(
    seed: u64,
    fill: impl Fn(&Shape, Stream) -> Vec<P::Element>,
) -> impl FnMut(&Shape) -> P {
    let mut call = 0;
    move |shape| {
        let stream = Stream::new(seed, call);
        call += 1;
        payload(shape, fill(shape, stream))
    }
}

fn payload<P: Differentiable>(shape: &Shape, elements: Vec<P::Element>) -> P {
    match P::from_stored(shape, Stored::Dense(elements)) {
        Some(payload) => payload,
        None => panic!("init: the payload type cannot hold the shape {shape}; use a tensor"),
    }
}

fn count(shape: &Shape) -> u64 {
    match shape.volume() {
        Some(volume) => volume as u64,
        None => panic!("init: the volume of {shape} overflows"),
    }
}

fn uniforms<E: Elementary>(shape: &Shape, stream: Stream, low: f64, high: f64) -> Vec<E> {
    (0..count(shape)).map(|i| draw::uniform(stream.bits(i), low, high)).collect()
}

fn normals<E: Elementary>(shape: &Shape, stream: Stream, mean: f64, deviation: f64) -> Vec<E> {
    let precision = draw::precision::<E>();
    let number = |i| {
        let (radius, angle) = (stream.bits(2 * i), stream.bits(2 * i + 1));
        E::from_f64(mean + deviation * draw::standard_normal(radius, angle, precision))
    };
    (0..count(shape)).map(number).collect()
}

/// Numbers spread evenly over `[low, high)`; `high` itself never comes.
///
/// # Example
///
/// ```
/// use poorgrad::{Shape, Tensor, init};
///
/// let t: Tensor = init::uniform(-1.0, 1.0, 42)(&Shape::from([100]));
/// assert!(t.iter().all(|x| (-1.0..1.0).contains(&x)));
/// let x: f64 = init::uniform(-1.0, 1.0, 42)(&Shape::scalar());
/// assert!((-1.0..1.0).contains(&x));
/// ```
///
/// # Panics
///
/// Where `low` is not below `high` once both are rounded to the element, or their distance is
/// not finite.
#[track_caller]
pub fn uniform<P: Differentiable>(low: f64, high: f64, seed: u64) -> impl FnMut(&Shape) -> P {
    let round = |x: f64| P::Element::from_f64(x).to_f64();
    let (low, high) = (round(low), round(high));
    assert!(low < high, "uniform: no element lies in [{low}, {high})");
    assert!((high - low).is_finite(), "uniform: the range from {low} to {high} is not finite");
    seeded(seed, move |shape, stream| uniforms(shape, stream, low, high))
}

/// Normally distributed numbers.
///
/// # Example
///
/// ```
/// use poorgrad::{Shape, Tensor, init};
///
/// let t: Tensor<f64> = init::normal(5.0, 0.1, 42)(&Shape::from([10_000]));
/// assert!((t.sum() / 10_000.0 - 5.0).abs() < 0.01);
/// ```
///
/// # Panics
///
/// Where `mean` or `deviation` is not finite, `deviation` is negative, or the numbers would leave the
/// range of the element.
#[track_caller]
pub fn normal<P: Differentiable>(mean: f64, deviation: f64, seed: u64) -> impl FnMut(&Shape) -> P {
    assert!(
        mean.is_finite() && deviation.is_finite() && deviation >= 0.0,
        "normal: the mean {mean} and the deviation {deviation} must be finite, the deviation not \
         negative"
    );
    // No draw lies further from the mean: see the generator.
    let furthest = P::Element::from_f64(mean.abs() + FURTHEST * deviation);
    assert!(
        furthest.is_finite(),
        "normal: numbers of mean {mean} and deviation {deviation} leave the range of `{}`; choose \
         smaller ones",
        P::Element::NAME
    );
    seeded(seed, move |shape, stream| normals(shape, stream, mean, deviation))
}

/// What the spread is computed from, so that the variance of each form is `variance(fans)`.
fn by_fan<P: Differentiable>(
    seed: u64,
    variance: fn((usize, usize)) -> f64,
    fill: fn(&Shape, Stream, f64) -> Vec<P::Element>,
) -> impl FnMut(&Shape) -> P {
    seeded(seed, move |shape, stream| match fans(shape) {
        Some(fans) => fill(shape, stream, variance(fans)),
        None => vec![P::Element::zero(); count(shape) as usize],
    })
}

fn xavier_variance((inputs, outputs): (usize, usize)) -> f64 {
    2.0 / (inputs as f64 + outputs as f64)
}

fn kaiming_variance((inputs, _): (usize, usize)) -> f64 {
    2.0 / inputs as f64
}

fn normal_of_variance<E: Elementary>(shape: &Shape, stream: Stream, variance: f64) -> Vec<E> {
    normals(shape, stream, 0.0, variance.sqrt())
}

/// A uniform number of `[-b, b)` has the variance `b^2 / 3`.
fn uniform_of_variance<E: Elementary>(shape: &Shape, stream: Stream, variance: f64) -> Vec<E> {
    let bound = E::from_f64((3.0 * variance).sqrt()).to_f64();
    uniforms(shape, stream, -bound, bound)
}

/// Normal weights of variance `2 / (fan-in + fan-out)`, for layers that keep the scale in both
/// directions, such as `tanh` (Glorot and Bengio, "Understanding the difficulty of training deep
/// feedforward neural networks", 2010). Vectors are 0. Multiply by a gain with [`scaled`].
///
/// # Example
///
/// ```
/// use poorgrad::{Activation, Mlp, Network, Tensor, init};
///
/// let network = Network::<Tensor>::new();
/// let model = Mlp::new(&network, &[3, 4, 1], init::scaled(Activation::Tanh.gain(), init::xavier(42)));
/// # let _ = model;
/// ```
pub fn xavier<P: Differentiable>(seed: u64) -> impl FnMut(&Shape) -> P {
    by_fan(seed, xavier_variance, normal_of_variance)
}

/// As [`xavier`], spread evenly: the bound is `sqrt(6 / (fan-in + fan-out))`.
pub fn xavier_uniform<P: Differentiable>(seed: u64) -> impl FnMut(&Shape) -> P {
    by_fan(seed, xavier_variance, uniform_of_variance)
}

/// Normal weights of variance `2 / fan-in`, for layers of `relu` (He, Zhang, Ren and Sun, "Delving
/// deep into rectifiers", 2015). Vectors are 0. Multiply by a gain with [`scaled`].
///
/// # Example
///
/// ```
/// use poorgrad::{Shape, Tensor, init};
///
/// let weight: Tensor<f64> = init::kaiming(42)(&Shape::from([784, 128]));
/// let variance = (&weight * &weight).sum() / weight.len() as f64;
/// assert!((variance / (2.0 / 784.0) - 1.0).abs() < 0.02);
/// ```
pub fn kaiming<P: Differentiable>(seed: u64) -> impl FnMut(&Shape) -> P {
    by_fan(seed, kaiming_variance, normal_of_variance)
}

/// As [`kaiming`], spread evenly: the bound is `sqrt(6 / fan-in)`.
pub fn kaiming_uniform<P: Differentiable>(seed: u64) -> impl FnMut(&Shape) -> P {
    by_fan(seed, kaiming_variance, uniform_of_variance)
}

/// What `inner` draws, each element times `gain` (rounded to the element).
///
/// # Example
///
/// ```
/// use poorgrad::{Shape, Tensor, init};
///
/// let shape = Shape::from([2, 2]);
/// let plain: Tensor = init::kaiming(42)(&shape);
/// let small: Tensor = init::scaled(0.5, init::kaiming(42))(&shape);
/// assert_eq!(small, 0.5 * plain);
/// ```
pub fn scaled<P: Tensorial>(
    gain: f64,
    mut inner: impl FnMut(&Shape) -> P,
) -> impl FnMut(&Shape) -> P {
    move |shape| {
        // The inner initialiser first: it says what a scalar payload cannot hold.
        let payload = inner(shape);
        let gain = P::full(shape, P::Element::from_f64(gain));
        payload.zip(Binary::Mul, &gain, Kernels::Native)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Tensor;

    #[test]
    fn b59_fans_give_the_known_spreads() {
        let convolution = Shape::from([16, 3, 5, 5]);
        let kernel = fans(&convolution).unwrap();
        assert_eq!(kernel, (75, 400));
        assert_eq!(kaiming_variance(kernel).sqrt(), 0.163_299_316_185_545_22);
        assert_eq!((3.0 * kaiming_variance(kernel)).sqrt(), 0.282_842_712_474_619);
        assert_eq!(xavier_variance(kernel).sqrt(), 0.064_888_568_452_305_02);
        assert_eq!((3.0 * xavier_variance(kernel)).sqrt(), 0.112_390_297_389_803_27);
        let dense = fans(&Shape::from([784, 128])).unwrap();
        assert_eq!(kaiming_variance(dense).sqrt(), 0.050_507_627_227_610_534);
    }

    fn moments(sample: &Tensor<f64>) -> (f64, f64) {
        let count = sample.len() as f64;
        let mean = sample.sum() / count;
        let distance = sample - mean;
        (mean, (&distance * &distance).sum() / count)
    }

    #[test]
    fn b59_sample_variances_are_within_one_per_cent() {
        // [fan-in, fan-out] of a million elements.
        let shape = Shape::from([1000, 1000]);
        let samples: [(Tensor<f64>, f64); 6] = [
            (kaiming(1)(&shape), 2.0 / 1000.0),
            (kaiming_uniform(2)(&shape), 2.0 / 1000.0),
            (xavier(3)(&shape), 1.0 / 1000.0),
            (xavier_uniform(4)(&shape), 1.0 / 1000.0),
            (normal(0.0, 3.0, 5)(&shape), 9.0),
            (uniform(-1.0, 1.0, 6)(&shape), 1.0 / 3.0),
        ];
        for (sample, expected) in samples {
            let (mean, variance) = moments(&sample);
            assert!((variance / expected - 1.0).abs() < 0.01, "{variance} for {expected}");
            assert!(mean.abs() < 5e-3 * expected.sqrt(), "{mean}");
        }
    }

    #[test]
    fn calls_and_seeds_differ_and_repeat() {
        let shape = Shape::from([4, 4]);
        let mut first = kaiming::<Tensor>(7);
        let mut second = kaiming::<Tensor>(7);
        let (a, b) = (first(&shape), first(&shape));
        assert_ne!(a, b);
        assert!(a.is_identical(&second(&shape)) && b.is_identical(&second(&shape)));
        assert_ne!(a, kaiming::<Tensor>(8)(&shape));
    }

    #[test]
    fn vectors_are_biases_to_the_fan_forms_alone() {
        let bias = Shape::from([3]);
        assert_eq!(kaiming::<Tensor>(1)(&bias), Tensor::zeros([3]));
        assert_eq!(xavier_uniform::<Tensor>(1)(&bias), Tensor::zeros([3]));
        assert!(normal::<Tensor>(0.0, 1.0, 1)(&bias).iter().all(|x| x != 0.0));
    }

    #[test]
    fn scalars_and_empty_tensors_are_shapes_too() {
        let scalar: f64 = xavier(1)(&Shape::scalar());
        assert!(scalar != 0.0 && scalar.is_finite());
        for shape in [Shape::from([0, 3]), Shape::from([3, 0]), Shape::from([0])] {
            let empty: Tensor = kaiming_uniform(1)(&shape);
            assert_eq!(*empty.shape(), *shape);
        }
    }

    #[test]
    #[should_panic(expected = "no element lies in [1, 1)")]
    fn an_empty_range_is_refused() {
        let _ = uniform::<f32>(1.0, 1.0 + 1e-12, 1);
    }

    #[test]
    #[should_panic(expected = "leave the range of `f32`; choose smaller ones")]
    fn a_normal_number_beyond_the_element_is_refused() {
        let _ = normal::<Tensor>(0.0, 1e300, 1);
    }

    #[test]
    #[should_panic(expected = "leave the range of `f64`")]
    fn a_normal_number_beyond_a_double_is_refused() {
        let _ = normal::<f64>(1e308, 1e308, 1);
    }

    #[test]
    #[should_panic(expected = "cannot hold the shape [2]; use a tensor")]
    fn a_scalar_payload_refuses_axes() {
        let _ = normal::<f64>(0.0, 1.0, 1)(&Shape::from([2]));
    }
}
