//! Numbers that no program would give to an op: shapes without sense, splits that go back, counts beyond all bounds.

use tensorfleet::prelude::*;

use super::{Arrow, Attack, Siege, declined, storm};

/// What would be allowed on a large machine is refused here.
const LIMIT: &[&str] = &["--memory_limit", "1G"];

pub(super) const ATTACKS: &[Attack] = &[
    Attack::new("giant shapes with a zero in them", zeros).with(LIMIT),
    Attack::new("tensors repeated without end", repeated).with(LIMIT),
    Attack::new("ragged tensors whose splits go back", ragged).with(LIMIT),
    Attack::new("sparse tensors that point anywhere", sparse).with(LIMIT),
    Attack::new("segments without number", segments).with(LIMIT),
    Attack::new("ranges without end", ranges).with(LIMIT),
    Attack::new("pictures of any size", pictures).with(LIMIT),
    Attack::new("paddings beyond all bounds", paddings).with(LIMIT),
    Attack::new("slices and places out of range", slices).with(LIMIT),
    Attack::new("lists and arrays of billions", lists).with(LIMIT),
    Attack::new("patterns that explode", patterns).with(LIMIT),
    Attack::new("windows larger than the picture", windows).with(LIMIT),
    Attack::new("random numbers without number", random).with(LIMIT),
];

#[test]
fn attacks_with_shapes() {
    storm(ATTACKS);
}

/// Runs an op on inputs that are fed; only how large the result is comes back.
fn run(
    siege: &Siege,
    op: &str,
    inputs: &[Tensor],
    attrs: impl Fn(graph::OpBuilder) -> graph::OpBuilder,
) -> Result<Tensor> {
    let mut arrow = Arrow::default();
    let inputs: Vec<Output> = inputs.iter().map(|input| arrow.input(input.clone())).collect();
    let entry = inputs.iter().fold(arrow.g.op(op), |entry, input| entry.input(input));
    let output = attrs(entry).build().output(0);
    let size = arrow.g.op("Size").input(&output).output();
    siege.shoot(&arrow, &size)
}

fn plain(siege: &Siege, op: &str, inputs: &[Tensor]) {
    declined(op, run(siege, op, inputs, |entry| entry));
}

/// A number may come of it as long as it comes: with a zero among them there is nothing to hold.
fn zeros(siege: &mut Siege) {
    for dims in [&[0i64, 1 << 62, 4][..], &[1 << 62, 1 << 62, 0], &[0, i64::MAX, i64::MAX]] {
        for outcome in [
            run(siege, "Fill", &[Tensor::vector(dims), 1f32.into()], |entry| entry),
            run(siege, "BroadcastTo", &[1f32.into(), Tensor::vector(dims)], |entry| entry),
            run(siege, "Reshape", &[Tensor::vector::<f32>(&[]), Tensor::vector(dims)], |entry| entry),
        ] {
            match outcome {
                Ok(size) => assert_eq!(size, Tensor::from(0i32)),
                outcome => declined("nothing", outcome),
            }
        }
    }
    plain(siege, "Fill", &[Tensor::vector(&[-1i64]), 1f32.into()]);
    plain(siege, "Reshape", &[Tensor::vector(&[1f32]), Tensor::vector(&[-1i64, -1])]);
    plain(siege, "Reshape", &[Tensor::vector(&[1f32]), Tensor::vector(&[-1i64, 0])]);
}

fn repeated(siege: &mut Siege) {
    let one = || Tensor::vector(&[1f32; 1024]);
    plain(siege, "Tile", &[one(), Tensor::vector(&[1i64 << 40])]);
    plain(siege, "Tile", &[one(), Tensor::vector(&[i64::MAX])]);
    plain(siege, "Tile", &[one(), Tensor::vector(&[-1i64])]);
    plain(siege, "BroadcastTo", &[1f32.into(), Tensor::vector(&[1i64 << 31, 1 << 31])]);
    plain(siege, "Fill", &[Tensor::vector(&[1i64 << 50]), 1f32.into()]);
    plain(siege, "Fill", &[Tensor::vector(&[1i64 << 40]), "x".into()]);
    plain(siege, "OneHot", &[Tensor::vector(&[0i64; 1000]), i32::MAX.into(), 1f32.into(), 0f32.into()]);
    plain(siege, "OneHot", &[Tensor::vector(&[0i64]), (-1i32).into(), 1f32.into(), 0f32.into()]);
    plain(siege, "MatrixDiag", &[Tensor::vector(&vec![1f32; 1 << 21])]);
    plain(siege, "Diag", &[Tensor::vector(&vec![1f32; 1 << 21])]);
}

