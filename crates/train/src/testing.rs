//! What tests of this crate share.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use graph::{Graph, GraphData, Operation};
use runtime::{LocalSession, RunRequest, RunResult, Session, SessionFactory};
use tensor::{Result, ensure};

use crate::global_step::get_or_create_global_step;
use crate::variable::Variable;

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

/// A place where sessions share their variables, until it is lost: then its sessions fail, and new ones begin anew.
#[derive(Clone, Default)]
pub(crate) struct Place(Arc<parking_lot::Mutex<Option<(Arc<LocalSession>, Arc<AtomicBool>)>>>);

impl Place {
    pub fn new() -> Place {
        Place::default()
    }

    /// As if the process that holds the variables had ended and come back.
    pub fn lose(&self) {
        if let Some((_, lost)) = self.0.lock().take() {
            lost.store(true, Ordering::SeqCst);
        }
    }
}

impl SessionFactory for Place {
    fn open(&self, graph: &Graph) -> Result<Arc<dyn Session>> {
        let mut here = self.0.lock();
        if here.is_none() {
            *here = Some((Arc::new(LocalSession::new(graph)?), Arc::default()));
        }
        let (session, lost) = here.clone().unwrap();
        Ok(Arc::new(Visit { session, lost, closed: AtomicBool::new(false) }))
    }
}

struct Visit {
    session: Arc<LocalSession>,
    lost: Arc<AtomicBool>,
    closed: AtomicBool,
}

impl Session for Visit {
    fn run(&self, request: RunRequest) -> Result<RunResult> {
        ensure!(!self.lost.load(Ordering::SeqCst), Aborted, "the task has restarted");
        ensure!(!self.closed.load(Ordering::SeqCst), FailedPrecondition, "Session is closed.");
        self.session.run(request)
    }

    fn extend(&self, graph: GraphData) -> Result<()> {
        self.session.extend(graph)
    }

    fn close(&self) -> Result<()> {
        self.closed.store(true, Ordering::SeqCst);
        Ok(())
    }
}

/// A model that only counts: a graph, its global step and the node that adds one to it.
pub(crate) fn counting() -> (Graph, Variable, Operation) {
    let g = graph();
    let step = get_or_create_global_step(&g);
    let count = step.assign_add(g.constant(1i64));
    (g, step, count)
}
