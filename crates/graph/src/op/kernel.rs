//! Kernels: what computes an op's outputs, and how it wants to be run.

use std::fmt;
use std::sync::Arc;

use tensor::{DType, Result};

use super::context::{AsyncContext, Done, OpContext};
use crate::attr::{AttrValue, Attrs};
use crate::data::Node;

/// A node's kernel, made once when a graph is prepared and run at every step, possibly by several at once.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::Node;
/// use tensorfleet::graph::op::{Kernel, OpContext};
/// /// The kernel of an op that returns how many elements its input has.
/// fn count(_node: &Node) -> Result<Kernel> {
///     Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
///         let count = cx.input(0)?.num_elements() as i64;
///         cx.set_output(0, count);
///         Ok(())
///     }))
/// }
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone)]
pub enum Kernel {
    /// Takes next to no time: always run on the thread at hand.
    Cheap(Arc<dyn Compute>),
    /// Computes; may be worth another thread.
    Compute(Arc<dyn Compute>),
    /// May block on files, so it runs on threads of its own.
    Blocking(Arc<dyn Compute>),
    /// Waits for a disk, which may never answer: it has threads of its own, and its node ends when the step is cancelled, also
    /// if the thread is still waiting then. Who `saves` has other threads than who reads, so that a checkpoint does not wait for
    /// files that do not come.
    Files {
        /// What it does.
        compute: Arc<dyn Compute>,
        /// Whether it writes or reads checkpoints.
        saves: bool,
    },
    /// Waits for something without holding a thread.
    Async(Arc<dyn ComputeAsync>),
}

impl Kernel {
    /// Returns a kernel that only touches metadata; it runs where it is.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::{Kernel, OpContext};
    /// let rank = Kernel::cheap(|cx: &mut OpContext<'_>| {
    ///     let rank = cx.input(0)?.shape().rank() as i32;
    ///     cx.set_output(0, rank);
    ///     Ok(())
    /// });
    /// assert!(matches!(rank, Kernel::Cheap(_)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn cheap(compute: impl Compute + 'static) -> Kernel {
        Kernel::Cheap(Arc::new(compute))
    }

    /// Returns a kernel that computes; another thread may take it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::{Kernel, OpContext};
    /// let negate = Kernel::compute(|cx: &mut OpContext<'_>| {
    ///     let mut x = cx.take_input(0)?;
    ///     x.make_mut::<f32>()?.iter_mut().for_each(|x| *x = -*x);
    ///     cx.set_output(0, x);
    ///     Ok(())
    /// });
    /// assert!(matches!(negate, Kernel::Compute(_)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn compute(compute: impl Compute + 'static) -> Kernel {
        Kernel::Compute(Arc::new(compute))
    }

    /// Returns a kernel that may block, on something other than files; it has threads of its own, and is waited for.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::{Kernel, OpContext};
    /// let show = Kernel::blocking(|cx: &mut OpContext<'_>| {
    ///     println!("{:?}", cx.input(0)?);
    ///     Ok(())
    /// });
    /// assert!(matches!(show, Kernel::Blocking(_)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn blocking(compute: impl Compute + 'static) -> Kernel {
        Kernel::Blocking(Arc::new(compute))
    }

    /// Returns a kernel that reads or writes files. If its step is cancelled while it waits for them, nobody waits for it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::{Kernel, OpContext};
    /// let read = Kernel::files(|cx: &mut OpContext<'_>| {
    ///     let path: String = cx.input(0)?.to()?;
    ///     let contents = std::fs::read_to_string(path)?;
    ///     cx.set_output(0, contents);
    ///     Ok(())
    /// });
    /// assert!(matches!(read, Kernel::Files { saves: false, .. }));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn files(compute: impl Compute + 'static) -> Kernel {
        Kernel::Files { compute: Arc::new(compute), saves: false }
    }

    /// As [`files`](Kernel::files), for checkpoints, which have threads apart from those of all other files.
    ///
    /// ```
    /// use tensorfleet::graph::op::{Kernel, OpContext};
    /// assert!(matches!(Kernel::checkpoints(|_: &mut OpContext<'_>| Ok(())), Kernel::Files { saves: true, .. }));
    /// ```
    pub fn checkpoints(compute: impl Compute + 'static) -> Kernel {
        Kernel::Files { compute: Arc::new(compute), saves: true }
    }

    /// Returns a kernel that waits without a thread.
    pub fn asynchronous(compute: impl ComputeAsync + 'static) -> Kernel {
        Kernel::Async(Arc::new(compute))
    }
}

