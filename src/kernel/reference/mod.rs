//! The definitions: what every operation computes, to the bit, as plain scalar loops.
//!
//! Nothing here is fast and everything is meant to be read. A definition takes [`View`]s (a slice
//! with extents, strides and an offset), returns its result in row-major order, and performs its
//! floating-point work in the documented order. The interpreter runs these on request, a user's
//! own element always may, and every proof about faster code compares with them.
//!
//! INVARIANT: no packing, no lanes but those of the sum rule, no threads, no element-specific
//! code.
//!
//! # Example
//!
//! ```
//! use poorgrad::reference::{View, product};
//!
//! let (a, b) = ([1.0, 2.0, 3.0, 4.0], [5.0, 6.0]);
//! let a = View::new(&a, &[2, 2], &[2, 1], 0);
//! let b = View::new(&b, &[2, 1], &[1, 1], 0);
//! assert_eq!(product(a, b), [17.0, 39.0]);
//! ```

mod index;
mod map;
mod maximum;
mod movement;
mod product;
mod softmax;
mod sum;
#[cfg(test)]
mod tests;
mod view;
mod window;

pub use super::order::{KB, LANES, SB};
pub use index::{gather, row_update, scatter};
pub use map::{map, select, zip};
pub use maximum::{first_max, first_max_of, max, max_of};
pub use movement::{concat, copy, pad};
pub use product::product;
pub use softmax::{log_softmax, log_sum_exp, softmax};
pub use sum::{sum, sum_of, sum_of_equal};
pub use view::View;
pub use window::fold;
