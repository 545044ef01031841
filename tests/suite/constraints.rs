//! Every numbered constraint, broken: the message, at the user's line, with nothing recorded.

use crate::refusal::refused;
use poorgrad::{Extent, Network, ShapeError, Tensor, Value, Window};
use std::ops::{Add, Div, Mul, Sub};

type Net = Network<Tensor<f32>>;

fn leaf<const R: usize>(network: &Net, shape: [usize; R]) -> Value<'_, Tensor<f32>> {
    network.input(Tensor::zeros(shape))
}

macro_rules! same_shape {
    ($($name:ident $method:ident $operation:literal;)*) => { $(
        #[test]
        fn $name() {
            let network = Net::new();
            let (a, b) = (leaf(&network, [2, 3]), leaf(&network, [3]));
            refused!(network, $operation, "C1", a.$method(b));
        }
    )* };
}
same_shape! {
    add_c1_one_shape add "add";
    sub_c1_one_shape sub "sub";
    mul_c1_one_shape mul "mul";
    div_c1_one_shape div "div";
    absorb_c1_one_shape absorb "absorb";
    absorb_div_c1_one_shape absorb_div "absorb_div";
    powf_c1_one_shape powf "powf";
    maximum_c1_one_shape maximum "maximum";
    compare_c1_one_shape lt "compare";
}

