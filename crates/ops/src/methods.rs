//! Methods of [`Output`](graph::Output) for ops that need no more than their inputs.

/// Declares a trait of methods, each of which adds a node with one input: `exp = "Exp";`.
macro_rules! unary_methods {
    ($(#[$doc:meta])* $trait:ident { $($(#[$method_doc:meta])* $method:ident = $op:literal;)* }) => {
        $(#[$doc])*
        pub trait $trait {
            $($(#[$method_doc])* fn $method(&self) -> graph::Output;)*
        }

        impl $trait for graph::Output {
            $(#[track_caller]
            fn $method(&self) -> graph::Output {
                self.unary($op)
            })*
        }
    };
}

/// Declares a trait of methods, each of which adds a node with this output on the left and another one, or a number,
/// on the right: `maximum = "Maximum";`.
macro_rules! binary_methods {
    ($(#[$doc:meta])* $trait:ident { $($(#[$method_doc:meta])* $method:ident = $op:literal;)* }) => {
        $(#[$doc])*
        pub trait $trait {
            $($(#[$method_doc])* fn $method(&self, right: impl graph::Operand) -> graph::Output;)*
        }

        impl $trait for graph::Output {
            $(#[track_caller]
            fn $method(&self, right: impl graph::Operand) -> graph::Output {
                self.binary($op, $op, right)
            })*
        }
    };
}
