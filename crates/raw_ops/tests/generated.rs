//! The generated functions are those of the registry.

#[path = "../examples/generate/source.rs"]
mod source;

use std::path::Path;

fn stored(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/generated").join(file);
    std::fs::read_to_string(path).unwrap_or_default()
}

#[test]
fn the_generated_files_are_up_to_date() {
    for (file, text) in source::files() {
        let stored = stored(&file);
        let differs = stored.lines().zip(text.lines()).find(|(stored, text)| stored != text);
        assert!(
            stored == text,
            "crates/raw_ops/src/generated/{file} is not what `cargo xtask generate` writes; the first line that differs: \
             {differs:?}"
        );
    }
}

#[test]
fn every_registered_op_that_is_not_internal_has_a_function() {
    let sources: String = source::files().iter().map(|(file, _)| stored(file)).collect();
    for spec in ops::registry().iter().filter(|spec| source::is_public(&spec.def)) {
        let name = &spec.def.name;
        let entry = format!("\n    {} {name} ", source::function_name(name));
        assert!(sources.contains(&entry), "{name} has no function");
    }
}

#[test]
fn names_are_snake_case() {
    for (op, function) in [
        ("MatMul", "mat_mul"),
        ("Conv2DBackpropFilter", "conv2d_backprop_filter"),
        ("DepthwiseConv2dNative", "depthwise_conv2d_native"),
        ("MaxPool3DGrad", "max_pool3d_grad"),
        ("FIFOQueueV2", "fifo_queue_v2"),
        ("BlockLSTMV2", "block_lstm_v2"),
        ("TopKV2", "top_k_v2"),
        ("L2Loss", "l2_loss"),
        ("Relu6Grad", "relu6_grad"),
        ("SpaceToBatchND", "space_to_batch_nd"),
        ("RGBToHSV", "rgb_to_hsv"),
        ("Where", "where_"),
        ("If", "if_"),
    ] {
        assert_eq!(source::function_name(op), function);
    }
}
