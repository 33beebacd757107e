//! `Timestamp`: the time at which the node runs.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{Result, err};

pub(crate) fn register(r: &mut Registry) {
    r.op("Timestamp", "-> ts: double")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(timestamp_kernel)
        .not_differentiable();
}

fn timestamp_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
        let seconds = now.map_err(|_| err!(Internal, "the clock is before 1970"))?.as_secs_f64();
        cx.set_output(0, seconds);
        Ok(())
    }))
}
