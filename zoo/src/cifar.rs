//! CIFAR-10 (Krizhevsky, 2009) in its binary form: 32 by 32 pixels of three colours.
//!
//! A file is records of 3,073 bytes: the class, then 1,024 bytes of red, of green and of blue, each
//! row-major. Five files are to learn from, one to be judged by.
//!
//! INVARIANT: whatever a file says, reading it does not panic, and takes its own size.

use std::{
    error::Error,
    fmt, fs,
    path::{Path, PathBuf},
};

use crate::images::Images;

/// `[channels, rows, columns]` of an image.
pub const EXTENTS: [usize; 3] = [3, 32, 32];
/// The bytes of the pixels of an image.
const PIXELS: usize = 3 * 32 * 32;
/// And of its record.
const RECORD: usize = 1 + PIXELS;
/// The folder that the archive unpacks to.
pub const FOLDER: &str = "cifar-10-batches-bin";

/// Why images could not be read: the file where there is one, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CifarError {
    path: Option<PathBuf>,
    problem: String,
}

impl fmt::Display for CifarError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.path {
            Some(path) => write!(f, "{}: {}", path.display(), self.problem),
            None => write!(f, "CIFAR-10: {}", self.problem),
        }
    }
}

impl Error for CifarError {}

/// The images in the bytes of one or several files behind one another.
///
/// ```
/// let mut record = vec![7];
/// record.extend([1, 2, 3].iter().flat_map(|&colour| [colour; 1024]));
/// let images = zoo::cifar::parse(&record).unwrap();
/// assert_eq!((images.labels(), images.extents()), (&[7][..], [3, 32, 32]));
/// ```
pub fn parse(bytes: &[u8]) -> Result<Images, CifarError> {
    let (records, rest) = bytes.as_chunks::<RECORD>();
    let refused = |problem| Err(CifarError { path: None, problem });
    if !rest.is_empty() {
        let (length, at) = (bytes.len(), bytes.len() - rest.len());
        return refused(format!("{length} bytes are no records of {RECORD}: at byte {at}"));
    }
    let mut pixels = Vec::with_capacity(records.len() * PIXELS);
    let mut labels = Vec::with_capacity(records.len());
    for (at, record) in records.iter().enumerate() {
        if record[0] >= 10 {
            let (class, byte) = (record[0], at * RECORD);
            return refused(format!("at byte {byte}: {class} is no class below 10"));
        }
        labels.push(record[0]);
        pixels.extend_from_slice(&record[1..]);
    }
    Images::new(EXTENTS, pixels, labels).or_else(refused)
}

/// The images to learn from and those to be judged by, in a folder or in the one that the archive makes
/// in it.
pub fn read(folder: &Path) -> Result<(Images, Images), CifarError> {
    let inside = folder.join(FOLDER);
    let folder = if inside.is_dir() { &inside } else { folder };
    let all = |names: &[String]| {
        let mut bytes = Vec::new();
        for name in names {
            let path = folder.join(name);
            let found = match fs::read(&path) {
                Ok(found) => found,
                Err(error) => {
                    return Err(CifarError { path: Some(path), problem: error.to_string() });
                }
            };
            // Each by itself, so that an error names its file.
            if let Err(CifarError { problem, .. }) = parse(&found) {
                return Err(CifarError { path: Some(path), problem });
            }
            bytes.extend_from_slice(&found);
        }
        parse(&bytes)
    };
    let [train @ .., test] = names();
    Ok((all(&train)?, all(&[test])?))
}

/// The names of the files: five to learn from, and one to be judged by.
fn names() -> [String; 6] {
    let train = |number| format!("data_batch_{number}.bin");
    [train(1), train(2), train(3), train(4), train(5), "test_batch.bin".to_owned()]
}

/// The archive as its authors serve it.
#[cfg(feature = "download")]
const SOURCE: crate::download::Source = crate::download::Source {
    name: "cifar-10-binary.tar.gz",
    address: "http://www.cs.toronto.edu/~kriz/cifar-10-binary.tar.gz",
    bytes: 170_052_171,
    sha256: "c4a38c50a1bc5f3a1c5537f2155ab9d68f9f25eb1ed8d9ddda3db29a59bca1dd",
};

/// The bytes of each file: 10,000 records.
#[cfg(feature = "download")]
const FILE: u64 = 10_000 * RECORD as u64;

/// The folder with the files, fetched and unpacked now or before. A file of another length is none.
#[cfg(feature = "download")]
pub fn fetch() -> Result<PathBuf, Box<dyn Error>> {
    use crate::download;
    let folder = download::cache().join("cifar10");
    if let Some(torn) = torn(&folder, FILE) {
        let archive = download::fetch(&SOURCE, &folder)?;
        unpack(&archive, &folder)?;
        if self::torn(&folder, FILE).is_some() {
            return Err(format!("{}: has no `{torn}` of {FILE} bytes", archive.display()).into());
        }
        fs::remove_file(archive)?;
    }
    Ok(folder)
}

