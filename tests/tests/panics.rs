//! A panic in the code of an op is answered, on whatever thread and over whatever transport it was asked for: the caller gets
//! `Internal`, with the op and what it said, and the servers and the session go on.

use std::sync::{Arc, mpsc};
use std::time::Duration;

use cluster::{LocalCluster, RemoteOptions, RemoteSession, ServerOptions, Transport};
use graph::op::{AsyncContext, Done, Kernel, OpContext, Registry};
use graph::{Graph, Node};
use runtime::{RunRequest, Session};
use tensor::{Code, Result, Tensor};

/// TensorFlow's ops, and some of which each panics in its own way.
fn registry() -> Arc<Registry> {
    let mut r = (*ops::registry()).clone();
    r.op("Fine", "-> y: float").any_kernel(|_| {
        Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
            cx.set_output(0, Tensor::from(1f32));
            Ok(())
        }))
    });
    r.op("PanicsInConstruction", "-> y: float").any_kernel(|_: &Node| -> Result<Kernel> { panic!("on purpose") });
    r.op("PanicsInCompute", "-> y: float")
        .any_kernel(|_| Ok(Kernel::compute(|_: &mut OpContext<'_>| panic!("on purpose"))));
    // A graph of such nodes runs on the thread of the network.
    r.op("PanicsInline", "-> y: float").any_kernel(|_| Ok(Kernel::cheap(|_: &mut OpContext<'_>| panic!("on purpose"))));
    r.op("PanicsInStart", "-> y: float")
        .any_kernel(|_| Ok(Kernel::asynchronous(|_: AsyncContext, _: Done| panic!("on purpose"))));
    r.op("PanicsInShape", "-> y: float").shape(|_| panic!("on purpose"));
    assert!(r.mistakes().is_empty(), "{:?}", r.mistakes());
    Arc::new(r)
}

const TRANSPORTS: [Transport; 4] = [Transport::Auto, Transport::Links, Transport::Tcp, Transport::Grpc];

/// A step that fails as a test expects, in a session that goes on.
struct Case {
    cluster: LocalCluster,
    session: Arc<RemoteSession>,
    failing: String,
    fine: String,
}

impl Case {
    /// Opens a session on task 0, with a node of this op on a task and one that is fine on both.
    fn new(op: &str, task: u32, transport: Transport) -> Result<Case> {
        let options = ServerOptions { transport, ..Default::default() };
        let cluster = LocalCluster::start_with(&[("worker", 2)], &registry(), options)?;
        let g = Graph::with_registry(registry());
        g.with_device(format!("/job:worker/task:{task}"), |g| g.op(op).name("failing").build());
        g.with_device(format!("/job:worker/task:{task}"), |g| g.op("Fine").name("fine").build());
        let options = RemoteOptions { transport, ..Default::default() };
        let session = RemoteSession::with_options(cluster.target("worker", 0)?, &g, options)?;
        let (failing, fine) = ("failing:0".to_owned(), "fine:0".to_owned());
        Ok(Case { cluster, session: Arc::new(session), failing, fine })
    }

    /// Runs a step that fetches a tensor, and waits for it no longer than a test may take.
    fn run(&self, fetch: &str) -> Result<Vec<Tensor>> {
        let (session, fetch, (send, outcome)) = (self.session.clone(), fetch.to_owned(), mpsc::channel());
        std::thread::spawn(move || {
            let mut request = RunRequest::new();
            request.fetches.push(fetch);
            send.send(session.run(request).map(|result| result.tensors))
        });
        outcome.recv_timeout(Duration::from_secs(60)).expect("the step is never answered")
    }

    #[track_caller]
    fn fails_with(&self, panicked: &str) {
        let status = self.run(&self.failing).unwrap_err();
        assert_eq!(status.code(), Code::Internal, "{status}");
        assert!(status.message().contains(panicked), "{status} does not say {panicked}");
        // The session and both servers go on.
        assert_eq!(self.run(&self.fine).unwrap(), [Tensor::from(1f32)]);
        assert_eq!(self.cluster.sessions("worker", 0), 1);
    }
}

#[test]
fn kernels_that_panic_are_answered_on_every_way() -> Result<()> {
    for transport in TRANSPORTS {
        for task in [0, 1] {
            for (op, what) in [
                ("PanicsInConstruction", "making the kernel of op PanicsInConstruction panicked: on purpose"),
                ("PanicsInCompute", "the kernel of op PanicsInCompute panicked: on purpose"),
                ("PanicsInline", "the kernel of op PanicsInline panicked: on purpose"),
                ("PanicsInStart", "the kernel of op PanicsInStart panicked: on purpose"),
            ] {
                Case::new(op, task, transport)?.fails_with(what);
            }
        }
    }
    Ok(())
}

#[test]
fn a_shape_function_that_panics_is_a_mistake_of_the_graph() {
    let g = Graph::with_registry(registry());
    g.op("PanicsInShape").name("failing").build();
    let status = g.check().unwrap_err();
    assert_eq!(status.code(), Code::Internal, "{status}");
    assert!(status.message().contains("the shape function of op PanicsInShape panicked: on purpose"), "{status}");
}
