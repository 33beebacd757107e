//! Boxes within a tensor: how partitioned variables name their parts.

use std::fmt;

use tensor::{Result, Shape, bail, ensure, err};
use wire::tensor_slice_proto::Extent;
use wire::tensor_slice_proto::extent::HasLengthHack::Length;

use crate::ordered_code::{write_signed, write_string, write_unsigned};

/// A box: for each dimension where it begins and how long it is, or the whole dimension.
///
/// ```
/// use tensor::Shape;
/// use tensorfleet_files::TensorSlice;
/// let slice = TensorSlice::parse("1,2:-")?;
/// assert_eq!(slice.shape_in(&Shape::new(&[5, 3])?)?, Shape::new(&[2, 3])?);
/// assert_eq!(slice.to_string(), "1,2:-");
/// # Ok::<(), tensor::Status>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct TensorSlice {
    /// Start and length; `None` is the whole dimension.
    extents: Vec<Option<(i64, i64)>>,
}

impl TensorSlice {
    /// Returns the box that is all of a tensor of this rank.
    ///
    /// ```
    /// assert_eq!(tensorfleet_files::TensorSlice::full(2).to_string(), "-:-");
    /// ```
    pub fn full(rank: usize) -> TensorSlice {
        TensorSlice { extents: vec![None; rank] }
    }

    /// Returns the box of start and length in each dimension, `None` for a whole dimension.
    ///
    /// ```
    /// use tensorfleet_files::TensorSlice;
    ///
    /// assert_eq!(TensorSlice::new(&[Some((1, 2)), None])?, TensorSlice::parse("1,2:-")?);
    /// assert!(TensorSlice::new(&[Some((-1, 2))]).is_err());
    /// # Ok::<(), tensor::Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for a negative start or a length that is not positive.
    pub fn new(extents: &[Option<(i64, i64)>]) -> Result<TensorSlice> {
        for (start, length) in extents.iter().flatten() {
            ensure!(
                *start >= 0 && *length > 0 && start.checked_add(*length).is_some(),
                InvalidArgument,
                "Expected non-negative start and positive length but got start = {start}, length = {length}"
            );
        }
        Ok(TensorSlice { extents: extents.to_vec() })
    }

    /// Reads TensorFlow's notation: `start,length` or `-` for each dimension, separated by colons.
    ///
    /// # Errors
    /// `InvalidArgument` for anything else.
    pub fn parse(text: &str) -> Result<TensorSlice> {
        let items = text.split(':').filter(|_| !text.is_empty());
        let extents: Result<Vec<_>> = items.map(|item| parse_extent(item, text)).collect();
        TensorSlice::new(&extents?).map_err(|status| err!(InvalidArgument, "{}: string = {text}", status.message()))
    }

    /// Returns how many dimensions the box has.
    pub fn rank(&self) -> usize {
        self.extents.len()
    }

    /// Returns whether the box is all of a tensor of this shape.
    ///
    /// ```
    /// use tensor::Shape;
    /// use tensorfleet_files::TensorSlice;
    ///
    /// let shape = Shape::new(&[5, 3])?;
    /// assert!(TensorSlice::parse("0,5:-")?.is_full(&shape));
    /// assert!(!TensorSlice::parse("0,4:-")?.is_full(&shape));
    /// # Ok::<(), tensor::Status>(())
    /// ```
    pub fn is_full(&self, shape: &Shape) -> bool {
        self.rank() == shape.rank()
            && self.extents.iter().zip(shape.dims()).all(|(extent, dim)| extent.is_none_or(|e| e == (0, *dim)))
    }

    /// Returns the shape of the box within a tensor of this shape.
    ///
    /// # Errors
    /// `Internal`, as in TensorFlow, if the ranks differ or the box leaves the tensor.
    pub fn shape_in(&self, shape: &Shape) -> Result<Shape> {
        let lengths: Vec<i64> = self.region(shape)?.iter().map(|(_, length)| *length).collect();
        Shape::new(&lengths)
    }

    /// Start and length in every dimension of a tensor of this shape; errors as [`TensorSlice::shape_in`].
    pub(crate) fn region(&self, shape: &Shape) -> Result<Region> {
        ensure!(self.rank() == shape.rank(), Internal, "Mismatching ranks: shape = {shape}, slice = {self}");
        let mut region = Vec::with_capacity(self.rank());
        for (axis, (extent, dim)) in self.extents.iter().zip(shape.dims()).enumerate() {
            let (start, length) = extent.unwrap_or((0, *dim));
            ensure!(
                start.checked_add(length).is_some_and(|end| end <= *dim),
                Internal,
                "Extent in dimension {axis} out of bounds: shape = {shape}, slice = {self}"
            );
            region.push((start, length));
        }
        Ok(region)
    }

