//! The tensor: element type, shape and shared storage.

use std::fmt;
use std::sync::Arc;

use bytes::Bytes;

use crate::{Buffer, DType, Element, PartialShape, ResourceHandle, Result, Shape, Variant, bail, ensure, err, memory};

/// An n-dimensional array. Clones share the elements; writing to a shared tensor copies them first.
///
/// ```
/// use tensorfleet_tensor::Tensor;
/// let tensor = Tensor::new(&[2, 2], vec![1.0f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(tensor.as_slice::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
/// let hello = Tensor::from("Hello, distributed TensorFlow!");
/// assert_eq!(hello.strings()?[0], "Hello, distributed TensorFlow!");
/// # Ok::<(), tensorfleet_tensor::Status>(())
/// ```
#[derive(Clone)]
pub struct Tensor {
    dtype: DType,
    shape: Shape,
    data: Data,
}

#[derive(Clone)]
enum Data {
    Plain(Buffer),
    Strings(Arc<Vec<Bytes>>),
    Handles(Arc<Vec<ResourceHandle>>),
    Variants(Arc<Vec<Variant>>),
}

impl Tensor {
    /// A tensor of this shape and these elements.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let matrix = Tensor::new([2, 3], vec![1f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
    /// assert_eq!(matrix, Tensor::from([[1f32, 2.0, 3.0], [4.0, 5.0, 6.0]]));
    /// assert_eq!(Tensor::new((), vec![1f32])?, Tensor::from(1f32));
    /// assert!(Tensor::new([2, 3], vec![1f32]).is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the shape is not known in full, or does not ask for exactly as many elements.
    pub fn new<T: Element>(shape: impl Into<PartialShape>, elements: Vec<T>) -> Result<Tensor> {
        let shape = shape.into();
        let Some(dims) = shape.raw_dims() else {
            bail!(InvalidArgument, "{} elements in a shape of unknown rank", elements.len())
        };
        Tensor::from_slice(&Shape::new(dims)?, &elements)
    }

    /// ```
    /// use tensorfleet::prelude::*;
    /// let tensor = Tensor::from_slice(&Shape::new(&[2, 1])?, &[1i64, 2])?;
    /// assert_eq!(tensor, Tensor::from([[1i64], [2]]));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the shape does not ask for exactly as many elements; `ResourceExhausted` beyond the limit of the process.
    pub fn from_slice<T: Element>(shape: &Shape, elements: &[T]) -> Result<Tensor> {
        check_count(shape, elements.len())?;
        Ok(Tensor {
            dtype: T::DTYPE,
            shape: shape.clone(),
            data: Data::Plain(Buffer::try_copy_of(bytemuck::cast_slice(elements))?),
        })
    }

    /// Returns a tensor of one element, without dimensions.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::scalar(1.5f64), Tensor::from(1.5f64));
    /// ```
    pub fn scalar<T: Element>(value: T) -> Tensor {
        let data = Data::Plain(Buffer::copy_of(bytemuck::bytes_of(&value)));
        Tensor { dtype: T::DTYPE, shape: Shape::scalar(), data }
    }

    /// Returns a tensor with one dimension.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::vector(&[1u8, 2]).dims(), [2]);
    /// ```
    pub fn vector<T: Element>(elements: &[T]) -> Tensor {
        let data = Data::Plain(Buffer::copy_of(bytemuck::cast_slice(elements)));
        Tensor { dtype: T::DTYPE, shape: Shape::vector(elements.len()), data }
    }

    /// A tensor whose elements `fill` writes. They hold arbitrary values before: write every one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let squares = Tensor::build(Shape::vector(3), |elements: &mut [i64]| {
    ///     elements.iter_mut().enumerate().for_each(|(i, element)| *element = (i * i) as i64);
    ///     Ok(())
    /// })?;
    /// assert_eq!(squares, Tensor::from([0i64, 1, 4]));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if the size in bytes is beyond what can be allocated; what `fill` returns.
    pub fn build<T: Element>(shape: Shape, fill: impl FnOnce(&mut [T]) -> Result<()>) -> Result<Tensor> {
        let bytes = byte_size(T::DTYPE, &shape)?;
        // A recycled block may hold bytes that are no bools.
        let mut buffer = if T::DTYPE == DType::Bool { Buffer::try_zeroed(bytes)? } else { Buffer::try_dirty(bytes)? };
        match buffer.elements_mut() {
            Some(elements) => fill(elements)?,
            None => bail!(Internal, "a new buffer is not writable as {}", T::DTYPE),
        }
        Ok(Tensor { dtype: T::DTYPE, shape, data: Data::Plain(buffer) })
    }

