//! What reading takes in memory: in proportion to what is read, whatever that claims. Texts of tapes
//! here, files in `loaders`.
//!
//! In a binary of its own, with one test: the allocator counts for the whole process.

#[cfg(feature = "checkpoint")]
mod lies;
#[cfg(feature = "checkpoint")]
mod loaders;

use poorgrad::{Network, Tensor};
use testkit::Counting;
use testkit::decisions::mixed;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new(std::alloc::System, usize::MAX);

/// Bytes at any time for each byte of text, and for each node besides. An axis of a shape is written in
/// two bytes, and each of the copies that a leaf keeps has eight for it.
const OF_TEXT: usize = 12;
const OF_NODE: usize = 250;
const SLACK: usize = 64 * 1024;

/// The most that a call holds at a time, and what it returns.
fn peak<T>(call: impl FnOnce() -> T) -> (usize, T) {
    // The allocator knows the most that was ever held: fill up to it, so that the call raises it.
    let before = ALLOCATOR.max_allocated();
    let ballast = vec![0_u8; before - ALLOCATOR.allocated()];
    let before = ALLOCATOR.max_allocated();
    let held = ALLOCATOR.allocated();
    let result = call();
    drop(ballast);
    (ALLOCATOR.max_allocated() - before + (before - held), result)
}

/// Checks a text that is a tape of so many values.
fn check_accepted(text: &str, values: usize) {
    assert_eq!(check(text), Ok(values));
}

/// Checks what reading holds; returns the number of values, or the start of the message.
fn check(text: &str) -> Result<usize, String> {
    let (held, parsed) = peak(|| Network::<Tensor<f32>>::parse(text));
    // A node has a line, also in a text that is refused behind it.
    let nodes = text.lines().filter(|line| line.starts_with('%')).count();
    let bound = OF_TEXT * text.len() + SLACK + OF_NODE * nodes;
    let start = |text: &str| text.chars().take(300).collect::<String>();
    assert!(
        held <= bound,
        "{held} bytes for a text of {}, above {bound}:\n{}",
        text.len(),
        start(text)
    );
    parsed.map(|network| network.len()).map_err(|error| start(&error.to_string()))
}

#[test]
fn memory_is_proportional_to_what_is_read() {
    // The counter sees what comes from the allocator.
    poorgrad::set_large_pages(false);
    // COST: what is large comes last, as each later call begins with a fill to the most so far.
    mutated_tapes();
    #[cfg(feature = "checkpoint")]
    loaders::check();
    tapes();
}

/// Digits replaced at random in a tape of all kinds of numbers.
fn mutated_tapes() {
    let sample = include_str!("../filetests/movement/views.tape");
    for seed in 0..5_000 {
        let mut text = sample.to_owned();
        let digits: Vec<usize> =
            text.match_indices(|c: char| c.is_ascii_digit()).map(|(at, _)| at).collect();
        let at = digits[(mixed(seed) % digits.len() as u64) as usize];
        let number = mixed(seed + 1_000_000) >> (mixed(seed + 2_000_000) % 64);
        text.replace_range(at..=at, &number.to_string());
        let _ = check(&text);
    }
}

fn tapes() {
    // Claims: shapes, counts, attributes that stand for more than is written down.
    for body in [
        "leaf constant 1.0 : [500000000000000000]",
        "leaf dense [1.0] : [500000000000000000]",
        "leaf selection [0] : [1, 500000000000000000]",
        "leaf bf16 [0x0000] : [500000000000000000]",
        "leaf constant 1.0 : [18446744073709551615, 18446744073709551615, 0]",
        "leaf constant 1.0 : [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1]",
    ] {
        let _ = check(&format!("tape 1 f32\n%0 = {body}\n"));
    }
    let base = "tape 1 f32\n%0 = leaf constant 1.0 : [4, 4]\n";
    for body in [
        "pad %0 {axis = 0, before = 100000000000000, after = 0, value = 0.0} : [100000000000004, 4]",
        "reshape %0 {extents = [1000000000000000000]} : [1000000000000000000]",
        "unfold %0 {axis = 0, size = 4, step = 1, dilation = 18446744073709551615} : [1, 4, 4]",
        "narrow %0 {axis = 0, start = 18446744073709551615, length = 2} : [2, 4]",
        "permute %0 {axes = [1000000000000, 0]} : [4, 4]",
    ] {
        let _ = check(&format!("{base}%1 = {body}\n"));
    }
    // The shortest lines, many operands, many elements.
    let mut short = String::from("tape 1 f32\n%0=leaf 1 :[]\n");
    (1..20_000).for_each(|index| short += &format!("%{index}=neg%0:[]\n"));
    check_accepted(&short, 20_000);
    // Nodes that keep more than themselves: a payload, a shape, a state, a name and a scope, a line.
    for line in [
        "=leaf 1 :[]",
        "=parameter 1 :[]",
        "=input selection[0]:[1,1]",
        "=sum%0:[]",
        "=neg%0:[1]\"n#\"in\"s#\"@f#:1:1",
        "=leaf 1 :[1,1,1,1,1]",
    ] {
        let mut text = String::from("tape 1 f32\n%0=leaf dense[1]:[1]\n");
        (1..20_000).for_each(|index| {
            text += &format!("%{index}{}\n", line.replace('#', &index.to_string()));
        });
        check_accepted(&text, 20_000);
    }
    let wide = vec!["%0"; 20_000].join(",");
    check_accepted(&format!("tape 1 f32\n%0=leaf 1 :[1]\n%1=concat {wide}{{axis=0}}:[20000]\n"), 2);
    let dense = vec!["0"; 50_000].join(",");
    check_accepted(&format!("tape 1 f32\n%0=leaf dense[{dense}]:[50000]\n"), 1);
    let columns = vec!["0"; 50_000].join(",");
    check_accepted(&format!("tape 1 f32\n%0=leaf selection[{columns}]:[50000,1]\n"), 1);
    let axes = vec!["1"; 50_000].join(",");
    check_accepted(&format!("tape 1 f32\n%0=leaf constant 1 :[{axes}]\n"), 1);
    // Many axes, and many operands or axes that name them: a copy of the axes for each, or a search
    // among them, would be some 10^9 steps.
    let axes = vec!["1"; 20_000].join(",");
    let second = vec!["%0,%1"; 10_000].join(",");
    let all = Vec::from_iter((0..20_000).map(|axis| axis.to_string())).join(",");
    let text = format!(
        "tape 1 f32\n%0=leaf constant 1 :[{axes}]\n%1=leaf constant 2 :[{axes}]\n\
         %2=concat {second}{{axis=19999}}:[{},20000]\n%3=sum_along %0{{axes=[{all}]}}:[]\n\
         %4=broadcast_along %3,%0{{axes=[{all}]}}:[{axes}]\n",
        &axes[..axes.len() - 2],
    );
    check_accepted(&text, 5);
    // Long strings and lists that do not end.
    let _ = check(&format!("tape 1 f32\n%0=leaf 1 :[]\"{}", "\\n".repeat(50_000)));
    let _ = check(&format!("tape 1 f32\n%0=leaf 1 :[{}", "0,".repeat(50_000)));
}
