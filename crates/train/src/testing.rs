//! What tests of this crate share.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use graph::Graph;
use runtime::{LocalSession, Session};

/// An empty graph of all ops.
pub(crate) fn graph() -> Graph {
    Graph::with_registry(ops::registry())
}

/// A session of this process.
pub(crate) fn local(graph: &Graph) -> Arc<dyn Session> {
    Arc::new(LocalSession::new(graph).unwrap())
}

/// A folder that is removed in the end.
pub(crate) struct Folder(PathBuf);

impl Folder {
    pub fn new(name: &str) -> Folder {
        let path = std::env::temp_dir().join(format!("tensorfleet-train-{name}-{}", std::process::id()));
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).unwrap();
        Folder(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names of all files in it, in order.
    pub fn names(&self) -> Vec<String> {
        let entries = std::fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