/// The first of the files that is not there in its full length.
#[cfg(feature = "download")]
fn torn(folder: &Path, bytes: u64) -> Option<String> {
    let whole = |name: &String| {
        let found = fs::metadata(folder.join(name));
        found.is_ok_and(|found| found.is_file() && found.len() == bytes)
    };
    names().into_iter().find(|name| !whole(name))
}

/// Takes the files of images out of an archive, each whole or not at all; nothing else.
#[cfg(feature = "download")]
fn unpack(archive: &Path, folder: &Path) -> std::io::Result<()> {
    let packed = std::io::BufReader::new(fs::File::open(archive)?);
    let mut files = tar::Archive::new(flate2::bufread::GzDecoder::new(packed));
    for file in files.entries()? {
        let mut file = file?;
        let path = file.path()?.into_owned();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        if names().iter().any(|known| known == name) {
            let beside = crate::download::beside(folder, name);
            let written = fs::File::create(&beside)
                .and_then(|mut to| std::io::copy(&mut file, &mut to))
                .and_then(|_| fs::rename(&beside, folder.join(name)));
            // A part of a file is of no use; that it can't be removed either is no news.
            written.inspect_err(|_| drop(fs::remove_file(&beside)))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b83_colours_rows_and_columns_are_where_they_belong() {
        let mut record = vec![7_u8];
        let plane = |value: fn(usize) -> usize| (0..1024).map(move |at| value(at) as u8);
        record.extend(plane(|at| at / 32));
        record.extend(plane(|at| at % 32));
        record.extend(plane(|_| 255));
        let (pixels, classes) = parse(&record).unwrap().batch(&[0], 0.0, 1.0);
        for (row, column) in [(0, 0), (0, 31), (5, 3), (31, 0), (31, 31)] {
            let at = |channel| pixels.get(&[0, channel, row, column]).unwrap();
            assert_eq!(at(0), row as f32 / 255.0);
            assert_eq!(at(1), column as f32 / 255.0);
            assert_eq!(at(2), 1.0);
        }
        assert_eq!(classes.columns(), Some(&[7][..]));
    }

    #[test]
    fn b83_what_is_no_record_is_refused() {
        let record = |class: u8| {
            let mut record = vec![0; RECORD];
            record[0] = class;
            record
        };
        let refused = |bytes: &[u8]| parse(bytes).unwrap_err().to_string();
        assert!(refused(&record(3)[..RECORD - 1]).contains("3072 bytes are no records of 3073"));
        assert!(refused(&[record(3), vec![0]].concat()).contains("at byte 3073"));
        assert!(
            refused(&[record(9), record(10)].concat()).contains("at byte 3073: 10 is no class")
        );
        assert!(parse(&[]).unwrap().is_empty());
    }

    #[cfg(feature = "download")]
    #[test]
    fn an_archive_gives_its_images_and_nothing_else() {
        let folder = std::env::temp_dir().join(format!("poorgrad-cifar-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let archive = folder.join("archive.tar.gz");
        let packer = fs::File::create(&archive).unwrap();
        let packer = flate2::write::GzEncoder::new(packer, flate2::Compression::fast());
        let mut files = tar::Builder::new(packer);
        for name in names().iter().map(String::as_str).chain(["readme.html"]) {
            let record = [vec![4], vec![0; PIXELS]].concat();
            let mut header = tar::Header::new_gnu();
            header.set_size(record.len() as u64);
            header.set_cksum();
            files.append_data(&mut header, format!("{FOLDER}/{name}"), &record[..]).unwrap();
        }
        files.into_inner().unwrap().finish().unwrap();
        unpack(&archive, &folder).unwrap();
        let (train, test) = read(&folder).unwrap();
        assert_eq!((train.len(), test.labels()), (5, &[4][..]));
        assert!(!folder.join("readme.html").exists());
        assert_eq!(fs::read_dir(&folder).unwrap().count(), 7, "nothing lies beside the files");
        // What was unpacked before is trusted in its full length alone.
        let bytes = RECORD as u64;
        assert_eq!(torn(&folder, bytes), None);
        assert_eq!(torn(&folder, FILE).as_deref(), Some("data_batch_1.bin"));
        let third = fs::File::options().write(true).open(folder.join("data_batch_3.bin")).unwrap();
        third.set_len(bytes - 1).unwrap();
        assert_eq!(torn(&folder, bytes).as_deref(), Some("data_batch_3.bin"));
        third.set_len(bytes).unwrap();
        fs::remove_file(folder.join("test_batch.bin")).unwrap();
        assert_eq!(torn(&folder, bytes).as_deref(), Some("test_batch.bin"));
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_error_names_the_file() {
        let error = read(Path::new("no/such")).unwrap_err().to_string();
        assert!(error.starts_with("no/such/data_batch_1.bin: "), "{error}");
    }
}
