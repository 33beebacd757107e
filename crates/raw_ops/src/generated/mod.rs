//! The functions of all ops. Written by `cargo xtask generate`; not to be edited.

mod array;
mod audio;
mod collective;
mod control_flow;
mod data_flow;
mod dataset;
mod image;
mod io;
mod math;
mod nn;
mod ragged;
mod random;
mod sparse;
mod state;
mod string;
mod summary;
mod training;

pub use array::*;
pub use audio::*;
pub use collective::*;
pub use control_flow::*;
pub use data_flow::*;
pub use dataset::*;
pub use image::*;
pub use io::*;
pub use math::*;
pub use nn::*;
pub use ragged::*;
pub use random::*;
pub use sparse::*;
pub use state::*;
pub use string::*;
pub use summary::*;
pub use training::*;

/// What the functions return: nodes in the making, and outputs by name.
pub mod builders {
    pub use super::array::builders::*;
    pub use super::audio::builders::*;
    pub use super::collective::builders::*;
    pub use super::control_flow::builders::*;
    pub use super::data_flow::builders::*;
    pub use super::dataset::builders::*;
    pub use super::image::builders::*;
    pub use super::io::builders::*;
    pub use super::math::builders::*;
    pub use super::nn::builders::*;
    pub use super::ragged::builders::*;
    pub use super::random::builders::*;
    pub use super::sparse::builders::*;
    pub use super::state::builders::*;
    pub use super::string::builders::*;
    pub use super::summary::builders::*;
    pub use super::training::builders::*;
}
