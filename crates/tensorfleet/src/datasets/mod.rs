//! Data sets that programs train on.

pub mod mnist;
