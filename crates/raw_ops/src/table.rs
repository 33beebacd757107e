//! The macro behind the generated tables: an entry is a function and a builder.

/// Declares functions and, in a module `builders`, what they return. An entry reads
///
/// ```text
/// function Op source (argument: kind "name", ...) -> outputs { attribute: kind "name"; ... }
/// ```
///
/// where `source` is the argument that the graph is taken from, and `outputs` is `one`, `list`, `none`, or the name of a
/// struct with the fields and their kinds.
macro_rules! ops {
    ($(
        $(#[$doc:meta])*
        $function:ident $op:ident $source:ident ($($argument:ident: $kind:ident $name:literal),*) -> $outputs:tt {
            $($(#[$attr_doc:meta])* $attr:ident: $attr_kind:ident $attr_name:literal;)*
        }
    )*) => {
        $(
            $(#[$doc])*
            #[track_caller]
            pub fn $function($($argument: kind!($kind)),*) -> builders::$op {
                let node = $crate::outputs::Source::source($source).op(stringify!($op));
                $(let node = put!(node, $argument, $kind $name);)*
                builders::$op(node)
            }
        )*

        pub(super) mod builders {
            $(
                #[doc = concat!("A node of `", stringify!($op), "` in the making, begun by")]
                #[doc = concat!("[`", stringify!($function), "`](crate::", stringify!($function), ").")]
                #[must_use]
                pub struct $op(pub(super) ::graph::OpBuilder);

                impl $op {
                    $($(#[$attr_doc])*
                    pub fn $attr(self, value: kind!($attr_kind)) -> Self {
                        Self(put!(self.0, value, $attr_kind $attr_name))
                    })*

                    /// Names the node. Without a name it gets the op's; a number is added if the name is taken.
                    pub fn name(self, name: impl Into<String>) -> Self {
                        Self(self.0.name(name))
                    }

                    /// Asks for a device, in full or in part, as in `/job:ps/task:0`.
                    pub fn device(self, device: impl Into<String>) -> Self {
                        Self(self.0.device(device))
                    }

                    /// Lets the node wait until these have run.
                    pub fn control_inputs(self, operations: &[::graph::Operation]) -> Self {
                        Self(self.0.control_inputs(operations))
                    }

                    /// Puts the node on the device of another one.
                    pub fn colocate_with(self, operation: &::graph::Operation) -> Self {
                        Self(self.0.colocate_with(operation))
                    }

                    /// Adds the node to its graph and returns it.
                    pub fn build(self) -> ::graph::Operation {
                        self.0.build()
                    }
                }

                outputs! { $op $outputs }
            )*
        }
    };
}

/// The type of an argument or attribute of a kind.
macro_rules! kind {
    (graph) => { &::graph::Graph };
    (one) => { &::graph::Output };
    (list) => { &[::graph::Output] };
    (string) => { impl AsRef<[u8]> };
    (int) => { i64 };
    (float) => { f32 };
    (bool) => { bool };
    (dtype) => { ::tensor::DType };
    (shape) => { impl Into<::tensor::PartialShape> };
    (tensor) => { impl Into<::tensor::Tensor> };
    (function) => { ::graph::FunctionRef };
    (strings) => { &[&str] };
    (ints) => { &[i64] };
    (floats) => { &[f32] };
    (bools) => { &[bool] };
    (dtypes) => { &[::tensor::DType] };
    (shapes) => { &[::tensor::PartialShape] };
    (tensors) => { &[::tensor::Tensor] };
    (functions) => { &[::graph::FunctionRef] };
}

/// Adds an argument or attribute of a kind to a node in the making.
macro_rules! put {
    ($node:expr, $value:ident, graph $name:literal) => {
        $node
    };
    ($node:expr, $value:ident, one $name:literal) => {
        $node.input($value)
    };
    ($node:expr, $value:ident, list $name:literal) => {
        $node.input_list($value)
    };
    ($node:expr, $value:ident, string $name:literal) => {
        $node.attr($name, ::graph::AttrValue::String($value.as_ref().to_vec().into()))
    };
    ($node:expr, $value:ident, shape $name:literal) => {
        $node.attr($name, ::graph::AttrValue::Shape($value.into()))
    };
    ($node:expr, $value:ident, tensor $name:literal) => {
        $node.attr($name, ::graph::AttrValue::Tensor($value.into()))
    };
    ($node:expr, $value:ident, strings $name:literal) => {
        $node.attr(
            $name,
            ::graph::AttrValue::Strings($value.iter().map(|text| text.as_bytes().to_vec().into()).collect()),
        )
    };
    ($node:expr, $value:ident, functions $name:literal) => {
        $node.attr($name, ::graph::AttrValue::Functions($value.to_vec()))
    };
    ($node:expr, $value:ident, ints $name:literal) => {
        $node.attr($name, $value.to_vec())
    };
    ($node:expr, $value:ident, floats $name:literal) => {
        $node.attr($name, $value.to_vec())
    };
    ($node:expr, $value:ident, bools $name:literal) => {
        $node.attr($name, $value.to_vec())
    };
    ($node:expr, $value:ident, dtypes $name:literal) => {
        $node.attr($name, $value.to_vec())
    };
    ($node:expr, $value:ident, shapes $name:literal) => {
        $node.attr($name, $value.to_vec())
    };
    ($node:expr, $value:ident, tensors $name:literal) => {
        $node.attr($name, $value.to_vec())
    };
    ($node:expr, $value:ident, $kind:ident $name:literal) => {
        $node.attr($name, $value)
    };
}

/// Declares how a builder returns the outputs of its node.
macro_rules! outputs {
    ($op:ident none) => {};
    ($op:ident one) => {
        impl $op {
            /// Adds the node to its graph and returns its output.
            pub fn output(self) -> ::graph::Output {
                self.0.output()
            }
        }
    };
    ($op:ident list) => {
        impl $op {
            /// Adds the node to its graph and returns its outputs; none after a mistake.
            pub fn outputs(self) -> Vec<::graph::Output> {
                self.0.outputs()
            }
        }
    };
    ($op:ident ($outputs:ident $($field:ident: $kind:ident),*)) => {
        #[doc = concat!("The outputs of `", stringify!($op), "` by name.")]
        #[derive(Clone, Debug)]
        pub struct $outputs {
            $(
                #[doc = concat!("The output `", stringify!($field), "`.")]
                pub $field: output!($kind),
            )*
        }

        impl $op {
            /// Adds the node to its graph and returns its outputs by name.
            pub fn outputs(self) -> $outputs {
                let mut outputs = $crate::outputs::Outputs::of(self.0.build());
                $outputs { $($field: outputs.$kind()),* }
            }
        }
    };
}

/// The type of a named output of a kind.
macro_rules! output {
    (one) => { ::graph::Output };
    (list) => { Vec<::graph::Output> };
}
