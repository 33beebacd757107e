//! The registry: every op by name.

use std::collections::BTreeMap;
use std::sync::Arc;

use tensor::{DType, Result, ensure, err};

use super::definition::{ArgType, AttrKind, OpDef};
use super::kernel::{Kernel, KernelSpec};
use super::suggestion::nearest;
use super::{GradFn, Rewrite, Role, ShapeFn, guarded, parse};
use crate::attr::{AttrValue, Attrs};
use crate::data::Node;

/// An op: definition, shape function, kernels, gradient.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::GradientRule;
/// let g = Graph::new();
/// let op = g.registry().find("MatMul")?;
/// assert_eq!(op.def.name, "MatMul");
/// assert!(op.shape.is_some() && matches!(op.gradient, GradientRule::Function(_)));
/// # Ok::<(), Status>(())
/// ```
#[derive(Debug)]
pub struct OpSpec {
    /// The definition, as TensorFlow states it.
    pub def: OpDef,
    /// What can be said of the outputs' shapes before anything runs.
    pub shape: Option<ShapeFn>,
    /// The kernels, with the types that each is for.
    pub kernels: Vec<KernelSpec>,
    /// How gradients go through it.
    pub gradient: GradientRule,
}

/// How gradients pass an op.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::GradientRule;
/// let g = Graph::new();
/// assert!(matches!(g.registry().find("ArgMax")?.gradient, GradientRule::Zero));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub enum GradientRule {
    /// Asking for a gradient through this op is an error: `LookupError` in TensorFlow's words.
    Missing,
    /// Gradients end here, as if the op's outputs were constants.
    Zero,
    /// What adds the gradient's nodes.
    Function(GradFn),
}

impl OpSpec {
    /// Makes a node of this op without inputs and device: defaults are filled in, and types follow from the attributes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::AttrValue;
    /// let g = Graph::new();
    /// let types = [("SrcT", AttrValue::from(DType::Float)), ("DstT", AttrValue::from(DType::Int32))];
    /// let node = g.registry().find("Cast")?.node("whole", types)?;
    /// assert_eq!(node.output_types[0].dtype, DType::Int32);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for attributes that do not fit the definition.
    pub fn node<N: Into<String>>(
        self: &Arc<Self>,
        name: impl Into<String>,
        attrs: impl IntoIterator<Item = (N, AttrValue)>,
    ) -> Result<Node> {
        let mut attrs: Attrs = attrs.into_iter().map(|(name, value)| (name.into(), value)).collect();
        self.def.complete(&mut attrs)?;
        Ok(Node {
            name: name.into(),
            op: self.def.name.clone(),
            device: String::new(),
            inputs: Vec::new(),
            control_inputs: Vec::new(),
            input_types: self.def.input_types(&attrs)?,
            output_types: self.def.output_types(&attrs)?,
            attrs,
            spec: Some(self.clone()),
            output_shapes: Vec::new(),
            handle_shapes: Vec::new(),
        })
    }

    /// Makes the kernel for a node.
    ///
    /// # Errors
    /// `NotFound` if there is none for the node's types; what the kernel says of the attributes; `Internal` if it panics.
    pub fn kernel(&self, node: &Node) -> Result<Kernel> {
        let spec = self.kernel_spec(node)?;
        let made = guarded(format_args!("making the kernel of op {}", self.def.name), || (spec.build)(node));
        made.map_err(|status| status.at_node(&node.name))
    }

    /// Whether some kernel takes a node with these attributes.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::{AttrValue, Attrs};
    /// let g = Graph::new();
    /// let of = |dtype: DType| Attrs::from([("T".to_owned(), AttrValue::from(dtype))]);
    /// let op = g.registry().find("MatMul")?;
    /// assert!(op.has_kernel(&of(DType::Float)) && !op.has_kernel(&of(DType::String)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn has_kernel(&self, attrs: &Attrs) -> bool {
        self.kernels.iter().any(|kernel| kernel.accepts(attrs))
    }

    /// Checks that some kernel takes a node, without making it.
    ///
    /// # Errors
    /// `NotFound` if there is none for the node's types.
    pub fn check_kernel(&self, node: &Node) -> Result<()> {
        self.kernel_spec(node).map(|_| ())
    }

    fn kernel_spec(&self, node: &Node) -> Result<&KernelSpec> {
        let fits = |spec: &&KernelSpec| spec.accepts(&node.attrs);
        self.kernels.iter().find(fits).ok_or_else(|| self.no_kernel(node).at_node(&node.name))
    }

    fn no_kernel(&self, node: &Node) -> tensor::Status {
        let types: Vec<String> = node
            .attrs
            .iter()
            .filter_map(|(name, value)| match value {
                AttrValue::Type(dtype) => Some(format!("{name}={dtype}")),
                _ => None,
            })
            .collect();
        let registered: Vec<String> = self.kernels.iter().map(|kernel| kernel.to_string()).collect();
        err!(
            NotFound,
            "No registered '{}' OpKernel for CPU devices compatible with node with {}; registered: [{}]",
            self.def.name,
            types.join(", "),
            registered.join("; ")
        )
    }
}

