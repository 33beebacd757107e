//! Datasets: data that is gone through element by element, and the iterators that do so.

mod background;
mod elements;

op_list! { combining, consuming, function, functional, iterator, sources, transforms }
