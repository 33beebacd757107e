//! Saver: a model's variables to checkpoints and back, in TensorFlow's format (V2).
//!
//! A checkpoint appears whole or not at all: its files are written under other names and renamed, the `checkpoint` file that
//! names the newest one is replaced after that, and old checkpoints are removed last. A save that fails at any point leaves
//! the earlier state as it was.

mod kept;
mod saved_graph;
mod subgraph;
mod through;

use std::path::{Path, PathBuf};
use std::time::Duration;

use graph::Graph;
use parking_lot::Mutex;
use runtime::{RunRequest, Session};
use tensor::{Code, Result, Status, Tensor, ensure, err};

use crate::fence::Fence;
use crate::meta_graph::write_meta_graph;
use crate::variable::Variable;
use crate::variable_lists::global_variables;
use kept::Kept;
pub(crate) use kept::sweep;
pub use saved_graph::{import_meta_graph, import_meta_graph_def};
pub(crate) use subgraph::Saveable;

/// What a [`Saver`] keeps and how.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::SaverOptions;
/// let g = Graph::new();
/// Variable::new("w", g.constant(1f32));
/// let saver = Saver::with_options(&g, SaverOptions { max_to_keep: 1, ..Default::default() });
/// assert_eq!(saver.options().max_to_keep, 1);
/// ```
#[derive(Clone, Debug)]
pub struct SaverOptions {
    /// The scope of its nodes.
    pub name: String,
    /// How many of the newest checkpoints stay; 0 keeps all, and then the `checkpoint` file names only the newest.
    pub max_to_keep: usize,
    /// One checkpoint in so much time stays for good.
    pub keep_checkpoint_every: Duration,
    /// Each device writes its own variables, instead of all of them going through one.
    pub sharded: bool,
    /// The task, such as `/job:worker/task:0`, that writes and reads all files, whichever device has the variables: only it needs
    /// the folder. It never holds more of the model at once than some 128 MB, or two tensors that are larger.
    pub through: Option<String>,
    /// Write the graph beside each checkpoint, as `.meta`.
    pub write_meta_graph: bool,
    /// Restore also from tensors of another shape with as many elements.
    pub reshape: bool,
    /// Write checkpoints as TensorFlow did before 1.0. Such a checkpoint is one file, or one for each device; those of either
    /// format are restored.
    pub first_format: bool,
}

impl Default for SaverOptions {
    fn default() -> SaverOptions {
        SaverOptions {
            name: "save".to_owned(),
            max_to_keep: 5,
            keep_checkpoint_every: Duration::from_secs(10_000 * 3600),
            sharded: false,
            through: None,
            write_meta_graph: true,
            reshape: false,
            first_format: false,
        }
    }
}

/// Saves and restores variables.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::latest_checkpoint;
/// # fn main() -> tensorfleet::Result<()> {
/// # let folder = std::env::temp_dir().join(format!("saver-doctest-{}", std::process::id()));
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant([1f32, 2.0]));
/// let (init, more) = (global_variables_initializer(&g), w.assign_add(g.constant([1f32, 1.0])));
/// let saver = Saver::new(&g);
///
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&init))?;
/// let path = saver.save(&session, folder.join("model.ckpt"), Some(7))?;
/// assert_eq!(path, folder.join("model.ckpt-7"));
///
/// session.run(RunRequest::new().target(&more))?;
/// saver.restore(&session, latest_checkpoint(&folder)?.unwrap())?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(w.value()))?, [Tensor::from([1f32, 2.0])]);
/// # std::fs::remove_dir_all(&folder)?;
/// # Ok(())
/// # }
/// ```
pub struct Saver {
    graph: Graph,
    options: SaverOptions,
    names: SaverNames,
    kept: Mutex<Kept>,
    /// Of the chief that saves.
    fence: Mutex<Option<Fence>>,
}

/// The nodes by which a graph saves and restores itself, by name.
#[derive(Clone, Debug, PartialEq)]
struct SaverNames {
    /// Where the prefix is fed.
    filename: String,
    /// Fetched to save.
    save: String,
    /// Run to restore.
    restore: String,
}

impl Saver {
    /// A saver of all global variables that exist by now.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let saver = Saver::new(&g);
    /// assert_eq!(saver.options().max_to_keep, 5);
    /// ```
    #[track_caller]
    pub fn new(graph: &Graph) -> Saver {
        Saver::with_options(graph, SaverOptions::default())
    }

    /// A saver of all global variables that exist by now.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::SaverOptions;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let saver = Saver::with_options(&g, SaverOptions { sharded: true, ..Default::default() });
    /// assert!(saver.options().sharded);
    /// ```
    #[track_caller]
    pub fn with_options(graph: &Graph, options: SaverOptions) -> Saver {
        let variables = global_variables(graph);
        Saver::build(graph, variables.iter().map(Saveable::of).collect(), options)
    }

