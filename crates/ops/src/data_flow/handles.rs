//! The two kinds of handles of resources: newer ops have a resource, older ones a reference to two strings.

use graph::op::{OpEntry, ShapeContext};
use tensor::{PartialShape, Result};

/// The ends of op names, and what kind of handle those ops have.
pub(crate) const HANDLES: [(&str, &str); 2] = [("V2", "resource"), ("", "Ref(string)")];

/// Older handles are two strings.
pub(crate) fn handle_shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let is_ref = cx.node.output_types.first().is_some_and(|output| output.is_ref);
    cx.set(0, if is_ref { PartialShape::from([2]) } else { PartialShape::scalar() });
    Ok(())
}

/// The newer ops say that they have effects.
pub(crate) fn stateful_if_new<'a>(entry: OpEntry<'a>, version: &str) -> OpEntry<'a> {
    if version.is_empty() { entry } else { entry.stateful() }
}
