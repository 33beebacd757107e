//! A graph grows while threads run steps on its session: each step sees a version that has all it asks for.

use std::sync::atomic::{AtomicBool, Ordering};

use tensorfleet::prelude::*;

/// Threads run one old node over and over while another adds nodes and runs each at once.
fn grows_while_others_run(session: impl Session, g: &Graph, old: &Output) -> Result<()> {
    let done = AtomicBool::new(false);
    std::thread::scope(|threads| {
        let others: Vec<_> = (0..3)
            .map(|_| {
                threads.spawn(|| -> Result<()> {
                    while !done.load(Ordering::Relaxed) {
                        session.eval::<f32, _>(old)?;
                    }
                    Ok(())
                })
            })
            .collect();
        let grown = (0..200).try_for_each(|number| {
            let value = number as f32;
            let found: f32 = session.eval(&g.constant(value))?;
            assert_eq!(found, value);
            Ok(())
        });
        done.store(true, Ordering::Relaxed);
        for other in others {
            other.join().expect("no thread panics")?;
        }
        grown
    })
}

#[test]
fn in_a_local_session() {
    let g = Graph::new();
    let old = g.constant(1f32) + 1.0;
    grows_while_others_run(LocalSession::new(&g).unwrap(), &g, &old).unwrap();
}

#[test]
fn in_a_session_on_a_server() {
    let g = Graph::new();
    let old = g.constant(1f32) + 1.0;
    let server = Server::create_local_server().unwrap();
    grows_while_others_run(RemoteSession::new(server.target(), &g).unwrap(), &g, &old).unwrap();
}
