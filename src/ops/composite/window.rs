//! Convolution, recorded from windows and products, and what it shares with pooling.
//!
//! INVARIANT: everything is checked before the first node is recorded, so that a refusal leaves
//! nothing behind.

use crate::graph::measured::Measured;
use crate::graph::{ShapeError, Value, error::Violation, error::recorded};
use crate::kernel::Window;
use crate::ops::{Extent, Matmul, Pad, Reshape, Unfold, rule, windows};
use crate::payload::{Shape, Tensorial};

/// The windows `[n, c, oh, ow, kh, kw]` of `size` on images of `shape`. `fits` and `volume` are the
/// numbers of the constraints that say so.
pub(super) fn windows_of(
    shape: &Shape,
    size: [usize; 2],
    window: &Window,
    [numbers, fits, volume]: [u8; 3],
) -> Result<Shape, Violation> {
    let Window { step, dilation, padding, .. } = *window;
    let mut extents = [shape[2], shape[3]];
    let mut padded = shape.clone();
    for axis in 0..2 {
        let extent =
            padding[axis].iter().try_fold(extents[axis], |sum, &more| sum.checked_add(more));
        let Some(extent) = extent else {
            return Err(Violation::new(volume, "the padded extent overflows"));
        };
        padded = rule::volume(volume, padded.with_extent(2 + axis, extent))?;
        extents[axis] = windows(extent, size[axis], step[axis], dilation[axis]).map_err(|it| {
            let number = if it.constraint == 2 { numbers } else { fits };
            it.numbered(number)
        })?;
    }
    let [oh, ow] = extents;
    rule::volume(volume, Shape::from([shape[0], shape[1], oh, ow, size[0], size[1]]))
}

/// A batch's extent as it is recorded: inferred where the volume of the rest allows it, so that the
/// tape keeps the request.
fn batch(extent: usize, rest: &[usize]) -> Extent {
    if rest.contains(&0) { Extent::Exactly(extent) } else { Extent::Infer }
}

/// The numbers of a convolution.
struct Convolution {
    windows: Shape,
    filters: usize,
    channels: usize,
    /// Terms of each sum.
    depth: usize,
}

impl Convolution {
    fn new(images: &Shape, weights: &Shape, window: &Window) -> Result<Self, Violation> {
        if images.rank() != 4 || weights.rank() != 4 {
            return Err(Violation::new(1, "images and weights do not both have four axes").help(
                "they are `[images, channels, height, width]` and `[filters, channels of a group, \
                 height, width]`",
            ));
        }
        let [filters, channels] = [weights[0], weights[1]];
        let size = [weights[2], weights[3]];
        let groups = window.groups;
        if groups == 0 {
            return Err(Violation::new(2, "the number of groups must be at least 1"));
        }
        if groups > filters.max(1) || !filters.is_multiple_of(groups) {
            let problem = format!("{groups} groups do not divide {filters} filters");
            return Err(Violation::new(3, problem));
        }
        if channels.checked_mul(groups) != Some(images[1]) {
            let problem = format!(
                "filters of {channels} channels in {groups} groups do not fit {} channels",
                images[1]
            );
            return Err(Violation::new(3, problem));
        }
        let windows = windows_of(images, size, window, [2, 4, 5])?;
        let depth = [size[0], size[1]].iter().try_fold(channels, |a, b| a.checked_mul(*b));
        let positions =
            [windows[2], windows[3]].iter().try_fold(windows[0], |a, b| a.checked_mul(*b));
        let (Some(depth), Some(positions)) = (depth, positions) else {
            return Err(Violation::new(5, "the windows overflow the address space"));
        };
        rule::volume(5, Shape::from([positions, filters]))?;
        rule::volume(5, Shape::from([windows[0], filters, windows[2], windows[3]]))?;
        Ok(Self { windows, filters, channels, depth })
    }
}

