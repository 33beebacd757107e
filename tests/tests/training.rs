//! Models built with the Rust API learn the real MNIST.

use std::path::Path;

use tensorfleet::datasets::mnist::Mnist;
use tensorfleet::prelude::*;

fn mnist() -> Result<Mnist> {
    Mnist::read(Path::new(env!("CARGO_MANIFEST_DIR")).join("../data/mnist"))
}

/// The share of test images that `logits` classifies as labelled.
fn accuracy(session: &LocalSession, x: &Output, y_: &Output, accuracy: &Output, mnist: &Mnist) -> Result<f32> {
    let (images, labels) = (mnist.test.images()?, mnist.test.one_hot_labels()?);
    let mut sum = 0.0;
    let batch = 1000;
    for start in (0..mnist.test.len()).step_by(batch) {
        let images = images.window(start * 784, Shape::new(&[batch as i64, 784])?)?;
        let labels = labels.window(start * 10, Shape::new(&[batch as i64, 10])?)?;
        let result = session.fetch(RunRequest::new().feed(x, images).feed(y_, labels).fetch(accuracy))?;
        sum += result[0].to_scalar::<f32>()?;
    }
    Ok(sum * batch as f32 / mnist.test.len() as f32)
}

fn measure(logits: &Output, y_: &Output) -> Output {
    logits.argmax(1).equal(y_.argmax(1)).cast(DType::Float).reduce_mean(..)
}

#[test]
fn the_mlp_passes_0_965_in_3000_steps() -> Result<()> {
    let g = Graph::new();
    g.set_seed(1);
    let mut mnist = mnist()?;
    let (x, y_) = (g.placeholder(DType::Float, [None, Some(784)]), g.placeholder(DType::Float, [None, Some(10)]));
    let hid_w = Variable::new("hid_w", g.truncated_normal([784, 100], 1.0 / 28.0));
    let hid_b = Variable::new("hid_b", g.zeros([100], DType::Float));
    let sm_w = Variable::new("sm_w", g.truncated_normal([100, 10], 0.1));
    let sm_b = Variable::new("sm_b", g.zeros([10], DType::Float));
    let hid = x.xw_plus_b(&hid_w, &hid_b).relu();
    let y = hid.xw_plus_b(&sm_w, &sm_b).softmax();
    let loss = -(&y_ * y.clip_by_value(1e-10, 1.0).log()).reduce_sum(..);
    let global_step = Variable::untrained("global_step", g.constant(0i64));
    let train = Adam::new(0.003).minimize(&loss, Some(&global_step))?;
    let right = measure(&y, &y_);
    let init = global_variables_initializer(&g);

    let session = LocalSession::new(&g)?;
    session.run(RunRequest::new().target(&init))?;
    for _ in 0..3000 {
        let (images, labels) = mnist.train.next_batch(100)?;
        session.run(RunRequest::new().feed(&x, images).feed(&y_, labels).target(&train))?;
    }
    let steps = session.fetch(RunRequest::new().fetch(global_step.value()))?;
    assert_eq!(steps[0], Tensor::from(3000i64));
    let accuracy = accuracy(&session, &x, &y_, &right, &mnist)?;
    assert!(accuracy > 0.965, "accuracy is {accuracy}");
    Ok(())
}

#[test]
fn the_cnn_passes_0_98() -> Result<()> {
    let g = Graph::new();
    g.set_seed(2);
    let mut mnist = mnist()?;
    let (x, y_) = (g.placeholder(DType::Float, [None, Some(784)]), g.placeholder(DType::Float, [None, Some(10)]));
    let layer = |input: &Output, shape: [i64; 4]| {
        let w = Variable::new("w", g.truncated_normal(shape, 0.1));
        let b = Variable::new("b", g.zeros([shape[3]], DType::Float));
        input.conv2d(&w, [1, 1], Padding::Same).bias_add(&b).relu().max_pool([2, 2], [2, 2], Padding::Same)
    };
    let hidden = layer(&layer(&x.reshape([-1, 28, 28, 1]), [5, 5, 1, 32]), [5, 5, 32, 64]);
    let w1 = Variable::new("w1", g.truncated_normal([3136, 512], 0.02));
    let b1 = Variable::new("b1", g.zeros([512], DType::Float));
    let w2 = Variable::new("w2", g.truncated_normal([512, 10], 0.05));
    let b2 = Variable::new("b2", g.zeros([10], DType::Float));
    let hidden = (hidden.reshape([-1, 3136]).matmul(&w1) + &b1).relu();
    let logits = hidden.matmul(&w2) + &b2;
    let loss = logits.softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
    let train = Adam::new(0.001).minimize(&loss, None)?;
    let right = measure(&logits, &y_);
    let init = global_variables_initializer(&g);

    let session = LocalSession::new(&g)?;
    session.run(RunRequest::new().target(&init))?;
    for _ in 0..600 {
        let (images, labels) = mnist.train.next_batch(64)?;
        session.run(RunRequest::new().feed(&x, images).feed(&y_, labels).target(&train))?;
    }
    let accuracy = accuracy(&session, &x, &y_, &right, &mnist)?;
    assert!(accuracy > 0.98, "accuracy is {accuracy}");
    Ok(())
}