fn ragged(siege: &mut Siege) {
    for splits in [[0i64, 5, 2], [-1, 0, 3], [0, i64::MAX, i64::MAX], [3, 3, 3], [0, 1, i64::MIN]] {
        let (shape, values) = (Tensor::vector(&[-1i64, -1]), Tensor::vector(&[1f32, 2.0, 3.0]));
        let mut arrow = Arrow::default();
        let inputs = [shape, values, 0f32.into()].map(|input| arrow.input(input));
        let splits = arrow.input(Tensor::vector(&splits));
        let entry = inputs.iter().fold(arrow.g.op("RaggedTensorToTensor"), |entry, input| entry.input(input));
        let kinds = graph::AttrValue::Strings(vec!["ROW_SPLITS".into()]);
        let dense = entry.input_list(&[splits]).attr("row_partition_types", kinds).output();
        let size = arrow.g.op("Size").input(&dense).output();
        declined("ragged", siege.shoot(&arrow, &size));
    }
    let ends = |limit: i64, delta: i64| [0i64, limit, delta].map(|number| Tensor::vector(&[number]));
    plain(siege, "RaggedRange", &ends(i64::MAX, 1));
    plain(siege, "RaggedRange", &ends(5, 0));
    for splits in [[0i64, 5, 2], [0, 1, i64::MAX]] {
        let strings = Tensor::string_vector(["a", "b", "c"]);
        let attrs = |entry: graph::OpBuilder| {
            let entry = entry.attr("separator", "").attr("ngram_widths", vec![i64::MAX]).attr("left_pad", "x");
            entry.attr("right_pad", "").attr("pad_width", i64::MAX).attr("preserve_short_sequences", true)
        };
        declined("n-grams", run(siege, "StringNGrams", &[strings, Tensor::vector(&splits)], attrs));
    }
}

fn sparse(siege: &mut Siege) {
    let ints = |numbers: &[i64]| Tensor::vector(numbers);
    plain(siege, "SparseToDense", &[ints(&[i64::MAX]), ints(&[3]), ints(&[1]), 0i64.into()]);
    plain(siege, "SparseToDense", &[ints(&[0]), ints(&[1 << 45]), ints(&[1]), 0i64.into()]);
    plain(siege, "SparseToDense", &[ints(&[-1]), ints(&[3]), ints(&[1]), 0i64.into()]);
    let places = Tensor::from([[0i64, i64::MAX]]);
    plain(siege, "SparseReshape", &[places.clone(), ints(&[1, i64::MAX]), ints(&[-1, -1])]);
    plain(siege, "SparseReshape", &[places.clone(), ints(&[i64::MAX, i64::MAX]), ints(&[-1])]);
    plain(
        siege,
        "SparseTensorDenseMatMul",
        &[places.clone(), Tensor::vector(&[1f32]), ints(&[2, 2]), Tensor::from([[1f32], [2.0]])],
    );
    plain(siege, "SparseReorder", &[places.clone(), Tensor::vector(&[1f32, 2.0]), ints(&[1, 1])]);
    plain(siege, "ScatterNd", &[Tensor::from([[i64::MAX]]), Tensor::vector(&[1f32]), ints(&[3])]);
    plain(siege, "ScatterNd", &[Tensor::from([[0i64]]), Tensor::vector(&[1f32]), ints(&[1 << 45])]);
    plain(siege, "GatherNd", &[Tensor::vector(&[1f32]), Tensor::from([[i64::MIN]])]);
    plain(siege, "GatherV2", &[Tensor::vector(&[1f32]), Tensor::from(i64::MAX), 0i32.into()]);
    plain(siege, "GatherV2", &[Tensor::vector(&[1f32]), Tensor::from(0i64), i32::MIN.into()]);
}

fn segments(siege: &mut Siege) {
    let data = || Tensor::vector(&[1f32, 2.0]);
    plain(siege, "UnsortedSegmentSum", &[data(), Tensor::vector(&[0i64, 1]), Tensor::from(1i64 << 45)]);
    plain(siege, "UnsortedSegmentSum", &[data(), Tensor::vector(&[0i64, 1]), Tensor::from(-1i64)]);
    plain(siege, "SegmentSum", &[data(), Tensor::vector(&[0i64, 1 << 45])]);
    plain(siege, "SegmentSum", &[data(), Tensor::vector(&[5i64, 1])]);
    plain(siege, "SegmentSum", &[data(), Tensor::vector(&[-5i64, i64::MAX])]);
    plain(siege, "Bincount", &[Tensor::vector(&[1i32]), i32::MIN.into(), Tensor::vector(&[1f32])]);
}

