//! `tensorfleet run` as a user meets it: programs that end well, that fail, that are killed, and nothing left behind.

use std::io::Read;
use std::path::PathBuf;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// Nothing here takes so long, even on a busy machine.
const LIMIT: Duration = Duration::from_secs(120);

/// A folder that is removed in the end. Its name is in the command line of everything that is started in it.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-run-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path.canonicalize().unwrap())
    }

    /// A shell script.
    fn script(&self, text: &str) -> String {
        let path = self.0.join("script");
        std::fs::write(&path, text).unwrap();
        path.to_str().unwrap().to_owned()
    }

    fn run(&self, flags: &[&str], script: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tensorfleet"));
        command.arg("run").args(flags).args(["--", "sh", &self.script(script)]);
        command.current_dir(&self.0).stdin(Stdio::null());
        for variable in ["TF_CONFIG", "SLURM_PROCID", "SLURM_JOB_ID", "OMPI_COMM_WORLD_RANK", "PMI_RANK"] {
            command.env_remove(variable);
        }
        command
    }

    /// The processes whose command line names this folder.
    fn processes(&self) -> Vec<u32> {
        let entries = std::fs::read_dir("/proc").unwrap().flatten();
        let ids = entries.filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()));
        ids.filter(|id: &u32| {
            let line = std::fs::read(format!("/proc/{id}/cmdline")).unwrap_or_default();
            String::from_utf8_lossy(&line).contains(self.0.to_str().unwrap())
        })
        .collect()
    }

    fn wait_until(&self, what: &str, is_so: impl Fn() -> bool) {
        let deadline = Instant::now() + LIMIT;
        while !is_so() {
            assert!(Instant::now() < deadline, "{what} does not come; running: {:?}", self.processes());
            std::thread::sleep(Duration::from_millis(20));
        }
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        for id in self.processes() {
            signal("-KILL", id);
        }
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

fn signal(signal: &str, id: u32) {
    let _ = Command::new("kill").args([signal, &id.to_string()]).stderr(Stdio::null()).status();
}

fn said(output: &Output) -> (Option<i32>, String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    (output.status.code(), text(&output.stdout), text(&output.stderr))
}

/// The exit code of a child that is to end.
fn wait(mut child: Child) -> (Option<i32>, String) {
    let deadline = Instant::now() + LIMIT;
    loop {
        if let Some(status) = child.try_wait().unwrap() {
            let mut text = String::new();
            let _ = child.stderr.take().unwrap().read_to_string(&mut text);
            return (status.code(), text);
        }
        assert!(Instant::now() < deadline, "the job does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn every_task_knows_who_it_is_and_ps_end_with_the_workers() {
    let folder = Folder::new("good");
    let script = r#"case "$*" in *job_name=ps*) sleep 1000;; esac; echo "$TF_CONFIG $*"; echo to the side >&2"#;
    let output = folder.run(&["--ps", "2", "--workers", "2", "--sync"], script).output().unwrap();
    let (code, out, err) = said(&output);
    assert_eq!(code, Some(0), "{out}{err}");
    for worker in 0..2 {
        let line = out.lines().find(|line| line.starts_with(&format!("worker {worker} | "))).unwrap_or_default();
        assert!(line.contains(&format!(r#""task":{{"index":{worker},"type":"worker"}}"#)), "{out}");
        assert!(line.contains("--job_name=worker") && line.ends_with("--sync_replicas=True"), "{out}");
        assert_eq!(line.matches("127.0.0.1:").count(), 8, "{line}");
        assert!(err.contains(&format!("worker {worker} | to the side\n")), "{err}");
    }
    folder.wait_until("the end of all processes", || folder.processes().is_empty());
}

#[test]
fn a_failure_ends_the_job_with_its_exit_code() {
    let folder = Folder::new("failing");
    let script = "case \"$*\" in *task_index=1*) exit 3;; esac; sleep 1000";
    let output = folder.run(&["--ps", "1", "--workers", "2"], script).output().unwrap();
    let (code, out, err) = said(&output);
    assert_eq!(code, Some(3), "{out}{err}");
    assert!(err.contains("worker 1 ended with exit code 3; stopping the others"), "{err}");
    folder.wait_until("the end of all processes", || folder.processes().is_empty());
    let output =
        Command::new(env!("CARGO_BIN_EXE_tensorfleet")).args(["run", "--", "/no/such/program"]).output().unwrap();
    let (code, _, err) = said(&output);
    assert!(code == Some(1) && err.contains("starting /no/such/program"), "{err}");
}

#[test]
fn what_is_killed_is_started_again() {
    let folder = Folder::new("killed");
    let script = "[ -e once ] || { touch once; kill -KILL $$; }; echo trained";
    let (code, out, err) = said(&folder.run(&["--ps", "0", "--workers", "1"], script).output().unwrap());
    assert_eq!((code, out.as_str()), (Some(0), "worker 0 | trained\n"), "{err}");
    assert!(err.contains("worker 0 was killed by signal 9; starting it again"), "{err}");
    std::fs::remove_file(folder.0.join("once")).unwrap();
    let flags = ["--ps", "0", "--workers", "1", "--restart", "never"];
    assert_eq!(said(&folder.run(&flags, script).output().unwrap()).0, Some(137));
}

#[test]
fn a_job_that_is_told_to_stop_stops_and_one_that_is_killed_leaves_nothing() {
    let folder = Folder::new("stopped");
    let script = "trap 'touch told; exit 0' TERM; touch running; while :; do sleep 0.1; done";
    let mut command = folder.run(&["--ps", "0", "--workers", "1"], script);
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    folder.wait_until("the task", || folder.0.join("running").exists());
    signal("-TERM", child.id());
    let (code, err) = wait(child);
    assert_eq!(code, Some(130), "{err}");
    assert!(folder.0.join("told").exists());

    std::fs::remove_file(folder.0.join("running")).unwrap();
    let child = command.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    folder.wait_until("the task", || folder.0.join("running").exists());
    signal("-KILL", child.id());
    wait(child);
    folder.wait_until("the end of all processes", || folder.processes().is_empty());
}

#[test]
fn other_machines_are_reached_through_ssh() {
    let folder = Folder::new("ssh");
    // Stands in for ssh: says which machine was asked for, and runs the last argument here.
    let ssh = folder.0.join("ssh");
    std::fs::write(&ssh, "#!/bin/sh\nfor last; do :; done\nexec env MACHINE=\"$4\" sh -c \"$last\"\n").unwrap();
    std::fs::set_permissions(&ssh, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let flags = ["--ps", "0", "--workers", "2", "--hosts", "a,b", "--ssh", ssh.to_str().unwrap()];
    let (code, out, err) = said(&folder.run(&flags, "echo $MACHINE $PWD $*").output().unwrap());
    assert_eq!(code, Some(0), "{out}{err}");
    let here = folder.0.to_str().unwrap();
    for (worker, machine) in ["a", "b"].iter().enumerate() {
        let line =
            format!("worker {worker} | {machine} {here} --ps_hosts= --worker_hosts=a:2222,b:2222 --job_name=worker");
        assert!(out.contains(&line), "{out}");
    }
}

#[test]
fn under_slurm_and_mpirun_a_process_is_the_task_of_its_rank() {
    let folder = Folder::new("ranks");
    let mut command = folder.run(&["--ps", "1"], "echo $*");
    let slurm = [
        ("SLURM_PROCID", "2"),
        ("SLURM_STEP_NUM_TASKS", "3"),
        ("SLURM_STEP_NODELIST", "n[1-2]"),
        ("SLURM_STEP_TASKS_PER_NODE", "2,1"),
    ];
    let (code, out, err) = said(&command.envs(slurm).output().unwrap());
    assert_eq!(code, Some(0), "{err}");
    assert_eq!(out, "--ps_hosts=n1:2222 --worker_hosts=n1:2223,n2:2222 --job_name=worker --task_index=1\n");
    let mut command = folder.run(&["--ps", "1"], "echo $*");
    command.envs([("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2")]);
    let out = said(&command.output().unwrap()).1;
    assert_eq!(out, "--ps_hosts=127.0.0.1:2222 --worker_hosts=127.0.0.1:2223 --job_name=ps --task_index=0\n");
    let mut command = folder.run(&["--ps", "2"], "echo $*");
    command.envs([("OMPI_COMM_WORLD_RANK", "0"), ("OMPI_COMM_WORLD_SIZE", "2")]);
    let (code, _, err) = said(&command.output().unwrap());
    assert!(code == Some(1) && err.contains("mpirun has started 2 tasks, which are not 2 ps"), "{err}");
}

#[test]
fn in_an_allocation_of_slurm_tasks_are_started_on_its_nodes() {
    let folder = Folder::new("allocation");
    // Stands in for srun: says which node was asked for, and runs the program here.
    let srun = folder.0.join("srun");
    let text = "#!/bin/sh\nwhile :; do case $1 in --nodelist=*) NODE=$1;; --*) ;; *) break;; esac; shift; done\nexport NODE; exec \"$@\"\n";
    std::fs::write(&srun, text).unwrap();
    std::fs::set_permissions(&srun, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    let batch = [
        ("SLURM_JOB_ID", "7"),
        ("SLURM_PROCID", "0"),
        ("SLURM_JOB_NODELIST", "n[1-2]"),
        ("SLURM_TASKS_PER_NODE", "2,1"),
    ];
    let run = |flags: &[&str]| {
        let flags = [flags, &["--srun", srun.to_str().unwrap()]].concat();
        said(&folder.run(&flags, "echo $NODE $*").envs(batch).output().unwrap())
    };
    let (code, out, err) = run(&["--ps", "1"]);
    assert_eq!(code, Some(0), "{err}");
    let hosts = "--ps_hosts=n1:10448 --worker_hosts=n1:10449,n2:10448";
    for (worker, node) in ["n1", "n2"].iter().enumerate() {
        let line = format!("worker {worker} | --nodelist={node} {hosts} --job_name=worker --task_index={worker}");
        assert!(out.contains(&line), "{out}");
    }
    let (code, _, err) = run(&["--ps", "1", "--workers", "5"]);
    assert!(code == Some(1) && err.contains("room for 3 tasks, not for 1 ps and 5 workers"), "{err}");
    let (code, _, err) = run(&["--ps", "3"]);
    assert!(code == Some(1) && err.contains("room for 3 tasks, not for 3 ps and 1 workers"), "{err}");
}

#[test]
fn on_a_terminal_lines_have_colours_and_one_line_tells_how_things_are() {
    let folder = Folder::new("terminal");
    let run = folder.run(&["--ps", "0", "--workers", "2"], "echo hello; sleep 1");
    let words = std::iter::once(run.get_program()).chain(run.get_args()).map(|word| word.to_string_lossy());
    let line = words.map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
    // A terminal of its own, whose output comes through a pipe.
    let mut command = Command::new("script");
    command.args(["--quiet", "--return", "--command", &line, "/dev/null"]).stdin(Stdio::null());
    command.current_dir(&folder.0).env("TERM", "xterm").env_remove("NO_COLOR");
    let Ok(output) = command.output() else {
        println!("skipped: there is no program `script`");
        return;
    };
    let (code, out, err) = said(&output);
    assert_eq!(code, Some(0), "{out}{err}");
    assert!(out.contains("\u{1b}[36mworker 0\u{1b}[0m | hello"), "{out}");
    assert!(out.contains("2 tasks running, 0 done"), "{out}");
}
