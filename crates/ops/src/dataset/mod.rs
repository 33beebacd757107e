//! Datasets: data that is gone through element by element, and the iterators that do so.

mod background;
mod elements;
pub(crate) mod function;

op_list! { assert_cardinality, combining, consuming, functional, iterator, sources, sparse_slices, transforms }
