//! How accurately a runner computes each operation.

use poorgrad::Lowering;

/// A runner's accuracy: what `docs/emission.md` derives the bounds from.
#[derive(Clone, Debug)]
pub struct Accuracy {
    /// Whether sums and products are computed in the specified order, to the bit.
    pub ordered: bool,
    /// Whether products of at most a block of terms are, in whatever form.
    pub short_products: bool,
    /// Whether rows are scattered in their order.
    pub scatters_in_order: bool,
    /// Whether a product may go into a sum unrounded.
    pub contracts: bool,
    /// Whether a quotient may be a product with the reciprocal.
    pub reciprocals: bool,
    /// Whether subnormal numbers are taken for zeros.
    pub flushes: bool,
    /// Operations that are known to be wrong, and not held against the runner.
    allowed: Vec<String>,
    /// How far elementary functions are from the true value, in units of the last place.
    functions: fn(&str, Lowering) -> f64,
}

impl Accuracy {
    /// StableHLO's reference interpreter on modules that are raised or as recorded: sums one after the
    /// other, functions by the platform's libm, of `f32` by way of `f64`.
    pub const INTERPRETER: Self = Self {
        ordered: false,
        short_products: true,
        scatters_in_order: true,
        contracts: false,
        reciprocals: false,
        flushes: false,
        allowed: Vec::new(),
        functions: interpreter,
    };

    /// The same on modules that spell the order out.
    pub const EXACT: Self = Self {
        ordered: true,
        short_products: true,
        scatters_in_order: true,
        contracts: false,
        reciprocals: false,
        flushes: false,
        allowed: Vec::new(),
        functions: interpreter,
    };

    /// XLA on a CPU.
    pub const XLA_CPU: Self = Self {
        ordered: false,
        short_products: false,
        scatters_in_order: false,
        contracts: true,
        reciprocals: true,
        flushes: true,
        allowed: Vec::new(),
        functions: xla_cpu,
    };

    /// Takes whatever the runner makes of an operation.
    #[must_use]
    pub fn allowing(mut self, operation: &str) -> Self {
        self.allowed.push(operation.to_string());
        self
    }

    /// Whether an operation may be anything.
    #[must_use]
    pub fn allows(&self, operation: &str) -> bool {
        self.allowed.iter().any(|allowed| allowed == operation)
    }

    /// How far a function's results may be from ours, in units of the last place: theirs and ours from
    /// the true value, and the grid.
    #[must_use]
    pub fn apart(&self, function: &str, element: Lowering) -> f64 {
        let ours = match (function, element) {
            ("powf" | "powi", Lowering::F64) => 2.0,
            _ => 1.0,
        };
        (ours + (self.functions)(function, element)).ceil()
    }
}

/// GNU libc, "Known Maximum Errors in Math Functions" for x86_64 of its manual, and one rounding for
/// `f32`; what `chlo.erf` becomes is a polynomial of single steps.
fn interpreter(function: &str, element: Lowering) -> f64 {
    match (function, element) {
        ("erf", _) => 7.0,
        (_, Lowering::F32) => 0.6,
        ("tanh" | "exp_m1", _) => 2.0,
        _ => 1.0,
    }
}

/// As `tools/stablehlo/accuracy.py` measures it over a million arguments, rounded up.
fn xla_cpu(function: &str, element: Lowering) -> f64 {
    match (function, element) {
        ("exp", Lowering::F32) => 1.0,
        ("ln", Lowering::F32) => 1.2,
        ("tanh", Lowering::F32) => 4.5,
        ("ln_1p", Lowering::F32) => 2.5,
        ("exp_m1", Lowering::F32) => 6.0,
        ("erf", _) => 7.0,
        ("exp", _) => 2.0,
        ("ln_1p", _) => 127.0,
        ("tanh", _) => 5.5,
        ("exp_m1", _) => 4.5,
        // The platform's libm.
        _ => 0.6,
    }
}
