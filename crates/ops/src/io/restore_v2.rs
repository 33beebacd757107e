//! `RestoreV2`: reads tensors, or slices of them, from a checkpoint of either format.

use files::CheckpointReader;
use files::bundle::parse_shape_and_slice;
use graph::op::{Kernel, OpContext, Registry, Role, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{DType, Result, Tensor, ensure};

use super::checkpoint_from;
use super::save_v2::{names_and_slices, prefix, text};

pub(crate) fn register(r: &mut Registry) {
    r.op("RestoreV2", "prefix: string, tensor_names: string, shape_and_slices: string -> tensors: dtypes")
        .attr("dtypes: list(type) >= 1")
        .stateful()
        .role(Role::Restore)
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 1)?;
    let Some(specs) = cx.value(2) else { return Ok(()) };
    let specs = specs.strings()?;
    if specs.len() != cx.num_outputs() {
        return Ok(());
    }
    for (place, spec) in specs.iter().enumerate() {
        if let Some((whole, slice)) = parse_shape_and_slice(text(spec)?)? {
            cx.set(place, slice.shape_in(&whole)?);
        }
    }
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let types = node.attr_types("dtypes")?.to_vec();
    Ok(Kernel::checkpoints(move |cx: &mut OpContext<'_>| {
        let (names, specs) = names_and_slices(cx, types.len())?;
        let reader = CheckpointReader::open(checkpoint_from(&*cx.step.files, prefix(cx)?)?)?;
        // What is missing or of another type is found before much is read.
        for (name, dtype) in names.iter().zip(&types) {
            check(&reader, text(name)?, *dtype)?;
        }
        for (place, (name, spec)) in names.iter().zip(&specs).enumerate() {
            let tensor = restore(&reader, text(name)?, text(spec)?)?;
            cx.set_output(place, tensor);
        }
        Ok(())
    }))
}

fn check(reader: &CheckpointReader, name: &str, dtype: DType) -> Result<()> {
    let stored = reader.entry(name)?.dtype;
    ensure!(
        stored == dtype,
        InvalidArgument,
        "tensor_name = {name}; expected dtype {dtype} does not equal original dtype {stored}"
    );
    Ok(())
}

fn restore(reader: &CheckpointReader, name: &str, spec: &str) -> Result<Tensor> {
    let Some((whole, slice)) = parse_shape_and_slice(spec)? else { return reader.lookup(name) };
    let stored = reader.entry(name)?.shape;
    ensure!(
        stored == whole,
        InvalidArgument,
        "tensor_name = {name}; shape in shape_and_slice spec {whole} does not match the shape stored in checkpoint: {stored}"
    );
    reader.lookup_slice(name, &slice)
}

#[cfg(test)]
mod tests {
    use graph::AttrValue;
    use tensor::Code;

    use super::*;
    use crate::testing::{Bench, Folder, tensor, val};

