//! `tensorfleet train` as a user meets it: real processes, real sockets, real files, and what goes wrong with them.

use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/mnist");
/// Nothing here takes so long, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(300);

/// A folder that is removed in the end, with everything that was started for it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-cli-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    fn text(&self) -> &str {
        self.0.to_str().unwrap()
    }

    /// The processes that work for this folder, by the flags that they were started with.
    fn processes(&self, job: &str) -> Vec<u32> {
        let mut found = Vec::new();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let Some(id) = entry.file_name().to_str().and_then(|name| name.parse().ok()) else { continue };
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let line = String::from_utf8_lossy(&line).replace('\0', " ");
            if line.contains(&format!("--logdir={}", self.text())) && line.contains(job) {
                found.push(id);
            }
        }
        found
    }

    /// Waits until no process is left.
    fn wait_until_deserted(&self) {
        let deadline = Instant::now() + LIMIT;
        while !self.processes("").is_empty() {
            assert!(Instant::now() < deadline, "still there: {:?}", self.processes(""));
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(&self.0)
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for id in self.processes("") {
            signal("-KILL", id);
        }
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn signal(signal: &str, id: u32) {
    let _ = Command::new("kill").arg(signal).arg(id.to_string()).status();
}

fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tensorfleet"));
    command
        .arg("train")
        .args(arguments)
        .env_remove("TENSORFLEET_LOG")
        .env_remove("TENSORFLEET_MNIST")
        .stdin(Stdio::null());
    if !arguments.iter().any(|argument| argument.starts_with("--data_dir")) {
        command.arg(format!("--data_dir={DATA}"));
    }
    command
}

/// A run in progress whose lines can be read as they come.
struct Run {
    child: Child,
    lines: Receiver<String>,
    seen: Vec<String>,
}

impl Run {
    fn start(arguments: &[&str]) -> Run {
        Run::start_command(&mut command(arguments))
    }

    fn start_command(command: &mut Command) -> Run {
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (send, lines) = channel();
        let streams: [Box<dyn std::io::Read + Send>; 2] =
            [Box::new(child.stdout.take().unwrap()), Box::new(child.stderr.take().unwrap())];
        for stream in streams {
            let send = send.clone();
            std::thread::spawn(move || {
                for line in BufReader::new(stream).lines().map_while(Result::ok) {
                    let _ = send.send(line);
                }
            });
        }
        Run { child, lines, seen: Vec::new() }
    }

    fn wait_for_line(&mut self, text: &str) {
        let deadline = Instant::now() + LIMIT;
        while !self.seen.last().is_some_and(|line| line.contains(text)) {
            match self.lines.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
                Ok(line) => self.seen.push(line),
                Err(error) => panic!("'{text}' did not come ({error}), but {:#?}", self.seen),
            }
        }
    }

    /// The exit code (-1 if killed) and all that was said.
    fn end(mut self) -> (i32, String) {
        let deadline = Instant::now() + LIMIT;
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(Instant::now() < deadline, "it does not end: {:#?}", self.seen);
            std::thread::sleep(Duration::from_millis(10));
        };
        self.seen.extend(self.lines.iter());
        (status.code().unwrap_or(-1), self.seen.join("\n"))
    }
}

impl Drop for Run {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn run(arguments: &[&str]) -> (i32, String) {
    Run::start(arguments).end()
}

fn succeeds(arguments: &[&str]) -> String {
    let (code, said) = run(arguments);
    assert_eq!(code, 0, "{said}");
    said
}

fn fails(arguments: &[&str], with: &str) {
    let (code, said) = run(arguments);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains(with), "{said}");
}

fn accuracy(said: &str) -> f32 {
    let line = said.lines().find_map(|line| line.strip_prefix("test accuracy: "));
    line.unwrap_or_else(|| panic!("no accuracy: {said}")).parse().unwrap()
}

