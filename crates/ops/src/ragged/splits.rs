//! Where the rows of ragged tensors end.

use tensor::{Result, Tensor, ensure};

/// Row splits: they begin with 0 and never fall; the last one is the number of values.
pub(super) fn row_splits(tensor: &Tensor, values: Option<usize>) -> Result<Vec<i64>> {
    ensure!(tensor.shape().rank() == 1, InvalidArgument, "splits must be a vector, got shape {}", tensor.shape());
    let splits = tensor.to_i64_vec()?;
    ensure!(!splits.is_empty(), InvalidArgument, "Invalid ragged splits: ragged splits may not be empty");
    ensure!(splits[0] == 0, InvalidArgument, "First value of ragged splits must be 0, got {}", splits[0]);
    for pair in splits.windows(2) {
        ensure!(
            pair[0] <= pair[1],
            InvalidArgument,
            "Ragged splits should be non decreasing, but we got {} and {}",
            pair[0],
            pair[1]
        );
    }
    if let Some(values) = values {
        let last = splits[splits.len() - 1];
        ensure!(
            last == values as i64,
            InvalidArgument,
            "Invalid ragged splits: Final value of ragged splits must match the length the corresponding ragged values: \
             {last} and {values}"
        );
    }
    Ok(splits)
}
