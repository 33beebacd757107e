//! An op's definition: named inputs, outputs and attributes, as TensorFlow states them.

use std::fmt;

use tensor::{DType, Result, bail, ensure, err};

use super::Role;
use crate::attr::{AttrValue, Attrs};
use crate::data::ValueType;

/// The definition of an op.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let def = &g.registry().find("MatMul")?.def;
/// assert_eq!(def.signature(), "MatMul(a: T, b: T) -> (product: T)");
/// assert_eq!(def.attr("transpose_a").unwrap().to_string(), "transpose_a: bool = false");
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct OpDef {
    /// The op's name.
    pub name: String,
    /// The arguments.
    pub inputs: Vec<ArgDef>,
    /// The results.
    pub outputs: Vec<ArgDef>,
    /// The attributes.
    pub attrs: Vec<AttrDef>,
    /// Has state or effects beyond its outputs, so it is never merged, folded or run twice.
    pub stateful: bool,
    /// May take a reference to a variable that has no value yet.
    pub allows_uninitialized_input: bool,
    /// Takes references to variables, but never changes what they refer to.
    pub leaves_variables: bool,
    /// Needs little of its first input, and takes it from a variable's value under the lock if it is given one.
    pub views_variable: bool,
    /// Whether the order of the inputs does not matter.
    pub commutative: bool,
    /// Whether it makes one of many inputs of the same type and shape.
    pub aggregate: bool,
    /// The part that it plays in a graph.
    pub role: Role,
}

impl OpDef {
    /// Returns whether the op gives variables other values. Of ops that take handles the names tell, as TensorFlow chose them.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let registry = Graph::new().registry().clone();
    /// let changes = |op: &str| registry.find(op).map(|spec| spec.def.changes_variables());
    /// assert!(changes("ApplyMomentum")? && changes("ResourceScatterAdd")? && changes("AssignVariableOp")?);
    /// assert!(!changes("ReadVariableOp")? && !changes("IsVariableInitialized")? && !changes("QueueEnqueue")?);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn changes_variables(&self) -> bool {
        const PREFIXES: [&str; 6] = [
            "Assign",
            "ResourceApply",
            "ResourceSparseApply",
            "ResourceScatter",
            "ResourceStridedSliceAssign",
            "ResourceCountUpTo",
        ];
        let is_handle = |arg: &ArgDef| arg.ty == ArgType::Fixed(DType::Resource);
        let by_handle =
            || self.inputs.first().is_some_and(is_handle) && PREFIXES.iter().any(|p| self.name.starts_with(p));
        // Handles of queues and their kin are references to strings.
        let is_variable = |arg: &ArgDef| arg.is_ref && arg.ty != ArgType::Fixed(DType::String);
        (!self.leaves_variables && self.inputs.iter().any(is_variable)) || by_handle()
    }
}

/// An input or output: a value, or a list of them.
///
/// ```
/// use tensorfleet::prelude::*;
/// let g = Graph::new();
/// let def = &g.registry().find("AddN")?.def;
/// assert_eq!((def.inputs[0].name.as_str(), def.inputs[0].to_string().as_str()), ("inputs", "inputs: N * T"));
/// assert!(def.inputs[0].is_list(def));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct ArgDef {
    /// The argument's name.
    pub name: String,
    /// The type of its elements.
    pub ty: ArgType,
    /// The attribute that says how many values there are, for `N * T`.
    pub number_attr: Option<String>,
    /// Whether it is a reference to a variable.
    pub is_ref: bool,
}

/// The type of an argument: fixed, or stated by an attribute.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::ArgType;
/// let g = Graph::new();
/// assert!(matches!(&g.registry().find("Shape")?.def.outputs[0].ty, ArgType::Attr(name) if name == "out_type"));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum ArgType {
    /// Always this type.
    Fixed(DType),
    /// The type is an attribute's value; if that is a list, so is the argument.
    Attr(String),
}

