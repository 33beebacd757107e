//! Runs the blocks of docs/api.md: each stands here as a test, word by word.

use tensorfleet::prelude::*;
use tensorfleet::train::local_variables_initializer;

#[test]
fn tensors() -> Result<()> {
    let matrix = Tensor::from([[1f32, 2.0], [3.0, 4.0]]);
    assert_eq!((matrix.dtype(), matrix.dims()), (DType::Float, &[2i64, 2][..]));
    let rows: Vec<Vec<f32>> = matrix.to()?;
    assert_eq!(rows[1], [3.0, 4.0]);
    let names: Vec<String> = Tensor::from(["weights", "biases"]).to()?;
    assert_eq!(names[0], "weights");

    let status = matrix.to::<f32>().unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "expected float of shape [], but the value is float of shape [2,2]");
    Ok(())
}

#[cfg(feature = "ndarray")]
#[test]
fn arrays() -> Result<()> {
    use tensorfleet::ndarray::{Array2, array};

    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(2)]);
    let doubled = &x * 2.0;
    let result: Array2<f32> = LocalSession::new(&g)?.feed(&x, array![[1f32, 2.0]]).eval(&doubled)?;
    assert_eq!(result, array![[2f32, 4.0]]);
    Ok(())
}

#[test]
fn graphs_and_ops() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(3)]);
    let y = (2.0 * &x + 1.0).relu().reduce_sum(1);
    let session = LocalSession::new(&g)?;
    let sums: Vec<f32> = session.feed(&x, [[1f32, 2.0, 3.0], [-1.0, -1.0, 1.0]]).eval(&y)?;
    assert_eq!(sums, [15.0, 3.0]);
    Ok(())
}

#[test]
fn options() -> Result<()> {
    use tensorfleet::ops::MatMulOptions;
    let g = Graph::new();
    let (a, b) = (g.constant([[1f32, 2.0]]), g.constant([[3f32, 4.0]]));
    let product = a.matmul_with(&b, MatMulOptions { transpose_b: true, ..Default::default() });

    let images = g.zeros([8, 28, 28, 1], DType::Float);
    let filter = g.truncated_normal([5, 5, 1, 32], 0.1);
    let features = images.conv2d(&filter, [1, 1], Padding::Same).max_pool([2, 2], [2, 2], Padding::Same);
    assert_eq!(features.shape().to_string(), "[8,14,14,32]");
    let value: [[f32; 1]; 1] = LocalSession::new(&g)?.eval(&product)?;
    assert_eq!(value, [[11.0]]);
    Ok(())
}

#[test]
fn gradients_and_optimizers() -> Result<()> {
    let g = Graph::new();
    let w = Variable::new("w", g.constant([3f32, -4.0]));
    let loss = (&w * &w).reduce_sum(..);
    let slope = gradients(&loss, &w)?.remove(0).expect("the loss depends on w").to_dense();
    let train = GradientDescent::new(0.25).minimize(&loss, None)?;

    let session = LocalSession::new(&g)?;
    session.eval(&global_variables_initializer(&g))?;
    let before: Vec<f32> = session.eval(&slope)?;
    assert_eq!(before, [6.0, -8.0]);
    session.eval(&train)?;
    let after: Vec<f32> = session.eval(&w)?;
    assert_eq!(after, [1.5, -2.0]);
    Ok(())
}

#[test]
fn layers_losses_and_metrics() -> Result<()> {
    use tensorfleet::train::trainable_variables;

    let g = Graph::new();
    let images = g.placeholder(DType::Float, [None, Some(784)]);
    let labels = g.placeholder(DType::Float, [None, Some(10)]);
    let hidden = layers::dense(&images, 32).activation(Output::relu).build();
    let logits = layers::dense(&hidden, 10).build();
    let loss = losses::softmax_cross_entropy(&labels, &logits).build();
    let accuracy = metrics::accuracy(&labels.argmax(1), &logits.argmax(1)).build();
    let train = Adam::new(0.01).minimize(&loss, None)?;
    let names: Vec<String> = trainable_variables(&g).iter().map(|variable| variable.name().to_owned()).collect();
    assert_eq!(names, ["dense/kernel", "dense/bias", "dense_1/kernel", "dense_1/bias"]);

    let session = LocalSession::new(&g)?;
    session.eval((&global_variables_initializer(&g), &local_variables_initializer(&g)))?;
    let (zeros, one) = (vec![[0f32; 784]; 2], [[1f32, 0., 0., 0., 0., 0., 0., 0., 0., 0.]; 2]);
    let step = session.feed(&images, Tensor::new([2, 784], zeros.concat())?).feed(&labels, one);
    let (_, before, _): (_, f32, Tensor) = step.eval((&train, &loss, &accuracy.update_op))?;
    assert!((before - 10f32.ln()).abs() < 1e-6, "{before}");
    Ok(())
}