#[test]
fn the_mlp_learns_and_everything_is_where_it_says() {
    let folder = Folder::new("mlp");
    let logdir = format!("--logdir={}", folder.text());
    let said = succeeds(&["--steps=2500", &logdir]);
    assert!(accuracy(&said) >= 0.96, "{said}");
    let after = |prefix: &str| said.lines().find_map(|line| line.strip_prefix(prefix)).expect(prefix).to_owned();
    assert!(Path::new(&(after("checkpoint: ") + ".index")).exists());
    assert!(Path::new(&after("events: ")).exists());
    assert_eq!(after("look at them with: "), format!("tensorboard --logdir {}", folder.text()));
    assert!(said.contains("worker 0: step ") && said.contains("worker 1: step ") && said.contains(" steps/s"));
    assert!(folder.processes("").is_empty());
    // What tasks log is in their files and not among the lines that people read.
    for task in ["ps-0", "worker-0", "worker-1"] {
        let log = std::fs::read_to_string(folder.0.join(format!("{task}.log"))).unwrap();
        assert!(log.contains(" INFO ") && !log.contains('\u{1b}'), "{task}: {log}");
    }
    assert!(!said.contains(" INFO ") && !said.contains(" WARN ") && !said.contains(".log"), "{said}");

    // What is there is gone on from, whether there is something left to do or not.
    let said = succeeds(&["--steps=2600", &logdir]);
    assert!(said.contains("going on from ") && said.contains(" at step 250"), "{said}");
    assert!(accuracy(&said) >= 0.95, "{said}");
    let said = succeeds(&["--steps=1000", &logdir]);
    assert!(said.contains("give more --steps") && accuracy(&said) >= 0.95, "{said}");

    // But not with another model, and not if that is not wanted.
    let before = folder.names();
    fails(&["--model=cnn", &logdir], "is a checkpoint of another model");
    fails(&["--hidden_units=50", &logdir], "its 'hid_w' is [784,100], that of mlp is [784,50]");
    fails(&["--fresh", &logdir], "there is a checkpoint already");
    assert_eq!(folder.names(), before, "nothing is lost");
}

#[test]
fn synchronous_training_learns_too() {
    let folder = Folder::new("sync");
    let said = succeeds(&["--sync", "--ps=2", "--steps=1200", &format!("--logdir={}", folder.text())]);
    assert!(accuracy(&said) >= 0.96, "{said}");
}

#[test]
fn workers_learn_without_parameter_servers() {
    let folder = Folder::new("all-reduce");
    let logdir = format!("--logdir={}", folder.text());
    let said = succeeds(&["--sync", "--all_reduce", "--workers=3", "--steps=800", &logdir]);
    assert!(said.contains("mlp: 3 workers on this machine, synchronous by all-reduce"), "{said}");
    assert!(accuracy(&said) >= 0.96, "{said}");
    // The copy that was saved is everybody's.
    let said = succeeds(&["--sync", "--all_reduce", "--steps=900", &logdir]);
    assert!(said.contains("at step 800") && accuracy(&said) >= 0.96, "{said}");
}

#[test]
fn the_softmax_learns_with_three_workers() {
    let folder = Folder::new("softmax");
    let said = succeeds(&["--model=softmax", "--workers=3", "--steps=800", &format!("--logdir={}", folder.text())]);
    assert!(accuracy(&said) >= 0.90, "{said}");
}

#[test]
fn the_cnn_learns() {
    let folder = Folder::new("cnn");
    let said = succeeds(&["--model=cnn", "--steps=400", &format!("--logdir={}", folder.text())]);
    assert!(accuracy(&said) >= 0.96, "{said}");
}

#[test]
fn an_interrupt_stops_with_a_checkpoint() {
    let flags: [(&str, &[&str]); 3] =
        [("interrupt", &[]), ("interrupt-sync", &["--sync"]), ("interrupt-all-reduce", &["--sync", "--all_reduce"])];
    for (name, flags) in flags {
        let folder = Folder::new(name);
        let mut command = command(&["--steps=1000000", &format!("--logdir={}", folder.text())]);
        command.args(flags);
        let mut run = Run::start_command(&mut command);
        run.wait_for_line("worker 1: step");
        signal("-INT", run.child.id());
        let (code, said) = run.end();
        assert_eq!(code, 130, "{said}");
        assert!(said.contains("go on with: tensorfleet train"), "{said}");
        assert!(folder.processes("").is_empty());
        let newest = said.lines().find_map(|line| line.strip_prefix("checkpoint: ")).unwrap();
        assert!(!newest.ends_with("ckpt-0") && Path::new(&format!("{newest}.index")).exists(), "{said}");
    }
}

