//! `_Recv`, `_HostRecv` and `Recv`: wait for a tensor that a `_Send` on another device puts into the step's rendezvous.

use graph::op::{AsyncContext, Done, Kernel, Parcel, Registry, Role, ShapeContext, Value};
use graph::{Node, ReadAttrs};
use smallvec::smallvec;
use tensor::{Result, ensure};

use super::send::EdgeKey;
use crate::pending::Pending;

pub(crate) fn register(r: &mut Registry) {
    for op in ["_Recv", "_HostRecv", "Recv"] {
        r.op(op, "-> tensor: tensor_type")
            .role(Role::Receive)
            .attr("tensor_type: type")
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
    let (edge, dtype) = (EdgeKey::of_node(node)?, node.attr_type("tensor_type")?);
    Ok(Kernel::asynchronous(move |cx: AsyncContext, done: Done| {
        let pending = Pending::new(done);
        let waiting = pending.clone();
        let receive = Box::new(move |parcel: Result<Parcel>| {
            let value = parcel.and_then(|parcel| match parcel {
                Parcel::Dead => Ok(Value::Empty),
                Parcel::Tensor(tensor) => {
                    ensure!(
                        tensor.dtype() == dtype,
                        InvalidArgument,
                        "received a tensor of type {}, but {dtype} was expected",
                        tensor.dtype()
                    );
                    Ok(Value::Tensor(tensor))
                }
            });
            waiting.finish(value.map(|value| smallvec![value]));
        });
        match cx.frame {
            (0, 0) => cx.step.rendezvous.recv(&edge.outside_loops, receive),
            frame => cx.step.rendezvous.recv(&edge.in_frame(frame), receive),
        }
        if !pending.is_over() {
            let cancelled = pending.clone();
            pending.keep(cx.step.cancellation.on_cancel(move |reason| cancelled.finish(Err(reason.clone()))));
        }
    }))
}

#[cfg(test)]
mod tests {
    use graph::AttrValue;
    use graph::op::Value;
    use tensor::{DType, Tensor, err};

    use crate::testing::{Bench, DEVICE, val};

    fn attrs(dtype: (&'static str, DType)) -> Vec<(&'static str, AttrValue)> {
        vec![
            (dtype.0, dtype.1.into()),
            ("tensor_name", "edge_1_a".into()),
            ("send_device", DEVICE.into()),
            ("send_device_incarnation", (-1i64).into()),
            ("recv_device", DEVICE.into()),
        ]
    }

    #[test]
    fn either_side_may_come_first() {
        let bench = Bench::new();
        let (send, recv) = (
            bench.node("_Send", &attrs(("T", DType::Float))),
            bench.node("_Recv", &attrs(("tensor_type", DType::Float))),
        );
        let early = recv.start(&bench, vec![]);
        assert!(!early.is_done());
        send.run(&bench, vec![val(2f32)]).unwrap();
        assert_eq!(early.value(), Tensor::from(2f32));
        send.run(&bench, vec![Value::Empty]).unwrap();
        assert!(matches!(recv.run(&bench, vec![]).unwrap()[0], Value::Empty));
    }

    #[test]
    fn cancelling_lets_the_receiver_go() {
        let bench = Bench::new();
        let recv = bench.node("_Recv", &attrs(("tensor_type", DType::Float))).start(&bench, vec![]);
        bench.step.cancellation.cancel(err!(Cancelled, "enough"));
        assert_eq!(recv.error().message(), "enough");
    }
}
