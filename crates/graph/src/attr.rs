//! Attribute values of nodes.

use std::collections::BTreeMap;

use bytes::Bytes;
use tensor::{DType, PartialShape, Result, Tensor, bail, err};

/// The attributes of a node, by name.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::{AttrValue, Attrs};
/// let attrs = Attrs::from([("transpose_a".to_owned(), AttrValue::from(true))]);
/// assert_eq!(attrs["transpose_a"], AttrValue::Bool(true));
/// ```
pub type Attrs = BTreeMap<String, AttrValue>;

/// The value of a node's attribute.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::AttrValue;
/// assert_eq!(AttrValue::from(DType::Float), AttrValue::Type(DType::Float));
/// assert_eq!(AttrValue::Ints(vec![1, 2]).to_string(), "[1, 2]");
/// let g = Graph::new();
/// let x = g.constant([[1f32], [2.0]]);
/// let product = g.op("MatMul").input(&x).input(&x).attr("transpose_a", true).output();
/// assert_eq!(product.shape(), PartialShape::from([1, 1]));
/// ```
#[derive(Clone, Debug, PartialEq)]
pub enum AttrValue {
    /// Bytes.
    String(Bytes),
    /// An integer.
    Int(i64),
    /// A float.
    Float(f32),
    /// A bool.
    Bool(bool),
    /// An element type.
    Type(DType),
    /// A shape, perhaps partly known.
    Shape(PartialShape),
    /// A tensor.
    Tensor(Tensor),
    /// A function of the graph's library.
    Function(FunctionRef),
    /// A list with nothing in it: the message does not say of what.
    EmptyList,
    /// A list of bytes.
    Strings(Vec<Bytes>),
    /// A list of integers.
    Ints(Vec<i64>),
    /// A list of floats.
    Floats(Vec<f32>),
    /// A list of bools.
    Bools(Vec<bool>),
    /// A list of element types.
    Types(Vec<DType>),
    /// A list of shapes.
    Shapes(Vec<PartialShape>),
    /// A list of tensors.
    Tensors(Vec<Tensor>),
    /// A list of functions.
    Functions(Vec<FunctionRef>),
    /// Stands for an attribute of the enclosing function.
    Placeholder(String),
    /// A value that is kept as it came, because no op here reads it: a serialized `AttrValue`.
    Opaque(Bytes),
}

/// A function of the graph's library, with attributes for it.
///
/// ```
/// use tensorfleet::graph::{AttrValue, Attrs, FunctionRef};
/// let body = AttrValue::Function(FunctionRef { name: "body".to_owned(), attrs: Attrs::new() });
/// assert_eq!(body.kind(), "func");
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FunctionRef {
    /// The function's name in the library.
    pub name: String,
    /// The values of the function's own attributes.
    pub attrs: Attrs,
}

impl AttrValue {
    /// What kind of value this is, in the words of op definitions.
    ///
    /// ```
    /// use tensorfleet::graph::AttrValue;
    /// assert_eq!((AttrValue::Int(1).kind(), AttrValue::Ints(vec![1]).kind()), ("int", "list(int)"));
    /// ```
    pub fn kind(&self) -> &'static str {
        match self {
            AttrValue::String(_) => "string",
            AttrValue::Int(_) => "int",
            AttrValue::Float(_) => "float",
            AttrValue::Bool(_) => "bool",
            AttrValue::Type(_) => "type",
            AttrValue::Shape(_) => "shape",
            AttrValue::Tensor(_) => "tensor",
            AttrValue::Function(_) => "func",
            AttrValue::EmptyList => "list()",
            AttrValue::Strings(_) => "list(string)",
            AttrValue::Ints(_) => "list(int)",
            AttrValue::Floats(_) => "list(float)",
            AttrValue::Bools(_) => "list(bool)",
            AttrValue::Types(_) => "list(type)",
            AttrValue::Shapes(_) => "list(shape)",
            AttrValue::Tensors(_) => "list(tensor)",
            AttrValue::Functions(_) => "list(func)",
            AttrValue::Placeholder(_) => "placeholder",
            AttrValue::Opaque(_) => "opaque",
        }
    }
}

