//! Overflow in values and in shapes.

use super::{elements, number, read};
use poorgrad::{Extent, Network, Tensor};

#[test]
fn b68_inverse_functions_do_not_cancel_across_an_overflow() {
    const INF: f64 = f64::INFINITY;
    read(&[number::<f32>(89.0)], |v| v[0].exp().ln()).value_is(&[INF]);
    let exp = read(&[number::<f32>(88.0)], |v| v[0].exp()).value;
    assert!((exp / 1.651_636_3e38 - 1.0).abs() < 1e-6);
    read(&[number::<f32>(1e20)], |v| (v[0] * v[0]).sqrt()).value_is(&[INF]);
    read(&[number::<f64>(710.0)], |v| v[0].exp().ln()).value_is(&[INF]);
    read(&[number::<f64>(1e200)], |v| (v[0] * v[0]).sqrt()).value_is(&[INF]);
}

#[test]
fn b85_shapes_that_overflow_are_refused() {
    elements!(E => {
        assert!(Tensor::<E>::try_full([4_611_686_018_427_387_906], 1.0).is_err());
        assert!(Tensor::<E>::try_full([1 << 30, 1 << 30, 16], 1.0).is_err());
        assert!(Tensor::<E>::try_new([1 << 30, 1 << 30, 16], vec![]).is_err());
        assert!(Tensor::<E>::try_selection(&[0], usize::MAX).is_err());
        let network = Network::new();
        let x = network.input(Tensor::<E>::zeros([6]));
        let recorded = network.len();
        assert!(x.try_reshape([Extent::Exactly(0), Extent::Infer]).is_err());
        assert!(x.try_reshape([Extent::Infer, Extent::Infer]).is_err());
        assert!(x.try_reshape([1 << 30, 1 << 30, 16]).is_err());
        assert!(x.try_reshape([7]).is_err());
        assert!(x.try_pad(0, usize::MAX, 1, 0.0).is_err());
        assert!(x.try_broadcast_to([usize::MAX, 6]).is_err());
        assert!(x.try_unfold(0, 2, usize::MAX, usize::MAX).is_err());
        // A window as wide as the axis is one window, whatever the step.
        assert_eq!(*x.unfold(0, 6, usize::MAX, 1).shape(), [1, 6]);
        assert_eq!(network.len(), recorded + 1);
        let huge = network.input(Tensor::<E>::zeros([1 << 40, 1 << 15]));
        assert!(huge.try_matmul(huge.transpose()).is_err());
        let recorded = network.len();
        assert!(poorgrad::Value::try_concat(&[huge; 3], 0).is_ok());
        assert!(poorgrad::Value::try_concat(&[huge; 1000], 0).is_err());
        assert_eq!(network.len(), recorded + 1);
    });
}

#[test]
fn b85_a_failed_reshape_leaves_nothing_changed() {
    elements!(E => {
        let network = Network::new();
        let x = network.input(Tensor::<E>::ones([6]));
        let y = x.sum();
        let panic = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| x.reshape([4])));
        assert!(panic.is_err());
        assert_eq!(network.len(), 2);
        assert_eq!(network.forward().of(y).item(), 6.0);
        assert_eq!(*x.reshape([2, 3]).shape(), [2, 3]);
    });
}
