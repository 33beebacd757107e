//! Conditionals and loops built here, with their gradients. Expected values are TensorFlow 2.21's, of the same program with
//! control flow v1.

use tensorfleet::WhileLoop;
use tensorfleet::graph::{ImportOptions, graph_to_proto};
use tensorfleet::ops::{foldl, map_fn, scan};
use tensorfleet::prelude::*;

/// The values of outputs in one step.
fn values(outputs: &[Output]) -> Vec<Vec<f32>> {
    let g = outputs[0].graph();
    let session = LocalSession::new(g).unwrap();
    let request = outputs.iter().fold(RunRequest::new(), |request, output| request.fetch(output));
    let tensors = session.fetch(request).unwrap();
    tensors.iter().map(|tensor| tensor.as_slice::<f32>().unwrap().to_vec()).collect()
}

/// `y` and its gradients.
fn with_gradients(y: &Output, xs: &[&Output]) -> Vec<Vec<f32>> {
    all_gradients(y, xs.iter().map(|x| (*x).clone()).collect())
}

/// `y` and its gradients, which are the same in a copy of the graph that knows no more than its nodes.
fn with_imported_gradients(y: &Output, xs: &[&Output]) -> Vec<Vec<f32>> {
    let copy = Graph::new();
    copy.import(graph_to_proto(&y.graph().snapshot().unwrap()).unwrap(), ImportOptions::default()).unwrap();
    let same = |output: &Output| copy.output(&output.name().unwrap().to_string()).unwrap();
    let in_copy = all_gradients(&same(y), xs.iter().map(|x| same(x)).collect());
    let found = with_gradients(y, xs);
    assert_eq!(found, in_copy, "imported");
    found
}

fn all_gradients(y: &Output, xs: Vec<Output>) -> Vec<Vec<f32>> {
    let grads = gradients(std::slice::from_ref(y), &xs).unwrap();
    let mut outputs = vec![y.clone()];
    outputs.extend(grads.into_iter().map(|gradient| gradient.unwrap().to_dense()));
    values(&outputs)
}

#[track_caller]
fn assert_close(found: &[Vec<f32>], wanted: &[&[f32]]) {
    assert_eq!(found.len(), wanted.len());
    for (found, wanted) in found.iter().zip(wanted) {
        let close = |(a, b): (&f32, &f32)| (a - b).abs() <= 1e-5 * b.abs().max(1.0);
        assert!(found.len() == wanted.len() && found.iter().zip(*wanted).all(close), "{found:?}, not {wanted:?}");
    }
}

/// A loop of `count` iterations over one value.
fn repeat(count: i32, start: &Output, body: impl FnOnce(&Output, &Output) -> Output) -> Output {
    let g = start.graph();
    let step = |state: &[Output]| vec![&state[0] + 1, body(&state[0], &state[1])];
    while_loop(g, |state| state[0].less(count), step, &[g.constant(0i32), start.clone()])[1].clone()
}

#[test]
fn a_power_of_a_matrix() {
    let g = Graph::new();
    let m = g.constant([[1f32, 2.0], [3.0, 4.0]]);
    let p = repeat(3, &g.constant([[1f32, 0.0], [0.0, 1.0]]), |_, p| p.matmul(&m));
    assert_close(&with_imported_gradients(&p, &[&m]), &[&[37., 54., 81., 118.], &[51., 87., 67., 111.]]);
}

#[test]
fn a_recurrent_network() {
    let g = Graph::new();
    let x = g.constant([[1f32, 0.0], [0.5, -1.0], [2.0, 1.0]]).reshape([3, 1, 2]); // time, batch, features
    let w = g.constant([[0.1f32, 0.2, 0.3], [-0.2, 0.4, 0.1]]);
    let u = g.constant([[0.5f32, 0.0, 0.1], [0.0, 0.5, -0.1], [0.2, 0.1, 0.3]]);
    let b = g.constant([0.1f32, 0.2, -0.1]);
    let h = repeat(3, &g.constant([[0f32, 0.0, 0.0]]), |t, h| (x.gather(t, 0).matmul(&w) + h.matmul(&u) + &b).tanh());
    let y = h.square().reduce_sum(..);
    assert_close(
        &with_imported_gradients(&y, &[&w, &u, &b, &x]),
        &[
            &[1.0245302],
            &[1.4503326, 1.3834331, 1.9324, 0.2796395, 0.38230255, 0.36444017],
            &[
                0.31249785, 0.31818327, 0.4278046, 0.17043838, 0.15095788, 0.23758143, 0.05131929, 0.03857294,
                0.07283243,
            ],
            &[1.0277307, 0.8895432, 1.3658457],
            &[0.087687194, 0.008403171, 0.19449587, 0.072507694, 0.4082524, 0.20594484],
        ],
    );
}

