//! Collectives: members of a group meet on the devices of one process and on the tasks of a cluster, in one step or each in
//! its own, and fail together. Values and phrases are those of TensorFlow 2.21.

use std::sync::mpsc;
use std::thread;
use std::time::Duration;

use cluster::{LocalCluster, RemoteOptions, RemoteSession, ServerOptions, Transport};
use tensorfleet::prelude::*;

/// The keys of a collective.
#[derive(Clone, Copy)]
struct Keys {
    size: i32,
    group: i32,
    instance: i32,
    timeout: f32,
}

fn keys(size: i32, instance: i32) -> Keys {
    Keys { size, group: 1, instance, timeout: 0.0 }
}

fn reduce(g: &Graph, input: impl Into<Tensor>, keys: Keys, merge_op: &'static str, final_op: &'static str) -> Output {
    let input = g.constant(input.into());
    let node = g.op("CollectiveReduceV2").input(input).input(g.constant(keys.size)).input(g.constant(keys.group));
    let node = node.input(g.constant(keys.instance)).input_list(&[]);
    node.attr("merge_op", merge_op).attr("final_op", final_op).attr("timeout_seconds", keys.timeout).output()
}

fn sum(g: &Graph, input: impl Into<Tensor>, keys: Keys) -> Output {
    reduce(g, input, keys, "Add", "Id")
}

fn gather(g: &Graph, input: impl Into<Tensor>, keys: Keys) -> Output {
    let input = g.constant(input.into());
    let node = g.op("CollectiveGatherV2").input(input).input(g.constant(keys.size)).input(g.constant(keys.group));
    node.input(g.constant(keys.instance)).input_list(&[]).output()
}

fn send(g: &Graph, input: impl Into<Tensor>, keys: Keys) -> Output {
    let input = g.constant(input.into());
    let node = g.op("CollectiveBcastSendV2").input(input).input(g.constant(keys.size)).input(g.constant(keys.group));
    node.input(g.constant(keys.instance)).output()
}

fn receive(g: &Graph, dims: &[i32], keys: Keys) -> Output {
    let node = g.op("CollectiveBcastRecvV2").input(g.constant(keys.size)).input(g.constant(keys.group));
    let node = node.input(g.constant(keys.instance)).input(g.constant(Tensor::vector(dims)));
    node.attr("T", DType::Float).output()
}

/// Runs what is built for each of three devices, in one step of one process.
fn on_devices(build: impl Fn(&Graph, i32) -> Output) -> Result<Vec<Tensor>> {
    let g = Graph::new();
    let outputs: Vec<Output> =
        (0..3).map(|device| g.with_device(format!("/cpu:{device}").as_str(), |g| build(g, device))).collect();
    let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: 3, ..Default::default() })?;
    let request = outputs.iter().fold(RunRequest::new(), |request, output| request.fetch(output));
    session.fetch(request.timeout(Duration::from_secs(60)))
}

fn same_for_all(expected: impl Into<Tensor>, found: Result<Vec<Tensor>>) {
    let expected = expected.into();
    assert_eq!(found.unwrap(), [expected.clone(), expected.clone(), expected]);
}

