//! Files that are damaged or that lie: each loader refuses them or reads them, without a panic, and
//! takes memory in proportion to the file.
//!
//! The bar is twice the file and 64 KiB at any time. What is packed is held to what it unpacks to, which
//! the loader checks before: for `.npz` to a limit that is given here, for gzip to what deflate can hold.

use super::{SLACK, lies, peak};
use poorgrad::checkpoint::{Array, Checkpoint, Dtype, Real};
use poorgrad::{Network, Tensor};
use std::path::PathBuf;
use testkit::decisions::mixed;
use zoo::{cifar, idx::Idx};

/// Mutations of all formats together.
const MUTATIONS: u64 = if cfg!(debug_assertions) { 4_000 } else { 100_000 };

struct Loader {
    name: &'static str,
    /// The ending of such a file, where `Checkpoint::read` takes it.
    ending: Option<&'static str>,
    /// Whether a file is accepted. Everything that was read is looked at.
    accepts: fn(&[u8]) -> bool,
    /// What reading may take at any time.
    bound: fn(usize) -> usize,
    samples: Vec<Vec<u8>>,
    /// A share of the mutations.
    share: u64,
}

/// Looks at all that was read.
fn looked_at(checkpoint: &Checkpoint<'_>) -> bool {
    arrays_looked_at(checkpoint);
    notes_looked_at(checkpoint);
    true
}

fn arrays_looked_at(checkpoint: &Checkpoint<'_>) {
    for (name, array) in checkpoint.arrays() {
        assert_eq!(checkpoint.array(&name).as_ref(), Some(&array), "{name}");
        let volume = array.shape().volume().expect("the volume was checked");
        assert_eq!(array.bytes().len(), volume * array.dtype().size());
    }
}

fn notes_looked_at(checkpoint: &Checkpoint<'_>) {
    checkpoint.notes().iter().for_each(|(name, text)| {
        assert_eq!(checkpoint.note::<String>(name).expect("a note reads as a text"), *text);
    });
}

/// Numbers as elements, and entries as parameters of a network that has others or the same.
fn taken_over(checkpoint: &Checkpoint<'_>) {
    for (_, array) in checkpoint.arrays().filter(|(_, array)| array.bytes().len() < 1 << 16) {
        let _ = (f32::read(&array), f64::read(&array));
    }
    let network = network();
    let fingerprint = network.fingerprint();
    match checkpoint.network(&network) {
        Ok(loaded) => assert_eq!(loaded.len(), network.len()),
        Err(error) => assert!(!error.to_string().is_empty()),
    }
    assert_eq!(network.fingerprint(), fingerprint);
}

fn network() -> Network<Tensor> {
    let network = Network::new();
    network.parameter(Tensor::from([[1.5, -2.0, 0.25], [0.0, 3.0, -0.5]])).named("weight");
    network.parameter(Tensor::from([0.5, 1e-3])).named("bias");
    network
}

fn checkpoint() -> Checkpoint<'static> {
    let mut checkpoint = Checkpoint::of(&network()).expect("two names");
    checkpoint.set_note("step", 900);
    checkpoint.set_note("quoted \"\\", "line\nend");
    let counts = Array::new(Dtype::I64, [2, 0, 3], Vec::new()).expect("no numbers");
    checkpoint.insert("empty", counts).expect("a name");
    let deep = Array::new(Dtype::U8, [1, 1, 2, 1, 1, 2], vec![1, 2, 3, 4]).expect("four");
    checkpoint.insert("deep", deep).expect("a name");
    checkpoint
}

