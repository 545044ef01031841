//! The MNIST digits (LeCun, Cortes and Burges): 28 by 28 pixels of grey, in the four files that they
//! come in, packed with gzip or not.

use std::{
    error::Error,
    fmt, fs,
    path::{Path, PathBuf},
};

use crate::{idx::Idx, images::Images};

/// Rows and columns of an image.
pub const EXTENTS: [usize; 2] = [28, 28];
/// The mean of the pixels of the training set, from 0 to 1.
pub const MEAN: f32 = 0.1307;
/// Their standard deviation.
pub const DEVIATION: f32 = 0.3081;

/// One of the two sets.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Set {
    /// 60,000 images to learn from.
    Train,
    /// 10,000 images to be judged by.
    Test,
}

impl Set {
    /// The names of the files: of images, and of labels.
    pub fn files(self) -> [&'static str; 2] {
        match self {
            Self::Train => ["train-images-idx3-ubyte", "train-labels-idx1-ubyte"],
            Self::Test => ["t10k-images-idx3-ubyte", "t10k-labels-idx1-ubyte"],
        }
    }
}

/// Why a set could not be read, with the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MnistError {
    path: PathBuf,
    problem: String,
}

impl fmt::Display for MnistError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.path.display(), self.problem)
    }
}

impl Error for MnistError {}

/// The files of a set, as they are served.
#[cfg(feature = "download")]
fn sources(set: Set) -> [crate::download::Source; 2] {
    macro_rules! source {
        ($name:literal, $bytes:literal, $sha256:literal) => {
            crate::download::Source {
                name: concat!($name, ".gz"),
                address: concat!(
                    "http://storage.googleapis.com/cvdf-datasets/mnist/",
                    $name,
                    ".gz"
                ),
                bytes: $bytes,
                sha256: $sha256,
            }
        };
    }
    match set {
        Set::Train => [
            source!(
                "train-images-idx3-ubyte",
                9_912_422,
                "440fcabf73cc546fa21475e81ea370265605f56be210a4024d2ca8f203523609"
            ),
            source!(
                "train-labels-idx1-ubyte",
                28_881,
                "3552534a0a558bbed6aed32b30c495cca23d567ec52cac8be1a0730e8010255c"
            ),
        ],
        Set::Test => [
            source!(
                "t10k-images-idx3-ubyte",
                1_648_877,
                "8d422c7b0a1c1c79245a5bcf07fe86e33eeafee792b84584aec276f5a2dbc4e6"
            ),
            source!(
                "t10k-labels-idx1-ubyte",
                4_542,
                "f7ae60f92e00ec6debd23a6088c31dbd2371eca3ffa0defaefb259924204aec6"
            ),
        ],
    }
}

/// The set that an example learns from or is judged by: in `data`, or fetched where that is `None`.
#[cfg(feature = "download")]
pub fn open(data: Option<&Path>, set: Set) -> Result<Images, Box<dyn Error>> {
    use crate::download::{cache, fetch};
    if let Some(folder) = data {
        return Ok(read(folder, set)?);
    }
    let folder = cache().join("mnist");
    for source in sources(set) {
        fetch(&source, &folder)?;
    }
    Ok(read(&folder, set)?)
}

/// The set in a folder. Of each file the unpacked one is preferred to that with the ending `.gz`.
pub fn read(folder: &Path, set: Set) -> Result<Images, MnistError> {
    let [images, labels] = set.files();
    let (at, images) = file(folder, images, 3)?;
    let (_, labels) = file(folder, labels, 1)?;
    join(images, labels).map_err(|problem| MnistError { path: at, problem })
}

/// Images of MNIST's size and labels that belong together.
fn join(images: Idx, labels: Idx) -> Result<Images, String> {
    let [count, rows, columns] = images.extents[..] else { return Err("no images".to_owned()) };
    if [count] != labels.extents[..] {
        return Err(format!("{count} images, but {} labels", labels.extents[0]));
    }
    if [rows, columns] != EXTENTS {
        let [height, width] = EXTENTS;
        return Err(format!(
            "images of {rows} by {columns} pixels are none of MNIST's, which are {height} by {width}"
        ));
    }
    Images::new([1, rows, columns], images.bytes, labels.bytes)
}

fn file(folder: &Path, name: &str, axes: usize) -> Result<(PathBuf, Idx), MnistError> {
    let plain = folder.join(name);
    let path = if plain.exists() { plain } else { folder.join(format!("{name}.gz")) };
    let read = fs::read(&path).map_err(|error| error.to_string());
    let idx = read.and_then(|bytes| Idx::parse(&bytes, axes).map_err(|error| error.to_string()));
    match idx {
        Ok(idx) => Ok((path, idx)),
        Err(problem) => Err(MnistError { path, problem }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn b82_as_many_labels_as_images_are_needed() {
        let idx = |extents: &[usize]| {
            let (extents, count) = (extents.to_vec(), extents.iter().product());
            Idx { extents, bytes: vec![0; count] }
        };
        let refused = join(idx(&[2, 28, 28]), idx(&[3])).unwrap_err();
        assert_eq!(refused, "2 images, but 3 labels");
        assert_eq!(join(idx(&[2, 28, 28]), idx(&[2])).unwrap().extents(), [1, 28, 28]);
        for [rows, columns] in [[4, 5], [28, 27], [0, 28], [32, 32]] {
            let refused = join(idx(&[2, rows, columns]), idx(&[2])).unwrap_err();
            let size = format!("images of {rows} by {columns} pixels are none of MNIST's, ");
            assert_eq!(refused, size + "which are 28 by 28");
        }
    }

    #[test]
    fn a_set_of_another_size_is_one_sentence_that_names_its_file() {
        let folder = std::env::temp_dir().join(format!("poorgrad-mnist-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let [images, labels] = Set::Test.files();
        let header = [0, 0, 8, 3, 0, 0, 0, 1, 0, 0, 0, 2, 0, 0, 0, 2];
        fs::write(folder.join(images), [&header[..], &[0; 4]].concat()).unwrap();
        fs::write(folder.join(labels), [0, 0, 8, 1, 0, 0, 0, 1, 7]).unwrap();
        let error = read(&folder, Set::Test).unwrap_err().to_string();
        assert!(error.starts_with(&folder.join(images).display().to_string()), "{error}");
        assert!(
            error.ends_with(": images of 2 by 2 pixels are none of MNIST's, which are 28 by 28")
        );
        fs::remove_dir_all(&folder).unwrap();
    }

    #[test]
    fn an_error_names_the_file() {
        let error = read(Path::new("no/such/folder"), Set::Test).unwrap_err().to_string();
        assert!(error.starts_with("no/such/folder/t10k-images-idx3-ubyte.gz: "), "{error}");
    }

    /// The set itself, where `POORGRAD_DATA` says that it is there.
    #[test]
    fn the_test_set_is_as_published() {
        let Some(data) = std::env::var_os("POORGRAD_DATA") else {
            println!("skipped: POORGRAD_DATA names no folder with the MNIST files");
            return;
        };
        let images = read(&Path::new(&data).join("mnist"), Set::Test).unwrap();
        assert_eq!((images.len(), images.extents()), (10_000, [1, 28, 28]));
        let count = |class| images.labels().iter().filter(|&&label| label == class).count();
        let counts: Vec<usize> = (0..10).map(count).collect();
        assert_eq!(counts, [980, 1135, 1032, 1010, 982, 892, 958, 1028, 974, 1009]);
    }
}
