//! Scripts that test or record with TensorFlow import it from `tests/interop/judge.py`, which fixes its mode. Benchmarks do not.

use super::{Fault, File, fault};

const JUDGE: &str = "tests/interop/judge.py";

pub fn check(files: &[File]) -> Vec<Fault> {
    let judged = files.iter().filter(|file| file.path.starts_with("tests/") || file.path.starts_with("crates/"));
    judged.filter(|file| file.path.ends_with(".py") && file.path != JUDGE).flat_map(check_file).collect()
}

fn check_file(file: &File) -> Vec<Fault> {
    let lines = file.text.lines().enumerate().filter(|(_, line)| line.trim().starts_with("import tensorflow"));
    let remedy = format!("`from judge import tf`: {JUDGE} fixes the mode in which TensorFlow computes");
    lines
        .map(|(index, _)| fault(file, index + 1, "imports TensorFlow in whatever mode the machine gives it", &remedy))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    #[test]
    fn only_the_judge_and_benchmarks_import_tensorflow() {
        let plain = "import os\nimport tensorflow as tf\n";
        assert!(
            check(&[
                file(JUDGE, plain),
                file("bench/run.py", plain),
                file("tests/interop/a.py", "from judge import tf\n")
            ])
            .is_empty()
        );
        let faults = check(&[file("tests/interop/a.py", plain), file("crates/ops/testdata/b.py", plain)]);
        assert_eq!(faults.iter().map(|fault| fault.line).collect::<Vec<_>>(), [2, 2]);
    }
}
