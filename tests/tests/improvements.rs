//! Improved graphs do what the graphs that clients gave do: random graphs run with and without, and each improvement by
//! itself shows what it leaves out and what it must leave alone.

use runtime::Improvements;
use tensorfleet::prelude::*;
use tensorfleet::train::VariableKind;

const DEVICES: u32 = 3;

fn open(g: &Graph, improvements: Improvements) -> Result<LocalSession> {
    LocalSession::with_options(g, SessionOptions { cpu_devices: DEVICES, improvements, ..Default::default() })
}

/// The nodes that a step ran, by name and op.
fn ran(session: &LocalSession, request: RunRequest) -> Result<Vec<(String, String)>> {
    let stats = session.run(request.trace())?.stats.expect("a traced step");
    Ok(stats.nodes.into_iter().map(|node| (node.node, node.op)).collect())
}

fn count(ran: &[(String, String)], op: &str) -> usize {
    ran.iter().filter(|(_, ran)| ran == op).count()
}

fn bits(tensor: &Tensor) -> (DType, Vec<i64>, Vec<u8>) {
    (tensor.dtype(), tensor.dims().to_vec(), tensor.buffer().expect("plain elements").as_bytes().to_vec())
}

#[test]
fn constants_are_where_they_are_used() -> Result<()> {
    let g = Graph::new();
    let x = g.with_device("/cpu:1", |g| g.placeholder(DType::Float, [None]));
    let (two, large) = g.with_device("/cpu:0", |g| (g.constant(2f32), g.constant(Tensor::vector(&[1f32; 20_000]))));
    let y = g.with_device("/cpu:1", |_| &x * &two + (&two * &x));
    let z = g.with_device("/cpu:1", |_| x.reduce_sum(..) + large.reduce_sum(..));
    let only = Improvements { copying: true, ..Improvements::NONE };
    let step = |improvements: Improvements, what: &Output| -> Result<_> {
        let session = open(&g, improvements)?;
        ran(&session, RunRequest::new().feed(&x, [1f32, 2.0]).fetch(what))
    };
    // The feed comes from the client's device, and so does the constant unless it is copied.
    assert_eq!(count(&step(Improvements::NONE, &y)?, "_Recv"), 3);
    assert_eq!(count(&step(only, &y)?, "_Recv"), 2);
    // The large one still travels.
    assert_eq!(count(&step(only, &z)?, "_Recv"), 3);
    // What a client fetches comes from where it is.
    let there = g.with_device("/cpu:2", |g| g.constant(7f32));
    let ran = ran(&open(&g, Improvements::ALL)?, RunRequest::new().fetch(&there))?;
    assert_eq!(count(&ran, "_Recv"), 1);
    Ok(())
}

#[test]
fn rows_are_taken_from_the_variable_itself() -> Result<()> {
    let g = Graph::new();
    let table = Variable::new("table", g.constant([[1f32], [2.0], [3.0]]));
    let x = g.placeholder(DType::Int32, [None]);
    let sum = table.rows(&x).reduce_sum(..) * 2.0;
    let request = || RunRequest::new().feed(&x, [0i32, 2]).fetch(&sum);
    for (improvements, reads) in [(Improvements::NONE, 1), (Improvements::default(), 0)] {
        let session = open(&g, improvements)?;
        let early = session.run(request()).unwrap_err();
        assert!(early.message().starts_with("Attempting to use uninitialized value table"), "{early}");
        session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
        assert_eq!(session.fetch(request())?, [Tensor::from(8f32)]);
        assert_eq!(count(&ran(&session, request())?, "Identity"), reads);
    }
    Ok(())
}