    pub(crate) fn to_proto(&self) -> wire::TensorSliceProto {
        let extent = |extent: &Option<(i64, i64)>| match extent {
            None => Extent::default(),
            Some((start, length)) => Extent { start: *start, has_length_hack: Some(Length(*length)) },
        };
        wire::TensorSliceProto { extent: self.extents.iter().map(extent).collect() }
    }

    pub(crate) fn from_proto(proto: &wire::TensorSliceProto) -> Result<TensorSlice> {
        let extent = |extent: &Extent| extent.has_length_hack.map(|Length(length)| (extent.start, length));
        TensorSlice::new(&proto.extent.iter().map(extent).collect::<Vec<_>>())
    }

    /// The key under which a checkpoint's index holds this slice of the named tensor.
    pub(crate) fn key(&self, name: &str) -> Vec<u8> {
        let mut key = Vec::new();
        write_unsigned(&mut key, 0);
        write_string(&mut key, name.as_bytes());
        write_unsigned(&mut key, self.rank() as u64);
        for extent in &self.extents {
            let (start, length) = extent.unwrap_or((0, -1));
            write_signed(&mut key, start);
            write_signed(&mut key, length);
        }
        key
    }
}

impl fmt::Display for TensorSlice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (axis, extent) in self.extents.iter().enumerate() {
            if axis > 0 {
                f.write_str(":")?;
            }
            match extent {
                None => f.write_str("-")?,
                Some((start, length)) => write!(f, "{start},{length}")?,
            }
        }
        Ok(())
    }
}

/// Reads one of the `shape_and_slices` of a save or restore op: empty for a whole tensor, otherwise the dimensions of the
/// whole tensor and the slice, separated by spaces.
///
/// ```
/// use tensorfleet_files::bundle::parse_shape_and_slice;
///
/// let (shape, slice) = parse_shape_and_slice("5 2 0,3:-")?.unwrap();
/// assert_eq!((shape.dims(), slice.shape_in(&shape)?.dims()), (&[5, 2][..], &[3, 2][..]));
/// assert_eq!(parse_shape_and_slice("")?, None);
/// # Ok::<(), tensor::Status>(())
/// ```
///
/// # Errors
/// `InvalidArgument` for anything else; `Internal` for a slice that does not fit.
pub fn parse_shape_and_slice(spec: &str) -> Result<Option<(Shape, TensorSlice)>> {
    if spec.is_empty() {
        return Ok(None);
    }
    let (dims, slice) = spec.rsplit_once(' ').unwrap_or(("", spec));
    let slice = TensorSlice::parse(slice)?;
    let dims = dims.split(' ').filter(|dim| !dim.is_empty()).map(|dim| {
        let parsed = dim.parse::<i64>().ok().filter(|dim| *dim >= 0);
        parsed.ok_or_else(|| err!(InvalidArgument, "Non numerical dimension in shape_and_slice: {spec}"))
    });
    let shape = Shape::new(&dims.collect::<Result<Vec<_>>>()?)?;
    slice.region(&shape)?;
    Ok(Some((shape, slice)))
}

fn parse_extent(item: &str, text: &str) -> Result<Option<(i64, i64)>> {
    if item == "-" {
        return Ok(None);
    }
    match item.split_once(',').map(|(start, length)| (start.parse(), length.parse())) {
        Some((Ok(start), Ok(length))) => Ok(Some((start, length))),
        _ => bail!(InvalidArgument, "Expected a pair of numbers or '-' but got '{item}': string = {text}"),
    }
}

/// Start and length in every dimension.
pub(crate) type Region = Vec<(i64, i64)>;

/// What two boxes have in common; `None` if nothing.
pub(crate) fn intersection(a: &[(i64, i64)], b: &[(i64, i64)]) -> Option<Region> {
    let mut common = Vec::with_capacity(a.len());
    for ((a_start, a_length), (b_start, b_length)) in a.iter().zip(b) {
        let start = *a_start.max(b_start);
        let end = (a_start + a_length).min(b_start + b_length);
        if start >= end {
            return None;
        }
        common.push((start, end - start));
    }
    Some(common)
}

