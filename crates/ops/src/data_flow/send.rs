//! `_Send`, `_HostSend` and `Send`: put a tensor into the step's rendezvous, for a `_Recv` on another device.

use graph::op::{Kernel, OpContext, Parcel, Registry, RendezvousKey, Role, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::Result;

pub(crate) fn register(r: &mut Registry) {
    for op in ["_Send", "_HostSend", "Send"] {
        r.op(op, "tensor: T ->")
            .role(Role::Send)
            .attr("T: type")
            .attr("tensor_name: string")
            .attr("send_device: string")
            .attr("send_device_incarnation: int")
            .attr("recv_device: string")
            .attr("client_terminated: bool = false")
            .stateful()
            .shape(ShapeContext::unknown)
            .any_kernel(kernel);
    }
}

fn kernel(node: &Node) -> Result<Kernel> {
    let edge = EdgeKey::of_node(node)?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        // A branch that was not taken is told too, so that the receiver stops waiting.
        let parcel = if cx.has_input(0) { Parcel::Tensor(cx.take_input(0)?) } else { Parcel::Dead };
        match cx.frame {
            (0, 0) => cx.step.rendezvous.send(&edge.outside_loops, parcel),
            frame => cx.step.rendezvous.send(&edge.in_frame(frame), parcel),
        }
    }))
}

/// The keys under which the values of one edge travel. The one that steps without loops use is made beforehand.
pub(crate) struct EdgeKey {
    pub(crate) outside_loops: RendezvousKey,
}

impl EdgeKey {
    /// # Errors
    /// `InvalidArgument` if an attribute is missing.
    pub(crate) fn of_node(node: &Node) -> Result<EdgeKey> {
        let key = RendezvousKey::new(
            node.attr_str("send_device")?,
            node.attr_int("send_device_incarnation")? as u64,
            node.attr_str("recv_device")?,
            node.attr_str("tensor_name")?,
            0,
            0,
        );
        Ok(EdgeKey { outside_loops: key })
    }

    pub(crate) fn in_frame(&self, (frame, iteration): (u64, i64)) -> RendezvousKey {
        let key = &self.outside_loops;
        RendezvousKey::new(key.send_device(), key.incarnation(), key.recv_device(), key.name(), frame, iteration)
    }
}
