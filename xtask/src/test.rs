//! `cargo xtask test`: invariants, formatting, lints, packages, unit and doc tests, and tests with the real TensorFlow.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::python::{pytorch, script, with_moto, without_tensorflow};
use crate::run::{cargo, check_disk, root, run, target, took};
use crate::tidy::tidy;
use crate::wheel::{build, python_package, python_tests};

/// The parts in the order in which they are run: what is cheap first.
const PARTS: &[(&str, fn() -> Result<(), String>)] = &[
    ("tidy", tidy),
    ("format", format),
    ("lint", lint),
    ("package", package),
    ("unit", unit),
    ("python", python_tests),
    ("interop", interop),
];

pub fn test(parts: &[String]) -> Result<(), String> {
    if let Some(unknown) = parts.iter().find(|part| !PARTS.iter().any(|(name, _)| name == part)) {
        let names: Vec<&str> = PARTS.iter().map(|(name, _)| *name).collect();
        return Err(format!("there is no part '{unknown}'; the parts are: {}", names.join(", ")));
    }
    check_disk(8);
    let mut times = Vec::new();
    let mut outcome = Ok(());
    for (name, part) in PARTS.iter().filter(|(name, _)| parts.is_empty() || parts.iter().any(|part| part == name)) {
        let begin = Instant::now();
        outcome = part();
        times.push((*name, begin.elapsed()));
        if outcome.is_err() {
            break;
        }
    }
    print_times(&times);
    outcome?;
    println!("\nall checks passed");
    Ok(())
}

/// How long each part took, and of what took longest in it.
fn print_times(parts: &[(&str, Duration)]) {
    println!("\n{:>7}  part", "seconds");
    for (name, time) in parts {
        println!("{:>7.0}  {name}", time.as_secs_f64());
    }
    let mut steps = took();
    if steps.is_empty() {
        return;
    }
    steps.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
    println!("{:>7}  longest steps", "");
    for (name, time) in steps.iter().take(10) {
        println!("{:>7.0}  {name}", time.as_secs_f64());
    }
}

fn format() -> Result<(), String> {
    run("formatting", &mut rustfmt_check()?, 2)
}

fn lint() -> Result<(), String> {
    run("lints", &mut cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]), 30)
}

/// Packs every crate as it would be published, without compiling the packages: metadata is complete, and no crate needs a
/// dependency without a version. By then the lints have fetched all that is needed.
fn package() -> Result<(), String> {
    let pack = ["package", "--workspace", "--no-verify", "--allow-dirty", "--offline", "--quiet"];
    run("packages", &mut cargo(&pack), 3)
}

fn unit() -> Result<(), String> {
    run("unit and doc tests", &mut cargo(&["test", "--workspace", "--no-fail-fast"]), 45)
}

/// Checks the formatting of every Rust file that git knows. `cargo fmt` follows `mod` items only, and so does not see the
/// modules that macros declare.
fn rustfmt_check() -> Result<Command, String> {
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard", "*.rs"])
        .current_dir(root())
        .output()
        .map_err(|error| format!("cannot ask git for the files: {error}"))?;
    if !listed.status.success() {
        return Err(format!("git ls-files failed: {}", String::from_utf8_lossy(&listed.stderr).trim()));
    }
    let files = String::from_utf8_lossy(&listed.stdout).into_owned();
    let present = files.split_terminator('\0').filter(|file| root().join(file).exists());
    let mut command = Command::new("rustfmt");
    command.args(["--edition", "2024", "--check"]).args(present);
    Ok(command)
}

/// What TensorFlow's client does on clusters of ours, once for each transport between our tasks: name, script, and how many
/// minutes it may take.
const ON_CLUSTERS: &[(&str, &str, u64)] = &[
    ("TensorFlow's client on a cluster of ours", "tests/interop/cluster.py", 5),
    ("loops and conditions that span tasks", "tests/interop/loops.py", 3),
    ("the documents' MNIST program on clusters of ours", "tests/interop/replica.py", 5),
    ("values, errors and options as on TensorFlow's servers", "tests/interop/values.py", 4),
    ("queues, records and a CNN on clusters of ours", "tests/interop/digits.py", 4),
    ("one client, a tower on each worker", "tests/interop/towers.py", 3),
];

