//! Learns how names are spelled, and makes new ones: the model of Bengio et al. (2003) on letters.
//!
//! What it teaches: parameters are plain values on the tape, and so is every use of them (the model
//! is `zoo/src/makemore.rs`, some fifty lines). Three letters select rows of an embedding (`gather`), the rows are
//! laid side by side (`reshape`), a `tanh` layer reads them, and `cross_entropy` compares its 27 scores with the letter that follows.
//! The same parameters are expressed once for each size of batch: 32 rows to train, up to 4,096 rows
//! of a part of the corpus to judge (all of them, turn by turn), and a single row to write names.
//! Nothing is recorded in the loop.
//!
//!     cargo run --release --example makemore_mlp
//!     cargo run --release --example makemore_mlp -- --data names.txt

use poorgrad::{Network, Random};
use zoo::{
    bigram::Bigram,
    chart::Chart,
    cli::{Arguments, fail},
    corpus::Corpus,
    counted,
    makemore::{BATCH, CONTEXT, Loss, Model, mean_loss},
    progress::Progress,
    spelling,
    stopwatch::Stopwatch,
    vocabulary::Vocabulary,
};

fn main() {
    let options =
        Arguments::new("makemore_mlp", "Learns how names are spelled, and makes new ones.", 40_000)
            .data("A text file with a name a line [default: the built-in names]")
            .positive("rate", 0.2, "Learning rate of the first step; it falls to a hundredth")
            .parse();
    let corpus = Corpus::open(options.data.as_deref()).unwrap_or_else(|error| fail(&error));
    let vocabulary = Vocabulary::of(corpus.names());
    let split = corpus.split(options.seed);
    let all = "the vocabulary has every letter of the corpus";
    let train = vocabulary.windows(&split.train, CONTEXT).expect(all);
    let dev = vocabulary.windows(&split.dev, CONTEXT).expect(all);
    let counts = Bigram::count(&vocabulary, corpus.names()).expect(all).loss(0.0);

    let mut network = Network::new();
    let model = Model::new(&network, vocabulary.size(), options.seed);
    let step = Loss::new(&network, &model, BATCH);
    let weights =
        network.parameters().fold(0, |count, (_, w)| count + w.shape().volume().unwrap_or(0));
    println!(
        "{}, {} to train on, {}",
        counted(corpus.names().len(), "name"),
        counted(train.len(), "letter"),
        counted(weights, "parameter"),
    );

    let mut random = Random::new(options.seed);
    let (mut losses, watch) = (Vec::with_capacity(options.steps), Stopwatch::start());
    let progress = Progress::new("training", options.steps);
    for number in 0..options.steps {
        let picks = [(); BATCH].map(|()| random.below(train.len()));
        let feeds = step.feeds(&model, &train.gather(&picks));
        let evaluation = network.forward_for([step.loss], feeds);
        let gradients = evaluation.backward_for(step.loss, model.parameters());
        losses.push(f64::from(evaluation.of(step.loss).item()));
        // The run holds on to the parameters that it read: without it `step` reuses their buffers.
        drop(evaluation);
        let rate = options.number("rate") * (1.0 - 0.99 * number as f64 / options.steps as f64);
        network = network.step(&gradients, |w, g| w - rate as f32 * g);
        progress.step(losses[number]);
    }
    progress.finish();
    println!("{} in {:.1} s", counted(options.steps, "step"), watch.seconds());
    println!("fingerprint {}", network.fingerprint());
    println!("weights {}", spelling::weights(&network));
    Chart::new("makemore_mlp").losses(&losses).target("a model that counts pairs", counts).print();

    // Fewer than ten names leave nothing to judge by.
    for (name, part) in
        [("train", &train), ("dev", &dev)].into_iter().filter(|(_, p)| !p.is_empty())
    {
        let loss = mean_loss(&network, &model, part);
        println!("{name} loss {loss:.4}");
        if !loss.is_finite() {
            // There are no chances to draw names from.
            fail(&"the training diverged; try a smaller --rate");
        }
    }

    // The single-row twin: the same parameters, one context.
    let context = network.input(model.contexts(&[0; CONTEXT]));
    let chances = model.scores(&network, context).softmax(1).symbol();
    let context = context.symbol();
    for _ in 0..20 {
        let (mut name, mut last) = (Vec::new(), vec![0; CONTEXT]);
        loop {
            let feeds = [(context, model.contexts(&last))];
            let chances = network.forward_for([chances], feeds).of(chances);
            let letter = random.choose(&Vec::from_iter(chances.iter().map(f64::from)));
            let Some(letter) = letter.filter(|&letter| letter > 0) else { break };
            if name.len() == 30 {
                break;
            }
            name.push(letter);
            last.rotate_left(1);
            last[CONTEXT - 1] = letter;
        }
        println!("{}", vocabulary.decode(&name));
    }
}
