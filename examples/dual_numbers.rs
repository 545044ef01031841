//! Forward-mode derivatives by an element that the crate does not know.
//!
//! What it teaches: `Elementary` is open. A dual number `a + b e` with `e e = 0` is defined here, and
//! runs through recording, interpretation and differentiation as `f64` does. Its first part goes
//! through the very operations of the `f64` run, so that the two agree bit for bit; its second part
//! is the derivative along a direction, found without `backward`, and checks it. And `backward`
//! over dual numbers gives, in its second parts, a product with the Hessian.
//!
//!     cargo run --example dual_numbers

use std::cmp::Ordering;

use poorgrad::{Elementary, Network, Random, Tensor, Tensorial, Value};
use zoo::{cli::Arguments, counted};

#[derive(Clone, Copy, Debug)]
struct Dual {
    primal: f64,
    tangent: f64,
}

impl Dual {
    /// A function's value here, and its slope times the tangent.
    fn through(self, primal: f64, slope: f64) -> Self {
        Self { primal, tangent: slope * self.tangent }
    }
}

impl Elementary for Dual {
    const NAME: &'static str = "dual";
    const BYTES: usize = 16;

    fn from_f64(primal: f64) -> Self {
        Self { primal, tangent: 0.0 }
    }
    fn to_f64(&self) -> f64 {
        self.primal
    }
    fn is_zero(&self) -> bool {
        self.primal == 0.0 && self.tangent == 0.0
    }
    fn add(&self, rhs: &Self) -> Self {
        Self { primal: self.primal + rhs.primal, tangent: self.tangent + rhs.tangent }
    }
    fn sub(&self, rhs: &Self) -> Self {
        Self { primal: self.primal - rhs.primal, tangent: self.tangent - rhs.tangent }
    }
    fn mul(&self, rhs: &Self) -> Self {
        let tangent = self.tangent * rhs.primal + self.primal * rhs.tangent;
        Self { primal: self.primal * rhs.primal, tangent }
    }
    fn div(&self, rhs: &Self) -> Self {
        let primal = self.primal / rhs.primal;
        Self { primal, tangent: (self.tangent - primal * rhs.tangent) / rhs.primal }
    }
    fn neg(&self) -> Self {
        Self { primal: -self.primal, tangent: -self.tangent }
    }
    fn order(&self, rhs: &Self) -> Option<Ordering> {
        self.primal.partial_cmp(&rhs.primal)
    }
    fn write_bytes(&self, out: &mut Vec<u8>) {
        self.primal.write_bytes(out);
        self.tangent.write_bytes(out);
    }
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        let (primal, tangent) = bytes.split_at_checked(8)?;
        Some(Self { primal: f64::read_bytes(primal)?, tangent: f64::read_bytes(tangent)? })
    }

    // The functions that this example needs; another one would panic with its name.
    fn exp(&self) -> Self {
        let value = Elementary::exp(&self.primal);
        self.through(value, value)
    }
    fn tanh(&self) -> Self {
        let value = Elementary::tanh(&self.primal);
        self.through(value, (1.0 - value) * (1.0 + value))
    }
    fn sin(&self) -> Self {
        self.through(Elementary::sin(&self.primal), Elementary::cos(&self.primal))
    }
    fn cos(&self) -> Self {
        self.through(Elementary::cos(&self.primal), -Elementary::sin(&self.primal))
    }
}

