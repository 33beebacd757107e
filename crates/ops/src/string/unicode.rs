//! `UnicodeDecode`, `UnicodeDecodeWithOffsets`, `UnicodeEncode` and `UnicodeTranscode`: strings in several encodings, and
//! the characters in them.

use bytes::Bytes;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{PartialShape, Result, Tensor, bail, ensure, err};

use crate::arguments::int_tensor;

pub(crate) fn register(r: &mut Registry) {
    const INPUT: &str = "input_encoding: string";
    const OUTPUT: &str = "output_encoding: {'UTF-8', 'UTF-16-BE', 'UTF-32-BE'}";
    const ERRORS: &str = "errors: {'strict', 'replace', 'ignore'} = 'replace'";
    const REPLACEMENT: &str = "replacement_char: int = 65533";
    const CONTROL: &str = "replace_control_characters: bool = false";
    const SPLITS: &str = "Tsplits: {int32, int64} = int64";
    for (op, signature) in [
        ("UnicodeDecode", "input: string -> row_splits: Tsplits, char_values: int32"),
        (
            "UnicodeDecodeWithOffsets",
            "input: string -> row_splits: Tsplits, char_values: int32, char_to_byte_starts: int64",
        ),
    ] {
        let entry = r.op(op, signature).attr(INPUT).attr(ERRORS).attr(REPLACEMENT).attr(CONTROL).attr(SPLITS);
        entry.shape(decode_shape).any_kernel(decode_kernel);
    }
    r.op("UnicodeEncode", "input_values: int32, input_splits: Tsplits -> output: string")
        .attr("errors: {'ignore', 'replace', 'strict'} = 'replace'")
        .attr(OUTPUT)
        .attr(REPLACEMENT)
        .attr(SPLITS)
        .shape(encode_shape)
        .any_kernel(encode_kernel);
    r.op("UnicodeTranscode", "input: string -> output: string")
        .attr(INPUT)
        .attr(OUTPUT)
        .attr(ERRORS)
        .attr(REPLACEMENT)
        .attr(CONTROL)
        .shape(ShapeContext::unchanged)
        .any_kernel(transcode_kernel);
}

fn decode_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let count = cx.input(0).num_elements().map(|count| count + 1);
    cx.set(0, PartialShape::vector(count));
    for index in 1..cx.num_outputs() {
        cx.set(index, PartialShape::vector(None));
    }
    Ok(())
}

fn encode_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    let splits = cx.with_rank(1, 1)?.dim(0);
    if let Some(count) = splits {
        ensure!(count >= 1, InvalidArgument, "Dimension must be at least 1 but is {count}");
    }
    cx.set(0, PartialShape::vector(splits.map(|count| count - 1)));
    Ok(())
}

/// What becomes of bytes that are no character, and of control characters.
struct Errors {
    strict: bool,
    replacement: Option<u32>,
    control: bool,
}

impl Errors {
    fn new(node: &Node) -> Result<Errors> {
        let replacement = node.attr_int("replacement_char")?;
        ensure!(
            (0..=0x10ffff).contains(&replacement),
            InvalidArgument,
            "replacement_char out of unicode codepoint range: {replacement}"
        );
        let kind = node.attr_str("errors")?;
        let control = node.attrs.contains_key("replace_control_characters");
        Ok(Errors {
            strict: kind == "strict",
            replacement: (kind != "ignore").then_some(replacement as u32),
            control: control && node.attr_bool("replace_control_characters")?,
        })
    }

    /// The character to take, if any.
    fn settle(&self, character: Option<u32>) -> Result<Option<u32>> {
        match character.filter(|code| !self.control || *code > 0x1f) {
            Some(code) => Ok(Some(code)),
            None if self.strict => bail!(InvalidArgument, "Invalid formatting on input string"),
            None => Ok(self.replacement),
        }
    }
}

#[derive(Clone, Copy)]
enum Encoding {
    Utf8,
    /// Big-endian or not; `None` follows the mark at the beginning.
    Utf16(Option<bool>),
    Utf32(Option<bool>),
    Ascii,
    Latin1,
    Windows1252,
}

