//! CIFAR-10 in the style of VGG: one plan to train by, another to look on.
//!
//! What it teaches: what a plan costs is known before it runs. Three stages of convolutions are compiled
//! twice, once for training, which keeps what the backward half reads, and once for scores alone, a
//! probe: its memory is flat, whatever the depth, as every value is dropped at its last use. Both are
//! compiled once and serve every generation. Without data it learns synthetic images, and says so.
//!
//!     cargo run --release --example cifar10
//!     cargo run --release --example cifar10 -- --data FOLDER --filters 32 --epochs 10

use poorgrad::{Adam, Batches, Description, Network, Optimizer, Schedule};
use zoo::{
    chart::Chart,
    cifar,
    cli::{Arguments, Options, fail},
    convnet::ConvNet,
    counted,
    images::Images,
    progress::Progress,
    stopwatch::Stopwatch,
    synthetic,
};

/// Images of a step.
const BATCH: usize = 32;
/// Images that the probe looks at.
const PROBE: usize = 200;

fn main() {
    let options = Arguments::new("cifar10", "Three stages of convolutions, trained by a plan.", 0)
        .epochs(2)
        .data("A folder with the binary files of CIFAR-10 [default: synthetic images]")
        .switch("fetch", "Fetch CIFAR-10, 170 MB, unless that was done before")
        .positive(
            "filters",
            16.0,
            "Filters of the first stage; the others have 2 and 4 times as many",
        )
        .positive("rate", 1e-3, "Learning rate of the first step; it falls to a hundredth")
        .parse();
    let (train, test) = data(&options);
    let filters = (options.number("filters") as usize).max(1);
    let mut batches = Batches::new(train.len(), BATCH, options.seed);
    let all = options.epochs * batches.try_per_epoch().unwrap_or_else(|error| fail(&error));

    let mut network = Network::new();
    let model = ConvNet::vgg(&network, filters, options.seed);
    let step = model.loss(&network, train.extents(), BATCH);
    let look = model.loss(&network, test.extents(), PROBE.min(test.len()));
    let plan = network.compile_training(step.loss, []);
    let probe = network.compile([look.scores, look.loss], []);
    footprint("training", BATCH, &plan.describe());
    footprint("the probe", PROBE.min(test.len()), &probe.describe());

    let picks = Vec::from_iter(0..PROBE.min(test.len()));
    let (images, classes) = test.batch(&picks, 0.5, 0.25);
    let highest = options.number("rate");
    let schedule = Schedule::cosine(highest, highest / 100.0, all);
    let mut optimizer = Adam::new(highest);
    let steps = all.min(options.steps);
    let (mut losses, mut probed, watch) = (Vec::new(), Vec::new(), Stopwatch::start());
    let progress = Progress::new("training", steps);
    for number in 0..steps {
        let (shown, named) = train.batch(batches.at(number), 0.5, 0.25);
        let results = plan.forward(&network, [(step.images, shown), (step.classes, named)]);
        losses.push(f64::from(results.of(step.loss).item()));
        optimizer.set_learning_rate(schedule.at(number));
        let gradients = results.backward(step.loss);
        drop(results);
        network = optimizer.step(network, &gradients);
        progress.step(losses[number]);
        // Ten looks on the way, the last at the end.
        if (number + 1) % steps.div_ceil(10) == 0 || number + 1 == steps {
            let feeds = [(look.images, images.clone()), (look.classes, classes.clone())];
            let seen = probe.forward(&network, feeds);
            probed.push(((number + 1) as f64, f64::from(seen.of(look.loss).item())));
        }
    }
    progress.finish();
    let seconds = watch.seconds();
    let mean = 1e3 * seconds / steps.max(1) as f64;
    println!("{} in {seconds:.1} s, {mean:.1} ms each", counted(steps, "step"));
    Chart::new("cifar10").losses(&losses).curve("the probe", probed).print();

    let scores = probe.forward(&network, [(look.images, images), (look.classes, classes)]);
    let best = scores.of(look.scores).argmax_along(1);
    let right =
        best.iter().zip(test.labels()).filter(|&(&best, &label)| best == usize::from(label));
    let (right, seen) = (right.count(), best.len());
    let percent = 100.0 * right as f64 / seen as f64;
    println!("accuracy {percent:.1} % of what the probe sees ({right} of {seen})");
    println!("fingerprint {}", network.fingerprint());
}

/// What is learned from, and what is judged by.
fn data(options: &Options) -> (Images, Images) {
    let fetched = options.switch("fetch") && options.data.is_none();
    let fetched = fetched.then(|| cifar::fetch().unwrap_or_else(|error| fail(&error)));
    let Some(folder) = options.data.as_ref().or(fetched.as_ref()) else {
        println!("no --data and no --fetch: synthetic images, stripes of ten kinds");
        let count = if options.smoke { 2 * BATCH } else { 3_200 };
        let images = |count, seed| synthetic::images(cifar::EXTENTS, count, seed);
        return (images(count, options.seed), images(PROBE, options.seed + 1));
    };
    let (train, test) = cifar::read(folder).unwrap_or_else(|error| fail(&error));
    if train.len() < BATCH || test.is_empty() {
        fail(&format!("{}: at least {BATCH} images are needed, and one more", folder.display()));
    }
    (train, test)
}

/// What a plan takes, and what the interpreter would keep.
fn footprint(name: &str, images: usize, description: &Description) {
    let mebibytes = |bytes: u64| bytes as f64 / f64::from(1 << 20);
    let memory = &description.memory;
    println!(
        "{name}: {} steps; {} images take at most {:.1} MiB, where all values are {:.1} MiB",
        description.steps.len(),
        images,
        mebibytes(memory.peak),
        mebibytes(memory.recorded),
    );
}
