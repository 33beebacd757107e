//! Programs that TensorFlow has built, from a meta graph: the same graph runs on both sides.

use tensorfleet::prelude::*;
use tensorfleet::train::import_meta_graph;

use crate::rate;

/// Steps a second of the node `step` after one run of `init`, in this process or on a server.
pub fn program(file: &str, init: &str, step: &str, target: Option<&str>) -> Result<f64> {
    let g = Graph::new();
    import_meta_graph(&g, file)?;
    let (init, step) = (g.operation(init)?, g.operation(step)?);
    let (init, step) = (RunRequest::new().target(&init), RunRequest::new().target(&step));
    match target {
        None => {
            let session = LocalSession::new(&g)?;
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