#[test]
fn raw_ops() -> Result<()> {
    use tensorfleet::raw_ops;

    let g = Graph::new();
    let (a, b) = (g.constant([[1f32, 2.0]]), g.constant([[3f32, 4.0]]));
    let product = raw_ops::mat_mul(&a, &b).transpose_b(true).name("product").output();
    let value: [[f32; 1]; 1] = LocalSession::new(&g)?.eval(&product)?;
    assert_eq!(value, [[11.0]]);
    Ok(())
}

#[test]
fn sessions() -> Result<()> {
    use std::time::Duration;
    let g = Graph::new();
    let x = g.placeholder(DType::Float, ());
    let total = Variable::new("total", g.constant(0f32));
    let add = total.assign_add(&x);
    let session = LocalSession::new(&g)?;
    session.eval(&global_variables_initializer(&g))?;
    for value in [1f32, 2.0, 3.0] {
        session.feed(&x, value).eval(&add)?;
    }
    let (sum, names): (f32, Vec<String>) = session.eval((&total, &g.constant(["a", "b"])))?;
    assert_eq!((sum, names.len()), (6.0, 2));
    let sum: f64 = session.step().timeout(Duration::from_secs(10)).eval(&total.cast(DType::Double))?;
    assert_eq!(sum, 6.0);
    Ok(())
}

#[test]
fn saving() -> Result<()> {
    let folder = std::env::temp_dir().join(format!("api-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder)?;
    let g = Graph::new();
    let w = Variable::new("w", g.constant(1f32));
    let (change, saver) = (w.assign(5.0), Saver::new(&g));
    let session = LocalSession::new(&g)?;
    session.eval(&change)?;
    let path = saver.save(&session, folder.join("model.ckpt"), None)?;

    let another = LocalSession::new(&g)?;
    saver.restore(&another, path)?;
    assert_eq!(another.eval::<f32, _>(&w)?, 5.0);
    std::fs::remove_dir_all(&folder)?;
    Ok(())
}

#[test]
fn a_cluster() -> Result<()> {
    let cluster = LocalCluster::new(&[("ps", 1), ("worker", 2)])?;
    let g = Graph::new();
    let device = ReplicaDeviceSetter::for_cluster(cluster.spec()).worker_device("/job:worker/task:0");
    let (w, loss) = g.with_device(device, |g| {
        let w = Variable::new("w", g.constant(2f32)); // on the ps
        let loss = (&w - 1.0).square(); // on worker 0
        (w, loss)
    });
    let train = GradientDescent::new(0.5).minimize(&loss, None)?;
    let session = RemoteSession::new(cluster.target("worker", 0)?, &g)?;
    session.eval(&global_variables_initializer(&g))?;
    session.eval(&train)?;
    assert_eq!(session.eval::<f32, _>(&w)?, 1.0);
    Ok(())
}

#[test]
fn errors() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None]);
    let session = LocalSession::new(&g)?;
    let status = session.feed(&x, [1i32]).eval::<Tensor, _>(&x).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument);
    assert_eq!(status.message(), "tensor Placeholder:0 is of type float, but was fed a value of type int32");
    Ok(())
}

/// Without spaces, so that lines may be broken and indented differently.
fn words(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_whitespace()).collect()
}

#[test]
fn the_page_has_what_runs_here() {
    let here = words(include_str!("api_page.rs"));
    let blocks: Vec<&str> = include_str!("../../../docs/api.md")
        .split("```rust\n")
        .skip(1)
        .filter_map(|rest| rest.split("```").next())
        .collect();
    assert!(blocks.len() > 5, "docs/api.md has {} blocks", blocks.len());
    for block in blocks {
        assert!(here.contains(&words(block)), "docs/api.md has a block that is not run:\n{block}");
    }
}
