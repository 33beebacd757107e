//! What those who plan and run graphs must know of an op beyond its kernel.

/// The part that an op plays in a graph. Most play none: their kernels are all there is to them.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::graph::op::Role;
/// let g = Graph::new();
/// assert_eq!(g.registry().find("Placeholder")?.def.role, Role::Placeholder);
/// assert_eq!(g.registry().find("MatMul")?.def.role, Role::Plain);
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Role {
    /// Computes its outputs from its inputs.
    #[default]
    Plain,
    /// Does nothing; control edges give it meaning (`NoOp`).
    Nothing,
    /// Returns the value that it was built with (`Const`).
    Constant,
    /// Passes its input on (`Identity`, `RefIdentity`).
    Identity,
    /// Stands for a value that a step feeds (`Placeholder` and its kin).
    Placeholder,
    /// An argument of the step or function that the graph is the body of (`_Arg`).
    Argument,
    /// A result of the step or function that the graph is the body of (`_Retval`).
    Returned,
    /// Gives a tensor to another place (`_Send`, `_HostSend`). It runs even when its input is dead: the other side must
    /// hear of it.
    Send,
    /// Gets a tensor from another place (`_Recv`, `_HostRecv`).
    Receive,
    /// Passes its input on to one of two outputs (`Switch`, `RefSwitch`).
    Switch,
    /// Passes on whichever of its inputs is alive (`Merge`, `RefMerge`).
    Merge,
    /// Leads into a loop (`Enter`, `RefEnter`).
    Enter,
    /// Leads out of a loop (`Exit`, `RefExit`).
    Exit,
    /// Leads from one iteration of a loop to the next (`NextIteration`, `RefNextIteration`).
    NextIteration,
    /// Says whether a loop goes on (`LoopCond`).
    LoopCond,
    /// Fires even when what it waits for is dead (`ControlTrigger`).
    ControlTrigger,
    /// Stands for the body of a function (`PartitionedCall`, `StatefulPartitionedCall`).
    Call,
    /// Stands for the gradient of a function (`SymbolicGradient`).
    CallGradient,
    /// Stands for one of two functions, by a condition (`If`, `StatelessIf`).
    If,
    /// Stands for one of several functions, by a number (`Case`, `StatelessCase`).
    Case,
    /// Stands for a function that is repeated (`While`, `StatelessWhile`).
    While,
    /// Gives a variable its value (`Assign`, `AssignVariableOp`).
    Assign,
    /// Writes variables to a file (`SaveV2`).
    Save,
    /// Reads what was saved (`RestoreV2`).
    Restore,
}

impl Role {
    /// Whether what comes out depends on more than the values that go in: on the branch taken, or on what a step feeds.
    ///
    /// ```
    /// use tensorfleet::graph::op::Role;
    /// assert!(Role::Placeholder.depends_on_step() && !Role::Constant.depends_on_step());
    /// ```
    pub fn depends_on_step(self) -> bool {
        use Role::*;
        matches!(self, Placeholder | Switch | Merge | Enter | Exit | NextIteration | LoopCond)
    }
}
