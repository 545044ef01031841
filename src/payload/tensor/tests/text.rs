//! How tensors print.

use super::*;

#[test]
fn columns_are_aligned() {
    let x = Tensor::from([[1.0_f32, -2.5], [10.0, 0.0]]);
    assert_eq!(x.to_string(), "[[ 1.0, -2.5],\n [10.0,  0.0]]");
    assert_eq!(format!("{x:.1}"), x.to_string());
    assert_eq!(format!("{:.2}", Tensor::from([1.0, 2.0 / 3.0])), "[1.00, 0.67]");
}

#[test]
fn debug_adds_what_the_elements_do_not_say() {
    let x = Tensor::from([[1.0_f32, 2.0], [3.0, 4.0]]);
    assert_eq!(
        format!("{x:?}"),
        "Tensor([[1.0, 2.0],\n        [3.0, 4.0]], shape=[2, 2], dtype=f32)"
    );
    assert_eq!(
        format!("{:?}", Tensor::full([2], 1.5)),
        "Tensor([1.5, 1.5], shape=[2], dtype=f64, storage=constant)"
    );
    let selection = Tensor::<f64>::selection(&[1], 2);
    assert!(format!("{selection:?}").ends_with("storage=selection)"));
}

#[test]
fn every_rank_has_its_brackets() {
    assert_eq!(Tensor::scalar(1.5).to_string(), "1.5");
    assert_eq!(Tensor::<f32>::zeros([0]).to_string(), "[]");
    assert_eq!(Tensor::<f32>::zeros([2, 0]).to_string(), "[[],\n []]");
    assert_eq!(counted([2, 1, 2]).to_string(), "[[[0.0, 1.0]],\n\n [[2.0, 3.0]]]");
    assert_eq!(Tensor::from([f64::INFINITY, -0.0]).to_string(), "[ inf, -0.0]");
}

#[test]
fn long_tensors_show_their_ends() {
    let text = Tensor::<f64>::arange(1001).to_string();
    assert_eq!(text, "[   0.0,    1.0,    2.0, ...,  998.0,  999.0, 1000.0]");
    assert_eq!(Tensor::<f64>::arange(1000).to_string().matches(',').count(), 999);
    let text = counted([1000, 2]).to_string();
    assert_eq!(text.lines().count(), 7);
    assert!(text.contains("\n ...,\n"), "{text}");
    // A huge constant prints at once.
    let text = Tensor::full([1 << 20, 1 << 20], 1.0_f32).to_string();
    assert!(text.len() < 400, "{text}");
}
