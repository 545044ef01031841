//! Plans against XLA-CPU on the same tapes: each workload's loss and gradients by our plan, exact and
//! fast, and by the module that the plan emits, in turns in one run.
//!
//!     tools/stablehlo/setup
//!     taskset -c 0 cargo run --release -p peers --bin emitted [WORKLOAD ..]
//!
//! Parameters and feeds stay on the device, and results too: what is timed is the computation. A row
//! has the median of the turns in milliseconds, and the ratio of each of ours to XLA's.

use poorgrad::{Compile, Emit, Numerics, Plan, Tensor};
use std::time::Instant;
use zoo::models::{Recorded, lenet, plain, residual, transformer, vgg};
use zoo::stablehlo::{Given, Server, tool};
use zoo::workloads::makemore;

/// Rounds, in each of which everybody has a turn.
const ROUNDS: usize = 7;
/// What a turn takes at least, in seconds.
const TURN: f64 = 0.4;

type Record = fn() -> Recorded;

fn main() {
    poorgrad::set_threads(1);
    let asked: Vec<String> = std::env::args().skip(1).collect();
    let started = match Server::of_environment("POORGRAD_STABLEHLO_RUNNER") {
        Some(server) => server,
        None => Server::start(&tool("serve"), &[]),
    };
    let mut server = started.unwrap_or_else(|error| {
        eprintln!("{error}");
        std::process::exit(1);
    });
    let workloads: [(&str, Record); 7] = [
        ("makemore, batch 32", || makemore(32)),
        ("makemore, batch 1024", || makemore(1024)),
        ("784-512-512-10, batch 128", || plain(128)),
        ("8 residual layers of 256, batch 64", || residual(64, 8, 256)),
        ("LeNet, batch 64", || lenet(64)),
        ("VGG style, batch 8", || vgg(8)),
        ("transformer block, 128 tokens of 128", || transformer(128, 128, 4)),
    ];
    println!("| | exact | fast | XLA-CPU | exact / XLA | fast / XLA | loss apart |");
    println!("| --- | --- | --- | --- | --- | --- | --- |");
    for (name, record) in workloads {
        if asked.is_empty() || asked.iter().any(|word| name.contains(word.as_str())) {
            row(name, &record(), &mut server);
        }
    }
}

fn row(name: &str, model: &Recorded, server: &mut Server) {
    let plan = |numerics| Compile::new(&model.network).loss(model.loss).numerics(numerics).plan();
    let plans = [plan(Numerics::Exact), plan(Numerics::Fast)];
    let mut remote = Remote::new(&plans[0], model, server);
    let feeds = || model.feeds.iter().cloned();
    let ours = plans[0].forward(&model.network, feeds()).of(model.loss).item();
    let apart = (remote.loss() - ours).abs();
    let mut times = [const { Vec::new() }; 3];
    for _ in 0..ROUNDS {
        for (plan, times) in plans.iter().zip(&mut times) {
            times.push(turn(|| {
                let start = Instant::now();
                drop(plan.forward(&model.network, feeds()));
                start.elapsed().as_secs_f64()
            }));
        }
        times[2].push(turn(|| remote.run()));
    }
    let [exact, fast, xla] = times.map(|mut times| {
        times.sort_by(f64::total_cmp);
        1e3 * times[ROUNDS / 2]
    });
    println!(
        "| {name} | {exact:.3} | {fast:.3} | {xla:.3} | {:.2} | {:.2} | {apart:.0e} |",
        exact / xla,
        fast / xla
    );
}

/// The seconds of a step, over a turn of them.
fn turn(mut step: impl FnMut() -> f64) -> f64 {
    let (start, mut steps, mut sum) = (Instant::now(), 0.0, 0.0);
    while steps == 0.0 || start.elapsed().as_secs_f64() < TURN {
        sum += step();
        steps += 1.0;
    }
    sum / steps
}

/// The plan's module in the resident process, with all that it takes.
struct Remote<'s> {
    server: &'s mut Server,
    arguments: Vec<String>,
    results: Vec<String>,
}

impl<'s> Remote<'s> {
    fn new(plan: &Plan<Tensor>, model: &Recorded, server: &'s mut Server) -> Self {
        let module = Emit::new(plan).module().expect("a module");
        let compiled = server.compile("workload", module.text()).expect("XLA compiles it");
        let bytes =
            module.bytes(&model.network, model.feeds.iter().cloned()).expect("its arguments");
        let arguments: Vec<String> = (0..bytes.len()).map(|at| format!("argument{at}")).collect();
        for ((name, kind), bytes) in arguments.iter().zip(&compiled.inputs).zip(&bytes) {
            server.put(name, kind, bytes).expect("a buffer");
        }
        let results = (0..compiled.results.len()).map(|at| format!("result{at}")).collect();
        Self { server, arguments, results }
    }

    /// A run whose results stay; the seconds that the process took for it.
    fn run(&mut self) -> f64 {
        let given: Vec<Given<'_>> = self.arguments.iter().map(|name| Given::Kept(name)).collect();
        let keep: Vec<(usize, &str)> = (0..).zip(self.results.iter().map(String::as_str)).collect();
        let ran = self.server.run("workload", &given, &keep).expect("a run");
        1e-6 * ran.microseconds
    }

    fn loss(&mut self) -> f32 {
        self.run();
        let bytes = self.server.get("result0").expect("the loss");
        f32::from_le_bytes(bytes[..4].try_into().expect("four bytes"))
    }
}
