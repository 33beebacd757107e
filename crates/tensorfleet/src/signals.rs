//! SIGTERM and Ctrl-C for programs that train.

use tensor::Result;
use train::Coordinator;

/// Lets SIGTERM and SIGINT end the training of this process instead of killing it: they ask `coord` to stop, so that the loop ends
/// after the step that it is at and a chief writes its last checkpoint. The second signal ends the process at once.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let told = Coordinator::new();
/// tensorfleet::stop_on_signals(&told)?;
/// let sv = Supervisor::new(&g).stop_with(&told).build()?;
/// assert!(!sv.should_stop()); // until then
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `ResourceExhausted` if the system does not let the process listen.
pub fn stop_on_signals(coord: &Coordinator) -> Result<()> {
    let coord = coord.clone();
    cluster::on_stop_signals(move || coord.request_stop())
}
