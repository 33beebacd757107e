//! The element types of our kernels against those of TensorFlow 2.21's, which `testdata/generate.py kernels` records.

use std::path::Path;

use tensor::DType;

/// Types that no kernel computes with, in TensorFlow only moved by some.
const RARE: &[&str] = &["float8_e5m2", "float8_e4m3fn", "int4", "uint4"];

/// Gaps, each with its reason: op, attribute, types, reason.
const KNOWN: &[(&str, &str, &str, &str)] = &[
    ("ClipByValue", "T", "complex64 complex128", "complex numbers have no order to clip by"),
    ("Conj", "T", "variant", "what is in a variant has no conjugate of its own"),
    ("Equal", "T", "qint8 quint8 qint32 qint16 quint16", "quantized numbers are moved and converted, not compared"),
    ("NotEqual", "T", "qint8 quint8 qint32 qint16 quint16", "quantized numbers are moved and converted, not compared"),
    ("ResourceScatterNdAdd", "T", "bool", "truth values have no sum"),
    ("ResourceScatterNdSub", "T", "bool", "truth values have no difference"),
    ("ScatterNdNonAliasingAdd", "T", "bool", "truth values have no sum"),
    ("ScatterNd", "T", "string", "strings that meet have no sum"),
    ("_FusedConv2D", "T", "int8 qint8", "of another library's rewriter, which does not run here"),
];

#[test]
fn kernels_have_the_types_of_tensorflow() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/kernels.txt");
    let text = std::fs::read_to_string(path).unwrap();
    let registry = tensorfleet_ops::registry();
    let (mut gaps, mut compared, mut unused) = (Vec::new(), 0, KNOWN.to_vec());
    for line in text.lines() {
        let mut parts = line.split("; ");
        let (Some(op), attrs) = (parts.next(), parts) else { continue };
        let Some(spec) = registry.get(op) else { continue };
        for attr in attrs {
            let (attr, types) = attr.split_once(": ").unwrap();
            let allowed = spec.def.attrs.iter().find(|known| known.name == attr);
            let may = |dtype: DType| {
                allowed.is_some_and(|attr| attr.allowed_types.is_empty() || attr.allowed_types.contains(&dtype))
            };
            let ours: Vec<&[DType]> = spec
                .kernels
                .iter()
                .filter_map(|kernel| match &kernel.constraint {
                    Some((name, types)) if *name == attr => Some(&types[..]),
                    // A kernel that is not chosen by this attribute takes all of its types.
                    _ => None,
                })
                .collect();
            if ours.is_empty() {
                continue;
            }
            compared += 1;
            let missing: Vec<&str> = types
                .split(", ")
                .filter(|name| DType::from_name(name).is_some_and(&may))
                .filter(|name| !RARE.contains(name))
                .filter(|name| !ours.iter().any(|types| types.iter().any(|dtype| dtype.name() == *name)))
                .filter(|name| {
                    let known = |row: &&(&str, &str, &str, &str)| {
                        row.0 == op && row.1 == attr && row.2.split(' ').any(|known| known == *name)
                    };
                    if let Some(row) = KNOWN.iter().find(known) {
                        unused.retain(|other| other != row);
                        return false;
                    }
                    true
                })
                .collect();
            if !missing.is_empty() {
                gaps.push(format!("{op} {attr}: {}", missing.join(" ")));
            }
        }
    }
    assert!(compared > 300, "only {compared} attributes of types were compared");
    assert!(gaps.is_empty(), "{} ops lack types:\n{}", gaps.len(), gaps.join("\n"));
    assert!(unused.is_empty(), "gaps that are none any more: {unused:?}");
}
