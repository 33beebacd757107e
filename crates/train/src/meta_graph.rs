//! Meta graphs: a graph with its collections and its saver, in one file.

use std::path::Path;

use graph::{Graph, graph_to_proto};
use prost::Message;
use tensor::Result;

use crate::saver::Saver;

/// The graph with what is needed to go on with it elsewhere.
///
/// # Errors
/// The graph's first mistake.
pub fn export_meta_graph(graph: &Graph, saver: Option<&Saver>) -> Result<wire::MetaGraphDef> {
    let saver_def = saver.map(|saver| wire::SaverDef {
        filename_tensor_name: saver.names().filename.clone(),
        save_tensor_name: saver.names().save.clone(),
        restore_op_name: saver.names().restore.clone(),
        max_to_keep: saver.options().max_to_keep as i32,
        sharded: saver.options().sharded,
        keep_checkpoint_every_n_hours: saver.options().keep_checkpoint_every_n_hours,
        version: wire::saver_def::CheckpointFormatVersion::V2 as i32,
    });
    Ok(wire::MetaGraphDef { graph_def: Some(graph_to_proto(&graph.snapshot()?)?), saver_def, ..Default::default() })
}

/// Writes a meta graph, whole or not at all.
///
/// # Errors
/// The code of the operating system's error.
pub fn write_meta_graph(path: &Path, meta: &wire::MetaGraphDef) -> Result<()> {
    files::atomic::write_file(path, &meta.encode_to_vec())
}
