//! `Array`: numbers in a shape, as a file holds them.
//!
//! INVARIANT: the bytes are exactly those of the shape's volume, so that reading elements cannot
//! run over, and there are no more axes than files keep; every constructor checks it with overflow in
//! mind.

use super::header::MOST_AXES;
use super::{CheckpointError, Dtype};
use crate::Shape;
use std::borrow::Cow;
use std::fmt;

/// An array of a file: a kind of number, a shape, and the numbers' bytes in row-major order,
/// little-endian. What was read borrows the file's bytes where it can.
///
/// # Example
///
/// ```
/// use poorgrad::checkpoint::{Array, Dtype};
///
/// let array = Array::new(Dtype::U8, [2, 2], vec![10, 20, 30, 40]).unwrap();
/// assert_eq!((array.dtype(), array.shape().to_string()), (Dtype::U8, "[2, 2]".to_owned()));
/// assert!(Array::new(Dtype::F32, [2, 2], vec![0; 15]).is_err());
/// ```
#[derive(Clone, PartialEq)]
pub struct Array<'b> {
    dtype: Dtype,
    extents: Extents<'b>,
    bytes: Cow<'b, [u8]>,
}

/// The extents of an array. A file of very many small arrays is not to take many times its size in
/// memory, so that what was read keeps the text.
#[derive(Clone)]
pub(super) enum Extents<'b> {
    /// Decimal numbers, with anything but digits between them.
    Text(Cow<'b, str>),
    /// As they were given.
    Listed(Cow<'b, [usize]>),
}

impl Extents<'_> {
    pub(super) fn shape(&self) -> Shape {
        match self {
            Self::Listed(extents) => Shape::new(extents),
            Self::Text(text) => Shape::new(&numbers(text).collect::<Vec<_>>()),
        }
    }

    pub(super) fn volume(&self) -> Option<usize> {
        let product = |volume: Option<usize>, extent: usize| volume?.checked_mul(extent);
        match self {
            // A zero decides, whatever the others are.
            Self::Listed(extents) if extents.contains(&0) => Some(0),
            Self::Text(text) if numbers(text).any(|extent| extent == 0) => Some(0),
            Self::Listed(extents) => extents.iter().copied().fold(Some(1), product),
            Self::Text(text) => numbers(text).fold(Some(1), product),
        }
    }
}

/// The numbers of a list that was found to hold numbers of the address space alone.
fn numbers(text: &str) -> impl Iterator<Item = usize> {
    let runs = text.split(|c: char| !c.is_ascii_digit()).filter(|run| !run.is_empty());
    runs.map(|run| run.parse().unwrap_or(usize::MAX))
}

impl PartialEq for Extents<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.shape() == other.shape()
    }
}

impl<'b> Array<'b> {
    /// The array of these bytes.
    ///
    /// # Errors
    ///
    /// Where they are not as many as the shape takes, or it has more than 64 axes.
    pub fn new(
        dtype: Dtype,
        shape: impl Into<Shape>,
        bytes: impl Into<Cow<'b, [u8]>>,
    ) -> Result<Self, CheckpointError> {
        let (shape, bytes) = (shape.into(), bytes.into());
        if shape.rank() > MOST_AXES {
            return Err(CheckpointError::Axes { rank: shape.rank() });
        }
        let found = bytes.len();
        let array =
            Self::fitting(dtype, Extents::Listed(Cow::Owned(shape.extents().to_vec())), bytes);
        array.ok_or(CheckpointError::Bytes { dtype, shape, found })
    }

    /// The array where the bytes are as many as the extents take.
    pub(super) fn fitting(
        dtype: Dtype,
        extents: Extents<'b>,
        bytes: Cow<'b, [u8]>,
    ) -> Option<Self> {
        let needed = extents.volume()?.checked_mul(dtype.size())?;
        (needed == bytes.len()).then_some(Self { dtype, extents, bytes })
    }

    /// How a number is written.
    #[must_use]
    pub fn dtype(&self) -> Dtype {
        self.dtype
    }

    /// The extents.
    #[must_use]
    pub fn shape(&self) -> Shape {
        self.extents.shape()
    }

    /// The numbers, row-major, each little-endian.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The bytes, borrowed where they were.
    pub(super) fn into_bytes(self) -> Cow<'b, [u8]> {
        self.bytes
    }

    /// The same array, with all of it borrowed from this one.
    pub(super) fn borrowed(&self) -> Array<'_> {
        let extents = match &self.extents {
            Extents::Text(text) => Extents::Text(Cow::Borrowed(text)),
            Extents::Listed(extents) => Extents::Listed(Cow::Borrowed(extents)),
        };
        Array { dtype: self.dtype, extents, bytes: Cow::Borrowed(&self.bytes) }
    }

    /// The same array with bytes of its own.
    #[must_use]
    pub fn into_owned(self) -> Array<'static> {
        let extents = match self.extents {
            Extents::Text(text) => Extents::Text(Cow::Owned(text.into_owned())),
            Extents::Listed(extents) => Extents::Listed(Cow::Owned(extents.into_owned())),
        };
        Array { dtype: self.dtype, extents, bytes: Cow::Owned(self.bytes.into_owned()) }
    }
}

/// Kind and shape, without the numbers.
impl fmt::Debug for Array<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Array({} {})", self.dtype, self.shape())
    }
}
