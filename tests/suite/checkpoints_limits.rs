//! What checkpoints refuse to hold or to go on from, so that whatever is written can be read again.

use super::checkpoints::{Folder, model};
use poorgrad::checkpoint::{Array, Checkpoint, CheckpointError, Dtype};
use poorgrad::{Adam, Network, Optimizer, Sgd, Tensor};

#[test]
fn what_is_written_can_be_read_so_that_more_axes_are_refused() {
    let ones = |rank: usize| vec![1_usize; rank];
    let array = |rank: usize| Array::new(Dtype::U8, ones(rank), vec![7]);
    let deep = array(64).expect("as many as files keep");
    assert_eq!(Array::from_npy(&deep.to_npy().unwrap()).unwrap(), deep);
    let mut file = Checkpoint::new();
    file.insert("deep", deep).unwrap();
    let bytes = file.to_safetensors().unwrap();
    assert!(Checkpoint::from_safetensors(&bytes).unwrap() == file);
    for rank in [65, 20_000] {
        let error = array(rank).unwrap_err();
        assert!(matches!(error, CheckpointError::Axes { rank: found } if found == rank), "{error}");
        assert!(error.to_string().contains("at most 64; reshape it"), "{error}");
    }
    let network = Network::new();
    network.parameter(Tensor::<f32>::zeros(ones(65))).named("w");
    let error = Checkpoint::of(&network).unwrap_err();
    assert!(matches!(error, CheckpointError::Axes { rank: 65 }), "{error}");
}

#[test]
fn more_or_longer_notes_than_files_keep_are_refused_when_they_are_written() {
    let folder = Folder::new("notes");
    let mut notes = Checkpoint::new();
    (0..1024).for_each(|number| notes.set_note(number.to_string(), "x"));
    notes.set_note("7", "again");
    let bytes = notes.to_safetensors().expect("as many as files keep");
    assert!(Checkpoint::from_safetensors(&bytes).unwrap() == notes);
    let bytes = notes.to_npz().expect("as many as files keep");
    assert!(Checkpoint::from_npz(&bytes).unwrap() == notes);
    notes.set_note("one more", "x");
    let mut long = Checkpoint::new();
    long.set_note("x".repeat(4096), "as long as files keep");
    assert!(Checkpoint::from_safetensors(&long.to_safetensors().unwrap()).unwrap() == long);
    long.set_note("x".repeat(4097), "longer");
    for (file, part) in [
        (notes, "1025 notes, where files keep at most 1024; join some of them"),
        (long, "is longer than 4096 bytes"),
    ] {
        let path = folder.file("a.safetensors");
        for error in [
            file.to_safetensors().unwrap_err(),
            file.to_npz().unwrap_err(),
            file.write(&path).unwrap_err(),
            file.write(folder.file("a.npz")).unwrap_err(),
        ] {
            assert!(error.to_string().contains(part), "{error}");
        }
        assert!(!path.exists());
    }
}

#[test]
fn going_on_names_what_does_not_fit_the_network_and_the_optimizer_at_once() {
    let network = model(1);
    let mut file = Checkpoint::new();
    file.put("other", &Tensor::from([1.0_f32])).unwrap();
    file.put_optimizer(&network, &Adam::new(0.1)).unwrap();
    let mut optimizer = Sgd::new(0.25).momentum(0.5);
    let before = optimizer.state(&network).unwrap();
    let error = file.resume(&network, &mut optimizer).unwrap_err();
    let CheckpointError::Both { network: first, optimizer: second } = &error else {
        panic!("{error}")
    };
    assert!(matches!(**first, CheckpointError::Mismatch { ref problems } if problems.len() == 5));
    assert!(matches!(**second, CheckpointError::State(_)));
    let message = error.to_string();
    for part in ["`layer0.weight` is missing", "`other` belongs", "the state is that of `Adam`"] {
        assert!(message.contains(part), "{message}");
    }
    assert_eq!(optimizer.state(&network).unwrap(), before);

    // Where the optimiser's state fits, it is not taken over either.
    let mut adam = Adam::new(0.5);
    let before = adam.state(&network).unwrap();
    let error = file.resume(&network, &mut adam).unwrap_err();
    assert!(matches!(error, CheckpointError::Mismatch { .. }), "{error}");
    assert_eq!(adam.state(&network).unwrap(), before);
}

#[test]
fn of_many_that_write_one_file_at_a_time_one_wins_whole() {
    let folder = Folder::new("at-a-time");
    let path = folder.file("a.safetensors");
    let files = [0_u8, 1, 2, 3].map(|number| {
        let mut file = Checkpoint::new();
        let array = Array::new(Dtype::U8, [1 << 16], vec![number; 1 << 16]).unwrap();
        file.insert("a", array).unwrap();
        file
    });
    std::thread::scope(|scope| {
        for file in &files {
            scope.spawn(|| (0..8).for_each(|_| file.write(&path).expect("each has its own place")));
        }
    });
    let read = Checkpoint::read(&path).expect("what is there is whole");
    assert!(files.contains(&read));
    assert_eq!(folder.left(), 1, "nothing lies beside it");
}

#[test]
fn a_file_that_was_read_takes_more_and_gives_all_by_name() {
    let array = |number: u8| Array::new(Dtype::U8, [1], vec![number]).unwrap();
    // The second name has escapes in the file, and is sorted by what it stands for.
    let names = ["b", "d\n\"\u{e9}", "f"];
    let mut whole = Checkpoint::new();
    for (number, name) in (0..).zip(names) {
        whole.insert(name, array(number)).unwrap();
    }
    whole.set_note("step", "1\t2");
    let bytes = whole.to_safetensors().unwrap();
    let spaced = {
        let header = String::from_utf8(bytes[8..].to_vec()).unwrap();
        let (header, data) = header.split_at(header.rfind('}').unwrap() + 1);
        let header = header.replace(',', " ,\n ").replace(':', " :\t").replace("\\n", "\\u000a");
        let length = (header.len() as u64).to_le_bytes();
        [&length[..], header.as_bytes(), data.trim_start_matches(' ').as_bytes()].concat()
    };
    for bytes in [&bytes, &spaced] {
        let mut read = Checkpoint::from_safetensors(bytes).expect("it is a file");
        assert!(read == whole);
        assert_eq!(read.note::<String>("step").unwrap(), "1\t2");
        let mut grown = whole.clone();
        for (number, name) in (10..).zip(["a", "c", "e", "g"]) {
            read.insert(name, array(number)).unwrap();
            grown.insert(name, array(number)).unwrap();
        }
        for name in names.into_iter().chain(["a", "g"]) {
            let message = read.insert(name, array(9)).unwrap_err().to_string();
            assert!(message.contains("stands for two entries"), "{message}");
        }
        assert!(read == grown && read != whole);
        let sorted = ["a", "b", "c", "d\n\"\u{e9}", "e", "f", "g"];
        assert!(read.arrays().map(|(name, _)| name).eq(sorted));
        for (name, array) in grown.arrays() {
            assert_eq!(read.array(&name).as_ref(), Some(&array), "{name}");
        }
        assert_eq!(read.array("d"), None);
        assert_eq!(read.to_safetensors().unwrap(), grown.to_safetensors().unwrap());
        assert_eq!(format!("{read:?}"), "Checkpoint { arrays: 7, notes: 1 }");
        assert!(read.into_owned() == grown);
    }
}
