//! Learns how names are spelled with a transformer of one block.
//!
//! What it teaches: attention is a few operations of the same tape. Queries, keys and values of all
//! heads and all names lie in one tensor `[names, heads, time, depth]`; a mask of `-inf` hides what comes
//! after; padding has targets of zeros and so no say (the model is `zoo/src/transformer.rs`). `AdamW`
//! runs by a schedule that warms up and falls along a cosine, over gradients of a bounded norm; batches
//! and chance are functions of the seed and the step.
//!
//!     cargo run --release --example makemore_transformer
//!     cargo run --release --example makemore_transformer -- --data names.txt

use poorgrad::{AdamW, Batches, Network, Optimizer, Random, Schedule, Tensor, clip_by_norm};
use zoo::{
    chart::Chart,
    cli::{Arguments, fail},
    counted,
    progress::Progress,
    spelling::weights,
    stopwatch::Stopwatch,
    transformer::{Loss, Sentences, Transformer, letters},
};

/// Names of a step.
const BATCH: usize = 32;

fn main() {
    let options =
        Arguments::new("makemore_transformer", "Learns names with one transformer block.", 6_000)
            .data("A text file with a name a line [default: the built-in names]")
            .positive("rate", 4e-3, "The largest learning rate")
            .parse();
    let names = Sentences::open(&options);
    let classes = names.vocabulary.size();
    let mut network = Network::<Tensor>::new();
    let model = Transformer::new(&network, classes, names.time, options.seed);
    let batch = BATCH.min(names.train.len());
    let mut batches = Batches::try_new(names.train.len(), batch, options.seed)
        .unwrap_or_else(|error| fail(&error));
    let step = Loss::new(&network, &model, classes, batch);
    let volume = |w: poorgrad::Value<'_, Tensor>| w.shape().volume().unwrap_or(0);
    let parameters = network.parameters().fold(0, |count, (_, w)| count + volume(w));
    println!("{}, {}", counted(names.count, "name"), counted(parameters, "parameter"));

    let plan = network.compile_training(step.loss, []);
    let schedule = Schedule::cosine(options.number("rate"), 1e-5, options.steps).warmed_up(100);
    let mut optimizer = AdamW::new(options.number("rate"));
    let (mut losses, watch) = (Vec::with_capacity(options.steps), Stopwatch::start());
    let progress = Progress::new("training", options.steps);
    for number in 0..options.steps {
        let picked = batches.at(number).iter().map(|&row| names.train[row].clone());
        let picked = Vec::from_iter(picked);
        let results = plan.forward(&network, step.feeds(&picked));
        // Of all places, to that of the letters in them.
        let places = (batch * names.time) as f64;
        losses.push(f64::from(results.of(step.loss).item()) * places / letters(&picked));
        let gradients = results.backward(step.loss);
        let (gradients, _) =
            clip_by_norm(&network, &gradients, 1.0).unwrap_or_else(|error| fail(&error));
        optimizer.set_learning_rate(schedule.at(number));
        network = optimizer.step(network, &gradients);
        progress.step(losses[number]);
    }
    progress.finish();
    println!("{} in {:.1} s", counted(options.steps, "step"), watch.seconds());
    println!("fingerprint {}", network.fingerprint());
    println!("weights {}", weights(&network));
    Chart::new("makemore_transformer").losses(&losses).print();
    for (name, part) in
        [("train", &names.train), ("dev", &names.dev)].into_iter().filter(|(_, p)| !p.is_empty())
    {
        println!("{name} loss {:.4}", names.loss(&network, &model, part));
    }

    // New names: a letter is drawn from its chances, then all are read again.
    let single = network.input(Tensor::selection(&vec![0; names.time], classes));
    let chances = poorgrad::Module::express(&model, &network, single).softmax(1).symbol();
    let single = single.symbol();
    let mut random = Random::new(options.seed);
    for _ in 0..20 {
        let mut read = vec![0; names.time];
        let mut name = Vec::new();
        while name.len() + 1 < names.time {
            let feeds = [(single, Tensor::selection(&read, classes))];
            let chances = network.forward_for([chances], feeds).of(chances);
            let row = chances.narrow(0, name.len(), 1);
            let row = Vec::from_iter(row.iter().map(f64::from));
            let Some(letter) = random.choose(&row).filter(|&letter| letter > 0) else { break };
            name.push(letter);
            read[name.len()] = letter;
        }
        println!("{}", names.vocabulary.decode(&name));
    }
}
