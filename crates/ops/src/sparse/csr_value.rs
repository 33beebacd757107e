//! The matrices behind the `CSRSparseMatrix` ops: of every row the columns that are there and their values, in one matrix or
//! a batch of them. A matrix never changes: an op that changes it gives a new one.

use std::any::Any;
use std::ops::Range;

use graph::op::OpContext;
use tensor::{
    Complex64, Complex128, DType, Extent, Result, Shape, Tensor, Variant, VariantData, VariantValue, ensure, err,
    memory,
};

/// The types of elements that there are kernels for.
pub(super) const TYPES: &[DType] = &[DType::Float, DType::Double, DType::Complex64, DType::Complex128];

/// The attribute with the type of elements.
pub(super) const ELEMENTS: &str = "type: {float, double, complex64, complex128}";

#[derive(Clone, Debug)]
pub(super) struct CsrMatrix {
    /// Two of them, or three with the number of matrices first.
    pub(super) dims: Vec<i64>,
    /// Where each matrix begins in `columns` and `values`, and where the last ends.
    pub(super) starts: Vec<i32>,
    /// For each matrix, where each row begins after the beginning of the matrix, and where the last ends.
    pub(super) rows: Vec<i32>,
    pub(super) columns: Vec<i32>,
    pub(super) values: Tensor,
}

const TYPE_NAME: &str = "tensorflow::CSRSparseMatrix";

impl VariantValue for CsrMatrix {
    fn type_name(&self) -> &str {
        TYPE_NAME
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn extent(&self) -> Extent {
        Extent::of([&self.values, &Tensor::vector(&self.rows), &Tensor::vector(&self.columns)])
    }

    /// That it was checked, and the type; then the fields in their order.
    fn to_data(&self) -> Option<VariantData> {
        let mut metadata = vec![1, 0, 0, 0];
        metadata.extend(self.values.dtype().number().to_le_bytes());
        let numbers = [&self.starts, &self.rows, &self.columns].map(|list| Tensor::vector(list));
        let mut tensors = vec![Tensor::vector(&self.dims)];
        tensors.extend(numbers);
        tensors.push(self.values.clone());
        Some(VariantData { type_name: TYPE_NAME.to_owned(), metadata, tensors })
    }
}

impl CsrMatrix {
    /// The matrix in input `place`.
    pub(super) fn input(cx: &OpContext<'_>, place: usize, dtype: DType) -> Result<CsrMatrix> {
        let matrix = CsrMatrix::any_input(cx, place)?;
        ensure!(
            matrix.values.dtype() == dtype,
            InvalidArgument,
            "Asked for a CSRSparseMatrix of type {dtype} but saw dtype: {}",
            matrix.values.dtype()
        );
        Ok(matrix)
    }

    pub(super) fn any_input(cx: &OpContext<'_>, place: usize) -> Result<CsrMatrix> {
        let input = cx.input(place)?;
        let matrix = input.variants()?.first().and_then(|variant| variant.get(TYPE_NAME, CsrMatrix::from_data));
        matrix.ok_or_else(|| err!(InvalidArgument, "Invalid input matrix: input {place} is not a CSRSparseMatrix"))
    }

    fn from_data(data: &VariantData) -> Option<CsrMatrix> {
        let [dims, starts, rows, columns, values] = &data.tensors[..] else { return None };
        let numbers = |tensor: &Tensor| tensor.as_slice::<i32>().ok().map(<[i32]>::to_vec);
        let (starts, rows, columns) = (numbers(starts)?, numbers(rows)?, numbers(columns)?);
        let matrix =
            CsrMatrix { dims: dims.as_slice::<i64>().ok()?.to_vec(), starts, rows, columns, values: values.clone() };
        matrix.is_sound().then_some(matrix)
    }

