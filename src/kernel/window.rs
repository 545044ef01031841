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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
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
