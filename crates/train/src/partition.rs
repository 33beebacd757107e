//! Partitioned variables: one large variable in pieces, each a variable of its own that may live on another task.

use std::sync::Arc;

use graph::{Graph, Operand, Output};
use parking_lot::Mutex;
use tensor::{DType, Result, ensure};

use crate::variable::{Variable, VariableKind};

/// Into how many pieces a variable is cut, along one of its dimensions.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::Partitioner;
/// let g = Graph::new();
/// let partitioner = Partitioner::FixedSize { shards: 2, axis: 1 };
/// let table = g.variable("table").shape(&[3, 4]).partitioner(partitioner).try_get_partitioned()?;
/// let names: Vec<&str> = table.parts().iter().map(|part| part.name()).collect();
/// assert_eq!((names, table.partitions()), (vec!["table/part_0", "table/part_1"], &[1, 2][..]));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone)]
pub enum Partitioner {
    /// This many pieces along `axis`.
    FixedSize {
        /// How many pieces there are.
        shards: i64,
        /// The dimension that is cut.
        axis: usize,
    },
    /// As many pieces along `axis` as keep each below a number of bytes.
    VariableAxisSize {
        /// The most bytes that a piece may have.
        max_shard_bytes: i64,
        /// The dimension that is cut.
        axis: usize,
        /// The most pieces that there may be.
        max_shards: Option<i64>,
    },
    /// The number of pieces along each dimension, for a shape and a type.
    Function(Arc<dyn Fn(&[i64], DType) -> Vec<i64> + Send + Sync>),
}

/// This many pieces along the first dimension.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::fixed_size_partitioner;
/// # fn main() -> tensorfleet::Result<()> {
/// let partitions = fixed_size_partitioner(3).partitions(&[10, 4], DType::Float)?;
/// assert_eq!(partitions, [3, 1]);
/// # Ok(())
/// # }
/// ```
pub fn fixed_size_partitioner(shards: i64) -> Partitioner {
    Partitioner::FixedSize { shards, axis: 0 }
}

/// Pieces of at most this many bytes (or one row) along the first dimension.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::variable_axis_size_partitioner;
/// # fn main() -> tensorfleet::Result<()> {
/// // Ten rows of four floats are 160 bytes.
/// let partitions = variable_axis_size_partitioner(64).partitions(&[10, 4], DType::Float)?;
/// assert_eq!(partitions, [3, 1]);
/// # Ok(())
/// # }
/// ```
pub fn variable_axis_size_partitioner(max_shard_bytes: i64) -> Partitioner {
    Partitioner::VariableAxisSize { max_shard_bytes, axis: 0, max_shards: None }
}

impl Partitioner {
    /// The number of pieces along each dimension, of which at most one is above 1.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::Partitioner;
    /// let halves = Partitioner::FixedSize { shards: 2, axis: 1 };
    /// assert_eq!(halves.partitions(&[3, 4], DType::Float)?, [1, 2]);
    /// assert!(halves.partitions(&[3], DType::Float).is_err()); // there is no axis 1
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the shape cannot be cut like this.
    pub fn partitions(&self, shape: &[i64], dtype: DType) -> Result<Vec<i64>> {
        ensure!(!shape.is_empty(), InvalidArgument, "A partitioned Variable must have rank at least 1, shape: []");
        let along = |axis: usize, pieces: &dyn Fn(i64) -> i64| {
            ensure!(axis < shape.len(), InvalidArgument, "cannot cut axis {axis} of a variable of shape {shape:?}");
            let mut partitions = vec![1; shape.len()];
            partitions[axis] = pieces(shape[axis]).clamp(1, shape[axis].max(1));
            Ok(partitions)
        };
        let partitions = match self {
            Partitioner::FixedSize { shards, axis } => along(*axis, &|_| *shards)?,
            Partitioner::VariableAxisSize { max_shard_bytes, axis, max_shards } => {
                let elements: i64 = shape.iter().product();
                along(*axis, &|size| {
                    if elements == 0 {
                        return 1;
                    }
                    // Strings count as 16 bytes each.
                    let element = if dtype.size() == 0 { 16 } else { dtype.size() as i64 };
                    let rows = (max_shard_bytes / (elements / size * element).max(1)).max(1);
                    ((size + rows - 1) / rows).min(max_shards.unwrap_or(i64::MAX))
                })?
            }
            Partitioner::Function(function) => function(shape, dtype),
        };
        ensure!(
            partitions.len() == shape.len() && partitions.iter().all(|pieces| *pieces >= 1),
            InvalidArgument,
            "Partitioner returned a partition list that does not match the Variable's rank: {partitions:?} vs. {shape:?}"
        );
        ensure!(
            partitions.iter().filter(|pieces| **pieces > 1).count() <= 1,
            InvalidArgument,
            "Can only slice a variable along one dimension: shape: {shape:?}, partitioning: {partitions:?}"
        );
        Ok(partitions)
    }
}

