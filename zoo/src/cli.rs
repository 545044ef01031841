//! The options of the examples: the same words with the same meaning in each of them.
//!
//! Every example has `--help`, `--steps`, `--seed` and `--smoke`, which takes a moment; one that reads
//! data has `--data FILE`, one that goes through it again and again `--epochs`; further numbers, texts
//! and switches are declared by the example and read back by name. A program whose output
//! nobody reads any more (`| head -1`) ends without a word.

use std::{collections::BTreeMap, ffi::OsString, fmt::Display, path::PathBuf};

use clap::{Arg, ArgAction, Command, parser::ValueSource, value_parser};

/// The declaration of an example's options.
///
/// ```
/// use zoo::cli::Arguments;
///
/// let arguments = Arguments::new("makemore_mlp", "Learns names, and makes new ones.", 20_000)
///     .data("A text file with a name a line [default: the built-in names]")
///     .number("hidden", 200.0, "Hidden units");
/// let options = arguments.try_parse_from(["makemore_mlp", "--steps", "10"]).unwrap();
/// assert_eq!((options.steps, options.seed, options.data.is_none()), (10, 42, true));
/// assert_eq!(options.number("hidden"), 200.0);
/// ```
#[derive(Clone, Debug)]
pub struct Arguments {
    command: Command,
    numbers: Vec<&'static str>,
    texts: Vec<&'static str>,
    switches: Vec<&'static str>,
    reads_data: bool,
    has_epochs: bool,
}

/// Steps of `--smoke`.
const FEW: usize = 2;

/// What the user asked for.
#[derive(Clone, Debug, PartialEq)]
pub struct Options {
    /// Training steps (`--steps`); of an example with epochs all that they have, unless it was given.
    pub steps: usize,
    /// Times that the data is gone through (`--epochs`); 0 where the example has none.
    pub epochs: usize,
    /// A run of a moment, to see that the example works (`--smoke`): few steps, no download.
    pub smoke: bool,
    /// The seed of all random choices (`--seed`): the same seed gives the same run.
    pub seed: u64,
    /// The file to read instead of the built-in data (`--data`).
    pub data: Option<PathBuf>,
    numbers: BTreeMap<&'static str, f64>,
    texts: BTreeMap<&'static str, Option<String>>,
    switches: BTreeMap<&'static str, bool>,
}

impl Arguments {
    /// The options of the example `name`: what it teaches, and how many steps it takes by default.
    pub fn new(name: &'static str, about: &'static str, steps: usize) -> Self {
        // Negative numbers are let through to the parser, whose message names the option.
        let steps = Arg::new("steps")
            .long("steps")
            .value_name("N")
            .help("Training steps")
            .value_parser(value_parser!(usize))
            .allow_negative_numbers(true)
            .default_value(steps.to_string());
        let seed = Arg::new("seed")
            .long("seed")
            .value_name("N")
            .help("Seed of all random choices: the same seed gives the same run, bit for bit")
            .value_parser(value_parser!(u64))
            .allow_negative_numbers(true)
            .default_value("42");
        let smoke = Arg::new("smoke")
            .long("smoke")
            .help("A run of a moment, to see that it works: 2 steps unless told, no download")
            .action(ArgAction::SetTrue);
        let command = Command::new(name).about(about).arg(steps).arg(seed).arg(smoke);
        let (numbers, texts, switches) = (Vec::new(), Vec::new(), Vec::new());
        Self { command, numbers, texts, switches, reads_data: false, has_epochs: false }
    }

    /// Adds `--epochs N`. All their steps are taken unless `--steps` says when to stop.
    pub fn epochs(mut self, epochs: usize) -> Self {
        let epochs = Arg::new("epochs")
            .long("epochs")
            .value_name("N")
            .help("Times to go through the data")
            .value_parser(value_parser!(usize))
            .allow_negative_numbers(true)
            .default_value(epochs.to_string());
        let stop =
            "Stop after so many steps, counted from the first [default: those of the epochs]";
        let steps = |steps: Arg| steps.help(stop).default_value(usize::MAX.to_string());
        self.command =
            self.command.arg(epochs).mut_arg("steps", |arg| steps(arg).hide_default_value(true));
        self.has_epochs = true;
        self
    }

    /// What `--steps` counts here, where it is not steps of a training.
    pub fn steps(mut self, help: &'static str) -> Self {
        self.command = self.command.mut_arg("steps", |steps| steps.help(help));
        self
    }

    /// What `--seed` does here, where it is not the usual thing.
    pub fn seed(mut self, help: &'static str) -> Self {
        self.command = self.command.mut_arg("seed", |seed| seed.help(help));
        self
    }

    /// Adds `--data FILE`.
    pub fn data(mut self, help: &'static str) -> Self {
        let data = Arg::new("data")
            .long("data")
            .value_name("FILE")
            .help(help)
            .value_parser(value_parser!(PathBuf));
        self.command = self.command.arg(data);
        self.reads_data = true;
        self
    }