    /// Whether everything points to where something is.
    fn is_sound(&self) -> bool {
        let rank = self.dims.len();
        if !(2..=3).contains(&rank) || self.dims.iter().any(|dim| !(0..=i32::MAX as i64).contains(dim)) {
            return false;
        }
        let (batch, width, entries) = (self.batch(), self.height() + 1, self.columns.len());
        let rising = |list: &[i32], last: i64| {
            list.first() == Some(&0) && list.is_sorted() && list.last().is_some_and(|end| *end as i64 == last)
        };
        self.starts.len() == batch + 1
            && Some(self.rows.len()) == batch.checked_mul(width)
            && self.values.dims() == [entries as i64]
            && TYPES.contains(&self.values.dtype())
            && rising(&self.starts, entries as i64)
            && (0..batch).all(|number| {
                let held = self.starts[number + 1] - self.starts[number];
                rising(&self.rows[number * width..][..width], held as i64)
            })
            && self.columns.iter().all(|column| (0..self.width() as i64).contains(&(*column as i64)))
    }

    /// The matrix of entries at coordinates; `values` are in the coordinates' order.
    ///
    /// # Errors
    /// `InvalidArgument` if an entry lies outside or there are too many rows; `ResourceExhausted` without memory for them.
    pub(super) fn at(dims: &[i64], coordinates: &[i64], values: &Tensor) -> Result<CsrMatrix> {
        let rank = dims.len();
        ensure!(
            rank == 2 || rank == 3,
            InvalidArgument,
            "SparseTensor must have rank 2 or 3; but indices has rank: {rank}"
        );
        let (batch, height) = (if rank == 3 { dims[0] } else { 1 }, dims[rank - 2]);
        let slots = batch as i128 * (height as i128 + 1);
        ensure!(
            dims.iter().all(|dim| (0..=i32::MAX as i64).contains(dim)) && slots <= i32::MAX as i128,
            InvalidArgument,
            "The csr row index size, computed based on the dense_shape, must be <= Int32Max, but is too large for \
             {dims:?}"
        );
        let entries = coordinates.len() / rank;
        ensure!(entries <= i32::MAX as usize, InvalidArgument, "{entries} values are more than Int32Max");
        memory::ensure_free(slots as u64 * 8, format_args!("the rows of a sparse matrix"))?;
        let (batch, height) = (batch as usize, height as usize);
        let mut counts = vec![0usize; slots as usize];
        let slot = |entry: &[i64]| {
            let number = if rank == 3 { entry[0] as usize } else { 0 };
            (number * (height + 1) + entry[rank - 2] as usize, number)
        };
        let mut starts = vec![0i32; batch + 1];
        for entry in coordinates.chunks_exact(rank) {
            ensure!(
                entry.iter().zip(dims).all(|(at, dim)| (0..*dim).contains(at)),
                InvalidArgument,
                "Sparse index tuple {entry:?} is out of bounds of the shape {dims:?}"
            );
            let (slot, number) = slot(entry);
            counts[slot + 1] += 1;
            starts[number + 1] += 1;
        }
        for number in 0..batch {
            starts[number + 1] += starts[number];
            let counts = &mut counts[number * (height + 1)..][..height + 1];
            (0..height).for_each(|row| counts[row + 1] += counts[row]);
        }
        let rows: Vec<i32> = counts.iter().map(|count| *count as i32).collect();
        let (mut order, mut columns) = (vec![0usize; entries], vec![0i32; entries]);
        for (place, entry) in coordinates.chunks_exact(rank).enumerate() {
            let (slot, number) = slot(entry);
            let to = starts[number] as usize + counts[slot];
            counts[slot] += 1;
            order[to] = place;
            columns[to] = entry[rank - 1] as i32;
        }
        Ok(CsrMatrix { dims: dims.to_vec(), starts, rows, columns, values: picked(values, &order)? })
    }

    pub(super) fn into_tensor(self) -> Result<Tensor> {
        Tensor::from_variants(Shape::scalar(), vec![Variant::new(self)?])
    }

