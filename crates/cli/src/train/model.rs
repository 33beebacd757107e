//! The models that `tensorfleet train` offers.

use tensor::{DType, Result};
use tensorfleet::prelude::*;

use super::Model;

/// A model on batches of images `[batch, 784]` and one-hot labels `[batch, 10]`.
pub struct Built {
    pub x: Output,
    pub y_: Output,
    /// The mean over the batch.
    pub loss: Output,
    pub accuracy: Output,
    pub global_step: Variable,
}

/// Builds the nodes, all but those of training.
pub fn build(g: &graph::Graph, model: Model, hidden_units: i64) -> Result<Built> {
    let global_step = get_or_create_global_step(g);
    let x = g.placeholder(DType::Float, [None, Some(784)]);
    let y_ = g.placeholder(DType::Float, [None, Some(10)]);
    let y = match model {
        Model::Softmax => dense(g, &x, "sm", 784, 10),
        Model::Mlp => dense(g, &dense(g, &x, "hid", 784, hidden_units).relu(), "sm", hidden_units, 10),
        Model::Cnn => {
            let images = x.reshape([-1, 28, 28, 1]);
            let features = convolution(g, &convolution(g, &images, "conv1", 1, 32), "conv2", 32, 64);
            let features = features.reshape([-1, 7 * 7 * 64]);
            dense(g, &dense(g, &features, "fc1", 7 * 7 * 64, 512).relu(), "fc2", 512, 10)
        }
    };
    let loss = y.softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
    let accuracy = y.argmax(1).equal(y_.argmax(1)).cast(DType::Float).reduce_mean(..);
    g.check()?;
    Ok(Built { x, y_, loss, accuracy, global_step })
}

fn dense(g: &graph::Graph, input: &Output, name: &str, inputs: i64, outputs: i64) -> Output {
    let weights = g.truncated_normal([inputs, outputs], 1.0 / (inputs as f64).sqrt());
    let weights = Variable::new(&format!("{name}_w"), weights);
    input.xw_plus_b(&weights, &Variable::new(&format!("{name}_b"), g.zeros([outputs], DType::Float)))
}

/// A convolution of 5 by 5, and of each 2 by 2 the largest.
fn convolution(g: &graph::Graph, input: &Output, name: &str, inputs: i64, outputs: i64) -> Output {
    let weights = g.truncated_normal([5, 5, inputs, outputs], (2.0 / (25 * inputs) as f64).sqrt());
    let weights = Variable::new(&format!("{name}_w"), weights);
    let biases = Variable::new(&format!("{name}_b"), g.zeros([outputs], DType::Float));
    let features = input.conv2d(&weights, [1, 1], Padding::Same).bias_add(&biases).relu();
    features.max_pool([2, 2], [2, 2], Padding::Same)
}