    /// Checks, before memory is taken, that a tensor of this type and shape can be held at all.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert!(Tensor::check_size(DType::Float, &Shape::new(&[1000, 1000])?).is_ok());
    /// let error = Tensor::check_size(DType::Float, &Shape::new(&[1 << 30, 1 << 30])?).unwrap_err();
    /// assert_eq!(error.code(), Code::ResourceExhausted);
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` if its size in bytes is beyond the machine's memory.
    pub fn check_size(dtype: DType, shape: &Shape) -> Result<()> {
        let count = shape.num_elements();
        match dtype {
            DType::String => checked_list::<Bytes>(count),
            DType::Resource => checked_list::<ResourceHandle>(count),
            DType::Variant => checked_list::<Variant>(count),
            _ => {
                let bytes = byte_size(dtype, shape)?;
                memory::ensure_free(
                    bytes as u64,
                    format_args!("OOM when allocating tensor with shape {shape} and type {dtype}: it"),
                )
            }
        }
    }

    /// All zeros: 0, false, or empty strings.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::zeros(DType::Int32, &Shape::vector(2))?, Tensor::from([0i32, 0]));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `ResourceExhausted` for a size that cannot be; `InvalidArgument` for a type that has no zero value.
    pub fn zeros(dtype: DType, shape: &Shape) -> Result<Tensor> {
        let count = shape.num_elements();
        let data = match dtype {
            DType::String => {
                checked_list::<Bytes>(count)?;
                Data::Strings(Arc::new(vec![Bytes::new(); count]))
            }
            DType::Resource => {
                checked_list::<ResourceHandle>(count)?;
                Data::Handles(Arc::new(vec![ResourceHandle::default(); count]))
            }
            DType::Variant if count == 0 => Data::Variants(Arc::default()),
            _ => {
                ensure!(dtype.is_plain(), InvalidArgument, "there are no zeros of type {dtype}");
                Data::Plain(Buffer::try_zeroed(byte_size(dtype, shape)?)?)
            }
        };
        Ok(Tensor { dtype, shape: shape.clone(), data })
    }

    /// A tensor of this shape that has the value of a scalar everywhere. It stays one value until somebody reads its elements or
    /// writes to them.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let ones = Tensor::repeating(&Tensor::from(1f32), Shape::new(&[1000, 1000])?)?;
    /// assert_eq!((ones.element(), ones.as_slice::<f32>()?[999_999]), (Some(Tensor::from(1f32)), 1.0));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` for several values, and for types without plain bytes; `ResourceExhausted` for a size that cannot be.
    pub fn repeating(value: &Tensor, shape: Shape) -> Result<Tensor> {
        let Data::Plain(buffer) = &value.data else {
            bail!(InvalidArgument, "a tensor of type {} is not made of plain bytes", value.dtype)
        };
        let count = value.num_elements();
        ensure!(count == 1, InvalidArgument, "expected one element, got {count} in shape {}", value.shape);
        let buffer = Buffer::repeated(buffer.as_bytes(), byte_size(value.dtype, &shape)?);
        Ok(Tensor { dtype: value.dtype, shape, data: Data::Plain(buffer) })
    }

    /// The one value that stands for all, as a scalar, if that is so.
    pub fn element(&self) -> Option<Tensor> {
        let Data::Plain(buffer) = &self.data else { return None };
        let buffer = Buffer::copy_of(buffer.element()?);
        Some(Tensor { dtype: self.dtype, shape: Shape::scalar(), data: Data::Plain(buffer) })
    }

