//! The shapes of tensors with a border around them.

use graph::op::ShapeContext;
use tensor::{PartialShape, Result, ensure};

/// Sets the shape of input 0 with the border that input 1 states. `sign` is 1 where the border is put on, -1 where it is
/// folded back.
pub(super) fn padded_shape(cx: &mut ShapeContext<'_>, sign: i64) -> Result<()> {
    let paddings = cx.with_rank(1, 2)?;
    if let Some(columns) = paddings.dim(1) {
        ensure!(columns == 2, InvalidArgument, "Dimension must be 2 but is {columns}");
    }
    let input = match paddings.dim(0) {
        Some(rank) => cx.with_rank(0, rank as usize)?,
        None => cx.input(0),
    };
    let Some(values) = cx.ints(1) else {
        cx.set(0, input.rank().map_or(PartialShape::unknown(), PartialShape::of_rank));
        return Ok(());
    };
    ensure!(values.iter().all(|value| *value >= 0), InvalidArgument, "Paddings must be non-negative");
    let mut dims = Vec::with_capacity(values.len() / 2);
    for (axis, pair) in values.chunks_exact(2).enumerate() {
        let border = pair[0].saturating_add(pair[1]);
        let size = input.dim(axis).map(|dim| dim.saturating_add(sign * border));
        if let Some(size) = size {
            ensure!(size >= 0, InvalidArgument, "a border of {border} does not fit in {}", input);
        }
        dims.push(size.unwrap_or(-1));
    }
    cx.set(0, PartialShape::from_dims(&dims));
    Ok(())
}
