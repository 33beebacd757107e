//! Kernels: what computes an op's outputs, and how it wants to be run.

use std::fmt;
use std::sync::Arc;

use tensor::{DType, Result};

use super::context::{AsyncContext, Done, OpContext};
use crate::attr::{AttrValue, Attrs};
use crate::data::Node;

/// A node's kernel, made once when a graph is prepared and run at every step, possibly by several at once.
#[derive(Clone)]
pub enum Kernel {
    /// Takes next to no time: always run on the thread at hand.
    Cheap(Arc<dyn Compute>),
    /// Computes; may be worth another thread.
    Compute(Arc<dyn Compute>),
    /// May block on files, so it runs on threads of its own.
    Blocking(Arc<dyn Compute>),
    /// Waits for something without holding a thread.
    Async(Arc<dyn ComputeAsync>),
}

impl Kernel {
    /// Returns a kernel that only touches metadata; it runs where it is.
    pub fn cheap(compute: impl Compute + 'static) -> Kernel {
        Kernel::Cheap(Arc::new(compute))
    }

    /// Returns a kernel that computes; another thread may take it.
    pub fn compute(compute: impl Compute + 'static) -> Kernel {
        Kernel::Compute(Arc::new(compute))
    }

    /// Returns a kernel that may block, on files for example; it has threads of its own.
    pub fn blocking(compute: impl Compute + 'static) -> Kernel {
        Kernel::Blocking(Arc::new(compute))
    }

    /// Returns a kernel that waits without a thread.
    pub fn asynchronous(compute: impl ComputeAsync + 'static) -> Kernel {
        Kernel::Async(Arc::new(compute))
    }
}

/// Computes outputs from inputs before it returns. Closures over an [`OpContext`] are kernels.
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
pub struct KernelSpec {
    /// The attribute that states the type, and the types that the kernel is for.
    pub constraint: Option<(&'static str, Vec<DType>)>,
    /// Makes the kernel of a node.
    pub build: fn(&Node) -> Result<Kernel>,
}

impl KernelSpec {
    /// Returns whether the kernel is for a node with these attributes.
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