    /// A tensor over a buffer of plain elements.
    ///
    /// # Errors
    /// `InvalidArgument` if the type is not plain, or the size or a bool byte is wrong.
    pub fn from_buffer(dtype: DType, shape: Shape, buffer: Buffer) -> Result<Tensor> {
        ensure!(dtype.is_plain(), InvalidArgument, "a tensor of type {dtype} is not made of plain bytes");
        let wanted = byte_size(dtype, &shape)?;
        ensure!(
            buffer.len() == wanted,
            InvalidArgument,
            "a {dtype} tensor of shape {shape} takes {wanted} bytes, not {}",
            buffer.len()
        );
        if buffer.element().is_some_and(|element| element.len() == dtype.size() && dtype != DType::Bool) {
            // What is not written out yet will be aligned.
            return Ok(Tensor { dtype, shape, data: Data::Plain(buffer) });
        }
        let aligned = (buffer.try_bytes()?.as_ptr() as usize).is_multiple_of(alignment(dtype));
        let is_plain = aligned && buffer.element().is_none();
        let buffer = if is_plain { buffer } else { Buffer::try_copy_of(buffer.as_bytes())? };
        if dtype == DType::Bool && !buffer.is_bools() {
            let bools: Vec<u8> = buffer.as_bytes().iter().map(|byte| (*byte != 0) as u8).collect();
            return Ok(Tensor { dtype, shape, data: Data::Plain(Buffer::copy_of(&bools)) });
        }
        Ok(Tensor { dtype, shape, data: Data::Plain(buffer) })
    }

    /// A tensor over received bytes, without a copy where they are aligned.
    ///
    /// # Errors
    /// As [`Tensor::from_buffer`].
    pub fn from_bytes(dtype: DType, shape: Shape, bytes: Bytes) -> Result<Tensor> {
        Tensor::from_buffer(dtype, shape, Buffer::received(bytes, alignment(dtype)))
    }

    /// # Errors
    /// `InvalidArgument` if the shape does not ask for exactly as many elements.
    pub fn from_strings(shape: Shape, strings: Vec<Bytes>) -> Result<Tensor> {
        check_count(&shape, strings.len())?;
        Ok(Tensor { dtype: DType::String, shape, data: Data::Strings(Arc::new(strings)) })
    }

    /// A vector of strings.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let tensor = Tensor::string_vector(["one", "two"]);
    /// assert_eq!((tensor.dims(), tensor.to::<Vec<String>>()?), (&[2][..], vec!["one".to_owned(), "two".to_owned()]));
    /// # Ok::<(), Status>(())
    /// ```
    pub fn string_vector<S: Into<Bytes>>(strings: impl IntoIterator<Item = S>) -> Tensor {
        let strings: Vec<Bytes> = strings.into_iter().map(Into::into).collect();
        Tensor { dtype: DType::String, shape: Shape::vector(strings.len()), data: Data::Strings(Arc::new(strings)) }
    }

    /// Returns a scalar that is a handle.
    pub fn from_handle(handle: ResourceHandle) -> Tensor {
        Tensor { dtype: DType::Resource, shape: Shape::scalar(), data: Data::Handles(Arc::new(vec![handle])) }
    }

    /// # Errors
    /// `InvalidArgument` if the shape does not ask for exactly as many elements.
    pub fn from_handles(shape: Shape, handles: Vec<ResourceHandle>) -> Result<Tensor> {
        check_count(&shape, handles.len())?;
        Ok(Tensor { dtype: DType::Resource, shape, data: Data::Handles(Arc::new(handles)) })
    }

    /// # Errors
    /// `InvalidArgument` if the shape does not ask for exactly as many elements.
    pub fn from_variants(shape: Shape, variants: Vec<Variant>) -> Result<Tensor> {
        check_count(&shape, variants.len())?;
        Ok(Tensor { dtype: DType::Variant, shape, data: Data::Variants(Arc::new(variants)) })
    }

    /// Returns the type of the elements.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!((Tensor::from(1f32).dtype(), Tensor::from("text").dtype()), (DType::Float, DType::String));
    /// ```
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// Returns the shape.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from([[1f32, 2.0]]).shape(), &Shape::new(&[1, 2])?);
    /// # Ok::<(), Status>(())
    /// ```
    pub fn shape(&self) -> &Shape {
        &self.shape
    }

    /// Returns the dimensions.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from([[1f32, 2.0]]).dims(), [1, 2]);
    /// ```
    pub fn dims(&self) -> &[i64] {
        self.shape.dims()
    }

