//! What operators and users see: starting, refusing, stopping, limits and memory.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use cluster::{RemoteOptions, RemoteSession, Transport};
use tensorfleet::prelude::*;

use crate::fleet::{Fleet, Process, SOON, free_port, wait_until};
use crate::program::{Program, hello, two_and_two};

/// What a server says when it refuses to start.
fn refused(arguments: &[&str]) -> String {
    let mut process = Process::serve(arguments);
    assert_eq!(process.ended(), Some(1), "{}", process.log.all());
    wait_until("the reason", || process.log.find(|line| line.starts_with("tensorfleet: ")))
}

#[test]
fn a_server_says_why_it_does_not_start() {
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = taken.local_addr().expect("an address").to_string();
    let serve = |cluster: &str, job: &str, task: &str| {
        refused(&["--cluster", cluster, "--job_name", job, "--task_index", task])
    };
    let cluster = format!(r#"{{"ps": ["{address}"]}}"#);
    let reason = serve(&cluster, "ps", "0");
    assert!(reason.contains("the port is taken by another process") && reason.contains(&address), "{reason}");
    let reason = serve(&cluster, "ps", "1");
    assert!(reason.contains("task 1") || reason.contains("task:1"), "{reason}");
    let reason = serve(&cluster, "worker", "0");
    assert!(reason.contains("worker"), "{reason}");
    for malformed in ["nowhere", "host:", "host:port", "host:99999", ":2222", "a b:2222", ""] {
        let reason = serve(&format!(r#"{{"ps": ["{malformed}"]}}"#), "ps", "0");
        assert!(reason.contains(malformed) && reason.contains("ps"), "{malformed}: {reason}");
    }
    // Others could not reach it there.
    let reason = serve(r#"{"ps": ["localhost:2222"], "worker": ["machine-2:2222"]}"#, "ps", "0");
    assert!(reason.contains("machine-2") && reason.contains("--bind"), "{reason}");
    let reason = serve(r#"{"ps": ["192.0.2.1:2222"]}"#, "ps", "0");
    assert!(reason.contains("not an address of this machine"), "{reason}");
    let reason = serve(r#"{"ps": ["no-such-host.invalid:2222"]}"#, "ps", "0");
    assert!(reason.contains("cannot be resolved"), "{reason}");
}

#[test]
fn two_servers_cannot_have_one_port_and_the_first_goes_on() {
    let mut fleet = Fleet::start(&[("ps", 1)], &[]);
    let cluster = format!(r#"{{"ps": ["{}"]}}"#, fleet.address("ps", 0));
    let reason = refused(&["--cluster", &cluster, "--job_name", "ps", "--task_index", "0"]);
    assert!(reason.contains("the port is taken"), "{reason}");
    hello(&fleet.target("ps", 0)).expect("the first server");
    assert!(fleet.task("ps", 0).is_running());
    fleet.stop();
}

#[test]
fn a_server_goes_on_when_nobody_reads_what_it_says() {
    let address = format!("127.0.0.1:{}", free_port());
    let closed = || {
        let (reader, writer) = std::io::pipe().expect("a pipe");
        drop(reader);
        writer
    };
    let mut server = Command::new(env!("CARGO_BIN_EXE_tensorfleet"))
        .args(["serve", "--ps_hosts", &address, "--job_name=ps", "--task_index=0"])
        .env("TENSORFLEET_LOG", "debug")
        .stdin(Stdio::null())
        .stdout(closed())
        .stderr(closed())
        .spawn()
        .expect("the program starts");
    wait_until("an answer", || hello(&format!("grpc://{address}")).ok());
    let stopped = Command::new("kill").args(["-TERM", &server.id().to_string()]).status();
    assert!(stopped.is_ok_and(|status| status.success()));
    assert_eq!(server.wait().expect("our own child").code(), Some(0));
}

fn a_server_with_steps_stops_when_told_to(transport: Transport) {
    for job in ["worker", "ps"] {
        let mut fleet = two_and_two(transport, &[]);
        let program = Program::new("busy", "/job:ps/task:0", "/job:worker/task:0").expect("a graph");
        let mut running = program.start(&fleet.target("worker", 0), transport);
        let address = fleet.address(job, 0).to_owned();
        let begin = Instant::now();
        fleet.task(job, 0).signal("-TERM");
        assert_eq!(fleet.task(job, 0).ended(), Some(0));
        assert!(begin.elapsed() < Duration::from_secs(3), "stopping took {:?}", begin.elapsed());
        drop(TcpListener::bind(&address).expect("the port is free at once"));
        running.ends(&[Code::Unavailable, Code::Aborted], "");
        running.close();
    }
}

#[test]
fn a_server_with_steps_stops_when_told_to_over_links() {
    a_server_with_steps_stops_when_told_to(Transport::Auto);
}

#[test]
fn a_server_with_steps_stops_when_told_to_over_grpc() {
    a_server_with_steps_stops_when_told_to(Transport::Grpc);
}

#[test]
fn servers_end_by_themselves_when_the_job_is_done() {
    let mut fleet = two_and_two(Transport::Auto, &["--exit_when_done", "--session_lease_secs=1"]);
    let program = Program::new("done", "/job:ps/task:0", "/job:worker/task:1").expect("a graph");
    let session = program.connect(&fleet.target("worker", 0), Transport::Auto).expect("a session");
    program.init(&session).expect("variables");
    program.step(&session).expect("a step");
    session.close().expect("the end of the session");
    for (job, task) in [("ps", 0), ("worker", 0), ("worker", 1)] {
        assert_eq!(fleet.task(job, task).ended(), Some(0));
    }
    // Nobody has used the other one.
    assert!(fleet.task("ps", 1).is_running());
}

/// A client whose graph needs a ps, at an address of the test's choice.
fn verdict_on(address: &str) -> Status {
    let worker = format!("127.0.0.1:{}", free_port());
    let cluster = format!(r#"{{"worker": ["{worker}"], "ps": ["{address}"]}}"#);
    let mut server = Process::serve(&[
        "--cluster",
        &cluster,
        "--job_name=worker",
        "--task_index=0",
        "--startup_timeout_secs=2",
        "--bind",
        &worker,
    ]);
    assert!(server.said(" at grpc://").is_some(), "{}", server.log.all());
    let g = Graph::new();
    g.with_device("/job:ps/task:0", |g| g.constant(1f32));
    let begin = Instant::now();
    let status = RemoteSession::new(&format!("grpc://{worker}"), &g).map(drop).unwrap_err();
    assert!(begin.elapsed() < SOON, "the verdict took {:?}", begin.elapsed());
    assert!(status.message().contains("/job:ps/replica:0/task:0"), "{status}");
    hello(&format!("grpc://{worker}")).expect("the server itself is fine");
    status
}

#[test]
fn a_task_that_cannot_be_reached_gets_a_verdict() {
    // Nobody listens.
    let nobody = format!("127.0.0.1:{}", free_port());
    let status = verdict_on(&nobody);
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    assert!(status.message().contains("refused") && status.message().contains(&nobody), "{status}");
    // A name that nobody has.
    let status = verdict_on("no-such-host.invalid:2222");
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    assert!(status.message().contains("no-such-host.invalid"), "{status}");
    // One that accepts and says nothing.
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let status = verdict_on(&silent.local_addr().expect("an address").to_string());
    assert_eq!(status.code(), Code::Unavailable, "{status}");
    assert!(status.message().contains("does not answer"), "{status}");
}

#[test]
fn a_server_of_another_kind_gets_a_verdict_at_once() {
    let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = listener.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(std::result::Result::ok) {
            let mut bytes = [0; 1024];
            let _ = stream.read(&mut bytes);
            let _ = stream.write_all(b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
        }
    });
    let status = verdict_on(&address);
    assert_eq!(status.code(), Code::FailedPrecondition, "{status}");
    assert!(status.message().contains("is not a TensorFlow or tensorfleet server"), "{status}");
}

#[test]
fn another_task_at_an_address_fails_at_once() {
    let other = Fleet::start(&[("ps", 1), ("worker", 1)], &[]);
    let status = verdict_on(other.address("worker", 0));
    assert_eq!(status.code(), Code::FailedPrecondition, "{status}");
    assert!(status.message().contains("answers /job:worker/replica:0/task:0"), "{status}");
}

#[test]
fn closing_is_bounded_when_a_task_has_stopped() {
    let mut fleet = two_and_two(Transport::Auto, &[]);
    let program = Program::new("closing", "/job:ps/task:0", "/job:worker/task:0").expect("a graph");
    let running = program.start(&fleet.target("worker", 0), Transport::Auto);
    fleet.task("ps", 0).signal("-STOP");
    let begin = Instant::now();
    running.close();
    assert!(begin.elapsed() < SOON, "closing took {:?}", begin.elapsed());
    fleet.idle("worker", 0);
}

#[test]
fn a_client_that_goes_while_its_session_is_opened_leaves_nothing() {
    let address = format!("127.0.0.1:{}", free_port());
    let cluster = format!(r#"{{"worker": ["{address}"], "ps": ["127.0.0.1:{}"]}}"#, free_port());
    let mut server =
        Process::serve(&["--cluster", &cluster, "--job_name=worker", "--task_index=0", "--session_lease_secs=1"]);
    assert!(server.said(" at grpc://").is_some(), "{}", server.log.all());
    let g = Graph::new();
    g.with_device("/job:ps/task:0", |g| g.constant(1f32));
    // Gives up while the server waits for the ps.
    let options = RemoteOptions { operation_timeout: Some(Duration::from_secs(1)), ..Default::default() };
    let status = RemoteSession::with_options(&format!("grpc://{address}"), &g, options).map(drop).unwrap_err();
    assert_eq!(status.code(), Code::DeadlineExceeded, "{status}");
    wait_until("the half-open session to go", || {
        let last = server.log.find(|line| line.contains("in use"));
        last.is_none_or(|line| line.contains("sessions=0 steps=0")).then_some(())
    });
}

#[test]
fn memory_does_not_grow_over_thousands_of_steps_and_dozens_of_sessions() -> Result<()> {
    let mut fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &[]);
    let g = Graph::new();
    let x = g.placeholder(DType::Float, [None]);
    let v = g.with_device("/job:ps/task:0", |g| Variable::new("v", g.zeros([25_000], DType::Float)));
    let add = v.assign_add(&x);
    let init = global_variables_initializer(&g);
    let value = Tensor::new([25_000], vec![1f32; 25_000])?;
    let target = fleet.target("worker", 0);
    let rounds = |count: usize| -> Result<()> {
        for _ in 0..count {
            let session = RemoteSession::new(&target, &g)?;
            session.run(RunRequest::new().target(&init))?;
            for _ in 0..100 {
                session.run(RunRequest::new().feed(&x, value.clone()).target(&add))?;
            }
            session.close()?;
        }
        Ok(())
    };
    rounds(5)?;
    let before = (fleet.task("ps", 0).memory(), fleet.task("worker", 0).memory());
    rounds(25)?;
    let after = (fleet.task("ps", 0).memory(), fleet.task("worker", 0).memory());
    // 2500 steps of 100 kB each would be 250 MB.
    let limit = 40 << 20;
    assert!(after.0 < before.0 + limit && after.1 < before.1 + limit, "{before:?} grew to {after:?}");
    fleet.stop();
    Ok(())
}

/// A tensor of more than 2 GiB, made on the ps, of which the worker uses the end.
fn end_of_a_huge_tensor(g: &Graph) -> Output {
    let huge = g.with_device("/job:ps/task:0", |g| {
        let parts = [g.fill([2_200_000_000i64], 0u8), g.constant([7u8, 9])];
        g.op("ConcatV2").input_list(&parts).input(g.constant(0i32)).output()
    });
    g.with_device("/job:worker/task:0", |g| {
        g.op("Slice").input(&huge).input(g.constant([2_200_000_000i64])).input(g.constant([2i64])).output()
    })
}

/// Over links it travels; over gRPC it is refused with a reason, and the session goes on.
#[test]
fn a_tensor_above_two_gigabytes_travels_over_links_and_is_refused_over_grpc() -> Result<()> {
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let free = memory.lines().find_map(|line| line.strip_prefix("MemAvailable:")?.trim().strip_suffix(" kB"));
    if free.and_then(|kilobytes| kilobytes.trim().parse::<u64>().ok()).is_none_or(|kilobytes| kilobytes < 10 << 20) {
        println!("skipped: less than 10 GiB of memory are free");
        return Ok(());
    }
    let g = Graph::new();
    let end = end_of_a_huge_tensor(&g);
    let request = RunRequest::new().fetch(&end).timeout(Duration::from_secs(100));
    let fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &[]);
    let session = RemoteSession::new(&fleet.target("worker", 0), &g)?;
    assert_eq!(session.fetch(request.clone())?, [Tensor::from([7u8, 9])]);
    session.close()?;
    fleet.stop();

    let fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &["--transport=grpc"]);
    let options = RemoteOptions { transport: Transport::Grpc, ..Default::default() };
    let session = RemoteSession::with_options(&fleet.target("worker", 0), &g, options)?;
    let status = session.run(request).unwrap_err();
    assert_eq!(status.code(), Code::InvalidArgument, "{status}");
    assert!(status.message().contains("2 GiB") && status.message().contains("2200000002"), "{status}");
    let small = g.with_device("/job:ps/task:0", |g| g.fill([2], 1u8));
    assert_eq!(session.fetch(RunRequest::new().fetch(&small))?, [Tensor::from([1u8, 1])]);
    session.close()?;
    fleet.stop();
    Ok(())
}

#[test]
fn connections_that_say_nothing_do_not_keep_others_out() {
    let fleet = Fleet::start(&[("ps", 1)], &[]);
    let silent: Vec<TcpStream> =
        (0..200).map(|_| TcpStream::connect(fleet.address("ps", 0)).expect("a connection")).collect();
    hello(&fleet.target("ps", 0)).expect("a server with time for us");
    drop(silent);
    fleet.stop();
}