#[test]
fn constants_are_folded_under_their_names() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, ());
    let sum = g.constant(2f32) + 3.0;
    let parts = g.op("Split").input(g.constant(0i32)).input(g.constant([1f32, 2.0])).attr("num_split", 2i64).outputs();
    let y = &x * &sum + &parts[1];
    let only = Improvements { folding: true, ..Improvements::NONE };
    let session = open(&g, only)?;
    let request = RunRequest::new().feed(&x, 10f32).fetch(&y).fetch(&sum);
    let ran = ran(&session, request.clone())?;
    assert_eq!((count(&ran, "AddV2"), count(&ran, "Split"), count(&ran, "Mul")), (1, 0, 1), "{ran:?}");
    assert!(ran.contains(&("add".to_owned(), "Const".to_owned())), "{ran:?}");
    assert_eq!(session.fetch(request)?, [Tensor::from([52f32]), Tensor::from(5f32)]);
    // A value that is fed is not folded.
    assert_eq!(session.fetch(RunRequest::new().feed(&x, 10f32).feed(&sum, 1f32).fetch(&y))?, [Tensor::from([12f32])]);
    Ok(())
}

#[test]
fn what_folding_must_not_do() -> Result<()> {
    let g = Graph::new();
    // A division that fails does so in the step, by its own name.
    let bad = g.op("FloorDiv").name("bad").input(g.constant(1i32)).input(g.constant(0i32)).output();
    // A result that is much larger than what it is made of stays a recipe.
    let large = g.op("Fill").input(g.constant([1000i32, 100])).input(g.constant(1f32)).output();
    let vast = g.op("Fill").input(g.constant([i32::MAX, i32::MAX])).input(g.constant(1f32)).output();
    let random = g.op("RandomUniform").input(g.constant([2i32])).attr("dtype", DType::Float).output();
    let session = open(&g, Improvements::ALL)?;
    let status = session.run(RunRequest::new().fetch(&bad)).unwrap_err();
    assert_eq!((status.code(), status.node()), (Code::InvalidArgument, Some("bad")), "{status}");
    let sum = large.reduce_sum(..);
    assert_eq!(count(&ran(&session, RunRequest::new().fetch(&sum))?, "Fill"), 1);
    assert_eq!(session.run(RunRequest::new().fetch(&vast)).unwrap_err().code(), Code::ResourceExhausted);
    let request = RunRequest::new().fetch(&random);
    assert_ne!(session.fetch(request.clone())?, session.fetch(request)?);
    Ok(())
}

#[test]
fn nodes_alike_are_one() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, ());
    let (a, b) = (x.tanh(), x.tanh());
    let y = (&a * 2.0) + (&b * 2.0);
    let only = Improvements { merging: true, ..Improvements::NONE };
    let step = ran(&open(&g, only)?, RunRequest::new().feed(&x, 1f32).fetch(&y))?;
    assert_eq!((count(&step, "Tanh"), count(&step, "Mul"), count(&step, "Const")), (1, 1, 1), "{step:?}");
    // Zeros of two signs are not alike, nor are nodes that wait for different things, nor nodes on two devices.
    let inverse = |zero: f32| g.op("Reciprocal").input(g.constant(zero)).output();
    let request = RunRequest::new().fetch(&inverse(0.0)).fetch(&inverse(-0.0));
    assert_eq!(open(&g, only)?.fetch(request)?, [Tensor::from(f32::INFINITY), Tensor::from(f32::NEG_INFINITY)]);
    let waits = g.op("Tanh").input(&x).control_inputs(&[a.operation()]).output();
    let elsewhere = g.with_device("/cpu:1", |_| x.tanh());
    let step = ran(&open(&g, only)?, RunRequest::new().feed(&x, 1f32).fetch(&b).fetch(&waits).fetch(&elsewhere))?;
    assert_eq!(count(&step, "Tanh"), 4 - 1, "{step:?}");
    Ok(())
}

#[test]
fn identities_are_left_out_unless_they_say_something() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, ());
    let mut passed = x.clone();
    for _ in 0..5 {
        passed = passed.identity();
    }
    let y = passed.tanh();
    let only = Improvements { identities: true, ..Improvements::NONE };
    let session = open(&g, only)?;
    let step = |request: RunRequest| ran(&session, request.feed(&x, 1f32)).map(|ran| count(&ran, "Identity"));
    assert_eq!(step(RunRequest::new().fetch(&y))?, 0);
    // What is fetched or named as a target runs.
    assert_eq!(step(RunRequest::new().fetch(&y).fetch(&passed))?, 1);
    assert_eq!(step(RunRequest::new().fetch(&y).target(&passed.operation()))?, 1);
    // What others only wait for waits, and passes nothing on.
    let waiting = g.op("NoOp").control_inputs(&[passed.operation()]).build();
    assert_eq!(step(RunRequest::new().target(&waiting))?, 0);
    // A fed one is cut off as before.
    let fed = session.fetch(RunRequest::new().feed(&passed, 0f32).fetch(&y))?;
    assert_eq!(fed, [Tensor::from(0f32)]);
    Ok(())
}

