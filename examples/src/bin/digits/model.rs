//! The two models: a small network (784-32-16-10) and a convolutional one (5x5x32, 5x5x64, 512, 10).

use clap::ValueEnum;
use tensorfleet::prelude::*;
use tensorfleet::train::ExponentialMovingAverage;

/// How fast moving averages follow.
pub const MOVING_AVERAGE_DECAY: f32 = 0.99;

#[derive(Clone, Copy, PartialEq, ValueEnum)]
pub enum Kind {
    /// 784-32-16-10.
    Network,
    /// 5x5x32, 5x5x64, 512, 10.
    Cnn,
}

/// A model's weights and biases, layer by layer.
pub struct Model {
    kind: Kind,
    layers: Vec<(Variable, Variable)>,
}

impl Model {
    pub fn new(g: &Graph, kind: Kind) -> Model {
        let shapes: &[&[i64]] = match kind {
            Kind::Network => &[&[784, 32], &[32, 16], &[16, 10]],
            Kind::Cnn => &[&[5, 5, 1, 32], &[5, 5, 32, 64], &[7 * 7 * 64, 512], &[512, 10]],
        };
        let layer = |(number, shape): (usize, &&[i64])| {
            let (outputs, inputs) = shape.split_last().expect("a layer has a shape");
            let deviation = (2.0 / inputs.iter().product::<i64>() as f64).sqrt();
            let weights = Variable::new(&format!("layer{}/weights", number + 1), g.truncated_normal(*shape, deviation));
            (weights, Variable::new(&format!("layer{}/biases", number + 1), g.zeros([*outputs], DType::Float)))
        };
        Model { kind, layers: shapes.iter().enumerate().map(layer).collect() }
    }

    /// The logits `[batch, 10]` of images `[batch, 784]`. With averages, each variable's average stands for it.
    pub fn logits(&self, images: &Output, averages: Option<&ExponentialMovingAverage>) -> Output {
        let value_of = |variable: &Variable| {
            averages.and_then(|averages| averages.average(variable)).as_ref().unwrap_or(variable).value().clone()
        };
        let layers: Vec<(Output, Output)> = self.layers.iter().map(|(w, b)| (value_of(w), value_of(b))).collect();
        let mut value = images.clone();
        let mut dense = &layers[..];
        if self.kind == Kind::Cnn {
            value = value.reshape([-1, 28, 28, 1]);
            for (weights, biases) in &layers[..2] {
                value = value.conv2d(weights, [1, 1], Padding::Same).bias_add(biases).relu();
                value = value.max_pool([2, 2], [2, 2], Padding::Same);
            }
            value = value.reshape([-1, 7 * 7 * 64]);
            dense = &layers[2..];
        }
        for (number, (weights, biases)) in dense.iter().enumerate() {
            value = value.xw_plus_b(weights, biases);
            if number + 1 < dense.len() {
                value = value.relu();
            }
        }
        value
    }
}

/// The part of a batch whose largest logit is that of its label.
pub fn accuracy(logits: &Output, labels: &Output) -> Output {
    logits.argmax(1).equal(labels.argmax(1)).cast(DType::Float).reduce_mean(..)
}
