//! Files of checkpoints: the ending of a name says the format, and a file is there whole or not at all.

use super::{Checkpoint, CheckpointError, Real};
use crate::{Network, Tensorial};
use std::ffi::OsString;
use std::fs::{self, File};
use std::io::{self, BufWriter, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

/// What files are read as and written as.
#[derive(Clone, Copy)]
enum Format {
    Safetensors,
    Npz,
    Npy,
}

impl Format {
    fn of(path: &Path) -> Result<Self, CheckpointError> {
        match path.extension().and_then(|ending| ending.to_str()) {
            Some("safetensors") => Ok(Self::Safetensors),
            Some("npz") => Ok(Self::Npz),
            Some("npy") => Ok(Self::Npy),
            _ => Err(CheckpointError::Ending { path: path.to_owned() }),
        }
    }
}

/// Writes the parameters of a network into a file: see [`Checkpoint::write`].
///
/// # Errors
///
/// Where two parameters have one path, or the file can't be written.
///
/// # Example
///
/// ```no_run
/// use poorgrad::{Activation, Mlp, Network, Tensor, checkpoint, init};
///
/// let network: Network<Tensor> = Network::new();
/// let model = Mlp::new(&network, &[3, 4, 1], init::xavier(42));
/// checkpoint::save("model.safetensors", &network)?;
/// let network = checkpoint::load("model.safetensors", &network)?;
/// # Ok::<(), checkpoint::CheckpointError>(())
/// ```
pub fn save<P: Tensorial<Element: Real>>(
    path: impl AsRef<Path>,
    network: &Network<P>,
) -> Result<(), CheckpointError> {
    Checkpoint::of(network)?.write(path)
}

/// The next generation of `network` with the parameters of a file.
///
/// # Errors
///
/// Where the file can't be read, is not valid, or does not fit: see [`Checkpoint::network`].
pub fn load<P: Tensorial<Element: Real>>(
    path: impl AsRef<Path>,
    network: &Network<P>,
) -> Result<Network<P>, CheckpointError> {
    let path = path.as_ref();
    Checkpoint::read(path)?.network(network).map_err(|error| error.within(path))
}

impl Checkpoint<'static> {
    /// The contents of a file, by its ending: `.safetensors`, `.npz` or `.npy`.
    ///
    /// # Errors
    ///
    /// Where it can't be read or is not valid.
    pub fn read(path: impl AsRef<Path>) -> Result<Self, CheckpointError> {
        let path = path.as_ref();
        let format = Format::of(path)?;
        let bytes = fs::read(path).map_err(|error| unreadable(path, error))?;
        let read = match format {
            Format::Safetensors => Checkpoint::from_owned_safetensors(bytes),
            Format::Npz => Checkpoint::from_npz(&bytes).map(Checkpoint::into_owned),
            Format::Npy => Checkpoint::from_npy(&bytes).map(Checkpoint::into_owned),
        };
        read.map_err(|error| error.within(path))
    }
}

impl Checkpoint<'_> {
    /// Writes a file, in the format that its ending names (see [`Checkpoint::read`]). A file of this name is
    /// replaced at once, after the new one lies beside it: what breaks off leaves it as it was, and of
    /// several calls at a time one wins.
    ///
    /// # Errors
    ///
    /// Where it can't be written.
    pub fn write(&self, path: impl AsRef<Path>) -> Result<(), CheckpointError> {
        let path = path.as_ref();
        let format = Format::of(path)?;
        match format {
            Format::Npz => self.check_npz()?,
            Format::Safetensors | Format::Npy => self.notes.check()?,
        }
        let beside = &beside(path);
        let written = self.write_as(format, beside).and_then(|()| fs::rename(beside, path));
        written.map_err(|error| {
            // What is left of it is of no use; that it can't be removed either is no news.
            let _ = fs::remove_file(beside);
            unreadable(path, error)
        })
    }

    fn write_as(&self, format: Format, path: &Path) -> io::Result<()> {
        let mut file = BufWriter::new(File::create(path)?);
        match format {
            Format::Safetensors => self.write_safetensors(&mut file)?,
            Format::Npz => self.write_npz(&mut file)?,
            Format::Npy => self.write_npy(&mut file)?,
        }
        file.flush()?;
        file.get_ref().sync_all()
    }
}

/// Where a file of this name is written first: of this call alone, as others may write the same file.
fn beside(path: &Path) -> PathBuf {
    static CALLS: AtomicU64 = AtomicU64::new(0);
    let mut beside = OsString::from(path);
    let call = CALLS.fetch_add(1, Ordering::Relaxed);
    beside.push(format!(".{}-{call}.partial", std::process::id()));
    beside.into()
}

fn unreadable(path: &Path, error: io::Error) -> CheckpointError {
    CheckpointError::File { path: path.to_owned(), error }
}

impl CheckpointError {
    /// The same, of this file.
    fn within(self, path: &Path) -> Self {
        Self::Within { path: path.to_owned(), error: Box::new(self) }
    }
}
