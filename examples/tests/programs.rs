//! Each example as real processes: what it prints, and how well it learns.

mod support;

use support::{Cluster, Folder, Process, free_ports, number_after, run, succeeds};

const HELLO: &str = env!("CARGO_BIN_EXE_hello");
const PINNED: &str = env!("CARGO_BIN_EXE_pinned");
const IN_GRAPH: &str = env!("CARGO_BIN_EXE_in_graph");
const TRAINER: &str = env!("CARGO_BIN_EXE_trainer");
const SOFTMAX: &str = env!("CARGO_BIN_EXE_mnist_softmax");
const ALL_REDUCE: &str = env!("CARGO_BIN_EXE_mnist_all_reduce");
const REPLICA: &str = env!("CARGO_BIN_EXE_mnist_replica");
const DIGITS: &str = env!("CARGO_BIN_EXE_digits");

fn strings(arguments: &[&str]) -> Vec<String> {
    arguments.iter().map(|argument| (*argument).to_owned()).collect()
}

#[test]
fn hello() {
    assert_eq!(succeeds(HELLO, &[]), "'Hello, distributed TensorFlow!'\n");
}

#[test]
fn without_job_name_or_task_index_programs_say_so() {
    for program in [PINNED, IN_GRAPH, TRAINER, SOFTMAX, REPLICA, DIGITS] {
        let digits = ["train", "--data_dir=nowhere", "--logdir=nowhere"];
        let before = if program == DIGITS { &digits[..] } else { &[] };
        for (arguments, flag) in [(&["--task_index=0"][..], "job_name"), (&["--job_name=worker"], "task_index")] {
            let (code, said) = run(program, &[before, arguments].concat());
            assert_eq!(code, 1, "{program}: {said}");
            assert!(said.contains(&format!("Must specify an explicit `{flag}`")), "{program}: {said}");
        }
    }
}

#[test]
fn flags_and_files_that_are_wrong_are_named() {
    let says = |program: &str, arguments: &[&str], text: &str| {
        let (code, said) = run(program, arguments);
        assert_eq!(code, 1, "{said}");
        assert!(said.contains(text), "{said}");
    };
    let worker = ["--job_name=worker", "--task_index=0"];
    let hosts = ["--ps_hosts=localhost:1", "--worker_hosts=localhost:2"];
    says(REPLICA, &[&worker[..], &["--data_dir=/nonexistent"]].concat(), "there is no folder /nonexistent");
    says(REPLICA, &[&worker[..], &["--replicas_to_aggregate=2"]].concat(), "only with --sync_replicas");
    says(TRAINER, &["--job_name=worker", "--task_index=7", hosts[0], hosts[1]], "7");
    says(TRAINER, &["--job_name=boss", "--task_index=0", hosts[0], hosts[1]], "boss");
    says(DIGITS, &["records", "--images=/nonexistent", "--out=/tmp"], "/nonexistent/train/0");
    says(DIGITS, &["predict", "--logdir=/nonexistent", "x.png"], "/nonexistent");
}

#[test]
fn layers_pinned_to_tasks_learn() {
    let cluster = Cluster {
        program: PINNED,
        before: &[],
        arguments: strings(&["--train_steps=400"]),
        ps: 2,
        workers: 1,
        client: Some("client"),
    };
    let said = &cluster.run()[0];
    assert!(said.contains("step 400: loss "), "{said}");
    assert!(number_after(said, "accuracy: ") >= 0.90, "{said}");
}

#[test]
fn towers_in_one_graph_learn() {
    for (flag, line) in [("--sync=false", "step 100: tower "), ("--sync", "step 100: all towers, loss ")] {
        let cluster = Cluster {
            program: IN_GRAPH,
            before: &[],
            arguments: strings(&["--train_steps=400", flag]),
            ps: 1,
            workers: 2,
            client: Some("client"),
        };
        let said = &cluster.run()[0];
        // Without --sync, a thread may miss the round number.
        assert!(flag != "--sync" || said.contains(line), "{said}");
        assert!(number_after(said, "accuracy: ") >= 0.88, "{said}");
    }
}

