//! Building a node: arguments, attributes, scopes, and all checks on the way into the graph.

use std::panic::Location;

use tensor::{Result, ensure, err};

use crate::attr::{AttrValue, Attrs, ReadAttrs};
use crate::builder::{Graph, Operation, Output};
use crate::control_flow::{ContextId, local_inputs, local_waits};
use crate::data::{Endpoint, NodeId};
use crate::inference;
use crate::names::is_node_name;
use crate::op::{ArgType, OpDef};
use crate::scope::{Scopes, device_for};

/// A node in the making. Type and count attributes follow from the inputs.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let x = g.constant([[1f32, 2.0]]);
/// let product = g.op("MatMul").name("square").input(&x).input(&x).attr("transpose_b", true).output();
/// assert_eq!(LocalSession::new(&g)?.eval::<Vec<[f32; 1]>, _>(&product)?, [[5.0]]);
/// # Ok::<(), Status>(())
/// ```
pub struct OpBuilder {
    graph: Graph,
    op: String,
    name: Option<String>,
    exact_name: bool,
    args: Vec<Vec<Output>>,
    attrs: Attrs,
    device: String,
    control: Vec<NodeId>,
    colocate: Vec<NodeId>,
    poisoned: bool,
    /// Inputs are used as they are, whatever context they are in.
    unlocalized: bool,
    /// The context that the node belongs to, if not the current one.
    context: Option<ContextId>,
    at: &'static Location<'static>,
}

impl OpBuilder {
    pub(crate) fn new(graph: &Graph, op: &str, at: &'static Location<'static>) -> OpBuilder {
        OpBuilder {
            graph: graph.clone(),
            op: op.to_owned(),
            name: None,
            exact_name: false,
            args: Vec::new(),
            attrs: Attrs::new(),
            device: String::new(),
            control: Vec::new(),
            colocate: Vec::new(),
            poisoned: false,
            unlocalized: false,
            context: None,
            at,
        }
    }

    /// The node's name; the op's own if none is given. A number is added if it is taken.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.op("NoOp").name("ready").build();
    /// assert_eq!(g.op("NoOp").name("ready").build().name().as_deref(), Some("ready_1"));
    /// ```
    #[must_use]
    pub fn name(mut self, name: impl Into<String>) -> Self {
        self.name = Some(name.into());
        self
    }

    /// The node's full name: no scope is put before it, and no number added if [`Graph::unique_name`] gave it.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let there = g.with_name_scope("layer", |g| g.op("NoOp").name_exactly("ready").build());
    /// assert_eq!(there.name().as_deref(), Some("ready"));
    /// ```
    #[must_use]
    pub fn name_exactly(mut self, name: impl Into<String>) -> Self {
        (self.name, self.exact_name) = (Some(name.into()), true);
        self
    }

