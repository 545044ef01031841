//! Processes that check and run emitted modules: a client of the tools under `tools/stablehlo`.
//!
//! A process stays, and takes one module after the other: parsed and verified (`validate`), evaluated
//! by StableHLO's reference interpreter (`evaluate`), run on XLA-CPU (`serve`). All speak the frames
//! that `tools/stablehlo/frames.py` states. Where the toolchain is not set up, [`Server::start`] says
//! what to do.

use poorgrad::{EmittedModule, Network, Symbol, Tensorial};
use std::error::Error;
use std::fmt;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};
use std::sync::{Arc, Mutex};
use std::thread;

/// What a process answered instead of a result.
#[derive(Debug)]
#[non_exhaustive]
pub enum ServerError {
    /// The tool cannot be started.
    Start {
        /// The tool.
        command: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// The process has ended; what it last wrote to its error output.
    Gone {
        /// The end of its error output.
        log: String,
    },
    /// The process refused the request.
    Refused {
        /// Its message.
        message: String,
    },
    /// The answer is none of the protocol.
    Answer {
        /// What was answered.
        words: String,
    },
}

impl fmt::Display for ServerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { command, error } => write!(
                f,
                "{} does not start ({error}); `tools/stablehlo/setup` installs what it needs",
                command.display()
            ),
            Self::Gone { log } => write!(f, "the process has ended: {log}"),
            Self::Refused { message } => f.write_str(message),
            Self::Answer { words } => write!(f, "no answer of the protocol: {words}"),
        }
    }
}

impl Error for ServerError {}

/// An argument of a run.
#[derive(Clone, Copy, Debug)]
pub enum Given<'a> {
    /// A buffer that the process holds.
    Kept(&'a str),
    /// A type such as `f32:2,3`, and the bytes.
    Bytes(&'a str, &'a [u8]),
}

/// What a module is, as the process read it.
#[derive(Clone, Debug, PartialEq)]
pub struct Compiled {
    /// The types of its arguments.
    pub inputs: Vec<String>,
    /// The types of its results.
    pub results: Vec<String>,
    /// What compiling took.
    pub milliseconds: f64,
}

/// What a run gave.
#[derive(Clone, Debug, PartialEq)]
pub struct Ran {
    /// The types of the results that were not kept.
    pub types: Vec<String>,
    /// Their bytes.
    pub results: Vec<Vec<u8>>,
    /// What the run took inside the process.
    pub microseconds: f64,
}

/// A resident process.
///
/// # Example
///
/// ```
/// use zoo::stablehlo::{Given, Server, tool};
///
/// // Where the toolchain is not set up, the error says what to do.
/// match Server::start(&tool("serve"), &[]) {
///     Err(error) => assert!(error.to_string().contains("tools/stablehlo/setup")),
///     Ok(mut server) => {
///         let text = "func.func @main(%x: tensor<f32>) -> tensor<f32> { return %x : tensor<f32> }";
///         assert_eq!(server.compile("same", text).unwrap().inputs, ["f32:"]);
///         let ran = server.run("same", &[Given::Bytes("f32:", &1.5_f32.to_le_bytes())], &[]).unwrap();
///         assert_eq!(ran.results, [1.5_f32.to_le_bytes()]);
///     }
/// }
/// ```
pub struct Server {
    command: PathBuf,
    settings: Vec<(String, String)>,
    process: Process,
}

struct Process {
    child: Child,
    input: BufWriter<ChildStdin>,
    output: BufReader<ChildStdout>,
    log: Arc<Mutex<Vec<u8>>>,
}

impl fmt::Debug for Server {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Server").field("command", &self.command).finish_non_exhaustive()
    }
}

/// How much of an error output is kept.
const LOG: usize = 4000;

impl Process {
    fn start(command: &Path, settings: &[(String, String)]) -> Result<Self, ServerError> {
        let mut child = Command::new(command)
            .envs(settings.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|error| ServerError::Start { command: command.to_path_buf(), error })?;
        let pipes = "piped just above";
        let input = BufWriter::new(child.stdin.take().expect(pipes));
        let output = BufReader::new(child.stdout.take().expect(pipes));
        let mut errors = child.stderr.take().expect(pipes);
        let log = Arc::new(Mutex::new(Vec::new()));
        let written = Arc::clone(&log);
        // Somebody must read it, or the process waits for room.
        thread::spawn(move || {
            let mut piece = [0; 1024];
            while let Ok(count @ 1..) = errors.read(&mut piece) {
                let Ok(mut log) = written.lock() else { return };
                log.extend_from_slice(&piece[..count]);
                let extra = log.len().saturating_sub(LOG);
                log.drain(..extra);
            }
        });
        Ok(Self { child, input, output, log })
    }

