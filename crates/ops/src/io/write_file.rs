//! `WriteFile`: a file with these contents, in place of an old one if there was one. Readers see either.

use graph::Node;
use graph::op::{Kernel, OpContext, Registry, ShapeContext};
use tensor::{Result, ensure};

use super::{file_error, path_of};

pub(crate) fn register(r: &mut Registry) {
    r.op("WriteFile", "filename: string, contents: string ->")
        .stateful()
        .shape(shape)
        .any_kernel(kernel)
        .not_differentiable();
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.with_rank(0, 0)?;
    cx.with_rank(1, 0)?;
    Ok(())
}

fn kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::files(|cx: &mut OpContext<'_>| {
        let (path, contents) = (path_of(cx.step, cx.input(0)?, "filename")?, cx.input(1)?);
        ensure!(
            contents.shape().is_scalar(),
            InvalidArgument,
            "Contents tensor must be scalar, but had shape: {}",
            contents.shape()
        );
        if let Some(folder) = path.parent() {
            files::place::create_folder(folder).map_err(|error| file_error(folder, error))?;
        }
        files::atomic::write_file(&path, contents.to_string_scalar()?)
    }))
}

#[cfg(test)]
mod tests {
    use tensor::{Code, Tensor};

    use crate::testing::{Bench, Folder, val};

    #[test]
    fn what_is_written_is_read() {
        let (bench, folder) = (Bench::new(), Folder::new("write_file"));
        let path = folder.path("deeper/hello");
        assert_eq!(bench.run("ReadFile", &[], vec![val(path.as_str())]).err().unwrap().code(), Code::NotFound);
        bench.run("WriteFile", &[], vec![val(path.as_str()), val("hi")]).unwrap();
        assert_eq!(bench.value("ReadFile", &[], vec![val(path.as_str())]).unwrap(), Tensor::from("hi"));
        let pattern = folder.path("*/h[a-f]l?o");
        let found = bench.value("MatchingFiles", &[], vec![val(pattern.as_str())]).unwrap();
        assert_eq!(found, Tensor::string_vector([path.clone()]));
        let pattern = folder.path("*/h[!a-f]*");
        assert_eq!(bench.value("MatchingFiles", &[], vec![val(pattern.as_str())]).unwrap().dims(), [0]);
    }
}
