//! Shapes: [`Shape`] with every dimension known, [`PartialShape`] where some or all are not.

use std::fmt;

use smallvec::SmallVec;

use crate::{Result, bail, ensure};

/// TensorFlow's limit on the rank of a tensor.
pub const MAX_RANK: usize = 254;

/// A fully known shape. Dimensions are not negative and the element count fits in an `i64`, by construction.
///
/// ```
/// use tensorfleet_tensor::Shape;
/// let shape = Shape::new(&[2, 3])?;
/// assert_eq!((shape.rank(), shape.num_elements()), (2, 6));
/// assert_eq!(shape.to_string(), "[2,3]");
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
#[derive(Debug, Default, PartialEq, Eq, Hash)]
pub struct Shape {
    dims: SmallVec<[i64; 4]>,
}

impl Clone for Shape {
    fn clone(&self) -> Shape {
        Shape { dims: SmallVec::from_slice(&self.dims) }
    }
}

impl Shape {
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Shape::new(&[2, 3])?.num_elements(), 6);
    /// assert_eq!(Shape::new(&[2, -3]).unwrap_err().code(), Code::InvalidArgument);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a negative dimension, a rank above 254, or an element count above `i64::MAX`.
    pub fn new(dims: &[i64]) -> Result<Shape> {
        ensure!(
            dims.len() <= MAX_RANK,
            InvalidArgument,
            "a shape of rank {} is above the limit of {MAX_RANK}",
            dims.len()
        );
        let mut count = 1i64;
        let mut empty = false;
        for &dim in dims {
            ensure!(dim >= 0, InvalidArgument, "dimension {dim} of shape {} must not be negative", Dims(dims));
            empty |= dim == 0;
            match count.checked_mul(dim.max(1)) {
                Some(product) => count = product,
                None if empty => count = i64::MAX,
                None => bail!(
                    InvalidArgument,
                    "Encountered overflow when multiplying {count} with {dim}: shape {} has more than 2^63 - 1 elements",
                    Dims(dims)
                ),
            }
        }
        Ok(Shape { dims: SmallVec::from_slice(dims) })
    }

    /// Returns the shape of a scalar: no dimensions.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((Shape::scalar().rank(), Shape::scalar().num_elements()), (0, 1));
    /// ```
    pub fn scalar() -> Shape {
        Shape::default()
    }

    /// Returns the shape of a vector.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Shape::vector(3).dims(), [3]);
    /// ```
    pub fn vector(len: usize) -> Shape {
        Shape { dims: smallvec::smallvec![len as i64] }
    }

    /// Returns the dimensions.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Shape::new(&[2, 3])?.dims(), [2, 3]);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn dims(&self) -> &[i64] {
        &self.dims
    }

    /// Returns how many dimensions there are.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((Shape::new(&[2, 3])?.rank(), Shape::scalar().is_scalar()), (2, true));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn rank(&self) -> usize {
        self.dims.len()
    }

    /// Returns whether there are no dimensions.
    pub fn is_scalar(&self) -> bool {
        self.dims.is_empty()
    }

    /// The dimension as a `usize`; panics if the axis is out of range, as slice indexing does.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Shape::new(&[2, 3])?.dim(1), 3);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn dim(&self, axis: usize) -> usize {
        self.dims[axis] as usize
    }

    /// Returns how many elements a tensor of this shape has.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((Shape::new(&[2, 3])?.num_elements(), Shape::new(&[2, 0])?.num_elements()), (6, 0));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn num_elements(&self) -> usize {
        if self.dims.contains(&0) {
            return 0;
        }
        self.dims.iter().product::<i64>() as usize
    }

    /// The axis counted from the front, for one that may be counted from the back.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let shape = Shape::new(&[2, 3])?;
    /// assert_eq!((shape.axis(0)?, shape.axis(-1)?), (0, 1));
    /// assert!(shape.axis(2).is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the axis is not in `[-rank, rank)`.
    pub fn axis(&self, axis: i64) -> Result<usize> {
        normalize_axis(axis, self.rank())
    }
}

