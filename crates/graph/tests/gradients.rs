//! Gradients with `grad_ys` and `stop_gradients`: the nodes and values of TensorFlow 2.21 for the same programs.

use tensorfleet::prelude::*;
use tensorfleet::{Gradient, GradientOptions, gradients_with};

fn dense(gradients: Vec<Option<Gradient>>) -> Vec<Output> {
    gradients.into_iter().map(|gradient| gradient.expect("y depends on x").to_dense()).collect()
}

/// The nodes of the scope `gradients` without those of single ops' gradients: name, op, inputs.
fn frame(g: &Graph) -> Vec<String> {
    g.read(|data| {
        let described = data.nodes().iter().filter(|node| node.name.starts_with("gradients/")).map(|node| {
            let inputs: Vec<String> = node.inputs.iter().map(|input| data.node(input.node).name.clone()).collect();
            format!("{} {} [{}]", node.name, node.op, inputs.join(", "))
        });
        described.filter(|node| !node.split(' ').next().is_some_and(|name| name.contains("_grad/"))).collect()
    })
}

#[test]
fn ones_begin_a_walk() -> Result<()> {
    let g = Graph::new();
    let x = g.constant([1f32, 2.0]);
    let dx = dense(gradients(&x * &x, &x)?);
    let expected = [
        "gradients/Shape Const []",
        "gradients/grad_ys_0/Const Const []",
        "gradients/grad_ys_0 Fill [gradients/Shape, gradients/grad_ys_0/Const]",
        "gradients/AddN AddN [gradients/mul_grad/Mul, gradients/mul_grad/Mul_1]",
    ];
    assert_eq!(frame(&g), expected);
    assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&dx[0])?, [2.0, 4.0]);
    Ok(())
}

#[test]
fn given_gradients_begin_a_walk() -> Result<()> {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None]);
    let (y, z) = (&x * &x, x.exp());
    let given = g.constant([1f32, 0.0, 0.0]);
    let options = GradientOptions { grad_ys: vec![None, Some(given)], ..Default::default() };
    let dx = dense(gradients_with([&y, &z], &x, options)?);
    let expected = [
        "gradients/Shape Shape [mul]",
        "gradients/grad_ys_0/Const Const []",
        "gradients/grad_ys_0 Fill [gradients/Shape, gradients/grad_ys_0/Const]",
        "gradients/grad_ys_1 Identity [Const]",
        "gradients/AddN AddN [gradients/mul_grad/Reshape, gradients/mul_grad/Reshape_1, gradients/Exp_grad/mul]",
    ];
    assert_eq!(frame(&g), expected);
    let values: Vec<f32> = LocalSession::new(&g)?.feed(&x, [1f32, 2.0, 3.0]).eval(&dx[0])?;
    assert!((values[0] - 4.7182817).abs() < 1e-6, "{values:?}");
    assert_eq!(values[1..], [4.0, 6.0]);
    Ok(())
}

#[test]
fn no_gradient_goes_through_what_stops_it() -> Result<()> {
    // As in TensorFlow's documentation: partial derivatives instead of total ones.
    let g = Graph::new();
    let a = g.constant(0f32);
    let b = 2.0 * &a;
    let options = GradientOptions { stop_gradients: vec![a.clone(), b.clone()], ..Default::default() };
    let partial = dense(gradients_with(&a + &b, [&a, &b], options)?);
    assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&partial)?, [1.0, 1.0]);
    let total = dense(gradients(&a + &b, [&a, &b])?);
    assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&total)?, [3.0, 1.0]);

    // v = u x with u = x^2 held: dv/dx = u = 9, dv/du = x = 3.
    let g = Graph::new();
    let x = g.constant(3f32);
    let u = &x * &x;
    let v = &u * &x;
    let options = GradientOptions { stop_gradients: vec![u.clone()], ..Default::default() };
    let partial = dense(gradients_with(&v, [&x, &u], options)?);
    assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&partial)?, [9.0, 3.0]);
    assert!(!g.read(|data| data.nodes().iter().any(|node| node.name.starts_with("gradients/mul_grad/"))));
    Ok(())
}

#[test]
fn gradients_that_do_not_fit_are_refused() {
    let g = Graph::new();
    let x = g.constant([1f32, 2.0]);
    let y = &x * &x;
    let refused = |given: &[Option<&Output>]| {
        let grad_ys = given.iter().map(|grad| grad.cloned()).collect();
        let options = GradientOptions { grad_ys, ..Default::default() };
        let status = gradients_with(&y, &x, options).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        status.message().to_owned()
    };
    let (long, double) = (g.constant([1f32, 2.0, 3.0]), g.constant([1f64, 2.0]));
    assert!(refused(&[Some(&x), None]).contains("2 grad_ys for 1 ys"));
    assert!(refused(&[Some(&long)]).contains("must be equal, but are 2 and 3"));
    assert_eq!(refused(&[Some(&double)]), "grad_ys[0] is of type double, but its y is of type float");
}
