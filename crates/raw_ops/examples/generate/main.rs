//! Writes `crates/raw_ops/src/generated` from the registry of ops. `cargo xtask generate` runs it.

mod source;

use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/generated");
    for (file, text) in source::files() {
        std::fs::write(folder.join(file), text)?;
    }
    Ok(())
}