#[test]
fn the_trainer_trains_and_saves() {
    let logs = Folder::new("trainer");
    let cluster = Cluster {
        program: TRAINER,
        before: &[],
        arguments: vec!["--train_steps=500".to_owned(), format!("--logdir={}", logs.join(""))],
        ps: 2,
        workers: 2,
        client: None,
    };
    for (task, said) in cluster.run().iter().enumerate() {
        assert!(number_after(said, &format!("Worker {task}: done at global step ")) >= 500.0, "{said}");
    }
    let state = std::fs::read_to_string(logs.path().join("checkpoint")).unwrap();
    assert!(number_after(state.lines().next().unwrap(), "model.ckpt-") >= 500.0, "{state}");
}

#[test]
fn workers_train_without_parameter_servers() {
    let logs = Folder::new("all_reduce");
    let cluster = Cluster {
        program: ALL_REDUCE,
        before: &[],
        arguments: vec!["--train_steps=600".to_owned(), format!("--logdir={}", logs.join(""))],
        ps: 0,
        workers: 3,
        client: None,
    };
    let said = cluster.run();
    for (task, said) in said.iter().enumerate() {
        assert!(said.contains(&format!("Worker {task}: done at step 600, accuracy: ")), "{said}");
        assert!(number_after(said, "accuracy: ") >= 0.95, "{said}");
    }
    // All have the same model.
    let accuracy = |said: &String| number_after(said, "accuracy: ");
    assert!(said.iter().all(|other| accuracy(other) == accuracy(&said[0])), "{said:?}");
    let state = std::fs::read_to_string(logs.path().join("checkpoint")).unwrap();
    assert!(number_after(state.lines().next().unwrap(), "model.ckpt-") >= 600.0, "{state}");
}

#[test]
fn the_softmax_reaches_090() {
    let logs = Folder::new("softmax");
    let cluster = Cluster {
        program: SOFTMAX,
        before: &[],
        arguments: vec!["--train_steps=3000".to_owned(), format!("--logdir={}", logs.join(""))],
        ps: 2,
        workers: 2,
        client: None,
    };
    let said = cluster.run();
    for (task, said) in said.iter().enumerate() {
        assert!(
            said.contains(&format!("Cluster job: worker, task_index: {task}, target: grpc://localhost:")),
            "{said}"
        );
        assert!(said.contains(&format!(" in task {task}\ndone.\n")), "{said}");
    }
    // As in the document, only workers other than the first tell.
    assert!(!said[0].contains("accuracy: "));
    assert!(number_after(&said[1], "accuracy: ") >= 0.90, "{}", said[1]);
}

/// A cross entropy of 0.14 an image is an accuracy of 0.96; there are 5,000 validation images.
#[test]
fn the_replicas_learn_async_and_sync() {
    for (steps, flag) in [("1200", "--sync_replicas=False"), ("700", "--sync_replicas=True")] {
        let cluster = Cluster {
            program: REPLICA,
            before: &[],
            arguments: strings(&[&format!("--train_steps={steps}"), "--learning_rate=0.005", flag]),
            ps: 1,
            workers: 2,
            client: None,
        };
        let said = cluster.run();
        assert!(said[0].contains("job name = worker\ntask index = 0\nWorker 0: Initializing session...\n"));
        assert!(said[1].contains("Worker 1: Waiting for session to be initialized...\n"));
        let chief = "Starting chief queue runner and running init_tokens_op\nTraining begins @ ";
        assert_eq!(said[0].contains(chief), flag == "--sync_replicas=True");
        for (task, said) in said.iter().enumerate() {
            for text in [
                format!("Worker {task}: Session initialization complete.\n"),
                format!(": Worker {task}: training step 1 done (global step: "),
                "Training ends @ ".to_owned(),
                "Training elapsed time: ".to_owned(),
            ] {
                assert!(said.contains(&text), "{text}: {said}");
            }
            let line = format!("After {steps} training step(s), validation cross entropy = ");
            assert!(number_after(said, &line) < 5000.0 * 0.14, "{flag}: {}", number_after(said, &line));
        }
    }
}

