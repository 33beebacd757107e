//! Kernels that make a resource (a queue, a reader, an accumulator) and give out its handle.

use std::any::TypeId;
use std::sync::{Arc, Weak};

use graph::Node;
use graph::op::{Compute, Container, OpContext, Resource, Resources, Step, Value, Variable};
use parking_lot::Mutex;
use tensor::{DType, Owner, PartialShape, ResourceHandle, Result, Tensor, bail, ensure};

/// Makes its resource when first run, or finds the one that is shared under the same name. A resource that is not
/// shared ends with the kernel.
pub(crate) struct MakeResource<T: Resource> {
    place: Container,
    type_name: &'static str,
    create: Box<dyn Fn(&str) -> Result<T> + Send + Sync>,
    verify: Box<dyn Fn(&T) -> Result<()> + Send + Sync>,
    made: Mutex<Option<Made>>,
}

struct Made {
    resources: Arc<dyn Resources>,
    container: String,
    handle: Tensor,
}

impl<T: Resource> MakeResource<T> {
    /// `create` is given the resource's name; `verify` looks at one that another node made.
    ///
    /// # Errors
    /// `InvalidArgument` if the node's container or name is malformed.
    pub(crate) fn new(
        node: &Node,
        type_name: &'static str,
        create: impl Fn(&str) -> Result<T> + Send + Sync + 'static,
        verify: impl Fn(&T) -> Result<()> + Send + Sync + 'static,
    ) -> Result<MakeResource<T>> {
        Ok(MakeResource {
            place: Container::of_node(node)?,
            type_name,
            create: Box::new(create),
            verify: Box::new(verify),
            made: Mutex::new(None),
        })
    }

    /// The handle, after making sure that the resource is there.
    ///
    /// # Errors
    /// `InvalidArgument` if a shared resource was made differently.
    pub(crate) fn handle(&self, cx: &OpContext<'_>) -> Result<Tensor> {
        let found = cx
            .step
            .resources
            .lookup_or_create(&self.place.container, &self.place.name, || (self.create)(&self.place.name))?;
        (self.verify)(&found)?;
        let mut made = self.made.lock();
        let made = made.get_or_insert_with(|| {
            let resources = cx.step.resources.clone();
            let container = match self.place.container.as_str() {
                "" => resources.default_container().to_owned(),
                named => named.to_owned(),
            };
            let handle = Tensor::from_handle(ResourceHandle {
                device: cx.step.device.clone(),
                container: container.clone(),
                name: self.place.name.clone(),
                hash_code: type_hash(self.type_name),
                type_name: self.type_name.to_owned(),
                dtypes_and_shapes: Vec::new(),
                owner: None,
            });
            Made { resources, container, handle }
        });
        Ok(made.handle.clone())
    }
}

/// Gives the handle; older ops give a reference to container and name, two strings.
impl<T: Resource> Compute for MakeResource<T> {
    fn compute(&self, cx: &mut OpContext<'_>) -> Result<()> {
        let handle = self.handle(cx)?;
        if cx.node.output_types.first().is_none_or(|output| !output.is_ref) {
            cx.set_output(0, handle);
            return Ok(());
        }
        let [handle] = handle.handles()? else { bail!(Internal, "a handle of several resources") };
        let both = Variable::new(cx.node.name.clone(), DType::String, PartialShape::from([2]));
        both.set(Tensor::string_vector([handle.container.clone(), handle.name.clone()]));
        cx.set_ref(0, Arc::new(both));
        Ok(())
    }
}