#[test]
fn a_loop_in_a_loop() {
    let g = Graph::new();
    let (x, k) = (g.constant(1.5f32), g.constant(0.5f32));
    let y = repeat(3, &g.constant(0.7f32), |i, a| {
        let inner = while_loop(
            &g,
            |state| state[0].less_equal(i),
            |state| vec![&state[0] + 1, (&state[1] * &x).sin() + &state[1] * &k],
            &[g.constant(0i32), a.clone()],
        );
        &inner[1] * &x
    });
    assert_close(&with_imported_gradients(&y, &[&x, &k]), &[&[2.3666925], &[1.2186161], &[1.7647302]]);
}

#[test]
fn both_branches_of_a_conditional() {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, PartialShape::scalar());
    let z = g.constant(3f32);
    let y = cond(&x.greater(1.0), || vec![x.square() * &x], || vec![&x * &z])[0].clone();
    let grads = gradients(std::slice::from_ref(&y), &[x.clone(), z.clone()]).unwrap();
    let [dx, dz] = [0, 1].map(|index| grads[index].clone().unwrap().to_dense());
    let session = LocalSession::new(&g).unwrap();
    let at = |value: f32| {
        let request = RunRequest::new().feed(&x, value).fetch(&y).fetch(&dx).fetch(&dz);
        session.fetch(request).unwrap().iter().map(|tensor| tensor.to_scalar::<f32>().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(at(2.0), [8.0, 12.0, 0.0]); // x^3
    assert_eq!(at(0.5), [1.5, 3.0, 0.5]); // x z
}

#[test]
fn the_second_derivative_of_a_conditional() {
    let g = Graph::new();
    let x = g.constant(2f32);
    let y = cond(&x.greater(1.0), || vec![x.square() * &x], || vec![x.clone()])[0].clone();
    let first = gradients(&[y], std::slice::from_ref(&x)).unwrap()[0].clone().unwrap().to_dense();
    assert_close(&with_gradients(&first, &[&x]), &[&[12.], &[12.]]);
}

#[test]
fn a_conditional_in_a_loop() {
    let g = Graph::new();
    let (x, z) = (g.constant(0.4f32), g.constant(0.3f32));
    let y = repeat(5, &g.constant(0.1f32), |i, a| {
        let even = i.floormod(2).equal(0);
        cond(&even, || vec![a.exp() * &x], || vec![a * a + &z])[0].clone()
    });
    assert_close(&with_gradients(&y, &[&x, &z]), &[&[0.8308321], &[4.567104], &[1.5469483]]);
}

#[test]
fn a_conditional_in_a_conditional_in_a_loop() {
    let g = Graph::new();
    let x = g.constant(0.9f32);
    let y = repeat(5, &g.constant(-0.1f32), |i, a| {
        let deeper = || cond(&a.greater(0.0), || vec![a.cos() * &x], || vec![a.exp() - &x]);
        cond(&i.less(3), deeper, || vec![a * &x])[0].clone()
    });
    assert_close(&with_gradients(&y, &[&x]), &[&[0.45315963], &[0.93701226]]);
}

#[test]
fn a_loop_in_a_conditional() {
    for (pred, wanted) in [(true, [3.1406019, -0.0013006004]), (false, [1.331, 3.63])] {
        let g = Graph::new();
        let x = g.constant(1.1f32);
        let repeated = || vec![repeat(4, &x, |_, a| a.sin() * &x + a)];
        let y = cond(&g.constant(pred), repeated, || vec![&x * &x * &x])[0].clone();
        assert_close(&with_gradients(&y, &[&x]), &[&wanted[..1], &wanted[1..]]);
    }
}

#[test]
fn a_loop_in_a_conditional_in_a_loop() {
    let g = Graph::new();
    let x = g.constant(0.9f32);
    let y = repeat(3, &g.constant(0.4f32), |i, a| {
        let repeated = || vec![repeat(2, a, |_, c| c.sin() * &x)];
        cond(&i.equal(1), repeated, || vec![a * &x + &x])[0].clone()
    });
    assert_close(&with_gradients(&y, &[&x]), &[&[1.5122013], &[3.0697963]]);
}

#[test]
fn functions_of_rows() {
    let g = Graph::new();
    let (x, w) = (g.constant([1f32, 2.0, 3.0]), g.constant(0.5f32));
    let mapped = map_fn(|row| row.sin() * &w, &x, DType::Float);
    assert_eq!(mapped.shape().to_string(), "[3]");
    assert_close(
        &with_imported_gradients(&mapped, &[&x, &w]),
        &[&[0.42073548, 0.4546487, 0.07056], &[0.27015114, -0.20807342, -0.49499625], &[1.8918884]],
    );
    let states = scan(|state, row| vec![&state[0] * row + state[0].sin()], &x, std::slice::from_ref(&w))[0].clone();
    assert_close(
        &with_imported_gradients(&states, &[&x, &w]),
        &[&[0.97942555, 2.7890284, 8.712391], &[4.4149046, 2.9985206, 2.7890284], &[16.578695]],
    );
    let last = foldl(|state, row| vec![&state[0] * row + state[0].sin()], &x, std::slice::from_ref(&w))[0].clone();
    assert_close(
        &with_imported_gradients(&last, &[&x, &w]),
        &[&[8.712391], &[2.636155, 2.0190952, 2.7890284], &[9.899197]],
    );
}

#[test]
fn variables_that_depend_on_each_other_or_on_nothing() {
    let g = Graph::new();
    let x = g.constant([1f32, 2.0]);
    let results = while_loop(
        &g,
        |state| state[0].less(2),
        |state| vec![&state[0] + 1, &state[2] * &state[2], &state[1] * &x],
        &[g.constant(0i32), x.clone(), x.clone()],
    );
    assert_close(&with_imported_gradients(&results[1], &[&x]), &[&[1., 16.], &[4., 32.]]);
    let fresh = repeat(3, &g.constant(2f32), |_, _| x.square().reduce_sum(..));
    assert_close(&with_imported_gradients(&fresh, &[&x]), &[&[5.], &[2., 4.]]);
}

#[test]
fn a_loop_that_never_runs() {
    let g = Graph::new();
    let (x, w) = (g.constant([1f32, 2.0]), g.constant(3f32));
    let y = repeat(0, &x, |_, a| a * &w);
    assert_close(&with_imported_gradients(&y, &[&x, &w]), &[&[1., 2.], &[1., 1.], &[0.]]);
}

#[test]
fn shapes_that_are_known_only_when_it_runs() {
    let g = Graph::new();
    let unknown =
        g.op("PlaceholderWithDefault").input(g.constant([1f32, 2.0])).attr("shape", PartialShape::vector(None));
    let x = unknown.output();
    let y = repeat(2, &x, |_, a| a * &x);
    assert_close(&with_imported_gradients(&y, &[&x]), &[&[1., 8.], &[3., 12.]]);
}

#[test]
fn a_variable_that_is_read_in_a_loop() {
    for kind in [tensorfleet::train::VariableKind::Ref, tensorfleet::train::VariableKind::Resource] {
        let g = Graph::new();
        Variable::set_kind(&g, kind);
        let w = Variable::new("w", g.constant([[1f32, 2.0], [3.0, 4.0], [5.0, 6.0]]));
        let y = repeat(3, &g.constant([1f32, 1.0]), |i, a| a * &w.gather(i, 0));
        let dw = gradients(std::slice::from_ref(&y), &[w.value().clone()]).unwrap()[0].clone().unwrap().to_dense();
        let session = LocalSession::new(&g).unwrap();
        session.run(RunRequest::new().target(&global_variables_initializer(&g))).unwrap();
        let found = session.fetch(RunRequest::new().fetch(&y).fetch(&dw)).unwrap();
        assert_eq!(found[0], Tensor::from([15f32, 48.0]));
        assert_eq!(found[1], Tensor::from([[15f32, 24.0], [5.0, 12.0], [3.0, 8.0]]));
    }
}

#[test]
fn gradients_within_a_body() {
    // Newton's method for the root of x^2 - 2.
    let g = Graph::new();
    let two = g.constant(2f32);
    let root = repeat(6, &g.constant(1f32), |_, x| {
        let y = x * x - &two;
        let slope =
            gradients(std::slice::from_ref(&y), std::slice::from_ref(x)).unwrap()[0].clone().unwrap().to_dense();
        x - &(y / slope)
    });
    assert_close(&values(&[root]), &[&[std::f32::consts::SQRT_2]]);
}

#[test]
fn nodes_wait_for_what_is_outside() {
    let g = Graph::new();
    let count = Variable::untrained("count", g.constant(0i64));
    let counted = count.assign_add(1);
    let y =
        repeat(3, &g.constant(1f32), |_, a| g.with_control_dependencies(std::slice::from_ref(&counted), |_| a * 2.0));
    let session = LocalSession::new(&g).unwrap();
    session.run(RunRequest::new().target(&global_variables_initializer(&g))).unwrap();
    assert_eq!(session.fetch(RunRequest::new().fetch(&y)).unwrap()[0], Tensor::from(8f32));
    assert_eq!(session.fetch(RunRequest::new().fetch(&*count)).unwrap()[0], Tensor::from(1i64));
}

#[test]
fn only_the_branch_that_is_taken_runs() {
    let g = Graph::new();
    let count = Variable::untrained("count", g.constant(0i64));
    let pred = g.placeholder(DType::Bool, PartialShape::scalar());
    let counted = || {
        let added = count.assign_add(1);
        vec![g.with_control_dependencies(&[added], |g| g.constant(1f32))]
    };
    let y = cond(&pred, counted, || vec![g.constant(2f32)])[0].clone();
    let session = LocalSession::new(&g).unwrap();
    session.run(RunRequest::new().target(&global_variables_initializer(&g))).unwrap();
    for (value, wanted) in [(false, 2f32), (true, 1.0), (false, 2.0)] {
        let found = session.fetch(RunRequest::new().feed(&pred, value).fetch(&y)).unwrap();
        assert_eq!(found[0], Tensor::from(wanted));
    }
    assert_eq!(session.fetch(RunRequest::new().fetch(&*count)).unwrap()[0], Tensor::from(1i64));
}

#[test]
fn the_nodes_are_those_of_tensorflow() {
    let g = Graph::new();
    let x =
        g.op("Placeholder").name("x").attr("dtype", DType::Float).attr("shape", PartialShape::from([Some(2)])).output();
    let w = g.op("Const").name("w").attr("dtype", DType::Float).attr("value", Tensor::from([1f32, 2.0])).output();
    let body = |state: &[Output]| vec![&state[0] + 1, &state[1] * &w + 1.0];
    let results =
        WhileLoop::new().maximum_iterations(5).build(&g, |state| state[0].less(3), body, &[g.constant(0i32), x]);
    gradients(&[results[1].clone()], &[w]).unwrap();
    let inputs = |name: &str| {
        g.read(|data| {
            let node = data.node(data.find(name).unwrap_or_else(|| panic!("there is no {name}")));
            let waits = node.control_inputs.iter().map(|id| format!("^{}", data.node(*id).name));
            node.inputs
                .iter()
                .map(|input| data.tensor_name(*input).to_string())
                .chain(waits)
                .collect::<Vec<_>>()
                .join(" ")
        })
    };
    // As TensorFlow 2.21 builds them.
    for (name, wanted) in [
        ("while/Enter_2", "x:0"),
        ("while/Merge", "while/Enter:0 while/NextIteration:0"),
        ("while/Less/Enter", "while/maximum_iterations:0"),
        ("while/LogicalAnd", "while/Less:0 while/Less_1:0"),
        ("while/LoopCond", "while/LogicalAnd:0"),
        ("while/Switch_2", "while/Merge_2:0 while/LoopCond:0"),
        ("while/add/y", "^while/Identity"),
        ("while/mul", "while/Identity_2:0 while/mul/Enter:0"),
        ("while/mul/Enter", "w:0"),
        ("while/NextIteration_2", "while/add_2:0"),
        ("while/Exit_2", "while/Switch_2:0"),
        ("gradients/f_count_1", "gradients/f_count:0"),
        ("gradients/b_count_1", "gradients/f_count_2:0"),
        ("gradients/GreaterEqual", "gradients/Merge_1:0 gradients/GreaterEqual/Enter:0"),
        ("gradients/Sub", "gradients/Switch_1:1 gradients/GreaterEqual/Enter:0"),
        ("gradients/while/Merge_2_grad/Switch", "gradients/while/Switch_2_grad/b_switch:0 gradients/b_count_2:0"),
        (
            "gradients/while/Switch_2_grad/b_switch",
            "gradients/while/Exit_2_grad/b_exit:0 gradients/while/Switch_2_grad_1/NextIteration:0",
        ),
        ("gradients/while/mul/Enter_grad/b_acc_1", "gradients/while/mul/Enter_grad/b_acc:0"),
    ] {
        assert_eq!(inputs(name), wanted, "{name}");
    }
}

/// The mistake that a loop over one number makes.
fn mistake(body: impl FnOnce(&Graph, &Output) -> Vec<Output>) -> Status {
    let g = Graph::new();
    while_loop(&g, |state| state[0].less(3.0), |state| body(&g, &state[0]), &[g.constant(0f32)]);
    g.check().unwrap_err()
}

#[test]
fn bodies_that_change_what_they_go_over() {
    let status = mistake(|_, x| vec![x.clone(), x.clone()]);
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains("the body returns 2 values for 1 loop variables"), "{status}");
    let status = mistake(|g, _| vec![g.constant(1i32)]);
    let wanted = "variable 0 (Const:0) enters the loop with type float, but has type int32 after one iteration";
    assert!(status.message().contains(wanted), "{status}");
    let status = mistake(|g, _| vec![g.constant([1f32])]);
    let wanted = "'Const:0' (variable 0) enters the loop with shape [], but has shape [1] after one iteration";
    assert!(status.message().contains(wanted), "{status}");
    assert!(status.message().contains("control_flow.rs:"), "{status}");
}

