//! The page's questions and answers over HTTP, on tasks that are well and on tasks that are not; who may look and who may steer.

use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::Command;

use files::EventWriter;
use serde_json::{Value, json};

use crate::cluster;
use crate::fleet::{Fleet, Process, free_port, wait_until};
use crate::seen::Model;

/// A page that is served, with its key.
pub struct Page {
    /// Ends the server with it, if it has one of its own.
    _process: Option<Process>,
    port: u16,
    key: String,
}

/// The status line, the headers and the body of an answer.
pub struct Answer {
    pub code: u16,
    pub head: String,
    pub body: String,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.body).unwrap_or_else(|error| panic!("{error}: {}", self.body))
    }

    fn error(&self) -> String {
        self.json()["error"].as_str().expect("an error").to_owned()
    }
}

impl Page {
    pub fn of(line: &str, process: Option<Process>) -> Page {
        let rest = line.split("http://").nth(1).expect("an address");
        let port = rest.split(':').nth(1).and_then(|rest| rest.split('/').next()?.parse().ok()).expect("a port");
        let key = rest.split("#key=").nth(1).expect("a key").trim().to_owned();
        Page { _process: process, port, key }
    }

    /// `tensorfleet dashboard` with these arguments.
    pub fn start(arguments: &[&str]) -> Page {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tensorfleet"));
        command.args(["dashboard", "--port=0"]).args(arguments).env_remove("TF_CONFIG");
        let mut process = Process::start(&mut command);
        let line = process.said("Dashboard: http").unwrap_or_else(|| panic!("{}", process.log.all()));
        Page::of(&line, Some(process))
    }

    pub fn ask(&self, method: &str, path: &str, headers: &[(&str, &str)], body: &str) -> Answer {
        let mut stream = TcpStream::connect(("127.0.0.1", self.port)).expect("a page");
        let mut request =
            format!("{method} {path} HTTP/1.1\r\nConnection: close\r\nContent-Length: {}\r\n", body.len());
        if !headers.iter().any(|(name, _)| *name == "Host") {
            request += "Host: localhost\r\n";
        }
        for (name, value) in headers {
            request += &format!("{name}: {value}\r\n");
        }
        stream.write_all(format!("{request}\r\n{body}").as_bytes()).expect("a request");
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let text = String::from_utf8_lossy(&answer);
        let (head, body) = text.split_once("\r\n\r\n").unwrap_or((&text, ""));
        let code = head.split(' ').nth(1).and_then(|code| code.parse().ok()).unwrap_or(0);
        Answer { code, head: head.to_lowercase(), body: body.to_owned() }
    }

    pub fn get(&self, path: &str) -> Answer {
        self.ask("GET", path, &[], "")
    }

    fn post(&self, path: &str, body: &Value) -> Answer {
        self.ask("POST", path, &[("Authorization", &format!("Bearer {}", self.key))], &body.to_string())
    }
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("tensorfleet-dashboard-{name}-{}", std::process::id()));
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn task<'a>(answer: &'a Value, name: &str) -> &'a Value {
    let tasks = answer["tasks"].as_array().expect("tasks");
    tasks.iter().find(|task| task["task"] == name).unwrap_or_else(|| panic!("no {name} in {answer}"))
}