fn ranges(siege: &mut Siege) {
    plain(siege, "Range", &[0f64.into(), 1e30f64.into(), 1e-30f64.into()]);
    plain(siege, "Range", &[0i64.into(), i64::MAX.into(), 1i64.into()]);
    plain(siege, "Range", &[i64::MIN.into(), i64::MAX.into(), 1i64.into()]);
    plain(siege, "Range", &[0i64.into(), 5i64.into(), 0i64.into()]);
    plain(siege, "Range", &[0f64.into(), f64::NAN.into(), 1f64.into()]);
    plain(siege, "Range", &[0f64.into(), f64::INFINITY.into(), 1f64.into()]);
    plain(siege, "LinSpace", &[0f32.into(), 1f32.into(), Tensor::from(i64::MAX)]);
    plain(siege, "LinSpace", &[0f32.into(), 1f32.into(), Tensor::from(-1i64)]);
}

fn pictures(siege: &mut Siege) {
    let picture =
        || Tensor::vector(&[1f32; 4]).reshape(Shape::new(&[1, 2, 2, 1]).expect("a shape")).expect("a picture");
    for op in ["ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor", "ResizeArea"] {
        for size in [[i32::MAX, i32::MAX], [-1, 5], [0, 0], [i32::MIN, 1]] {
            plain(siege, op, &[picture(), Tensor::vector(&size)]);
        }
    }
    let boxes = Tensor::from([[0f32, 0.0, f32::INFINITY, f32::NAN]]);
    let size = Tensor::vector(&[i32::MAX, i32::MAX]);
    plain(siege, "CropAndResize", &[picture(), boxes, Tensor::vector(&[i32::MAX]), size]);
}

fn paddings(siege: &mut Siege) {
    for pad in [[i64::MAX, i64::MAX], [-1, 0], [1 << 45, 0], [i64::MIN, 1]] {
        let (data, pad) = (Tensor::vector(&[1f32]), Tensor::from([pad]));
        plain(siege, "PadV2", &[data.clone(), pad.clone(), 0f32.into()]);
        plain(siege, "Pad", &[data.clone(), pad.clone()]);
        let mirrored = run(siege, "MirrorPad", &[data, pad], |entry| entry.attr("mode", "REFLECT"));
        declined("MirrorPad", mirrored);
    }
}

fn slices(siege: &mut Siege) {
    let ints = |numbers: &[i64]| Tensor::vector(numbers);
    let data = || Tensor::vector(&[1f32, 2.0, 3.0]);
    plain(siege, "Slice", &[data(), ints(&[i64::MAX]), ints(&[i64::MAX])]);
    plain(siege, "Slice", &[data(), ints(&[-1]), ints(&[1])]);
    plain(siege, "StridedSlice", &[data(), ints(&[0]), ints(&[3]), ints(&[0])]);
    plain(siege, "StridedSlice", &[data(), ints(&[0, 0]), ints(&[3]), ints(&[1])]);
    plain(siege, "Transpose", &[data(), ints(&[i64::MAX])]);
    plain(siege, "ExpandDims", &[data(), Tensor::from(i64::MAX)]);
    plain(siege, "ReverseV2", &[data(), ints(&[7])]);
    plain(siege, "ArgMax", &[data(), Tensor::from(i32::MIN)]);
    plain(siege, "TopKV2", &[data(), Tensor::from(i32::MAX)]);
    plain(siege, "TopKV2", &[data(), Tensor::from(-1i32)]);
    plain(siege, "Sum", &[data(), ints(&[i64::MIN])]);
    plain(siege, "Cumsum", &[data(), Tensor::from(i64::MAX)]);
    plain(siege, "InvertPermutation", &[ints(&[0, 7])]);
    plain(siege, "DynamicPartition", &[data(), Tensor::vector(&[0i32, 1])]);
}

