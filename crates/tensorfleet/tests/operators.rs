//! Expressions of outputs, variables and numbers: their values, and the nodes that TensorFlow 2.21 makes of the same.

use tensorfleet::prelude::*;

fn value(what: &Output) -> Result<f32> {
    let session = LocalSession::new(what.graph())?;
    session.eval(&global_variables_initializer(what.graph()))?;
    session.eval(what)
}

#[test]
fn outputs_variables_and_numbers_mix_owned_and_borrowed() -> Result<()> {
    let g = Graph::new();
    let x = g.constant(6f32);
    let w = Variable::new("w", g.constant(2f32));
    // Each operator with every pair of sides, where a difference between left and right shows.
    let quotients = [&w / &x, &w / x.clone(), w.clone() / &x, w.clone() / x.clone()];
    for quotient in &quotients {
        assert_eq!(value(quotient)?, 2.0 / 6.0);
    }
    for difference in [&x - &w, &x - w.clone(), x.clone() - &w, x.clone() - w.clone()] {
        assert_eq!(value(&difference)?, 4.0);
    }
    for square in [&w * &w, &w * w.clone(), w.clone() * &w, w.clone() * w.clone()] {
        assert_eq!(value(&square)?, 4.0);
    }
    for difference in [1.0 - &w, 1f64 - &w, 1 - &w, 1i64 - &w, 1.0 - w.clone(), 1 - w.clone()] {
        assert_eq!(value(&difference)?, -1.0);
    }
    for sum in [&w + 3f32, &w + 3f64, &w + 3i32, &w + 3i64, w.clone() + 3.0, 3.0 + &w, 3 + w.clone()] {
        assert_eq!(value(&sum)?, 5.0);
    }
    // A literal on the left needs no annotation for what follows.
    let half = 0.5 * &x;
    assert_eq!(value(&(2.0 * &w + 1.0).square())?, 25.0);
    assert_eq!(value(&(&half + &w))?, 5.0);
    assert_eq!((value(&-&w)?, value(&-w)?), (-2.0, -2.0));
    Ok(())
}

#[test]
fn nodes_are_those_of_tensorflow() {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None]);
    let w = Variable::new("w", g.constant(2f32));
    let known: usize = g.read(|nodes| nodes.len());
    let _ = (&w * &w, 2.0 * &x, &w + &x, 1.0 - &w, &x / 3.0);
    let nodes: Vec<String> = g.read(|data| {
        let described = data.nodes()[known..].iter().map(|node| {
            let inputs: Vec<String> = node.inputs.iter().map(|input| data.node(input.node).name.clone()).collect();
            format!("{} {} {}", node.name, node.op, inputs.join(" "))
        });
        described.collect()
    });
    let expected = [
        "mul Mul w/read w/read",
        "mul_1/x Const ",
        "mul_1 Mul mul_1/x Placeholder",
        "add AddV2 w/read Placeholder",
        "sub/x Const ",
        "sub Sub sub/x w/read",
        "truediv/y Const ",
        "truediv RealDiv Placeholder truediv/y",
    ];
    assert_eq!(nodes, expected);
}

#[test]
fn a_number_that_the_other_side_cannot_hold_is_a_mistake() {
    for (value, number) in [("0.5 of type 'float'", 0.5), ("300.0 of type 'float'", 300.0)] {
        let g = Graph::new();
        let _ = g.constant([1u8, 2]) * number;
        let status = g.check().unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().contains(&format!("Expected uint8, but got {value}")), "{status}");
        assert!(status.message().contains("operators.rs:"), "{status}");
    }
    // Integers keep all their digits.
    let g = Graph::new();
    let sum = g.constant(1i64) + 9_007_199_254_740_993i64;
    assert_eq!(LocalSession::new(&g).unwrap().eval::<i64, _>(&sum).unwrap(), 9_007_199_254_740_994);
}
