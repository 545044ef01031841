//! `makemore_mlp` through XLA: a whole step of training as one StableHLO module, beside the plan.
//!
//! What it teaches: `Sgd::record` puts the step on the tape, so that loss, gradients and the next
//! parameters are one plan, and that plan is one module. XLA compiles it once, in a process of its own;
//! the parameters stay there, each step's results taking the buffers of the parameters that they
//! replace. Plan and module run on the same batches, and the losses stand side by side: ours has the
//! specified bits, XLA's is close.
//!
//!     tools/stablehlo/setup          # once; without it the plan runs alone
//!     cargo run --release --example makemore_mlp_emitted
//!     cargo run --release --example makemore_mlp_emitted -- --module > step.mlir

use poorgrad::{Compile, Emit, Network, Optimizer, Random, RecordedStep, Sgd, Symbol, Tensor};
use zoo::{
    cli::{Arguments, fail},
    corpus::Corpus,
    counted,
    makemore::{BATCH, CONTEXT, Loss, Model},
    stablehlo::{Compiled, Given, Server, ServerError, tool},
    stopwatch::Stopwatch,
    vocabulary::Vocabulary,
};

fn main() {
    let options =
        Arguments::new("makemore_mlp_emitted", "Trains makemore_mlp by a plan and by XLA.", 2_000)
            .data("A text file with a name a line [default: the built-in names]")
            .positive("rate", 0.2, "Learning rate")
            .switch("module", "Print the module and do no more")
            .parse();
    let corpus = Corpus::open(options.data.as_deref()).unwrap_or_else(|error| fail(&error));
    let vocabulary = Vocabulary::of(corpus.names());
    let train = vocabulary.windows(corpus.names(), CONTEXT).expect("letters of the corpus");

    let mut network = Network::new();
    let model = Model::new(&network, vocabulary.size(), options.seed);
    let loss = Loss::new(&network, &model, BATCH);
    let mut step = recorded(&network, &model, loss.loss, options.number("rate"));
    let next: Vec<Symbol> = step.results().collect();
    let compile = Compile::new(&network).target(loss.loss);
    let plan = next.iter().fold(compile, Compile::target).plan();
    let donated = model.parameters().into_iter().zip(next.iter().copied());
    let emit = donated.fold(Emit::new(&plan), |emit, (from, into)| emit.donate(from, into));
    let module = emit.module().unwrap_or_else(|error| fail(&error));
    if options.switch("module") {
        print!("{}", module.text());
        return;
    }
    let mut remote = match Remote::start(&module, &network) {
        Ok(remote) => Some(remote),
        Err(error) => {
            println!("XLA is not there: {error}");
            println!("the plan runs alone");
            None
        }
    };

    let mut random = Random::new(options.seed);
    let (mut ours, mut theirs, mut worst) = (0.0, 0.0, 0.0_f32);
    for number in 0..options.steps {
        let picks = [(); BATCH].map(|()| random.below(train.len()));
        let feeds = [&loss.feeds(&model, &train.gather(&picks))[..], &step.feeds()].concat();
        let bytes = module.bytes(&network, feeds.clone()).unwrap_or_else(|error| fail(&error));
        let watch = Stopwatch::start();
        let results = plan.forward(&network, feeds);
        ours += watch.seconds();
        let here = results.of(loss.loss).item();
        network = step.advance(network, &results);
        if let Some(remote) = &mut remote {
            let watch = Stopwatch::start();
            let there = remote.step(&bytes).unwrap_or_else(|error| fail(&error));
            theirs += watch.seconds();
            worst = if (there - here).abs() > worst { (there - here).abs() } else { worst };
            if number % (options.steps / 10).max(1) == 0 {
                println!("step {number:5}: loss {here:.6} by the plan, {there:.6} by XLA");
            }
        }
    }
    println!("by the plan: {} in {ours:.2} s", counted(options.steps, "step"));
    if remote.is_some() {
        println!("by XLA: {} in {theirs:.2} s", counted(options.steps, "step"));
        println!("the losses are at most {worst:e} apart");
    }
    println!("fingerprint {}", network.fingerprint());
}

/// Gradient descent on all parameters, as part of the tape.
fn recorded(
    network: &Network<Tensor>,
    model: &Model,
    loss: Symbol,
    rate: f64,
) -> RecordedStep<Tensor> {
    let gradients = network.differentiate(loss, model.parameters());
    let gradients = gradients.iter().map(|gradient| gradient.symbol());
    let pairs: Vec<_> = model.parameters().into_iter().zip(gradients).collect();
    Sgd::new(rate).record(network, &pairs).expect("gradient descent records its steps")
}

/// The module at work in a process of its own, which holds the parameters.
struct Remote {
    server: Server,
    compiled: Compiled,
    /// The buffer of each argument that the process holds.
    held: Vec<Option<String>>,
}

impl Remote {
    fn start(
        module: &poorgrad::EmittedModule<Tensor>,
        network: &Network<Tensor>,
    ) -> Result<Self, ServerError> {
        let mut server = match Server::of_environment("POORGRAD_STABLEHLO_RUNNER") {
            Some(server) => server?,
            None => Server::start(&tool("serve"), &[])?,
        };
        let compiled = server.compile("step", module.text())?;
        println!("XLA has compiled the module");
        let bytes = module.bytes(network, []).unwrap_or_else(|error| fail(&error));
        let mut held = Vec::new();
        for (at, argument) in module.arguments().iter().enumerate() {
            let parameter = matches!(argument.source, poorgrad::ModuleSource::Parameter);
            held.push(parameter.then(|| argument.name.clone()));
            if parameter {
                server.put(&argument.name, &compiled.inputs[at], &bytes[at])?;
            }
        }
        Ok(Self { server, compiled, held })
    }

    /// A step on what is fed; the loss.
    fn step(&mut self, bytes: &[Vec<u8>]) -> Result<f32, ServerError> {
        let given = self.held.iter().enumerate().map(|(at, held)| match held {
            Some(name) => Given::Kept(name),
            None => Given::Bytes(&self.compiled.inputs[at], &bytes[at]),
        });
        let given: Vec<Given<'_>> = given.collect();
        // Results stand behind the loss in the order of the parameters.
        let names = self.held.iter().flatten().map(String::as_str);
        let keep: Vec<(usize, &str)> = (1..).zip(names).collect();
        let ran = self.server.run("step", &given, &keep)?;
        let loss = ran.results[0].as_slice().try_into().unwrap_or_default();
        Ok(f32::from_le_bytes(loss))
    }
}
