//! Sending a server elsewhere: a client describes a cluster with an address of its choice.

use std::io::{ErrorKind, Write};
use std::net::TcpListener;
use std::time::Duration;

use graph::graph_to_proto;
use prost::Message;
use tensorfleet::prelude::*;
use tonic::transport::Endpoint;
use wire::services::master;

use super::Siege;
use crate::hostile_calls::call;

/// Opens a session with a cluster in which this server is the first task and `address` the second, which the graph needs.
fn send_to(siege: &Siege, address: &str) -> tonic::Status {
    let own = siege.fleet.address("ps", 0).to_owned();
    let g = Graph::new();
    g.with_device("/job:w/task:1", |g| g.constant(1f32));
    let graph = graph_to_proto(&g.snapshot().expect("a graph")).expect("a graph");
    let tasks = [(0, own.clone()), (1, address.to_owned())].into();
    let job = wire::JobDef { name: "w".to_owned(), tasks };
    let config = wire::ConfigProto { cluster_def: Some(wire::ClusterDef { job: vec![job] }), ..Default::default() };
    let request =
        wire::CreateSessionRequest { graph_def: Some(graph), config: Some(config), target: format!("grpc://{own}") };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let channel = Endpoint::from_shared(format!("http://{own}")).expect("an address").connect_lazy();
        let answer = call(&channel, master::CREATE_SESSION, request.encode_to_vec().into(), Duration::from_secs(10));
        answer.await.expect("an answer in time").expect_err("there is no such task")
    })
}

#[test]
fn an_address_outside_of_the_cluster_is_not_visited() {
    let siege = Siege::begin(&[]);
    let victim = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = victim.local_addr().expect("an address").to_string();
    let refused = send_to(&siege, &address);
    assert_eq!(refused.code(), tonic::Code::PermissionDenied, "{refused}");
    assert!(refused.message().contains("not an address of this server's cluster"), "{refused}");
    victim.set_nonblocking(true).expect("our own socket");
    let nobody = victim.accept().expect_err("nobody may come");
    assert_eq!(nobody.kind(), ErrorKind::WouldBlock);
    siege.survived();
}

/// Where clients may send it, the server says what it found, but not in the words of what it found.
#[test]
fn what_another_server_says_is_not_passed_on() {
    let siege = Siege::begin(&["--allow_cluster_def", "127.0.0.*", "--startup_timeout_secs", "8"]);
    let victim = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = victim.local_addr().expect("an address").to_string();
    std::thread::spawn(move || {
        for mut stream in victim.incoming().map_while(std::result::Result::ok) {
            let _ = stream.write_all(b"SSH-2.0-secret_banner\r\n");
        }
    });
    let refused = send_to(&siege, &address);
    assert_eq!(refused.code(), tonic::Code::FailedPrecondition, "{refused}");
    assert!(refused.message().contains("is not a TensorFlow or tensorfleet server"), "{refused}");
    assert!(!refused.message().contains("secret"), "{refused}");
    siege.survived();
}
