//! Datasets: data that is gone through element by element, and the iterators that do so.

mod elements;

op_list! { function, functional, iterator, sources, transforms }