/// Tests with the real TensorFlow as client, as writer and as reader.
fn interop() -> Result<(), String> {
    run("build for interop", &mut cargo(&["build", "--workspace", "--bins", "--examples"]), 20)?;
    let (debug, scratch) = (target().join("debug"), target().join("interop"));
    let _ = std::fs::remove_dir_all(&scratch);
    std::fs::create_dir_all(&scratch).map_err(|error| format!("cannot make {}: {error}", scratch.display()))?;
    let binary = debug.join("tensorfleet");
    let mut hello = script("tests/interop/hello.py")?;
    run("hello world from both clients", hello.arg(&binary).arg(debug.join("hello_client")), 3)?;
    // Between our tasks over links, then over gRPC.
    for (transport, flags) in [("links", ""), ("gRPC", "--transport=grpc")] {
        for (what, path, minutes) in ON_CLUSTERS {
            let mut command = script(path)?;
            command.arg(&binary).env("TENSORFLEET_SERVE_ARGS", flags);
            run(&format!("{what}, over {transport}"), &mut command, *minutes)?;
        }
    }
    run("programs as on TensorFlow's servers", script("tests/interop/on_both.py")?.arg(&binary), 12)?;
    run("TensorFlow's client on secured clusters", script("tests/interop/secured.py")?.arg(&binary), 4)?;
    run("mixed clusters with TensorFlow's servers", script("tests/interop/mixed.py")?.arg(&binary), 5)?;
    run("collectives with TensorFlow's servers", script("tests/interop/collectives.py")?.arg(&binary), 2)?;
    let mut shared = script("tests/interop/shared_job.py")?;
    shared.env("PYTHONPATH", python_package()?);
    run("workers in Rust, TensorFlow and our Python share a job", shared.arg(&binary), 9)?;
    run("TensorFlow's client when tasks of ours are lost", script("tests/interop/faults.py")?.arg(&binary), 5)?;
    run("file formats both ways", script("tests/interop/formats.py")?.arg(debug.join("examples/formats")), 5)?;
    run("the dashboard in a browser", script("tests/dashboard/page.py")?.arg(&binary), 8)?;
    run("manifests for Kubernetes", script("tests/deploy/kubernetes.py")?.arg(&binary).arg(debug.join("trainer")), 5)?;
    run("a job on a Slurm of three nodes", script("tests/deploy/slurm.py")?.arg(&debug), 15)?;
    run("ranks of mpirun", script("tests/deploy/mpi.py")?.arg(&debug), 10)?;
    run("tasks on other machines by ssh", script("tests/deploy/ssh.py")?.arg(&debug), 10)?;
    let mut stores = script("tests/interop/stores.py")?;
    stores.arg(&binary).arg(debug.join("examples/against_server")).arg(with_moto()?);
    run("files in stores, and through the chief", &mut stores, 5)?;
    let mut tool = script("tests/interop/checkpoint_tool.py")?;
    run("checkpoints of TensorFlow in our tool", tool.arg(&binary), 5)?;
    let mut checkpoints = script("tests/interop/checkpoints.py")?;
    run("checkpoints, meta graphs and events both ways", checkpoints.arg(debug.join("checkpoints")), 5)?;
    let mut import = script("tests/interop/import_ours.py")?;
    run("TensorFlow runs a graph of ours", import.arg(debug.join("export_graph")).arg(scratch.join("ours.pb")), 3)?;
    let programs = scratch.join("programs");
    run(
        "export programs from TensorFlow",
        script("tests/interop/programs.py")?.arg(&programs).arg(root().join("data/mnist")),
        10,
    )?;
    run("programs in a local session", Command::new(debug.join("scenarios")).arg(&programs), 10)?;
    run("the list of TensorFlow's own faults", &mut script("tests/interop/known_faults.py")?, 1)?;
    run("words of errors, and refusals", script("tests/interop/phrases.py")?.arg(&binary), 3)?;
    run("random graphs on both", script("tests/interop/random_graphs.py")?.arg(&binary), 5)?;
    run("damaged graphs sent to a server", script("tests/interop/mutations.py")?.arg(&binary), 3)?;
    Ok(())
}

