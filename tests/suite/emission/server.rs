//! The resident processes: what they refuse, what they survive, and that none outlives its parent.

use super::tools::Tool;
use poorgrad::{Emit, Network, Tensor};
use std::io::{Read, Write};
use std::process::{Command, Stdio};
use std::sync::mpsc;
use std::time::Duration;
use zoo::stablehlo::{Given, Server, ServerError};

const DOUBLED: &str = "func.func @main(%x: tensor<2xf32> {tf.aliasing_output = 0 : i32}) -> tensor<2xf32> {\n\
                       %y = stablehlo.add %x, %x : tensor<2xf32>\n  return %y : tensor<2xf32>\n}";

fn tool(tool: Tool) -> Option<std::ffi::OsString> {
    let command = std::env::var_os(tool.variable());
    if command.is_none() {
        println!("server: skipped, as {} is not set", tool.variable());
    }
    command
}

/// The message of a refusal.
fn refused<T: std::fmt::Debug>(result: Result<T, ServerError>) -> String {
    match result {
        Err(ServerError::Refused { message }) => message,
        other => panic!("not refused: {other:?}"),
    }
}

#[test]
fn a_server_refuses_what_does_not_fit_and_goes_on() {
    let Some(command) = tool(Tool::Runner) else { return };
    let mut server = Server::start(command.as_ref(), &[]).unwrap_or_else(|error| panic!("{error}"));
    let compiled = server.compile("doubled", DOUBLED).expect("a module");
    assert_eq!((compiled.inputs, compiled.results), (vec!["f32:2".into()], vec!["f32:2".into()]));
    let bytes = [1.5_f32.to_le_bytes(), 2.0_f32.to_le_bytes()].concat();
    // Another element, another shape, another number of arguments: all of as many bytes.
    for kind in ["i32:2", "f32:1,2", "f64:1"] {
        let told = refused(server.run("doubled", &[Given::Bytes(kind, &bytes)], &[]));
        assert!(told.contains("the module takes ['f32:2']") && told.contains(kind), "{told}");
    }
    refused(server.run("doubled", &[], &[]));
    refused(server.run("doubled", &[Given::Bytes("f32:2", &bytes); 2], &[]));
    refused(server.put("x", "f32:3", &bytes));
    refused(server.run("nothing", &[], &[]));
    refused(server.compile("wrong", "func.func @main() -> tensor<f32> { return }"));
    // What a run is refused for takes no buffer away.
    server.put("x", "f32:2", &bytes).expect("a buffer");
    for keep in [[(1, "y")].as_slice(), &[(0, "y"), (0, "z")]] {
        let told = refused(server.run("doubled", &[Given::Kept("x")], keep));
        assert!(told.contains("of the 1 results"), "{told}");
    }
    // It is not fetched here: what the process holds a second view of is copied, not given away.
    server.run("doubled", &[Given::Kept("x")], &[(0, "y")]).expect("a run");
    let told = refused(server.run("doubled", &[Given::Kept("x")], &[]));
    assert!(told.contains("given away"), "{told}");
    refused(server.get("x"));
    let doubled = [3.0_f32.to_le_bytes(), 4.0_f32.to_le_bytes()].concat();
    assert_eq!(server.get("y").expect("a buffer"), doubled);
}

fn framed(bytes: &[u8]) -> Vec<u8> {
    let length = u32::try_from(bytes.len()).expect("a short frame").to_le_bytes();
    [&length, bytes].concat()
}

fn reply(output: &mut impl Read) -> String {
    let mut length = [0; 4];
    output.read_exact(&mut length).expect("a reply");
    let mut bytes = vec![0; u32::from_le_bytes(length) as usize];
    output.read_exact(&mut bytes).expect("a reply");
    String::from_utf8(bytes).expect("words")
}

#[test]
fn bad_frames_are_answered() {
    let Some(command) = tool(Tool::Validator) else { return };
    let mut child = Command::new(command)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("a process");
    let (mut input, mut output) =
        (child.stdin.take().expect("a pipe"), child.stdout.take().expect("a pipe"));
    let mut ask = |bytes: &[u8]| {
        input.write_all(bytes).and_then(|()| input.flush()).expect("a pipe");
        reply(&mut output)
    };
    for request in [&b""[..], b"  ", b"\xff\xfe", b"unknown", b"compile"] {
        let mut bytes = framed(request);
        if request == b"compile" {
            bytes.extend(framed(b"no module"));
        }
        let told = ask(&bytes);
        assert!(told.starts_with("error "), "{request:?}: {told}");
        assert_eq!(ask(&framed(b"hello")), "ok validate");
    }
    // Longer than any request: it is not waited for.
    let told = ask(&u32::MAX.to_le_bytes());
    assert!(told.starts_with("error a frame of 4294967295 bytes"), "{told}");
    drop(input);
    let mut rest = Vec::new();
    assert_eq!(output.read_to_end(&mut rest).expect("an end"), 0);
    let _ = child.wait();
}