    /// How many matrices there are.
    pub(super) fn batch(&self) -> usize {
        if self.dims.len() == 3 { self.dims[0] as usize } else { 1 }
    }

    pub(super) fn height(&self) -> usize {
        self.dims[self.dims.len() - 2] as usize
    }

    pub(super) fn width(&self) -> usize {
        self.dims[self.dims.len() - 1] as usize
    }

    /// Where the entries of a row are.
    pub(super) fn row(&self, number: usize, row: usize) -> Range<usize> {
        let (start, rows) = (self.starts[number] as usize, &self.rows[number * (self.height() + 1) + row..]);
        start + rows[0] as usize..start + rows[1] as usize
    }

    /// The coordinates of all entries, one after the other.
    pub(super) fn coordinates(&self) -> Vec<i64> {
        let mut all = Vec::with_capacity(self.columns.len() * self.dims.len());
        for number in 0..self.batch() {
            for row in 0..self.height() {
                for place in self.row(number, row) {
                    if self.dims.len() == 3 {
                        all.push(number as i64);
                    }
                    all.extend([row as i64, self.columns[place] as i64]);
                }
            }
        }
        all
    }

    pub(super) fn transposed(&self, conjugate: bool) -> Result<CsrMatrix> {
        let (rank, mut dims) = (self.dims.len(), self.dims.clone());
        dims.swap(rank - 2, rank - 1);
        let mut coordinates = self.coordinates();
        coordinates.chunks_exact_mut(rank).for_each(|entry| entry.swap(rank - 2, rank - 1));
        let values = if conjugate { conjugated(&self.values)? } else { self.values.clone() };
        CsrMatrix::at(&dims, &coordinates, &values)
    }
}

/// Some elements of a tensor, as a vector.
pub(super) fn picked(values: &Tensor, places: &[usize]) -> Result<Tensor> {
    dispatch!(values.dtype(), T in [f32, f64, Complex64, Complex128] => {
        let all = values.as_slice::<T>()?;
        Tensor::build(Shape::new(&[places.len() as i64])?, |out: &mut [T]| {
            out.iter_mut().zip(places).for_each(|(out, place)| *out = all[*place]);
            Ok(())
        })
    })
}

/// The conjugates; of real numbers, themselves.
pub(super) fn conjugated(values: &Tensor) -> Result<Tensor> {
    match values.dtype() {
        DType::Complex64 => Tensor::from_slice(
            values.shape(),
            &values.as_slice::<Complex64>()?.iter().map(|x| x.conj()).collect::<Vec<_>>(),
        ),
        DType::Complex128 => Tensor::from_slice(
            values.shape(),
            &values.as_slice::<Complex128>()?.iter().map(|x| x.conj()).collect::<Vec<_>>(),
        ),
        _ => Ok(values.clone()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn damaged_matrices_are_refused() {
        let matrix = CsrMatrix::at(&[2, 3], &[1, 2, 0, 1, 1, 0], &Tensor::from([1f32, 2.0, 3.0])).unwrap();
        assert_eq!((&matrix.rows[..], &matrix.columns[..]), (&[0, 1, 3][..], &[1, 2, 0][..]));
        let data = matrix.to_data().unwrap();
        assert!(CsrMatrix::from_data(&data).is_some());
        for (place, wrong) in [
            (0, Tensor::from([2i64, 2])),
            (1, Tensor::from([0i32, 9])),
            (2, Tensor::from([0i32, 4, 3])),
            (2, Tensor::from([0i32, 3])),
            (3, Tensor::from([0i32, -1, 0])),
            (4, Tensor::from([1f32])),
            (4, Tensor::from([1i32, 2, 3])),
        ] {
            let mut damaged = data.clone();
            damaged.tensors[place] = wrong;
            assert!(CsrMatrix::from_data(&damaged).is_none(), "{place}");
        }
    }
}
