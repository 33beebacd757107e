//! Results by type, on every kind of session.

use std::sync::Arc;

use tensorfleet::Fetch;
use tensorfleet::prelude::*;

/// A graph with one value of each kind.
struct Values {
    g: Graph,
    x: Output,
    doubled: Output,
    total: Output,
    names: Output,
    counted: Operation,
    count: Variable,
}

fn values() -> Values {
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None, Some(2)]);
    let doubled = &x * 2.0;
    let total = doubled.reduce_sum(..);
    let names = g.constant(["w", "b"]);
    let count = Variable::untrained("count", g.constant(0i64));
    let counted = count.assign_add(1);
    Values { g, x, doubled, total, names, counted, count }
}

fn ask(session: &(impl Session + ?Sized), v: &Values) -> Result<()> {
    session.eval(&global_variables_initializer(&v.g))?;
    let total: f32 = session.feed(&v.x, [[1f32, 2.0], [3.0, 4.0]]).eval(&v.total)?;
    assert_eq!(total, 20.0);
    let (rows, total, names): (Vec<[f32; 2]>, Tensor, Vec<String>) =
        session.feed(&v.x, [[1f32, 2.0]]).eval((&v.doubled, &v.total, &v.names))?;
    assert_eq!((rows, total, names), (vec![[2.0, 4.0]], Tensor::from(6f32), vec!["w".to_owned(), "b".to_owned()]));
    session.eval(&v.counted)?;
    let (_, [first, second]): (_, [String; 2]) = session.eval((&v.counted, &v.names))?;
    assert_eq!((first.as_str(), second.as_str()), ("w", "b"));
    assert_eq!(session.eval::<i64, _>(&v.count)?, 2);
    assert_eq!(session.eval::<i64, _>("count:0")?, 2);
    let several: Vec<Vec<String>> = session.eval(&vec![v.names.clone(), v.names.clone()])?;
    assert_eq!(several.len(), 2);
    // A tensor that is wanted more than once is returned as often, in its places.
    let request = RunRequest::new().feed(&v.x, [[1f32, 2.0]]).fetch(&v.total).fetch(&v.names).fetch(&v.total);
    let tensors = session.fetch(request)?;
    assert_eq!(tensors, [Tensor::from(6f32), Tensor::from(["w", "b"]), Tensor::from(6f32)]);
    Ok(())
}

#[test]
fn a_local_session_answers_by_type() -> Result<()> {
    let v = values();
    ask(&LocalSession::new(&v.g)?, &v)?;
    let shared: Arc<dyn Session> = Arc::new(LocalSession::new(&v.g)?);
    ask(&*shared, &v)?;
    ask(&shared, &v)
}

#[test]
fn a_session_on_a_server_answers_by_type() -> Result<()> {
    let v = values();
    let server = Server::create_local_server()?;
    ask(&RemoteSession::new(server.target(), &v.g)?, &v)
}

#[test]
fn a_monitored_session_answers_by_type() -> Result<()> {
    let v = values();
    get_or_create_global_step(&v.g);
    let mut session = MonitoredTrainingSession::new(&v.g, LocalSessions::default()).open()?;
    session.eval(&v.counted)?;
    let (count, total): (i64, f32) = session.feed(&v.x, [[1f32, 2.0]]).eval((&v.count, &v.total))?;
    assert_eq!((count, total), (1, 6.0));
    session.close()
}

#[test]
fn a_value_of_another_type_or_rank_is_named() -> Result<()> {
    fn refused<T: std::fmt::Debug>(session: &impl Session, what: impl Fetch<T>) -> String {
        let status = session.eval::<T, _>(what).unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument);
        status.message().to_owned()
    }
    let g = Graph::new();
    let (a, b) = (g.constant([1f32, 2.0]), g.constant(1i32));
    let session = LocalSession::new(&g)?;
    let of_b = refused::<(Vec<f32>, f32)>(&session, (&a, &b));
    assert_eq!(of_b, "Const_1:0: expected float of shape [], but the value is int32 of shape []");
    let of_a = refused::<f32>(&session, &a);
    assert_eq!(of_a, "Const:0: expected float of shape [], but the value is float of shape [2]");
    assert_eq!(refused::<[f32; 3]>(&session, &a), "Const:0: expected 3 values, but the tensor has 2");
    Ok(())
}

#[test]
fn what_follows_from_a_mistake_is_refused_with_the_mistake() {
    let g = Graph::new();
    let session = LocalSession::new(&g).unwrap();
    let wrong = g.constant([[1f32, 2.0]]).matmul(&g.constant([[1f32, 2.0]]));
    let status = session.eval::<Tensor, _>(&wrong).unwrap_err();
    assert!(status.message().contains("results.rs:"), "{status}");
}
