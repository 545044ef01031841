//! `blame`: the first operation of a tape that a runner of StableHLO computes wrongly.
//!
//!     cargo run --release -p blame -- TAPE [--runner COMMAND] [--accuracy xla-cpu] [--form recorded]
//!
//! The tape is text, as `Network::to_text` prints it; it is run on its parameters and its inputs'
//! defaults. The runner is a process that speaks the frames of `tools/stablehlo/frames.py`, such as
//! `tools/stablehlo/serve`. The exit code is 0 where every operation keeps its bound, 1 where one does
//! not, 2 where that cannot be told. `docs/emission.md` says how it searches and what the bounds are.

use clap::{Arg, Command, value_parser};
use poorgrad::{Elementary, EmitForm, EmittedModule, Network, Tensor};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use testkit::emission::{Accuracy, Blame};
use zoo::stablehlo::{Server, ServerError, tool};

fn command() -> Command {
    let path = |name: &'static str, help: &'static str| {
        Arg::new(name).value_parser(value_parser!(PathBuf)).help(help)
    };
    let choice = |name: &'static str, words: [&'static str; 3], default: &'static str| {
        Arg::new(name).long(name).value_name("WORD").value_parser(words).default_value(default)
    };
    Command::new("blame")
        .about("Finds the first operation of a tape that a runner of StableHLO computes wrongly")
        .arg(path("tape", "The tape as text").required(true))
        .arg(
            path(
                "runner",
                "The runner [default: $POORGRAD_STABLEHLO_RUNNER, else tools/stablehlo/serve]",
            )
            .long("runner"),
        )
        .arg(
            choice("accuracy", ["interpreter", "exact", "xla-cpu"], "xla-cpu")
                .help("What the runner is held to"),
        )
        .arg(
            Arg::new("allow")
                .long("allow")
                .value_name("OPERATION")
                .action(clap::ArgAction::Append)
                .help("An operation that may be anything; as often as there are such"),
        )
        .arg(
            choice("form", ["raised", "recorded", "exact"], "recorded")
                .help("How the tape is emitted"),
        )
}

fn main() -> ExitCode {
    match blamed() {
        Ok(None) => {
            println!("every operation keeps its bound");
            ExitCode::SUCCESS
        }
        Ok(Some(report)) => {
            print!("{report}");
            ExitCode::from(1)
        }
        Err(message) => {
            eprintln!("blame: {message}");
            ExitCode::from(2)
        }
    }
}

fn blamed() -> Result<Option<String>, String> {
    let options = command().get_matches();
    let word = |name: &str| options.get_one::<String>(name).map_or("", String::as_str);
    let accuracy = match word("accuracy") {
        "interpreter" => Accuracy::INTERPRETER,
        "exact" => Accuracy::EXACT,
        _ => Accuracy::XLA_CPU,
    };
    let allowed = options.get_many::<String>("allow").into_iter().flatten();
    let accuracy = allowed.fold(accuracy, |accuracy, operation| accuracy.allowing(operation));
    let form = match word("form") {
        "raised" => EmitForm::Raised,
        "exact" => EmitForm::Exact,
        _ => EmitForm::Recorded,
    };
    let tape = options.get_one::<PathBuf>("tape").map_or(Path::new(""), PathBuf::as_path);
    let text =
        std::fs::read_to_string(tape).map_err(|error| format!("{}: {error}", tape.display()))?;
    let runner = options.get_one::<PathBuf>("runner").cloned();
    let runner = runner.or_else(|| std::env::var_os("POORGRAD_STABLEHLO_RUNNER").map(Into::into));
    let runner = runner.unwrap_or_else(|| tool("serve"));
    let server = Server::start(&runner, &[]).map_err(|error| error.to_string())?;
    let single = text.lines().any(|line| line.trim_end() == "tape 1 f32");
    if single {
        report::<f32>(&text, server, accuracy, form)
    } else {
        report::<f64>(&text, server, accuracy, form)
    }
}

fn report<E: Elementary>(
    text: &str,
    mut server: Server,
    accuracy: Accuracy,
    form: EmitForm,
) -> Result<Option<String>, String> {
    let network = Network::<Tensor<E>>::parse(text).map_err(|error| error.to_string())?;
    let mut run = |module: &EmittedModule<Tensor<E>>, network: &Network<Tensor<E>>| {
        let results = server.run_once(module, network, &[]).map_err(|error| {
            if let ServerError::Gone { .. } = error {
                let _ = server.restart();
            }
            format!("{error}, at\n{}", module.text())
        })?;
        let tensors = results.iter().zip(module.results()).map(|(bytes, result)| {
            let elements = bytes.chunks(E::BYTES).map(E::read_bytes).collect::<Option<Vec<E>>>();
            let elements = elements.ok_or("the runner gave bytes that are no elements")?;
            Tensor::try_new(result.shape.clone(), elements).map_err(|error| error.to_string())
        });
        tensors.collect()
    };
    let blame = Blame::new(&network, accuracy, form, &mut run);
    Ok(blame.report()?.map(|report| report.to_string()))
}
