//! The workshop: every op, one file each, with definition, shape function, kernel, gradient and tests.
//!
//! To add an op, create its file in the folder it belongs to and add the file's name to that folder's list. Ops that
//! differ only in a formula share a file with a table, one row an op.

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

/// Declares a folder's files and registers their ops.
macro_rules! op_list {
    ($($file:ident),* $(,)?) => {
        $(pub(crate) mod $file;)*
        $(#[allow(unused_imports)] pub use $file::*;)*

        #[allow(unused_variables)]
        pub(crate) fn register(registry: &mut graph::op::Registry) {
            let _ = &registry;
            $($file::register(registry);)*
        }
    };
}

mod arguments;
pub mod array;
pub mod control_flow;
pub mod data_flow;
pub mod dataset;
pub mod functional;
pub mod image;
pub mod io;
pub mod math;
mod moving;
pub mod nn;
pub mod random;
pub mod sparse;
pub mod state;
mod strided;
pub mod string;
pub mod summary;
pub mod training;

/// The folders of ops, and what enters theirs into a registry.
const GROUPS: &[(&str, fn(&mut Registry))] = &[
    ("array", array::register),
    ("control_flow", control_flow::register),
    ("data_flow", data_flow::register),
    ("dataset", dataset::register),
    ("image", image::register),
    ("io", io::register),
    ("math", math::register),
    ("nn", nn::register),
    ("random", random::register),
    ("sparse", sparse::register),
    ("state", state::register),
    ("string", string::register),
    ("summary", summary::register),
    ("training", training::register),
];

/// All ops.
pub fn registry() -> Arc<Registry> {
    static REGISTRY: LazyLock<Arc<Registry>> = LazyLock::new(|| {
        let mut registry = Registry::new();
        for (_, register) in GROUPS {
            register(&mut registry);
        }
        Arc::new(registry)
    });
    REGISTRY.clone()
}

/// The ops of each group, by the group's name.
pub fn groups() -> Vec<(&'static str, Registry)> {
    let group = |(name, register): &(&'static str, fn(&mut Registry))| {
        let mut registry = Registry::new();
        register(&mut registry);
        (*name, registry)
    };
    GROUPS.iter().map(group).collect()
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
}