    /// A saver of some variables.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::SaverOptions;
    /// # let folder = std::env::temp_dir().join(format!("saver-of-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// let (a, _) = (Variable::new("a", g.constant(1f32)), Variable::new("b", g.constant(2f32)));
    /// let (init, saver) = (global_variables_initializer(&g), Saver::of(&g, &[a], SaverOptions::default()));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&init)?;
    /// let prefix = saver.save(&session, folder.join("only-a"), None)?;
    /// assert!(Saver::new(&g).restore(&session, prefix).is_err()); // it lacks `b`
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn of(graph: &Graph, variables: &[Variable], options: SaverOptions) -> Saver {
        Saver::build(graph, variables.iter().map(Saveable::of).collect(), options)
    }

    /// A saver of some variables under other names than their own, such as those in another model's checkpoint.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::SaverOptions;
    /// # let folder = std::env::temp_dir().join(format!("saver-by-name-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// let (a, b) = (Variable::new("a", g.constant(1f32)), Variable::new("b", g.constant(2f32)));
    /// let from = Saver::by_name(&g, [("weights", a)], SaverOptions::default());
    /// let to = Saver::by_name(&g, [("weights", b.clone())], SaverOptions::default());
    /// let init = global_variables_initializer(&g);
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&init)?;
    /// to.restore(&session, from.save(&session, folder.join("model.ckpt"), None)?)?;
    /// assert_eq!(session.eval::<f32, _>(&b)?, 1.0);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn by_name<N: AsRef<str>>(
        graph: &Graph,
        variables: impl IntoIterator<Item = (N, Variable)>,
        options: SaverOptions,
    ) -> Saver {
        let named = |(name, variable): (N, Variable)| Saveable::named(name.as_ref(), &variable);
        let saveables = variables.into_iter().map(named).collect();
        Saver::build(graph, saveables, options)
    }

    #[track_caller]
    fn build(graph: &Graph, saveables: Vec<Saveable>, options: SaverOptions) -> Saver {
        let names = subgraph::build(graph, saveables, &options);
        Saver::from_names(graph, names, options)
    }

    /// A saver of nodes that the graph has already.
    fn from_names(graph: &Graph, names: SaverNames, options: SaverOptions) -> Saver {
        let kept = Mutex::new(Kept::new(options.max_to_keep, options.keep_checkpoint_every));
        Saver { graph: graph.clone(), options, names, kept, fence: Mutex::new(None) }
    }

    /// Returns what it keeps and how.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let options = Saver::new(&g).options().clone();
    /// assert_eq!((options.max_to_keep, options.sharded), (5, false));
    /// ```
    pub fn options(&self) -> &SaverOptions {
        &self.options
    }

    /// Returns the names of its nodes: the tensor that the prefix of a checkpoint is fed to, the tensor that is fetched to save,
    /// and the operation that is run to restore.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let (filename, save, restore) = Saver::new(&g).nodes();
    /// assert_eq!((&*filename, &*save, &*restore), ("save/Const:0", "save/control_dependency:0", "save/restore_all"));
    /// ```
    pub fn nodes(&self) -> (String, String, String) {
        let SaverNames { filename, save, restore } = self.names.clone();
        (with_index(filename), with_index(save), restore)
    }

    /// Returns the graph whose variables it saves.
    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Writes a checkpoint `<path>-<step>`, or `<path>` if there is no step, and returns its prefix.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::latest_checkpoint;
    /// # let folder = std::env::temp_dir().join(format!("saver-save-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let (init, saver) = (global_variables_initializer(&g), Saver::new(&g));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&init)?;
    /// assert_eq!(saver.save(&session, folder.join("model.ckpt"), Some(20))?, folder.join("model.ckpt-20"));
    /// assert_eq!(latest_checkpoint(&folder)?, Some(folder.join("model.ckpt-20")));
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// What the step failed with, such as `ResourceExhausted` for a full disk; `FailedPrecondition` for a variable
    /// without a value.
    pub fn save(&self, session: &dyn Session, path: impl AsRef<Path>, step: Option<i64>) -> Result<PathBuf> {
        self.graph.check()?;
        let mut prefix = path.as_ref().as_os_str().to_owned();
        ensure!(!prefix.is_empty(), InvalidArgument, "a checkpoint needs a name");
        if let Some(step) = step {
            prefix.push(format!("-{step}"));
        }
        let prefix = PathBuf::from(prefix);
        let folder = folder_of(&prefix);
        files::place::create_folder(&folder).map_err(|error| Status::from(error).context(folder.display()))?;
        // One save at a time, so that the newest in the list is the newest on disk.
        let mut kept = self.kept.lock();
        self.check_fence("save")?;
        let request = RunRequest::new().feed(&self.names.filename, path_tensor(&prefix)).fetch(&self.names.save);
        session.run(request).map_err(|status| status.context(format_args!("saving {}", prefix.display())))?;
        if self.options.write_meta_graph {
            write_meta_graph(meta_path(&prefix), &self.export_meta_graph()?)?;
        }
        // Another chief may have begun meanwhile, and have older checkpoints to lose.
        self.check_fence("save")?;
        kept.record(&folder, &prefix)?;
        Ok(prefix)
    }

    /// Lets saves be refused once another chief has begun.
    pub(crate) fn keep_fence(&self, fence: &Fence) {
        *self.fence.lock() = Some(fence.clone());
    }

    fn check_fence(&self, what: &str) -> Result<()> {
        let fence = self.fence.lock().clone();
        fence.map_or(Ok(()), |fence| fence.check(what))
    }

    /// Gives the variables the values of a checkpoint.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let saver = Saver::new(&g);
    /// let error = saver.restore(&LocalSession::new(&g)?, "/no/such/checkpoint").unwrap_err();
    /// assert_eq!(error.code(), Code::NotFound);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `NotFound` if there is no such checkpoint or it lacks a variable; `InvalidArgument` if types or shapes differ;
    /// `DataLoss` if it is damaged.
    pub fn restore(&self, session: &dyn Session, prefix: impl AsRef<Path>) -> Result<()> {
        self.graph.check()?;
        let prefix = prefix.as_ref();
        ensure!(
            files::checkpoint_exists(prefix),
            NotFound,
            "The passed save_path is not a valid checkpoint: {}",
            prefix.display()
        );
        let request = RunRequest::new().feed(&self.names.filename, path_tensor(prefix)).target(&*self.names.restore);
        session.run(request).map(drop).map_err(|status| explain_restore(status, prefix))
    }

    /// The checkpoints that this saver will remove in time, oldest first.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::SaverOptions;
    /// # let folder = std::env::temp_dir().join(format!("saver-last-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let init = global_variables_initializer(&g);
    /// let saver = Saver::with_options(&g, SaverOptions { max_to_keep: 2, ..Default::default() });
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&init)?;
    /// for step in [1, 2, 3] {
    ///     saver.save(&session, folder.join("model.ckpt"), Some(step))?;
    /// }
    /// assert_eq!(saver.last_checkpoints(), [folder.join("model.ckpt-2"), folder.join("model.ckpt-3")]);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    pub fn last_checkpoints(&self) -> Vec<PathBuf> {
        self.kept.lock().paths()
    }

    /// Counts checkpoints of an earlier run among those that this saver will remove in time. Those that do not exist are
    /// left out.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::all_checkpoints;
    /// # let folder = std::env::temp_dir().join(format!("saver-recover-doctest-{}", std::process::id()));
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let (init, saver, next) = (global_variables_initializer(&g), Saver::new(&g), Saver::new(&g));
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&init)?;
    /// saver.save(&session, folder.join("model.ckpt"), Some(1))?;
    /// next.recover_last_checkpoints(&all_checkpoints(&folder)?);
    /// assert_eq!(next.last_checkpoints(), [folder.join("model.ckpt-1")]);
    /// # std::fs::remove_dir_all(&folder)?;
    /// # Ok::<(), Status>(())
    /// ```
    pub fn recover_last_checkpoints(&self, prefixes: &[PathBuf]) {
        self.kept.lock().recover(prefixes);
    }
}