#[test]
fn reads_of_variables_stay_where_they_are() -> Result<()> {
    for improvements in [Improvements::NONE, Improvements::ALL] {
        let g = Graph::new();
        let v = Variable::new("v", g.constant(1f32));
        let before = v.value().identity();
        let update = v.assign_add(g.constant(1f32));
        let after = g.with_control_dependencies(&[update], |_| (v.value().identity(), before.identity()));
        let session = open(&g, improvements)?;
        session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
        let request = RunRequest::new().fetch(&after.0).fetch(&after.1);
        let values = session.fetch(request)?;
        assert_eq!(values[0], Tensor::from(2f32), "{improvements:?}");
    }
    Ok(())
}

const FUSING: Improvements = Improvements { fusing: true, ..Improvements::NONE };

/// The ops that a step with fused nodes runs beside constants and feeds, after it was seen to give what the graph gives without.
fn fused(g: &Graph, request: &RunRequest) -> Result<Vec<String>> {
    let (plain, improved) = (open(g, Improvements::NONE)?, open(g, FUSING)?);
    let (wanted, given) = (plain.fetch(request.clone())?, improved.fetch(request.clone())?);
    for (wanted, given) in wanted.iter().zip(&given) {
        assert_eq!(bits(given), bits(wanted));
    }
    let ran = ran(&improved, request.clone())?;
    let mut ops: Vec<String> =
        ran.into_iter().map(|(_, op)| op).filter(|op| !["Const", "_Arg", "_Retval"].contains(&op.as_str())).collect();
    ops.sort();
    Ok(ops)
}

#[test]
fn a_product_takes_its_bias_and_activation() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(2)]);
    let (w, b) = (g.constant([[1f32, -2.0, 0.5], [3.0, 4.0, -1.0]]), g.constant([0.5f32, -0.25, 0.0]));
    let request = RunRequest::new().feed(&x, [[1f32, 2.0], [-3.0, 0.125]]);
    let sum = x.matmul(&w).bias_add(&b);
    assert_eq!(fused(&g, &request.clone().fetch(&sum.relu()))?, ["_FusedMatMul"]);
    assert_eq!(fused(&g, &request.clone().fetch(&sum.tanh()))?, ["_FusedMatMul"]);
    assert_eq!(fused(&g, &request.clone().fetch(&sum))?, ["_FusedMatMul"]);
    assert_eq!(fused(&g, &request.clone().fetch(&(x.matmul(&w) + &b).sigmoid()))?, ["_FusedMatMul"]);
    // What is fetched in between is there.
    assert_eq!(fused(&g, &request.clone().fetch(&sum).fetch(&sum.relu()))?, ["Relu", "_FusedMatMul"]);
    let product = x.matmul(&w);
    let both = product.bias_add(&b).relu();
    assert_eq!(fused(&g, &request.clone().fetch(&both).fetch(&product))?, ["BiasAdd", "MatMul", "Relu"]);
    // A transposed factor is taken as it is.
    let turned = g.op("Transpose").input(&w).input(g.constant([1i32, 0])).output();
    let back = g.op("MatMul").input(&x).input(&turned).attr("transpose_b", true).output();
    assert_eq!(fused(&g, &request.fetch(&back))?, ["MatMul"]);
    Ok(())
}