/// An attribute of an op: its name, its kind and what it may be.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::AttrValue;
/// let g = Graph::new();
/// let transpose = g.registry().find("MatMul")?.def.attr("transpose_a").unwrap().clone();
/// assert_eq!(transpose.default, Some(AttrValue::Bool(false)));
/// assert!(transpose.check(&AttrValue::Int(1)).is_err());
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug)]
pub struct AttrDef {
    /// The attribute's name.
    pub name: String,
    /// What kind of value it has.
    pub kind: AttrKind,
    /// The value that it has where a node states none.
    pub default: Option<AttrValue>,
    /// For types: the ones allowed; empty means any.
    pub allowed_types: Vec<DType>,
    /// For strings: the ones allowed; empty means any.
    pub allowed_strings: Vec<String>,
    /// For ints the smallest value, for lists the smallest length.
    pub minimum: Option<i64>,
}

/// The kinds of values that attributes have.
///
/// ```
/// use tensorfleet::graph::op::AttrKind;
/// assert_eq!((AttrKind::Ints.name(), AttrKind::Ints.is_list()), ("list(int)", true));
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttrKind {
    /// Bytes.
    String,
    /// An integer.
    Int,
    /// A float.
    Float,
    /// A bool.
    Bool,
    /// An element type.
    Type,
    /// A shape, perhaps partly known.
    Shape,
    /// A tensor.
    Tensor,
    /// A function of the graph's library.
    Function,
    /// A list of bytes.
    Strings,
    /// A list of integers.
    Ints,
    /// A list of floats.
    Floats,
    /// A list of bools.
    Bools,
    /// A list of element types.
    Types,
    /// A list of shapes.
    Shapes,
    /// A list of tensors.
    Tensors,
    /// A list of functions.
    Functions,
}

impl AttrKind {
    /// Returns whether it is a list.
    ///
    /// ```
    /// use tensorfleet::graph::op::AttrKind;
    /// assert!(AttrKind::Shapes.is_list() && !AttrKind::Shape.is_list());
    /// ```
    pub fn is_list(self) -> bool {
        use AttrKind::*;
        matches!(self, Strings | Ints | Floats | Bools | Types | Shapes | Tensors | Functions)
    }

    /// In the words of TensorFlow's definitions, as in `list(type)`.
    ///
    /// ```
    /// use tensorfleet::graph::op::AttrKind;
    /// assert_eq!((AttrKind::Type.name(), AttrKind::Function.name()), ("type", "func"));
    /// ```
    pub fn name(self) -> &'static str {
        use AttrKind::*;
        match self {
            String => "string",
            Int => "int",
            Float => "float",
            Bool => "bool",
            Type => "type",
            Shape => "shape",
            Tensor => "tensor",
            Function => "func",
            Strings => "list(string)",
            Ints => "list(int)",
            Floats => "list(float)",
            Bools => "list(bool)",
            Types => "list(type)",
            Shapes => "list(shape)",
            Tensors => "list(tensor)",
            Functions => "list(func)",
        }
    }
}

impl OpDef {
    /// Returns inputs and outputs as text, as in `MatMul(a: T, b: T) -> (product: T)`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// assert_eq!(g.registry().find("Neg")?.def.signature(), "Neg(x: T) -> (y: T)");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn signature(&self) -> String {
        let list = |args: &[ArgDef]| args.iter().map(ArgDef::to_string).collect::<Vec<_>>().join(", ");
        format!("{}({}) -> ({})", self.name, list(&self.inputs), list(&self.outputs))
    }

    /// Returns the attribute of this name.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let def = &g.registry().find("MatMul")?.def;
    /// assert!(def.attr("transpose_b").is_some() && def.attr("transpose_c").is_none());
    /// # Ok::<(), Status>(())
    /// ```
    pub fn attr(&self, name: &str) -> Option<&AttrDef> {
        self.attrs.iter().find(|attr| attr.name == name)
    }

    /// Fills in defaults and checks every attribute against the definition. Attributes that the definition does not
    /// know are left alone.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::{AttrValue, Attrs};
    /// let g = Graph::new();
    /// let mut attrs = Attrs::from([("T".to_owned(), AttrValue::from(DType::Float))]);
    /// g.registry().find("MatMul")?.def.complete(&mut attrs)?;
    /// assert_eq!(attrs["transpose_a"], AttrValue::Bool(false));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument`, naming the attribute.
    pub fn complete(&self, attrs: &mut Attrs) -> Result<()> {
        for attr in &self.attrs {
            match attrs.get(&attr.name) {
                Some(value) => attr.check(value).map_err(|status| status.context(format_args!("op {}", self.name)))?,
                None => match &attr.default {
                    Some(default) => {
                        attrs.insert(attr.name.clone(), default.clone());
                    }
                    None => bail!(InvalidArgument, "NodeDef missing attr '{}' from Op<name={}>", attr.name, self.name),
                },
            }
        }
        Ok(())
    }

    /// The types of all inputs of a node with these attributes, lists unrolled.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::{AttrValue, Attrs};
    /// let g = Graph::new();
    /// let attrs = Attrs::from([("T".to_owned(), AttrValue::from(DType::Float))]);
    /// let types = g.registry().find("MatMul")?.def.input_types(&attrs)?;
    /// assert_eq!((types.len(), types[0].dtype), (2, DType::Float));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if an attribute that says so is missing or out of range.
    pub fn input_types(&self, attrs: &Attrs) -> Result<Vec<ValueType>> {
        unroll(&self.inputs, attrs)
    }

    /// The types of all outputs of a node with these attributes, lists unrolled.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::graph::{AttrValue, Attrs};
    /// let g = Graph::new();
    /// let attrs = Attrs::from([("T".to_owned(), AttrValue::from(DType::Float))]);
    /// assert_eq!(g.registry().find("Neg")?.def.output_types(&attrs)?[0].dtype, DType::Float);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if an attribute that says so is missing or out of range.
    pub fn output_types(&self, attrs: &Attrs) -> Result<Vec<ValueType>> {
        unroll(&self.outputs, attrs)
    }
}