/// All ops by name.
///
/// ```
/// use tensorfleet::Registry;
/// let mut registry = Registry::new();
/// registry.op("Twice", "x: T -> y: T").attr("T: {float, double}");
/// assert!(registry.mistakes().is_empty());
/// let twice = registry.get("Twice").unwrap();
/// assert_eq!(twice.def.signature(), "Twice(x: T) -> (y: T)");
/// ```
#[derive(Clone, Debug, Default)]
pub struct Registry {
    ops: BTreeMap<String, Arc<OpSpec>>,
    rewrites: Vec<Rewrite>,
    tensorflow_gradients: BTreeMap<&'static str, GradFn>,
    mistakes: Vec<String>,
}

impl Registry {
    /// Returns a registry without ops.
    ///
    /// ```
    /// use tensorfleet::Registry;
    /// assert_eq!(Registry::new().iter().count(), 0);
    /// ```
    pub fn new() -> Registry {
        Registry::default()
    }

    /// Returns the op of this name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(g.registry().get("MatMul").is_some() && g.registry().get("MatMull").is_none());
    /// ```
    pub fn get(&self, name: &str) -> Option<&Arc<OpSpec>> {
        self.ops.get(name)
    }

    /// ```
    /// use tensorfleet::prelude::*;
    /// let error = Graph::new().registry().find("MatMull").err().unwrap();
    /// assert_eq!(error.code(), Code::NotFound);
    /// assert!(error.message().contains("MatMul"), "{error}"); // what was probably meant
    /// ```
    ///
    /// # Errors
    /// `NotFound`, naming the op.
    pub fn find(&self, name: &str) -> Result<&Arc<OpSpec>> {
        self.get(name).ok_or_else(|| self.unknown(name))
    }

    /// Returns the error for an op that is not here. It names the version that is here or the op that was probably meant,
    /// if there is one.
    pub fn unknown(&self, name: &str) -> tensor::Status {
        let hint = match (self.instead_of(name), nearest(name, self.ops.keys().map(String::as_str))) {
            (Some(version), _) => format!("{version} instead of {name} works"),
            (None, Some(near)) => format!("did you mean {near}?"),
            (None, None) => "`tensorfleet ops` lists those that are".to_owned(),
        };
        err!(NotFound, "Op type not registered '{name}' in tensorfleet; {hint}")
    }

    /// The newest version of an op that is here under another number only: `LookupTableRemoveV2` for `LookupTableRemove`.
    fn instead_of(&self, name: &str) -> Option<&str> {
        let plain = |name: &str| {
            let digits = name.trim_end_matches(|c: char| c.is_ascii_digit());
            let base = if digits.len() < name.len() { digits.strip_suffix('V').unwrap_or(name) } else { name };
            base.strip_prefix("Experimental").unwrap_or(base).to_owned()
        };
        let wanted = plain(name);
        // `V10` is not older than `V9`: longer numbers are larger.
        let newest = |name: &&String| (name.len(), (*name).clone());
        self.ops.keys().filter(|known| plain(known) == wanted).max_by_key(newest).map(String::as_str)
    }

    /// Returns all ops, by name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert!(g.registry().iter().any(|op| op.def.name == "MatMul"));
    /// ```
    pub fn iter(&self) -> impl Iterator<Item = &Arc<OpSpec>> {
        self.ops.values()
    }