/// A sum that grows by a product, as the gradient of a loop's weights does, also where somebody else keeps what it was.
#[test]
fn a_product_is_added_to_a_sum_of_its_size() -> Result<()> {
    let g = Graph::new();
    let matrix = |rows: i64, cols: i64, seed: i64| {
        let number = |i: i64| ((i * 7919 + seed) % 1013) as f32 / 1013.0 - 0.5;
        Ok::<_, Status>(g.constant(Tensor::new([rows, cols], (0..rows * cols).map(number).collect::<Vec<f32>>())?))
    };
    let (x, dy, start) = (matrix(32, 40, 1)?, matrix(32, 56, 2)?, matrix(40, 56, 3)?);
    let gradient = |x: &Output| g.op("MatMul").input(x).input(&dy).attr("transpose_a", true).output();
    let grown = while_loop(
        &g,
        |values| values[0].less(5),
        |values| vec![&values[0] + 1, &values[1] + gradient(&(&x * values[0].cast(DType::Float)))],
        &[g.constant(0i32), start.clone()],
    );
    let ops = fused(&g, &RunRequest::new().fetch(&grown[1]))?;
    assert_eq!((count_of(&ops, "_FusedMatMul"), count_of(&ops, "MatMul")), (5, 0), "{ops:?}");
    // Both sums begin with the same matrix, so neither may be made in its place.
    let (one, two) = (&start + gradient(&x), gradient(&(&x * 2.0)) + &start);
    let ops = fused(&g, &RunRequest::new().fetch(&one).fetch(&two).fetch(&start))?;
    assert_eq!((count_of(&ops, "_FusedMatMul"), count_of(&ops, "MatMul")), (2, 0), "{ops:?}");
    Ok(())
}

#[test]
fn a_convolution_takes_its_bias_and_activation() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(3), Some(3), Some(1)]);
    let filter = Tensor::new([2, 2, 1, 2], (0..8).map(|n| n as f32 / 4.0 - 1.0).collect())?;
    let y = x.conv2d(&g.constant(filter), [1, 1], Padding::Same).bias_add(&g.constant([0.5f32, -1.0])).relu();
    let image = Tensor::new([1, 3, 3, 1], (0..9).map(|n| n as f32 - 4.0).collect())?;
    assert_eq!(fused(&g, &RunRequest::new().feed(&x, image).fetch(&y))?, ["_FusedConv2D"]);
    Ok(())
}

/// With moments that are given, a normalisation is part of the convolution before it, or takes the activation after it.
#[test]
fn a_normalisation_with_given_moments_costs_no_pass_of_its_own() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(3), Some(3), Some(2)]);
    let filter = g.constant(Tensor::new([2, 2, 2, 2], (0..16).map(|n| n as f32 / 8.0 - 1.0).collect())?);
    let values = |first: f32| g.constant([first, first * 0.5 + 1.0]);
    let normal = |x: &Output, training: bool, op: &str| {
        let mut node = g.op(op).input(x);
        for first in [1.5f32, -0.25, 0.125, 2.0] {
            node = node.input(values(first));
        }
        node.attr("is_training", training).attr("epsilon", 0.001f32).outputs().remove(0)
    };
    let image = Tensor::new([2, 3, 3, 2], (0..36).map(|n| (n * 7 % 11) as f32 - 4.0).collect())?;
    let request = RunRequest::new().feed(&x, image);
    for op in ["FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"] {
        let convolved = normal(&x.conv2d(&filter, [1, 1], Padding::Same), false, op);
        assert_eq!(fused(&g, &request.clone().fetch(&convolved))?, ["_FusedConv2D"]);
        assert_eq!(fused(&g, &request.clone().fetch(&convolved.relu()))?, ["_FusedConv2D"]);
        let (given, own) = (normal(&x, false, op).relu(), normal(&x, true, op).relu());
        assert_eq!(fused(&g, &request.clone().fetch(&given))?, ["_FusedBatchNormEx"]);
        // Moments of the batch are taken from all of it, and others need them.
        assert_eq!(fused(&g, &request.clone().fetch(&own))?, [op, "Relu"]);
    }
    // What `tf.nn.batch_normalization` writes.
    let inverse = (values(2.0) + 0.001).unary("Rsqrt") * values(1.5);
    let composed = &x * &inverse + (values(-0.25) - values(0.125) * &inverse);
    assert_eq!(fused(&g, &request.fetch(&composed))?, ["_FusedElementwise"]);
    Ok(())
}