    /// Adds `--name NUMBER`, to be read by [`Options::number`].
    pub fn number(self, name: &'static str, default: f64, help: &'static str) -> Self {
        self.parsed_number(name, default, help, finite)
    }

    /// Adds `--name NUMBER` of numbers above 0, such as a rate.
    pub fn positive(self, name: &'static str, default: f64, help: &'static str) -> Self {
        self.parsed_number(name, default, help, positive)
    }

    fn parsed_number(
        mut self,
        name: &'static str,
        default: f64,
        help: &'static str,
        parse: fn(&str) -> Result<f64, String>,
    ) -> Self {
        let number = Arg::new(name)
            .long(name)
            .value_name("NUMBER")
            .help(help)
            .value_parser(parse)
            .allow_negative_numbers(true)
            .default_value(default.to_string());
        self.command = self.command.arg(number);
        self.numbers.push(name);
        self
    }

    /// Adds `--name VALUE`, to be read by [`Options::text`].
    pub fn text(mut self, name: &'static str, value: &'static str, help: &'static str) -> Self {
        self.command = self.command.arg(Arg::new(name).long(name).value_name(value).help(help));
        self.texts.push(name);
        self
    }

    /// Adds `--name`, to be read by [`Options::switch`].
    pub fn switch(mut self, name: &'static str, help: &'static str) -> Self {
        self.command =
            self.command.arg(Arg::new(name).long(name).help(help).action(ArgAction::SetTrue));
        self.switches.push(name);
        self
    }

    /// Reads the program's own arguments; prints and leaves on `--help` and on a mistake.
    pub fn parse(self) -> Options {
        end_with_the_reader();
        self.try_parse_from(std::env::args_os()).unwrap_or_else(|error| error.exit())
    }

    /// Reads the given arguments, the first of which is the program's name.
    pub fn try_parse_from<T: Into<OsString> + Clone>(
        self,
        arguments: impl IntoIterator<Item = T>,
    ) -> Result<Options, clap::Error> {
        let Self { command, numbers, texts, switches, reads_data, has_epochs } = self;
        let mut matches = command.try_get_matches_from(arguments)?;
        let declared = "invariant: the option is declared and has a default";
        let smoke = matches.get_flag("smoke");
        let asked = matches.value_source("steps") == Some(ValueSource::CommandLine);
        let steps = matches.remove_one("steps").expect(declared);
        let epochs = if has_epochs { matches.remove_one("epochs") } else { None };
        Ok(Options {
            steps: if smoke && !asked { FEW } else { steps },
            epochs: epochs.unwrap_or(0),
            smoke,
            seed: matches.remove_one("seed").expect(declared),
            data: if reads_data { matches.remove_one("data") } else { None },
            numbers: numbers
                .into_iter()
                .map(|name| (name, matches.remove_one(name).expect(declared)))
                .collect(),
            texts: texts.into_iter().map(|name| (name, matches.remove_one(name))).collect(),
            switches: switches.into_iter().map(|name| (name, matches.get_flag(name))).collect(),
        })
    }
}

impl Options {
    /// The value of an option declared by [`Arguments::number`]; panics if none has this name.
    #[track_caller]
    pub fn number(&self, name: &str) -> f64 {
        match self.numbers.get(name) {
            Some(&number) => number,
            None => panic!("no number `--{name}` is declared"),
        }
    }

    /// The value of an option declared by [`Arguments::text`], where it was given; panics if none has
    /// this name.
    #[track_caller]
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.texts.get(name) {
            Some(text) => text.as_deref(),
            None => panic!("no text `--{name}` is declared"),
        }
    }

    /// Whether the option declared by [`Arguments::switch`] was given; panics if none has this name.
    #[track_caller]
    pub fn switch(&self, name: &str) -> bool {
        match self.switches.get(name) {
            Some(&given) => given,
            None => panic!("no switch `--{name}` is declared"),
        }
    }
}

fn finite(text: &str) -> Result<f64, String> {
    let number: f64 = text.parse().map_err(|error| format!("{error}"))?;
    if number.is_finite() { Ok(number) } else { Err("a finite number is needed".to_owned()) }
}

fn positive(text: &str) -> Result<f64, String> {
    let number = finite(text)?;
    if number > 0.0 { Ok(number) } else { Err("a number above 0 is needed".to_owned()) }
}

/// Lets the program end without a word when nobody reads its output any more: `println!` panics
/// then, with a message that says so.
fn end_with_the_reader() {
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |panic| {
        if panic.payload_as_str().is_some_and(is_a_gone_reader) {
            std::process::exit(0);
        }
        before(panic);
    }));
}

fn is_a_gone_reader(message: &str) -> bool {
    // A broken pipe on Unix, and both of its names on Windows.
    message.starts_with("failed printing to stdout: ")
        && ["(os error 32)", "(os error 109)", "(os error 232)"]
            .iter()
            .any(|code| message.ends_with(code))
}

