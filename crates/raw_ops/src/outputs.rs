//! Where the graph of a node comes from, and how the outputs of one are dealt out by name.

use graph::{Graph, Operation, Output};

/// A graph, or a value in one.
pub(crate) trait Source {
    /// Returns the graph that the node goes into.
    fn source(&self) -> &Graph;
}

impl Source for Graph {
    fn source(&self) -> &Graph {
        self
    }
}

impl Source for Output {
    fn source(&self) -> &Graph {
        self.graph()
    }
}

/// The outputs of a node, taken one argument of the definition after the other.
pub(crate) struct Outputs {
    operation: Operation,
    /// How many arguments have been taken.
    arguments: usize,
    /// How many outputs have been taken.
    taken: usize,
}

impl Outputs {
    pub(crate) fn of(operation: Operation) -> Outputs {
        Outputs { operation, arguments: 0, taken: 0 }
    }

    /// Returns the next argument, a single output.
    pub(crate) fn one(&mut self) -> Output {
        let output = self.operation.output(self.taken);
        (self.arguments, self.taken) = (self.arguments + 1, self.taken + 1);
        output
    }

    /// Returns the next argument, a list of outputs; of a node that a mistake kept from being built, there are none.
    pub(crate) fn list(&mut self) -> Vec<Output> {
        let length = self.operation.id().and_then(|id| {
            self.operation.graph().read(|data| {
                let node = data.node(id);
                let argument = node.spec.as_ref()?.def.outputs.get(self.arguments)?;
                argument.len(&node.attrs).ok()
            })
        });
        let first = self.taken;
        (self.arguments, self.taken) = (self.arguments + 1, self.taken + length.unwrap_or(0));
        (first..self.taken).map(|index| self.operation.output(index)).collect()
    }
}
