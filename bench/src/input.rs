//! Input pipelines that TensorFlow has built, from a meta graph: records from a file, parsed, shuffled, in batches.

use std::sync::Arc;
use std::time::Duration;

use tensorfleet::prelude::*;
use tensorfleet::train::{Coordinator, import_meta_graph, start_queue_runners};

use crate::rate;

/// Batches a second that the node `step` takes, after one run of `init` and with all queue runners started.
pub fn input(file: &str, init: &str, step: &str) -> Result<f64> {
    let g = Graph::new();
    import_meta_graph(&g, file)?;
    let (init, step) = (g.operation(init)?, g.operation(step)?);
    let session: Arc<dyn Session> = Arc::new(LocalSession::new(&g)?);
    session.run(RunRequest::new().target(&init))?;
    let coord = Coordinator::new();
    start_queue_runners(&g, &session, &coord)?;
    let request = RunRequest::new().target(&step);
    let batches = rate(|| session.run(request.clone()).map(drop));
    coord.request_stop();
    session.close()?;
    let _ = coord.join(Duration::from_secs(5));
    batches
}
