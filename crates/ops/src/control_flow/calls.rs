//! Calls of functions: `PartitionedCall`, `StatefulPartitionedCall`, `If`, `Case` and `While`, their stateless forms
//! `StatelessIf`, `StatelessCase` and `StatelessWhile`, and `SymbolicGradient`.
//!
//! They have no kernels of their own: sessions take calls apart into the nodes of the functions' bodies. What is left of
//! them could not be taken apart, and says why.

use graph::op::{Kernel, Registry, Role, ShapeContext};
use graph::{NOT_EXPANDED, Node, ReadAttrs};
use tensor::{Result, bail};

pub(crate) fn register(r: &mut Registry) {
    for name in ["PartitionedCall", "StatefulPartitionedCall"] {
        let entry = r
            .op(name, "args: Tin -> output: Tout")
            .role(Role::Call)
            .attr("Tin: list(type) >= 0")
            .attr("Tout: list(type) >= 0")
            .attr("f: func")
            .attr("config: string = ''")
            .attr("config_proto: string = ''")
            .attr("executor_type: string = ''")
            .shape(ShapeContext::unknown)
            .any_kernel(refuse);
        if name.starts_with("Stateful") {
            entry.stateful();
        }
    }
    r.op("SymbolicGradient", "input: Tin -> output: Tout")
        .role(Role::CallGradient)
        .attr("Tin: list(type) >= 1")
        .attr("Tout: list(type) >= 1")
        .attr("f: func")
        .shape(ShapeContext::unknown)
        .any_kernel(refuse);
    for name in ["If", "StatelessIf"] {
        let entry = r
            .op(name, "cond: Tcond, input: Tin -> output: Tout")
            .role(Role::If)
            .attr("Tcond: type")
            .attr("Tin: list(type) >= 0")
            .attr("Tout: list(type) >= 0")
            .attr("then_branch: func")
            .attr("else_branch: func")
            .attr("output_shapes: list(shape) = []")
            .shape(shape)
            .any_kernel(refuse);
        if name == "If" {
            entry.stateful();
        }
    }
    for name in ["Case", "StatelessCase"] {
        let entry = r
            .op(name, "branch_index: int32, input: Tin -> output: Tout")
            .role(Role::Case)
            .attr("Tin: list(type) >= 0")
            .attr("Tout: list(type) >= 0")
            .attr("branches: list(func) >= 1")
            .attr("output_shapes: list(shape) = []")
            .shape(shape)
            .any_kernel(refuse);
        if name == "Case" {
            entry.stateful();
        }
    }
    for name in ["While", "StatelessWhile"] {
        let entry = r
            .op(name, "input: T -> output: T")
            .role(Role::While)
            .attr("T: list(type) >= 0")
            .attr("cond: func")
            .attr("body: func")
            .attr("output_shapes: list(shape) = []")
            .attr("parallel_iterations: int = 10")
            .shape(shape)
            .any_kernel(refuse);
        if name == "While" {
            entry.stateful();
        }
    }
}

/// The shapes that the client has inferred.
fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let shapes = cx.attr_shapes("output_shapes")?.to_vec();
    for (index, shape) in shapes.into_iter().enumerate() {
        cx.set(index, shape);
    }
    Ok(())
}

fn refuse(node: &Node) -> Result<Kernel> {
    match node.attr_str(NOT_EXPANDED) {
        Ok(why) => bail!(Unimplemented, "{why}"),
        Err(_) => bail!(
            Unimplemented,
            "the function of this {} is not in the graph's library, or is of a kind that cannot be called here",
            node.op
        ),
    }
}