#[test]
fn functions_of_elements_are_one_pass() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, None]);
    let row = g.placeholder(DType::Float, [None]);
    let request = RunRequest::new().feed(&row, [0.5f32, 2.0, -1.0]);
    let wide = request.clone().feed(&x, [[1f32, -2.0, 0.25], [3.0, 0.0, -0.5]]);
    let squashed = (&x * 2.0 + &row).tanh();
    let y = &squashed * &squashed + x.sigmoid();
    assert_eq!(fused(&g, &wide.clone().fetch(&y))?, ["_FusedElementwise"]);
    // A step that is smaller than the result, and one that broadcasts a column.
    assert_eq!(fused(&g, &wide.clone().fetch(&(row.exp() * 3.0 + &x)))?, ["_FusedElementwise"]);
    assert_eq!(fused(&g, &request.clone().feed(&x, [[1f32], [2.0]]).fetch(&y))?, ["_FusedElementwise"]);
    let empty = Tensor::zeros(DType::Float, &Shape::new(&[0, 3])?)?;
    assert_eq!(fused(&g, &request.clone().feed(&x, empty).fetch(&y))?, ["_FusedElementwise"]);
    // An error names the node that the client gave.
    let wrong = request.feed(&x, [[1f32, 2.0]]).fetch(&y);
    let plain = open(&g, Improvements::NONE)?.run(wrong.clone()).unwrap_err();
    let improved = open(&g, FUSING)?.run(wrong).unwrap_err();
    assert_eq!((improved.code(), improved.message(), improved.node()), (plain.code(), plain.message(), plain.node()));
    Ok(())
}

#[test]
fn gradients_of_broadcasting_are_summed_in_one_go() -> Result<()> {
    let g = Graph::new();
    let (x, b) = (g.placeholder(DType::Float, [None, None]), g.placeholder(DType::Float, [None]));
    let loss = (&x * &b).reduce_sum(..);
    let gradients = gradients([&loss], [&x, &b])?;
    let mut request = RunRequest::new().feed(&x, [[1f32, -2.0], [3.0, 4.0]]).feed(&b, [0.5f32, 2.0]);
    for gradient in gradients.into_iter().flatten() {
        request = request.fetch(&gradient.to_dense());
    }
    let ops = fused(&g, &request)?;
    assert_eq!(ops.iter().filter(|op| *op == "_SumToShape").count(), 2, "{ops:?}");
    assert!(!ops.contains(&"BroadcastGradientArgs".to_owned()), "{ops:?}");
    Ok(())
}

/// Probabilities that clipping changed pass nothing on, as without: the large logits see to some of those.
#[test]
fn a_cross_entropy_by_hand_has_one_gradient() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(3)]);
    let labels = g.placeholder(DType::Float, [None, Some(3)]);
    let softmax = x.softmax();
    let clipped = softmax.clip_by_value(1e-10, 1.0);
    let summed = |p: &Output| -(&labels * p.log()).reduce_sum(..);
    let averaged = |p: &Output| (-(p.log() * &labels).reduce_sum(1)).reduce_mean(..);
    let losses = [summed(&clipped), summed(&softmax), averaged(&clipped), averaged(&softmax)];
    let logits = [[1f32, -2.0, 0.5], [90.0, 0.0, -3.0], [0.25, 0.25, 0.25]];
    let one_hot = [[0f32, 1.0, 0.0], [1.0, 0.0, 0.0], [0.2, 0.3, 0.5]];
    let one_row = [[0.5f32, 0.25, 0.25]];
    for loss in &losses {
        let by_logits = gradients([loss], [&x])?.remove(0).expect("a gradient").to_dense();
        let request = RunRequest::new().fetch(&by_logits).feed(&x, logits);
        // Labels for each row, labels for all rows, and one row for many labels.
        let requests = [
            request.clone().feed(&labels, one_hot),
            request.clone().feed(&labels, one_row),
            RunRequest::new().fetch(&by_logits).feed(&x, one_row).feed(&labels, one_hot),
        ];
        for request in requests {
            let ops = fused(&g, &request)?;
            assert_eq!(count_of(&ops, "_LogOfSoftmaxGrad"), 1, "{ops:?}");
            assert_eq!(count_of(&ops, "Reciprocal") + count_of(&ops, "SelectV2") + count_of(&ops, "Log"), 0, "{ops:?}");
            // The loss is one pass when it is wanted too.
            let both = fused(&g, &request.fetch(loss))?;
            assert_eq!(count_of(&both, "Log") + count_of(&both, "Minimum"), 0, "{both:?}");
        }
        // Of the nodes of the client that cannot take these labels, it is the product that says so.
        let wrong = request.feed(&labels, [[1f32, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        let status = open(&g, FUSING)?.run(wrong).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
        assert!(status.message().starts_with("Incompatible shapes: ["), "{status}");
        assert!(status.node().is_some_and(|node| node.starts_with("mul")), "{status}");
    }
    Ok(())
}

fn count_of(ops: &[String], op: &str) -> usize {
    ops.iter().filter(|ran| *ran == op).count()
}

/// Work that grew with the square of the number of nodes would not come to an end here.
#[test]
fn large_graphs_are_planned() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, ());
    let (mut passed, mut summed) = (x.clone(), x.clone());
    let mut all = Vec::new();
    for n in 0..3000 {
        passed = passed.identity();
        summed = (&summed + g.constant((n % 7) as f32)).relu();
        all.push(x.tanh());
    }
    all.extend([passed, summed]);
    let sum = g.op("AddN").input_list(&all).output();
    let run = |improvements: Improvements| -> Result<Vec<Tensor>> {
        open(&g, improvements)?.fetch(RunRequest::new().feed(&x, 0.5f32).fetch(&sum))
    };
    assert_eq!(run(Improvements::ALL)?, run(Improvements::NONE)?);
    Ok(())
}

