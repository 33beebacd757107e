//! The workshop: every op, one file each, with definition, shape function, kernel, gradient and tests.
//!
//! To add an op, create its file in the folder it belongs to and add the file's name to that folder's list. Ops that
//! differ only in a formula share a file with a table, one row an op.

#![warn(missing_docs)]

use std::sync::{Arc, LazyLock};

use graph::op::Registry;

#[macro_use]
mod dispatch;
mod handle;
mod pending;
#[cfg(test)]
mod testing;
#[macro_use]
mod methods;

/// Declares a folder's files of ops and lists what registers the ops of each.
macro_rules! op_list {
    ($($file:ident),* $(,)?) => {
        $(pub(crate) mod $file;)*
        $(#[allow(unused_imports)] pub use $file::*;)*

        pub(crate) const FILES: crate::Files = &[$((stringify!($file), $file::register)),*];
    };
}

mod arguments;
pub mod array;
pub mod audio;
pub mod collective;
pub mod control_flow;
pub mod data_flow;
pub mod dataset;
pub mod functional;
pub mod image;
pub mod io;
pub mod math;
mod moving;
mod narrow_floats;
pub mod nn;
pub mod ragged;
pub mod random;
pub mod sparse;
pub mod state;
mod strided;
pub mod string;
pub mod summary;
mod tensorflow_gradients;
pub mod training;

/// The files of a folder by name, each with the function that registers its ops.
type Files = &'static [(&'static str, fn(&mut Registry))];

/// The folders of ops by name, with their files.
const GROUPS: &[(&str, Files)] = &[
    ("array", array::FILES),
    ("audio", audio::FILES),
    ("collective", collective::FILES),
    ("control_flow", control_flow::FILES),
    ("data_flow", data_flow::FILES),
    ("dataset", dataset::FILES),
    ("image", image::FILES),
    ("io", io::FILES),
    ("math", math::FILES),
    ("nn", nn::FILES),
    ("ragged", ragged::FILES),
    ("random", random::FILES),
    ("sparse", sparse::FILES),
    ("state", state::FILES),
    ("string", string::FILES),
    ("summary", summary::FILES),
    ("training", training::FILES),
];

/// What ops offer to do for others, in the order in which it is done: what is particular comes before what is general.
const REWRITES: &[graph::op::Rewrite] = &[
    math::mat_mul::REWRITE,
    math::fused_mat_mul::REWRITE,
    nn::fused_batch_norm::REWRITE,
    math::sum_to_shape::REWRITE,
    nn::log_of_softmax_grad::REWRITE,
    math::fused_elementwise::REWRITE,
];

/// Returns the registry of all ops.
pub fn registry() -> Arc<Registry> {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
        let files = GROUPS.iter().flat_map(|(_, files)| files.iter());
        let mut registry = registered(files);
        REWRITES.iter().for_each(|rewrite| registry.rewrite(*rewrite));
        tensorflow_gradients::register(&mut registry);
        Arc::new(registry)
    });
    REGISTRY.clone()
}

/// Returns the ops of each group, by the group's name.
pub fn groups() -> Vec<(&'static str, Registry)> {
    GROUPS.iter().map(|(name, files)| (*name, registered(files.iter()))).collect()
}

/// Returns a registry of the ops of some files.
fn registered<'a>(files: impl Iterator<Item = &'a (&'static str, fn(&mut Registry))>) -> Registry {
    let mut registry = Registry::new();
    for (_, register) in files {
        register(&mut registry);
    }
    registry
}

/// The methods that ops add to graphs and outputs.
#[allow(unused_imports)]
pub mod prelude {
    pub use crate::array::*;
    pub use crate::control_flow::*;
    pub use crate::data_flow::*;
    pub use crate::dataset::*;
    pub use crate::functional::*;
    pub use crate::image::*;
    pub use crate::io::*;
    pub use crate::math::*;
    pub use crate::nn::*;
    pub use crate::ragged::*;
    pub use crate::random::*;
    pub use crate::sparse::*;
    pub use crate::state::*;
    pub use crate::string::*;
    pub use crate::summary::*;
    pub use crate::training::*;
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::{GROUPS, registered};

    #[test]
    fn every_entry_is_well_formed() {
        assert_eq!(super::registry().mistakes(), &[] as &[String]);
    }

    /// A file that is in no list would be dead code that nobody notices.
    #[test]
    fn every_file_is_in_its_folders_list() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        for folder in std::fs::read_dir(source).unwrap().map(|entry| entry.unwrap().path()).filter(|path| path.is_dir())
        {
            let list = std::fs::read_to_string(folder.join("mod.rs")).unwrap();
            for file in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
                let name = file.file_stem().unwrap().to_str().unwrap().to_owned();
                assert!(name == "mod" || list.contains(&name), "{} is in no list", file.display());
            }
        }
    }

    /// Whoever looks for an op by its name finds its file: the head comment has each op in backquotes.
    #[test]
    fn every_file_names_its_ops_in_its_head() {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
        let mut missing = Vec::new();
        for (folder, files) in GROUPS {
            for file in *files {
                let path = source.join(folder).join(format!("{}.rs", file.0));
                let text = std::fs::read_to_string(&path).unwrap();
                let head: String = text.lines().take_while(|line| line.starts_with("//!")).collect();
                let registry = registered(std::iter::once(file));
                assert!(registry.iter().next().is_some(), "{folder}/{}.rs registers no op", file.0);
                let unnamed = |name: &&str| !head.contains(&format!("`{name}`"));
                let names: Vec<_> = registry.iter().map(|spec| spec.def.name.as_str()).filter(unnamed).collect();
                if !names.is_empty() {
                    missing.push(format!("{folder}/{}.rs: {}", file.0, names.join(" ")));
                }
            }
        }
        assert!(missing.is_empty(), "ops that the heads of their files do not name:\n{}", missing.join("\n"));
    }
}
