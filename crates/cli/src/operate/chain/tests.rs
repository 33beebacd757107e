//! Chains of steps that are made up, where a live cluster would need luck.

use std::time::Instant;

use cluster::Security;
use wire::operator::PartOver;

use super::super::Task;
use super::*;

/// A worker that waits for a tensor of the parameter server, or of its client; the former tells this of the step.
fn culprits(over: Vec<PartOver>, from_client: bool) -> Vec<String> {
    let waiting = WaitingNode {
        from_client,
        node: "grad/_3".to_owned(),
        op: "_Recv".to_owned(),
        tensor: "edge_7_grad".to_owned(),
        from_device: "/job:ps/replica:0/task:0/device:CPU:0".to_owned(),
        ..Default::default()
    };
    let part = StepUnderWay { step: 5, age_millis: 3000, nodes: vec![waiting], ..Default::default() };
    let worker = StatusResponse { under_way: vec![part.clone()], ..Default::default() };
    let ps = StatusResponse { parts_over: over, ..Default::default() };
    let task = |job| Task::new(job, 0, "127.0.0.1:1", &Security::default()).unwrap();
    let answers = vec![Answer::Ours(Box::new(ps)), Answer::Ours(Box::new(worker))];
    let now = Moment { tasks: vec![task("ps"), task("worker")], answers, when: Instant::now() };
    Chain::of(&now, &vec![("/job:worker/task:0", &part)]).culprits
}

#[test]
fn tensors_that_go_both_ways_are_no_deadlock() {
    let node = |name: &str, from: &str| WaitingNode {
        node: name.to_owned(),
        op: "_Recv".to_owned(),
        tensor: format!("edge_1_{name}"),
        from_device: format!("/job:{from}/replica:0/task:0/device:CPU:0"),
        ..Default::default()
    };
    // The worker waits for the ps, which waits for what the worker cannot make before its file is read.
    let file = WaitingNode { node: "file".to_owned(), op: "ReadFile".to_owned(), blocking: true, ..Default::default() };
    let part = |nodes| StepUnderWay { step: 5, age_millis: 3000, nodes, ..Default::default() };
    let found = |of_worker: Vec<WaitingNode>| {
        let (ps, worker) = (part(vec![node("there", "worker")]), part(of_worker));
        let answer = |part: &StepUnderWay| {
            Answer::Ours(Box::new(StatusResponse { under_way: vec![part.clone()], ..Default::default() }))
        };
        let task = |job| Task::new(job, 0, "127.0.0.1:1", &Security::default()).unwrap();
        let answers = vec![answer(&ps), answer(&worker)];
        let now = Moment { tasks: vec![task("ps"), task("worker")], answers, when: Instant::now() };
        Chain::of(&now, &vec![("/job:worker/task:0", &worker), ("/job:ps/task:0", &ps)]).culprits
    };
    let culprits = found(vec![node("back", "ps"), file]);
    assert!(culprits.len() == 1 && culprits[0].contains("a file that does not answer"), "{culprits:?}");
    let culprits = found(vec![node("back", "ps")]);
    assert!(culprits.len() == 1 && culprits[0].contains("one is lost"), "{culprits:?}");
}

#[test]
fn a_tensor_that_nothing_sends_is_told_from_one_that_does_not_arrive() {
    let sent = |tensor: &str| vec![PartOver { step: 5, sent: vec![tensor.to_owned()] }];
    let lost = culprits(sent("edge_7_grad"), false);
    assert!(lost[0].contains("the network from /job:ps/task:0 to /job:worker/task:0"), "{lost:?}");
    assert_eq!(
        culprits(sent("edge_8_other"), false),
        ["/job:ps/task:0 has done its part of the step, and nothing in it sends 'grad'"]
    );
    let unknown = culprits(vec![PartOver { step: 6, ..Default::default() }], false);
    assert!(unknown[0].contains("has no part in the step: was it restarted"), "{unknown:?}");
    let fed = culprits(Vec::new(), true);
    assert!(fed.len() == 1 && fed[0].starts_with("the client should feed 'grad'"), "{fed:?}");
}
