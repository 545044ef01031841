//! Pooling: a maximum or a mean of each window.

use super::window::windows_of;
use crate::graph::{ShapeError, Value, error::Violation, error::recorded};
use crate::kernel::Window;
use crate::ops::MaxAlong;
use crate::payload::{Shape, Tensorial};

/// Checks a pooling of images of `shape` (C1 to C4).
fn check(shape: &Shape, size: [usize; 2], window: &Window) -> Result<(), Violation> {
    if shape.rank() != 4 {
        return Err(Violation::new(1, "the images do not have four axes")
            .help("they are `[images, channels, height, width]`"));
    }
    if window.groups != 1 {
        let problem = format!("{} groups: every channel is pooled by itself", window.groups);
        return Err(Violation::new(2, problem));
    }
    windows_of(shape, size, window, [2, 3, 4]).map(|_| ())
}

/// The first window on an axis of `extent` positions that lies wholly in its padding.
fn outside(extent: usize, size: usize, window: &Window, axis: usize) -> Option<usize> {
    let (step, dilation) = (window.step[axis], window.dilation[axis]);
    let [before, after] = window.padding[axis];
    let last = (before + extent + after - ((size - 1) * dilation + 1)) / step;
    if last * step >= before + extent {
        return Some((before + extent).div_ceil(step));
    }
    // Windows that start in the image have a position there, their first.
    let early = before.div_ceil(step).min(last + 1);
    (0..early).find(|w| {
        let reached = (before - w * step).div_ceil(dilation);
        reached >= size || w * step + reached * dilation >= before + extent
    })
}

impl<P: Tensorial> Value<'_, P> {
    #[track_caller]
    fn pooled(
        self,
        operation: &'static str,
        size: [usize; 2],
        window: &Window,
    ) -> Result<(), ShapeError> {
        let shape = self.shape();
        let mut verdict = check(shape, size, window);
        if verdict.is_ok() {
            for axis in 0..2 {
                if let Some(outside) = outside(shape[2 + axis], size[axis], window, axis) {
                    let axis = 2 + axis;
                    let problem = format!("window {outside} of axis {axis} is wholly padding");
                    verdict = Err(Violation::new(5, problem));
                }
            }
        }
        verdict.map_err(|violation| {
            ShapeError::new(operation, violation, &[self.network.node(self.index)])
        })
    }

    /// The maximum of each window of `size` on images `[n, c, h, w]`: `[n, c, oh, ow]`. The padding
    /// is `-inf`.
    ///
    /// The gradient goes to the earliest maximum of a window in row-major order, or to its first
    /// NaN. Windows lie at every position unless `window` has another step: pooling by 2 is
    /// `Window::new().step([2, 2])`.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor, Window};
    ///
    /// let network = Network::new();
    /// let elements = vec![1.0_f32, 2.0, 4.0, 3.0, 0.0, -1.0];
    /// let image = network.leaf(Tensor::new([1, 1, 3, 2], elements));
    /// let y = image.max_pool([2, 2], &Window::new());
    /// assert_eq!(network.forward().of(y).to_vec(), [4.0, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the images do not have four axes (C1), a step, a dilation or an extent of a window is 0
    /// or there are groups (C2), no window fits a padded image (C3), the windows overflow the address
    /// space (C4) or a window lies wholly in the padding (C5).
    #[must_use]
    #[track_caller]
    pub fn max_pool(self, size: [usize; 2], window: &Window) -> Self {
        recorded(self.try_max_pool(size, window))
    }

    /// The twin of [`Value::max_pool`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// As [`Value::max_pool`] panics (C1 to C5).
    #[track_caller]
    pub fn try_max_pool(self, size: [usize; 2], window: &Window) -> Result<Self, ShapeError> {
        self.pooled("max_pool", size, window)?;
        let windows = self.windows(size, window, f64::NEG_INFINITY, self.extents([2, 3]));
        Ok(windows.apply(MaxAlong { axes: [4, 5].into() }, &[]))
    }

    /// The mean of each window of `size` on images `[n, c, h, w]`: `[n, c, oh, ow]`. The padding is
    /// zeros, and they count: every window divides by its whole size. A window of nothing but padding,
    /// whose mean would say nothing of the image, is refused.
    ///
    /// Windows lie at every position unless `window` has another step.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor, Window};
    ///
    /// let network = Network::new();
    /// let image = network.leaf(Tensor::new([1, 1, 2, 2], vec![1.0_f32, 2.0, 4.0, 5.0]));
    /// let y = image.average_pool([2, 2], &Window::new());
    /// assert_eq!(network.forward().of(y).to_vec(), [3.0]);
    /// let padded = image.average_pool([2, 2], &Window::new().step([2, 2]).padding([[1, 1]; 2]));
    /// assert_eq!(network.forward().of(padded).to_vec(), [0.25, 0.5, 1.0, 1.25]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where the images do not have four axes (C1), a step, a dilation or an extent of a window is 0
    /// or there are groups (C2), no window fits a padded image (C3), the windows overflow the address
    /// space (C4) or a window lies wholly in the padding (C5).
    #[must_use]
    #[track_caller]
    pub fn average_pool(self, size: [usize; 2], window: &Window) -> Self {
        recorded(self.try_average_pool(size, window))
    }

    /// The twin of [`Value::average_pool`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// As [`Value::average_pool`] panics (C1 to C5).
    #[track_caller]
    pub fn try_average_pool(self, size: [usize; 2], window: &Window) -> Result<Self, ShapeError> {
        self.pooled("average_pool", size, window)?;
        Ok(self.windows(size, window, 0.0, self.extents([2, 3])).mean_along(&[4, 5]))
    }
}
