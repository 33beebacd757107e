//! A disk that does not answer: steps that wait for it end when they are cancelled, and checkpoints, which have threads of their own,
//! are written meanwhile.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use graph::Graph;
use graph::op::{Kernel, OpContext, Registry};
use parking_lot::Mutex;
use tensor::Code;
use tensorfleet_runtime::{LocalSession, RunRequest, Session};

/// Held while the disk does not answer.
static DISK: LazyLock<Mutex<()>> = LazyLock::new(Mutex::default);

fn registry() -> Arc<Registry> {
    let mut r = Registry::new();
    r.op("Read", "->").stateful().any_kernel(|_| {
        Ok(Kernel::files(|_: &mut OpContext<'_>| {
            drop(DISK.lock());
            Ok(())
        }))
    });
    r.op("Save", "->").stateful().any_kernel(|_| Ok(Kernel::checkpoints(|_: &mut OpContext<'_>| Ok(()))));
    Arc::new(r)
}

#[test]
fn steps_end_and_checkpoints_are_written() {
    let g = Graph::with_registry(registry());
    let (read, save) = (g.op("Read").build(), g.op("Save").build());
    let session = Arc::new(LocalSession::new(&g).unwrap());
    let dead = DISK.lock();
    // More than there are threads for files.
    let readers: Vec<_> = (0..100)
        .map(|_| {
            let (session, read) = (session.clone(), read.clone());
            std::thread::spawn(move || session.run(RunRequest::new().target(&read).timeout(Duration::from_secs(1))))
        })
        .collect();
    session.run(RunRequest::new().target(&save)).unwrap();
    for reader in readers {
        assert_eq!(reader.join().unwrap().unwrap_err().code(), Code::DeadlineExceeded);
    }
    // Their threads still wait, and have been replaced.
    let begun = std::thread::spawn({
        let (session, read) = (session.clone(), read.clone());
        move || session.run(RunRequest::new().target(&read).timeout(Duration::from_secs(60)))
    });
    drop(dead);
    begun.join().unwrap().unwrap();
    session.run(RunRequest::new().target(&read)).unwrap();
    session.close().unwrap();
}