#[test]
fn comparisons_have_twins_that_return_the_refusal() {
    type Try<'n> = fn(Of<'n>, Of<'n>) -> Result<Of<'n>, ShapeError>;
    type Of<'n> = Value<'n, Tensor<f32>>;
    let network = Net::new();
    let (a, b) = (leaf(&network, [2, 3]), leaf(&network, [3]));
    let twins: [(Try<'_>, f32); 6] = [
        (Value::try_lt, 0.0),
        (Value::try_le, 1.0),
        (Value::try_gt, 0.0),
        (Value::try_ge, 1.0),
        (Value::try_eq, 1.0),
        (Value::try_ne, 0.0),
    ];
    for (compare, expected) in twins {
        assert_eq!(compare(a, b).expect_err("two shapes").constraint(), Some(1));
        let truth = compare(b, b).expect("one shape");
        assert_eq!(network.forward().of(truth).to_vec(), [expected; 3]);
    }
}

#[test]
fn select_c1_one_shape() {
    let network = Net::new();
    let (a, b) = (leaf(&network, [2]), leaf(&network, [3]));
    refused!(network, "select", "C1", a.select(a, b));
    refused!(network, "select", "C1", b.select(a, a));
}

#[test]
fn permute_c1_a_permutation() {
    let network = Net::new();
    let a = leaf(&network, [2, 3]);
    refused!(network, "permute", "C1", a.permute(&[0, 0]));
    refused!(network, "permute", "C1", a.permute(&[0]));
    refused!(network, "permute", "C1", a.permute(&[0, 2]));
    let row = leaf(&network, [2]);
    refused!(network, "transpose", "C1", row.transpose());
    let message = crate::refusal::caught(|| row.transpose()).0;
    assert!(message.contains("needs rank 2 (`unsqueeze` first): [2] (C1)"), "{message}");
}

#[test]
fn unsqueeze_c1_axis_at_most_the_rank() {
    let network = Net::new();
    let a = leaf(&network, [2, 3]);
    refused!(network, "unsqueeze", "C1", a.unsqueeze(3));
    assert_eq!(*a.unsqueeze(2).shape(), [2, 3, 1]);
}

#[test]
fn squeeze_c1_axis_in_range_c2_extent_one() {
    let network = Net::new();
    let a = leaf(&network, [1, 3]);
    refused!(network, "squeeze", "C1", a.squeeze(2));
    refused!(network, "squeeze", "C2", a.squeeze(1));
}

#[test]
fn narrow_c1_axis_in_range_c2_range_in_extent() {
    let network = Net::new();
    let a = leaf(&network, [5]);
    refused!(network, "narrow", "C1", a.narrow(1, 0, 1));
    refused!(network, "narrow", "C2", a.narrow(0, 3, 3));
    refused!(network, "narrow", "C2", a.narrow(0, usize::MAX, 2));
    assert_eq!(*a.narrow(0, 5, 0).shape(), [0]);
}

#[test]
fn pad_c1_axis_in_range_c2_no_overflow() {
    let network = Net::new();
    let a = leaf(&network, [5]);
    refused!(network, "pad", "C1", a.pad(1, 0, 1, 0.0));
    refused!(network, "pad", "C2", a.pad(0, usize::MAX, 0, 0.0));
    refused!(network, "pad", "C2", a.pad(0, 1 << 61, 0, 0.0));
}

#[test]
fn concat_c1_axis_c2_extents_c3_overflow() {
    let network = Net::new();
    let (a, b) = (leaf(&network, [2, 3]), leaf(&network, [2, 4]));
    refused!(network, "concat", "C1", Value::concat(&[a, a], 2));
    refused!(network, "concat", "C2", Value::concat(&[a, b], 0));
    let row = leaf(&network, [3]);
    refused!(network, "concat", "C2", Value::concat(&[a, row], 0));
    let wide = network.leaf(Tensor::full([1 << 58], 0.0));
    refused!(network, "concat", "C3", Value::concat(&[wide, wide, wide], 0));
    assert_eq!(*Value::concat(&[a, b], 1).shape(), [2, 7]);
}

#[test]
fn concat_c4_something_to_concatenate() {
    let error = Value::<Tensor<f32>>::try_concat(&[], 0).unwrap_err();
    assert_eq!(error.to_string(), "concat: nothing to concatenate (C4)");
    assert_eq!(error.constraint(), Some(4));
    let text = |operands: &str| {
        format!(
            "tape 1 f32\n%0 = leaf dense [1.0, 2.0] : [2]\n%1 = concat{operands} {{axis = 0}} : [2]\n"
        )
    };
    assert!(Net::parse(&text(" %0")).is_ok());
    assert!(Net::parse(&text("")).is_err());
}

#[test]
fn conv2d_c5_windows_within_the_address_space() {
    let network = Net::new();
    // Images of no channels have no elements, but as many windows as others.
    let images = network.leaf(Tensor::zeros([1 << 40, 0, 1 << 12, 1 << 12]));
    let weights = leaf(&network, [1, 0, 1, 1]);
    refused!(network, "conv2d", "C5", images.conv2d(weights, &Window::new()));
}

#[test]
fn broadcast_like_c1_the_numpy_rule() {
    let network = Net::new();
    let (a, b) = (leaf(&network, [2, 3]), leaf(&network, [3, 3]));
    refused!(network, "broadcast_like", "C1", a.broadcast_like(b));
    let row = leaf(&network, [3]);
    refused!(network, "broadcast_like", "C1", a.broadcast_like(row));
    refused!(network, "broadcast_to", "C1", a.broadcast_to([3]));
    refused!(network, "broadcast_pair", "C1", a.broadcast_pair(b));
}

#[test]
fn sum_like_c1_adjoint_of_a_broadcast() {
    let network = Net::new();
    let (a, b) = (leaf(&network, [2, 3]), leaf(&network, [2]));
    refused!(network, "sum_like", "C1", a.sum_like(b));
}

#[test]
fn broadcast_along_c1_axes_c2_other_extents() {
    let network = Net::new();
    let (a, like) = (leaf(&network, [2]), leaf(&network, [2, 3]));
    refused!(network, "broadcast_along", "C1", a.broadcast_along(&[2], like));
    refused!(network, "broadcast_along", "C1", a.broadcast_along(&[], like));
    refused!(network, "broadcast_along", "C1", a.broadcast_along(&[1, 0], like));
    refused!(network, "broadcast_along", "C2", a.broadcast_along(&[0], like));
}

#[test]
fn reshape_like_c1_volumes() {
    let network = Net::new();
    let (a, b) = (leaf(&network, [2, 3]), leaf(&network, [5]));
    refused!(network, "reshape_like", "C1", a.reshape_like(b));
}

#[test]
fn reshape_c1_kept_axes_c2_one_inferred_c3_volumes() {
    let network = Net::new();
    let a = leaf(&network, [2, 3]);
    refused!(network, "reshape", "C1", a.reshape([Extent::Keep(2)]));
    refused!(network, "reshape", "C2", a.reshape([Extent::Infer, Extent::Infer]));
    refused!(network, "reshape", "C2", a.reshape([Extent::Infer, Extent::Exactly(4)]));
    refused!(network, "reshape", "C2", a.reshape([Extent::Infer, Extent::Exactly(0)]));
    refused!(network, "reshape", "C3", a.reshape([7]));
    refused!(network, "reshape", "C3", a.reshape([1 << 30, 1 << 30, 16]));
    refused!(network, "reshape", "C3", a.reshape([usize::MAX - 1, usize::MAX - 2]));
}

#[test]
fn sum_along_c1_axes_c2_volume() {
    let network = Net::new();
    let a = leaf(&network, [2, 3]);
    refused!(network, "sum_along", "C1", a.sum_along(&[2]));
    refused!(network, "sum_along", "C1", a.sum_along(&[1, 0]));
    refused!(network, "sum_along", "C1", a.sum_along(&[]));
    refused!(network, "mean_along", "C1", a.mean_along(&[0, 0]));
    refused!(network, "variance_along", "C1", a.variance_along(&[5]));
    for (axes, problem) in [
        (&[2][..], "axis 2 is out of range, as the rank is 2: [2, 3] (C1)"),
        (&[1, 0], "axes [1, 0] are not distinct and in ascending order: [2, 3] (C1)"),
        (&[], "no axis is named; name at least one: [2, 3] (C1)"),
    ] {
        let message = a.try_sum_along(axes).expect_err("the axes are refused").to_string();
        assert!(message.starts_with(&format!("sum_along: {problem}")), "{message}");
    }
    let empty = leaf(&network, [0, usize::MAX]);
    refused!(network, "sum_along", "C2", empty.sum_along(&[0]));
    refused!(network, "mean_along", "C2", empty.mean_along(&[0]));
    refused!(network, "variance_along", "C2", empty.variance_along(&[0]));
}

#[test]
fn refusals_end_with_the_way_out() {
    let network = Net::new();
    let (a, b) = (leaf(&network, [2, 3]), leaf(&network, [4, 3]));
    let (row, scalar) = (leaf(&network, [3]), leaf(&network, []));
    let (many, few) = (leaf(&network, [2, 2, 3]), leaf(&network, [3, 3, 2]));
    let images = leaf(&network, [1, 4, 4]);
    for (refused, help) in [
        (a.try_matmul(b), "would agree with `transpose()` of the right operand"),
        (
            a.try_matmul(leaf(&network, [2, 5])),
            "would agree with `transpose()` of the left operand",
        ),
        (a.try_matmul(a), "would agree with `transpose()` of one of the operands"),
        (a.try_matmul(leaf(&network, [4, 2])), "would agree with the operands in turn"),
        (many.try_matmul(leaf(&network, [1, 3, 2])), "`broadcast_to` repeats an operand"),
        (a.try_add(row), "broadcast by name"),
        (a.try_minimum(row), "broadcast by name"),
        (a.try_broadcast_to([2, 6]), "trailing extents are equal or 1"),
        (a.try_broadcast_pair(b).map(|_| a), "trailing extents are equal or 1"),
        (row.try_broadcast_like(leaf(&network, [2])), "trailing extents are equal or 1"),
        (a.try_permute(&[0, 0]), "each of the 2 axes is named once"),
        (row.try_unfold(0, 4, 1, 1), "a smaller window"),
        (images.try_max_pool([2, 2], &Window::default()), "`[images, channels, height, width]`"),
        (a.try_narrow(1, 2, 2), "the axis has 1 from there"),
        (a.try_narrow(1, 4, 1), "the axis has 0 from there"),
        (a.try_narrow(2, 0, 1), "axes count from 0 to 1"),
        (row.try_softmax(1), "the only axis is 0"),
        (scalar.try_sum_along(&[0]), "a scalar has no axes; `unsqueeze`"),
        (a.try_unsqueeze(3), "a new axis goes to one of 0 to 2"),
        (scalar.try_unsqueeze(1), "a scalar's first axis is 0"),
        (a.try_squeeze(0), "`narrow` takes one position"),
        (a.try_reshape([Extent::Infer, Extent::Infer]), "one is enough"),
        (Value::try_concat(&[a, leaf(&network, [2, 4])], 0), "only axis 0 may differ"),
        (Value::try_concat(&[a, row], 0), "`unsqueeze` adds an axis"),
        (images.try_conv2d(images, &Window::default()), "`[images, channels, height, width]`"),
    ] {
        let message = refused.expect_err("the shapes are refused").to_string();
        let last = message.lines().last().unwrap_or_default();
        assert!(last.starts_with("  help: ") && last.contains(help), "no {help:?} in {message}");
    }
    // No way out that would be refused in its turn.
    for refused in [
        a.try_matmul(leaf(&network, [4, 5])),
        many.try_matmul(leaf(&network, [5, 4, 3])),
        many.try_matmul(few),
        a.try_matmul(b).map_err(|error| error.named("of_mine")),
    ] {
        let message = refused.expect_err("the shapes are refused").to_string();
        assert!(!message.contains("help: "), "{message}");
    }
}

#[test]
fn max_along_c1_axes_c2_not_empty() {
    let network = Net::new();
    let (a, empty) = (leaf(&network, [2, 3]), leaf(&network, [0, 3]));
    refused!(network, "max_along", "C1", a.max_along(&[2]));
    refused!(network, "max_along", "C2", empty.max_along(&[0]));
    assert_eq!(*empty.max_along(&[1]).shape(), [0]);
}

#[test]
fn first_max_along_c1_axes_c2_not_empty() {
    let network = Net::new();
    let (a, empty) = (leaf(&network, [2, 3]), leaf(&network, [0, 3]));
    refused!(network, "first_max_along", "C1", a.first_max_along(&[2]));
    refused!(network, "first_max_along", "C2", empty.first_max_along(&[0]));
}

macro_rules! rows {
    ($($name:ident $method:ident $operation:literal;)*) => { $(
        #[test]
        fn $name() {
            let network = Net::new();
            let (a, empty) = (leaf(&network, [2, 3]), leaf(&network, [2, 0]));
            refused!(network, $operation, "C1", a.$method(2));
            refused!(network, $operation, "C2", empty.$method(1));
        }
    )* };
}
rows! {
    log_sum_exp_c1_axis_c2_not_empty log_sum_exp "log_sum_exp";
    log_softmax_c1_axis_c2_not_empty log_softmax "log_softmax";
    softmax_c1_axis_c2_not_empty softmax "softmax";
}

#[test]
fn matmul_c1_ranks_c2_inner_c3_leading_c4_overflow() {
    let network = Net::new();
    let (a, b) = (leaf(&network, [2, 3]), leaf(&network, [4, 5]));
    let row = leaf(&network, [3]);
    refused!(network, "matmul", "C1", row.matmul(row));
    refused!(network, "matmul", "C1", a.matmul(row));
    refused!(network, "matmul", "C2", a.matmul(b));
    let (p, q) = (leaf(&network, [2, 2, 3]), leaf(&network, [3, 3, 2]));
    refused!(network, "matmul", "C3", p.matmul(q));
    let (tall, wide) = (leaf(&network, [1 << 30, 1]), leaf(&network, [1, 1 << 30]));
    refused!(network, "matmul", "C4", tall.matmul(wide));
    let error = a.try_matmul(b).unwrap_err().to_string();
    assert!(error.starts_with("matmul: inner dimensions differ: [2, 3] x [4, 5] (C2)"), "{error}");
    refused!(network, "dot", "C1", a.dot(b));
    refused!(network, "dot", "C1", a.dot(a));
}

#[test]
fn unfold_c1_axis_c2_numbers_c3_fits_c4_overflow() {
    let network = Net::new();
    let a = leaf(&network, [5]);
    refused!(network, "unfold", "C1", a.unfold(1, 2, 1, 1));
    refused!(network, "unfold", "C2", a.unfold(0, 0, 1, 1));
    refused!(network, "unfold", "C2", a.unfold(0, 1, 0, 1));
    refused!(network, "unfold", "C2", a.unfold(0, 1, 1, 0));
    refused!(network, "unfold", "C3", a.unfold(0, 6, 1, 1));
    refused!(network, "unfold", "C3", a.unfold(0, 3, 1, usize::MAX));
    let wide = leaf(&network, [1 << 40]);
    refused!(network, "unfold", "C4", wide.unfold(0, 1 << 39, 1, 1));
}

#[test]
fn fold_c1_axes_c2_numbers_c3_windows_c4_overflow() {
    let network = Net::new();
    let a = leaf(&network, [2, 3]);
    refused!(network, "fold", "C1", a.fold(1, 4, 1, 1));
    refused!(network, "fold", "C2", a.fold(0, 4, 0, 1));
    refused!(network, "fold", "C3", a.fold(0, 5, 1, 1));
    refused!(network, "fold", "C3", a.fold(0, 2, 1, 1));
    refused!(network, "fold", "C4", a.fold(0, 1 << 60, 1 << 58, 1 << 58));
}

#[test]
fn gather_c1_axes_c2_rows_c3_overflow_c4_selection() {
    let network = Net::new();
    let table = leaf(&network, [4, 2]);
    let scalar = leaf(&network, []);
    let rows = network.input(Tensor::selection(&[1, 0], 4));
    let others = network.input(Tensor::selection(&[1, 0], 3));
    refused!(network, "gather", "C1", scalar.gather(rows));
    refused!(network, "gather", "C2", table.gather(others));
    let wide = leaf(&network, [4, 1 << 56]);
    let many = network.input(Tensor::selection(&[0; 100], 4));
    refused!(network, "gather", "C3", wide.gather(many));
    let dense = leaf(&network, [2, 4]);
    refused!(network, "gather", "C4", table.gather(dense));
}

#[test]
fn scatter_c1_axis_c2_extents_c3_overflow_c4_selection() {
    let network = Net::new();
    let source = leaf(&network, [2, 3]);
    let scalar = leaf(&network, []);
    let rows = network.input(Tensor::selection(&[1, 0], 4));
    let three = network.input(Tensor::selection(&[1, 0, 2], 4));
    refused!(network, "scatter", "C1", source.scatter(scalar));
    refused!(network, "scatter", "C2", source.scatter(three));
    let wide = leaf(&network, [1, 1 << 40]);
    let far = network.input(Tensor::selection(&[1], 1 << 20));
    refused!(network, "scatter", "C3", wide.scatter(far));
    let dense = leaf(&network, [2, 4]);
    refused!(network, "scatter", "C4", source.scatter(dense));
    assert_eq!(*source.scatter(rows).shape(), [4, 3]);
}

#[test]
fn row_update_c1_ranks_c2_selection_c3_rows_c4_selection() {
    let network = Net::new();
    let (table, source) = (leaf(&network, [4, 3]), leaf(&network, [2, 3]));
    let scalar = leaf(&network, []);
    let rows = network.input(Tensor::selection(&[1, 0], 4));
    let three = network.input(Tensor::selection(&[1, 0, 2], 4));
    refused!(network, "row_update", "C1", table.row_update(scalar, rows));
    refused!(network, "row_update", "C2", table.row_update(source, three));
    let narrow = leaf(&network, [2, 2]);
    refused!(network, "row_update", "C3", table.row_update(narrow, rows));
    let dense = leaf(&network, [2, 4]);
    refused!(network, "row_update", "C4", table.row_update(source, dense));
}

#[test]
fn a_scalar_payload_cannot_take_axes() {
    let network = Network::new();
    let x = network.input(1.0_f64);
    let error = x.try_unsqueeze(0).unwrap_err();
    assert!(error.to_string().contains("use a tensor"), "{error}");
    assert_eq!(network.len(), 1);
}

#[test]
fn operands_of_different_networks_are_refused() {
    let (one, two) = (Network::new(), Network::new());
    let (a, b) = (one.input(1.0_f64), two.input(2.0));
    let error = a.try_add(b).unwrap_err();
    assert!(error.to_string().contains("different networks"), "{error}");
    assert_eq!(error.constraint(), None);
    let fork = one.clone();
    assert!(a.try_add(fork.resolve(a)).is_err(), "a fork is another network until resolved");
}

#[test]
fn a_refusal_is_bounded_whatever_it_refuses() {
    let network = Network::<Tensor<f32>>::new();
    let name = "n".repeat(1000);
    let _scope = network.scope(&name);
    let wide = network.leaf(Tensor::ones(vec![1; 1000])).named(&name);
    let other = leaf(&network, [2]);
    let parts = [wide, other].repeat(20);
    let error = Value::try_concat(&parts, 0).unwrap_err();
    assert_eq!(error.shapes().count(), 32);
    let message = error.to_string();
    assert!(message.contains("(1000 in all)] x [2] x .. (C2)"), "{message}");
    assert!(message.contains(&format!(" \"{0}...{0}..\" at ", &name[..200])), "{message}");
    assert!(message.contains("\n  and 8 more operands\n  help: "), "{message}");
    assert!(message.len() < 32_000, "{}", message.len());
}