/// Counts an axis from the front: -1 is the last one of `rank`.
///
/// # Errors
/// `InvalidArgument` if the axis is not in `[-rank, rank)`.
pub fn normalize_axis(axis: i64, rank: usize) -> Result<usize> {
    let counted = if axis < 0 { axis.saturating_add(rank as i64) } else { axis };
    ensure!(
        counted >= 0 && counted < rank as i64,
        InvalidArgument,
        "axis {axis} must be in the range [-{rank}, {rank})"
    );
    Ok(counted as usize)
}

struct Dims<'a>(&'a [i64]);

impl fmt::Display for Dims<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (i, dim) in self.0.iter().enumerate() {
            if i > 0 {
                f.write_str(",")?;
            }
            if *dim < 0 { f.write_str("?")? } else { write!(f, "{dim}")? }
        }
        f.write_str("]")
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Dims(&self.dims).fmt(f)
    }
}

/// A shape of which the rank, or some dimensions, may be unknown.
///
/// ```
/// use tensorfleet_tensor::PartialShape;
/// let images = PartialShape::new(&[None, Some(784)]);
/// assert_eq!(images.to_string(), "[?,784]");
/// let merged = images.merge(&PartialShape::new(&[Some(100), None]))?;
/// assert_eq!(merged.to_string(), "[100,784]");
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct PartialShape {
    /// -1 stands for an unknown dimension.
    dims: Option<SmallVec<[i64; 4]>>,
}

impl PartialShape {
    /// Returns a shape of which nothing is known.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((PartialShape::unknown().rank(), PartialShape::unknown().to_string().as_str()), (None, "<unknown>"));
    /// ```
    pub fn unknown() -> PartialShape {
        PartialShape::default()
    }

    /// Returns the shape of a scalar: no dimensions.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(PartialShape::scalar().rank(), Some(0));
    /// ```
    pub fn scalar() -> PartialShape {
        PartialShape { dims: Some(SmallVec::new()) }
    }

