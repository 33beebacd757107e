//! The graph beside a checkpoint: a meta graph with the nodes of its saver.

use std::path::Path;
use std::time::Duration;

use graph::Graph;
use tensor::{Result, Status, ensure};
use wire::MetaGraphDef;

use super::{Saver, SaverNames, SaverOptions};
use crate::meta_graph::{export_meta_graph, import_graph, read_meta_graph};

const HOUR: f64 = 3600.0;

impl Saver {
    /// Returns the graph with its collections, queue runners and this saver.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::import_meta_graph_def;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let meta = Saver::new(&g).export_meta_graph()?;
    /// assert!(import_meta_graph_def(&Graph::new(), meta)?.is_some()); // with its saver
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// The graph's first mistake.
    pub fn export_meta_graph(&self) -> Result<MetaGraphDef> {
        let saver_def = wire::SaverDef {
            filename_tensor_name: self.names.filename.clone(),
            save_tensor_name: self.names.save.clone(),
            restore_op_name: self.names.restore.clone(),
            max_to_keep: i32::try_from(self.options.max_to_keep).unwrap_or(i32::MAX),
            sharded: self.options.sharded,
            keep_checkpoint_every_n_hours: (self.options.keep_checkpoint_every.as_secs_f64() / HOUR) as f32,
            version: wire::saver_def::CheckpointFormatVersion::V2 as i32,
        };
        Ok(MetaGraphDef { saver_def: Some(saver_def), ..export_meta_graph(&self.graph)? })
    }

    /// A saver of nodes that an imported graph has.
    fn from_def(graph: &Graph, def: wire::SaverDef) -> Result<Saver> {
        ensure!(
            def.version == wire::saver_def::CheckpointFormatVersion::V2 as i32,
            Unimplemented,
            "the saver writes checkpoints of an older format ({}); only V2 is known here",
            def.version
        );
        let missing = |status: Status| status.context("the saver of the meta graph");
        graph.output(&def.filename_tensor_name).map_err(missing)?;
        graph.output(&def.save_tensor_name).map_err(missing)?;
        graph.operation(&def.restore_op_name).map_err(missing)?;
        let hours = f64::from(def.keep_checkpoint_every_n_hours);
        let options = SaverOptions {
            max_to_keep: usize::try_from(def.max_to_keep).unwrap_or(0),
            // Numbers that are no time, which only damaged files have, keep every checkpoint.
            keep_checkpoint_every: Duration::try_from_secs_f64(hours * HOUR).unwrap_or_default(),
            sharded: def.sharded,
            ..Default::default()
        };
        let names =
            SaverNames { filename: def.filename_tensor_name, save: def.save_tensor_name, restore: def.restore_op_name };
        Ok(Saver::from_names(graph, names, options))
    }
}

/// Adds the graph of a file, ours or TensorFlow's, with its collections. Returns its saver, if it has one.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::import_meta_graph;
/// # fn main() -> tensorfleet::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("meta-doctest-{}", std::process::id()));
/// # let g = Graph::new();
/// # Variable::new("w", g.constant(7f32));
/// # let (init, saver) = (global_variables_initializer(&g), Saver::new(&g));
/// # let session = LocalSession::new(&g)?;
/// # session.run(RunRequest::new().target(&init))?;
/// # let prefix = saver.save(&session, folder.join("model.ckpt"), Some(1000))?;
/// // After `saver.save(&session, "model.ckpt", Some(1000))`, in a program that knows nothing of the model:
/// let g = Graph::new();
/// let saver = import_meta_graph(&g, folder.join("model.ckpt-1000.meta"))?.unwrap();
/// let session = LocalSession::new(&g)?;
/// saver.restore(&session, folder.join("model.ckpt-1000"))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch("w:0"))?, [Tensor::from(7f32)]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
///
/// # Errors
/// The code of the operating system's error; `DataLoss` if the file is no meta graph; as [`import_meta_graph_def`].
pub fn import_meta_graph(graph: &Graph, path: impl AsRef<Path>) -> Result<Option<Saver>> {
    let meta = read_meta_graph(path.as_ref())?;
    import_meta_graph_def(graph, meta).map_err(|status| status.context(path.as_ref().display()))
}

/// Adds the graph of a message with its collections. Returns its saver, if it has one. Members of collections that are neither
/// variables, queue runners nor names are left out.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::import_meta_graph_def;
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// let other = Graph::new();
/// let saver = import_meta_graph_def(&other, Saver::new(&g).export_meta_graph()?)?;
/// assert!(saver.is_some() && Variable::find(&other, "w").is_some());
/// # Ok::<(), Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument` if the graph is malformed, has nodes that are there already, or its collections name nodes that it does
/// not have.
pub fn import_meta_graph_def(graph: &Graph, mut meta: MetaGraphDef) -> Result<Option<Saver>> {
    let saver_def = meta.saver_def.take();
    import_graph(graph, meta)?;
    saver_def.map(|def| Saver::from_def(graph, def)).transpose()
}

#[cfg(test)]
mod tests {
    use bytes::Bytes;
    use prost::Message;
    use runtime::RunRequest;
    use tensor::{Code, Tensor};

