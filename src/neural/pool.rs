//! Pools and `Flatten` as parts of a model.

use super::Module;
use crate::{Extent, Network, ShapeError, Tensorial, Value, Window};

/// The maximum of each window: [`Value::max_pool`].
///
/// # Example
///
/// ```
/// use poorgrad::{MaxPool, Module, Network, Tensor};
///
/// let network = Network::<Tensor>::new();
/// let x = network.input(Tensor::zeros([2, 8, 32, 32]));
/// assert_eq!(*MaxPool::halving().express(&network, x).shape(), [2, 8, 16, 16]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct MaxPool {
    size: [usize; 2],
    window: Window,
}

/// The mean of each window, zeros of the padding included: [`Value::average_pool`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AveragePool {
    size: [usize; 2],
    window: Window,
}

/// The axes behind the first as one: `[n, ..]` to `[n, m]`.
///
/// # Example
///
/// ```
/// use poorgrad::{Flatten, Module, Network, Tensor};
///
/// let network = Network::<Tensor>::new();
/// let x = network.input(Tensor::zeros([2, 8, 4, 4]));
/// assert_eq!(*Flatten.express(&network, x).shape(), [2, 128]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Flatten;

/// Windows of 2 by 2 side by side.
const HALVING: ([usize; 2], Window) = ([2, 2], Window::new().step([2, 2]));

macro_rules! pool {
    ($Pool:ident $method:ident) => {
        impl $Pool {
            /// Over windows of `size`, which lie as `window` says: at every position, unless it has
            /// another step.
            #[must_use]
            pub const fn new(size: [usize; 2], window: Window) -> Self {
                Self { size, window }
            }

            /// Over windows of 2 by 2, side by side.
            #[must_use]
            pub const fn halving() -> Self {
                Self { size: HALVING.0, window: HALVING.1 }
            }
        }

        impl<P: Tensorial> Module<P> for $Pool {
            #[track_caller]
            fn record<'n>(
                &self,
                _: &'n Network<P>,
                input: Value<'n, P>,
            ) -> Result<Value<'n, P>, ShapeError> {
                input.$method(self.size, &self.window)
            }
        }
    };
}
pool!(MaxPool try_max_pool);
pool!(AveragePool try_average_pool);

impl<P: Tensorial> Module<P> for Flatten {
    #[track_caller]
    fn record<'n>(
        &self,
        _: &'n Network<P>,
        input: Value<'n, P>,
    ) -> Result<Value<'n, P>, ShapeError> {
        let shape = input.shape();
        let [_, rest @ ..] = &**shape else {
            let problem = "a scalar has no axis of samples to keep";
            return Err(ShapeError::refusal("Flatten", problem, &[input]));
        };
        let rest: usize = rest.iter().product();
        // The samples are kept and the features counted: another batch fits, other images do not.
        input.try_reshape([Extent::Keep(0), Extent::Exactly(rest)])
    }
}
