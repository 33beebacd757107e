//! Runs files of scenarios, which TensorFlow has recorded, in a local session: `scenarios FOLDER`.

use std::path::PathBuf;
use std::process::ExitCode;

fn main() -> ExitCode {
    let Some(folder) = std::env::args_os().nth(1).map(PathBuf::from) else {
        eprintln!("usage: scenarios FOLDER");
        return ExitCode::FAILURE;
    };
    match check(&folder) {
        Ok((passed, 0)) => {
            println!("scenarios: {passed} passed, 0 failed");
            ExitCode::SUCCESS
        }
        Ok((passed, failed)) => {
            println!("scenarios: {passed} passed, {failed} failed");
            ExitCode::FAILURE
        }
        Err(message) => {
            eprintln!("scenarios: {message}");
            ExitCode::FAILURE
        }
    }
}

fn check(folder: &PathBuf) -> Result<(usize, usize), String> {
    let entries = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "gz"))
        .collect();
    files.sort();
    if files.is_empty() {
        return Err(format!("there are no scenarios in {}", folder.display()));
    }
    let (mut run, mut failed) = (0, 0);
    for file in files {
        let report = testkit::check_file(&file, &ops::registry()).map_err(|status| status.to_string())?;
        for failure in &report.failures {
            println!("{}: {failure}", file.display());
        }
        for (op, count) in &report.unknown_ops {
            println!("{}: {count} scenarios need op {op}, which is not registered", file.display());
        }
        let bad = report.failures.len() + report.unknown_ops.len();
        println!("{}: {} scenarios, {bad} problems", file.display(), report.run);
        (run, failed) = (run + report.run, failed + bad);
    }
    Ok((run.saturating_sub(failed), failed))
}
