//! Datasets: data that is gone through element by element, and the iterators that do so.

mod background;
mod elements;
pub(crate) mod function;

op_list! {
    anonymous_iterator, assert_cardinality, cardinality, combining, consuming, csv, functional, generators, iterator,
    parse_example_dataset, random_numbers, rebatch, sources, sparse_slices, to_files, transforms,
}