#[test]
fn shapes_that_change_as_they_are_said_to() {
    let g = Graph::new();
    let invariants = vec![PartialShape::vector(None)];
    let grown = WhileLoop::new().maximum_iterations(3).shape_invariants(invariants).build(
        &g,
        |_| g.constant(true),
        |state| vec![g.concat(&[state[0].clone(), state[0].clone()], 0)],
        &[g.constant([1f32])],
    );
    assert_close(&values(&grown), &[&[1.; 8]]);
}

#[test]
fn what_is_inside_stays_inside() {
    let g = Graph::new();
    let mut inside = None;
    repeat(3, &g.constant(1f32), |_, x| {
        inside = Some(x * 2.0);
        x.clone()
    });
    let _ = inside.unwrap() + 1.0;
    let status = g.check().unwrap_err();
    assert!(status.message().contains("'while/mul' is inside of the loop 'while/while_context'"), "{status}");
}

#[test]
fn the_second_derivative_of_a_loop() {
    // y = x^8, so dy/dx = 8 x^7, then 56 x^6. There is no third one yet.
    let g = Graph::new();
    let x = g.constant(2f32);
    let y = repeat(3, &x, |_, a| a * a);
    let derivative = |y: &Output| {
        gradients(std::slice::from_ref(y), std::slice::from_ref(&x)).unwrap()[0].clone().unwrap().to_dense()
    };
    let first = derivative(&y);
    let second = derivative(&first);
    let status = gradients(std::slice::from_ref(&second), std::slice::from_ref(&x)).unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert_close(&values(&[y, first, second]), &[&[256.0], &[1024.0], &[3584.0]]);
}