    /// Returns how many elements there are.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from([[1f32, 2.0], [3.0, 4.0]]).num_elements(), 4);
    /// ```
    pub fn num_elements(&self) -> usize {
        match &self.data {
            Data::Plain(buffer) => buffer.len() / self.dtype.size(),
            Data::Strings(strings) => strings.len(),
            Data::Handles(handles) => handles.len(),
            Data::Variants(variants) => variants.len(),
        }
    }

    /// Bytes the elements take, roughly for those that are not plain.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from([1f32, 2.0]).byte_size(), 8);
    /// ```
    pub fn byte_size(&self) -> usize {
        match &self.data {
            Data::Plain(buffer) => buffer.len(),
            Data::Strings(strings) => strings.iter().map(|s| s.len() + size_of::<Bytes>()).sum(),
            Data::Handles(handles) => handles.len() * size_of::<ResourceHandle>(),
            Data::Variants(variants) => variants.len() * size_of::<Variant>(),
        }
    }

    /// The elements in row-major order.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let tensor = Tensor::from([[1f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(tensor.as_slice::<f32>()?, [1.0, 2.0, 3.0, 4.0]);
    /// assert!(tensor.as_slice::<i32>().is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `Internal` if the tensor is of another type; `ResourceExhausted` if one value stands for all and writing them out leads
    /// beyond the limit of the process.
    pub fn as_slice<T: Element>(&self) -> Result<&[T]> {
        match &self.data {
            Data::Plain(buffer) if self.dtype == T::DTYPE => {
                buffer.try_bytes()?;
                buffer.as_elements().ok_or_else(|| err!(Internal, "a {} tensor is misaligned", self.dtype))
            }
            _ => Err(self.wrong_type(T::DTYPE)),
        }
    }

    /// The elements for writing; copies them first if they are shared.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let before = Tensor::from([1f32, 2.0]);
    /// let mut after = before.clone();
    /// after.make_mut::<f32>()?[0] = 7.0;
    /// assert_eq!((before, after), (Tensor::from([1f32, 2.0]), Tensor::from([7f32, 2.0])));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `Internal` if the tensor is of another type; `ResourceExhausted` if a copy leads beyond the limit of the process.
    pub fn make_mut<T: Element>(&mut self) -> Result<&mut [T]> {
        let dtype = self.dtype;
        match &mut self.data {
            Data::Plain(buffer) if dtype == T::DTYPE => {
                buffer.make_own()?;
                buffer.elements_mut().ok_or_else(|| err!(Internal, "a {dtype} tensor is misaligned"))
            }
            _ => Err(wrong_type(dtype, T::DTYPE)),
        }
    }

    /// Whether nobody else shares the elements, so that writing needs no copy.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let mut tensor = Tensor::from([1f32, 2.0, 3.0]);
    /// assert!(tensor.is_unique());
    /// let other = tensor.clone();
    /// assert!(!tensor.is_unique());
    /// # drop(other);
    /// ```
    pub fn is_unique(&mut self) -> bool {
        match &mut self.data {
            Data::Plain(buffer) => buffer.is_unique(),
            Data::Strings(strings) => Arc::get_mut(strings).is_some(),
            Data::Handles(handles) => Arc::get_mut(handles).is_some(),
            Data::Variants(variants) => Arc::get_mut(variants).is_some(),
        }
    }

