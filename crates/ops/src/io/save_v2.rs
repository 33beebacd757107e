//! `SaveV2`: writes tensors, or slices of them, into a checkpoint.

use std::time::Instant;

use bytes::Bytes;
use files::BundleWriter;
use files::bundle::parse_shape_and_slice;
use graph::Node;
use graph::op::{Kernel, OpContext, Registry, Role, SavedSoFar, ShapeContext};
use tensor::{Result, Tensor, ensure, err};

use super::checkpoint_from;

pub(crate) fn register(r: &mut Registry) {
    r.op("SaveV2", "prefix: string, tensor_names: string, shape_and_slices: string, tensors: dtypes ->")
        .attr("dtypes: list(type) >= 1")
        .stateful()
        .role(Role::Save)
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.with_rank(1, 1)?;
    cx.with_rank(2, 1)?;
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::checkpoints(|cx: &mut OpContext<'_>| {
        let begin = Instant::now();
        let (names, specs) = names_and_slices(cx, cx.num_inputs().saturating_sub(3))?;
        let path = checkpoint_from(&*cx.step.files, prefix(cx)?)?;
        let mut writer = BundleWriter::new(path.clone())?;
        let tensors = (3..cx.num_inputs()).map(|place| cx.input(place).map(|tensor| tensor.byte_size() as u64));
        let bytes = tensors.sum::<Result<u64>>()?;
        writer.expect(bytes);
        for (place, (name, spec)) in names.iter().zip(&specs).enumerate() {
            let tensor = cx.input(3 + place)?;
            let spec = text(spec)?;
            match parse_shape_and_slice(spec)? {
                None => writer.add(text(name)?, tensor)?,
                Some((whole, slice)) => {
                    let fits = slice.shape_in(&whole).is_ok_and(|shape| shape == *tensor.shape());
                    ensure!(
                        fits,
                        InvalidArgument,
                        "Slice in shape_and_slice specification does not match the shape of the tensor to  save: {spec}, \
                         tensor: {}",
                        tensor.shape()
                    );
                    writer.add_slice(text(name)?, &whole, &slice, tensor)?;
                }
            }
        }
        writer.finish()?;
        SavedSoFar::note(&path.to_string_lossy(), bytes, begin.elapsed());
        Ok(())
    }))
}

/// The checkpoint's prefix, the first input of save and restore ops.
pub(crate) fn prefix<'a>(cx: &'a OpContext<'_>) -> Result<&'a Bytes> {
    let prefix: &Tensor = cx.input(0)?;
    ensure!(
        prefix.num_elements() == 1,
        InvalidArgument,
        "Input prefix should have a single element, got {} instead.",
        prefix.num_elements()
    );
    prefix.to_string_scalar()
}

/// The names and specifications of `count` tensors, the second and third input.
pub(crate) fn names_and_slices(cx: &OpContext<'_>, count: usize) -> Result<(Vec<Bytes>, Vec<Bytes>)> {
    prefix(cx)?;
    let (names, specs) = (cx.input(1)?, cx.input(2)?);
    for (input, name) in [(names, "tensor_names"), (specs, "shape_and_slices")] {
        ensure!(
            input.shape().rank() == 1,
            InvalidArgument,
            "Input {name} should be an 1-D tensor, got {} instead.",
            input.shape()
        );
    }
    ensure!(
        names.num_elements() == specs.num_elements(),
        InvalidArgument,
        "tensor_names and shape_and_slices have different number of elements: {} vs. {}",
        names.num_elements(),
        specs.num_elements()
    );
    ensure!(
        names.num_elements() == count,
        InvalidArgument,
        "Got {count} tensors but {} names and shape_and_slices.",
        names.num_elements()
    );
    Ok((names.strings()?.to_vec(), specs.strings()?.to_vec()))
}

pub(crate) fn text(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes).map_err(|_| err!(InvalidArgument, "the name of a tensor is not UTF-8"))
}
