//! Functions of one element, in the first-level cache, on one thread, against the platform's.
//!
//!     cargo bench -p peers --bench map

use peers::{Table, race};
use poorgrad::{Elementary, MapTask, Unary};

const COUNT: usize = 2048;

macro_rules! bench {
    ($name:ident, $float:ident) => {
        fn $name(table: &mut Table) {
            type Function = fn($float) -> $float;
            let functions: [(Unary, &str, Option<Function>); 12] = [
                (Unary::Exp, "exp", Some($float::exp)),
                (Unary::ExpM1, "exp_m1", Some($float::exp_m1)),
                (Unary::Ln, "ln", Some($float::ln)),
                (Unary::Ln1p, "ln_1p", Some($float::ln_1p)),
                (Unary::Tanh, "tanh", Some($float::tanh)),
                (Unary::Sigmoid, "sigmoid", Some(|x| 1.0 / (1.0 + (-x).exp()))),
                (Unary::Sin, "sin", Some($float::sin)),
                (Unary::Cos, "cos", Some($float::cos)),
                (Unary::Erf, "erf", None),
                (Unary::Sqrt, "sqrt", Some($float::sqrt)),
                (Unary::Relu, "relu", Some(|x| if x > 0.0 { x } else { 0.0 })),
                (Unary::Neg, "neg", Some(|x| -x)),
            ];
            for (op, name, platform) in functions {
                let x: Vec<$float> = (0..COUNT).map(|i| i as $float * 0.002 + 0.1).collect();
                let (mut y, mut z) = (vec![0.0; COUNT], vec![0.0; COUNT]);
                let mut ours = || {
                    $float::map(&mut MapTask::new(op, &x, &mut y));
                };
                let seconds = match platform {
                    Some(f) => race(&mut [
                        ("ours", &mut ours),
                        ("platform", &mut || {
                            let f = std::hint::black_box(f);
                            x.iter().zip(&mut z).for_each(|(x, z)| *z = f(*x));
                        }),
                    ]),
                    None => race(&mut [("ours", &mut ours)]),
                };
                let rates: Vec<f64> = seconds.iter().map(|s| 1e-6 * COUNT as f64 / s).collect();
                table.row(&format!("{name} {}", stringify!($float)), &rates, None);
            }
        }
    };
}

bench!(singles, f32);
bench!(doubles, f64);

fn main() {
    poorgrad::set_threads(1);
    let mut table = Table::new("functions in cache", "million elements/s", &["platform"]);
    singles(&mut table);
    doubles(&mut table);
    table.finish();
}
