//! The two models: the documents' MLP and the digit program's CNN, on MNIST.

use tensorfleet::prelude::*;

use crate::batches::Batches;
use crate::rate;

/// Steps a second of the MLP 784-100-10 with Adam, batch 100.
pub fn mlp(batches: Batches) -> Result<f64> {
    let g = Graph::new();
    g.set_seed(1);
    let (x, y_) = (g.placeholder(DType::Float, [None, Some(784)]), g.placeholder(DType::Float, [None, Some(10)]));
    let hid_w = Variable::new("hid_w", g.truncated_normal([784, 100], 1.0 / 28.0));
    let hid_b = Variable::new("hid_b", g.zeros([100], DType::Float));
    let sm_w = Variable::new("sm_w", g.truncated_normal([100, 10], 0.1));
    let sm_b = Variable::new("sm_b", g.zeros([10], DType::Float));
    let hid = x.xw_plus_b(&hid_w, &hid_b).relu();
    let y = hid.xw_plus_b(&sm_w, &sm_b).softmax();
    let loss = -(y_.clone() * y.clip_by_value(1e-10, 1.0).log()).reduce_sum(..);
    let step = Variable::untrained("global_step", g.constant(0i64));
    let train = Adam::new(0.01).minimize(&loss, Some(&step))?;
    steps(&g, &x, &y_, &train, batches)
}

/// Steps a second of the CNN 5x5x32, 5x5x64, fc 512 with gradient descent, batch 128.
pub fn cnn() -> Result<f64> {
    let g = Graph::new();
    g.set_seed(2);
    let (x, y_) = (g.placeholder(DType::Float, [None, Some(784)]), g.placeholder(DType::Float, [None, Some(10)]));
    let images = x.reshape([-1, 28, 28, 1]);
    let hidden = layer(&g, &layer(&g, &images, [5, 5, 1, 32]), [5, 5, 32, 64]);
    let w1 = Variable::new("w1", g.truncated_normal([3136, 512], 0.1));
    let b1 = Variable::new("b1", g.constant([0.1f32; 512]));
    let w2 = Variable::new("w2", g.truncated_normal([512, 10], 0.1));
    let b2 = Variable::new("b2", g.constant([0.1f32; 10]));
    let hidden = (hidden.reshape([-1, 3136]).matmul(&w1) + &b1).relu();
    let logits = hidden.matmul(&w2) + &b2;
    let loss = logits.softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
    let train = GradientDescent::new(0.01).minimize(&loss, None)?;
    steps(&g, &x, &y_, &train, Batches::of_mnist(128)?)
}

fn layer(g: &Graph, input: &Output, shape: [i64; 4]) -> Output {
    let w = Variable::new("w", g.truncated_normal(shape, 0.1));
    let b = Variable::new("b", g.constant(Tensor::vector(&vec![0.1f32; shape[3] as usize])));
    input.conv2d(&w, [1, 1], Padding::Same).bias_add(&b).relu().max_pool([2, 2], [2, 2], Padding::Same)
}

fn steps(g: &Graph, x: &Output, y_: &Output, train: &Operation, mut batches: Batches) -> Result<f64> {
    let init = global_variables_initializer(g);
    let session = LocalSession::new(g)?;
    session.run(RunRequest::new().target(&init))?;
    rate(|| {
        let (images, labels) = batches.next();
        session.run(RunRequest::new().feed(x, images).feed(y_, labels).target(train)).map(drop)
    })
}
