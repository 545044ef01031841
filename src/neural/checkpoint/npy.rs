//! NumPy's `.npy`: a magic number, a version, a header in Python's notation, and the numbers.
//!
//! `\x93NUMPY`, two bytes of version, the length of the header (two bytes in version 1, four from 2 on,
//! little-endian), then a dictionary such as `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }`
//! filled up with spaces, and the numbers up to the end. See NumPy's `lib/format`.
//!
//! INVARIANT: reading takes no more than a copy of the numbers, which only big-endian ones and those in
//! Fortran's order need.

use super::array::Extents;
use super::npy_header::{Header, Order};
use super::{Array, Checkpoint, CheckpointError};
use std::borrow::Cow;
use std::io::{self, Write};

const MAGIC: &[u8] = b"\x93NUMPY";
/// The longest header that is read: NumPy's own need some 100 bytes.
const LONGEST_HEADER: usize = 65_536;
/// Where the numbers begin is a multiple of this.
const ALIGNMENT: usize = 64;

fn error(offset: usize, problem: impl Into<String>) -> CheckpointError {
    CheckpointError::Format { format: "npy", offset, problem: problem.into() }
}

impl<'b> Array<'b> {
    /// The array of an `.npy` file.
    ///
    /// # Errors
    ///
    /// Where the bytes are none: another magic number, a header that is no dictionary of the three keys,
    /// numbers of an unknown kind, or more or fewer bytes than the shape takes.
    ///
    /// # Example
    ///
    /// ```
    /// use poorgrad::checkpoint::{Array, Dtype};
    ///
    /// let array = Array::new(Dtype::U8, [3], vec![1, 2, 3]).unwrap();
    /// assert_eq!(Array::from_npy(&array.to_npy().unwrap()).unwrap(), array);
    /// ```
    pub fn from_npy(bytes: &'b [u8]) -> Result<Self, CheckpointError> {
        let (header, data) = split(bytes)?;
        let data = bytes.get(data..).unwrap_or_default();
        header.array(Cow::Borrowed(data))
    }

    /// The array of an `.npy` file that nobody else needs.
    pub(super) fn from_owned_npy(mut bytes: Vec<u8>) -> Result<Array<'static>, CheckpointError> {
        let (header, data) = split(&bytes)?;
        let array = header.array(Cow::Borrowed(bytes.get(data..).unwrap_or_default()))?;
        let (dtype, shape) = (array.dtype(), array.shape());
        let bytes = match array.into_bytes() {
            Cow::Owned(moved) => moved,
            Cow::Borrowed(_) => {
                bytes.drain(..data);
                bytes
            }
        };
        Array::new(dtype, shape, bytes)
    }

    /// The array as an `.npy` file.
    ///
    /// # Errors
    ///
    /// Where NumPy has no such numbers: `BF16`.
    pub fn to_npy(&self) -> Result<Vec<u8>, CheckpointError> {
        let mut bytes = npy_header(self)?;
        bytes.extend_from_slice(self.bytes());
        Ok(bytes)
    }
}

/// The header, and where the numbers begin. `bytes` may end behind the header.
pub(super) fn split(bytes: &[u8]) -> Result<(Header<'_>, usize), CheckpointError> {
    let Some(rest) = bytes.strip_prefix(MAGIC) else {
        return Err(error(0, "the magic number \\x93NUMPY is missing"));
    };
    let short = || error(bytes.len(), "the file ends in its header");
    let (from, length) = match *rest {
        [1, _, a, b, ..] => (10, usize::from(u16::from_le_bytes([a, b]))),
        [2 | 3, _, a, b, c, d, ..] => (12, u32::from_le_bytes([a, b, c, d]) as usize),
        [1..=3, ..] | [] => return Err(short()),
        [version, ..] => return Err(error(6, format!("version {version} is not known"))),
    };
    if length > LONGEST_HEADER {
        return Err(error(
            8,
            format!("a header of {length} bytes is longer than {LONGEST_HEADER}"),
        ));
    }
    let text = bytes.get(from..from + length).ok_or_else(short)?;
    let text = std::str::from_utf8(text)
        .map_err(|problem| error(from + problem.valid_up_to(), "not UTF-8"))?;
    let header = Header::parse(text).map_err(|(at, problem)| error(from + at, problem))?;
    Ok((header, from + length))
}

impl<'b> Header<'b> {
    /// The bytes that the numbers take; `None` where they overflow.
    pub(super) fn bytes(&self) -> Option<usize> {
        Extents::Text(Cow::Borrowed(self.shape)).volume()?.checked_mul(self.dtype.size())
    }

