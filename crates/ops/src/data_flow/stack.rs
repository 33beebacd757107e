//! `StackV2`, `StackPushV2`, `StackPopV2`, `StackCloseV2`, and with the older kind of handles `Stack`, `StackPush`, `StackPop`,
//! `StackClose`: what the forward half of a loop keeps for its gradient.
//!
//! A stack lives as long as its step.

use std::sync::atomic::{AtomicU64, Ordering};

use graph::op::{Kernel, OpContext, Registry, Resource, ShapeContext, Variable};
use graph::{Node, ReadAttrs};
use parking_lot::Mutex;
use tensor::{DType, ResourceHandle, Result, Tensor, bail, ensure};

use super::handles::handle_shape;

pub(crate) fn register(r: &mut Registry) {
    r.op("StackV2", "max_size: int32 -> handle: resource")
        .attr("elem_type: type")
        .attr("stack_name: string = ''")
        .stateful()
        .shape(ShapeContext::scalar)
        .any_kernel(make_kernel)
        .not_differentiable();
    r.op("StackPushV2", "handle: resource, elem: T -> output: T")
        .attr("T: type")
        .attr("swap_memory: bool = false")
        .stateful()
        .shape(push_shape)
        .any_kernel(push_kernel)
        .not_differentiable();
    r.op("StackPopV2", "handle: resource -> elem: elem_type")
        .attr("elem_type: type")
        .stateful()
        .shape(ShapeContext::unknown)
        .any_kernel(pop_kernel)
        .not_differentiable();
    r.op("StackCloseV2", "handle: resource ->").stateful().any_kernel(close_kernel).not_differentiable();
    r.op("Stack", "-> handle: Ref(string)")
        .attr("elem_type: type")
        .attr("stack_name: string = ''")
        .stateful()
        .shape(handle_shape)
        .any_kernel(make_kernel)
        .not_differentiable();
    r.op("StackPush", "handle: Ref(string), elem: T -> output: T")
        .attr("T: type")
        .attr("swap_memory: bool = false")
        .shape(push_shape)
        .any_kernel(push_kernel)
        .not_differentiable();
    r.op("StackPop", "handle: Ref(string) -> elem: elem_type")
        .attr("elem_type: type")
        .shape(ShapeContext::unknown)
        .any_kernel(pop_kernel)
        .not_differentiable();
    r.op("StackClose", "handle: Ref(string) ->").any_kernel(close_kernel).not_differentiable();
}

fn push_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    cx.set(0, cx.input(1));
    Ok(())
}

struct Stack {
    name: String,
    dtype: DType,
    /// Negative for no limit.
    max_size: i32,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    values: Vec<Tensor>,
    closed: bool,
}

impl Resource for Stack {
    fn kind(&self) -> &'static str {
        "Stack"
    }
}

impl Stack {
    fn open(&self) -> Result<parking_lot::MutexGuard<'_, State>> {
        let state = self.state.lock();
        ensure!(!state.closed, InvalidArgument, "Stack[{}] has already been closed.", self.name);
        Ok(state)
    }

    fn push(&self, value: Tensor) -> Result<()> {
        ensure!(
            value.dtype() == self.dtype,
            InvalidArgument,
            "Must have type {} but got {}",
            self.dtype,
            value.dtype()
        );
        let mut state = self.open()?;
        ensure!(
            self.max_size < 0 || (state.values.len() as i64) < self.max_size as i64,
            InvalidArgument,
            "Stack[{}] overflowed its max_size ({})",
            self.name,
            self.max_size
        );
        tensor::memory::ensure_free(size_of::<Tensor>() as u64, format_args!("a value on Stack[{}]", self.name))?;
        state.values.push(value);
        Ok(())
    }

    fn pop(&self) -> Result<Tensor> {
        match self.open()?.values.pop() {
            Some(value) => Ok(value),
            None => bail!(InvalidArgument, "Stack[{}] is empty when calling Pop().", self.name),
        }
    }
}

