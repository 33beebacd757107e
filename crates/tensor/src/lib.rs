//! Values: tensors with their types and shapes, and the one error type of the whole project.
//!
//! A [`Tensor`] is a [`DType`], a [`Shape`] and shared storage. Cloning it is cheap; writing goes through
//! copy-on-write, so a value that somebody else can see never changes under them.
//!
//! ```
//! use tensorfleet::prelude::*;
//! let matrix = Tensor::from([[1f32, 2.0], [3.0, 4.0]]);
//! assert_eq!((matrix.dtype(), matrix.dims()), (DType::Float, &[2, 2][..]));
//! let rows: Vec<[f32; 2]> = matrix.to()?;
//! assert_eq!(rows[1], [3.0, 4.0]);
//! # Ok::<(), Status>(())
//! ```
//!
//! With the feature `ndarray`, arrays of that crate become tensors and tensors become arrays.

#![warn(missing_docs)]

#[cfg(feature = "ndarray")]
mod arrays;
mod buffer;
mod convert;
mod dtype;
mod handle;
// For the crates that read what may be larger than this process: programs have no use for it.
#[doc(hidden)]
pub mod memory;
// For the crates that speak TensorFlow's messages: programs have no use for it.
#[doc(hidden)]
pub mod proto;
mod repeated;
mod shape;
mod status;
mod tensor;

pub use buffer::{Buffer, free_idle_memory, recycled_bytes};
pub use convert::FromTensor;
pub use dtype::{Complex64, Complex128, DType, Element, bf16, f16};
pub use handle::{Extent, MAX_VARIANT_DEPTH, Owner, ResourceHandle, Variant, VariantData, VariantValue};
pub use shape::{Dim, PartialShape, Shape};
pub use status::{Code, Result, Status};
pub use tensor::Tensor;
