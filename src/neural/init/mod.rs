//! Initial values: seeded closures from a shape to a payload.
//!
//! Each function here returns a closure `FnMut(&Shape) -> P`, generic over the payload, to be
//! called once for each parameter: scalars and tensors, `f32`, `f64` and elements of your own.
//!
//! ```
//! use poorgrad::{Network, Shape, Tensor, init};
//!
//! let network = Network::new();
//! let mut init = init::kaiming(42);
//! let w = network.parameter(init(&Shape::from([784, 128])));
//! let b = network.parameter(init(&Shape::from([128])));
//! # let _: poorgrad::Value<'_, Tensor> = w;
//! assert_eq!(b.payload(), Some(Tensor::zeros([128]))); // a bias starts at 0
//! ```
//!
//! # The generator
//!
//! No clock, no global state, no dependency: a seed gives the same bits for ever and on every
//! platform. Call `c` of a closure (from 0) draws from a stream of its own, so that two parameters
//! of one shape differ. With `g = 0x9e3779b97f4a7c15` and all arithmetic modulo `2^64`:
//!
//! ```text
//! mix(z)      = z ^= z >> 30;  z *= 0xbf58476d1ce4e5b9;
//!               z ^= z >> 27;  z *= 0x94d049bb133111eb;  z ^ (z >> 31)
//! key(s, c)   = mix(mix(s + g) + (c + 1) g)        of the seed s and the call c
//! bits(k, r)  = mix(k + (r + 1) g)                 raw draw r of the key k
//! ```
//!
//! This is SplitMix64 (Steele, Lea and Flood, "Fast splittable pseudorandom number generators",
//! 2014) run as a counter. Raw bits become a number `u` of `[0, 1)`: the upper 24 bits divided by
//! `2^24` for `f32`, the upper 53 divided by `2^53` for every other element.
//!
//! - Uniform: element `i` takes draw `i`; it is `low + u (high - low)`.
//! - Normal: element `i` takes the draws `2 i` and `2 i + 1` and is `mean + deviation z`, where
//!   `z = sqrt(-2 ln(1 - u)) cos(2 pi v)` (Box and Muller, "A note on the generation of random
//!   normal deviates", 1958). As `1 - u` is never 0, `|z|` is at most 8.58 (5.77 for `f32`).
//!
//! Both are computed in `f64` with the crate's own functions and rounded to the element once.
//! Elements are numbered in row-major order.
//!
//! # Fans
//!
//! [`xavier`] and [`kaiming`] take their spread from how many numbers each element is summed with:
//! see [`fans`]. A vector is a bias, which has no fan, and starts at 0.

pub(super) mod draw;
mod fan;
mod spread;

pub use fan::fans;
pub use spread::{kaiming, kaiming_uniform, normal, scaled, uniform, xavier, xavier_uniform};
