//! A panic in the code of an op fails the step that ran it, and nothing else: the step ends, and the next one runs.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::time::Duration;

use graph::op::{AsyncContext, Done, Kernel, OpContext, Outputs, Registry, Resource, Value};
use graph::{Graph, Node, Operation};
use tensor::{Code, Result, Shape, Status, Tensor, Variant, VariantValue};
use tensorfleet_runtime::{LocalSession, RunRequest, Session};

/// Ops of which each panics in its own way, and one that does not.
fn registry() -> Arc<Registry> {
    let mut r = Registry::new();
    r.op("Fine", "->").any_kernel(|_| Ok(Kernel::compute(|_: &mut OpContext<'_>| Ok(()))));
    r.op("PanicsInCompute", "->").any_kernel(|_| Ok(Kernel::compute(|_: &mut OpContext<'_>| panic!("on purpose"))));
    r.op("PanicsInBlocking", "->").any_kernel(|_| Ok(Kernel::blocking(|_: &mut OpContext<'_>| panic!("on purpose"))));
    r.op("PanicsInConstruction", "->").any_kernel(|_: &Node| -> Result<Kernel> { panic!("on purpose") });
    let mut waiting = |name: &str, build: fn(&Node) -> Result<Kernel>| {
        r.op(name, "->").any_kernel(build);
    };
    waiting("PanicsInStart", |_| Ok(Kernel::asynchronous(|_: AsyncContext, _: Done| panic!("on purpose"))));
    waiting("PanicsAfterItsEnd", |_| {
        Ok(Kernel::asynchronous(|_: AsyncContext, done: Done| {
            done(Ok(Outputs::new()));
            panic!("on purpose");
        }))
    });
    waiting("PanicsBeforeItsEndElsewhere", |_| {
        Ok(Kernel::asynchronous(|cx: AsyncContext, done: Done| {
            // The step's cancellation, which follows from the panic, ends the kernel a second time.
            let done = parking_lot::Mutex::new(Some(done));
            let end = move |status: &Status| {
                if let Some(done) = done.lock().take() {
                    done(Err(status.clone()));
                }
            };
            std::mem::forget(cx.step.cancellation.on_cancel(end));
            panic!("on purpose");
        }))
    });
    waiting("PanicsElsewhere", |_| {
        Ok(Kernel::asynchronous(|cx: AsyncContext, done: Done| {
            cx.blocking.spawn(Box::new(move || {
                let _held = done;
                panic!("on purpose");
            }));
        }))
    });
    waiting("PanicsWhenCancelled", |_| {
        Ok(Kernel::asynchronous(|cx: AsyncContext, done: Done| {
            let end = move |_: &Status| {
                let _held = &done;
                panic!("on purpose");
            };
            std::mem::forget(cx.step.cancellation.on_cancel(end));
        }))
    });
    r.op("PanicsInAbandon", "->").any_kernel(|_| {
        Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
            cx.step.step_resources.lookup_or_create("", "unwilling", || Ok(Unwilling)).map(drop)
        }))
    });
    r.op("PanicsInDrop", "-> value: variant").any_kernel(|_| {
        // It ends on another thread, so that the panic comes in what goes on after a kernel that waited.
        Ok(Kernel::asynchronous(|cx: AsyncContext, done: Done| {
            cx.blocking.spawn(Box::new(move || {
                let value = Tensor::from_variants(Shape::scalar(), vec![Variant::new(Unwilling).unwrap()]);
                done(value.map(|value| [Value::Tensor(value)].into_iter().collect()));
            }));
        }))
    });
    assert!(r.mistakes().is_empty(), "{:?}", r.mistakes());
    Arc::new(r)
}

static ABANDONED: AtomicUsize = AtomicUsize::new(0);

/// Panics when it is abandoned or dropped.
#[derive(Debug)]
struct Unwilling;

impl Resource for Unwilling {
    fn kind(&self) -> &'static str {
        "Unwilling"
    }

    fn abandon(&self) {
        ABANDONED.fetch_add(1, Ordering::Relaxed);
        panic!("on purpose");
    }
}

impl VariantValue for Unwilling {
    fn type_name(&self) -> &str {
        "Unwilling"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }
}

impl Drop for Unwilling {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            panic!("on purpose");
        }
    }
}

/// Builds nodes, runs the last of them, and then another step in the same session.
fn outcome(build: impl FnOnce(&Graph) -> Operation) -> Result<()> {
    let g = Graph::with_registry(registry());
    let fine = g.op("Fine").name("fine").build();
    let target = build(&g);
    let session = Arc::new(LocalSession::new(&g).unwrap());
    let run = |target: Operation| {
        let (session, (send, receive)) = (session.clone(), mpsc::channel());
        std::thread::spawn(move || send.send(session.run(RunRequest::new().target(&target)).map(drop)));
        receive.recv_timeout(Duration::from_secs(30)).expect("the step does not end")
    };
    let outcome = run(target);
    run(fine).unwrap();
    session.close().unwrap();
    outcome
}

#[track_caller]
fn assert_panicked(outcome: Result<()>) {
    let status = outcome.unwrap_err();
    assert_eq!(status.code(), Code::Internal, "{status}");
    assert!(status.message().contains("panicked: on purpose"), "{status}");
}

#[test]
fn kernels_that_panic_fail_their_step() {
    for op in ["PanicsInCompute", "PanicsInBlocking", "PanicsInConstruction", "PanicsInStart"] {
        assert_panicked(outcome(|g| g.op(op).name("target").build()));
    }
}

#[test]
fn a_kernel_that_panics_in_its_start_ends_once_whatever_it_has_announced() {
    for op in ["PanicsAfterItsEnd", "PanicsBeforeItsEndElsewhere"] {
        assert_panicked(outcome(|g| g.op(op).name("target").build()));
    }
}

#[test]
fn a_waiting_kernel_whose_callback_panics_ends() {
    let status = outcome(|g| g.op("PanicsElsewhere").name("target").build()).unwrap_err();
    assert_eq!(
        (status.code(), status.message().split(" [[").next()),
        (Code::Internal, Some("the kernel of op PanicsElsewhere ended without an outcome"))
    );
    // The one is cancelled because the other fails.
    assert_panicked(outcome(|g| {
        let waiting = g.op("PanicsWhenCancelled").build();
        let failing = g.op("PanicsInCompute").build();
        g.op("Fine").control_inputs(&[waiting, failing]).build()
    }));
}

#[test]
fn values_and_resources_that_panic_at_their_end_fail_no_other_step() {
    assert_panicked(outcome(|g| {
        let value = g.op("PanicsInDrop").build();
        g.op("Fine").control_inputs(&[value]).build()
    }));
    // Nothing of the step's own is wrong, so it ends well.
    outcome(|g| g.op("PanicsInAbandon").build()).unwrap();
    assert_eq!(ABANDONED.load(Ordering::Relaxed), 1);
}