#[test]
fn reductions_of_three_devices() {
    let ramp = |device: i32| [1f32, 2.0, 3.0, 4.0, 5.0].map(|x| x * (device + 1) as f32);
    for (merge_op, final_op, expected) in [
        ("Add", "Id", [6f32, 12.0, 18.0, 24.0, 30.0]),
        ("Add", "Div", [2.0, 4.0, 6.0, 8.0, 10.0]),
        ("Mul", "Id", [6.0, 48.0, 162.0, 384.0, 750.0]),
        ("Mul", "Div", [2.0, 16.0, 54.0, 128.0, 250.0]),
        ("Max", "Id", [3.0, 6.0, 9.0, 12.0, 15.0]),
        ("Max", "Div", [1.0, 2.0, 3.0, 4.0, 5.0]),
        ("Min", "Id", [1.0, 2.0, 3.0, 4.0, 5.0]),
        ("Min", "Div", [0.333_333_34, 0.666_666_7, 1.0, 1.333_333_4, 1.666_666_6]),
    ] {
        same_for_all(expected, on_devices(|g, device| reduce(g, ramp(device), keys(3, 1), merge_op, final_op)));
    }
    let ints = |device: i32| [1i32, 2, 4].map(|x| x * (device + 1) - 3);
    same_for_all([-1i32, 1, 5], on_devices(|g, device| reduce(g, ints(device), keys(3, 1), "Add", "Div")));
    let longs = |device: i32| [1i64, 2, 4].map(|x| x * i64::from(device + 1) - 3);
    same_for_all([0i64, -3, 45], on_devices(|g, device| reduce(g, longs(device), keys(3, 1), "Mul", "Id")));
    same_for_all(3f32, on_devices(|g, device| sum(g, device as f32, keys(3, 1))));
    let empty = Tensor::new([0, 3], Vec::<f32>::new()).unwrap();
    same_for_all(empty.clone(), on_devices(|g, _| sum(g, empty.clone(), keys(3, 1))));
}

#[test]
fn large_tensors_are_reduced_in_shares() {
    let count = 600_001;
    let values = |device: i32| (0..count).map(|i| (i % 1000) as f32 * (device + 1) as f32).collect::<Vec<f32>>();
    let expected: Vec<f32> = (0..count).map(|i| (i % 1000) as f32 * 2.0).collect();
    let found = on_devices(|g, device| reduce(g, Tensor::vector(&values(device)), keys(3, 1), "Add", "Div"));
    same_for_all(Tensor::vector(&expected), found);
}

#[test]
fn gathers_and_broadcasts_of_three_devices() {
    let part = |device: i32| [[0f32, 1.0], [2.0, 3.0]].map(|row| row.map(|x| x + 10.0 * device as f32));
    let all = [[0f32, 1.0], [2.0, 3.0], [10.0, 11.0], [12.0, 13.0], [20.0, 21.0], [22.0, 23.0]];
    same_for_all(all, on_devices(|g, device| gather(g, part(device), keys(3, 5))));
    for source in 0..3 {
        let found = on_devices(|g, device| match device == source {
            true => send(g, [[0f32, 1.0], [2.0, 3.0]], keys(3, 7)),
            false => receive(g, &[2, 2], keys(3, 7)),
        });
        same_for_all([[0f32, 1.0], [2.0, 3.0]], found);
    }
}

/// The older ops have their keys as attributes.
#[test]
fn older_ops_of_three_devices() {
    let attrs =
        |g: &Graph, op: &str| g.op(op).attr("group_size", 3i64).attr("group_key", 1i64).attr("instance_key", 1i64);
    let reduced = on_devices(|g, device| {
        let input = g.constant([1f32, 2.0].map(|x| x * device as f32));
        let node = attrs(g, "CollectiveReduce").input(input).attr("merge_op", "Add").attr("final_op", "Div");
        node.attr("subdiv_offsets", vec![0i64]).output()
    });
    same_for_all([1f32, 2.0], reduced);
    let gathered = on_devices(|g, device| {
        let input = g.constant([[1f32, 2.0]].map(|row| row.map(|x| x * device as f32)));
        attrs(g, "CollectiveGather").input(input).attr("shape", PartialShape::from_dims(&[3, 2])).output()
    });
    same_for_all([[0f32, 0.0], [1.0, 2.0], [2.0, 4.0]], gathered);
    let sent = on_devices(|g, device| {
        let shape = PartialShape::from_dims(&[2]);
        match device {
            0 => attrs(g, "CollectiveBcastSend").input(g.constant([1f32, 2.0])).attr("shape", shape).output(),
            _ => attrs(g, "CollectiveBcastRecv").attr("T", DType::Float).attr("shape", shape).output(),
        }
    });
    same_for_all([1f32, 2.0], sent);
}