    fn gone(&mut self) -> ServerError {
        let status = self.child.wait().map_or_else(|error| error.to_string(), |s| s.to_string());
        let log = self.log.lock().map(|log| String::from_utf8_lossy(&log).trim().to_string());
        ServerError::Gone { log: format!("{status}; {}", log.unwrap_or_default()) }
    }

    fn send(&mut self, bytes: &[u8]) -> io::Result<()> {
        let length = u32::try_from(bytes.len()).map_err(io::Error::other)?;
        self.input.write_all(&length.to_le_bytes())?;
        self.input.write_all(bytes)
    }

    fn receive(&mut self) -> io::Result<Vec<u8>> {
        let mut length = [0; 4];
        self.output.read_exact(&mut length)?;
        let length = u32::from_le_bytes(length);
        // Room for what comes, not for what is announced.
        let mut bytes = Vec::new();
        (&mut self.output).take(u64::from(length)).read_to_end(&mut bytes)?;
        match bytes.len() == length as usize {
            true => Ok(bytes),
            false => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }

    fn ask(&mut self, words: &str, frames: &[&[u8]]) -> io::Result<String> {
        self.send(words.as_bytes())?;
        for frame in frames {
            self.send(frame)?;
        }
        self.input.flush()?;
        let answer = self.receive()?;
        Ok(String::from_utf8_lossy(&answer).into_owned())
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        // Whether or not it still runs: it holds nothing that must be put away.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

impl Server {
    /// Starts a tool, with these settings in its environment, and waits until it answers.
    ///
    /// # Errors
    ///
    /// Where it does not start.
    pub fn start(command: &Path, settings: &[(&str, &str)]) -> Result<Self, ServerError> {
        let settings: Vec<(String, String)> =
            settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let process = Process::start(command, &settings)?;
        let mut server = Self { command: command.to_path_buf(), settings, process };
        match server.ask("hello", &[]) {
            Err(ServerError::Gone { log }) => {
                let error = io::Error::other(log);
                Err(ServerError::Start { command: server.command.clone(), error })
            }
            answered => answered.map(|_| server),
        }
    }

    /// The tool that an environment variable names; nothing where it is not set.
    ///
    /// # Errors
    ///
    /// Where it does not start.
    pub fn of_environment(variable: &str) -> Option<Result<Self, ServerError>> {
        let command = std::env::var_os(variable)?;
        Some(Self::start(Path::new(&command), &[]))
    }

    /// Starts the process anew, where one has ended: modules and buffers are gone.
    ///
    /// # Errors
    ///
    /// Where it does not start.
    pub fn restart(&mut self) -> Result<(), ServerError> {
        self.process = Process::start(&self.command, &self.settings)?;
        self.ask("hello", &[]).map(|_| ())
    }

    fn ask(&mut self, words: &str, frames: &[&[u8]]) -> Result<Vec<String>, ServerError> {
        let answer = self.process.ask(words, frames);
        let answer = answer.map_err(|_| self.process.gone())?;
        let mut words = answer.split_whitespace().map(str::to_string);
        match words.next().as_deref() {
            Some("ok") => Ok(words.collect()),
            Some("error") => {
                Err(ServerError::Refused { message: words.collect::<Vec<_>>().join(" ") })
            }
            _ => Err(ServerError::Answer { words: answer }),
        }
    }

    /// Parses, verifies and compiles a module, which is `name` from now on.
    ///
    /// # Errors
    ///
    /// Where the process refuses the module or ends.
    pub fn compile(&mut self, name: &str, text: &str) -> Result<Compiled, ServerError> {
        let words = self.ask(&format!("compile {name}"), &[text.as_bytes()])?;
        let parts: Vec<&[String]> =
            words.split(|word| word == "inputs" || word == "results").collect();
        match parts[..] {
            [[milliseconds], inputs, results] => Ok(Compiled {
                inputs: inputs.to_vec(),
                results: results.to_vec(),
                milliseconds: milliseconds.parse().unwrap_or(f64::NAN),
            }),
            _ => Err(ServerError::Answer { words: words.join(" ") }),
        }
    }

    /// Gives the process a buffer to hold.
    ///
    /// # Errors
    ///
    /// Where the bytes are no such type, or the process ends.
    pub fn put(&mut self, name: &str, kind: &str, bytes: &[u8]) -> Result<(), ServerError> {
        self.ask(&format!("put {name} {kind}"), &[bytes]).map(|_| ())
    }

    /// A buffer that the process holds.
    ///
    /// # Errors
    ///
    /// Where it holds none of that name, or ends.
    pub fn get(&mut self, name: &str) -> Result<Vec<u8>, ServerError> {
        self.ask(&format!("get {name}"), &[])?;
        self.process.receive().map_err(|_| self.process.gone())
    }

    /// Lets go of buffers and modules.
    ///
    /// # Errors
    ///
    /// Where the process ends.
    pub fn free(&mut self, names: &[&str]) -> Result<(), ServerError> {
        self.ask(&format!("free {}", names.join(" ")), &[]).map(|_| ())
    }

    /// Runs a module; results named in `keep`, by their numbers, stay in the process as buffers.
    ///
    /// # Errors
    ///
    /// Where the arguments are not of the module's types, the run fails, or the process ends.
    pub fn run(
        &mut self,
        module: &str,
        given: &[Given<'_>],
        keep: &[(usize, &str)],
    ) -> Result<Ran, ServerError> {
        let (mut words, mut frames) = (format!("run {module}"), Vec::new());
        for given in given {
            match given {
                Given::Kept(name) => words += &format!(" @{name}"),
                Given::Bytes(kind, bytes) => {
                    words += &format!(" ={kind}");
                    frames.push(*bytes);
                }
            }
        }
        for (index, name) in keep {
            words += &format!(" keep:{index}:{name}");
        }
        let mut types = self.ask(&words, &frames)?;
        let microseconds = match types.is_empty() {
            true => f64::NAN,
            false => types.remove(0).parse().unwrap_or(f64::NAN),
        };
        let results = types.iter().map(|_| self.process.receive());
        let results: io::Result<Vec<Vec<u8>>> = results.collect();
        let results = results.map_err(|_| self.process.gone())?;
        Ok(Ran { types, results, microseconds })
    }

    /// Compiles a module and runs it once on a network's parameters and some feeds.
    ///
    /// # Errors
    ///
    /// Where [`Server::compile`] or [`Server::run`] errs.
    ///
    /// # Panics
    ///
    /// Where the module is not of this network, or the feeds are refused.
    pub fn run_once<P: Tensorial>(
        &mut self,
        module: &EmittedModule<P>,
        network: &Network<P>,
        feeds: &[(Symbol, P)],
    ) -> Result<Vec<Vec<u8>>, ServerError> {
        self.run_text(module.text(), module, network, feeds)
    }

    /// The same of another text that takes what the module takes.
    ///
    /// # Errors
    ///
    /// Where [`Server::compile`] or [`Server::run`] errs, and where the text takes another number of
    /// arguments.
    ///
    /// # Panics
    ///
    /// Where the module is not of this network, or the feeds are refused.
    pub fn run_text<P: Tensorial>(
        &mut self,
        text: &str,
        module: &EmittedModule<P>,
        network: &Network<P>,
        feeds: &[(Symbol, P)],
    ) -> Result<Vec<Vec<u8>>, ServerError> {
        let compiled = self.compile("once", text)?;
        let bytes = module.bytes(network, feeds.iter().cloned());
        let bytes = bytes.unwrap_or_else(|error| panic!("{error}"));
        if compiled.inputs.len() != bytes.len() {
            let (takes, has) = (compiled.inputs.len(), bytes.len());
            let message = format!("the text takes {takes} arguments, and the module has {has}");
            return Err(ServerError::Refused { message });
        }
        let given = compiled.inputs.iter().zip(&bytes);
        let given: Vec<Given<'_>> = given.map(|(kind, bytes)| Given::Bytes(kind, bytes)).collect();
        Ok(self.run("once", &given, &[])?.results)
    }
}

/// The tool of that name in the sources of this workspace.
#[must_use]
pub fn tool(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../tools/stablehlo").join(name)
}
