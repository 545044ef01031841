//! The conventions of `docs/spec/3-operations.md` that no other test pins by its name. (Those of
//! kinks are pinned in `gradients.rs`.)

use poorgrad::{Network, NetworkError, Tensor};

const INF: f64 = f64::INFINITY;

/// `broadcast-by-name`: no operation broadcasts silently.
#[test]
fn operands_of_two_shapes_are_refused_even_where_one_would_repeat() {
    let network = Network::new();
    let (row, table) = (network.leaf(Tensor::from([1.0])), network.leaf(Tensor::ones([2, 1])));
    assert_eq!(row.try_add(table).unwrap_err().constraint(), Some(1));
    assert_eq!(row.try_maximum(table).unwrap_err().constraint(), Some(1));
    assert_eq!(table.try_select(table, row).unwrap_err().constraint(), Some(1));
    assert_eq!(*row.broadcast_like(table).shape(), [2, 1]);
}

/// `impossible-class`: a target of 0 contributes 0.
#[test]
fn a_class_of_probability_zero_adds_nothing_where_its_target_is_zero() {
    let network = Network::new();
    let logits = network.input(Tensor::from([[0.0, -INF, 0.0]]));
    let targets = network.leaf(Tensor::from([[0.5, 0.0, 0.5]]));
    let loss = logits.cross_entropy(targets);
    assert_eq!(network.forward().of(loss).item(), std::f64::consts::LN_2);
}

/// `last-row-stays`: of equal names the last stays, and gets the gradient.
#[test]
fn the_last_of_equal_rows_stays_and_gets_the_gradient() {
    let network = Network::new();
    let table = network.input(Tensor::from([[1.0], [2.0], [3.0]]));
    let source = network.input(Tensor::from([[10.0], [20.0], [30.0]]));
    let at = network.input(Tensor::selection(&[1, 2, 1], 3));
    let y = table.row_update(source, at);
    let total = y.sum();
    let gradients = network.forward().backward(total);
    assert_eq!(network.forward().of(y).to_vec(), [1.0, 30.0, 20.0]);
    assert_eq!(gradients.of(source).to_vec(), [0.0, 1.0, 1.0]);
    assert_eq!(gradients.of(table).to_vec(), [1.0, 0.0, 0.0]);
}

/// `masked-row`: a row whose cotangent is 0 has the gradient 0 through the softmax family.
#[test]
fn a_fully_masked_row_poisons_no_gradient() {
    let network = Network::new();
    let x = network.input(Tensor::from([[-INF, -INF], [1.0, 2.0]]));
    let weight = network.leaf(Tensor::from([[0.0, 0.0], [1.0, -2.0]]));
    let line = network.leaf(Tensor::from([0.0, 1.0]));
    for y in [
        weight.absorb(x.softmax(1)).sum(),
        weight.absorb(x.log_softmax(1)).sum(),
        line.absorb(x.log_sum_exp(1)).sum(),
    ] {
        let run = network.forward();
        let gradient = run.backward(y).of(x).to_vec();
        assert_eq!(gradient[..2], [0.0, 0.0]);
        assert!(gradient[2..].iter().all(|g| g.is_finite() && *g != 0.0), "{gradient:?}");
    }
}

/// `maximum-signed-zeros`: `maximum(-0, +0)` is `+0`.
#[test]
fn the_maximum_of_the_two_zeros_is_the_positive_one() {
    let network = Network::new();
    let (negative, positive) = (network.leaf(-0.0_f64), network.leaf(0.0));
    let both = [negative.maximum(positive), positive.maximum(negative)];
    let run = network.forward();
    assert_eq!(both.map(|value| run.of(value).to_bits()), [0, 0]);
    assert_eq!(Tensor::from([-0.0_f64, 0.0, -0.0]).max_along(&[0]).item().to_bits(), 0);
}