/// The characters of the bytes 0x80 to 0x9f in Windows-1252; 0 where there is none.
const WINDOWS: [u16; 32] = [
    0x20ac, 0x81, 0x201a, 0x192, 0x201e, 0x2026, 0x2020, 0x2021, 0x2c6, 0x2030, 0x160, 0x2039, 0x152, 0x8d, 0x17d,
    0x8f, 0x90, 0x2018, 0x2019, 0x201c, 0x201d, 0x2022, 0x2013, 0x2014, 0x2dc, 0x2122, 0x161, 0x203a, 0x153, 0x9d,
    0x17e, 0x178,
];

impl Encoding {
    fn new(name: &str) -> Result<Encoding> {
        let plain: String = name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect();
        Ok(match plain.as_str() {
            "utf8" => Encoding::Utf8,
            "utf16" => Encoding::Utf16(None),
            "utf16be" => Encoding::Utf16(Some(true)),
            "utf16le" => Encoding::Utf16(Some(false)),
            "utf32" => Encoding::Utf32(None),
            "utf32be" => Encoding::Utf32(Some(true)),
            "utf32le" => Encoding::Utf32(Some(false)),
            "ascii" | "usascii" | "iso646us" => Encoding::Ascii,
            "latin1" | "iso88591" => Encoding::Latin1,
            "windows1252" | "cp1252" => Encoding::Windows1252,
            _ => bail!(
                InvalidArgument,
                "Could not create converter for input encoding: {name} (there are UTF-8, UTF-16 and UTF-32 with -BE and \
                 -LE, US-ASCII, ISO-8859-1 and windows-1252)"
            ),
        })
    }

    /// Gives each character, or `None` for bytes that are none, with the number of its bytes.
    fn read(self, bytes: &[u8], mut take: impl FnMut(Option<u32>, usize) -> Result<()>) -> Result<()> {
        match self {
            Encoding::Utf8 => {
                for chunk in bytes.utf8_chunks() {
                    for character in chunk.valid().chars() {
                        take(Some(character as u32), character.len_utf8())?;
                    }
                    if !chunk.invalid().is_empty() {
                        take(None, chunk.invalid().len())?;
                    }
                }
            }
            Encoding::Utf16(order) => {
                let (big, mut at) = marked(bytes, order, &[0xfe, 0xff], &[0xff, 0xfe]);
                let unit = |at: usize| -> Option<u32> {
                    let pair = [*bytes.get(at)?, *bytes.get(at + 1)?];
                    Some(u32::from(if big { u16::from_be_bytes(pair) } else { u16::from_le_bytes(pair) }))
                };
                let mut skipped = at;
                while at < bytes.len() {
                    let (character, length) = match (unit(at), unit(at + 2)) {
                        (Some(high @ 0xd800..0xdc00), Some(low @ 0xdc00..0xe000)) => {
                            (Some(0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00)), 4)
                        }
                        (Some(0xd800..0xe000), _) => (None, 2),
                        (Some(code), _) => (Some(code), 2),
                        (None, _) => (None, bytes.len() - at),
                    };
                    take(character, length + std::mem::take(&mut skipped))?;
                    at += length;
                }
            }
            Encoding::Utf32(order) => {
                let (big, mut at) = marked(bytes, order, &[0, 0, 0xfe, 0xff], &[0xff, 0xfe, 0, 0]);
                let mut skipped = at;
                while at < bytes.len() {
                    let unit = bytes[at..].first_chunk::<4>();
                    let code = unit.map(|unit| if big { u32::from_be_bytes(*unit) } else { u32::from_le_bytes(*unit) });
                    let length = if unit.is_some() { 4 } else { bytes.len() - at };
                    let character = code.filter(|code| char::from_u32(*code).is_some());
                    take(character, length + std::mem::take(&mut skipped))?;
                    at += length;
                }
            }
            Encoding::Ascii => {
                bytes.iter().try_for_each(|byte| take(byte.is_ascii().then_some(u32::from(*byte)), 1))?;
            }
            Encoding::Latin1 => bytes.iter().try_for_each(|byte| take(Some(u32::from(*byte)), 1))?,
            Encoding::Windows1252 => {
                for byte in bytes {
                    let code = match byte {
                        0x80..0xa0 => u32::from(WINDOWS[usize::from(byte - 0x80)]),
                        _ => u32::from(*byte),
                    };
                    take(Some(code), 1)?;
                }
            }
        }
        Ok(())
    }

    /// Appends a character; one that is half of another stands as the replacement of Unicode.
    fn write(self, text: &mut Vec<u8>, code: u32) {
        let character = char::from_u32(code).unwrap_or(char::REPLACEMENT_CHARACTER);
        match self {
            Encoding::Utf16(_) => {
                let mut units = [0; 2];
                text.extend(character.encode_utf16(&mut units).iter().flat_map(|unit| unit.to_be_bytes()));
            }
            Encoding::Utf32(_) => text.extend((character as u32).to_be_bytes()),
            _ => text.extend(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
}

/// The order of bytes, and how many bytes at the beginning only tell it.
fn marked(bytes: &[u8], order: Option<bool>, big: &[u8], little: &[u8]) -> (bool, usize) {
    match order {
        Some(order) => (order, 0),
        None if bytes.starts_with(little) => (false, little.len()),
        None if bytes.starts_with(big) => (true, big.len()),
        None => (true, 0),
    }
}

fn decode_kernel(node: &Node) -> Result<Kernel> {
    let (encoding, errors) = (node.attr_str("input_encoding")?.to_owned(), Errors::new(node)?);
    let (splits_type, offsets) = (node.attr_type("Tsplits")?, node.op == "UnicodeDecodeWithOffsets");
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let encoding = Encoding::new(&encoding)?;
        let (mut splits, mut characters, mut starts) = (vec![0], Vec::new(), Vec::new());
        for text in cx.input(0)?.strings()? {
            let mut at = 0;
            encoding.read(text, |character, length| {
                if let Some(code) = errors.settle(character)? {
                    characters.push(code as i32);
                    if offsets {
                        starts.push(at);
                    }
                }
                at += length as i64;
                Ok(())
            })?;
            splits.push(characters.len() as i64);
        }
        cx.set_output(0, int_tensor(&splits, splits_type)?);
        cx.set_output(1, Tensor::vector(&characters));
        if offsets {
            cx.set_output(2, Tensor::vector(&starts));
        }
        Ok(())
    }))
}

