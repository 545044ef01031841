//! The smallest model of names: a table of scores, one row for each letter that may come before.
//!
//! What it teaches: training can be checked. No model that sees one letter back has a lower loss
//! than the frequencies of the pairs themselves, and counting needs no gradient; gradient descent
//! on `cross_entropy` must arrive at the same number. Rows are selected by `gather`, and its
//! gradient reaches the selected rows alone.
//!
//!     cargo run --release --example makemore_bigram
//!     cargo run --release --example makemore_bigram -- --data names.txt

use poorgrad::{Network, Random, Tensor, no_feeds};
use zoo::{
    bigram::Bigram,
    chart::Chart,
    cli::{Arguments, fail},
    corpus::Corpus,
    progress::Progress,
    vocabulary::Vocabulary,
};

const BATCH: usize = 2048;

fn main() {
    let about = "The smallest model of names, against the one that counts.";
    let options = Arguments::new("makemore_bigram", about, 1_500)
        .data("A text file with a name a line [default: the built-in names]")
        .parse();
    let corpus = Corpus::open(options.data.as_deref()).unwrap_or_else(|error| fail(&error));
    let vocabulary = Vocabulary::of(corpus.names());
    let classes = vocabulary.size();
    let all = "the vocabulary has every letter of the corpus";
    let pairs = vocabulary.windows(corpus.names(), 1).expect(all);
    let counts = Bigram::count(&vocabulary, corpus.names()).expect(all).loss(0.0);

    let network = Network::new();
    let letters = |tokens: &[usize]| Tensor::<f32>::selection(tokens, classes);
    let table = network.parameter(Tensor::zeros([classes, classes])).named("table");
    let before = network.input(letters(&[0; BATCH]));
    let after = network.input(letters(&[0; BATCH]));
    let loss = table.gather(before).cross_entropy(after).symbol();
    let chances = table.softmax(1).symbol();
    let (table, before, after) = (table.symbol(), before.symbol(), after.symbol());

    let mut network = network;
    let mut random = Random::new(options.seed);
    let mut losses = Vec::with_capacity(options.steps);
    let progress = Progress::new("training", options.steps);
    for step in 0..options.steps {
        let picks = Vec::from_iter((0..BATCH).map(|_| random.below(pairs.len())));
        let batch = pairs.gather(&picks);
        let feeds = [(before, letters(batch.contexts())), (after, letters(batch.targets()))];
        let evaluation = network.forward_for([loss], feeds);
        losses.push(f64::from(evaluation.of(loss).item()));
        let gradients = evaluation.backward_for(loss, [table]);
        let rate = 50.0 * (1.0 - step as f32 / options.steps as f32);
        network = network.update(&gradients, |w, g| w - rate * g);
        progress.step(losses[step]);
    }
    progress.finish();
    Chart::new("makemore_bigram").losses(&losses).target("counting", counts).print();

    // The loss over every pair of the corpus, by the chances that the table gives.
    let chances = network.forward_for([chances], no_feeds()).of(chances);
    let chances = Vec::from_iter(chances.iter().map(f64::from));
    let chance = |before: usize, after: usize| chances[before * classes + after];
    let bigram = Bigram::count(&vocabulary, corpus.names()).expect(all);
    println!("fingerprint {}", network.fingerprint());
    println!("counting: {counts:.4}");
    println!("trained:  {:.4}", bigram.loss_under(chance));

    for _ in 0..10 {
        let mut name = Vec::new();
        loop {
            let row = name.last().copied().unwrap_or(0) * classes;
            let letter = random.choose(&chances[row..][..classes]);
            let Some(letter) = letter.filter(|&letter| letter > 0) else { break };
            name.push(letter);
        }
        println!("{}", vocabulary.decode(&name));
    }
}
