//! The page docs/operating.md: its commands are run, line by line, against a cluster that trains; and the dashboard beside it
//! shows series that there are.

use std::sync::atomic::{AtomicBool, Ordering};

use prost::Message;
use tensorfleet::prelude::*;

use crate::fleet::Fleet;
use crate::seen::{Model, get, metrics_port};
use crate::{cluster, tensorfleet};

const PAGE: &str = include_str!("../../../../docs/operating.md");
const DASHBOARD: &str = include_str!("../../../../docs/grafana.json");

#[test]
fn every_command_of_the_page_works_and_the_dashboard_shows_what_is_served() {
    let mut fleet = Fleet::start(&[("ps", 1), ("worker", 2)], &["--metrics_port=0"]);
    let model = Model::on(&fleet);
    let served = get(metrics_port(&mut fleet), "/metrics");
    let names: Vec<&str> = DASHBOARD
        .match_indices("tensorfleet_")
        .map(|(at, _)| {
            DASHBOARD[at..].split(|c: char| !c.is_ascii_alphanumeric() && c != '_').next().unwrap_or_default()
        })
        .collect();
    assert!(names.len() > 10, "{names:?}");
    for name in names {
        let family = name.trim_end_matches("_bucket");
        assert!(served.contains(&format!("# TYPE {family} ")), "the dashboard shows {name}, which is not served");
    }

    let folder = std::env::temp_dir().join(format!("tensorfleet-page-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    let graph = Graph::new();
    graph.with_device("/job:ps/task:0", |g| g.constant(1f32));
    let message = graph::graph_to_proto(&graph.snapshot().expect("a graph")).expect("a message");
    let file = |name: &str| folder.join(name).to_string_lossy().into_owned();
    std::fs::write(file("model.pb"), message.encode_to_vec()).expect("a file");

    let (target, flag) = (fleet.address("worker", 0).to_owned(), cluster(&fleet, 2));
    let stop = AtomicBool::new(false);
    let mut commands = Vec::new();
    std::thread::scope(|scope| {
        // Until the session is reset.
        scope.spawn(|| {
            while !stop.load(Ordering::Relaxed) && model.step().is_ok() {
                std::hint::spin_loop();
            }
        });
        for line in PAGE.lines().filter_map(|line| line.strip_prefix("$ tensorfleet ")) {
            let replaced = |word: &str| {
                let word = word.replace("localhost:2222", &target).replace("'CLUSTER'", &flag);
                word.replace("model.pb", &file("model.pb"))
                    .replace("trace.json", &file("trace.json"))
                    .replace("/tmp/pages", &file("pages"))
            };
            let words: Vec<String> = line.split_whitespace().map(replaced).collect();
            let said = tensorfleet(&words.iter().map(String::as_str).collect::<Vec<_>>());
            commands.push((line, said));
        }
        stop.store(true, Ordering::Relaxed);
    });
    let _ = std::fs::remove_dir_all(&folder);
    assert!(commands.len() >= 10, "docs/operating.md has {} commands", commands.len());
    for (line, said) in commands {
        assert_eq!(said.code, Some(0), "{line}: {}{}", said.out, said.errors);
    }
}