/// Where a piece lies in the variable that it is part of. Checkpoints store pieces under the name of the whole.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::fixed_size_partitioner;
/// let g = Graph::new();
/// let table = g.variable("table").shape(&[5, 2]).partitioner(fixed_size_partitioner(2)).try_get_partitioned()?;
/// let last = table.parts()[1].save_slice_info().unwrap();
/// assert_eq!((last.full_name.as_str(), &last.var_offset[..], &last.var_shape[..]), ("table", &[3, 0][..], &[2, 2][..]));
/// # Ok::<(), Status>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SaveSliceInfo {
    /// The name of the whole variable.
    pub full_name: String,
    /// The shape of the whole variable.
    pub full_shape: Vec<i64>,
    /// Where the piece begins, in each dimension.
    pub var_offset: Vec<i64>,
    /// The shape of the piece.
    pub var_shape: Vec<i64>,
}

impl SaveSliceInfo {
    /// The form that `SaveV2` and `RestoreV2` take: `5 3 0,3:0,3` is rows 0 to 2 of a matrix of 5 rows.
    ///
    /// ```
    /// let piece = tensorfleet::train::SaveSliceInfo {
    ///     full_name: "w".into(),
    ///     full_shape: vec![5, 3],
    ///     var_offset: vec![3, 0],
    ///     var_shape: vec![2, 3],
    /// };
    /// assert_eq!(piece.spec(), "5 3 3,2:0,3");
    /// ```
    pub fn spec(&self) -> String {
        let shape: String = self.full_shape.iter().map(|dim| format!("{dim} ")).collect();
        let extents = self.var_offset.iter().zip(&self.var_shape).map(|(offset, size)| format!("{offset},{size}"));
        shape + &extents.collect::<Vec<_>>().join(":")
    }
}

/// The pieces of a variable cut as `partitions` says: the first ones are one longer where it does not divide.
pub(crate) fn slices(name: &str, shape: &[i64], partitions: &[i64]) -> Vec<SaveSliceInfo> {
    let axis = partitions.iter().position(|pieces| *pieces > 1).unwrap_or(0);
    let (pieces, size) = (partitions[axis], shape[axis]);
    let mut offset = vec![0; shape.len()];
    let mut slices = Vec::new();
    for piece in 0..pieces {
        let mut extent = shape.to_vec();
        extent[axis] = size / pieces + i64::from(piece < size % pieces);
        slices.push(SaveSliceInfo {
            full_name: name.to_owned(),
            full_shape: shape.to_vec(),
            var_offset: offset.clone(),
            var_shape: extent.clone(),
        });
        offset[axis] += extent[axis];
    }
    slices
}

/// A variable in pieces, named `name/part_0`, `name/part_1` and so on.
///
/// ```
/// use tensorfleet::prelude::*;
/// use tensorfleet::train::{Initializer, fixed_size_partitioner};
/// # fn main() -> tensorfleet::Result<()> {
/// let g = Graph::new();
/// let table = g.variable("table").shape(&[5, 2]).initializer(Initializer::Ones);
/// let table = table.partitioner(fixed_size_partitioner(2)).try_get_partitioned()?;
/// let whole = table.value();
/// let session = LocalSession::new(&g)?;
/// session.run(RunRequest::new().target(&global_variables_initializer(&g)))?;
/// assert_eq!(session.fetch(RunRequest::new().fetch(&whole))?[0].dims(), [5, 2]);
/// # Ok(())
/// # }
/// ```
#[derive(Clone)]
pub struct PartitionedVariable {
    pub(crate) name: String,
    pub(crate) shape: Vec<i64>,
    pub(crate) dtype: DType,
    pub(crate) parts: Vec<Variable>,
    pub(crate) partitions: Vec<i64>,
    pub(crate) whole: Arc<Mutex<Option<Output>>>,
}