/// The full name of an output, which is short if it is a node's first.
fn with_index(name: String) -> String {
    if name.contains(':') { name } else { format!("{name}:0") }
}

/// What restoring failed with, and what that usually means.
fn explain_restore(status: Status, prefix: &Path) -> Status {
    let hint = match status.code() {
        Code::NotFound => "; does the checkpoint belong to another model?",
        Code::InvalidArgument => "; the checkpoint belongs to a model with other types or shapes",
        _ => "",
    };
    let node = status.node().map(str::to_owned);
    let explained = Status::new(
        status.code(),
        format!("Restoring from checkpoint failed: {}: {}{hint}", prefix.display(), status.message()),
    );
    match node {
        Some(node) => explained.at_node(&node),
        None => explained,
    }
}

pub(crate) fn folder_of(prefix: &Path) -> PathBuf {
    match prefix.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder.to_owned(),
        _ => PathBuf::from("."),
    }
}

/// Where the graph of a checkpoint is written.
pub(crate) fn meta_path(prefix: &Path) -> PathBuf {
    let mut name = prefix.as_os_str().to_owned();
    name.push(".meta");
    PathBuf::from(name)
}

fn path_tensor(path: &Path) -> Tensor {
    use std::os::unix::ffi::OsStrExt;
    Tensor::from(bytes::Bytes::copy_from_slice(path.as_os_str().as_bytes()))
}

/// An error for a prefix that cannot be written as text.
pub(crate) fn text_of(path: &Path) -> Result<String> {
    path.to_str().map(str::to_owned).ok_or_else(|| err!(InvalidArgument, "{} is not UTF-8", path.display()))
}

#[cfg(test)]
mod tests;