/// The resource that a handle of either kind leads to.
///
/// # Errors
/// `NotFound` if it does not exist; `InvalidArgument` if it is on another device.
pub(crate) fn find<T: Resource>(step: &Step, handle: Option<&Value>) -> Result<Arc<T>> {
    match handle {
        Some(Value::Tensor(handle)) => {
            let [handle] = handle.handles()? else { bail!(InvalidArgument, "expected one resource handle") };
            ensure!(
                handle.device == step.device,
                InvalidArgument,
                "Trying to access resource {} located in device {} from device {}",
                handle.name,
                handle.device,
                step.device
            );
            step.resources.open(handle)
        }
        Some(Value::Ref(variable)) => {
            let both = variable.read()?;
            let [container, name] = both.strings()? else {
                bail!(InvalidArgument, "Resource handle must have two elements, but had shape: {}", both.shape())
            };
            let text = |bytes: &bytes::Bytes| String::from_utf8_lossy(bytes).into_owned();
            let (container, name) = (text(container), text(name));
            let found = step.resources.lookup(&container, &name);
            found.ok_or_else(|| step.resources.missing(&container, &name, ""))
        }
        _ => bail!(Internal, "an op without a handle"),
    }
}

impl<T: Resource> Drop for MakeResource<T> {
    fn drop(&mut self) {
        if let (true, Some(made)) = (self.place.private, self.made.get_mut().take()) {
            made.resources.remove(&made.container, TypeId::of::<T>(), &self.place.name);
        }
    }
}

/// Takes a resource out of its container when it ends.
struct Removal {
    /// Not held: a resource may itself hold the handle.
    resources: Weak<dyn Resources>,
    kind: TypeId,
    name: String,
}

impl Drop for Removal {
    fn drop(&mut self) {
        if let Some(resources) = self.resources.upgrade() {
            resources.remove(ANONYMOUS, self.kind, &self.name);
        }
    }
}

const ANONYMOUS: &str = "_anonymous";

/// The handle of a new resource, under a name that no other has.
///
/// # Errors
/// `Internal` if the name is taken, which cannot be.
pub(crate) fn anonymous<T: Resource>(step: &Step, type_name: &str, resource: T) -> Result<ResourceHandle> {
    let name = format!("{}_{}", resource.kind(), crate::data_flow::next_number());
    step.resources.lookup_or_create(ANONYMOUS, &name, || Ok(resource))?;
    Ok(ResourceHandle {
        device: step.device.clone(),
        container: ANONYMOUS.to_owned(),
        name,
        hash_code: type_hash(type_name),
        type_name: type_name.to_owned(),
        ..Default::default()
    })
}

/// What removes an [`anonymous`] resource with its last copy.
pub(crate) fn owner_of<T: Resource>(step: &Step, handle: &ResourceHandle) -> Owner {
    let resources = Arc::downgrade(&step.resources);
    Owner::new(Removal { resources, kind: TypeId::of::<T>(), name: handle.name.clone() })
}

/// The handle of a new resource that ends with its last handle.
///
/// # Errors
/// As [`anonymous`].
pub(crate) fn owned_handle<T: Resource>(step: &Step, type_name: &str, resource: T) -> Result<Tensor> {
    let handle = anonymous(step, type_name, resource)?;
    let owner = owner_of::<T>(step, &handle);
    Ok(Tensor::from_handle(ResourceHandle { owner: Some(owner), ..handle }))
}

/// A number for a type name, the same in every process.
pub(crate) fn type_hash(type_name: &str) -> u64 {
    // FNV-1a.
    type_name.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3))
}

/// The kind of resource that handles of this type name stand for.
pub(crate) fn kind_of(type_name: &str) -> Option<TypeId> {
    match type_name {
        crate::data_flow::QUEUE_TYPE => Some(TypeId::of::<crate::data_flow::Queue>()),
        crate::data_flow::ACCUMULATOR_TYPE => Some(TypeId::of::<crate::data_flow::Accumulator>()),
        crate::data_flow::TABLE_TYPE => Some(TypeId::of::<crate::data_flow::Table>()),
        crate::dataset::ITERATOR_TYPE => Some(TypeId::of::<crate::dataset::IteratorResource>()),
        crate::io::READER_TYPE => Some(TypeId::of::<crate::io::Reader>()),
        _ => None,
    }
}
