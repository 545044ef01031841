//! Products of the shapes that networks have, on one thread, against other libraries; then on two threads against one.
//!
//!     cargo bench -p peers --bench gemm [-- PART OF A ROW'S NAME]

use faer::{Accum, MatMut, MatRef, Par};
use peers::limits::Peaks;
use peers::{Table, limits, race};
use poorgrad::{Elementary, GemmTask, Matrix, Numerics};

/// `m`, `k`, `n`, and which operand is stored transposed.
type Row = ([usize; 3], &'static str);

const ROWS: [Row; 31] = [
    ([64, 64, 64], "NN"),
    ([128, 128, 128], "NN"),
    ([256, 256, 256], "NN"),
    ([512, 512, 512], "NN"),
    ([1024, 1024, 1024], "NN"),
    ([2048, 2048, 2048], "NN"),
    ([1, 768, 3072], "NN"),
    ([1, 768, 50257], "NN"),
    ([1, 768, 50257], "NT"),
    ([32, 768, 3072], "NN"),
    ([64, 768, 768], "NN"),
    ([64, 768, 2304], "NN"),
    ([64, 3072, 768], "NN"),
    ([64, 768, 50257], "NT"),
    ([500, 27, 200], "NN"),
    ([27, 500, 200], "TN"),
    ([500, 200, 27], "NT"),
    ([32, 30, 200], "NN"),
    ([32, 200, 27], "NN"),
    ([128, 784, 512], "NN"),
    ([784, 128, 512], "TN"),
    ([128, 512, 784], "NT"),
    ([36864, 25, 6], "NN"),
    ([25, 36864, 6], "TN"),
    ([9216, 150, 16], "NN"),
    ([150, 9216, 16], "TN"),
    ([9216, 16, 150], "NT"),
    ([32768, 288, 32], "NN"),
    ([8192, 576, 64], "NN"),
    ([2048, 1152, 128], "NN"),
    ([4, 4, 4], "NN"),
];

/// Matrices times vectors, which memory bounds.
const VECTORS: [Row; 2] = [([100_000, 50, 1], "NN"), ([50, 100_000, 1], "TN")];

macro_rules! bench {
    ($name:ident, $float:ident, $multiply:path) => {
        fn $name(rows: &[Row], tables: &mut [Table; 2], limits: Peaks) {
            for &([m, k, n], form) in rows {
                let name = format!("{} {m} x {k} x {n} {form}", stringify!($float));
                if !is_asked_for(&name) {
                    continue;
                }
                let number = |i: usize| (i * 7919 % 101) as $float * 0.01 - 0.5;
                let a: Vec<$float> = (0..m * k).map(number).collect();
                let b: Vec<$float> = (0..k * n).map(number).collect();
                let strides = |transposed: bool, rows: usize, columns: usize| {
                    if transposed { (1, rows) } else { (columns, 1) }
                };
                let (ar, ac) = strides(form.starts_with('T'), m, k);
                let (br, bc) = strides(form.ends_with('T'), k, n);
                let [mut c, mut fast, mut d, mut e, mut f] =
                    [(); 5].map(|()| vec![0.0 as $float; m * n]);
                let seconds = race(&mut [
                    ("ours", &mut || {
                        let (a, b) = (Matrix::new(&a, ar, ac), Matrix::new(&b, br, bc));
                        $float::gemm(&mut GemmTask::new([m, k, n], a, b, &mut c));
                    }),
                    ("ours, fast", &mut || {
                        let (a, b) = (Matrix::new(&a, ar, ac), Matrix::new(&b, br, bc));
                        let task = GemmTask::new([m, k, n], a, b, &mut fast);
                        $float::gemm(&mut task.numerics(Numerics::Fast));
                    }),
                    ("faer", &mut || {
                        let (ar, ac) = (ar as isize, ac as isize);
                        let (br, bc) = (br as isize, bc as isize);
                        let dense = |x, rows, columns, row: isize, column: isize| {
                            if column == 1 {
                                MatRef::from_row_major_slice(x, rows, columns)
                            } else {
                                debug_assert_eq!(row, 1);
                                MatRef::from_column_major_slice(x, rows, columns)
                            }
                        };
                        let out = MatMut::from_row_major_slice_mut(&mut d, m, n);
                        let (a, b) = (dense(&a[..], m, k, ar, ac), dense(&b[..], k, n, br, bc));
                        let replace = Accum::Replace;
                        faer::linalg::matmul::matmul(out, replace, a, b, 1.0, Par::Seq);
                    }),
                    ("gemm", &mut || {
                        // SAFETY: the slices hold what the extents and strides say.
                        unsafe {
                            gemm::gemm(
                                m,
                                n,
                                k,
                                e.as_mut_ptr(),
                                1,
                                n as isize,
                                false,
                                a.as_ptr(),
                                ac as isize,
                                ar as isize,
                                b.as_ptr(),
                                bc as isize,
                                br as isize,
                                0.0,
                                1.0,
                                false,
                                false,
                                false,
                                gemm::Parallelism::None,
                            );
                        }
                    }),
                    ("matrixmultiply", &mut || {
                        // SAFETY: the slices hold what the extents and strides say.
                        unsafe {
                            $multiply(
                                m,
                                k,
                                n,
                                1.0,
                                a.as_ptr(),
                                ar as isize,
                                ac as isize,
                                b.as_ptr(),
                                br as isize,
                                bc as isize,
                                0.0,
                                f.as_mut_ptr(),
                                n as isize,
                                1,
                            );
                        }
                    }),
                ]);
                let operations = 2e-9 * (m * k * n) as f64;
                let rates: Vec<f64> = seconds.iter().map(|seconds| operations / seconds).collect();
                let (exact, fast, peers) = (rates[0], rates[1], &rates[2..]);
                let [first, second] = tables;
                first.row(&name, &[&[exact], peers].concat(), Some(limits.separate));
                second.row(
                    &format!("{name}, fast"),
                    &[&[fast], peers].concat(),
                    Some(limits.fused),
                );
            }
        }
    };
}

/// Whether the arguments name this row.
fn is_asked_for(name: &str) -> bool {
    std::env::args().skip(1).all(|part| part == "--bench" || name.contains(&part))
}

/// Operations of a product whose work two threads share well.
const SHARED: usize = 1 << 27;

macro_rules! threads {
    ($name:ident, $float:ident) => {
        /// Each product on two threads against one; also the ratios of the large ones.
        fn $name(rows: &[Row], table: &mut Table, large: &mut Vec<f64>) {
            for &([m, k, n], form) in rows {
                let name = format!("{} {m} x {k} x {n} {form}", stringify!($float));
                if !is_asked_for(&name) {
                    continue;
                }
                let number = |i: usize| (i * 7919 % 101) as $float * 0.01 - 0.5;
                let a: Vec<$float> = (0..m * k).map(number).collect();
                let b: Vec<$float> = (0..k * n).map(number).collect();
                let matrix = |transposed: bool, rows: usize, columns: usize| {
                    if transposed { (1, rows) } else { (columns, 1) }
                };
                let (ar, ac) = matrix(form.starts_with('T'), m, k);
                let (br, bc) = matrix(form.ends_with('T'), k, n);
                let mut outs = [(); 2].map(|()| vec![0.0 as $float; m * n]);
                let [one, two] = &mut outs;
                let product = |threads: usize, out: &mut [$float]| {
                    poorgrad::set_threads(threads);
                    let (a, b) = (Matrix::new(&a, ar, ac), Matrix::new(&b, br, bc));
                    $float::gemm(&mut GemmTask::new([m, k, n], a, b, out));
                };
                let seconds = race(&mut [
                    ("two threads", &mut || product(2, two)),
                    ("one thread", &mut || product(1, one)),
                ]);
                poorgrad::set_threads(1);
                let operations = 2e-9 * (m * k * n) as f64;
                let rates: Vec<f64> = seconds.iter().map(|seconds| operations / seconds).collect();
                let is_large = 2 * m * k * n > SHARED;
                if is_large {
                    large.push(rates[0] / rates[1]);
                }
                table.row(&format!("{name}{}", if is_large { " *" } else { "" }), &rates, None);
            }
        }
    };
}

threads!(single_threads, f32);
threads!(double_threads, f64);

bench!(singles, f32, matrixmultiply::sgemm);
bench!(doubles, f64, matrixmultiply::dgemm);

fn main() {
    poorgrad::set_threads(1);
    let (single, double) = (limits::singles(), limits::doubles());
    println!("limits of one core, GFLOP/s: f32 {single:.1?}, f64 {double:.1?}");
    println!("ours multiplies and adds with two roundings where exact, the peers with one");
    let peers = ["faer", "gemm", "matrixmultiply"];
    let mut tables =
        ["products, exact", "products, fast"].map(|title| Table::new(title, "GFLOP/s", &peers));
    singles(&ROWS, &mut tables, single);
    let short: Vec<Row> = ROWS.iter().copied().filter(|([.., n], _)| *n < 40_000).collect();
    doubles(&short, &mut tables, double);
    doubles(&VECTORS, &mut tables, double);
    for table in tables {
        table.finish();
    }
    let mut table = Table::new("products on two threads", "GFLOP/s", &["one thread"]);
    let mut large = Vec::new();
    single_threads(&ROWS, &mut table, &mut large);
    double_threads(&short, &mut table, &mut large);
    double_threads(&VECTORS, &mut table, &mut large);
    table.finish();
    if large.is_empty() {
        return;
    }
    let least = large.iter().copied().fold(f64::INFINITY, f64::min);
    let mean = large.iter().fold(0.0, |sum, ratio| sum + ratio) / large.len() as f64;
    println!("rows with * take more than 2^27 operations: {mean:.2} on average, least {least:.2}");
}