/// Generates the files that unit tests compare with.
pub fn expected() -> Result<(), String> {
    run("expected values from TensorFlow", &mut script("crates/ops/testdata/generate.py")?, 20)?;
    run("training graphs from TensorFlow", &mut script("crates/train/testdata/graphs.py")?, 10)?;
    run("training values from TensorFlow", &mut script("crates/train/testdata/values.py")?, 10)
}

/// Generates the functions of `raw_ops` from the registry of ops.
pub fn generate() -> Result<(), String> {
    let example = ["run", "--package", "tensorfleet-raw-ops", "--example", "generate"];
    run("functions of all ops", &mut cargo(&example), 20)
}

/// Works of the benchmark that have scripts of their own.
const OWN_SCRIPTS: [&str; 2] = ["executor", "input"];

/// Measures beside TensorFlow.
pub fn bench(arguments: &[String]) -> Result<(), String> {
    let (flags, works): (Vec<&str>, Vec<&str>) =
        arguments.iter().map(String::as_str).partition(|a| a.starts_with("--"));
    // The package for Python is built for itself.
    if works.is_empty() || works.iter().any(|work| *work != "python") {
        let packages = ["--package", "tensorfleet-bench", "--package", "tensorfleet-cli"];
        run("build for the benchmark", cargo(&["build", "--release"]).args(packages), 30)?;
    }
    let (ours, bench) = (target().join("release/tensorfleet"), target().join("release/tensorfleet-bench"));
    let (in_python, works): (Vec<&str>, Vec<&str>) = works.into_iter().partition(|work| *work == "python");
    let (scale, works): (Vec<&str>, Vec<&str>) = works.into_iter().partition(|work| *work == "scale");
    let (own, works): (Vec<&str>, Vec<&str>) = works.into_iter().partition(|work| OWN_SCRIPTS.contains(work));
    let (on_clusters, alone): (Vec<&str>, Vec<&str>) = works.into_iter().partition(|work| work.starts_with("cluster"));
    // The same widest instructions for both sides.
    let capped = |command: Command| -> Result<Command, String> {
        let mut command = command;
        match flags.as_slice() {
            [] => {}
            ["--isa=avx2"] => {
                command.env("TENSORFLEET_MAX_ISA", "avx2").env("ONEDNN_MAX_CPU_ISA", "AVX2");
            }
            _ => return Err(format!("bench: unknown flags {flags:?}; there is --isa=avx2")),
        }
        Ok(command)
    };
    let everything = arguments.len() == flags.len();
    if everything || !alone.is_empty() {
        run("benchmark", capped(script("bench/run.py")?)?.arg(&bench).args(alone), 90)?;
    }
    if everything || !on_clusters.is_empty() {
        let mut measure = capped(script("bench/cluster.py")?)?;
        if on_clusters.contains(&"cluster:all_reduce") {
            measure.env("TENSORFLEET_PYTORCH", pytorch()?);
        }
        let works = on_clusters.iter().filter_map(|work| work.strip_prefix("cluster:"));
        run("benchmark on clusters", measure.arg(&ours).arg(&bench).args(works), 60)?;
    }
    for work in OWN_SCRIPTS.iter().filter(|work| everything || own.contains(work)) {
        run(&format!("benchmark of {work}"), capped(script(&format!("bench/{work}.py"))?)?.arg(&bench), 60)?;
    }
    if everything || !in_python.is_empty() {
        let wheel = build("release", "wheels", 30)?;
        let ours = without_tensorflow(&wheel)?;
        run("benchmark in Python", capped(script("bench/in_python/compare.py")?)?.arg(&ours).arg(&wheel), 30)?;
    }
    if !scale.is_empty() {
        run("many workers", capped(script("bench/scale.py")?)?.arg(&ours).arg(&bench), 60)?;
    }
    Ok(())
}
