//! Threads: any number gives the same bits, inside a caller's pool as well.

use poorgrad::{Network, Tensor, set_threads, threads};
use rayon::prelude::*;

/// A loss of products, maps and sums that are large enough to be split, and its gradient.
fn digests() -> [String; 2] {
    let number = |at: &[usize]| ((at[0] * 31 + at[1] * 17) % 113) as f32 * 0.01 - 0.5;
    let network = Network::new();
    let x = network.input(Tensor::<f32>::from_fn([300, 700], number));
    let w = network.parameter(Tensor::<f32>::from_fn([700, 500], number));
    let hidden = x.matmul(w).tanh();
    let loss = hidden.log_softmax(1).sum() + (hidden * hidden).sum_along(&[0]).sum();
    let evaluation = network.forward();
    let value = evaluation.of(loss).item();
    let gradient = evaluation.backward(loss).of(w);
    [format!("{:08x}", value.to_bits()), format!("{gradient:?} {}", gradient.sum().to_bits())]
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let expected = digests();
    for count in [1, 2, 3, 8] {
        set_threads(count);
        assert!(threads() <= count);
        let alone = digests();
        // In a pool of the caller's: more tasks than threads, each of which wants to split.
        let pool = rayon::ThreadPoolBuilder::new().num_threads(count).build().expect("a pool");
        let inside: Vec<_> = pool.install(|| (0..6).into_par_iter().map(|_| digests()).collect());
        set_threads(0);
        assert_eq!(alone, expected, "{count} threads");
        assert!(inside.iter().all(|found| *found == expected), "in a pool of {count} threads");
    }
}