#[test]
fn random_graphs_give_the_same_with_and_without() -> Result<()> {
    for seed in 0..100 {
        let made = Made::new(seed)?;
        let plain = made.run(Improvements::NONE)?;
        let none = Improvements::NONE;
        let exact = [
            Improvements { identities: true, ..none },
            Improvements { folding: true, ..none },
            Improvements { merging: true, ..none },
            Improvements { copying: true, ..none },
            Improvements { fusing: true, ..none },
            Improvements::ALL,
        ];
        for improvements in exact {
            let improved = made.run(improvements)?;
            assert_eq!(improved.len(), plain.len());
            for (index, (improved, plain)) in improved.iter().zip(&plain).enumerate() {
                let name = made.fetches[index % made.fetches.len()].name();
                assert_eq!(bits(improved), bits(plain), "seed {seed}, {name:?}, {improvements:?}");
            }
        }
    }
    Ok(())
}

/// A random graph: what is fed, and what is fetched of it.
struct Made {
    g: Graph,
    init: Operation,
    update: Operation,
    feeds: Vec<(Output, Tensor)>,
    fetches: Vec<Output>,
}

/// Numbers that a seed gives.
struct Dice(u64);

impl Dice {
    fn roll(&mut self, sides: usize) -> usize {
        self.0 = self.0.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
        ((self.0 >> 33) % sides as u64) as usize
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> &'a T {
        &from[self.roll(from.len())]
    }

    /// A scalar, a vector or a matrix, in which few different numbers occur.
    fn value(&mut self) -> Tensor {
        let mut numbers = || [-1.5f32, -0.0, 0.0, 0.25, 1.0, 3.0][self.roll(6)];
        let nine: Vec<f32> = (0..9).map(|_| numbers()).collect();
        match self.roll(3) {
            0 => Tensor::from(nine[0]),
            1 => Tensor::vector(&nine[..3]),
            _ => Tensor::new([3, 3], nine).expect("nine numbers"),
        }
    }
}

