//! Layers, losses and metrics agree with TensorFlow 2.21 in values and gradients, and models of them learn.
//! `testdata/layers.py` recorded what TensorFlow computes.

use tensorfleet::layers::{self, GruCell, LstmCell, RnnCell};
use tensorfleet::losses::{self, ElementLoss, Loss, Reduction};
use tensorfleet::metrics::{self, Metric};
use tensorfleet::prelude::*;
use tensorfleet::train::{
    Initializer, VariableKind, VariableScope, collection, keys, local_variables_initializer, trainable_variables,
};

/// What TensorFlow computed.
fn recorded(case: &str) -> Vec<f64> {
    let text = std::fs::read_to_string(format!("{}/testdata/layers.tsv", env!("CARGO_MANIFEST_DIR"))).unwrap();
    let begin = format!("{case}\t");
    let line = text.lines().find_map(|line| line.strip_prefix(&begin)).unwrap_or_else(|| panic!("no case {case}"));
    line.split(' ').map(|value| value.parse().unwrap()).collect()
}

fn assert_same(case: &str, tensors: &[Tensor]) {
    let values = |tensor: &Tensor| tensor.as_slice::<f32>().unwrap().iter().map(|x| f64::from(*x)).collect::<Vec<_>>();
    let (ours, theirs) = (tensors.iter().flat_map(values).collect::<Vec<f64>>(), recorded(case));
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-5 + 1e-5 * b.abs();
    assert!(
        ours.len() == theirs.len() && ours.iter().zip(&theirs).all(close),
        "{case}\nours   {ours:?}\ntheirs {theirs:?}"
    );
}

/// The numbers of `fill` in `layers.py`.
fn fill(shape: &[i64], k: usize) -> Tensor {
    let shape = Shape::new(shape).unwrap();
    let values: Vec<f32> = (0..shape.num_elements()).map(|i| (((i * 7 + 3 * k) % 11) as f32 - 5.0) / 8.0).collect();
    Tensor::from_slice(&shape, &values).unwrap()
}

fn times(tensor: &Tensor, factor: f32) -> Tensor {
    let values: Vec<f32> = tensor.as_slice::<f32>().unwrap().iter().map(|value| value * factor).collect();
    Tensor::from_slice(tensor.shape(), &values).unwrap()
}

fn absolute(tensor: &Tensor) -> Tensor {
    let values: Vec<f32> = tensor.as_slice::<f32>().unwrap().iter().map(|value| value.abs()).collect();
    Tensor::from_slice(tensor.shape(), &values).unwrap()
}

