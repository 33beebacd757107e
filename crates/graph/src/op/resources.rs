//! Resources: objects that outlive a step (variables, queues, readers), found by container, type and name.

use std::any::{Any, TypeId};
use std::sync::Arc;

use tensor::{ResourceHandle, Result, Status, err};

use super::{ResourceState, StepId, Updates};

/// Something that lives in a container. `kind` is the word that messages use for it.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::{Resource, ResourceManager, Resources};
/// struct Counter(std::sync::atomic::AtomicU64);
///
/// impl Resource for Counter {
///     fn kind(&self) -> &'static str {
///         "counter"
///     }
/// }
///
/// let manager = ResourceManager::new("localhost");
/// let resources: &dyn Resources = &manager;
/// let made = resources.lookup_or_create("", "seen", || Ok(Counter(0.into())))?;
/// made.0.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
/// let found = resources.lookup::<Counter>("", "seen").unwrap();
/// assert_eq!(found.0.load(std::sync::atomic::Ordering::Relaxed), 1);
/// # Ok::<(), Status>(())
/// ```
pub trait Resource: Any + Send + Sync {
    /// Returns what it is, for messages.
    fn kind(&self) -> &'static str;

    /// Called when the resource is removed, so that whoever waits in it is let go.
    fn abandon(&self) {}

    /// Called when the model has got older values, so that what was computed of the newer ones is dropped.
    fn rolled_back(&self) {}

    /// Returns how it is, for operators.
    fn state(&self) -> ResourceState {
        ResourceState::Other
    }
}

/// The resources of a device.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::{ResourceManager, Resources};
/// let manager = ResourceManager::new("localhost");
/// let resources: &dyn Resources = &manager;
/// assert_eq!(resources.default_container(), "localhost");
/// ```
pub trait Resources: Send + Sync {
    /// The container that is meant when none is named.
    fn default_container(&self) -> &str;

    /// Returns whether something has been put into a container since it was last cleared.
    fn has_container(&self, container: &str) -> bool;

    /// Returns the resource of this name and Rust type.
    fn get(&self, container: &str, kind: TypeId, name: &str) -> Option<Arc<dyn Resource>>;

    /// The resource, made by `create` if it is not there. Two callers get the same one.
    ///
    /// # Errors
    /// What `create` returns.
    fn get_or_create(
        &self,
        container: &str,
        kind: TypeId,
        name: &str,
        create: &mut dyn FnMut() -> Result<Arc<dyn Resource>>,
    ) -> Result<Arc<dyn Resource>>;

    /// The steps that change the variables among them.
    fn updates(&self) -> &Updates;

    /// Notes that a step gives the model older values; all resources hear of it.
    fn roll_back(&self, step: StepId);

    /// Takes the resource out of its container; whether it was there.
    fn remove(&self, container: &str, kind: TypeId, name: &str) -> bool;
}

/// Typed access to [`Resources`].
impl dyn Resources {
    /// Returns the resource of this name and type, if there is one.
    pub fn lookup<T: Resource>(&self, container: &str, name: &str) -> Option<Arc<T>> {
        downcast(self.get(self.container(container), TypeId::of::<T>(), name)?)
    }

    /// # Errors
    /// What `create` returns.
    pub fn lookup_or_create<T: Resource>(
        &self,
        container: &str,
        name: &str,
        create: impl FnOnce() -> Result<T>,
    ) -> Result<Arc<T>> {
        let mut create = Some(create);
        let mut erased = || -> Result<Arc<dyn Resource>> {
            let create = create.take().ok_or_else(|| err!(Internal, "resource '{name}' was created twice"))?;
            // Names cost nothing, so nothing else bounds how many there are.
            tensor::memory::ensure_free(size_of::<T>() as u64 + 256, format_args!("resource '{name}'"))?;
            Ok(Arc::new(create()?))
        };
        let found = self.get_or_create(self.container(container), TypeId::of::<T>(), name, &mut erased)?;
        downcast(found).ok_or_else(|| err!(Internal, "resource '{name}' is of another type than it was stored under"))
    }

    /// Removes a resource; returns whether there was one.
    pub fn delete<T: Resource>(&self, container: &str, name: &str) -> bool {
        self.remove(self.container(container), TypeId::of::<T>(), name)
    }

