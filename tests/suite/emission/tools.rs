//! The tools as the tests use them: started once for a test, started anew when a module ends one.

use poorgrad::{Elementary, EmittedModule, Network, Symbol, Tensor, Tensorial};
use std::io::Write;
use zoo::stablehlo::{Server, ServerError};

/// Which tool.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Tool {
    Validator,
    Evaluator,
    Runner,
}

impl Tool {
    pub(super) fn variable(self) -> &'static str {
        match self {
            Self::Validator => "POORGRAD_STABLEHLO_VALIDATOR",
            Self::Evaluator => "POORGRAD_STABLEHLO_EVALUATOR",
            Self::Runner => "POORGRAD_STABLEHLO_RUNNER",
        }
    }
}

/// A tool at work for one test.
pub(super) struct Bench {
    tool: Tool,
    server: Server,
    test: &'static str,
    modules: usize,
}

impl Bench {
    /// The tool, or nothing where it is not there, which is said.
    pub(super) fn open(tool: Tool, test: &'static str) -> Option<Self> {
        let Some(server) = Server::of_environment(tool.variable()) else {
            println!("{test}: skipped, as {} is not set", tool.variable());
            return None;
        };
        let server = server.unwrap_or_else(|error| panic!("{error}"));
        Some(Self { tool, server, test, modules: 0 })
    }

    /// A runner with these options of XLA.
    pub(super) fn open_with(options: &str, test: &'static str) -> Option<Self> {
        let Some(command) = std::env::var_os(Tool::Runner.variable()) else {
            println!("{test}: skipped, as {} is not set", Tool::Runner.variable());
            return None;
        };
        let settings = [("POORGRAD_XLA_OPTIONS", options)];
        let server = Server::start(command.as_ref(), &settings);
        let server = server.unwrap_or_else(|error| panic!("{error}"));
        Some(Self { tool: Tool::Runner, server, test, modules: 0 })
    }

    /// Only whether the module is one.
    pub(super) fn validate<P: Tensorial>(
        &mut self,
        module: &EmittedModule<P>,
    ) -> Result<(), String> {
        self.modules += 1;
        let compiled = self.server.compile("m", module.text());
        self.told(compiled.map(|_| ()), module)
    }

    /// The results of a run.
    pub(super) fn run<P: Tensorial>(
        &mut self,
        module: &EmittedModule<P>,
        network: &Network<P>,
        feeds: &[(Symbol, P)],
    ) -> Result<Vec<Tensor<P::Element>>, String> {
        self.run_text(module.text(), module, network, feeds)
    }

    /// The results of another text that takes and gives what the module does.
    pub(super) fn run_text<P: Tensorial>(
        &mut self,
        text: &str,
        module: &EmittedModule<P>,
        network: &Network<P>,
        feeds: &[(Symbol, P)],
    ) -> Result<Vec<Tensor<P::Element>>, String> {
        self.modules += 1;
        let results = self.server.run_text(text, module, network, feeds);
        let results = self.told(results, module)?;
        assert_eq!(results.len(), module.results().len());
        let results = results.iter().zip(module.results());
        Ok(results.map(|(bytes, result)| tensor(bytes, &result.shape)).collect())
    }

    fn told<T, P: Tensorial>(
        &mut self,
        result: Result<T, ServerError>,
        module: &EmittedModule<P>,
    ) -> Result<T, String> {
        result.map_err(|error| {
            if let ServerError::Gone { .. } = error {
                self.server.restart().unwrap_or_else(|error| panic!("{error}"));
            }
            format!("{:?}: {error}\n{}", self.tool, module.text())
        })
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        println!("{}: {:?} checked {} modules", self.test, self.tool, self.modules);
        if let Some(folder) = std::env::var_os("POORGRAD_STABLEHLO_COUNTS") {
            let file = std::path::Path::new(&folder).join(format!("{:?}", self.tool));
            let file = std::fs::OpenOptions::new().append(true).create(true).open(file);
            let _ = file.and_then(|mut file| writeln!(file, "{}", self.modules));
        }
    }
}

/// A tensor from the bytes of a result.
fn tensor<E: Elementary>(bytes: &[u8], shape: &poorgrad::Shape) -> Tensor<E> {
    let elements = bytes.chunks(E::BYTES).map(|bytes| E::read_bytes(bytes).expect("an element"));
    Tensor::new(shape.clone(), elements.collect::<Vec<_>>())
}