    /// Returns a shape of these dimensions, `None` for an unknown one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(PartialShape::new(&[None, Some(784)]).to_string(), "[?,784]");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn new(dims: &[Option<i64>]) -> PartialShape {
        PartialShape { dims: Some(dims.iter().map(|dim| dim.map_or(-1, |d| d.max(-1))).collect()) }
    }

    /// From dimensions of which negative ones are unknown.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(PartialShape::from_dims(&[-1, 784]), PartialShape::from([None, Some(784)]));
    /// ```
    pub fn from_dims(dims: &[i64]) -> PartialShape {
        PartialShape { dims: Some(dims.iter().map(|dim| (*dim).max(-1)).collect()) }
    }

    /// Known rank, all dimensions unknown.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(PartialShape::of_rank(2).to_string(), "[?,?]");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn of_rank(rank: usize) -> PartialShape {
        PartialShape { dims: Some(SmallVec::from_elem(-1, rank)) }
    }

    /// Returns the shape of a vector, perhaps of unknown length.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((PartialShape::vector(Some(3)), PartialShape::vector(None).rank()), (PartialShape::from([3]), Some(1)));
    /// ```
    pub fn vector(len: Option<i64>) -> PartialShape {
        PartialShape::new(&[len])
    }

    /// Returns how many dimensions there are, if that is known.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((PartialShape::from([2, 3]).rank(), PartialShape::unknown().rank()), (Some(2), None));
    /// ```
    pub fn rank(&self) -> Option<usize> {
        self.dims.as_ref().map(|dims| dims.len())
    }

    /// The dimension, if rank and dimension are known and the axis exists.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let images = PartialShape::from([None, Some(784)]);
    /// assert_eq!((images.dim(0), images.dim(1), images.dim(2)), (None, Some(784), None));
    /// ```
    pub fn dim(&self, axis: usize) -> Option<i64> {
        self.dims.as_ref().and_then(|dims| dims.get(axis)).copied().filter(|dim| *dim >= 0)
    }

    /// All dimensions, `None` if even the rank is unknown.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let images = PartialShape::from([None, Some(784)]);
    /// assert_eq!(images.dims(), Some(vec![None, Some(784)]));
    /// assert_eq!(images.raw_dims(), Some(&[-1, 784][..]));
    /// ```
    pub fn dims(&self) -> Option<Vec<Option<i64>>> {
        self.dims.as_ref().map(|dims| dims.iter().map(|dim| (*dim >= 0).then_some(*dim)).collect())
    }

    /// All dimensions with -1 for unknown ones, `None` if even the rank is unknown.
    pub fn raw_dims(&self) -> Option<&[i64]> {
        self.dims.as_deref()
    }

    /// Returns whether rank and all dimensions are known.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert!(PartialShape::from([2, 3]).is_fully_known() && !PartialShape::from([None, Some(3)]).is_fully_known());
    /// ```
    pub fn is_fully_known(&self) -> bool {
        self.dims.as_ref().is_some_and(|dims| dims.iter().all(|dim| *dim >= 0))
    }

    /// The full shape, if everything is known (and its size sensible).
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(PartialShape::from([2, 3]).to_shape(), Some(Shape::new(&[2, 3])?));
    /// assert_eq!(PartialShape::from([None, Some(3)]).to_shape(), None);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn to_shape(&self) -> Option<Shape> {
        self.dims.as_ref().filter(|_| self.is_fully_known()).and_then(|dims| Shape::new(dims).ok())
    }

    /// Returns how many elements there are, if the shape is known in full.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((PartialShape::from([2, 3]).num_elements(), PartialShape::from([None]).num_elements()), (Some(6), None));
    /// ```
    pub fn num_elements(&self) -> Option<i64> {
        self.to_shape().map(|shape| shape.num_elements() as i64)
    }

    /// What is known when both descriptions hold.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let (rows, columns) = (PartialShape::from([Some(2), None]), PartialShape::from([None, Some(3)]));
    /// assert_eq!(rows.merge(&columns)?, PartialShape::from([2, 3]));
    /// assert!(rows.merge(&PartialShape::from([5, 3])).is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if they contradict each other.
    pub fn merge(&self, other: &PartialShape) -> Result<PartialShape> {
        let (Some(a), Some(b)) = (&self.dims, &other.dims) else {
            return Ok(if self.dims.is_some() { self.clone() } else { other.clone() });
        };
        ensure!(
            a.len() == b.len(),
            InvalidArgument,
            "Shapes must be equal rank, but are {} and {}: {self} and {other}",
            a.len(),
            b.len()
        );
        let mut dims = a.clone();
        for (axis, (dim, other_dim)) in dims.iter_mut().zip(b).enumerate() {
            ensure!(
                *dim < 0 || *other_dim < 0 || dim == other_dim,
                InvalidArgument,
                "Dimension {axis} in both shapes must be equal, but are {dim} and {other_dim}. Shapes are {self} and {other}."
            );
            *dim = (*dim).max(*other_dim);
        }
        Ok(PartialShape { dims: Some(dims) })
    }

    /// What both have in common: unknown where they differ.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let shape = PartialShape::from([2, 3]).common(&PartialShape::from([2, 4]));
    /// assert_eq!(shape, PartialShape::from([Some(2), None]));
    /// ```
    pub fn common(&self, other: &PartialShape) -> PartialShape {
        match (&self.dims, &other.dims) {
            (Some(a), Some(b)) if a.len() == b.len() => {
                let dims = a.iter().zip(b).map(|(x, y)| if x == y { *x } else { -1 }).collect();
                PartialShape { dims: Some(dims) }
            }
            _ => PartialShape::unknown(),
        }
    }

    /// Returns whether a full shape agrees with what is known.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let images = PartialShape::from([None, Some(784)]);
    /// assert!(images.is_compatible_with(&Shape::new(&[100, 784])?) && !images.is_compatible_with(&Shape::vector(784)));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn is_compatible_with(&self, shape: &Shape) -> bool {
        self.dims.as_ref().is_none_or(|dims| {
            dims.len() == shape.rank() && dims.iter().zip(shape.dims()).all(|(dim, d)| *dim < 0 || dim == d)
        })
    }

    /// This shape followed by another.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let batch = PartialShape::vector(None);
    /// assert_eq!(batch.concatenate(&PartialShape::from([28, 28])).to_string(), "[?,28,28]");
    /// # Ok::<(), Status>(())
    /// ```
    pub fn concatenate(&self, other: &PartialShape) -> PartialShape {
        match (&self.dims, &other.dims) {
            (Some(a), Some(b)) => PartialShape { dims: Some(a.iter().chain(b).copied().collect()) },
            _ => PartialShape::unknown(),
        }
    }
}