impl<P: Tensorial> Value<'_, P> {
    /// The padded windows of the last two axes: a view where nothing is padded. `measured` is what
    /// the padding is right for.
    #[track_caller]
    pub(super) fn windows(
        self,
        size: [usize; 2],
        window: &Window,
        value: f64,
        measured: Measured,
    ) -> Self {
        let Window { step, dilation, padding, .. } = *window;
        let mut windows = self;
        for (axis, [before, after]) in [(2, padding[0]), (3, padding[1])] {
            if before > 0 || after > 0 {
                let pad = Pad { axis, before, after, value };
                windows = recorded(windows.try_measured(pad, &[], measured));
            }
        }
        for (axis, size) in [(2, size[0]), (3, size[1])] {
            let (step, dilation) = (step[axis - 2], dilation[axis - 2]);
            windows = windows.apply(Unfold { axis, size, step, dilation }, &[]);
        }
        windows
    }

    /// The convolution of images `[n, c, h, w]` with `weights` `[f, c / groups, kh, kw]`, none of
    /// them flipped, zeros round the images: `[n, f, oh, ow]`.
    ///
    /// Recorded as a matrix product of windows for each group: a sum runs over channel, row and
    /// column of its window, in the order of [`Value::matmul`].
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::{Network, Tensor, Window};
    ///
    /// let network = Network::new();
    /// let image = network.leaf(Tensor::new([1, 1, 2, 2], vec![1.0_f32, 2.0, 3.0, 4.0]));
    /// let weights = network.leaf(Tensor::new([1, 1, 1, 2], vec![1.0, 10.0]));
    /// let y = image.conv2d(weights, &Window::new());
    /// assert_eq!(network.forward().of(y).to_vec(), [21.0, 43.0]);
    /// let padded = image.conv2d(weights, &Window::new().padding([[0, 0], [0, 1]]));
    /// assert_eq!(network.forward().of(padded).to_vec(), [21.0, 2.0, 43.0, 4.0]);
    /// ```
    ///
    /// # Panics
    ///
    /// Where images or weights do not have four axes (C1), a step, a dilation, the groups or an
    /// extent of a window is 0 (C2), the groups do not divide the filters or the channels of images
    /// and weights disagree (C3), no window fits a padded image (C4) or the windows overflow the
    /// address space (C5).
    #[must_use]
    #[track_caller]
    pub fn conv2d(self, weights: Self, window: &Window) -> Self {
        recorded(self.try_conv2d(weights, window))
    }

    /// The twin of [`Value::conv2d`] that returns what it would panic with.
    ///
    /// # Errors
    ///
    /// As [`Value::conv2d`] panics (C1 to C5).
    #[track_caller]
    pub fn try_conv2d(self, weights: Self, window: &Window) -> Result<Self, ShapeError> {
        if !std::ptr::eq(self.network, weights.network) {
            // Refused here, before anything is recorded, in the words of every operation.
            return self.try_apply(Matmul, &[weights]).map_err(|error| error.named("conv2d"));
        }
        let Convolution { windows: shape, filters, channels, depth } =
            match Convolution::new(self.shape(), weights.shape(), window) {
                Ok(numbers) => numbers,
                Err(violation) => {
                    let nodes = [self, weights].map(|value| value.network.node(value.index));
                    return Err(ShapeError::new("conv2d", violation, &nodes));
                }
            };
        let [n, oh, ow] = [shape[0], shape[2], shape[3]];
        let groups = window.groups;
        let part = filters / groups;
        let windows = self.windows([shape[4], shape[5]], window, 0.0, Measured::Nothing);
        // What the numbers below were read off. An inferred extent is no number.
        let rest = [oh, ow, filters, depth];
        let from = |axes: &[usize]| {
            let batch = if rest.contains(&0) { &[0, 2, 3][..] } else { &[] };
            windows.extents(axes.iter().chain(batch).copied())
        };
        let mut products = Vec::with_capacity(groups);
        for group in 0..groups {
            let (mut rows, mut columns) = (windows, weights);
            if groups > 1 {
                rows = rows.narrow(1, group * channels, channels);
                columns = columns.narrow(0, group * part, part);
            }
            let extents = [batch(n * oh * ow, &[depth]), Extent::Exactly(depth)].into();
            let rows = rows.permute(&[0, 2, 3, 1, 4, 5]);
            let rows = rows.try_measured(Reshape { extents }, &[], from(&[1, 4, 5]))?;
            let extents = [part, depth].map(Extent::Exactly).into();
            let columns = columns.try_measured(Reshape { extents }, &[], weights.all_extents())?;
            let product = rows.matmul(columns.permute(&[1, 0]));
            let [down, across, part] = [oh, ow, part].map(Extent::Exactly);
            let extents = [batch(n, &[oh, ow, filters]), down, across, part].into();
            products.push(product.try_measured(Reshape { extents }, &[], from(&[2, 3]))?);
        }
        let joint = if groups == 1 { products[0] } else { Self::concat(&products, 3) };
        Ok(joint.permute(&[0, 3, 1, 2]))
    }
}