    /// The only element of a tensor with one element.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from(7i64).to_scalar::<i64>()?, 7);
    /// assert!(Tensor::from([1i64, 2]).to_scalar::<i64>().is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if there is not exactly one; `Internal` if it is of another type.
    pub fn to_scalar<T: Element>(&self) -> Result<T> {
        match self.as_slice::<T>()? {
            [value] => Ok(*value),
            other => bail!(InvalidArgument, "expected one element, got {} in shape {}", other.len(), self.shape),
        }
    }

    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from(["one", "two"]).strings()?[1], "two");
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `Internal` if it is not a tensor of strings.
    pub fn strings(&self) -> Result<&[Bytes]> {
        match &self.data {
            Data::Strings(strings) => Ok(strings),
            _ => Err(self.wrong_type(DType::String)),
        }
    }

    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from("text").to_string_scalar()?, "text");
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if there is not exactly one string; `Internal` if it is of another type.
    pub fn to_string_scalar(&self) -> Result<&Bytes> {
        match self.strings()? {
            [value] => Ok(value),
            other => bail!(InvalidArgument, "expected one string, got {} in shape {}", other.len(), self.shape),
        }
    }

    /// # Errors
    /// `Internal` if it is not a tensor of handles.
    pub fn handles(&self) -> Result<&[ResourceHandle]> {
        match &self.data {
            Data::Handles(handles) => Ok(handles),
            _ => Err(self.wrong_type(DType::Resource)),
        }
    }

    /// # Errors
    /// `Internal` if it is not a tensor of variants.
    pub fn variants(&self) -> Result<&[Variant]> {
        match &self.data {
            Data::Variants(variants) => Ok(variants),
            _ => Err(self.wrong_type(DType::Variant)),
        }
    }

    /// The buffer of a tensor of plain elements.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from([1u8, 2]).buffer().unwrap().as_bytes(), [1, 2]);
    /// assert!(Tensor::from("text").buffer().is_none());
    /// ```
    pub fn buffer(&self) -> Option<&Buffer> {
        match &self.data {
            Data::Plain(buffer) => Some(buffer),
            _ => None,
        }
    }

    /// Integers of an int32 or int64 tensor, as `i64`.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from([1i32, 2]).to_i64_vec()?, [1, 2]);
    /// assert!(Tensor::from(1f32).to_i64_vec().is_err());
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if it is neither.
    pub fn to_i64_vec(&self) -> Result<Vec<i64>> {
        match self.dtype {
            DType::Int32 => Ok(self.as_slice::<i32>()?.iter().map(|v| *v as i64).collect()),
            DType::Int64 => Ok(self.as_slice::<i64>()?.to_vec()),
            DType::Int16 => Ok(self.as_slice::<i16>()?.iter().map(|v| *v as i64).collect()),
            other => bail!(InvalidArgument, "expected int32 or int64 values, got {other}"),
        }
    }

    /// The same elements in another shape, without a copy.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let rows = Tensor::from([1f32, 2.0, 3.0, 4.0]).reshape(Shape::new(&[2, 2])?)?;
    /// assert_eq!(rows, Tensor::from([[1f32, 2.0], [3.0, 4.0]]));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the element counts differ.
    pub fn reshape(&self, shape: Shape) -> Result<Tensor> {
        check_count(&shape, self.num_elements())?;
        Ok(Tensor { dtype: self.dtype, shape, data: self.data.clone() })
    }

    /// As [`reshape`](Tensor::reshape), consuming the tensor, so that a sole owner stays one.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let column = Tensor::from([1f32, 2.0]).into_shape(Shape::new(&[2, 1])?)?;
    /// assert_eq!(column, Tensor::from([[1f32], [2.0]]));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the element counts differ.
    pub fn into_shape(mut self, shape: Shape) -> Result<Tensor> {
        check_count(&shape, self.num_elements())?;
        self.shape = shape;
        Ok(self)
    }

    /// The elements `start..start + count` of the row-major order, in another shape; plain elements are
    /// shared, not copied.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let matrix = Tensor::from([[1f32, 2.0], [3.0, 4.0]]);
    /// assert_eq!(matrix.window(2, Shape::vector(2))?, Tensor::from([3f32, 4.0]));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if the range leaves the tensor or the shape asks for another count.
    pub fn window(&self, start: usize, shape: Shape) -> Result<Tensor> {
        let count = shape.num_elements();
        let in_range = start.checked_add(count).is_some_and(|end| end <= self.num_elements());
        ensure!(in_range, InvalidArgument, "elements {start}..{start}+{count} of a tensor of {}", self.num_elements());
        let data = match &self.data {
            Data::Plain(buffer) => Data::Plain(buffer.slice(start * self.dtype.size(), count * self.dtype.size())),
            Data::Strings(strings) => Data::Strings(Arc::new(strings[start..start + count].to_vec())),
            Data::Handles(handles) => Data::Handles(Arc::new(handles[start..start + count].to_vec())),
            Data::Variants(variants) => Data::Variants(Arc::new(variants[start..start + count].to_vec())),
        };
        Ok(Tensor { dtype: self.dtype, shape, data })
    }

    /// The same bytes seen as another plain type of the same size.
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// assert_eq!(Tensor::from(1f32).bitcast(DType::Int32)?, Tensor::from(0x3f80_0000i32));
    /// # Ok::<(), Status>(())
    /// ```
    ///
    /// # Errors
    /// `InvalidArgument` if either type is not plain or the sizes differ.
    pub fn bitcast(&self, dtype: DType) -> Result<Tensor> {
        match &self.data {
            Data::Plain(buffer) if dtype.size() == self.dtype.size() => {
                Tensor::from_buffer(dtype, self.shape.clone(), buffer.clone())
            }
            _ => bail!(InvalidArgument, "cannot see a {} tensor as {dtype}", self.dtype),
        }
    }

    /// A tensor with memory of its own, for values that must not share it (a small part kept from a large
    /// message, for example).
    ///
    /// ```
    /// use tensorfleet::prelude::*;
    /// let tensor = Tensor::from([1f32, 2.0]);
    /// let mut copy = tensor.deep_copy();
    /// assert!(copy.is_unique() && copy == tensor);
    /// ```
    pub fn deep_copy(&self) -> Tensor {
        let mut copy = self.clone();
        match &mut copy.data {
            Data::Plain(buffer) => {
                *buffer = match buffer.element() {
                    Some(element) => Buffer::repeated(element, buffer.len()),
                    None => Buffer::copy_of(buffer.as_bytes()),
                }
            }
            Data::Strings(strings) => {
                *strings = Arc::new(strings.iter().map(|s| Bytes::copy_from_slice(s)).collect());
            }
            Data::Handles(_) | Data::Variants(_) => {}
        }
        copy
    }

    fn wrong_type(&self, wanted: DType) -> crate::Status {
        wrong_type(self.dtype, wanted)
    }
}