/// `repeated-rows`: a row's gradient is the sum over every position that chose it.
/// `unselected-rows`: rows that nobody chose cannot influence the result, and get the gradient 0.
#[test]
fn a_row_gets_the_gradient_of_every_position_that_chose_it_and_no_other() {
    let network = Network::new();
    let table = network.input(Tensor::from([[1.0], [f64::NAN], [3.0]]));
    let at = network.input(Tensor::selection(&[2, 0, 2], 3));
    let weight = network.leaf(Tensor::from([[1.0], [10.0], [100.0]]));
    let rows = table.gather(at);
    let y = (rows * weight).sum();
    let run = network.forward();
    assert_eq!((run.of(rows).to_vec(), run.of(y).item()), (vec![3.0, 1.0, 3.0], 313.0));
    assert_eq!(run.backward(y).of(table).to_vec(), [10.0, 0.0, 101.0]);
}

/// `selection-feeds`: where the default is a selection, only selections fit.
#[test]
fn an_input_of_selections_takes_nothing_else() {
    let network = Network::new();
    let at = network.input(Tensor::<f64>::selection(&[0], 2));
    let dense = network.try_forward_with([(at, Tensor::from([[1.0, 0.0]]))]);
    assert!(matches!(dense, Err(NetworkError::FeedNotSelection { .. })));
    assert!(network.try_forward_with([(at, Tensor::selection(&[1], 2))]).is_ok());
}

/// `sigmoid-derivative` and `tanh-derivative`: the exact products that the rules state.
#[test]
fn the_slopes_of_sigmoid_and_tanh_are_the_stated_products() {
    for x in [-40.0_f64, -1.5, -0.0, 0.3, 7.0] {
        let network = Network::new();
        let x = network.input(x);
        let (s, t) = (x.sigmoid(), x.tanh());
        let complement = (-x).sigmoid();
        let run = network.forward();
        let slope = |y| run.backward(y).of(x).to_bits();
        assert_eq!(slope(s), (run.of(s) * run.of(complement)).to_bits());
        assert_eq!(slope(t), ((1.0 - run.of(t)) * (1.0 + run.of(t))).to_bits());
    }
}

/// `softmax-at-infinity`: what the family is where a line has no finite maximum (A12).
#[test]
fn the_softmax_family_at_the_infinities() {
    let of = |line: [f64; 3]| {
        let network = Network::new();
        let x = network.leaf(Tensor::from(line));
        let [softmax, log_softmax, sum] = [x.softmax(0), x.log_softmax(0), x.log_sum_exp(0)];
        let run = network.forward();
        let parts = [softmax, log_softmax].map(|y| run.of(y).to_vec());
        (parts, run.of(sum).item())
    };
    let ([softmax, log_softmax], sum) = of([-INF; 3]);
    assert!(softmax.iter().chain(&log_softmax).all(|x| x.is_nan()) && sum == -INF);
    let (_, sum) = of([1.0, INF, -INF]);
    assert_eq!(sum, INF);
    let ([softmax, log_softmax], sum) = of([1.0, f64::NAN, -INF]);
    assert!(softmax.iter().chain(&log_softmax).all(|x| x.is_nan()) && sum.is_nan());
    let ([softmax, log_softmax], sum) = of([2.0, -INF, -INF]);
    assert_eq!((softmax, log_softmax, sum), (vec![1.0, 0.0, 0.0], vec![0.0, -INF, -INF], 2.0));
}

/// `sum-of-negative-zero`: a sum is never `-0`.
#[test]
fn a_sum_is_never_negative_zero() {
    let network = Network::new();
    for shape in [vec![1], vec![3], vec![2, 9000], vec![0]] {
        let dense = Tensor::from_fn(shape.clone(), |_| -0.0_f64);
        for payload in [dense, Tensor::full(shape, -0.0)] {
            assert_eq!(payload.sum().to_bits(), 0);
            let sum = network.leaf(payload).sum();
            assert_eq!(network.forward().of(sum).item().to_bits(), 0);
        }
    }
}

/// `variance-biased`: the variance divides by `n`.
#[test]
fn the_variance_divides_by_the_number_of_elements() {
    let network = Network::new();
    let variance = network.leaf(Tensor::from([1.0, 2.0, 3.0, 6.0])).variance_along(&[0]);
    assert_eq!(network.forward().of(variance).item(), 3.5);
}