/// Every tool: XLA has threads of its own.
#[test]
#[cfg(unix)]
fn a_server_ends_with_its_parent() {
    for which in [Tool::Validator, Tool::Evaluator, Tool::Runner] {
        let Some(command) = tool(which) else { return };
        // A shell is the parent; the input stays open, and so only its end can end the server.
        let mut shell = Command::new("sh")
            .args(["-c", "exec 3<&0; \"$0\" <&3 & wait"])
            .arg(command)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()
            .expect("a shell");
        let (mut input, mut output) =
            (shell.stdin.take().expect("a pipe"), shell.stdout.take().expect("a pipe"));
        input.write_all(&framed(b"hello")).and_then(|()| input.flush()).expect("a pipe");
        assert!(reply(&mut output).starts_with("ok "), "{which:?}");
        shell.kill().expect("a shell");
        let _ = shell.wait();
        let (ended, end) = mpsc::channel();
        std::thread::spawn(move || {
            let _ = ended.send(output.read_to_end(&mut Vec::new()).is_ok());
        });
        let ended = end.recv_timeout(Duration::from_secs(30));
        assert_eq!(ended, Ok(true), "{which:?}: the server is an orphan");
        drop(input);
    }
}

#[test]
fn a_server_outlives_the_thread_that_started_it() {
    let Some(command) = tool(Tool::Validator) else { return };
    let start = move || Server::start(command.as_ref(), &[]);
    let mut server = std::thread::spawn(start).join().expect("a thread").expect("a server");
    std::thread::sleep(Duration::from_millis(500));
    server.compile("doubled", DOUBLED).expect("a module");
}

/// A cache of keys as a decoder has it: it stays on the device, each step gives its buffer away for the
/// next one, and has the plan's bits.
#[test]
fn a_donated_cache_stays_on_the_device() {
    let Some(command) = tool(Tool::Runner) else { return };
    let network = Network::new();
    let cache = network.input(Tensor::full([4, 3], 0.0_f32)).named("cache");
    let key = network.input(Tensor::full([1, 3], 0.0_f32)).named("key");
    let at = network.input(Tensor::selection(&[0], 4)).named("at");
    let next = cache.row_update(key * key, at).named("next");
    let plan = network.compile([next], []);
    let module = Emit::new(&plan).donate(cache, next).module().expect("a module");
    assert!(module.text().contains("stablehlo.dynamic_update_slice"), "{}", module.text());
    let mut server = Server::start(command.as_ref(), &[]).unwrap_or_else(|error| panic!("{error}"));
    server.compile("step", module.text()).expect("a module");
    let bytes = |tensor: &Tensor| -> Vec<u8> {
        tensor.to_vec().into_iter().flat_map(f32::to_le_bytes).collect()
    };
    let mut held = Tensor::full([4, 3], 0.0_f32);
    server.put("cache0", "f32:4,3", &bytes(&held)).expect("a buffer");
    for (step, row) in [2, 0, 2, 3].into_iter().enumerate() {
        let given = Tensor::from_fn([1, 3], |i| (i[1] + 2 * step) as f32 - 1.5);
        let feeds = [
            (cache.symbol(), held.clone()),
            (key.symbol(), given.clone()),
            (at.symbol(), Tensor::selection(&[row], 4)),
        ];
        held = plan.forward(&network, feeds).of(next);
        let (from, into) = (format!("cache{step}"), format!("cache{}", step + 1));
        let row = i32::try_from(row).expect("a row").to_le_bytes();
        let given = [
            Given::Kept(&from),
            Given::Bytes("f32:1,3", &bytes(&given)),
            Given::Bytes("i32:1", &row),
        ];
        let ran = server.run("step", &given, &[(0, &into)]).expect("a step");
        assert!(ran.results.is_empty());
        let told = refused(server.run("step", &given, &[(0, "again")]));
        assert!(told.contains("given away"), "{told}");
    }
    assert_eq!(server.get("cache4").expect("a buffer"), bytes(&held));
}
