//! What an element may take into its own hands: its product and its element-wise functions.

use poorgrad::{Elementary, GemmTask, MapTask, Network, Tensor, Unary};
use std::cell::Cell;
use std::cmp::Ordering;

thread_local! {
    /// Products, maps, and how many tasks the element still takes.
    static TAKEN: [Cell<usize>; 3] = const { [Cell::new(0), Cell::new(0), Cell::new(0)] };
}

fn counts() -> [usize; 2] {
    TAKEN.with(|[products, maps, _]| [products.take(), maps.take()])
}

fn take(tasks: usize) {
    TAKEN.with(|[.., left]| left.set(tasks));
}

fn takes(count: impl Fn(&[Cell<usize>; 3]) -> &Cell<usize>) -> bool {
    TAKEN.with(|taken| {
        let left = taken[2].get();
        if left == 0 {
            return false;
        }
        taken[2].set(left - 1);
        count(taken).set(count(taken).get() + 1);
        true
    })
}

/// A number that brings kernels: its product adds 1000, so that one knows who computed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Own(f64);

impl Elementary for Own {
    const NAME: &'static str = "own";
    const BYTES: usize = 8;
    fn from_f64(value: f64) -> Self {
        Self(value)
    }
    fn to_f64(&self) -> f64 {
        self.0
    }
    fn is_zero(&self) -> bool {
        self.0 == 0.0
    }
    fn add(&self, rhs: &Self) -> Self {
        Self(self.0 + rhs.0)
    }
    fn sub(&self, rhs: &Self) -> Self {
        Self(self.0 - rhs.0)
    }
    fn mul(&self, rhs: &Self) -> Self {
        Self(self.0 * rhs.0)
    }
    fn div(&self, rhs: &Self) -> Self {
        Self(self.0 / rhs.0)
    }
    fn neg(&self) -> Self {
        Self(-self.0)
    }
    fn order(&self, rhs: &Self) -> Option<Ordering> {
        self.0.partial_cmp(&rhs.0)
    }
    fn write_bytes(&self, out: &mut Vec<u8>) {
        self.0.write_bytes(out);
    }
    fn read_bytes(bytes: &[u8]) -> Option<Self> {
        f64::read_bytes(bytes).map(Self)
    }
    fn gemm(task: &mut GemmTask<'_, Self>) -> bool {
        assert!(task.out.iter().all(Elementary::is_zero), "zeros when it is handed over");
        assert_eq!(task.out.len(), task.m * task.n);
        if !takes(|[products, ..]| products) {
            return false;
        }
        for i in 0..task.m {
            for j in 0..task.n {
                let terms = (0..task.k).map(|t| task.a.at(i, t).0 * task.b.at(t, j).0);
                task.out[i * task.n + j] = Self(terms.fold(1000.0, |sum, term| sum + term));
            }
        }
        true
    }
    fn map(task: &mut MapTask<'_, Self>) -> bool {
        assert_eq!(task.elements.len(), task.out.len());
        if task.op != Unary::Neg || !takes(|[_, maps, _]| maps) {
            return false;
        }
        for (x, y) in task.elements.iter().zip(task.out.iter_mut()) {
            *y = Self(1000.0 - x.0);
        }
        true
    }
}

fn own(rows: [[f64; 2]; 2]) -> Tensor<Own> {
    Tensor::from(rows.map(|row| row.map(Own)))
}

#[test]
fn an_element_may_take_a_product_or_leave_it() {
    let network = Network::new();
    let a = network.leaf(own([[1.0, 2.0], [3.0, 4.0]]));
    let b = network.leaf(own([[5.0, 6.0], [7.0, 8.0]]));
    let y = a.matmul(b.transpose());
    let exact = own([[17.0, 23.0], [39.0, 53.0]]);
    take(0);
    assert_eq!((network.forward().of(y), counts()), (exact.clone(), [0, 0]));
    take(1);
    let mine = exact.map(|x| Own(x.0 + 1000.0));
    assert_eq!((network.forward().of(y), counts()), (mine, [1, 0]));
    // The oracle never asks.
    take(1);
    assert_eq!((network.reference().forward().of(y), counts()), (exact, [0, 0]));
}

#[test]
fn an_element_may_take_a_map_or_leave_it() {
    let network = Network::new();
    let x = network.leaf(own([[1.0, 2.0], [3.0, 4.0]]));
    let (straight, turned) = (-x, -x.transpose());
    take(0);
    assert_eq!(network.forward().of(straight), own([[-1.0, -2.0], [-3.0, -4.0]]));
    assert_eq!(counts(), [0, 0]);
    take(2);
    let run = network.forward();
    assert_eq!(run.of(straight), own([[999.0, 998.0], [997.0, 996.0]]));
    assert_eq!(run.of(turned), own([[999.0, 997.0], [998.0, 996.0]]));
    assert_eq!(counts(), [0, 2]);
    take(2);
    assert_eq!(network.reference().forward().of(straight), own([[-1.0, -2.0], [-3.0, -4.0]]));
    assert_eq!(counts(), [0, 0]);
}