pub(crate) fn count(region: &[(i64, i64)]) -> i64 {
    region.iter().map(|(_, length)| length).product()
}

/// Calls `copy(to, from, elements)` for every unbroken run of elements of `common`, a box within both `target` and
/// `source`; positions count elements in these, row-major.
pub(crate) fn for_each_run(
    common: &[(i64, i64)],
    target: &[(i64, i64)],
    source: &[(i64, i64)],
    mut copy: impl FnMut(usize, usize, usize),
) {
    // Trailing dimensions that are whole in both make longer runs.
    let mut inner = common.len().saturating_sub(1);
    let mut run = common.get(inner).map_or(1, |(_, length)| *length);
    while inner > 0 && common[inner].1 == target[inner].1 && common[inner].1 == source[inner].1 {
        inner -= 1;
        run *= common[inner].1;
    }
    let position = |within: &[(i64, i64)], index: &[i64]| -> usize {
        let axes = within.iter().zip(index);
        axes.fold(0, |at, ((start, length), index)| at * length + (index - start)) as usize
    };
    let mut index: Vec<i64> = common.iter().map(|(start, _)| *start).collect();
    loop {
        copy(position(target, &index), position(source, &index), run as usize);
        let mut axis = inner;
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            index[axis] += 1;
            if index[axis] < common[axis].0 + common[axis].1 {
                break;
            }
            index[axis] = common[axis].0;
        }
    }
}

#[cfg(test)]
mod tests {
    use tensor::Code;

    use super::*;

    #[test]
    fn keys_are_those_of_tensorflow() {
        // TensorFlow 2.21, saving "part" with "5 3 0,2:-" and "5 3 3,2:-".
        let key = |text: &str| TensorSlice::parse(text).unwrap().key("part");
        assert_eq!(key("0,2:-"), b"\x00part\x00\x01\x01\x02\x80\x82\x80\x7f");
        assert_eq!(key("3,2:-"), b"\x00part\x00\x01\x01\x02\x83\x82\x80\x7f");
    }

    #[test]
    fn specs_are_parsed_or_refused_as_tensorflow_does() {
        let (shape, slice) = parse_shape_and_slice("5 2 0,3:-").unwrap().unwrap();
        assert_eq!((shape.dims(), slice.to_string().as_str()), (&[5, 2][..], "0,3:-"));
        assert_eq!(parse_shape_and_slice("").unwrap(), None);
        let refused = |spec: &str, code: Code, phrase: &str| {
            let status = parse_shape_and_slice(spec).unwrap_err();
            assert_eq!((status.code(), status.message().starts_with(phrase)), (code, true), "{spec}: {status}");
        };
        use Code::*;
        refused("5 3 x", InvalidArgument, "Expected a pair of numbers or '-' but got 'x': string = x");
        refused("5 3", InvalidArgument, "Expected a pair of numbers or '-' but got '3': string = 3");
        refused("5 3 1,2", Internal, "Mismatching ranks: shape = [5,3], slice = 1,2");
        refused("5 3 1,9:0,2", Internal, "Extent in dimension 0 out of bounds: shape = [5,3], slice = 1,9:0,2");
        refused("5 3 -1,9:0,2", InvalidArgument, "Expected non-negative start and positive length");
        refused("a 3 1,9:0,2", InvalidArgument, "Non numerical dimension");
        refused("5 9223372036854775807,2", InvalidArgument, "Expected non-negative start");
    }

    #[test]
    fn runs_are_as_long_as_they_can_be() {
        let runs = |common: &[(i64, i64)], target: &[(i64, i64)], source: &[(i64, i64)]| {
            let mut runs = Vec::new();
            for_each_run(common, target, source, |to, from, length| runs.push((to, from, length)));
            runs
        };
        // Rows 1..3 of a [4,3] tensor into a [2,3] box: one run.
        assert_eq!(runs(&[(1, 2), (0, 3)], &[(1, 2), (0, 3)], &[(0, 4), (0, 3)]), [(0, 3, 6)]);
        // Columns 1..3 of the same: one run a row.
        assert_eq!(runs(&[(1, 2), (1, 2)], &[(1, 2), (1, 2)], &[(0, 4), (0, 3)]), [(0, 4, 2), (2, 7, 2)]);
        assert_eq!(runs(&[], &[], &[]), [(0, 0, 1)]);
    }
}