impl From<&Shape> for PartialShape {
    fn from(shape: &Shape) -> PartialShape {
        PartialShape { dims: Some(SmallVec::from_slice(shape.dims())) }
    }
}

impl From<Shape> for PartialShape {
    fn from(shape: Shape) -> PartialShape {
        PartialShape { dims: Some(shape.dims) }
    }
}

/// A dimension in a program: an integer, of which negative ones are unknown, or `None`.
///
/// Arrays, slices and vectors of these are shapes, and `()` is the shape of a scalar, wherever a function takes
/// `impl Into<PartialShape>`.
///
/// ```
/// use tensorfleet_tensor::PartialShape;
/// let images = PartialShape::from([None, Some(784)]);
/// assert_eq!(PartialShape::from([-1, 784]), images);
/// assert_eq!(PartialShape::from(vec![-1i64, 784]), images);
/// assert_eq!(PartialShape::from(&[10usize, 784]).to_string(), "[10,784]");
/// assert_eq!(PartialShape::from(()), PartialShape::scalar());
/// ```
pub trait Dim: Copy {
    /// Returns the dimension, -1 for an unknown one.
    fn raw(self) -> i64;
}

macro_rules! dims {
    ($($int:ty),*) => {
        $(impl Dim for $int {
            fn raw(self) -> i64 {
                i64::try_from(self).unwrap_or(i64::MAX).max(-1)
            }
        })*
    };
}

dims!(i32, i64, u32, usize);

// For one type only, so that `[None]` needs no annotation.
impl Dim for Option<i64> {
    fn raw(self) -> i64 {
        self.map_or(-1, i64::raw)
    }
}

impl<D: Dim, const N: usize> From<[D; N]> for PartialShape {
    fn from(dims: [D; N]) -> PartialShape {
        PartialShape::from(&dims[..])
    }
}

impl<D: Dim, const N: usize> From<&[D; N]> for PartialShape {
    fn from(dims: &[D; N]) -> PartialShape {
        PartialShape::from(&dims[..])
    }
}

impl<D: Dim> From<&[D]> for PartialShape {
    fn from(dims: &[D]) -> PartialShape {
        PartialShape { dims: Some(dims.iter().map(|dim| dim.raw()).collect()) }
    }
}

impl<D: Dim> From<Vec<D>> for PartialShape {
    fn from(dims: Vec<D>) -> PartialShape {
        PartialShape::from(&dims[..])
    }
}

impl<D: Dim> From<&Vec<D>> for PartialShape {
    fn from(dims: &Vec<D>) -> PartialShape {
        PartialShape::from(&dims[..])
    }
}

impl From<()> for PartialShape {
    fn from((): ()) -> PartialShape {
        PartialShape::scalar()
    }
}

impl From<&PartialShape> for PartialShape {
    fn from(shape: &PartialShape) -> PartialShape {
        shape.clone()
    }
}

impl fmt::Display for PartialShape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.dims {
            None => f.write_str("<unknown>"),
            Some(dims) => Dims(dims).fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn absurd_shapes_are_refused() {
        assert!(Shape::new(&[-1]).is_err());
        assert!(Shape::new(&[i64::MAX, 2]).is_err());
        assert!(Shape::new(&vec![1; 255]).is_err());
        // An empty tensor may have any other dimensions.
        assert_eq!(Shape::new(&[0, i64::MAX, 2]).unwrap().num_elements(), 0);
        assert_eq!(Shape::new(&[i64::MAX, 2, 0]).unwrap_err().code(), crate::Code::InvalidArgument);
    }

    #[test]
    fn merging_keeps_what_either_knows() {
        let a = PartialShape::new(&[None, Some(3)]);
        assert_eq!(a.merge(&PartialShape::unknown()).unwrap(), a);
        let message = a.merge(&PartialShape::from([2, 4])).unwrap_err().message().to_owned();
        assert!(message.starts_with("Dimension 1 in both shapes must be equal, but are 3 and 4"), "{message}");
        assert!(a.merge(&PartialShape::scalar()).is_err());
    }

    #[test]
    fn axes_count_from_both_ends() {
        assert_eq!(normalize_axis(-1, 3).unwrap(), 2);
        assert!(normalize_axis(3, 3).is_err());
        assert!(normalize_axis(i64::MIN, 3).is_err());
    }
}
