//! How windows lie on images: the numbers of a convolution or of a pooling.

/// How windows lie on the two last axes of an image.
///
/// # Example
///
/// ```
/// use poorgrad::Window;
///
/// let window = Window::new().step([2, 2]).padding([[1, 1], [1, 1]]);
/// assert_eq!(window.dilation, [1, 1]);
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct Window {
    /// The distance of neighbouring windows, down and across.
    pub step: [usize; 2],
    /// The distance of neighbouring positions in a window, down and across.
    pub dilation: [usize; 2],
    /// Positions added before and after the rows, and before and after the columns.
    pub padding: [[usize; 2]; 2],
    /// Into how many independent parts the channels are split.
    pub groups: usize,
}

impl Default for Window {
    fn default() -> Self {
        Self::new()
    }
}

impl Window {
    /// Windows at every position, without gaps in them, inside the image, of one group.
    #[must_use]
    pub const fn new() -> Self {
        Self { step: [1, 1], dilation: [1, 1], padding: [[0, 0]; 2], groups: 1 }
    }

    /// With this distance of neighbouring windows, down and across.
    #[must_use]
    pub const fn step(mut self, step: [usize; 2]) -> Self {
        self.step = step;
        self
    }

    /// With this distance of neighbouring positions in a window, down and across.
    #[must_use]
    pub const fn dilation(mut self, dilation: [usize; 2]) -> Self {
        self.dilation = dilation;
        self
    }

    /// With this many positions added before and after the rows, and before and after the columns.
    #[must_use]
    pub const fn padding(mut self, padding: [[usize; 2]; 2]) -> Self {
        self.padding = padding;
        self
    }

    /// With the channels split into this many independent parts.
    #[must_use]
    pub const fn groups(mut self, groups: usize) -> Self {
        self.groups = groups;
        self
    }
}

/// The numbers of a convolution or a pooling whose operands fit one another.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Windows {
    pub(crate) images: usize,
    /// Channels of a group.
    pub(crate) channels: usize,
    /// Filters of a group.
    pub(crate) filters: usize,
    /// Of an image.
    pub(crate) extents: [usize; 2],
    /// Of a window.
    pub(crate) size: [usize; 2],
    /// Windows, down and across.
    pub(crate) outputs: [usize; 2],
    pub(crate) window: Window,
}

impl Windows {
    /// Images `[n, c, h, w]` under filters `[f, c / groups, kh, kw]`, which fit.
    pub(crate) fn new(images: [usize; 4], filters: [usize; 4], window: &Window) -> Self {
        let (extents, size) = ([images[2], images[3]], [filters[2], filters[3]]);
        let outputs = [0, 1].map(|axis| {
            let padded = window.padding[axis][0] + extents[axis] + window.padding[axis][1];
            (padded - (size[axis] - 1) * window.dilation[axis] - 1) / window.step[axis] + 1
        });
        let (channels, filters) = (filters[1], filters[0] / window.groups);
        Self { images: images[0], channels, filters, extents, size, outputs, window: *window }
    }

    /// Terms of a sum.
    pub(crate) fn depth(&self) -> usize {
        self.channels * self.size[0] * self.size[1]
    }

    /// Windows of an image.
    pub(crate) fn positions(&self) -> usize {
        self.outputs[0] * self.outputs[1]
    }

    /// Elements of a channel of an image.
    pub(crate) fn plane(&self) -> usize {
        self.extents[0] * self.extents[1]
    }

    /// Multiplications of a convolution.
    pub(crate) fn operations(&self) -> usize {
        let sums = self.images * self.window.groups * self.filters;
        sums.saturating_mul(self.positions()).saturating_mul(self.depth())
    }
}
