//! Functions that kernels call: each call runs on the calling thread, waits for what waits in it, and leaves nothing behind.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread::ThreadId;

use graph::op::{
    AsyncContext, Compute, Done, Kernel, OpContext, Outputs, Registration, Registry, Resource, Role, Step,
};
use graph::{Graph, Node, Operation, ReadAttrs};
use parking_lot::Mutex;
use tensor::{Code, Result, Status, Tensor, ensure, err};
use tensorfleet_runtime::{LocalSession, RunRequest, Session};

/// The ops of all bodies, and `Calls`, whose kernel calls the body that a test has put into [`BODY`].
fn registry() -> Arc<Registry> {
    let mut r = Registry::new();
    r.op("_Arg", "-> output: float").attr("index: int").role(Role::Argument).any_kernel(|node| {
        let index = node.attr_int("index")? as usize;
        Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
            let value = cx.step.frame.arg(index)?.clone();
            cx.set_output(0, value);
            Ok(())
        }))
    });
    r.op("_Retval", "input: float ->").attr("index: int").role(Role::Returned).any_kernel(|node| {
        let index = node.attr_int("index")? as usize;
        Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| cx.step.frame.set_result(index, cx.take_input(0)?)))
    });
    r.op("Calls", "->").attr("times: int").any_kernel(calls);
    r.op("Keeps", "x: float -> y: float").stateful().any_kernel(|_| {
        Ok(Kernel::compute(passing(|step| {
            let name = format!("kept {}", MADE.fetch_add(1, Ordering::SeqCst));
            step.step_resources.lookup_or_create("", &name, || Ok(Kept)).map(drop)
        })))
    });
    r.op("Blocks", "x: float -> y: float").any_kernel(|_| {
        Ok(Kernel::blocking(passing(|_| {
            THREADS.lock().push(std::thread::current().id());
            Ok(())
        })))
    });
    r.op("Fails", "x: float -> y: float")
        .any_kernel(|_| Ok(Kernel::compute(passing(|_| Err(err!(DataLoss, "on purpose"))))));
    r.op("Waits", "x: float -> y: float").any_kernel(|_| {
        // Ends on another thread.
        Ok(Kernel::asynchronous(|mut cx: AsyncContext, done: Done| {
            let x = cx.inputs.pop().unwrap_or_default();
            std::thread::spawn(move || done(Ok(Outputs::from_iter([x]))));
        }))
    });
    r.op("WaitsForTheEnd", "x: float -> y: float").any_kernel(|_| {
        Ok(Kernel::asynchronous(|cx: AsyncContext, done: Done| {
            let done = Mutex::new(Some(done));
            let end = move |status: &Status| {
                if let Some(done) = done.lock().take() {
                    done(Err(status.clone()));
                }
            };
            REGISTRATIONS.lock().push(cx.step.cancellation.on_cancel(end));
        }))
    });
    assert!(r.mistakes().is_empty(), "{:?}", r.mistakes());
    Arc::new(r)
}

/// Tests share what follows, so they run one after the other.
static TURN: Mutex<()> = Mutex::new(());
static BODY: Mutex<Option<Graph>> = Mutex::new(None);
static OUTCOMES: Mutex<Vec<Result<Vec<Tensor>>>> = Mutex::new(Vec::new());
static THREADS: Mutex<Vec<ThreadId>> = Mutex::new(Vec::new());
static REGISTRATIONS: Mutex<Vec<Registration>> = Mutex::new(Vec::new());
static MADE: AtomicUsize = AtomicUsize::new(0);
static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// A resource that counts its end.
struct Kept;

impl Resource for Kept {
    fn kind(&self) -> &'static str {
        "Kept"
    }

    fn abandon(&self) {
        ABANDONED.fetch_add(1, Ordering::SeqCst);
    }
}

/// A kernel that does something and passes its input on.
fn passing(work: impl Fn(&Step) -> Result<()> + Send + Sync) -> impl Compute {
    move |cx: &mut OpContext<'_>| {
        work(cx.step)?;
        let x = cx.take_input(0)?;
        cx.set_output(0, x);
        Ok(())
    }
}

/// Calls the body several times with the numbers from 0 on, and notes the outcomes; none of them fails the step.
fn calls(node: &Node) -> Result<Kernel> {
    let times = node.attr_int("times")?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let body = BODY.lock().clone().ok_or_else(|| err!(Internal, "there is no body"))?;
        let function = cx.step.host.prepare(&body.snapshot()?)?;
        THREADS.lock().push(std::thread::current().id());
        for number in 0..times {
            let outcome = function.call(cx.step, vec![Tensor::from(number as f32)]);
            OUTCOMES.lock().push(outcome);
            let kept = (MADE.load(Ordering::SeqCst), ABANDONED.load(Ordering::SeqCst));
            ensure!(kept.0 == kept.1, Internal, "a call left something behind: {kept:?}");
        }
        Ok(())
    }))
}

/// The outcomes of calling, in one step, a body that is a chain of these ops.
fn outcomes(ops: &[&str], times: i64) -> Vec<Result<Vec<Tensor>>> {
    let body = Graph::with_registry(registry());
    let mut last = body.op("_Arg").name("arg").attr("index", 0i64).output();
    for op in ops {
        last = body.op(op).input(&last).output();
    }
    body.op("_Retval").name("result").input(&last).attr("index", 0i64).build();
    run(body, times)
}

fn run(body: Graph, times: i64) -> Vec<Result<Vec<Tensor>>> {
    *BODY.lock() = Some(body);
    OUTCOMES.lock().clear();
    THREADS.lock().clear();
    let g = Graph::with_registry(registry());
    let target: Operation = g.op("Calls").name("calls").attr("times", times).build();
    LocalSession::new(&g).unwrap().run(RunRequest::new().target(&target)).unwrap();
    std::mem::take(&mut *OUTCOMES.lock())
}

fn numbers(outcomes: Vec<Result<Vec<Tensor>>>) -> Vec<f32> {
    outcomes.into_iter().map(|outcome| outcome.unwrap()[0].to_scalar().unwrap()).collect()
}

#[test]
fn what_a_call_keeps_ends_with_it() {
    let _turn = TURN.lock();
    assert_eq!(numbers(outcomes(&["Keeps", "Keeps"], 3)), [0.0, 1.0, 2.0]);
    assert_eq!(ABANDONED.load(Ordering::SeqCst), 6);
}

#[test]
fn a_call_waits_for_what_waits_in_it_and_goes_on_where_it_was_called() {
    let _turn = TURN.lock();
    assert_eq!(numbers(outcomes(&["Blocks", "Waits", "Blocks"], 2)), [0.0, 1.0]);
    let threads = THREADS.lock();
    assert!(threads.len() == 5 && threads.iter().all(|thread| *thread == threads[0]), "{threads:?}");
}

#[test]
fn a_call_that_fails_lets_go_what_waits_in_it_and_nothing_else() {
    let _turn = TURN.lock();
    let body = Graph::with_registry(registry());
    let arg = body.op("_Arg").name("arg").attr("index", 0i64).output();
    let (waits, fails) = (body.op("WaitsForTheEnd").input(&arg).build(), body.op("Fails").input(&arg).output());
    body.op("_Retval").name("result").input(&fails).attr("index", 0i64).control_inputs(&[waits]).build();
    // The step goes on after the first failure, and ends well.
    let outcomes = run(body, 2);
    let codes: Vec<Code> = outcomes.into_iter().map(|outcome| outcome.unwrap_err().code()).collect();
    assert_eq!(codes, [Code::DataLoss; 2]);
    REGISTRATIONS.lock().clear();
}