/// In the notation of op definitions: `false`, `'NHWC'`, `[1, 1]`.
impl std::fmt::Display for AttrValue {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        fn list<T: std::fmt::Display>(f: &mut std::fmt::Formatter<'_>, values: &[T]) -> std::fmt::Result {
            let shown: Vec<String> = values.iter().map(T::to_string).collect();
            write!(f, "[{}]", shown.join(", "))
        }
        match self {
            AttrValue::String(text) => write!(f, "'{}'", text.escape_ascii()),
            AttrValue::Int(value) => value.fmt(f),
            AttrValue::Float(value) => value.fmt(f),
            AttrValue::Bool(value) => value.fmt(f),
            AttrValue::Type(dtype) => dtype.fmt(f),
            AttrValue::Shape(shape) => shape.fmt(f),
            AttrValue::Tensor(tensor) => write!(f, "{tensor:?}"),
            AttrValue::Function(function) => f.write_str(&function.name),
            AttrValue::EmptyList => f.write_str("[]"),
            AttrValue::Ints(values) => list(f, values),
            AttrValue::Floats(values) => list(f, values),
            AttrValue::Bools(values) => list(f, values),
            AttrValue::Types(values) => list(f, values),
            AttrValue::Shapes(values) => list(f, values),
            AttrValue::Strings(values) => {
                list(f, &values.iter().map(|text| format!("'{}'", text.escape_ascii())).collect::<Vec<_>>())
            }
            AttrValue::Tensors(values) => write!(f, "{values:?}"),
            AttrValue::Functions(values) => {
                list(f, &values.iter().map(|function| function.name.as_str()).collect::<Vec<_>>())
            }
            AttrValue::Placeholder(name) => write!(f, "${name}"),
            AttrValue::Opaque(bytes) => write!(f, "<{} bytes>", bytes.len()),
        }
    }
}

macro_rules! conversions {
    ($($from:ty => $variant:ident),* $(,)?) => {
        $(impl From<$from> for AttrValue { fn from(value: $from) -> AttrValue { AttrValue::$variant(value.into()) } })*
    };
}

conversions! {
    i64 => Int, i32 => Int, f32 => Float, bool => Bool, DType => Type, PartialShape => Shape, Tensor => Tensor,
    Bytes => String, String => String, &'static str => String, FunctionRef => Function,
    Vec<i64> => Ints, Vec<DType> => Types, Vec<PartialShape> => Shapes, Vec<Bytes> => Strings, Vec<f32> => Floats,
    Vec<bool> => Bools, Vec<Tensor> => Tensors,
}