/// Computes outputs from inputs before it returns. Closures over an [`OpContext`] are kernels.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::{Compute, Kernel, OpContext};
/// /// Adds a number that the node's attributes state.
/// struct Plus(f32);
///
/// impl Compute for Plus {
///     fn compute(&self, cx: &mut OpContext<'_>) -> Result<()> {
///         let mut x = cx.take_input(0)?;
///         x.make_mut::<f32>()?.iter_mut().for_each(|x| *x += self.0);
///         cx.set_output(0, x);
///         Ok(())
///     }
/// }
/// assert!(matches!(Kernel::compute(Plus(1.0)), Kernel::Compute(_)));
/// # Ok::<(), Status>(())
/// ```
pub trait Compute: Send + Sync {
    /// # Errors
    /// Whatever is wrong with the inputs; the executor adds the node's name.
    fn compute(&self, cx: &mut OpContext<'_>) -> Result<()>;
}

impl<F: Fn(&mut OpContext<'_>) -> Result<()> + Send + Sync> Compute for F {
    fn compute(&self, cx: &mut OpContext<'_>) -> Result<()> {
        self(cx)
    }
}

/// Starts work that ends later, by calling `done` exactly once, from any thread. It must also end (with `Cancelled` or
/// the token's status) when the step's [`Cancellation`](super::Cancellation) fires.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::{AsyncContext, Done, Kernel, Outputs, Value};
/// let passes_on = Kernel::asynchronous(|cx: AsyncContext, done: Done| {
///     let outcome = cx.input(0).map(|x| Outputs::from_iter([Value::Tensor(x.clone())]));
///     done(outcome);
/// });
/// assert!(matches!(passes_on, Kernel::Async(_)));
/// ```
pub trait ComputeAsync: Send + Sync {
    /// Begins, and calls `done` once, now or later.
    fn start(&self, cx: AsyncContext, done: Done);
}

impl<F: Fn(AsyncContext, Done) + Send + Sync> ComputeAsync for F {
    fn start(&self, cx: AsyncContext, done: Done) {
        self(cx, done);
    }
}

/// A kernel of an op for certain types.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let kernels = &g.registry().find("MatMul")?.kernels;
/// let (attr, types) = kernels[0].constraint.as_ref().unwrap();
/// assert!(*attr == "T" && types.contains(&DType::Float));
/// # Ok::<(), Status>(())
/// ```
pub struct KernelSpec {
    /// The attribute that states the type, and the types that the kernel is for.
    pub constraint: Option<(&'static str, Vec<DType>)>,
    /// Makes the kernel of a node.
    pub build: fn(&Node) -> Result<Kernel>,
}

impl KernelSpec {
    /// Returns whether the kernel is for a node with these attributes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::{AttrValue, Attrs};
    /// let g = Graph::new();
    /// let kernel = &g.registry().find("MatMul")?.kernels[0];
    /// let of = |dtype: DType| Attrs::from([("T".to_owned(), AttrValue::from(dtype))]);
    /// assert!(!kernel.accepts(&of(DType::String)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn accepts(&self, attrs: &Attrs) -> bool {
        match &self.constraint {
            None => true,
            Some((attr, types)) => matches!(attrs.get(*attr), Some(AttrValue::Type(dtype)) if types.contains(dtype)),
        }
    }
}

impl fmt::Display for KernelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.constraint {
            None => f.write_str("any type"),
            Some((attr, types)) => {
                let names: Vec<&str> = types.iter().map(|dtype| dtype.name()).collect();
                write!(f, "{attr} in {}", names.join(", "))
            }
        }
    }
}

impl fmt::Debug for KernelSpec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}