const ONE_HOT: [[f32; 3]; 4] = [[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];

/// Every reduction with every kind of weights, and the gradient of each.
fn check_loss<E: ElementLoss>(
    name: &str,
    labels: impl Into<Tensor>,
    predictions: Tensor,
    begin: impl Fn(&Output, &Output) -> Loss<E>,
) {
    let labels = labels.into();
    let by_example = name.contains("softmax") || name == "smoothed";
    use Reduction::{Mean, None, Sum, SumByNonzeroWeights, SumOverBatchSize};
    for reduction in [None, Sum, Mean, SumOverBatchSize, SumByNonzeroWeights] {
        for kind in ["one", "half", "tensor"] {
            let g = Graph::new();
            let given = g.constant(predictions.clone());
            let loss = begin(&g.constant(labels.clone()), &given).reduction(reduction);
            let loss = match (kind, by_example) {
                ("one", _) => loss,
                ("half", _) => loss.weights(0.5),
                (_, true) => loss.weights(&g.constant([2f32, 0.0, 1.0, 0.5])),
                (_, false) => loss.weights(&g.constant([[2f32], [0.0], [1.0], [0.5]])),
            };
            let loss = loss.build();
            let gradient = gradients(std::slice::from_ref(&loss), &[given]).unwrap()[0].clone().unwrap().to_dense();
            let session = LocalSession::new(&g).unwrap();
            let values = session.fetch(RunRequest::new().fetch(&loss).fetch(&gradient)).unwrap();
            assert_same(&format!("{name} {reduction:?} {kind}"), &values);
            assert_eq!(collection(&g, keys::LOSSES).len(), 1);
        }
    }
}

#[test]
fn losses_and_their_gradients() {
    let logits = times(&fill(&[4, 3], 1), 4.0);
    let probabilities = absolute(&fill(&[4, 3], 2));
    check_loss("mean_squared_error", ONE_HOT, logits.clone(), losses::mean_squared_error);
    check_loss("absolute_difference", ONE_HOT, logits.clone(), losses::absolute_difference);
    check_loss("huber", ONE_HOT, logits.clone(), |labels, logits| losses::huber(labels, logits).delta(0.75));
    check_loss("hinge", ONE_HOT, logits.clone(), losses::hinge);
    check_loss("log_loss", ONE_HOT, probabilities, losses::log_loss);
    check_loss("sigmoid_cross_entropy", ONE_HOT, logits.clone(), losses::sigmoid_cross_entropy);
    check_loss("softmax_cross_entropy", ONE_HOT, logits.clone(), losses::softmax_cross_entropy);
    check_loss("smoothed", ONE_HOT, logits.clone(), |labels, logits| {
        losses::softmax_cross_entropy(labels, logits).label_smoothing(0.25)
    });
    check_loss("sparse_softmax_cross_entropy", [0i64, 2, 1, 2], logits, losses::sparse_softmax_cross_entropy);
}

#[test]
fn metrics_over_three_batches() {
    type Build = fn(&Output, &Output, Option<&Output>) -> Metric;
    macro_rules! metric {
        ($begin:expr, $weights:expr) => {
            match $weights {
                Some(weights) => $begin.weights(weights).build(),
                None => $begin.build(),
            }
        };
    }
    let decided =
        |score: &Output| score.graph().op("Greater").input(score).input(score.graph().constant(0.3f32)).output();
    let all: [(&str, Build); 6] = [
        ("mean", |_, score, weights| metric!(metrics::mean(score), weights)),
        ("accuracy", |label, decided, weights| metric!(metrics::accuracy(label, decided), weights)),
        ("precision", |label, decided, weights| metric!(metrics::precision(label, decided), weights)),
        ("recall", |label, decided, weights| metric!(metrics::recall(label, decided), weights)),
        ("auc", |label, score, weights| metric!(metrics::auc(label, score).num_thresholds(20), weights)),
        ("mean_squared_error", |label, score, weights| metric!(metrics::mean_squared_error(label, score), weights)),
    ];
    for (name, build) in all {
        let kinds = ["plain", "weighted"]
            .into_iter()
            .flat_map(|kind| [VariableKind::Ref, VariableKind::Resource].map(|variables| (kind, variables)));
        for (kind, variables) in kinds {
            let g = Graph::new();
            Variable::set_kind(&g, variables);
            let (label, score) = (g.placeholder(DType::Int64, [None]), g.placeholder(DType::Float, [None]));
            let predictions = match name {
                "accuracy" | "precision" | "recall" => decided(&score).cast(DType::Int64),
                _ => score.clone(),
            };
            let weights = (kind == "weighted").then(|| g.constant([1f32, 0.0, 2.0, 0.5]));
            let metric = build(&label, &predictions, weights.as_ref());
            let session = LocalSession::new(&g).unwrap();
            session.run(RunRequest::new().target(&local_variables_initializer(&g))).unwrap();
            let mut seen = Vec::new();
            for (k, labels) in [[1i64, 0, 1, 1], [0, 0, 1, 0], [1, 1, 0, 0]].into_iter().enumerate() {
                let request = RunRequest::new().feed(&label, labels).feed(&score, absolute(&fill(&[4], k)));
                seen.extend(session.fetch(request.fetch(&metric.update_op)).unwrap());
                seen.extend(session.fetch(RunRequest::new().fetch(&metric.value)).unwrap());
            }
            assert_same(&format!("{name} {kind}"), &seen);
        }
    }
}

#[test]
fn batch_normalization_and_its_moving_averages() {
    for (rank, shape) in [(4, &[2i64, 3, 2, 3][..]), (2, &[5, 3])] {
        let g = Graph::new();
        let (x, training) = (g.constant(fill(shape, 4)), g.placeholder(DType::Bool, PartialShape::scalar()));
        let y = layers::batch_norm(&x).momentum(0.9).training(&training).name("norm").build();
        let trained = trainable_variables(&g);
        assert_eq!(trained.iter().map(Variable::name).collect::<Vec<_>>(), ["norm/gamma", "norm/beta"]);
        let loss = (&y * &y * g.constant(fill(shape, 5))).reduce_sum(..);
        let handles: Vec<Output> = trained.iter().map(|variable| variable.handle().clone()).collect();
        let found = gradients(&[loss], &handles).unwrap();
        let found: Vec<Output> = found.into_iter().map(|gradient| gradient.unwrap().to_dense()).collect();
        let moving: Vec<Variable> =
            ["norm/moving_mean", "norm/moving_variance"].map(|name| Variable::find(&g, name).unwrap()).to_vec();
        let init = global_variables_initializer(&g);
        let (gamma, beta) = (fill(&[3], 0), fill(&[3], 1));
        let set = g.group(&[trained[0].assign(g.constant(gamma)), trained[1].assign(g.constant(beta))]);
        let session = LocalSession::new(&g).unwrap();
        session.run(RunRequest::new().target(&init)).unwrap();
        session.run(RunRequest::new().target(&set)).unwrap();
        let request = RunRequest::new().feed(&training, true);
        let mut values = session.fetch(request.clone().fetch(&y).fetch(&found[0]).fetch(&found[1])).unwrap();
        // Without training, the averages stay as they are.
        let mut request = request;
        for name in collection(&g, keys::UPDATE_OPS) {
            session.run(RunRequest::new().feed(&training, false).target(&*name)).unwrap();
            request = request.target(&*name);
        }
        session.run(request).unwrap();
        for variable in &moving {
            values.extend(session.fetch(RunRequest::new().fetch(variable.value())).unwrap());
        }
        values.extend(session.fetch(RunRequest::new().feed(&training, false).fetch(&y)).unwrap());
        assert_same(&format!("batch_norm {rank}"), &values);
    }
}

#[test]
fn recurrent_networks_and_their_gradients() {
    let cells: [(&str, Box<dyn RnnCell>); 2] =
        [("lstm", Box::new(LstmCell::new(4))), ("gru", Box::new(GruCell::new(4)))];
    for (name, cell) in cells {
        for kind in ["whole", "lengths", "unrolled", "time_major", "resource"] {
            let g = Graph::new();
            Variable::set_kind(&g, if kind == "resource" { VariableKind::Resource } else { VariableKind::Ref });
            let x = g.constant(fill(&[2, 3, 5], 1));
            let (outputs, states) = match kind {
                "unrolled" => {
                    let (outputs, states) = layers::static_rnn(&*cell, &x.unstack(3, 1)).build();
                    (g.stack(&outputs, 1), states)
                }
                _ => {
                    let rnn = match kind {
                        "time_major" => layers::dynamic_rnn(&*cell, &x.transpose(&[1, 0, 2])).time_major(),
                        "lengths" => layers::dynamic_rnn(&*cell, &x).sequence_length(&g.constant([3i32, 1])),
                        _ => layers::dynamic_rnn(&*cell, &x),
                    };
                    let rnn = rnn.build();
                    let outputs = rnn.outputs;
                    (if kind == "time_major" { outputs.transpose(&[1, 0, 2]) } else { outputs }, rnn.states)
                }
            };
            let variables = trainable_variables(&g);
            let handles: Vec<Output> = variables.iter().map(|variable| variable.handle().clone()).collect();
            let found = gradients(&[(&outputs * &outputs).reduce_sum(..)], &handles).unwrap();
            let init = global_variables_initializer(&g);
            let mut request = RunRequest::new().fetch(&outputs);
            for state in &states {
                request = request.fetch(state);
            }
            for gradient in found {
                request = request.fetch(&gradient.unwrap().to_dense());
            }
            let mut assigns = vec![init];
            for (k, variable) in variables.iter().enumerate() {
                let shape = variable.shape().to_shape().unwrap();
                assigns.push(variable.assign(g.constant(fill(shape.dims(), k))));
            }
            let session = LocalSession::new(&g).unwrap();
            for assign in &assigns {
                session.run(RunRequest::new().target(assign)).unwrap();
            }
            let recorded = if kind == "lengths" { "lengths" } else { "whole" };
            assert_same(&format!("{name} {recorded}"), &session.fetch(request).unwrap());
        }
    }
}

/// Trains for so many steps. Returns the first and the last loss.
fn train(g: &Graph, loss: &Output, steps: usize) -> Result<[f32; 2]> {
    let train = Adam::new(0.05).minimize(loss, None)?;
    let init = global_variables_initializer(g);
    let session = LocalSession::new(g)?;
    session.run(RunRequest::new().target(&init))?;
    let first = session.fetch(RunRequest::new().fetch(loss))?[0].to_scalar()?;
    for _ in 0..steps {
        session.run(RunRequest::new().target(&train))?;
    }
    Ok([first, session.fetch(RunRequest::new().fetch(loss))?[0].to_scalar()?])
}

#[test]
fn a_small_convolutional_model_learns() {
    let g = Graph::new();
    g.set_seed(1);
    let images = g.constant(fill(&[6, 6, 6, 2], 3));
    let labels = g.constant([0i64, 1, 2, 0, 1, 2]);
    let x = layers::conv2d(&images, 4, 3).padding(Padding::Same).activation(Output::relu).build();
    let x = layers::max_pool2d(&x, 2, 2).build();
    let x = layers::batch_norm(&x).training(true).build();
    let x = layers::dense(&layers::flatten(&x), 8).activation(Output::tanh).build();
    let x = layers::dropout(&x, 0.1).training(false).build();
    losses::sparse_softmax_cross_entropy(&labels, &layers::dense(&x, 3).build()).build();
    let loss = losses::total_loss(&g).unwrap();
    let [first, last] = train(&g, &loss, 60).unwrap();
    assert!(last < 0.1 * first, "{first} {last}");
}

#[test]
fn embedded_words_are_told_apart_by_a_recurrent_network() {
    let g = Graph::new();
    g.set_seed(1);
    let words = g.constant([[1i64, 2, 3], [3, 2, 1]]); // the same words the other way round
    let vectors = layers::embedding(&words, 10, 4).build();
    let rnn = layers::dynamic_rnn(&LstmCell::new(6), &vectors).build();
    let logits = layers::dense(&rnn.states[1], 2).build();
    let loss = losses::sparse_softmax_cross_entropy(&g.constant([0i64, 1]), &logits).build();
    let [first, last] = train(&g, &loss, 80).unwrap();
    assert!(last < 0.2 * first, "{first} {last}");
}

#[test]
fn layers_of_one_scope_share_their_variables() {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(4)]);
    let scope = || VariableScope::new("tower").reuse(tensorfleet::train::Reuse::Auto);
    for _ in 0..2 {
        g.with_variable_scope(scope(), |_| layers::dense(&layers::dense(&x, 4).build(), 4).build());
    }
    let names: Vec<String> = trainable_variables(&g).iter().map(|variable| variable.name().to_owned()).collect();
    assert_eq!(names, ["tower/dense/kernel", "tower/dense/bias", "tower/dense_1/kernel", "tower/dense_1/bias"]);
    g.check().unwrap();
    layers::dense(&g.placeholder(DType::Float, PartialShape::unknown()), 3).build();
    let mistake = g.check().unwrap_err();
    assert!(mistake.message().contains("The last dimension of the inputs to a Dense layer"), "{mistake}");
}

