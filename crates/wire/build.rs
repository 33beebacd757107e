//! Compiles `proto/*.proto` to Rust without needing protoc.
//!
//! Bytes fields become `bytes::Bytes`, so that a decoded message shares the received buffer; maps become `BTreeMap`, so
//! that the same message always encodes to the same bytes.

use std::path::{Path, PathBuf};

use prost::Message;

fn main() {
    if let Err(error) = compile() {
        eprintln!("{error:?}");
        std::process::exit(1);
    }
}

fn compile() -> Result<(), Box<dyn std::error::Error>> {
    let folder = Path::new("proto");
    println!("cargo:rerun-if-changed={}", folder.display());
    let mut files: Vec<PathBuf> = Vec::new();
    for entry in std::fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "proto") {
            files.push(path);
        }
    }
    files.sort();
    let descriptors = protox::compile(&files, [folder])?;
    let out = PathBuf::from(std::env::var("OUT_DIR")?);
    std::fs::write(out.join("descriptors.bin"), descriptors.encode_to_vec())?;
    prost_build::Config::new().bytes(["."]).btree_map(["."]).include_file("messages.rs").compile_fds(descriptors)?;
    Ok(())
}