/// A polynomial with integer coefficients: exact where its argument is a small integer.
fn polynomial<P: Tensorial>(x: Value<'_, P>) -> Value<'_, P> {
    (x * x * x - x.literal(2.0) * x * x + x.literal(5.0) * x - x.literal(7.0)).sum()
}

/// A function with no exact values.
fn smooth<P: Tensorial>(x: Value<'_, P>) -> Value<'_, P> {
    ((x * x.sin()).tanh() / (x.literal(2.0) + x.cos()) + x.sigmoid() * (-x).exp()).mean()
}

/// The value of a function of `x`, and its gradient.
fn run<P: Tensorial>(x: P, function: impl Fn(Value<'_, P>) -> Value<'_, P>) -> (P, P) {
    let network = Network::new();
    let x = network.parameter(x);
    let y = function(x);
    let evaluation = network.forward();
    (evaluation.of(y), evaluation.backward(y).of(x))
}

/// Both runs at a point along a direction.
struct Comparison {
    primal_identical: bool,
    tangent: f64,
    directional: f64,
    /// The distance of the last two, relative to the magnitude of what was summed.
    error: f64,
}

impl Comparison {
    fn of(
        point: &[f64],
        direction: &[f64],
        plain: impl Fn(Value<'_, Tensor<f64>>) -> Value<'_, Tensor<f64>>,
        dual: impl Fn(Value<'_, Tensor<Dual>>) -> Value<'_, Tensor<Dual>>,
    ) -> Self {
        let pairs = point.iter().zip(direction);
        let duals = Vec::from_iter(pairs.map(|(&primal, &tangent)| Dual { primal, tangent }));
        let (value, gradient) = run(Tensor::from(point), plain);
        let (dual_value, dual_gradient) = run(Tensor::from(duals), dual);
        let same = |dual: &Tensor<Dual>, plain: &Tensor<f64>| {
            let mut pairs = dual.iter().zip(plain.iter());
            pairs.all(|(dual, plain)| dual.primal.to_bits() == plain.to_bits())
        };
        let terms = gradient.iter().zip(direction).map(|(slope, step)| slope * step);
        let (directional, magnitude) =
            terms.fold((0.0, 0.0), |(sum, size), term| (sum + term, size + term.abs()));
        let tangent = dual_value.item().tangent;
        Self {
            primal_identical: same(&dual_value, &value) && same(&dual_gradient, &gradient),
            tangent,
            directional,
            error: (tangent - directional).abs() / magnitude,
        }
    }
}

fn main() {
    let about = "Forward-mode derivatives by an element that the crate does not know.";
    let options =
        Arguments::new("dual_numbers", about, 100).steps("Random points to compare at").parse();
    let mut random = Random::new(options.seed);

    let (mut primals, mut tangents, mut worst) = (true, true, 0.0);
    for _ in 0..options.steps {
        let mut integers = || Vec::from_iter((0..8).map(|_| random.below(41) as f64 - 20.0));
        let (point, direction) = (integers(), integers());
        let exact = Comparison::of(&point, &direction, polynomial, polynomial);
        tangents &= exact.tangent.to_bits() == exact.directional.to_bits();

        let mut numbers = || Vec::from_iter((0..8).map(|_| 4.0 * random.unit() - 2.0));
        let (point, direction) = (numbers(), numbers());
        let real = Comparison::of(&point, &direction, smooth, smooth);
        // A NaN is the worst of all.
        worst = if real.error > worst || real.error.is_nan() { real.error } else { worst };
        primals &= exact.primal_identical && real.primal_identical;
    }
    let points = counted(options.steps, "point");
    if options.steps == 0 {
        println!("{points}: nothing compared");
    } else {
        println!("{points}, each along a direction, against the f64 run and its gradient:");
        println!("primal parts identical to the bit: {primals}");
        println!("tangents of an integer polynomial identical to the bit: {tangents}");
        println!("tangents of a smooth function: relative error at most {worst:.1e}");
    }

    // Forward over reverse: the gradient's tangents are the Hessian times the direction.
    let (point, direction) = ([0.5, -1.0], [1.0, 0.0]);
    let duals = [Dual { primal: 0.5, tangent: 1.0 }, Dual { primal: -1.0, tangent: 0.0 }];
    let (_, gradient) = run(Tensor::from(duals), smooth);
    let network = Network::new();
    let x = network.parameter(Tensor::from(point));
    let v = network.leaf(Tensor::from(direction));
    let product = network.hvp(smooth(x), [(x, v)])[0];
    let product = network.forward().of(product);
    println!("the Hessian's first column by dual numbers and by `hvp`:");
    for (dual, recorded) in gradient.iter().zip(product.iter()) {
        println!("{:20.16} {recorded:20.16}", dual.tangent);
    }
}