#[test]
fn matrices_of_more_than_two_dimensions_go_through_dense_layers() {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(2), Some(3)]);
    let y = layers::dense(&x, 1).kernel_initializer(Initializer::Ones).build();
    assert_eq!(y.shape(), PartialShape::from([None, Some(2), Some(1)]));
    let session = LocalSession::new(&g).unwrap();
    session.run(RunRequest::new().target(&global_variables_initializer(&g))).unwrap();
    let values = Tensor::from_slice(&Shape::new(&[1, 2, 3]).unwrap(), &[1f32, 2.0, 3.0, 4.0, 5.0, 6.0]).unwrap();
    let sums = session.fetch(RunRequest::new().feed(&x, values).fetch(&y)).unwrap();
    assert_eq!(sums[0].as_slice::<f32>().unwrap(), [6.0, 15.0]);
}

#[test]
fn a_sequence_goes_on_from_its_states() {
    let g = Graph::new();
    let x = g.constant(fill(&[2, 3, 5], 1));
    let steps = x.unstack(3, 1);
    let cell = LstmCell::new(4);
    let whole = layers::dynamic_rnn(&cell, &x).build();
    let states = g.with_variable_scope(VariableScope::new("rnn").reuse(tensorfleet::train::Reuse::Yes), |_| {
        // The variables of the loop are found again by their scope.
        let variables: Vec<Output> = cell.variables(&g, 5, DType::Float).iter().map(|v| v.value().clone()).collect();
        let zeros = || g.zeros([2, 4], DType::Float);
        let mut states = vec![zeros(), zeros()];
        for step in &steps {
            states = cell.step(&variables, step, &states).1;
        }
        states
    });
    let session = LocalSession::new(&g).unwrap();
    session.run(RunRequest::new().target(&global_variables_initializer(&g))).unwrap();
    for (by_hand, of_loop) in states.iter().zip(&whole.states) {
        let values = session.fetch(RunRequest::new().fetch(by_hand).fetch(of_loop)).unwrap();
        let [by_hand, of_loop] = [0, 1].map(|at: usize| values[at].as_slice::<f32>().unwrap());
        assert!(by_hand.iter().zip(of_loop).all(|(a, b)| (a - b).abs() < 1e-6), "{by_hand:?} {of_loop:?}");
    }
    assert_eq!(trainable_variables(&g).len(), 2);
}

