//! One small graph through every reading of its tape.
//!
//! What it teaches: the tape is a specification to be read in many ways. It is recorded once, then
//! printed, run, run again on other inputs and by the reference kernels, differentiated by a
//! backward pass and by recording the chain rule, checked against differences, updated into a
//! next generation, forked, written to text and read back, followed along a direction, searched for
//! the origin of a NaN, compiled into a plan that prints, is checked against the oracle, compared
//! with another and emitted for other compilers, drawn, and counted.
//!
//!     cargo run --example walkthrough

use poorgrad::{Network, Tensor, gradcheck, init};
use zoo::{cli::Arguments, counted};

fn heading(number: usize, title: &str) {
    println!("\n{number}. {title}\n");
}

fn main() {
    let about = "One small graph through every reading of its tape.";
    let options = Arguments::new("walkthrough", about, 20).parse();

    heading(1, "Record: a layer and a loss, once, on example shapes");
    let network = Network::new();
    let mut init = init::xavier(options.seed);
    let x = network.input(Tensor::from([[1.0_f64, -2.0], [0.5, 1.5]])).named("x");
    let (w, b) = {
        let _layer = network.scope("layer");
        let w = network.parameter(init(&[2, 1].into())).named("w");
        (w, network.parameter(init(&[1].into())).named("b"))
    };
    let product = x.matmul(w);
    let y = (product + b.broadcast_like(product)).tanh().named("y");
    let target = network.input(Tensor::from([[0.5_f64], [-0.5]])).named("target");
    let loss = y.mean_squared_error(target).named("loss");
    println!("{} values; y has the shape {}", network.len(), y.shape());

    heading(2, "Print: a line for each value, with the source line that recorded it");
    print!("{network}");

    heading(3, "Run: the interpreter executes the tape as it stands");
    let evaluation = network.forward();
    println!("y    = {:?}", evaluation.of(y).to_vec());
    println!("loss = {}", evaluation.of(loss).item());

    heading(4, "Run by the reference kernels: the definitions, the same bits");
    let oracle = network.reference().forward().of(loss);
    println!("identical: {}", oracle.is_identical(&evaluation.of(loss)));

    heading(5, "Run again: other inputs, and only what a target needs");
    let fed = network.forward_for([y], [(x, Tensor::from([[0.0, 0.0], [3.0, -1.0]]))]);
    println!("y    = {:?}", fed.of(y).to_vec());
    println!("loss : {}", fed.try_of(loss).expect_err("the loss was no target"));

    heading(6, "Backward: one pass gives every derivative of the loss");
    let gradients = evaluation.backward(loss);
    println!("dloss/dw = {:?}", gradients.of(w).to_vec());
    println!("dloss/db = {:?}", gradients.of(b).to_vec());

    heading(7, "Differentiate: the same rules, recorded as more tape");
    let before = network.len();
    let recorded = network.differentiate(loss, [w, b]);
    println!("{before} values became {}; the new ones compute the derivatives:", network.len());
    let text = network.to_string();
    text.lines().skip(1 + before).for_each(|line| println!("{line}"));
    let again = network.forward();
    let identical = [w, b].iter().zip(&recorded).all(|(&parameter, &derivative)| {
        again.of(derivative).is_identical(&gradients.of(parameter))
    });
    println!("identical to backward: {identical}");

    heading(8, "Check: gradients against central differences");
    println!("{}", gradcheck(&network, loss, [w, b]).expect("the values are of this network"));

    heading(9, "Update: generations of parameters over one structure");
    let (w, b, loss) = (w.symbol(), b.symbol(), loss.symbol());
    let mut trained = network.clone(); // an O(1) fork
    for _ in 0..options.steps {
        let gradients = trained.forward().backward_for(loss, [w, b]);
        trained = trained.update(&gradients, |w, g| w - 0.5 * g);
    }
    let of = |network: &Network<Tensor<f64>>| network.forward().of(loss).item();
    println!("loss after {}: {}", counted(options.steps, "step"), of(&trained));
    println!("loss of the network it forked from: {}", of(&network));
    println!(
        "one structure: {}",
        trained.structure_fingerprint() == network.structure_fingerprint()
    );
    println!("one state: {}", trained.fingerprint() == network.fingerprint());

    heading(10, "Text: write the tape with every bit, and read it back");
    let text = trained.to_text();
    let copy = Network::<Tensor<f64>>::parse(&text).expect("what was printed parses");
    println!("{} bytes, fingerprint {}", text.len(), copy.fingerprint());
    println!(
        "identical: {}",
        copy.to_text() == text && copy.fingerprint() == trained.fingerprint()
    );

    heading(11, "Along a direction: Jacobian and Hessian times a vector, as tape");
    let fork = network.clone();
    let [along, ones] =
        [[[1.0], [0.0]], [[1.0]; 2]].map(|numbers| fork.leaf(Tensor::from(numbers)));
    let y = fork.resolve(y.symbol());
    let moved = fork.jvp(y, [(w, along.symbol())]);
    let pulled = fork.vjp(y, ones, [w])[0];
    let curved = fork.hvp(loss, [(w, along.symbol())])[0];
    let run = fork.forward();
    println!("dy/dw v        = {:?}", run.of(moved).to_vec());
    println!("1' dy/dw       = {:?}", run.of(pulled).to_vec());
    println!("d2loss/dw2 v   = {:?}", run.of(curved).to_vec());

    heading(12, "Find where a NaN or an infinity comes from");
    let distance = y - y.broadcast_like(y);
    let root = distance.sum().sqrt().named("root");
    let run = fork.forward();
    println!("in the run: {:?}", run.first_nonfinite().map(|found| found.to_string()));
    let found = run.backward(root).first_nonfinite().expect("the slope of a root at 0");
    println!("in the gradient: {found}");

    heading(13, "Compile: the loss and its gradients as a schedule that prints");
    let plan = network.compile_training(loss, []);
    print!("{}", plan.describe());

    heading(14, "Check the plan: every value that it lays out, against the oracle");
    println!("identical: {}", plan.check(&network, []).is_ok());
    let feeds = [(x.symbol(), Tensor::from([[0.0, 0.0], [3.0, -1.0]]))];
    println!("identical: {}", plan.check(&trained, feeds).is_ok());

    heading(15, "Compare plans: what the gradients cost beside the loss alone");
    print!("{}", network.compile([loss], []).diff(&plan));

    heading(16, "Emit: the plan as a StableHLO module, for XLA and others");
    let module = plan.emit_stablehlo().expect("the elements are f64");
    let head = Vec::from_iter(module.lines().take_while(|line| !line.contains("stablehlo.")));
    head.iter().for_each(|line| println!("{line}"));
    println!("..and {} lines more", module.lines().count() - head.len());

    heading(17, "Draw: the same nodes for a program that lays them out, or as a picture");
    let drawing = copy.to_mermaid();
    drawing.lines().take(5).for_each(|line| println!("{line}"));
    println!(
        "..and {} lines more; {} in dot",
        drawing.lines().count() - 5,
        copy.to_dot().lines().count()
    );
    let svg = plan.to_svg();
    println!("the plan as SVG, {} bytes: {}", svg.len(), svg.lines().next().unwrap_or_default());

    heading(18, "Count: what a generation keeps alive, and what compaction lets go");
    println!("{}", trained.stats());
    println!("{}", trained.compacted().stats());
}