#[test]
fn tasks_end_with_the_process_that_started_them() {
    let folder = Folder::new("killed");
    let mut run = Run::start(&["--steps=1000000", &format!("--logdir={}", folder.text())]);
    run.wait_for_line("worker 1: step");
    assert_eq!(folder.processes("train-task").len(), 3);
    signal("-KILL", run.child.id());
    assert_eq!(run.end().0, -1);
    folder.wait_until_deserted();
    // Even so, the chief saved what there was.
    let saved = |name: &String| name.ends_with(".index") && name != "model.ckpt-0.index";
    assert!(folder.names().iter().any(saved), "{:?}", folder.names());
}

#[test]
fn a_reader_that_goes_away_ends_training_with_a_checkpoint() {
    let folder = Folder::new("pipe");
    let mut command = command(&["--steps=1000000", &format!("--logdir={}", folder.text())]);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(child.stdout.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("worker 1: step")));
    drop(lines);
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(141), ""));
    folder.wait_until_deserted();
    let saved = |name: &String| name.ends_with(".index") && name != "model.ckpt-0.index";
    assert!(folder.names().iter().any(saved), "{:?}", folder.names());
}

#[test]
fn the_log_of_a_task_that_fails_is_shown_and_named() {
    let folder = Folder::new("failing");
    // The chief cannot write its first checkpoint.
    let in_the_way = folder.0.join("model.ckpt-0.index");
    std::fs::create_dir_all(in_the_way.join("directory")).unwrap();
    let (code, said) = run(&["--model=softmax", "--steps=20", &format!("--logdir={}", folder.text())]);
    assert_eq!(code, 1, "{said}");
    assert!(said.contains(&format!("the end of {}/worker-0.log:\n", folder.text())), "{said}");
    let named =
        |line: &str| line.starts_with("tensorfleet: ") && line.contains("worker 0: ") && line.contains("ckpt-0");
    assert!(said.lines().any(named), "{said}");
}

#[test]
fn tasks_that_are_killed_are_started_again() {
    let folder = Folder::new("restart");
    let mut run = Run::start(&["--steps=3000", &format!("--logdir={}", folder.text())]);
    for (job, name) in [("--job_name=worker --task_index=1", "worker 1"), ("--job_name=ps", "ps 0")] {
        run.wait_for_line("worker 0: step");
        let victims = folder.processes(job);
        assert_eq!(victims.len(), 1);
        signal("-KILL", victims[0]);
        run.wait_for_line(&format!("{name} was killed by signal 9; starting it again"));
    }
    let (code, said) = run.end();
    assert_eq!(code, 0, "{said}");
    assert!(accuracy(&said) >= 0.95, "{said}");
}

#[test]
fn flags_that_contradict_are_refused() {
    fails(&["--model=softmax", "--hidden_units=10"], "--hidden_units is for --model mlp, but the model is softmax");
    fails(&["--learning_rate=0"], "--learning_rate must be a number above 0, not 0");
    fails(&["--batch_size=0"], "--batch_size must be at least 1");
    fails(&["--batch_size=55001"], "--batch_size 55001 is more than the 55000 training images");
    for arguments in [&["--fresh"][..], &["--workers=0"], &["--ps=0"], &["--steps=0"], &["--model=none"]] {
        assert_eq!(run(arguments).0, 2, "{arguments:?}");
    }
}

