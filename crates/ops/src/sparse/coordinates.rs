//! The indices of a sparse tensor, checked.

use tensor::{Result, Tensor, ensure};

/// One row of coordinates for each value.
pub(crate) struct Coordinates {
    pub(crate) rank: usize,
    pub(crate) flat: Vec<i64>,
    pub(crate) shape: Vec<i64>,
}

impl Coordinates {
    /// Reads indices and dense shape; `values` must be as many as there are rows.
    ///
    /// # Errors
    /// `InvalidArgument` if the ranks or numbers do not fit together.
    pub(crate) fn new(indices: &Tensor, values: Option<&Tensor>, shape: &Tensor) -> Result<Coordinates> {
        ensure!(
            indices.shape().rank() == 2,
            InvalidArgument,
            "Input indices should be a matrix but received shape {}",
            indices.shape()
        );
        ensure!(
            shape.shape().rank() == 1,
            InvalidArgument,
            "Input shape should be a vector but received shape {}",
            shape.shape()
        );
        let shape = shape.to_i64_vec()?;
        let (rows, rank) = (indices.shape().dim(0), indices.shape().dim(1));
        if let Some(values) = values {
            ensure!(
                values.shape().rank() == 1,
                InvalidArgument,
                "Input values should be a vector but received shape {}",
                values.shape()
            );
            ensure!(
                values.num_elements() == rows,
                InvalidArgument,
                "Number of elements in indices ({rows}) and values ({}) do not match",
                values.num_elements()
            );
        }
        ensure!(
            rank == shape.len(),
            InvalidArgument,
            "Index rank ({rank}) and shape rank ({}) do not match",
            shape.len()
        );
        ensure!(shape.iter().all(|dim| *dim >= 0), InvalidArgument, "Dimensions must be >= 0: {shape:?}");
        Ok(Coordinates { rank, flat: indices.to_i64_vec()?, shape })
    }

    pub(crate) fn len(&self, values: usize) -> usize {
        self.flat.len().checked_div(self.rank).unwrap_or(values)
    }

    pub(crate) fn rows(&self) -> impl Iterator<Item = &[i64]> {
        self.flat.chunks_exact(self.rank.max(1))
    }

    /// # Errors
    /// `InvalidArgument` if a dense tensor of the shape would have more elements than can be counted.
    pub(crate) fn check_size(&self) -> Result<()> {
        let count = self.shape.iter().try_fold(1i64, |count, dim| count.checked_mul(*dim));
        ensure!(
            count.is_some() || self.shape.contains(&0),
            InvalidArgument,
            "Encountered overflow when multiplying the dimensions of {}",
            shown(&self.shape)
        );
        Ok(())
    }

    /// # Errors
    /// `InvalidArgument` if a row points outside of the dense shape.
    pub(crate) fn check_bounds(&self) -> Result<()> {
        for (place, row) in self.rows().enumerate() {
            let inside = row.iter().zip(&self.shape).all(|(at, dim)| (0..*dim).contains(at));
            ensure!(
                inside,
                InvalidArgument,
                "indices[{place}] = {} is out of bounds: need 0 <= index < {}",
                shown(row),
                shown(&self.shape)
            );
        }
        Ok(())
    }
}

/// Coordinates as messages show them.
pub(crate) fn shown(row: &[i64]) -> String {
    format!("[{}]", row.iter().map(i64::to_string).collect::<Vec<_>>().join(","))
}
