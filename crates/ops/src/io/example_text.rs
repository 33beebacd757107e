//! Serialized examples, read where they lie: which features there are, and where their values begin.
//!
//! Examples as everybody writes them are read here, each feature once and its lists of numbers in one piece. Whatever is
//! put together in another way, or is damaged, is left to the general decoder, which also knows what to say of it.

use std::ops::Range;

use bytes::Bytes;
use tensor::DType;

/// An example whose features have been found, but not decoded.
pub(super) struct ExampleText {
    text: Bytes,
    /// By key.
    features: Vec<Feature>,
}

struct Feature {
    key: Range<usize>,
    dtype: DType,
    values: Range<usize>,
    count: usize,
}

/// The values of a feature, undecoded.
#[derive(Clone, Copy)]
pub(super) struct TextValues<'a> {
    text: &'a Bytes,
    feature: &'a Feature,
}

const FIRST: u8 = 0x0a;
const SECOND: u8 = 0x12;
const THIRD: u8 = 0x1a;

impl ExampleText {
    /// Finds the features of an example; `None` if it is not of the usual form.
    pub(super) fn read(text: &Bytes) -> Option<ExampleText> {
        let mut features = Vec::new();
        let mut example = Cursor { bytes: text, at: 0, end: text.len() };
        if !example.is_over() {
            let mut entries = example.piece(FIRST)?;
            while !entries.is_over() {
                let mut entry = entries.piece(FIRST)?;
                let key = entry.piece(FIRST)?;
                let mut feature = entry.piece(SECOND)?;
                if !entry.is_over() || std::str::from_utf8(key.rest()).is_err() {
                    return None;
                }
                let (dtype, values) = match *feature.rest().first()? {
                    FIRST => (DType::String, feature.piece(FIRST)?),
                    SECOND => (DType::Float, feature.piece(SECOND)?),
                    _ => (DType::Int64, feature.piece(THIRD)?),
                };
                if !feature.is_over() {
                    return None;
                }
                let (values, count) = match dtype {
                    DType::String => strings(values)?,
                    DType::Float => floats(values)?,
                    _ => integers(values)?,
                };
                features.push(Feature { key: key.at..key.end, dtype, values, count });
            }
        }
        if !example.is_over() {
            return None;
        }
        features.sort_by(|a, b| text[a.key.clone()].cmp(&text[b.key.clone()]));
        let once = features.windows(2).all(|pair| text[pair[0].key.clone()] != text[pair[1].key.clone()]);
        once.then(|| ExampleText { text: text.clone(), features })
    }

    pub(super) fn find(&self, key: &[u8]) -> Option<TextValues<'_>> {
        let at = self.features.binary_search_by(|feature| self.text[feature.key.clone()].cmp(key)).ok()?;
        Some(TextValues { text: &self.text, feature: &self.features[at] })
    }
}

impl TextValues<'_> {
    pub(super) fn dtype(&self) -> DType {
        self.feature.dtype
    }

    pub(super) fn len(&self) -> usize {
        self.feature.count
    }

    fn bytes(&self) -> &[u8] {
        &self.text[self.feature.values.clone()]
    }

    pub(super) fn floats(&self) -> impl Iterator<Item = f32> {
        self.bytes().as_chunks::<4>().0.iter().map(|bytes| f32::from_le_bytes(*bytes))
    }

    pub(super) fn integers(&self) -> impl Iterator<Item = i64> {
        let mut cursor = Cursor { bytes: self.text, at: self.feature.values.start, end: self.feature.values.end };
        std::iter::from_fn(move || cursor.varint().map(|value| value as i64))
    }

    pub(super) fn strings(&self) -> impl Iterator<Item = Bytes> {
        let mut cursor = Cursor { bytes: self.text, at: self.feature.values.start, end: self.feature.values.end };
        std::iter::from_fn(move || cursor.piece(FIRST).map(|piece| self.text.slice(piece.at..piece.end)))
    }
}

/// A list of strings stays as it is, each with its length.
fn strings(mut list: Cursor<'_>) -> Option<(Range<usize>, usize)> {
    let (whole, mut count) = (list.at..list.end, 0);
    while !list.is_over() {
        list.piece(FIRST)?;
        count += 1;
    }
    Some((whole, count))
}

fn floats(mut list: Cursor<'_>) -> Option<(Range<usize>, usize)> {
    if list.is_over() {
        return Some((list.at..list.at, 0));
    }
    let packed = list.piece(FIRST)?;
    let length = packed.end - packed.at;
    (list.is_over() && length.is_multiple_of(4)).then_some((packed.at..packed.end, length / 4))
}

fn integers(mut list: Cursor<'_>) -> Option<(Range<usize>, usize)> {
    if list.is_over() {
        return Some((list.at..list.at, 0));
    }
    let mut packed = list.piece(FIRST)?;
    let (whole, mut count) = (packed.at..packed.end, 0);
    while !packed.is_over() {
        packed.varint()?;
        count += 1;
    }
    list.is_over().then_some((whole, count))
}

/// A place in a text, and where the part that is read ends.
#[derive(Clone, Copy)]
struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    end: usize,
}

