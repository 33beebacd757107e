//! A thread that is lent runs what waits for what it brings, as far as that is known to take little time.

use std::sync::Arc;
use std::thread::ThreadId;
use std::time::Duration;

use graph::Graph;
use graph::op::{AsyncContext, Done, Kernel, OpContext, Outputs, Registry};
use parking_lot::{Condvar, Mutex};
use tensorfleet_runtime::{LocalSession, RunRequest, Session, lend_thread};

/// Where the kernels of each op ran, in turn.
static PLACES: Mutex<Vec<(&str, ThreadId)>> = Mutex::new(Vec::new());
/// The kernel that is about to wait.
static STARTED: Mutex<Option<Done>> = Mutex::new(None);
/// The kernel that waits.
static WAITING: Mutex<Option<Done>> = Mutex::new(None);
static WAITS: Condvar = Condvar::new();

fn note(op: &'static str) {
    PLACES.lock().push((op, std::thread::current().id()));
}

/// Returns whether an op ran on this thread since the last time that somebody asked.
fn ran_here(op: &str) -> bool {
    let mut places = PLACES.lock();
    let of_op: Vec<ThreadId> = places.iter().filter(|(name, _)| *name == op).map(|(_, place)| *place).collect();
    places.retain(|(name, _)| *name != op);
    assert_eq!(of_op.len(), 1, "{op}");
    of_op[0] == std::thread::current().id()
}

fn what_waits() -> Done {
    let mut waiting = WAITING.lock();
    loop {
        match waiting.take() {
            Some(done) => return done,
            None => assert!(!WAITS.wait_for(&mut waiting, Duration::from_secs(60)).timed_out(), "nothing waits"),
        }
    }
}

fn registry() -> Arc<Registry> {
    let mut r = Registry::new();
    r.op("Waits", "->").any_kernel(|_| {
        Ok(Kernel::asynchronous(|_: AsyncContext, done: Done| {
            *STARTED.lock() = Some(done);
        }))
    });
    r.op("After", "->").any_kernel(|_| {
        Ok(Kernel::cheap(|_: &mut OpContext<'_>| {
            *WAITING.lock() = Some(STARTED.lock().take().expect("it was started before"));
            WAITS.notify_all();
            Ok(())
        }))
    });
    r.op("Cheap", "->").any_kernel(|_| {
        Ok(Kernel::cheap(|_: &mut OpContext<'_>| {
            note("Cheap");
            Ok(())
        }))
    });
    r.op("Quick", "->").any_kernel(|_| {
        Ok(Kernel::compute(|_: &mut OpContext<'_>| {
            note("Quick");
            Ok(())
        }))
    });
    r.op("Slow", "->").any_kernel(|_| {
        Ok(Kernel::compute(|_: &mut OpContext<'_>| {
            note("Slow");
            std::thread::sleep(Duration::from_millis(5));
            Ok(())
        }))
    });
    Arc::new(r)
}

#[test]
fn what_takes_little_time_goes_on_where_it_was_brought() {
    let g = Graph::with_registry(registry());
    let mut last = g.op("Waits").build();
    // The next node that runs on the step's own thread, when nothing is left there but to wait.
    let after = g.op("After").build();
    for op in ["Cheap", "Quick", "Slow"] {
        last = g.op(op).control_inputs(&[last]).build();
    }
    let session = LocalSession::new(&g).unwrap();
    let mut quick_here = Vec::new();
    for _ in 0..100 {
        std::thread::scope(|scope| {
            let step = scope.spawn(|| session.run(RunRequest::new().target(&last).target(&after)).map(drop));
            let done = what_waits();
            lend_thread(|| done(Ok(Outputs::new())));
            step.join().unwrap().unwrap();
        });
        assert!(ran_here("Cheap"));
        assert!(!ran_here("Slow"));
        quick_here.push(ran_here("Quick"));
        if quick_here.last() == Some(&true) {
            break;
        }
    }
    // At first nobody knows how long it takes.
    assert_eq!((quick_here.first(), quick_here.last()), (Some(&false), Some(&true)));
}