    /// The resource that a handle names.
    ///
    /// # Errors
    /// `NotFound`, naming the resource; `FailedPrecondition` for a variable, as TensorFlow says it.
    pub fn open<T: Resource>(&self, handle: &ResourceHandle) -> Result<Arc<T>> {
        self.lookup(&handle.container, &handle.name)
            .ok_or_else(|| self.missing(&handle.container, &handle.name, &handle.type_name))
    }

    /// What is said of a resource that is not there: clients look for these words.
    pub fn missing(&self, container: &str, name: &str, type_name: &str) -> Status {
        let container = self.container(container);
        if !self.has_container(container) {
            return err!(
                NotFound,
                "Container {container} does not exist. (Could not find resource: {container}/{name})"
            );
        }
        let kind = if type_name.is_empty() { String::new() } else { format!("/{type_name}") };
        err!(NotFound, "Resource {container}/{name}{kind} does not exist.")
    }

    fn container<'a>(&'a self, name: &'a str) -> &'a str {
        if name.is_empty() { self.default_container() } else { name }
    }
}

fn downcast<T: Resource>(resource: Arc<dyn Resource>) -> Option<Arc<T>> {
    let any: Arc<dyn Any + Send + Sync> = resource;
    any.downcast().ok()
}

/// Where a node's resource is kept: its `container` and `shared_name` attributes, or its own name.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::Container;
/// let g = Graph::new();
/// let w = Variable::new("w", g.constant(1f32));
/// let data = g.snapshot()?;
/// let place = Container::of_variable(data.node(w.operation().id().unwrap()))?;
/// assert_eq!((place.container.as_str(), place.name.as_str()), ("", "w"));
/// # Ok::<(), Status>(())
/// ```
pub struct Container {
    /// The container that it is in.
    pub container: String,
    /// Its name in the container.
    pub name: String,
    /// No other node finds it, so that it ends with the kernel.
    pub private: bool,
}

impl Container {
    /// Shared with every node of the same name: the rule of variables.
    ///
    /// # Errors
    /// `InvalidArgument` if an attribute is missing or the container's name malformed.
    pub fn of_variable(node: &crate::Node) -> Result<Container> {
        use crate::ReadAttrs;
        let container = node.attr_str("container")?.to_owned();
        check_container(&container)?;
        let shared = node.attr_str("shared_name")?;
        let name = if shared.is_empty() { node.name.clone() } else { shared.to_owned() };
        Ok(Container { container, name, private: false })
    }

    /// Private to the kernel unless `shared_name` is set, or the node's name is to be shared: the rule of queues, readers,
    /// accumulators and tables.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::op::Container;
    /// use tensorfleet::train::Queue;
    /// let g = Graph::new();
    /// let queue = Queue::of(&[DType::Float]).shared_name("numbers").fifo(&g);
    /// let data = g.snapshot()?;
    /// let place = Container::of_node(data.node(queue.handle().operation().id().unwrap()))?;
    /// assert_eq!((place.name.as_str(), place.private), ("numbers", false));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if an attribute is missing or a name malformed.
    pub fn of_node(node: &crate::Node) -> Result<Container> {
        use crate::ReadAttrs;
        let container = node.attr_str("container")?.to_owned();
        check_container(&container)?;
        let shared = node.attr_str("shared_name")?;
        tensor::ensure!(!shared.starts_with('_'), InvalidArgument, "shared_name cannot start with '_': {shared}");
        let by_node = node.attr_bool("use_node_name_sharing").unwrap_or(false);
        let private = shared.is_empty() && !by_node;
        let name = match shared {
            "" if private => format!("_{}_{}", next_private(), node.name),
            "" => node.name.clone(),
            shared => shared.to_owned(),
        };
        Ok(Container { container, name, private })
    }
}

fn next_private() -> u64 {
    static NEXT: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
    NEXT.fetch_add(1, std::sync::atomic::Ordering::Relaxed)
}

fn check_container(name: &str) -> Result<()> {
    let first = |c: char| c.is_ascii_alphanumeric() || c == '.';
    let later = |c: char| c.is_ascii_alphanumeric() || "-./".contains(c);
    let fine = name.is_empty() || (name.starts_with(first) && name.chars().all(later));
    tensor::ensure!(fine, InvalidArgument, "container contains invalid characters: {name}");
    Ok(())
}
