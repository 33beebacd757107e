//! Which files kernels may touch.

use std::path::Path;

use tensor::Result;

/// Decides about files, before a kernel opens, lists, writes or deletes them. `runtime` fulfils it.
pub trait Files: Send + Sync {
    /// Whether a path may be touched, wherever its symbolic links lead. It need not exist.
    ///
    /// # Errors
    /// `PermissionDenied` if not, with the path and the reason.
    fn check(&self, path: &Path) -> Result<()>;
}