/// What others wrote; see `tools/checkpoint_fixtures.py`.
pub fn fixture(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/golden/checkpoints/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn loaders() -> Vec<Loader> {
    let plain = |size: usize| 2 * size + SLACK;
    let whole = checkpoint();
    let npy = |array: Array<'_>| array.to_npy().expect("NumPy has these numbers");
    let numbers = Array::new(Dtype::F32, [3, 4], vec![7; 48]).expect("twelve");
    let idx3 = [&[0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 2, 0, 0, 0, 3][..], &[9; 12]].concat();
    let record = |class: u8| [vec![class], vec![200; 3072]].concat();
    vec![
        Loader {
            name: "safetensors",
            ending: Some("safetensors"),
            accepts: |bytes| Checkpoint::from_safetensors(bytes).is_ok_and(|c| looked_at(&c)),
            bound: plain,
            samples: vec![
                whole.to_safetensors().expect("it has a form"),
                Checkpoint::new().to_safetensors().expect("it has a form"),
                fixture("plain.safetensors"),
            ],
            share: 30,
        },
        Loader {
            name: "npy",
            ending: Some("npy"),
            accepts: |bytes| Checkpoint::from_npy(bytes).is_ok_and(|c| looked_at(&c)),
            bound: plain,
            samples: vec![
                npy(numbers),
                npy(Array::new(Dtype::Bool, [], vec![1]).expect("one")),
                fixture("fortran.npy"),
                fixture("big_endian.npy"),
            ],
            share: 25,
        },
        Loader {
            name: "npz",
            ending: Some("npz"),
            accepts: |bytes| {
                let limit = 4 * bytes.len() as u64;
                Checkpoint::from_npz_within(bytes, limit).is_ok_and(|c| looked_at(&c))
            },
            // Unpacked, and once more where the numbers lie in another order.
            bound: |size| 2 * size + 2 * 4 * size + SLACK,
            samples: vec![
                whole.to_npz().expect("it has a form"),
                fixture("stored.npz"),
                fixture("packed.npz"),
            ],
            share: 20,
        },
        Loader {
            name: "idx",
            ending: None,
            accepts: |bytes| Idx::parse(bytes, 3).is_ok(),
            bound: plain,
            samples: vec![idx3],
            share: 10,
        },
        Loader {
            name: "idx in gzip",
            ending: None,
            accepts: |bytes| Idx::parse(bytes, 3).is_ok(),
            bound: |size| 1032 * size + 2 * SLACK,
            samples: vec![fixture("idx.gz")],
            share: 10,
        },
        Loader {
            name: "cifar",
            ending: None,
            accepts: |bytes| cifar::parse(bytes).is_ok(),
            bound: plain,
            samples: vec![[record(3), record(9)].concat()],
            share: 5,
        },
    ]
}

/// A file that is read by its path, gone when this goes.
pub struct OnDisk(PathBuf);

impl OnDisk {
    pub fn new(bytes: &[u8], ending: &str) -> Self {
        let name = format!("poorgrad-parse-memory-{}.{ending}", std::process::id());
        let path = std::env::temp_dir().join(name);
        std::fs::write(&path, bytes).expect("a temporary file can be written");
        Self(path)
    }

    /// The most that reading holds at a time, the file's own bytes included, and whether it is accepted.
    /// A note that is asked for is a text of its own, beside that.
    pub fn read(&self) -> (usize, bool) {
        let (held, read) = peak(|| Checkpoint::read(&self.0).inspect(arrays_looked_at));
        read.iter().for_each(notes_looked_at);
        (held, read.is_ok())
    }
}

impl Drop for OnDisk {
    fn drop(&mut self) {
        let _ = std::fs::remove_file(&self.0);
    }
}

impl Loader {
    /// The same from a file on disk, whose bytes are then in memory too.
    fn read_on_disk(&self, bytes: &[u8], what: &str) {
        let Some(ending) = self.ending else { return };
        let accepted = (self.accepts)(bytes);
        let (held, found) = OnDisk::new(bytes, ending).read();
        let (name, size) = (self.name, bytes.len());
        let bound = (self.bound)(size);
        assert!(held <= bound, "{name}, {what}, on disk: {held} bytes, {size} in the file");
        // By its path an archive has a limit that is not below the one here.
        assert!(found || !accepted, "{name}, {what}: refused on disk alone");
    }

    fn read(&self, bytes: &[u8], what: &str) -> bool {
        let (held, accepted) = peak(|| (self.accepts)(bytes));
        let bound = (self.bound)(bytes.len());
        let (name, size) = (self.name, bytes.len());
        assert!(held <= bound, "{name}, {what}: {held} bytes for a file of {size}, above {bound}");
        accepted
    }
}

/// Checks every loader.
pub fn check() {
    let mut seed = 0;
    for loader in loaders() {
        let Loader { name, samples, share, .. } = &loader;
        for sample in samples {
            assert!(loader.read(sample, "a sample"), "{name}: a sample is refused");
            loader.read_on_disk(sample, "a sample");
            for cut in 0..sample.len() {
                let accepted = loader.read(&sample[..cut], "a part of a sample");
                // Whole records are a file, and so is nothing.
                let whole = *name == "cifar" && cut % 3073 == 0;
                assert_eq!(accepted, whole, "{name}: {cut} bytes of {}", sample.len());
            }
        }
        let count = MUTATIONS * share / 100;
        let mut accepted = 0;
        for _ in 0..count {
            seed += 1;
            let sample = &samples[(mixed(seed) % samples.len() as u64) as usize];
            let file = mutated(sample, seed, *name == "safetensors");
            let what = format!("mutation {seed}");
            accepted += u64::from(loader.read(&file, &what));
            // A file on disk costs more than reading it: some of them.
            if seed % 32 == 0 {
                loader.read_on_disk(&file, &what);
            }
        }
        println!("{name}: {accepted} of {count} mutations are accepted, without a panic");
        assert!(accepted > 0 && accepted < count, "{name}: {accepted} of {count}");
    }
    what_is_read_is_taken_over();
    lies::check();
}

/// Mutations whose contents become elements and parameters: that takes what they take, so that it is
/// not measured.
fn what_is_read_is_taken_over() {
    let sample = checkpoint().to_safetensors().expect("it has a form");
    for seed in 0..MUTATIONS / 10 {
        let file = mutated(&sample, seed, true);
        if let Ok(checkpoint) = Checkpoint::from_safetensors(&file) {
            taken_over(&checkpoint);
        }
    }
}

/// A file with some bytes, numbers or parts changed. The header of a `safetensors` file has its length
/// corrected in one case of two, so that what is behind it is read too.
fn mutated(sample: &[u8], seed: u64, header: bool) -> Vec<u8> {
    const WORDS: [u64; 8] =
        [0, 1, u64::MAX, 1 << 63, u32::MAX as u64, 1 << 31, 0x0401_0000_0000_0002, 0x7fff_ffff];
    let mut state = seed.wrapping_mul(1_000_003);
    let mut below = |bound: usize| {
        state = state.wrapping_add(1);
        (mixed(state) % bound.max(1) as u64) as usize
    };
    let mut file = sample.to_vec();
    for _ in 0..=below(3) {
        let at = below(file.len());
        match below(9) {
            0 => file[at] ^= 1 << below(8),
            1 => file[at] = below(256) as u8,
            2 => drop(file.remove(at)),
            3 => file.insert(at, below(256) as u8),
            4 => file.truncate(at),
            5 => {
                let end = at + below(file.len() - at);
                let part = file[at..end].to_vec();
                let to = below(file.len());
                file.splice(to..to, part);
            }
            6 => {
                let word = WORDS[below(WORDS.len())];
                let bytes = if below(2) == 0 { word.to_le_bytes() } else { word.to_be_bytes() };
                let count = [2, 4, 8][below(3)].min(file.len() - at);
                let from = if below(2) == 0 { 0 } else { 8 - count };
                file[at..at + count].copy_from_slice(&bytes[from..from + count]);
            }
            7 => {
                // A number in digits becomes another.
                let digits =
                    Vec::from_iter((0..file.len()).filter(|&at| file[at].is_ascii_digit()));
                if let Some(&at) = digits.get(below(digits.len())) {
                    let number = mixed(seed) >> below(64);
                    file.splice(at..=at, number.to_string().into_bytes());
                }
            }
            _ => {
                let other = below(file.len());
                file.swap(at, other);
            }
        }
        if file.is_empty() {
            return file;
        }
    }
    if header && below(2) == 0 && file.len() > 8 {
        // As far as the last bracket that closes, the fill behind it included.
        let end = file.iter().rposition(|&byte| byte == b'}').map_or(8, |at| at + 1).max(8);
        let spaces = file[end..].iter().take_while(|&&byte| byte == b' ').count();
        let length = (end + spaces - 8) as u64;
        file[..8].copy_from_slice(&length.to_le_bytes());
    }
    file
}
