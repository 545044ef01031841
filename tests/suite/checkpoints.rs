//! Checkpoints: what is written reads back to the bit, what others wrote reads as they meant it, what
//! does not fit is named in full and changes nothing, and a run that stopped goes on as if it had not.

use poorgrad::checkpoint::{self, Array, Checkpoint, CheckpointError, Dtype, Mismatch};
use poorgrad::{Adam, AdamW, Batches, Mlp, Network, Optimizer, RmsProp, Sgd, Symbol, Tensor, init};
use std::path::{Path, PathBuf};
use testkit::bits::identical;

fn fixture(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/golden/checkpoints").join(name)
}

/// A folder of its own for a test, gone when it is over.
pub struct Folder(PathBuf);

impl Folder {
    pub fn new(test: &str) -> Self {
        let path = std::env::temp_dir().join(format!("poorgrad-{test}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a temporary folder can be made");
        Self(path)
    }

    pub fn file(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    /// The number of files in it.
    pub fn left(&self) -> usize {
        self.0.read_dir().expect("it is there").count()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

pub fn model(seed: u64) -> Network<Tensor> {
    let network = Network::new();
    let _ = Mlp::new(&network, &[3, 4, 2], init::xavier(seed));
    network
}

// Files.

#[test]
fn every_format_gives_back_what_it_was_given() {
    let folder = Folder::new("formats");
    let network = model(1);
    let special = [f32::NAN, f32::INFINITY, -0.0, f32::MIN_POSITIVE / 8.0];
    let special = network.parameter(Tensor::from(special)).named("special").symbol();
    for name in ["a.safetensors", "a.npz"] {
        let path = folder.file(name);
        checkpoint::save(&path, &network).expect("it can be written");
        let size = path.metadata().expect("it is there").len();
        let other = model(2);
        other.parameter(Tensor::zeros([4])).named("special");
        let before = other.fingerprint();
        let loaded = checkpoint::load(&path, &other).expect("it fits");
        assert_eq!(loaded.fingerprint(), network.fingerprint(), "{name}");
        let payloads =
            [network.resolve(special).payload(), loaded.find("special").unwrap().payload()];
        let [written, read] = payloads.map(|payload| payload.expect("a parameter has a payload"));
        assert!(identical(&written, &read), "{name}");
        assert_eq!(other.fingerprint(), before, "loading makes a generation of its own");
        // Writing again neither grows nor changes the file.
        let bytes = std::fs::read(&path).expect("it can be read");
        checkpoint::save(&path, &loaded).expect("it can be written again");
        assert_eq!(std::fs::read(&path).expect("it can be read"), bytes);
        assert_eq!(path.metadata().expect("it is there").len(), size);
    }
    let left: Vec<_> = folder.0.read_dir().unwrap().map(|file| file.unwrap().file_name()).collect();
    assert_eq!(left.len(), 2, "nothing lies beside the files: {left:?}");
}

#[test]
fn scalars_and_wide_numbers_have_files_too() {
    let network = Network::new();
    let w = network.parameter(0.1_f64).named("w").symbol();
    let bytes = Checkpoint::of(&network).unwrap().to_safetensors().unwrap();
    let fresh = Network::new();
    fresh.parameter(0.0_f64).named("w");
    let loaded = Checkpoint::from_safetensors(&bytes).unwrap().network(&fresh).unwrap();
    assert_eq!(loaded.find("w").unwrap().payload(), network.resolve(w).payload());
    // Into another element it is rounded to nearest.
    let single = Network::new();
    single.parameter(0.0_f32).named("w");
    let loaded = Checkpoint::from_safetensors(&bytes).unwrap().network(&single).unwrap();
    assert_eq!(loaded.find("w").unwrap().payload(), Some(0.1_f32));
}

#[test]
fn what_others_wrote_reads_as_they_meant_it() {
    let quarters = |array: &Array<'_>| -> Vec<f64> {
        checkpoint::Real::read(array).expect("floating-point numbers")
    };
    let expected = |count: usize| Vec::from_iter((0..count).map(|n| n as f64 * 0.25));
    for (name, dtype, shape) in [
        ("fortran.npy", Dtype::F32, "[2, 3, 4]"),
        ("big_endian.npy", Dtype::F64, "[3, 2]"),
        ("half.npy", Dtype::F16, "[5]"),
    ] {
        let read = Checkpoint::read(fixture(name)).expect("NumPy wrote it");
        let array = read.array("array").expect("the only array");
        assert_eq!((array.dtype(), &*array.shape().to_string()), (dtype, shape), "{name}");
        let found = quarters(&array);
        assert_eq!(found, expected(found.len()), "{name}");
    }
    let scalar = Checkpoint::read(fixture("scalar.npy")).unwrap();
    assert_eq!(quarters(&scalar.array("array").unwrap()), [0.25]);

    for name in ["stored.npz", "packed.npz", "plain.safetensors"] {
        let read = Checkpoint::read(fixture(name)).expect("another program wrote it");
        assert_eq!(quarters(&read.array("layer.weight").unwrap()), expected(6), "{name}");
        assert_eq!(quarters(&read.array("layer.bias").unwrap()), expected(3), "{name}");
        let count = read.array("count").unwrap();
        assert_eq!(
            (count.dtype(), count.bytes()),
            (Dtype::I64, &7_i64.to_le_bytes()[..]),
            "{name}"
        );
        if let Some(fortran) = read.array("fortran") {
            assert_eq!(quarters(&fortran), expected(20));
        }
    }
    let read = Checkpoint::read(fixture("plain.safetensors")).unwrap();
    assert_eq!(read.note::<String>("format").unwrap(), "np");
}

#[test]
fn what_we_write_is_what_others_write() {
    // Equal but for the notes' and names' order, which the formats leave open, and the archive's times.
    let bytes = std::fs::read(fixture("plain.safetensors")).unwrap();
    let read = Checkpoint::from_safetensors(&bytes).unwrap();
    assert_eq!(read.to_safetensors().unwrap().len(), bytes.len());
    for name in ["half.npy", "scalar.npy"] {
        let bytes = std::fs::read(fixture(name)).unwrap();
        assert_eq!(Array::from_npy(&bytes).unwrap().to_npy().unwrap(), bytes, "{name}");
    }
}

#[test]
fn what_can_not_be_written_is_refused_and_leaves_the_file() {
    let folder = Folder::new("refused");
    let path = folder.file("a.npz");
    checkpoint::save(&path, &model(1)).unwrap();
    let before = std::fs::read(&path).unwrap();
    let mut narrow = Checkpoint::new();
    narrow.insert("a", Array::new(Dtype::BF16, [1], vec![0, 0]).unwrap()).unwrap();
    let message = narrow.write(&path).unwrap_err().to_string();
    assert!(message.contains("no BF16 numbers in this format; use .safetensors"), "{message}");
    let mut up = Checkpoint::new();
    up.insert("../a", Array::new(Dtype::U8, [1], vec![0]).unwrap()).unwrap();
    let message = up.write(&path).unwrap_err().to_string();
    assert!(message.contains("\"../a\" is no path in an archive"), "{message}");
    assert_eq!(std::fs::read(&path).unwrap(), before);
    for (name, part) in [("a.bin", "ending"), ("a", "ending"), ("no/such/a.npz", "no/such/a.npz: ")]
    {
        let path = if name.contains('/') { PathBuf::from(name) } else { folder.file(name) };
        let message = checkpoint::save(&path, &model(1)).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    let two = Checkpoint::of(&model(1)).unwrap().write(folder.file("a.npy")).unwrap_err();
    assert!(two.to_string().contains("one array"), "{two}");
    let message = checkpoint::load(folder.file("b.npz"), &model(1)).unwrap_err().to_string();
    assert!(message.contains("b.npz: "), "{message}");
}

#[test]
fn names_that_no_file_keeps_are_refused() {
    let array = || Array::new(Dtype::U8, [1], vec![0]).unwrap();
    let mut checkpoint = Checkpoint::new();
    checkpoint.insert("a", array()).unwrap();
    let long = "x".repeat(5000);
    for (name, part) in [
        ("", "is empty"),
        ("a\0b", "holds a NUL"),
        ("__metadata__", "is reserved"),
        ("a", "stands for two entries"),
        (&long, "is longer than 4096 bytes"),
    ] {
        let message = checkpoint.insert(name, array()).unwrap_err().to_string();
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(checkpoint.arrays().count(), 1);
    let state = Network::new();
    state.parameter(1.0_f64).named("optimizer.w");
    let message = Checkpoint::of(&state).unwrap_err().to_string();
    assert!(message.contains("begins as the state of an optimiser does"), "{message}");
    let twice = Network::new();
    twice.parameter(1.0_f64).named("w");
    twice.parameter(2.0).named("w");
    let message = Checkpoint::of(&twice).unwrap_err().to_string();
    assert!(message.contains("\"w\" stands for two entries"), "{message}");
}

// What does not fit.

#[test]
fn everything_that_does_not_fit_is_named_at_once() {
    let network = model(1);
    let mut file = Checkpoint::new();
    let floats = |shape: &[usize]| {
        let shape = poorgrad::Shape::new(shape);
        let bytes = vec![0; 4 * shape.volume().unwrap()];
        Array::new(Dtype::F32, shape, bytes).unwrap()
    };
    file.insert("layer0.weight", floats(&[4, 3])).unwrap();
    file.insert("layer0.bias", Array::new(Dtype::I32, [4], vec![0; 16]).unwrap()).unwrap();
    file.insert("layer1.bias", floats(&[2])).unwrap();
    file.insert("mask", floats(&[1])).unwrap();
    let before = network.fingerprint();
    let error = file.network(&network).unwrap_err();
    let CheckpointError::Mismatch { problems } = &error else { panic!("{error}") };
    let shape = |extents: &[usize]| poorgrad::Shape::new(extents);
    let path = |path: &str| (path.to_owned(), path.to_owned());
    let expected = {
        let (weight, name) = path("layer0.weight");
        let (bias, same) = path("layer0.bias");
        let (missing, also) = path("layer1.weight");
        let (expected, found) = (shape(&[3, 4]), shape(&[4, 3]));
        [
            Mismatch::Shape { path: weight, name, expected, found },
            Mismatch::Dtype { path: bias, name: same, found: Dtype::I32 },
            Mismatch::Missing { path: missing, name: also },
            Mismatch::Extra { name: "mask".to_owned() },
        ]
    };
    assert_eq!(*problems, expected);
    let message = error.to_string();
    for part in [
        "`layer0.weight` has the shape [4, 3], not [3, 4]",
        "`layer0.bias` holds I32",
        "`layer1.weight` is missing",
        "`mask` belongs to no parameter",
    ] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(network.fingerprint(), before);

    // Two parameters that a function gives one name.
    let error = file.loader().names(|_| "mask".to_owned()).network(&network).unwrap_err();
    assert!(
        error.to_string().contains("`layer0.weight` and `layer0.bias` both are `mask`"),
        "{error}"
    );
}

#[test]
fn a_file_of_another_program_is_loaded_by_a_function_of_names() {
    let network = model(1);
    let mut file = Checkpoint::new();
    for (path, parameter) in network.parameters() {
        let bytes =
            parameter.payload().unwrap().iter().flat_map(f32::to_le_bytes).collect::<Vec<_>>();
        let array = Array::new(Dtype::F32, parameter.shape().clone(), bytes).unwrap();
        file.insert(format!("module/{}", path.replace('.', "/")), array).unwrap();
    }
    file.insert("module/mask", Array::new(Dtype::Bool, [1], vec![1]).unwrap()).unwrap();
    let loader = file.loader().names(|path| format!("module/{}", path.replace('.', "/")));
    let other = model(2);
    assert!(loader.network(&other).unwrap_err().to_string().contains("`module/mask`"));
    let loader = loader.ignoring(|name| name.ends_with("/mask"));
    assert_eq!(loader.network(&other).unwrap().fingerprint(), network.fingerprint());
}

#[test]
fn damaged_files_say_where() {
    let header =
        |header: &str| [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    let refused = |bytes: &[u8]| Checkpoint::from_safetensors(bytes).unwrap_err().to_string();
    let entry = |name: &str, from: u64, to: u64| {
        format!(
            "\"{name}\":{{\"dtype\":\"U8\",\"shape\":[{}],\"data_offsets\":[{from},{to}]}}",
            to - from
        )
    };
    let file = |entries: &[String], data: usize| {
        [header(&format!("{{{}}}", entries.join(","))), vec![0; data]].concat()
    };
    for (bytes, part) in [
        (vec![1; 3], "at byte 0: 3 bytes are too few"),
        (u64::MAX.to_le_bytes().to_vec(), "a header of 18446744073709551615 bytes, where 0 follow"),
        (header("[]"), "at byte 8: "),
        (header("{\"a\":7}"), "an object with dtype, shape and data_offsets"),
        (file(&[entry("a", 0, 2), entry("b", 1, 3)], 3), "`b` overlaps another array"),
        (file(&[entry("a", 0, 1), entry("b", 2, 3)], 3), "`b` leaves a hole"),
        (file(&[entry("a", 0, 1)], 2), "1 bytes that belong to no array"),
        (file(&[entry("a", 0, 4)], 2), "`a`: ends at 4 of 2 bytes of data"),
        (file(&[entry("a", 0, 1), entry("a", 1, 2)], 2), "\"a\" stands for two entries"),
        (file(&[entry("a\\u0000b", 0, 1)], 1), "holds a NUL"),
        (file(&[entry("", 0, 1)], 1), "is empty"),
        (
            header("{\"a\":{\"dtype\":\"F32\",\"shape\":[1],\"data_offsets\":[0,0]}}"),
            "0 bytes for F32",
        ),
        (
            header("{\"a\":{\"dtype\":\"F3\",\"shape\":[0],\"data_offsets\":[0,0]}}"),
            "unknown kind \"F3\"",
        ),
        (header("{\"a\":{\"dtype\":\"U8\",\"shape\":[0]}}"), "no `data_offsets`"),
        (header("{\"__metadata__\":{\"a\":1}}"), "the note \"a\" is no text"),
        (header("{\"__metadata__\":{\"a\":\"\",\"a\":\"\"}}"), "the note \"a\" stands twice"),
        (header("{} x"), "at byte 11: trailing"),
    ] {
        let message = refused(&bytes);
        assert!(message.starts_with("safetensors: ") && message.contains(part), "{message}");
    }

    let npy = |text: &str, data: usize| {
        let short = (text.len() as u16).to_le_bytes();
        [&b"\x93NUMPY\x01\x00"[..], &short, text.as_bytes(), &vec![0; data]].concat()
    };
    let refused = |bytes: &[u8]| Array::from_npy(bytes).unwrap_err().to_string();
    let good = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
    assert!(Array::from_npy(&npy(good, 8)).is_ok());
    for (bytes, part) in [
        (b"\x93NUMPX\x01\x00".to_vec(), "at byte 0: the magic number"),
        (b"\x93NUMPY\x01\x00\xff".to_vec(), "at byte 9: the file ends in its header"),
        (b"\x93NUMPY\x07\x00\xff\xff".to_vec(), "at byte 6: version 7"),
        (b"\x93NUMPY\x02\x00\xff\xff\xff\xff".to_vec(), "a header of 4294967295 bytes"),
        (npy(good, 7), "7 bytes for F32 of shape (2,)"),
        (npy(good, 9), "9 bytes for F32 of shape (2,)"),
        (npy(&good.replace("<f4", "|O"), 8), "at byte 20: numbers of the unknown kind \"|O\""),
        (npy(&good.replace("2,", "4611686018427387906, 2"), 8), "bytes for F32"),
        (npy(&good.replace("2,", "99999999999999999999"), 8), "an extent of the address space"),
        (npy(&good.replace("'shape'", "'descr'"), 8), "a text in quotes is expected"),
        (npy("{'descr': '<f4', 'fortran_order': False}", 8), "are needed"),
        (npy(&good.replace("(2,)", "(-2, -3)"), 24), "an extent of the address space"),
    ] {
        let message = refused(&bytes);
        assert!(message.starts_with("npy: ") && message.contains(part), "{message}");
    }

    let whole = std::fs::read(fixture("packed.npz")).unwrap();
    let limited = Checkpoint::from_npz_within(&whole, 10).unwrap_err().to_string();
    assert!(
        limited.contains("above the limit of 10; `from_npz_within` takes another"),
        "{limited}"
    );
    let mut damaged = std::fs::read(fixture("stored.npz")).unwrap();
    let at = damaged.windows(6).position(|part| part == b"\x93NUMPY").unwrap() + 130;
    damaged[at] ^= 1;
    let message = Checkpoint::from_npz(&damaged).unwrap_err().to_string();
    assert!(message.contains("is damaged: its checksum differs"), "{message}");
}

// Going on.

/// What a training step needs.
struct Run {
    network: Network<Tensor>,
    x: Symbol,
    y: Symbol,
    loss: Symbol,
}

fn run() -> Run {
    let network = Network::new();
    let model = Mlp::new(&network, &[3, 5, 2], init::xavier(7));
    let x = network.input(Tensor::zeros([4, 3]));
    let y = network.input(Tensor::zeros([4, 2]));
    let loss = model.express(&network, x).mean_squared_error(y);
    let [x, y, loss] = [x, y, loss].map(|value| value.symbol());
    Run { network, x, y, loss }
}

/// The steps `from..to` of a training whose rate falls, by a plan.
fn train(
    run: &Run,
    mut network: Network<Tensor>,
    optimizer: &mut dyn Optimizer<Tensor>,
    from: usize,
    to: usize,
) -> Network<Tensor> {
    let plan = run.network.compile_training(run.loss, []);
    let mut batches = Batches::new(20, 4, 3);
    for step in from..to {
        let picks = batches.at(step).to_vec();
        let number =
            |row: usize, column: usize| ((picks[row] * 7 + column * 5) % 11) as f32 * 0.2 - 1.0;
        let feeds = [
            (run.x, Tensor::from_fn([4, 3], |at| number(at[0], at[1]))),
            (run.y, Tensor::from_fn([4, 2], |at| number(at[0], at[1] + 3))),
        ];
        optimizer.set_learning_rate(0.05 / (1 + step) as f64);
        let gradients = plan.forward(&network, feeds).backward(run.loss);
        network = optimizer.step(network, &gradients);
    }
    network
}

/// Every optimiser, in the forms that have other state.
fn optimizers() -> Vec<(&'static str, Box<dyn Optimizer<Tensor>>)> {
    vec![
        ("sgd", Box::new(Sgd::new(0.1))),
        ("momentum", Box::new(Sgd::new(0.1).momentum(0.9))),
        ("nesterov", Box::new(Sgd::new(0.1).momentum(0.9).nesterov())),
        ("adam", Box::new(Adam::new(0.1))),
        ("adam_w", Box::new(AdamW::new(0.1).decay(0.1))),
        ("rms_prop", Box::new(RmsProp::new(0.1))),
        ("rms_prop_momentum", Box::new(RmsProp::new(0.1).momentum(0.9))),
    ]
}

const OTHER_PROCESS: &str = "POORGRAD_TEST_CHECKPOINTS";

/// This test starts itself once more: the other process finds a folder in the variable, and goes on with
/// what the first one left there.
#[test]
fn every_optimizer_goes_on_in_another_process_as_if_it_had_not_stopped() {
    let name = "checkpoints::every_optimizer_goes_on_in_another_process_as_if_it_had_not_stopped";
    if let Some(folder) = std::env::var_os(OTHER_PROCESS) {
        for (name, mut optimizer) in optimizers() {
            let path = Path::new(&folder).join(format!("{name}.safetensors"));
            let (read, run) = (Checkpoint::read(&path).unwrap(), run());
            let network = read.resume(&run.network, &mut *optimizer).unwrap();
            let step: usize = read.note("step").unwrap();
            let network = train(&run, network, &mut *optimizer, step, 20);
            let mut end = Checkpoint::of(&network).unwrap();
            end.put_optimizer(&network, &*optimizer).unwrap();
            end.write(path.with_extension("npz")).unwrap();
        }
        return;
    }
    let folder = Folder::new("going-on");
    let mut expected = Vec::new();
    for (name, mut optimizer) in optimizers() {
        let run = run();
        let half = train(&run, run.network.clone(), &mut *optimizer, 0, 8);
        let mut checkpoint = Checkpoint::of(&half).unwrap();
        checkpoint.put_optimizer(&half, &*optimizer).unwrap();
        checkpoint.set_note("step", 8);
        checkpoint.write(folder.file(&format!("{name}.safetensors"))).unwrap();
        let whole = train(&run, half, &mut *optimizer, 8, 20);
        let mut end = Checkpoint::of(&whole).unwrap();
        end.put_optimizer(&whole, &*optimizer).unwrap();
        expected.push((name, end));
    }
    let mut other = std::process::Command::new(std::env::current_exe().unwrap());
    let output = other.args(["--exact", name]).env(OTHER_PROCESS, &folder.0).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    for (name, expected) in expected {
        let found = Checkpoint::read(folder.file(&format!("{name}.npz"))).unwrap();
        assert!(found == expected, "{name}: {found:?}, {expected:?}");
    }
}

#[test]
fn b90_f_going_on_needs_the_state_of_the_optimizer() {
    // Adam on gradients 1, -1, 2 from 1, stopped after two steps.
    let record = || {
        let network = Network::new();
        let w = network.parameter(1.0_f64).named("w");
        let slope = network.input(0.0);
        let loss = (w * slope).symbol();
        let (w, slope) = (w.symbol(), slope.symbol());
        (network, w, slope, loss)
    };
    let (network, w, slope, loss) = record();
    let step = |network: Network<f64>, optimizer: &mut Adam<f64>, gradient: f64| {
        let gradients = network.forward_with([(slope, gradient)]).backward(network.resolve(loss));
        optimizer.step(network, &gradients)
    };
    let close = |network: &Network<f64>, w: Symbol, expected: f64| {
        let found = network.resolve(w).payload().unwrap();
        assert!((found - expected).abs() < 1e-15, "{found} {expected}");
        found
    };
    let mut optimizer = Adam::new(1e-3);
    let network = step(network, &mut optimizer, 1.0);
    close(&network, w, 0.999_000_000_01);
    let network = step(network, &mut optimizer, -1.0);
    close(&network, w, 0.999_052_631_588_421_1);
    let mut file = Checkpoint::of(&network).unwrap();
    file.put_optimizer(&network, &optimizer).unwrap();
    let bytes = file.to_safetensors().unwrap();
    let weights = Checkpoint::of(&network).unwrap().to_safetensors().unwrap();
    let expected = close(&step(network, &mut optimizer, 2.0), w, 0.998_554_389_447_994);

    let go_on = |bytes: &[u8], with_state: bool| {
        let (network, w, slope, loss) = record();
        let file = Checkpoint::from_safetensors(bytes).unwrap();
        let mut optimizer = Adam::new(1e-3);
        let network = if with_state {
            file.resume(&network, &mut optimizer).unwrap()
        } else {
            file.network(&network).unwrap()
        };
        let gradients = network.forward_with([(slope, 2.0)]).backward(network.resolve(loss));
        let network = optimizer.step(network, &gradients);
        network.resolve(w).payload().unwrap()
    };
    assert_eq!(go_on(&bytes, true).to_bits(), expected.to_bits());
    // Weights alone are another run: a restore that does nothing would be seen.
    assert!((go_on(&weights, false) - 0.998_052_631_593_421_1).abs() < 1.2e-16);
    // The state of a file is no parameter that is too much, and its lack is named.
    assert_eq!(go_on(&bytes, false).to_bits(), go_on(&weights, false).to_bits());
    let (network, ..) = record();
    let weights = Checkpoint::from_safetensors(&weights).unwrap();
    let error = weights.resume(&network, &mut Adam::new(1e-3)).unwrap_err().to_string();
    assert_eq!(error, "there is no note `optimizer`");
    let whole = Checkpoint::from_safetensors(&bytes).unwrap();
    let error = whole.resume(&network, &mut Sgd::new(1e-3)).unwrap_err().to_string();
    assert!(error.contains("the state is that of `Adam`"), "{error}");
}

#[test]
fn what_breaks_off_half_way_leaves_network_and_optimizer_as_they_were() {
    let run = run();
    let mut optimizer = Adam::new(0.1);
    let network = train(&run, run.network.clone(), &mut optimizer, 0, 3);
    let state = optimizer.state(&network).unwrap();
    // The parameters of another model, and the state of another optimiser.
    let other = model(1);
    let mut moved = Checkpoint::of(&other).unwrap();
    moved.put_optimizer(&network, &optimizer).unwrap();
    let mut without = Checkpoint::of(&network).unwrap();
    without.put_optimizer(&network, &Sgd::new(0.5)).unwrap();
    for file in [moved, without] {
        assert!(file.resume(&network, &mut optimizer).is_err());
        assert_eq!(optimizer.state(&network).unwrap(), state);
    }
    // And they are usable.
    let next = train(&run, network, &mut optimizer, 3, 4);
    assert_eq!(next.parameters().count(), 4);
}