fn encode_kernel(node: &Node) -> Result<Kernel> {
    let (encoding, errors) = (Encoding::new(node.attr_str("output_encoding")?)?, Errors::new(node)?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let (values, splits) = (cx.input(0)?, cx.input(1)?.to_i64_vec()?);
        let values = values.as_slice::<i32>()?;
        let first = splits.first().ok_or_else(|| err!(InvalidArgument, "input_splits should not be empty"))?;
        ensure!(*first == 0, InvalidArgument, "First value in input_splits must be zero, got {first}");
        let last = splits[splits.len() - 1];
        ensure!(
            last == values.len() as i64,
            InvalidArgument,
            "Last value in input_splits must be equal to the length of input_tensor: {last}, not {}",
            values.len()
        );
        let mut texts = Vec::with_capacity(splits.len() - 1);
        for pair in splits.windows(2) {
            ensure!(
                pair[0] <= pair[1] && pair[1] <= last,
                InvalidArgument,
                "Values in input_splits must be equal or in ascending order, and at most {last}: {} and {}",
                pair[0],
                pair[1]
            );
            let mut text = Vec::new();
            for code in &values[pair[0] as usize..pair[1] as usize] {
                let known = u32::try_from(*code).ok().filter(|code| char::from_u32(*code).is_some());
                if known.is_none() && errors.strict {
                    bail!(InvalidArgument, "Code point is out of range for Unicode, or is a surrogate: {code}");
                }
                if let Some(code) = known.or(errors.replacement) {
                    encoding.write(&mut text, code);
                }
            }
            texts.push(Bytes::from(text));
        }
        cx.set_output(0, Tensor::string_vector(texts));
        Ok(())
    }))
}

fn transcode_kernel(node: &Node) -> Result<Kernel> {
    let (from, errors) = (node.attr_str("input_encoding")?.to_owned(), Errors::new(node)?);
    let to = Encoding::new(node.attr_str("output_encoding")?)?;
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let from = Encoding::new(&from)?;
        let input = cx.input(0)?;
        let mut texts = Vec::with_capacity(input.num_elements());
        let mut tally = tensor::memory::Tally::new("strings");
        for text in input.strings()? {
            tally.add(4 * text.len() as u64)?;
            let mut out = Vec::with_capacity(text.len());
            from.read(text, |character, _| {
                if let Some(code) = errors.settle(character)? {
                    to.write(&mut out, code);
                }
                Ok(())
            })?;
            texts.push(Bytes::from(out));
        }
        let output = Tensor::from_strings(input.shape().clone(), texts)?;
        cx.set_output(0, output);
        Ok(())
    }))
}
