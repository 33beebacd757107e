//! What a user meets at a terminal: pipes that close, colours, misspelt names, and data that is looked for.

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

const PROGRAM: &str = env!("CARGO_BIN_EXE_tensorfleet");
const DATA: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../data/mnist");

/// A folder that is removed in the end.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-terminal-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path.canonicalize().unwrap())
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// A command that knows nothing of the user's surroundings.
fn command(program: impl AsRef<Path>, arguments: &[&str]) -> Command {
    let mut command = Command::new(program.as_ref());
    command.args(arguments).stdin(Stdio::null());
    for variable in ["TENSORFLEET_LOG", "TENSORFLEET_MNIST", "XDG_CACHE_HOME", "HOME", "NO_COLOR", "TF_CONFIG"] {
        command.env_remove(variable);
    }
    command
}

/// The exit code, and both streams as text.
fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    said(&command(PROGRAM, arguments).output().unwrap())
}

#[test]
fn a_closed_pipe_ends_every_command_quietly() {
    let data = format!("--data_dir={DATA}");
    // What a shell reports for a tool that SIGPIPE has ended.
    for (arguments, code) in [
        (&["ops"][..], 141),
        (&["ops", "MatMul"], 141),
        (&["ops", "--markdown"], 141),
        (&["train", &data], 141),
        (&["train", "--help"], 0),
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let output = command(PROGRAM, arguments).stdout(writer).output().unwrap();
        assert_eq!(said(&output), (Some(code), String::new(), String::new()), "{arguments:?}");
    }
    // Nor does a closed standard error change how a command ends.
    let (reader, writer) = std::io::pipe().unwrap();
    drop(reader);
    let output = command(PROGRAM, &["ops", "NoSuchOp"]).stderr(writer).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn output_that_cannot_be_stored_is_an_error() {
    let full = std::fs::File::options().write(true).open("/dev/full").unwrap();
    let output = command(PROGRAM, &["ops"]).stdout(full).output().unwrap();
    let (code, _, errors) = said(&output);
    assert_eq!(code, Some(1));
    assert!(errors.starts_with("tensorfleet: cannot write to standard output: No space left"), "{errors}");
}

#[test]
fn a_misspelt_op_gets_a_suggestion() {
    for (misspelt, meant) in
        [("MatMull", "MatMul"), ("matmul", "MatMul"), ("Conv2d", "Conv2D"), ("AsignAdd", "AssignAdd")]
    {
        let (code, _, errors) = run(&["ops", misspelt]);
        assert_eq!(code, Some(1));
        let words: Vec<&str> = errors.split(|c: char| !c.is_alphanumeric()).collect();
        assert!(words.contains(&misspelt) && words.contains(&meant), "{misspelt}: {errors}");
    }
}

#[test]
fn wrong_flags_are_named() {
    for (arguments, words) in [
        (&["train", "--step=5"][..], "'--step'"),
        (&["serve", "--cluster_spec={}"], "'--cluster_spec'"),
        (&["sevre"], "'sevre'"),
        (&["train", "--steps", "0"], "0 is not in 1.."),
        (&["--steps", "-5"], "-5 is not in 1.."),
        (&["train", "--workers=0"], "0 is not in 1..=64"),
        (&["--model=cnn", "serve"], "cannot be used with"),
        (&["train", "--ps=many"], "invalid digit"),
        (&["serve", "--task_index=-1"], "-1"),
        (&["ops", "MatMul", "--markdown"], "cannot be used with"),
    ] {
        let (code, _, errors) = run(arguments);
        assert_eq!(code, Some(2), "{arguments:?}: {errors}");
        assert!(errors.contains(words), "{arguments:?}: {errors}");
    }
    let output = command(PROGRAM, &["ops"]).env("TENSORFLEET_LOG", "tensorfleet=loud").output().unwrap();
    let (code, _, errors) = said(&output);
    assert_eq!(code, Some(1));
    assert!(errors.contains("TENSORFLEET_LOG is 'tensorfleet=loud'"), "{errors}");
}

#[test]
fn data_is_found_outside_the_repository() {
    let folder = Folder::new("data");
    let (home, work) = (folder.0.join("home"), folder.0.join("a/b/c/work"));
    std::fs::create_dir_all(&home).unwrap();
    std::fs::create_dir_all(&work).unwrap();
    // A program that does not lie in the repository.
    let program = work.join("tensorfleet");
    if std::fs::hard_link(PROGRAM, &program).is_err() {
        std::fs::copy(PROGRAM, &program).unwrap();
    }
    // It ends when it has read the data.
    let train = || {
        let mut train = command(&program, &["train", "--batch_size=55001"]);
        train.env("HOME", &home).current_dir(&home);
        train
    };
    let found = |train: &mut Command| {
        let (code, _, errors) = said(&train.output().unwrap());
        assert_eq!(code, Some(1));
        assert!(errors.contains("--batch_size 55001 is more than the 55000 training images"), "{errors}");
    };
    let (code, _, errors) = said(&train().output().unwrap());
    assert_eq!(code, Some(1));
    let cache = home.join(".cache/tensorfleet/mnist");
    for looked in [home.join("data/mnist"), work.join("data/mnist"), cache.clone()] {
        assert!(errors.contains(looked.to_str().unwrap()), "{errors}");
    }
    assert!(errors.contains("--data_dir") && errors.contains("TENSORFLEET_MNIST"), "{errors}");

    found(train().env("TENSORFLEET_MNIST", DATA));
    let (code, _, errors) = said(&train().env("TENSORFLEET_MNIST", "/nonexistent").output().unwrap());
    assert_eq!(code, Some(1));
    assert!(errors.contains("TENSORFLEET_MNIST is /nonexistent"), "{errors}");
    for place in [cache, home.join("data/mnist"), work.join("data/mnist"), folder.0.join("a/data/mnist")] {
        std::fs::create_dir_all(place.parent().unwrap()).unwrap();
        std::os::unix::fs::symlink(DATA, &place).unwrap();
        found(&mut train());
        std::fs::remove_file(&place).unwrap();
    }
    let other = folder.0.join("other");
    std::fs::create_dir_all(other.join("tensorfleet")).unwrap();
    std::os::unix::fs::symlink(DATA, other.join("tensorfleet/mnist")).unwrap();
    found(train().env("XDG_CACHE_HOME", &other));
}

/// Starts a server on a terminal of its own, stops it with Ctrl-C as soon as it serves, and returns all that was shown.
fn on_a_terminal(no_color: &str) -> String {
    // Another process may take a port that was free a moment ago.
    for _ in 0..10 {
        let port = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
        // In the shell's place: a shell that hears the Ctrl-C as well may end with a code of its own.
        let serve = format!("exec {PROGRAM} serve --ps_hosts=127.0.0.1:{port} --job_name=ps --task_index=0");
        // A terminal that goes away hangs up on its programs, so nothing outlives a test that fails.
        let mut script = command("timeout", &["60", "script", "--quiet", "--return", "--command", &serve, "/dev/null"]);
        script.env("TERM", "xterm").env("NO_COLOR", no_color).stdin(Stdio::piped()).stdout(Stdio::piped());
        let mut terminal = script.spawn().unwrap();
        let (mut keyboard, screen) = (terminal.stdin.take().unwrap(), terminal.stdout.take().unwrap());
        let mut shown = String::new();
        let mut started = false;
        for line in BufReader::new(screen).lines().map_while(Result::ok) {
            if line.contains("Server started") {
                started = true;
                keyboard.write_all(b"\x03").unwrap();
            }
            shown += &line;
        }
        let code = terminal.wait().unwrap().code();
        if started {
            assert_eq!(code, Some(0), "{shown}");
            assert!(shown.contains("stopped"), "{shown}");
            return shown;
        }
    }
    panic!("no free port");
}

#[test]
fn logs_have_colours_on_a_terminal_only() {
    if Command::new("script").arg("--version").output().is_err() {
        println!("skipped: there is no program `script` to make a terminal with");
        return;
    }
    let coloured = on_a_terminal("");
    assert!(coloured.contains('\u{1b}'), "{coloured}");
    let plain = on_a_terminal("1");
    assert!(!plain.contains('\u{1b}'), "{plain}");
}

#[test]
fn versions_are_told_short_and_at_length() {
    let (code, out, _) = said(&command(PROGRAM, &["--version"]).output().unwrap());
    assert_eq!((code, out), (Some(0), format!("tensorfleet {}\n", env!("CARGO_PKG_VERSION"))));
    assert_eq!(said(&command(PROGRAM, &["-V"]).output().unwrap()).0, Some(0));
    let mut verbose = command(PROGRAM, &["--version", "--verbose"]);
    let (code, out, _) = said(&verbose.env("TENSORFLEET_MAX_ISA", "portable").output().unwrap());
    assert_eq!(code, Some(0));
    for line in [
        format!("tensorfleet {}", env!("CARGO_PKG_VERSION")),
        "links between tasks: version 2, features: collectives".to_owned(),
        "graphs: written as GraphDef version 2474, for readers from version 0 on, with the ops of TensorFlow 2.21"
            .to_owned(),
        "instructions: portable (TENSORFLEET_MAX_ISA limits them)".to_owned(),
    ] {
        assert!(out.lines().any(|said| said == line), "no '{line}' in {out}");
    }
    assert_eq!(said(&command(PROGRAM, &["--verbose"]).output().unwrap()).0, Some(2), "more of what?");
}

#[test]
fn every_command_has_a_page_in_the_manual() {
    let folder = Folder::new("manual");
    let (code, _, err) = said(&command(PROGRAM, &["manual", folder.0.to_str().unwrap()]).output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    let page =
        |name: &str| std::fs::read_to_string(folder.0.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"));
    assert!(page("tensorfleet.1").contains("Dataflow graphs on a cluster"));
    assert!(page("tensorfleet-serve.1").contains("cluster_from"));
    assert!(page("tensorfleet-ckpt-diff.1").starts_with(".ie"));
    let (_, help, _) = said(&command(PROGRAM, &["--help"]).output().unwrap());
    let commands = help.split("Commands:").nth(1).and_then(|rest| rest.split("\n\n").next()).unwrap();
    let commands = commands.lines().filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next());
    for command in commands.filter(|command| *command != "help") {
        page(&format!("tensorfleet-{command}.1"));
    }
    // What is no command for people has none.
    assert!(!folder.0.join("tensorfleet-run-task.1").exists());
    let file = folder.0.join("tensorfleet.1/pages");
    let (code, _, err) = said(&command(PROGRAM, &["manual", file.to_str().unwrap()]).output().unwrap());
    assert!(code == Some(1) && err.contains("writing pages of the manual to"), "{err}");
}
