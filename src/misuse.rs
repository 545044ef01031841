//! What the compiler refuses: each block is a doctest that must fail with the stated code.
//!
//! `cargo xtask ci` runs them where the codes are checked, so that none fails for another reason.

/// A value cannot outlive its network.
///
/// ```compile_fail,E0597
/// let value = {
///     let network = poorgrad::Network::new();
///     network.parameter(1.0_f64)
/// };
/// assert_eq!(value.payload(), Some(1.0));
/// ```
///
/// A network cannot be moved while a value borrows it; a symbol is what survives.
///
/// ```compile_fail,E0505
/// let network = poorgrad::Network::new();
/// let value = network.parameter(1.0_f64);
/// let moved = network;
/// assert_eq!(value.payload(), Some(1.0));
/// ```
///
/// Nor consumed by a step.
///
/// ```compile_fail,E0505
/// let network = poorgrad::Network::new();
/// let w = network.parameter(1.0_f64);
/// let gradients = network.forward().backward(w);
/// let next = network.step(&gradients, |w, _| w);
/// assert_eq!(w.payload(), Some(1.0));
/// ```
///
/// Values of two payload types do not mix.
///
/// ```compile_fail,E0277
/// let (one, two) = (poorgrad::Network::new(), poorgrad::Network::new());
/// let _ = one.parameter(1.0_f64) + two.parameter(1.0_f32);
/// ```
///
/// A literal has the element's type.
///
/// ```compile_fail,E0271
/// let network = poorgrad::Network::new();
/// let _ = network.parameter(1.0_f64) * 2.0_f32;
/// ```
///
/// A payload is what implements the traits.
///
/// ```compile_fail,E0277
/// fn run(network: &poorgrad::Network<String>) {}
/// ```
///
/// A feed has the network's payload.
///
/// ```compile_fail,E0271
/// let network = poorgrad::Network::new();
/// let x = network.input(1.0_f64);
/// let _ = network.forward_with([(x, "one")]);
/// ```
///
/// A scope labels what its own thread records.
///
/// ```compile_fail,E0277
/// let network = poorgrad::Network::<f64>::new();
/// let scope = network.scope("block");
/// std::thread::scope(|threads| {
///     threads.spawn(move || drop(scope));
/// });
/// ```
///
/// A tensor is immutable.
///
/// ```compile_fail,E0594
/// let tensor = poorgrad::Tensor::from([1.0_f32, 2.0]);
/// tensor.as_slice().unwrap()[0] = 3.0;
/// ```
///
/// A symbol comes from a value alone.
///
/// ```compile_fail,E0451
/// let symbol = poorgrad::Symbol { lineage: 0, branch: 0, index: 0 };
/// ```
///
/// Errors may grow: a match has an arm for what is to come.
///
/// ```compile_fail,E0004
/// fn foreign(error: poorgrad::NetworkError) -> bool {
///     match error {
///         poorgrad::NetworkError::Foreign { .. } => true,
///         poorgrad::NetworkError::FieldsDiverge { .. } => false,
///     }
/// }
/// ```
///
/// A thread that may outlive the network cannot hold its values.
///
/// ```compile_fail,E0597
/// let network = poorgrad::Network::new();
/// let value = network.parameter(1.0_f64);
/// std::thread::spawn(move || value.payload());
/// ```
pub struct Refused;