macro_rules! readers {
    ($($(#[$doc:meta])* $method:ident -> $type:ty : $variant:ident as $value:ident => $result:expr;)*) => {
        /// Reading attributes. A definition guarantees that they exist and what kind they are, so an error here
        /// means that node and definition were never checked against each other.
        ///
        /// ```
        /// use tensorfleet::prelude::*;
        /// use tensorfleet::graph::ReadAttrs;
        /// let g = Graph::new();
        /// let x = g.constant([[1f32]]);
        /// x.matmul(&x);
        /// let data = g.snapshot()?;
        /// let node = data.node(data.find("MatMul").unwrap());
        /// assert!(!node.attr_bool("transpose_a")?);
        /// assert_eq!(node.attr_type("T")?, DType::Float);
        /// # Ok::<(), Status>(())
        /// ```
        pub trait ReadAttrs {
            /// Returns all attributes.
            fn attr_map(&self) -> &Attrs;

            /// Returns the attribute of this name.
            ///
            /// # Errors
            /// `InvalidArgument` if there is none of this name.
            fn attr(&self, name: &str) -> Result<&AttrValue> {
                self.attr_map().get(name).ok_or_else(|| err!(InvalidArgument, "no attribute named '{name}'"))
            }

            $($(#[$doc])*
            /// # Errors
            /// `InvalidArgument` if it is missing or of another kind.
            fn $method(&self, name: &str) -> Result<$type> {
                match self.attr(name)? {
                    AttrValue::$variant($value) => Ok($result),
                    other => bail!(InvalidArgument, "attribute '{name}' is a {}, not a {}", other.kind(), stringify!($variant)),
                }
            })*

            /// Returns an attribute that is a list of integers.
            ///
            /// # Errors
            /// `InvalidArgument` if it is missing or of another kind.
            fn attr_ints(&self, name: &str) -> Result<&[i64]> {
                match self.attr(name)? {
                    AttrValue::Ints(values) => Ok(values),
                    AttrValue::EmptyList => Ok(&[]),
                    other => bail!(InvalidArgument, "attribute '{name}' is a {}, not a list(int)", other.kind()),
                }
            }

            /// Returns an attribute that is a list of element types.
            ///
            /// # Errors
            /// `InvalidArgument` if it is missing or of another kind.
            fn attr_types(&self, name: &str) -> Result<&[DType]> {
                match self.attr(name)? {
                    AttrValue::Types(values) => Ok(values),
                    AttrValue::EmptyList => Ok(&[]),
                    other => bail!(InvalidArgument, "attribute '{name}' is a {}, not a list(type)", other.kind()),
                }
            }

            /// Returns an attribute that is a list of shapes.
            ///
            /// # Errors
            /// `InvalidArgument` if it is missing or of another kind.
            fn attr_shapes(&self, name: &str) -> Result<&[PartialShape]> {
                match self.attr(name)? {
                    AttrValue::Shapes(values) => Ok(values),
                    AttrValue::EmptyList => Ok(&[]),
                    other => bail!(InvalidArgument, "attribute '{name}' is a {}, not a list(shape)", other.kind()),
                }
            }

            /// Returns an attribute that is a list of bytes.
            ///
            /// # Errors
            /// `InvalidArgument` if it is missing or of another kind.
            fn attr_strings(&self, name: &str) -> Result<&[Bytes]> {
                match self.attr(name)? {
                    AttrValue::Strings(values) => Ok(values),
                    AttrValue::EmptyList => Ok(&[]),
                    other => bail!(InvalidArgument, "attribute '{name}' is a {}, not a list(string)", other.kind()),
                }
            }

            /// Returns an attribute that is a list of floats.
            ///
            /// # Errors
            /// `InvalidArgument` if it is missing or of another kind.
            fn attr_floats(&self, name: &str) -> Result<&[f32]> {
                match self.attr(name)? {
                    AttrValue::Floats(values) => Ok(values),
                    AttrValue::EmptyList => Ok(&[]),
                    other => bail!(InvalidArgument, "attribute '{name}' is a {}, not a list(float)", other.kind()),
                }
            }

            /// The text of a string attribute.
            ///
            /// # Errors
            /// `InvalidArgument` if it is missing, of another kind, or not UTF-8.
            fn attr_str(&self, name: &str) -> Result<&str> {
                std::str::from_utf8(self.attr_bytes(name)?).map_err(|_| err!(InvalidArgument, "attribute '{name}' is not UTF-8"))
            }
        }
    };
}

readers! {
    /// Returns an attribute that is an integer.
    ///
    attr_int -> i64 : Int as value => *value;
    /// Returns an attribute that is a bool.
    ///
    attr_bool -> bool : Bool as value => *value;
    /// Returns an attribute that is a float.
    ///
    attr_float -> f32 : Float as value => *value;
    /// Returns an attribute that is an element type.
    ///
    attr_type -> DType : Type as value => *value;
    /// Returns an attribute that is a shape.
    ///
    attr_shape -> &PartialShape : Shape as value => value;
    /// Returns an attribute that is a tensor.
    ///
    attr_tensor -> &Tensor : Tensor as value => value;
    /// Returns the bytes of a string attribute.
    ///
    attr_bytes -> &Bytes : String as value => value;
    /// Returns an attribute that is a function.
    ///
    attr_function -> &FunctionRef : Function as value => value;
}
