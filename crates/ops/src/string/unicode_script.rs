//! `UnicodeScript`: the script that each character belongs to, by ICU's numbers.

use std::collections::HashMap;
use std::sync::LazyLock;

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{Result, Tensor};
use unicode_script::{Script, UnicodeScript};

pub(crate) fn register(r: &mut Registry) {
    r.op("UnicodeScript", "input: int32 -> output: int32").shape(ShapeContext::unchanged).any_kernel(kernel);
}

/// ICU's numbers of scripts. A script that is not here is of a newer Unicode than TensorFlow knows.
#[rustfmt::skip]
const NUMBERS: &[(Script, i32)] = &[
    (Script::Common, 0), (Script::Inherited, 1), (Script::Arabic, 2), (Script::Armenian, 3), (Script::Bengali, 4),
    (Script::Bopomofo, 5), (Script::Cherokee, 6), (Script::Coptic, 7), (Script::Cyrillic, 8), (Script::Deseret, 9),
    (Script::Devanagari, 10), (Script::Ethiopic, 11), (Script::Georgian, 12), (Script::Gothic, 13),
    (Script::Greek, 14), (Script::Gujarati, 15), (Script::Gurmukhi, 16), (Script::Han, 17), (Script::Hangul, 18),
    (Script::Hebrew, 19), (Script::Hiragana, 20), (Script::Kannada, 21), (Script::Katakana, 22), (Script::Khmer, 23),
    (Script::Lao, 24), (Script::Latin, 25), (Script::Malayalam, 26), (Script::Mongolian, 27), (Script::Myanmar, 28),
    (Script::Ogham, 29), (Script::Old_Italic, 30), (Script::Oriya, 31), (Script::Runic, 32), (Script::Sinhala, 33),
    (Script::Syriac, 34), (Script::Tamil, 35), (Script::Telugu, 36), (Script::Thaana, 37), (Script::Thai, 38),
    (Script::Tibetan, 39), (Script::Canadian_Aboriginal, 40), (Script::Yi, 41), (Script::Tagalog, 42),
    (Script::Hanunoo, 43), (Script::Buhid, 44), (Script::Tagbanwa, 45), (Script::Braille, 46), (Script::Cypriot, 47),
    (Script::Limbu, 48), (Script::Linear_B, 49), (Script::Osmanya, 50), (Script::Shavian, 51), (Script::Tai_Le, 52),
    (Script::Ugaritic, 53), (Script::Buginese, 55), (Script::Glagolitic, 56), (Script::Kharoshthi, 57),
    (Script::Syloti_Nagri, 58), (Script::New_Tai_Lue, 59), (Script::Tifinagh, 60), (Script::Old_Persian, 61),
    (Script::Balinese, 62), (Script::Batak, 63), (Script::Brahmi, 65), (Script::Cham, 66),
    (Script::Egyptian_Hieroglyphs, 71), (Script::Pahawh_Hmong, 75), (Script::Old_Hungarian, 76),
    (Script::Javanese, 78), (Script::Kayah_Li, 79), (Script::Lepcha, 82), (Script::Linear_A, 83),
    (Script::Mandaic, 84), (Script::Meroitic_Hieroglyphs, 86), (Script::Nko, 87), (Script::Old_Turkic, 88),
    (Script::Old_Permic, 89), (Script::Phags_Pa, 90), (Script::Phoenician, 91), (Script::Miao, 92), (Script::Vai, 99),
    (Script::Cuneiform, 101), (Script::Carian, 104), (Script::Tai_Tham, 106), (Script::Lycian, 107),
    (Script::Lydian, 108), (Script::Ol_Chiki, 109), (Script::Rejang, 110), (Script::Saurashtra, 111),
    (Script::SignWriting, 112), (Script::Sundanese, 113), (Script::Meetei_Mayek, 115), (Script::Imperial_Aramaic, 116),
    (Script::Avestan, 117), (Script::Chakma, 118), (Script::Kaithi, 120), (Script::Manichaean, 121),
    (Script::Inscriptional_Pahlavi, 122), (Script::Psalter_Pahlavi, 123), (Script::Inscriptional_Parthian, 125),
    (Script::Samaritan, 126), (Script::Tai_Viet, 127), (Script::Bamum, 130), (Script::Lisu, 131),
    (Script::Old_South_Arabian, 133), (Script::Bassa_Vah, 134), (Script::Duployan, 135), (Script::Elbasan, 136),
    (Script::Grantha, 137), (Script::Mende_Kikakui, 140), (Script::Meroitic_Cursive, 141),
    (Script::Old_North_Arabian, 142), (Script::Nabataean, 143), (Script::Palmyrene, 144), (Script::Khudawadi, 145),
    (Script::Warang_Citi, 146), (Script::Mro, 149), (Script::Nushu, 150), (Script::Sharada, 151),
    (Script::Sora_Sompeng, 152), (Script::Takri, 153), (Script::Tangut, 154), (Script::Anatolian_Hieroglyphs, 156),
    (Script::Khojki, 157), (Script::Tirhuta, 158), (Script::Caucasian_Albanian, 159), (Script::Mahajani, 160),
    (Script::Ahom, 161), (Script::Hatran, 162), (Script::Modi, 163), (Script::Multani, 164),
    (Script::Pau_Cin_Hau, 165), (Script::Siddham, 166), (Script::Adlam, 167), (Script::Bhaiksuki, 168),
    (Script::Marchen, 169), (Script::Newa, 170), (Script::Osage, 171), (Script::Masaram_Gondi, 175),
    (Script::Soyombo, 176), (Script::Zanabazar_Square, 177), (Script::Dogra, 178), (Script::Gunjala_Gondi, 179),
    (Script::Makasar, 180), (Script::Medefaidrin, 181), (Script::Hanifi_Rohingya, 182), (Script::Sogdian, 183),
    (Script::Old_Sogdian, 184), (Script::Elymaic, 185), (Script::Nyiakeng_Puachue_Hmong, 186),
    (Script::Nandinagari, 187), (Script::Wancho, 188), (Script::Chorasmian, 189), (Script::Dives_Akuru, 190),
    (Script::Khitan_Small_Script, 191), (Script::Yezidi, 192),
];

/// The number of what belongs to no script.
const UNKNOWN: i32 = 103;

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::compute(|cx: &mut OpContext<'_>| {
        static NUMBER: LazyLock<HashMap<Script, i32>> = LazyLock::new(|| NUMBERS.iter().copied().collect());
        let input = cx.input(0)?;
        let number = |code: &i32| match u32::try_from(*code) {
            Ok(code @ 0..=0x10ffff) => {
                let script = char::from_u32(code).map(|character| character.script());
                script.and_then(|script| NUMBER.get(&script)).copied().unwrap_or(UNKNOWN)
            }
            _ => -1,
        };
        let numbers: Vec<i32> = input.as_slice::<i32>()?.iter().map(number).collect();
        let output = Tensor::from_slice(input.shape(), &numbers)?;
        cx.set_output(0, output);
        Ok(())
    }))
}