/// More values than this in one argument are taken for an attack, not a graph.
const MAX_ARGUMENT_VALUES: i64 = 1 << 20;

fn unroll(args: &[ArgDef], attrs: &Attrs) -> Result<Vec<ValueType>> {
    let mut types = Vec::new();
    for arg in args {
        let value_type = |dtype: DType| ValueType { dtype, is_ref: arg.is_ref };
        let count = match &arg.number_attr {
            None => 1,
            Some(name) => match attrs.get(name) {
                Some(AttrValue::Int(count)) => *count,
                _ => bail!(InvalidArgument, "attribute '{name}' must be the number of values in '{}'", arg.name),
            },
        };
        ensure!(
            (0..=MAX_ARGUMENT_VALUES).contains(&count),
            InvalidArgument,
            "'{}' cannot hold {count} values",
            arg.name
        );
        match &arg.ty {
            ArgType::Fixed(dtype) => types.extend((0..count).map(|_| value_type(*dtype))),
            ArgType::Attr(name) => match attrs.get(name) {
                Some(AttrValue::Type(dtype)) => types.extend((0..count).map(|_| value_type(*dtype))),
                Some(AttrValue::Types(list)) => types.extend(list.iter().map(|dtype| value_type(*dtype))),
                Some(AttrValue::EmptyList) => {}
                _ => bail!(InvalidArgument, "attribute '{name}' must be the type of '{}'", arg.name),
            },
        }
    }
    Ok(types)
}

impl AttrDef {
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::AttrValue;
    /// let g = Graph::new();
    /// let padding = g.registry().find("Conv2D")?.def.attr("padding").unwrap().clone();
    /// assert!(padding.check(&AttrValue::from("SAME".to_owned())).is_ok());
    /// assert!(padding.check(&AttrValue::from("SOME".to_owned())).is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the value is of the wrong kind or not an allowed one.
    pub fn check(&self, value: &AttrValue) -> Result<()> {
        if let AttrValue::Placeholder(_) = value {
            return Ok(());
        }
        let kind = value.kind();
        let fits = kind == self.kind.name() || (kind == "list()" && self.kind.is_list());
        ensure!(fits, InvalidArgument, "attribute '{}' is a {kind}, not a {}", self.name, self.kind.name());
        let types: &[DType] = match value {
            AttrValue::Type(dtype) => std::slice::from_ref(dtype),
            AttrValue::Types(types) => types,
            _ => &[],
        };
        for dtype in types {
            let allowed = self.allowed_types.is_empty() || self.allowed_types.contains(dtype);
            ensure!(
                allowed,
                InvalidArgument,
                "Value for attr '{}' of {dtype} is not in the list of allowed values: {}",
                self.name,
                list(&self.allowed_types)
            );
        }
        if let AttrValue::String(text) = value {
            let allowed = self.allowed_strings.is_empty() || self.allowed_strings.iter().any(|s| s.as_bytes() == text);
            ensure!(
                allowed,
                InvalidArgument,
                "Value for attr '{}' of {text:?} is not in the list of allowed values: {:?}",
                self.name,
                self.allowed_strings
            );
        }
        if let Some(minimum) = self.minimum {
            let size = match value {
                AttrValue::Int(value) => *value,
                AttrValue::EmptyList => 0,
                AttrValue::Strings(list) => list.len() as i64,
                AttrValue::Ints(list) => list.len() as i64,
                AttrValue::Floats(list) => list.len() as i64,
                AttrValue::Types(list) => list.len() as i64,
                AttrValue::Shapes(list) => list.len() as i64,
                _ => minimum,
            };
            ensure!(
                size >= minimum,
                InvalidArgument,
                "Value for attr '{}' of {size} must be at least minimum {minimum}",
                self.name
            );
        }
        Ok(())
    }
}

