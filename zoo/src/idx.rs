//! The IDX format of the MNIST files: a magic number, extents, and bytes.
//!
//! Four bytes say what follows: `0 0 8 n` is an array of unsigned bytes with `n` extents, each of
//! which is a big-endian number of four bytes. See LeCun, Cortes and Burges, "The MNIST database of
//! handwritten digits". A file may be packed with gzip.
//!
//! INVARIANT: whatever a file says, reading it does not panic, and takes memory for what is there, not
//! for what is announced. A packed file is given at most 1,032 times its own size, which is as much
//! as its packing can hold.

use std::{error::Error, fmt, io::Read};

/// As many bytes as one byte of deflate can stand for.
const EXPANSION: usize = 1032;
/// The most axes that are read: images of colours have four.
const MOST_AXES: usize = 8;

/// An array of bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Idx {
    /// The extents, the number of items first.
    pub extents: Vec<usize>,
    /// The bytes, row-major.
    pub bytes: Vec<u8>,
}

/// Why bytes are no IDX array, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdxError {
    /// The offset in the (unpacked) file.
    pub offset: usize,
    /// What is wrong.
    pub problem: String,
}

impl fmt::Display for IdxError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "at byte {}: {}", self.offset, self.problem)
    }
}

impl Error for IdxError {}

fn error<T>(offset: usize, problem: impl Into<String>) -> Result<T, IdxError> {
    Err(IdxError { offset, problem: problem.into() })
}

impl Idx {
    /// The array in the bytes of a file, packed or not, with so many axes.
    ///
    /// ```
    /// use zoo::idx::Idx;
    ///
    /// let file = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 10, 20, 30, 40];
    /// let idx = Idx::parse(&file, 3).unwrap();
    /// assert_eq!((idx.extents, idx.bytes), (vec![1, 2, 2], vec![10, 20, 30, 40]));
    /// ```
    pub fn parse(file: &[u8], axes: usize) -> Result<Self, IdxError> {
        if file.starts_with(&[0x1f, 0x8b]) {
            let limit = file.len().saturating_mul(EXPANSION);
            return read(flate2::bufread::GzDecoder::new(file), limit, file.len(), axes);
        }
        read(file, file.len(), file.len(), axes)
    }
}

/// Reads an array of so many axes from what yields at most `limit` bytes and takes `size` in the file.
fn read(mut file: impl Read, limit: usize, size: usize, axes: usize) -> Result<Idx, IdxError> {
    assert!(axes <= MOST_AXES, "an array of {axes} axes is none that is read here");
    let mut word = |offset: usize| {
        let mut word = [0; 4];
        match file.read_exact(&mut word) {
            Ok(()) => Ok(word),
            Err(problem) => {
                error(offset, format!("no header of {} bytes: {problem}", 4 + 4 * axes))
            }
        }
    };
    match word(0)? {
        [0, 0, 8, found] if usize::from(found) == axes => {}
        [0, 0, 8, found] => return error(3, format!("{found} extents where {axes} are expected")),
        other => {
            return error(0, format!("the magic number {other:02x?} is not 00 00 08 {axes:02x}"));
        }
    }
    let mut extents = Vec::with_capacity(axes);
    for axis in 0..axes {
        extents.push(u32::from_be_bytes(word(4 + 4 * axis)?) as usize);
    }
    let header = 4 + 4 * axes;
    let volume = extents.iter().try_fold(1_usize, |volume, &extent| volume.checked_mul(extent));
    let Some(volume) = volume.filter(|volume| volume.saturating_add(header) <= limit) else {
        return error(4, format!("extents {extents:?} announce more than the file can hold"));
    };
    // What is announced beyond the file's own size is not believed before it comes.
    let mut bytes = Vec::with_capacity(volume.min(size));
    match file.by_ref().take(volume as u64).read_to_end(&mut bytes) {
        Ok(found) if found == volume => {}
        Ok(found) => {
            return error(header + found, format!("the file ends after {found} of {volume} bytes"));
        }
        Err(problem) => return error(header + bytes.len(), problem.to_string()),
    }
    match file.read(&mut [0]) {
        Ok(0) => Ok(Idx { extents, bytes }),
        Ok(_) => error(header + volume, format!("the file goes on after {volume} bytes")),
        Err(problem) => error(header + volume, problem.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write;

    const GOOD: [u8; 20] = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2, 10, 20, 30, 40];

    fn packed(bytes: &[u8]) -> Vec<u8> {
        let mut packer = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        packer.write_all(bytes).unwrap();
        packer.finish().unwrap()
    }

    #[test]
    fn packed_files_read_as_plain_ones() {
        assert_eq!(Idx::parse(&packed(&GOOD), 3), Idx::parse(&GOOD, 3));
    }

    #[test]
    fn b82_a_header_that_lies_is_an_error_with_an_offset() {
        let with = |at: usize, word: [u8; 4]| {
            let mut file = GOOD.to_vec();
            file[at..at + 4].copy_from_slice(&word);
            file
        };
        let mut announced = with(4, [0xff; 4]);
        announced.resize(16 + 4096, 0);
        let everything = [[0, 0, 8, 3], [0xff; 4], [0xff; 4], [0xff; 4]].concat();
        for (file, offset) in [
            (announced, 4),
            (with(0, [0, 0, 8, 1]), 3),
            (with(0, [3, 8, 0, 0]), 0),
            (with(0, [0, 0, 9, 3]), 0),
            (GOOD[..15].to_vec(), 12),
            (GOOD[..19].to_vec(), 4),
            ([&GOOD[..], &[50]].concat(), 20),
            (everything, 4),
            (Vec::new(), 0),
        ] {
            let found = Idx::parse(&file, 3).unwrap_err();
            assert_eq!(found.offset, offset, "{found} of {file:?}");
            // Packed, the end of the file is seen when it comes.
            assert!(Idx::parse(&packed(&file), 3).is_err());
        }
        assert_eq!(Idx::parse(&packed(&GOOD[..19]), 3).unwrap_err().offset, 19);
        let mut torn = packed(&GOOD);
        torn.truncate(torn.len() - 3);
        assert!(Idx::parse(&torn, 3).is_err());
    }

    #[test]
    fn no_items_are_an_array_too() {
        let file = [0, 0, 8, 1, 0, 0, 0, 0];
        assert!(Idx::parse(&file, 1).unwrap().bytes.is_empty());
    }
}
