//! `ReverseSequence`: the beginnings of slices turned around, each to a length of its own.

use graph::op::{GradContext, Kernel, OpContext, Registry, ShapeContext, types};
use graph::{Gradient, Node, ReadAttrs};
use tensor::{Result, Tensor, ensure};

use crate::arguments::{axis_of, sizes};
use crate::moving::{Pick, moved};
use crate::strided::row_major_steps;

pub(crate) fn register(r: &mut Registry) {
    r.op("ReverseSequence", "input: T, seq_lengths: Tlen -> output: T")
        .attr("seq_dim: int")
        .attr("batch_dim: int = 0")
        .attr("T: type")
        .attr("Tlen: {int32, int64} = int64")
        .shape(shape)
        .kernel("T", types::ALL, kernel)
        .gradient(gradient);
}

fn shape(cx: &mut ShapeContext<'_>) -> Result<()> {
    let (input, lengths) = (cx.input(0), cx.with_rank(1, 1)?);
    let Some(rank) = input.rank() else { return Ok(()) };
    let (sequence, batch) = (cx.attr_int("seq_dim")?, cx.attr_int("batch_dim")?);
    ensure!(sequence < rank as i64, InvalidArgument, "seq_dim must be < input rank: {sequence} vs. {rank}");
    let Some(batch) = axis_of(batch, rank) else {
        tensor::bail!(InvalidArgument, "batch_dim must be < input rank: {batch} vs. {rank}")
    };
    if let (Some(size), Some(count)) = (input.dim(batch), lengths.dim(0)) {
        ensure!(size == count, InvalidArgument, "Dimensions must be equal, but are {size} and {count}");
    }
    cx.set(0, input);
    Ok(())
}

fn kernel(node: &Node) -> Result<Kernel> {
    let (sequence, batch) = (node.attr_int("seq_dim")?, node.attr_int("batch_dim")?);
    Ok(Kernel::compute(move |cx: &mut OpContext<'_>| {
        let output = reverse_sequence(cx.input(0)?, cx.input(1)?, sequence, batch)?;
        cx.set_output(0, output);
        Ok(())
    }))
}

fn reverse_sequence(input: &Tensor, lengths: &Tensor, sequence: i64, batch: i64) -> Result<Tensor> {
    let rank = input.shape().rank();
    ensure!(lengths.shape().rank() == 1, InvalidArgument, "seq_lengths must be 1-dim, not {}", lengths.shape().rank());
    ensure!(sequence != batch, InvalidArgument, "batch_dim == seq_dim == {sequence}");
    ensure!(
        (0..rank as i64).contains(&sequence),
        InvalidArgument,
        "seq_dim must be < input rank ( {sequence} vs. {rank})"
    );
    ensure!((0..rank as i64).contains(&batch), InvalidArgument, "batch_dim must be < input rank ( {batch} vs. {rank})");
    let (sequence, batch) = (sequence as usize, batch as usize);
    let lengths = lengths.to_i64_vec()?;
    ensure!(
        lengths.len() as i64 == input.dims()[batch],
        InvalidArgument,
        "Length of seq_lengths != input.dims({batch}), ({} vs. {})",
        lengths.len(),
        input.dims()[batch]
    );
    for (place, length) in lengths.iter().enumerate() {
        ensure!(*length >= 0, InvalidArgument, "seq_lens({place}) < 0");
        ensure!(*length <= input.dims()[sequence], InvalidArgument, "seq_lens({place}) > input.dims({sequence})");
    }
    let dims = sizes(input.shape());
    let steps = row_major_steps(&dims);
    let (along, across) = (steps[sequence] as usize, steps[batch] as usize);
    let places: Vec<usize> = (0..input.num_elements())
        .map(|place| {
            let at = place / along % dims[sequence];
            let length = lengths[place / across % dims[batch]] as usize;
            if at < length { place + along * (length - 1) - 2 * along * at } else { place }
        })
        .collect();
    moved(input.shape().clone(), &[input], &Pick(&places))
}

fn gradient(cx: &GradContext<'_>) -> Result<Vec<Option<Gradient>>> {
    let dx = cx.op("ReverseSequence").input(cx.dy(0)?).input(cx.x(1)).attr("seq_dim", cx.attr_int("seq_dim")?);
    Ok(vec![Some(dx.attr("batch_dim", cx.attr_int("batch_dim")?).output().into()), None])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// TensorFlow 2.21 gives these.
    #[test]
    fn each_row_has_its_length() {
        let x = Tensor::from([[1i32, 2, 3], [4, 5, 6]]);
        let reversed = reverse_sequence(&x, &Tensor::from([3i64, 2]), 1, 0).unwrap();
        assert_eq!(reversed, Tensor::from([[3i32, 2, 1], [5, 4, 6]]));
        let status = reverse_sequence(&x, &Tensor::from([4i64, 2]), 1, 0).unwrap_err();
        assert_eq!(status.message(), "seq_lens(0) > input.dims(1)");
    }
}