fn refused(found: Result<Vec<Tensor>>, code: Code, phrase: &str) {
    let status = found.expect_err(phrase);
    assert_eq!(status.code(), code, "{status}");
    assert!(status.message().contains(phrase), "{status}");
}

#[test]
fn members_that_do_not_agree_are_all_refused() {
    let other = |device: i32| device == 1;
    let shapes = on_devices(|g, device| sum(g, Tensor::vector(&vec![0f32; 3 - device as usize % 2]), keys(3, 1)));
    refused(shapes, Code::InvalidArgument, "Shape mismatch in the collective instance 1. Op at device");
    let types = on_devices(|g, device| match other(device) {
        true => sum(g, [0f64; 3], keys(3, 1)),
        false => sum(g, [0f32; 3], keys(3, 1)),
    });
    refused(types, Code::Internal, "Collective ops is aborted by: Collective instance 1 expected type 0 and data_type");
    let sizes = on_devices(|g, device| sum(g, 0f32, keys(if other(device) { 2 } else { 3 }, 1)));
    refused(sizes, Code::Internal, "is joining a group with size");
    refused(on_devices(|g, _| sum(g, 0f32, keys(2, 1))), Code::Internal, "is joining a group that is already full");
    refused(
        on_devices(|g, _| sum(g, 0f32, keys(0, 1))),
        Code::InvalidArgument,
        "group_size must be positive integer but got 0",
    );
    refused(
        on_devices(|g, _| receive(g, &[2], keys(3, 7))),
        Code::Internal,
        "Instance 7 found no source for broadcast.",
    );
    let sources = on_devices(|g, device| match device < 2 {
        true => send(g, 1f32, keys(3, 7)),
        false => receive(g, &[], keys(3, 7)),
    });
    refused(sources, Code::Internal, "received second claim from");
    let rows = on_devices(|g, device| {
        gather(g, Tensor::new([1 + i64::from(device), 1], vec![0f32; 1 + device as usize]).unwrap(), keys(3, 5))
    });
    refused(rows, Code::InvalidArgument, "Shape mismatch in the collective instance 5");
    let late = on_devices(|g, _| sum(g, 0f32, Keys { timeout: 0.2, ..keys(4, 1) }));
    refused(late, Code::DeadlineExceeded, "Collective has timed out waiting for other workers.");
}

#[test]
fn a_group_forms_again_after_a_step_was_given_up() {
    let g = Graph::new();
    let member = |device: i32| g.with_device(format!("/cpu:{device}").as_str(), |g| sum(g, 1f32, keys(2, 1)));
    let (first, second) = (member(0), member(1));
    let session = LocalSession::with_options(&g, SessionOptions { cpu_devices: 2, ..Default::default() }).unwrap();
    let both = || session.fetch(RunRequest::new().fetch(&first).fetch(&second));
    for _ in 0..3 {
        let alone = session.fetch(RunRequest::new().fetch(&first).timeout(Duration::from_millis(20)));
        assert_eq!(alone.unwrap_err().code(), Code::DeadlineExceeded);
        assert_eq!(both().unwrap(), [Tensor::from(2f32), Tensor::from(2f32)]);
        assert_eq!(both().unwrap(), [Tensor::from(2f32), Tensor::from(2f32)]);
    }
}

fn start(workers: u32) -> LocalCluster {
    LocalCluster::start_with(&[("worker", workers)], &ops::registry(), ServerOptions::default()).unwrap()
}

fn connect(cluster: &LocalCluster, task: u32, g: &Graph) -> RemoteSession {
    let options = RemoteOptions { transport: Transport::Links, ..Default::default() };
    RemoteSession::with_options(cluster.target("worker", task).unwrap(), g, options).unwrap()
}