#[test]
fn a_task_serves_the_page_of_its_cluster_and_lets_its_operator_steer() {
    let mut fleet = Fleet::start_with(&[("ps", 1), ("worker", 2)], |job, task| {
        if (job, task) == ("worker", 0) { vec!["--dashboard_port=0".to_owned()] } else { Vec::new() }
    });
    let line = fleet.task("worker", 0).said("Dashboard: http").expect("a line");
    let page = Page::of(&line, None);
    let model = Model::on(&fleet);

    let html = page.get("/");
    assert!(html.code == 200 && html.body.contains("<title>tensorfleet</title>"), "{}", html.head);
    for header in
        ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff", "x-frame-options: deny"]
    {
        assert!(html.head.contains(header), "{}", html.head);
    }
    let script = page.get("/app.js");
    assert!(script.code == 200 && script.head.contains("content-type: text/javascript"), "{}", script.head);
    assert_eq!(page.get("/elsewhere.js").code, 404);

    let seen = page.get("/api/cluster").json();
    assert_eq!(seen["tasks"].as_array().map(Vec::len), Some(3));
    assert_eq!(task(&seen, "/job:ps/task:0")["state"], "up");
    assert_eq!(task(&seen, "/job:ps/task:0")["variables"], 1);
    assert!(seen["edges"].as_array().is_some_and(|edges| edges.len() >= 2), "{seen}");
    let session = seen["sessions"][0]["session"].as_str().expect("a session").to_owned();
    assert_eq!(session.len(), 12, "a whole handle would let others use the session");
    wait_until("a rate", || {
        model.step().expect("a step");
        let seen = page.get("/api/cluster").json();
        (task(&seen, "/job:worker/task:0")["steps_per_second"].as_f64() > Some(0.0)).then_some(())
    });
    let ps = page.get("/api/task?name=ps:0").json();
    assert_eq!(ps["variable_list"][0]["name"], "weights");
    assert_eq!(ps["queue_list"][0]["name"], "numbers");

    let source = format!("session:{session}");
    assert_eq!(page.get("/api/graphs").json()["sources"][0]["source"], json!(source));
    let graph = page.get(&format!("/api/graph?source={source}")).json();
    assert!(graph["nodes"].as_u64() > Some(10) && !graph["edges"].as_array().expect("edges").is_empty(), "{graph}");
    let node = page.get(&format!("/api/node?source={source}&name=weights")).json();
    assert!(node["device"].as_str().is_some_and(|device| device.starts_with("/job:ps/task:0")), "{node}");
    assert!(!node["users"].as_array().expect("users").is_empty(), "{node}");
    assert_eq!(page.get(&format!("/api/node?source={source}&name=nobody")).code, 404);
    assert_eq!(page.get("/api/graph?source=session:none").code, 404);
    assert_eq!(page.get("/api/why").json()["stuck"], json!([]));
    assert_eq!(page.get("/api/gradients").json()["workers"], json!([]));

    // What is not there, or asked wrongly.
    for (path, code) in [
        ("/api/task?name=worker:7", 404),
        ("/api/task", 400),
        ("/api/nothing", 404),
        ("/api/why?longer_than=soon", 400),
        ("/api/runs", 409),
        ("/api/checkpoint?name=x", 409),
    ] {
        let answer = page.get(path);
        assert_eq!(answer.code, code, "{path}: {}", answer.body);
        assert!(!answer.error().is_empty(), "{path}");
    }
    assert!(page.get("/api/task?name=worker:7").error().contains("worker:7"));

    // Names of other machines lead nowhere, and other pages get nothing.
    assert_eq!(page.ask("GET", "/api/cluster", &[("Host", "evil.example")], "").code, 403);
    assert_eq!(page.ask("GET", "/api/cluster", &[("Sec-Fetch-Site", "cross-site")], "").code, 403);
    // Steering takes the key.
    let drain = json!({"task": "worker:1", "grace_secs": 5});
    assert_eq!(page.ask("POST", "/api/drain", &[], &drain.to_string()).code, 401);
    assert_eq!(page.ask("POST", "/api/drain", &[("Authorization", "Bearer guess")], &drain.to_string()).code, 401);
    assert!(fleet.task("worker", 1).is_running());
    assert_eq!(page.post("/api/drain", &json!({"task": "worker:9"})).code, 404);
    assert_eq!(page.post("/api/reset", &json!({"task": "worker:0"})).code, 400);
    assert_eq!(page.post("/api/drain", &drain).json()["steps_left"], 0);
    assert_eq!(fleet.task("worker", 1).ended(), Some(0));
    wait_until("a task that is down", || {
        let seen = page.get("/api/cluster").json();
        let gone = task(&seen, "/job:worker/task:1");
        (gone["state"] == "down" && gone["error"].as_str().is_some_and(|why| !why.is_empty())).then_some(())
    });
    let gone = page.get("/api/task?name=worker:1").json();
    assert!(gone["state"] == "down" && gone.get("pid").is_none(), "{gone}");
    assert!(page.get("/api/why").json()["silent"][0].as_str().is_some_and(|text| text.contains("/job:worker/task:1")));
    assert_eq!(page.post("/api/reset", &json!({"task": "worker:0", "containers": ["ps"]})).code, 503, "a task is gone");
    assert!(fleet.task("worker", 0).is_running());
}

