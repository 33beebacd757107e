//! Rust text as the rules look at it: code without comments and strings, and the strings by themselves.

/// The code of a file, line by line, and its string literals.
pub struct Source {
    /// The lines with the contents of comments, strings and characters blanked out.
    pub code: Vec<String>,
    /// String literals: the line that each begins in, counted from 1, and its text as written.
    pub strings: Vec<(usize, String)>,
    /// For each line whether it belongs to a module of unit tests.
    pub in_tests: Vec<bool>,
}

impl Source {
    pub fn of(text: &str) -> Source {
        let (code, strings) = blank(text);
        let code: Vec<String> = code.lines().map(str::to_owned).collect();
        let in_tests = test_lines(&code);
        Source { code, strings, in_tests }
    }

    /// The lines of the product, counted from 1: without those of unit tests.
    pub fn product(&self) -> impl Iterator<Item = (usize, &str)> {
        let lines = self.code.iter().zip(&self.in_tests).enumerate();
        lines.filter(|(_, (_, test))| !**test).map(|(index, (line, _))| (index + 1, line.as_str()))
    }

    /// The string literals of the product.
    pub fn product_strings(&self) -> impl Iterator<Item = (usize, &str)> {
        let strings = self.strings.iter().filter(|(line, _)| !self.in_tests.get(line - 1).copied().unwrap_or(false));
        strings.map(|(line, text)| (*line, text.as_str()))
    }
}

/// Whether a line of code has this word, as a whole word.
pub fn has_word(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        let after = line[at + word.len()..].chars().next();
        !before.is_some_and(is_name) && !after.is_some_and(is_name)
    })
}

fn is_name(character: char) -> bool {
    character.is_alphanumeric() || character == '_'
}

/// The text with everything blanked that is not code, and the strings that were in it.
fn blank(text: &str) -> (String, Vec<(usize, String)>) {
    let characters: Vec<char> = text.chars().collect();
    let (mut code, mut strings) = (String::with_capacity(text.len()), Vec::new());
    let (mut at, mut line) = (0, 1);
    while at < characters.len() {
        let before = if at == 0 { None } else { Some(characters[at - 1]) };
        let (end, string) = match piece(&characters, at, before) {
            Piece::Code => {
                line += usize::from(characters[at] == '\n');
                code.push(characters[at]);
                at += 1;
                continue;
            }
            Piece::Comment(end) => (end, None),
            Piece::Text(end, from, to) => (end, Some(characters[from..to].iter().collect::<String>())),
        };
        if let Some(string) = string {
            strings.push((line, string));
        }
        for character in &characters[at..end] {
            line += usize::from(*character == '\n');
            code.push(if *character == '\n' { '\n' } else { ' ' });
        }
        at = end;
    }
    (code, strings)
}

/// What begins at a place.
enum Piece {
    Code,
    /// A comment or a character, with its end.
    Comment(usize),
    /// A string: its end, and where its contents begin and end.
    Text(usize, usize, usize),
}

