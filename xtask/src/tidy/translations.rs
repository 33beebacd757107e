//! The README in Chinese keeps step with the English one: same headings, commands and figures.

use super::{Fault, File, fault};

const ENGLISH: &str = "README.md";
const CHINESE: &str = "README.zh-CN.md";

pub fn check(files: &[File]) -> Vec<Fault> {
    let find = |path: &str| files.iter().find(|file| file.path == path);
    let (Some(english), Some(chinese)) = (find(ENGLISH), find(CHINESE)) else { return Vec::new() };
    let kinds: [(&str, fn(&str) -> Vec<(usize, String)>); 3] =
        [("heading", headings), ("command", commands), ("row of figures", figures)];
    kinds.iter().filter_map(|(kind, of)| first_difference(kind, english, chinese, *of)).collect()
}

fn first_difference(kind: &str, english: &File, chinese: &File, of: fn(&str) -> Vec<(usize, String)>) -> Option<Fault> {
    let (wanted, found) = (of(&english.text), of(&chinese.text));
    let at = (0..wanted.len().max(found.len()))
        .find(|at| wanted.get(*at).map(|(_, text)| text) != found.get(*at).map(|(_, text)| text))?;
    let show = |item: Option<&(usize, String)>| item.map_or("nothing".to_owned(), |(_, text)| format!("`{text}`"));
    let line = found.get(at).or(found.last()).map_or(1, |(line, _)| *line);
    let what = format!("{kind} {} is {} where {ENGLISH} has {}", at + 1, show(found.get(at)), show(wanted.get(at)));
    Some(fault(chinese, line, what, "translate what has changed"))
}

/// The level of every heading: its words are translated.
fn headings(text: &str) -> Vec<(usize, String)> {
    let level = |line: &str| line.chars().take_while(|c| *c == '#').collect::<String>();
    lines(text, false)
        .into_iter()
        .filter(|(_, line)| line.starts_with('#'))
        .map(|(at, line)| (at, level(line)))
        .collect()
}

/// What is to be typed, without comments and explanations.
fn commands(text: &str) -> Vec<(usize, String)> {
    let typed = ["cargo ", "tensorfleet ", "pip ", "python "];
    let command =
        |line: &str| line.split("  ").next().unwrap_or_default().split(" #").next().unwrap_or_default().to_owned();
    let found = lines(text, true).into_iter().filter(|(_, line)| typed.iter().any(|start| line.starts_with(start)));
    found.map(|(at, line)| (at, command(line))).collect()
}

/// The cells of tables that are figures.
fn figures(text: &str) -> Vec<(usize, String)> {
    let rows = lines(text, false).into_iter().filter(|(_, line)| line.starts_with('|'));
    let cells = |line: &str| {
        let cells = line.trim_matches('|').split('|').skip(1).map(str::trim);
        cells.filter(|cell| cell.chars().next().is_some_and(|c| c.is_ascii_digit())).collect::<Vec<_>>().join(" | ")
    };
    rows.map(|(at, line)| (at, cells(line))).filter(|(_, cells)| !cells.is_empty()).collect()
}

/// The lines within fences, or those outside of them, with their numbers.
fn lines(text: &str, fenced: bool) -> Vec<(usize, &str)> {
    let mut inside = false;
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            inside = !inside;
        } else if inside == fenced {
            found.push((index + 1, line));
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tidy::file;

    const TEXT: &str = "# a\n```\ncargo run  # runs\n```\n## b\n| x | 1 | 2 (3x) |\n";

    #[test]
    fn what_is_in_step_is_fine_and_what_is_not_is_named() {
        let with = |chinese: &str| check(&[file(ENGLISH, TEXT), file(CHINESE, chinese)]);
        let good = "# 甲\n```\ncargo run  # 运行\n```\n## 乙\n| 子 | 1 | 2 (3x) |\n";
        assert_eq!(with(good), []);
        for (old, new, what) in [
            ("## 乙\n", "", "heading 2 is nothing where README.md has `##`"),
            ("cargo run", "cargo fun", "command 1 is `cargo fun` where README.md has `cargo run`"),
            ("| 1 |", "| 4 |", "row of figures 1 is `4 | 2 (3x)` where README.md has `1 | 2 (3x)`"),
        ] {
            let faults = with(&good.replace(old, new));
            assert_eq!(faults.iter().map(|fault| fault.what.as_str()).collect::<Vec<_>>(), [what]);
        }
    }
}
