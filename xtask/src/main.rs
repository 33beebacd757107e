//! The project's own commands: `cargo xtask test` runs every check there is.

mod by_hand;
mod chaos;
mod dist;
mod proxy;
mod python;
mod run;
mod test;
mod tidy;
mod wheel;

use std::process::ExitCode;

const HELP: &str = "usage: cargo xtask COMMAND

commands:
  test [PART ...]   run all checks, or only these parts: tidy, format, lint, package, unit,
                    python, interop
                    (tidy holds the repository to the invariants of ARCHITECTURE.md;
                    python and interop create the Python environments that they need)
  wheel [python3.14t]
                    build the wheel of the Python package in target/wheels; or one for the Python of
                    this name alone, such as a free-threaded one, in target/wheels-python3.14t
  dist [--without_wheel]
                    make what is given to others in target/dist: the static binary, the wheel, man pages,
                    completions, checksums
  chaos [--minutes N] [--seed S]
                    let real processes learn MNIST while faults befall them at random
  fuzz [TARGET] [--minutes N] [--seed S]
                    try parsers with damaged input, one of them or all, for so long each
  soak [--minutes N]
                    let sessions, signatures and workers come and go; prints what grows
  expected          generate the expected values of ops from TensorFlow anew
  generate          write the functions of raw_ops from the registry anew
  bench [--isa=avx2] [WORK ...]
                    measure beside TensorFlow, in one interleaved run: all of it, or only some
                    works (those of bench/run.py, `cluster:WORK` of bench/cluster.py, executor,
                    input, python, scale);
                    cluster:all_reduce also installs PyTorch, of 5 GB, in .venv-pytorch
";

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let outcome = match arguments.split_first().map(|(command, rest)| (command.as_str(), rest)) {
        Some(("test", parts)) => test::test(parts),
        Some(("expected", [])) => test::expected(),
        Some(("generate", [])) => test::generate(),
        Some(("wheel", [])) => wheel::wheel(None),
        Some(("wheel", [interpreter])) => wheel::wheel(Some(interpreter)),
        Some(("dist", rest)) => dist::dist(rest),
        Some(("chaos", rest)) => chaos::chaos(rest),
        Some(("fuzz", rest)) => by_hand::fuzz(rest),
        Some(("soak", rest)) => by_hand::soak(rest),
        Some(("bench", rest)) => test::bench(rest),
        Some(("--help" | "-h" | "help", _)) => {
            print!("{HELP}");
            Ok(())
        }
        _ => Err(HELP.to_owned()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("xtask: {message}");
            ExitCode::FAILURE
        }
    }
}