    /// Whether the array needs its numbers in another order than the file has them.
    pub(super) fn moves(&self) -> bool {
        self.big_endian && self.dtype.size() > 1 || self.order == Order::Fortran
    }

    /// The array of these numbers.
    pub(super) fn array(self, data: Cow<'b, [u8]>) -> Result<Array<'b>, CheckpointError> {
        let (dtype, shape, found) = (self.dtype, self.shape, data.len());
        if self.bytes() != Some(found) {
            let problem = format!("{found} bytes for {dtype} of shape ({shape})");
            return Err(error(found, problem));
        }
        let data = if self.moves() { Cow::Owned(self.moved(&data)) } else { data };
        let array = Array::fitting(dtype, Extents::Text(Cow::Borrowed(shape)), data);
        Ok(array.expect("invariant: the bytes were counted"))
    }

    /// The numbers in row-major order, little-endian.
    fn moved(&self, data: &[u8]) -> Vec<u8> {
        let size = self.dtype.size();
        let mut moved = Vec::with_capacity(data.len());
        let mut push = |number: &[u8]| {
            let from = moved.len();
            moved.extend_from_slice(number);
            if self.big_endian {
                moved[from..].reverse();
            }
        };
        if self.order == Order::Rows || data.is_empty() {
            data.chunks_exact(size).for_each(&mut push);
            return moved;
        }
        // Fortran's order is row-major over the axes in reverse: axis `i` steps over the extents before.
        let extents = Extents::Text(Cow::Borrowed(self.shape)).shape();
        let mut strides = Vec::with_capacity(extents.rank());
        let mut stride = size;
        for &extent in extents.iter() {
            strides.push(stride);
            stride *= extent;
        }
        let (mut index, mut at) = (vec![0; extents.rank()], 0);
        for _ in 0..data.len() / size {
            push(&data[at..at + size]);
            for axis in (0..index.len()).rev() {
                index[axis] += 1;
                at += strides[axis];
                if index[axis] < extents[axis] {
                    break;
                }
                at -= strides[axis] * extents[axis];
                index[axis] = 0;
            }
        }
        moved
    }
}

/// What stands before the numbers, of version 1.
pub(super) fn npy_header(array: &Array<'_>) -> Result<Vec<u8>, CheckpointError> {
    let dtype = array.dtype();
    let Some(code) = dtype.numpy() else {
        return Err(CheckpointError::NoForm { format: "npy", dtype });
    };
    let order = if dtype.size() == 1 { '|' } else { '<' };
    let mut extents = String::new();
    array.shape().iter().for_each(|extent| extents += &format!("{extent}, "));
    // Python's tuples of one need their comma, longer ones none behind the last.
    let extents = match array.shape().rank() {
        1 => extents.trim_end(),
        _ => extents.trim_end_matches(", "),
    };
    let text =
        format!("{{'descr': '{order}{code}', 'fortran_order': False, 'shape': ({extents}), }}");
    let length = (10 + text.len() + 1).next_multiple_of(ALIGNMENT) - 10;
    let mut bytes = [MAGIC, &[1, 0]].concat();
    let short = u16::try_from(length).expect("invariant: 64 axes are written in some 1,300 bytes");
    bytes.extend_from_slice(&short.to_le_bytes());
    bytes.extend_from_slice(text.as_bytes());
    bytes.resize(10 + length - 1, b' ');
    bytes.push(b'\n');
    Ok(bytes)
}

/// The name of the array of an `.npy` file, which has none of its own.
const ONLY: &str = "array";

impl<'b> Checkpoint<'b> {
    /// The contents of an `.npy` file: one array, called `array`.
    ///
    /// # Errors
    ///
    /// As [`Array::from_npy`].
    pub fn from_npy(bytes: &'b [u8]) -> Result<Self, CheckpointError> {
        let mut checkpoint = Self::new();
        checkpoint.insert(ONLY, Array::from_npy(bytes)?)?;
        Ok(checkpoint)
    }

    /// Writes the only array.
    pub(super) fn write_npy(&self, to: &mut impl Write) -> io::Result<()> {
        let mut arrays = self.arrays();
        let (Some((_, array)), None, true) = (arrays.next(), arrays.next(), self.notes.is_empty())
        else {
            let problem = "an .npy file holds one array and no notes; use .npz";
            return Err(io::Error::new(io::ErrorKind::InvalidInput, problem));
        };
        to.write_all(&npy_header(&array).map_err(io::Error::other)?)?;
        to.write_all(array.bytes())
    }
}
