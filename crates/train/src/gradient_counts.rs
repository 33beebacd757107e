//! How many gradients of synchronous training were accepted, and how many came too late, in all and of each worker.

use graph::{Graph, Output};
use runtime::{RunRequest, Session};
use tensor::{Result, Tensor, ensure};

use crate::summary;

/// How many gradients an accumulator has got since its ps was started. Only tasks of ours can tell.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
/// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
/// sync.minimize(&(&w * &w), Some(&step))?;
/// let counts = &sync.gradient_counts()?[0];
/// let session = LocalSession::new(&g)?;
/// session.eval(&global_variables_initializer(&g))?;
/// assert_eq!(session.eval::<Vec<i64>, _>(&counts.accepted_and_dropped)?, [0, 0]);
/// assert!(counts.read(&session)?.is_empty()); // no worker has handed in any
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct GradientCounts {
    /// The variable whose gradients they are.
    pub variable: String,
    /// How many there are for the next step, an int32.
    pub accumulated: Output,
    /// How many were added so far, and how many came too late and were dropped: two int64.
    pub accepted_and_dropped: Output,
    /// The workers (those of ours) that gradients came from, strings.
    pub workers: Output,
    /// Accepted and dropped gradients of each of these workers: two int64 in a row.
    pub by_worker: Output,
}

/// The gradients of one worker.
///
/// ```
/// use tensorfleet::train::WorkerGradients;
/// let gradients = WorkerGradients { worker: "/job:worker/task:1".to_owned(), accepted: 9, dropped: 1 };
/// assert_eq!(gradients.accepted + gradients.dropped, 10);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkerGradients {
    /// Its device, such as `/job:worker/task:1`.
    pub worker: String,
    /// How many were added to a step.
    pub accepted: i64,
    /// How many were computed in an earlier step than the one they came in.
    pub dropped: i64,
}

impl GradientCounts {
    /// Adds the nodes, beside the accumulator.
    pub(crate) fn build(graph: &Graph, variable: &str, accumulator: &Output, sparse: bool) -> GradientCounts {
        let op = |name: &str| graph.op(&format!("{}{name}", if sparse { "" } else { "Resource" })).input(accumulator);
        let counts = op("AccumulatorCounts").build();
        GradientCounts {
            variable: variable.to_owned(),
            accumulated: op("AccumulatorNumAccumulated").output(),
            accepted_and_dropped: counts.output(0),
            workers: counts.output(1),
            by_worker: counts.output(2),
        }
    }

    /// What became of each worker's gradients so far.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// assert!(sync.gradient_counts()?[0].read(&LocalSession::new(&g)?)?.is_empty()); // nobody has handed in any
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// What the session failed with.
    pub fn read(&self, session: &dyn Session) -> Result<Vec<WorkerGradients>> {
        let values = session.fetch(RunRequest::new().fetch(&self.workers).fetch(&self.by_worker))?;
        let [workers, counts] = &values[..] else { return Ok(Vec::new()) };
        let (workers, counts) = (Tensor::strings(workers)?, counts.to_i64_vec()?);
        ensure!(counts.len() == 2 * workers.len(), Internal, "{} counts of {} workers", counts.len(), workers.len());
        let pairs = workers.iter().zip(counts.chunks_exact(2));
        let named = pairs.map(|(worker, counts)| WorkerGradients {
            worker: String::from_utf8_lossy(worker).into_owned(),
            accepted: counts[0],
            dropped: counts[1],
        });
        Ok(named.collect())
    }

    /// Adds summaries of accepted and dropped gradients, under `gradients/VARIABLE/accepted` and `dropped`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{collection, keys};
    /// let g = Graph::new();
    /// let (w, step) = (Variable::new("w", g.constant(1f32)), get_or_create_global_step(&g));
    /// let sync = SyncReplicas::new(GradientDescent::new(0.25), 1);
    /// sync.minimize(&(&w * &w), Some(&step))?;
    /// sync.gradient_counts()?[0].summarize();
    /// assert_eq!(collection(&g, keys::SUMMARIES).len(), 2);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn summarize(&self) {
        let graph = self.accepted_and_dropped.graph();
        for (index, what) in ["accepted", "dropped"].into_iter().enumerate() {
            let count = graph.op("GatherV2").input(&self.accepted_and_dropped);
            let count = count.input(graph.constant(index as i32)).input(graph.constant(0i32)).output();
            summary::scalar(&format!("gradients/{}/{what}", self.variable), &count);
        }
    }
}