#[test]
fn tasks_of_a_cluster_meet_in_one_step() {
    let cluster = start(3);
    let g = Graph::new();
    let on_task = |task: i32, large: bool| {
        g.with_device(format!("/job:worker/task:{task}").as_str(), |g| match large {
            true => sum(g, Tensor::vector(&vec![(task + 1) as f32; 900_000]), keys(3, 2)),
            false => sum(g, [task as f32, 1.0], keys(3, 1)),
        })
    };
    let (small, large): (Vec<Output>, Vec<Output>) =
        (0..3).map(|task| (on_task(task, false), on_task(task, true))).unzip();
    let session = connect(&cluster, 1, &g);
    for _ in 0..5 {
        let fetch =
            |outputs: &[Output]| outputs.iter().fold(RunRequest::new(), |request, output| request.fetch(output));
        same_for_all([3f32, 3.0], session.fetch(fetch(&small)));
        same_for_all(Tensor::vector(&vec![6f32; 900_000]), session.fetch(fetch(&large)));
    }
}

/// Each worker with a graph and a session of its own: runs `work` for all, at once.
fn on_workers<T: Send>(workers: u32, work: impl Fn(u32) -> T + Sync) -> Vec<T> {
    thread::scope(|scope| {
        let started: Vec<_> = (0..workers)
            .map(|task| {
                scope.spawn({
                    let work = &work;
                    move || work(task)
                })
            })
            .collect();
        started.into_iter().map(|worker| worker.join().unwrap()).collect()
    })
}

#[test]
fn workers_meet_each_in_steps_of_its_own() {
    let cluster = start(3);
    let found = on_workers(3, |task| {
        let g = Graph::new();
        let (sum, all) = (sum(&g, [task as f32, 1.0], keys(3, 1)), gather(&g, [task as i64], keys(3, 2)));
        let session = connect(&cluster, task, &g);
        (0..20).map(|_| session.fetch(RunRequest::new().fetch(&sum).fetch(&all)).unwrap()).next_back().unwrap()
    });
    for values in found {
        assert_eq!(values, [Tensor::from([3f32, 3.0]), Tensor::from([0i64, 1, 2])]);
    }
}

#[test]
fn workers_that_do_not_agree_are_all_told() {
    let cluster = start(3);
    let found = on_workers(3, |task| {
        let g = Graph::new();
        let sum = sum(&g, Tensor::vector(&vec![1f32; 2 + task as usize / 2]), keys(3, 1));
        connect(&cluster, task, &g).fetch(RunRequest::new().fetch(&sum))
    });
    for outcome in found {
        let status = outcome.unwrap_err();
        assert_eq!(status.code(), Code::InvalidArgument, "{status}");
        assert!(status.message().contains("Shape mismatch in the collective instance 1"), "{status}");
    }
}

#[test]
fn a_lost_worker_ends_what_others_wait_for() {
    let mut cluster = start(3);
    let worker = |task: u32| {
        let g = Graph::new();
        let sum = sum(&g, 1f32, keys(3, 1));
        (connect(&cluster, task, &g), sum)
    };
    let (third, last) = worker(2);
    let (done, first_rounds) = mpsc::channel();
    let others: Vec<_> = [0, 1]
        .map(|task| {
            let ((session, sum), done) = (worker(task), done.clone());
            thread::spawn(move || {
                session.fetch(RunRequest::new().fetch(&sum)).unwrap();
                done.send(()).unwrap();
                session.fetch(RunRequest::new().fetch(&sum))
            })
        })
        .into();
    third.fetch(RunRequest::new().fetch(&last)).unwrap();
    (0..2).for_each(|_| first_rounds.recv().unwrap());
    // Two members are in their second round, or come to it, and the third is not any more.
    cluster.stop("worker", 2);
    for other in others {
        let status = other.join().unwrap().unwrap_err();
        assert!(matches!(status.code(), Code::Unavailable | Code::Aborted), "{status}");
        assert!(status.message().contains("/job:worker/replica:0/task:2"), "{status}");
    }
}