/// Gives out the handle of something that ends with the step: a resource, or in older ops two strings, or a reference to them.
pub(crate) fn give_handle(cx: &mut OpContext<'_>, container: &str, name: String, type_name: &str) {
    let output = cx.node.output_types.first();
    if output.is_none_or(|output| output.dtype == DType::Resource) {
        let handle = step_handle(cx, container, name, type_name);
        return cx.set_output(0, handle);
    }
    let both = Tensor::string_vector([container.to_owned(), name]);
    if output.is_some_and(|output| output.is_ref) {
        let variable = Variable::new(cx.node.name.clone(), DType::String, tensor::PartialShape::from([2]));
        variable.set(both);
        cx.set_ref(0, std::sync::Arc::new(variable));
    } else {
        cx.set_output(0, both);
    }
}

/// The handle of something that ends with the step, as a resource.
pub(crate) fn step_handle(cx: &OpContext<'_>, container: &str, name: String, type_name: &str) -> Tensor {
    Tensor::from_handle(ResourceHandle {
        device: cx.step.device.clone(),
        container: container.to_owned(),
        name,
        hash_code: crate::handle::type_hash(type_name),
        type_name: type_name.to_owned(),
        dtypes_and_shapes: Vec::new(),
        owner: None,
    })
}

/// What a handle of this step leads to.
///
/// # Errors
/// `InvalidArgument` if the input is not one handle, `NotFound` if what it names is not of this step.
pub(crate) fn step_resource<T: Resource>(cx: &OpContext<'_>, index: usize) -> Result<std::sync::Arc<T>> {
    let input = match cx.variable(index) {
        Ok(variable) => variable.read()?,
        Err(_) => cx.input(index)?.clone(),
    };
    if input.dtype() == DType::String {
        let [container, name] = input.strings()? else {
            bail!(InvalidArgument, "Resource handle must have two elements, but had shape: {}", input.shape())
        };
        let text = |bytes: &bytes::Bytes| String::from_utf8_lossy(bytes).into_owned();
        let (container, name) = (text(container), text(name));
        let found = cx.step.step_resources.lookup(&container, &name);
        return found.ok_or_else(|| cx.step.step_resources.missing(&container, &name, ""));
    }
    let [handle] = input.handles()? else { bail!(InvalidArgument, "expected one resource handle") };
    cx.step.step_resources.open(handle)
}

/// A number that no other stack or array of this process has.
pub(crate) fn next_number() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(0);
    NEXT.fetch_add(1, Ordering::Relaxed)
}

const CONTAINER: &str = "_stacks";

fn make_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("elem_type")?;
    let name = node.attr_str("stack_name")?;
    let name = if name.is_empty() { node.name.clone() } else { name.to_owned() };
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let max_size = match cx.num_inputs() {
            0 => -1,
            _ => {
                let size = cx.input(0)?;
                ensure!(
                    size.shape().is_scalar(),
                    InvalidArgument,
                    "Stack size must be a scalar, but had shape: {}",
                    size.shape()
                );
                size.to_scalar::<i32>()?
            }
        };
        let full = format!("{name}_{}", next_number());
        let stack = || Ok(Stack { name: full.clone(), dtype, max_size, state: Mutex::default() });
        cx.step.step_resources.lookup_or_create(CONTAINER, &full, stack)?;
        give_handle(cx, CONTAINER, full, "tensorflow::Stack");
        Ok(())
    }))
}

fn push_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let stack = step_resource::<Stack>(cx, 0)?;
        let value = cx.take_input(1)?;
        stack.push(value.clone())?;
        cx.set_output(0, value);
        Ok(())
    }))
}

fn pop_kernel(node: &Node) -> Result<Kernel> {
    let dtype = node.attr_type("elem_type")?;
    Ok(Kernel::cheap(move |cx: &mut OpContext<'_>| {
        let stack = step_resource::<Stack>(cx, 0)?;
        ensure!(
            stack.dtype == dtype,
            InvalidArgument,
            "Stack[{}] holds {}, but {dtype} was asked for",
            stack.name,
            stack.dtype
        );
        cx.set_output(0, stack.pop()?);
        Ok(())
    }))
}

fn close_kernel(_: &Node) -> Result<Kernel> {
    Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
        let stack = step_resource::<Stack>(cx, 0)?;
        let mut state = stack.state.lock();
        state.closed = true;
        let values = std::mem::take(&mut state.values);
        drop(state);
        drop(values);
        Ok(())
    }))
}