#[test]
fn dropout_is_for_training() {
    let g = Graph::new();
    let (x, training) = (g.ones([200], DType::Float), g.placeholder(DType::Bool, PartialShape::scalar()));
    let y = layers::dropout(&x, 0.75).training(&training).seed(3).build();
    let session = LocalSession::new(&g).unwrap();
    let run = |training_now: bool| {
        let values = session.fetch(RunRequest::new().feed(&training, training_now).fetch(&y)).unwrap();
        values[0].as_slice::<f32>().unwrap().to_vec()
    };
    assert!(run(false).iter().all(|value| *value == 1.0));
    let trained = run(true);
    assert!(trained.iter().all(|value| *value == 0.0 || *value == 4.0), "{trained:?}");
    // 50 of 200 are to be expected; 20 and 90 are six standard deviations away.
    assert!((20..90).contains(&trained.iter().filter(|value| **value > 0.0).count()));
}

#[test]
fn penalties_on_weights_are_part_of_the_total_loss() {
    let g = Graph::new();
    let x = g.constant([[1f32, 1.0]]);
    let dense = |name: &str| layers::dense(&x, 1).kernel_initializer(Initializer::constant(2f32)).name(name);
    dense("a").kernel_regularizer(layers::Regularizer::L1(0.5)).build(); // 0.5 * (2 + 2)
    let y = dense("b").kernel_regularizer(layers::Regularizer::L2(0.25)).build(); // 0.25 * (4 + 4) / 2
    losses::absolute_difference(&g.constant([[0f32]]), &y).build(); // 4
    let sums = [
        losses::total_loss(&g).unwrap(),
        losses::total_loss_without_regularization(&g).unwrap(),
        losses::regularization_loss(&g).unwrap(),
    ];
    let session = LocalSession::new(&g).unwrap();
    session.run(RunRequest::new().target(&global_variables_initializer(&g))).unwrap();
    let request = sums.iter().fold(RunRequest::new(), |request, sum| request.fetch(sum));
    assert_eq!(session.fetch(request).unwrap(), [Tensor::from(7f32), Tensor::from(4f32), Tensor::from(3f32)]);
}