    /// Begins the entry of an op, with its signature, as in `a: T, b: T -> product: T`.
    ///
    /// ```
    /// use tensorfleet::Registry;
    /// let mut registry = Registry::new();
    /// registry.op("MyMatMul", "a: T, b: T -> product: T").attr("T: {float}").attr("transpose_a: bool = false");
    /// assert_eq!(registry.get("MyMatMul").unwrap().def.attrs.len(), 2);
    /// ```
    pub fn op(&mut self, name: &str, signature: &str) -> OpEntry<'_> {
        let mut def = OpDef { name: name.to_owned(), ..Default::default() };
        let mut mistake = None;
        match parse::signature(signature) {
            Ok((inputs, outputs)) => (def.inputs, def.outputs) = (inputs, outputs),
            Err(status) => mistake = Some(status.to_string()),
        }
        let spec = OpSpec { def, shape: None, kernels: Vec::new(), gradient: GradientRule::Missing };
        OpEntry { registry: self, spec, mistake }
    }

    /// Adds a rewrite that ops offer. They are made in the order in which they are added.
    pub fn rewrite(&mut self, rewrite: Rewrite) {
        self.rewrites.push(rewrite);
    }

    /// Returns the rewrites that ops offer.
    pub fn rewrites(&self) -> &[Rewrite] {
        &self.rewrites
    }

    /// Says how a gradient passes an op where it is to be built of TensorFlow's nodes; without this, of our own.
    pub fn add_tensorflow_gradient(&mut self, op: &'static str, gradient: GradFn) {
        self.tensorflow_gradients.insert(op, gradient);
    }

    /// Returns how a gradient passes an op of TensorFlow's nodes, if that differs from our own.
    pub fn tensorflow_gradient(&self, op: &str) -> Option<GradFn> {
        self.tensorflow_gradients.get(op).copied()
    }

    /// What is wrong with the entries made so far; nothing, in a tested build.
    ///
    /// ```
    /// use tensorfleet::Registry;
    /// let mut registry = Registry::new();
    /// registry.op("Broken", "x: T, -> y");
    /// assert_eq!(registry.mistakes().len(), 1);
    /// ```
    pub fn mistakes(&self) -> &[String] {
        &self.mistakes
    }
}

/// The entry of one op in the making. It is registered when dropped.
///
/// See [the module](self) for a whole op with its kernel and gradient.
///
/// ```
/// use tensorfleet::Registry;
/// let mut registry = Registry::new();
/// registry.op("Count", "-> number: int64").stateful().not_differentiable();
/// assert!(registry.get("Count").unwrap().def.stateful);
/// ```
pub struct OpEntry<'a> {
    registry: &'a mut Registry,
    spec: OpSpec,
    mistake: Option<String>,
}

