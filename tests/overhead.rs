//! What a node costs: at most 250 bytes of the tape, whatever its payload.
//!
//! One test, because the counter is the process's.

use poorgrad::{Network, Tensor, Tensorial};
use testkit::Counting;

#[global_allocator]
static ALLOCATOR: Counting = Counting::new(std::alloc::System, usize::MAX);

/// Bytes that each of `count` recorded nodes keeps live.
fn bytes_per_node<P: Tensorial>(count: usize, start: impl Fn() -> P) -> usize {
    let before = ALLOCATOR.allocated();
    let network = Network::new();
    let (mut x, one) = (network.input(start()), network.leaf(start()));
    for _ in 0..count {
        x = x + one;
    }
    let bytes = ALLOCATOR.allocated() - before;
    drop(network);
    // Some bytes to spare: the harness, on its own thread, is in the process's count too.
    assert!(ALLOCATOR.allocated() <= before + 1024, "a dropped network lets go of its nodes");
    bytes / count
}

#[test]
fn a_node_takes_at_most_250_bytes() {
    testkit::allocation::settle(&ALLOCATOR);
    // Whatever a process does once is done before anything is counted.
    let _ = Network::<f64>::new().input(1.0) + 1.0;
    // The store grows by doubling: a million nodes are close under a step of it.
    let count = 1_000_000;
    let sizes = [
        bytes_per_node(count, || 1.0_f32),
        bytes_per_node(count, || 1.0_f64),
        bytes_per_node(count, || Tensor::from([1.0_f32, 2.0])),
        bytes_per_node(count, || Tensor::from([[1.0_f64, 2.0]])),
    ];
    println!("a node of f32, f64 and their tensors: {sizes:?} bytes");
    assert!(sizes.iter().all(|bytes| *bytes <= 250), "{sizes:?}");
}
