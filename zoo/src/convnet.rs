//! Models of images that examples train: parameters by name first, then expressed once for each size
//! of batch. Raw operations alone; `models` has the same shapes for measurements.

use poorgrad::{Extent, Network, Shape, Symbol, Tensor, Value, Window, init};

use crate::images::CLASSES;

/// A stage: so many convolutions of this size, then a maximum pool that halves rows and columns.
#[derive(Clone, Copy, Debug)]
struct Stage {
    filters: usize,
    size: usize,
    padding: usize,
    convolutions: usize,
}

/// Stages of convolutions, then dense layers, `relu` between all.
#[derive(Clone, Debug)]
pub struct ConvNet {
    stages: Vec<(Stage, Vec<[Symbol; 2]>)>,
    dense: Vec<[Symbol; 2]>,
}

/// What a training step needs to know of a recorded loss.
#[derive(Clone, Copy, Debug)]
pub struct Loss {
    /// The input of images.
    pub images: Symbol,
    /// The input of classes, a selection.
    pub classes: Symbol,
    /// The scores `[batch, 10]`.
    pub scores: Symbol,
    /// The mean cross-entropy.
    pub loss: Symbol,
}

impl ConvNet {
    /// LeNet (LeCun, Bottou, Bengio and Haffner, 1998) with `relu` and maximum pools, for one channel of
    /// 28 by 28. Its weights begin at 0.4 of the width that [`init::kaiming`] gives them, which suits digits
    /// better: the example `mnist` says how that was found.
    #[must_use]
    pub fn lenet(network: &Network<Tensor>, seed: u64) -> Self {
        let stage = |filters| Stage { filters, size: 5, padding: 0, convolutions: 1 };
        let quiet = init::scaled(0.4, init::kaiming(seed));
        Self::new(network, [1, 28, 28], &[stage(6), stage(16)], &[120, 84], quiet)
    }

    /// Three stages of two 3 by 3 convolutions, in the style of VGG (Simonyan and Zisserman, 2015), for
    /// three channels of 32 by 32; the stages have `filters`, twice and four times as many.
    #[must_use]
    pub fn vgg(network: &Network<Tensor>, filters: usize, seed: u64) -> Self {
        let stage = |filters| Stage { filters, size: 3, padding: 1, convolutions: 2 };
        let stages = [stage(filters), stage(2 * filters), stage(4 * filters)];
        Self::new(network, [3, 32, 32], &stages, &[], init::kaiming(seed))
    }

    fn new(
        network: &Network<Tensor>,
        [mut channels, mut rows, mut columns]: [usize; 3],
        stages: &[Stage],
        hidden: &[usize],
        mut weights: impl FnMut(&Shape) -> Tensor,
    ) -> Self {
        let mut pair = |scope: &str, shape: Shape, outputs: usize| {
            let _scope = network.scope(scope);
            let weight = network.parameter(weights(&shape)).named("weight").symbol();
            let bias = network.parameter(Tensor::zeros([outputs])).named("bias").symbol();
            [weight, bias]
        };
        let (mut made, mut number) = (Vec::new(), 0);
        for &stage in stages {
            let mut convolutions = Vec::new();
            for _ in 0..stage.convolutions {
                number += 1;
                let shape = Shape::from([stage.filters, channels, stage.size, stage.size]);
                convolutions.push(pair(&format!("conv{number}"), shape, stage.filters));
                channels = stage.filters;
                let rest = |extent: usize| extent + 2 * stage.padding + 1 - stage.size;
                (rows, columns) = (rest(rows), rest(columns));
            }
            (rows, columns) = (rows / 2, columns / 2);
            made.push((stage, convolutions));
        }
        let (mut inputs, mut dense) = (channels * rows * columns, Vec::new());
        for (at, outputs) in hidden.iter().copied().chain([CLASSES]).enumerate() {
            let shape = Shape::from([inputs, outputs]);
            dense.push(pair(&format!("dense{}", at + 1), shape, outputs));
            inputs = outputs;
        }
        Self { stages: made, dense }
    }

    /// Scores `[batch, 10]` of images `[batch, channels, rows, columns]`.
    #[must_use]
    pub fn scores<'n>(
        &self,
        network: &'n Network<Tensor>,
        mut x: Value<'n, Tensor>,
    ) -> Value<'n, Tensor> {
        for (stage, convolutions) in &self.stages {
            for &[weight, bias] in convolutions {
                let window = Window::new().padding([[stage.padding; 2]; 2]);
                let y = x.conv2d(network.resolve(weight), &window);
                let bias = network.resolve(bias).reshape([stage.filters, 1, 1]);
                x = (y + bias.broadcast_like(y)).relu();
            }
            x = x.max_pool([2, 2], &Window::new().step([2, 2]));
        }
        let rest = x.shape()[1..].iter().product();
        x = x.reshape([Extent::Keep(0), Extent::Exactly(rest)]);
        for (at, &[weight, bias]) in self.dense.iter().enumerate() {
            let product = x.matmul(network.resolve(weight));
            x = product + network.resolve(bias).broadcast_like(product);
            if at + 1 < self.dense.len() {
                x = x.relu();
            }
        }
        x
    }

    /// Records the scores and the loss of a batch of so many images of `[channels, rows, columns]`.
    #[must_use]
    pub fn loss(
        &self,
        network: &Network<Tensor>,
        [channels, rows, columns]: [usize; 3],
        batch: usize,
    ) -> Loss {
        let images = network.input(Tensor::zeros([batch, channels, rows, columns])).named("images");
        let classes = network.input(Tensor::selection(&vec![0; batch], CLASSES)).named("classes");
        let scores = self.scores(network, images);
        let loss = scores.cross_entropy(classes);
        let [images, classes, scores, loss] = [images, classes, scores, loss].map(Value::symbol);
        Loss { images, classes, scores, loss }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parameters_are_as_many_as_the_models_are_known_for() {
        let count = |model: fn(&Network<Tensor>)| {
            let network = Network::new();
            model(&network);
            let volumes = network.parameters().map(|(_, w)| w.shape().iter().product::<usize>());
            volumes.fold(0, |sum, volume| sum + volume)
        };
        assert_eq!(count(|network| drop(ConvNet::lenet(network, 1))), 44_426);
        assert_eq!(count(|network| drop(ConvNet::vgg(network, 32, 1))), 307_498);
    }
}