#[test]
fn second_derivatives_with_respect_to_what_a_loop_uses() {
    // y = x w^3 summed; dy/dw = 3 x w^2, and its derivative by w is 6 x w, by x it is 3 w^2.
    let g = Graph::new();
    let (x, w) = (g.constant([1f32, 2.0]), g.constant([3f32, 0.5]));
    let y = repeat(3, &x, |_, a| a * &w).reduce_sum(..);
    let first = gradients(&[y], std::slice::from_ref(&w)).unwrap()[0].clone().unwrap().to_dense();
    let second = gradients(std::slice::from_ref(&first), &[w, x]).unwrap();
    let second: Vec<Output> = second.into_iter().map(|gradient| gradient.unwrap().to_dense()).collect();
    let found = values(&[first, second[0].clone(), second[1].clone()]);
    assert_close(&found, &[&[27.0, 1.5], &[18.0, 6.0], &[27.0, 0.75]]);
}

#[test]
fn second_derivatives_of_loops_within_loops_are_refused() {
    let g = Graph::new();
    let x = g.constant(2f32);
    let y = repeat(2, &x, |_, a| repeat(2, a, |_, b| b * b));
    let first = gradients(&[y], std::slice::from_ref(&x)).unwrap()[0].clone().unwrap().to_dense();
    let status = gradients(&[first], &[x]).unwrap_err();
    assert_eq!(status.code(), Code::Unimplemented);
    assert!(status.message().contains("second-order gradients of loops within loops"), "{status}");
}
