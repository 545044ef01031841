//! What crosses threads: compile-time bounds, and shared networks under many runs at once.

use poorgrad::{
    Activation, Adam, AdamW, AveragePool, BatchNorm, Batches, BatchesError, Binary, Block,
    ClipError, ColumnsTask, Comparison, Compile, Conv2d, Coordinate, Description, Differentiable,
    Divergence, Dropout, Embedding, Emit, EmitError, EmitForm, EmittedModule, Estimate, Evaluation,
    Extent, Field, Fingerprint, Finish, FitError, Flatten, Form, GemmTask, Gradcheck, Gradients,
    Iterate, Kernels, Layer, LayerNorm, Lbfgs, LeastSquaresReport, LevenbergMarquardt, Lowering,
    MapTask, Matrix, MaxPool, MemoryDescription, MemoryStats, MinimumReport, Mlp, ModuleArgument,
    ModuleResult, ModuleSource, Network, NetworkError, Neuron, NonFinite, Normalized, Numerics,
    OperationInfo, OptimizerState, Oracle, ParseError, ParseErrorKind, Pass, Plan, PlanDiff,
    PlanError, Profile, Random, ReadDescription, RecordedStep, ReduceTask, Reduction, ReinferError,
    Report, Residual, Results, RmsNorm, RmsProp, RunningStatistics, Schedule, Sequential, Sgd,
    Shape, ShapeError, Softmax, SoftmaxTask, StateError, StateProblem, StateReader,
    StatisticsError, Stats, StepDescription, StepProfile, Stop, Stored, Symbol, Tensor,
    TensorError, TensorIter, TransposeTask, Unary, Value, ValueDescription, Window, WindowForm,
    WindowTask, WriteDescription, reference,
};
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::Duration;

fn crosses<T: Send + Sync>() {}