#[test]
fn a_worker_that_begins_a_new_session_is_waited_for_no_longer() {
    let cluster = start(2);
    let step = |task: u32| {
        let g = Graph::new();
        let sum = sum(&g, 1f32, keys(2, 1));
        (connect(&cluster, task, &g), sum)
    };
    let (session, first) = step(0);
    let (again, second) = step(1);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| session.fetch(RunRequest::new().fetch(&first)));
        again.fetch(RunRequest::new().fetch(&second)).unwrap();
        waiting.join().unwrap().unwrap();
        let waiting = scope.spawn(|| session.fetch(RunRequest::new().fetch(&first)));
        again.close().unwrap();
        let status = waiting.join().unwrap().unwrap_err();
        assert_eq!(status.code(), Code::Aborted, "{status}");
        assert!(status.message().contains("has left the group"), "{status}");
    });
    let (again, second) = step(1);
    thread::scope(|scope| {
        let waiting = scope.spawn(|| session.fetch(RunRequest::new().fetch(&first)));
        assert_eq!(again.fetch(RunRequest::new().fetch(&second)).unwrap(), [Tensor::from(2f32)]);
        assert_eq!(waiting.join().unwrap().unwrap(), [Tensor::from(2f32)]);
    });
}

/// Without links, groups gather and exchange over the calls of TensorFlow's worker service, as with its tasks.
#[test]
fn tasks_without_links_meet_over_tensorflows_calls() {
    let options = ServerOptions { transport: Transport::Grpc, ..Default::default() };
    let cluster = LocalCluster::start_with(&[("worker", 3)], &ops::registry(), options).unwrap();
    let connect = |task: u32, g: &Graph| {
        let options = RemoteOptions { transport: Transport::Grpc, ..Default::default() };
        RemoteSession::with_options(cluster.target("worker", task).unwrap(), g, options).unwrap()
    };
    let build = |g: &Graph, task: u32, first: i32| {
        let large = Tensor::vector(&vec![(task + 1) as f32; 600_000]);
        let from_1 = match task {
            1 => send(g, [7f32, 8.0], keys(3, first + 3)),
            _ => receive(g, &[2], keys(3, first + 3)),
        };
        let rows = Tensor::from([task as i64; 3]);
        [
            sum(g, [task as f32, 1.0], keys(3, first)),
            reduce(g, large, keys(3, first + 1), "Add", "Div"),
            gather(g, [task as i64], keys(3, first + 2)),
            from_1,
            all_to_all(g, rows, keys(3, first + 4)),
        ]
    };
    let expected = [
        Tensor::from([3f32, 3.0]),
        Tensor::vector(&vec![2f32; 600_000]),
        Tensor::from([0i64, 1, 2]),
        Tensor::from([7f32, 8.0]),
        Tensor::from([0i64, 1, 2]),
    ];
    let fetch = |outputs: &[Output]| {
        let request = outputs.iter().fold(RunRequest::new(), |request, output| request.fetch(output));
        request.timeout(Duration::from_secs(60))
    };
    // Each in steps of its own.
    let found = on_workers(3, |task| {
        let g = Graph::new();
        let outputs = build(&g, task, 1);
        let session = connect(task, &g);
        (0..5).map(|_| session.fetch(fetch(&outputs)).unwrap()).collect::<Vec<_>>()
    });
    for steps in found {
        assert!(steps.iter().all(|values| *values == expected));
    }
    // All in one.
    let g = Graph::new();
    let on = |task: u32| g.with_device(format!("/job:worker/task:{task}").as_str(), |g| build(g, task, 11));
    let outputs: Vec<Output> = (0..3).flat_map(on).collect();
    let session = connect(1, &g);
    for _ in 0..2 {
        assert_eq!(session.fetch(fetch(&outputs)).unwrap(), [&expected[..], &expected, &expected].concat());
    }
}

