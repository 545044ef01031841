//! Runs with one seed: the same bits again, on any number of threads, and in any number of processes
//! at once.

use poorgrad::{Activation, Compile, Mlp, Network, Tensor, init};
use std::env;
use std::process::{Command, Stdio};

/// The weights after 20 steps of training.
fn trained(threads: usize) -> String {
    let network = Network::new();
    // Large enough that its products are worth several threads.
    let mlp = Mlp::with_activation(&network, &[64, 256, 8], Activation::Tanh, init::xavier(11));
    let noise = |at: usize, modulus: usize| (at * 7919 % modulus) as f32 / modulus as f32 - 0.5;
    let x = network.input(Tensor::from_fn([256, 64], |i| noise(i[0] * 64 + i[1], 10_007)));
    let y = network.input(Tensor::from_fn([256, 8], |i| noise(i[0] * 8 + i[1], 101)));
    let error = mlp.express(&network, x) - y;
    let loss = (error * error).mean().symbol();
    let plan = Compile::new(&network).loss(loss).threads(threads).plan();
    let mut network = network;
    for _ in 0..20 {
        let results = plan.forward(&network, []);
        network = network.step(&results.backward(loss), |w, g| w - 0.5 * g);
    }
    network.fingerprint().to_string()
}

/// Set where a process is one of several.
const CHILD: &str = "POORGRAD_SEEDED_RUN";

#[test]
fn b90_b_one_of_many_processes() {
    if env::var_os(CHILD).is_some() {
        println!("weights {}", trained(2));
    }
}

#[test]
fn b90_b_seeded_runs_give_the_same_bits() {
    let once = trained(1);
    for threads in [1, 2, 8] {
        assert_eq!(trained(threads), once, "{threads} threads");
    }
    let program = env::current_exe().expect("a test knows where it is");
    let arguments = ["cases::seeded::b90_b_one_of_many_processes", "--exact", "--nocapture"];
    let processes: Vec<_> = (0..6)
        .map(|_| {
            let mut command = Command::new(&program);
            command.args(arguments).env(CHILD, "1").stdout(Stdio::piped());
            command.spawn().expect("a process of this test")
        })
        .collect();
    for process in processes {
        let output = process.wait_with_output().expect("its output");
        let text = String::from_utf8_lossy(&output.stdout);
        let weights =
            text.lines().find_map(|line| line.split_once("weights ")).map(|(_, found)| found);
        assert_eq!(weights, Some(&*once), "{text}");
    }
}