/// All that the crate exports but `Scope`, which labels what the thread that opened it records.
#[test]
fn everything_public_is_send_and_sync() {
    fn for_payload<P: poorgrad::Tensorial>() {
        crosses::<P>();
        crosses::<(Network<P>, Value<'static, P>, Evaluation<P>, Oracle<'static, P>)>();
        crosses::<(Field<P>, Gradients<P>, Stored<P::Element>, P::Element)>();
        crosses::<(Compile<'static, P>, Plan<P>, Results<P>)>();
        crosses::<(Emit<'static, P>, EmittedModule<P>, ModuleArgument<P>, ModuleSource<P>)>();
        crosses::<(Sgd<P>, Adam<P>, AdamW<P>, RmsProp<P>, RecordedStep<P>)>();
        crosses::<(OptimizerState<P>, StateReader<'static, P>)>();
        crosses::<(Sequential<P>, Residual<Layer>, Normalized<'static, P>, RunningStatistics<P>)>();
    }
    for_payload::<f32>();
    for_payload::<f64>();
    for_payload::<Tensor<f32>>();
    for_payload::<Tensor<f64>>();
    crosses::<(Symbol, Shape, Stats, NonFinite, Gradcheck, Coordinate, Fingerprint)>();
    crosses::<(OperationInfo, Extent, Form, Kernels, Lowering, Numerics, ParseErrorKind)>();
    crosses::<(Unary, Binary, Comparison, Reduction, Softmax, Window, WindowForm)>();
    crosses::<(Layer, Mlp, Neuron, Activation, Embedding, Conv2d, Dropout, Flatten)>();
    crosses::<(MaxPool, AveragePool, BatchNorm, LayerNorm, RmsNorm)>();
    crosses::<(Random, Batches, Schedule, Lbfgs, LevenbergMarquardt)>();
    crosses::<(Estimate, Iterate, Stop, LeastSquaresReport, MinimumReport, StateProblem)>();
    crosses::<(Description, MemoryDescription, StepDescription, ValueDescription)>();
    crosses::<(ReadDescription, WriteDescription, Profile, StepProfile, PlanDiff, Pass, Report)>();
    crosses::<(EmitForm, ModuleResult, MemoryStats)>();
    fn for_element<E: poorgrad::Elementary>() {
        crosses::<(Tensor<E>, TensorIter<'static, E>, reference::View<'static, E>)>();
        crosses::<(Block<E>, Matrix<'static, E>, Finish<'static, E>)>();
        crosses::<(GemmTask<'static, E>, MapTask<'static, E>, ReduceTask<'static, E>)>();
        crosses::<ColumnsTask<'static, E>>();
        crosses::<(SoftmaxTask<'static, E>, TransposeTask<'static, E>, WindowTask<'static, E>)>();
    }
    for_element::<f32>();
    for_element::<f64>();
    fn is_error<T: std::error::Error + Send + Sync + 'static>() {}
    is_error::<ShapeError>();
    is_error::<ReinferError>();
    is_error::<NetworkError>();
    is_error::<TensorError>();
    is_error::<ParseError>();
    is_error::<PlanError>();
    is_error::<Divergence>();
    is_error::<EmitError>();
    is_error::<FitError>();
    is_error::<ClipError>();
    is_error::<BatchesError>();
    is_error::<StateError>();
    is_error::<StatisticsError>();
    let _: fn(&Tensor<f32>) -> Shape = Differentiable::shape;
}

#[cfg(feature = "checkpoint")]
#[test]
fn checkpoints_are_send_and_sync() {
    use poorgrad::checkpoint::{Array, Checkpoint, CheckpointError, Dtype, Loader, Mismatch};
    crosses::<(Array<'static>, Checkpoint<'static>, Dtype, Loader<'static, 'static>, Mismatch)>();
    fn is_error<T: std::error::Error + Send + Sync + 'static>() {}
    is_error::<CheckpointError>();
}

/// A small two-layer network: its input and its loss.
fn model(network: &Network<Tensor<f32>>) -> (Symbol, Symbol) {
    let x = network.input(Tensor::zeros([4, 3]));
    let w = network.parameter(Tensor::from_fn([3, 5], |i| (i[0] * 5 + i[1]) as f32 * 0.1 - 0.7));
    let v = network.parameter(Tensor::from_fn([5, 1], |i| i[0] as f32 * 0.3 - 0.5));
    let loss = x.matmul(w).tanh().matmul(v).sigmoid().mean();
    (x.symbol(), loss.symbol())
}

/// Between two turns of the recorder, and of the updater.
const PAUSE: Duration = Duration::from_micros(200);

fn feed(number: usize) -> Tensor<f32> {
    Tensor::from_fn([4, 3], |i| ((number * 12 + i[0] * 3 + i[1]) % 17) as f32 * 0.25 - 2.0)
}

fn run(network: &Network<Tensor<f32>>, x: Symbol, loss: Symbol, number: usize) -> Vec<u32> {
    let evaluation = network.forward_for([loss], [(x, feed(number))]);
    let gradients = evaluation.backward(loss);
    let mut bits = vec![evaluation.of(loss).item().to_bits()];
    for (_, parameter) in network.parameters() {
        bits.extend(gradients.of(parameter).iter().map(|g| g.to_bits()));
    }
    bits
}

/// 8 threads run with feeds of their own while one records and one updates, all the time. The one
/// that records keeps pace with the runs: a run takes time in proportion to the tape, and a tape that
/// grew by the clock would grow the faster the slower the runs.
fn shared(runs: usize) {
    const NODES: usize = 20_000;
    let finished = AtomicUsize::new(0);
    let network = Network::new();
    let (x, loss) = model(&network);
    let serial: Vec<Vec<u32>> = (0..17).map(|number| run(&network, x, loss, number)).collect();
    let done = AtomicBool::new(false);
    // Nobody is done before everybody has begun.
    let begun = Barrier::new(10);
    thread::scope(|scope| {
        let workers: Vec<_> = (0..8)
            .map(|worker| {
                let (network, serial, finished) = (&network, &serial, &finished);
                let begun = &begun;
                scope.spawn(move || {
                    begun.wait();
                    for step in 0..runs {
                        let number = (worker * 7 + step) % 17;
                        assert_eq!(run(network, x, loss, number), serial[number]);
                        finished.fetch_add(1, Ordering::Relaxed);
                    }
                })
            })
            .collect();
        let recorder = scope.spawn(|| {
            begun.wait();
            let mut recorded = 0;
            let mut value = network.resolve(loss);
            while !done.load(Ordering::Relaxed) {
                let due = NODES * finished.load(Ordering::Relaxed) / (8 * runs);
                while recorded <= due {
                    value = value + 1.0;
                    recorded += 1;
                }
                thread::sleep(PAUSE);
            }
        });
        let updater = scope.spawn(|| {
            begun.wait();
            let mut generation = network.clone();
            while !done.load(Ordering::Relaxed) {
                let gradients = generation.forward_for([loss], [(x, feed(3))]).backward(loss);
                generation = generation.update(&gradients, |w, g| w - 0.5 * g);
                thread::sleep(PAUSE);
            }
        });
        for worker in workers {
            worker.join().expect("a run equals its twin");
        }
        done.store(true, Ordering::Relaxed);
        recorder.join().expect("recording goes on");
        updater.join().expect("updating goes on");
    });
}

#[test]
fn b90_e_shared_runs_equal_their_serial_twins() {
    shared(300);
}

#[test]
#[ignore = "heavy: run by cargo xtask ci in release"]
fn heavy_shared_runs_equal_their_serial_twins() {
    shared(10_000);
}

#[test]
fn b90_e_a_panicking_worker_spoils_nothing() {
    let network = Network::new();
    let (x, loss) = model(&network);
    let expected = run(&network, x, loss, 1);
    thread::scope(|scope| {
        let worker = scope.spawn(|| {
            let value = network.resolve(x);
            value.matmul(value)
        });
        assert!(worker.join().is_err());
    });
    assert_eq!(run(&network, x, loss, 1), expected);
    assert_eq!(network.len(), network.compacted().len());
}

#[test]
fn scopes_of_two_threads_stay_apart() {
    let network = Network::new();
    thread::scope(|scope| {
        for name in ["left", "right"] {
            let network = &network;
            scope.spawn(move || {
                let _scope = network.scope(name);
                for number in 0..100 {
                    network.parameter(0.0_f64).named(&number.to_string());
                }
            });
        }
    });
    let paths: Vec<String> = network.parameters().map(|(path, _)| path).collect();
    for name in ["left", "right"] {
        assert_eq!(paths.iter().filter(|path| path.starts_with(name)).count(), 100);
    }
}