impl<'a> Cursor<'a> {
    fn is_over(&self) -> bool {
        self.at == self.end
    }

    fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..self.end]
    }

    /// A field of this tag, which states its length.
    fn piece(&mut self, tag: u8) -> Option<Cursor<'a>> {
        if *self.rest().first()? != tag {
            return None;
        }
        self.at += 1;
        let length = usize::try_from(self.varint()?).ok()?;
        let at = self.at;
        let end = at.checked_add(length).filter(|end| *end <= self.end)?;
        self.at = end;
        Some(Cursor { bytes: self.bytes, at, end })
    }

    /// A number of seven bits a byte, at most 64 of them.
    fn varint(&mut self) -> Option<u64> {
        let mut value = 0u64;
        for (number, byte) in self.rest().iter().enumerate().take(10) {
            if number == 9 && *byte > 1 {
                return None;
            }
            value |= u64::from(byte & 0x7f) << (7 * number);
            if byte & 0x80 == 0 {
                self.at += number + 1;
                return Some(value);
            }
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use prost::Message;
    use wire::feature::Kind;

    use super::*;

    fn encoded(features: &[(&str, Option<Kind>)]) -> Vec<u8> {
        let feature =
            features.iter().map(|(key, kind)| (key.to_string(), wire::Feature { kind: kind.clone() })).collect();
        wire::Example { features: Some(wire::Features { feature }) }.encode_to_vec()
    }

    fn all() -> Vec<u8> {
        let words = vec![Bytes::from_static(b"one"), Bytes::new(), Bytes::from(vec![7u8; 300])];
        encoded(&[
            ("words", Some(Kind::BytesList(wire::BytesList { value: words }))),
            ("x", Some(Kind::FloatList(wire::FloatList { value: vec![1.5, -0.0, f32::INFINITY] }))),
            ("n", Some(Kind::Int64List(wire::Int64List { value: vec![0, 127, 128, -1, i64::MIN, i64::MAX] }))),
            ("none", Some(Kind::Int64List(wire::Int64List { value: vec![] }))),
        ])
    }

    #[test]
    fn values_are_found_by_key_and_read_where_they_lie() {
        let text = Bytes::from(all());
        let example = ExampleText::read(&text).unwrap();
        let words: Vec<Bytes> = example.find(b"words").unwrap().strings().collect();
        assert_eq!((words.len(), &words[0][..], words[1].len(), words[2].len()), (3, &b"one"[..], 0, 300));
        assert!(text.as_ptr_range().contains(&words[0].as_ptr()));
        let x = example.find(b"x").unwrap();
        assert_eq!((x.dtype(), x.len()), (DType::Float, 3));
        assert_eq!(x.floats().collect::<Vec<_>>(), [1.5, -0.0, f32::INFINITY]);
        let n = example.find(b"n").unwrap();
        assert_eq!(n.integers().collect::<Vec<_>>(), [0, 127, 128, -1, i64::MIN, i64::MAX]);
        assert_eq!((n.len(), example.find(b"none").unwrap().len()), (6, 0));
        assert!(example.find(b"absent").is_none());
        assert!(ExampleText::read(&Bytes::new()).unwrap().find(b"x").is_none());
    }

    /// Whatever is read here, the general decoder reads too, and finds the same.
    #[test]
    fn damaged_texts_are_left_to_the_general_decoder() {
        let whole = all();
        let mut read = 0;
        for at in 0..whole.len() {
            for flip in [0x01, 0x02, 0x08, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[at] ^= flip;
                let damaged = Bytes::from(damaged);
                let Some(example) = ExampleText::read(&damaged) else { continue };
                read += 1;
                let decoded = wire::Example::decode(damaged.clone()).unwrap().features.unwrap_or_default();
                assert_eq!(example.features.len(), decoded.feature.len());
                for (key, feature) in decoded.feature {
                    let found = example.find(key.as_bytes()).unwrap();
                    match feature.kind.unwrap() {
                        Kind::BytesList(list) => assert_eq!(found.strings().collect::<Vec<_>>(), list.value),
                        Kind::FloatList(list) => {
                            let bits = |value: &f32| value.to_bits();
                            let found: Vec<u32> = found.floats().map(|value| value.to_bits()).collect();
                            assert_eq!(found, list.value.iter().map(bits).collect::<Vec<_>>());
                        }
                        Kind::Int64List(list) => assert_eq!(found.integers().collect::<Vec<_>>(), list.value),
                    }
                }
            }
            assert!(at == 0 || ExampleText::read(&Bytes::copy_from_slice(&whole[..at])).is_none());
        }
        assert!(read > 100, "{read}");
    }

    #[test]
    fn other_forms_are_left_to_the_general_decoder() {
        let twice = [all(), all()].concat();
        assert!(ExampleText::read(&twice.into()).is_none());
        assert!(ExampleText::read(&encoded(&[("x", None)]).into()).is_none());
        // A list of numbers one by one, each with its tag.
        let unpacked = [FIRST, 12, FIRST, 10, FIRST, 1, b'x', SECOND, 5, THIRD, 3, 8, 5, 8];
        assert!(ExampleText::read(&Bytes::copy_from_slice(&unpacked)).is_none());
    }
}
