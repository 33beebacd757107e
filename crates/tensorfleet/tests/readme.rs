//! The first program of README runs: it stands here line by line.

use tensorfleet::prelude::*;

#[test]
fn the_first_program_runs() -> tensorfleet::Result<()> {
    let images = Tensor::zeros(DType::Float, &Shape::new(&[3, 784])?)?;
    let labels = Tensor::zeros(DType::Float, &Shape::new(&[3, 10])?)?;

    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(784)]);
    let y_ = g.placeholder(DType::Float, [None, Some(10)]);
    let w = Variable::new("w", g.zeros([784, 10], DType::Float));
    let b = Variable::new("b", g.zeros([10], DType::Float));
    let y = x.matmul(&w) + &b;
    let loss = y.softmax_cross_entropy_with_logits(&y_).reduce_mean(..);
    let train = GradientDescent::new(0.5).minimize(&loss, None)?;

    let session = LocalSession::new(&g)?;
    session.eval(&global_variables_initializer(&g))?;
    let (_, loss): (_, f32) = session.feed(&x, images).feed(&y_, labels).eval((&train, &loss))?;

    assert_eq!(loss, 0.0);
    Ok(())
}

#[test]
fn the_first_program_is_that_of_readme() {
    let here: Vec<&str> = include_str!("readme.rs").lines().map(str::trim).collect();
    let readme = include_str!("../../../README.md");
    let program = readme.split("```rust\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let lines: Vec<&str> = program.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    assert!(lines.len() > 10, "README has no program: {program}");
    for line in lines {
        assert!(here.contains(&line), "README has the line '{line}', which is not run");
    }
}