    /// The next argument.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let negative = g.op("Neg").input(g.constant(2f32)).output();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&negative)?, -2.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn input(self, output: impl std::borrow::Borrow<Output>) -> Self {
        let output = output.borrow().clone();
        self.input_list(std::slice::from_ref(&output))
    }

    /// The next argument, a list.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let sum = g.op("AddN").input_list(&[g.constant(1f32), g.constant(2f32), g.constant(3f32)]).output();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&sum)?, 6.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn input_list(mut self, outputs: &[Output]) -> Self {
        self.poisoned |= outputs.iter().any(|output| output.endpoint.is_none());
        self.args.push(outputs.to_vec());
        self
    }

    /// Sets an attribute.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let whole = g.op("Cast").input(g.constant(2.7f32)).attr("DstT", DType::Int32).output();
    /// assert_eq!(LocalSession::new(&g)?.eval::<i32, _>(&whole)?, 2);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn attr(mut self, name: &str, value: impl Into<AttrValue>) -> Self {
        self.attrs.insert(name.to_owned(), value.into());
        self
    }

    /// Sets the device, before what scopes say.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.op("NoOp").device("/job:ps/task:0").build().device(), "/job:ps/task:0");
    /// ```
    #[must_use]
    pub fn device(mut self, device: impl Into<String>) -> Self {
        self.device = device.into();
        self
    }

    /// Adds nodes that must have run before.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let w = Variable::new("w", g.constant(1f32));
    /// let after = g.op("Identity").input(w.handle()).control_inputs(&[w.initializer().clone()]).output();
    /// assert_eq!(LocalSession::new(&g)?.eval::<f32, _>(&after)?, 1.0);
    /// # Ok::<(), Status>(())
    /// ```
    #[must_use]
    pub fn control_inputs(mut self, operations: &[Operation]) -> Self {
        self.control.extend(operations.iter().filter_map(|operation| operation.id));
        self
    }

    /// Puts the node on the device of another one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let there = g.op("NoOp").device("/job:ps/task:0").build();
    /// assert_eq!(g.op("NoOp").colocate_with(&there).build().device(), "/job:ps/task:0");
    /// ```
    #[must_use]
    pub fn colocate_with(mut self, operation: &Operation) -> Self {
        self.colocate.extend(operation.id);
        self
    }

    /// Inputs are used as they are, whatever context they are in.
    #[must_use]
    pub(crate) fn unlocalized(mut self) -> Self {
        self.unlocalized = true;
        self
    }

    /// Puts the node, built in the current context, into another one.
    #[must_use]
    pub(crate) fn inside(mut self, context: ContextId) -> Self {
        self.context = Some(context);
        self
    }

    /// The mistake, if there is one, is reported at this place instead of where the node was begun.
    #[must_use]
    pub fn at(mut self, at: &'static Location<'static>) -> Self {
        self.at = at;
        self
    }

    /// Adds the node and gives its first output.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.op("Neg").input(g.constant([1f32, 2.0])).output().shape(), PartialShape::from([2]));
    /// ```
    pub fn output(self) -> Output {
        self.build().output(0)
    }

    /// Adds the node and gives all its outputs.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let split = g.op("Split").input(g.constant(0i32)).input(g.constant([1f32, 2.0]));
    /// let halves = split.attr("num_split", 2i64).outputs();
    /// assert_eq!(LocalSession::new(&g)?.eval::<Vec<f32>, _>(&halves[1])?, [2.0]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn outputs(self) -> Vec<Output> {
        self.build().outputs()
    }

    /// Adds the node.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// g.op("MatMull").build(); // a mistake is kept with the graph
    /// assert!(g.check().unwrap_err().message().contains("MatMul"));
    /// ```
    pub fn build(self) -> Operation {
        let graph = self.graph.clone();
        if self.poisoned {
            // The mistake that poisoned an input has been noted already.
            return Operation { graph, id: None };
        }
        let at = self.at;
        match self.try_build() {
            Ok(operation) => operation,
            Err(status) => {
                graph.note_at(status, at);
                Operation { graph, id: None }
            }
        }
    }

    /// Adds the node, or says why not.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.op("NoSuchOp").try_build().unwrap_err().code(), Code::NotFound);
    /// assert!(g.check().is_ok()); // nothing was noted
    /// ```
    ///
    /// # Errors
    /// `NotFound` for an op that is not registered; `InvalidArgument` for inputs, attributes or shapes that do not fit.
    pub fn try_build(self) -> Result<Operation> {
        let OpBuilder { graph, op, name, mut exact_name, mut args, mut attrs, device, control, colocate, .. } = self;
        let spec = graph.registry().find(&op)?.clone();
        let mut requested = name.unwrap_or_else(|| op.clone());
        let shown = format!("op {op} named '{requested}'");
        ensure!(is_node_name(&requested), InvalidArgument, "'{requested}' is not a valid node name");
        let foreign = args.iter().flatten().any(|output| !output.graph.same_as(&graph));
        ensure!(!foreign, InvalidArgument, "an input of {shown} belongs to another graph");
        let in_contexts = !graph.state().contexts.is_empty();
        // What scopes of control dependencies say is decided by the inputs that were asked for: what brings them in waits for them.
        let asked: Vec<NodeId> =
            args.iter().flatten().filter_map(|output| output.endpoint).map(|end| end.node).collect();
        if in_contexts && !self.unlocalized {
            // What brings the inputs in is named after the node, so its name is settled now.
            if !exact_name {
                (requested, exact_name) = (graph.unique_name(&requested), true);
            }
            local_inputs(&graph, &requested, &mut args).map_err(|status| status.context(&shown))?;
        }
        infer_attrs(&spec.def, &args, &mut attrs).map_err(|status| status.context(&shown))?;
        let inputs: Vec<Endpoint> = args.iter().flatten().filter_map(|output| output.endpoint).collect();
        let owners: Vec<NodeId> = inputs.iter().map(|input| input.node).collect();
        let mut control_inputs = control;
        control_inputs.extend(graph.state().scopes.control_inputs_for(&asked));
        if in_contexts {
            local_waits(&graph, &requested, &attrs, &owners, &mut control_inputs)
                .map_err(|status| status.context(&shown))?;
        }
        control_inputs.sort();
        control_inputs.dedup();
        let class = graph.state().scopes.classes.last().cloned();
        if let (Some(class), false) = (class, attrs.contains_key("_class")) {
            attrs.insert("_class".into(), AttrValue::Strings(vec![format!("loc:@{class}").into()]));
        }
        let mut node = spec.node(String::new(), attrs).map_err(|status| status.context(&shown))?;
        ensure!(
            inputs.len() == node.input_types.len(),
            InvalidArgument,
            "{shown} takes {} inputs, but {} were given",
            node.input_types.len(),
            inputs.len()
        );
        for (index, (input, wanted)) in inputs.iter().zip(&node.input_types).enumerate() {
            let given = graph
                .read(|data| data.value_type(*input))
                .ok_or_else(|| err!(InvalidArgument, "{shown}: input {index} is an output that does not exist"))?;
            ensure!(
                given.dtype == wanted.dtype,
                InvalidArgument,
                "{shown}: input {index} is of type {}, not {}",
                given.dtype,
                wanted.dtype
            );
            ensure!(
                given.is_ref || !wanted.is_ref,
                InvalidArgument,
                "{shown}: input {index} must be a reference to a variable"
            );
        }
        // Whoever takes a reference to a variable lives with it, whatever scopes say of devices.
        let mut beside: Vec<NodeId> = owners
            .iter()
            .zip(&node.input_types)
            .filter(|(_, wanted)| wanted.is_ref)
            .map(|(owner, _)| *owner)
            .rev()
            .collect();
        beside.extend(colocate.iter().rev());
        let pulled = !beside.is_empty();
        (node.device, node.inputs, node.control_inputs) = (device, inputs, control_inputs);
        let (full, devices) = {
            let scopes = &graph.state().scopes;
            beside.extend(scopes.colocation.iter().rev());
            let full = if exact_name { requested.clone() } else { scopes.prefixed(&requested) };
            (full, if pulled { None } else { Some(scopes.devices.clone()) })
        };
        node.name = full.clone();
        if let Some(devices) = devices {
            node.device = device_for(&devices, &node)?;
        }
        let mut state = graph.state();
        let state = &mut *state;
        if !beside.is_empty() {
            Scopes::colocate(&state.data, &mut node, &beside);
        }
        inference::infer(&state.data, &mut node).map_err(|status| status.context(&shown))?;
        if exact_name {
            state.scopes.mark_used(&full);
        } else {
            node.name = state.scopes.unique(&full);
        }
        let id = state.data.add(node)?;
        state.scopes.note_member(id);
        if let Some(context) = self.context.or(state.contexts.current) {
            state.contexts.put(id, context);
        }
        Ok(Operation { graph: graph.clone(), id: Some(id) })
    }
}