/// TensorFlow refuses them when the graph is built; broadcast, they would make pairs of all labels and all predictions.
#[test]
fn labels_of_another_shape_than_the_predictions_are_a_mistake() {
    type Build = fn(&Output, &Output);
    let refused: [Build; 12] = [
        |labels, predictions| drop(losses::absolute_difference(labels, predictions).build()),
        |labels, predictions| drop(losses::hinge(labels, predictions).build()),
        |labels, predictions| drop(losses::huber(labels, predictions).build()),
        |labels, predictions| drop(losses::log_loss(labels, predictions).build()),
        |labels, predictions| drop(losses::mean_squared_error(labels, predictions).build()),
        |labels, predictions| drop(losses::sigmoid_cross_entropy(labels, predictions).build()),
        |labels, predictions| drop(losses::softmax_cross_entropy(labels, predictions).build()),
        |labels, predictions| drop(metrics::accuracy(labels, predictions).build()),
        |labels, predictions| drop(metrics::auc(labels, predictions).build()),
        |labels, predictions| drop(metrics::mean_squared_error(labels, predictions).build()),
        |labels, predictions| drop(metrics::precision(labels, predictions).build()),
        |labels, predictions| drop(metrics::recall(labels, predictions).build()),
    ];
    for (index, build) in refused.into_iter().enumerate() {
        let g = Graph::new();
        build(&g.constant([[1f32], [0.0]]), &g.constant([1f32, 0.0]));
        let status = g.check().unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{index}: {status}");
        assert!(status.message().contains("Shapes [2] and [2,1] are incompatible"), "{index}: {status}");
    }
    // Numbers of classes have a dimension less than their logits.
    let g = Graph::new();
    losses::sparse_softmax_cross_entropy(&g.constant([1i64]), &g.constant([[3f32, 3.0]])).build();
    g.check().unwrap();
}
