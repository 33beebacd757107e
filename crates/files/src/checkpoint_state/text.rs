//! Protobuf's text format, as far as a `CheckpointState` needs it.

use std::fmt::Write;

use tensor::{Result, bail, ensure, err};
use wire::CheckpointState;

/// Returns the message as text, one field a line.
pub(super) fn format(state: &CheckpointState) -> String {
    let mut text = String::new();
    let mut line = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{name}: {value}");
    };
    line("model_checkpoint_path", &quoted(&state.model_checkpoint_path));
    for path in &state.all_model_checkpoint_paths {
        line("all_model_checkpoint_paths", &quoted(path));
    }
    for time in &state.all_model_checkpoint_timestamps {
        line("all_model_checkpoint_timestamps", &format!("{time:?}"));
    }
    if state.last_preserved_timestamp != 0.0 {
        line("last_preserved_timestamp", &format!("{:?}", state.last_preserved_timestamp));
    }
    text
}

fn quoted(value: &str) -> String {
    let mut text = String::from("\"");
    for letter in value.chars() {
        match letter {
            '\n' => text.push_str("\\n"),
            '\r' => text.push_str("\\r"),
            '\t' => text.push_str("\\t"),
            '"' | '\'' | '\\' => text.extend(['\\', letter]),
            '\0'..' ' | '\x7f' => text.push_str(&format!("\\{:03o}", letter as u32)),
            other => text.push(other),
        }
    }
    text.push('"');
    text
}

/// Reads the text format as far as this message needs it: scalar fields, strings with escapes, comments. Fields of other
/// names are skipped if they are scalar too.
pub(super) fn parse(text: &[u8]) -> Result<CheckpointState> {
    let mut state = CheckpointState::default();
    let mut parser = TextParser { text, at: 0 };
    while let Some(name) = parser.name()? {
        let value = parser.value(&name)?;
        let number = || value.number.ok_or_else(|| err!(DataLoss, "{name} is not a number"));
        let string = || {
            let text = value.string.clone().ok_or_else(|| err!(DataLoss, "{name} is not a quoted string"))?;
            String::from_utf8(text).map_err(|_| err!(DataLoss, "{name} is not valid UTF-8"))
        };
        match name.as_str() {
            "model_checkpoint_path" => state.model_checkpoint_path = string()?,
            "all_model_checkpoint_paths" => state.all_model_checkpoint_paths.push(string()?),
            "all_model_checkpoint_timestamps" => state.all_model_checkpoint_timestamps.push(number()?),
            "last_preserved_timestamp" => state.last_preserved_timestamp = number()?,
            _ => {}
        }
    }
    Ok(state)
}

struct TextParser<'a> {
    text: &'a [u8],
    at: usize,
}

struct FieldValue {
    string: Option<Vec<u8>>,
    number: Option<f64>,
}