fn wrong_type(dtype: DType, wanted: DType) -> crate::Status {
    err!(Internal, "a tensor of type {dtype} was read as {wanted}")
}

fn byte_size(dtype: DType, shape: &Shape) -> Result<usize> {
    let bytes = (shape.num_elements() as u64).checked_mul(dtype.size() as u64);
    match bytes {
        Some(bytes) if memory::system_allows(bytes) => Ok(bytes as usize),
        _ => bail!(
            ResourceExhausted,
            "OOM when allocating tensor with shape {shape} and type {dtype}: {} elements",
            shape.num_elements()
        ),
    }
}

fn checked_list<T>(count: usize) -> Result<()> {
    let bytes = (count as u64).saturating_mul(size_of::<T>() as u64);
    memory::ensure_free(bytes, format_args!("OOM when allocating a tensor of {count} elements: it"))
}

fn alignment(dtype: DType) -> usize {
    match dtype {
        DType::Complex64 => 4,
        DType::Complex128 => 8,
        other => other.size().max(1),
    }
}

fn check_count(shape: &Shape, count: usize) -> Result<()> {
    let wanted = shape.num_elements();
    ensure!(wanted == count, InvalidArgument, "shape {shape} has {wanted} elements, but {count} were given");
    Ok(())
}

/// Same type, shape and elements (floats compare as floats: NaN differs from itself).
impl PartialEq for Tensor {
    fn eq(&self, other: &Tensor) -> bool {
        macro_rules! same {
            ($($t:ty),*) => {
                $(if self.dtype == <$t as Element>::DTYPE {
                    return matches!((self.as_slice::<$t>(), other.as_slice::<$t>()), (Ok(a), Ok(b)) if a == b);
                })*
            };
        }
        if self.dtype != other.dtype || self.shape != other.shape {
            return false;
        }
        if let (Some(a), Some(b)) = (self.element(), other.element()) {
            return a == b;
        }
        same!(f32, f64, crate::f16, crate::bf16, crate::Complex64, crate::Complex128);
        match (&self.data, &other.data) {
            (Data::Plain(a), Data::Plain(b)) => a.as_bytes() == b.as_bytes(),
            (Data::Strings(a), Data::Strings(b)) => a == b,
            (Data::Handles(a), Data::Handles(b)) => a == b,
            _ => false,
        }
    }
}