impl Made {
    fn new(seed: u64) -> Result<Made> {
        let g = Graph::new();
        let mut dice = Dice(seed * 7919 + 1);
        if dice.roll(2) == 0 {
            Variable::set_kind(&g, VariableKind::Resource);
        }
        let mut pool: Vec<Output> = Vec::new();
        let mut feeds = Vec::new();
        for _ in 0..3 {
            pool.push(g.constant(dice.value()));
            let value = dice.value();
            let dims: Vec<Option<i64>> = value.dims().iter().map(|dim| Some(*dim)).collect();
            let fed = g.placeholder(DType::Float, PartialShape::new(&dims));
            feeds.push((fed.clone(), value));
            pool.push(fed);
        }
        let v = Variable::new("v", g.constant(Tensor::new([3, 3], (0..9).map(|n| n as f32 / 8.0).collect())?));
        pool.push(v.value().clone());
        for _ in 0..dice.roll(40) + 5 {
            let device = format!("/cpu:{}", dice.roll(DEVICES as usize));
            let waits = if dice.roll(6) == 0 { vec![dice.pick(&pool).operation()] } else { Vec::new() };
            let made = g.with_device(device, |g| g.with_control_dependencies(&waits, |g| grow(g, &mut dice, &pool)));
            pool.extend(made);
        }
        let mut fetches: Vec<Output> = (0..4).map(|_| dice.pick(&pool).clone()).collect();
        fetches.push(pool[pool.len() - 1].clone());
        // The variable moves when all is read, so that a second step sees something else.
        let everything: Vec<Operation> = fetches.iter().map(Output::operation).collect();
        let update = g.with_control_dependencies(&everything, |g| {
            let small = g.constant(Tensor::new([3, 3], vec![0.125f32; 9]).expect("nine numbers"));
            v.assign_add(&small)
        });
        if dice.roll(3) == 0 {
            // Any tensor may be fed.
            let cut = dice.pick(&pool).clone();
            if let Some(shape) = cut.shape().to_shape()
                && !cut.is_ref()
                && feeds.iter().all(|(fed, _)| fed.name() != cut.name())
            {
                feeds.push((cut, Tensor::from_slice(&shape, &vec![0.5f32; shape.num_elements()])?));
            }
        }
        Ok(Made { init: global_variables_initializer(&g), update, feeds, fetches, g })
    }

    /// What two steps fetch.
    fn run(&self, improvements: Improvements) -> Result<Vec<Tensor>> {
        let session = open(&self.g, improvements)?;
        session.run(RunRequest::new().target(&self.init))?;
        let mut values = Vec::new();
        for _ in 0..2 {
            let request = RunRequest::new().target(&self.update);
            let request = self.feeds.iter().fold(request, |request, (fed, value)| request.feed(fed, value.clone()));
            let request = self.fetches.iter().fold(request, |request, fetched| request.fetch(fetched));
            values.extend(session.fetch(request)?);
        }
        Ok(values)
    }
}

/// More tensors of a graph, from those that are there.
fn grow(g: &Graph, dice: &mut Dice, pool: &[Output]) -> Vec<Output> {
    let x = dice.pick(pool).clone();
    let y = dice.pick(pool).clone();
    let unary = |op: &str| vec![g.op(op).input(&x).output()];
    let binary = |op: &str| vec![g.op(op).input(&x).input(&y).output()];
    let matrix = |dice: &mut Dice| {
        let matrices: Vec<&Output> = pool.iter().filter(|output| output.shape().rank() == Some(2)).collect();
        (*dice.pick(&matrices)).clone()
    };
    let vector = |dice: &mut Dice| {
        let vectors: Vec<&Output> = pool.iter().filter(|output| output.shape().rank() == Some(1)).collect();
        if vectors.is_empty() { g.constant([1f32, -2.0, 0.5]) } else { (*dice.pick(&vectors)).clone() }
    };
    match dice.roll(17) {
        0 => vec![g.constant(dice.value())],
        1 | 2 => unary("Identity"),
        3 => unary(["Neg", "Square", "Relu", "ZerosLike"][dice.roll(4)]),
        4 => unary(["Tanh", "Sigmoid"][dice.roll(2)]),
        5..=7 => binary(["AddV2", "Mul", "Sub", "Maximum"][dice.roll(4)]),
        8 | 9 => {
            let (a, b) = (matrix(dice), matrix(dice));
            let flags = (dice.roll(2) == 0, dice.roll(2) == 0);
            vec![g.op("MatMul").input(&a).input(&b).attr("transpose_a", flags.0).attr("transpose_b", flags.1).output()]
        }
        10 => vec![g.op("BiasAdd").input(matrix(dice)).input(vector(dice)).output()],
        11 => vec![g.op("Softmax").input(matrix(dice)).output()],
        // Not a factor of a product: those may be summed up in another order.
        12 => vec![-g.op("Transpose").input(matrix(dice)).input(g.constant([1i32, 0])).output()],
        13 => {
            let rows = g.op("Split").input(g.constant(0i32)).input(matrix(dice)).attr("num_split", 3i64).outputs();
            rows.iter().map(|row| row.reshape([3])).collect()
        }
        14 => {
            let (logits, labels) = (matrix(dice), matrix(dice));
            let softmax = logits.softmax();
            let kept = if dice.roll(2) == 0 { softmax.clip_by_value(1e-10, 0.75) } else { softmax };
            let loss = -(labels * kept.log()).reduce_sum(..);
            let by_logits = gradients([&loss], [&logits]).ok().and_then(|mut all| all.remove(0));
            by_logits.map(|gradient| vec![loss, gradient.to_dense()]).unwrap_or_default()
        }
        15 => {
            let zero = g.constant(0f32);
            let taken = g.op("Greater").input(x.reduce_sum(..)).input(&zero).output();
            cond(&taken, || vec![x.tanh() + 1.0], || vec![x.identity() + (g.constant(2f32) + 3.0)])
        }
        _ => {
            let rounds = g.constant(dice.roll(4) as i32);
            let shape = x.shape();
            let turned = while_loop(
                g,
                |state| g.op("Less").input(&state[0]).input(&rounds).output(),
                |state| vec![&state[0] + 1, (&state[1] * 0.5 + &x).identity()],
                &[g.constant(0i32), x.identity()],
            );
            turned[1].set_shape(shape);
            vec![turned[1].clone()]
        }
    }
}