    fn save(bench: &Bench, prefix: &str, specs: [&'static str; 2], tensors: [Tensor; 2]) -> Result<()> {
        let types: Vec<DType> = tensors.iter().map(Tensor::dtype).collect();
        let mut inputs = vec![val(prefix), val(Tensor::string_vector(["x", "y"])), val(Tensor::string_vector(specs))];
        inputs.extend(tensors.map(val));
        bench.run("SaveV2", &[("dtypes", types.into())], inputs).map(|_| ())
    }

    fn load(bench: &Bench, prefix: &str, name: &'static str, spec: &'static str, dtype: DType) -> Result<Tensor> {
        let attrs: [(&str, AttrValue); 1] = [("dtypes", vec![dtype].into())];
        let inputs = vec![val(prefix), val(Tensor::string_vector([name])), val(Tensor::string_vector([spec]))];
        bench.run("RestoreV2", &attrs, inputs).map(|outputs| tensor(&outputs[0]))
    }

    /// Texts as in TensorFlow 2.21.
    #[test]
    fn what_was_saved_comes_back() {
        let (bench, folder) = (Bench::new(), Folder::new("restore_v2"));
        let prefix = folder.path("model.ckpt-1");
        save(&bench, &prefix, ["", ""], [Tensor::from(1f32), Tensor::from([1i32, 2])]).unwrap();
        assert_eq!(load(&bench, &prefix, "x", "", DType::Float).unwrap(), Tensor::from(1f32));
        assert_eq!(load(&bench, &prefix, "y", "2 0,1", DType::Int32).unwrap(), Tensor::from([1i32]));
        let refused = |name, spec, dtype| load(&bench, &prefix, name, spec, dtype).unwrap_err();
        let status = refused("z", "", DType::Float);
        assert_eq!((status.code(), status.message()), (Code::NotFound, "Key z not found in checkpoint"));
        assert_eq!(
            refused("y", "", DType::Float).message(),
            "tensor_name = y; expected dtype float does not equal original dtype int32"
        );
        assert_eq!(
            refused("y", "3 0,1", DType::Int32).message(),
            "tensor_name = y; shape in shape_and_slice spec [3] does not match the shape stored in checkpoint: [2]"
        );
        let status = load(&bench, &folder.path("nope"), "x", "", DType::Float).unwrap_err();
        assert_eq!(status.code(), Code::NotFound);
        assert!(
            status.message().starts_with("Unsuccessful TensorSliceReader constructor: Failed to find any matching")
        );
    }

    #[test]
    fn checkpoints_of_the_old_format_are_restored() {
        let (bench, folder) = (Bench::new(), Folder::new("restore_v1"));
        let path = folder.path("model.ckpt-1");
        let mut writer = files::SlicesWriter::new(&path).unwrap();
        writer.add("x", &Tensor::from([1f32, 2.0])).unwrap();
        writer.finish().unwrap();
        assert_eq!(load(&bench, &path, "x", "", DType::Float).unwrap(), Tensor::from([1f32, 2.0]));
        assert_eq!(load(&bench, &path, "x", "2 1,1", DType::Float).unwrap(), Tensor::from([2f32]));
        assert_eq!(load(&bench, &path, "y", "", DType::Float).unwrap_err().code(), Code::NotFound);
    }

    #[test]
    fn parts_are_merged() {
        let (bench, folder) = (Bench::new(), Folder::new("merge_v2"));
        let parts = [folder.path("temp/part-00000-of-00002"), folder.path("temp/part-00001-of-00002")];
        save(&bench, &parts[0], ["", "3 0,2"], [Tensor::from(1f32), Tensor::from([1i32, 2])]).unwrap();
        let inputs = vec![
            val(parts[1].as_str()),
            val(Tensor::string_vector(["y"])),
            val(Tensor::string_vector(["3 2,1"])),
            val([3i32]),
        ];
        bench.run("SaveV2", &[("dtypes", vec![DType::Int32].into())], inputs).unwrap();
        let whole = folder.path("model.ckpt-2");
        let merge = |prefixes: Tensor| bench.run("MergeV2Checkpoints", &[], vec![val(prefixes), val(whole.as_str())]);
        merge(Tensor::string_vector(parts.clone())).unwrap();
        assert_eq!(load(&bench, &whole, "y", "", DType::Int32).unwrap(), Tensor::from([1i32, 2, 3]));
        assert!(!std::path::Path::new(&folder.path("temp")).exists());
        assert_eq!(merge(Tensor::string_vector(parts)).err().unwrap().code(), Code::InvalidArgument);
    }

    #[test]
    fn a_slice_must_have_the_shape_it_says() {
        let (bench, folder) = (Bench::new(), Folder::new("save_v2"));
        let tensors = [Tensor::from(1f32), Tensor::from([1i32])];
        let status = save(&bench, &folder.path("a"), ["", "3 0,2"], tensors).unwrap_err();
        assert_eq!(
            status.message(),
            "Slice in shape_and_slice specification does not match the shape of the tensor to  save: 3 0,2, tensor: [1]"
        );
    }
}