impl fmt::Debug for Tensor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Tensor<{}>{} ", self.dtype, self.shape)?;
        macro_rules! show {
            ($($t:ty),*) => {
                $(if let Ok(values) = self.as_slice::<$t>() {
                    return write_some(f, values);
                })*
            };
        }
        show!(f32, f64, i8, i16, i32, i64, u8, u16, u32, u64, bool, crate::f16, crate::bf16);
        match &self.data {
            Data::Strings(strings) => write_some(f, strings),
            Data::Handles(handles) => write_some(f, handles),
            _ => Ok(()),
        }
    }
}

fn write_some<T: fmt::Debug>(f: &mut fmt::Formatter<'_>, values: &[T]) -> fmt::Result {
    const SHOWN: usize = 16;
    f.debug_list().entries(values.iter().take(SHOWN)).finish()?;
    if values.len() > SHOWN { write!(f, " and {} more", values.len() - SHOWN) } else { Ok(()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Code;

    #[test]
    fn one_value_seen_as_another_type() {
        let shape = Shape::vector(3000);
        let tensor = Tensor::repeating(&Tensor::from(1f64), shape.clone()).unwrap();
        assert_eq!(tensor.bitcast(DType::Int64).unwrap().element(), Some(Tensor::from(0x3ff0_0000_0000_0000i64)));
        // An element of eight bytes is no element of four.
        let halves = Tensor::from_buffer(DType::Int32, Shape::vector(6000), tensor.buffer().unwrap().clone()).unwrap();
        assert_eq!(halves.element(), None);
        assert_eq!(halves.as_slice::<i32>().unwrap()[..4], [0, 0x3ff0_0000, 0, 0x3ff0_0000]);
        // Bytes other than 0 and 1 are no bools.
        let bytes = Tensor::repeating(&Tensor::from(2u8), Shape::vector(9000)).unwrap();
        let bools = bytes.bitcast(DType::Bool).unwrap();
        assert!(bools.as_slice::<bool>().unwrap().iter().all(|value| *value));
    }

    #[test]
    fn one_value_equals_the_same_written_out() {
        let shape = Shape::vector(5000);
        let one = |value: f32| Tensor::repeating(&Tensor::from(value), shape.clone()).unwrap();
        let written = Tensor::from_slice(&shape, &[1f32; 5000]).unwrap();
        assert!(one(1.0) == written && written == one(1.0) && one(1.0) == one(1.0) && one(0.0) == one(-0.0));
        assert!(one(1.0) != one(2.0) && one(2.0) != written && one(f32::NAN) != one(f32::NAN));
        let mut copy = one(1.0).deep_copy();
        assert!(copy.is_unique() && copy == written);
    }

    #[test]
    fn writing_to_a_shared_tensor_leaves_the_other_alone() {
        let a = Tensor::from([1i32, 2, 3]);
        let mut b = a.clone();
        assert!(!b.is_unique());
        b.make_mut::<i32>().unwrap()[0] = 9;
        assert_eq!(a, Tensor::from([1i32, 2, 3]));
        assert_eq!(b, Tensor::from([9i32, 2, 3]));
        assert!(b.is_unique());
    }

    #[test]
    fn sizes_that_cannot_be_are_refused_before_memory_is_taken() {
        let huge = Shape::new(&[1 << 50]).unwrap();
        assert_eq!(Tensor::zeros(DType::Float, &huge).unwrap_err().code(), Code::ResourceExhausted);
        assert_eq!(Tensor::zeros(DType::String, &huge).unwrap_err().code(), Code::ResourceExhausted);
        assert_eq!(Tensor::new([3], vec![1f32]).unwrap_err().code(), Code::InvalidArgument);
    }

    #[test]
    fn bool_bytes_from_outside_become_bools() {
        let tensor = Tensor::from_bytes(DType::Bool, Shape::vector(3), Bytes::from_static(&[0, 2, 1])).unwrap();
        assert_eq!(tensor.as_slice::<bool>().unwrap(), [false, true, true]);
    }

    #[test]
    fn a_window_shares_its_elements() {
        let tensor = Tensor::from([[1f32, 2.0], [3.0, 4.0]]);
        let row = tensor.window(2, Shape::vector(2)).unwrap();
        assert_eq!(row, Tensor::from([3f32, 4.0]));
        assert!(tensor.window(3, Shape::vector(2)).is_err());
    }
}
