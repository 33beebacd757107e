//! Scaffold: the nodes that the supervision of a run needs, given by the program or made as usual.

use std::sync::Arc;

use graph::{Graph, Operation, Output};
use runtime::Session;
use tensor::{Result, Tensor};

use crate::saver::Saver;
use crate::session_manager::SessionManager;
use crate::summary;
use crate::variable_lists::{
    global_variables, global_variables_initializer, local_variables_initializer, report_uninitialized_variables,
};

/// A function that gives a model values that no node gives it.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{InitFn, Scaffold};
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let set = w.assign(7.0);
/// let init_fn: InitFn = Arc::new(move |session| session.eval(&set));
/// let scaffold = Scaffold { init_fn: Some(init_fn), ..Default::default() };
/// let session = MonitoredTrainingSession::new(&g, LocalSessions::default()).scaffold(scaffold).open()?;
/// assert_eq!(session.raw_session()?.eval::<f32, _>(&w)?, 7.0);
/// # Ok::<(), Status>(())
/// ```
pub type InitFn = Arc<dyn Fn(&dyn Session) -> Result<()> + Send + Sync>;

/// What a run needs besides its model. What is `None` is made when the run begins.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Scaffold;
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let scaffold = Scaffold { init_op: Some(w.assign(7.0)), ..Default::default() };
/// let session = MonitoredTrainingSession::new(&g, LocalSessions::default()).scaffold(scaffold).open()?;
/// let value = session.raw_session()?.fetch(RunRequest::new().fetch(w.value()))?;
/// assert_eq!(value, [Tensor::from(7f32)]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Default)]
pub struct Scaffold {
    /// Gives the global variables their first values.
    pub init_op: Option<Operation>,
    /// What `init_op` is fed, by the names of the tensors.
    pub init_feeds: Vec<(String, Tensor)>,
    /// Called after `init_op`.
    pub init_fn: Option<InitFn>,
    /// Names what has no value yet.
    pub ready_op: Option<Output>,
    /// Names what the local initialization waits for.
    pub ready_for_local_init_op: Option<Output>,
    /// Gives what each worker has for itself its first values.
    pub local_init_op: Option<Operation>,
    /// All summaries as one.
    pub summary_op: Option<Output>,
    /// Saves and restores the model.
    pub saver: Option<Arc<Saver>>,
}

impl Scaffold {
    /// Returns a scaffold of which everything is to be made.
    pub fn new() -> Scaffold {
        Scaffold::default()
    }

    /// Makes what is missing. A model without variables gets no saver, one without summaries no summary node.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Scaffold;
    /// let g = Graph::new();
    /// Variable::new("w", g.constant(1f32));
    /// let mut scaffold = Scaffold::new();
    /// scaffold.finalize(&g);
    /// assert!(scaffold.init_op.is_some() && scaffold.saver.is_some() && scaffold.summary_op.is_none());
    /// ```
    #[track_caller]
    pub fn finalize(&mut self, graph: &Graph) {
        self.finalize_with(graph, true, true);
    }

    /// Makes what is missing; summaries and a saver only if they are wanted.
    #[track_caller]
    pub(crate) fn finalize_with(&mut self, graph: &Graph, use_summaries: bool, use_saver: bool) {
        self.init_op.get_or_insert_with(|| global_variables_initializer(graph));
        self.ready_op.get_or_insert_with(|| report_uninitialized_variables(graph, None));
        self.ready_for_local_init_op
            .get_or_insert_with(|| report_uninitialized_variables(graph, Some(&global_variables(graph))));
        self.local_init_op.get_or_insert_with(|| local_variables_initializer(graph));
        match use_summaries {
            true => self.summary_op = self.summary_op.take().or_else(|| summary::merge_all(graph)),
            false => self.summary_op = None,
        }
        match use_saver {
            true if self.saver.is_none() && !global_variables(graph).is_empty() => {
                self.saver = Some(Arc::new(Saver::new(graph)));
            }
            true => {}
            false => self.saver = None,
        }
    }

    /// The manager for these nodes.
    #[track_caller]
    pub(crate) fn session_manager(&self, graph: &Graph) -> SessionManager {
        SessionManager::new(
            graph,
            self.ready_op.clone(),
            self.ready_for_local_init_op.clone(),
            self.local_init_op.clone(),
        )
    }
}
