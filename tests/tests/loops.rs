//! Loops: those whose kernels are cheap run in a row on one thread, others node by node, and nobody can tell which.

use tensorfleet::WhileLoop;
use tensorfleet::prelude::*;
use tensorfleet::session::Cancellation;

fn fetched(g: &Graph, outputs: &[&Output]) -> Result<Vec<Tensor>> {
    let request = outputs.iter().fold(RunRequest::new(), |request, output| request.fetch(*output));
    let session = LocalSession::new(g)?;
    let first = session.fetch(request.clone())?;
    // What the first step has measured may change how the second one runs.
    assert_eq!(session.fetch(request)?, first);
    Ok(first)
}

#[test]
fn a_condition_in_a_loop_in_a_loop() -> Result<()> {
    let g = Graph::new();
    // How many steps n, 3n + 1 or n / 2, lead to 1, summed over the numbers below 30.
    let results = while_loop(
        &g,
        |outer| outer[0].less(30),
        |outer| {
            let inner = while_loop(
                &g,
                |inner| inner[0].greater(1),
                |inner| {
                    let (n, steps) = (&inner[0], &inner[1]);
                    let odd = n.floormod(2).equal(1);
                    let next = cond(&odd, || vec![n * 3 + 1], || vec![n.floordiv(2)]);
                    vec![next[0].clone(), steps + 1]
                },
                &[outer[0].clone(), outer[1].clone()],
            );
            vec![&outer[0] + 1, inner[1].clone()]
        },
        &[g.constant(1i32), g.constant(0i32)],
    );
    let steps = |mut n: i32| {
        let mut steps = 0;
        while n > 1 {
            n = if n % 2 == 1 { 3 * n + 1 } else { n / 2 };
            steps += 1;
        }
        steps
    };
    let sum: i32 = (1..30).map(steps).sum();
    assert_eq!(fetched(&g, &[&results[0], &results[1]])?, [Tensor::from(30i32), Tensor::from(sum)]);
    Ok(())
}

#[test]
fn a_loop_whose_values_grow_goes_on_node_by_node() -> Result<()> {
    let g = Graph::new();
    let two = g.placeholder_with_default(2f32, PartialShape::scalar());
    // x is doubled in length and in value, up to four million elements.
    let scalar = PartialShape::scalar;
    let invariants = vec![scalar(), PartialShape::vector(None), scalar()];
    let results = WhileLoop::new().shape_invariants(invariants).build(
        &g,
        |state| state[0].less(21),
        |state| {
            let long = g.concat(&[state[1].clone(), state[1].clone()], 0);
            vec![&state[0] + 1, &long * &two, &state[2] + long.reduce_sum(..)]
        },
        &[g.constant(0i32), g.constant([1f32, 3.0]), g.constant(0f32)],
    );
    let values = fetched(&g, &[&results[0], &results[1].reduce_max(..), &results[1].size(), &results[2]])?;
    // Before it is doubled in value, the sum is four times that of the iteration before.
    let sum: f32 = (0..21).map(|n| 8.0 * 4f32.powi(n)).sum();
    assert_eq!(values[..3], [Tensor::from(21i32), Tensor::from(3.0 * 2f32.powi(21)), Tensor::from(2i32 << 21)]);
    assert!((values[3].to_scalar::<f32>()? / sum - 1.0).abs() < 1e-4, "{:?} and {sum}", values[3]);
    Ok(())
}

#[test]
fn a_loop_on_a_branch_that_is_not_taken() -> Result<()> {
    let g = Graph::new();
    let taken = g.placeholder(DType::Bool, PartialShape::scalar());
    let x = g.placeholder(DType::Int32, PartialShape::scalar());
    let looped = || {
        let results = while_loop(
            &g,
            |state| state[0].less(&x),
            |state| vec![&state[0] + 1, &state[1] + &state[0]],
            &[g.constant(0i32), g.constant(0i32)],
        );
        vec![results[1].clone()]
    };
    let chosen = cond(&taken, looped, || vec![-&x]);
    let session = LocalSession::new(&g)?;
    for (choice, expected) in [(true, 45), (false, -10), (true, 45)] {
        let request = RunRequest::new().feed(&taken, choice).feed(&x, 10i32).fetch(&chosen[0]);
        assert_eq!(session.fetch(request)?, [Tensor::from(expected)]);
    }
    Ok(())
}

#[test]
fn a_node_that_fails_in_a_loop_is_named() -> Result<()> {
    let g = Graph::new();
    let results = while_loop(
        &g,
        |state| state[0].greater(-5),
        |state| vec![&state[0] - 1, g.op("FloorDiv").name("quotient").input(&state[1]).input(&state[0]).output()],
        &[g.constant(5i32), g.constant(1000i32)],
    );
    let session = LocalSession::new(&g)?;
    for _ in 0..2 {
        let status = session.fetch(RunRequest::new().fetch(&results[1])).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        assert!(status.message().starts_with("Integer division by zero"), "{status}");
        assert!(status.to_string().contains("quotient"), "{status}");
    }
    Ok(())
}

#[test]
fn endless_loops_leave_room_for_others_and_end_when_they_are_cancelled() -> Result<()> {
    let g = Graph::new();
    let endless = || while_loop(&g, |n| n[0].greater_equal(0), |n| vec![-&n[0]], &[g.constant(0i32)]);
    let loops = [endless(), endless(), endless()];
    let counter = Variable::new("counter", g.constant(0i32));
    let counted = counter.assign_add(1);
    let init = global_variables_initializer(&g);
    let session = LocalSession::new(&g)?;
    session.run(RunRequest::new().target(&init))?;
    let cancellation = Cancellation::new();
    let request = loops.iter().fold(RunRequest::new(), |request, results| request.fetch(&results[0]));
    let request = request.target(&counted).cancellation(&cancellation);
    let outcome = std::thread::scope(|scope| {
        let running = scope.spawn(|| session.fetch(request));
        // The step counts although its loops never end, and other steps find room beside it.
        while session.fetch(RunRequest::new().fetch(counter.value()))? != [Tensor::from(1i32)] {
            std::thread::yield_now();
        }
        cancellation.cancel(Status::new(Code::Cancelled, "enough"));
        running.join().map_err(|_| Status::new(Code::Internal, "the step panicked"))?
    });
    assert_eq!(outcome.unwrap_err().code(), Code::Cancelled);
    Ok(())
}

/// TensorFlow 2.21 gives these for a loop of 100,000 additions of 0.1 in single precision, from 0.
#[test]
fn many_iterations_give_tensorflows_sum() -> Result<()> {
    let g = Graph::new();
    let looped = || {
        while_loop(
            &g,
            |state| state[0].less(100_000),
            |state| vec![&state[0] + 1, &state[1] + 0.1f32],
            &[g.constant(0i32), g.constant(0f32)],
        )
    };
    let (first, second) = (looped(), looped());
    let expected = Tensor::from(9998.557f32);
    assert_eq!(fetched(&g, &[&first[1], &second[1]])?, [expected.clone(), expected]);
    Ok(())
}