/// Ends the program with one sentence on standard error and the exit code 2.
pub fn fail(error: &dyn Display) -> ! {
    eprintln!("error: {error}");
    std::process::exit(2)
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::error::ErrorKind;

    fn arguments() -> Arguments {
        Arguments::new("demo", "Shows the options.", 1_000)
            .data("A file")
            .number("shift", 0.1, "Shift")
            .positive("rate", 0.5, "Learning rate")
            .switch("quiet", "No chart")
    }

    fn parse(line: &str) -> Result<Options, clap::Error> {
        arguments().try_parse_from(line.split(' '))
    }

    #[test]
    fn defaults_hold_without_arguments() {
        let options = parse("demo").unwrap();
        assert_eq!((options.steps, options.seed, options.data.clone()), (1_000, 42, None));
        assert_eq!((options.number("rate"), options.switch("quiet")), (0.5, false));
        assert_eq!(options.number("shift"), 0.1);
    }

    #[test]
    fn everything_can_be_given() {
        let options =
            parse("demo --steps 7 --seed=9 --data names.txt --shift -0.5 --quiet").unwrap();
        assert_eq!((options.steps, options.seed), (7, 9));
        assert_eq!(options.data, Some(PathBuf::from("names.txt")));
        assert_eq!((options.number("shift"), options.switch("quiet")), (-0.5, true));
    }

    #[test]
    fn help_names_every_option_and_its_default() {
        let error = parse("demo --help").unwrap_err();
        assert_eq!(error.kind(), ErrorKind::DisplayHelp);
        let help = error.to_string();
        for part in [
            "Shows the options.",
            "--steps",
            "1000",
            "--seed",
            "42",
            "--data",
            "--rate",
            "0.1",
            "--quiet",
        ] {
            assert!(help.contains(part), "no {part:?} in\n{help}");
        }
    }

    #[test]
    fn mistakes_are_errors_that_name_the_option() {
        for line in
            ["demo --steps many", "demo --steps -3", "demo --sed 1", "demo --rate", "demo stray"]
        {
            let error = parse(line).unwrap_err();
            let word = line.split(' ').nth(1).unwrap();
            assert!(error.to_string().contains(word), "{line}: {error}");
        }
        for number in ["nan", "inf", "-inf", "0", "-0.5", "much"] {
            let error = parse(&format!("demo --rate={number}")).unwrap_err().to_string();
            assert!(error.contains("--rate"), "{number}: {error}");
        }
        assert!(parse("demo --shift nan").is_err());
        let plain = Arguments::new("plain", "No data.", 1);
        assert!(plain.try_parse_from(["plain", "--data", "x"]).is_err());
    }

    #[test]
    fn epochs_go_on_to_their_end_unless_steps_are_given() {
        let parse = |line: &str| {
            let arguments = arguments().epochs(10).text("save", "FILE", "Where to write");
            arguments.try_parse_from(line.split(' ')).unwrap()
        };
        let options = parse("demo");
        assert_eq!((options.epochs, options.steps, options.text("save")), (10, usize::MAX, None));
        let options = parse("demo --epochs 3 --steps 7 --save a.b");
        assert_eq!((options.epochs, options.steps, options.text("save")), (3, 7, Some("a.b")));
        let help =
            arguments().epochs(10).try_parse_from(["demo", "--help"]).unwrap_err().to_string();
        assert!(help.contains("Stop after") && !help.contains("184467"), "{help}");
    }

    #[test]
    fn a_smoke_run_takes_few_steps_unless_told() {
        assert_eq!(parse("demo --smoke").unwrap().steps, 2);
        assert_eq!(parse("demo --smoke --steps 5").unwrap().steps, 5);
        assert!(parse("demo --smoke").unwrap().smoke && !parse("demo").unwrap().smoke);
    }

    #[test]
    fn help_says_what_the_usual_options_mean_where_they_mean_something_else() {
        let arguments = arguments().steps("Points to look at").seed("Not read");
        let error = arguments.try_parse_from(["demo", "--help"]).unwrap_err().to_string();
        assert!(error.contains("Points to look at") && error.contains("Not read"), "{error}");
        assert!(!error.contains("Training steps"), "{error}");
    }

    #[test]
    fn only_a_broken_pipe_is_a_gone_reader() {
        let message = |error| format!("failed printing to stdout: {error}");
        assert!(is_a_gone_reader(&message("Broken pipe (os error 32)")));
        assert!(!is_a_gone_reader(&message("No space left on device (os error 28)")));
        assert!(!is_a_gone_reader("a run met os error 32 (os error 32)"));
    }

    #[test]
    #[should_panic(expected = "no number `--quiet` is declared")]
    fn an_undeclared_number_is_a_mistake_of_the_example() {
        parse("demo").unwrap().number("quiet");
    }
}