impl OpEntry<'_> {
    /// An attribute, as in `T: {float, double} = float` or `N: int >= 1`.
    ///
    /// ```
    /// use tensorfleet::Registry;
    /// let mut registry = Registry::new();
    /// registry.op("Twice", "x: T -> y: T").attr("T: {float, double} = float").attr("times: int >= 1 = 2");
    /// let def = &registry.get("Twice").unwrap().def;
    /// assert_eq!(def.attr("times").unwrap().to_string(), "times: int >= 1 = 2");
    /// ```
    pub fn attr(mut self, text: &str) -> Self {
        match parse::attr(text) {
            Ok(attr) => self.spec.def.attrs.push(attr),
            Err(status) => self.mistake = Some(status.to_string()),
        }
        self
    }

    /// States that two nodes alike are not the same.
    ///
    /// ```
    /// use tensorfleet::Registry;
    /// let mut registry = Registry::new();
    /// registry.op("Dice", "-> eyes: int32").stateful();
    /// assert!(registry.get("Dice").unwrap().def.stateful);
    /// ```
    pub fn stateful(mut self) -> Self {
        self.spec.def.stateful = true;
        self
    }

    /// States that a variable it refers to need not have a value.
    pub fn allows_uninitialized_input(mut self) -> Self {
        self.spec.def.allows_uninitialized_input = true;
        self
    }

    /// The op needs little of its first input, which it looks at by [`OpContext::view`](super::OpContext::view): that may be the
    /// value or the variable.
    pub fn views_variable(mut self) -> Self {
        self.spec.def.views_variable = true;
        self
    }

    /// The op takes references to variables, but never changes what they refer to.
    pub fn leaves_variables(mut self) -> Self {
        self.spec.def.leaves_variables = true;
        self
    }

    /// The part that the op plays in a graph.
    pub fn role(mut self, role: Role) -> Self {
        self.spec.def.role = role;
        self
    }

    /// States that the order of the inputs does not matter.
    pub fn commutative(mut self) -> Self {
        self.spec.def.commutative = true;
        self
    }

    /// States that it makes one of many inputs of the same type and shape.
    pub fn aggregate(mut self) -> Self {
        self.spec.def.aggregate = true;
        self
    }

    /// Sets the shape function.
    ///
    /// ```
    /// use tensorfleet::Registry;
    /// use tensorfleet::graph::op::ShapeContext;
    /// let mut registry = Registry::new();
    /// registry.op("Negative", "x: float -> y: float").shape(ShapeContext::unchanged);
    /// assert!(registry.get("Negative").unwrap().shape.is_some());
    /// ```
    pub fn shape(mut self, shape: ShapeFn) -> Self {
        self.spec.shape = Some(shape);
        self
    }

    /// A kernel for nodes whose attribute `attr` is one of `types`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::Registry;
    /// use tensorfleet::graph::Node;
    /// use tensorfleet::graph::op::{Kernel, OpContext};
    /// fn passes_on(_node: &Node) -> Result<Kernel> {
    ///     Ok(Kernel::cheap(|cx: &mut OpContext<'_>| {
    ///         let x = cx.take_input(0)?;
    ///         cx.set_output(0, x);
    ///         Ok(())
    ///     }))
    /// }
    /// let mut registry = Registry::new();
    /// let types = [DType::Float, DType::Double];
    /// registry.op("Pass", "x: T -> y: T").attr("T: type").kernel("T", &types, passes_on);
    /// assert_eq!(registry.get("Pass").unwrap().kernels.len(), 1);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn kernel(mut self, attr: &'static str, types: &[DType], build: fn(&Node) -> Result<Kernel>) -> Self {
        self.spec.kernels.push(KernelSpec { constraint: Some((attr, types.to_vec())), build });
        self
    }

    /// The kernel for all nodes of this op.
    pub fn any_kernel(mut self, build: fn(&Node) -> Result<Kernel>) -> Self {
        self.spec.kernels.push(KernelSpec { constraint: None, build });
        self
    }

    /// Sets the gradient.
    pub fn gradient(mut self, gradient: GradFn) -> Self {
        self.spec.gradient = GradientRule::Function(gradient);
        self
    }

    /// Gradients end at this op.
    ///
    /// ```
    /// use tensorfleet::Registry;
    /// use tensorfleet::graph::op::GradientRule;
    /// let mut registry = Registry::new();
    /// registry.op("Rank", "x: float -> rank: int32").not_differentiable();
    /// assert!(matches!(registry.get("Rank").unwrap().gradient, GradientRule::Zero));
    /// ```
    pub fn not_differentiable(mut self) -> Self {
        self.spec.gradient = GradientRule::Zero;
        self
    }

    fn check(&self) -> Result<()> {
        let def = &self.spec.def;
        parse::check_references(&def.inputs, &def.attrs)?;
        parse::check_references(&def.outputs, &def.attrs)?;
        for kernel in &self.spec.kernels {
            if let Some((attr, _)) = &kernel.constraint {
                let is_type = def.attr(attr).is_some_and(|attr| attr.kind == AttrKind::Type);
                ensure!(is_type, Internal, "a kernel is chosen by '{attr}', which is not a type attribute");
            }
        }
        for arg in def.inputs.iter().chain(&def.outputs) {
            if let (ArgType::Attr(name), Some(_)) = (&arg.ty, &arg.number_attr) {
                let is_type = def.attr(name).is_some_and(|attr| attr.kind == AttrKind::Type);
                ensure!(is_type, Internal, "'{}' repeats '{name}', which is not a type attribute", arg.name);
            }
        }
        Ok(())
    }
}

impl Drop for OpEntry<'_> {
    fn drop(&mut self) {
        let name = self.spec.def.name.clone();
        let mistake = self.mistake.take().or_else(|| self.check().err().map(|status| status.to_string()));
        if let Some(mistake) = mistake {
            self.registry.mistakes.push(format!("{name}: {mistake}"));
            return;
        }
        let empty = OpSpec { def: OpDef::default(), shape: None, kernels: Vec::new(), gradient: GradientRule::Missing };
        let spec = std::mem::replace(&mut self.spec, empty);
        if self.registry.ops.insert(name.clone(), Arc::new(spec)).is_some() {
            self.registry.mistakes.push(format!("{name}: registered twice"));
        }
    }
}