#[test]
fn data_that_is_missing_or_damaged_is_named() {
    fails(&["--data_dir=/nonexistent/mnist"], "there is no folder /nonexistent/mnist with MNIST's files");
    let folder = Folder::new("data");
    let flag = format!("--data_dir={}", folder.text());
    fails(&[&flag], "train-images-idx3-ubyte");
    for entry in std::fs::read_dir(DATA).unwrap().flatten() {
        std::fs::copy(entry.path(), folder.0.join(entry.file_name())).unwrap();
    }
    let labels = folder.0.join("train-labels-idx1-ubyte.gz");
    let bytes = std::fs::read(&labels).unwrap();
    std::fs::write(&labels, &bytes[..bytes.len() / 2]).unwrap();
    fails(&[&flag], "train-labels-idx1-ubyte.gz");
}

#[test]
fn a_damaged_checkpoint_is_named_and_the_one_before_it_restored() {
    let folder = Folder::new("damaged");
    let logdir = format!("--logdir={}", folder.text());
    succeeds(&["--model=softmax", "--workers=1", "--steps=20", &logdir]);
    let damage = |wanted: &dyn Fn(&str) -> bool| {
        for name in folder.names().iter().filter(|name| wanted(name)) {
            let path = folder.0.join(name);
            let mut bytes = std::fs::read(&path).unwrap();
            let middle = bytes.len() / 2;
            bytes[middle..].fill(0x55);
            std::fs::write(&path, bytes).unwrap();
        }
    };
    let is_data = |name: &str| name.contains(".data-");
    damage(&|name| is_data(name) && !name.contains("ckpt-0."));
    let more = ["--model=softmax", "--workers=1", "--steps=40", &logdir];
    let said = succeeds(&more);
    assert!(said.contains("model.ckpt-20 is damaged"), "{said}");
    // A step may end between the look at the global step, for the name, and the save.
    assert!(said.contains("model.ckpt-0 at step ") && !said.contains("ckpt-20 at step"), "{said}");
    let logs: Vec<String> =
        folder.names().iter().filter_map(|name| std::fs::read_to_string(folder.0.join(name)).ok()).collect();
    let named = |log: &String| log.contains("a checkpoint is damaged") && log.contains("model.ckpt-20");
    assert!(logs.iter().any(named), "{logs:#?}");
    // Where none is whole, training does not begin anew by itself.
    damage(&is_data);
    let last = ["--model=softmax", "--workers=1", "--steps=60", &logdir];
    fails(&last, "all checkpoints are damaged");
    std::fs::write(folder.0.join("checkpoint"), "garbage").unwrap();
    fails(&last, "checkpoint");
}

#[test]
fn a_folder_that_cannot_be_written_is_named_at_once() {
    let folder = Folder::new("unwritable");
    let file = folder.0.join("file");
    std::fs::write(&file, "in the way").unwrap();
    let inside = file.join("logs");
    fails(&[&format!("--logdir={}", inside.display())], &format!("cannot write to --logdir {}", inside.display()));
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "in the way");
}

/// The first checkpoint fits, the second does not.
#[test]
fn a_full_disk_ends_training_and_the_checkpoint_before_stays() {
    let folder = Folder::new("full");
    let script = format!(
        "mount -t tmpfs -o size=1500k tmpfs {0} || exit 99; \"$@\"; code=$?; ls {0}; exit $code",
        folder.text()
    );
    let inside = |program: &mut Command| -> Output { program.stdin(Stdio::null()).output().unwrap() };
    let mut shell = Command::new("unshare");
    shell.args(["--user", "--map-root-user", "--mount", "sh", "-c", &script, "sh"]);
    let train = command(&["--steps=300", &format!("--logdir={}", folder.text())]);
    shell.arg(train.get_program()).args(train.get_args());
    let output = inside(&mut shell);
    let said = String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr);
    if output.status.code() == Some(99) || said.contains("unshare:") {
        println!("skipped: no small disk can be mounted here: {said}");
        return;
    }
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("No space left on device"), "{said}");
    assert!(said.contains("model.ckpt-0.index") && said.contains("model.ckpt-0.data-00000-of-00001"), "{said}");
}