/// Sets type, type-list and count attributes from the inputs.
fn infer_attrs(def: &OpDef, args: &[Vec<Output>], attrs: &mut Attrs) -> Result<()> {
    ensure!(
        args.len() == def.inputs.len(),
        InvalidArgument,
        "it takes {} arguments, but {} were given",
        def.inputs.len(),
        args.len()
    );
    for (arg, values) in def.inputs.iter().zip(args) {
        let is_list = arg.is_list(def);
        ensure!(
            is_list || values.len() == 1,
            InvalidArgument,
            "argument '{}' is one value, not {}",
            arg.name,
            values.len()
        );
        if let Some(number) = &arg.number_attr {
            set_or_agree(attrs, number, AttrValue::Int(values.len() as i64), &arg.name)?;
        }
        let ArgType::Attr(name) = &arg.ty else { continue };
        let mut types = Vec::with_capacity(values.len());
        for value in values {
            types.push(value.dtype().ok_or_else(|| {
                err!(InvalidArgument, "argument '{}' refers to an output that does not exist", arg.name)
            })?);
        }
        if arg.number_attr.is_none() && is_list {
            set_or_agree(attrs, name, AttrValue::Types(types), &arg.name)?;
            continue;
        }
        for dtype in types {
            set_or_agree(attrs, name, AttrValue::Type(dtype), &arg.name)?;
        }
    }
    Ok(())
}

fn set_or_agree(attrs: &mut Attrs, name: &str, value: AttrValue, arg: &str) -> Result<()> {
    match attrs.get(name) {
        None => {
            attrs.insert(name.to_owned(), value);
            Ok(())
        }
        Some(existing) if *existing == value => Ok(()),
        Some(existing) => Err(err!(
            InvalidArgument,
            "argument '{arg}' makes attribute '{name}' {value:?}, but it is {existing:?} already"
        )),
    }
}

impl ReadAttrs for Attrs {
    fn attr_map(&self) -> &Attrs {
        self
    }
}
