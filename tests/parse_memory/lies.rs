//! Files that announce much and hold little: each is refused, or read, in the memory of what it holds.

use super::{
    SLACK,
    loaders::{OnDisk, fixture},
    peak,
};
use poorgrad::checkpoint::{Array, Checkpoint, Dtype};
use testkit::decisions::mixed;
use zoo::idx::Idx;

/// Checks every loader.
pub fn check() {
    let with_header =
        |header: String| [&(header.len() as u64).to_le_bytes()[..], header.as_bytes()].concat();
    let safetensors = |file: &[u8], accepted: bool| {
        let (held, read) = peak(|| Checkpoint::from_safetensors(file).is_ok());
        let bound = 2 * file.len() + SLACK;
        let start = String::from_utf8_lossy(&file[8..file.len().min(108)]).into_owned();
        assert_eq!(read, accepted, "{start}");
        assert!(held <= bound, "{held} bytes for a file of {}, above {bound}: {start}", file.len());
        // By its path the file is in memory itself.
        let (held, read) = OnDisk::new(file, "safetensors").read();
        assert_eq!(read, accepted, "{start}");
        assert!(
            held <= bound,
            "{held} bytes with a file of {}, above {bound}: {start}",
            file.len()
        );
    };
    // Very many arrays of nothing, with names as short as they may be.
    let many: Vec<String> = (0..30_000)
        .map(|n| format!("\"{n:x}\":{{\"dtype\":\"F32\",\"shape\":[0],\"data_offsets\":[0,0]}}"))
        .collect();
    safetensors(&with_header(format!("{{{}}}", many.join(","))), true);
    let same = vec![many[0].clone(); 30_000].join(",");
    safetensors(&with_header(format!("{{{same}}}")), false);
    // Names of what is no array at all, which is seen at the first of them.
    let nothing = vec!["\"\":0"; 100_000].join(",");
    safetensors(&with_header(format!("{{{nothing}}}")), false);
    // Very many axes, notes, brackets, and long names.
    let axes = vec!["1"; 100_000].join(",");
    let entry = |shape: &str| {
        format!("{{\"a\":{{\"dtype\":\"U8\",\"shape\":[{shape}],\"data_offsets\":[0,0]}}}}")
    };
    safetensors(&with_header(entry(&axes)), false);
    let notes: Vec<String> = (0..50_000).map(|n| format!("\"{n}\":\"\"")).collect();
    safetensors(&with_header(format!("{{\"__metadata__\":{{{}}}}}", notes.join(","))), false);
    let long = "x".repeat(500_000);
    safetensors(&with_header(format!("{{\"__metadata__\":{{\"a\":\"\\n{long}\"}}}}")), true);
    safetensors(&with_header(format!("{{\"a\":{{\"\\n{long}\":1}}}}")), false);
    // As many notes as there may be, with names and texts that have to be unfolded.
    let notes: Vec<String> =
        (0..1024).map(|n| format!("\"\\n{n}{}\":\"\\t{n}\"", &long[..1000])).collect();
    safetensors(&with_header(format!("{{\"__metadata__\":{{{}}}}}", notes.join(","))), true);
    let notes: Vec<String> = (0..1024).map(|n| format!("\"{n:x}\":\"\"")).collect();
    safetensors(&with_header(format!("{{\"__metadata__\":{{{}}}}}", notes.join(","))), true);
    safetensors(&with_header(format!("{{\"\\n{long}\":1}}")), false);
    safetensors(&with_header(format!("{{\"a\":{{\"dtype\":\"\\n{long}\"}}}}")), false);
    safetensors(&with_header("[".repeat(500_000)), false);
    safetensors(&with_header(format!("{{\"a\":{}", "[".repeat(500_000))), false);
    // A header, and numbers, that would be beyond the end of everything.
    safetensors(&[&u64::MAX.to_le_bytes()[..], b"{}"].concat(), false);
    for shape in ["4611686018427387906", "1073741824,1073741824,16", "18446744073709551616", "-1"] {
        safetensors(&with_header(entry(shape)), false);
    }
    safetensors(&with_header(entry("18446744073709551615,18446744073709551615,0")), true);

    on_disk();
    archives();
    images();
}