#[test]
fn what_nobody_takes_is_not_computed() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(3)]);
    let w = Variable::new("w", g.constant([[1f32], [2.0], [3.0]]));
    let counter = Variable::untrained("counter", g.constant(0f32));
    let product = x.matmul(&w);
    // One that only others wait for, and one with an effect behind such a one.
    let unused = (&product * 2.0).exp();
    let counted = g.with_control_dependencies(&[unused.operation()], |_| counter.assign_add(1.0));
    let last = g.with_control_dependencies(&[counted, (&unused + 1.0).operation()], |_| x.reduce_sum(..) + 1.0);
    let only = Improvements { identities: true, ..Improvements::NONE };
    for (improvements, exponentials) in [(Improvements::NONE, 1), (only, 0)] {
        let session = open(&g, improvements)?;
        session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
        let request = RunRequest::new().feed(&x, [[1f32, 2.0, 3.0]]).fetch(&last);
        let ran = ran(&session, request)?;
        assert_eq!((count(&ran, "Exp"), count(&ran, "AssignAdd")), (exponentials, 1), "{ran:?}");
        assert_eq!(session.eval::<f32, _>(&counter.read())?, 1.0);
        // What is asked for is computed.
        let asked = RunRequest::new().feed(&x, [[0f32, 0.0, 0.0]]).target(&unused.operation()).fetch(&last);
        assert_eq!(count(&self::ran(&session, asked)?, "Exp"), 1);
    }
    Ok(())
}

/// A node in a branch that is not taken must not run those that wait for it.
#[test]
fn what_nobody_takes_still_tells_which_branch_was_taken() -> Result<()> {
    let g = Graph::new();
    let p = g.placeholder(DType::Bool, ());
    let hits = Variable::untrained("hits", g.constant(0f32));
    let value = cond(
        &p,
        || {
            let aside = (g.constant(2f32) * 3.0).exp();
            let hit = g.with_control_dependencies(&[aside.operation()], |_| hits.assign_add(1.0));
            g.with_control_dependencies(&[hit], |g| vec![g.constant(1f32) + 0.0])
        },
        || vec![g.constant(0f32) + 0.0],
    );
    let session = open(&g, Improvements::default())?;
    session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
    for taken in [false, true, false] {
        session.run(RunRequest::new().feed(&p, taken).fetch(&value[0]))?;
    }
    assert_eq!(session.eval::<f32, _>(&hits.read())?, 1.0);
    Ok(())
}
