//! What resources tell an operator about themselves: sizes, lengths, counts. Asked for now and then, never by a step.

use tensor::{DType, PartialShape};

/// A resource, with where it is kept and how it is.
///
/// ```
/// use std::sync::Arc;
/// use tensorfleet::graph::op::{RefVariable, ResourceManager, ResourceState, Resources, Variable};
/// use tensorfleet::{DType, PartialShape, Tensor};
/// let manager = ResourceManager::new("ps");
/// let resources: &dyn Resources = &manager;
/// let variable = Arc::new(Variable::new("w", DType::Float, PartialShape::from([2])));
/// resources.lookup_or_create("", "w", || Ok(RefVariable(variable.clone())))?;
/// variable.set(Tensor::from([1f32, 2.0]));
/// let report = manager.report().remove(0);
/// assert_eq!((report.container.as_str(), report.name.as_str()), ("ps", "w"));
/// assert!(matches!(report.state, ResourceState::Variable { bytes: Some(8), .. }));
/// # Ok::<(), tensorfleet::Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct ResourceReport {
    /// The container that it is in.
    pub container: String,
    /// Its name there.
    pub name: String,
    /// The word that messages use for it.
    pub kind: &'static str,
    /// How it is.
    pub state: ResourceState,
}

/// How a resource is, by what it is.
///
/// ```
/// use tensorfleet::graph::op::ResourceState;
/// assert!(matches!(ResourceState::default(), ResourceState::Other));
/// ```
#[derive(Clone, Debug, Default)]
pub enum ResourceState {
    /// Holds a value.
    Variable {
        /// Its type.
        dtype: DType,
        /// What its definition says of the shape.
        shape: PartialShape,
        /// The size of its value, if it has one.
        bytes: Option<u64>,
        /// How often it was read or written.
        uses: u64,
    },
    /// Holds elements in an order.
    Queue {
        /// How many there are.
        length: u64,
        /// How many there may be.
        capacity: u64,
        /// How many enqueues wait for room.
        entering: u64,
        /// How many dequeues wait for elements.
        leaving: u64,
        /// How many elements the first of these still lacks.
        missing: u64,
        /// Whether no more may come.
        closed: bool,
    },
    /// Adds up gradients.
    Accumulator {
        /// How many the next result has so far.
        accumulated: u64,
        /// How many the first that waits for a result wants; 0 if nobody waits.
        required: u64,
        /// How many were added in all.
        accepted: u64,
        /// How many came too late in all.
        dropped: u64,
        /// The same of each worker that said its name.
        by_worker: Vec<GradientsOfWorker>,
    },
    /// Anything else.
    #[default]
    Other,
}

/// What became of the gradients that a worker brought to an accumulator.
///
/// ```
/// use tensorfleet::graph::op::GradientsOfWorker;
/// let slow = GradientsOfWorker { accepted: 8, dropped: 2, steps_late: 6, ..Default::default() };
/// assert_eq!(slow.steps_late / slow.dropped, 3); // what was dropped was three steps old
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GradientsOfWorker {
    /// Its name.
    pub worker: String,
    /// How many were added.
    pub accepted: u64,
    /// How many came too late.
    pub dropped: u64,
    /// By how many steps, those that came too late together.
    pub steps_late: u64,
    /// Whether one of them is among those that are added up now.
    pub present: bool,
}
