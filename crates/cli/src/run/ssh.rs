//! The command line for a shell on another machine.

use std::path::Path;

use tensor::{Result, err};

pub fn command_line(folder: &Path, tf_config: &str, program: &str, arguments: &[String]) -> Result<String> {
    let folder = folder.to_str().ok_or_else(|| err!(InvalidArgument, "{} is not UTF-8", folder.display()))?;
    let words = std::iter::once(program).chain(arguments.iter().map(String::as_str)).map(quoted);
    let words = words.collect::<Vec<_>>().join(" ");
    let told = FORWARDED.iter().filter_map(|name| Some(format!("{name}={} ", quoted(&std::env::var(name).ok()?))));
    let told: String = told.collect();
    Ok(format!("cd {} && exec env TF_CONFIG={} {told}{words}", quoted(folder), quoted(tf_config)))
}

/// Who may come in, where others reach a task. The token itself stays here: lines of commands can be read by all.
const FORWARDED: [&str; 2] = ["TENSORFLEET_TOKEN_FILE", "TENSORFLEET_INSECURE"];

/// A word that a shell takes as it is.
fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,@%+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_shell_reads_back_what_was_meant() {
        let words = ["a b", "it's", "$HOME", "", "--flag=1"].map(str::to_owned);
        let line = command_line(Path::new("/"), r#"{"a": 1}"#, "printf", &[&["[%s]".to_owned()], &words[..]].concat());
        let output = std::process::Command::new("sh").arg("-c").arg(line.unwrap()).output().unwrap();
        assert_eq!(String::from_utf8_lossy(&output.stdout), "[a b][it's][$HOME][][--flag=1]");
    }
}