/// Clients that use servers started before.
#[test]
fn replicas_use_existing_servers() {
    let ports = free_ports(2);
    let hosts = [format!("--ps_hosts=localhost:{}", ports[0]), format!("--worker_hosts=localhost:{}", ports[1])];
    let server = |job: &str| {
        Process::start(PINNED, &[&hosts[..], &[format!("--job_name={job}"), "--task_index=0".to_owned()]].concat())
    };
    let _servers = [server("ps"), server("worker")];
    let more = strings(&["--job_name=worker", "--task_index=0", "--existing_servers=True", "--train_steps=100"]);
    let (code, said) = Process::start(REPLICA, &[&hosts[..], &more[..]].concat()).end();
    assert_eq!(code, 0, "{said}");
    assert!(said.contains(&format!("Using existing server at: grpc://localhost:{}", ports[1])), "{said}");
    assert!(said.contains("After 100 training step(s), validation cross entropy = "), "{said}");
}

/// Pictures, records, training, evaluation, prediction.
fn digits(name: &str, format: &str, count: &str, model: &[&str], train: &[&str], wanted: f32) {
    let folder = Folder::new(name);
    let [pictures, records, logs] = ["pictures", "records", "logs"].map(|name| folder.join(name));
    let flag = |name: &str, value: &str| format!("--{name}={value}");
    succeeds(DIGITS, &["images", &flag("out", &pictures), &flag("format", format), &flag("count", count)]);
    let said = succeeds(DIGITS, &["records", &flag("images", &pictures), &flag("out", &records)]);
    assert!(said.contains(&format!("{count} examples in {records}/train.tfrecords")), "{said}");
    let mut arguments = vec![flag("data_dir", &records), flag("logdir", &logs)];
    arguments.extend(strings(model));
    arguments.extend(strings(train));
    let cluster = Cluster { program: DIGITS, before: &["train"], arguments, ps: 1, workers: 2, client: None };
    for (task, said) in cluster.run().iter().enumerate() {
        assert!(said.contains(&format!(": Worker {task}: traing step 1 dome (global step:")), "{said}");
        assert!(said.contains(" training step(s),validation accuracy using average model is "), "{said}");
    }
    let logdir = flag("logdir", &logs);
    let said = succeeds(DIGITS, &[&["evaluate", &logdir, &flag("data_dir", &records)], model].concat());
    assert!(number_after(&said, "test accuracy on 10000 images: ") >= wanted, "{said}");
    // The first test pictures are of 7, 2, 1 and 0.
    let paths = ["7/00000", "2/00001", "1/00002", "0/00003"].map(|path| format!("{pictures}/test/{path}.{format}"));
    let paths: Vec<&str> = paths.iter().map(String::as_str).collect();
    let said = succeeds(DIGITS, &[&["predict", &logdir], model, &paths].concat());
    let seen: Vec<&str> = said.lines().filter_map(|line| Some(line.rsplit_once(": ")?.1)).collect();
    let right = seen.iter().zip(["7", "2", "1", "0"]).filter(|(seen, digit)| *seen == digit).count();
    assert!(seen.len() == 4 && right >= 3, "{said}");

    // The checkpoint of one model is none of the other; damage is an error, wherever it is.
    let other = if model.contains(&"--model=cnn") { "--model=network" } else { "--model=cnn" };
    let (code, said) = run(DIGITS, &["predict", &logdir, other, paths[0]]);
    assert!(code == 1 && said.contains("Restoring from checkpoint failed"), "{said}");
    std::fs::write(format!("{records}/test.tfrecords"), b"this is no record file at all").unwrap();
    let (code, said) = run(DIGITS, &[&["evaluate", &logdir, &flag("data_dir", &records)], model].concat());
    assert!(code == 1 && said.contains("test.tfrecords"), "{said}");
}

#[test]
fn the_digit_network_reaches_090() {
    let train = ["--training_steps=300", "--batch_size=50", "--learning_rate=0.003"];
    digits("network", "png", "10000", &["--model=network"], &train, 0.90);
}

#[test]
fn the_digit_network_learns_synchronously() {
    let train = ["--issync=1", "--training_steps=300", "--batch_size=50", "--learning_rate=0.004"];
    digits("network-sync", "bmp", "5000", &["--model=network"], &train, 0.88);
}

#[test]
fn the_digit_cnn_reaches_098() {
    let train = ["--training_steps=300", "--batch_size=50", "--learning_rate=0.001"];
    digits("cnn", "png", "20000", &["--model=cnn", "--moving_average"], &train, 0.98);
}
