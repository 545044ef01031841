//! Convolutions and pools of LeNet's and a VGG-style net's layers, on one thread.
//!
//!     cargo bench -p peers --bench window
//!
//! `tools/window_peers.py` prints the same rows of PyTorch (oneDNN).

use peers::{Table, limits, race};
use poorgrad::{Elementary, Numerics, Window, WindowForm, WindowTask};

fn numbers(count: usize) -> Vec<f32> {
    (0..count).map(|i| (i * 37 % 101) as f32 * 0.01 - 0.5).collect()
}

/// Seconds of each form of work on these windows, and the number of windows of an image.
fn seconds(
    forms: &[WindowForm],
    extents: [usize; 4],
    filters: [usize; 4],
    window: Window,
    numerics: Numerics,
) -> (Vec<f64>, usize) {
    let outputs = [0, 1].map(|axis| {
        let padded = extents[2 + axis] + window.padding[axis][0] + window.padding[axis][1];
        (padded - filters[2 + axis]) / window.step[axis] + 1
    });
    let positions = outputs[0] * outputs[1];
    let (x, w) = (numbers(extents.iter().product()), numbers(filters.iter().product()));
    let g = numbers(extents[0] * filters[0] * positions);
    let run = |&form: &WindowForm| {
        let (operands, count) = match form {
            WindowForm::Product => ([&x[..], &w], g.len()),
            WindowForm::WeightsGradient => ([&x[..], &g], w.len()),
            WindowForm::ImagesGradient => ([&g[..], &w], x.len()),
            WindowForm::MaxPool => ([&x[..], &[]], g.len()),
            _ => ([&x[..], &g], x.len()),
        };
        let mut out = vec![0.0; count];
        let mut work = || {
            let mut task = WindowTask::new(form, operands, extents, filters, window, &mut out);
            task.numerics = numerics;
            assert!(f32::window(&mut task), "a kernel of the element's own");
        };
        race(&mut [("ours", &mut work)])[0]
    };
    (forms.iter().map(run).collect(), positions)
}

fn main() {
    poorgrad::set_threads(1);
    let limit = limits::singles().separate;
    let (inside, same) = (Window::new(), Window::new().padding([[1, 1], [1, 1]]));
    let layers = [
        ("LeNet 1", [64, 1, 28, 28], [6, 1, 5, 5], inside),
        ("LeNet 2", [64, 6, 12, 12], [16, 6, 5, 5], inside),
        ("VGG 3-32", [4, 3, 32, 32], [32, 3, 3, 3], same),
        ("VGG 32-32", [4, 32, 32, 32], [32, 32, 3, 3], same),
        ("VGG 32-64", [4, 32, 16, 16], [64, 32, 3, 3], same),
        ("VGG 64-64", [4, 64, 16, 16], [64, 64, 3, 3], same),
        ("VGG 64-128", [8, 64, 8, 8], [128, 64, 3, 3], same),
        ("VGG 128-128", [8, 128, 8, 8], [128, 128, 3, 3], same),
    ];
    let forms = [WindowForm::Product, WindowForm::WeightsGradient, WindowForm::ImagesGradient];
    for (numerics, rounded) in [(Numerics::Exact, "twice"), (Numerics::Fast, "once")] {
        let title = format!("convolutions of f32, rounded {rounded} a term");
        let mut table = Table::new(&title, "GFLOP/s", &[]);
        let mut nets = [("LeNet", 0.0), ("VGG", 0.0)];
        for (name, extents, filters, window) in layers {
            let (seconds, positions) = seconds(&forms, extents, filters, window, numerics);
            let terms = filters.iter().product::<usize>() * positions * extents[0];
            for (form, &seconds) in ["forward", "weights", "images"].iter().zip(&seconds) {
                table.row(
                    &format!("{name}, {form}"),
                    &[2e-9 * terms as f64 / seconds],
                    Some(limit),
                );
            }
            // The first images of a net need no gradient.
            let needed = if matches!(name, "LeNet 1" | "VGG 3-32") { 2 } else { 3 };
            let step = seconds[..needed].iter().sum::<f64>() / extents[0] as f64;
            for (net, sum) in &mut nets {
                *sum += if name.starts_with(*net) { step } else { 0.0 };
            }
        }
        table.finish();
        let [lenet, vgg] = nets.map(|(_, seconds)| 1e6 * seconds);
        println!("LeNet {lenet:.1}, VGG {vgg:.1} microseconds an image");
    }
    let mut table = Table::new("pools of f32, two by two", "billion elements/s", &[]);
    for extents in [[64, 6, 24, 24], [64, 16, 8, 8], [32, 32, 32, 32]] {
        let window = Window::new().step([2, 2]).groups(extents[1]);
        let forms = [WindowForm::MaxPool, WindowForm::MaxPoolGradient];
        let (seconds, _) = seconds(&forms, extents, [extents[1], 1, 2, 2], window, Numerics::Exact);
        let count = 1e-9 * extents.iter().product::<usize>() as f64;
        for (form, seconds) in ["maximum", "gradient of it"].iter().zip(seconds) {
            table.row(&format!("{extents:?}, {form}"), &[count / seconds], None);
        }
    }
    table.finish();
}
