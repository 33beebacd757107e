//! Programs that TensorFlow has built, from a meta graph: the same graph runs on both sides.

use tensorfleet::prelude::*;
use tensorfleet::session::Improvements;
use tensorfleet::train::import_meta_graph;

use crate::rate;

/// Steps a second of the node `step` after one run of `init`, in this process or on a server; as the graph is written, without
/// improvements, where `place` is `plain`.
pub fn program(file: &str, init: &str, step: &str, place: Option<&str>) -> Result<f64> {
    let g = Graph::new();
    import_meta_graph(&g, file)?;
    let (init, step) = (g.operation(init)?, g.operation(step)?);
    let (init, step) = (RunRequest::new().target(&init), RunRequest::new().target(&step));
    match place {
        None | Some("plain") => {
            let improvements = if place.is_some() { Improvements::NONE } else { Improvements::ALL };
            let options = SessionOptions { improvements, ..SessionOptions::default() };
            let session = LocalSession::with_options(&g, options)?;
            session.run(init)?;
            rate(|| session.run(step.clone()).map(drop))
        }
        Some(target) => {
            let session = RemoteSession::new(target, &g)?;
            session.run(init)?;
            rate(|| session.run(step.clone()).map(drop))
        }
    }
}
