//! Every parser of bytes that come from outside, with bytes that are damaged at random: an answer to each, and no panic.
//!
//! All run for a moment with the other tests. `cargo xtask fuzz TARGET --minutes 10` goes on with one of them, or with all.

mod files;
mod messages;
mod texts_and_pictures;
mod wires;
