//! What the tests of this crate share: folders that vanish, files written by TensorFlow, and damaged copies of them.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

/// A new empty folder, removed with all its content in the end.
pub struct TempDir(PathBuf);

impl TempDir {
    pub fn new() -> TempDir {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let name = format!("tensorfleet-files-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        fs::create_dir_all(&path).unwrap();
        TempDir(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    /// The names of everything in the folder, ascending.
    pub fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(&self.0).unwrap();
        let mut names: Vec<String> = entries.map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

impl Drop for TempDir {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// A file written by TensorFlow 2.21, see `testdata/make.py`.
pub fn testdata(name: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name)
}

/// A way to damage a file: flip bits of a byte, cut the end off, or insert bytes.
#[derive(Clone, Debug)]
pub enum Damage {
    Flip(usize, u8),
    Truncate(usize),
    Insert(usize, Vec<u8>),
}

impl Damage {
    /// Positions are taken modulo the length.
    pub fn apply(&self, bytes: &[u8]) -> Vec<u8> {
        let mut bytes = bytes.to_vec();
        let len = bytes.len().max(1);
        match self {
            Damage::Flip(at, bits) => {
                if let Some(byte) = bytes.get_mut(at % len) {
                    *byte ^= bits;
                }
            }
            Damage::Truncate(at) => bytes.truncate(at % len),
            Damage::Insert(at, new) => drop(bytes.splice(at % len..at % len, new.iter().copied())),
        }
        bytes
    }

    pub fn any() -> impl proptest::strategy::Strategy<Value = Damage> {
        use proptest::prelude::*;
        prop_oneof![
            (any::<usize>(), 1u8..).prop_map(|(at, bits)| Damage::Flip(at, bits)),
            any::<usize>().prop_map(Damage::Truncate),
            (any::<usize>(), proptest::collection::vec(any::<u8>(), 1..8))
                .prop_map(|(at, new)| Damage::Insert(at, new)),
        ]
    }
}
