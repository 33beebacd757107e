//! Arithmetic on plain slices.
//!
//! Nothing here knows tensors, graphs or devices: kernels hand over slices and sizes. Every
//! function checks the lengths it is given with an assertion; the caller guarantees them.
//! Hot loops exist in a portable form and in others for newer instructions, chosen at run time
//! ([`isa`]), and large ones are shared among the threads of [`threads`].
//!
//! | module | what it computes |
//! |---|---|
//! | [`threads`] | a loop on several threads |
//! | [`isa`] | which instructions are used |
//! | [`flush`] | denormal numbers taken for zero |
//! | [`number`] | what is known of an element type |
//! | [`approx`] | exp, log, tanh, ... of `f32`, made for vector loops |
//! | [`broadcast`] | walking arrays of different shapes together |
//! | [`elementwise`] | functions of one or two elements |
//! | [`reduce`] | sum, mean, max, ... over axes |
//! | [`gemm`] | products of matrices |
//! | [`matrix`] | matrices taken apart, and functions of them |
//! | [`fourier`] | discrete Fourier transforms |
//! | [`conv`] | two-dimensional convolution and its gradients |
//! | [`batch_norm`] | each channel brought to mean 0 and variance 1, and its gradient |
//! | [`pool`] | maximum and average pooling and their gradients |
//! | [`optimize`] | the update rules of optimizers |
//! | [`convert`] | casts |
//! | [`random`] | TensorFlow's random numbers |
//! | [`special`] | Bessel, gamma, beta and zeta functions and their kin |
//! | [`softmax`] | softmax and cross entropies |
//!
//! ```
//! use tensorfleet_math::gemm::gemm;
//!
//! // [1 2; 3 4] times [5; 6]
//! let mut product = [0f32; 2];
//! gemm(2, 2, 1, &[1.0, 2.0, 3.0, 4.0], false, &[5.0, 6.0], false, &mut product, false);
//! assert_eq!(product, [17.0, 39.0]);
//! ```
//!
//! The crate has no features.

pub mod approx;
pub mod batch_norm;
pub mod broadcast;
mod caches;
pub mod conv;
pub mod convert;
pub mod elementwise;
pub mod flush;
pub mod fourier;
pub mod gemm;
pub mod isa;
mod kernel;
pub mod matrix;
pub mod number;
pub mod optimize;
pub mod pool;
pub mod random;
pub mod reduce;
mod scratch;
mod simd;
pub mod softmax;
pub mod special;
pub mod threads;