/// A member that gives up, or brings another shape, ends the others, who then meet again.
#[test]
fn tasks_without_links_fail_together() {
    let options = ServerOptions { transport: Transport::Grpc, ..Default::default() };
    let cluster = LocalCluster::start_with(&[("worker", 2)], &ops::registry(), options).unwrap();
    let run = |task: u32, keys: Keys, length: usize, limit: u64| {
        let g = Graph::new();
        let sum = sum(&g, Tensor::vector(&vec![1f32; length]), keys);
        let options = RemoteOptions { transport: Transport::Grpc, ..Default::default() };
        let session = RemoteSession::with_options(cluster.target("worker", task).unwrap(), &g, options).unwrap();
        session.fetch(RunRequest::new().fetch(&sum).timeout(Duration::from_secs(limit)))
    };
    let met = |instance: i32| {
        let found = on_workers(2, |task| run(task, keys(2, instance), 3, 60).unwrap());
        assert_eq!(found, [[Tensor::from([2f32; 3])], [Tensor::from([2f32; 3])]]);
    };
    met(1);
    let found = on_workers(2, |task| run(task, keys(2, 2), 3 + task as usize, 60).unwrap_err());
    assert!(found.iter().all(|status| status.message().contains("aborted by") || status.message().contains("failed")));
    assert!(found.iter().any(|status| status.message().contains("Shape mismatch")), "{found:?}");
    met(3);
    let found = on_workers(2, |task| match task {
        0 => run(0, Keys { timeout: 1.0, ..keys(2, 4) }, 3, 60).err(),
        _ => None,
    });
    assert_eq!(found[0].as_ref().map(Status::code), Some(Code::DeadlineExceeded));
}

fn all_to_all(g: &Graph, input: impl Into<Tensor>, keys: Keys) -> Output {
    let input = g.constant(input.into());
    let node = g.op("CollectiveAllToAllV2").input(input).input(g.constant(keys.size)).input(g.constant(keys.group));
    node.input(g.constant(keys.instance)).input_list(&[]).output()
}

fn communicator(g: &Graph, group: i32, rank: i32) -> Output {
    let node = g.op("CollectiveInitializeCommunicator").input(g.constant(group)).input(g.constant(rank));
    node.input(g.constant(3i32)).output()
}

fn with_communicator(g: &Graph, op: &'static str, input: impl Into<Tensor>, communicator: &Output) -> Output {
    let nobody = g.constant(Tensor::zeros(DType::Int32, &Shape::new(&[0, 0]).unwrap()).unwrap());
    let node = g.op(op).input(g.constant(input.into())).input(communicator).input(nobody);
    if op == "CollectiveReduceV3" { node.attr("reduction", "Add").output() } else { node.output() }
}

#[test]
fn slices_are_exchanged_and_sums_are_scattered() {
    let rows = |device: i32| [0, 1, 2].map(|row| (10 * device + row) as f32);
    let found = on_devices(|g, device| all_to_all(g, rows(device), keys(3, 1))).unwrap();
    assert_eq!(found, [[0f32, 10.0, 20.0], [1.0, 11.0, 21.0], [2.0, 12.0, 22.0]].map(Tensor::from));
    let status = on_devices(|g, _| all_to_all(g, [1f32, 2.0], keys(3, 1))).unwrap_err();
    let says = "input to all-to-all first dimension size (2) must be the same as the group size (3)";
    assert_eq!(status.code(), Code::InvalidArgument);
    assert!(status.message().contains(says), "{status}");
    let scatter = |g: &Graph, input: Tensor| {
        let node = g.op("CollectiveReduceScatterV2").input(g.constant(input)).input(g.constant(3i32));
        let node = node.input(g.constant(1i32)).input(g.constant(1i32)).input_list(&[]);
        node.attr("merge_op", "Add").attr("final_op", "Div").output()
    };
    let found = on_devices(|g, device| scatter(g, Tensor::from(rows(device)))).unwrap();
    assert_eq!(found, [[10f32], [11.0], [12.0]].map(Tensor::from));
    assert_eq!(on_devices(|g, _| scatter(g, Tensor::from([1f32]))).unwrap_err().code(), Code::InvalidArgument);
}