fn piece(text: &[char], at: usize, before: Option<char>) -> Piece {
    let starts = |what: &str| what.chars().enumerate().all(|(i, c)| text.get(at + i) == Some(&c));
    if starts("//") {
        let end = text[at..].iter().position(|c| *c == '\n').map_or(text.len(), |length| at + length);
        return Piece::Comment(end);
    }
    if starts("/*") {
        return Piece::Comment(end_of_block(text, at));
    }
    let begins_name = !before.is_some_and(is_name);
    // r"..", r#".."#, br"..".
    let prefix = if starts("br") { 2 } else { usize::from(starts("r")) };
    if prefix > 0 && begins_name {
        let hashes = text[at + prefix..].iter().take_while(|c| **c == '#').count();
        let from = at + prefix + hashes + 1;
        if text.get(from - 1) == Some(&'"') {
            let ends = |i: &usize| {
                text[*i] == '"' && text[i + 1..].iter().take(hashes).filter(|c| **c == '#').count() == hashes
            };
            let to = (from..text.len()).find(ends).unwrap_or(text.len());
            return Piece::Text((to + 1 + hashes).min(text.len()), from, to);
        }
    }
    if starts("\"") {
        let mut to = at + 1;
        while to < text.len() && text[to] != '"' {
            to += if text[to] == '\\' { 2 } else { 1 };
        }
        let to = to.min(text.len());
        return Piece::Text((to + 1).min(text.len()), at + 1, to);
    }
    if starts("'") {
        // A character, not a lifetime.
        if text.get(at + 1) == Some(&'\\') {
            let end = (at + 3..text.len()).find(|i| text[*i] == '\'').map_or(text.len(), |i| i + 1);
            return Piece::Comment(end);
        }
        if text.get(at + 2) == Some(&'\'') {
            return Piece::Comment(at + 3);
        }
    }
    Piece::Code
}

fn end_of_block(text: &[char], at: usize) -> usize {
    let (mut depth, mut i) = (0usize, at);
    while i + 1 < text.len() {
        match (text[i], text[i + 1]) {
            ('/', '*') => (depth, i) = (depth + 1, i + 2),
            ('*', '/') => (depth, i) = (depth - 1, i + 2),
            _ => i += 1,
        }
        if depth == 0 {
            return i;
        }
    }
    text.len()
}

/// Which lines belong to an item under `#[cfg(test)]`.
fn test_lines(code: &[String]) -> Vec<bool> {
    let mut result = vec![false; code.len()];
    let mut at = 0;
    while at < code.len() {
        if code[at].trim() != "#[cfg(test)]" {
            at += 1;
            continue;
        }
        let (mut depth, mut opened) = (0i64, false);
        while at < code.len() {
            result[at] = true;
            for character in code[at].chars() {
                depth += i64::from(character == '{') - i64::from(character == '}');
                opened |= character == '{';
            }
            let ends = (opened && depth <= 0) || (!opened && code[at].trim_end().ends_with(';'));
            at += 1;
            if ends {
                break;
            }
        }
    }
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_strings_and_characters_are_no_code() {
        let text = "let a = \"one // two\"; // unsafe\nlet b = 'x'; /* unsafe /* still */ unsafe */ let c: &'a str = r#\"ra\"w\"#;\n";
        let source = Source::of(text);
        assert_eq!(source.strings, [(1, "one // two".to_owned()), (2, "ra\"w".to_owned())]);
        assert!(source.code.iter().all(|line| !line.contains("unsafe") && !line.contains("two")));
        assert!(source.code[1].contains("let c: &'a str"));
    }

    #[test]
    fn strings_over_lines_and_escapes_keep_the_lines_apart() {
        let source = Source::of("let a = \"x\\\"y\nz\";\nlet q = '\\'';\nlet b = \"end\";\n");
        assert_eq!(source.strings, [(1, "x\\\"y\nz".to_owned()), (4, "end".to_owned())]);
        assert_eq!(source.code.len(), 4);
    }

    #[test]
    fn unit_tests_are_not_the_product() {
        let text = "fn a() {}\n#[cfg(test)]\nmod tests {\n    fn b() { \"}\"; }\n}\nfn c() {}\n#[cfg(test)]\nmod more;\nfn d() {}\n";
        let source = Source::of(text);
        let product: Vec<&str> = source.product().map(|(_, line)| line.trim()).collect();
        assert_eq!(product, ["fn a() {}", "fn c() {}", "fn d() {}"]);
        assert_eq!(source.product_strings().count(), 0);
    }

    #[test]
    fn words_are_whole() {
        assert!(has_word("use tokio::net;", "tokio"));
        assert!(!has_word("use tokio_stream::x;", "tokio"));
        assert!(!has_word("let antonic = 1;", "tonic"));
    }
}