fn list(types: &[DType]) -> String {
    types.iter().map(|dtype| dtype.name()).collect::<Vec<_>>().join(", ")
}

impl ArgDef {
    /// How many of the unrolled values belong to this argument.
    ///
    /// # Errors
    /// `InvalidArgument` if the attribute that says so is missing.
    pub fn len(&self, attrs: &Attrs) -> Result<usize> {
        Ok(unroll(std::slice::from_ref(self), attrs)?.len())
    }

    /// Whether the argument is a list of values.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let g = Graph::new();
    /// let def = &g.registry().find("AddN")?.def;
    /// assert!(def.inputs[0].is_list(def) && !def.outputs[0].is_list(def));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn is_list(&self, op: &OpDef) -> bool {
        let type_list = match &self.ty {
            ArgType::Attr(name) => op.attr(name).is_some_and(|attr| attr.kind == AttrKind::Types),
            ArgType::Fixed(_) => false,
        };
        self.number_attr.is_some() || type_list
    }

    /// The type of a value of this argument, if the attributes settle it.
    pub fn dtype(&self, attrs: &Attrs) -> Result<DType> {
        match &self.ty {
            ArgType::Fixed(dtype) => Ok(*dtype),
            ArgType::Attr(name) => match attrs.get(name) {
                Some(AttrValue::Type(dtype)) => Ok(*dtype),
                _ => Err(err!(InvalidArgument, "attribute '{name}' is not a type")),
            },
        }
    }
}

/// In the notation of definitions, as in `values: N * T`.
impl fmt::Display for ArgDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ty = match &self.ty {
            ArgType::Fixed(dtype) => dtype.name(),
            ArgType::Attr(name) => name,
        };
        let ty = if self.is_ref { format!("Ref({ty})") } else { ty.to_owned() };
        match &self.number_attr {
            Some(number) => write!(f, "{}: {number} * {ty}", self.name),
            None => write!(f, "{}: {ty}", self.name),
        }
    }
}

/// In the notation of definitions, as in `N: int >= 1 = 3`.
impl fmt::Display for AttrDef {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.name, self.kind.name())?;
        if !self.allowed_types.is_empty() {
            write!(f, " in {{{}}}", list(&self.allowed_types))?;
        }
        if !self.allowed_strings.is_empty() {
            write!(f, " in {:?}", self.allowed_strings)?;
        }
        if let Some(minimum) = self.minimum {
            write!(f, " >= {minimum}")?;
        }
        match &self.default {
            Some(default) => write!(f, " = {default}"),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::Registry;

    #[test]
    fn a_definition_as_text() {
        let mut registry = Registry::new();
        let entry = registry.op("Some", "values: N * T, ref: Ref(T), axis: int32 -> out: T");
        entry.attr("N: int >= 1").attr("T: {float, int32}").attr("mode: {'a', 'b'} = 'a'");
        let def = &registry.get("Some").unwrap().def;
        assert_eq!(def.signature(), "Some(values: N * T, ref: Ref(T), axis: int32) -> (out: T)");
        let attrs: Vec<String> = def.attrs.iter().map(|attr| attr.to_string()).collect();
        assert_eq!(attrs, ["N: int >= 1", "T: type in {float, int32}", "mode: string in [\"a\", \"b\"] = 'a'"]);
    }
}