#[test]
fn members_with_communicators_meet_and_go_by_their_ranks() {
    let sum = |g: &Graph, device: i32| {
        with_communicator(g, "CollectiveReduceV3", [device as f32], &communicator(g, 1, device))
    };
    same_for_all([3f32], on_devices(sum));
    // As TensorFlow has it: slices go to devices in their order, and lie there by the ranks of those who sent them.
    let rows = |device: i32| [0, 1, 2].map(|row| (10 * device + row) as f32);
    let turned = |g: &Graph, device: i32| {
        with_communicator(g, "CollectiveAllToAllV3", rows(device), &communicator(g, 2, 2 - device))
    };
    let found = on_devices(turned).unwrap();
    assert_eq!(found, [[20f32, 10.0, 0.0], [21.0, 11.0, 1.0], [22.0, 12.0, 2.0]].map(Tensor::from));
    let status =
        on_devices(|g, device| with_communicator(g, "CollectiveReduceV3", [1f32], &communicator(g, 3, device + 1)));
    let status = status.unwrap_err();
    assert!(status.message().contains("rank must be less than group size but got 3 >= 3"), "{status}");
}

#[test]
fn devices_find_their_groups_in_a_table() {
    let assign = |device: i32| {
        let g = Graph::new();
        let table = g.constant(Tensor::from([0i32, 1, 2, 3]).into_shape(Shape::new(&[2, 2]).unwrap()).unwrap());
        let node = g.op("CollectiveAssignGroupV2").input(table).input(g.constant(device)).input(g.constant(10i32));
        let outputs = node.outputs();
        LocalSession::new(&g)?.fetch(RunRequest::new().fetch(&outputs[0]).fetch(&outputs[1]))
    };
    assert_eq!(assign(2).unwrap(), [Tensor::from(2i32), Tensor::from(11i32)]);
    let status = assign(7).unwrap_err();
    assert!(status.message().contains("device_index 7 is not found in group_assignment"), "{status}");
}

/// A client that joins any number of groups and never finishes leaves nothing behind when its session ends.
#[test]
fn groups_that_never_form_end_with_their_session() {
    let cluster = start(2);
    let g = Graph::new();
    let size = g.constant(2i32);
    let (key, input) = (g.placeholder(DType::Int32, [0i64; 0]), g.constant(1f32));
    let node = g.op("CollectiveReduceV2").input(input).input(size).input(&key).input(&key).input_list(&[]);
    let sum = node.attr("merge_op", "Add").attr("final_op", "Id").output();
    let session = connect(&cluster, 1, &g);
    for round in 0..3 {
        thread::scope(|scope| {
            for number in 0..50 {
                let (session, key, sum) = (&session, &key, &sum);
                scope.spawn(move || {
                    let request = RunRequest::new().feed(key, round * 1000 + number).fetch(sum);
                    let status = session.fetch(request.timeout(Duration::from_millis(50))).unwrap_err();
                    assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
                });
            }
        });
    }
    session.close().unwrap();
    // The keys are free: others use them.
    let found = on_workers(2, |task| {
        let g = Graph::new();
        let total = reduce(&g, 1f32, Keys { size: 2, group: 1000, instance: 1000, timeout: 0.0 }, "Add", "Id");
        connect(&cluster, task, &g).fetch(RunRequest::new().fetch(&total)).unwrap()
    });
    assert_eq!(found, [[Tensor::from(2f32)], [Tensor::from(2f32)]]);
}
