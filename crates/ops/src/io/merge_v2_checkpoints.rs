//! `MergeV2Checkpoints`: makes one checkpoint of the parts that several tasks wrote.

use std::path::PathBuf;

use files::bundle::index_path;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use graph::{Node, ReadAttrs};
use tensor::{Result, ensure};

use super::checkpoint_from;

pub(crate) fn register(r: &mut Registry) {
    r.op("MergeV2Checkpoints", "checkpoint_prefixes: string, destination_prefix: string ->")
        .attr("delete_old_dirs: bool = true")
        .attr("allow_missing_files: bool = false")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 1)?;
    cx.with_rank(1, 0)?;
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (delete_old_dirs, allow_missing) = (node.attr_bool("delete_old_dirs")?, node.attr_bool("allow_missing_files")?);
    Ok(Kernel::checkpoints(move |cx: &mut OpContext<'_>| {
        let (prefixes, destination) = (cx.input(0)?, cx.input(1)?);
        ensure!(
            prefixes.shape().rank() == 1,
            InvalidArgument,
            "Input checkpoint_prefixes should be an 1-D tensor, got {} instead.",
            prefixes.shape()
        );
        ensure!(
            destination.shape().is_scalar(),
            InvalidArgument,
            "Input destination_prefix should be a scalar tensor, got {} instead.",
            destination.shape()
        );
        let files = &*cx.step.files;
        let paths = prefixes.strings()?.iter().map(|prefix| checkpoint_from(files, prefix));
        let mut paths = paths.collect::<Result<Vec<PathBuf>>>()?;
        if allow_missing {
            paths.retain(|path| files::place::is_file(&index_path(path)));
        }
        for path in &paths {
            ensure!(
                files::place::is_file(&index_path(path)),
                InvalidArgument,
                "allow_missing_files was set to false and {} did not exist.",
                path.display()
            );
        }
        let destination = checkpoint_from(files, destination.to_string_scalar()?)?;
        files::merge_bundles(&paths, destination, delete_old_dirs)
    }))
}
