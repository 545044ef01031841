//! The chain rule on one expression of two numbers.
//!
//! What it teaches: operators on values record a tape, `forward` runs it, and one `backward` pass
//! gives the derivative by every number that the result depends on. Then both numbers roll a few
//! steps downhill: `update` makes the next generation, on the same tape.
//!
//!     cargo run --example chain

use poorgrad::Network;
use zoo::cli::Arguments;

fn main() {
    let options = Arguments::new("chain", "The chain rule on one expression.", 5)
        .seed("Without effect: nothing here is left to chance")
        .parse();

    let network = Network::new();
    let a = network.parameter(-4.0_f64);
    let b = network.parameter(2.0);
    let mut c = a + b;
    let mut d = a * b + b.powi(3);
    c = c + (c + 1.0);
    c = c + (1.0 + c - a);
    d = d + (d * 2.0 + (b + a).relu());
    d = d + (3.0 * d + (b - a).relu());
    let e = c - d;
    let f = e.powi(2);
    let mut g = f / 2.0;
    g = g + 10.0 / f;

    let evaluation = network.forward();
    let gradients = evaluation.backward(g);
    println!("g     = {}", evaluation.of(g)); // 24.7041
    println!("dg/da = {}", gradients.of(a)); // 138.8338
    println!("dg/db = {}", gradients.of(b)); // 645.5773

    let (a, b, g) = (a.symbol(), b.symbol(), g.symbol());
    let mut network = network;
    for step in 1..=options.steps {
        let gradients = network.forward().backward(g);
        network = network.update(&gradients, |x, dx| x - 1e-5 * dx);
        let evaluation = network.forward();
        println!("step {step}: g = {}", evaluation.of(g));
    }
    let evaluation = network.forward();
    println!("a = {}, b = {}", evaluation.of(a), evaluation.of(b));
}