impl PartitionedVariable {
    /// Returns the name of the whole.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the shape of the whole.
    pub fn shape(&self) -> &[i64] {
        &self.shape
    }

    /// Returns the type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The pieces, in order.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::fixed_size_partitioner;
    /// let g = Graph::new();
    /// let table = g.variable("table").shape(&[5, 2]).partitioner(fixed_size_partitioner(2)).try_get_partitioned()?;
    /// assert_eq!((table.name(), table.shape(), table.dtype()), ("table", &[5, 2][..], DType::Float));
    /// assert_eq!(table.parts()[0].shape(), PartialShape::from([3, 2]));
    /// assert_eq!(table.partitions(), [2, 1]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn parts(&self) -> &[Variable] {
        &self.parts
    }

    /// The number of pieces along each dimension.
    pub fn partitions(&self) -> &[i64] {
        &self.partitions
    }

    /// The whole value, put together.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// use tensorfleet::train::{Initializer, fixed_size_partitioner};
    /// let g = Graph::new();
    /// let table = g.variable("table").shape([3, 2]).initializer(Initializer::Ones);
    /// let table = table.partitioner(fixed_size_partitioner(2)).try_get_partitioned()?;
    /// let whole = table.value();
    /// let session = LocalSession::new(&g)?;
    /// session.eval(&global_variables_initializer(&g))?;
    /// assert_eq!(session.eval::<Vec<[f32; 2]>, _>(&whole)?, [[1.0, 1.0]; 3]);
    /// # Ok::<(), Status>(())
    /// ```
    #[track_caller]
    pub fn value(&self) -> Output {
        let graph = self.parts[0].handle().graph();
        let mut whole = self.whole.lock();
        let build = || {
            let axis = self.partitions.iter().position(|pieces| *pieces > 1).unwrap_or(0);
            let joined = graph.with_name_scope(&format!("{}/ConcatPartitions/", self.name), |graph| {
                let name = graph.unique_name("concat");
                let read = |part: &Variable| match part.kind() {
                    VariableKind::Ref => part.value().clone(),
                    VariableKind::Resource => graph.with_name_scope(&format!("{name}/"), |_| part.read()),
                };
                let parts: Vec<Output> = self.parts.iter().map(read).collect();
                let axis = (axis as i32).to_named_output(graph, Some(DType::Int32), &format!("{name}/axis"));
                graph.op("ConcatV2").name_exactly(name).input_list(&parts).input(axis).output()
            });
            graph.with_name_scope("", |graph| graph.op("Identity").name(self.name.clone()).input(&joined).output())
        };
        whole.get_or_insert_with(build).clone()
    }
}

impl Operand for &PartitionedVariable {
    fn to_output(&self, _: &Graph, _: Option<DType>) -> Output {
        self.value()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// As TensorFlow 2.21 cuts them.
    #[test]
    fn numbers_of_pieces() {
        let pieces = |partitioner: Partitioner, shape: &[i64]| partitioner.partitions(shape, DType::Float).unwrap();
        assert_eq!(pieces(fixed_size_partitioner(2), &[5, 3]), [2, 1]);
        assert_eq!(pieces(fixed_size_partitioner(7), &[5, 3]), [5, 1]);
        // A row has 12 bytes: two rows fit in 30.
        assert_eq!(pieces(variable_axis_size_partitioner(30), &[5, 3]), [3, 1]);
        assert_eq!(pieces(variable_axis_size_partitioner(1), &[5, 3]), [5, 1]);
        let few = Partitioner::VariableAxisSize { max_shard_bytes: 1, axis: 1, max_shards: Some(2) };
        assert_eq!(pieces(few, &[5, 3]), [1, 2]);
        assert!(fixed_size_partitioner(2).partitions(&[], DType::Float).is_err());
        let both = Partitioner::Function(Arc::new(|_, _| vec![2, 2]));
        assert!(both.partitions(&[4, 4], DType::Float).is_err());
    }

    #[test]
    fn the_first_pieces_are_longer() {
        let specs: Vec<String> = slices("w", &[5, 3], &[2, 1]).iter().map(SaveSliceInfo::spec).collect();
        assert_eq!(specs, ["5 3 0,3:0,3", "5 3 3,2:0,3"]);
    }
}