#[test]
fn a_folder_alone_is_shown_with_what_is_damaged_in_it() {
    let folder = folder("folder");
    let page = Page::start(&[folder.to_str().expect("UTF-8")]);
    let about = page.get("/api/about").json();
    assert!(about["cluster"] == json!(false) && about["may_steer"] == json!(false), "{about}");
    assert_eq!(page.get("/api/runs").json()["runs"], json!([]));
    assert_eq!(page.get("/api/checkpoints").json()["checkpoints"], json!([]));
    assert_eq!(page.get("/api/cluster").code, 409);

    let mut writer = EventWriter::create(folder.join("eval"), "").expect("a file");
    for step in 0..5000 {
        writer.add_scalar(step, "loss", 1.0 / (step + 1) as f32).expect("an event");
    }
    writer.flush().expect("a file");
    let damaged = folder.join("events.out.tfevents.7.other");
    std::fs::write(&damaged, b"this is no record, whatever its name says").expect("a file");
    let runs = wait_until("the new files", || {
        let runs = page.get("/api/runs").json();
        (runs["runs"].as_array().map(Vec::len) == Some(2)).then_some(runs)
    });
    assert_eq!(runs["runs"][0]["damaged"][0]["file"], "events.out.tfevents.7.other");
    assert_eq!((&runs["runs"][1]["run"], &runs["runs"][1]["scalars"]), (&json!("eval"), &json!(["loss"])));
    let curve = page.get("/api/scalars?tag=loss&tag=nothing").json();
    let run = &curve["tags"][0]["runs"][0];
    let values = run["values"].as_array().expect("values");
    assert!(values.len() <= 1001 && values[0] == json!(1.0), "{}", values.len());
    assert_eq!(run["steps"].as_array().and_then(|steps| steps.last()), Some(&json!(4999)));
    assert_eq!(curve["tags"][1]["runs"], json!([]));
    assert_eq!(page.get("/api/histograms?run=eval&tag=loss").code, 404);
    // Live: what is written later is there.
    writer.add_scalar(5000, "late", 7.0).expect("an event");
    writer.flush().expect("a file");
    wait_until("what was written later", || {
        (page.get("/api/scalars?tag=late").json()["tags"][0]["runs"][0]["values"] == json!([7.0])).then_some(())
    });

    std::fs::write(folder.join("model.index"), b"nothing that a checkpoint begins with").expect("a file");
    let listed = page.get("/api/checkpoints").json();
    assert!(listed["checkpoints"][0]["damaged"].as_str().is_some_and(|why| !why.is_empty()), "{listed}");
    for (name, code) in [("..", 400), ("%2e%2e/secret", 400), ("a%2Fb", 400), ("none", 404)] {
        assert_eq!(page.get(&format!("/api/checkpoint?name={name}")).code, code, "{name}");
    }
    assert_eq!(page.get("/api/graph?source=run:eval").code, 404);
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn tasks_that_say_nothing_are_shown_beside_a_folder() {
    let fleet = Fleet::start(&[("ps", 1)], &[]);
    // Something that takes connections and says nothing.
    let mute = TcpListener::bind("127.0.0.1:0").expect("a port");
    let mute_address = mute.local_addr().expect("an address").to_string();
    let cluster =
        json!({"ps": [fleet.address("ps", 0)], "worker": [mute_address, format!("127.0.0.1:{}", free_port())]});
    let folder = folder("beside");
    let page = Page::start(&[folder.to_str().expect("UTF-8"), "--cluster", &cluster.to_string()]);
    let seen = page.get("/api/cluster").json();
    assert_eq!(task(&seen, "/job:ps/task:0")["state"], "up");
    assert_eq!(task(&seen, "/job:worker/task:0")["state"], "down");
    assert_eq!(task(&seen, "/job:worker/task:1")["state"], "down");
    assert_eq!(page.get("/api/runs").json()["runs"], json!([]));
    let _ = std::fs::remove_dir_all(&folder);
}

#[test]
fn wrong_use_is_named() {
    let said = crate::tensorfleet(&["dashboard"]);
    assert!(said.code == Some(1) && said.errors.contains("nothing is given to show: name a LOGDIR"), "{}", said.errors);
    let nobody = format!("127.0.0.1:{}", free_port());
    let said = crate::tensorfleet(&["dashboard", &nobody, "--timeout_secs=2"]);
    assert!(said.code == Some(1) && said.errors.contains(&nobody), "{}", said.errors);
    let said = crate::tensorfleet(&["dashboard", "logs", "more"]);
    assert!(said.code == Some(1) && said.errors.contains("two folders"), "{}", said.errors);
    let taken = TcpListener::bind("127.0.0.1:0").expect("a port");
    let port = taken.local_addr().expect("an address").port().to_string();
    let said = crate::tensorfleet(&["dashboard", "logs", "--port", &port]);
    assert!(said.code == Some(1) && said.errors.contains(&format!("port {port}")), "{}", said.errors);
    assert!(said.errors.contains("there is nothing at logs yet"), "{}", said.errors);
    assert_eq!(crate::tensorfleet(&["serve", "--dashboard_host=0.0.0.0"]).code, Some(2));
}

#[test]
fn a_cluster_that_asks_for_a_token_shows_nothing_without_it() {
    let secret = "correct horse battery staple";
    let file = folder("token").join("token");
    std::fs::write(&file, secret).expect("a file");
    let flag = format!("--token_file={}", file.display());
    let fleet = Fleet::start(&[("ps", 1), ("worker", 2)], &[&flag]);
    let page = Page::start(&["--cluster", &cluster(&fleet, 2), &flag]);
    assert_eq!(page.get("/api/cluster").code, 401);
    let about = page.get("/api/about").json();
    assert!(about["needs_key"] == json!(true) && about.get("cluster").is_none(), "{about}");
    for key in [secret, &page.key] {
        let bearer = format!("Bearer {key}");
        let seen = page.ask("GET", "/api/cluster", &[("Authorization", &bearer)], "").json();
        assert_eq!(task(&seen, "/job:worker/task:1")["state"], "up");
    }
    assert_eq!(page.ask("GET", "/api/cluster", &[("Authorization", "Bearer correct horse")], "").code, 401);
}

/// Every command of docs/dashboard.md serves a page.
#[test]
fn every_command_of_the_documents_serves_a_page() {
    const DOCUMENT: &str = include_str!("../../../../docs/dashboard.md");
    let fleet = Fleet::start(&[("ps", 1), ("worker", 1)], &[]);
    let flag = json!({"ps": [fleet.address("ps", 0)], "worker": [fleet.address("worker", 0), format!("127.0.0.1:{}", free_port())]});
    let (flag, folder) = (flag.to_string(), folder("documents"));
    let mut count = 0;
    for line in DOCUMENT.lines().filter_map(|line| line.strip_prefix("$ tensorfleet ")) {
        let replaced = |word: &str| {
            let word = word.replace("HOST:PORT", fleet.address("worker", 0)).replace("'CLUSTER'", &flag);
            word.replace("LOGDIR", folder.to_str().expect("UTF-8"))
        };
        let mut words: Vec<String> = line.split_whitespace().map(replaced).collect();
        match words.first().map(String::as_str) {
            Some("train") => words.extend(["--model=softmax", "--steps=50"].map(str::to_owned)),
            Some("dashboard") => words.push("--port=0".to_owned()),
            _ => {}
        }
        // No desktop opens anything.
        let mut command = Command::new(env!("CARGO_BIN_EXE_tensorfleet"));
        let mut process = Process::start(command.args(&words).env("PATH", "/nowhere").env_remove("TF_CONFIG"));
        let said = process.said("Dashboard: http").unwrap_or_else(|| panic!("{line}: {}", process.log.all()));
        let page = Page::of(&said, Some(process));
        assert_eq!(page.get("/").code, 200, "{line}");
        assert_eq!(page.get("/api/about").code, 200, "{line}");
        count += 1;
    }
    assert!(count >= 6, "docs/dashboard.md has {count} commands");
    let _ = std::fs::remove_dir_all(&folder);
}