impl TextParser<'_> {
    fn peek(&self) -> Option<u8> {
        self.text.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(byte) = self.peek() {
            match byte {
                b'#' => self.skip_while(|byte| byte != b'\n'),
                b' ' | b'\t' | b'\r' | b'\n' => self.at += 1,
                _ => return,
            }
        }
    }

    fn skip_while(&mut self, wanted: impl Fn(u8) -> bool) {
        while self.peek().is_some_and(&wanted) {
            self.at += 1;
        }
    }

    fn word(&mut self) -> String {
        let start = self.at;
        self.skip_while(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-' | b'+'));
        String::from_utf8_lossy(&self.text[start..self.at]).into_owned()
    }

    /// The name of the next field, or `None` at the end.
    fn name(&mut self) -> Result<Option<String>> {
        self.skip_space();
        while matches!(self.peek(), Some(b',' | b';')) {
            self.at += 1;
            self.skip_space();
        }
        let Some(byte) = self.peek() else { return Ok(None) };
        let name = self.word();
        ensure!(!name.is_empty(), DataLoss, "expected a field at byte {}, got '{}'", self.at, byte.escape_ascii());
        self.skip_space();
        ensure!(self.peek() == Some(b':'), DataLoss, "expected ':' after {name} at byte {}", self.at);
        self.at += 1;
        Ok(Some(name))
    }

    fn value(&mut self, name: &str) -> Result<FieldValue> {
        self.skip_space();
        let mut string: Option<Vec<u8>> = None;
        // Strings that follow each other are one.
        while let Some(quote @ (b'"' | b'\'')) = self.peek() {
            self.at += 1;
            let target = string.get_or_insert_default();
            self.string(quote, target).map_err(|status| status.context(name))?;
            self.skip_space();
        }
        if string.is_some() {
            return Ok(FieldValue { string, number: None });
        }
        let word = self.word();
        ensure!(!word.is_empty(), DataLoss, "{name} has no value at byte {}", self.at);
        Ok(FieldValue { string: None, number: word.trim_end_matches(['f', 'F']).parse().ok() })
    }

    /// The rest of a string, up to its closing quote.
    fn string(&mut self, quote: u8, target: &mut Vec<u8>) -> Result<()> {
        loop {
            let byte = self.take()?;
            match byte {
                b'\n' => bail!(DataLoss, "a string ends without a quote at byte {}", self.at),
                b'\\' => {
                    let byte = self.escape()?;
                    target.push(byte);
                }
                other if other == quote => return Ok(()),
                other => target.push(other),
            }
        }
    }

    fn escape(&mut self) -> Result<u8> {
        let byte = match self.take()? {
            b'n' => b'\n',
            b'r' => b'\r',
            b't' => b'\t',
            b'a' => 0x07,
            b'b' => 0x08,
            b'f' => 0x0c,
            b'v' => 0x0b,
            b'x' | b'X' => self.digits(16, 2, 0)?,
            digit @ b'0'..=b'7' => self.digits(8, 2, digit - b'0')?,
            literal @ (b'\\' | b'\'' | b'"' | b'?') => literal,
            other => bail!(DataLoss, "unknown escape \\{} in a string", other.escape_ascii()),
        };
        Ok(byte)
    }

    fn digits(&mut self, base: u32, most: usize, first: u8) -> Result<u8> {
        let mut value = first as u32;
        for _ in 0..most {
            let Some(digit) = self.peek().and_then(|byte| (byte as char).to_digit(base)) else { break };
            value = value * base + digit;
            self.at += 1;
        }
        u8::try_from(value).map_err(|_| err!(DataLoss, "an escape in a string stands for {value}, above 255"))
    }

    fn take(&mut self) -> Result<u8> {
        let byte = self.peek().ok_or_else(|| err!(DataLoss, "the file ends within a string"))?;
        self.at += 1;
        Ok(byte)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use tensor::Code;

    use super::*;

    #[test]
    fn a_file_of_tensorflow() {
        // tf.compat.v1.train.update_checkpoint_state(".", "a'\"\\ü-7", ["m-0", ...], timestamps) of TensorFlow 2.21.
        let text = r#"model_checkpoint_path: "a\'\"\\ü-7"
all_model_checkpoint_paths: "m-0"
all_model_checkpoint_paths: "a\'\"\\ü-7"
all_model_checkpoint_timestamps: 1.5
all_model_checkpoint_timestamps: 1794767187.25
last_preserved_timestamp: 12.0
"#;
        let state = parse(text.as_bytes()).unwrap();
        assert_eq!(state.model_checkpoint_path, "a'\"\\ü-7");
        assert_eq!(state.all_model_checkpoint_paths, ["m-0", "a'\"\\ü-7"]);
        assert_eq!(state.all_model_checkpoint_timestamps, [1.5, 1794767187.25]);
        assert_eq!(state.last_preserved_timestamp, 12.0);
        assert_eq!(format(&state), text);
    }

    #[test]
    fn comments_and_split_strings() {
        let text = "# kept\nmodel_checkpoint_path: 'a' # first\n \"b\\x41\\102\" ; other: 7, ";
        assert_eq!(parse(text.as_bytes()).unwrap().model_checkpoint_path, "abAB");
    }

    #[test]
    fn what_cannot_be_understood_is_data_loss() {
        for text in ["model_checkpoint_path", "a: \"x", "a: \"\\q\"", "{", "a: \"\\777\"", "a:", "a: \"x\ny\""] {
            assert_eq!(parse(text.as_bytes()).unwrap_err().code(), Code::DataLoss, "{text}");
        }
        assert!(parse(b"model_checkpoint_path: 7").is_err());
    }

    proptest! {
        #[test]
        fn any_path_comes_back(path: String, time: f64) {
            let state = CheckpointState {
                model_checkpoint_path: path.clone(),
                all_model_checkpoint_paths: vec![path],
                all_model_checkpoint_timestamps: vec![if time.is_finite() { time } else { 1.0 }],
                last_preserved_timestamp: 0.0,
            };
            prop_assert_eq!(parse(format(&state).as_bytes()).unwrap(), state);
        }

        #[test]
        fn arbitrary_text_never_panics(text: Vec<u8>) {
            let _ = parse(&text);
        }
    }
}
