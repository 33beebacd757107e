//! Staged hangs: a tensor is received that nothing sends. Programs that place the two ends of a transfer themselves, with the ops
//! `Send` and `Recv`, meet this when a step leaves out the sender.

use std::time::Duration;

use cluster::{Operator, Security};
use graph::OpBuilder;
use tensorfleet::AttrValue;
use tensorfleet::prelude::*;

use crate::stuck::{PS, Stage, WORKER, begin};

const SENDER: &str = "/job:ps/replica:0/task:0/device:CPU:0";
const RECEIVER: &str = "/job:worker/replica:0/task:0/device:CPU:0";

#[test]
fn why_names_who_does_not_send_a_tensor() {
    let stage = Stage::set();
    let g = Graph::new();
    let ps = Operator::new("the ps", stage.fleet.address("ps", 0), &Security::default()).expect("an operator");
    let incarnation = ps.devices(Duration::from_secs(30)).expect("its devices")[0].incarnation as i64;
    let transfer = |op: OpBuilder| {
        let op = op.attr("tensor_name", AttrValue::from("by_hand")).attr("send_device_incarnation", incarnation);
        op.attr("send_device", AttrValue::from(SENDER)).attr("recv_device", AttrValue::from(RECEIVER))
    };
    let (send, beside) = g.with_device(PS, |g| {
        let beside = Variable::new("beside", g.constant(1f32));
        (transfer(g.op("Send").input(beside.value())).build(), beside)
    });
    let received = g.with_device(WORKER, |g| transfer(g.op("Recv").attr("tensor_type", DType::Float)).output());
    let session = stage.session(&g);
    session.run(RunRequest::new().target(&global_variables_initializer(&g))).expect("a variable");
    // With both ends in the step it arrives.
    let arrived = session.fetch(RunRequest::new().fetch(&received).target(&send)).expect("a tensor");
    assert_eq!(arrived[0].to_scalar::<f32>().ok(), Some(1.0));

    // The parameter server has a part in the step, but is not asked to send.
    begin(&session, RunRequest::new().fetch(&received).fetch(beside.value()));
    let chain = stage.culprit(&["/job:ps/task:0 has done its part of the step, and nothing in it sends 'by_hand'"]);
    assert!(chain.contains("node 'Recv' (Recv) on /job:worker/task:0 has waited"), "{chain}");

    // It has none.
    begin(&session, RunRequest::new().fetch(&received));
    stage.culprit(&["/job:ps/task:0 should send 'by_hand', but has no part in the step"]);
}