    use super::*;
    use crate::collections::{add_to_collection, collection, keys};
    use crate::global_step::get_or_create_global_step;
    use crate::input::{InputOptions, range_input_producer};
    use crate::meta_graph::write_meta_graph;
    use crate::partition::{SaveSliceInfo, fixed_size_partitioner};
    use crate::queue_runner::queue_runners;
    use crate::testing::{Folder, graph, local};
    use crate::variable::{Variable, VariableKind};
    use crate::variable_lists::{global_variables, global_variables_initializer, local_variables, trainable_variables};
    use crate::variable_scope::VariableScopeOps;
    use crate::{Initializer, summary};

    #[test]
    fn a_graph_comes_back_with_its_collections() {
        let folder = Folder::new("meta");
        let g = graph();
        let w = Variable::new("w", g.constant([1f32, 2.0]));
        Variable::set_kind(&g, VariableKind::Resource);
        Variable::new("r", g.constant(3f32));
        Variable::set_kind(&g, VariableKind::Ref);
        get_or_create_global_step(&g);
        let parts = g.variable("p").shape([4, 2]).initializer(Initializer::Ones);
        parts.partitioner(fixed_size_partitioner(2)).try_get_partitioned().unwrap();
        range_input_producer(&g, 3, InputOptions::new().num_epochs(1));
        summary::scalar("x", &g.constant(1f32));
        let train = w.assign_add(g.constant([1f32, 1.0]));
        add_to_collection(&g, keys::TRAIN_OP, train.name().unwrap());
        let init = global_variables_initializer(&g);
        let saver = Saver::new(&g);
        let session = local(&g);
        session.run(RunRequest::new().target(&init)).unwrap();
        let prefix = saver.save(&session, folder.path().join("m"), None).unwrap();
        let names = |variables: Vec<Variable>| -> Vec<(String, VariableKind, Option<SaveSliceInfo>)> {
            let entry = |v: &Variable| (v.name().to_owned(), v.kind(), v.save_slice_info().cloned());
            variables.iter().map(entry).collect()
        };

        let again = graph();
        let saver = import_meta_graph(&again, folder.path().join("m.meta")).unwrap().unwrap();
        for list in [global_variables, trainable_variables, local_variables] {
            assert_eq!(names(list(&again)), names(list(&g)));
        }
        assert_eq!(queue_runners(&again)[0].names(), queue_runners(&g)[0].names());
        for key in [keys::SUMMARIES, keys::TRAIN_OP] {
            assert_eq!(collection(&again, key), collection(&g, key));
        }
        let session = local(&again);
        saver.restore(&session, prefix).unwrap();
        session.run(RunRequest::new().target(&*collection(&again, keys::TRAIN_OP)[0])).unwrap();
        let w = Variable::find(&again, "w").unwrap();
        assert_eq!(session.fetch(RunRequest::new().fetch(w.value())).unwrap(), [Tensor::from([2f32, 3.0])]);
        // What the imported saver writes is what the first one wrote.
        let second = saver.save(&session, folder.path().join("n"), None).unwrap();
        let values = files::BundleReader::open(second).unwrap();
        assert_eq!(values.lookup("w").unwrap(), Tensor::from([2f32, 3.0]));
        assert_eq!(values.lookup("p").unwrap().dims(), [4, 2]);
    }

    #[test]
    fn what_is_malformed_is_refused() {
        let folder = Folder::new("meta-bad");
        let path = folder.path().join("bad.meta");
        let refused = |meta: &MetaGraphDef| {
            write_meta_graph(&path, meta).unwrap();
            import_meta_graph(&graph(), &path).err().unwrap()
        };
        std::fs::write(&path, b"\xff\xff\xff").unwrap();
        assert_eq!(import_meta_graph(&graph(), &path).err().unwrap().code(), Code::DataLoss);
        let missing = import_meta_graph(&graph(), folder.path().join("none.meta")).err().unwrap();
        assert_eq!(missing.code(), Code::NotFound);
        let g = graph();
        Variable::new("w", g.constant(1f32));
        let saver = Saver::new(&g);
        let whole = saver.export_meta_graph().unwrap();
        let mut meta = whole.clone();
        meta.graph_def.as_mut().unwrap().node.retain(|node| !node.name.starts_with("save"));
        assert!(refused(&meta).message().contains("the saver of the meta graph"));
        let mut meta = whole.clone();
        meta.saver_def = None;
        meta.graph_def = None;
        assert!(refused(&meta).message().contains("variable 'w' of a collection"));
        let mut meta = whole;
        meta.saver_def.as_mut().unwrap().version = 1;
        assert_eq!(refused(&meta).code(), Code::Unimplemented);
    }

    /// Whatever byte is damaged, the file is refused or the graph it gives can be looked at.
    #[test]
    fn damage_never_panics() {
        let g = graph();
        Variable::new("w", g.constant([1f32, 2.0]));
        let parts = g.variable("p").shape([4, 2]).initializer(Initializer::Ones);
        parts.partitioner(fixed_size_partitioner(2)).try_get_partitioned().unwrap();
        range_input_producer(&g, 3, InputOptions::new().num_epochs(1));
        let saver = Saver::new(&g);
        let whole = saver.export_meta_graph().unwrap().encode_to_vec();
        for at in (0..whole.len()).step_by(17) {
            for flip in [1, 0x80] {
                let mut damaged = whole.clone();
                damaged[at] ^= flip;
                let Ok(meta) = MetaGraphDef::decode(Bytes::from(damaged)) else { continue };
                let again = graph();
                if import_meta_graph_def(&again, meta).is_ok() {
                    global_variables(&again).iter().for_each(|variable| drop(variable.shape()));
                    let _ = runtime::LocalSession::new(&again);
                }
            }
        }
    }
}