fn lists(siege: &mut Siege) {
    let shape = || Tensor::vector(&[1i64 << 30]);
    let typed = |entry: graph::OpBuilder| entry.attr("element_dtype", DType::Float);
    for count in [i32::MAX, -1] {
        declined("a list", run(siege, "TensorListReserve", &[shape(), count.into()], typed));
        let array = run(siege, "TensorArrayV3", &[count.into()], |entry| entry.attr("dtype", DType::Float));
        declined("an array", array);
    }
    let mut arrow = Arrow::default();
    let (shape, count) = (arrow.input(shape()), arrow.input(1000i32));
    let list = typed(arrow.g.op("TensorListReserve").input(&shape).input(&count)).output();
    let stacked = typed(arrow.g.op("TensorListStack").input(&list).input(&shape)).output();
    let size = arrow.g.op("Size").input(&stacked).output();
    declined("a stack", siege.shoot(&arrow, &size));
}

/// Patterns that grow when they are read, and texts that would make a backtracking engine try for ever.
fn patterns(siege: &mut Siege) {
    let deep = "(".repeat(100_000);
    let deeper = format!("{}a{}", "(".repeat(5000), ")".repeat(5000));
    for pattern in ["((((a{100}){100}){100}){100}){100}", "(a|aa){1000000}", &deep, &deeper, "\\", "[z-a]", "(?P<n"] {
        plain(siege, "RegexReplace", &["aaa".into(), pattern.into(), "".into()]);
        plain(siege, "RegexFullMatch", &["aaa".into(), pattern.into()]);
    }
    let text = format!("{}b", "a".repeat(100_000));
    let outcome = run(siege, "RegexFullMatch", &[text.as_str().into(), "(a*)*(a*)*(a|aa)*c".into()], |entry| entry);
    assert_eq!(outcome.expect("a quick answer"), Tensor::from(1i32));
    let many = "%s".repeat(50_000);
    let format = run(siege, "StringFormat", &[1f32.into()], |entry| {
        entry.attr("template", many.clone()).attr("T", vec![DType::Float])
    });
    assert!(format.is_err());
}

fn windows(siege: &mut Siege) {
    let picture =
        || Tensor::vector(&[1f32; 4]).reshape(Shape::new(&[1, 2, 2, 1]).expect("a shape")).expect("a picture");
    let window = |size: i64, stride: i64| {
        move |entry: graph::OpBuilder| {
            let entry = entry.attr("ksize", vec![1, size, size, 1]).attr("strides", vec![1, stride, stride, 1]);
            entry.attr("padding", "VALID")
        }
    };
    for (size, stride) in [(i64::from(i32::MAX), 1), (0, 1), (-3, 1), (1, 0), (1, -1)] {
        for op in ["MaxPool", "AvgPool"] {
            declined(op, run(siege, op, &[picture()], window(size, stride)));
        }
    }
    for stride in [0, -1] {
        let attrs = |entry: graph::OpBuilder| entry.attr("strides", vec![1, stride, stride, 1]).attr("padding", "SAME");
        declined("Conv2D", run(siege, "Conv2D", &[picture(), picture()], attrs));
    }
    let attrs = |entry: graph::OpBuilder| entry.attr("strides", vec![1i64, 1, 1, 1]).attr("padding", "SAME");
    let sizes = Tensor::vector(&[i32::MAX, i32::MAX, i32::MAX, 1]);
    declined("Conv2DBackpropInput", run(siege, "Conv2DBackpropInput", &[sizes, picture(), picture()], attrs));
    for block in [0i64, -1, i64::MAX, 1 << 31] {
        for op in ["SpaceToDepth", "DepthToSpace"] {
            declined(op, run(siege, op, &[picture()], |entry| entry.attr("block_size", block)));
        }
    }
}

fn random(siege: &mut Siege) {
    let typed = |entry: graph::OpBuilder| entry.attr("dtype", DType::Float);
    for op in ["RandomUniform", "RandomStandardNormal", "TruncatedNormal"] {
        for dims in [[1i64 << 45, 1], [-1, 1], [i64::MAX, i64::MAX]] {
            declined(op, run(siege, op, &[Tensor::vector(&dims)], typed));
        }
    }
    plain(siege, "Multinomial", &[Tensor::from([[1f32, 2.0]]), i32::MAX.into()]);
    plain(siege, "Multinomial", &[Tensor::from([[f32::NAN, f32::NAN]]), (-1i32).into()]);
    let attrs = |entry: graph::OpBuilder| {
        let entry = entry.attr("num_true", 1i64).attr("num_sampled", i64::MAX).attr("unique", true);
        entry.attr("range_max", 5i64)
    };
    declined("a sampler", run(siege, "UniformCandidateSampler", &[Tensor::from([[0i64]])], attrs));
}