/// By its path a file is in memory itself.
fn on_disk() {
    let mut numbers = Checkpoint::new();
    for name in ["a", "b", "c"] {
        let array = Array::new(Dtype::U8, [1 << 19], vec![7; 1 << 19]).expect("half a mebibyte");
        numbers.insert(name, array).expect("a name");
    }
    for (bytes, ending) in [
        (numbers.to_safetensors().expect("it has a form"), "safetensors"),
        (numbers.to_npz().expect("it has a form"), "npz"),
        (numbers.array("a").expect("the first").to_npy().expect("it has a form"), "npy"),
    ] {
        let (held, read) = OnDisk::new(&bytes, ending).read();
        let size = bytes.len();
        assert!(read && held <= 2 * size + SLACK, "{ending}: {held} bytes for a file of {size}");
    }
}

/// Archives whose entries announce as much as deflate could hold, and more.
fn archives() {
    let mut zeros = Checkpoint::new();
    let numbers = Array::new(Dtype::U8, [1 << 20], vec![0; 1 << 20]).expect("a mebibyte");
    zeros.insert("a", numbers).expect("a name");
    let stored = zeros.to_npz().expect("it has a form");
    let (held, read) = peak(|| Checkpoint::from_npz(&stored).is_ok());
    assert!(read && held <= 2 * stored.len() + SLACK, "{held}");
    let packed = fixture("zeros.npz");
    assert!(packed.len() < 4096, "a mebibyte of zeros packs well");
    let (held, read) = peak(|| Checkpoint::from_npz_within(&packed, 1 << 20).is_ok());
    assert!(!read && held <= SLACK, "{held}");
    assert!(Checkpoint::from_npz(&packed).is_ok());

    // Random bytes do not pack: that they are a thousand times as many is a lie.
    let noise: Vec<u8> = (0..60_000).map(|at| mixed(at) as u8).collect();
    let lying = lying_npz(&noise, 1032 * 60_000);
    let (held, read) = peak(|| Checkpoint::from_npz(&lying).is_ok());
    assert!(!read && held <= 2 * lying.len() + SLACK, "{held} bytes for {}", lying.len());
}

/// An archive of one entry, which is packed as one block of deflate that holds its bytes as they are, and
/// announces another size. See PKWARE's APPNOTE and RFC 1951.
fn lying_npz(bytes: &[u8], announced: u32) -> Vec<u8> {
    let length = u16::try_from(bytes.len()).expect("one block");
    let block = [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), bytes].concat();
    let size = u32::try_from(block.len()).expect("one block").to_le_bytes();
    let name = b"a.npy";
    // Version, flags, method 8, time, date, checksum, sizes, and the lengths of the name and of more.
    let entry = [
        &[20, 0, 0, 0, 8, 0, 0, 0, 0, 0][..],
        &[0; 4],
        &size,
        &announced.to_le_bytes(),
        &[name.len() as u8, 0, 0, 0],
    ]
    .concat();
    let local = [b"PK\x03\x04", &entry[..], name, &block].concat();
    let central = [b"PK\x01\x02", &[20, 0][..], &entry, &[0; 14], name].concat();
    let ends = [central.len() as u32, local.len() as u32].map(u32::to_le_bytes).concat();
    let end = [b"PK\x05\x06", &[0, 0, 0, 0, 1, 0, 1, 0][..], &ends, &[0, 0]].concat();
    [local, central, end].concat()
}

/// A packed file of images that announces a thousand times what it holds.
fn images() {
    let noise: Vec<u8> = (0..60_000).map(|at| mixed(at) as u8).collect();
    let extents = [1_u32, 6_000, 10_000].map(u32::to_be_bytes).concat();
    let idx = [&[0, 0, 8, 3][..], &extents, &noise].concat();
    let length = u16::try_from(idx.len()).expect("one block");
    let block = [&[1][..], &length.to_le_bytes(), &(!length).to_le_bytes(), &idx].concat();
    // RFC 1952: no name, no time, and a checksum that is not come to.
    let file = [&[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255][..], &block, &[0; 8]].concat();
    let (held, read) = peak(|| Idx::parse(&file, 3).is_ok());
    assert!(!read && held <= 2 * file.len() + SLACK, "{held} bytes for {}", file.len());
}
